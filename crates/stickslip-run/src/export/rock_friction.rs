//! What fitted rock friction becomes: the fit, a table, a figure, a report and a text.

use super::estimates::{Named, Units, brief, flat, lines, samples, short, table as estimates};
use super::remarks;
use crate::product::{Cell, Column, Lazy, Product, Table, pretty, printed};
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip_calibrate::rock_friction::{EvolutionFit, RockFit};
use stickslip_file::fit::RockFrictionFile;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};
use stickslip_report::html::{Page, number};

/// A record of rock friction that was fitted.
pub struct Slid {
    /// The fit file and its data.
    pub file: RockFrictionFile,
    /// What came out.
    pub fit: RockFit,
    /// What users should know, the reader's remarks included.
    pub warnings: Vec<String>,
}

impl Slid {
    fn title(&self) -> &str {
        self.file.title.as_deref().unwrap_or("Rock friction")
    }

    fn best(&self) -> &EvolutionFit {
        &self.fit.laws[0]
    }

    fn said(&self) -> Vec<String> {
        let p = &self.best().parameters;
        let law = self.best().evolution;
        let ratio = number(self.fit.likelihood_ratio, 3);
        let which = if self.fit.told_apart {
            format!(
                "The {law} law is the likelier one (2 ln of the ratio of likelihoods: {ratio})."
            )
        } else {
            format!("The {law} law leaves less, but the record does not decide ({ratio}).")
        };
        vec![
            which,
            format!("a − b = {}, D_{{c}} = {}.", short(&p.a_minus_b), short(&p.distance)),
            remarks::last_line(&self.warnings),
        ]
    }

    fn estimates(&self) -> Vec<Named<'_>> {
        let p = &self.best().parameters;
        let named = |name, symbol, meaning, estimate| Named { name, symbol, meaning, estimate };
        let mut all = vec![
            named("a", "a", "direct effect", &p.a),
            named("b", "b", "effect of the state", &p.b),
            named("a_minus_b", "a − b", "change with the speed in steady slide", &p.a_minus_b),
            named("distance", "D_{c}", "slip that renews the contact", &p.distance),
            named("coefficient", "μ_{0}", "coefficient in steady slide at V_{0}", &p.coefficient),
        ];
        all.extend(
            p.stiffness.as_ref().map(|k| {
                named("stiffness", "k", "stiffness of the machine by the normal stress", k)
            }),
        );
        all.extend(p.trend.as_ref().map(|c| named("trend", "c", "drift with the displacement", c)));
        all
    }
}

/// Adds everything that fitted rock friction leaves.
pub fn export(product: Product, slid: Slid) -> Product {
    let slid = Arc::new(slid);
    let make = |of: fn(&Slid) -> String| {
        let slid = slid.clone();
        move || of(&slid)
    };
    let mut product = product
        .document("fit", make(|s| pretty(&s.fit)))
        .table(curves(&slid))
        .figure("friction", make(|s| record(s).to_svg()))
        .page("report", make(page));
    product.text = Lazy::new(make(|s| printed(|w| text(w, s))));
    product.brief = Some(Lazy::new(make(|s| brief(s.title(), s.said()))));
    product
}

fn curves(slid: &Arc<Slid>) -> Table {
    let columns = [("t", "s"), ("displacement", "m"), ("friction", "1"), ("fitted", "1")];
    let slid = slid.clone();
    Table::new("fit", columns.map(|c| Column::new(c.0, c.1)).into(), move |rows| {
        let data = &slid.file.data;
        for (i, t) in data.seconds.iter().enumerate() {
            let [x, mu] = [0, 1].map(|c| Cell::finite(data.values[c][i]));
            rows(&[Cell::Number(*t), x, mu, Cell::finite(slid.best().fitted[i])])?;
        }
        Ok(())
    })
}

fn record(slid: &Slid) -> Figure<'_> {
    let data = &slid.file.data;
    let mut panel = Panel::new(
        Axis::linear("displacement of the load point", "mm").tight(),
        Axis::linear("coefficient of friction", "1"),
    );
    let x: Vec<f64> = data.values[0].iter().map(|x| 1e3 * x).collect();
    let measured = Style::new(Ink::Sky).width(2.2).label("measured");
    panel = panel.line(x.clone(), data.values[1].clone(), measured);
    let styles =
        [Style::new(Ink::Vermillion).width(1.0), Style::new(Ink::Black).width(1.0).dashed()];
    for (law, style) in slid.fit.laws.iter().zip(styles) {
        let style = style.label(law.evolution);
        panel = panel.line(x.clone(), law.fitted.clone(), style);
    }
    Figure::new().describe("Friction along the slide").panel(panel.height(300.0))
}

fn text(w: &mut dyn Write, slid: &Slid) -> fmt::Result {
    let fit = &slid.fit;
    writeln!(w, "{}", slid.title())?;
    slid.said().iter().try_for_each(|line| writeln!(w, "{}", flat(line)))?;
    writeln!(
        w,
        "\n{} samples, alike over {} rows; V0 = {} m/s\n",
        fit.samples,
        flat(&number(fit.together, 2)),
        flat(&number(fit.speed, 4))
    )?;
    for law in &fit.laws {
        writeln!(w, "{:<8} {} rms left", law.evolution, flat(&number(law.rmse, 3)))?;
    }
    writeln!(w)?;
    lines(w, &slid.estimates(), Units::Si)
}

fn page(slid: &Slid) -> String {
    let data = &slid.file.data;
    let mut page = Page::new(slid.title());
    page.subtitle(samples(&data.file, slid.fit.samples, &data.origin));
    page.summary(slid.said());
    remarks::boxes(&mut page, &slid.warnings);
    estimates(page.section("What was found"), &slid.estimates(), Units::Si);
    page.figure(&record(slid), "Coefficient of friction, measured and by both laws of evolution.");
    page.section("Method");
    page.text(
        "A contact of rate and state that the load point drives through the spring of the machine, from steady slide at the start: least \
         squares over the record by Levenberg and Marquardt's method for either law of evolution. Standard errors from the curvature, with \
         residuals that remember their neighbours.",
    );
    remarks::footnote(&mut page, &data.notices);
    page.footer(format!("stickslip {}", env!("CARGO_PKG_VERSION")));
    page.to_html()
}
