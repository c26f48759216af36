//! The law of du + σ(u) dt ∋ dB.

use super::super::verdict::Tolerance::{Absolute, AtMost, Relative};
use super::Work;
use stickslip::scheme::stochastic::Rule;
use stickslip::study::ensemble::{self, Distribution, Plan};
use stickslip::study::inclusion::{density, distribution};
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

const PATHS: u64 = 200_000;

/// ∫ g(z) over the density at t, by Simpson's rule.
fn mean(t: f64, g: impl Fn(f64) -> f64) -> f64 {
    let n = 20_000;
    let reach = 12.0;
    let h = 2.0 * reach / f64::from(n);
    let weight = |i: i32| if i == 0 || i == n { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
    (0..=n)
        .map(|i| -reach + h * f64::from(i))
        .zip(0..)
        .map(|(z, i)| weight(i) * g(z) * density(t, z))
        .sum::<f64>()
        * h
        / 3.0
}

/// The histogram of the velocities at `end` beside the density of the exact law.
fn draw(w: &mut Work, end: f64, u: &Distribution) {
    let bins = u.histogram(16);
    let mut edges: Vec<f64> = bins.iter().map(|b| b.0.0).collect();
    edges.extend(bins.last().map(|b| b.0.1));
    let heights: Vec<f64> =
        bins.iter().map(|((a, b), n)| *n as f64 / PATHS as f64 / (b - a)).collect();
    let z: Vec<f64> = (-500..=500).map(|i| 0.006 * f64::from(i)).collect();
    let curve = |t: f64| -> Vec<f64> { z.iter().map(|z| density(t, *z)).collect() };
    let now = curve(end);
    let later = curve(f64::INFINITY);
    let panel =
        Panel::new(Axis::linear("u(1)", "m/s").limits(-3.0, 3.0), Axis::linear("density", ""))
            .bars(edges, heights, Style::new(Ink::Sky).label("200 000 paths"))
            .line(z.clone(), now, Style::new(Ink::Vermillion).label("exact law, t = 1"))
            .line(z, later, Style::new(Ink::Black).dashed().label("e^{−2|z|}, t → ∞"));
    w.figure(
        "brownian-law.svg",
        &Figure::new().describe("Histogram and density").panel(panel),
        "The velocities at t = 1 and the density of the exact law.",
    );
}

pub fn run(w: &mut Work) -> Result<()> {
    let file = w.oscillator("law.toml", include_str!("../../models/law.toml"))?;
    let h = file.step()?;
    let end = file.end();
    let seed = file.seed();
    let plan = |rule: Rule| Plan::new(file.noisy(), h, seed).with_rows(2).with_rule(rule);
    let resolvent = ensemble::run(&plan(Rule::Euler), 0..PATHS, 0, &mut ())?;
    let explicit = ensemble::run(&plan(Rule::ExplicitSign), 0..PATHS / 4, 0, &mut ())?;
    let u = &resolvent.points[0].rows[1].v;
    draw(w, end, u);
    w.verdict("the density integrates to", (1.0, "a law"), mean(end, |_| 1.0), Absolute(1e-11));
    // Itô's formula for du = −sign u dt + dB: d/dt E u² = 1 − 2 E|u|, which no other law through the same point satisfies.
    let step = 1e-4;
    let rate = (mean(end + step, |z| z * z) - mean(end - step, |z| z * z)) / (2.0 * step);
    w.verdict(
        "the exact law: d/dt E u², m²/s³",
        (1.0 - 2.0 * mean(end, f64::abs), "1 − 2 E|u|, Itô's formula"),
        rate,
        Relative(1e-6),
    );
    // 1.63/√n is exceeded once in a hundred; the schemes are off by about h in law.
    let level = |paths: u64| 1.63 / (paths as f64).sqrt() + 2.0 * h;
    let exact = |z: f64| distribution(end, z);
    let rest = resolvent.contacts[0].stick_fraction(1);
    w.verdict(
        "resolvent scheme: Kolmogorov–Smirnov distance from the exact law",
        (level(PATHS), "1 % level + 2h"),
        u.distance(exact),
        AtMost,
    );
    w.verdict(
        "explicit scheme, a quarter of the paths: the same",
        (level(PATHS / 4), "1 % level + 2h"),
        explicit.points[0].rows[1].v.distance(exact),
        AtMost,
    );
    w.verdict(
        "resolvent scheme: E u², m²/s²",
        (mean(end, |z| z * z), "exact law; 3 standard errors and h"),
        u.variance() + u.mean().powi(2),
        Absolute(3.0 * (mean(end, |z| z.powi(4)) / PATHS as f64).sqrt() + h),
    );
    // P(u_n = 0): the density at 0 times the width of the band that a step maps to 0, 2h.
    w.verdict(
        "share of paths at rest at t = 1, over 2h × density at 0",
        (1.0, "measure zero as h → 0; 3 standard errors of the count"),
        rest / (2.0 * h * density(end, 0.0)),
        Absolute(3.0 / (rest * PATHS as f64).sqrt()),
    );
    w.command("stickslip ensemble gallery/law.toml --paths 200000 --out law");
    Ok(())
}
