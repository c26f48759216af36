//! Force and displacement of a damper or an isolator to springs and friction elements.
//!
//! ```text
//! F = o + k x + c ẋ + Σ_j k_j E_j[x]        all but o ≥ 0
//! ```
//!
//! E_j is the stop of threshold r_j: a spring that slides where it is stretched by r_j, so that k_j r_j is the force at
//! which element j slides (Prandtl 1928; Iwan 1966). Over a fixed grid of thresholds the problem is convex: least squares
//! with numbers ≥ 0 (`nonnegative`). The spectrum k_j r_j against r_j is the friction of the device by the displacement
//! at which it lets go; an element of the grid that the record does not need gets 0.
//!
//! Errors by leaving out one block of the record after the other (Künsch 1989), with what the blocks say of the bias of numbers
//! that are never negative (Quenouille 1956), and with what another grid, whose thresholds lie between, would give.

use crate::error::Error;
use crate::record::logger::{self, noisy_inside};
use crate::statistics::estimate::Estimate;
use crate::statistics::memory::autocorrelation_time;
use crate::statistics::nonnegative::Normal;
use crate::statistics::stats::{mean, median, roughness, square, student};
use serde::Serialize;
use stickslip::portable;

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Hysteresis {
    /// Thresholds of the grid.
    pub elements: usize,
    /// Whether there may be a viscous force.
    pub viscous: bool,
}

impl Default for Hysteresis {
    fn default() -> Self {
        Self { elements: 40, viscous: true }
    }
}

/// One friction element.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Element {
    /// The stretch at which it slides, m.
    pub threshold: f64,
    /// Of its spring, N/m.
    pub stiffness: f64,
    /// The force at which it slides, N.
    pub force: f64,
}

/// The device that was found.
#[derive(Debug, Clone, Serialize)]
pub struct HysteresisFit {
    /// `friction`: Σ k_j r_j, the force of all elements in slip; `stiffness`: that at a reversal, elements and spring;
    /// `spring`, `damping` and `offset`.
    pub parameters: HysteresisParameters,
    /// Elements with a force, by their thresholds.
    pub spectrum: Vec<Element>,
    /// Root mean square of what is left, N.
    pub rmse: f64,
    /// The same as a share of the force about its mean.
    pub relative: f64,
    /// ∮ F dx over the record: measured and fitted, J.
    pub dissipated: [f64; 2],
    /// Rows that count.
    pub samples: usize,
    /// By how much the force comes later than the displacement, s, where that was found and allowed for.
    pub delay: Option<f64>,
    /// Computing only, s.
    pub seconds: f64,
    /// One sentence each.
    pub warnings: Vec<String>,
    /// What the device gives, N, for each row.
    #[serde(skip)]
    pub fitted: Vec<f64>,
    /// The first row that counts, among those that hold everything.
    #[serde(skip)]
    first: usize,
    /// Rows over which residuals are alike.
    #[serde(skip)]
    together: f64,
    /// The share of the damper's column that no friction element gives.
    #[serde(skip)]
    apart: f64,
}

/// What is known of the device.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HysteresisParameters {
    /// Σ k_j r_j, N.
    pub friction: Estimate,
    /// k + Σ k_j, N/m.
    pub stiffness: Estimate,
    /// k, N/m.
    pub spring: Estimate,
    /// c, N·s/m.
    pub damping: Estimate,
    /// o, N.
    pub offset: Estimate,
}

/// Fewest rows.
const FEWEST: usize = 100;
/// Blocks that are left out for the errors.
const BLOCKS: usize = 12;
/// The smallest and the largest threshold of the grid, as shares of the range of the displacement: an element with half of
/// the range never slides, and cannot be told from a spring.
const SMALLEST: f64 = 1.0 / 200.0;
const LARGEST: f64 = 0.4;
/// Below the smallest threshold stand some for corners that are sharp: each so many times the next, down to what the displacement
/// resolves.
const FINER: f64 = 1.25;
/// Thresholds below so many times what the displacement resolves are not told apart.
const UNRESOLVED: f64 = 2.5;
const RESOLVED: f64 = 3.0;
const SHARPEST: f64 = 1e-6;

