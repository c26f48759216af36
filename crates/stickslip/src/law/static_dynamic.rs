//! The two-phase law: breakaway force f_s at rest, sliding force f_d ≤ f_s in motion.

use super::{Contact, Listed, TwoForces};
use crate::error::{Error, require};
use crate::onestep::Step;

/// f_s to break away, f_d while sliding; 0 ≤ f_d ≤ f_s. Bensoussan et al. 2021, §2.1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StaticDynamic {
    breakaway: f64,
    dynamic: f64,
}

impl StaticDynamic {
    /// f_s = `breakaway`, f_d = `dynamic`, N.
    ///
    /// # Errors
    /// If a force is not a finite number ≥ 0 N, or the dynamic one exceeds the static one.
    pub fn new(breakaway: f64, dynamic: f64) -> Result<Self, Error> {
        require("the dynamic friction", dynamic, dynamic >= 0.0, "a finite force ≥ 0 N")?;
        require("the static friction", breakaway, breakaway >= 0.0, "a finite force ≥ 0 N")?;
        if dynamic > breakaway {
            return Err(Error::DynamicAboveStatic { breakaway, dynamic });
        }
        Ok(Self { breakaway, dynamic })
    }
}

impl TwoForces for StaticDynamic {
    fn breakaway(&self) -> f64 {
        self.breakaway
    }

    fn sliding(&self) -> f64 {
        self.dynamic
    }

    /// |p| ≤ (h/m) f_s: stick. Otherwise p − (h/m) f_d sign p. Not a resolvent when f_s > f_d: the
    /// velocity jumps over (0, (h/m)(f_s − f_d)).
    #[inline]
    fn advance(&self, p: f64, h_over_m: f64) -> f64 {
        if p.abs() <= h_over_m * self.breakaway {
            // Phases last many steps: a branch, predicted, is off the path from one velocity to the
            // next, where a select would be on it. Calling one side cold is how to ask for it.
            std::hint::cold_path();
            0.0
        } else {
            p - (h_over_m * self.dynamic).copysign(p)
        }
    }
}

impl Contact for StaticDynamic {
    fn force(&self, _side: f64, _speed: f64) -> f64 {
        self.sliding()
    }

    fn slope_range(&self, _side: f64, _lo: f64, _hi: f64) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn limit(&self, _side: f64, _age: f64) -> f64 {
        self.breakaway()
    }

    fn constants(&self) -> Option<[(f64, f64); 2]> {
        Some([(self.breakaway(), self.sliding()); 2])
    }

    fn step(&self, p: f64, lambda: f64, _age: f64, _w: f64) -> Step {
        Step::only(self.advance(p, lambda))
    }
}

impl Listed for StaticDynamic {
    fn canonical(&self) -> Result<String, Error> {
        Ok(format!("static-dynamic({:?}, {:?})", self.breakaway, self.dynamic))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Coulomb;

    #[test]
    fn equal_forces_are_coulombs_law() {
        let two = StaticDynamic::new(1.5, 1.5).unwrap();
        let one = Coulomb::new(1.5).unwrap();
        for i in -300..300 {
            let p = 0.01 * i as f64;
            assert_eq!(two.advance(p, 0.7), one.advance(p, 0.7));
        }
    }

    #[test]
    fn sticks_exactly_at_the_limit_and_slips_beyond() {
        let law = StaticDynamic::new(2.0, 1.0).unwrap();
        assert_eq!(law.advance(1.0, 0.5), 0.0);
        assert_eq!(law.advance(-1.0, 0.5), 0.0);
        assert_eq!(law.advance(1.25, 0.5), 0.75);
        assert_eq!(law.advance(-1.25, 0.5), -0.75);
    }

    #[test]
    fn dynamic_above_static_is_refused() {
        assert!(StaticDynamic::new(1.0, 1.1).is_err());
        assert!(StaticDynamic::new(1.0, -0.1).is_err());
    }
}
