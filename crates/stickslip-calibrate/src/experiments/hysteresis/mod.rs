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
//! The elements of the grid that the record needs then take thresholds of their own (`thresholds`).
//!
//! Errors by leaving out one block of the record after the other (Künsch 1989), with what the blocks say of the bias of numbers
//! that are never negative (Quenouille 1956), and, where the grid stays, with what another grid whose thresholds lie between would
//! give.

mod clock;
mod delay;
mod judge;
pub mod laws;
mod linear;
mod smooth;
mod thresholds;

use crate::error::Error;
use crate::record::clocks::Found;
use crate::record::entry::{Column, Holds, entered, in_range};
use crate::record::play::Play;
use crate::record::readings::Readings;
use crate::statistics::estimate::Estimate;
use crate::statistics::memory::autocorrelation_time;
use crate::statistics::nonnegative::Normal;
use crate::statistics::stats::{mean, median, roughness, square, student};
use serde::Serialize;
use std::borrow::Cow;
use stickslip::portable;

use clock::aligned;
use delay::{Cause, Late, late, shifted};
use judge::{Resolved, UNSEEN, judge};
use linear::{Device, Path, counted, total};
use smooth::smooth;
use thresholds::{Choice, one_in};

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
    /// Rows that hold a force but do not count, where a viscous force is sought: the velocity jumps next to them, so that none is
    /// theirs.
    pub next_to_corners: usize,
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
    checked(time, displacement, force)?;
    let columns = [("displacement", displacement, Holds::Motion), ("force", force, Holds::Force)];
    let columns = columns.map(|(name, values, holds)| Column { name, values, holds });
    let mut whole = entered(Some(time), &columns)?;
    let mut warnings = std::mem::take(&mut whole.said);
    warnings.append(&mut whole.doubts);
    let [displacement, force] = [0, 1].map(|k| &*whole.columns[k]);
    let rows = checked(time, displacement, force)?;
    in_range("displacement", displacement, force)?;
    let mut displacement = Cow::from(displacement);
    if let Some(play) = Play::of(&displacement, force) {
        warnings.push(play.said(["displacement", "force"], "m"));
        play.take_off(&mut displacement);
    }
    let displacement = &*displacement;
    let columns = [("displacement", displacement, Holds::Motion), ("force", force, Holds::Force)];
    let columns = columns.map(|(name, values, holds)| Column { name, values, holds });
    let mut readings = Readings::of(&rows, &columns)?;
    warnings.append(&mut readings.said);
    let Readings { moving: rows, counts, lost, .. } = readings;
    let masked: Vec<f64> =
        force.iter().zip(counts).map(|(f, counts)| if counts { *f } else { f64::NAN }).collect();
    let force = masked.as_slice();
    // The first half may be needed to know where the elements stand.
    let second: Vec<f64> = rows[rows.len() / 2..].iter().map(|&i| force[i]).collect();
    let found = counted(&second);
    if found < FEWEST / 2 {
        return Err(Error::TooFewSamples { found, needed: FEWEST / 2 });
    }

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
    let noise = roughness(&seen);
    let after_turns = near_turns(&seen, &strokes);
    let finest = (RESOLVED * noise).max(after_turns).max(SHARPEST * range);
    let grid = thresholds([finest, range], asked.elements.max(2));
    let usual = usual_stroke(&rows, &strokes);
    let smoothed = smooth(time, displacement, &rows, strokes.len());
    if let Some(smoothed) = &smoothed {
        warnings.push(format!(
            "the displacement has a noise of {:.1e} m, which would reach the friction elements and the damper: parabolas \
             over {} rows on either side, as is usual, were used in its place",
            smoothed.noise, smoothed.rows
        ));
    }
    let displacement = smoothed.as_ref().map_or(displacement, |s| s.displacement.as_slice());
    // A late force draws loops wider or narrower as a damper would: it is taken out before anything is fitted.
    let whole = Record { time, displacement, force, rows: &rows, lag: 0.0 };
    let mut delay = late(&whole, &grid, asked.viscous, &strokes, usual).filter(|late| {
        let whole_rows = late.by.abs() >= late.step;
        let is_smooth = after_turns > CLEAR * noise;
        whole_rows || (is_smooth && whole.shows_corners(&grid, asked.viscous, finest))
    });
    let near = delay.map(|late| whole.around(&late, &grid, asked.viscous));
    let moved;
    // From here on the record is that without the delay; rows at its ends have no displacement so much earlier.
    let (displacement, rows) = match delay {
        None => (displacement, rows.clone()),
        Some(late) if late.cause == Cause::Sensor => (displacement, rows.clone()),
        Some(late) => {
            moved = shifted(time, displacement, &rows, late.by);
            let rows = rows.iter().copied().filter(|&i| moved[i].is_finite()).collect();
            (moved.as_slice(), rows)
        }
    };
    let lag = delay.map_or(0.0, |late| late.constant());
    let whole_step = (time[rows[rows.len() - 1]] - time[rows[0]]) / (rows.len() - 1) as f64;
    let record = Record { time, displacement, force, rows: &rows, lag };
    let mut found = solved(&record, &grid, Thresholds::Chosen, asked.viscous);
    let aligned = aligned(&record, &mut found, &grid, asked.viscous);
    let record = match &aligned {
        None => record,
        Some(a) => {
            if let Found::Apart(..) = a.found {
                let lasts = time[rows[rows.len() - 1]] - time[rows[0]];
                warnings.push(a.found.said(["displacement", "force"], lasts));
            } else {
                delay = Some(Late::all_along(delay, a.found.clocks().late, whole_step));
            }
            found = a.fit.clone();
            Record { displacement: &a.displacement, rows: &a.rows, ..record }
        }
    };
    found.delay = delay.filter(|late| late.cause == Cause::Delay).map(|late| late.by);
    // What other delays would give is not what clocks that are put right leave open.
    if aligned.is_none() {
        near.iter().flatten().for_each(|other| found.parameters.reach(other));
    }
    found.warnings = warnings;
    let resolved = Resolved {
        range,
        grid: &grid,
        finest,
        turns: strokes.len(),
        stroke: usual,
        viscous: asked.viscous,
    };
    let steady = judge(&mut found, &record, &resolved);
    if let Some(late) = delay {
        found.warnings.insert(0, late.said(steady));
    }
    // The flat tops of the loops are what shows friction and damping; where they are cut off neither can be known.
    if lost > CUT_OFF {
        let why = format!("the force is cut off in {:.0} % of the rows", 100.0 * lost);
        found.parameters.friction = Estimate::unknown("N", why.clone());
        found.parameters.damping = Estimate::unknown("N·s/m", why);
    }
    Ok(found)
}

