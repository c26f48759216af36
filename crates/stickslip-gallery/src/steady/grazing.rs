//! Grazing-sliding of a mass on a belt with a cubic law.

use super::super::verdict::Tolerance::{Absolute, AtMost};
use super::Work;
use std::f64::consts::TAU;
use stickslip::numeric::golden;
use stickslip::scheme::oscillator::adaptive;
use stickslip::study::orbit::{Forced, Kind, Method, Options, Orbit, response};
use stickslip::{Error, Oscillator, Signal};
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};
use stickslip_run::each_of;

const MODEL: &str = include_str!("../../models/grazing-sliding.toml");

/// Values of ν in the diagram, periods before the states that are shown, and these.
const DIAGRAM: (usize, usize, usize) = (180, 160, 60);
const RANGE: (f64, f64) = (1.66, 1.72);

fn belt(given: &Oscillator, nu: f64, tolerance: f64) -> Result<Forced, Error> {
    let o = given.clone().with_force(Signal::harmonic(0.1, nu, 0.0));
    let options = adaptive::Options::tolerance(tolerance).with_atol(1e-2 * tolerance);
    Forced::new(&o.into(), TAU / nu, Method::Adaptive(options))
}

pub fn run(w: &mut Work) -> Result<()> {
    let given = w.oscillator("grazing-sliding.toml", MODEL)?.model;
    let mut options = Options::new(1.7079, 1.7077).with_count(2).with_periods(4);
    options.seeds = 1;
    options.search.starts = 1;
    let found = response(|nu| belt(&given, nu, 1e-12), &options)?;
    let points = || found.branches.iter().flat_map(|b| &b.points);
    let grazing = points().find(|p| p.kind == Some(Kind::GrazingSliding));
    let (nu, x) = grazing.map_or((f64::NAN, f64::NAN), |p| (p.value, highest(&p.orbit)));
    let source = "integration at 30 digits; published 1.7077997";
    w.verdict("ν at the grazing-sliding", (1.707799714885, source), nu, Absolute(1e-9));
    w.verdict("x at the grazing", (1.419866007188, "integration at 30 digits"), x, Absolute(1e-5));
    let above = points().filter(|p| p.value > nu + 1e-9);
    let sticks = above.map(|p| p.orbit.stops as f64).fold(0.0, f64::max);
    w.verdict("sticks in a period above it", (0.0, "the paper"), sticks, AtMost);
    let (values, states) = diagram(&given)?;
    let panel = Panel::new(
        Axis::linear("angular frequency ν of the load", "rad/s").tight(),
        Axis::linear("displacement after a period", "m"),
    )
    .points(values, states, Style::new(Ink::Blue).size(1.5))
    .vertical(nu, Style::new(Ink::Vermillion).dashed());
    let figure = Figure::new().describe("A bifurcation diagram").panel(panel.height(320.0));
    w.figure(
        "grazing-sliding.svg",
        &figure,
        "States after each period of the load. Right of the dashed line nothing sticks; left of it there is chaos at once.",
    );
    Ok(())
}

/// The displacement at which the velocity of an orbit is highest.
fn highest(orbit: &Orbit) -> f64 {
    let path = &orbit.path;
    let samples = path.sample(4001);
    let near = samples.max_by(|a, b| a.1.v.total_cmp(&b.1.v)).map_or(0.0, |s| s.0);
    // 24 golden sections leave 1e-7 s of these 8e-3 s.
    path.state(golden(near - 4e-3, near + 4e-3, 24, |t| -path.state(t).v).0).x
}

/// ν and the displacement after each of some periods.
fn diagram(given: &Oscillator) -> Result<(Vec<f64>, Vec<f64>)> {
    let (count, before, rows) = DIAGRAM;
    let each = each_of((0..count).collect(), |i| -> Result<Vec<(f64, f64)>> {
        let nu = RANGE.0 + (RANGE.1 - RANGE.0) * (i as f64 / (count - 1) as f64);
        let forced = belt(given, nu, 1e-9)?;
        let states = forced.states(&forced.start(), before + rows)?;
        Ok(states[before..].iter().map(|s| (nu, s[0])).collect())
    })?;
    Ok(each.into_iter().flatten().unzip())
}
