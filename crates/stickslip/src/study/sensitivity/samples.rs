//! Samples of signals as unknowns.

use super::derivatives::unsuitable;
use super::sums::{SignalSums, Sums};
use crate::error::Error;
use crate::model::{Inlet, Oscillator};
use crate::signal::Signal;

/// The samples of a signal that is part of what acts on a model: their values are as many unknowns.
#[derive(Debug, Clone, Copy)]
pub struct Samples<'a> {
    /// What they are samples of: of an oscillator its drive, force, support or normal force; of a mass between walls its force; of a
    /// machine the force on a node or the normal force of a slider.
    pub of: Inlet,
    /// Their times, s, increasing.
    pub times: &'a [f64],
    /// Whether a value holds to the next time; else the signal is linear between them.
    pub held: bool,
}

impl Samples<'_> {
    /// Which signal of an oscillator they belong to.
    pub(super) fn of_oscillator(&self) -> Option<usize> {
        match self.of {
            Inlet::Drive => Some(0),
            Inlet::Force => Some(1),
            Inlet::Support => Some(2),
            Inlet::Normal => Some(3),
            _ => None,
        }
    }

    /// That there are any.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.times.is_empty() { Err(unsuitable("a list of samples is empty")) } else { Ok(()) }
    }
}

/// ∂L with respect to every value of the samples of a signal of an oscillator.
pub(super) fn of_samples(o: &Oscillator, sums: &Sums<'_>, samples: &Samples<'_>) -> Vec<f64> {
    let (signal, sums) = match samples.of {
        Inlet::Drive => (Some(&o.drive), &sums.drive),
        Inlet::Force => (Some(&o.force), &sums.force),
        Inlet::Support => (Some(&o.support), &sums.support),
        Inlet::Normal => (o.normal.as_ref(), &sums.normal),
        // Refused before.
        _ => (None, &sums.force),
    };
    let nothing = || vec![0.0; samples.times.len()];
    signal.map_or_else(nothing, |signal| spread(signal, sums, samples))
}

/// ∂L with respect to every value, from what value and slope of each affine piece of the signal do.
///
/// A sample is a hat, or a step, over its neighbours: on each piece of the signal that it is part of it adds to value and slope.
pub(super) fn spread(signal: &Signal, sums: &SignalSums, samples: &Samples<'_>) -> Vec<f64> {
    let mut out = vec![0.0; samples.times.len()];
    for (knot, [_, of_value, of_slope]) in signal.knots().iter().zip(&sums.knots) {
        let at = samples.times.partition_point(|t| *t <= knot.time).saturating_sub(1);
        let next = samples.times.get(at + 1).filter(|_| !samples.held);
        let Some(next) = next else {
            out[at] += of_value;
            continue;
        };
        let length = next - samples.times[at];
        let share = (knot.time - samples.times[at]) / length;
        out[at] += of_value * (1.0 - share) - of_slope / length;
        out[at + 1] += of_value * share + of_slope / length;
    }
    out
}
