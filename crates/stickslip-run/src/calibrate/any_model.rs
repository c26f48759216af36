//! Calibration of any model on any record, and of servos.

use super::Watch;
use super::steps::Steps;
use crate::context::Context;
use crate::export;
use crate::product::Product;
use crate::summary::Head;
use serde_json::{Value, json};
use stickslip::Interrupt;
use stickslip_calibrate::models::{self, Family, Question};
use stickslip_calibrate::{Error, joint};
use stickslip_file::fit::{AnyModelFile, Columns, JointFile, ServoFile};
use stickslip_file::{Diagnostic, Kind, Result};

/// Fits the unknowns of a model.
pub fn fitted(
    file: AnyModelFile,
    gathered: (&[String], u64),
    context: &Context<'_>,
) -> Result<Product> {
    let (family, question) = file.asked();
    let drive = file.drive.iter().map(|c| c.si).collect();
    let record = Record { written: json!(&file), title: file.title, data: file.data, drive };
    product((&family, &question), record, (gathered, context))
}

/// Fits the unknowns of a servo.
pub fn servo(
    file: ServoFile,
    gathered: (&[String], u64),
    context: &Context<'_>,
) -> Result<Product> {
    let (family, question) = file.asked()?;
    let drive = vec![file.drive_unit];
    let record = Record { written: json!(&file), title: file.title, data: file.data, drive };
    product((&family, &question), record, (gathered, context))
}

/// Fits the unknowns of a servo to many logs.
pub fn joint(
    file: JointFile,
    (gathered, digest): (&[String], u64),
    context: &Context<'_>,
) -> Result<Product> {
    let watch = Watch { context, alone: true, part: [0.0, 1.0], interrupt: Interrupt::current() };
    let steps = Steps::new(watch, (&json!(&file).to_string(), digest));
    let (found, seconds) = context.timed(|| joint::joint(file.asked(), &steps));
    let name = file.index.as_ref().or(file.files.first()).map_or("", String::as_str);
    let mut fit = found.map_err(|e| refused(name, &e))?;
    fit.seconds = seconds;
    let warnings: Vec<_> = gathered.iter().chain(&fit.warnings).cloned().collect();
    let head = Head::of("calibrate", &file, "global", file.seed).after(seconds).warning(&warnings);
    let product = super::experiment::fitted(&head, &fit, fit.warnings.clone());
    Ok(export::joint::export(product, export::joint::Fitted { file, fit, warnings }))
}

/// What a fit file holds beside the question.
struct Record {
    /// The file with every default filled in.
    written: Value,
    title: Option<String>,
    data: Columns,
    /// Units of the columns that drive.
    drive: Vec<&'static str>,
}

fn product(
    (family, question): (&dyn Family, &Question),
    Record { written, title, data, drive }: Record,
    ((gathered, digest), context): ((&[String], u64), &Context<'_>),
) -> Result<Product> {
    let watch = Watch { context, alone: true, part: [0.0, 1.0], interrupt: Interrupt::current() };
    let steps = Steps::new(watch, (&written.to_string(), digest));
    let (found, seconds) = context.timed(|| models::fit(family, question, &steps));
    let mut fit = found.map_err(|e| refused(&data.file, &e))?;
    fit.seconds = seconds;
    let warnings: Vec<_> = gathered.iter().chain(&fit.warnings).cloned().collect();
    let head =
        Head::of("calibrate", &written, "global", question.seed).after(seconds).warning(&warnings);
    let product = super::experiment::fitted(&head, &fit, fit.warnings.clone());
    let fitted = export::model_fit::Fitted { title, data, drive, fit, warnings };
    Ok(export::model_fit::export(product, fitted))
}

fn refused(file: &str, e: &Error) -> Diagnostic {
    let text = format!("{file}: {e}");
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
