//! Figures of a servo that was fitted to many logs.

use super::Fitted;
use stickslip_calibrate::joint::gear::{Load, Torques};
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

/// The log with the least, the median and the largest error among those that are scored.
pub fn logs(fitted: &Fitted) -> Figure<'_> {
    let mut scored = fitted.scored();
    scored.sort_by(|a, b| fitted.fit.logs[*a].error.total_cmp(&fitted.fit.logs[*b].error));
    let mut shown = match scored.as_slice() {
        [] => Vec::new(),
        all => vec![all[0], all[all.len() / 2], all[all.len() - 1]],
    };
    shown.dedup();
    let panels = shown.into_iter().map(|i| {
        let given = &fitted.file.asked().logs[i];
        let of = &fitted.fit.logs[i];
        let log = &given.log;
        Panel::new(Axis::linear("time t", "s").tight(), Axis::linear("angle", "rad"))
            .title(format!("{}: mean error {:.4} rad", given.file, of.error))
            .line(&log.time, &log.goal, Style::new(Ink::Black).width(0.7).dashed().label("goal"))
            .line(&log.time, &log.position, Style::new(Ink::Sky).width(2.4).label("measured"))
            .line(
                &log.time,
                &fitted.fit.angles[i],
                Style::new(Ink::Vermillion).width(0.9).label("fitted"),
            )
            .height(170.0)
    });
    Figure::new().describe("Three logs: the least, the median and the largest error").stack(panels)
}

/// Friction against speed, without a load and with the largest one of the logs held still.
pub fn friction(fitted: &Fitted) -> Figure<'_> {
    let joint = &fitted.fit.joint;
    let largest = fitted.file.asked().logs.iter().fold(0.0, |m: f64, g| m.max(g.log.load.gravity));
    let fastest = 6.0;
    let speeds: Vec<f64> = (-200..=200).map(|k| fastest * f64::from(k) / 200.0).collect();
    let law = |gravity: f64| -> Vec<f64> {
        // A load that is carried at an even speed: the motor's torque is as large as that of gravity.
        let torques = Torques { motor: gravity, external: -gravity };
        let load = Load { inertia: 0.0, gravity };
        speeds.iter().map(|v| joint.gear.sliding(&load, *v, &torques)).collect()
    };
    let panel = Panel::new(
        Axis::linear("speed", "rad/s").tight(),
        Axis::linear("friction of the gear", "N·m"),
    )
    .line(speeds.clone(), law(0.0), Style::new(Ink::Blue).width(1.8).label("no load"))
    .line(
        speeds.clone(),
        law(largest),
        Style::new(Ink::Vermillion).width(1.8).label(format!("{largest:.3} N·m carried")),
    );
    Figure::new()
        .describe("Friction against speed, with and without a load")
        .panel(panel.height(300.0))
}
