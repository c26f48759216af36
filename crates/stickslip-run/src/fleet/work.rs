//! The work on each bearing: read, fit, look for changes, and leave what was found.

use super::found::{Changed, FoundBearing, Seen, fingerprint, quantities, sketch};
use crate::context::Context;
use crate::each::each_of;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use stickslip::Interrupt;
use stickslip_calibrate::{
    Change, Control, Error, Fit, Options, Series, ThermalBearing, What, calibrate_watched, changes,
};
use stickslip_file::fit::Fit as File;
use stickslip_file::fleet::Shelf;
use stickslip_file::{Diagnostic, FailureKind, FleetFile, Journal, Remedy, Result};

/// Bearings under way.
pub struct Work<'a> {
    fleet: &'a FleetFile,
    journal: &'a dyn Journal,
    context: &'a Context<'a>,
    /// What an earlier run has found, by bearing: the fingerprint of its record, and the line.
    known: HashMap<String, (String, String)>,
    done: AtomicU64,
    reused: AtomicU64,
    total: u64,
}

/// Stops when the run is cancelled.
struct Stopping<'a>(&'a Context<'a>, Interrupt);

impl Control for Stopping<'_> {
    fn stop(&self) -> bool {
        self.1.is_requested() || (self.0.cancelled)()
    }
}

impl<'a> Work<'a> {
    /// Goes on from what the journal holds.
    pub fn new(
        fleet: &'a FleetFile,
        journal: &'a dyn Journal,
        context: &'a Context<'a>,
    ) -> Result<Self> {
        let lines = journal.lines().map_err(|e| {
            Diagnostic::new(format!("what an earlier run has left cannot be read: {e}"))
                .help("start anew in another directory")
        })?;
        let one = |line: String| {
            let mut parts = line.splitn(2, '\t');
            let print = parts.next()?.to_owned();
            let json = parts.next()?.to_owned();
            let found: FoundBearing = serde_json::from_str(&json).ok()?;
            Some((found.bearing, (print, json)))
        };
        let known = lines.into_iter().filter_map(one).collect();
        let done = AtomicU64::new(0);
        let reused = AtomicU64::new(0);
        Ok(Self { fleet, journal, context, known, done, reused, total: 0 })
    }

    /// How many bearings were taken from an earlier run.
    pub fn reused(&self) -> u64 {
        self.reused.load(Ordering::Relaxed)
    }

    /// Works on the bearings of `range`.
    ///
    /// # Errors
    /// Where a table of many bearings cannot be read, nothing can be left, or the run is cancelled. What is wrong with
    /// one bearing is told in its place.
    pub fn all(&mut self, range: Range<usize>) -> Result<Vec<FoundBearing>> {
        self.total = range.len() as u64;
        let mut all = Vec::with_capacity(range.len());
        for group in self.fleet.groups(range) {
            let shelf = self.fleet.open(group.clone())?;
            all.extend(each_of(group.collect(), |i| self.one(&shelf, i))?);
        }
        Ok(all)
    }

    fn one(&self, shelf: &Shelf<'_>, i: usize) -> Result<FoundBearing> {
        self.go_on()?;
        let member = &self.fleet.members[i];
        let title = member.title.clone().unwrap_or_else(|| member.name.clone());
        let (file, said) = match shelf.fit(i) {
            Ok(read) => read,
            Err(e) => {
                self.count();
                let seen = Err(sentence(&e));
                return Ok(FoundBearing { bearing: member.name.clone(), title, seen });
            }
        };
        let print = fingerprint(&file, self.fleet.changes);
        if let Some(found) = self.known(&member.name, &print) {
            self.reused.fetch_add(1, Ordering::Relaxed);
            self.count();
            return Ok(found);
        }
        let seen = self.seen(&file, said)?;
        let found = FoundBearing { bearing: member.name.clone(), title, seen };
        let line = serde_json::to_string(&found).unwrap_or_default();
        self.journal.add(&format!("{print}\t{line}")).map_err(|e| {
            Diagnostic::new(format!(
                "what was found cannot be kept: {e}; {} of {} bearings are complete and kept",
                self.done.load(Ordering::Relaxed),
                self.total
            ))
            .help("check the space on the disk, then run it again")
            .with_remedy(Remedy::Resume)
        })?;
        self.count();
        // What is written and read again is what counts, so that a run that goes on gives the same bits.
        Ok(serde_json::from_str(&line).unwrap_or(found))
    }

    /// What an earlier run has found in the same record.
    fn known(&self, bearing: &str, print: &str) -> Option<FoundBearing> {
        let (before, json) = self.known.get(bearing)?;
        if before == print { serde_json::from_str(json).ok() } else { None }
    }

    fn count(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        (self.context.progress)(done, self.total);
    }

    /// An error if the run was cancelled.
    fn go_on(&self) -> Result<()> {
        if Interrupt::current().is_requested() || (self.context.cancelled)() {
            return Err(interrupted(self.done.load(Ordering::Relaxed), self.total));
        }
        Ok(())
    }

