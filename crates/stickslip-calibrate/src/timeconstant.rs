//! The deck's time constant, by a search of its own around the global one.
//!
//! For each trial θ the drive is filtered and the whole (ρ, δ) search runs; the least error over a
//! geometric grid is refined by golden section in ln θ. Near its minimum
//! D = (n/τ) ln(rss/rss_min) is taken as a parabola in ln θ, which gives the interval. The residuals'
//! autocorrelation time τ is that of the best fit.

use crate::error::Error;
use crate::lag::lagged;
use crate::motion::follow;
use crate::options::Options;
use crate::parallel;
use crate::prepared::Prepared;
use crate::profile::LIMIT;
use crate::search::{USUAL, search};
use crate::series::Series;
use crate::uncertainty::autocorrelation_time;

/// A time constant that was found, or given.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Constant {
    /// θ, s; `None`: none seen.
    pub seconds: Option<f64>,
    /// Standard error, s.
    pub stderr: Option<f64>,
    /// 95 % interval, s.
    pub ci95: Option<[f64; 2]>,
}

impl Constant {
    /// One that was given.
    pub fn given(seconds: f64) -> Self {
        Self { seconds: Some(seconds), ..Self::default() }
    }
}

/// The grid: 15 min to 64 h, each twice the one before.
const SMALLEST: f64 = 900.0;
const DOUBLINGS: i32 = 9;
/// Golden-section steps; each trial is a whole search.
const REFINEMENTS: usize = 9;
/// The parabola is laid through trials with D below this.
const NEAR: f64 = 40.0;

/// Squared error and (n, τ) for one time constant (0: none).
fn trial(series: &Series, options: &Options, seconds: f64) -> Result<(f64, f64, f64), Error> {
    let max_gap = options.max_gap.unwrap_or_else(|| Prepared::usual_gap(series));
    let drive = match seconds > 0.0 {
        true => lagged(series.time(), series.drive(), seconds, max_gap),
        false => series.drive().to_vec(),
    };
    let record = Series::new(series.time(), &drive, series.response())?;
    let prepared = Prepared::new(&record, options.max_gap, &options.trend)?;
    let found = search(&prepared, options.seed, USUAL);
    let best = &found.minima[0];
    let left = follow(&record, &prepared, &options.trend, &best.point, &best.line).residuals;
    let rss = best.line.rss + prepared.full.floor;
    Ok((rss, prepared.full.record.weight(), autocorrelation_time(&left)))
}

/// The time constant with the least error.
pub fn find(series: &Series, options: &Options) -> Result<Constant, Error> {
    let grid: Vec<f64> = (0..DOUBLINGS).map(|i| SMALLEST * 2f64.powi(i)).collect();
    let none = trial(series, options, 0.0)?;
    let at = |seconds: f64| Ok((seconds.ln(), trial(series, options, seconds)?));
    let tried: Result<Vec<_>, Error> = parallel::map(grid, at).into_iter().collect();
    let mut tried = tried?;
    let least = |tried: &[(f64, (f64, f64, f64))]| {
        tried.iter().copied().min_by(|a, b| a.1.0.total_cmp(&b.1.0))
    };
    let Some(start) = least(&tried) else { return Ok(Constant::default()) };
    // Golden section between the neighbours of the best.
    let (mut low, mut high) = (start.0 - 2f64.ln(), start.0 + 2f64.ln());
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let mut at = |x: f64| -> Result<f64, Error> {
        let t = trial(series, options, x.exp())?;
        tried.push((x, t));
        Ok(t.0)
    };
    let (mut p, mut q) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_p, mut at_q) = (at(p)?, at(q)?);
    for _ in 0..REFINEMENTS {
        if at_p < at_q {
            (high, q, at_q) = (q, p, at_p);
            p = high - golden * (high - low);
            at_p = at(p)?;
        } else {
            (low, p, at_p) = (p, q, at_q);
            q = low + golden * (high - low);
            at_q = at(q)?;
        }
    }
    let Some((x, (rss, n, tau))) = least(&tried) else { return Ok(Constant::default()) };
    let deviance = |other: f64| n / tau * (other / rss).ln();
    if deviance(none.0) < 2.0 * LIMIT {
        return Ok(Constant::default());
    }
    // D = (x − x̂)²/s²: least squares for 1/s² through the minimum.
    let (mut up, mut down) = (0.0, 0.0);
    for (other, t) in &tried {
        let (d, square) = (deviance(t.0), (other - x) * (other - x));
        if d < NEAR && square > 0.0 {
            (up, down) = (up + d * square, down + square * square);
        }
    }
    let spread = if up > 0.0 { (down / up).sqrt() } else { 0.5 * (high - low) };
    let seconds = x.exp();
    Ok(Constant {
        seconds: Some(seconds),
        stderr: Some(seconds * spread),
        ci95: Some([(x - 1.96 * spread).exp(), (x + 1.96 * spread).exp()]),
    })
}
