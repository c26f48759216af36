//! Calibration on the records of experiments: a pulled slider, a rigid drive, a damper, a valve.

use crate::context::Context;
use crate::export::{self, remarks};
use crate::product::{Lazy, Product};
use crate::summary::Head;
use serde::Serialize;
use serde_json::json;
use stickslip_calibrate::{
    friction_curve as curve, hysteresis, pulled_slider, rigid_drive, rock_friction, valve as loops,
};
use stickslip_file::fit::{
    DriveFile, FrictionCurveFile, HysteresisFile, LawsFile, RockFrictionFile, SliderFile, ValveFile,
};
use stickslip_file::{Diagnostic, Result};

/// What is wrong with the record, and where it is.
fn named(file: &str) -> impl Fn(stickslip_calibrate::Error) -> Diagnostic {
    move |e| {
        let remedy = e.remedy().unwrap_or_else(|| "change it in the fit file".to_owned());
        Diagnostic::new(format!("{file}: {e}")).help(remedy)
    }
}

/// What all fits return alike; text and figures are put to it.
pub(super) fn fitted(
    head: &Head<'_, impl Serialize>,
    fit: &impl Serialize,
    warnings: Vec<String>,
) -> Product {
    let own = remarks::sorted(warnings);
    let mut fit = serde_json::to_value(fit).unwrap_or_default();
    fit["warning_weights"] = remarks::names(&own);
    fit["warnings"] = own.clone().into();
    Product::new(head.with(json!({ "fit": fit })), Lazy::ready("")).remarks(own)
}

/// A pulled slider.
pub fn slider(file: SliderFile, gathered: &[String], context: &Context<'_>) -> Result<Product> {
    let (found, seconds) = context
        .timed(|| pulled_slider::slider(&file.data.seconds, &file.data.values[0], &file.rig()));
    let mut fit = found.map_err(named(&file.data.file))?;
    fit.seconds = seconds;
    let warnings: Vec<_> = gathered.iter().chain(&fit.warnings).cloned().collect();
    let head = Head::of("calibrate", &file, "slips", 0).after(seconds).warning(&warnings);
    let product = fitted(&head, &fit, fit.warnings.clone());
    Ok(export::slider::export(product, export::slider::Seen { file, fit, warnings }))
}

/// A rigid drive.
pub fn drive(file: DriveFile, gathered: &[String], context: &Context<'_>) -> Result<Product> {
    let [position, force] = [0, 1].map(|i| file.data.values[i].as_slice());
    let reference = file.data.values.get(2).map(Vec::as_slice);
    let (found, seconds) = context.timed(|| {
        rigid_drive::drive(&file.data.seconds, position, force, reference, &file.asked())
    });
    let mut fit = found.map_err(named(&file.data.file))?;
    fit.seconds = seconds;
    let warnings: Vec<_> = gathered.iter().chain(&fit.warnings).cloned().collect();
    let head = Head::of("calibrate", &file, "least-squares", 0).after(seconds).warning(&warnings);
    let product = fitted(&head, &fit, fit.warnings.clone());
    Ok(export::drive::export(product, export::drive::Driven { file, fit, warnings }))
}

/// A damper or an isolator.
pub fn damper(file: HysteresisFile, gathered: &[String], context: &Context<'_>) -> Result<Product> {
    let [x, force] = [0, 1].map(|i| file.data.values[i].as_slice());
    let (found, seconds) =
        context.timed(|| hysteresis::hysteresis(&file.data.seconds, x, force, &file.asked()));
    let mut fit = found.map_err(named(&file.data.file))?;
    fit.seconds = seconds;
    let warnings: Vec<_> = gathered.iter().chain(&fit.warnings).cloned().collect();
    let head = Head::of("calibrate", &file, "convex", 0).after(seconds).warning(&warnings);
    let product = fitted(&head, &fit, fit.warnings.clone());
    Ok(export::damper::export(product, export::damper::Damped { file, fit, warnings }))
}

/// A damper or an isolator by laws with memory.
pub fn laws(file: LawsFile, gathered: &[String], context: &Context<'_>) -> Result<Product> {
    let (found, seconds) = context.timed(|| hysteresis::laws::laws(&file.records(), file.asked()));
    let names: Vec<&str> = file.data.iter().map(|c| c.file.as_str()).collect();
    let mut fit = found.map_err(named(&names.join(", ")))?;
    fit.seconds = seconds;
    let warnings: Vec<_> = gathered.iter().chain(&fit.warnings).cloned().collect();
    let head = Head::of("calibrate", &file, "least-squares", 0).after(seconds).warning(&warnings);
    let product = fitted(&head, &fit, fit.warnings.clone());
    Ok(export::memory_laws::export(product, export::memory_laws::Compared { file, fit, warnings }))
}

/// A control loop with a valve.
pub fn valve(file: ValveFile, gathered: &[String], context: &Context<'_>) -> Result<Product> {
    let [output, process] = [0, 1].map(|i| file.data.values[i].as_slice());
    let setpoint = file.data.values.get(2).map(Vec::as_slice);
    let (found, seconds) =
        context.timed(|| loops::valve(&file.data.seconds, output, process, setpoint));
    let mut fit = found.map_err(named(&file.data.file))?;
    fit.seconds = seconds;
    let warnings: Vec<_> = gathered.iter().chain(&fit.warnings).cloned().collect();
    let head = Head::of("calibrate", &file, "correlation", 0).after(seconds).warning(&warnings);
    let product = fitted(&head, &fit, fit.warnings.clone());
    Ok(export::valve::export(product, export::valve::Looked { file, fit, warnings }))
}

/// Velocity steps and holds of rock.
pub fn rock_friction(
    file: RockFrictionFile,
    gathered: &[String],
    context: &Context<'_>,
) -> Result<Product> {
    let [place, friction] = [0, 1].map(|i| file.data.values[i].as_slice());
    let (found, seconds) = context
        .timed(|| rock_friction::rock_friction(&file.data.seconds, place, friction, &file.asked()));
    let mut fit = found.map_err(named(&file.data.file))?;
    fit.seconds = seconds;
    let warnings: Vec<_> = gathered.iter().chain(&fit.warnings).cloned().collect();
    let head = Head::of("calibrate", &file, "least-squares", 0).after(seconds).warning(&warnings);
    let product = fitted(&head, &fit, fit.warnings.clone());
    Ok(export::rock_friction::export(product, export::rock_friction::Slid { file, fit, warnings }))
}

/// Friction against speed.
pub fn friction_curve(
    file: FrictionCurveFile,
    gathered: &[String],
    context: &Context<'_>,
) -> Result<Product> {
    let (found, seconds) = context.timed(|| curve::friction_curve(&file.record(), &file.asked()));
    let mut fit = found.map_err(named(&file.data.file))?;
    fit.seconds = seconds;
    let warnings: Vec<_> = gathered.iter().chain(&fit.warnings).cloned().collect();
    let head = Head::of("calibrate", &file, "least-squares", 0).after(seconds).warning(&warnings);
    let product = fitted(&head, &fit, fit.warnings.clone());
    Ok(export::friction_curve::export(
        product,
        export::friction_curve::Seen { file, fit, warnings },
    ))
}
