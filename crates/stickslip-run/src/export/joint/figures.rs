//! Figures of a servo that was fitted to many logs.

use super::{Fitted, words};
use stickslip_calibrate::joint::gear::{Load, Torques};
use stickslip_report::figure::{Axis, Figure, Ink, Marker, Panel, Style};

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
        Style::series(1).width(1.8).label(format!("{largest:.3} N·m carried")),
    );
    Figure::new()
        .describe("Friction against speed, with and without a load")
        .panel(panel.height(300.0))
}

/// The error without each term, next to that with all of them.
pub fn terms(fitted: &Fitted) -> Figure<'_> {
    let terms = &fitted.fit.terms;
    let named = terms.iter().map(|t| (words::term(&t.term), t.error_without)).collect();
    let with = terms.first().map(|t| (t.error_with, "with all terms"));
    let panel = errors(named, with.into_iter().collect());
    Figure::new().describe("The mean absolute error without each term of the model").panel(panel)
}

/// The error by each column of the index, next to the mean and to what repetitions differ by.
pub fn groups(fitted: &Fitted) -> Figure<'_> {
    let fit = &fitted.fit;
    let named = fit.by.iter().map(|g| (words::group(&g.column, &g.value), g.error)).collect();
    let mean = (fit.error.held_out.unwrap_or(fit.error.fitted), "all of them");
    let apart = fit.error.repeatability.map(|r| (r, "two repetitions"));
    let panel = errors(named, [mean].into_iter().chain(apart).collect());
    Figure::new().describe("The mean absolute error by the columns of the index").panel(panel)
}

/// Errors by name, the first at the top, with lines to compare them with.
fn errors(named: Vec<(String, f64)>, lines: Vec<(f64, &str)>) -> Panel<'static> {
    let count = named.len();
    let (names, errors): (Vec<String>, Vec<f64>) = named.into_iter().rev().unzip();
    let places: Vec<f64> = (1..=count).map(|k| k as f64).collect();
    let axis = Axis::linear("mean absolute error", "rad");
    let mut panel = Panel::new(axis, Axis::places("", names)).height(50.0 + 20.0 * count as f64);
    for ((x, label), ink) in lines.into_iter().zip([Ink::Black, Ink::Green]) {
        panel = panel.vertical(x, Style::new(ink).dashed().label(label.to_owned()));
    }
    panel.points(errors, places, Style::new(Ink::Blue).marker(Marker::Dot).size(7.0))
}
