//! The rim that limits how far a mass goes.

/// A soft rim: beyond `radius` the mass is pushed back along the radius, and never pulled outwards.
///
/// ```text
/// P = max(0, k δ + c δ̇),      δ = |r| − radius > 0
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rim {
    /// How far from the origin it stands, m, > 0.
    pub radius: f64,
    /// k > 0, N/m.
    pub stiffness: f64,
    /// c ≥ 0, N·s/m.
    pub damping: f64,
}

impl Rim {
    /// δ at `r` (m), m; negative inside.
    #[inline]
    pub(crate) fn depth(self, r: [f64; 2]) -> f64 {
        crate::portable::hypot(r[0], r[1]) - self.radius
    }

    /// The unit vector from the origin to `r` ≠ 0.
    #[inline]
    pub(crate) fn outward(r: [f64; 2]) -> [f64; 2] {
        let far = crate::portable::hypot(r[0], r[1]);
        r.map(|x| x / far)
    }

    /// k δ + c δ̇, N: the push, and below zero what a rim that pulls would do.
    #[inline]
    pub(crate) fn push(self, r: [f64; 2], v: [f64; 2]) -> f64 {
        let n = Self::outward(r);
        self.stiffness * self.depth(r) + self.damping * (n[0] * v[0] + n[1] * v[1])
    }

    /// Whether it pushes.
    #[inline]
    pub(crate) fn presses(self, r: [f64; 2], v: [f64; 2]) -> bool {
        self.depth(r) > 0.0 && self.push(r, v) > 0.0
    }

    /// The force on a mass at `r` (m) with `v` (m/s), N.
    pub fn force(self, r: [f64; 2], v: [f64; 2]) -> [f64; 2] {
        if !self.presses(r, v) {
            return [0.0; 2];
        }
        let push = self.push(r, v);
        Self::outward(r).map(|n| -push * n)
    }

    /// k δ²/2 beyond the rim, J.
    pub(crate) fn energy(self, r: [f64; 2]) -> f64 {
        let depth = self.depth(r).max(0.0);
        0.5 * self.stiffness * depth * depth
    }

    /// The power that its dashpot takes at `r` (m) from a mass with `v` (m/s), W. Where it does not push, its own spring relaxes
    /// against its dashpot and loses k δ |δ̇| as the mass takes δ back.
    pub(crate) fn loss(self, r: [f64; 2], v: [f64; 2], presses: bool) -> f64 {
        let n = Self::outward(r);
        let speed = n[0] * v[0] + n[1] * v[1];
        if presses {
            self.damping * speed * speed
        } else {
            -self.stiffness * self.depth(r).max(0.0) * speed
        }
    }

    /// The derivatives of the push −P n by place and by velocity where it presses, N/m and N·s/m, without their sign: with t the
    /// direction along the rim,
    ///
    /// ```text
    /// ∂/∂r = k n nᵀ + (P/|r|) t tᵀ + (c v_t/|r|) n tᵀ,      ∂/∂v = c n nᵀ
    /// ```
    pub(crate) fn slopes(self, r: [f64; 2], v: [f64; 2]) -> [[[f64; 2]; 2]; 2] {
        let n = Self::outward(r);
        let t = [-n[1], n[0]];
        let far = self.radius + self.depth(r);
        let along = v[0] * t[0] + v[1] * t[1];
        let push = self.push(r, v);
        let by_place = [0, 1].map(|i| {
            [0, 1].map(|j| {
                self.stiffness * n[i] * n[j]
                    + push / far * t[i] * t[j]
                    + self.damping * along / far * n[i] * t[j]
            })
        });
        [by_place, [0, 1].map(|i| [0, 1].map(|j| self.damping * n[i] * n[j]))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Differences of fourth order of the push.
    #[test]
    fn slopes_are_derivatives() {
        let rim = Rim { radius: 0.8, stiffness: 3.0, damping: 0.7 };
        let r = [0.7, -0.9];
        let v = [0.4, 1.1];
        let force = |r: [f64; 2], v: [f64; 2]| Rim::outward(r).map(|n| rim.push(r, v) * n);
        let [by_place, by_velocity] = rim.slopes(r, v);
        let h = 1e-3;
        for j in 0..2 {
            let moved = |u: [f64; 2], by: f64| {
                let mut u = u;
                u[j] += by * h;
                u
            };
            for i in 0..2 {
                let of = |f: &dyn Fn(f64) -> f64| {
                    let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(f);
                    (a - 8.0 * b + 8.0 * c - d) / (12.0 * h)
                };
                let place = of(&|by| force(moved(r, by), v)[i]);
                let velocity = of(&|by| force(r, moved(v, by))[i]);
                assert!((place - by_place[i][j]).abs() < 1e-9, "{place} {by_place:?}");
                assert!((velocity - by_velocity[i][j]).abs() < 1e-9);
            }
        }
        assert!(rim.presses(r, v) && !rim.presses(r, [-4.0, 5.0]) && !rim.presses([0.5, 0.1], v));
    }
}