/// A delay by a part of a row is seen where the displacement moves after a turn by so many times its noise.
const CLEAR: f64 = 5.0;

impl Record<'_> {
    /// Whether the elements that matter let go over a way that the rows resolve: only then does a part of a row show.
    fn shows_corners(&self, grid: &[f64], viscous: bool, finest: f64) -> bool {
        let searched = Searched::of(self, grid, Thresholds::Chosen, viscous);
        let spectrum = searched.device(self, viscous).spectrum;
        let of = |sharp: bool| -> f64 {
            let below = |e: &&Element| (e.threshold < UNRESOLVED * finest) == sharp;
            spectrum.iter().filter(below).map(|e| e.force).sum()
        };
        of(true) <= UNSEEN * (of(true) + of(false))
    }

    /// What comes out if the delay is as little as it may be, or as much, and where elements keep the thresholds of the grid: a force
    /// that was put on other times has corners as round as those of two elements that stand for one.
    fn around(&self, late: &Late, grid: &[f64], viscous: bool) -> Vec<HysteresisParameters> {
        let Self { time, displacement, force, rows, .. } = *self;
        let at = |cause: Cause, by: f64, thresholds: Thresholds| {
            let [by, lag] = if cause == Cause::Sensor { [0.0, by] } else { [by, 0.0] };
            let moved = shifted(time, displacement, rows, by);
            let rows: Vec<usize> = rows.iter().copied().filter(|&i| moved[i].is_finite()).collect();
            let record = Record { time, displacement: &moved, force, rows: &rows, lag };
            solved(&record, grid, thresholds, viscous).parameters
        };
        let mut all = vec![
            (late.cause, late.ends[0], Thresholds::Chosen),
            (late.cause, late.ends[1], Thresholds::Chosen),
            (late.cause, late.by, Thresholds::OfTheGrid),
        ];
        all.extend(late.or.map(|(cause, size)| (cause, size, Thresholds::Chosen)));
        crate::parallel::map(all, |(cause, by, thresholds)| at(cause, by, thresholds))
    }
}

/// Whether elements may leave the grid.
#[derive(Clone, Copy, PartialEq)]
enum Thresholds {
    Chosen,
    OfTheGrid,
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
            e.reach(other);
        }
    }
}

