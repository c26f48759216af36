//! What is kept of many numbers: count, moments, extremes, a histogram.

use super::exact_sum::ExactSum;
use std::collections::BTreeMap;

/// Bins of a histogram inside its frame.
const BINS: usize = 2048;

/// Where a histogram looks: fixed before the first path, so that partial results fit together.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Frame {
    /// Lower edge.
    pub from: f64,
    /// Upper edge.
    pub to: f64,
}

impl Frame {
    /// Twice the range of some first numbers, about its middle.
    pub(crate) fn around(low: f64, high: f64) -> Self {
        let half = 0.5 * (high - low);
        Self { from: low - half, to: high + half }
    }

    /// Middle of the frame.
    fn centre(&self) -> f64 {
        0.5 * self.from + 0.5 * self.to
    }
}

/// The law of a number over the paths, as far as it is kept. Merging is exact: the same bits
/// whatever the order of numbers and merges.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Distribution {
    frame: Frame,
    count: u64,
    /// Σ y and Σ y², y = x − centre of the frame (each rounded once, then summed exactly).
    first: ExactSum,
    second: ExactSum,
    low: f64,
    high: f64,
    /// Counts: below the frame, in its bins, above it.
    #[cfg_attr(feature = "serde", serde(with = "sparse"))]
    bins: Vec<u64>,
    /// Sizes in the bins next to zero, and above the frame, where bins are wide against them: counts by the leading bits of the
    /// number, to within a 128th of itself.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "BTreeMap::is_empty"))]
    small: BTreeMap<u32, u64>,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "BTreeMap::is_empty"))]
    large: BTreeMap<u32, u64>,
}

/// Widths of a bin above zero up to which a bin is wide against the numbers in it.
const NEAR: f64 = 127.0;

/// Bits of a positive number that are not looked at where it is counted by its leading ones: 7 of the fraction are.
const TRAILING: u32 = 45;

impl Distribution {
    /// Of no numbers yet.
    pub fn new(frame: Frame) -> Self {
        Self {
            frame,
            count: 0,
            first: ExactSum::default(),
            second: ExactSum::default(),
            low: f64::MAX,
            high: f64::MIN,
            bins: vec![0; BINS + 2],
            small: BTreeMap::new(),
            large: BTreeMap::new(),
        }
    }

    /// Adds a finite number ≥ 0 of a kind that may be many orders of magnitude below its largest value: quantiles of such
    /// numbers are good to 1 % of themselves near zero and above the frame too.
    pub(crate) fn add_size(&mut self, x: f64) {
        self.add(x);
        let bin = self.bin(x);
        let key = (x.abs().to_bits() >> TRAILING) as u32;
        if bin <= self.last_near() {
            *self.small.entry(key).or_default() += 1;
        } else if bin == BINS + 1 {
            *self.large.entry(key).or_default() += 1;
        }
    }

    /// Adds a finite number.
    #[inline]
    pub fn add(&mut self, x: f64) {
        let y = x - self.frame.centre();
        self.count += 1;
        self.first.add(y);
        self.second.add(y * y);
        self.low = self.low.min(x);
        self.high = self.high.max(x);
        let bin = self.bin(x);
        self.bins[bin] += 1;
    }

