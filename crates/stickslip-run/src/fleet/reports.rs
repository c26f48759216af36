//! Reports of single bearings. A report is composed when it is asked for, from its record, which is read and fitted again;
//! the next few are composed beside it. No more than the records of one table are in memory.

use super::export::Judgement;
use super::found::Seen;
use super::work::fit;
use crate::each::each_of;
use crate::export::fit::{Fitted, report};
use crate::product::{Lazy, Named};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use stickslip::Interrupt;
use stickslip_calibrate::Fit;
use stickslip_file::fit::Fit as File;
use stickslip_file::{Diagnostic, FleetFile, Result};

/// Reports that are composed side by side.
const TOGETHER: usize = 16;

/// A record with what is to be said of it, or why there is none.
type Read = Result<(File, Vec<String>)>;

/// A bearing that has a report: its place in the fleet, why it stands there, and what was found of it.
struct Wanted {
    bearing: usize,
    reason: String,
    slips: u64,
    rmse: Option<f64>,
}

/// Records of the group of which a report was asked for last, and reports that wait to be asked for.
struct Shelf {
    file: FleetFile,
    wanted: Vec<Wanted>,
    /// The groups of bearings whose records are read together, and those of them that have a report.
    groups: Vec<(Range<usize>, Vec<usize>)>,
    last: Mutex<(usize, Vec<(usize, Read)>)>,
    ready: Mutex<HashMap<usize, String>>,
}

/// The pages of the bearings that have a report.
pub fn pages(file: FleetFile, done: &Judgement) -> Vec<Named> {
    let one = |(i, seen): (usize, &Seen)| {
        let reason = done.judged.verdicts[i].reason.clone();
        Wanted { bearing: i, reason, slips: seen.slips, rmse: seen.rmse }
    };
    let chosen = (0..done.found.len()).filter(|i| done.reports[*i]);
    let wanted: Vec<Wanted> =
        chosen.filter_map(|i| Some(one((i, done.found[i].seen.as_ref().ok()?)))).collect();
    let names: Vec<String> = wanted.iter().map(|w| done.report_name(w.bearing)).collect();
    let inside = |g: &Range<usize>| {
        wanted.iter().map(|w| w.bearing).filter(|i| g.contains(i)).collect::<Vec<_>>()
    };
    let groups = file.groups(0..file.members.len()).into_iter();
    let groups: Vec<(Range<usize>, Vec<usize>)> = groups.map(|g| (g.clone(), inside(&g))).collect();
    let last = Mutex::new((usize::MAX, Vec::new()));
    let ready = Mutex::default();
    let shelf = Arc::new(Shelf { file, wanted, groups, last, ready });
    let page = |(k, name): (usize, String)| {
        let shelf = shelf.clone();
        Named { name, content: Lazy::new(move || shelf.report(k)) }
    };
    names.into_iter().enumerate().map(page).collect()
}

impl Shelf {
    /// Report `k` of those that are wanted.
    fn report(&self, k: usize) -> String {
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(page) = ready.remove(&k) {
            return page;
        }
        drop(ready);
        let group = self.group(k);
        let next = (k..self.wanted.len()).take(TOGETHER).take_while(|n| self.group(*n) == group);
        let composed = each_of(next.collect(), |n| Ok::<_, Diagnostic>((n, self.composed(n))));
        let mut pages: HashMap<usize, String> = composed.into_iter().flatten().collect();
        let page = pages.remove(&k).unwrap_or_default();
        self.ready.lock().unwrap_or_else(PoisonError::into_inner).extend(pages);
        page
    }

    fn composed(&self, k: usize) -> String {
        let wanted = &self.wanted[k];
        match self.read(k).and_then(|read| self.fitted(read, wanted)) {
            Ok(fitted) => report(&fitted),
            Err(e) => {
                let said = plain(&e.to_string());
                format!(
                    "<!doctype html><meta charset=\"utf-8\"><title>No report</title><p>{said}</p>\n"
                )
            }
        }
    }

    fn fitted(&self, (file, said): (File, Vec<String>), wanted: &Wanted) -> Result<Fitted> {
        let named = |e: stickslip_calibrate::Error| Diagnostic::new(e.to_string());
        let fit = fit(&file, &Interrupt::current()).map_err(named)?;
        if !wanted.is(&fit) {
            let said = "its record, or the way in which it is fitted, is no longer the one that was judged";
            return Err(Diagnostic::new(said).help("run the fleet again"));
        }
        let reason = std::iter::once(wanted.reason.clone());
        let warnings = reason.chain(said).chain(fit.warnings.clone()).collect();
        Ok(Fitted { file, fit, windows: None, warnings })
    }

    fn group(&self, k: usize) -> usize {
        let bearing = self.wanted[k].bearing;
        self.groups.iter().position(|g| g.0.contains(&bearing)).unwrap_or(0)
    }

    fn read(&self, k: usize) -> Read {
        let group = self.group(k);
        let i = self.wanted[k].bearing;
        let (range, wanted) = &self.groups[group];
        if wanted.len() == 1 || self.file.reads_alone() {
            return self.file.open(range.clone())?.fit(i);
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.0 != group {
            let shelf = self.file.open(range.clone())?;
            *last = (group, wanted.iter().map(|w| (*w, shelf.fit(*w))).collect());
        }
        match last.1.iter().position(|r| r.0 == i) {
            Some(at) => last.1.remove(at).1,
            None => self.file.open(range.clone())?.fit(i),
        }
    }
}

impl Wanted {
    /// Whether a fit is the one that was judged.
    fn is(&self, fit: &Fit) -> bool {
        let near = |rmse: f64| (rmse - fit.rmse).abs() <= 1e-9 * rmse;
        self.slips == fit.slips as u64 && self.rmse.is_none_or(near)
    }
}

fn plain(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
