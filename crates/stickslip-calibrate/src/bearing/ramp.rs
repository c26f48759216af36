//! Friction that rises or falls steadily.
//!
//! f_s and f_d are r^s times what they were at the beginning, with s from 0 at the first row to 1 at the last; everything else is
//! shared, as in `changes`. Against m steps the ramp has 5 m − 1 unknowns fewer (an instant, a ratio, a rest and two starts for each):
//! it is named where Schwarz's criterion
//!
//! ```text
//! (n/τ) ln(rss(steps)/rss(ramp)) + (5 m − 1) ln(n/τ) > 10
//! ```
//!
//! and one that is worse by the residuals alone is not.

use stickslip::lanes::SlipPath;
use stickslip::portable;

use crate::bearing::changes::Change;
use crate::bearing::delay::Trial;
use crate::bearing::intervals::profile::LIMIT;
use crate::bearing::near::known;
use crate::bearing::options::Options;
use crate::bearing::search::point::Point;
use crate::bearing::search::prepared::{Prepared, Sampled};
use crate::record::series::Series;
use crate::statistics::memory::autocorrelation_time;
use crate::statistics::random::Draws;
use crate::statistics::stats::robust;

/// What a ramp must bring.
const BELIEVABLE: f64 = 10.0;
/// Unknowns of a step.
const OF_A_STEP: f64 = 5.0;
/// Random steps away from the best path, and those for each ratio of the interval.
const STEPS: usize = 1000;
const AGAIN: usize = 150;
/// Parts of the record whose thresholds are tried, and paths that are refined.
const THIRDS: u8 = 3;
const LATTICES: u8 = 6;
const STARTS: usize = 8;
/// The first step of ln r away from the best, its growth, and how often.
const FIRST: f64 = 0.004;
const GROWTH: f64 = 1.3;
const OFTEN: usize = 24;
/// As that of a step (`changes`).
const WIDER: f64 = 2.5;
/// A ratio nearer to 1 than this is no change.
const SMALLEST: f64 = 0.077;

/// The best line z = c + aξ + bT through a path of ξ.
struct Line {
    /// What it leaves, Σw r².
    rss: f64,
    /// The mean of ξ.
    mean: f64,
    a: f64,
    b: f64,
}

/// A path with thresholds that grow.
#[derive(Clone)]
struct Ramp {
    start: Point,
    /// ln r.
    growth: f64,
    rss: f64,
}

/// A record and what a path of it leaves.
struct Over<'a> {
    sampled: Sampled<'a>,
    range: f64,
    means: Means,
    /// Of each row w, w (T − mean) and w (z − mean).
    rows: Vec<[f64; 3]>,
    /// Σw, and Σw of (T − mean)², of (T − mean)(z − mean) and of (z − mean)².
    sums: [f64; 4],
}

/// The weighted means of T and z.
struct Means {
    t: f64,
    z: f64,
}

impl<'a> Over<'a> {
    fn new(sampled: Sampled<'a>, range: f64) -> Self {
        let weight: f64 = sampled.samples.iter().map(|s| s.2).sum();
        let t = sampled.samples.iter().map(|s| s.2 * s.0).sum::<f64>() / weight;
        let z = sampled.samples.iter().map(|s| s.2 * s.1).sum::<f64>() / weight;
        let mut sums = [weight, 0.0, 0.0, 0.0];
        let mut rows = Vec::with_capacity(sampled.samples.len());
        for (drive, response, w) in sampled.samples {
            let drive = drive - t;
            let response = response - z;
            sums[1] += w * drive * drive;
            sums[2] += w * drive * response;
            sums[3] += w * response * response;
            rows.push([*w, w * drive, w * response]);
        }
        Self { sampled, range, means: Means { t, z }, rows, sums }
    }

    /// Calls `each` with the position of the path at every sample.
    fn walk(&self, start: &Point, growth: f64, mut each: impl FnMut(usize, f64)) {
        let Sampled { samples, times, starts, .. } = &self.sampled;
        let rate = growth / (times[times.len() - 1] - times[0]);
        let set = start.thresholds();
        let mut path = SlipPath { rho: set.rho, delta: set.delta, xi: 0.0 };
        let mut stretches = starts.iter().copied().filter(|i| *i > 0).peekable();
        let mut stretch = 0;
        // Thresholds in proportion to r^s = exp(rate (t − t₀)), from row to row: records whose rows are equally far apart need
        // one exponential.
        let mut by = 1.0;
        let mut pace = (0.0, 1.0);
        for (i, (t, _, _)) in samples.iter().enumerate() {
            // Beyond a long gap the state is unknown: another start.
            if i == 0 || stretches.next_if_eq(&i).is_some() {
                path.xi = start.start(stretch, *t);
                stretch += 1;
            }
            if i > 0 {
                let apart = times[i] - times[i - 1];
                if apart != pace.0 {
                    pace = (apart, portable::exp(rate * apart));
                }
                by *= pace.1;
            }
            // The rest positions move with δ, and a slider at rest stays where it is.
            path.rho = by * set.rho;
            path.delta = by * set.delta;
            path.advance(*t);
            each(i, path.xi);
        }
    }

