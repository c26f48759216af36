//! What compared laws with memory become: the fit, tables, a figure, a report and a text.

use super::estimates::{Named, Units, brief, flat, lines, table as estimates};
use super::remarks;
use crate::product::{Cell, Column, Lazy, Product, Table, pretty, printed};
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip_calibrate::hysteresis::laws::{LawFit, LawsFit, Predicted};
use stickslip_file::fit::{Columns, LawsFile};
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};
use stickslip_report::html::{Page, number};

/// Forces from this on are given in kN, N.
const LARGE: f64 = 1e4;

/// Compared laws.
pub struct Compared {
    /// The fit file and its data.
    pub file: LawsFile,
    /// What came out.
    pub fit: LawsFit,
    /// What users should know, the reader's remarks included.
    pub warnings: Vec<String>,
}

impl Compared {
    fn title(&self) -> &str {
        self.file.title.as_deref().unwrap_or("Laws with memory")
    }

    fn best(&self) -> &LawFit {
        &self.fit.laws[0]
    }

    fn all(&self) -> impl Iterator<Item = &Columns> {
        self.file.data.iter().chain(&self.file.predicted)
    }

    fn units(&self) -> Units {
        let forces = self.all().flat_map(|c| &c.values[1]);
        let most = forces.fold(0.0, |m: f64, f| m.max(f.abs()));
        if most >= LARGE { Units::Structure } else { Units::Machine }
    }

    fn said(&self) -> Vec<String> {
        let best = self.best();
        let mut all = vec![format!(
            "`{}` predicts cycles that it has not seen with {} % of the force.",
            best.law,
            number(100.0 * best.relative, 3)
        )];
        let equal: Vec<String> = self.fit.laws[1..]
            .iter()
            .filter(|l| !l.worse)
            .map(|l| format!("`{}`", l.law))
            .collect();
        if !equal.is_empty() {
            all.push(format!("These records do not tell it apart from {}.", equal.join(", ")));
        }
        for (i, r) in best.records.iter().enumerate().filter(|(_, r)| r.held) {
            let one = |law: &LawFit| {
                let r = &law.records[i];
                let error = number(100.0 * r.of_peak, 2);
                let work = number(100.0 * r.dissipated[1] / r.dissipated[0], 3);
                format!("`{}` {error} % and {work} %", law.law)
            };
            let each: Vec<String> = self.fit.laws.iter().map(one).collect();
            all.push(format!(
                "Nothing was fitted to {}: error by its greatest force and work by that measured are {}.",
                r.record,
                each.join(", ")
            ));
        }
        all.push(remarks::last_line(&self.warnings));
        all
    }

    fn estimates(&self) -> Vec<Named<'_>> {
        let named =
            |p: &'_ stickslip_calibrate::hysteresis::laws::Parameter| (p.name, meaning(p.name));
        self.best()
            .parameters
            .iter()
            .map(|p| {
                let (name, meaning) = named(p);
                Named { name, symbol: name, meaning, estimate: &p.estimate }
            })
            .collect()
    }
}

/// What a number is, by its key.
fn meaning(key: &str) -> &'static str {
    match key {
        "force" => "force at which it yields",
        "static" => "force at which it yields at rest",
        "dynamic" => "force at which it yields at speed",
        "velocity" => "Stribeck velocity",
        "stiffness" => "stiffness of its bristle",
        "damping" => "damping of its bristle",
        "beta" | "gamma" => "shape of the loop",
        "exponent" => "how sharply it yields",
        "force_up" => "force towards larger displacements",
        "force_down" => "force towards smaller displacements",
        "gap" => "play",
        "length_up" => "travel of its spring, larger displacements",
        "length_down" => "travel of its spring, smaller displacements",
        "power" => "power of its spring",
        "offset" => "constant force",
        "spring" => "spring in parallel",
        "damper" => "damper in parallel",
        _ => "",
    }
}

/// Adds everything that compared laws leave.
pub fn export(product: Product, compared: Compared) -> Product {
    let compared = Arc::new(compared);
    let make = |of: fn(&Compared) -> String| {
        let compared = compared.clone();
        move || of(&compared)
    };
    let mut product = product
        .document("fit", make(|c| pretty(&c.fit)))
        .table(curves(&compared))
        .table(errors(&compared))
        .figure("loop", make(|c| loops(c).to_svg()))
        .page("report", make(page));
    product.text = Lazy::new(make(|c| printed(|w| text(w, c))));
    product.brief = Some(Lazy::new(make(|c| brief(c.title(), c.said()))));
    product
}

