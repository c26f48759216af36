//! A coefficient of friction that falls with the pressure.

use crate::portable;

/// The coefficient falls with the normal force: it is the law's at the `reference`, and
///
/// ```text
/// μ(N, w) = μ(w) e^{−(N − N₀)/N_s}
/// ```
///
/// elsewhere. For PTFE-type sliders μ is multiplied by 0.7^{0.02 (p − p₀)} with p in MPa (Kumar, Whittaker & Constantinou 2015,
/// Characterizing friction in sliding isolation bearings, doi:10.1002/eqe.2524): N_s = A · 140.2 MPa on a contact area A.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pressure {
    /// N₀ ≥ 0, N: the normal force at which the law holds as it is.
    pub reference: f64,
    /// N_s > 0, N.
    pub scale: f64,
}

impl Pressure {
    /// e^{−(N − N₀)/N_s}.
    #[inline]
    fn factor(self, normal: f64) -> f64 {
        portable::exp((self.reference - normal) / self.scale)
    }

    /// g(N) = N e^{−(N − N₀)/N_s}, N: what the law's coefficient is multiplied by.
    #[inline]
    pub(crate) fn presses(self, normal: f64) -> f64 {
        normal * self.factor(normal)
    }

    /// g and its first two derivatives in time, from those of N: with c the factor and u = N/N_s
    ///
    /// ```text
    /// g′ = c (1 − u),      g″ = −(c/N_s)(2 − u),      g‴ = (c/N_s²)(3 − u)
    /// ```
    pub(crate) fn derivatives(self, [n, first, second]: [f64; 3]) -> [f64; 3] {
        let c = self.factor(n);
        let u = n / self.scale;
        let slope = c * (1.0 - u);
        let bend = -c / self.scale * (2.0 - u);
        [n * c, slope * first, bend * first * first + slope * second]
    }

    /// Bounds on g and its first three derivatives in time where N stays between `least` and bounds\[0\] (N) and its derivatives
    /// within the other bounds.
    pub(crate) fn bounds(self, least: f64, bounds: [f64; 4]) -> [f64; 4] {
        let [most, first, second, third] = bounds;
        // The factor falls with N, and the others are straight lines in it: each is largest at an end.
        let c = self.factor(least);
        let [low, high] = [least / self.scale, most / self.scale];
        let off = |from: f64| (from - low).abs().max((from - high).abs());
        let slope = c * off(1.0);
        let bend = c / self.scale * off(2.0);
        let jerk = c / (self.scale * self.scale) * off(3.0);
        [
            most * c,
            slope * first,
            bend * first * first + slope * second,
            jerk * first * first * first + 3.0 * bend * first * second + slope * third,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The derivatives against differences of fourth order, and the bounds against the derivatives, along N = 2 + cos 3t.
    #[test]
    fn derivatives_and_bounds_hold_along_a_wave() {
        let pressure = Pressure { reference: 1.5, scale: 0.8 };
        let normal = |t: f64| 2.0 + (3.0 * t).cos();
        let g = |t: f64| pressure.presses(normal(t));
        let bounds = pressure.bounds(1.0, [3.0, 3.0, 9.0, 27.0]);
        let h = 1e-3;
        let mut largest = [0.0f64; 4];
        for i in 0..200 {
            let t = 0.0123 * f64::from(i);
            let n = [normal(t), -3.0 * (3.0 * t).sin(), -9.0 * (3.0 * t).cos()];
            let [value, first, second] = pressure.derivatives(n);
            let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|by| g(t + by * h));
            assert!((value - g(t)).abs() < 1e-15 * value);
            assert!(((a - 8.0 * b + 8.0 * c - d) / (12.0 * h) - first).abs() < 1e-8);
            let bend = (-a + 16.0 * b - 30.0 * value + 16.0 * c - d) / (12.0 * h * h);
            assert!((bend - second).abs() < 1e-6, "{bend} {second}");
            let jerk = (d - 2.0 * c + 2.0 * b - a) / (2.0 * h * h * h);
            for (l, found) in largest.iter_mut().zip([value, first, second, jerk]) {
                *l = l.max(found.abs());
            }
        }
        for (l, b) in largest.iter().zip(bounds) {
            assert!(*l <= b && *l > 0.05 * b, "{largest:?} {bounds:?}");
        }
    }
}
