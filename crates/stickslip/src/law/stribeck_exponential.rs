//! The exponential Stribeck law with a viscous part, as Modelica and robotics use it.

use super::{Curve, Listed};
use crate::error::{Error, require};
use crate::portable::{exp, pow};

/// A(w) = (f_d + (f_s − f_d) exp(−|w/w_s|^δ) + c|w|) sign w.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StribeckExponential {
    breakaway: f64,
    dynamic: f64,
    velocity: f64,
    exponent: f64,
    viscous: f64,
}

impl StribeckExponential {
    /// f_s = `breakaway` and f_d = `dynamic` (N, 0 ≤ f_d ≤ f_s), w_s = `velocity` > 0 (m/s),
    /// δ = `exponent` > 0, c = `viscous` ≥ 0 (N·s/m).
    ///
    /// # Errors
    /// If a number is outside its range.
    pub fn new(
        breakaway: f64,
        dynamic: f64,
        velocity: f64,
        exponent: f64,
        viscous: f64,
    ) -> Result<Self, Error> {
        require("the static friction", breakaway, breakaway >= 0.0, "a finite force ≥ 0 N")?;
        require("the dynamic friction", dynamic, dynamic >= 0.0, "a finite force ≥ 0 N")?;
        require("Stribeck's velocity", velocity, velocity > 0.0, "a finite velocity > 0 m/s")?;
        require("Stribeck's exponent", exponent, exponent > 0.0, "a finite number > 0")?;
        require("the viscous friction", viscous, viscous >= 0.0, "a finite number ≥ 0 N·s/m")?;
        if dynamic > breakaway {
            return Err(Error::DynamicAboveStatic { breakaway, dynamic });
        }
        Ok(Self { breakaway, dynamic, velocity, exponent, viscous })
    }

    /// δ z^{δ−1} e^{−z^δ}, z = s/w_s: the fall per (f_s − f_d)/w_s.
    fn fall(&self, z: f64) -> f64 {
        self.exponent * pow(z, self.exponent - 1.0) * exp(-pow(z, self.exponent))
    }

    /// z^δ as it goes on where z is negative.
    #[cold]
    fn continued(&self, z: f64) -> f64 {
        let power = if self.exponent == 1.0 || self.exponent == 3.0 {
            -pow(-z, self.exponent) // the continuation of an odd power
        } else if self.exponent < 1.0 {
            0.0 // none is smooth
        } else {
            pow(-z, self.exponent)
        };
        power.max(-1.0)
    }
}

impl Curve for StribeckExponential {
    fn at(&self, s: f64) -> f64 {
        let z = s / self.velocity;
        let power = if z >= 0.0 { pow(z, self.exponent) } else { self.continued(z) };
        self.dynamic + (self.breakaway - self.dynamic) * exp(-power) + self.viscous * s
    }

    fn slope(&self, s: f64) -> f64 {
        self.viscous
            - (self.breakaway - self.dynamic) / self.velocity * self.fall(s / self.velocity)
    }

    fn slope_range(&self, lo: f64, hi: f64) -> (f64, f64) {
        let z0 = lo / self.velocity;
        let z1 = hi / self.velocity;
        let d = self.exponent;
        // z^{δ−1} rises (δ > 1) or falls (δ < 1), the exponential falls.
        // Beyond z^δ = 700 the exponential is 1e-304, and nothing may be infinite that it multiplies.
        let last = pow(700.0, 1.0 / d);
        let z0 = z0.min(last);
        let z1 = z1.min(last);
        let p0 = pow(z0, d - 1.0);
        let p1 = pow(z1, d - 1.0);
        let e0 = exp(-pow(z0, d));
        let e1 = exp(-pow(z1, d));
        let range = |low: f64, high: f64| {
            let scale = (self.breakaway - self.dynamic) / self.velocity * d;
            if scale == 0.0 {
                return (self.viscous, self.viscous);
            }
            (self.viscous - scale * high, self.viscous - scale * low)
        };
        if d >= 1.0 { range(p0 * e1, p1 * e0) } else { range(p1 * e1, p0 * e0) }
    }

    fn weakening(&self) -> f64 {
        if self.breakaway == self.dynamic {
            return 0.0;
        }
        // The steepest fall is at z^δ = (δ − 1)/δ; for δ ≤ 1 at zero.
        let d = self.exponent;
        let z = if d > 1.0 { pow((d - 1.0) / d, 1.0 / d) } else { 0.0 };
        (-self.slope(z * self.velocity)).max(0.0)
    }
}

impl Listed for StribeckExponential {
    fn canonical(&self) -> Result<String, Error> {
        let Self { breakaway, dynamic, velocity, exponent, viscous } = self;
        Ok(format!(
            "stribeck-exponential({breakaway:?}, {dynamic:?}, {velocity:?}, {exponent:?}, {viscous:?})"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::curve_tests::{slopes_are_bounded, steepest_on_a_grid};

    #[test]
    fn modelicas_support_friction() {
        // 5 + |v| + 10 exp(−2|v|): f_s = 15, f_d = 5, w_s = ½, δ = 1, c = 1
        let law = StribeckExponential::new(15.0, 5.0, 0.5, 1.0, 1.0).unwrap();
        for s in [0.0, 0.1, 1.0, 7.0f64] {
            assert!((law.at(s) - (5.0 + s + 10.0 * (-2.0 * s).exp())).abs() < 1e-14);
        }
        assert_eq!(law.weakening(), 19.0);
    }

    #[test]
    fn slopes() {
        for d in [0.5, 1.0, 1.5, 2.0, 4.0] {
            let law = StribeckExponential::new(3.0, 1.0, 0.2, d, 0.3).unwrap();
            slopes_are_bounded(&law, 2.0);
            if d >= 1.0 {
                let grid = steepest_on_a_grid(&law, 2.0);
                assert!(grid <= law.weakening() * (1.0 + 1e-12));
                assert!(law.weakening() <= grid * (1.0 + 1e-3), "{d}");
            } else {
                assert_eq!(law.weakening(), f64::INFINITY);
            }
        }
    }

    #[test]
    fn bad_numbers_are_refused() {
        let new = StribeckExponential::new;
        assert!(new(-1.0, 0.0, 1.0, 1.0, 0.0).is_err());
        assert!(new(1.0, 2.0, 1.0, 1.0, 0.0).is_err());
        assert!(new(1.0, 0.5, 0.0, 1.0, 0.0).is_err());
        assert!(new(1.0, 0.5, 1.0, 0.0, 0.0).is_err());
        assert!(new(1.0, 0.5, 1.0, 1.0, f64::NAN).is_err());
    }
}
