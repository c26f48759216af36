//! Different friction forwards and backwards.

use super::{Contact, Law, Listed};
use crate::error::Error;
use crate::onestep::{Smooth, Step};
use std::sync::Arc;

/// One law for w > 0, another for w < 0; each gives its limit on its own side.
#[derive(Debug, Clone, PartialEq)]
pub struct Asymmetric {
    /// Forwards and backwards. A law cannot hold laws by value, hence the pointer.
    laws: Arc<[Law; 2]>,
}

impl Asymmetric {
    /// Neither side may itself be asymmetric.
    ///
    /// # Errors
    /// [`Error::Nested`] if one of the two is itself asymmetric.
    pub fn new(forward: Law, backward: Law) -> Result<Self, Error> {
        for law in [&forward, &backward] {
            if matches!(law, Law::Asymmetric(_)) {
                return Err(Error::Nested);
            }
        }
        Ok(Self { laws: Arc::new([forward, backward]) })
    }

    /// The law for w > 0.
    pub fn forward(&self) -> &Law {
        &self.laws[0]
    }

    /// The law for w < 0.
    pub fn backward(&self) -> &Law {
        &self.laws[1]
    }

    /// The law for the direction of `side`.
    pub fn towards(&self, side: f64) -> &Law {
        if side < 0.0 { self.backward() } else { self.forward() }
    }
}

impl Contact for Asymmetric {
    fn force(&self, side: f64, speed: f64) -> f64 {
        self.towards(side).force(side, speed)
    }

    fn slope_range(&self, side: f64, lo: f64, hi: f64) -> (f64, f64) {
        self.towards(side).slope_range(side, lo, hi)
    }

    fn limit(&self, side: f64, age: f64) -> f64 {
        self.towards(side).limit(side, age)
    }

    fn ages(&self) -> bool {
        self.forward().ages() || self.backward().ages()
    }

    fn next_kink(&self, age: f64) -> f64 {
        self.forward().next_kink(age).min(self.backward().next_kink(age))
    }

    fn constants(&self) -> Option<[(f64, f64); 2]> {
        Some([self.forward().constants()?[0], self.backward().constants()?[1]])
    }

    fn weakening(&self) -> f64 {
        self.forward().weakening().max(self.backward().weakening())
    }

    fn smooth_around(&self, side: f64, speed: f64, rising: bool) -> Smooth {
        self.towards(side).smooth_around(side, speed, rising)
    }

    fn is_rule(&self) -> bool {
        self.forward().is_rule() || self.backward().is_rule()
    }

    fn step(&self, p: f64, lambda: f64, age: f64, w: f64) -> Step {
        // The velocity after the step has the sign of p, or is zero.
        self.towards(p).step(p, lambda, age, w)
    }
}

impl Listed for Asymmetric {
    fn canonical(&self) -> Result<String, Error> {
        let [forward, backward] = &*self.laws;
        Ok(format!("asymmetric({}, {})", forward.canonical()?, backward.canonical()?))
    }

    fn user_functions(&self) -> Vec<Option<String>> {
        self.laws.iter().flat_map(Law::user_functions).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_has_its_own_resolvent() {
        let law = Law::asymmetric(Law::coulomb(1.0).unwrap(), Law::coulomb(3.0).unwrap()).unwrap();
        for (p, w) in [(2.0, 1.5), (0.5, 0.0), (-1.0, 0.0), (-1.5, 0.0), (-2.0, -0.5)] {
            assert_eq!(law.step(p, 0.5, 0.0, 0.0).w, w);
        }
        assert_eq!(law.constants(), Some([(1.0, 1.0), (3.0, 3.0)]));
        assert!(Law::asymmetric(law.clone(), law).is_err());
    }
}
