//! Errors that least squares does not see: noise of the drive, readings that are rounded.
//!
//! Records are made up from the fitted path: noise of a given size on the drive, noise and rounding on the response, as
//! the record has them. Each is fitted again like the record itself, by descents from paths near the fitted one. The scatter
//! of what comes out belongs to the intervals (a parametric bootstrap; Efron and Tibshirani 1993).

use stickslip::lanes::SlipPath;

use crate::bearing::search::global::{Descent, descend, descent};
use crate::bearing::search::linear::Linear;
use crate::bearing::search::point::{Point, Scored, better, score};
use crate::bearing::search::prepared::{Prepared, Sampled, Track};
use crate::parallel;
use crate::statistics::random::Draws;

/// Paths that every replica tries, and how it then descends.
const POOL: usize = 31;
const DESCENT: Descent = descent(5, 32, 2);

/// What is wrong with a record.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Errors {
    /// Standard deviation of the drive's noise.
    pub drive: f64,
    /// Standard deviation of the response's noise, m; 0: as if there were none.
    pub response: f64,
    /// The response is a multiple of this, m; 0: it is not rounded.
    pub rounding: f64,
    /// Where the multiples begin, m: any reading.
    pub level: f64,
}

/// What comes out of `count` made-up records: the path and line of each.
pub fn replicas(
    prepared: &Prepared,
    centre: &Scored,
    draws: &[Scored],
    errors: Errors,
    count: usize,
    stream: u64,
) -> Vec<Scored> {
    // The thinned record, where there is one: the scatter of many fits matters here, not the last digit of one.
    let Sampled { samples, starts, columns, .. } = prepared.light();
    let full = &prepared.full;
    let fitted = fitted(samples, starts, centre);
    let mut pool: Vec<Point> =
        // Evenly over the draws, and the best path itself.
        draws.iter().step_by(draws.len().div_ceil(POOL).max(1)).map(|s| s.point.clone()).collect();
    pool.push(centre.point.clone());
    let one = |k: usize| {
        let mut random = Draws::new(stream, 60_000 + k as u64);
        let mut made = samples.to_vec();
        for (s, &z) in made.iter_mut().zip(&fitted) {
            s.0 += errors.drive * random.normal();
            // The response is that of the fitted path, which felt the drive without this noise.
            s.1 = z + errors.response * random.normal();
            if errors.rounding > 0.0 {
                // The grid need not contain 0: any reading tells where it lies.
                let whole = ((s.1 - errors.level) / errors.rounding).round();
                s.1 = errors.level + whole * errors.rounding;
            }
        }
        let openings = crate::bearing::search::prepared::openings(&made, starts);
        let track = Track::new(&made, starts, openings, full.range, columns);
        let best = score(&track, pool.clone()).into_iter().reduce(better);
        let best = best.unwrap_or_else(|| centre.clone());
        descend(&track, best, random, DESCENT).0
    };
    parallel::each(count, one)
}

/// c + aξ + bT at every sample.
fn fitted(samples: &[(f64, f64, f64)], starts: &[usize], centre: &Scored) -> Vec<f64> {
    let Linear { constant, on_path, on_drive, .. } = centre.line;
    let set = centre.point.thresholds();
    let mut path = SlipPath { rho: set.rho, delta: set.delta, xi: 0.0 };
    let mut stretch = 0;
    samples
        .iter()
        .enumerate()
        .map(|(i, s)| {
            if starts.get(stretch) == Some(&i) {
                path.xi = centre.point.start(stretch, s.0);
                stretch += 1;
            }
            path.advance(s.0);
            constant + on_path * path.xi + on_drive * s.0
        })
        .collect()
}