/// Finds the device behind a record: times (s, increasing), displacements (m) and forces (N), NaN where one is missing.
///
/// ```
/// use stickslip_calibrate::hysteresis::{Hysteresis, hysteresis};
/// // One element of 2 N that slides at 1 mm, beside a spring of 500 N/m.
/// let (mut stretch, mut before) = (0.0f64, 0.0);
/// let (mut t, mut x, mut f) = (Vec::new(), Vec::new(), Vec::new());
/// for i in 0..2000 {
///     let now = 5e-3 * (0.02 * f64::from(i)).sin();
///     stretch = (stretch + now - before).clamp(-1e-3, 1e-3);
///     before = now;
///     (t.push(0.01 * f64::from(i)), x.push(now), f.push(2000.0 * stretch + 500.0 * now));
/// }
/// let found = hysteresis(&t, &x, &f, &Hysteresis::default())?;
/// assert!((found.parameters.friction.value.unwrap() - 2.0).abs() < 0.02);
/// assert!((found.parameters.spring.value.unwrap() - 500.0).abs() < 5.0);
/// # Ok::<(), stickslip_calibrate::Error>(())
/// ```
///
/// # Errors
/// If the columns differ in length, times do not increase, there are fewer than 100 rows, or nothing moves.
pub fn hysteresis(
    time: &[f64],
    displacement: &[f64],
    force: &[f64],
    asked: &Hysteresis,
) -> Result<HysteresisFit, Error> {
    let rows = checked(time, displacement, force)?;
    let mut warnings = Vec::new();
    let (rows, lost) = as_logged(rows, [displacement, force], &mut warnings)?;

    let (low, high) = rows.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |r, &i| {
        (r.0.min(displacement[i]), r.1.max(displacement[i]))
    });
    let range = high - low;
    if range <= 0.0 {
        return Err(Error::Constant { column: "displacement", value: low });
    }
    let seen: Vec<f64> = rows.iter().map(|&i| displacement[i]).collect();
    let strokes = strokes(&seen, range);
    // The coarsest of noise, sampling and rounding decides what can be told apart.
    let finest =
        (RESOLVED * roughness(&seen)).max(near_turns(&seen, &strokes)).max(SHARPEST * range);
    let grid = thresholds([finest, range], asked.elements.max(2));
    let usual = usual_stroke(&rows, &strokes);
    // A late force draws loops wider or narrower as a damper would: it is taken out before anything is fitted.
    let delay = late((time, displacement, force), &rows, &grid, (asked.viscous, usual));
    let columns = Columns { time, displacement, force };
    let near = delay.map(|late| columns.around(&rows, late, (&grid, asked.viscous)));
    let moved;
    // From here on the record is that without the delay; rows at its ends have no displacement so much earlier.
    let (displacement, rows) = match delay {
        None => (displacement, rows),
        Some(late) => {
            warnings.push(format!(
                "the force comes {:.3} ms {} than the displacement, which was allowed for: correct the times of one of them; if \
                 they are right, the device is not one of springs and dry friction",
                1e3 * late.abs(),
                if late > 0.0 { "later" } else { "earlier" }
            ));
            moved = shifted(time, displacement, &rows, late);
            let rows: Vec<usize> = rows.into_iter().filter(|&i| moved[i].is_finite()).collect();
            (moved.as_slice(), rows)
        }
    };
    let record = Record { time, displacement, force, rows: &rows };
    let mut found = solved(&record, &grid, asked.viscous);
    found.delay = delay;
    near.iter().flatten().for_each(|other| found.parameters.reach(other));
    found.warnings = warnings;
    judge(&mut found, &record, (range, &grid, finest), (&strokes, usual, asked.viscous));
    // The flat tops of the loops are what shows friction and damping; where they are cut off neither can be known.
    if lost > CUT_OFF {
        let why = format!("the force is cut off in {:.0} % of the rows", 100.0 * lost);
        found.parameters.friction = Estimate::unknown("N", why.clone());
        found.parameters.damping = Estimate::unknown("N·s/m", why);
    }
    Ok(found)
}

/// The whole columns.
#[derive(Clone, Copy)]
struct Columns<'a> {
    time: &'a [f64],
    displacement: &'a [f64],
    force: &'a [f64],
}

/// A delay is known to this part of the time between rows: it is where a parabola through values half a row apart is least.
const PART_OF_A_ROW: f64 = 0.05;

impl Columns<'_> {
    /// What comes out if the delay is a part of a row less, or more.
    fn around(
        self,
        rows: &[usize],
        late: f64,
        (grid, viscous): (&[f64], bool),
    ) -> Vec<HysteresisParameters> {
        let Self { time, displacement, force } = self;
        let step = (time[rows[rows.len() - 1]] - time[rows[0]]) / (rows.len() - 1) as f64;
        let at = |by: f64| {
            let moved = shifted(time, displacement, rows, late + by * step);
            let rows: Vec<usize> = rows.iter().copied().filter(|&i| moved[i].is_finite()).collect();
            let record = Record { time, displacement: &moved, force, rows: &rows };
            solved(&record, grid, viscous).parameters
        };
        [-PART_OF_A_ROW, PART_OF_A_ROW].map(at).into()
    }
}

