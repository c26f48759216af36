//! A mass on a belt.

use super::super::verdict::Tolerance::Absolute;
use super::Work;
use stickslip::Phase;
use stickslip::study::orbit::{Method, Search, orbits};
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

const MODEL: &str = include_str!("../../models/belt.toml");

pub fn run(w: &mut Work) -> Result<()> {
    let given = w.oscillator("belt.toml", MODEL)?;
    let found = orbits(&given.model.clone().into(), Method::Best, &Search::default())?;
    let orbit = &found.orbits[0];
    let (x, v): (Vec<f64>, Vec<f64>) = orbit.path.sample(1501).map(|(_, s, _)| (s.x, s.v)).unzip();
    let panel = Panel::new(Axis::linear("displacement", "m"), Axis::linear("velocity", "m/s"))
        .line(x, v.clone(), Style::new(Ink::Blue));
    let figure = Figure::new().describe("Stick-slip on a belt").panel(panel.height(260.0));
    w.figure("belt.svg", &figure, "The orbit in the plane of displacement and velocity; on the straight part the mass sticks to the belt.");
    let source = "independent integration at 1e-13";
    w.verdict("period, s", (12.001031294831, source), orbit.period, Absolute(1e-10));
    let stuck: f64 = orbit.path.durations(&Phase::Stick).iter().sum();
    w.verdict("stick lasts, s", (7.7050317693504, source), stuck, Absolute(1e-10));
    w.verdict("largest multiplier", (0.0, "a stick forgets"), orbit.multiplier(), Absolute(0.0));
    let least = v.iter().copied().fold(f64::INFINITY, f64::min);
    w.verdict("least velocity, m/s", (-0.839902049281, source), least, Absolute(1e-4));
    Ok(())
}