/// The law that predicts best, row by row.
fn curves(compared: &Arc<Compared>) -> Table {
    let columns =
        [("record", ""), ("t", "s"), ("displacement", "m"), ("force", "N"), ("fitted", "N")];
    let compared = compared.clone();
    Table::new("fit", columns.map(|c| Column::new(c.0, c.1)).into(), move |rows| {
        for (columns, given) in compared.all().zip(&compared.best().records) {
            for (i, t) in columns.seconds.iter().enumerate() {
                let [x, f] = [0, 1].map(|c| Cell::finite(columns.values[c][i]));
                let name = || Cell::Text(columns.file.as_str().into());
                rows(&[name(), Cell::Number(*t), x, f, Cell::finite(given.force[i])])?;
            }
        }
        Ok(())
    })
}

/// The errors of every law on every record.
fn errors(compared: &Arc<Compared>) -> Table {
    let columns = [
        ("law", ""),
        ("record", ""),
        ("rmse", "N"),
        ("of_force", "1"),
        ("of_peak", "1"),
        ("measured_work", "J"),
        ("fitted_work", "J"),
    ];
    let compared = compared.clone();
    Table::new("records", columns.map(|c| Column::new(c.0, c.1)).into(), move |rows| {
        for law in &compared.fit.laws {
            for r in &law.records {
                let Predicted { record, rmse, of_force, of_peak, dissipated, .. } = r;
                let numbers = [*rmse, *of_force, *of_peak, dissipated[0], dissipated[1]];
                let mut cells =
                    vec![Cell::Text(law.law.into()), Cell::Text(record.as_str().into())];
                cells.extend(numbers.map(Cell::finite));
                rows(&cells)?;
            }
        }
        Ok(())
    })
}

fn loops(compared: &Compared) -> Figure<'_> {
    let (per_m, length) = compared.units().of("m");
    let (per_n, unit) = compared.units().of("N");
    let mut figure = Figure::new().describe("Force against displacement");
    for (columns, given) in compared.all().zip(&compared.best().records) {
        let scaled = |values: &[f64], by: f64| values.iter().map(|v| by * v).collect::<Vec<f64>>();
        let x = scaled(&columns.values[0], per_m);
        let named = if given.held { "predicted" } else { "fitted" };
        let panel = Panel::new(
            Axis::linear(format!("displacement, {}", columns.file), length),
            Axis::linear("force", unit),
        )
        .line(
            x.clone(),
            scaled(&columns.values[1], per_n),
            Style::new(Ink::Sky).width(2.2).label("measured"),
        )
        .line(
            x,
            scaled(&given.force, per_n),
            Style::new(Ink::Vermillion).width(0.8).label(named),
        );
        figure = figure.panel(panel.height(300.0));
    }
    figure
}

fn text(w: &mut dyn Write, compared: &Compared) -> fmt::Result {
    writeln!(w, "{}", compared.title())?;
    compared.said().iter().try_for_each(|line| writeln!(w, "{}", flat(line)))?;
    writeln!(
        w,
        "\n{} samples, {} cycles\n\n{:<14} {:>8} {:>18} {:>20}",
        compared.fit.samples,
        compared.fit.cycles,
        "law",
        "numbers",
        "held out, % of F",
        "told to be worse"
    )?;
    for law in &compared.fit.laws {
        let error = flat(&number(100.0 * law.relative, 3));
        let worse = if law.worse { "yes" } else { "no" };
        writeln!(w, "{:<14} {:>8} {error:>18} {worse:>20}", law.law, law.sought)?;
    }
    writeln!(w, "\n{}", compared.best().law)?;
    lines(w, &compared.estimates(), compared.units())
}

fn page(compared: &Compared) -> String {
    let best = compared.best();
    let mut page = Page::new(compared.title());
    let files: Vec<&str> = compared.file.data.iter().map(|c| c.file.as_str()).collect();
    page.subtitle(format!(
        "{}: {} samples, {} cycles",
        files.join(", "),
        compared.fit.samples,
        compared.fit.cycles
    ));
    page.summary(compared.said());
    remarks::boxes(&mut page, &compared.warnings);
    let heading = page.section(format!("The numbers of {}", best.law));
    estimates(heading, &compared.estimates(), compared.units());
    let of = |l: &LawFit| format!("{}: {} %", l.law, number(100.0 * l.relative, 3));
    page.section("Laws by what they leave of cycles that they have not seen");
    page.text(compared.fit.laws.iter().map(of).collect::<Vec<_>>().join("; "));
    page.figure(&loops(compared), "Force against displacement, measured and as the law gives it.");
    page.section("Method");
    page.text(
        "Each law is led along the measured displacement, with a constant force, a spring and a damper in parallel: least squares by \
         Levenberg and Marquardt's method. An eighth of the cycles is held out in turn and predicted by a fit to the others, whose \
         numbers give the intervals.",
    );
    for columns in compared.all() {
        remarks::footnote(&mut page, &columns.notices);
    }
    page.footer(format!("stickslip {}", env!("CARGO_PKG_VERSION")));
    page.to_html()
}
