//! What residuals of a bearing's fit say: whether they are more than noise.

use crate::bearing::delay::{MEMORY, TAILS};
use crate::bearing::options::Options;
use crate::bearing::search::global::FoundPaths;
use crate::bearing::search::motion::left;
use crate::bearing::search::point::Scored;
use crate::bearing::search::prepared::Prepared;
use crate::record::series::Series;
use crate::statistics::memory::{autocorrelation_time, white};

/// Residuals are more than noise, too, if they follow time or the drive's rate by so many standard errors.
pub const SLOPE: f64 = 4.5;
/// A residual above this share of a jump makes the search look again.
const NOISY: f64 = 0.2;

/// Whether residuals are more than noise.
pub fn suspicious(series: &Series, prepared: &Prepared, options: &Options, best: &Scored) -> bool {
    let left = left(series, prepared, &options.trend, &best.point, &best.line);
    let count = left.values().count() as f64;
    let square = left.values().map(|r| r * r).sum::<f64>() / count;
    // Rounding has a pattern of its own.
    if square <= prepared.full.floor / count {
        return false;
    }
    !white(&left.parts())
        || square > TAILS * left.robust().powi(2)
        || autocorrelation_time(&left.parts()) > MEMORY
        || follows(series, &left.rows).into_iter().any(|slope| slope > SLOPE)
}

/// The slopes of residuals over the drive's rate and over time, in standard errors.
pub fn follows(series: &Series, left: &[f64]) -> [f64; 2] {
    let time = series.time();
    let drive = series.drive();
    // Over both neighbours, as a lag would show.
    let rate = |i: usize| (drive[i + 1] - drive[i - 1]) / (time[i + 1] - time[i - 1]);
    [
        inclination((1..time.len() - 1).map(|i| (rate(i), left[i]))),
        inclination((0..time.len()).map(|i| (time[i], left[i]))),
    ]
}

/// The slope of the straight line through points, in standard errors.
fn inclination(points: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let points = || points.clone().filter(|p| !(p.0 * p.1).is_nan());
    let [n, x, y] = points().fold([0.0; 3], |s, p| [s[0] + 1.0, s[1] + p.0, s[2] + p.1]);
    // So few points give a slope by chance.
    if n < 50.0 {
        return 0.0;
    }
    let x = x / n;
    let y = y / n;
    let [spread, along] =
        points().fold([0.0; 2], |s, p| [s[0] + (p.0 - x).powi(2), s[1] + (p.0 - x) * (p.1 - y)]);
    let slope = along / spread;
    let noise: f64 = points().map(|p| (p.1 - y - slope * (p.0 - x)).powi(2)).sum();
    // In standard errors of independent residuals.
    let found = slope.abs() / (noise / n / spread).sqrt();
    if found.is_nan() { 0.0 } else { found }
}

/// Whether the residual is so large against a jump that a wrong path would leave nothing to see.
pub fn noisy(prepared: &Prepared, found: &FoundPaths) -> bool {
    let best = &found.minima[0];
    let rmse = (best.line.rss / prepared.full.record.weight()).sqrt();
    rmse > NOISY * (best.line.on_path * best.point.delta).abs()
}
