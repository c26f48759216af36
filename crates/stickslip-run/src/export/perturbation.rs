//! What ± ε on the force does: a table, a figure, a line for people.

use crate::heading::Heading;
use crate::number::short;
use crate::product::{Cell, Column, Table};
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip::Trajectory;
use stickslip::study::perturb::Perturbation;
use stickslip_report::figure::{Axis, Ink, Panel, Style};

const ROWS: usize = 2001;

/// `t,x,v,x_plus,v_plus,x_minus,v_minus`.
pub fn table(path: &Arc<Trajectory>, found: &Arc<Perturbation>) -> Table {
    let columns = [
        ("t", "s"),
        ("x", "m"),
        ("v", "m/s"),
        ("x_plus", "m"),
        ("v_plus", "m/s"),
        ("x_minus", "m"),
        ("v_minus", "m/s"),
    ];
    let path = path.clone();
    let p = found.clone();
    Table::new("perturbation", columns.map(|c| Column::new(c.0, c.1)).into(), move |rows| {
        let all = path.sample(ROWS).zip(p.plus.sample(ROWS)).zip(p.minus.sample(ROWS));
        for (((t, a, _), (_, b, _)), (_, c, _)) in all {
            rows(&[t, a.x, a.v, b.x, b.v, c.x, c.v].map(Cell::Number))?;
        }
        Ok(())
    })
}

/// Displacement with f + ε and f − ε.
pub fn figure(heading: &Heading, p: &Perturbation) -> String {
    let curve = |path: &Trajectory| -> (Vec<f64>, Vec<f64>) {
        path.sample(ROWS).map(|(t, s, _)| (t, s.x)).unzip()
    };
    let (t, plus) = curve(&p.plus);
    let (s, minus) = curve(&p.minus);
    let label = |sign: &str| format!("force {sign} {} {}", short(p.epsilon), heading.unit("N"));
    let mut panel = Panel::new(Axis::linear("time", "s"), Axis::linear("displacement", "m"))
        .line(t, plus, Style::new(Ink::series(0)).label(label("+")))
        .line(s, minus, Style::series(1).label(label("−")));
    if let Some(t) = p.parts {
        panel = panel.vertical(t, Style::new(Ink::Black).dashed()).tag(t, "the paths part");
    }
    let figure = heading.figure().describe("Motion with a perturbed force").panel(panel);
    figure.to_svg()
}

/// One paragraph.
pub fn text(w: &mut dyn Write, p: &Perturbation, unit: &str) -> fmt::Result {
    writeln!(
        w,
        "\nforce ± {} {unit}: the paths differ by {:.3e} in (x, v); with a sixteenth of it by {:.3e}",
        short(p.epsilon),
        p.distance,
        p.closer
    )?;
    match p.parts {
        Some(t) => {
            let t = short(t);
            writeln!(w, "they part at t = {t} s: the solution is not continuous in the force")
        }
        None => {
            writeln!(w, "they approach each other: the solution is continuous in the force here")
        }
    }
}
