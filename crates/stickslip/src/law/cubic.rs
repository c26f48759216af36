//! Friction that falls with the speed and rises again, by a cubic polynomial.

use super::{Curve, Listed};
use crate::error::{Error, require};

/// A(w) = (α₀ − α₁|w| + α₂|w|³) sign w (di Bernardo, Kowalczyk and Nordmark 2003; there α₀ = α₁ = 1.5, α₂ = 0.45).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cubic {
    breakaway: f64,
    weakening: f64,
    strengthening: f64,
}

impl Cubic {
    /// α₀ = `breakaway` ≥ 0 (N), α₁ = `weakening` ≥ 0 (N·s/m) and α₂ = `strengthening` ≥ 0 (N·s³/m³), such that the
    /// friction never drives: its least value, α₀ − ⅔ α₁ √(α₁/3α₂) at the speed √(α₁/3α₂), is ≥ 0.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for numbers outside these ranges.
    pub fn new(breakaway: f64, weakening: f64, strengthening: f64) -> Result<Self, Error> {
        require("the static friction", breakaway, breakaway >= 0.0, "a finite force ≥ 0 N")?;
        require("the weakening", weakening, weakening >= 0.0, "a finite number ≥ 0 N·s/m")?;
        let rises = strengthening > 0.0 || strengthening == 0.0 && weakening == 0.0;
        let number = "a finite number ≥ 0 N·s³/m³, and above 0 where the friction falls, so that it rises again";
        require("the strengthening", strengthening, rises, number)?;
        let law = Self { breakaway, weakening, strengthening };
        let least = breakaway - 2.0 / 3.0 * weakening * law.turn();
        // A least value of 0 may come out below by a rounding.
        let resists = least >= -4.0 * f64::EPSILON * breakaway;
        let expected = "0 N or more, for friction resists at every speed: a greater static friction or strengthening, or \
                        less weakening";
        require("the least friction of the cubic law", least, resists, expected)?;
        Ok(law)
    }

    /// The speed at which the friction is least, m/s.
    fn turn(&self) -> f64 {
        if self.weakening == 0.0 {
            return 0.0;
        }
        (self.weakening / (3.0 * self.strengthening)).sqrt()
    }
}

impl Curve for Cubic {
    fn at(&self, s: f64) -> f64 {
        // Below 0 the polynomial goes on until it is flat.
        let s = s.max(-self.turn());
        self.breakaway + s * (self.strengthening * s * s - self.weakening)
    }

    fn slope(&self, s: f64) -> f64 {
        if self.strengthening == 0.0 {
            return -self.weakening;
        }
        let s = s.max(-self.turn());
        3.0 * self.strengthening * s * s - self.weakening
    }

    fn slope_range(&self, lo: f64, hi: f64) -> (f64, f64) {
        // The slope increases with the speed.
        (self.slope(lo), self.slope(hi))
    }

    fn weakening(&self) -> f64 {
        self.weakening
    }
}

impl Listed for Cubic {
    fn canonical(&self) -> Result<String, Error> {
        let Self { breakaway, weakening, strengthening } = self;
        Ok(format!("cubic({breakaway:?}, {weakening:?}, {strengthening:?})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::curve_tests::{slopes_are_bounded, steepest_on_a_grid};

    #[test]
    fn the_law_of_the_paper() {
        let law = Cubic::new(1.5, 1.5, 0.45).unwrap();
        // C(1) = 1.5 − 1.5 + 0.45
        assert!(law.at(0.0) == 1.5 && (law.at(1.0) - 0.45).abs() < 1e-15);
        assert!((law.at(2.0) - (1.5 - 3.0 + 3.6)).abs() < 1e-15);
        slopes_are_bounded(&law, 3.0);
        // Flat below −√(1.5/1.35), where the polynomial 1.5 + 1.5 u − 0.45 u³ of u = −w is largest.
        let turn = (1.5f64 / 1.35).sqrt();
        assert!(law.at(-2.0) == law.at(-turn) && law.slope(-2.0).abs() < 1e-15);
        assert!((law.at(-1.0) - 2.55).abs() < 1e-15 && (law.slope(-1.0) + 0.15).abs() < 1e-15);
        assert_eq!(steepest_on_a_grid(&law, 3.0), law.weakening());
        assert_eq!(law.slope_range(0.0, f64::INFINITY), (-1.5, f64::INFINITY));
        assert_eq!(Cubic::new(1.0, 0.0, 0.0).unwrap().slope_range(0.0, f64::INFINITY), (0.0, 0.0));
    }

    #[test]
    fn friction_that_would_drive_is_refused() {
        // α₀ = ⅔ α₁ √(α₁/3α₂): 2 = ⅔·3·√(3/3)
        assert!(Cubic::new(2.0, 3.0, 1.0).is_ok());
        assert!(Cubic::new(2.0 - 1e-9, 3.0, 1.0).is_err());
        assert!(Cubic::new(2.0, 3.0 + 1e-9, 1.0).is_err());
        for (a, b, c) in [
            (-1.0, 0.0, 0.0),
            (1.0, -1.0, 1.0),
            (1.0, 0.0, -1.0),
            (1.0, 1.0, 0.0),
            (1.0, f64::NAN, 1.0),
        ] {
            assert!(Cubic::new(a, b, c).is_err(), "{a} {b} {c}");
        }
    }
}
