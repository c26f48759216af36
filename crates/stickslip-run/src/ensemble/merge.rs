//! Partial results of one run put together, to the same bits as one run.

use super::SomePaths;
use crate::context::Context;
use crate::export;
use crate::fleet::{self, Reports};
use crate::partial::{self, Content, Whole};
use crate::product::Product;
use crate::summary::Head;
use crate::sweep;
use stickslip_file::{Diagnostic, Reading, Remedy, Result};

/// What is asked of a merging beside the parts.
#[derive(Debug, Clone, Default, PartialEq, clap::Args)]
#[group(skip)]
#[non_exhaustive]
pub struct Merge {
    /// More quantiles for ensemble.csv in addition to 5, 50 and 95 %, as shares: --quantiles 0.01,0.99.
    #[arg(long, value_name = "P,…", value_delimiter = ',', value_parser = crate::typed::share)]
    pub quantiles: Vec<f64>,
    /// Which bearings of a fleet get a report, from their records: alarms, watch (alarms and watched bearings), all or none [default: none].
    #[arg(long, value_name = "WHICH")]
    pub reports: Option<Reports>,
}

impl Merge {
    /// An error if something is asked for that parts of such a run do not have.
    fn check(&self, whole: Whole) -> Result<()> {
        if !self.quantiles.is_empty() && whole != Whole::Ensemble {
            let said = format!("quantiles were asked for; parts of {} have none", whole.one());
            return Err(Diagnostic::command_line(said).with_remedy(Remedy::Omit("quantiles")));
        }
        if self.reports.is_some() && whole != Whole::Fleet {
            let said =
                format!("reports of bearings were asked for; parts of {} have none", whole.one());
            return Err(Diagnostic::command_line(said).with_remedy(Remedy::Omit("reports")));
        }
        Ok(())
    }
}

/// Merges the partial results in `files`, be they of an ensemble, a sweep or a fleet: the first one says which.
///
/// # Errors
/// Where a file is no partial result of this version, and where two of them do not belong to one
/// ensemble or hold the same paths.
pub fn merge(
    options: &Merge,
    files: &[String],
    reading: &Reading,
    context: &Context<'_>,
) -> Result<Product> {
    let whole = match files.first() {
        Some(first) => Whole::named_in(&bytes(first, reading)?),
        None => Whole::Ensemble,
    };
    options.check(whole)?;
    let product = match whole {
        Whole::Ensemble => return merge_paths(options, files, reading, context),
        Whole::Sweep => sweep::merged(parts(files, reading).collect::<Result<_>>()?)?,
        Whole::Fleet => {
            let parts = parts(files, reading).collect::<Result<_>>()?;
            fleet::merged(parts, options.reports.unwrap_or(Reports::None), (reading, context))?
        }
    };
    Ok(Product { inputs: files.to_vec(), ..product })
}

/// The same for the paths of an ensemble alone: a program that has no fleets need not hold what belongs to them.
///
/// # Errors
/// Likewise.
pub fn merge_paths(
    options: &Merge,
    files: &[String],
    reading: &Reading,
    context: &Context<'_>,
) -> Result<Product> {
    let (whole, seconds) = context.timed(|| whole(files, reading));
    let whole = whole?;
    let mut remarks = Vec::new();
    if whole.ensemble.paths().len() > 1 {
        let ranges: Vec<_> =
            whole.ensemble.paths().iter().map(|r| format!("{}..{}", r.start, r.end)).collect();
        remarks.push(format!("paths are missing between {}", ranges.join(" and ")));
    }
    let head =
        Head::of("merge", &whole.model, &whole.scheme, whole.seed).after(seconds).warning(&remarks);
    let summary = head.with(export::ensemble::summary(&whole));
    let product = export::ensemble::product(whole, options.quantiles.clone(), summary, Vec::new());
    Ok(Product { inputs: files.to_vec(), ..product.remarks(remarks) })
}

/// What each of the files holds, with its name.
fn parts<C: Content>(
    files: &[String],
    reading: &Reading,
) -> impl Iterator<Item = Result<(String, C)>> {
    files.iter().map(move |file| Ok((file.clone(), partial::read(file, &bytes(file, reading)?)?)))
}

fn bytes(file: &str, reading: &Reading) -> Result<Vec<u8>> {
    reading.resources().read(file).map(std::borrow::Cow::into_owned).map_err(|e| {
        Diagnostic::new(format!("{file}: cannot be opened: {e}"))
            .help("give the partial results that parts of a run have written")
    })
}

/// The paths of all files: one part at a time is in memory beside what has been merged.
fn whole(files: &[String], reading: &Reading) -> Result<SomePaths> {
    let mut whole: Option<SomePaths> = None;
    for part in parts::<SomePaths>(files, reading) {
        let (file, part) = part?;
        match &mut whole {
            None => whole = Some(part),
            Some(whole) => whole.ensemble.merge(&part.ensemble).map_err(|e| {
                Diagnostic::new(format!("{file}: {e}")).help(
                    "give parts of one ensemble, each once: ranges of paths that do not overlap",
                )
            })?,
        }
    }
    whole.ok_or_else(|| Diagnostic::command_line("no partial result is given"))
}