/// A force that is cut off in more than this share of the rows shows no friction in slip.
const CUT_OFF: f64 = 0.25;

/// A record whose rows all hold a displacement; where the force does not count it is NaN.
#[derive(Clone, Copy)]
struct Record<'a> {
    time: &'a [f64],
    displacement: &'a [f64],
    force: &'a [f64],
    rows: &'a [usize],
    /// Time constant of the sensor of the force, s; 0 where there is none.
    lag: f64,
}

/// The least squares of a record, over every row at which the elements that matter are known to have slid.
fn solved(
    record: &Record<'_>,
    grid: &[f64],
    thresholds: Thresholds,
    viscous: bool,
) -> HysteresisFit {
    let Record { time, force, rows, .. } = *record;
    let searched = Searched::of(record, grid, thresholds, viscous);
    let Searched { path, forces, grid, first, chosen, apart } = &searched;
    let first = *first;
    let with_corners =
        |first: usize| rows[first..].iter().filter(|&&i| force[i].is_finite()).count();
    let from_first = &rows[first..];
    let left = |fitted: &[f64]| searched.left(fitted);
    let other = between(grid);
    let own = chosen.as_deref().unwrap_or(grid);
    let moving = chosen.is_some();
    let device = Device { path, grid: own, viscous, moving };
    // True thresholds may lie between those of a grid.
    let grids: Vec<&[f64]> = if moving { vec![own] } else { vec![own, &other] };
    let on = |grid| Device { grid, ..device }.blocks(first, forces, 1);
    let mut both = crate::parallel::map(grids, on).into_iter();
    let blocks = both.next().unwrap_or_default();
    let beside = both.next().map(|blocks| total(&blocks).nonnegative());
    let all = total(&blocks);
    let stays: Vec<usize> = (0..device.fixed()).collect();
    let mut numbers = all.part(&stays).nonnegative();
    numbers.resize(all.right.len(), 0.0);
    // One block of rows left out at a time: neighbouring rows share their errors, so single rows would promise too much.
    let fits_without = |blocks: &[Normal]| -> Vec<Vec<f64>> {
        blocks.iter().map(|b| all.plus(-1.0, b).nonnegative()).collect()
    };
    let mut without = vec![fits_without(&blocks)];
    // What rounding does to a reading it does to the same one alike, in each cycle: no block of the record tells of it.
    without.extend(levels(&forces[first..]).map(|levels| {
        fits_without(&device.blocks_of(
            levels.len(),
            |n, force| (n >= first).then(|| levels.partition_point(|l| *l < force.abs())),
            forces,
        ))
    }));

    let by_rows = device.predicted(&numbers);
    let left = left(&by_rows);
    let together = autocorrelation_time(std::slice::from_ref(&left));
    let seen = |of: &[f64]| of.iter().copied().filter(|v| v.is_finite()).collect::<Vec<f64>>();
    let forces = seen(&forces[first..]);
    let rmse = (square(&seen(&left)) / forces.len() as f64).sqrt();
    let middle = mean(&forces);
    let spread: f64 = forces.iter().map(|f| (f - middle).powi(2)).sum();
    let mut fitted = vec![f64::NAN; time.len()];
    rows.iter().zip(by_rows).for_each(|(&i, f)| fitted[i] = f);
    let dissipated = [force, fitted.as_slice()].map(|f| work(record, f, from_first));
    // The least that noise alone leaves unknown: of a number at 0 the blocks say nothing.
    let slack = |k: usize| rmse * (together / all.alone(k, &numbers)).sqrt();
    let beside = beside.as_ref().map(|numbers| (other.as_slice(), numbers.as_slice()));
    HysteresisFit {
        parameters: parameters(&device, &numbers, &without, beside, &slack),
        spectrum: spectrum(own, &numbers),
        rmse,
        relative: rmse / (spread / forces.len() as f64).sqrt(),
        dissipated,
        samples: forces.len(),
        next_to_corners: with_corners(first) - forces.len(),
        delay: None,
        seconds: 0.0,
        warnings: Vec::new(),
        fitted,
        first,
        together,
        apart: if viscous { *apart } else { 1.0 },
    }
}

/// What a search has found of a record, by one in every few rows of many.
struct Searched {
    path: Path,
    /// NaN where a force does not count.
    forces: Vec<f64>,
    /// The thresholds of the grid that take part, and the first row that counts.
    grid: Vec<f64>,
    first: usize,
    /// Thresholds of their own, where the record needs only these.
    chosen: Option<Vec<f64>>,
    /// How much of the damper's column no friction element gives.
    apart: f64,
}

