//! Calibration on the records of experiments: a pulled slider, a rigid drive.

use super::Calibrate;
use crate::context::Context;
use crate::export::{drive, slider};
use crate::input::Input;
use crate::product::{Lazy, Product};
use crate::summary::Head;
use serde_json::json;
use stickslip_calibrate::{pulled_slider, rigid_drive};
use stickslip_file::fit::{DriveFile, SliderFile, kind};
use stickslip_file::{Diagnostic, Gathered, Remedy, Result};

/// The product of a fit file, if it is that of an experiment.
pub fn calibrate(
    options: &Calibrate,
    input: &Input<'_>,
    gathered: &mut Gathered,
    context: &Context<'_>,
) -> Result<Option<Product>> {
    let root = input.document.root();
    let known = kind(root).filter(|k| ["pulled-slider", "rigid-drive"].contains(k));
    let Some(known) = known else { return Ok(None) };
    if options.windows.is_some() {
        return Err(Diagnostic::command_line(format!(
            "sliding windows were asked for; they apply to records of thermal bearings, and this is `{known}`"
        ))
        .with_remedy(Remedy::Omit("windows")));
    }
    Ok(Some(match known {
        "pulled-slider" => {
            let file = SliderFile::read(root, gathered)?;
            slider_of(file, &gathered.warnings, context)?
        }
        _ => {
            let file = DriveFile::read(root, gathered)?;
            drive_of(file, &gathered.warnings, context)?
        }
    }))
}

/// What is wrong with the record, and where it is.
fn named(file: &str) -> impl Fn(stickslip_calibrate::Error) -> Diagnostic {
    move |e| {
        let remedy = e.remedy().unwrap_or_else(|| "change it in the fit file".to_owned());
        Diagnostic::new(format!("{file}: {e}")).help(remedy)
    }
}

fn slider_of(file: SliderFile, gathered: &[String], context: &Context<'_>) -> Result<Product> {
    context.warn_all(gathered);
    let (found, seconds) = context
        .timed(|| pulled_slider::slider(&file.data.seconds, &file.data.values[0], &file.rig()));
    let mut fit = found.map_err(named(&file.data.file))?;
    fit.seconds = seconds;
    let warnings: Vec<_> = gathered.iter().chain(&fit.warnings).cloned().collect();
    let summary =
        Head::of("calibrate", &file, ("slips", 0), seconds, &warnings).with(json!({ "fit": &fit }));
    let product = Product::new(summary, Lazy::ready("")).remarks(fit.warnings.clone());
    Ok(slider::export(product, slider::Seen { file, fit, warnings }))
}

fn drive_of(file: DriveFile, gathered: &[String], context: &Context<'_>) -> Result<Product> {
    context.warn_all(gathered);
    let [position, force] = [0, 1].map(|i| file.data.values[i].as_slice());
    let reference = file.data.values.get(2).map(Vec::as_slice);
    let (found, seconds) = context.timed(|| {
        rigid_drive::drive(&file.data.seconds, position, force, reference, &file.asked())
    });
    let mut fit = found.map_err(named(&file.data.file))?;
    fit.seconds = seconds;
    let warnings: Vec<_> = gathered.iter().chain(&fit.warnings).cloned().collect();
    let summary = Head::of("calibrate", &file, ("least-squares", 0), seconds, &warnings)
        .with(json!({ "fit": &fit }));
    let product = Product::new(summary, Lazy::ready("")).remarks(fit.warnings.clone());
    Ok(drive::export(product, drive::Driven { file, fit, warnings }))
}
