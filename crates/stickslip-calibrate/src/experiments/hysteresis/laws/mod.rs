//! Laws with memory against records of force and displacement, compared by cycles that are held out.
//!
//! ```text
//! F = o + k x + c w + L[x; numbers]        k, c ≥ 0
//! ```
//!
//! L is one of [`Law`]. Every law is fitted to all cycles but an eighth of them, and predicts those; the one with the least
//! error there predicts best. The same fits give the intervals, by leaving out one part of the cycles after the other
//! (Künsch 1989). Records that are only predicted (`held`) take no part in anything that is chosen or fitted.

mod candidates;
mod gap;
mod path;
mod search;
mod verdict;

use super::{checked, near_turns, strokes};
use crate::error::Error;
use crate::record::parts::{LONG, Long, widest};
use crate::statistics::estimate::Estimate;
use serde::Serialize;

pub use candidates::Law;
use candidates::Sizes;
use path::Path;
use search::{fitted, left_by};

/// A record of a device: times (s, increasing), displacements (m) and forces (N), NaN where one is missing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Record<'a> {
    /// What it is called in messages.
    pub name: &'a str,
    /// Times, s.
    pub time: &'a [f64],
    /// Displacements, m.
    pub displacement: &'a [f64],
    /// Forces, N.
    pub force: &'a [f64],
    /// Whether it is only predicted.
    pub held: bool,
}

/// What came out for all laws.
#[derive(Debug, Clone, Serialize)]
pub struct LawsFit {
    /// One for each law that was asked for, that which predicts best first.
    pub laws: Vec<LawFit>,
    /// Rows that were fitted.
    pub samples: usize,
    /// Cycles of the fitted records.
    pub cycles: usize,
    /// Computing only, s.
    pub seconds: f64,
    /// One sentence each.
    pub warnings: Vec<String>,
}

/// One law.
#[derive(Debug, Clone, Serialize)]
pub struct LawFit {
    /// Its name, as in model files.
    pub law: &'static str,
    /// Its numbers, by their keys in model files, then those that go with every law.
    pub parameters: Vec<Parameter>,
    /// How many numbers were sought.
    pub sought: usize,
    /// Root mean square of what is left of the fitted records, N.
    pub rmse: f64,
    /// The same of cycles that were not fitted, N.
    pub held_out: f64,
    /// The same as a share of the force about its mean.
    pub relative: f64,
    /// Whether the cycles tell that this law predicts worse than the first.
    pub worse: bool,
    /// What it gives for each record, in their order.
    pub records: Vec<Predicted>,
    /// The length of its bristle, m: what its greatest force bends it by at the stiffness that it has from rest.
    pub bristle: Option<Estimate>,
    /// Σ of the squared errors of each cycle that was not fitted, N².
    #[serde(skip)]
    squares: Vec<f64>,
}

/// A number of a law.
#[derive(Debug, Clone, Serialize)]
pub struct Parameter {
    /// Its key.
    pub name: &'static str,
    /// What is known of it.
    #[serde(flatten)]
    pub estimate: Estimate,
}

/// What a law gives for a record.
#[derive(Debug, Clone, Serialize)]
pub struct Predicted {
    /// Which record.
    pub record: String,
    /// Whether the record was only predicted.
    pub held: bool,
    /// Root mean square of the error, N.
    pub rmse: f64,
    /// The same as a share of the root mean square of the force.
    pub of_force: f64,
    /// The same as a share of the greatest force.
    pub of_peak: f64,
    /// ∮ F dx: measured and predicted, J.
    pub dissipated: [f64; 2],
    /// The forces, N, for each row; NaN where the record has none.
    #[serde(skip)]
    pub force: Vec<f64>,
}

/// Cycles without which laws cannot be compared.
const FEWEST_CYCLES: usize = 4;

