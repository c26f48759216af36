//! Sums without rounding, so that order does not matter.
//!
//! A f64 is m 2^(e−1075) with |m| < 2⁵³ and 0 ≤ e < 2048. Numbers whose exponents share e/32 are added as
//! integers m 2^(e mod 32) in one bin of 128 bits; a bin takes 2⁴³ of them. Integer addition is
//! associative, so the sum, and all that is computed from it, has the same bits however the paths
//! were spread over threads, batches and machines.

/// Number of bins.
const BINS: usize = 64;

/// Σ of f64 numbers, exact.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(into = "Vec<(u8, i128)>", try_from = "Vec<(u8, i128)>")
)]
pub struct ExactSum {
    bins: Box<[i128; BINS]>,
}

impl Default for ExactSum {
    fn default() -> Self {
        Self { bins: Box::new([0; BINS]) }
    }
}

impl ExactSum {
    /// Adds a finite number.
    #[inline]
    pub fn add(&mut self, x: f64) {
        let bits = x.to_bits();
        let e = (bits >> 52) as usize & 0x7FF;
        let fraction = (bits & 0x000F_FFFF_FFFF_FFFF) as i64;
        // Subnormal numbers have the exponent of the smallest normal ones and no leading bit.
        let (m, e) = if e == 0 { (fraction, 1) } else { (fraction | 1 << 52, e) };
        let m = i128::from(if x < 0.0 { -m } else { m });
        self.bins[e >> 5] += m << (e & 31);
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &Self) {
        for (a, b) in self.bins.iter_mut().zip(&*other.bins) {
            *a += b;
        }
    }

    /// The sum as an unevaluated sum of two f64, good to about 2⁻¹⁰⁰ of itself.
    pub fn value(&self) -> (f64, f64) {
        let digits = self.digits();
        let negative = digits[BINS + 2] < 0;
        let digits = if negative { normal(digits.map(|d| -d)) } else { digits };
        // Digits are non-negative now: the leading four hold at least 97 bits.
        let mut hi = 0.0;
        let mut lo = 0.0;
        for (b, &d) in digits.iter().enumerate().rev() {
            // Two factors, for the unit of the lowest digits is below the smallest normal number.
            let unit = 2f64.powi(16 * b as i32 - 537);
            let x = d as f64 * unit * 2f64.powi(16 * b as i32 - 538);
            let sum = hi + x;
            let back = sum - hi;
            lo += (hi - (sum - back)) + (x - back);
            hi = sum;
        }
        let sum = hi + lo;
        let rest = lo - (sum - hi);
        if negative { (-sum, -rest) } else { (sum, rest) }
    }

    /// Digits to base 2³² of the whole sum: a canonical form, all but the last in 0 … 2³² − 1.
    fn digits(&self) -> [i128; BINS + 3] {
        normal(std::array::from_fn(|b| self.bins.get(b).copied().unwrap_or(0)))
    }
}

/// Carries to base 2³².
fn normal(mut digits: [i128; BINS + 3]) -> [i128; BINS + 3] {
    for b in 0..BINS + 2 {
        digits[b + 1] += digits[b] >> 32;
        digits[b] &= 0xFFFF_FFFF;
    }
    digits
}

#[cfg(feature = "serde")]
impl From<ExactSum> for Vec<(u8, i128)> {
    fn from(sum: ExactSum) -> Self {
        let all = sum.bins.iter().enumerate();
        all.filter(|b| *b.1 != 0).map(|(b, &v)| (b as u8, v)).collect()
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Vec<(u8, i128)>> for ExactSum {
    type Error = String;

    fn try_from(parts: Vec<(u8, i128)>) -> Result<Self, String> {
        let mut sum = Self::default();
        for (b, v) in parts {
            let found = || format!("bin {b} of a sum; expected 0 to 63");
            *sum.bins.get_mut(usize::from(b)).ok_or_else(found)? = v;
        }
        Ok(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sum(xs: &[f64]) -> ExactSum {
        let mut s = ExactSum::default();
        xs.iter().for_each(|&x| s.add(x));
        s
    }

    #[test]
    fn cancels_without_loss() {
        assert_eq!(sum(&[1e300, 1.0, -1e300, 1e-300, -1.0]).value().0, 1e-300);
        assert_eq!(sum(&[0.1; 10]).value().0, 1.0);
        assert_eq!(sum(&[f64::MIN_POSITIVE / 8.0, -0.0]).value().0, f64::MIN_POSITIVE / 8.0);
        assert_eq!(sum(&[1e16, 1.0, -3e16]).value(), (-2e16, 1.0));
        assert_eq!(sum(&[1e20, 1.0]).value(), (1e20, 1.0));
        assert_eq!(sum(&[]).value(), (0.0, 0.0));
    }

    proptest! {
        /// Any order, any split: the same. And the value is that of 128-bit integers.
        #[test]
        fn order_does_not_matter(xs in proptest::collection::vec(-1i64 << 52..1i64 << 52, 0..60), cut in 0usize..60) {
            let scaled: Vec<f64> = xs.iter().map(|&x| x as f64 * 2f64.powi(-20)).collect();
            let cut = cut.min(xs.len());
            let mut b = sum(&scaled[cut..]);
            b.merge(&sum(&scaled[..cut]));
            let a = sum(&scaled);
            prop_assert_eq!(&a, &b);
            let exact: i128 = xs.iter().map(|&x| i128::from(x)).sum();
            let (hi, lo) = a.value();
            prop_assert_eq!((hi * 2f64.powi(20)) as i128 + (lo * 2f64.powi(20)) as i128, exact);
        }
    }
}
