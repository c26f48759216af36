//! Figures of a fitted drive.

use super::Driven;
use stickslip_report::compose::{self, greatest};
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

fn time() -> Axis {
    Axis::linear("time t", "s").tight()
}

/// Position, velocity, and the force with what the model says.
pub fn record(driven: &Driven) -> Figure<'_> {
    let c = &driven.fit.curves;
    let force = Panel::new(time(), Axis::linear("force", "N"))
        .line(&c.time, &c.force, Style::new(Ink::Sky).width(2.4).label("measured"))
        .line(&c.time, &c.model, Style::new(Ink::Vermillion).width(0.8).label("model"));
    let position: Vec<f64> = c.position.iter().map(|x| 1e3 * x).collect();
    Figure::new().describe("Position, velocity and force over time").stack([
        Panel::new(time(), Axis::linear("position", "mm"))
            .line(&c.time, position, Style::new(Ink::Black).width(1.2))
            .height(110.0),
        Panel::new(time(), Axis::linear("velocity", "m/s"))
            .line(&c.time, &c.velocity, Style::new(Ink::Blue).width(1.0))
            .height(110.0),
        force.height(170.0),
    ])
}

/// Friction: force without M a and offset, against velocity, and the law that was found.
pub fn friction(driven: &Driven) -> Figure<'_> {
    let c = &driven.fit.curves;
    let p = &driven.fit.parameters;
    let [m, fv, fc, o] =
        [&p.mass, &p.viscous, &p.coulomb, &p.offset].map(|e| e.value.unwrap_or(f64::NAN));
    let thinning = driven.fit.filtering.thinning.div_ceil(5).max(1);
    let some = (0..c.time.len()).step_by(thinning);
    let (v, f): (Vec<f64>, Vec<f64>) =
        some.map(|i| (c.velocity[i], c.force[i] - m * c.acceleration[i] - o)).unzip();
    let fastest = v.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let half: Vec<f64> = (0..=200).map(|k| fastest * f64::from(k) / 200.0).collect();
    let more = |v: f64| driven.fit.falling.as_ref().map_or(0.0, |f| f.force(v));
    let at = |v: f64| fc + fv * v + more(v.max(f64::MIN_POSITIVE));
    let law: Vec<f64> =
        half.iter().rev().map(|v| -at(*v)).chain(half.iter().map(|v| at(*v))).collect();
    let most = law.iter().fold(0.0, |m: f64, f| m.max(f.abs()));
    let speeds: Vec<f64> = half.iter().rev().map(|v| -v).chain(half.iter().copied()).collect();
    let panel = Panel::new(
        Axis::linear("velocity", "m/s"),
        Axis::linear("force − M a − offset", "N").limits(-1.5 * most, 1.5 * most),
    )
    .points(v, f, Style::new(Ink::Sky).size(2.0).label("record"))
    .line(speeds, law, Style::new(Ink::Vermillion).width(1.8).label("law"));
    Figure::new().describe("Friction against velocity").panel(panel.height(320.0))
}

/// What the least squares leave over.
pub fn residuals(driven: &Driven) -> Figure<'_> {
    let c = &driven.fit.curves;
    compose::Residuals {
        time: time(),
        t: &c.row_time,
        residual: &c.row_residual,
        unit: "N",
        recorded: greatest(&c.force),
        ..Default::default()
    }
    .figure()
}

/// Measured minus simulated, position and (in closed loop) force.
pub fn simulation(driven: &Driven) -> Figure<'_> {
    let c = &driven.fit.curves;
    let apart = |a: &[f64], b: &[f64], by: f64| -> Vec<f64> {
        a.iter().zip(b).map(|(a, b)| by * (a - b)).collect()
    };
    let panels = driven.fit.simulations.iter().flat_map(|s| {
        let position = Panel::new(time(), Axis::linear("position error", "mm"))
            .title(format!("{}: measured − simulated", s.name))
            .line(&c.time, apart(&c.position, &s.position, 1e3), Style::new(Ink::Blue).width(0.9))
            .height(120.0);
        let force = (!s.force.is_empty()).then(|| {
            Panel::new(time(), Axis::linear("force", "N"))
                .line(&c.time, &c.force, Style::new(Ink::Sky).width(2.4).label("measured"))
                .line(&c.time, &s.force, Style::new(Ink::Vermillion).width(0.8).label("simulated"))
                .height(150.0)
        });
        [Some(position), force].into_iter().flatten()
    });
    let figure = Figure::new().describe("The record against its simulation");
    panels.fold(figure, Figure::panel)
}