    fn seen(&self, file: &File, said: Vec<String>) -> Result<Result<Seen, String>> {
        match self.fitted(file) {
            Ok((fit, change)) => Ok(Ok(seen(file, &fit, change, (said, self.fleet.changes)))),
            Err(Error::Interrupted) => {
                Err(interrupted(self.done.load(Ordering::Relaxed), self.total))
            }
            Err(e) => Ok(Err(match e.remedy() {
                Some(remedy) => format!("{e}: {remedy}"),
                None => e.to_string(),
            })),
        }
    }

    fn fitted(&self, file: &File) -> Result<(Fit, Option<Changed>), Error> {
        let control = Stopping(self.context, Interrupt::current());
        let fit = fit(file, &control)?;
        if !self.fleet.changes || !is_tested(&fit) {
            return Ok((fit, None));
        }
        let data = &file.data;
        let series = Series::new(&data.seconds, &data.drive_values, &data.response_values)?;
        let found = changes(&series, &options(file), &fit)?;
        let [Some(first), Some(last)] = [found.first(), found.last()] else {
            return Ok((fit, None));
        };
        let sides = [side(file, first, false, &control)?, side(file, last, true, &control)?];
        let change = Changed::of(&found, file, sides);
        Ok((fit, change))
    }
}

/// The rows before the first change, or those after the last one, fitted alone: one fit over both would be true of neither. Rows that may
/// belong to either side are in none. Nothing where the rows do not tell the breakaway.
fn side(
    file: &File,
    change: &Change,
    after: bool,
    control: &dyn Control,
) -> Result<Option<Fit>, Error> {
    let data = &file.data;
    let rows = if after {
        data.seconds.partition_point(|t| *t <= change.between[1])..data.seconds.len()
    } else {
        0..data.seconds.partition_point(|t| *t < change.between[0])
    };
    let [time, drive, response] = [&data.seconds, &data.drive_values, &data.response_values]
        .map(|column| &column[rows.clone()]);
    let Ok(series) = Series::new(time, drive, response) else { return Ok(None) };
    let options = Options { diagnose: false, bootstrap: 0, ..options(file) };
    match calibrate_watched(&series, &model(file), &options, control) {
        Ok(fit) => Ok(Some(fit).filter(|f| f.f_s_over_K.identifiable)),
        Err(Error::Interrupted) => Err(Error::Interrupted),
        Err(_) => Ok(None),
    }
}

/// Whether changes are looked for in a record: where friction is seen, and where the change itself may be what hides it.
fn is_tested(fit: &Fit) -> bool {
    fit.friction_seen || fit.diagnosis.iter().any(|f| f.what == What::Change)
}

fn interrupted(done: u64, total: u64) -> Diagnostic {
    let said = format!("interrupted: {done} of {total} bearings are complete and kept");
    Diagnostic::of(FailureKind::Interrupted, said)
        .help("run it again to go on")
        .with_remedy(Remedy::Resume)
}

/// Fits the record of a bearing.
pub fn fit(file: &File, control: &dyn Control) -> Result<Fit, Error> {
    let data = &file.data;
    let series = Series::new(&data.seconds, &data.drive_values, &data.response_values)?;
    calibrate_watched(&series, &model(file), &options(file), control)
}

fn model(file: &File) -> ThermalBearing {
    ThermalBearing {
        bearing_stiffness: file.bearing_stiffness,
        bearing_stiffness_error: file.bearing_stiffness_error,
    }
}

/// A short search first: most bearings of a fleet need no more.
fn options(file: &File) -> Options {
    Options { quick: true, ..file.options() }
}

/// What is wrong, and what to do, in one text.
fn sentence(e: &Diagnostic) -> String {
    match e.help_text() {
        Some(help) => format!("{}: {help}", e.message()),
        None => e.message().to_owned(),
    }
}

fn seen(
    file: &File,
    fit: &Fit,
    change: Option<Changed>,
    (said, changes): (Vec<String>, bool),
) -> Seen {
    let data = &file.data;
    let breakaway = &fit.f_s_over_K;
    let length = data.seconds.last().zip(data.seconds.first()).map_or(0.0, |(b, a)| b - a);
    Seen {
        from: data.origin.clone(),
        length,
        values: quantities(fit),
        friction: !fit.friction_denied,
        unknown: breakaway.reason.clone().filter(|_| !breakaway.identifiable),
        slips: fit.slips as u64,
        rmse: Some(fit.rmse).filter(|x| x.is_finite()),
        samples: [fit.samples as u64, fit.missing as u64],
        diagnosis: fit.diagnosis.iter().map(|f| (f.what.name().to_owned(), f.strength)).collect(),
        suggestion: fit.diagnosis.first().map(|f| f.suggestion.clone()),
        warnings: said.into_iter().chain(fit.warnings.iter().cloned()).collect(),
        notices: fit.notices.clone(),
        change,
        tested: changes && is_tested(fit),
        sketch: sketch(&data.seconds, &data.response_values),
    }
}