impl HysteresisParameters {
    /// Widens the intervals by how far the values of another fit of the same record are away.
    fn reach(&mut self, other: &Self) {
        for (e, other) in [
            (&mut self.friction, &other.friction),
            (&mut self.stiffness, &other.stiffness),
            (&mut self.spring, &other.spring),
            (&mut self.damping, &other.damping),
            (&mut self.offset, &other.offset),
        ] {
            let (Some(value), Some(there)) = (e.value, other.value) else { continue };
            let by = there - value;
            // Like an error of its own, independent of those that the blocks show.
            e.stderr = e.stderr.map(|s| (s * s + by * by).sqrt());
            e.ci95 = e.ci95.map(|[low, high]| [low + by.min(0.0), high + by.max(0.0)]);
        }
    }
}

/// A force that is cut off in more than this share of the rows shows no friction in slip.
const CUT_OFF: f64 = 0.25;

/// A record whose rows all hold a displacement and a force.
struct Record<'a> {
    time: &'a [f64],
    displacement: &'a [f64],
    force: &'a [f64],
    rows: &'a [usize],
}

/// The least squares of a record, over every row at which the elements that matter are known to have slid.
fn solved(record: &Record<'_>, grid: &[f64], viscous: bool) -> HysteresisFit {
    let Record { time, displacement, force, rows } = *record;
    let mut table = Table::new((time, displacement), rows, grid, viscous);
    let wide = total(&table.blocks(rows, force)).nonnegative();
    // Elements that matter may have slid long before the displacement has gone through its whole range.
    // The share of the force in slip that an element carries decides whether it matters.
    let most: f64 = grid.iter().zip(&wide).map(|(r, k)| r * k).sum();
    let heavy = grid.iter().zip(&wide).filter(|(r, k)| *r * *k > HEAVY * most);
    let reach = heavy.map(|(r, _)| *r).fold(grid[0], f64::max);
    let known = table.ranges.partition_point(|range| *range < 2.0 * reach);
    let mut grid = grid.to_vec();
    // A record that starts with a full stroke loses next to nothing: only others are worth a second table.
    let worth = table.first as f64 > WORTH_KNOWING * rows.len() as f64;
    if worth && known < table.first {
        // Elements of larger thresholds, whose state is not known yet, take no part.
        let kept = grid.partition_point(|r| *r <= 1.01 * reach).max(2);
        grid.truncate(kept);
        table = Table::new((time, displacement), rows, &grid, viscous);
        // Not the row that the table itself finds, which waits for the whole range.
        table.first = known;
    }
    let blocks = table.blocks(rows, force);
    let all = total(&blocks);
    let numbers = all.nonnegative();
    // One block of rows left out at a time: neighbouring rows share their errors, so single rows would promise too much.
    let without: Vec<Vec<f64>> = blocks.iter().map(|b| all.plus(-1.0, b).nonnegative()).collect();
    let fitted = table.predicted(&numbers, time.len(), rows);
    let counted = &rows[table.first..];
    let left: Vec<f64> = counted.iter().map(|&i| force[i] - fitted[i]).collect();
    let seen: Vec<f64> = counted.iter().map(|&i| force[i]).collect();
    let middle = mean(&seen);
    let spread =
        (seen.iter().map(|f| (f - middle).powi(2)).sum::<f64>() / seen.len() as f64).sqrt();
    let rmse = (square(&left) / left.len() as f64).sqrt();
    let dissipated = [force, fitted.as_slice()].map(|f| work(displacement, f, counted));
    // The least that noise alone leaves unknown: of a number at 0 the blocks say nothing.
    let together = autocorrelation_time(std::slice::from_ref(&left));
    let slack = |k: usize| rmse * (together / all.alone(k, &numbers)).sqrt();
    // What another grid would say is a measure of how much the grid decides.
    let other = between(&grid);
    let mut beside = Table::new((time, displacement), rows, &other, viscous);
    beside.first = table.first;
    let beside = total(&beside.blocks(rows, force)).nonnegative();
    // How much of the damper's column no friction element gives.
    let damper = grid.len() + 1;
    let apart = all.apart(damper, grid.len()) / all.product[damper][damper];
    HysteresisFit {
        parameters: parameters((&table, &numbers, &without), (&grid, &other, &beside), &slack),
        spectrum: spectrum(&grid, &numbers),
        rmse,
        relative: rmse / spread,
        dissipated,
        samples: counted.len(),
        delay: None,
        seconds: 0.0,
        warnings: Vec::new(),
        fitted,
        first: table.first,
        together,
        apart: if viscous { apart } else { 1.0 },
    }
}

/// Share of the rows that do not count from which on it is worth a look at which of them may.
const WORTH_KNOWING: f64 = 0.1;
/// An element with less than this share of the friction may be noise.
const HEAVY: f64 = 0.02;

