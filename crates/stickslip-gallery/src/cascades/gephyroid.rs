//! Persoz's gephyroid beside the cascade.

use super::super::verdict::Tolerance::{AtMost, Relative};
use super::Work;
use stickslip::Motion;
use stickslip::scheme::network;
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

/// k₁ (mass–n1), k₂ (n2–ground), k₃ (bridge), α₁, α₂ of the model file.
const K: [f64; 3] = [2.0, 1.0, 1.5];
const ALPHA: [f64; 2] = [1.0, 0.8];

pub fn run(w: &mut Work) -> Result<()> {
    let file = w.network("gephyroid.toml", include_str!("../../models/gephyroid.toml"))?;
    let net = file.model.clone();
    let end = file.end();
    let h = file.step()?;
    let (path, run) = network::solve(&net, end, h, 1.0)?;
    // The force that moves the mass is what its springs and slider hold: k₁(x − x₁) + g₂.
    let [k1, k2, k3] = K;
    let mut loops: Vec<(f64, f64)> = Vec::new();
    let mut balance: f64 = 0.0;
    let mut beyond: f64 = 0.0;
    for n in 1..=(end / h) as usize {
        let s = path.segment(n as f64 * h).arc.state(n as f64 * h);
        // The friction is that of each slider on its first end.
        let g1 = s.friction[0];
        let g2 = s.friction[1];
        let x = s.x[0];
        let x1 = s.x[1];
        let x2 = s.x[2];
        balance = balance.max((k1 * (x - x1) + k3 * (x2 - x1) + g1).abs());
        balance = balance.max((-g2 - k2 * x2 + k3 * (x1 - x2)).abs());
        beyond = beyond.max((g1.abs() / ALPHA[0]).max(g2.abs() / ALPHA[1]));
        loops.push((x, k1 * (x - x1) - g2));
    }
    w.verdict(
        "balance of both massless nodes, N",
        (1e-9, "no mass, no net force"),
        balance,
        AtMost,
    );
    w.verdict(
        "largest friction over its threshold",
        (1.0 + 1e-9, "|g_{i}| ≤ α_{i}"),
        beyond,
        AtMost,
    );
    w.verdict(
        "steps not solved to rounding",
        (0.0, "convex problem"),
        run.counts.inexact as f64,
        AtMost,
    );
    let slope = |i: usize| (loops[i + 1].1 - loops[i].1) / (loops[i + 1].0 - loops[i].0);
    w.verdict(
        "stiffness before anything slips, N/m",
        (k1 + k2 + k3, "closed form: k_{1} + k_{2} + k_{3}"),
        slope(50),
        Relative(1e-3),
    );
    // Both slide: k₁(1 − a) + k₃(b − a) = 0 and k₂ b + k₃(b − a) = 0 for dx₁ = a dx, dx₂ = b dx.
    let a = k1 / (k1 + k3 - k3 * k3 / (k2 + k3));
    let late = loops.iter().position(|p| p.0 > 2.5).unwrap_or(0);
    w.verdict(
        "stiffness when both slide, N/m",
        (k1 * (1.0 - a), "closed form"),
        slope(late),
        Relative(1e-6),
    );
    masing(w, &loops, h);
    w.command("stickslip simulate gallery/gephyroid.toml --out gephyroid");
    Ok(())
}

/// Masing's rule: the branch from a tip is the virgin curve at twice the scale. Every cascade obeys.
fn masing(w: &mut Work, loops: &[(f64, f64)], h: f64) {
    let virgin: Vec<(f64, f64)> = loops.iter().copied().take_while(|p| p.0 < 2.9999).collect();
    let tip =
        loops.iter().copied().fold((f64::NEG_INFINITY, 0.0), |a, b| if b.0 > a.0 { b } else { a });
    let at = |x: f64| {
        let i = virgin.partition_point(|p| p.0 < x).clamp(1, virgin.len() - 1);
        let p = virgin[i - 1];
        let q = virgin[i];
        p.1 + (q.1 - p.1) * (x - p.0) / (q.0 - p.0)
    };
    let down = loops.iter().skip_while(|p| p.0 < tip.0).take_while(|p| p.0 > -2.9);
    let masing: Vec<(f64, f64)> =
        down.map(|p| (p.0, tip.1 - 2.0 * at(0.5 * (tip.0 - p.0)))).collect();
    let real = loops.iter().skip_while(|p| p.0 < tip.0);
    let off = real.zip(&masing).map(|(p, m)| (p.1 - m.1).abs()).fold(0.0, f64::max);
    let (x, f): (Vec<f64>, Vec<f64>) = loops.iter().copied().unzip();
    let (mx, mf): (Vec<f64>, Vec<f64>) = masing.iter().copied().unzip();
    let panel = Panel::new(Axis::linear("x", "m"), Axis::linear("force on the mass", "N"))
        .height(300.0)
        .line(x, f, Style::new(Ink::Blue).label("gephyroid"))
        .line(
            mx,
            mf,
            Style::new(Ink::Vermillion).dashed().label("Masing's rule from its virgin curve"),
        );
    w.figure("gephyroid.svg", &Figure::new().describe("The gephyroid's loop").panel(panel), "The gephyroid's loop under a prescribed displacement, and the branch that Masing's rule would give.");
    let largest = loops.iter().fold(0.0, |m: f64, p| m.max(p.1.abs()));
    w.verdict(
        "largest distance from Masing's rule, of the largest force",
        (10.0 * h, "Masing's rule, to the order of the scheme"),
        off / largest,
        AtMost,
    );
}
