//! Coulomb's law: friction σ(w)·f, with σ the graph of the sign.

use super::{Contact, Listed, TwoForces};
use crate::error::{Error, require};
use crate::onestep::Step;

/// One friction force, at rest and in motion (f_s = f_d = f).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coulomb {
    force: f64,
}

impl Coulomb {
    /// f ≥ 0, N.
    ///
    /// # Errors
    /// If `f` is not a finite force ≥ 0 N.
    pub fn new(force: f64) -> Result<Self, Error> {
        require("the friction force", force, force >= 0.0, "a finite force ≥ 0 N")?;
        Ok(Self { force })
    }

    /// The resolvent (I + λ f σ)⁻¹: soft thresholding, p ↦ sign p · max(|p| − λ f, 0).
    #[inline]
    pub fn resolvent(&self, p: f64, lambda: f64) -> f64 {
        let limit = lambda * self.force;
        if p.abs() <= limit {
            std::hint::cold_path(); // as in the two-phase law
            0.0
        } else {
            p - limit.copysign(p)
        }
    }
}

impl TwoForces for Coulomb {
    fn breakaway(&self) -> f64 {
        self.force
    }

    fn sliding(&self) -> f64 {
        self.force
    }

    #[inline]
    fn advance(&self, p: f64, h_over_m: f64) -> f64 {
        self.resolvent(p, h_over_m)
    }
}

impl Contact for Coulomb {
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

impl Listed for Coulomb {
    fn canonical(&self) -> Result<String, Error> {
        Ok(format!("coulomb({:?})", self.force))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// p − u ∈ λ f σ(u): the definition of the resolvent, and that it contracts.
        #[test]
        fn solves_its_inclusion(p in -10.0f64..10.0, q in -10.0f64..10.0, f in 0.0f64..5.0, l in 0.0f64..2.0) {
            let c = Coulomb::new(f).unwrap();
            let u = c.resolvent(p, l);
            let r = p - u;
            let inside = if u == 0.0 { r.abs() <= l * f } else { (r - l * f * u.signum()).abs() <= 1e-15 * p.abs().max(1.0) };
            prop_assert!(inside);
            prop_assert!((u - c.resolvent(q, l)).abs() <= (p - q).abs() * (1.0 + 1e-12) + 1e-15);
        }
    }

    #[test]
    fn refuses_what_is_no_force() {
        for f in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(Coulomb::new(f).is_err());
        }
    }
}
