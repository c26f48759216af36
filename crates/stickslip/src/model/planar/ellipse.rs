//! What the friction of a plane can be: a disc, or an ellipse.

use crate::portable::hypot;

/// The admissible friction forces {R: (R_x/e_x)² + (R_y/e_y)² ≤ f²}, a disc of radius f where e = (1, 1).
///
/// A slip is normal to the boundary (the associated rule: of all admissible forces the one with the greatest dissipation):
///
/// ```text
/// R = −f E² w/|E w|,      E = diag(e_x, e_y),      −R·w = f |E w|
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ellipse(pub [f64; 2]);

impl Ellipse {
    /// The disc.
    pub const DISC: Self = Self([1.0, 1.0]);

    /// Whether it is a disc, of any radius.
    pub fn is_disc(self) -> bool {
        self.0[0] == self.0[1]
    }

    /// |E⁻¹ R|: the force R (N) is admissible if this is at most f, N.
    pub fn gauge(self, force: [f64; 2]) -> f64 {
        hypot(force[0] / self.0[0], force[1] / self.0[1])
    }

    /// |E w|: friction dissipates f times this, W, at the sliding velocity `w`, m/s.
    pub fn support(self, w: [f64; 2]) -> f64 {
        hypot(self.0[0] * w[0], self.0[1] * w[1])
    }

    /// E² w/|E w| for a direction of sliding `w` ≠ 0: minus the friction for f = 1.
    pub fn normal(self, w: [f64; 2]) -> [f64; 2] {
        let size = self.support(w);
        [0, 1].map(|i| self.0[i] * self.0[i] * w[i] / size)
    }

    /// The resolvent: the w with m w + λ E² w/|E w| = q for `masses` m = (m_x, m_y) > 0, and 0 where λE can hold q. With
    /// equal masses and a disc it takes λ off the length of q; with an ellipse σ = |E w| is the one root of
    ///
    /// ```text
    /// Σ (e_i q_i/(m_i σ + λ e_i²))² = 1
    /// ```
    pub fn resolvent(self, q: [f64; 2], masses: [f64; 2], lambda: f64) -> [f64; 2] {
        let held = self.gauge(q);
        if held <= lambda {
            return [0.0; 2];
        }
        if lambda == 0.0 {
            return [q[0] / masses[0], q[1] / masses[1]];
        }
        if self.is_disc() && masses[0] == masses[1] {
            let rest = (1.0 - lambda / held) / masses[0];
            return q.map(|q| q * rest);
        }
        let sigma = self.root(q, masses, lambda);
        // (m_i + λ e_i²/σ) w_i = q_i
        [0, 1].map(|i| q[i] * sigma / (masses[i] * sigma + lambda * self.0[i] * self.0[i]))
    }

    /// σ of [`resolvent`](Self::resolvent), by Newton's method on 1/√Σ, which is nearly straight in σ, rises and is concave: from
    /// the left it comes to the root without passing it.
    fn root(self, q: [f64; 2], masses: [f64; 2], lambda: f64) -> f64 {
        let mut sigma = 0.0;
        for _ in 0..60 {
            let mut sum = 0.0;
            let mut slope = 0.0;
            for i in 0..2 {
                let e = self.0[i];
                let below = masses[i] * sigma + lambda * e * e;
                let term = e * q[i] / below;
                sum += term * term;
                slope -= term * term * masses[i] / below;
            }
            let size = sum.sqrt();
            let by = (size - 1.0) * sum / -slope;
            if by.is_nan() || by <= f64::EPSILON * sigma {
                break;
            }
            sigma += by;
        }
        sigma
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The equation of the resolvent holds, and what the ellipse can hold stays at rest.
    #[test]
    fn the_resolvent_solves_its_equation() {
        for (k, e) in [[1.0, 1.0], [0.8, 1.4], [1.0, 0.05], [2.0, 2.0]].into_iter().enumerate() {
            let ellipse = Ellipse(e);
            for i in 0..50 {
                let angle = 0.13 * f64::from(i) + k as f64;
                let q = [3.0 * angle.cos() / (1.0 + f64::from(i % 7)), 2.5 * angle.sin()];
                for (masses, lambda) in [([1.0, 1.0], 0.7), ([0.3, 2.0], 1.1), ([5.0, 5.0], 1e-6)] {
                    let w = ellipse.resolvent(q, masses, lambda);
                    if w == [0.0; 2] {
                        assert!((q[0] / e[0]).powi(2) + (q[1] / e[1]).powi(2) <= lambda * lambda);
                        continue;
                    }
                    let n = ellipse.normal(w);
                    for j in 0..2 {
                        let left = masses[j] * w[j] + lambda * n[j];
                        assert!((left - q[j]).abs() < 1e-13 * (1.0 + q[j].abs()), "{left} {q:?}");
                    }
                }
            }
        }
    }
}
