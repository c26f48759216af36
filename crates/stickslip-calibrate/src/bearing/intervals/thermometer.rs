//! Noise of the drive: how large it is.
//!
//! A noisy thermometer shows in two ways, and the smaller of the two sizes is believed, since each can only
//! be too large:
//!
//! * **scatter**: second differences of the drive over one, two and four rows have variances that grow like
//!   n + c h^α: n is the noise, with weather that is rough below the sampling interval counted as noise;
//! * **timing**: with noise in the drive some slips of the fitted path come a row or two early or late, and each leaves
//!   a residual as large as a jump. The likelihood of their instants (`timing`) has the size of the noise among its unknowns.
//!   Where jumps do not stand out of the residuals this way is closed.

use stickslip::lanes::SlipPath;

use crate::bearing::search::linear::Linear;
use crate::bearing::search::point::Scored;
use crate::record::series::Series;
use crate::statistics::stats::robust;

/// Steps may differ by this share.
const EVEN: f64 = 0.01;
/// The variance must grow by this factor when the distance doubles, or the weather is too rough to tell.
const SMOOTH: f64 = 1.5;
/// A jump must be so many robust residuals high.
const HIGH: f64 = 4.0;
/// Rows around a jump that are looked at.
const AROUND: usize = 3;
/// Slips at the wrong time that name the thermometer: so many, and so large a share of all slips.
const FEWEST: usize = 4;
const SHARE: f64 = 0.05;
/// A root mean square that is so many times the robust standard deviation comes from a few residuals.
pub const TAILS: f64 = 3.0;
/// Only so many samples are looked at.
const MOST: usize = 100_000;
/// Fewer differences say nothing.
const LEAST: usize = 30;

/// A bridge between two equal readings goes √(π/8) of the standard deviation of its walk beyond them on average.
const BEYOND: f64 = 0.626_657_068_657_750_1;
/// Third differences of a random walk have six times, those of independent errors twenty times their variance.
const OF_WALK: f64 = 6.0;
const OF_ERRORS: f64 = 20.0;

/// The most by which the drive may go beyond two equal readings between them, on average, in its unit. The readings have errors of
/// standard deviation `sigma`. `None` where rows are too few or too uneven to tell.
///
/// A drive that walks by s from one reading to the next is a bridge between them, whose greatest value is √(π/8) s above its ends on
/// average (Karatzas and Shreve 1991, eq. 4.3.40): a bearing slips there, before the readings have reached what makes it slip. To third
/// differences the course of a day adds next to nothing, the walk 6 s², errors 20 σ². A drive that is smooth between its readings may have
/// the same differences, so that this is the most there can be.
pub fn wander(series: &Series, sigma: f64) -> Option<f64> {
    let time = series.time();
    let drive = series.drive();
    let step = series.usual_step();
    let third = |i: usize| {
        let even = (0..3).all(|k| (time[i + k + 1] - time[i + k] - step).abs() < EVEN * step);
        let d = drive[i + 3] - drive[i] - 3.0 * (drive[i + 2] - drive[i + 1]);
        (even && !d.is_nan()).then_some(d)
    };
    let all: Vec<f64> = (0..drive.len().saturating_sub(3)).take(MOST).filter_map(third).collect();
    let root = (all.len() >= LEAST).then(|| robust(all.into_iter()))?;
    Some(BEYOND * ((root * root - OF_ERRORS * sigma * sigma) / OF_WALK).max(0.0).sqrt())
}

/// Standard deviation of the drive's noise from its own scatter; `None` where the weather is too rough.
pub fn scatter(series: &Series) -> Option<f64> {
    let time = series.time();
    let drive = series.drive();
    let step = series.usual_step();
    let variance = |h: usize| {
        let second = (0..drive.len().saturating_sub(2 * h)).take(MOST).filter_map(|i| {
            let even =
                |a: usize, b: usize| (time[b] - time[a] - h as f64 * step).abs() < EVEN * step;
            let d = drive[i] - 2.0 * drive[i + h] + drive[i + 2 * h];
            (even(i, i + h) && even(i + h, i + 2 * h) && !d.is_nan()).then_some(d)
        });
        let sigma = robust(second);
        // x − 2y + z of independent noise has 1 + 4 + 1 times its variance.
        sigma * sigma / 6.0
    };
    let [one, two, four] = [1, 2, 4].map(variance);
    // With n + c h^α the ratio of these differences is 2^α, whatever n is.
    let growth = (four - two) / (two - one);
    if !(growth > SMOOTH && two > one) {
        return None;
    }
    // Continued from h = 1 to h = 0, where only the noise is left.
    Some((one - (two - one) / (growth - 1.0)).max(0.0).sqrt())
}

/// Slips that come earlier or later than the drive says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mistimed {
    /// Rows in which they do.
    pub rows: usize,
    /// Whether a few large residuals make up nearly all of their squares: least squares then follow these rows, not the others.
    dominant: bool,
}

impl Mistimed {
    /// Whether they are so many of all slips that it must be the drive. A path of a thousand slips that is a little off has a
    /// few of them, too, but these do not dominate its residuals.
    pub fn many(self, slips: usize) -> bool {
        self.rows >= FEWEST && (self.dominant || self.rows as f64 >= SHARE * slips as f64)
    }
}

