//! Noise of the drive: how large it is.
//!
//! A noisy thermometer shows in two ways, and the smaller of the two sizes is believed, since each can only
//! be too large:
//!
//! * **scatter**: second differences of the drive over one, two and four rows have variances that grow like
//!   n + c h^α: n is the noise, with weather that is rough below the sampling interval counted as noise;
//! * **timing**: with noise in the drive some slips of the fitted path come a row or two early or late, and each leaves
//!   a residual as large as a jump. How many do is compared with how many would if noise of a given size were added to the
//!   drive. Where jumps do not stand out of the residuals this way is closed.

use stickslip::lanes::SlipPath;

use crate::linear::Linear;
use crate::point::{Point, Scored};
use crate::prepared::Prepared;
use crate::random::Draws;
use crate::series::Series;
use crate::stats::robust;

/// Steps may differ by this share.
const EVEN: f64 = 0.01;
/// The variance must grow by this factor when the distance doubles, or the weather is too rough to tell.
const SMOOTH: f64 = 1.5;
/// A jump must be so many robust residuals high.
const HIGH: f64 = 4.0;
/// Rows around a jump that are looked at.
const AROUND: usize = 3;
/// Sizes that are tried, as shares of ρ, and how often.
const SIZES: [f64; 6] = [0.001, 0.003, 0.008, 0.02, 0.05, 0.12];
const TRIES: u64 = 3;
/// Only so many samples are looked at.
const MOST: usize = 100_000;

/// Standard deviation of the drive's noise from its own scatter; `None` where the weather is too rough.
pub fn scatter(series: &Series) -> Option<f64> {
    let (time, drive) = (series.time(), series.drive());
    let step = series.usual_step();
    let variance = |h: usize| {
        let second = (0..drive.len().saturating_sub(2 * h)).take(MOST).filter_map(|i| {
            let even =
                |a: usize, b: usize| (time[b] - time[a] - h as f64 * step).abs() < EVEN * step;
            let d = drive[i] - 2.0 * drive[i + h] + drive[i + 2 * h];
            (even(i, i + h) && even(i + h, i + 2 * h) && !d.is_nan()).then_some(d)
        });
        let sigma = robust(second);
        sigma * sigma / 6.0
    };
    let [one, two, four] = [1, 2, 4].map(variance);
    let growth = (four - two) / (two - one);
    if !(growth > SMOOTH && two > one) {
        return None;
    }
    Some((one - (two - one) / (growth - 1.0)).max(0.0).sqrt())
}

/// How the fitted path's slips fall in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    /// Rows next to slips where the response says that the slip came earlier or later.
    pub rows: usize,
    /// The noise of the drive that would make one more of them.
    pub sigma: f64,
}

/// The paths ξ over all samples of the full record, with the rows at which they jump.
fn path(drive: &[f64], starts: &[usize], point: &Point) -> (Vec<f64>, Vec<usize>) {
    let set = point.thresholds();
    let (mut xi, mut jumps) = (Vec::with_capacity(drive.len()), Vec::new());
    let mut state = SlipPath { rho: set.rho, delta: set.delta, xi: 0.0 };
    let mut stretch = 0;
    for (i, &t) in drive.iter().enumerate() {
        if starts.get(stretch) == Some(&i) {
            state.xi = point.start(stretch, t);
            stretch += 1;
        }
        if state.advance(t) != 0.0 {
            jumps.push(i);
        }
        xi.push(state.xi);
    }
    (xi, jumps)
}

/// Rows within reach of a jump where `far` holds.
fn near(jumps: &[usize], rows: usize, far: impl Fn(usize) -> bool) -> usize {
    let (mut count, mut next) = (0, 0);
    for &j in jumps {
        for i in j.saturating_sub(AROUND).max(next)..(j + AROUND + 1).min(rows) {
            count += usize::from(far(i));
            next = i + 1;
        }
    }
    count
}

/// Looks at the timing of the slips; `None` where the jumps do not stand out.
pub fn timing(series: &Series, prepared: &Prepared, best: &Scored) -> Option<Timing> {
    let Linear { constant, on_path, on_drive, .. } = best.line;
    let rows = &prepared.rows[..prepared.rows.len().min(MOST)];
    let drive: Vec<f64> = rows.iter().map(|&r| series.drive()[r] - prepared.drive_centre).collect();
    let (xi, jumps) = path(&drive, &prepared.starts, &best.point);
    if best.point.delta <= 0.0 || jumps.is_empty() {
        return None;
    }
    let left: Vec<f64> = rows
        .iter()
        .enumerate()
        .map(|(i, &r)| {
            let fitted = constant + on_path * xi[i] + on_drive * drive[i];
            series.response()[r] - prepared.response_centre - fitted
        })
        .collect();
    let jump = (on_path * best.point.delta).abs();
    if jump < HIGH * robust(left.iter().copied().filter(|r| !r.is_nan())) {
        return None;
    }
    let seen = near(&jumps, rows.len(), |i| left[i].abs() > 0.5 * jump);
    let rho = best.point.thresholds().rho;
    let mut below = (0.0, 0.0);
    for share in SIZES {
        let sigma = share * rho;
        let mut count = 0;
        for k in 0..TRIES {
            let mut draws = Draws::new(0x7e, k);
            let noisy: Vec<f64> = drive.iter().map(|t| t + sigma * draws.normal()).collect();
            let (other, jumps) = path(&noisy, &prepared.starts, &best.point);
            count += near(&jumps, rows.len(), |i| {
                !left[i].is_nan() && (on_path * (other[i] - xi[i])).abs() > 0.5 * jump
            });
        }
        let count = count as f64 / TRIES as f64;
        let wanted = seen as f64 + 1.0;
        if count >= wanted {
            let along = (wanted - below.1) / (count - below.1);
            return Some(Timing { rows: seen, sigma: below.0 + along * (sigma - below.0) });
        }
        below = (sigma, count);
    }
    Some(Timing { rows: seen, sigma: below.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scatter_of_smooth_weather_with_noise() {
        for sigma in [0.05, 0.2] {
            let mut draws = Draws::new(5, 5);
            let time: Vec<f64> = (0..20_000).map(|i| 600.0 * f64::from(i)).collect();
            let drive: Vec<f64> = time
                .iter()
                .map(|t| 9.0 * (7.3e-5 * t).sin() + 2.0 * (1e-3 * t).sin() + sigma * draws.normal())
                .collect();
            let series = Series::new(&time, &drive, &drive).unwrap();
            let found = scatter(&series).unwrap();
            assert!((found / sigma - 1.0).abs() < 0.15, "{found} for {sigma}");
        }
    }
}