    /// The best line through a path.
    fn line(&self, start: &Point, growth: f64) -> Line {
        // ξ is counted from where it begins, so that its sums do not cancel.
        let mut origin = 0.0;
        let [mut x, mut xx, mut xt, mut xz] = [0.0; 4];
        self.walk(start, growth, |i, xi| {
            if i == 0 {
                origin = xi;
            }
            let [w, t, z] = self.rows[i];
            let xi = xi - origin;
            x += w * xi;
            xx += w * xi * xi;
            xt += t * xi;
            xz += z * xi;
        });
        let [weight, tt, tz, zz] = self.sums;
        xx -= x * x / weight;
        let determinant = xx * tt - xt * xt;
        let (a, b) = if determinant > 1e-9 * xx * tt {
            ((xz * tt - tz * xt) / determinant, (tz * xx - xz * xt) / determinant)
        } else {
            (0.0, tz / tt)
        };
        Line { rss: (zz - a * xz - b * tz).max(0.0), mean: origin + x / weight, a, b }
    }

    /// The residuals of the rows that count.
    fn left(&self, start: &Point, growth: f64) -> Vec<f64> {
        let Line { mean, a, b, .. } = self.line(start, growth);
        let mut left = Vec::with_capacity(self.rows.len());
        self.walk(start, growth, |i, xi| {
            let (t, z, w) = self.sampled.samples[i];
            if w > 0.0 {
                left.push(z - self.means.z - a * (xi - mean) - b * (t - self.means.t));
            }
        });
        left
    }

    fn scored(&self, start: Point, growth: f64) -> Ramp {
        let rss = self.line(&start, growth).rss;
        Ramp { start, growth, rss }
    }

    /// Random steps of many sizes away from a path.
    fn refined(&self, mut best: Ramp, fixed: bool, steps: usize, draws: &mut Draws) -> Ramp {
        for i in 0..steps {
            let size = portable::pow(2.0, -12.0 * draws.unit());
            let mut p = best.start.clone();
            let jump = p.delta.max(0.05 * p.sliding).max(1e-3 * self.range);
            let mut growth = best.growth;
            // Path and growth in turn, or both: each has a valley of its own.
            if i % 3 != 1 {
                p.sliding = (p.sliding + 0.5 * size * jump * draws.signed()).abs();
                p.lattice += 0.5 * size * jump * draws.signed();
                p.delta = (p.delta + 0.5 * size * p.delta * draws.signed()).abs();
            }
            if i % 3 != 2 && !fixed {
                growth += 0.2 * size * draws.signed();
            }
            if i % 8 == 5 {
                let mut starts = p.starts.to_vec();
                let k = ((draws.unit() * starts.len() as f64) as usize).min(starts.len() - 1);
                starts[k] = (starts[k] + 0.5 * draws.signed()).clamp(-1.0, 1.0);
                p.starts = starts.into();
            }
            let trial = self.scored(p, growth);
            if trial.rss < best.rss {
                best = trial;
            }
        }
        best
    }
}