/// Fits and compares `laws`.
///
/// ```
/// use stickslip_calibrate::hysteresis::laws::{Law, Record, laws};
/// // Dahl's bristle of 2 N and 0.5 mm along a sine of 5 mm.
/// let (mut z, mut before) = (0.0f64, 0.0f64);
/// let (mut t, mut x, mut f) = (Vec::new(), Vec::new(), Vec::new());
/// for i in 0..1500 {
///     let now = 5e-3 * (0.02 * f64::from(i)).sin();
///     let end = 5e-4 * (now - before).signum();
///     z = end + (z - end) * (-(now - before).abs() / 5e-4).exp();
///     before = now;
///     (t.push(0.01 * f64::from(i)), x.push(now), f.push(4000.0 * z));
/// }
/// let record = Record { name: "sine", time: &t, displacement: &x, force: &f, held: false };
/// let found = laws(&[record], &[Law::Dahl])?;
/// let force = found.laws[0].parameters.iter().find(|p| p.name == "force").unwrap();
/// assert!((force.estimate.value.unwrap() - 2.0).abs() < 1e-3);
/// # Ok::<(), stickslip_calibrate::Error>(())
/// ```
///
/// # Errors
/// If no law or no record to fit is given, columns differ in length, times do not increase, a record has fewer than 100 rows, nothing
/// moves, a force never changes, the records have fewer than four cycles, or the force of long ones does not follow the displacement.
pub fn laws(records: &[Record<'_>], laws: &[Law]) -> Result<LawsFit, Error> {
    if laws.is_empty() {
        return Err(Error::Unfit("no law is asked for; expected one or more".to_owned()));
    }
    let mut paths = Vec::with_capacity(records.len());
    let mut cycles = 0;
    for record in records {
        // The cycles of all fitted records are numbered through: parts of them are left out, whichever record they come
        // from.
        let path = path_of(record, cycles)?;
        let value = path.force[0];
        // A force that never changes is that of no device, and would be fitted for a long time.
        if !record.held && path.force.iter().all(|f| *f == value) {
            return Err(Error::Constant { column: "force", value });
        }
        cycles += if record.held { 0 } else { path.cycles };
        paths.push(path);
    }
    if cycles < FEWEST_CYCLES {
        return Err(Error::Unfit(format!(
            "the records that are fitted hold {cycles} cycles of the motion, there and back; expected {FEWEST_CYCLES} or more, of which \
             some are held out"
        )));
    }
    let seen: Vec<&Path> = paths.iter().filter(|p| !p.held).collect();
    let mut pieces = Vec::new();
    if seen.iter().map(|p| p.force.len()).sum::<usize>() > LONG {
        OF_A_PART.iter().try_for_each(|long| refuse_unrelated(records, *long))?;
        pieces = pieces_of(records);
    }
    let sizes = Sizes::of(&seen);
    let mut all = Vec::with_capacity(laws.len());
    for law in laws {
        // One law after the other: each spreads its own starts and parts over the threads.
        all.push(fitted(*law, &paths, &pieces, &sizes, cycles)?);
    }
    let samples = seen.iter().map(|p| p.force.len()).sum();
    Ok(verdict::judged(all, &seen, samples, cycles))
}

/// More of the force than this share in every part of long records is not of the displacement: any device has a spring, a damper or a dry
/// friction to speak of, and leaves less.
const UNRELATED: f64 = 0.9;
/// Some waves of the motion: over a part of one, any smooth force follows it. Of a force that wanders short parts show that it does not.
const OF_A_PART: [Long; 2] = [Long { times: 2, most: 2400 }, Long { times: 16, most: 20_000 }];

/// Parts of long records in which the minima of laws are looked for; none where one says nothing by itself.
fn pieces_of(records: &[Record<'_>]) -> Vec<Path> {
    let long = |rows: usize| Long { times: 16, most: (rows / 8).max(SHORT) };
    let mut parts = parts_of(records, long, READ).unwrap_or_default();
    // What the law remembers from before a part is not known. After a quarter of the part it no longer matters.
    parts.iter_mut().for_each(|p| p.first = p.first.max(p.x.len() / 4));
    parts
}

/// A part may have so many rows whatever the record; a record that is shorter has none.
const SHORT: usize = 2400;
/// Rows of a part that are read in the search for minima, at most.
const READ: usize = 5000;

/// Parts of long records as records of their own: how long for so many rows, and how many rows of each are read at most. `None` where one says
/// nothing by itself, because it rests or has holes.
fn parts_of(
    records: &[Record<'_>],
    long: impl Fn(usize) -> Long,
    read: usize,
) -> Option<Vec<Path>> {
    let mut paths = Vec::new();
    for record in records.iter().filter(|r| !r.held) {
        for rows in widest(record.displacement, &[], long(record.time.len())) {
            let every = rows.len().div_ceil(read);
            let seen = |column: &[f64]| -> Vec<f64> {
                column[rows.clone()].iter().step_by(every).copied().collect()
            };
            let columns = [record.time, record.displacement, record.force].map(seen);
            let [time, displacement, force] = columns.each_ref().map(Vec::as_slice);
            paths.push(path_of(&Record { time, displacement, force, ..*record }, 0).ok()?);
        }
    }
    Some(paths)
}

/// Refuses long records whose force does not follow the displacement. The laws are followed along all rows for each step of each search, which
/// for a million rows takes minutes; parts of them are told by one law at once.
fn refuse_unrelated(records: &[Record<'_>], long: Long) -> Result<(), Error> {
    // Parts that say nothing leave the question to the whole.
    let Some(paths) = parts_of(records, |_| long, long.most) else { return Ok(()) };
    let sizes = Sizes::of(&paths.iter().collect::<Vec<_>>());
    let Some(left) = left_by(Law::Dahl, &paths, &sizes) else { return Ok(()) };
    let least = left.into_iter().fold(f64::INFINITY, f64::min);
    if !least.is_finite() || least <= UNRELATED {
        return Ok(());
    }
    Err(Error::Unfit(format!(
        "the force does not follow the displacement: fitted to {} parts of {} rows, the law of Dahl with a spring, a damper and a constant force \
         misses the force in each of them by at least {least:.2} of its standard deviation there; expected less than {UNRELATED}; no law was fitted \
         to the whole",
        paths.len(),
        paths[0].rows.len()
    )))
}

/// The path of a record whose first cycle has this number.
fn path_of(record: &Record<'_>, first: usize) -> Result<Path, Error> {
    let Record { name, time, displacement, force, held } = *record;
    let rows = checked(time, displacement, force)?;
    let x: Vec<f64> = rows.iter().map(|&i| displacement[i]).collect();
    let low = x.iter().copied().fold(f64::INFINITY, f64::min);
    let range = x.iter().copied().fold(f64::NEG_INFINITY, f64::max) - low;
    if range <= 0.0 {
        return Err(Error::Constant { column: "displacement", value: low });
    }
    let turns = strokes(&x, range);
    // After a turn the bristle bends the other way; how far the motion goes in one row there decides whether it is seen.
    let step = near_turns(&x, &turns);
    let of = |values: &[f64]| rows.iter().map(|&i| values[i]).collect::<Vec<f64>>();
    let mut path = Path::new(of(time), x, of(force));
    path.name = name.to_owned();
    path.held = held;
    path.divide(&turns, first);
    path.step = step;
    path.length = time.len();
    path.rows = rows;
    Ok(path)
}
