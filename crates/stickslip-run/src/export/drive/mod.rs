//! What a fitted drive becomes: the fit, tables, figures, a report and a text.

pub mod figures;
mod page;

use super::estimates::{Named, Units, brief, lines};
use crate::product::{Cell, Column, Lazy, Product, Table, pretty, printed};
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip_calibrate::rigid_drive::DriveFit;
use stickslip_file::fit::DriveFile;

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

    fn estimates(&self) -> Vec<Named<'_>> {
        let p = &self.fit.parameters;
        let named = |name, symbol, meaning, estimate| Named { name, symbol, meaning, estimate };
        let mut all = vec![
            named("M", "M", "moving mass", &p.mass),
            named("F_v", "F_{v}", "viscous friction", &p.viscous),
            named("F_c", "F_{c}", "dry friction while sliding", &p.coulomb),
            named("offset", "O", "constant force", &p.offset),
            named("breakaway", "f_{s}", "dry friction as the drive leaves rest", &p.breakaway),
        ];
        if let Some(f) = &self.fit.falling {
            all.push(named(
                "falls by",
                "ΔF",
                "what the friction loses from rest to sliding",
                &f.by,
            ));
            all.push(named("within", "v_{s}", "the velocity within which it does", &f.within));
        }
        all
    }
}

/// Adds everything that a fitted drive leaves: tables, figures, the report, `fit`.
pub fn export(product: Product, driven: Driven) -> Product {
    let driven = Arc::new(driven);
    let make = |of: fn(&Driven) -> String| {
        let driven = driven.clone();
        move || of(&driven)
    };
    let mut product = product
        .document("fit", make(|d| pretty(&d.fit)))
        .table(curves(&driven))
        .table(residuals(&driven))
        .figure("record", make(|d| figures::record(d).to_svg()))
        .figure("friction", make(|d| figures::friction(d).to_svg()))
        .figure("residuals", make(|d| figures::residuals(d).to_svg()))
        .figure("simulation", make(|d| figures::simulation(d).to_svg()))
        .page("report", make(page::html));
    product.text = Lazy::new(make(|d| printed(|w| text(w, d))));
    product.brief = Some(Lazy::new(make(|d| brief(d.title(), page::found(d)))));
    product
}

/// The record, the fitted model and the simulation, in SI units; the simulation is the closed loop
/// where the controller is known, else the open loop.
fn curves(driven: &Arc<Driven>) -> Table {
    let columns = [
        ("t", "s"),
        ("position", "m"),
        ("velocity", "m/s"),
        ("acceleration", "m/s²"),
        ("force", "N"),
        ("model", "N"),
        ("simulated_position", "m"),
        ("simulated_force", "N"),
    ];
    let driven = driven.clone();
    Table::new("fit", columns.map(|c| Column::new(c.0, c.1)).into(), move |rows| {
        let c = &driven.fit.curves;
        let simulation = driven.fit.simulations.first();
        let none = Vec::new();
        let simulated = simulation.map_or([&none, &none], |s| [&s.position, &s.force]);
        let own = [&c.time, &c.position, &c.velocity, &c.acceleration, &c.force, &c.model];
        let all = own.into_iter().chain(simulated).collect::<Vec<_>>();
        let cell =
            |column: &Vec<f64>, i: usize| column.get(i).map_or(Cell::Empty, |v| Cell::finite(*v));
        for i in 0..c.time.len() {
            rows(&all.iter().map(|column| cell(column, i)).collect::<Vec<_>>())?;
        }
        Ok(())
    })
}

/// `t,residual`: rows of the least squares, N.
fn residuals(driven: &Arc<Driven>) -> Table {
    let columns = vec![Column::new("t", "s"), Column::new("residual", "N")];
    let driven = driven.clone();
    Table::new("residuals", columns, move |rows| {
        let c = &driven.fit.curves;
        c.row_time
            .iter()
            .zip(&c.row_residual)
            .try_for_each(|(t, r)| rows(&[(*t).into(), (*r).into()]))
    })
}

fn text(w: &mut dyn Write, driven: &Driven) -> fmt::Result {
    let fit = &driven.fit;
    writeln!(w, "{}", driven.title())?;
    writeln!(
        w,
        "{} samples, {} rows of least squares ({} at rest and {} next to jumps of the velocity left out), residual {:.3e} N rms, {:.2} % of the \
         force; cut-offs {:?} and {:?} Hz\n",
        fit.samples,
        fit.rows,
        fit.resting,
        fit.next_to_corners,
        fit.rmse,
        100.0 * fit.relative_residual,
        fit.filtering.cutoff,
        fit.filtering.parallel
    )?;
    lines(w, &driven.estimates(), Units::Si)?;
    for s in &fit.simulations {
        let force =
            s.force_error.map(|e| format!(", force {:.3} %", 100.0 * e)).unwrap_or_default();
        let position = 100.0 * s.position_error;
        let velocity = 100.0 * s.velocity_error;
        writeln!(
            w,
            "\nsimulated, {}: relative error of position {position:.4} % ({:.2e} m rms), velocity {velocity:.3} %{force}",
            s.name, s.position_rmse
        )?;
    }
    Ok(())
}
