//! Fig. 1.10: Stribeck's law.

use super::super::verdict::Tolerance::{AtLeast, Equal, Relative};
use super::Work;
use crate::work::Given;
use stickslip::scheme::oscillator::implicit_euler;
use stickslip::{EventKind, Law, Oscillator, Warning};
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

/// A, B, C, D of the figure.
const COEFFICIENTS: [f64; 4] = [0.01, 0.2, 0.01, 900.0];

pub fn run(w: &mut Work) -> Result<()> {
    let file = w.oscillator("stribeck.toml", include_str!("../../models/stribeck.toml"))?;
    let o = &file.model;
    let law: &Law = &o.friction;
    let [a, b, c, d] = COEFFICIENTS;
    let formula = |v: f64| d / (a * v * v * v + b * v * v + c * v + 1.0);
    draw(w, law);

    for at in [1.0, 2.0, 5.0, 10.0] {
        w.verdict(
            format!("A({at}), N"),
            (formula(at), "(1.38), (1.39)"),
            law.force(1.0, at),
            Relative(1e-15),
        );
    }
    w.verdict("A(0^{+}) = D, N", (900.0, "(1.38)"), law.breakaway(), Equal);
    // sup −A′ on a grid, by hand: −A′ = D (3A v² + 2B v + C)/(…)².
    let slope = |v: f64| formula(v).powi(2) / d * (3.0 * a * v * v + 2.0 * b * v + c);
    let steepest = (1..200_000).map(|i| slope(1e-4 * f64::from(i))).fold(0.0, f64::max);
    w.verdict(
        "steepest weakening sup −A′, N·s/m",
        (steepest, "the derivative, on a grid"),
        law.weakening(),
        Relative(1e-6),
    );

    steps_of_a_mass(w, &file, steepest)?;
    w.command("stickslip simulate gallery/stribeck.toml --scheme implicit-euler --out stribeck");
    Ok(())
}

/// A mass on which the force grows by 100 N a second breaks away at 900 N; its implicit steps.
fn steps_of_a_mass(w: &mut Work, file: &Given<Oscillator>, steepest: f64) -> Result<()> {
    let o = &file.model;
    let path = file.path(o)?;
    let slip =
        path.events().iter().find(|e| e.kind == EventKind::Slip).map_or(f64::NAN, |e| e.time);
    w.verdict("a force of 100 N/s breaks away at, s", (9.0, "D/100"), slip, Relative(1e-9));
    let several = |h: f64| -> Result<f64> {
        let path = implicit_euler::solve(o, 12.0, h)?;
        let found = path.warnings().iter().find_map(|w| match w {
            Warning::SeveralSolutions { count, .. } => Some(*count as f64),
            _ => None,
        });
        Ok(found.unwrap_or(0.0))
    };
    let critical = 1.0 / steepest;
    w.verdict(
        "steps with several solutions at 5 times the critical step m/sup(−A′)",
        (1.0, "not monotone"),
        several(5.0 * critical)?,
        AtLeast,
    );
    w.verdict(
        "steps with several solutions at 0.9 times that step",
        (0.0, "monotone"),
        several(0.9 * critical)?,
        Equal,
    );
    Ok(())
}

/// The law, and the left side of an implicit step: w⁺ + λA(w⁺) ∋ p. Where it falls, several w⁺ belong to one p.
fn draw(w: &mut Work, law: &Law) {
    let d = COEFFICIENTS[3];
    let v: Vec<f64> = (1..=2000).map(|i| 0.005 * f64::from(i)).collect();
    let force: Vec<f64> = v.iter().map(|v| law.force(1.0, *v)).collect();
    let mirror = |x: &[f64]| -> Vec<f64> { x.iter().rev().map(|x| -x).collect() };
    let graph =
        Panel::new(Axis::linear("velocity w", "m/s"), Axis::linear("A(w), minus the force", "N"))
            .line(v.clone(), force.clone(), Style::new(Ink::Blue))
            .line(mirror(&v), mirror(&force), Style::new(Ink::Blue))
            .line(
                vec![0.0, 0.0],
                vec![-d, d],
                Style::new(Ink::Vermillion).label("at rest: all of [−D, D]"),
            );
    let step = |lambda: f64| -> (Vec<f64>, Vec<f64>) {
        (v.clone(), v.iter().zip(&force).map(|(v, f)| v + lambda * f).collect())
    };
    let (x1, y1) = step(0.002);
    let (x2, y2) = step(0.008);
    let steps = Panel::new(
        Axis::linear("w", "m/s").limits(0.0, 10.0),
        Axis::linear("w + (h/m) A(w)", "m/s"),
    )
    .line(x1, y1, Style::series(0).label("h/m = 0.002 s/kg"))
    .line(x2, y2, Style::series(1).label("h/m = 0.008 s/kg: falls"));
    w.figure("stribeck.svg", &Figure::new().describe("Stribeck's law").beside([graph, steps]), "Left: the graph. Right: the left side of an implicit step; where it falls, the step has several solutions.");
}
