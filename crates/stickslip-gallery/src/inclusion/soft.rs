//! Penalisation: the spring of the book, and Yosida's.

use super::super::verdict::Tolerance::{Absolute, AtMost, Relative};
use super::Work;
use crate::double_logarithmic;
use std::f64::consts::PI;
use stickslip::motion::ImpactPath;
use stickslip::scheme::impact::{self, penalised};
use stickslip::study::order::{Softness, impact_distance as distance};
use stickslip::{EventKind, Impact};
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};
use stickslip_report::html::{Table, number};

/// What was seen of the contacts.
struct Contacts {
    /// Distances from the rigid motion: of the spring, of Yosida's.
    errors: Vec<Vec<f64>>,
    /// How long a contact lasts, s: with the spring, with Yosida's.
    durations: Vec<[f64; 2]>,
    /// How far the speed afterwards is from the one before, at most, relative.
    speeds: f64,
    /// How far a duration is from its formula, at most, relative.
    contact: f64,
}

pub fn run(w: &mut Work) -> Result<()> {
    let file = w.impact("impact.toml", include_str!("../../models/impact.toml"))?;
    let m = file.model.clone();
    let end = file.end();
    let rigid = impact::solve(&m, end)?;
    let softness: Vec<f64> = (2..=10).map(|j| 0.1f64.powi(j)).collect();
    let found = contacts(&m, &rigid, &softness)?;
    w.table(table(&softness, &found));
    let order = double_logarithmic(
        Axis::log("1/K = λ", "m/N"),
        Axis::log("distance from the rigid motion", "m"),
        &[
            ("spring, Kl = 1", &softness, &found.errors[0]),
            ("Yosida, λ = 1/K", &softness, &found.errors[1]),
        ],
    );
    motions(w, &m, &rigid)?;
    w.figure(
        "penalisation-rate.svg",
        &order,
        "Distance from the rigid motion against 1/K = λ: slope ½, as the contact lasts about π/√K.",
    );

    judge(w, &softness, &found);
    let last = penalised::solve(&m, Softness::Spring.at(1e-10), end)?;
    w.verdict(
        "u at the end with K = 10^{10}, m",
        (rigid.state(end).x, "the rigid wall"),
        last.state(end).x,
        Relative(1e-4),
    );
    w.deviation(
        "Bastien et al. 2013, §1.3.1",
        "the spring engages at l but is slack at the wall",
        "kept: it first pulls the mass in, so a contact lasts longer than half a period",
        "the book's own formulas say so; `slack` in the model file gives the other choice",
    );
    w.command("stickslip simulate gallery/impact.toml --scheme spring --out spring");
    w.command("stickslip converge gallery/impact.toml --scheme yosida --out yosida");
    Ok(())
}

/// What is computed beside what the formulas say.
fn judge(w: &mut Work, softness: &[f64], found: &Contacts) {
    w.verdict(
        "velocity after the contact over −v_{0}, all K and λ: largest distance from 1",
        (1e-7, "energy is conserved"),
        found.speeds,
        AtMost,
    );
    w.verdict(
        "duration of the contact: largest relative error",
        (1e-7, "t_{3b} − t_{1b} of the book; π√λ for Yosida"),
        found.contact,
        AtMost,
    );
    for (i, name) in ["spring", "Yosida"].into_iter().enumerate() {
        let h = &softness[4..];
        let e = &found.errors[i][4..];
        let slope = (e[0] / e[e.len() - 1]).ln() / (h[0] / h[h.len() - 1]).ln();
        w.verdict(
            format!("{name}: order in 1/K"),
            (0.5, "the contact lasts ~ K^{−1/2}"),
            slope,
            Absolute(0.03),
        );
    }
}

/// The motions of two soft walls beside that of a rigid one.
fn motions(w: &mut Work, m: &Impact, rigid: &ImpactPath) -> Result<()> {
    let end = rigid.span().1;
    let mut panel = Panel::new(
        Axis::linear("time t", "s").limits(0.4, 0.75),
        Axis::linear("u", "m").limits(-0.12, 0.3),
    )
    .height(240.0);
    let softer = Style::new(Ink::Vermillion).label("spring, K = 1 kN/m");
    let stiffer = Style::new(Ink::Orange).dotted().label("spring, K = 10 kN/m");
    for (h, style) in [(1e-3, softer), (1e-4, stiffer)] {
        let path = penalised::solve(m, Softness::Spring.at(h), end)?;
        let (t, x): (Vec<f64>, Vec<f64>) = path.sample(2001).map(|(t, s, _)| (t, s.x)).unzip();
        panel = panel.line(t, x, style);
    }
    let (t, x): (Vec<f64>, Vec<f64>) = rigid.sample(2001).map(|(t, s, _)| (t, s.x)).unzip();
    panel = panel.line(t, x, Style::new(Ink::Black).dashed().label("rigid, e = 1"));
    w.figure(
        "penalisation.svg",
        &Figure::new().describe("Soft walls").panel(panel),
        "Soft walls let the mass in for a while.",
    );
    Ok(())
}

/// Durations of the contact and distances from the rigid motion.
fn table(softness: &[f64], found: &Contacts) -> Table {
    let mut table = Table::new([
        "1/K = λ",
        "contact, spring [s]",
        "contact, Yosida [s]",
        "distance, spring",
        "distance, Yosida",
    ]);
    for (i, h) in softness.iter().enumerate() {
        table = table.row([
            number(*h, 2),
            number(found.durations[i][0], 6),
            number(found.durations[i][1], 6),
            number(found.errors[0][i], 4),
            number(found.errors[1][i], 4),
        ]);
    }
    table.caption("distance: sup |x − x_{rigid}| + mean |v − v_{rigid}|")
}

/// One contact with every wall.
fn contacts(m: &Impact, rigid: &ImpactPath, softness: &[f64]) -> Result<Contacts> {
    let end = rigid.span().1;
    let v0 = m.initial.velocity;
    let (mut errors, mut durations): (Vec<Vec<f64>>, Vec<[f64; 2]>) =
        (vec![Vec::new(); 2], Vec::new());
    let (mut speeds, mut contact): (f64, f64) = (0.0, 0.0);
    for &h in softness {
        let mut both = [0.0; 2];
        for (i, kind) in [Softness::Spring, Softness::Yosida].into_iter().enumerate() {
            let path = penalised::solve(m, kind.at(h), end)?;
            errors[i].push(distance(&path, rigid));
            let left = path.events().iter().find(|e| e.kind == EventKind::Impact);
            let (duration, v) = left.map_or((f64::NAN, f64::NAN), |e| (e.duration, e.v));
            speeds = speeds.max((v / -v0 - 1.0).abs());
            // Ω = √K. The book's spring is slack at the wall and engaged at l: tan Ω(t₂ − t₁) = v₀/(lΩ) on
            // the branch between π/2 and π; Yosida's contact lasts half a period.
            let rate = h.sqrt().recip();
            let expected = match kind {
                Softness::Spring => 2.0 * (PI - (-v0 / (h * rate)).atan()) / rate,
                Softness::Yosida => PI / rate,
            };
            contact = contact.max((duration / expected - 1.0).abs());
            both[i] = duration;
        }
        durations.push(both);
    }
    Ok(Contacts { errors, durations, speeds, contact })
}