/// ∮ F dx over some rows, J.
fn work(x: &[f64], f: &[f64], rows: &[usize]) -> f64 {
    rows.windows(2).map(|w| 0.5 * (f[w[0]] + f[w[1]]) * (x[w[1]] - x[w[0]])).sum()
}

/// The rows that a logger has not held or cut off, and the share that was cut off.
fn as_logged(
    rows: Vec<usize>,
    [x, force]: [&[f64]; 2],
    warnings: &mut Vec<String>,
) -> Result<(Vec<usize>, f64), Error> {
    let count = rows.len();
    let of = |values: &[f64]| rows.iter().map(|&i| values[i]).collect::<Vec<_>>();
    let (seen_x, seen_f) = (of(x), of(force));
    let mut keep = vec![true; count];
    let held = [logger::held(&seen_x), logger::held(&seen_f)];
    for ((name, values), rows) in
        [("displacement", &seen_x), ("force", &seen_f)].into_iter().zip(held)
    {
        let Some(rows) = rows else { continue };
        keep.iter_mut().zip(logger::fresh(values)).for_each(|(k, new)| *k &= new);
        warnings.push(format!(
            "each value of the {name} stands for about {rows} rows, as of a slower sensor whose last value is held: only the rows \
             with new values were used"
        ));
    }
    // Sensors that are held in turn have no row in which both are new.
    if keep.iter().filter(|k| **k).count() < FEWEST.min(count / 100) {
        return Err(Error::Unfit(
            "displacement and force are held over several rows, and never change in the same row: record both at their own \
             rate, with their own times"
                .to_owned(),
        ));
    }
    let cut = logger::clipped(&seen_f);
    let mut lost = cut.iter().filter(|c| **c).count();
    // A friction without noise is constant, too: there a value at the end is a value.
    if lost > 0 && noisy_inside(&seen_f, &cut) {
        keep.iter_mut().zip(&cut).for_each(|(k, c)| *k &= !c);
        warnings.push(format!(
            "the force stands at the end of its range in {:.0} % of the rows, as of an amplifier that is cut off: these rows were \
             left out, and the largest forces are not in the record",
            100.0 * lost as f64 / count as f64
        ));
    } else {
        lost = 0;
    }
    let kept = rows.into_iter().zip(keep).filter(|r| r.1).map(|r| r.0);
    Ok((kept.collect(), lost as f64 / count as f64))
}

/// The places in a list of displacements at which the motion turns, or begins and ends.
fn strokes(x: &[f64], range: f64) -> Vec<usize> {
    let (mut turns, mut extreme, mut way) = (vec![0usize], 0usize, 0.0f64);
    for i in 1..x.len() {
        let by = x[i] - x[extreme];
        // Until it has gone further than noise goes, there is no direction to turn from.
        if by * way > 0.0 || (way == 0.0 && by.abs() > TURN * range) {
            (extreme, way) = (i, by.signum());
        } else if by.abs() > TURN * range {
            // At the extreme, not at the row in which the turn shows.
            turns.push(extreme);
            (extreme, way) = (i, by.signum());
        }
    }
    turns.push(x.len() - 1);
    turns
}

/// A motion turns that goes back by more than this share of the range.
const TURN: f64 = 0.05;

/// How far the displacement goes in the first row after a turn, as is usual: thresholds below are one.
fn near_turns(x: &[f64], strokes: &[usize]) -> f64 {
    let inside = strokes.iter().filter(|&&i| i > 0 && i + 1 < x.len());
    let mut steps: Vec<f64> = inside.map(|&i| (x[i + 1] - x[i]).abs()).collect();
    if steps.is_empty() { 0.0 } else { median(&mut steps) }
}

/// Rows from one turn to the next, as is usual.
fn usual_stroke(rows: &[usize], strokes: &[usize]) -> f64 {
    let mut lengths: Vec<f64> = strokes.windows(2).map(|w| (w[1] - w[0]) as f64).collect();
    if lengths.is_empty() { rows.len() as f64 } else { median(&mut lengths) }
}

/// Rows by which the force may come late, at most; and the share of a stroke.
const LATE: isize = 40;
const OF_A_STROKE: f64 = 0.25;
/// Rows that are looked at for it.
const LOOKED: usize = 2000;
/// A delay is believed without which the squares are so many times as large.
const WORTH: f64 = 1.3;
/// And that is no smaller share of a row: between rows nothing is seen.
const LEAST_LATE: f64 = 0.6;

