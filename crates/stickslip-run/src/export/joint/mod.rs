//! What a servo that was fitted to many logs becomes: the fit, tables, figures, a report and a text.

mod figures;
mod page;
mod words;

use super::estimates::{Named, Units, brief, lines};
use crate::product::{Cell, Column, Lazy, Product, Table, pretty, printed};
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip_calibrate::joint::Fit;
use stickslip_file::fit::JointFile;

/// A fitted servo.
pub struct Fitted {
    /// The fit file and its logs.
    pub file: JointFile,
    /// What came out.
    pub fit: Fit,
    /// What users should know, the reader's remarks included.
    pub warnings: Vec<String>,
}

impl Fitted {
    fn title(&self) -> &str {
        self.file.title.as_deref().unwrap_or("Servo")
    }

    fn estimates(&self) -> Vec<Named<'_>> {
        let named = self.fit.parameters.iter().map(|n| {
            let name = n.name.as_str();
            Named { name, symbol: name, meaning: "", estimate: &n.estimate }
        });
        named.collect()
    }

    /// The logs that are scored: those that were held out, or all.
    fn scored(&self) -> Vec<usize> {
        let held = self.fit.logs.iter().any(|l| l.held_out);
        (0..self.fit.logs.len()).filter(|&i| self.fit.logs[i].held_out == held).collect()
    }
}

/// Adds everything that a fitted servo leaves: tables, figures, the report, `fit`.
pub fn export(product: Product, fitted: Fitted) -> Product {
    let fitted = Arc::new(fitted);
    let make = |of: fn(&Fitted) -> String| {
        let fitted = fitted.clone();
        move || of(&fitted)
    };
    let mut product = product
        .document("fit", make(|f| pretty(&f.fit)))
        .table(curves(&fitted))
        .table(records(&fitted))
        .figure("record", make(|f| figures::logs(f).to_svg()))
        .figure("friction", make(|f| figures::friction(f).to_svg()))
        .page("report", make(page::html));
    if !fitted.fit.terms.is_empty() {
        product = product.figure("terms", make(|f| figures::terms(f).to_svg()));
    }
    if !fitted.fit.by.is_empty() {
        product = product.figure("groups", make(|f| figures::groups(f).to_svg()));
    }
    product.text = Lazy::new(make(|f| printed(|w| text(w, f))));
    product.brief = Some(Lazy::new(make(|f| brief(f.title(), page::found(f)))));
    product
}

/// Every row of every log: what was sent, what was measured, what the fitted joint does.
fn curves(fitted: &Arc<Fitted>) -> Table {
    let columns = [
        ("log", ""),
        ("t", "s"),
        ("goal", "rad"),
        ("measured", "rad"),
        ("fitted", "rad"),
        ("error", "rad"),
    ];
    let fitted = fitted.clone();
    Table::new("fit", columns.map(|c| Column::new(c.0, c.1)).into(), move |rows| {
        let logs = fitted.file.asked().logs.iter();
        for ((given, angles), errors) in logs.zip(&fitted.fit.angles).zip(&fitted.fit.errors) {
            let log = &given.log;
            for i in 0..log.time.len() {
                rows(&[
                    Cell::Text(given.file.as_str().into()),
                    log.time[i].into(),
                    log.goal[i].into(),
                    Cell::finite(log.position[i]),
                    angles[i].into(),
                    errors.get(i).map_or(Cell::Empty, |e| Cell::finite(*e)),
                ])?;
            }
        }
        Ok(())
    })
}

/// Each log with its error.
fn records(fitted: &Arc<Fitted>) -> Table {
    let columns =
        [("log", ""), ("held_out", ""), ("error", "rad"), ("repeatability", "rad"), ("spikes", "")];
    let fitted = fitted.clone();
    Table::new("records", columns.map(|c| Column::new(c.0, c.1)).into(), move |rows| {
        for log in &fitted.fit.logs {
            rows(&[
                Cell::Text(log.file.as_str().into()),
                f64::from(u8::from(log.held_out)).into(),
                Cell::finite(log.error),
                log.repeatability.map_or(Cell::Empty, Cell::finite),
                (log.spikes as f64).into(),
            ])?;
        }
        Ok(())
    })
}

fn text(w: &mut dyn Write, fitted: &Fitted) -> fmt::Result {
    let fit = &fitted.fit;
    writeln!(w, "{}", fitted.title())?;
    for line in page::errors(fitted) {
        writeln!(w, "{line}")?;
    }
    writeln!(w)?;
    lines(w, &fitted.estimates(), Units::Si)?;
    if !fit.terms.is_empty() {
        writeln!(w, "\nmean absolute error without a term, rad:")?;
    }
    for t in &fit.terms {
        let verdict = if t.earns_its_place { "" } else { "  (it can be left out)" };
        writeln!(w, "  {:<44} {:.5}{verdict}", t.term, t.error_without)?;
    }
    if let Some(bristle) = &fit.bristle {
        writeln!(w, "\n{}", page::said(&bristle.reason))?;
    }
    if !fit.undetermined.is_empty() {
        writeln!(w, "\nNot determined by these logs:")?;
    }
    fit.undetermined.iter().try_for_each(|u| writeln!(w, "  {}", u.reason))
}
