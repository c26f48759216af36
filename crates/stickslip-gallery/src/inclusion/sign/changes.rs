//! Fig. 1.5: how often the sign changes.

use super::{MODEL, Work, numbers, runs};
use crate::verdict::Tolerance::{Absolute, AtMost, Relative};
use stickslip::study::sign;
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

pub fn run(w: &mut Work) -> Result<()> {
    w.file("sign.toml", MODEL);
    let runs = runs()?;
    let line = sign::line(&runs);
    let n = numbers(runs.iter().map(|r| r.steps));
    let count = numbers(runs.iter().map(|r| r.changes));
    let ends = vec![0.0, 10f64.powf(5.5)];
    let on: Vec<f64> = ends.iter().map(|n| line.slope * n + line.intercept).collect();
    let panel = Panel::new(Axis::linear("N", ""), Axis::linear("P(N)", ""))
        .line(ends, on, Style::new(Ink::Vermillion).label("least squares"))
        .points(n, count, Style::new(Ink::Blue).label("changes of sign").size(5.0));
    w.figure(
        "sign-changes.svg",
        &Figure::new().describe("Changes of sign against N").panel(panel),
        "Changes of sign against the number of steps.",
    );
    w.verdict("slope", (0.5000000232, "the book"), line.slope, Relative(1e-5));
    w.verdict("ordinate at the origin", (-1.3748, "the book"), line.intercept, Absolute(1.0));
    w.verdict("1 − correlation", (1e-9, "the book: 10^{−10}"), 1.0 - line.correlation, AtMost);
    w.deviation(
        "Bastien et al. 2013, Fig. 1.5",
        "slope 0.5000000232, ordinate −1.3748",
        format!("slope {:.10}, ordinate {:.4}", line.slope, line.intercept),
        "the book does not list its N, and the ordinate depends on them",
    );
    Ok(())
}
