//! What a fitted isolator becomes: the fit, a table, a figure, a report and a text.

use super::estimates::{Named, Units, brief, flat, lines, samples, short, table as estimates};
use super::remarks;
use crate::product::{Cell, Column, Lazy, Product, Table, pretty, printed};
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip_calibrate::isolator::IsolatorFit;
use stickslip_file::fit::IsolatorFile;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};
use stickslip_report::html::{Page, number};

/// Forces from this on are given in kN, N.
const LARGE: f64 = 1e4;

/// A fitted isolator.
pub struct Tested {
    /// The fit file and its data.
    pub file: IsolatorFile,
    /// What came out.
    pub fit: IsolatorFit,
    /// What users should know, the reader's remarks included.
    pub warnings: Vec<String>,
}

impl Tested {
    fn title(&self) -> &str {
        self.file.title.as_deref().unwrap_or("Isolator")
    }

    fn units(&self) -> Units {
        let forces = self.file.data.values[2..4].iter().flatten();
        let most = forces.fold(0.0, |m: f64, f| m.max(f.abs()));
        if most >= LARGE { Units::Structure } else { Units::Machine }
    }

    fn said(&self) -> Vec<String> {
        let p = &self.fit.parameters;
        let shown = |e| short(&self.units().shown(e));
        vec![
            format!(
                "μ = {} fast and {} slow; K = {}.",
                shown(&p.fast),
                shown(&p.slow),
                shown(&p.stiffness)
            ),
            format!(
                "The isolator leaves {} % of the forces.",
                number(100.0 * self.fit.relative, 3)
            ),
            remarks::last_line(&self.warnings),
        ]
    }

    fn estimates(&self) -> [Named<'_>; 6] {
        let p = &self.fit.parameters;
        let named = |name, symbol, meaning, estimate| Named { name, symbol, meaning, estimate };
        [
            named("slow", "μ_{slow}", "coefficient of a slow slide", &p.slow),
            named("fast", "μ_{fast}", "coefficient of a fast slide", &p.fast),
            named("rate", "r", "how soon it is fast", &p.rate),
            named("stiffness", "K", "stiffness, W/R of a pendulum", &p.stiffness),
            named("offset_x", "o_{x}", "constant force along x", &p.offset[0]),
            named("offset_y", "o_{y}", "constant force along y", &p.offset[1]),
        ]
    }
}

/// Adds everything that a fitted isolator leaves.
pub fn export(product: Product, tested: Tested) -> Product {
    let tested = Arc::new(tested);
    let make = |of: fn(&Tested) -> String| {
        let tested = tested.clone();
        move || of(&tested)
    };
    let mut product = product
        .document("fit", make(|t| pretty(&t.fit)))
        .table(curves(&tested))
        .figure("loop", make(|t| loops(t).to_svg()))
        .page("report", make(page));
    product.text = Lazy::new(make(|t| printed(|w| text(w, t))));
    product.brief = Some(Lazy::new(make(|t| brief(t.title(), t.said()))));
    product
}

fn curves(tested: &Arc<Tested>) -> Table {
    let columns = [
        ("t", "s"),
        ("displacement_x", "m"),
        ("displacement_y", "m"),
        ("force_x", "N"),
        ("force_y", "N"),
        ("fitted_x", "N"),
        ("fitted_y", "N"),
    ];
    let tested = tested.clone();
    Table::new("fit", columns.map(|c| Column::new(c.0, c.1)).into(), move |rows| {
        let data = &tested.file.data;
        for (i, t) in data.seconds.iter().enumerate() {
            let [x, y, fx, fy] = [0, 1, 2, 3].map(|c| Cell::finite(data.values[c][i]));
            let [gx, gy] = [0, 1].map(|c| Cell::finite(tested.fit.fitted[c][i]));
            rows(&[Cell::Number(*t), x, y, fx, fy, gx, gy])?;
        }
        Ok(())
    })
}

fn loops(tested: &Tested) -> Figure<'_> {
    let values = &tested.file.data.values;
    let (per_m, length) = tested.units().of("m");
    let (per_n, unit) = tested.units().of("N");
    let scaled = |values: &[f64], by: f64| values.iter().map(|v| by * v).collect::<Vec<f64>>();
    let panel = |i: usize, along: &str| {
        let x = scaled(&values[i], per_m);
        Panel::new(
            Axis::linear(format!("displacement along {along}"), length),
            Axis::linear("force", unit),
        )
        .line(
            x.clone(),
            scaled(&values[2 + i], per_n),
            Style::new(Ink::Sky).width(2.2).label("measured"),
        )
        .line(
            x,
            scaled(&tested.fit.fitted[i], per_n),
            Style::new(Ink::Vermillion).width(0.8).label("fitted"),
        )
        .height(280.0)
    };
    Figure::new()
        .describe("Force against displacement along x and along y")
        .panel(panel(0, "x"))
        .panel(panel(1, "y"))
}

fn text(w: &mut dyn Write, tested: &Tested) -> fmt::Result {
    let fit = &tested.fit;
    writeln!(w, "{}", tested.title())?;
    tested.said().iter().try_for_each(|line| writeln!(w, "{}", flat(line)))?;
    let [slow, fast] = fit.speeds.map(|v| flat(&number(v, 3)));
    writeln!(
        w,
        "\n{} samples from {slow} to {fast} m/s; {} rows at turns and at rest do not count\n",
        fit.samples, fit.slow_rows
    )?;
    lines(w, &tested.estimates(), tested.units())
}

fn page(tested: &Tested) -> String {
    let data = &tested.file.data;
    let mut page = Page::new(tested.title());
    page.subtitle(samples(&data.file, tested.fit.samples, &data.origin));
    page.summary(tested.said());
    remarks::boxes(&mut page, &tested.warnings);
    estimates(page.section("What was found"), &tested.estimates(), tested.units());
    page.figure(&loops(tested), "Force against displacement, measured and fitted.");
    page.section("Method");
    page.text(
        "F = o + K r + N μ(|v|) v/|v| with μ = μ_{fast} − (μ_{fast} − μ_{slow}) e^{−r|v|}: least squares over both components. Rows slower than a \
         tenth of the fastest do not count. Standard errors from the curvature, with residuals that remember their neighbours.",
    );
    remarks::footnote(&mut page, &data.notices);
    page.footer(format!("stickslip {}", env!("CARGO_PKG_VERSION")));
    page.to_html()
}
