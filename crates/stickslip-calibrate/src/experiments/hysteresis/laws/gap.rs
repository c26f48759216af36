//! A bristle behind a gap: what a band brake or a clevis with play gives.
//!
//! ```text
//! f(z) = F± ((|z| − g)/ℓ±)^p sgn z  beyond the gap, |z| > g;  0 inside
//! ż = w (1 − |f/F±|^n sgn(f w)),    F± of the side to which it moves
//! ```
//!
//! With g = 0, p = n = 1 and both sides alike this is Dahl's law with δ = 1.

use super::path::Path;
use stickslip::portable;

/// Its numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// F₊ and F₋ > 0, N.
    pub force: [f64; 2],
    /// g ≥ 0, m: half of the play.
    pub gap: f64,
    /// ℓ₊ and ℓ₋ > 0, m: how far the spring is pressed at F₊ and F₋.
    pub length: [f64; 2],
    /// p ≥ 1: 1 for a linear spring.
    pub power: f64,
    /// n > 0: how late it yields.
    pub exponent: f64,
}

/// Steps on the way in which a spring is pressed.
const STEPS: f64 = 6.0;
/// Steps of one row at most: beyond, the bristle is flat anyhow.
const MOST_STEPS: f64 = 48.0;

/// Moves a bristle along `way` (m), `follows(side, z)` = dz/dx, within its bounds, by the method of Runge and Kutta of order 4, in
/// steps of a sixth of `length` (m).
pub fn along(
    way: f64,
    length: f64,
    [low, high]: [f64; 2],
    z: f64,
    follows: impl Fn(f64, f64) -> f64,
) -> f64 {
    if way == 0.0 {
        return z;
    }
    let side = 1f64.copysign(way);
    let steps = (STEPS * way.abs() / length).ceil().clamp(1.0, MOST_STEPS);
    let h = way / steps;
    let mut z = z;
    for _ in 0..steps as usize {
        // With an exponent below 1 the limit is reached after a finite way, beyond which there is no law.
        let at = |by: f64| follows(side, (z + by).clamp(low, high));
        let k1 = at(0.0);
        let k2 = at(0.5 * h * k1);
        let k3 = at(0.5 * h * k2);
        let k4 = at(h * k3);
        z = (z + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)).clamp(low, high);
    }
    z
}

impl Gap {
    /// f(z) as a share of the force of its side, with its sign.
    fn share(&self, z: f64) -> f64 {
        let past = z.abs() - self.gap;
        if past <= 0.0 {
            return 0.0;
        }
        let of = past / self.length[usize::from(z < 0.0)];
        let bent = if self.power == 1.0 { of } else { portable::pow(of, self.power) };
        bent.copysign(z)
    }

    fn force_at(&self, z: f64) -> f64 {
        self.share(z) * self.force[usize::from(z < 0.0)]
    }

    /// Adds its force along a path that begins with the bristle in the middle of its gap.
    pub fn add(&self, path: &Path, out: &mut [f64]) {
        // Steps that suit the stiffer side suit both.
        let shortest = self.length[0].min(self.length[1]);
        let [high, low] = [0, 1].map(|i| self.gap + self.length[i]);
        let slope = self.slope();
        let mut z = 0.0f64;
        for (ways, out) in path.ways.iter().zip(out) {
            for way in ways {
                z = along(way.length, shortest, [-low, high], z, &slope);
            }
            *out += self.force_at(z);
        }
    }

    /// dz/dx of a motion to a side, at a bristle. As |f/F±| = s^p, s the share of its length by which the spring is pressed, there is one
    /// power of s and none of the forces along the path: this is where a fit spends its time.
    fn slope(&self) -> impl Fn(f64, f64) -> f64 {
        let Self { gap, length, .. } = *self;
        let both = self.power * self.exponent;
        let [up, down] = self.force;
        // Finite, so that it stays nothing where the power of s is.
        let pressed_to_the_other_side =
            [up / down, down / up].map(|ratio| portable::pow(ratio, self.exponent).min(f64::MAX));
        move |side, z| {
            let past = z.abs() - gap;
            if past <= 0.0 {
                return 1.0;
            }
            let at = usize::from(z < 0.0);
            let load = portable::pow(past / length[at], both);
            if side * z < 0.0 { 1.0 + pressed_to_the_other_side[at] * load } else { 1.0 - load }
        }
    }
}
