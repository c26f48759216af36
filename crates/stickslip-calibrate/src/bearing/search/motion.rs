//! The fitted path, row by row, with its slips.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use stickslip::lanes::{SlipPath, jumps};

use crate::bearing::search::curve::{Curve, Slip};
use crate::bearing::search::linear::Linear;
use crate::bearing::search::point::Point;
use crate::bearing::search::prepared::Prepared;
use crate::record::series::Series;
use crate::record::trend::{Sizes, Trend};
use crate::statistics::stats::{TO_SIGMA, median_of_many};

/// A path with more slips than this gets no list of them: 40 bytes each.
const LISTED: f64 = 5e6;

/// A path through the whole record.
pub struct Motion {
    /// Row by row.
    pub curve: Curve,
    /// Slips in order of time; empty if there are more than `LISTED`.
    pub slips: Vec<Slip>,
    /// Number of slips forward (ẋ > 0).
    pub forward: usize,
    /// Number of slips backward.
    pub backward: usize,
    /// Residuals by stretch and sample, where there is a trend; NaN where the response is missing.
    residuals: Vec<Vec<f64>>,
    /// Drift, m/s, if there is one, and the sizes of the steps, m.
    pub trend: Sizes,
}

/// What a path leaves of a response.
pub struct Left {
    /// Row by row; NaN where there is no response or no drive.
    pub rows: Vec<f64>,
    /// The rows of each stretch.
    stretches: Vec<RangeInclusive<usize>>,
    /// Whether the path slips between the row before and this one.
    pub slips: Vec<bool>,
}

impl Left {
    /// By stretch.
    pub fn parts(&self) -> Vec<&[f64]> {
        self.stretches.iter().map(|rows| &self.rows[rows.clone()]).collect()
    }

    /// Those that there are.
    pub fn values(&self) -> impl Iterator<Item = f64> + Clone + '_ {
        self.rows.iter().copied().filter(|r| !r.is_nan())
    }

    /// Their robust standard deviation.
    pub fn robust(&self) -> f64 {
        TO_SIGMA * median_of_many(self.values().map(f64::abs))
    }
}

/// The residuals of [`follow`] alone, which take a quarter of its memory.
pub fn left(
    series: &Series,
    prepared: &Prepared,
    trend: &Trend,
    point: &Point,
    line: &Linear,
) -> Left {
    let time = series.time();
    let response = series.response();
    let rows = series.drive().len();
    let mut left =
        Left { rows: vec![f64::NAN; rows], stretches: Vec::new(), slips: vec![false; rows] };
    if prepared.basis.len() > 0 {
        // The trend is known when the whole path is.
        let motion = follow(series, prepared, trend, point, line);
        left.slips.iter_mut().zip(&motion.curve.phase).for_each(|(s, phase)| *s = *phase != 0);
        for (s, part) in motion.residuals.into_iter().enumerate() {
            let first = prepared.rows.row(prepared.starts[s]);
            left.rows[first..first + part.len()].copy_from_slice(&part);
            left.stretches.push(first..=first + part.len() - 1);
        }
        return left;
    }
    let centre = prepared.drive_centre;
    let z_centre = prepared.response_centre;
    let set = point.thresholds();
    for s in 0..prepared.starts.len() {
        let stretch = prepared.stretch(s);
        let first = prepared.rows.row(stretch.start);
        let last = prepared.rows.row(stretch.end - 1);
        // Between its neighbours a missing drive is linear; no path is copied for a record without holes.
        let mut drive = Cow::from(&series.drive()[first..=last]);
        if drive.iter().any(|t| t.is_nan()) {
            let mut whole = vec![f64::NAN; drive.len()];
            linear_across(&time[first..=last], &drive, &mut whole);
            drive = whole.into();
        }
        // Each stretch begins anew: across a long gap the state is not carried.
        let start = point.start(s, drive[0] - centre);
        let mut path = SlipPath { rho: set.rho, delta: set.delta, xi: start };
        for (i, t) in drive.iter().enumerate() {
            let t = t - centre;
            left.slips[first + i] = path.advance(t) != 0.0;
            let z = line.constant + line.on_path * path.xi + line.on_drive * t + z_centre;
            left.rows[first + i] = response[first + i] - z;
        }
        left.stretches.push(first..=last);
    }
    left
}

