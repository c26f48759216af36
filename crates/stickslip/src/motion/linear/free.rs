//! How a free motion depends on where it starts.

use super::arc::LinearArc;
use super::divided::{exp, exp_divided};
use super::medium::{Medium, Modes};
use crate::portable;
use num_complex::Complex64;

impl Medium {
    /// The derivative of the state `s` (s) later with respect to the state now: rows x and v, columns x and v.
    pub(crate) fn propagator(&self, s: f64) -> [[f64; 2]; 2] {
        let omega2 = self.stiffness / self.mass;
        let rate = self.damping / self.mass;
        match self.modes {
            Modes::Oscillating { decay, frequency } => {
                let (sin, cos) = portable::sin_cos(frequency * s);
                let e = portable::exp(-decay * s);
                let q = sin / frequency;
                let sine = e * q;
                let even = e * cos;
                [[even + decay * sine, sine], [-omega2 * sine, even - decay * sine]]
            }
            Modes::Decaying { slow, fast } => {
                let p = Complex64::from(-slow);
                let q = Complex64::from(-fast);
                let sine = exp_divided(&[p, q], s);
                let rises = (p * sine + exp(q * s)).re;
                let sine = sine.re;
                [[rises + rate * sine, sine], [-omega2 * sine, rises]]
            }
        }
    }
}

impl LinearArc {
    /// The derivative of the state `s` (s) after the start with respect to the state there.
    pub(crate) fn propagator(&self, s: f64) -> [[f64; 2]; 2] {
        self.medium().propagator(s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the power series of the exponential of the companion matrix.
    #[test]
    fn is_the_exponential_of_the_companion_matrix() {
        for (m, c, k) in
            [(1.0, 0.0, 1.0), (2.0, 0.3, 5.0), (1.0, 2.0, 1.0), (1.0, 5.0, 0.4), (3.0, 0.7, 0.0)]
        {
            let s = 0.83;
            let a = [[0.0, 1.0], [-k / m, -c / m]];
            let mut sum = [[1.0, 0.0], [0.0, 1.0]];
            let mut term = [[1.0, 0.0], [0.0, 1.0]];
            for n in 1..40 {
                let mut next = [[0.0; 2]; 2];
                for (i, row) in next.iter_mut().enumerate() {
                    for (j, e) in row.iter_mut().enumerate() {
                        *e = (term[i][0] * a[0][j] + term[i][1] * a[1][j]) * s / f64::from(n);
                        sum[i][j] += *e;
                    }
                }
                term = next;
            }
            let found = Medium::new(m, c, k, &[]).propagator(s);
            for (f, w) in found.iter().flatten().zip(sum.iter().flatten()) {
                assert!((f - w).abs() < 1e-14, "{m} {c} {k}: {f} {w}");
            }
        }
    }
}
