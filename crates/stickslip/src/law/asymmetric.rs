//! Different friction forwards and backwards.

use super::Law;
use crate::error::Error;

/// One law for w > 0, another for w < 0; each gives its limit on its own side.
#[derive(Debug, Clone, PartialEq)]
pub struct Asymmetric {
    forward: Law,
    backward: Law,
}

impl Asymmetric {
    /// Both laws as text: see [`Law::canonical`].
    pub(super) fn canonical(&self) -> Result<String, Error> {
        Ok(format!("asymmetric({}, {})", self.forward.canonical()?, self.backward.canonical()?))
    }

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
        Ok(Self { forward, backward })
    }

    /// The law for w > 0.
    pub fn forward(&self) -> &Law {
        &self.forward
    }

    /// The law for w < 0.
    pub fn backward(&self) -> &Law {
        &self.backward
    }

    /// The law for the direction of `side`.
    pub fn towards(&self, side: f64) -> &Law {
        if side < 0.0 { &self.backward } else { &self.forward }
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
