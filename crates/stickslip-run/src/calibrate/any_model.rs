//! Calibration of any model on any record.

use super::Watch;
use crate::context::Context;
use crate::export;
use crate::product::{Lazy, Product};
use crate::summary::Head;
use serde_json::json;
use stickslip::Interrupt;
use stickslip_calibrate::{Error, models};
use stickslip_file::fit::AnyModelFile;
use stickslip_file::{Diagnostic, Kind, Result};

/// Fits the unknowns of a model.
pub fn fitted(file: AnyModelFile, gathered: &[String], context: &Context<'_>) -> Result<Product> {
    let (family, question) = file.asked();
    let watch = Watch { context, alone: true, part: [0.0, 1.0], interrupt: Interrupt::current() };
    let (found, seconds) = context.timed(|| models::fit(&family, &question, &watch));
    let mut fit = found.map_err(|e| refused(&file, &e))?;
    fit.seconds = seconds;
    let warnings: Vec<_> = gathered.iter().chain(&fit.warnings).cloned().collect();
    let head = Head::of("calibrate", &file, ("global", file.seed), seconds, &warnings);
    let summary = head.with(json!({ "fit": &fit }));
    let product = Product::new(summary, Lazy::ready("")).remarks(fit.warnings.clone());
    Ok(export::model_fit::export(product, export::model_fit::Fitted { file, fit, warnings }))
}

fn refused(file: &AnyModelFile, e: &Error) -> Diagnostic {
    let text = format!("{}: {e}", file.data.file);
    let found = match e {
        Error::Interrupted => return Diagnostic::of(Kind::Interrupted, text),
        Error::Unfit(_) => Diagnostic::unsolvable(text),
        _ => Diagnostic::new(text),
    };
    match e.remedy() {
        Some(remedy) => found.help(remedy),
        None => found,
    }
}
