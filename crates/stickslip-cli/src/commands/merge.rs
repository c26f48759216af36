//! `stickslip merge`: partial results of one ensemble put together, to the same bits as one run.

use super::Job;
use crate::args::Merge;
use crate::export::partial::Partial;
use crate::export::{self, Product, summary::Head};
use crate::fault::{Fault, Result};
use std::path::PathBuf;
use std::time::Instant;

/// Parts to be put together.
pub struct Parts {
    files: Vec<PathBuf>,
    whole: Partial,
    seconds: f64,
    quantiles: Vec<f64>,
}

/// Reads the files and puts them together.
pub fn read(args: &Merge) -> Result<Parts> {
    let clock = Instant::now();
    let mut whole: Option<Partial> = None;
    for file in &args.files {
        let part = Partial::read(file)?;
        match &mut whole {
            None => whole = Some(part),
            Some(whole) => whole.ensemble.merge(&part.ensemble).map_err(|e| {
                Fault::new(format!("{}: {e}", file.display()))
                    .help("give parts of one ensemble, each once: `stickslip ensemble MODEL.toml --paths FROM..TO`")
            })?,
        }
    }
    let whole = whole.ok_or_else(|| Fault::command_line("no file is given"))?;
    Ok(Parts {
        files: args.files.clone(),
        whole,
        seconds: clock.elapsed().as_secs_f64(),
        quantiles: args.quantiles.clone(),
    })
}

impl Job for Parts {
    fn title(&self) -> &'static str {
        "merging"
    }

    fn inputs(&self) -> &[PathBuf] {
        &self.files
    }

    fn warnings(&self) -> &[String] {
        &[]
    }

    fn solve(self: Box<Self>) -> Result<Product> {
        let Self { whole, seconds, quantiles, .. } = *self;
        let mut remarks = Vec::new();
        if whole.ensemble.paths().len() > 1 {
            let ranges: Vec<_> =
                whole.ensemble.paths().iter().map(|r| format!("{}..{}", r.start, r.end)).collect();
            remarks.push(format!("paths are missing between {}", ranges.join(" and ")));
        }
        let how = (whole.scheme.as_str(), whole.seed);
        let head = Head::of("merge", &whole.model, how, seconds, &remarks);
        let summary = head.with(export::ensemble::summary(&whole));
        Ok(export::ensemble::product(whole, quantiles, summary, remarks, Vec::new()))
    }
}
