//! A force that comes later or earlier than the displacement.

use super::linear::{Device, Path, counted, total};
use super::thresholds::Choice;
use super::{FEWEST, Record};
use stickslip::portable;

/// Rows by which the force may come late, at most; and the share of a stroke.
const LATE: isize = 40;
const OF_A_STROKE: f64 = 0.25;
/// Rows that are looked at for it.
const LOOKED: usize = 2000;
/// A delay counts without which the squares are so many times as large, and which is worth so many times a number more by the criterion
/// of Schwarz.
const WORTH: f64 = 1.03;
const SURE: f64 = 4.0;
/// And that is no smaller share of a row: between rows nothing is seen.
const LEAST_LATE: f64 = 0.6;

/// By how much the force comes later than the displacement, s: where the least squares leave least.
pub fn late(record: &Record<'_>, grid: &[f64], viscous: bool, stroke: f64) -> Option<f64> {
    let Record { time: t, displacement: x, force, rows } = *record;
    let most = LATE.min((OF_A_STROKE * stroke) as isize);
    let rows = &rows[..rows.len().min(LOOKED)];
    if most < 2 || rows.len() < FEWEST {
        return None;
    }
    let step = (t[rows[rows.len() - 1]] - t[rows[0]]) / (rows.len() - 1) as f64;
    // The same rows for every delay: those from which its times lie within the record, whatever rows are left out.
    let margin = (most as f64 + 2.0) * step;
    let ends = [t[rows[0]] + margin, t[rows[rows.len() - 1]] - margin];
    let own: Vec<usize> =
        rows.iter().copied().filter(|&i| ends[0] <= t[i] && t[i] <= ends[1]).collect();
    let forces: Vec<f64> = own.iter().map(|&i| force[i]).collect();
    if counted(&forces) < FEWEST / 2 {
        return None;
    }
    // Over a grid the corners of an element between two thresholds are rounded, which a delay with more damping does as well: the
    // thresholds that a record needs are chosen for each delay.
    let left = |by: f64| -> f64 {
        let moved = shifted(t, x, rows, by);
        let path = Path::new((t, &moved), &own);
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
    let (best, at) = fine.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let sides = [-0.5, 0.5].map(|half| left((best as f64 + half) * step));
    let bend = sides[0] - 2.0 * at + sides[1];
    // The vertex of the parabola through three values half a row apart.
    let off = if bend > 0.0 { (0.25 * (sides[0] - sides[1]) / bend).clamp(-0.5, 0.5) } else { 0.0 };
    let late = (best as f64 + off) * step;
    // A vertex that is worth a look may still leave more than the row itself.
    let left = if off.abs() > 0.05 { left(late).min(at) } else { at };
    let count = counted(&forces) as f64;
    let is_sure = count * portable::ln(now / left) > SURE * portable::ln(count);
    (is_sure && now > WORTH * left && late.abs() > LEAST_LATE * step).then_some(late)
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
