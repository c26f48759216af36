//! How a signal changes with a number that its parts depend on.

use super::Signal;
use crate::portable;

/// The derivative of a signal with respect to a number: those of its amplitudes, frequencies and phases, and of its knots.
#[derive(Debug, Clone)]
pub(crate) struct SignalRate<'a> {
    own: &'a Signal,
    /// Of A, ω and φ.
    waves: Vec<[f64; 3]>,
    /// Of time, value and slope; empty where none changes.
    knots: Vec<[f64; 3]>,
}

impl<'a> SignalRate<'a> {
    /// Of a signal the harmonics of which change so in A, ω and φ, and its knots in time, value and slope.
    pub fn new(own: &'a Signal, waves: Vec<[f64; 3]>, mut knots: Vec<[f64; 3]>) -> Self {
        if knots.iter().flatten().all(|r| *r == 0.0) {
            knots.clear();
        }
        Self { own, waves, knots }
    }

    /// The first coefficients of the power series of ∂ₚs about `t`, on the piece that holds at `from` (s): all of `out`, which is added to.
    pub fn add_series(&self, from: f64, t: f64, out: &mut [f64]) {
        if !self.knots.is_empty() {
            let piece = self.own.piece(from);
            let [time, value, rate] = self.knots[piece];
            let knot = self.own.knots()[piece];
            out[0] += value + rate * (t - knot.time) - knot.rate * time;
            out[1] += rate;
        }
        for (h, [a, w, p]) in self.own.harmonics().iter().zip(&self.waves) {
            let (sin, cos) = portable::sin_cos(h.angle(t));
            let turns = h.amplitude * (w * t + p);
            let turning = h.amplitude * w;
            // ω^k/k! of this order and of the one before.
            let mut size = 1.0;
            let mut before = 0.0;
            for (k, out) in out.iter_mut().enumerate() {
                // The derivatives of a cosine, and of a sine, repeat after four.
                *out += a * size * [cos, -sin, -cos, sin][k % 4]
                    - turns * size * [sin, cos, -sin, -cos][k % 4]
                    - turning * before * [-cos, sin, cos, -sin][k % 4];
                before = size;
                size *= h.angular_frequency / (k + 1) as f64;
            }
        }
    }

    /// ∂ₚs at `t`, on the piece that holds at `from`, and its derivative with respect to time.
    pub fn at(&self, from: f64, t: f64) -> [f64; 2] {
        let mut out = [0.0; 2];
        if !self.knots.is_empty() {
            let piece = self.own.piece(from);
            let [time, value, rate] = self.knots[piece];
            let knot = self.own.knots()[piece];
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
            let [time, value, rate] = self.knots[piece];
            let knot = self.own.knots()[piece];
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
