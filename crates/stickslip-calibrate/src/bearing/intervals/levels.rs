//! At which rest the response shows the slider, sample by sample.
//!
//! Along a path ξ = ℓ + δn the response z = c + aξ + bT stands on steps that are aδ apart. Where a step stands out of the
//! noise, the response alone tells the level n, whatever the drive says about the instant of a slip. The levels are those
//! of the least cost, (z − c − a(ℓ + δn) − bT)²/σ² for every sample and a price for every change of level (Viterbi 1967).

use stickslip::lanes::SlipPath;
use stickslip::portable;

use crate::bearing::search::linear::Linear;
use crate::bearing::search::point::Scored;
use crate::bearing::search::prepared::Sampled;
use crate::statistics::memory::autocorrelation_time;
use crate::statistics::stats::robust;

/// A step must be so many robust residuals high.
const HIGH: f64 = 3.0;
/// Levels beyond which a record has too many.
const MOST: usize = 400;
/// A sample costs no more than this, for it may be a spike.
const SPIKE: f64 = 25.0;
/// Price of each further level in one change.
const FURTHER: f64 = 2.0;
/// The line is fitted to the levels, and the levels to the line, so often.
const ROUNDS: usize = 2;

/// The levels of a record.
pub struct Levels {
    /// One for each sample.
    pub of: Vec<i32>,
    /// c, aδ and b of the line through them, with ℓ and δ of the path that they began with.
    pub constant: f64,
    /// aδ.
    pub step: f64,
    /// b.
    pub on_drive: f64,
    /// Variance of a residual about the levels, times its autocorrelation time.
    pub variance: f64,
}

/// The response without its trends, and whether there is one; its robust residual.
fn freed(sampled: &Sampled, centre: &Scored) -> (Vec<(f64, f64, bool)>, f64) {
    let Linear { constant, on_path, on_drive, .. } = centre.line;
    let set = centre.point.thresholds();
    let mut path = SlipPath { rho: set.rho, delta: set.delta, xi: 0.0 };
    let mut stretch = 0;
    let mut left: Vec<f64> = Vec::with_capacity(sampled.samples.len());
    for (i, &(t, z, _)) in sampled.samples.iter().enumerate() {
        // Across a long gap the state is unknown and begins anew.
        if sampled.starts.get(stretch) == Some(&i) {
            path.xi = centre.point.start(stretch, t);
            stretch += 1;
        }
        path.advance(t);
        left.push(z - constant - on_path * path.xi - on_drive * t);
    }
    let mut out: Vec<_> = sampled.samples.iter().map(|s| (s.0, s.1, s.2 > 0.0)).collect();
    // What the trend explains of the residuals is not the slider's: it is taken off the response as well.
    for column in sampled.columns {
        let seen = out.iter().zip(column).zip(&left).filter(|((s, _), _)| s.2);
        let size: f64 = seen.map(|((_, q), left)| q * left).sum();
        for ((s, q), left) in out.iter_mut().zip(column).zip(&mut left) {
            s.1 -= size * q;
            *left -= size * q;
        }
    }
    let noise = robust(left.iter().zip(&out).filter(|(_, s)| s.2).map(|(left, _)| *left));
    (out, noise)
}

/// The levels that the response shows; `None` where its steps do not stand out of its noise.
pub fn levels(sampled: &Sampled, centre: &Scored) -> Option<Levels> {
    let Linear { constant, on_path, on_drive, .. } = centre.line;
    let point = &centre.point;
    let (samples, noise) = freed(sampled, centre);
    let step = on_path * point.delta;
    if point.delta <= 0.0 || centre.jumps < 1.0 || step.abs() <= HIGH * noise || noise.is_nan() {
        return None;
    }
    // Readings without noise still have a width.
    let noise = noise.max(1e-3 * step.abs());
    // The constant of level 0, which is at ξ = ℓ.
    let constant = constant + on_path * point.lattice;
    let mut levels = Levels { of: Vec::new(), constant, step, on_drive, variance: 0.0 };
    // Twice the logarithm of the odds against a change at any row, with as many changes as the path has jumps.
    let price = 2.0 * portable::log(samples.len() as f64 / centre.jumps).max(3.0);
    for _ in 0..ROUNDS {
        levels.of = cheapest(&samples, sampled.starts, &levels, noise, price)?;
        levels.refit(&samples);
    }
    levels.variance = levels.scatter(&samples);
    Some(levels)
}

/// The cheapest sequence of levels: a response costs its squared distance from a level in units of `noise`, a change of the
/// level `price`.
fn cheapest(
    samples: &[(f64, f64, bool)],
    starts: &[usize],
    line: &Levels,
    noise: f64,
    price: f64,
) -> Option<Vec<i32>> {
    let at = |s: &(f64, f64, bool)| (s.1 - line.constant - line.on_drive * s.0) / line.step;
    let mut all: Vec<f64> = samples.iter().filter(|s| s.2).map(at).collect();
    all.sort_unstable_by(f64::total_cmp);
    // A spike is no level.
    let tail = all.len() / 500;
    let low = all.get(tail)?.round() - 1.0;
    let high = all.get(all.len() - 1 - tail)?.round() + 1.0;
    if high - low >= MOST as f64 {
        return None;
    }
    let count = (high - low) as usize + 1;
    let low = low as i32;
    let scale = (line.step / noise).powi(2);
    let mut cost = vec![0.0f64; count];
    let mut from: Vec<u16> = Vec::with_capacity(samples.len() * count);
    for (i, s) in samples.iter().enumerate() {
        // Where a stretch begins the slider may be anywhere.
        step_on(&mut cost, price, &mut from, starts.binary_search(&i).is_ok());
        if s.2 {
            let here = at(s) - f64::from(low);
            for (n, cost) in cost.iter_mut().enumerate() {
                *cost += (scale * (here - n as f64).powi(2)).min(SPIKE);
            }
        }
    }
    let mut n = (0..count).min_by(|a, b| cost[*a].total_cmp(&cost[*b]))?;
    let mut out = vec![0; samples.len()];
    // Backwards from the cheapest end, each level by the one it came from.
    for i in (0..samples.len()).rev() {
        out[i] = low + n as i32;
        n = usize::from(from[i * count + n]);
    }
    Some(out)
}