impl Searched {
    fn of(record: &Record<'_>, grid: &[f64], thresholds: Thresholds, viscous: bool) -> Self {
        let Record { time, displacement, force, rows, lag } = *record;
        let path = Path::new(time, displacement, rows).behind(lag);
        // A damper's force belongs to a velocity, which a row next to a jump of it does not have.
        let of =
            |(&i, &corner): (&usize, &bool)| if viscous && corner { f64::NAN } else { force[i] };
        let forces: Vec<f64> = rows.iter().zip(&path.corners).map(of).collect();
        let (grid, first) = that_slid(&path, &forces, grid, viscous);
        let mut searched = Self { path, forces, grid, first, chosen: None, apart: 0.0 };
        let device = Device { path: &searched.path, grid: &searched.grid, viscous, moving: false };
        let all = searched.roughly(&device);
        let numbers = all.nonnegative();
        let damper = searched.grid.len() + 1;
        let apart = all.apart(damper, searched.grid.len()) / all.product[damper][damper];
        let chosen = (thresholds == Thresholds::Chosen).then(|| {
            let together = autocorrelation_time(&[searched.left(&device.predicted(&numbers))]);
            let Self { path, forces, .. } = &searched;
            let choice = Choice { path, viscous, first, forces, together };
            choice.thresholds(&searched.grid, &numbers)
        });
        searched.chosen = chosen.flatten();
        searched.apart = apart;
        searched
    }

    /// The normal equations of one in every few rows that count.
    fn roughly(&self, device: &Device<'_>) -> Normal {
        let every = one_in(counted(&self.forces[self.first..]));
        device.whole(self.first, &self.forces, every)
    }

    /// What forces leave of those that count.
    fn left(&self, fitted: &[f64]) -> Vec<f64> {
        let both = self.forces[self.first..].iter().zip(&fitted[self.first..]);
        both.map(|(f, g)| f - g).collect()
    }

    /// The device without errors.
    fn device(&self, record: &Record<'_>, viscous: bool) -> Seen {
        let own = self.chosen.as_deref().unwrap_or(&self.grid);
        let device = Device { path: &self.path, grid: own, viscous, moving: false };
        let numbers = self.roughly(&device).nonnegative();
        let mut fitted = vec![f64::NAN; record.time.len()];
        let by_rows = device.predicted(&numbers);
        record.rows.iter().zip(by_rows).for_each(|(&i, f)| fitted[i] = f);
        Seen { spectrum: spectrum(own, &numbers), fitted, first: self.first }
    }
}

/// A device as a search sees it.
struct Seen {
    spectrum: Vec<Element>,
    /// What it gives, N, for each row.
    fitted: Vec<f64>,
    /// The first row that counts.
    first: usize,
}

/// The thresholds that take part, and the first row that counts: elements that matter may have slid long before the displacement
/// has gone through its whole range.
fn that_slid(path: &Path, forces: &[f64], grid: &[f64], viscous: bool) -> (Vec<f64>, usize) {
    // A record that starts with a full stroke loses next to nothing: only others are worth a second table.
    if path.first as f64 <= WORTH_KNOWING * forces.len() as f64 {
        return (grid.to_vec(), path.first);
    }
    let device = Device { path, grid, viscous, moving: false };
    let every = one_in(counted(&forces[path.first..]));
    let wide = device.whole(path.first, forces, every).nonnegative();
    // The share of the force in slip that an element carries decides whether it matters.
    let most: f64 = grid.iter().zip(&wide).map(|(r, k)| r * k).sum();
    let heavy = grid.iter().zip(&wide).filter(|(r, k)| *r * *k > HEAVY * most);
    let reach = heavy.map(|(r, _)| *r).fold(grid[0], f64::max);
    let known = path.ranges.partition_point(|range| *range < 2.0 * reach);
    if known >= path.first {
        return (grid.to_vec(), path.first);
    }
    // Elements of larger thresholds, whose state is not known yet, take no part.
    let kept = grid.partition_point(|r| *r <= 1.01 * reach).max(2);
    (grid[..kept].to_vec(), known)
}

/// Share of the rows that do not count from which on it is worth a look at which of them may.
const WORTH_KNOWING: f64 = 0.1;
/// An element with less than this share of the friction may be noise.
const HEAVY: f64 = 0.02;

