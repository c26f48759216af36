//! Partial results of one ensemble put together, to the same bits as one run.

use super::partial::Partial;
use crate::context::Context;
use crate::export;
use crate::product::Product;
use crate::summary::Head;
use stickslip_file::{Diagnostic, Reading, Result};

/// What is asked of a merging beside the parts.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Merge {
    /// Quantiles beside 5, 50 and 95 %, as shares.
    pub quantiles: Vec<f64>,
}

/// Merges the partial results in `files`.
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
    let (whole, seconds) = context.timed(|| whole(files, reading));
    let whole = whole?;
    let mut remarks = Vec::new();
    if whole.ensemble.paths().len() > 1 {
        let ranges: Vec<_> =
            whole.ensemble.paths().iter().map(|r| format!("{}..{}", r.start, r.end)).collect();
        remarks.push(format!("paths are missing between {}", ranges.join(" and ")));
    }
    let how = (whole.scheme.as_str(), whole.seed);
    let head = Head::of("merge", &whole.model, how, seconds, &remarks);
    let summary = head.with(export::ensemble::summary(&whole));
    let product = export::ensemble::product(whole, options.quantiles.clone(), summary, Vec::new());
    Ok(Product { inputs: files.to_vec(), ..product.remarks(remarks) })
}

fn whole(files: &[String], reading: &Reading) -> Result<Partial> {
    let mut whole: Option<Partial> = None;
    for file in files {
        let text = reading.resources().read(file).map_err(|e| {
            Diagnostic::new(format!("{file}: cannot be opened: {e}"))
                .help("give the partial results that ensembles have written")
        })?;
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