/// Rows next to slips of the fitted path where the response says that the slip came earlier or later; `None` where the
/// jumps do not stand out of the noise.
pub fn mistimed(samples: &[(f64, f64, f64)], starts: &[usize], fit: &Scored) -> Option<Mistimed> {
    let Linear { constant, on_path, on_drive, .. } = fit.line;
    let jump = (on_path * fit.point.delta).abs();
    let rows = samples.len().min(MOST);
    let set = fit.point.thresholds();
    let mut left = Vec::with_capacity(rows);
    let mut jumps = Vec::new();
    let mut path = SlipPath { rho: set.rho, delta: set.delta, xi: 0.0 };
    let mut stretch = 0;
    for (i, &(t, z, w)) in samples[..rows].iter().enumerate() {
        if starts.get(stretch) == Some(&i) {
            path.xi = fit.point.start(stretch, t);
            stretch += 1;
        }
        if path.advance(t) != 0.0 {
            jumps.push(i);
        }
        let off = z - constant - on_path * path.xi - on_drive * t;
        left.push(if w > 0.0 { off } else { 0.0 });
    }
    let noise = robust(left.iter().copied().filter(|r| *r != 0.0));
    if fit.point.delta <= 0.0 || jumps.is_empty() || jump < HIGH * noise {
        return None;
    }
    let far = |part: &[f64]| part.iter().filter(|off| off.abs() > 0.5 * jump).count();
    let mut near = 0;
    let mut looked_at = 0;
    let mut next = 0;
    for j in jumps {
        // Windows of neighbouring jumps share no row, or its residual would count twice.
        let from = j.saturating_sub(AROUND).max(next);
        next = (j + AROUND + 1).min(rows);
        near += far(&left[from..next]);
        looked_at += next - from;
    }
    // As often as elsewhere values stand out here, too, and for other reasons. Where slips are so many that hardly a row is
    // far from all of them, there is no elsewhere.
    let others = rows - looked_at;
    let known = others >= looked_at;
    let elsewhere = if known { (far(&left) - near) as f64 / others as f64 } else { 0.0 };
    let by_chance = (elsewhere * looked_at as f64).ceil() as usize;
    let rms = (left.iter().map(|off| off * off).sum::<f64>() / rows as f64).sqrt();
    Some(Mistimed { rows: near.saturating_sub(by_chance), dominant: rms > TAILS * noise })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::random::Draws;

    /// Bridges of 400 steps from one reading to the next, and errors in the readings: how far the bridges of equal ends go beyond
    /// them on average, less what 400 steps miss of the greatest value, 0.58/√400 (Siegmund 1985).
    #[test]
    fn a_drive_goes_beyond_its_readings_as_far_as_a_bridge_does() {
        let s = 0.7;
        let sigma = 0.1;
        let steps = 400;
        let mut draws = Draws::new(3, 4);
        let mut now = 0.0f64;
        let mut beyond = 0.0;
        let rows = 6000;
        let mut drive = Vec::new();
        let time: Vec<f64> = (0..rows).map(|i| 3600.0 * f64::from(i)).collect();
        for t in &time {
            let day = 5.0 * (std::f64::consts::TAU * t / 86_400.0).sin();
            drive.push(now + day + sigma * draws.normal());
            let walk: Vec<f64> = (0..steps)
                .scan(0.0, |x, _| {
                    *x += s * draws.normal() / f64::from(steps).sqrt();
                    Some(*x)
                })
                .collect();
            let end = walk[walk.len() - 1];
            // Without its way from end to end a walk is the bridge between equal ends.
            let bridge = |(k, x): (usize, &f64)| x - end * (k as f64 + 1.0) / f64::from(steps);
            beyond += walk.iter().enumerate().map(bridge).fold(0.0, f64::max) / f64::from(rows);
            now += end;
        }
        beyond += 0.5826 * s / f64::from(steps).sqrt();
        let series = Series::new(&time, &drive, &drive).unwrap();
        let found = wander(&series, sigma).unwrap();
        assert!((found / beyond - 1.0).abs() < 0.04, "{found} {beyond}");
        // Errors of that size alone are no movement.
        assert_eq!(wander(&series, 1.0), Some(0.0));
        // Rows whose distances go up and down have no third difference of one step.
        let uneven: Vec<f64> =
            time.iter().zip([0.0, 900.0].iter().cycle()).map(|(t, d)| t + d).collect();
        assert_eq!(wander(&Series::new(&uneven, &drive, &drive).unwrap(), sigma), None);
    }

    #[test]
    fn scatter_of_smooth_weather_with_noise() {
        for sigma in [0.05, 0.2] {
            let mut draws = Draws::new(5, 5);
            let time: Vec<f64> = (0..20_000).map(|i| 600.0 * f64::from(i)).collect();
            let drive: Vec<f64> = time
                .iter()
                .map(|t| 9.0 * (7.3e-5 * t).sin() + 2.0 * (1e-4 * t).sin() + sigma * draws.normal())
                .collect();
            let series = Series::new(&time, &drive, &drive).unwrap();
            let found = scatter(&series).unwrap();
            assert!((found / sigma - 1.0).abs() < 0.15, "{found} for {sigma}");
        }
    }
}
