//! When the friction changed.
//!
//! Up to some sample the path has the thresholds before the change, from then on those after it; the line and both
//! sets of rest positions are known. The squared error is wanted for *every* sample at which the change may have happened.
//! With E(i, n) the error of the samples from i on along the later path that rests at level n before sample i,
//!
//! ```text
//! E(i, n) = w (z − c − aξ(n′) − bT)² + E(i + 1, n′),     n′: the level after sample i,
//! ```
//!
//! from the end of the record backward. At a change before sample k the slider stays where it is: the error is that of the
//! earlier path up to k, plus E(k, n) for the level n of the later path that is nearest to where the earlier one rests. Between two slips the error hardly
//! depends on k, so an interval of the date reaches from the last slip that the earlier thresholds explain to the first
//! that only the later ones do.

use stickslip::lanes::SlipPath;

use crate::bearing::search::linear::Linear;
use crate::bearing::search::point::Point;
use crate::bearing::search::prepared::Sampled;

/// More levels than this are not looked at.
const MOST: f64 = 400.0;

/// A path before the change and a path after it, with their common line.
pub struct Both<'a> {
    /// Before.
    pub before: &'a Point,
    /// After; its first start is at sample `at`.
    pub after: &'a Point,
    /// c + aξ + bT.
    pub line: &'a Linear,
    /// Where the later path was fitted from.
    pub at: usize,
}

/// The rest positions of a path.
struct Lattice {
    rho: f64,
    delta: f64,
    /// The position of level 0.
    lowest: f64,
    count: usize,
}

impl Lattice {
    /// `None` for a path without jumps, or with too many levels.
    fn of(point: &Point, samples: &[(f64, f64, f64)]) -> Option<Self> {
        let set = point.thresholds();
        let low = samples.iter().map(|s| s.0).fold(f64::INFINITY, f64::min) - set.rho;
        let high = samples.iter().map(|s| s.0).fold(f64::NEG_INFINITY, f64::max) + set.rho;
        // One level more on either side, for rounding at the ends.
        let lowest = ((low - point.lattice) / set.delta).floor() - 1.0;
        let count = ((high - point.lattice) / set.delta).ceil() + 2.0 - lowest;
        let known = set.delta > 0.0 && count <= MOST;
        known.then_some(Self {
            rho: set.rho,
            delta: set.delta,
            lowest: point.lattice + set.delta * lowest,
            count: count as usize,
        })
    }

    /// The level nearest to a position.
    fn nearest(&self, xi: f64) -> usize {
        (((xi - self.lowest) / self.delta).round().max(0.0) as usize).min(self.count - 1)
    }

    /// Where level n is.
    fn position(&self, n: usize) -> f64 {
        self.lowest + self.delta * n as f64
    }

    /// The lowest and the highest level that can rest at the drive `t`: a path from below comes to the lowest, one from
    /// above to the highest.
    fn resting(&self, t: f64) -> (usize, usize) {
        let last = self.count - 1;
        let level = |xi: f64| ((xi - self.lowest) / self.delta).clamp(0.0, last as f64);
        let mut low = level(t - self.rho).ceil() as usize;
        // Where a level stands just at a threshold, the rule itself decides.
        if low > 0 && t - self.position(low - 1) <= self.rho {
            low -= 1;
        }
        let mut high = level(t + self.rho) as usize;
        if high < last && self.position(high + 1) - t <= self.rho {
            high += 1;
        }
        (low, high.max(low))
    }
}

/// E(i, n) for the levels n that can rest at sample i; a level below has the error of the lowest of them, one above that of
/// the highest.
struct Ahead<'a> {
    lattice: &'a Lattice,
    errors: Vec<f64>,
    between: (usize, usize),
}

impl Ahead<'_> {
    /// From sample i + 1 to sample i with its drive `t`, what of its response the path is to explain, `z`, and its weight.
    fn before(&mut self, t: f64, z: f64, weight: f64, on_path: f64) {
        let (low, high) = self.lattice.resting(t);
        let (least, most) = self.between;
        // Levels that can rest now, but not at the next sample, go there to the nearest that can.
        let ends = [self.errors[least], self.errors[most]];
        self.errors[low..least.clamp(low, high + 1)].fill(ends[0]);
        self.errors[(most + 1).clamp(low, high + 1)..=high].fill(ends[1]);
        self.between = (low, high);
        if weight > 0.0 {
            for n in low..=high {
                let off = z - on_path * self.lattice.position(n);
                self.errors[n] += weight * off * off;
            }
        }
    }

    /// E(i, n).
    fn at(&self, n: usize) -> f64 {
        self.errors[n.clamp(self.between.0, self.between.1)]
    }

    /// All levels have this error.
    fn anew(&mut self, error: f64) {
        self.between.1 = self.between.0;
        self.errors[self.between.0] = error;
    }
}

