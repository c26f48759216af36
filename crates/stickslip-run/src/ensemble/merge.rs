//! Partial results of one run put together, to the same bits as one run.

use super::partial::Partial;
use crate::context::Context;
use crate::export;
use crate::fleet::{self, Reports};
use crate::product::Product;
use crate::summary::Head;
use crate::sweep;
use stickslip_file::{Diagnostic, Reading, Remedy, Result};

/// What is asked of a merging beside the parts.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "command-line", derive(clap::Args), group(skip))]
#[non_exhaustive]
pub struct Merge {
    /// More quantiles for ensemble.csv in addition to 5, 50 and 95 %, as shares: --quantiles 0.01,0.99.
    #[cfg_attr(feature = "command-line", arg(long, value_name = "P,…", value_delimiter = ',', value_parser = crate::typed::share))]
    pub quantiles: Vec<f64>,
    /// Of which bearings of a fleet a report is written, from their records: alarms, watch (those and the watched
    /// ones), all or none [default: none].
    #[cfg_attr(feature = "command-line", arg(long, value_name = "WHICH"))]
    pub reports: Option<Reports>,
}

/// Merges the partial results in `files`, be they of an ensemble, a sweep or a fleet.
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
    if let Some(product) = other_kind(options, files, (reading, context))? {
        return Ok(Product { inputs: files.to_vec(), ..product });
    }
    merge_paths(options, files, reading, context)
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

/// Parts of a fleet or a sweep put together; nothing if they are those of an ensemble.
fn other_kind(
    options: &Merge,
    files: &[String],
    (reading, context): (&Reading, &Context<'_>),
) -> Result<Option<Product>> {
    #[derive(serde::Deserialize)]
    struct Kind {
        kind: Option<String>,
    }
    let Some(first) = files.first() else { return Ok(None) };
    let kind: Option<Kind> = serde_json::from_slice(&bytes(first, reading)?).ok();
    let kind = kind.and_then(|k| k.kind).unwrap_or_default();
    if !options.quantiles.is_empty() && !kind.is_empty() {
        let said = format!("quantiles were asked for; parts of a {kind} have none");
        return Err(Diagnostic::command_line(said).with_remedy(Remedy::Omit("quantiles")));
    }
    if options.reports.is_some() && kind != fleet::KIND {
        let what = if kind.is_empty() { "an ensemble" } else { "a sweep" };
        let said = format!("reports of bearings were asked for; parts of {what} have none");
        return Err(Diagnostic::command_line(said).with_remedy(Remedy::Omit("reports")));
    }
    let texts = || files.iter().map(|file| Ok((file.clone(), bytes(file, reading)?)));
    match kind.as_str() {
        fleet::KIND => {
            let read = |t: Result<(String, Vec<u8>)>| {
                let (name, text) = t?;
                Ok((name.clone(), fleet::Partial::read(&name, &text)?))
            };
            let parts = texts().map(read).collect::<Result<_>>()?;
            let reports = options.reports.unwrap_or(Reports::None);
            fleet::merged(parts, reports, (reading, context)).map(Some)
        }
        sweep::KIND => {
            let read = |t: Result<(String, Vec<u8>)>| {
                let (name, text) = t?;
                Ok((name.clone(), sweep::Partial::read(&name, &text)?))
            };
            sweep::merged(texts().map(read).collect::<Result<_>>()?).map(Some)
        }
        _ => Ok(None),
    }
}

fn bytes(file: &str, reading: &Reading) -> Result<Vec<u8>> {
    reading.resources().read(file).map(std::borrow::Cow::into_owned).map_err(|e| {
        Diagnostic::new(format!("{file}: cannot be opened: {e}"))
            .help("give the partial results that parts of a run have written")
    })
}

fn whole(files: &[String], reading: &Reading) -> Result<Partial> {
    let mut whole: Option<Partial> = None;
    for file in files {
        let text = bytes(file, reading)?;
        let part = Partial::read(file, &text)?;
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
