//! The rim that limits how far a mass goes.

use crate::model::Bumper;

/// A round rim about the origin. It pushes along the radius, never pulls outwards, and does not rub.
///
/// ```text
/// soft    P = max(0, k δ + c δ̇),      δ = |r| − radius > 0
/// rigid   |r| ≤ radius;  an impact turns the velocity ṙ·n > 0 along n = r/|r| into −e ṙ·n and leaves the one along the rim as it is
///         contact |r| = radius:  the push P = n·(F + R) + m v²/radius ≥ 0, with F the load, R the friction of the surface, v the
///         speed along the rim
/// ```
///
/// At rest against a rigid rim statics determines only the sum of friction and push. Rule: the rim carries as much as
/// makes the friction's share of its limit as small as possible, which on a disc is all that presses the mass to the rim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rim {
    /// How far from the origin it stands, m, > 0.
    pub radius: f64,
    /// What it is made of: k > 0 (N/m) and c ≥ 0 (N·s/m), or e ∈ [0, 1].
    pub bumper: Bumper,
}

impl Rim {
    /// How far from a rigid rim a mass may be and still be at it, of the radius: rounding.
    pub(crate) const ROUNDING: f64 = 1e-12;

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

    /// Whether a mass at `r` (m) is at it, to rounding.
    pub(crate) fn is_at(self, r: [f64; 2]) -> bool {
        self.depth(r).abs() <= Self::ROUNDING * self.radius
    }

    /// The place at the rim nearest to `r` ≠ 0, m.
    pub(crate) fn nearest(self, r: [f64; 2]) -> [f64; 2] {
        Self::outward(r).map(|n| self.radius * n)
    }

    /// Spring and dashpot of a soft rim.
    #[inline]
    pub(crate) fn cushion(self) -> Option<Cushion> {
        match self.bumper {
            Bumper::Soft { stiffness, damping } => {
                Some(Cushion { radius: self.radius, stiffness, damping })
            }
            Bumper::Rigid { .. } => None,
        }
    }

    /// e of a rigid rim.
    #[inline]
    pub fn restitution(self) -> Option<f64> {
        match self.bumper {
            Bumper::Rigid { restitution } => Some(restitution),
            Bumper::Soft { .. } => None,
        }
    }

    /// The force of a soft rim on a mass at `r` (m) with `v` (m/s), N; that of a rigid one depends on the load as well and is not
    /// among these.
    pub fn force(self, r: [f64; 2], v: [f64; 2]) -> [f64; 2] {
        self.cushion().map_or([0.0; 2], |soft| soft.force(r, v))
    }
}

/// What a soft rim is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cushion {
    /// m.
    pub radius: f64,
    /// k, N/m.
    pub stiffness: f64,
    /// c, N·s/m.
    pub damping: f64,
}

impl Cushion {
    /// δ at `r` (m), m; negative inside.
    #[inline]
    pub(crate) fn depth(self, r: [f64; 2]) -> f64 {
        crate::portable::hypot(r[0], r[1]) - self.radius
    }

    /// k δ + c δ̇, N: the push, and below zero what a rim that pulls would do.
    #[inline]
    pub(crate) fn push(self, r: [f64; 2], v: [f64; 2]) -> f64 {
        let n = Rim::outward(r);
        self.stiffness * self.depth(r) + self.damping * (n[0] * v[0] + n[1] * v[1])
    }

    /// Whether it pushes.
    #[inline]
    pub(crate) fn presses(self, r: [f64; 2], v: [f64; 2]) -> bool {
        self.depth(r) > 0.0 && self.push(r, v) > 0.0
    }

    /// The force on a mass at `r` (m) with `v` (m/s), N.
    fn force(self, r: [f64; 2], v: [f64; 2]) -> [f64; 2] {
        if !self.presses(r, v) {
            return [0.0; 2];
        }
        let push = self.push(r, v);
        Rim::outward(r).map(|n| -push * n)
    }

    /// k δ²/2 beyond the rim, J.
    pub(crate) fn energy(self, r: [f64; 2]) -> f64 {
        let depth = self.depth(r).max(0.0);
        0.5 * self.stiffness * depth * depth
    }

    /// The power that its dashpot takes at `r` (m) from a mass with `v` (m/s), W. Where it does not push, its own spring relaxes
    /// against its dashpot and loses k δ |δ̇| as the mass takes δ back.
    pub(crate) fn loss(self, r: [f64; 2], v: [f64; 2], presses: bool) -> f64 {
        let n = Rim::outward(r);
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
        let n = Rim::outward(r);
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
        let rim = Cushion { radius: 0.8, stiffness: 3.0, damping: 0.7 };
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
