//! What a fitted damper becomes: the fit, tables, figures, a report and a text.

use super::estimates::{Named, Units, brief, flat, lines, samples, short, table};
use super::remarks;
use crate::product::{Cell, Column, Lazy, Product, Table, pretty, printed};
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip_calibrate::hysteresis::{Element, HysteresisFit};
use stickslip_file::fit::HysteresisFile;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};
use stickslip_report::html::{Page, number};

/// Forces from this on are given in kN, N.
const LARGE: f64 = 1e4;

/// A fitted damper.
pub struct Damped {
    /// The fit file and its data.
    pub file: HysteresisFile,
    /// What came out.
    pub fit: HysteresisFit,
    /// What users should know, the reader's remarks included.
    pub warnings: Vec<String>,
}

impl Damped {
    fn title(&self) -> &str {
        self.file.title.as_deref().unwrap_or("Hysteresis")
    }

    /// kN and mm for an isolator of a structure, N and mm for a damper of a machine.
    fn units(&self) -> Units {
        let force = self.file.data.values[1].iter().fold(0.0, |m: f64, f| m.max(f.abs()));
        if force >= LARGE { Units::Structure } else { Units::Machine }
    }

    fn said(&self) -> [String; 4] {
        let fit = &self.fit;
        [
            format!(
                "Total friction force: {}.",
                short(&self.units().shown(&fit.parameters.friction))
            ),
            format!(
                "Stiffness at a reversal: {}.",
                short(&self.units().shown(&fit.parameters.stiffness))
            ),
            format!(
                "Springs and friction elements leave {} % of the force.",
                number(100.0 * fit.relative, 3)
            ),
            remarks::last_line(&self.warnings),
        ]
    }

    fn estimates(&self) -> [Named<'_>; 5] {
        let p = &self.fit.parameters;
        let named = |name, symbol, meaning, estimate| Named { name, symbol, meaning, estimate };
        [
            named("friction", "F", "force of all friction elements in slip", &p.friction),
            named("stiffness", "K", "stiffness at a reversal", &p.stiffness),
            named("spring", "k", "stiffness without friction", &p.spring),
            named("damping", "c", "viscous damping", &p.damping),
            named("offset", "o", "constant force", &p.offset),
        ]
    }
}

/// Adds everything that a fitted damper leaves.
pub fn export(product: Product, damped: Damped) -> Product {
    let damped = Arc::new(damped);
    let make = |of: fn(&Damped) -> String| {
        let damped = damped.clone();
        move || of(&damped)
    };
    let mut product = product
        .document("fit", make(|d| pretty(&d.fit)))
        .table(curves(&damped))
        .table(spectrum(&damped))
        .figure("loop", make(|d| loops(d).to_svg()))
        .figure("spectrum", make(|d| elements(d).to_svg()))
        .page("report", make(page));
    product.text = Lazy::new(make(|d| printed(|w| text(w, d))));
    product.brief = Some(Lazy::new(make(|d| brief(d.title(), d.said()))));
    product
}

fn curves(damped: &Arc<Damped>) -> Table {
    let columns = [("t", "s"), ("displacement", "m"), ("force", "N"), ("fitted", "N")];
    let damped = damped.clone();
    Table::new("fit", columns.map(|c| Column::new(c.0, c.1)).into(), move |rows| {
        let data = &damped.file.data;
        let fitted = &damped.fit.fitted;
        for (i, t) in data.seconds.iter().enumerate() {
            let [x, f] = [0, 1].map(|c| Cell::finite(data.values[c][i]));
            rows(&[Cell::Number(*t), x, f, Cell::finite(fitted[i])])?;
        }
        Ok(())
    })
}

fn spectrum(damped: &Arc<Damped>) -> Table {
    let columns = [("threshold", "m"), ("stiffness", "N/m"), ("force", "N")];
    let damped = damped.clone();
    Table::new("spectrum", columns.map(|c| Column::new(c.0, c.1)).into(), move |rows| {
        let one = |e: &Element| [e.threshold, e.stiffness, e.force].map(Cell::Number);
        damped.fit.spectrum.iter().try_for_each(|e| rows(&one(e)))
    })
}

