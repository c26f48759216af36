//! A force that comes later or earlier than the displacement.

use super::linear::{Device, Path, counted, total};
use super::thresholds::Choice;
use super::{FEWEST, Record};
use stickslip::portable;

/// Rows by which the force may come late, at most; and the share of a stroke.
const LATE: isize = 40;
const OF_A_STROKE: f64 = 0.25;
/// Rows that are looked at for it, but for those near turns; turns that they hold at least, where the record has as many, and most rows by
/// which the motion is followed up to there. A delay shows at turns: 2,000 rows of a slow motion may hold one, of which any delay may
/// be made.
const LOOKED: usize = 2000;
const TURNS: usize = 8;
const FOLLOWED: usize = 100_000;
/// A delay counts without which the squares are so many times as large, and which is worth so many times a number more by the criterion
/// of Schwarz.
const WORTH: f64 = 1.03;
/// What a coarse look must show of that.
const HALF_WORTH: f64 = 1.01;
const SURE: f64 = 4.0;
/// And that is no smaller share of a row: as little is made by what the motion does between two rows.
const LEAST_LATE: f64 = 0.1;
/// Parts of a row to which a delay is looked for.
const PARTS: i32 = 20;
/// Rows from one turn to the next below which a delay and corners that lie between rows are alike.
const FEWEST_OF_A_STROKE: f64 = 20.0;
/// By so much 2 ln L falls at the ends of an interval of 95 % (one number).
const ENDS: f64 = 3.84;

/// A delay that was found.
#[derive(Debug, Clone, Copy)]
pub struct Late {
    /// By how much the force comes later than the displacement, s.
    pub by: f64,
    /// What leaves so little more that it may as well be the delay, s: both ends.
    pub ends: [f64; 2],
    /// From row to row, s.
    pub step: f64,
}

impl Late {
    /// What is said of it, where the loop is `steady`, the same along the record, or is not.
    pub fn said(&self, steady: bool) -> String {
        let ms = 1e3 * self.by.abs();
        let way = if self.by > 0.0 { "later" } else { "earlier" };
        if !steady {
            format!(
                "a force that comes {ms:.3} ms {way} than the displacement was allowed for, but a loop that changes may look like \
                 that by itself: fit the parts separately before any time is corrected"
            )
        } else if self.by.abs() < self.step {
            format!(
                "the force seems to come {ms:.3} ms {way} than the displacement, less than the time between two rows, which was \
                 allowed for: the times of one of them are off, or the motion turns between rows in another way than a smooth curve"
            )
        } else {
            format!(
                "the force comes {ms:.3} ms {way} than the displacement, which was allowed for: correct the times of one of them; if \
                 they are right, the device is not one of springs and dry friction"
            )
        }
    }
}

