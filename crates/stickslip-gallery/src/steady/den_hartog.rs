//! Coulomb friction under a harmonic force.

use super::super::verdict::Tolerance::{Absolute, AtMost};
use super::Work;
use std::f64::consts::{FRAC_PI_2, TAU};
use stickslip::study::orbit::{Forced, Kind, Method, Options, Search, response, search};
use stickslip::{Error, Law, Oscillator, Signal};
use stickslip_file::Result;
use stickslip_report::figure::{Axis, Figure, Ink, Marker, Panel, Style};

const MODEL: &str = include_str!("../../models/den-hartog.toml");

/// β and the largest friction without stops: closed form, 15 digits.
const LIMITS: [(f64, f64); 6] = [
    (0.55, 0.428144580141673),
    (0.6, 0.531512540169226),
    (0.75, 0.784278361710538),
    (1.25, 0.698821143090012),
    (2.0, 0.596284793999944),
    (3.0, 0.5625),
];

/// β, f, and |μ₁ μ₂| = r², r by 12 digits.
const RATIOS: [(f64, f64, f64); 6] = [
    (0.4, 0.1, 0.301258380508),
    (0.55, 0.3, 0.179180896945),
    (0.75, 0.3, 0.606616461917),
    (1.25, 0.4, 0.705077567245),
    (2.0, 0.3, 0.597505807881),
    (3.0, 0.5, 0.179029342806),
];

fn forced(o: &Oscillator, beta: f64, f: f64) -> Result<Forced, Error> {
    let o = Oscillator { friction: Law::coulomb(f)?, ..o.clone() };
    let o = o.with_force(Signal::harmonic(1.0, beta, 0.0));
    Forced::new(&o.into(), TAU / beta, Method::Exact)
}

/// A without stops.
fn amplitude(beta: f64, f: f64) -> f64 {
    let v = 1.0 / (1.0 - beta * beta);
    let u = (FRAC_PI_2 / beta).tan() / beta;
    (v * v - f * f * u * u).sqrt()
}

pub fn limits(w: &mut Work) -> Result<()> {
    let given = w.oscillator("den-hartog.toml", MODEL)?;
    let o = &given.model;
    let mut worst = 0.0f64;
    let mut off = 0.0f64;
    let mut panel =
        Panel::new(Axis::linear("friction f/P", "").tight(), Axis::linear("amplitude A k/P", ""));
    for (i, (beta, limit)) in LIMITS.into_iter().enumerate() {
        let options = Options::new(0.5 * limit, 1.2 * limit).with_count(60);
        let found = response(|f| forced(o, beta, f), &options)?;
        let onset = found.bifurcations().find(|b| b.1 == Kind::Stops).map_or(f64::NAN, |b| b.0);
        off = off.max((onset - limit).abs());
        for branch in &found.branches {
            let (f, a): (Vec<f64>, Vec<f64>) =
                branch.points.iter().map(|p| (p.value, p.orbit.amplitude())).unzip();
            let free = branch.points.iter().filter(|p| p.orbit.stops == 0);
            let error = free.map(|p| (p.orbit.amplitude() - amplitude(beta, p.value)).abs());
            worst = worst.max(error.fold(0.0, f64::max));
            panel = panel.line(f, a, Style::series(i).label(format!("β = {beta}")));
        }
        let mark = Style::new(Ink::series(i)).marker(Marker::Diamond).size(7.0);
        panel = panel.points(vec![limit], vec![amplitude(beta, limit)], mark);
    }
    let figure = Figure::new().describe("Amplitudes over the friction").panel(panel.height(280.0));
    w.figure(
        "den-hartog.svg",
        &figure,
        "Amplitudes of the periodic orbits; a diamond marks the onset of stops.",
    );
    w.verdict(
        "largest error of an amplitude without stops",
        (1e-11, "A² = V² − f²U²"),
        worst,
        AtMost,
    );
    w.verdict("largest error of an onset of stops", (1e-10, "closed form"), off, AtMost);
    Ok(())
}

pub fn stability(w: &mut Work) -> Result<()> {
    let given = w.oscillator("den-hartog.toml", MODEL)?;
    let mut worst = 0.0f64;
    let mut unstable = 0.0;
    for (beta, f, r) in RATIOS {
        let found = search(&forced(&given.model, beta, f)?, &Search::default())?;
        let orbit = &found.orbits[0];
        let product = orbit.multipliers.iter().fold(1.0, |p, m| p * m.norm());
        worst = worst.max((product - r * r).abs());
        unstable += f64::from(u8::from(!orbit.stable));
    }
    w.verdict(
        "largest error of the product of the multipliers",
        (1e-10, "r², Shaw 1986"),
        worst,
        AtMost,
    );
    w.verdict("orbits that are not stable", (0.0, "Shaw 1986"), unstable, Absolute(0.0));
    Ok(())
}
