//! Moving-block bootstrap: fit again to records made of the fitted curve and shuffled residuals.
//!
//! Residuals of monitoring data resemble their neighbours, so blocks of them are drawn with replacement, not
//! single ones (Künsch 1989). The block length is estimated from their autocorrelation time τ as if
//! they were an autoregression of order one with φ = (τ − 1)/(τ + 1): L = (√6 φ/(1 − φ²))^{2/3} n^{1/3}
//! (Carlstein 1986), at least 1. Each made-up record is fitted over the paths that the likelihood sampler kept, then by
//! random descent from the best of them. The 2.5 and 97.5 % quantiles of what is found are the intervals.

use serde::Serialize;
use stickslip::portable;

use crate::bearing::intervals::uncertainty::Spread;
use crate::bearing::search::global::{Descent, descend, descent};
use crate::bearing::search::linear::Linear;
use crate::bearing::search::motion::Motion;
use crate::bearing::search::point::{Point, Scored, better, score};
use crate::bearing::search::prepared::{Prepared, Track};
use crate::parallel;
use crate::record::series::Series;
use crate::record::trend::Trend;
use crate::statistics::random::Draws;
use crate::statistics::stats::{quantile, sd};

/// Paths that every replicate tries before it descends.
const POOL: usize = 128;
const REPLICATE_DESCENT: Descent = descent(6, 32, 4);

/// What a bootstrap found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bootstrap {
    /// Made-up records.
    pub replicates: usize,
    /// Residuals per block.
    pub block: usize,
    /// By quantity: its name in the result and its interval.
    pub intervals: Vec<Interval>,
}

/// One quantity's interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Interval {
    /// The quantity.
    pub name: &'static str,
    /// Standard deviation over the replicates.
    pub stderr: f64,
    /// 2.5 and 97.5 % quantiles.
    pub ci95: [f64; 2],
}

/// A quantity's name, and its value with its gradient in (c, a, b).
pub type Named<'a> = (&'static str, &'a (dyn Fn(&Point, &Linear) -> (f64, [f64; 3]) + Sync));

/// Block length from the autocorrelation time `tau` of `n` residuals.
pub fn block_length(tau: f64, n: usize) -> usize {
    let phi = ((tau - 1.0) / (tau + 1.0)).clamp(0.0, 0.999);
    let length =
        portable::pow(6f64.sqrt() * phi / (1.0 - phi * phi), 2.0 / 3.0) * portable::cbrt(n as f64);
    (length.ceil() as usize).clamp(1, (n / 4).max(1))
}

/// Everything that a bootstrap starts from.
pub struct Source<'a> {
    /// The record.
    pub series: &'a Series<'a>,
    /// The record, prepared.
    pub prepared: &'a Prepared<'a>,
    /// Trend columns.
    pub trend: &'a Trend,
    /// The fitted motion.
    pub motion: &'a Motion,
    /// The likelihood around the fit.
    pub spread: &'a Spread,
    /// Autocorrelation time of the residuals.
    pub tau: f64,
}

impl Source<'_> {
    /// `replicates` made-up records, and the intervals of `quantities`.
    pub fn bootstrap(&self, replicates: usize, seed: u64, quantities: &[Named]) -> Bootstrap {
        let Self { series, prepared, trend, motion, spread, tau } = self;
        let time = series.time();
        let response = series.response();
        // (T, fitted, weight) and the residuals where there are any, centred.
        let samples: Vec<(f64, f64, f64)> = prepared
            .rows
            .iter()
            .map(|row| {
                let fitted = motion.curve.fitted[row] - prepared.response_centre;
                let weight = if response[row].is_nan() { 0.0 } else { 1.0 };
                (motion.curve.drive[row] - prepared.drive_centre, fitted, weight)
            })
            .collect();
        let present = || prepared.rows.iter().filter(|&row| !response[row].is_nan());
        let mut residuals: Vec<f64> =
            present().map(|row| response[row] - motion.curve.fitted[row]).collect();
        let n = residuals.len();
        // The mean belongs to c: left in the residuals, it would shift every record that is made of them.
        let mean = residuals.iter().sum::<f64>() / n as f64;
        residuals.iter_mut().for_each(|r| *r -= mean);
        let block = block_length(*tau, n);
        // Evenly over the draws, which come sweep by sweep.
        let every = spread.draws.len().div_ceil(POOL).max(1);
        let mut pool: Vec<Point> =
            spread.draws.iter().step_by(every).map(|s| s.point.clone()).collect();
        pool.push(spread.centre.point.clone());
        // The sampler may have worked on a thinned record; these columns are those of every row.
        let times: Vec<f64> = prepared.rows.iter().map(|row| time[row]).collect();
        let weights: Vec<f64> = samples.iter().map(|s| s.2).collect();
        let (_, columns) = trend.basis(&times, &weights);

        let one = |i: usize| -> Vec<f64> {
            let mut draws = Draws::new(seed, 90_000 + i as u64);
            let mut samples = samples.clone();
            let mut left = 0;
            let mut from = 0;
            for s in samples.iter_mut().filter(|s| s.2 > 0.0) {
                // Rows without a response take no residual, so that blocks stay whole across holes.
                if left == 0 {
                    (left, from) = (block, (draws.unit() * (n - block + 1) as f64) as usize);
                }
                s.1 += residuals[from];
                (left, from) = (left - 1, from + 1);
            }
            // The first samples show the starting states, and have other residuals now.
            let openings = prepared.openings(&samples);
            let full = &prepared.full;
            let track = Track::new(&samples, &prepared.starts, openings, full.range, &columns);
            // The best of the known paths first: a descent then has only the last steps to find.
            let tried = score(&track, pool.clone());
            let best: Option<Scored> = tried.into_iter().reduce(better);
            let best = best.unwrap_or_else(|| spread.centre.clone());
            let (best, _) = descend(&track, best, draws, REPLICATE_DESCENT);
            quantities.iter().map(|q| q.1(&best.point, &best.line).0).collect()
        };
        let all: Vec<Vec<f64>> = parallel::each(replicates, one);
        let intervals = quantities.iter().enumerate();
        let intervals =
            intervals.map(|(k, q)| Interval::of(q.0, all.iter().map(|v| v[k]))).collect();
        Bootstrap { replicates, block, intervals }
    }
}

impl Interval {
    fn of(name: &'static str, values: impl Iterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.collect();
        values.sort_unstable_by(f64::total_cmp);
        let ci95 = [quantile(&values, 0.025), quantile(&values, 0.975)];
        Self { name, stderr: sd(&values), ci95 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_grow_with_the_correlation() {
        assert_eq!(block_length(1.0, 10_000), 1);
        // φ = 0.8: (√6·0.8/0.36)^{2/3} · 10000^{1/3} = 3.095 · 21.544
        assert_eq!(block_length(9.0, 10_000), 67);
        assert_eq!(block_length(1e9, 100), 25);
    }
}