impl Both<'_> {
    /// Where the path rests at the start of stretch `s`, whose first sample is `first`, as either fit knows it.
    fn opening(&self, sampled: &Sampled, s: usize, first: usize) -> f64 {
        let drive = sampled.samples[first].0;
        if first < self.at {
            return self.before.start(s, drive);
        }
        // The later path counts its starts from the change on: the first is at the instant, the next at the
        // first stretch after it.
        let earlier = sampled.starts.iter().filter(|&&start| start <= self.at).count();
        self.after.start(if first > self.at { s + 1 - earlier } else { 0 }, drive)
    }

    /// The squared error of the whole record if the change happens before sample k, for k from 0 to the number of samples;
    /// `None` where there are no levels.
    pub fn errors(&self, sampled: &Sampled) -> Option<Vec<f64>> {
        let samples = sampled.samples;
        let later = Lattice::of(self.after, samples)?;
        let Linear { constant, on_path, on_drive, .. } = *self.line;
        let cost = |i: usize, xi: f64| {
            let (t, z, w) = samples[i];
            let off = z - constant - on_path * xi - on_drive * t;
            if w > 0.0 { w * off * off } else { 0.0 }
        };
        // Where the earlier path rests before each sample, and the error so far.
        let set = self.before.thresholds();
        let mut path = SlipPath { rho: set.rho, delta: set.delta, xi: 0.0 };
        let mut rests = Vec::with_capacity(samples.len());
        let mut errors = vec![0.0];
        let mut stretch = 0;
        let mut sum = 0.0;
        for (i, s) in samples.iter().enumerate() {
            if sampled.starts.get(stretch) == Some(&i) {
                path.xi = self.opening(sampled, stretch, i);
                stretch += 1;
            }
            rests.push(path.xi);
            path.advance(s.0);
            sum += cost(i, path.xi);
            errors.push(sum);
        }
        let mut ahead = Ahead { lattice: &later, errors: vec![0.0; later.count], between: (0, 0) };
        for i in (0..samples.len()).rev() {
            let (t, z, w) = samples[i];
            ahead.before(t, z - constant - on_drive * t, w, on_path);
            let own = ahead.at(later.nearest(rests[i]));
            errors[i] += own;
            if stretch > 0 && sampled.starts[stretch - 1] == i {
                // Whatever came before: the state starts anew.
                ahead.anew(own);
                stretch -= 1;
            }
        }
        Some(errors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::random::Draws;

    /// A third more friction from sample 900 on: nothing tells from when, between the last slip before, and the first that
    /// there would have been without the change.
    #[test]
    fn a_change_is_dated_by_the_slips_around_it() {
        const CHANGE: usize = 900;
        let mut draws = Draws::new(8, 8);
        let drive: Vec<f64> = (0..2400)
            .map(f64::from)
            .map(|i| 9.0 * (0.01 * i).sin() + 3.0 * (0.26 * i).sin() + 0.3 * (1.7 * i).sin())
            .collect();
        let old = [4.0, 1.5];
        let new = [5.2, 1.95];
        let walk = |change: usize| -> Vec<f64> {
            let mut path = SlipPath { rho: old[0], delta: old[1], xi: 0.0 };
            let step = |(i, t): (usize, &f64)| {
                if i == change {
                    [path.rho, path.delta] = new;
                }
                path.advance(*t);
                path.xi
            };
            drive.iter().enumerate().map(step).collect()
        };
        let truth = walk(CHANGE);
        let without = walk(usize::MAX);
        let last = (1..CHANGE).rev().find(|&i| truth[i] != truth[i - 1]).unwrap();
        let first = (CHANGE..2400).find(|&i| without[i] != truth[i]).unwrap();
        assert!(last + 5 < CHANGE && CHANGE + 5 < first, "{last} {first}");
        let samples: Vec<(f64, f64, f64)> = drive
            .iter()
            .zip(&truth)
            .map(|(t, xi)| (*t, xi + 0.1 * t + 0.05 * draws.normal(), 1.0))
            .collect();
        let point = |[rho, delta]: [f64; 2], xi: f64, t: f64| Point {
            sliding: rho - 0.5 * delta,
            delta,
            lattice: xi,
            starts: vec![(xi - t) / rho].into(),
        };
        let before = point(old, 0.0, drive[0]);
        let after = point(new, truth[CHANGE], drive[CHANGE]);
        let line = Linear { on_path: 1.0, on_drive: 0.1, ..Linear::default() };
        let sampled = Sampled { samples: &samples, times: &[], starts: &[0], columns: &[] };
        let both = Both { before: &before, after: &after, line: &line, at: CHANGE };
        let errors = both.errors(&sampled).unwrap();
        let left: f64 =
            samples.iter().zip(&truth).map(|(s, xi)| (s.1 - xi - 0.1 * s.0).powi(2)).sum();
        for k in last + 1..=first {
            assert!((errors[k] / left - 1.0).abs() < 1e-9, "{k}: {} {left}", errors[k]);
        }
        for k in [last, first + 1, 0, 2400] {
            assert!(errors[k] > 1.1 * left, "{k}: {} {left}", errors[k]);
        }
    }
}
