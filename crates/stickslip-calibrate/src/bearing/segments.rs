//! Several changes in one record.
//!
//! One change is looked for at a time (`changes`), which takes the friction on either side of it for steady. In a record with
//! several that is wrong: two that cancel each other hide from a search over the whole record, and the size of one that is found
//! there is a mixture. So
//!
//! 1. a part of the record without a change is searched in three parts that overlap (seeded binary segmentation: Kovács, Bühlmann,
//!    Li and Munk 2023), and a part with one on either side of it;
//! 2. every change is then looked for anew between its neighbours, where there is no other (repartition: Bai 1997): its date and its
//!    size come from there, and one that is not found there is given up.

use crate::bearing::changes::{self, Change, FoundChange};
use crate::bearing::delay::{Trial, judged};
use crate::bearing::near::Near;
use crate::bearing::options::Options;
use crate::bearing::ramp;
use crate::bearing::residuals::{noisy, suspicious};
use crate::bearing::search::global::{PROBE, refine, search};
use crate::bearing::search::prepared::Prepared;
use crate::record::series::Series;

/// How often a part is divided, and the fewest rows that are searched.
const DEPTH: usize = 3;
const SHORTEST: usize = 500;
/// A part without a change is searched in these shares of it.
const SEEDS: [[f64; 2]; 3] = [[0.0, 0.5], [0.25, 0.75], [0.5, 1.0]];
/// Rounds in which the changes are looked for between their neighbours.
const ROUNDS: usize = 3;

/// Times, drives and responses of a part of a record.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    /// s.
    pub time: &'a [f64],
    /// The drive.
    pub drive: &'a [f64],
    /// The response, m.
    pub response: &'a [f64],
}

impl<'a> Part<'a> {
    fn of(&self, rows: std::ops::Range<usize>) -> Self {
        let Self { time, drive, response } = *self;
        Self { time: &time[rows.clone()], drive: &drive[rows.clone()], response: &response[rows] }
    }

    /// The rows from one time to another.
    fn between(&self, from: f64, to: f64) -> Self {
        let row = |t: f64| self.time.partition_point(|own| *own < t);
        self.of(row(from)..row(to))
    }

    fn series(&self) -> Option<Series<'a>> {
        Series::new(self.time, self.drive, self.response).ok()
    }

    /// One change in it.
    pub fn one(&self, options: &Options, near: Option<&Near>) -> Option<FoundChange> {
        if self.time.len() < SHORTEST {
            return None;
        }
        let series = self.series()?;
        let prepared = Prepared::new(&series, options.max_gap, &options.trend).ok()?;
        changes::find(&series, &prepared, options, near).ok()?
    }

    /// Whether one path leaves more than noise of it.
    fn suspicious(&self, options: &Options) -> bool {
        let look = || {
            let series = self.series()?;
            let prepared = Prepared::new(&series, options.max_gap, &options.trend).ok()?;
            let found = search(&prepared, options.seed, PROBE);
            Some(suspicious(&series, &prepared, options, found.minima.first()?))
        };
        look().unwrap_or(false)
    }

    /// The paths near those that are known, if they leave nothing but noise of it.
    fn still(&self, options: &Options, known: &Near) -> Option<Near> {
        let series = self.series()?;
        let prepared = Prepared::new(&series, options.max_gap, &options.trend).ok()?;
        let found = refine(&prepared, &known.at(prepared.drive_centre), options.seed);
        let more = noisy(&prepared, &found)
            || suspicious(&series, &prepared, options, found.minima.first()?);
        (!more).then(|| Near::of(&prepared, &found.minima))
    }
}

/// The changes of a record, in order of time, and what is left if they are allowed for.
pub struct Segments {
    /// The changes.
    pub changes: Vec<Change>,
    /// Of a gradual one.
    ramp: Option<Trial>,
}

impl Segments {
    /// What a path and a line of its own for each part leave, or one with friction that grows.
    pub fn left(&self, record: &Part<'_>, options: &Options) -> Option<Trial> {
        if self.changes.is_empty() {
            return None;
        }
        self.ramp.clone().or_else(|| of_parts(record, options, &self.changes))
    }
}

/// All changes of a record; `near` are the paths that leave nothing but noise of it, where such are known, and `first` is what a
/// search for one change has found.
pub fn segmented(
    record: &Part<'_>,
    options: &Options,
    near: Option<&Near>,
    first: Option<FoundChange>,
) -> Segments {
    let mut found = Vec::new();
    divide(record, options, near, first, DEPTH, &mut found);
    found.sort_by(|a, b| a.time.total_cmp(&b.time));
    // A single change has no neighbours: it was found in the whole record already.
    if found.len() > 1 {
        for _ in 0..ROUNDS {
            let before: Vec<f64> = found.iter().map(|c| c.time).collect();
            found = between_neighbours(record, options, &found);
            // The dates have settled: another round would find the same.
            if found.iter().map(|c| c.time).eq(before) {
                break;
            }
        }
    }
    gradual(record, options, found)
}