    /// Adds finite numbers.
    pub fn add_all(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|&x| self.add(x));
    }

    /// Bin of a number; a cast of a negative or too large one ends at the ends.
    fn bin(&self, x: f64) -> usize {
        let above = x - self.frame.from;
        let width = self.frame.to - self.frame.from;
        // 0 in a frame without width is inside.
        let share = if above == 0.0 { 0.0 } else { above / width };
        ((share * BINS as f64 + 1.0) as usize).min(BINS + 1)
    }

    /// Adds what another one of the same frame has seen.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.first.merge(&other.first);
        self.second.merge(&other.second);
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        for (a, b) in self.bins.iter_mut().zip(&other.bins) {
            *a += b;
        }
        for (a, b) in [(&mut self.small, &other.small), (&mut self.large, &other.large)] {
            b.iter().for_each(|(key, n)| *a.entry(*key).or_default() += n);
        }
    }

    /// Whether it can be merged with another, and is whole.
    pub(crate) fn fits(&self, other: &Self) -> bool {
        self.frame == other.frame && self.bins.len() == BINS + 2 && other.bins.len() == BINS + 2
    }

    /// How many numbers.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; NaN of none.
    pub fn mean(&self) -> f64 {
        self.frame.centre() + self.first.value().0 / self.count as f64
    }

    /// Their variance (n − 1); 0 of one, NaN of none.
    pub fn variance(&self) -> f64 {
        if self.count < 2 {
            return if self.count == 1 { 0.0 } else { f64::NAN };
        }
        let n = self.count as f64;
        let (a, b) = self.first.value();
        let (c, d) = self.second.value();
        let square = a * a;
        let rest = 2.0 * a * b;
        (((c - square / n) + (d - rest / n)) / (n - 1.0)).max(0.0)
    }

    /// Smallest and largest.
    pub fn range(&self) -> (f64, f64) {
        if self.count == 0 {
            return (f64::NAN, f64::NAN);
        }
        (self.low, self.high)
    }

    /// The quantile of probability `p`, linear inside its bin: off by less than the width of a bin,
    /// a thousandth of the range of the first 64 paths, unless it lies outside the frame. Of sizes, such as a share of
    /// time or a number of slips, also off by less than 1 % of itself next to zero and above the frame. NaN of
    /// none.
    pub fn quantile(&self, p: f64) -> f64 {
        if self.count == 0 {
            return f64::NAN;
        }
        let target = p * self.count as f64;
        if let Some(found) = self.among_sizes(target) {
            return found;
        }
        let mut below = 0.0;
        for (i, &n) in self.bins.iter().enumerate() {
            let n = n as f64;
            if n > 0.0 && below + n >= target {
                let (left, right) = self.edges(i);
                return between(left, right, (target - below) / n);
            }
            below += n;
        }
        self.high
    }

    /// The last bin that is wide against the numbers in it.
    fn last_near(&self) -> usize {
        let width = (self.frame.to - self.frame.from) / BINS as f64;
        self.bin(NEAR * width).min(BINS)
    }

    /// The number that has `target` others below it, if it is one of those that are counted by their leading bits.
    fn among_sizes(&self, target: f64) -> Option<f64> {
        let total = |sizes: &BTreeMap<u32, u64>| sizes.values().sum::<u64>();
        let small = total(&self.small);
        let large = total(&self.large);
        // Numbers that were not added as sizes are counted in the bins alone.
        let near: u64 = self.bins[..=self.last_near()].iter().sum();
        if small != near || large != self.bins[BINS + 1] {
            return None;
        }
        let others = (self.count - large) as f64;
        let (sizes, mut below) = match target {
            t if t <= small as f64 => (&self.small, 0.0),
            t if t > others => (&self.large, others),
            _ => return None,
        };
        sizes.iter().find_map(|(&key, &n)| {
            let n = n as f64;
            if below + n < target {
                below += n;
                return None;
            }
            let edge =
                |key: u32| f64::from_bits(u64::from(key) << TRAILING).clamp(self.low, self.high);
            // The smallest numbers are zeros, or no normal numbers.
            let next = if key == 0 { 0 } else { key + 1 };
            Some(between(edge(key), edge(next), (target - below) / n))
        })
    }

    /// Upper edge of bin `i`, lower edge of the next.
    fn edge(&self, i: usize) -> f64 {
        self.frame.from + (self.frame.to - self.frame.from) / BINS as f64 * i as f64
    }

    /// Edges of bin `i`, drawn in to the numbers seen.
    fn edges(&self, i: usize) -> (f64, f64) {
        let left = if i == 0 { self.low } else { self.edge(i - 1) };
        let right = if i == BINS + 1 { self.high } else { self.edge(i) };
        (left.clamp(self.low, self.high), right.clamp(self.low, self.high))
    }

    /// Kolmogorov–Smirnov's distance to a continuous distribution function, at the edges of the bins:
    /// never more than the distance of the numbers themselves.
    pub fn distance(&self, distribution: impl Fn(f64) -> f64) -> f64 {
        let mut below = 0;
        let mut worst = 0.0f64;
        for (i, n) in self.bins[..=BINS].iter().enumerate() {
            below += n;
            let seen = below as f64 / self.count as f64;
            worst = worst.max((seen - distribution(self.edge(i))).abs());
        }
        worst
    }

    /// The histogram inside the frame, (edges, count), `together` bins at a time.
    pub fn histogram(&self, together: usize) -> Vec<((f64, f64), u64)> {
        let together = together.max(1);
        let bins = self.bins[1..=BINS].chunks(together).enumerate();
        bins.map(|(i, c)| {
            let first = i * together;
            ((self.edge(first), self.edge(first + c.len())), c.iter().sum())
        })
        .collect()
    }
}

