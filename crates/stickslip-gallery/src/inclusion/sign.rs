//! Figs. 1.3 to 1.5: what the usual sign does.

use super::super::verdict::Tolerance::{Absolute, AtLeast, AtMost, Equal, Relative};
use super::Work;
use stickslip::Error;
use stickslip::scheme::oscillator::sign as usual_sign;
use stickslip::study::sign::{self, Oscillation};
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

const MODEL: &str = include_str!("../../models/sign.toml");

/// Fig. 1.3.
pub fn oscillates(w: &mut Work) -> Result<()> {
    let file = w.oscillator("sign.toml", MODEL)?;
    let mut panels = Vec::new();
    for (h, ink) in [(0.02, Ink::Blue), (0.005, Ink::Vermillion)] {
        let path = usual_sign::sign_euler(&file.model, 1.0, h)?;
        let count = (1.0f64 / h).round() as usize + 1;
        let (t, u): (Vec<f64>, Vec<f64>) = path.sample(count).map(|(t, s, _)| (t, s.v)).unzip();
        let most = u.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        w.verdict(format!("h = {h}: max |u_{{n}}|"), (2.0 * h, "(1.23)"), most, AtMost);
        w.verdict(
            format!("h = {h}: max |u_{{n}}|, not at rest"),
            (0.5 * h, "it oscillates"),
            most,
            AtLeast,
        );
        let changes = u.windows(2).filter(|p| p[0] * p[1] < 0.0).count();
        w.verdict(
            format!("h = {h}: changes of sign"),
            (0.45 / h, "about half the steps"),
            changes as f64,
            AtLeast,
        );
        let style = Style::new(ink).label(format!("h = {h}")).width(1.2);
        panels.push(
            Panel::new(Axis::linear("time t", "s").tight(), Axis::linear("u", "m/s"))
                .height(150.0)
                .line(t, u, style)
                .horizontal(0.0, Style::new(Ink::Black).width(0.8)),
        );
    }
    w.figure(
        "sign-euler.svg",
        &Figure::new().describe("Oscillations of the explicit scheme").stack(panels),
        "The explicit scheme with the usual sign, two steps. The solution of the inclusion is 0 (line).",
    );
    w.command("stickslip simulate gallery/sign.toml --out sign");
    Ok(())
}

fn runs() -> Result<Vec<Oscillation>> {
    Ok(sign::oscillations(1.0, 5.5, 120)?)
}

fn logarithms(values: impl Iterator<Item = usize>) -> Vec<f64> {
    values.map(|n| n as f64).collect()
}

/// Fig. 1.4.
pub fn extremes(w: &mut Work) -> Result<()> {
    w.file("sign.toml", MODEL);
    let runs = runs()?;
    let n = logarithms(runs.iter().map(|r| r.steps));
    let axis = || Axis::log("N", "");
    let column = |f: fn(&Oscillation) -> f64| -> Vec<f64> { runs.iter().map(f).collect() };
    let (most, least) = (column(|r| r.most), column(|r| r.least));
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

/// Fig. 1.5.
pub fn changes(w: &mut Work) -> Result<()> {
    w.file("sign.toml", MODEL);
    let runs = runs()?;
    let line = sign::line(&runs);
    let n = logarithms(runs.iter().map(|r| r.steps));
    let count = logarithms(runs.iter().map(|r| r.changes));
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

/// The implicit scheme.
pub fn implicit(w: &mut Work) -> Result<()> {
    let file = w.oscillator("sign.toml", MODEL)?;
    for h in [0.1, 0.02, 0.001] {
        let (step, time) = match usual_sign::sign_implicit(&file.model, 1.0, h) {
            Err(Error::StepWithoutSolution { step, time, .. }) => (step as f64, time),
            Err(e) => return Err(e.into()),
            Ok(_) => (f64::NAN, f64::NAN),
        };
        w.verdict(format!("h = {h}: first step without a solution"), (2.0, "(1.27)"), step, Equal);
        w.verdict(
            format!("h = {h}: which would end at, s"),
            (2.0 * h, "(1.27)"),
            time,
            Relative(1e-12),
        );
    }
    w.remark("The program ends with exit code 3 and says why no number would do.");
    w.command("stickslip simulate gallery/sign.toml --scheme sign-implicit");
    Ok(())
}
