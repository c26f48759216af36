//! Samples of signals as unknowns.

use super::sums::{SignalSums, Sums};
use crate::model::Oscillator;
use crate::signal::Signal;

/// What acts on a mass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// The drive, m.
    Drive,
    /// The force, N.
    Force,
    /// The velocity of the support, m/s.
    Support,
    /// The normal force, N.
    Normal,
}

impl Input {
    pub(super) fn index(self) -> usize {
        match self {
            Self::Drive => 0,
            Self::Force => 1,
            Self::Support => 2,
            Self::Normal => 3,
        }
    }
}

/// The samples of a signal that is part of what acts on a mass: their values are as many unknowns.
#[derive(Debug, Clone, Copy)]
pub struct Samples<'a> {
    /// What they are samples of.
    pub of: Input,
    /// Their times, s, increasing.
    pub times: &'a [f64],
    /// Whether a value holds to the next time; else the signal is linear between them.
    pub held: bool,
}

/// ∂L with respect to every value.
///
/// A sample is a hat, or a step, over its neighbours: on each affine piece of the signal that it is part of it adds to value and
/// slope.
pub(super) fn of_samples(o: &Oscillator, sums: &Sums<'_>, samples: &Samples<'_>) -> Vec<f64> {
    let mut out = vec![0.0; samples.times.len()];
    let (signal, sums): (Option<&Signal>, &SignalSums) = match samples.of {
        Input::Drive => (Some(&o.drive), &sums.drive),
        Input::Force => (Some(&o.force), &sums.force),
        Input::Support => (Some(&o.support), &sums.support),
        Input::Normal => (o.normal.as_ref(), &sums.normal),
    };
    let Some(signal) = signal else { return out };
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