/// By how much the force comes later than the displacement, s: where the least squares leave least.
fn late(
    (t, x, force): (&[f64], &[f64], &[f64]),
    rows: &[usize],
    grid: &[f64],
    (viscous, stroke): (bool, f64),
) -> Option<f64> {
    let most = LATE.min((OF_A_STROKE * stroke) as isize);
    let rows = &rows[..rows.len().min(LOOKED)];
    if most < 2 || rows.len() < FEWEST {
        return None;
    }
    let step = (t[rows[rows.len() - 1]] - t[rows[0]]) / (rows.len() - 1) as f64;
    // The same rows for every delay.
    let margin = most.unsigned_abs() + 2;
    let left = |by: f64| -> f64 {
        let moved = shifted(t, x, rows, by);
        // Rows within the largest delay of an end would count for some delays and not for others.
        let own = &rows[margin..rows.len() - margin];
        let table = Table::new((t, &moved), own, grid, viscous);
        let all = total(&table.blocks(own, force));
        let numbers = all.nonnegative();
        let fitted = table.predicted(&numbers, t.len(), own);
        own[table.first..].iter().map(|&i| (force[i] - fitted[i]).powi(2)).sum()
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
    (now > WORTH * left && late.abs() > LEAST_LATE * step).then_some(late)
}

/// The displacement of `by` s before, at the rows; NaN where there is none. Cubic between rows.
fn shifted(t: &[f64], x: &[f64], rows: &[usize], by: f64) -> Vec<f64> {
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
        let (a, b) = (rows[k - 1], rows[k]);
        let width = t[b] - t[a];
        let share = (at - t[a]) / width;
        // Slopes over two intervals, as of Catmull and Rom, so that the curve has no corners at the rows.
        let slope = |l: usize, r: usize| (x[r] - x[l]) / (t[r] - t[l]) * width;
        let before = if k >= 2 { slope(rows[k - 2], b) } else { x[b] - x[a] };
        let after = if k + 1 < n { slope(a, rows[k + 1]) } else { x[b] - x[a] };
        let (s2, s3) = (share * share, share * share * share);
        out[i] = (2.0 * s3 - 3.0 * s2 + 1.0) * x[a]
            + (s3 - 2.0 * s2 + share) * before
            + (3.0 * s2 - 2.0 * s3) * x[b]
            + (s3 - s2) * after;
    }
    out
}

/// The rows that hold everything.
fn checked(time: &[f64], x: &[f64], force: &[f64]) -> Result<Vec<usize>, Error> {
    for (column, found) in [("displacement", x.len()), ("force", force.len())] {
        if found != time.len() {
            return Err(Error::ColumnLength { column, found, times: time.len() });
        }
    }
    if let Some(i) = (1..time.len()).find(|&i| time[i] <= time[i - 1] || time[i].is_nan()) {
        return Err(Error::TimesNotIncreasing { row: i + 1, found: time[i], before: time[i - 1] });
    }
    let rows: Vec<usize> =
        (0..time.len()).filter(|&i| x[i].is_finite() && force[i].is_finite()).collect();
    if rows.len() < FEWEST {
        return Err(Error::TooFewSamples { found: rows.len(), needed: FEWEST });
    }
    Ok(rows)
}

/// Thresholds from what the displacement resolves to nearly half of its range: few for sharp corners, many above.
fn thresholds([finest, range]: [f64; 2], count: usize) -> Vec<f64> {
    let (low, high) = ((SMALLEST * range).max(finest), LARGEST * range);
    let mut sharp: Vec<f64> = Vec::new();
    let mut next = low / FINER;
    while next > finest {
        sharp.push(next);
        next /= FINER;
    }
    // The first element is rigid: it slides at once.
    sharp.push(next.min(finest));
    sharp.reverse();
    let even = (0..count).map(|j| low * portable::pow(high / low, j as f64 / (count - 1) as f64));
    sharp.into_iter().chain(even).collect()
}

/// A grid whose thresholds lie between those of another.
fn between(grid: &[f64]) -> Vec<f64> {
    grid.windows(2).map(|r| (r[0] * r[1]).sqrt()).collect()
}

/// Blocks of rows together.
fn total(blocks: &[Normal]) -> Normal {
    let width = blocks.first().map_or(0, |b| b.right.len());
    blocks.iter().fold(Normal::new(width), |sum, b| sum.plus(1.0, b))
}

/// The columns of the linear problem: elements, spring, damper, offset up and down.
struct Table {
    rows: Vec<Vec<f64>>,
    width: usize,
    elements: usize,
    viscous: bool,
    /// The first row that the unknown start of the elements does not touch.
    first: usize,
    /// How far the displacement has gone from end to end, row by row.
    ranges: Vec<f64>,
}

