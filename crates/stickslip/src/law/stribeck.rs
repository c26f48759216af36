//! Stribeck's formula of Bastien, Bernardin, Lamarque 2013, (1.38).

use super::{Curve, Listed};
use crate::error::{Error, require};
use crate::portable;

/// A(w) = D/(A|w|³ + Bw² + C|w| + 1) σ(w). The sample there: 0.01, 0.2, 0.01, 900.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stribeck {
    a: f64,
    b: f64,
    c: f64,
    d: f64,
    weakening: f64,
}

impl Stribeck {
    /// `a` ≥ 0 (s/m)³, `b` ≥ 0 (s/m)² and `c` ≥ 0 s/m, not all zero, and the breakaway force `d` > 0 N. With
    /// `a` = `b` = 0 it is D/(1 + C|w|), the law of Leine et al. (1998).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for numbers outside these ranges.
    pub fn new(a: f64, b: f64, c: f64, d: f64) -> Result<Self, Error> {
        require("Stribeck's a", a, a >= 0.0, "a finite number ≥ 0, (s/m)³")?;
        require("Stribeck's b", b, b >= 0.0, "a finite number ≥ 0, (s/m)²")?;
        require("Stribeck's c", c, c >= 0.0, "a finite number ≥ 0, s/m")?;
        require("Stribeck's d", d, d > 0.0, "a finite force > 0 N")?;
        let largest = a.max(b).max(c);
        let falls = "a number > 0: with all three 0 the friction does not depend on the velocity, so use Coulomb's law";
        require("the largest of Stribeck's a, b and c", largest, largest > 0.0, falls)?;
        let mut law = Self { a, b, c, d, weakening: 0.0 };
        law.weakening = law.steepest();
        Ok(law)
    }

    /// P(s) = A s³ + B s² + C s + 1 and P′(s).
    fn polynomial(&self, s: f64) -> (f64, f64) {
        let Self { a, b, c, .. } = *self;
        (((a * s + b) * s + c) * s + 1.0, (3.0 * a * s + 2.0 * b) * s + c)
    }

    /// The speed at which the friction has begun to fall, m/s.
    fn speed(&self) -> f64 {
        (portable::cbrt(self.a) + self.b.sqrt() + self.c).recip()
    }

    /// max D P′/P². Its derivative vanishes where P″P = 2P′²; with all coefficients ≥ 0, P″P starts
    /// above (or not at all, when c is large) and falls below once.
    fn steepest(&self) -> f64 {
        let excess = |s: f64| {
            let (p, p1) = self.polynomial(s);
            (6.0 * self.a * s + 2.0 * self.b) * p - 2.0 * p1 * p1
        };
        let mut lo = 0.0;
        let mut hi = self.speed();
        if excess(0.0) <= 0.0 {
            // P″P − 2P′² = (2B − 2C²) + … : it may still rise first (6As); look for that
            let rises = (1..=512).map(|i| hi * f64::from(i) / 64.0).find(|&s| excess(s) > 0.0);
            match rises {
                Some(s) => lo = s,
                None => return -self.slope(0.0),
            }
        }
        for _ in 0..60 {
            if excess(hi) <= 0.0 {
                break;
            }
            hi *= 2.0;
        }
        for _ in 0..120 {
            let mid = 0.5 * (lo + hi);
            if excess(mid) > 0.0 { lo = mid } else { hi = mid }
        }
        (-self.slope(hi)).max(-self.slope(0.0))
    }
}

impl Curve for Stribeck {
    fn at(&self, s: f64) -> f64 {
        // Beyond |s| of a small fraction of the scale the cubic is no continuation any more.
        self.d / self.polynomial(s.max(-0.1 * self.speed())).0
    }

    fn slope(&self, s: f64) -> f64 {
        let (p, p1) = self.polynomial(s);
        -self.d * p1 / (p * p)
    }

    fn slope_range(&self, lo: f64, hi: f64) -> (f64, f64) {
        // P and P′ increase.
        let (p, p1) = self.polynomial(lo);
        let (q, q1) = self.polynomial(hi);
        let steepest = -self.weakening * (1.0 + 1e-9);
        let flattest = -self.d * p1 / (q * q);
        let flattest = if hi.is_finite() && flattest <= 0.0 { flattest } else { 0.0 };
        ((-self.d * q1 / (p * p)).max(steepest), flattest)
    }

    fn weakening(&self) -> f64 {
        self.weakening
    }
}

impl Listed for Stribeck {
    fn canonical(&self) -> Result<String, Error> {
        Ok(format!("stribeck({:?}, {:?}, {:?}, {:?})", self.a, self.b, self.c, self.d))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::curve_tests::{slopes_are_bounded, steepest_on_a_grid};

    /// D/(1 + C w), which Leine et al. (1998) use, is steepest at rest: C D.
    #[test]
    fn a_law_that_falls_from_the_start_weakens_most_there() {
        for (c, d) in [(3.0, 1.0), (0.01, 900.0)] {
            let law = Stribeck::new(0.0, 0.0, c, d).unwrap();
            assert!((law.weakening() / (c * d) - 1.0).abs() < 1e-12, "{law:?}");
        }
        // 1/(80 w³ + 3 w + 1) falls fast again near w = 0.126, with 2.88 s/m.
        let law = Stribeck::new(80.0, 0.0, 3.0, 1.0).unwrap();
        assert!((law.weakening() - 3.0).abs() < 1e-12, "{law:?}");
    }

    #[test]
    fn the_sample_of_the_seed() {
        let law = Stribeck::new(0.01, 0.2, 0.01, 900.0).unwrap();
        assert_eq!(law.at(0.0), 900.0);
        // at w = 10: 0.01·1000 + 0.2·100 + 0.01·10 + 1 = 31.1
        assert!((law.at(10.0) - 900.0 / 31.1).abs() < 1e-12);
        slopes_are_bounded(&law, 20.0);
    }

    #[test]
    fn the_steepest_slope_is_found() {
        for (a, b, c) in [
            (0.01, 0.2, 0.01),
            (1.0, 0.0, 0.0),
            (0.3, 0.0, 5.0),
            (2.0, 3.0, 0.5),
            (4.0, 0.1, 0.4),
            (0.0, 0.0, 3.0),
            (0.0, 2.0, 0.0),
            (0.0, 0.5, 3.0),
            (1.0, 0.0, 0.5),
        ] {
            let law = Stribeck::new(a, b, c, 3.0).unwrap();
            let grid = steepest_on_a_grid(&law, 20.0);
            assert!(
                grid <= law.weakening() * (1.0 + 1e-12) && law.weakening() <= grid * (1.0 + 1e-5),
                "{a} {b} {c}: {} {grid}",
                law.weakening()
            );
        }
    }

    #[test]
    fn bad_numbers_are_refused() {
        for (a, b, c, d) in [
            (0.0, 0.0, 0.0, 1.0),
            (1.0, -1.0, 0.0, 1.0),
            (1.0, 0.0, f64::NAN, 1.0),
            (1.0, 0.0, 0.0, -1.0),
        ] {
            assert!(Stribeck::new(a, b, c, d).is_err());
        }
    }
}
