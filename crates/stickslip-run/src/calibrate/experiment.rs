//! Calibration on the records of experiments: a pulled slider, a rigid drive, a damper, a valve.

use super::fitted::{Fitted, Question, carried_out};
use crate::context::Context;
use crate::export;
use crate::product::Product;
use stickslip_calibrate::{
    friction_curve as curve, hysteresis, isolator as isolators, pulled_slider, rigid_drive,
    rock_friction, valve as loops,
};
use stickslip_file::fit::{
    DriveFile, FrictionCurveFile, HysteresisFile, IsolatorFile, LawsFile, RockFrictionFile,
    SliderFile, ValveFile,
};
use stickslip_file::{Diagnostic, Result};

/// What is wrong with the record, and where it is.
fn named(file: &str) -> impl Fn(stickslip_calibrate::Error) -> Diagnostic {
    move |e| {
        let remedy = e.remedy().unwrap_or_else(|| "change it in the fit file".to_owned());
        Diagnostic::new(format!("{file}: {e}")).help(remedy)
    }
}

/// A pulled slider.
pub fn slider(file: SliderFile, gathered: &[String], context: &Context<'_>) -> Result<Product> {
    let work = || {
        pulled_slider::slider(&file.data.seconds, &file.data.values[0], &file.rig())
            .map_err(named(&file.data.file))
    };
    let question = Question { file: &file, method: "slips", seed: 0 };
    let Fitted { product, fit, warnings } = carried_out(&question, gathered, context, work)?;
    Ok(export::slider::export(product, export::slider::Seen { file, fit, warnings }))
}

/// A rigid drive.
pub fn drive(file: DriveFile, gathered: &[String], context: &Context<'_>) -> Result<Product> {
    let [position, force] = [0, 1].map(|i| file.data.values[i].as_slice());
    let reference = file.data.values.get(2).map(Vec::as_slice);
    let work = || {
        rigid_drive::drive(&file.data.seconds, position, force, reference, &file.asked())
            .map_err(named(&file.data.file))
    };
    let question = Question { file: &file, method: "least-squares", seed: 0 };
    let Fitted { product, fit, warnings } = carried_out(&question, gathered, context, work)?;
    Ok(export::drive::export(product, export::drive::Driven { file, fit, warnings }))
}

/// A damper or an isolator.
pub fn damper(file: HysteresisFile, gathered: &[String], context: &Context<'_>) -> Result<Product> {
    let [x, force] = [0, 1].map(|i| file.data.values[i].as_slice());
    let work = || {
        hysteresis::hysteresis(&file.data.seconds, x, force, &file.asked())
            .map_err(named(&file.data.file))
    };
    let question = Question { file: &file, method: "convex", seed: 0 };
    let Fitted { product, fit, warnings } = carried_out(&question, gathered, context, work)?;
    Ok(export::damper::export(product, export::damper::Damped { file, fit, warnings }))
}

/// A damper or an isolator by laws with memory.
pub fn laws(file: LawsFile, gathered: &[String], context: &Context<'_>) -> Result<Product> {
    let names: Vec<&str> = file.data.iter().map(|c| c.file.as_str()).collect();
    let found = || hysteresis::laws::laws(&file.records(), file.asked());
    let work = || found().map_err(named(&names.join(", ")));
    let question = Question { file: &file, method: "least-squares", seed: 0 };
    let Fitted { product, fit, warnings } = carried_out(&question, gathered, context, work)?;
    Ok(export::memory_laws::export(product, export::memory_laws::Compared { file, fit, warnings }))
}

/// A control loop with a valve.
pub fn valve(file: ValveFile, gathered: &[String], context: &Context<'_>) -> Result<Product> {
    let [output, process] = [0, 1].map(|i| file.data.values[i].as_slice());
    let setpoint = file.data.values.get(2).map(Vec::as_slice);
    let work = || {
        loops::valve(&file.data.seconds, output, process, setpoint).map_err(named(&file.data.file))
    };
    let question = Question { file: &file, method: "correlation", seed: 0 };
    let Fitted { product, fit, warnings } = carried_out(&question, gathered, context, work)?;
    Ok(export::valve::export(product, export::valve::Looked { file, fit, warnings }))
}

/// Both components of an isolator.
pub fn isolator(file: IsolatorFile, gathered: &[String], context: &Context<'_>) -> Result<Product> {
    let work = || isolators::isolator(&file.test()).map_err(named(&file.data.file));
    let question = Question { file: &file, method: "least-squares", seed: 0 };
    let Fitted { product, fit, warnings } = carried_out(&question, gathered, context, work)?;
    Ok(export::isolator::export(product, export::isolator::Tested { file, fit, warnings }))
}

/// Velocity steps and holds of rock.
pub fn rock_friction(
    file: RockFrictionFile,
    gathered: &[String],
    context: &Context<'_>,
) -> Result<Product> {
    let [place, friction] = [0, 1].map(|i| file.data.values[i].as_slice());
    let work = || {
        rock_friction::rock_friction(&file.data.seconds, place, friction, &file.asked())
            .map_err(named(&file.data.file))
    };
    let question = Question { file: &file, method: "least-squares", seed: 0 };
    let Fitted { product, fit, warnings } = carried_out(&question, gathered, context, work)?;
    Ok(export::rock_friction::export(product, export::rock_friction::Slid { file, fit, warnings }))
}

/// Friction against speed.
pub fn friction_curve(
    file: FrictionCurveFile,
    gathered: &[String],
    context: &Context<'_>,
) -> Result<Product> {
    let work =
        || curve::friction_curve(&file.record(), &file.asked()).map_err(named(&file.data.file));
    let question = Question { file: &file, method: "least-squares", seed: 0 };
    let Fitted { product, fit, warnings } = carried_out(&question, gathered, context, work)?;
    Ok(export::friction_curve::export(
        product,
        export::friction_curve::Seen { file, fit, warnings },
    ))
}
