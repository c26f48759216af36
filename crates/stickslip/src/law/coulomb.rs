//! Coulomb's law: friction σ(w)·f, with σ the graph of the sign.

use super::TwoForces;
use crate::error::{Error, require};

/// One friction force, at rest and in motion (f_s = f_d = f).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coulomb {
    force: f64,
}

impl Coulomb {
    /// Its numbers as text, with all their digits: equal for equal laws.
    pub(super) fn canonical(&self) -> String {
        format!("coulomb({:?})", self.force)
    }

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