/// Values of SI in the units of the page.
fn scaled(damped: &Damped, unit: &'static str, values: &[f64]) -> (Vec<f64>, &'static str) {
    let (factor, unit) = damped.units().of(unit);
    (values.iter().map(|v| factor * v).collect(), unit)
}

fn loops(damped: &Damped) -> Figure<'_> {
    let values = &damped.file.data.values;
    let (x, length) = scaled(damped, "m", &values[0]);
    let (measured, unit) = scaled(damped, "N", &values[1]);
    let (fitted, _) = scaled(damped, "N", &damped.fit.fitted);
    let panel = Panel::new(Axis::linear("displacement", length), Axis::linear("force", unit))
        .line(x.clone(), measured, Style::new(Ink::Sky).width(2.2).label("measured"))
        .line(x, fitted, Style::new(Ink::Vermillion).width(0.8).label("fitted"));
    Figure::new().describe("Force against displacement").panel(panel.height(340.0))
}

fn elements(damped: &Damped) -> Figure<'_> {
    let of = |get: fn(&Element) -> f64| damped.fit.spectrum.iter().map(get).collect::<Vec<f64>>();
    let (threshold, length) = scaled(damped, "m", &of(|e| e.threshold));
    let (force, unit) = scaled(damped, "N", &of(|e| e.force));
    // Each element is a line that stands on the axis.
    let stem = |(&x, &f): (&f64, &f64)| [(x, 0.0), (x, f), (f64::NAN, f64::NAN)];
    let stems: (Vec<f64>, Vec<f64>) = threshold.iter().zip(&force).flat_map(stem).unzip();
    let panel = Panel::new(
        Axis::log("displacement at which an element slides", length),
        Axis::linear("force of the element", unit),
    )
    .horizontal(0.0, Style::new(Ink::Grey).width(0.8))
    .line(stems.0, stems.1, Style::new(Ink::Blue).width(1.4))
    .points(threshold, force, Style::new(Ink::Blue).size(7.0));
    Figure::new()
        .describe("Friction by the displacement at which it lets go")
        .panel(panel.height(240.0))
}

fn text(w: &mut dyn Write, damped: &Damped) -> fmt::Result {
    let fit = &damped.fit;
    writeln!(w, "{}", damped.title())?;
    let digits = |value: f64, count: usize| flat(&number(value, count));
    damped.said().iter().try_for_each(|line| writeln!(w, "{}", flat(line)))?;
    writeln!(
        w,
        "\n{} samples, {} N rms left, {} % of the force; work over the record {} J measured, {} J fitted\n",
        fit.samples,
        digits(fit.rmse, 3),
        digits(100.0 * fit.relative, 2),
        digits(fit.dissipated[0], 4),
        digits(fit.dissipated[1], 4)
    )?;
    lines(w, &damped.estimates(), damped.units())?;
    let [(per_m, length), (per_n, unit)] = ["m", "N"].map(|u| damped.units().of(u));
    writeln!(w, "\n{:>16} {:>16}", format!("slides at, {length}"), format!("force, {unit}"))?;
    let row = |e: &Element| {
        let [at, force] = [per_m * e.threshold, per_n * e.force].map(|v| digits(v, 4));
        writeln!(w, "{at:>16} {force:>16}")
    };
    fit.spectrum.iter().try_for_each(row)
}

fn page(damped: &Damped) -> String {
    let fit = &damped.fit;
    let data = &damped.file.data;
    let mut page = Page::new(damped.title());
    page.subtitle(samples(&data.file, fit.samples, &data.origin));
    page.summary(damped.said());
    remarks::boxes(&mut page, &damped.warnings);
    table(page.section("What was found"), &damped.estimates(), damped.units());
    page.figure(&loops(damped), "Force against displacement, measured and fitted.");
    page.figure(&elements(damped), "The friction by the displacement at which it lets go.");
    page.section("Method");
    page.text(
        "A sum of elements that slide where their springs are stretched by a threshold, parallel to a spring, a damper and a constant \
         force: least squares with numbers ≥ 0 over a grid of thresholds, which has one minimum. From there the thresholds of the \
         elements that are needed move to where the squares are least. Intervals by leaving out one of twelve blocks of the record \
         after the other.",
    );
    remarks::footnote(&mut page, &data.notices);
    page.footer(format!("stickslip {}", env!("CARGO_PKG_VERSION")));
    page.to_html()
}
