//! Fig. 1.4: the largest and the smallest velocities.

use super::oscillation::Oscillation;
use super::{MODEL, Work, numbers, runs};
use crate::verdict::Tolerance::{Absolute, AtLeast, AtMost};
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

pub fn run(w: &mut Work) -> Result<()> {
    w.file("sign.toml", MODEL);
    let runs = runs()?;
    let n = numbers(runs.iter().map(|r| r.steps));
    let axis = || Axis::log("N", "");
    let column = |f: fn(&Oscillation) -> f64| -> Vec<f64> { runs.iter().map(f).collect() };
    let most = column(|r| r.most);
    let least = column(|r| r.least);
    // A minimum that is zero stands at the lower edge.
    let shown: Vec<f64> = least.iter().map(|&v| v.max(1e-16)).collect();
    let figure = Figure::new().describe("Largest and smallest |u/h| against N").beside([
        Panel::new(axis(), Axis::linear("max |u_{n}/h|", "").limits(0.0, 2.2))
            .points(n.clone(), most.clone(), Style::new(Ink::Blue).size(4.0))
            .horizontal(2.0, Style::new(Ink::Black).dashed().label("2")),
        Panel::new(axis(), Axis::log("min |u_{n}/h|, n ≥ 2", "")).points(
            n,
            shown,
            Style::new(Ink::Vermillion).size(4.0),
        ),
    ]);
    w.figure(
        "sign-extremes.svg",
        &figure,
        "(a) the largest and (b) the smallest |u_{n}/h|; minima are of the size of rounding, or near 1/N; zeros are drawn at 10^{−16}.",
    );
    let largest = most.iter().copied().fold(0.0, f64::max);
    w.verdict("largest |u_{n}/h| of all runs", (2.0, "(1.23)"), largest, AtMost);
    // Minima are of the size of rounding, or on the upper of the book's two curves.
    let upper: Vec<f64> = least.iter().copied().filter(|&v| v > 1e-9).collect();
    w.verdict(
        "runs whose smallest |u_{n}/h| is well away from 0",
        (5.0, "Fig. 1.4 (b): the upper curve"),
        upper.len() as f64,
        AtLeast,
    );
    let lowest = upper.iter().copied().fold(f64::INFINITY, f64::min);
    w.verdict(
        "log_{10} of the least of them",
        (-5.0, "the book: of the order of 10^{−5}"),
        lowest.log10(),
        Absolute(1.0),
    );
    Ok(())
}
