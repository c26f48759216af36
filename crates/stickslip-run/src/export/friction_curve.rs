//! What friction against speed becomes: the fit, tables, figures, a report and a text.

use super::estimates::{Named, Units, brief, flat, lines, samples, short, table};
use super::remarks;
use crate::product::{Cell, Column, Lazy, Product, Table, pretty, printed};
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip_calibrate::friction_curve::{Candidate, FrictionCurveFit, Motion, Shape};
use stickslip_file::fit::FrictionCurveFile;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};
use stickslip_report::html::{Page, Table as Rows, number};

/// The friction that was found.
pub struct Seen {
    /// The fit file and its data.
    pub file: FrictionCurveFile,
    /// What came out.
    pub fit: FrictionCurveFit,
    /// What users should know, the reader's remarks included.
    pub warnings: Vec<String>,
}

/// Units of velocity and effort.
fn units(motion: Motion) -> [&'static str; 2] {
    match motion {
        Motion::Translation => ["m/s", "N"],
        Motion::Rotation => ["rad/s", "N·m"],
    }
}

/// The symbol and the meaning of a number by its name.
fn named(name: &str) -> [&'static str; 2] {
    match name {
        "coulomb" => ["F_{c}", "dry friction in motion"],
        "viscous" => ["c", "viscous friction"],
        "static" => ["F_{s}", "friction at the start of motion"],
        "stribeck_velocity" => ["v_{s}", "speed over which the friction falls"],
        "coulomb_forward" => ["F_{c+}", "dry friction forwards"],
        "coulomb_backward" => ["F_{c−}", "dry friction backwards"],
        "viscous_forward" => ["c_{+}", "viscous friction forwards"],
        "viscous_backward" => ["c_{−}", "viscous friction backwards"],
        "quadratic" => ["c_{2}", "friction in v|v|"],
        "cubic" => ["c_{3}", "friction in v³"],
        "load" => ["μ", "friction for each unit of load"],
        "coulomb_per_kelvin" => ["dF_{c}/dT", "change of dry friction with temperature"],
        "viscous_per_kelvin" => ["dc/dT", "change of viscous friction with temperature"],
        "offset" => ["o", "constant effort"],
        "inertia" => ["J", "inertia"],
        "gravity_sin" => ["g_{s}", "gravity in sin q"],
        "gravity_cos" => ["g_{c}", "gravity in cos q"],
        "coulomb_and_offset" => ["F_{c} ± o", "dry friction and constant effort together"],
        "friction" => ["F", "friction at the speed of the record"],
        _ => ["F ± o", "friction at the speed of the record and constant effort together"],
    }
}

impl Seen {
    fn title(&self) -> &str {
        self.file.title.as_deref().unwrap_or("Friction against speed")
    }

    fn estimates(&self) -> Vec<Named<'_>> {
        let one = |p: &'_ stickslip_calibrate::models::Named| {
            let [symbol, meaning] = named(&p.name);
            (symbol, meaning)
        };
        let all = self.fit.parameters.iter();
        all.map(|p| {
            let (symbol, meaning) = one(p);
            Named { name: &p.name, symbol, meaning, estimate: &p.estimate }
        })
        .collect()
    }

    fn said(&self) -> Vec<String> {
        let fit = &self.fit;
        let main = [
            "coulomb",
            "friction",
            "coulomb_and_offset",
            "friction_and_offset",
            "coulomb_forward",
            "coulomb_backward",
            "static",
            "viscous",
        ];
        let known = main.iter().filter_map(|name| {
            let found =
                fit.parameters.iter().find(|p| p.name == *name && p.estimate.value.is_some())?;
            let [symbol, meaning] = named(&found.name);
            Some(format!("{symbol} = {} ({meaning}).", short(&found.estimate)))
        });
        let mut said: Vec<String> = if fit.plausible {
            known.collect()
        } else {
            vec!["These numbers cannot be used as they are; the warnings say why.".to_owned()]
        };
        said.extend(fit.answers.iter().filter(|a| a.verdict == "yes").map(|a| a.sentence.clone()));
        said.push(format!(
            "The law leaves {} % of the effort, {} {} rms.",
            number(100.0 * fit.relative, 2),
            number(fit.rmse, 3),
            units(fit.motion)[1]
        ));
        said
    }

    fn rows(&self) -> String {
        let out = self.fit.left_out;
        format!(
            "{} of {} rows count; {} are at rest (slower than {} {}), {} incomplete or next to a gap, {} next to a jump of the velocity, {} outliers",
            self.fit.samples,
            self.fit.samples + out.rest + out.missing + out.corners + out.outliers,
            out.rest,
            number(self.fit.least_velocity, 3),
            units(self.fit.motion)[0],
            out.missing,
            out.corners,
            out.outliers
        )
    }
}

