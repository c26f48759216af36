//! Structures given by their matrices, with friction contacts: a beam, and blades with a damper under their platforms.

use super::super::verdict::Tolerance::{Absolute, Relative};
use super::Work;
use std::f64::consts::TAU;
use stickslip::study::orbit::{Forced, Method, Orbit, Search, search};
use stickslip::{Error, Model};
use stickslip_file::{Document, Memory, ModelFile, Reading, Result};
use stickslip_report::figure::{Axis, Figure, Panel, Style};
use stickslip_run::each_of;

const BEAM: &str = include_str!("../../models/beam.toml");
const BLADES: &str = include_str!("../../models/under-platform.toml");
const SOURCE: &str = "independent event-driven integration by matrix exponentials";
/// Instants in a period at which the root of the mean square is taken.
const INSTANTS: usize = 400;
/// Points of each curve.
const POINTS: usize = 72;

/// The orbit to which the model's own start leads; of a network node number `node` is looked at.
fn orbit(model: &Model, omega: f64, node: usize) -> Result<Orbit, Error> {
    let mut wanted = Search::default();
    (wanted.starts, wanted.unstable) = (1, false);
    let forced = Forced::new(model, TAU / omega, Method::Best)?.looked_at(node);
    Ok(search(&forced, &wanted)?.orbits.swap_remove(0))
}

/// The root of the mean square of a displacement over a period.
fn rms(orbit: &Orbit, node: usize) -> f64 {
    let Some(path) = &orbit.network else { return f64::NAN };
    let at = |i: usize| path.state(orbit.period * i as f64 / INSTANTS as f64).x[node];
    ((0..INSTANTS).map(|i| at(i).powi(2)).sum::<f64>() / INSTANTS as f64).sqrt()
}

/// A model with some of its numbers changed.
fn changed(text: &str, numbers: &[(&str, f64)]) -> Result<Model> {
    let mut document = Document::parse("model.toml", text)?;
    for (key, value) in numbers {
        document.set(key, *value)?;
    }
    let reading = Reading::new(Memory::default());
    Ok(ModelFile::read(&document, &reading)?.problem.model)
}

/// Frequencies from `from` to `to` (rad/s) and the amplitudes of a node at these, the numbers at `keys` being the frequency and
/// those in `also` changed too.
fn curve(
    text: &str,
    from: f64,
    to: f64,
    keys: &[&str],
    also: &[(&str, f64)],
    node: usize,
) -> Result<(Vec<f64>, Vec<f64>)> {
    let all = (0..POINTS).map(|i| from + (to - from) * i as f64 / (POINTS - 1) as f64).collect();
    let found = each_of(all, |omega| -> Result<Option<(f64, f64)>> {
        let numbers: Vec<_> =
            keys.iter().map(|k| (*k, omega)).chain(also.iter().copied()).collect();
        // At a resonance without friction motions may take longer to settle than they are followed.
        let found = orbit(&changed(text, &numbers)?, omega, node).ok();
        Ok(found.map(|orbit| (omega, orbit.amplitude())))
    })?;
    Ok(found.into_iter().flatten().unzip())
}

pub fn beam(w: &mut Work) -> Result<()> {
    const FREQUENCY: &str = "network.force.0.harmonic.angular_frequency";
    const LIMIT: &str = "network.slider.0.static";
    const TIP: usize = 1;
    let given = w.network("beam.toml", BEAM)?;
    let found = orbit(&given.model.clone().into(), 200.0, TIP)?;
    let tip = rms(&found, TIP);
    w.verdict(
        "tip, root of the mean square, m",
        (6.9175991817818e-8, SOURCE),
        tip,
        Relative(1e-11),
    );
    let full = "the same with all 16 degrees of freedom";
    w.verdict(
        "the same, compared with the full model, m",
        (6.926732864e-8, full),
        tip,
        Relative(0.002),
    );
    w.verdict(
        "share of the period in stick",
        (0.57108727, SOURCE),
        found.stuck_fraction,
        Absolute(1e-7),
    );
    let mut panel = Panel::new(
        Axis::linear("angular frequency of the load", "rad/s").tight(),
        Axis::log("amplitude of the tip", "µm"),
    );
    for (i, (label, limit)) in [("limit 1.5 N", 1.5), ("stuck", 1e3)].into_iter().enumerate() {
        let (x, y) = curve(BEAM, 100.0, 370.0, &[FREQUENCY], &[(LIMIT, limit)], TIP)?;
        let y = y.into_iter().map(|y| 1e6 * y).collect::<Vec<f64>>();
        panel = panel.line(x, y, Style::series(i).label(label));
    }
    let figure = Figure::new().describe("Response of a beam").panel(panel.height(300.0));
    w.figure("beam.svg", &figure, "Amplitude of the tip over the frequency of the load.");
    Ok(())
}

pub fn blades(w: &mut Work) -> Result<()> {
    const FREQUENCY: [&str; 2] = [
        "network.force.0.harmonic.angular_frequency",
        "network.force.1.harmonic.angular_frequency",
    ];
    const LIMITS: [&str; 2] = ["network.slider.0.static", "network.slider.1.static"];
    const BLADE: usize = 1;
    let given = w.network("under-platform.toml", BLADES)?;
    let found = orbit(&given.model.clone().into(), 1.08, BLADE)?;
    w.verdict(
        "second blade, root of the mean square",
        // That integration, after 160 periods, had a few units of the sixth decimal left to settle.
        (1.433_229_84, SOURCE),
        rms(&found, BLADE),
        Absolute(5e-6),
    );
    w.verdict(
        "sticks in a period, of both contacts",
        (2.0, SOURCE),
        found.stops as f64,
        Absolute(0.0),
    );
    let mut panel = Panel::new(
        Axis::linear("frequency over that of a blade", "").tight(),
        Axis::log("amplitude of the second blade", "m"),
    );
    for (i, limit) in [0.01, 0.05, 10.0].into_iter().enumerate() {
        let also = LIMITS.map(|key| (key, limit));
        let (x, y) = curve(BLADES, 1.0, 1.25, &FREQUENCY, &also, BLADE)?;
        let label = if limit < 10.0 { format!("limit {limit} N") } else { "stuck".to_owned() };
        panel = panel.line(x, y, Style::series(i).label(label));
    }
    let figure = Figure::new().describe("Response of blades").panel(panel.height(300.0));
    w.figure(
        "under-platform.svg",
        &figure,
        "Amplitude of the second blade over the frequency of the load, for several limits of the contacts.",
    );
    Ok(())
}