/// What is left where changes divide the record: each part with a path and a line of its own.
pub fn of_parts(record: &Part<'_>, options: &Options, changes: &[Change]) -> Option<Trial> {
    let mut rows = vec![0];
    rows.extend(changes.iter().map(|c| record.time.partition_point(|t| *t < c.time)));
    rows.push(record.time.len());
    let one = |w: &[usize]| {
        let series = record.of(w[0]..w[1]).series()?;
        let prepared = Prepared::new(&series, options.max_gap, &options.trend).ok()?;
        let minima = search(&prepared, options.seed, PROBE).minima;
        Some(judged(&series, &prepared, &options.trend, minima))
    };
    let parts: Option<Vec<Trial>> = rows.windows(2).map(one).collect();
    let parts = parts?;
    let total: f64 = parts.iter().map(|p| p.rows).sum();
    let mean = |of: fn(&Trial) -> f64| parts.iter().map(|p| p.rows * of(p)).sum::<f64>() / total;
    Some(Trial {
        value: 0.0,
        square: mean(|p| p.square),
        rows: total,
        // The memory of the residuals is that of the worst part: with a shorter one the evidence would be
        // overstated.
        tau: parts.iter().map(|p| p.tau).fold(1.0, f64::max),
        robust: mean(|p| p.robust),
        points: Vec::new(),
    })
}

/// Looks for a change, and then on either side of it; where there is none, in parts.
fn divide(
    record: &Part<'_>,
    options: &Options,
    near: Option<&Near>,
    first: Option<FoundChange>,
    depth: usize,
    into: &mut Vec<Change>,
) {
    if depth == 0 || record.time.len() < SHORTEST {
        return;
    }
    let found = first.or_else(|| {
        // Where one path leaves noise there is nothing to look for; a fleet knows such paths already.
        if near.is_some() || !record.suspicious(options) {
            return None;
        }
        let all = SEEDS.iter().filter_map(|[from, to]| {
            let row = |share: f64| (share * record.time.len() as f64) as usize;
            record.of(row(*from)..row(*to)).one(options, None)
        });
        // Of overlapping parts the clearest wins; a change that two of them show is one.
        all.max_by(|a, b| a.change.evidence().total_cmp(&b.change.evidence()))
    });
    if let Some(found) = found {
        sides(record, options, found, depth, into);
    }
}

/// A change, and those on either side of it.
fn sides(
    record: &Part<'_>,
    options: &Options,
    found: FoundChange,
    depth: usize,
    into: &mut Vec<Change>,
) {
    let at = record.time.partition_point(|t| *t < found.change.time);
    into.push(found.change);
    for (rows, known) in [0..at, at..record.time.len()].into_iter().zip(&found.paths) {
        let part = record.of(rows);
        // Of many records, the path that is known of a part will do if it leaves noise of it.
        let near = if options.quick { part.still(options, known) } else { None };
        if depth > 1 {
            let first = part.one(options, near.as_ref());
            divide(&part, options, near.as_ref(), first, depth - 1, into);
        }
    }
}

/// Each change looked for between the one before it and the one after it.
fn between_neighbours(record: &Part<'_>, options: &Options, all: &[Change]) -> Vec<Change> {
    let Some((first, last)) = record.time.first().zip(record.time.last()) else {
        return Vec::new();
    };
    let mut out: Vec<Change> = Vec::new();
    for i in 0..all.len() {
        // The one before is known anew already.
        let from = out.last().map_or(*first, |c| c.time);
        // Beyond the last row, which is to be in the last part.
        let to = all.get(i + 1).map_or(last + 1.0, |c| c.time);
        let found = record.between(from, to).one(options, None).map(|f| f.change);
        // One among others is a state of its own only if its interval excludes that nothing changed there.
        out.extend(found.filter(tells));
    }
    out
}

/// Whether the interval of a ratio excludes 1.
fn tells(change: &Change) -> bool {
    change.low > 1.0 || change.high < 1.0
}

/// One gradual change in place of steps that all go one way, if it explains the record better.
fn gradual(record: &Part<'_>, options: &Options, steps: Vec<Change>) -> Segments {
    let rises = steps.iter().filter(|c| c.ratio > 1.0).count();
    // Steps up and down are no gradual change.
    if steps.is_empty() || (rises != 0 && rises != steps.len()) {
        return Segments { changes: steps, ramp: None };
    }
    let ramp = of_parts(record, options, &steps)
        .zip(record.series())
        .and_then(|(parts, series)| ramp::find(&series, options, &steps, &parts));
    match ramp {
        Some((change, trial)) => Segments { changes: vec![change], ramp: Some(trial) },
        None => Segments { changes: steps, ramp: None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_that_holds_one_is_no_change_among_others() {
        let told = |ratio, low, high| {
            tells(&Change {
                time: 5.0,
                between: [4.0, 6.0],
                ratio,
                low,
                high,
                probability: 1.0,
                gradual: false,
            })
        };
        assert!(!told(0.91, 0.79, 1.04) && !told(1.1, 0.98, 1.3));
        assert!(told(0.91, 0.86, 0.96) && told(1.1, 1.03, 1.2));
    }
}
