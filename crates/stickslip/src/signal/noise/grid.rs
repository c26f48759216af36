//! Time cut in halves: what makes a path refinable.

use crate::error::{Error, require};

/// Every path is made by halving an interval of 2⁴⁰ to 2⁴¹ s, 35,000 to 70,000 years.
const HORIZON: i32 = 40;
/// Steps made at a time, 2^DEPTH of them.
pub(crate) const DEPTH: usize = 6;
/// Steps made at a time.
pub(crate) const CHUNK: usize = 1 << DEPTH;

/// The grid t_n = n h as level L of a dyadic tree over [0, H], H = 2^L h.
///
/// H depends on the binary digits of h but not on its magnitude, so h, h/2, h/4, … are levels of one
/// tree and see one path; other steps, like h/3, belong to other trees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dyadic {
    /// H, s.
    pub horizon: f64,
    /// L: the number of halvings from H to h.
    pub level: usize,
}

impl Dyadic {
    /// For the step h (s), 2⁻¹⁰⁰ ≤ h < 2³⁰ s.
    pub fn new(step: f64) -> Result<Self, Error> {
        let expected = "a step from 1e-30 s to 1e9 s with noise";
        require("the step", step, (1e-30..1e9).contains(&step), expected)?;
        let exponent = (step.to_bits() >> 52) as i32 - 1023;
        let level = HORIZON - exponent;
        Ok(Self { horizon: step * power_of_two(level), level: level as usize })
    }

    /// Length of the intervals at `level`, s: H/2^level.
    pub fn length(&self, level: usize) -> f64 {
        self.horizon * power_of_two(-(level as i32))
    }
}

/// 2^k for −1022 ≤ k ≤ 1023.
pub(crate) fn power_of_two(k: i32) -> f64 {
    f64::from_bits(((1023 + k) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halved_steps_share_their_tree() {
        for h in [0.05, 1.0, 3600.0, 1e-9, 0.7] {
            let a = Dyadic::new(h).unwrap();
            let b = Dyadic::new(h / 2.0).unwrap();
            assert_eq!((a.horizon, a.level + 1), (b.horizon, b.level));
            assert_eq!(a.length(a.level), h);
            assert!(a.horizon >= 1.0e12);
        }
        assert_eq!(Dyadic::new(0.005).unwrap().horizon, Dyadic::new(0.01).unwrap().horizon);
        assert!(Dyadic::new(0.0).is_err() && Dyadic::new(f64::NAN).is_err());
        assert!(Dyadic::new(-0.1).is_err() && Dyadic::new(2e9).is_err());
    }
}
