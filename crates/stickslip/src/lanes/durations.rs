//! Durations of slips: whole numbers of steps, each kept to within a 128th of itself.

/// Numbers below this have bins of their own; above, each octave has half as many bins.
const FINE: u64 = 256;
/// log₂ of that.
const FINE_BITS: u32 = FINE.ilog2();
/// Bins of an octave.
const PER_OCTAVE: u64 = FINE / 2;

/// The law of whole numbers n ≥ 0. Count, sums and bins are whole numbers too, so merging is exact:
/// the same bits whatever the order of numbers and merges.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Durations {
    count: u64,
    /// Σ n and Σ n².
    first: u64,
    second: u128,
    /// Counts by [`bin`], as far as there are any.
    bins: Vec<u64>,
}

/// Where n is counted: n itself below 256; above, by its octave and the 7 bits after the leading one.
fn bin(n: u64) -> usize {
    if n < FINE {
        return n as usize;
    }
    let shift = n.ilog2() - (FINE_BITS - 1);
    (FINE + u64::from(shift - 1) * PER_OCTAVE + ((n >> shift) - PER_OCTAVE)) as usize
}

/// First number of bin `i`.
fn first_of(i: usize) -> u64 {
    let i = i as u64;
    if i < FINE {
        return i;
    }
    let octave = (i - FINE) / PER_OCTAVE;
    let within = (i - FINE) % PER_OCTAVE;
    (PER_OCTAVE + within) << (octave + 1)
}

impl Durations {
    /// Adds a number below 2⁵⁰.
    pub(crate) fn add(&mut self, n: u64) {
        self.count += 1;
        self.first += n;
        self.second += u128::from(n) * u128::from(n);
        let bin = bin(n);
        if bin >= self.bins.len() {
            self.bins.resize(bin + 1, 0);
        }
        self.bins[bin] += 1;
    }

    /// Adds what another one has seen.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.first += other.first;
        self.second += other.second;
        if other.bins.len() > self.bins.len() {
            self.bins.resize(other.bins.len(), 0);
        }
        for (a, b) in self.bins.iter_mut().zip(&other.bins) {
            *a += b;
        }
    }

    /// Whether its bins are those of numbers below 2⁵⁰, and as many as it says.
    pub(crate) fn is_whole(&self) -> bool {
        let sum = self.bins.iter().try_fold(0u64, |sum, &n| sum.checked_add(n));
        self.bins.len() <= bin(1 << 50) && sum == Some(self.count)
    }

    /// How many numbers.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; NaN of none.
    pub fn mean(&self) -> f64 {
        self.first as f64 / self.count as f64
    }

    /// Their variance (n − 1); 0 of one.
    pub fn variance(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        let n = u128::from(self.count);
        let first = u128::from(self.first);
        // n Σ n² ≥ (Σ n)²: whole numbers, no cancellation.
        let spread = self.second.saturating_mul(n).saturating_sub(first.saturating_mul(first));
        spread as f64 / (self.count as f64 * (self.count - 1) as f64)
    }

    /// Smallest and largest bin with a number: its first number, and its last.
    pub fn range(&self) -> (u64, u64) {
        let low = self.bins.iter().position(|&n| n > 0).map_or(0, first_of);
        let high = self.bins.iter().rposition(|&n| n > 0).map_or(0, |i| first_of(i + 1) - 1);
        (low, high)
    }

    /// The quantile of probability `p`: exact below 256, above within a 128th.
    pub fn quantile(&self, p: f64) -> f64 {
        let target = p * self.count as f64;
        let mut below = 0.0;
        for (i, &n) in self.bins.iter().enumerate() {
            below += n as f64;
            if n > 0 && below >= target {
                return 0.5 * (first_of(i) + first_of(i + 1) - 1) as f64;
            }
        }
        f64::NAN
    }

    /// The bins with numbers: first number, one past the last, count.
    pub fn histogram(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        let bins = self.bins.iter().enumerate().filter(|b| *b.1 > 0);
        bins.map(|(i, &n)| (first_of(i), first_of(i + 1), n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bins cover all numbers, in order, without gaps, each no wider than a 128th of its numbers.
    #[test]
    fn bins_are_a_partition() {
        let mut before = 0;
        for i in 0..6000 {
            let from = first_of(i);
            let to = first_of(i + 1);
            assert_eq!((from, bin(from), bin(to - 1)), (before, i, i));
            assert!(to - from == 1 || (to - from) * 128 <= from);
            before = to;
        }
        assert!(before > 1 << 50);
    }

    #[test]
    fn moments_quantiles_and_merging() {
        let numbers: Vec<u64> = (0..5000u64).map(|i| (i * i * 7919) % 100_003).collect();
        let of = |part: &[u64]| {
            let mut d = Durations::default();
            part.iter().for_each(|&n| d.add(n));
            d
        };
        let all = of(&numbers);
        let mut a = of(&numbers[3000..]);
        let b = of(&numbers[..3000]);
        a.merge(&b);
        assert_eq!(a, all);
        let n = numbers.len() as f64;
        let mean = numbers.iter().sum::<u64>() as f64 / n;
        let variance = numbers.iter().map(|&x| (x as f64 - mean).powi(2)).sum::<f64>() / (n - 1.0);
        assert!(
            (all.mean() - mean).abs() < 1e-9 && (all.variance() / variance - 1.0).abs() < 1e-12
        );
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        for p in [0.05, 0.5, 0.95] {
            let exact = sorted[(p * n).ceil() as usize - 1] as f64;
            assert!((all.quantile(p) - exact).abs() <= exact / 128.0 + 0.5);
        }
        assert_eq!(of(&[]).count(), 0);
        assert_eq!(
            (of(&[3]).variance(), of(&[3, 3]).quantile(0.5), of(&[3]).range()),
            (0.0, 3.0, (3, 3))
        );
    }
}
