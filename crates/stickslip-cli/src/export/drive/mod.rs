//! What a fitted drive becomes: `fit.json`, `fit.csv`, `residuals.csv`, figures, `report.html`, a table.

pub mod figures;
mod page;

use super::Writer;
use super::estimates::{Named, lines};
use crate::file::DriveFile;
use crate::number::exact;
use std::io::{self, Write};
use std::rc::Rc;
use stickslip_calibrate::rigid_drive::DriveFit;

/// A fitted drive.
pub struct Driven {
    /// The fit file and its data.
    pub file: DriveFile,
    /// What came out.
    pub fit: DriveFit,
    /// What users should know, the reader's remarks included.
    pub warnings: Vec<String>,
}

impl Driven {
    fn title(&self) -> &str {
        self.file.title.as_deref().unwrap_or("Rigid drive")
    }

    fn estimates(&self) -> [Named<'_>; 5] {
        let p = &self.fit.parameters;
        let named = |name, symbol, meaning, estimate| Named { name, symbol, meaning, estimate };
        [
            named("M", "M", "moving mass", &p.mass),
            named("F_v", "F_{v}", "viscous friction", &p.viscous),
            named("F_c", "F_{c}", "dry friction while sliding", &p.coulomb),
            named("offset", "O", "constant force", &p.offset),
            named("breakaway", "f_{s}", "dry friction as the drive leaves rest", &p.breakaway),
        ]
    }
}

/// The files, and the table for people.
pub fn export(driven: Driven) -> (Vec<(&'static str, Writer)>, Writer) {
    let driven = Rc::new(driven);
    let make = |write: fn(&mut dyn Write, &Driven) -> io::Result<()>| -> Writer {
        let driven = driven.clone();
        Box::new(move |w| write(w, &driven))
    };
    let files = vec![
        ("fit.json", make(json)),
        ("fit.csv", make(curves)),
        ("residuals.csv", make(residuals)),
        ("record.svg", make(|w, d| svg(w, &figures::record(d)))),
        ("friction.svg", make(|w, d| svg(w, &figures::friction(d)))),
        ("residuals.svg", make(|w, d| svg(w, &figures::residuals(d)))),
        ("simulation.svg", make(|w, d| svg(w, &figures::simulation(d)))),
        ("report.html", make(|w, d| w.write_all(page::html(d).as_bytes()))),
    ];
    (files, make(text))
}

fn svg(w: &mut dyn Write, figure: &stickslip_report::figure::Figure<'_>) -> io::Result<()> {
    w.write_all(figure.to_svg().as_bytes())
}

fn json(w: &mut dyn Write, driven: &Driven) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *w, &driven.fit)?;
    writeln!(w)
}

/// `t,position,velocity,acceleration,force,model,simulated_position,simulated_force`, in SI units; the
/// simulation is the closed loop where the controller is known, else the open loop.
fn curves(w: &mut dyn Write, driven: &Driven) -> io::Result<()> {
    writeln!(w, "t,position,velocity,acceleration,force,model,simulated_position,simulated_force")?;
    let (c, simulation) = (&driven.fit.curves, driven.fit.simulations.first());
    let cell = |v: Option<&f64>| v.filter(|v| v.is_finite()).map(|v| exact(*v)).unwrap_or_default();
    for i in 0..c.time.len() {
        let own = [&c.time, &c.position, &c.velocity, &c.acceleration, &c.force, &c.model];
        let own = own.map(|v| cell(v.get(i))).join(",");
        let x = cell(simulation.and_then(|s| s.position.get(i)));
        let f = cell(simulation.and_then(|s| s.force.get(i)));
        writeln!(w, "{own},{x},{f}")?;
    }
    Ok(())
}

/// `t,residual`: rows of the least squares, N.
fn residuals(w: &mut dyn Write, driven: &Driven) -> io::Result<()> {
    writeln!(w, "t,residual")?;
    let c = &driven.fit.curves;
    for (t, r) in c.row_time.iter().zip(&c.row_residual) {
        writeln!(w, "{},{}", exact(*t), exact(*r))?;
    }
    Ok(())
}

fn text(w: &mut dyn Write, driven: &Driven) -> io::Result<()> {
    let fit = &driven.fit;
    writeln!(w, "{}", driven.title())?;
    writeln!(
        w,
        "{} samples, {} rows of least squares ({} at rest left out), residual {:.3e} N rms, {:.2} % of the \
         force; cut-offs {:?} and {:?} Hz\n",
        fit.samples,
        fit.rows,
        fit.resting,
        fit.rmse,
        100.0 * fit.relative_residual,
        fit.filtering.cutoff,
        fit.filtering.parallel
    )?;
    lines(w, &driven.estimates())?;
    for s in &fit.simulations {
        let force =
            s.force_error.map(|e| format!(", force {:.3} %", 100.0 * e)).unwrap_or_default();
        let (position, velocity) = (100.0 * s.position_error, 100.0 * s.velocity_error);
        writeln!(
            w,
            "\nsimulated, {}: relative error of position {position:.4} % ({:.2e} m rms), velocity {velocity:.3} %{force}",
            s.name, s.position_rmse
        )?;
    }
    Ok(())
}
