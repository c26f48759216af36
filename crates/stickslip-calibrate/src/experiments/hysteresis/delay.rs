//! A force that comes later or earlier than the displacement, or through a slow sensor.
//!
//! A sensor of first order shows slow motions late by its time constant and fast ones smaller, too: the corners of the loop are rounded.
//! Where a force comes late both are fitted. The one without which the squares are larger by [`TOLD`] is what it is; else the record
//! does not tell them apart.

use super::linear::{Device, Path, counted};
use super::thresholds::Choice;
use super::{FEWEST, Record};
use crate::record::clocks::earlier;
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

/// 2 ln L by which a delay and a slow sensor must differ to be told apart.
const TOLD: f64 = 10.0;
/// Time constants, in rows, from which the search for that of a sensor begins; and its steps, each of which narrows it by the golden ratio.
const CONSTANTS: [f64; 10] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 18.0, 27.0, 40.0];
const NARROWED: usize = 14;

/// What makes a force come late.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cause {
    /// All of it comes late alike.
    Delay,
    /// A sensor of first order.
    Sensor,
}

/// A delay that was found.
#[derive(Debug, Clone, Copy)]
pub struct Late {
    /// By how much the force comes later than the displacement, s, or the time constant of its sensor.
    pub by: f64,
    pub cause: Cause,
    /// What explains the record as well: the other cause with its size, s.
    pub or: Option<(Cause, f64)>,
    /// What leaves so little more that it may as well be the delay, s: both ends.
    pub ends: [f64; 2],
    /// From row to row, s.
    pub step: f64,
}

impl Late {
    /// A delay of `by` s more, that the whole record shows.
    pub fn all_along(found: Option<Self>, by: f64, step: f64) -> Self {
        let alone = Self { by, cause: Cause::Delay, or: None, ends: [by; 2], step };
        // A slow sensor keeps its name, whatever is late behind it.
        found.map_or(alone, |late| match late.cause {
            Cause::Delay => Self { by: late.by + by, ..late },
            Cause::Sensor => late,
        })
    }

    /// The time constant of the sensor, s; 0 of a delay.
    pub fn constant(&self) -> f64 {
        if self.cause == Cause::Sensor { self.by } else { 0.0 }
    }

    /// What is said of it, where the loop is `steady`, the same along the record, or is not.
    pub fn said(&self, steady: bool) -> String {
        let ms = 1e3 * self.by.abs();
        let way = if self.by > 0.0 { "later" } else { "earlier" };
        if let Some((other, size)) = self.or {
            let [delay, constant] =
                if other == Cause::Sensor { [self.by, size] } else { [size, self.by] };
            return format!(
                "the force comes {:.3} ms later than the displacement, or through a slow sensor with a time constant of {:.3} ms: this record \
                 does not tell them apart; {}, which was allowed for",
                1e3 * delay,
                1e3 * constant,
                if other == Cause::Sensor {
                    "the delay leaves less"
                } else {
                    "the sensor leaves less"
                }
            );
        }
        if self.cause == Cause::Sensor {
            return format!(
                "the force comes through a slow sensor or filter with a time constant of {ms:.3} ms (a delay leaves more), which was allowed \
                 for: measure it with a faster one, or filter the displacement alike"
            );
        }
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
    let Record { time: t, displacement: x, force, rows, .. } = *record;
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
    let behind = |by: f64, lag: f64| -> f64 {
        let moved = shifted(t, x, rows, by);
        let path = Path::new(t, &moved, &own).behind(lag);
        let device = Device { path: &path, grid, viscous, moving: false };
        let numbers = device.whole(path.first, &forces, 1).nonnegative();
        let first = path.first;
        let choice = Choice { path: &path, viscous, first, forces: &forces, together: 1.0 };
        choice.left(grid, &numbers)
    };
    let left = |by: f64| behind(by, 0.0);
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
    let ends = [ends[0] - reach, ends[1] + reach];
    let delay = Late { by: late, cause: Cause::Delay, or: None, ends, step };
    // A force that comes early came through no sensor.
    if late <= 0.0 {
        return Some(delay);
    }
    let (constant, squares) = sensor(step, |lag| behind(0.0, lag));
    let better = count * portable::ln(least / squares);
    if better < -TOLD {
        return Some(delay);
    }
    let or = |cause, size| (better.abs() <= TOLD).then_some((cause, size));
    if better <= 0.0 {
        return Some(Late { or: or(Cause::Sensor, constant), ..delay });
    }
    // The curvature of the squares gives the ends: of the constant, a step of a tenth to either side is enough to see it.
    let far = |share: f64| count * portable::ln(behind(0.0, share * constant) / squares);
    let bend = (far(1.1) + far(0.9)).max(1e-9) / 2.0;
    let half = (0.1 * constant * (ENDS / bend).sqrt()).min(0.5 * constant);
    Some(Late {
        by: constant,
        cause: Cause::Sensor,
        or: or(Cause::Delay, late),
        ends: [constant - half, constant + half],
        step,
    })
}

/// The time constant of a sensor with which the squares are least, and these.
fn sensor(step: f64, left: impl Fn(f64) -> f64 + Sync) -> (f64, f64) {
    let tried = crate::parallel::map(CONSTANTS.to_vec(), |rows| (rows * step, left(rows * step)));
    let best = (0..tried.len()).min_by(|a, b| tried[*a].1.total_cmp(&tried[*b].1)).unwrap_or(0);
    let mut low = portable::ln(tried[best.saturating_sub(1)].0);
    let mut high = portable::ln(tried[(best + 1).min(tried.len() - 1)].0);
    let at = |x: f64| (portable::exp(x), left(portable::exp(x)));
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let mut inner = [at(high - GOLDEN * (high - low)), at(low + GOLDEN * (high - low))];
    for _ in 0..NARROWED {
        if inner[0].1 < inner[1].1 {
            high = portable::ln(inner[1].0);
            inner = [at(high - GOLDEN * (high - low)), inner[0]];
        } else {
            low = portable::ln(inner[0].0);
            inner = [inner[1], at(low + GOLDEN * (high - low))];
        }
    }
    let all = inner.into_iter().chain([tried[best]]);
    all.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or(tried[best])
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
    if by == 0.0 {
        let mut out = vec![f64::NAN; t.len()];
        rows.iter().for_each(|&i| out[i] = x[i]);
        return out;
    }
    earlier(t, x, rows, |_| by)
}
