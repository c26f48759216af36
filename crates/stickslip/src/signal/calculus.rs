//! Derivatives and integrals: both stay in the class.

use super::{Harmonic, Knot, Piece, Signal, Term};
use crate::portable;
use std::f64::consts::FRAC_PI_2;

impl Signal {
    /// s′ inside the pieces, as a signal; what happens at a jump of s is left out.
    pub fn differentiated(&self) -> Signal {
        let knot = |k: &Knot| Knot { time: k.time, value: k.rate, rate: 0.0 };
        let harmonic = |h: &Harmonic| Harmonic {
            amplitude: h.amplitude * h.angular_frequency,
            phase: h.phase + FRAC_PI_2,
            ..*h
        };
        let harmonics = self.parts.harmonics.iter().map(harmonic).collect();
        let functions = self.parts.functions.iter().map(Term::differentiated).collect();
        let knots = self.parts.knots.iter().map(knot).collect();
        let mut slope = Signal::new(knots, harmonics, self.parts.domain);
        slope.parts_mut().functions = functions;
        slope
    }
}

impl Piece<'_> {
    /// ∫ s dt from `from` to `to` (s) along this piece.
    pub fn integral(&self, from: f64, to: f64) -> f64 {
        let length = to - from;
        let affine = length * self.affine.at(from + 0.5 * length);
        // sin b − sin a as a product: no cancellation over short intervals.
        let harmonic = |h: &Harmonic| {
            let w = h.angular_frequency;
            let half = 0.5 * length;
            2.0 * h.amplitude / w * portable::cos(h.angle(from + half)) * portable::sin(w * half)
        };
        let plain = affine + self.harmonics.iter().map(harmonic).sum::<f64>();
        if self.functions.terms.is_empty() {
            return plain;
        }
        plain + self.functions.integral(from, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal() -> Signal {
        Signal::sampled(&[0.0, 1.0, 3.0], &[1.0, -2.0, 4.0]).unwrap()
            + Signal::harmonic(0.7, 5.0, 0.3)
            + Signal::harmonic(-2.0, 0.6, 1.0)
    }

    #[test]
    fn the_derivative_is_that_of_the_signal() {
        let s = signal();
        let d = signal().differentiated();
        for i in 0..300 {
            let t = 0.0101 * i as f64;
            assert!((d.value(t) - s.derivative(t)).abs() < 1e-13);
        }
    }

    #[test]
    fn the_integral_is_simpsons() {
        let s = signal();
        let piece = s.piece_at(1.0);
        for (a, b) in [(1.0, 3.0), (1.2, 1.2 + 1e-7)] {
            let n = 4000;
            let h = (b - a) / n as f64;
            let simpson: f64 = (0..=n)
                .map(|i| {
                    let w = if i == 0 || i == n {
                        1.0
                    } else if i % 2 == 1 {
                        4.0
                    } else {
                        2.0
                    };
                    w * h / 3.0 * piece.derivatives(a + h * i as f64)[0]
                })
                .sum();
            assert!((piece.integral(a, b) - simpson).abs() < 1e-12 * (b - a));
        }
    }
}
