//! Springs of a plane that are not straight: the sphere on which a friction pendulum slides.

use super::Square;

/// The spherical surface of a friction pendulum, whose restoring force is that of the slope under the mass:
///
/// ```text
/// S(r) = W r/√(R² − |r|²),      energy W (R − √(R² − |r|²))
/// ```
///
/// Towards the middle it is W r/R. The weight stays the same: what the mass gains in height it gains slowly, and the friction
/// is that of a level surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bowl {
    /// R > 0, m.
    pub radius: f64,
    /// W > 0, N.
    pub weight: f64,
}

impl Bowl {
    /// √(R² − |r|²), m: the depth of the place `r` (m) below the centre of the sphere. Not a number beyond its edge.
    #[inline]
    fn depth(self, r: [f64; 2]) -> f64 {
        (self.radius * self.radius - (r[0] * r[0] + r[1] * r[1])).sqrt()
    }

    /// S(r)/|r|, N/m.
    #[inline]
    pub(crate) fn secant(self, r: [f64; 2]) -> f64 {
        self.weight / self.depth(r)
    }

    /// ∂S/∂r = W (1/s + r rᵀ/s³) with s = √(R² − |r|²), N/m.
    pub(crate) fn tangent(self, r: [f64; 2]) -> Square {
        let depth = self.depth(r);
        let secant = self.weight / depth;
        [0, 1].map(|i| {
            [0, 1].map(|j| {
                let own = if i == j { 1.0 } else { 0.0 };
                secant * (own + r[i] * r[j] / (depth * depth))
            })
        })
    }

    /// W (R − √(R² − |r|²)), J, written so that nothing cancels.
    pub(crate) fn energy(self, r: [f64; 2]) -> f64 {
        let square = r[0] * r[0] + r[1] * r[1];
        self.weight * square / (self.radius + self.depth(r))
    }

    /// Whether the place `r` (m) lies beyond the edge of the hemisphere, or so near to it (10⁻⁹ R) that steps no longer tell.
    pub(crate) fn ends_before(self, r: [f64; 2]) -> bool {
        let edge = self.radius * (1.0 - 1e-9);
        r[0] * r[0] + r[1] * r[1] >= edge * edge
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The force is the slope of the energy, and the tangent that of the force: differences of fourth order.
    #[test]
    fn force_and_tangent_are_derivatives() {
        let bowl = Bowl { radius: 1.3, weight: 2.0 };
        let h = 1e-3;
        for r in [[0.0, 0.0], [0.4, -0.7], [-1.0, 0.5]] {
            let secant = bowl.secant(r);
            let tangent = bowl.tangent(r);
            for j in 0..2 {
                let at = |by: f64| {
                    let mut r = r;
                    r[j] += by * h;
                    r
                };
                let slope = |f: &dyn Fn([f64; 2]) -> f64| {
                    let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|by| f(at(by)));
                    (a - 8.0 * b + 8.0 * c - d) / (12.0 * h)
                };
                let force = slope(&|r| bowl.energy(r));
                assert!((force - secant * r[j]).abs() < 1e-8, "{force}");
                for i in 0..2 {
                    let by = slope(&|r| bowl.secant(r) * r[i]);
                    assert!((by - tangent[i][j]).abs() < 1e-7 * (1.0 + by.abs()), "{by}");
                }
            }
        }
    }
}
