//! Friction that rises with the speed, as that of sliding bearings with PTFE.

use super::{Curve, Listed};
use crate::error::{Error, require};
use crate::portable::exp;

/// A(w) = (f_max − (f_max − f_min) exp(−r|w|)) sign w (Constantinou, Mokha and Reinhorn 1990).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VelocityStrengthening {
    slow: f64,
    fast: f64,
    rate: f64,
}

impl VelocityStrengthening {
    /// f_min = `slow` and f_max = `fast` (N, 0 ≤ f_min ≤ f_max), r = `rate` > 0 (s/m).
    ///
    /// # Errors
    /// If a number is outside its range.
    pub fn new(slow: f64, fast: f64, rate: f64) -> Result<Self, Error> {
        require("the slow friction", slow, slow >= 0.0, "a finite force ≥ 0 N")?;
        require(
            "the fast friction",
            fast,
            fast >= slow,
            "a finite force, at least the slow friction, N: friction that falls with the speed is Stribeck's",
        )?;
        require("the rate", rate, rate > 0.0, "a finite number > 0 s/m")?;
        Ok(Self { slow, fast, rate })
    }
}

impl Curve for VelocityStrengthening {
    fn at(&self, s: f64) -> f64 {
        // Below 0 continued, but not without bound.
        self.fast - (self.fast - self.slow) * exp((-self.rate * s).min(1.0))
    }

    fn slope(&self, s: f64) -> f64 {
        self.rate * (self.fast - self.slow) * exp(-self.rate * s)
    }

    fn slope_range(&self, lo: f64, hi: f64) -> (f64, f64) {
        // The slope falls.
        let slope = |s: f64| if s == f64::INFINITY { 0.0 } else { self.slope(s) };
        (slope(hi), slope(lo))
    }

    fn weakening(&self) -> f64 {
        0.0
    }
}

impl Listed for VelocityStrengthening {
    fn canonical(&self) -> Result<String, Error> {
        let Self { slow, fast, rate } = self;
        Ok(format!("velocity-strengthening({slow:?}, {fast:?}, {rate:?})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::curve_tests::slopes_are_bounded;

    #[test]
    fn it_rises_from_slow_to_fast() {
        let law = VelocityStrengthening::new(2.0, 5.0, 20.0).unwrap();
        assert_eq!((law.at(0.0), law.at(1e3), law.weakening()), (2.0, 5.0, 0.0));
        // Half-way up at ln 2/r.
        assert!((law.at(std::f64::consts::LN_2 / 20.0) - 3.5).abs() < 1e-15);
        slopes_are_bounded(&law, 2.0);
        assert_eq!(law.slope_range(0.0, f64::INFINITY), (0.0, 60.0));
    }

    #[test]
    fn bad_numbers_are_refused() {
        let new = VelocityStrengthening::new;
        for (slow, fast, rate) in
            [(-1.0, 1.0, 1.0), (2.0, 1.0, 1.0), (1.0, 2.0, 0.0), (1.0, f64::NAN, 1.0)]
        {
            assert!(new(slow, fast, rate).is_err());
        }
        assert!(new(2.0, 1.0, 1.0).unwrap_err().to_string().contains("Stribeck"));
    }
}