/// The cheapest way from any level to each; at the beginning of a stretch every change is free.
fn step_on(cost: &mut [f64], price: f64, from: &mut Vec<u16>, free: bool) {
    let count = cost.len();
    let before = cost.to_vec();
    let (price, further) = if free { (0.0, 0.0) } else { (price, FURTHER) };
    let base = from.len();
    from.extend((0..count).map(|n| n as u16));
    // The price grows in proportion to the levels that are passed: one pass up and one down find the cheapest
    // origin, without a look at all pairs.
    let mut carry = |order: &mut dyn Iterator<Item = usize>| {
        let mut best: Option<(f64, usize)> = None;
        for n in order {
            if let Some((value, origin)) = best
                && value + price < cost[n]
            {
                cost[n] = value + price;
                from[base + n] = origin as u16;
            }
            let passed = best.map(|(v, o)| (v + further, o));
            let own = (before[n], n);
            best = Some(passed.filter(|p| p.0 < own.0).unwrap_or(own));
        }
    };
    carry(&mut (0..count));
    carry(&mut (0..count).rev());
}

impl Levels {
    /// See [`Levels::variance`].
    fn scatter(&self, samples: &[(f64, f64, bool)]) -> f64 {
        let left = |(s, n): (&(f64, f64, bool), &i32)| match s.2 {
            true => s.1 - self.constant - self.step * f64::from(*n) - self.on_drive * s.0,
            false => f64::NAN,
        };
        let left: Vec<f64> = samples.iter().zip(&self.of).map(left).collect();
        // By the median, since a row at the wrong level leaves a whole step.
        let noise = robust(left.iter().copied().filter(|r| !r.is_nan()));
        noise * noise * autocorrelation_time(&[left])
    }

    /// The least-squares line through the levels.
    fn refit(&mut self, samples: &[(f64, f64, bool)]) {
        let seen = || samples.iter().zip(&self.of).filter(|(s, _)| s.2);
        let count = seen().count() as f64;
        let mut mean = [0.0; 3];
        for (s, n) in seen() {
            let row = [f64::from(*n), s.0, s.1];
            mean.iter_mut().zip(row).for_each(|(m, v)| *m += v / count);
        }
        let mut nn = 0.0;
        let mut nt = 0.0;
        let mut tt = 0.0;
        let mut nz = 0.0;
        let mut tz = 0.0;
        for (s, n) in seen() {
            let n = f64::from(*n) - mean[0];
            let t = s.0 - mean[1];
            let z = s.1 - mean[2];
            nn += n * n;
            nt += n * t;
            tt += t * t;
            nz += n * z;
            tz += t * z;
        }
        let determinant = nn * tt - nt * nt;
        // Of a record that rests on one level, or whose levels follow the drive, the line is kept.
        if determinant > 1e-9 * nn * tt {
            self.step = (tt * nz - nt * tz) / determinant;
            self.on_drive = (nn * tz - nt * nz) / determinant;
            self.constant = mean[2] - self.step * mean[0] - self.on_drive * mean[1];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bearing::search::point::Point;
    use crate::statistics::random::Draws;

    /// A path whose slips come a row late in the response: the levels follow the response.
    #[test]
    fn levels_are_those_of_the_response() {
        let mut draws = Draws::new(3, 3);
        let drive: Vec<f64> = (0..3000).map(|i| 9.0 * (0.01 * f64::from(i)).sin()).collect();
        let mut path = SlipPath { rho: 4.0, delta: 1.5, xi: 0.0 };
        let truth: Vec<f64> = drive
            .iter()
            .map(|t| {
                path.advance(*t);
                path.xi
            })
            .collect();
        let samples: Vec<(f64, f64, f64)> = (0..3000usize)
            .map(|i| {
                (drive[i], truth[i.saturating_sub(1)] + 0.1 * drive[i] + 0.2 * draws.normal(), 1.0)
            })
            .collect();
        let line = Linear { on_path: 1.0, on_drive: 0.1, ..Linear::default() };
        let point = Point { sliding: 3.25, delta: 1.5, lattice: 0.0, starts: vec![0.0].into() };
        let centre = Scored { point, line, jumps: 40.0 };
        let sampled = Sampled { samples: &samples, times: &[], starts: &[0], columns: &[] };
        let found = levels(&sampled, &centre).unwrap();
        let wrong =
            (1..3000).filter(|&i| (1.5 * f64::from(found.of[i]) - truth[i - 1]).abs() > 0.1);
        assert!(wrong.count() <= 2);
        assert!((found.step - 1.5).abs() < 0.01 && (found.on_drive - 0.1).abs() < 0.005);
        let flat = Scored { line: Linear { on_path: 0.3, ..line }, ..centre };
        assert!(levels(&sampled, &flat).is_none());
    }
}