/// The ramp in place of some steps in one direction, and what it leaves; `None` where the parts between the steps, each with a path and
/// a line of its own, are as good.
pub fn find(
    series: &Series,
    options: &Options,
    steps: &[Change],
    parts: &Trial,
) -> Option<(Change, Trial)> {
    let prepared = Prepared::new(series, options.max_gap, &options.trend).ok()?;
    let sampled = prepared.light();
    let samples = sampled.samples;
    // Trend columns would have to be projected out of each path anew.
    if samples.len() < 2 || !sampled.columns.is_empty() {
        return None;
    }
    let over = Over::new(sampled, prepared.full.range);
    let total: f64 = steps.iter().map(|c| portable::log(c.ratio)).sum();
    let mut draws = Draws::new(options.seed, 84_000);
    // The thresholds of a third of the record are about those in the middle of it.
    let mut all: Vec<Ramp> = Vec::new();
    for k in 0..THIRDS {
        let share = [k, k + 1].map(|k| f64::from(k) / f64::from(THIRDS));
        let middle = 0.5 * (share[0] + share[1]);
        for third in known(series, &prepared, options, share, None).into_iter().take(1) {
            // From 0.6 to 2 times what the steps add up to: steps in the middle of their parts say less than
            // the whole change.
            for i in 0..15 {
                let growth = total * (0.6 + 0.1 * f64::from(i));
                for fine in -3..=3 {
                    let by = portable::exp(-middle * growth + 0.02 * f64::from(fine));
                    let delta = by * third.point.delta;
                    // Where it rests at first is where it rests, up to whole jumps, for good.
                    all.extend((0..LATTICES).map(|k| {
                        let start = Point {
                            sliding: by * third.point.sliding,
                            delta,
                            lattice: delta * f64::from(k) / f64::from(LATTICES),
                            starts: vec![0.0; prepared.starts.len()].into(),
                        };
                        over.scored(start, growth)
                    }));
                }
            }
        }
    }
    all.sort_by(|a, b| a.rss.total_cmp(&b.rss));
    all.truncate(STARTS);
    let refined = all.into_iter().map(|ramp| over.refined(ramp, false, STEPS, &mut draws));
    let best = refined.reduce(|a, b| if b.rss < a.rss { b } else { a })?;
    // Once more from the best, which may have been short of steps.
    let best = over.refined(best, false, STEPS, &mut draws);
    let left = over.left(&best.start, best.growth);
    let tau = autocorrelation_time(std::slice::from_ref(&left));
    let rows: f64 = samples.iter().map(|s| s.2).sum();
    let unknowns = OF_A_STEP * steps.len() as f64 - 1.0;
    let floor = 1e-13 * samples.iter().map(|s| s.2 * s.1 * s.1).sum::<f64>();
    let deviance = |rss: f64| rows / tau * portable::log((rss + floor) / (best.rss + floor));
    // What the ramp loses in the squares it may gain in unknowns that it spares.
    let gain = deviance(parts.square * parts.rows) + unknowns * portable::log(rows / tau);
    if gain < BELIEVABLE || best.growth.abs() < SMALLEST {
        return None;
    }
    let half = WIDER * over.half_width(&best, &deviance, &mut draws);
    let ratio = portable::exp(best.growth);
    let times = over.sampled.times;
    let change = Change {
        time: 0.5 * (times[0] + times[times.len() - 1]),
        between: [times[0], times[times.len() - 1]],
        ratio,
        low: ratio * portable::exp(-half),
        high: ratio * portable::exp(half),
        // The strongest of the steps is evidence enough that something changed.
        probability: steps.iter().map(|c| c.probability).fold(0.0, f64::max),
        gradual: true,
    };
    let trial = Trial {
        value: 0.0,
        square: best.rss / rows,
        rows,
        tau,
        robust: robust(left.into_iter()).powi(2),
        points: Vec::new(),
    };
    Some((change, trial))
}

impl Over<'_> {
    /// The larger of the two distances of ln r at which the error reaches its limit.
    fn half_width(&self, best: &Ramp, deviance: &impl Fn(f64) -> f64, draws: &mut Draws) -> f64 {
        let mut most: f64 = 0.0;
        for direction in [-1.0, 1.0] {
            let mut at = best.clone();
            let mut step = FIRST;
            for _ in 0..OFTEN {
                let trial = self.scored(at.start.clone(), at.growth + direction * step);
                at = self.refined(trial, true, AGAIN, draws);
                // The end lies beyond the limit, and is not interpolated: too wide rather than too narrow.
                most = most.max((at.growth - best.growth).abs());
                if deviance(at.rss) > LIMIT {
                    break;
                }
                step *= GROWTH;
            }
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a line leaves, from sums of one pass, is the sum of the squares of its residuals, which are orthogonal to 1, ξ and T;
    /// rows are unevenly far apart, some do not count, and a gap begins another stretch.
    #[test]
    fn sums_of_one_pass_leave_what_the_residuals_leave() {
        let mut draws = Draws::new(5, 1);
        let mut time = 1.7e9;
        let mut samples = Vec::new();
        let mut times = Vec::new();
        for i in 0..400 {
            time += if i % 7 == 3 { 1800.0 } else { 3600.0 };
            let t = 10.0 * portable::sin(0.13 * f64::from(i)) + draws.signed();
            let w = if i % 11 == 5 { 0.0 } else { 1.0 };
            times.push(time);
            samples.push((t, 1e-3 * t + 1e-4 * draws.signed() + 0.5, w));
        }
        let starts = [0, 150];
        let sampled = Sampled { samples: &samples, times: &times, starts: &starts, columns: &[] };
        let over = Over::new(sampled, 22.0);
        let start =
            Point { sliding: 2.0, delta: 1.5, lattice: 0.3, starts: vec![0.4, -0.2].into() };
        for growth in [0.0, 0.7, -0.4] {
            let mut path = Vec::new();
            over.walk(&start, growth, |_, xi| path.push(xi));
            let left = over.left(&start, growth);
            let counted = || (0..400).filter(|i| samples[*i].2 > 0.0).zip(&left);
            let rss: f64 = left.iter().map(|r| r * r).sum();
            let line = over.line(&start, growth);
            assert!((line.rss - rss).abs() < 1e-10 * rss, "{} {rss}", line.rss);
            let size = rss.sqrt() * 20.0;
            for product in [
                left.iter().sum::<f64>(),
                counted().map(|(i, r)| path[i] * r).sum(),
                counted().map(|(i, r)| samples[i].0 * r).sum(),
            ] {
                assert!(product.abs() < 1e-9 * size, "{growth}: {product}");
            }
            assert!(line.a != 0.0 && path.iter().any(|x| *x != path[0]));
        }
    }
}
