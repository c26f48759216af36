//! How a signal changes with a number of its model.

use super::number::Number;
use crate::model::Oscillator;
use crate::portable;
use crate::signal::{Harmonic, Knot, Signal};
use std::f64::consts::TAU;

/// The derivative of a signal with respect to a number: those of its amplitudes, frequencies and phases, and of its knots.
#[derive(Debug)]
pub(super) struct SignalRate<'a> {
    own: &'a Signal,
    /// Of A, ω and φ.
    waves: Vec<[f64; 3]>,
    /// Of time, value and slope; empty where none changes.
    knots: Vec<[f64; 3]>,
}

/// One of the signals of an oscillator.
pub(super) type Pick = fn(&Oscillator) -> &Signal;

impl<'a> SignalRate<'a> {
    /// Nothing where the number does not enter the signal; an error where its parts are others in the models aside.
    pub fn new(
        own: &'a Oscillator,
        number: &Number<&Oscillator>,
        pick: Pick,
    ) -> Result<Option<Self>, ()> {
        let signal = pick(own);
        if number.models().all(|o| pick(o) == signal) {
            return Ok(None);
        }
        let waves = signal.harmonics().len();
        let knots = signal.knots().len();
        let alike =
            |o: &&Oscillator| pick(o).harmonics().len() == waves && pick(o).knots().len() == knots;
        if !number.models().all(alike) {
            return Err(());
        }
        let wave =
            |i: usize, of: fn(&Harmonic) -> f64| number.rate(&own, |o| of(&pick(o).harmonics()[i]));
        let turn = |i: usize| {
            // Phases are kept within a turn, so those of the models aside may have come round.
            let here = signal.harmonics()[i].phase;
            number.rate(&own, |o| {
                let apart = pick(o).harmonics()[i].phase - here;
                apart - TAU * (apart / TAU).round()
            })
        };
        let waves = (0..waves)
            .map(|i| [wave(i, |h| h.amplitude), wave(i, |h| h.angular_frequency), turn(i)])
            .collect();
        let knot = |i: usize, of: fn(&Knot) -> f64| number.rate(&own, |o| of(&pick(o).knots()[i]));
        let mut knots: Vec<[f64; 3]> = (0..knots)
            .map(|i| [knot(i, |k| k.time), knot(i, |k| k.value), knot(i, |k| k.rate)])
            .collect();
        if knots.iter().flatten().all(|r| *r == 0.0) {
            knots.clear();
        }
        Ok(Some(Self { own: signal, waves, knots }))
    }

    /// ∂ₚs at `t`, on the piece that holds at `from`, and its derivative with respect to time.
    pub fn at(&self, from: f64, t: f64) -> [f64; 2] {
        let mut out = [0.0; 2];
        if !self.knots.is_empty() {
            let piece = self.own.piece(from);
            let ([time, value, rate], knot) = (self.knots[piece], self.own.knots()[piece]);
            out = [value + rate * (t - knot.time) - knot.rate * time, rate];
        }
        for (h, [a, w, p]) in self.own.harmonics().iter().zip(&self.waves) {
            let (sin, cos) = portable::sin_cos(h.angle(t));
            let turns = w * t + p;
            out[0] += a * cos - h.amplitude * sin * turns;
            let slope = a * h.angular_frequency * sin + h.amplitude * w * sin;
            out[1] -= slope + h.amplitude * h.angular_frequency * cos * turns;
        }
        out
    }

    /// Adds `weight` times the factors of the functions of which ∂ₚs consists, the time running from `start` (s): of 1 and t at the
    /// beginning of `factors`, and of cos, sin and t sin of each harmonic from `waves` on.
    pub fn add_factors(&self, weight: f64, start: f64, factors: &mut [f64], waves: usize) {
        if !self.knots.is_empty() {
            let piece = self.own.piece(start);
            let ([time, value, rate], knot) = (self.knots[piece], self.own.knots()[piece]);
            factors[0] += weight * (value + rate * (start - knot.time) - knot.rate * time);
            factors[1] += weight * rate;
        }
        let own = factors[waves..].chunks_exact_mut(3);
        for ((h, [a, w, p]), factors) in self.own.harmonics().iter().zip(&self.waves).zip(own) {
            factors[0] += weight * a;
            factors[1] -= weight * h.amplitude * (w * start + p);
            factors[2] -= weight * h.amplitude * w;
        }
    }

    /// What it consists of: of each harmonic the derivatives of A, ω and φ, of each knot those of time, value and slope; none where
    /// none changes.
    pub fn parts(&self) -> (&[[f64; 3]], &[[f64; 3]]) {
        (&self.waves, &self.knots)
    }

    /// Whether a breakpoint moves.
    pub fn moves(&self) -> bool {
        self.knots.iter().any(|k| k[0] != 0.0)
    }

    /// By how much the breakpoint at `t` moves, s; `None` where there is none.
    pub fn breakpoint(&self, t: f64) -> Option<f64> {
        let i = self.own.piece(t);
        (i > 0 && self.own.knots()[i].time == t).then(|| self.knots.get(i).map_or(0.0, |k| k[0]))
    }
}