/// Follows the path of `point`, with its line's scale.
pub fn follow(
    series: &Series,
    prepared: &Prepared,
    trend: &Trend,
    point: &Point,
    line: &Linear,
) -> Motion {
    let time = series.time();
    let response = series.response();
    let centre = prepared.drive_centre;
    let z_centre = prepared.response_centre;
    let beta = line.on_path + line.on_drive;
    let rows = series.drive().len();
    let hole = || vec![f64::NAN; rows];
    let curve = Curve { drive: hole(), fitted: hole(), x: hole(), phase: vec![0; rows] };
    let mut walk = Walk { curve, slips: Vec::new(), jumped: [0.0; 2], centre, z_centre, beta };
    let mut residuals = Vec::new();
    let mut starts = Vec::new();
    for s in 0..prepared.starts.len() {
        let stretch = prepared.stretch(s);
        let first = prepared.rows.row(stretch.start);
        let last = prepared.rows.row(stretch.end - 1);
        let drive = &mut walk.curve.drive[first..=last];
        linear_across(&time[first..=last], &series.drive()[first..=last], drive);
        drive.iter_mut().for_each(|t| *t -= centre);
        let set = point.thresholds();
        let start = SlipPath { rho: set.rho, delta: set.delta, xi: point.start(s, drive[0]) };
        let response = &response[first..=last];
        // Without a trend the residuals follow from the curve, and this memory is spared.
        let mut left =
            if prepared.basis.len() > 0 { vec![f64::NAN; response.len()] } else { Vec::new() };
        walk.along(first, &time[first..=last], start, line, |i, z| {
            if let Some(left) = left.get_mut(i) {
                *left = response[i] - z;
            }
        });
        residuals.push(left);
        starts.push((first..=last, start));
    }
    let Walk { mut curve, mut slips, jumped, .. } = walk;
    // The trend is known only now, from all that the path leaves; then fitted values and residuals move.
    let trend = detrend(series, prepared, trend, &mut curve, &mut residuals);
    // Jumps are located inside their intervals; sliding without jumps was gathered on the way.
    let listed = point.delta > 0.0 && jumped[0] + jumped[1] <= LISTED;
    for (rows, start) in starts.into_iter().filter(|_| listed) {
        slips.extend(jumps(&time[rows.clone()], &curve.drive[rows], start).iter().map(|j| Slip {
            time: j.time,
            end: j.time,
            drive: j.drive + centre,
            from: beta * (j.from + centre),
            to: beta * (j.to + centre),
        }));
    }
    curve.drive.iter_mut().for_each(|t| *t += centre);
    // Rows in motion were counted, and several of them are one slip.
    if point.delta <= 0.0 {
        let forward = slips.iter().filter(|s| s.to > s.from).count();
        return Motion { forward, backward: slips.len() - forward, curve, slips, residuals, trend };
    }
    let [backward, forward] = jumped.map(|n| n as usize);
    Motion { forward, backward, curve, slips, residuals, trend }
}

/// A path on its way through the stretches.
struct Walk {
    /// Its drive is centred until the walk is over.
    curve: Curve,
    slips: Vec<Slip>,
    /// Jumps backward and forward.
    jumped: [f64; 2],
    centre: f64,
    z_centre: f64,
    beta: f64,
}

impl Walk {
    /// Through one stretch from row `first` on; `see` is told what is fitted in each of its rows.
    fn along(
        &mut self,
        first: usize,
        times: &[f64],
        mut path: SlipPath,
        line: &Linear,
        mut see: impl FnMut(usize, f64),
    ) {
        let Self { centre, beta, .. } = *self;
        for i in 0..times.len() {
            let row = first + i;
            let before = path.xi;
            let t = self.curve.drive[row];
            let count = path.advance(t);
            let z = line.constant + line.on_path * path.xi + line.on_drive * t + self.z_centre;
            self.curve.fitted[row] = z;
            self.curve.x[row] = beta * (path.xi + centre);
            // β < 0 turns the directions around.
            self.curve.phase[row] = (count * beta).partial_cmp(&0.0).map_or(0, |o| o as i8);
            see(i, z);
            self.jumped[usize::from(count * beta > 0.0)] += count.abs();
            // A jump is listed later, from the exact instant at which the drive reaches it.
            if path.delta > 0.0 || count == 0.0 {
                continue;
            }
            // Where the drive was when the dead band ended and the sliding began.
            let level = before + path.rho.copysign(count);
            let h = i.saturating_sub(1);
            let earlier = self.curve.drive[first + h];
            let share = ((level - earlier) / (t - earlier)).clamp(0.0, 1.0);
            // The first row of a stretch has no row before it to slide from.
            let time = if i == h { times[i] } else { times[h] + share * (times[i] - times[h]) };
            let from = beta * (before + centre);
            let to = beta * (path.xi + centre);
            slide(
                &mut self.slips,
                times[h],
                Slip { time, end: times[i], drive: level + centre, from, to },
            );
        }
    }
}

/// Moves what the trend columns explain from the residuals into the fitted curve.
fn detrend(
    series: &Series,
    prepared: &Prepared,
    trend: &Trend,
    curve: &mut Curve,
    residuals: &mut [Vec<f64>],
) -> Sizes {
    let basis = &prepared.basis;
    if basis.len() == 0 {
        return Sizes { steps: vec![0.0; trend.steps.len()], ..Sizes::default() };
    }
    let first_row = |s: usize| prepared.rows.row(prepared.starts[s]);
    // The columns are orthonormal over these rows: each coefficient is a sum of its own.
    let mut coefficients = vec![0.0; basis.len()];
    for row in prepared.rows.iter() {
        let left = series.response()[row] - curve.fitted[row];
        if left.is_finite() {
            let q = basis.at(trend, series.time()[row]);
            coefficients.iter_mut().zip(q).for_each(|(c, q)| *c += q * left);
        }
    }
    for (s, part) in residuals.iter_mut().enumerate() {
        for (i, left) in part.iter_mut().enumerate() {
            let row = first_row(s) + i;
            let q = basis.at(trend, series.time()[row]);
            let part: f64 = coefficients.iter().zip(q).map(|(c, q)| c * q).sum();
            curve.fitted[row] += part;
            *left -= part;
        }
    }
    basis.sizes(trend, &coefficients)
}

/// Continuous sliding (δ = 0): a step that goes on where and as the last slip ended is part of it.
fn slide(slips: &mut Vec<Slip>, before: f64, step: Slip) {
    match slips.last_mut() {
        Some(last) if last.end == before && (last.to > last.from) == (step.to > step.from) => {
            (last.end, last.to) = (step.end, step.to);
        }
        _ => slips.push(step),
    }
}

/// Writes the drive with its missing values filled linearly; the ends are present.
fn linear_across(times: &[f64], drive: &[f64], out: &mut [f64]) {
    out.copy_from_slice(drive);
    let mut known = 0;
    // Both ends of a stretch hold a drive, so that every hole has two sides.
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
}
