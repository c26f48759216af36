//! Chaos of a mass whose normal force depends on the displacement.

use super::super::verdict::Tolerance::{Absolute, AtLeast};
use super::Work;
use std::f64::consts::TAU;
use stickslip::scheme::oscillator::adaptive::{self, Options};
use stickslip::study::orbit::{Forced, Method};
use stickslip::{EventKind, Phase};
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

const MODEL: &str = include_str!("../../models/feeny-moon.toml");

/// Periods of the load for the figure, of which the first are left out, and for the exponents.
const PERIODS: (f64, f64, usize) = (1000.0, 20.0, 300);

pub fn run(w: &mut Work) -> Result<()> {
    let given = w.oscillator("feeny-moon.toml", MODEL)?;
    let o = &given.model;
    let period = TAU / 1.25;
    let path = given.path(o)?;
    let first = path.events().iter().find(|e| e.kind == EventKind::Reversal);
    let time = first.map_or(f64::NAN, |e| e.time);
    let last = path.state(given.end());
    let source = "SciPy's DOP853 at 1e-13, with events of its own";
    w.verdict("first reversal, s", (4.142626085809681, source), time, Absolute(1e-9));
    w.verdict("x after 30 s, m", (-0.24894658194838457, source), last.x, Absolute(1e-9));
    w.verdict("ẋ after 30 s, m/s", (1.0993875056404774, source), last.v, Absolute(1e-9));
    let (periods, transient, count) = PERIODS;
    let long = adaptive::solve(o, periods * period, Options::tolerance(1e-9))?;
    let phases = long.phases();
    let sticks = phases.iter().filter(|p| p.0 == Phase::Stick && p.1 > transient * period);
    let stuck: Vec<f64> = sticks.map(|p| long.state(p.1).x).collect();
    let least = stuck.iter().copied().fold(f64::INFINITY, f64::min);
    let most = stuck.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let within = "an independent computation: [−0.137, 1.272]";
    w.verdict("least stuck position, m", (-0.137, within), least, Absolute(2e-3));
    w.verdict("greatest stuck position, m", (1.272, within), most, Absolute(1e-3));
    let method = Method::Adaptive(Options::tolerance(1e-11));
    let exponents =
        Forced::new(&o.clone().into(), period, method)?.lyapunov(&[0.5, 0.0], 40, count)?;
    w.verdict("largest Lyapunov exponent, 1/s", (0.0, "chaos"), exponents[0], AtLeast);
    let x = stuck[..stuck.len() - 1].to_vec();
    let next = stuck[1..].to_vec();
    let axis = |what| Axis::linear(what, "m");
    let panel = Panel::new(axis("stuck position"), axis("next stuck position")).points(
        x,
        next,
        Style::new(Ink::Blue).size(1.5),
    );
    let figure = Figure::new().describe("Stuck positions").panel(panel.height(320.0));
    w.figure(
        "feeny-moon.svg",
        &figure,
        "Each position at which the mass sticks, and the next one: a motion in the plane has become a map of a line.",
    );
    Ok(())
}
