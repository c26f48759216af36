//! The jump of the solution in its data.

use super::{Work, member, read};
use crate::verdict::Tolerance::{Absolute, AtMost, Equal};
use stickslip::scheme::oscillator::adaptive::Options;
use stickslip::study::solutions;
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Marker, Panel, Style};

pub fn run(w: &mut Work) -> Result<()> {
    let (file, end) = read(w)?;
    let o = &file.model;
    let sizes: Vec<f64> = (0..=10).map(|k| 0.1f64.powi(k)).collect();
    let epsilons: Vec<f64> = sizes.iter().map(|e| -e).chain(sizes.iter().rev().copied()).collect();
    let rows = solutions::jump(o, end, &epsilons, Options::default())?;
    let (mut above, mut below): (f64, f64) = (0.0, 0.0);
    for r in &rows {
        if r.epsilon > 0.0 {
            above = above.max((r.end.v - (member(0.0, end) + r.epsilon * end)).abs());
        } else {
            below = below.max(r.end.v.abs());
        }
    }
    let small = rows.iter().filter(|r| r.epsilon.abs() <= 1.01e-10);
    let mut after = f64::NAN;
    let mut before = f64::NAN;
    small.for_each(|r| if r.epsilon > 0.0 { after = r.end.v } else { before = r.end.v });
    let side = |sign: f64| -> (Vec<f64>, Vec<f64>) {
        rows.iter().filter(|r| r.epsilon * sign > 0.0).map(|r| (r.epsilon.abs(), r.end.v)).unzip()
    };
    let (e1, v1) = side(1.0);
    let (e2, v2) = side(-1.0);
    let panel = Panel::new(Axis::log("|ε|", "N"), Axis::linear("Y_{ε}(1)", "m/s"))
        .line(e1.clone(), v1.clone(), Ink::Blue)
        .points(e1, v1, Style::new(Ink::Blue).marker(Marker::Triangle).size(8.0).label("ε > 0"))
        .line(e2.clone(), v2.clone(), Style::series(1))
        .points(e2, v2, Style::new(Ink::Vermillion).marker(Marker::Square).size(7.0).label("ε < 0"))
        .horizontal(0.5, Style::new(Ink::Black).dotted().label("y_{0}(1)"));
    w.figure(
        "jump.svg",
        &Figure::new().describe("The jump in ε").panel(panel),
        "The velocity at t = 1 with the force h + ε: the two sides do not meet.",
    );
    w.verdict(
        "ε > 0: largest distance of Y_{ε}(1) from y_{0}(1) + ε, m/s",
        (1e-8, "(23)"),
        above,
        AtMost,
    );
    w.verdict("ε < 0: largest |Y_{ε}(1)|, m/s", (0.0, "(23)"), below, Equal);
    w.verdict(
        "jump at ε = 0, from ∓10^{−10}, m/s",
        (0.5, "y_{0}(1) − y_{T}(1)"),
        after - before,
        Absolute(1e-7),
    );
    w.command("stickslip simulate gallery/ill-posed.toml --perturb 1e-6");
    Ok(())
}
