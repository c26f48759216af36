//! Many bearings: fitted one by one, judged together, and one page that says which to look at first.

mod compare;
mod export;
mod found;
mod judge;
mod page;
mod partial;
mod reports;
mod work;

pub use partial::SomeBearings;

use crate::context::Context;
use crate::each::on_threads;
use crate::input::Input;
use crate::part::Part;
use crate::partial::joined;
use crate::product::{Format, Lazy, Product, printed};
use crate::summary::Head;
use export::Judgement;
use found::FoundBearing;
use judge::{Status, judge};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use stickslip_file::{Diagnostic, FleetFile, Journal, Reading, Result};
use work::Work;

/// Of which bearings a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(try_from = "String")]
#[non_exhaustive]
pub enum Reports {
    /// Of those whose friction has changed.
    Alarms,
    /// Of those, and of those that are to be watched.
    #[default]
    Watch,
    /// Of all that could be fitted.
    All,
    /// Of none.
    None,
}

impl TryFrom<String> for Reports {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        text.parse()
    }
}

impl std::str::FromStr for Reports {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "alarms" => Ok(Self::Alarms),
            "watch" => Ok(Self::Watch),
            "all" => Ok(Self::All),
            "none" => Ok(Self::None),
            _ => Err(format!(
                "`{text}` is no choice of reports; expected alarms, watch, all or none"
            )),
        }
    }
}

/// What is asked of a fleet beside its file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, clap::Args)]
#[group(skip)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Fleet {
    /// Run part K of N only, to be merged with the others by `stickslip merge`.
    #[arg(long, value_name = "K/N")]
    pub part: Option<Part>,
    /// Number of threads (default: one for each core); the result does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Which bearings get a report: alarms, watch (alarms and watched bearings), all or none.
    #[arg(long, value_name = "WHICH", default_value = "watch")]
    pub reports: Reports,
}

/// Fits every bearing of a fleet file and says which to look at first. What is found of each is left in `journal` as soon as
/// it is whole; what stands there already is not computed again.
///
/// # Errors
/// Where the fleet file is wrong, a table that holds many bearings cannot be read, nothing can be left in the journal, or
/// the run is cancelled. What is wrong with the record of one bearing is said in its row.
pub fn fleet(
    options: &Fleet,
    input: &Input<'_>,
    journal: &dyn Journal,
    context: &Context<'_>,
) -> Result<Product> {
    let file = FleetFile::read(input.document, input.reading)?;
    context.warn_all(&file.warnings);
    let count = file.members.len();
    let share = options.part.map_or(0..count as u64, |p| p.range(count as u64));
    let range = share.start as usize..share.end as usize;
    let mut work = Work::new(&file, journal, context)?;
    let (found, seconds) = context
        .timed(|| on_threads(options.threads.map_or(0, usize::from), || work.all(range.clone())));
    let found = found?;
    let reused = work.reused();
    let title = file.title.clone().unwrap_or_else(|| "Fleet".to_owned());
    let head = json!({
        "document": input.document.name(), "title": title, "bearings": count,
        "false_discoveries": file.false_discoveries, "changes": file.changes,
    });
    let inputs = file.inputs.clone();
    let warnings = file.warnings.clone();
    let product = match options.part {
        Some(part) => {
            let partial = SomeBearings::new(&file, (input.document.name(), title), share, found);
            partial.product(&head, (&format!("{part}"), seconds), &warnings)
        }
        None => {
            let judged = judge(&found, file.false_discoveries);
            let done = Judgement::new(title, file.false_discoveries, found, judged);
            let done = Judgement { reports: done.wanted(options.reports), ..done };
            let pages = reports::pages(file, &done);
            let mut product = whole(done, &head, ("fleet", seconds, reused), &warnings);
            product.pages.extend(pages);
            product
        }
    };
    Ok(Product { inputs, ..product })
}

/// The product of a fleet of which everything is known.
fn whole(
    done: Judgement,
    head: &Value,
    (command, seconds, reused): (&'static str, f64, u64),
    warnings: &[String],
) -> Product {
    let head = Head::of(command, head, "global", 1).after(seconds).warning(warnings);
    let mut summary = head.with(done.summary());
    if reused > 0 {
        summary["reused"] = reused.into();
    }
    product(Arc::new(done), summary)
}

/// Everything but the reports.
fn product(done: Arc<Judgement>, summary: Value) -> Product {
    let shown = done.clone();
    let said = done.clone();
    let mut product = Product::new(summary, Lazy::new(move || printed(|w| export::text(w, &said))))
        .table(export::table(done))
        .page("index", move || page::html(&shown));
    product.formats =
        [Format::Csv, Format::Parquet].into_iter().filter(|f| f.is_available()).collect();
    product.brief = Some(product.text.clone());
    product
}

/// Puts partial results of a fleet together. For reports the records are read again.
///
/// # Errors
/// Where a file is no partial result of this version, where they are not of one fleet, where bearings are missing or come
/// twice, and where reports are wanted and the fleet file is not what it was.
pub(crate) fn merged(
    parts: Vec<(String, SomeBearings)>,
    reports: Reports,
    (reading, context): (&Reading, &Context<'_>),
) -> Result<Product> {
    let all = joined(parts)?;
    let head = json!({
        "title": all.title, "bearings": all.bearings, "false_discoveries": all.false_discoveries,
    });
    let rate = all.false_discoveries;
    let judged = judge(&all.found, rate);
    let done = Judgement::new(all.title, rate, all.found, judged);
    let done = Judgement { reports: done.wanted(reports), ..done };
    if !done.reports.contains(&true) {
        return Ok(whole(done, &head, ("merge", 0.0, 0), &[]));
    }
    let file = FleetFile::read(&reading.document(&all.document, &[])?, reading)?;
    context.warn_all(&file.warnings);
    let names = file.members.iter().map(|m| &m.name);
    if !names.eq(done.found.iter().map(|f| &f.bearing)) {
        let said = format!("{}: names other bearings than the parts hold", all.document);
        return Err(Diagnostic::new(said).help("run all parts again, or merge without reports"));
    }
    let pages = reports::pages(file, &done);
    let mut product = whole(done, &head, ("merge", 0.0, 0), &[]);
    product.pages.extend(pages);
    Ok(product)
}

/// How many bearings have each status.
fn counts(all: &[judge::Verdict]) -> [(Status, usize); 4] {
    Status::ALL.map(|s| (s, all.iter().filter(|v| v.status == s).count()))
}

/// The bearings in the order in which they are to be looked at.
fn ranking(found: &[FoundBearing], verdicts: &[judge::Verdict]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by(|&a, &b| {
        let x = &verdicts[a];
        let y = &verdicts[b];
        let weight = y.weight.total_cmp(&x.weight);
        x.status.cmp(&y.status).then(weight).then(found[a].bearing.cmp(&found[b].bearing))
    });
    order
}
