//! A measured drive.

use super::super::verdict::Tolerance::{AtMost, Relative};
use super::Work;
use stickslip_calibrate::rigid_drive;
use stickslip_file::fit::Records;
use stickslip_file::{Diagnostic, Result};
use stickslip_run::export::drive::{Driven, figures};

pub fn run(w: &mut Work) -> Result<()> {
    if w.measured("emps/emps.csv").is_none() {
        return Ok(());
    }
    let Records::Drive(file) = w.records("drive.toml", include_str!("../../models/drive.toml"))?
    else {
        return Err(Diagnostic::new("drive.toml: another kind of record"));
    };
    let [position, force] = [0, 1].map(|i| file.data.values[i].as_slice());
    let reference = file.data.values.get(2).map(Vec::as_slice);
    let fit = rigid_drive::drive(&file.data.seconds, position, force, reference, &file.asked())
        .map_err(|e| Diagnostic::new(e.to_string()))?;
    let p = &fit.parameters;
    let value = |e: &stickslip_calibrate::Estimate| e.value.unwrap_or(f64::NAN);
    w.verdict("M, kg", (95.1089, "published"), value(&p.mass), Relative(0.01));
    w.verdict("F_{v}, N·s/m", (203.5034, "published"), value(&p.viscous), Relative(0.01));
    w.verdict("F_{c}, N", (20.3935, "published"), value(&p.coulomb), Relative(0.01));
    w.verdict("offset, N", (-3.1648, "published"), value(&p.offset), Relative(0.02));
    w.verdict(
        "residual over the force",
        (0.1, "the law explains the force"),
        fit.relative_residual,
        AtMost,
    );
    let driven = Driven { file, fit, warnings: Vec::new() };
    w.figure(
        "drive.svg",
        &figures::record(&driven),
        "Position, velocity, and the force with what the law says.",
    );
    w.figure(
        "drive-friction.svg",
        &figures::friction(&driven),
        "Friction against velocity, and the law that was found.",
    );
    w.command("stickslip calibrate gallery/drive.toml --set data.file=emps/emps.csv --out drive");
    Ok(())
}
