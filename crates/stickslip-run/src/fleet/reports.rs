//! Reports of single bearings. A report is composed when it is asked for, from its record, which is fitted again: no more
//! than the records of one table are in memory.

use super::export::Judgement;
use super::work::fit;
use crate::export::fit::{Fitted, report};
use crate::product::{Lazy, Named};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use stickslip::Interrupt;
use stickslip_file::fit::Fit as File;
use stickslip_file::{FleetFile, Result};

/// A record with what is to be said of it, or why there is none.
type Read = Result<(File, Vec<String>)>;

/// Records of the group of which a report was asked for last.
struct Shelf {
    file: FleetFile,
    /// The groups of bearings whose records are read together, and those of them that have a report.
    groups: Vec<(Range<usize>, Vec<usize>)>,
    last: Mutex<(usize, Vec<(usize, Read)>)>,
}

/// The pages of the bearings that have a report.
pub fn pages(file: FleetFile, done: &Judgement) -> Vec<Named> {
    let wanted: Vec<usize> = (0..done.found.len()).filter(|i| done.reports[*i]).collect();
    let groups = file.groups(0..file.members.len()).into_iter();
    let inside = |g: &Range<usize>| wanted.iter().copied().filter(|i| g.contains(i)).collect();
    let groups: Vec<(Range<usize>, Vec<usize>)> = groups.map(|g| (g.clone(), inside(&g))).collect();
    let last = Mutex::new((usize::MAX, Vec::new()));
    let shelf = Arc::new(Shelf { file, groups, last });
    let page = |i: usize| {
        let (shelf, reason) = (shelf.clone(), done.judged.verdicts[i].reason.clone());
        let content = Lazy::new(move || shelf.report(i, &reason));
        Named { name: done.report_name(i), content }
    };
    wanted.iter().map(|i| page(*i)).collect()
}

impl Shelf {
    fn report(&self, i: usize, reason: &str) -> String {
        match self.read(i).and_then(|read| self.fitted(read, reason)) {
            Ok(fitted) => report(&fitted),
            Err(e) => {
                format!("<!doctype html><title>No report</title><p>{}</p>", plain(&e.to_string()))
            }
        }
    }

    fn fitted(&self, (file, said): (File, Vec<String>), reason: &str) -> Result<Fitted> {
        let named = |e: stickslip_calibrate::Error| stickslip_file::Diagnostic::new(e.to_string());
        let fit = fit(&file, &Interrupt::current()).map_err(named)?;
        let warnings =
            std::iter::once(reason.to_owned()).chain(said).chain(fit.warnings.clone()).collect();
        Ok(Fitted { file, fit, windows: None, warnings })
    }

    fn read(&self, i: usize) -> Read {
        let group = self.groups.iter().position(|g| g.0.contains(&i)).unwrap_or(0);
        let (range, wanted) = &self.groups[group];
        if wanted.len() == 1 || range.len() == self.file.members.len() && self.file.reads_alone() {
            return self.file.open(range.clone())?.fit(i);
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.0 != group {
            let shelf = self.file.open(range.clone())?;
            *last = (group, wanted.iter().map(|w| (*w, shelf.fit(*w))).collect());
        }
        match last.1.iter().position(|r| r.0 == i) {
            Some(k) => last.1.remove(k).1,
            None => self.file.open(range.clone())?.fit(i),
        }
    }
}

fn plain(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