/// By how much the force comes later than the displacement: where the least squares leave least.
///
/// `turns` are the places of the rows at which the motion turns, `stroke` the rows from one to the next, as is usual.
pub fn late(
    record: &Record<'_>,
    grid: &[f64],
    viscous: bool,
    turns: &[usize],
    stroke: f64,
) -> Option<Late> {
    let Record { time: t, displacement: x, force, rows } = *record;
    let most = LATE.min((OF_A_STROKE * stroke) as isize);
    let looked = Looked::new(turns, rows.len());
    let rows = &rows[..looked.end];
    if most < 2 || stroke < FEWEST_OF_A_STROKE || rows.len() < FEWEST {
        return None;
    }
    let step = (t[rows[rows.len() - 1]] - t[rows[0]]) / (rows.len() - 1) as f64;
    // The same rows for every delay: those from which its times lie within the record, whatever rows are left out.
    let margin = (most as f64 + 2.0) * step;
    let ends = [t[rows[0]] + margin, t[rows[rows.len() - 1]] - margin];
    let inside = |i: usize| ends[0] <= t[i] && t[i] <= ends[1];
    let kept: Vec<(usize, usize)> =
        rows.iter().copied().enumerate().filter(|row| inside(row.1)).collect();
    let own: Vec<usize> = kept.iter().map(|row| row.1).collect();
    let forces: Vec<f64> =
        kept.iter().map(|&(n, i)| if looked.counts(n) { force[i] } else { f64::NAN }).collect();
    if counted(&forces) < FEWEST / 2 {
        return None;
    }
    // Over a grid the corners of an element between two thresholds are rounded, which a delay with more damping does as well: the
    // thresholds that a record needs are chosen for each delay.
    let left = |by: f64| -> f64 {
        let moved = shifted(t, x, rows, by);
        let path = Path::new(t, &moved, &own);
        let device = Device { path: &path, grid, viscous, moving: false };
        let numbers = total(&device.blocks(path.first, &forces, 1)).nonnegative();
        let first = path.first;
        let choice = Choice { path: &path, viscous, first, forces: &forces, together: 1.0 };
        choice.left(grid, &numbers)
    };
    let now = left(0.0);
    // In steps of a sixth of the reach, then row by row around the best, then between rows.
    let tried: Vec<isize> = (-most..=most).step_by((most as usize / 6).max(1)).collect();
    let whole = crate::parallel::map(tried, |n| (n, left(n as f64 * step)));
    let near = whole.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))?.0;
    let reach = (most / 6).max(1);
    let fine: Vec<isize> = (near - reach..=near + reach).filter(|n| n.abs() <= most).collect();
    let fine = crate::parallel::map(fine, |n| (n, left(n as f64 * step)));
    let best = fine.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))?.0;
    let by = |part: i32| (best as f64 + f64::from(part) / f64::from(PARTS)) * step;
    // A look at quarters of rows tells whether there is anything.
    let quarters = [-2, -1, 0, 1, 2].map(|quarter| quarter * PARTS / 4).to_vec();
    let quarters = crate::parallel::map(quarters, |part| left(by(part)));
    if now <= HALF_WORTH * quarters.into_iter().fold(f64::INFINITY, f64::min) {
        return None;
    }
    // Corners that lie between rows bend the squares many times within a row, so that no parabola shows where they are least.
    let parts: Vec<i32> = (-PARTS..=PARTS).collect();
    let parts = crate::parallel::map(parts, |part| (by(part), left(by(part))));
    let (late, least) = parts.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let count = counted(&forces) as f64;
    let is_sure = count * portable::ln(now / least) > SURE * portable::ln(count);
    if !is_sure || now <= WORTH * least || late.abs() <= LEAST_LATE * step {
        return None;
    }
    let near = |left: f64| count * portable::ln(left / least) <= ENDS;
    let all = parts.iter().filter(|(_, left)| near(*left)).map(|(by, _)| *by);
    let ends = all.fold([late; 2], |[low, high], by| [low.min(by), high.max(by)]);
    let reach = step / f64::from(PARTS);
    Some(Late { by: late, ends: [ends[0] - reach, ends[1] + reach], step })
}

/// The rows by which a delay is looked for.
struct Looked<'a> {
    turns: &'a [usize],
    /// The motion is followed up to here.
    end: usize,
    /// Of the rows far from turns one in so many counts.
    every: usize,
}

impl<'a> Looked<'a> {
    fn new(turns: &'a [usize], rows: usize) -> Self {
        let last = turns.get(TURNS).copied().unwrap_or(rows);
        let end = last.clamp(LOOKED, FOLLOWED).min(rows);
        Self { turns, end, every: end.div_ceil(LOOKED) }
    }

    /// Whether the force of a row counts, by its place among the rows.
    fn counts(&self, n: usize) -> bool {
        let next = self.turns.partition_point(|turn| *turn < n);
        let around = &self.turns[next.saturating_sub(1)..(next + 1).min(self.turns.len())];
        n.is_multiple_of(self.every)
            || around.iter().any(|turn| turn.abs_diff(n) <= LOOKED / (4 * TURNS))
    }
}

/// The displacement of `by` s before, at the rows; NaN where there is none. Cubic between rows.
pub fn shifted(t: &[f64], x: &[f64], rows: &[usize], by: f64) -> Vec<f64> {
    let mut out = vec![f64::NAN; t.len()];
    if by == 0.0 {
        rows.iter().for_each(|&i| out[i] = x[i]);
        return out;
    }
    let n = rows.len();
    for &i in rows {
        let at = t[i] - by;
        let k = rows.partition_point(|&r| t[r] <= at);
        if k == 0 || k >= n {
            continue;
        }
        let a = rows[k - 1];
        let b = rows[k];
        let width = t[b] - t[a];
        let share = (at - t[a]) / width;
        // Slopes over two intervals, as of Catmull and Rom, so that the curve has no corners at the rows.
        let slope = |l: usize, r: usize| (x[r] - x[l]) / (t[r] - t[l]) * width;
        let before = if k >= 2 { slope(rows[k - 2], b) } else { x[b] - x[a] };
        let after = if k + 1 < n { slope(a, rows[k + 1]) } else { x[b] - x[a] };
        let s2 = share * share;
        let s3 = share * share * share;
        out[i] = (2.0 * s3 - 3.0 * s2 + 1.0) * x[a]
            + (s3 - 2.0 * s2 + share) * before
            + (3.0 * s2 - 2.0 * s3) * x[b]
            + (s3 - s2) * after;
    }
    out
}