impl Table {
    fn new((t, x): (&[f64], &[f64]), rows: &[usize], grid: &[f64], viscous: bool) -> Self {
        let (least, most) = rows
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |r, &i| (r.0.min(x[i]), r.1.max(x[i])));
        let range = most - least;
        let mut ranges = Vec::with_capacity(rows.len());
        let mut stretch = vec![0.0f64; grid.len()];
        let (mut table, mut first) = (Vec::with_capacity(rows.len()), None);
        let middle = mean(&rows.iter().map(|&i| x[i]).collect::<Vec<_>>());
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (n, &i) in rows.iter().enumerate() {
            let before = if n == 0 { x[i] } else { x[rows[n - 1]] };
            let turn = if n == 0 { None } else { turn_between((t, x), rows, n) };
            for (s, r) in stretch.iter_mut().zip(grid) {
                // A turn between two rows is not seen in their difference.
                let from = turn.unwrap_or(before);
                *s = (*s + from - before).clamp(-r, *r);
                *s = (*s + x[i] - from).clamp(-r, *r);
            }
            (low, high) = (low.min(x[i]), high.max(x[i]));
            ranges.push(high - low);
            // Once the displacement has gone nearly through its whole range, every element has slid.
            if first.is_none() && high - low > 0.95 * range {
                first = Some(n);
            }
            // Over both neighbours, so that the rate belongs to the row itself.
            let (a, b) = (rows[n.saturating_sub(1)], rows[(n + 1).min(rows.len() - 1)]);
            let v = (x[b] - x[a]) / (t[b] - t[a]);
            // The first element is rigid, and its force has the sign of the rate.
            let rigid = grid[0] * if v == 0.0 { 0.0 } else { v.signum() };
            // An offset may have either sign, but no number may be negative: it has a column up and one down.
            let others = [x[i] - middle, if viscous { v } else { 0.0 }, 1.0, -1.0];
            let sliding = stretch.iter().copied().skip(1);
            table.push(std::iter::once(rigid).chain(sliding).chain(others).collect());
        }
        // A record that goes through its range only at the end keeps half of its rows.
        let first = first.unwrap_or(0).min(rows.len() / 2);
        Self { rows: table, width: grid.len() + 4, elements: grid.len(), viscous, first, ranges }
    }

    fn blocks(&self, rows: &[usize], force: &[f64]) -> Vec<Normal> {
        let counted = self.rows.len() - self.first;
        let mut blocks = vec![Normal::new(self.width); BLOCKS];
        for n in self.first..self.rows.len() {
            let block = (n - self.first) * BLOCKS / counted;
            blocks[block].add(&self.rows[n], force[rows[n]]);
        }
        blocks
    }

    fn predicted(&self, numbers: &[f64], count: usize, rows: &[usize]) -> Vec<f64> {
        let mut out = vec![f64::NAN; count];
        for (row, &i) in self.rows.iter().zip(rows) {
            out[i] = row.iter().zip(numbers).map(|(a, b)| a * b).sum();
        }
        out
    }
}

/// The displacement at a turn between rows n − 1 and n: where the rates on either side have other signs, the extreme of the
/// cubic through both (Hermite).
fn turn_between((t, x): (&[f64], &[f64]), rows: &[usize], n: usize) -> Option<f64> {
    let (a, b) = (rows[n - 1], rows[n]);
    let rate = |k: usize| {
        let (l, r) = (rows[k.saturating_sub(1)], rows[(k + 1).min(rows.len() - 1)]);
        (x[r] - x[l]) / (t[r] - t[l]) * (t[b] - t[a])
    };
    let (from, to, by) = (rate(n - 1), rate(n), x[b] - x[a]);
    if from * to >= 0.0 {
        return None;
    }
    let slope = |s: f64| {
        from + s * (6.0 * by - 4.0 * from - 2.0 * to) + s * s * (3.0 * from + 3.0 * to - 6.0 * by)
    };
    // The slope of the cubic changes its sign once between the rows.
    let mut ends = [0.0, 1.0];
    for _ in 0..30 {
        let middle = 0.5 * (ends[0] + ends[1]);
        ends[usize::from(slope(middle) * from <= 0.0)] = middle;
    }
    let s = ends[0];
    let cubic = (s * s * s - 2.0 * s * s + s) * from
        + (3.0 * s * s - 2.0 * s * s * s) * by
        + (s * s * s - s * s) * to;
    Some(x[a] + cubic)
}

fn spectrum(grid: &[f64], numbers: &[f64]) -> Vec<Element> {
    let all = grid.iter().zip(numbers).filter(|(_, k)| **k > 0.0);
    all.map(|(&threshold, &stiffness)| Element {
        threshold,
        stiffness,
        force: stiffness * threshold,
    })
    .collect()
}

