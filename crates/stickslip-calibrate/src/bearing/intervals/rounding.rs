//! Readings that are rounded coarsely.

use crate::bearing::search::point::Scored;
use crate::record::series::Series;

/// A step smaller than so many standard deviations of the noise is averaged out by it.
const MATTERS: f64 = 1.5;
/// A step larger than this share of a jump hides the jumps.
const HIDES: f64 = 0.6;
/// Readings lie on the grid to this share of its step.
const EXACT: f64 = 1e-4;
/// Readings that are looked at.
const LOOKED_AT: usize = 20_000;

/// A grid of readings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rounding {
    /// Its step, m.
    pub step: f64,
    /// One of its readings, m.
    pub level: f64,
    /// Standard deviation of the noise before rounding, m.
    pub noise: f64,
    /// Whether the jumps are lost in it.
    pub hides: bool,
}

impl Rounding {
    /// Of a response; `variance` is that of the residuals. `None` if there is no rounding that matters.
    pub fn of(series: &Series, best: &Scored, variance: f64) -> Option<Self> {
        let mut readings: Vec<f64> =
            series.response().iter().copied().filter(|z| !z.is_nan()).take(LOOKED_AT).collect();
        let count = readings.len();
        readings.sort_unstable_by(f64::total_cmp);
        let scale = readings.last()?.abs().max(readings.first()?.abs());
        readings.dedup_by(|a, b| (*a - *b).abs() <= 1e-12 * scale);
        // A record that hardly repeats itself is not rounded coarsely.
        if readings.len() < 2 || 8 * readings.len() > count {
            return None;
        }
        let step = readings.windows(2).map(|w| w[1] - w[0]).fold(f64::INFINITY, f64::min);
        let level = readings[0];
        let on_grid = |z: &f64| {
            let at = (z - level) / step;
            (at - at.round()).abs() < EXACT * at.abs().max(1.0)
        };
        if !readings.iter().all(on_grid) {
            return None;
        }
        let noise = (variance - step * step / 12.0).max(0.01 * step * step).sqrt();
        let jump = (best.line.on_path * best.point.delta).abs();
        let hides = step > HIDES * jump;
        (step > MATTERS * noise).then_some(Self { step, level, noise, hides })
    }
}