/// ∮ F dx over those of some rows whose force counts, J; `f` is that force or another one.
fn work(record: &Record<'_>, f: &[f64], rows: &[usize]) -> f64 {
    let x = record.displacement;
    let counts = |w: &&[usize]| w.iter().all(|&i| record.force[i].is_finite());
    let steps = rows.windows(2).filter(counts);
    steps.map(|w| 0.5 * (f[w[0]] + f[w[1]]) * (x[w[1]] - x[w[0]])).sum()
}

/// The places in a list of displacements at which the motion turns, or begins and ends.
fn strokes(x: &[f64], range: f64) -> Vec<usize> {
    let mut turns = vec![0usize];
    let mut extreme = 0usize;
    let mut way = 0.0f64;
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
    let low = (SMALLEST * range).max(finest);
    let high = LARGEST * range;
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

fn spectrum(grid: &[f64], numbers: &[f64]) -> Vec<Element> {
    let all = grid.iter().zip(numbers).filter(|(_, k)| **k > 0.0);
    all.map(|(&threshold, &stiffness)| Element {
        threshold,
        stiffness,
        force: stiffness * threshold,
    })
    .collect()
}

/// Up to so many sizes of a force are those of a coarse sensor, each of which stands in so many rows on average.
const COARSE: usize = 64;
const ROWS_OF_A_LEVEL: usize = 20;

/// The sizes that the readings of a coarse sensor have, in order; none of one that is fine.
fn levels(forces: &[f64]) -> Option<Vec<f64>> {
    let mut sizes: Vec<f64> = forces.iter().filter(|f| f.is_finite()).map(|f| f.abs()).collect();
    let rows = sizes.len();
    sizes.sort_unstable_by(f64::total_cmp);
    sizes.dedup();
    let is_coarse = sizes.len() > 2 && sizes.len() <= COARSE;
    (is_coarse && rows >= ROWS_OF_A_LEVEL * sizes.len()).then_some(sizes)
}

/// What the `numbers` of a device are worth: their errors from the fits `without` one block each, for each way to make blocks, from a grid that
/// lies between, and from what they may be off by without being seen.
fn parameters(
    device: &Device<'_>,
    numbers: &[f64],
    without: &[Vec<Vec<f64>>],
    beside: Option<(&[f64], &[f64])>,
    slack: &dyn Fn(usize) -> f64,
) -> HysteresisParameters {
    let grid = device.grid;
    let n = device.grid.len();
    let known = |unit, least: f64, of: &dyn Fn(&[f64], &[f64]) -> f64| {
        // Each number as a function of grid and solution, so that it can be taken of another grid, too.
        let value = of(grid, numbers);
        let off = beside.map_or(0.0, |(grid, numbers)| of(grid, numbers) - value);
        let by = |without: &Vec<Vec<f64>>| {
            let others: Vec<f64> = without.iter().map(|w| of(grid, w)).collect();
            let middle = mean(&others);
            let blocks = others.len() as f64;
            let variance: f64 = others.iter().map(|v| (v - middle).powi(2)).sum();
            // What noise adds to numbers that are never negative, by the same blocks (Quenouille 1956).
            let bias = (blocks - 1.0) * (middle - value);
            let error =
                portable::hypot((variance * (blocks - 1.0) / blocks).sqrt().max(least), bias);
            let error = portable::hypot(error, off);
            // Few levels say little of their own scatter: each way to make blocks has its own quantile.
            [student(others.len() - 1) * error, error]
        };
        let widest = |a: [f64; 2], b: [f64; 2]| if b[0] > a[0] { b } else { a };
        let [half, error] = without.iter().map(by).fold([0.0; 2], widest);
        Estimate::within(value, error, [value - half, value + half], unit)
    };
    let damping = if device.viscous {
        known("N·s/m", slack(n + 1), &|g, p| p[g.len() + 1])
    } else {
        Estimate::unknown("N·s/m", "no viscous force was asked for")
    };
    // A threshold that moves changes the force by the column of its own.
    let friction = |g: &[f64], p: &[f64]| -> f64 {
        let (up, down) = p[g.len() + 4..].split_at((p.len() - g.len() - 4) / 2);
        let moved = up.iter().sum::<f64>() - down.iter().sum::<f64>();
        g.iter().zip(p).map(|(r, k)| r * k).sum::<f64>() + moved
    };
    HysteresisParameters {
        friction: known("N", 0.0, &friction),
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
