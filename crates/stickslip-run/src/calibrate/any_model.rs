//! Calibration of any model on any record, and of servos.

use super::Watch;
use super::fitted::{self, Fitted, carried_out};
use super::steps::Steps;
use crate::context::Context;
use crate::export;
use crate::product::Product;
use serde_json::{Value, json};
use stickslip::Interrupt;
use stickslip_calibrate::models::{self, Family, Question};
use stickslip_calibrate::{Error, joint};
use stickslip_file::fit::{AnyModelFile, Columns, JointFile, ServoFile};
use stickslip_file::{Diagnostic, FailureKind, Result};

/// Fits the unknowns of a model.
pub fn model(
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
    let name = file.index.as_ref().or(file.files.first()).map_or("", String::as_str);
    let work = || joint::joint(file.asked(), &steps).map_err(|e| refused(name, &e));
    let question = fitted::Question { file: &file, method: "global", seed: file.seed };
    let Fitted { product, fit, warnings } = carried_out(&question, gathered, context, work)?;
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
    let work = || models::fit(family, question, &steps).map_err(|e| refused(&data.file, &e));
    let asked = fitted::Question { file: &written, method: "global", seed: question.seed };
    let Fitted { product, fit, warnings } = carried_out(&asked, gathered, context, work)?;
    let fitted = export::model_fit::Fitted { title, data, drive, fit, warnings };
    Ok(export::model_fit::export(product, fitted))
}

fn refused(file: &str, e: &Error) -> Diagnostic {
    let text = format!("{file}: {e}");
    let found = match e {
        Error::Interrupted => return Diagnostic::of(FailureKind::Interrupted, text),
        Error::Unfit(_) => Diagnostic::unsolvable(text),
        _ => Diagnostic::new(text),
    };
    match e.remedy() {
        Some(remedy) => found.help(remedy),
        None => found,
    }
}