/// Adds everything that a fitted curve leaves.
pub fn export(product: Product, seen: Seen) -> Product {
    let seen = Arc::new(seen);
    let make = |of: fn(&Seen) -> String| {
        let seen = seen.clone();
        move || of(&seen)
    };
    let mut product = product
        .document("fit", make(|s| pretty(&s.fit)))
        .table(curves(&seen))
        .figure("curve", make(|s| against_speed(s).to_svg()))
        .figure("residuals", make(|s| residuals(s).to_svg()))
        .page("report", make(page));
    product.text = Lazy::new(make(|s| printed(|w| text(w, s))));
    product.brief = Some(Lazy::new(make(|s| brief(s.title(), s.said()))));
    product
}

fn curves(seen: &Arc<Seen>) -> Table {
    let [speed, effort] = units(seen.fit.motion);
    let columns = vec![
        Column::new("t", "s"),
        Column::new("velocity", speed),
        Column::new("effort", effort),
        Column::new("fitted", effort),
        Column::new("friction", effort),
    ];
    let seen = seen.clone();
    Table::new("fit", columns, move |rows| {
        let curves = &seen.fit.curves;
        let measured = seen.file.record().effort;
        for (i, t) in seen.file.data.seconds.iter().enumerate() {
            let others = [curves.velocity[i], measured[i], curves.fitted[i], curves.friction[i]];
            let [v, f, fitted, friction] = others.map(Cell::finite);
            rows(&[Cell::Number(*t), v, f, fitted, friction])?;
        }
        Ok(())
    })
}

/// Velocity, and measured friction or what is left of it, of the rows that count.
fn counted(seen: &Seen, of: impl Fn(usize) -> f64) -> (Vec<f64>, Vec<f64>) {
    let curves = &seen.fit.curves;
    let rows = (0..curves.velocity.len()).filter(|&i| curves.fitted[i].is_finite());
    rows.map(|i| (curves.velocity[i], of(i))).unzip()
}

fn against_speed(seen: &Seen) -> Figure<'_> {
    let [speed, effort] = units(seen.fit.motion);
    let (v, friction) = counted(seen, |i| seen.fit.curves.friction[i]);
    // The two branches are two lines: between them is rest, of which the law says nothing.
    let branch = |forwards: bool| -> (Vec<f64>, Vec<f64>) {
        seen.fit.curves.law.iter().copied().filter(|p| (p.0 > 0.0) == forwards).unzip()
    };
    let mut panel = Panel::new(Axis::linear("velocity", speed), Axis::linear("friction", effort))
        .points(v, friction, Style::new(Ink::Sky).size(2.0).label("measured"));
    for (k, forwards) in [true, false].into_iter().enumerate() {
        let (v, f) = branch(forwards);
        let style = Style::new(Ink::Vermillion).width(1.6);
        let style = if k == 0 { style.label("law") } else { style };
        if !v.is_empty() {
            panel = panel.line(v, f, style);
        }
    }
    Figure::new().describe("Friction against velocity").panel(panel.height(340.0))
}

