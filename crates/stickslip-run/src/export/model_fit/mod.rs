//! What a fitted model becomes: the fit, tables, figures, a report and a text.

mod figures;
mod page;

use super::estimates::{Named, Units, brief, lines};
use super::motion;
use crate::product::{Cell, Column, Lazy, Product, Table, pretty, printed};
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip_calibrate::models::ModelFit;
use stickslip_file::fit::Columns;

/// A fitted model.
pub struct Fitted {
    /// Heading of the report, if it was given.
    pub title: Option<String>,
    /// The record; its columns are those that drive, then those that were measured.
    pub data: Columns,
    /// Units of the columns that drive.
    pub drive: Vec<&'static str>,
    /// What came out.
    pub fit: ModelFit,
    /// What users should know, the reader's remarks included.
    pub warnings: Vec<String>,
}

impl Fitted {
    fn title(&self) -> &str {
        self.title.as_deref().unwrap_or("Fit of a model")
    }

    fn estimates(&self) -> Vec<Named<'_>> {
        let own = self.fit.parameters.iter().map(|n| {
            let name = n.name.as_str();
            Named { name, symbol: name, meaning: "", estimate: &n.estimate }
        });
        let start = self.fit.start.iter().map(|n| {
            let name = if n.name == "x" { "start of x" } else { "start of v" };
            Named { name, symbol: name, meaning: "", estimate: &n.estimate }
        });
        let tuned = self.fit.measured.iter().flat_map(|m| &m.tuned).map(|t| Named {
            name: t.what,
            symbol: t.what,
            meaning: "of the sensor",
            estimate: &t.estimate,
        });
        own.chain(start).chain(tuned).collect()
    }

    /// `measured` and `fitted`, with the name of what was measured where there are several columns.
    fn column(&self, head: &str, i: usize) -> String {
        let measured = &self.fit.measured;
        if measured.len() == 1 { head.to_owned() } else { format!("{head}_{}", measured[i].what) }
    }
}

/// Adds everything that a fitted model leaves: tables, figures, the report, `fit`.
pub fn export(product: Product, fitted: Fitted) -> Product {
    let fitted = Arc::new(fitted);
    let make = |of: fn(&Fitted) -> String| {
        let fitted = fitted.clone();
        move || of(&fitted)
    };
    let mut product = product
        .document("fit", make(|f| pretty(&f.fit)))
        .table(curves(&fitted))
        .table(events(&fitted))
        .figure("record", make(|f| figures::record(f).to_svg()))
        .figure("residuals", make(figures::residuals));
    product = product.page("report", make(page::html));
    product.text = Lazy::new(make(|f| printed(|w| text(w, f))));
    product.brief = Some(Lazy::new(make(|f| brief(f.title(), page::found(f)))));
    product
}

/// `t`, the columns that drive, `measured` and `fitted` of each measured column, and the phase of the contact, in SI units.
fn curves(fitted: &Arc<Fitted>) -> Table {
    let fit = &fitted.fit;
    let mut columns = vec![Column::new("t", "s")];
    columns.extend(fitted.drive.iter().enumerate().map(|(i, unit)| {
        let name = if fitted.drive.len() == 1 { "drive".to_owned() } else { format!("drive_{i}") };
        Column::new(name, unit)
    }));
    for (i, m) in fit.measured.iter().enumerate() {
        columns.push(Column::new(fitted.column("measured", i), m.unit));
        columns.push(Column::new(fitted.column("fitted", i), m.unit));
    }
    columns.push(Column::new("phase", ""));
    let fitted = fitted.clone();
    Table::new("fit", columns, move |rows| {
        let c = &fitted.fit.curves;
        let drive = &fitted.data.values[..fitted.drive.len()];
        let mut row = Vec::new();
        for (i, t) in c.time.iter().enumerate() {
            row.clear();
            row.push(Cell::Number(*t));
            row.extend(drive.iter().map(|d| Cell::finite(d[i])));
            for (measured, found) in c.measured.iter().zip(&c.fitted) {
                row.push(Cell::finite(measured[i]));
                row.push(Cell::finite(found[i]));
            }
            row.push(c.phase[i].map_or(Cell::Empty, |p| p.name().into()));
            rows(&row)?;
        }
        Ok(())
    })
}

/// The events of the fitted motion.
fn events(fitted: &Arc<Fitted>) -> Table {
    let fitted = fitted.clone();
    Table::new("events", motion::event_columns(false), move |rows| {
        for (e, place) in &fitted.fit.curves.events {
            let place =
                if place.is_empty() { Cell::Empty } else { Cell::Text(place.as_str().into()) };
            rows(&[e.kind.name().into(), e.time.into(), place, e.x.into(), e.v.into()])?;
        }
        Ok(())
    })
}

fn text(w: &mut dyn Write, fitted: &Fitted) -> fmt::Result {
    let fit = &fitted.fit;
    writeln!(w, "{}", fitted.title())?;
    for m in &fit.measured {
        writeln!(
            w,
            "{}: {} samples, {:.3e} {} rms left, {:.2} % of what was measured (noise of the readings {:.1e} {})",
            m.what,
            m.samples,
            m.rmse,
            m.unit,
            100.0 * m.relative,
            m.noise,
            m.unit
        )?;
    }
    writeln!(w)?;
    lines(w, &fitted.estimates(), Units::Si)?;
    for c in &fit.combinations {
        writeln!(w, "{} = {:.6} is known to {:.2} %", c.what, c.value, 100.0 * c.relative_error)?;
    }
    if let Some(comparison) = &fit.comparison {
        writeln!(
            w,
            "\n{:<16} {:>9} {:>12} {:>10} {:>10}",
            "friction law", "left, %", "held out, %", "AIC", "BIC"
        )?;
        for c in &comparison.candidates {
            let left = 100.0 * c.relative;
            let held = 100.0 * c.held_out;
            writeln!(w, "{:<16} {left:>9.3} {held:>12.3} {:>10.1} {:>10.1}", c.law, c.aic, c.bic)?;
        }
        writeln!(w)?;
        for a in &comparison.answers {
            writeln!(w, "{}", a.sentence)?;
        }
    }
    Ok(())
}
