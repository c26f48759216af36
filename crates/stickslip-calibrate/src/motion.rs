//! The fitted path, row by row, with its slips.

use stickslip::lanes::{SlipPath, jumps};

use crate::fit::{Curve, Slip};
use crate::linear::Linear;
use crate::point::Point;
use crate::prepared::Prepared;
use crate::series::Series;

/// A path through the whole record.
pub struct Motion {
    /// Row by row.
    pub curve: Curve,
    /// Slips in order of time.
    pub slips: Vec<Slip>,
    /// Residuals by stretch and sample; NaN where the response is missing.
    pub residuals: Vec<Vec<f64>>,
}

/// Follows the path of `point`, with its line's scale.
pub fn follow(series: &Series, prepared: &Prepared, point: &Point, line: &Linear) -> Motion {
    let (time, response) = (series.time(), series.response());
    let (centre, z_centre) = (prepared.drive_centre, prepared.response_centre);
    let beta = line.on_path + line.on_drive;
    let rows = series.drive().len();
    let hole = || vec![f64::NAN; rows];
    let mut curve = Curve { drive: hole(), fitted: hole(), x: hole(), phase: vec![0; rows] };
    let (mut slips, mut residuals) = (Vec::new(), Vec::new());
    for s in 0..prepared.starts.len() {
        let stretch = &prepared.rows[prepared.stretch(s)];
        let (first, last) = (stretch[0], stretch[stretch.len() - 1]);
        let times = &time[first..=last];
        let drive = linear_across(times, &series.drive()[first..=last]);
        let drive: Vec<f64> = drive.iter().map(|t| t - centre).collect();
        let set = point.thresholds();
        let start = SlipPath { rho: set.rho, delta: set.delta, xi: point.start(s, drive[0]) };
        let mut path = start;
        let mut left = vec![f64::NAN; drive.len()];
        let mut moving: Option<Slip> = None;
        for (i, &t) in drive.iter().enumerate() {
            let (row, before) = (first + i, path.xi);
            let count = path.advance(t);
            let z = line.constant + line.on_path * path.xi + line.on_drive * t + z_centre;
            curve.drive[row] = t + centre;
            curve.fitted[row] = z;
            curve.x[row] = beta * (path.xi + centre);
            // β < 0 turns the directions around.
            curve.phase[row] = (count * beta).partial_cmp(&0.0).map_or(0, |o| o as i8);
            left[i] = response[row] - z;
            if set.delta <= 0.0 {
                let (from, to) = (beta * (before + centre), beta * (path.xi + centre));
                slide(
                    &mut moving,
                    &mut slips,
                    count,
                    (times, &drive, i),
                    (set.rho, before),
                    (from, to),
                );
            }
        }
        slips.extend(moving);
        slips.extend(jumps(times, &drive, start).iter().map(|j| Slip {
            time: j.time,
            end: j.time,
            drive: j.drive + centre,
            from: beta * (j.from + centre),
            to: beta * (j.to + centre),
        }));
        residuals.push(left);
    }
    for slip in slips.iter_mut().filter(|_| point.delta <= 0.0) {
        slip.drive += centre;
    }
    Motion { curve, slips, residuals }
}

/// Continuous sliding (δ = 0): one slip from where ξ begins to move to where it stops.
fn slide(
    moving: &mut Option<Slip>,
    slips: &mut Vec<Slip>,
    count: f64,
    (times, drive, i): (&[f64], &[f64], usize),
    (rho, xi): (f64, f64),
    (from, to): (f64, f64),
) {
    let goes_on = moving.is_some_and(|m| count != 0.0 && (m.to > m.from) == (to > from));
    if !goes_on {
        slips.extend(moving.take());
    }
    if count == 0.0 {
        return;
    }
    match moving {
        Some(slip) => (slip.end, slip.to) = (times[i], to),
        None => {
            let level = xi + rho.copysign(count);
            let time = match i.checked_sub(1) {
                Some(h) if drive[h] != drive[i] => {
                    let share = ((level - drive[h]) / (drive[i] - drive[h])).clamp(0.0, 1.0);
                    times[h] + share * (times[i] - times[h])
                }
                _ => times[i],
            };
            *moving = Some(Slip { time, end: times[i], drive: level, from, to });
        }
    }
}

/// The drive with its missing values filled linearly; the ends are present.
fn linear_across(times: &[f64], drive: &[f64]) -> Vec<f64> {
    let mut out = drive.to_vec();
    let mut known = 0;
    for i in 1..drive.len() {
        if drive[i].is_nan() {
            continue;
        }
        let rate = (drive[i] - drive[known]) / (times[i] - times[known]);
        for h in known + 1..i {
            out[h] = drive[known] + rate * (times[h] - times[known]);
        }
        known = i;
    }
    out
}