fn parameters(
    (table, numbers, without): (&Table, &[f64], &[Vec<f64>]),
    (grid, other, beside): (&[f64], &[f64], &[f64]),
    slack: &dyn Fn(usize) -> f64,
) -> HysteresisParameters {
    let n = table.elements;
    let known = |unit, least: f64, of: &dyn Fn(&[f64], &[f64]) -> f64| {
        // Each number as a function of grid and solution, so that it can be taken of another grid, too.
        let value = of(grid, numbers);
        let others: Vec<f64> = without.iter().map(|w| of(grid, w)).collect();
        let (middle, blocks) = (mean(&others), others.len() as f64);
        let variance: f64 = others.iter().map(|v| (v - middle).powi(2)).sum();
        // What noise adds to numbers that are never negative, by the same blocks (Quenouille 1956).
        let bias = (blocks - 1.0) * (middle - value);
        let error = portable::hypot((variance * (blocks - 1.0) / blocks).sqrt().max(least), bias);
        // True thresholds lie between those of the grid.
        let error = portable::hypot(error, of(other, beside) - value);
        let half = student(others.len() - 1) * error;
        Estimate::within(value, error, [value - half, value + half], unit)
    };
    let damping = if table.viscous {
        known("N·s/m", slack(n + 1), &|g, p| p[g.len() + 1])
    } else {
        Estimate::unknown("N·s/m", "no viscous force was asked for")
    };
    HysteresisParameters {
        friction: known("N", 0.0, &|g, p| g.iter().zip(p).map(|(r, k)| r * k).sum()),
        // An element of hardly any force and a tiny threshold would make any stiffness of noise.
        stiffness: known("N/m", 0.0, &|g, p| {
            let all: f64 = g.iter().zip(p).map(|(r, k)| r * k).sum();
            let heavy = g.iter().zip(p).filter(|(r, k)| *r * *k > HEAVY * all);
            p[g.len()] + heavy.map(|(_, k)| *k).sum::<f64>()
        }),
        spring: known("N/m", slack(n), &|g, p| p[g.len()]),
        damping,
        offset: known("N", 0.0, &|g, p| p[g.len() + 2] - p[g.len() + 3]),
    }
}

/// More than this share of the force is not explained: then it is no such device.
const UNEXPLAINED: f64 = 0.3;
/// More than this share of the friction in elements that hardly slide: the record is too small to see them.
const UNSEEN: f64 = 0.1;

/// Residuals that are so many times the noise, and alike over more rows than this, are no noise.
const SYSTEMATIC: [f64; 2] = [1.5, 2.0];
/// Below this share of the force they are no matter.
const SMALL: f64 = 0.02;
/// Rows between two turns below which corners are lost, and below which nothing is known.
const ROWS_OF_A_STROKE: [f64; 2] = [20.0, 10.0];
/// A damper's column of which friction elements give all but this share.
const ONE_SPEED: f64 = 0.02;
/// A quarter of the record in which so much more or less is dissipated than in all of it.
const CHANGED: f64 = 0.1;
/// Rows that do not count are told of from this share of the record on.
const SKIPPED: f64 = 0.02;

fn judge(
    found: &mut HysteresisFit,
    record: &Record<'_>,
    (range, grid, finest): (f64, &[f64], f64),
    (strokes, stroke, viscous): (&[usize], f64, bool),
) {
    if found.relative > UNEXPLAINED {
        found.warnings.push(format!(
            "springs and friction elements leave {:.0} % of the force unexplained: check that displacement and force belong \
             together, count in the same direction and have no delay",
            100.0 * found.relative
        ));
    } else if found.relative > SMALL {
        systematic(found, record);
    }
    let total: f64 = found.spectrum.iter().map(|e| e.force).sum();
    // The last two thresholds of the grid: what slides there stands for all that slides later, or never.
    let largest = grid[grid.len() - 2];
    let late: f64 = found.spectrum.iter().filter(|e| e.threshold >= largest).map(|e| e.force).sum();
    if late > UNSEEN * total {
        found.warnings.push(format!(
            "{:.0} % of the friction is in elements that slide only at the ends of the motion ({:.3e} m): larger displacements \
             than {:.3e} m are needed to see them, and the friction is not known from this record",
            100.0 * late / total,
            largest,
            range
        ));
    }
    let sharp: f64 =
        found.spectrum.iter().filter(|e| e.threshold < UNRESOLVED * finest).map(|e| e.force).sum();
    if sharp > UNSEEN * total {
        found.parameters.stiffness = Estimate::unknown(
            "N/m",
            format!(
                "the friction lets go within {finest:.1e} m, which is all that this record resolves"
            ),
        );
    }
    skipped(found, record);
    changed(found, record);
    if strokes.len() <= 2 {
        let why =
            "it moves in one direction only, so that dry friction and a constant force are one";
        found.parameters.friction = Estimate::unknown("N", why);
        found.parameters.offset = Estimate::unknown("N", why);
        found.warnings.push(why.to_owned());
    }
    let [few, too_few] = ROWS_OF_A_STROKE;
    if stroke < few {
        found.warnings.push(format!(
            "there are {stroke:.0} rows from one turn of the motion to the next: too few to see the corners of the loop; sample \
             at least {:.0} times as fast",
            (2.0 * few / stroke).ceil()
        ));
    }
    if stroke < too_few {
        let why =
            format!("{stroke:.0} rows from one turn of the motion to the next do not show it");
        found.parameters.friction = Estimate::unknown("N", why.clone());
        found.parameters.stiffness = Estimate::unknown("N/m", why.clone());
        found.parameters.damping = Estimate::unknown("N·s/m", why);
    }
    if viscous && found.apart < ONE_SPEED {
        one_speed(found, record);
    }
}