/// The number at this share of the way from the left to the right one.
fn between(left: f64, right: f64, share: f64) -> f64 {
    left + share.clamp(0.0, 1.0) * (right - left)
}

/// Most bins are empty: (bin, count) pairs in files.
#[cfg(feature = "serde")]
mod sparse {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub fn serialize<S: Serializer>(bins: &[u64], s: S) -> Result<S::Ok, S::Error> {
        let full: Vec<_> = bins.iter().enumerate().filter(|b| *b.1 > 0).collect();
        full.serialize(s)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(d: D) -> Result<Vec<u64>, D::Error> {
        let mut bins = vec![0; super::BINS + 2];
        for (bin, count) in Vec::<(usize, u64)>::deserialize(d)? {
            *bins.get_mut(bin).ok_or_else(|| D::Error::custom("no such bin of a histogram"))? =
                count;
        }
        Ok(bins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_quantiles_of_an_arithmetic_progression() {
        let n = 10_000;
        let mut all = Distribution::new(Frame::around(1e6 + 100.0, 1e6 + 900.0));
        let mut parts = [all.clone(), all.clone()];
        for i in 0..n {
            let x = 1e6 + 0.1 * f64::from(i);
            all.add(x);
            parts[(i % 3 == 0) as usize].add(x);
        }
        let [mut a, b] = parts;
        a.merge(&b);
        assert_eq!(a, all);
        // mean and variance of 0 … n−1: (n − 1)/2 and n (n + 1)/12
        let n = f64::from(n);
        assert!((all.mean() - (1e6 + 0.05 * (n - 1.0))).abs() < 1e-9);
        assert!((all.variance() - 0.01 * n * (n + 1.0) / 12.0).abs() < 1e-4);
        for p in [0.05, 0.5, 0.95] {
            assert!((all.quantile(p) - (1e6 + 1000.0 * p)).abs() < 1.0);
        }
        assert_eq!(all.quantile(0.0), 1e6);
        assert!((all.quantile(1.0) - all.range().1).abs() < 1e-9);
    }

    #[test]
    fn of_nothing_nothing_is_known() {
        let none = Distribution::new(Frame::around(0.0, 1.0));
        let said =
            [none.mean(), none.variance(), none.range().0, none.range().1, none.quantile(0.5)];
        assert!(said.iter().all(|x| x.is_nan()), "{said:?}");
    }

    /// Shares of time of which most are thousands of times below the width of a bin, an atom at zero, and sizes of which none
    /// of the first paths had any: quantiles are those of the sorted numbers.
    #[test]
    fn quantiles_of_sizes_near_zero_and_beyond_the_frame() {
        let share =
            |i: u32| if i < 2000 { 0.0 } else { 10f64.powf(-7.0 + 5e-4 * f64::from(i % 10_000)) };
        let far = |i: u32| if i < 8000 { 0.0 } else { 3.0 + f64::from(i) };
        let check = |frame: Frame, number: &dyn Fn(u32) -> f64| {
            let mut parts = [Distribution::new(frame), Distribution::new(frame)];
            (0..10_000).for_each(|i| parts[(i % 7 == 0) as usize].add_size(number(i)));
            let [mut all, other] = parts;
            all.merge(&other);
            let mut sorted: Vec<f64> = (0..10_000).map(number).collect();
            sorted.sort_unstable_by(f64::total_cmp);
            for p in [0.05, 0.3, 0.5, 0.79, 0.82, 0.9, 0.95, 0.999] {
                let found = all.quantile(p);
                let want = sorted[(10_000.0 * p) as usize - 1];
                assert!((found - want).abs() <= 0.01 * want, "{p}: {found} {want}");
            }
        };
        check(Frame { from: 0.0, to: 1.0 }, &|i| share(i).min(0.9));
        check(Frame::around(1e-3, 1.0), &share);
        check(Frame { from: 0.0, to: 0.0 }, &far);
    }

    #[test]
    fn numbers_outside_the_frame_and_atoms() {
        let mut d = Distribution::new(Frame::around(2.0, 2.0));
        for x in [2.0, 2.0, 2.0, 50.0] {
            d.add(x);
        }
        assert_eq!((d.count(), d.mean(), d.range()), (4, 14.0, (2.0, 50.0)));
        assert_eq!(d.variance(), 576.0);
        assert_eq!((d.quantile(0.5), d.quantile(0.75)), (2.0, 2.0));
        assert_eq!(d.histogram(2048), [((2.0, 2.0), 3)]);
    }
}