fn residuals(seen: &Seen) -> Figure<'_> {
    let [speed, effort] = units(seen.fit.motion);
    let measured = seen.file.record().effort;
    let (v, left) = counted(seen, |i| measured[i] - seen.fit.curves.fitted[i]);
    let panel =
        Panel::new(Axis::linear("velocity", speed), Axis::linear("measured − fitted", effort))
            .points(v, left, Style::new(Ink::Blue).size(2.0));
    Figure::new().describe("What the law leaves, against velocity").panel(panel.height(240.0))
}

fn law(shape: Shape) -> &'static str {
    match shape {
        Shape::Viscous => "viscous",
        Shape::Coulomb => "Coulomb and viscous",
        Shape::ByDirection => "Coulomb and viscous, by direction",
        Shape::Polynomial => "Coulomb and a polynomial",
        Shape::Stribeck => "Stribeck",
        _ => shape.name(),
    }
}

fn text(w: &mut dyn Write, seen: &Seen) -> fmt::Result {
    let fit = &seen.fit;
    let digits = |value: f64, count: usize| flat(&number(value, count));
    let effort = units(fit.motion)[1];
    writeln!(w, "{}", seen.title())?;
    writeln!(w, "{}", flat(&seen.rows()))?;
    writeln!(
        w,
        "law: {}; {} {effort} rms left, {} % of the effort\n",
        law(fit.law),
        digits(fit.rmse, 3),
        digits(100.0 * fit.relative, 2)
    )?;
    if !fit.plausible {
        writeln!(w, "These numbers cannot be used as they are; the warnings say why.\n")?;
    }
    lines(w, &seen.estimates(), Units::Si)?;
    writeln!(
        w,
        "\n{:<36} {:>8} {:>14} {:>14} {:>12}",
        "law", "numbers", "rms left", "not fitted", "BIC"
    )?;
    for c in &fit.candidates {
        let Candidate { unknowns, .. } = c;
        let [rmse, out, bic] = [digits(c.rmse, 4), digits(c.held_out, 4), digits(c.bic, 6)];
        writeln!(w, "{:<36} {unknowns:>8} {rmse:>14} {out:>14} {bic:>12}", law(c.law))?;
    }
    writeln!(w)?;
    fit.answers.iter().try_for_each(|a| writeln!(w, "{}", a.sentence))
}

fn page(seen: &Seen) -> String {
    let fit = &seen.fit;
    let data = &seen.file.data;
    let mut page = Page::new(seen.title());
    page.subtitle(samples(&data.file, fit.samples, &data.origin));
    page.summary(seen.said());
    remarks::boxes(&mut page, &seen.warnings);
    page.figure(&against_speed(seen), "Measured friction against velocity, and the law.");
    table(page.section("What was found"), &seen.estimates(), Units::Si);
    page.text(format!("{}.", seen.rows()));
    if let Some(mean) = fit.mean_temperature {
        page.text(format!("Dry and viscous friction are those at {} °C.", number(mean, 3)));
    }
    page.section("The laws on this record");
    let head = ["law", "numbers", "rms left", "rms on the half not fitted", "BIC"];
    let rows = fit.candidates.iter().fold(Rows::new(head), |rows, c| {
        let [rmse, out] = [c.rmse, c.held_out].map(|v| number(v, 4));
        rows.row([law(c.law).to_owned(), c.unknowns.to_string(), rmse, out, number(c.bic, 6)])
    });
    page.table(&rows);
    fit.answers.iter().for_each(|a| _ = page.text(a.sentence.as_str()));
    page.figure(&residuals(seen), "What the law leaves, against velocity.");
    page.section("Method");
    page.text(
        "Least squares in all numbers but the speed over which the friction falls, which is searched. Intervals by leaving out one of \
         up to twelve blocks of the record after the other. A richer law is taken if Schwarz's criterion falls by more than 6 and if it \
         errs less on the half of the record that it was not fitted to.",
    );
    remarks::footnote(&mut page, &data.notices);
    page.footer(format!("stickslip {}", env!("CARGO_PKG_VERSION")));
    page.to_html()
}