/// Residuals that are larger than the noise and alike over many rows.
fn systematic(found: &mut HysteresisFit, record: &Record<'_>) {
    let force: Vec<f64> = record.rows.iter().map(|&i| record.force[i]).collect();
    let noise = roughness(&force);
    let [times, rows] = SYSTEMATIC;
    if found.rmse > times * noise && found.together > rows {
        found.warnings.push(format!(
            "springs, dry friction and a damper leave {:.1} % of the force, {:.1} times its noise and alike over {:.0} rows: the \
             device does something else too, which the intervals do not cover",
            100.0 * found.relative,
            found.rmse / noise.max(f64::MIN_POSITIVE),
            found.together
        ));
    }
}

/// Rows at which the elements may not have slid yet: how many, and what they say.
fn skipped(found: &mut HysteresisFit, record: &Record<'_>) {
    let (before, after) = record.rows.split_at(found.first);
    if (before.len() as f64) < SKIPPED * record.rows.len() as f64 {
        return;
    }
    let left = |rows: &[usize]| {
        let all: Vec<f64> = rows.iter().map(|&i| record.force[i] - found.fitted[i]).collect();
        (square(&all) / all.len() as f64).sqrt()
    };
    found.warnings.push(format!(
        "the first {} rows ({:.0} %) do not count, since elements may not have slid there yet: with these numbers, from a relaxed \
         start, {:.3} N are left there, and {:.3} N in the rest",
        before.len(),
        100.0 * before.len() as f64 / record.rows.len() as f64,
        left(before),
        left(after)
    ));
}

/// A quarter of the record in which the loop dissipates more or less than with the numbers that were found.
fn changed(found: &mut HysteresisFit, record: &Record<'_>) {
    let rows = &record.rows[found.first..];
    let quarter = |k: usize| &rows[k * rows.len() / 4..(k + 1) * rows.len() / 4];
    let force = |f: &[f64], k: usize| work(record.displacement, f, quarter(k));
    let fitted: Vec<f64> = (0..4).map(|k| force(&found.fitted, k)).collect();
    // A quarter in which nearly nothing is dissipated has no ratio to speak of.
    let least = 0.05 * fitted.iter().map(|w| w.abs()).fold(0.0, f64::max);
    let ratio = |k: usize| force(record.force, k) / fitted[k];
    let far = (0..4).filter(|&k| fitted[k] > least).map(|k| (k, ratio(k)));
    let Some((k, ratio)) = far.max_by(|a, b| (a.1 - 1.0).abs().total_cmp(&(b.1 - 1.0).abs()))
    else {
        return;
    };
    if (ratio - 1.0).abs() > CHANGED {
        let said = format!(
            "the loop is not the same along the record: the {} quarter dissipates {:+.0} % against these numbers, which are those \
             of no part of it; fit the parts apart",
            ["first", "second", "third", "last"][k],
            100.0 * (ratio - 1.0)
        );
        found.parameters.friction = Estimate::unknown("N", said.clone());
        found.warnings.push(said);
    }
}

/// At one speed dry and viscous friction are one force: it is given, and its parts are not.
fn one_speed(found: &mut HysteresisFit, record: &Record<'_>) {
    let p = &found.parameters;
    let (Some(dry), Some(damping)) = (p.friction.value, p.damping.value) else { return };
    let rows = &record.rows[found.first..];
    let speed = |w: &[usize]| {
        let by = record.displacement[w[1]] - record.displacement[w[0]];
        (by / (record.time[w[1]] - record.time[w[0]])).abs()
    };
    let mut speeds: Vec<f64> = rows.windows(2).map(speed).collect();
    let usual = median(&mut speeds);
    let why = format!(
        "the motion has one speed, about {usual:.2e} m/s, at which dry and viscous friction cannot be told apart: together they are \
         {:.3} N",
        dry + damping * usual
    );
    found.parameters.friction = Estimate::unknown("N", why.clone());
    found.parameters.damping = Estimate::unknown("N·s/m", why.clone());
    found.warnings.push(why);
}
