//! The integral of a signal over all its pieces, and its jumps.

use super::{Harmonic, Knot, Signal};
use crate::portable;
use std::f64::consts::FRAC_PI_2;

/// ∫₀ᵗ s: piecewise quadratic plus harmonics, zero at t = 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Integral {
    signal: Signal,
    /// ∫ up to each knot.
    at_knots: Vec<f64>,
}

impl Integral {
    /// Of `signal`.
    pub fn new(signal: Signal) -> Self {
        let mut at_knots = vec![0.0];
        for pair in signal.parts.knots.windows(2) {
            let d = pair[1].time - pair[0].time;
            let last = at_knots[at_knots.len() - 1];
            let i = at_knots.len() - 1;
            let functions = signal.terms_of(i).integral(pair[0].time, pair[1].time);
            at_knots.push(last + d * (pair[0].value + 0.5 * d * pair[0].rate) + functions);
        }
        let mut out = Self { signal, at_knots };
        let zero = out.value(0.0);
        out.at_knots.iter_mut().for_each(|x| *x -= zero);
        out
    }

    /// The signal.
    pub fn signal(&self) -> &Signal {
        &self.signal
    }

    /// ∫₀ᵗ s.
    pub fn value(&self, t: f64) -> f64 {
        self.on_piece(self.signal.piece(t), t).0
    }

    /// Integral and signal at `t` on affine piece `i`, continued beyond its ends.
    pub(crate) fn on_piece(&self, i: usize, t: f64) -> (f64, f64) {
        let k = self.signal.parts.knots[i];
        let d = t - k.time;
        let mut out = (self.at_knots[i] + d * (k.value + 0.5 * d * k.rate), k.at(t));
        for h in &self.signal.parts.harmonics {
            let (sin, cos) = portable::sin_cos(h.angle(t));
            out.0 += h.amplitude / h.angular_frequency * sin;
            out.1 += h.amplitude * cos;
        }
        if !self.signal.parts.functions.is_empty() {
            let functions = self.signal.terms_of(i);
            out.0 += functions.integral(k.time, t);
            out.1 += functions.value(t);
        }
        out
    }

    /// The integral as a signal, if it is one: if the signal has no ramps and no user's functions.
    pub fn as_signal(&self) -> Option<Signal> {
        let bends = self.signal.parts.knots.iter().any(|k| k.rate != 0.0);
        if bends || !self.signal.parts.functions.is_empty() {
            return None;
        }
        let knot = |(k, &value): (&Knot, &f64)| Knot { time: k.time, value, rate: k.value };
        let knots = self.signal.parts.knots.iter().zip(&self.at_knots).map(knot).collect();
        let turn = |h: &Harmonic| Harmonic {
            amplitude: h.amplitude / h.angular_frequency,
            phase: h.phase - FRAC_PI_2,
            ..*h
        };
        let harmonics = self.signal.parts.harmonics.iter().map(turn).collect();
        Some(Signal::new(knots, harmonics, self.signal.parts.domain))
    }
}

impl Signal {
    /// The jumps of the signal: times and heights. Two pieces that meet at a knot but for rounding are
    /// meant to meet: the knots of a sampled series are no jumps.
    pub fn jumps(&self) -> Vec<(f64, f64)> {
        let jump = |(i, pair): (usize, &[Knot])| {
            let a = &pair[0];
            let b = &pair[1];
            let [before, after] = [i, i + 1].map(|i| self.terms_of(i).value(b.time));
            let height = b.value - a.at(b.time) + (after - before);
            let size = self.parts.size + before.abs().max(after.abs());
            (height.abs() > 16.0 * f64::EPSILON * size).then_some((b.time, height))
        };
        self.parts.knots.windows(2).enumerate().filter_map(jump).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integral_and_derivative_undo_each_other() {
        let s = Signal::sampled(&[-1.0, 0.5, 2.0, 3.0], &[1.0, -2.0, 0.5, 4.0]).unwrap()
            + Signal::harmonic(0.7, 3.0, 0.4);
        let integral = Integral::new(s.clone());
        assert_eq!(integral.value(0.0), 0.0);
        let d = 1e-5;
        for i in -90..290 {
            let t = 0.01 * f64::from(i) + 0.003;
            let slope = (integral.value(t + d) - integral.value(t - d)) / (2.0 * d);
            assert!((slope - s.value(t)).abs() < 1e-8, "{t}");
            let rate = (s.value(t + d) - s.value(t - d)) / (2.0 * d);
            assert!((s.differentiated().value(t) - rate).abs() < 1e-8, "{t}");
        }
        assert!(integral.as_signal().is_none());
        let stairs = Signal::step(1.0, 2.0, -1.0) + Signal::harmonic(0.7, 3.0, 0.4);
        assert_eq!(stairs.jumps(), [(1.0, -3.0)]);
        let integral = Integral::new(stairs);
        let same = integral.as_signal().unwrap();
        for i in 0..200 {
            let t = 0.01 * f64::from(i);
            assert!((same.value(t) - integral.value(t)).abs() < 1e-14);
        }
    }
}
