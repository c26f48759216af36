//! Figures of a fitted model.

use super::Fitted;
use stickslip::Phase;
use stickslip_report::compose::{self, greatest};
use stickslip_report::figure::{Axis, Figure, Ink, Panel, Style};

/// More stick phases than this would be a grey page.
const MOST_BANDS: usize = 400;

fn time() -> Axis {
    Axis::linear("time t", "s").tight()
}

/// What was measured and what the model shows, with its stick phases, and below each what is left.
pub fn record(fitted: &Fitted) -> Figure<'_> {
    let fit = &fitted.fit;
    let c = &fitted.fit.curves;
    let stick = sticks(fitted);
    let panels = fit.measured.iter().enumerate().flat_map(|(i, m)| {
        let shown = Panel::new(time(), Axis::linear(m.what.as_str(), m.unit))
            .bands(stick.clone(), Style::new(Ink::Black).opacity(0.08).label("stick"))
            .line(&c.time, &c.measured[i], Style::new(Ink::Sky).width(2.4).label("measured"))
            .line(&c.time, &c.fitted[i], Style::new(Ink::Vermillion).width(0.9).label("model"));
        let left = Panel::new(time(), Axis::linear("residual", m.unit)).line(
            &c.time,
            left(fitted, i),
            Style::new(Ink::Black).width(0.7),
        );
        [shown.height(220.0), left.height(90.0)]
    });
    Figure::new()
        .describe("The record and the fitted motion; the mass sticks where it is grey")
        .stack(panels.collect::<Vec<_>>())
}

fn left(fitted: &Fitted, i: usize) -> Vec<f64> {
    let c = &fitted.fit.curves;
    c.measured[i].iter().zip(&c.fitted[i]).map(|(a, b)| a - b).collect()
}

fn sticks(fitted: &Fitted) -> Vec<(f64, f64)> {
    let c = &fitted.fit.curves;
    let mut out: Vec<(f64, f64)> = Vec::new();
    for (i, phase) in c.phase.iter().enumerate() {
        if *phase != Some(Phase::Stick) {
            continue;
        }
        match out.last_mut() {
            Some(last) if i > 0 && last.1 == c.time[i - 1] => last.1 = c.time[i],
            _ => out.push((c.time[i], c.time[i])),
        }
    }
    if out.len() > MOST_BANDS { Vec::new() } else { out }
}

/// What the fit leaves of the first column, drawn.
pub fn residuals(fitted: &Fitted) -> String {
    let all = left(fitted, 0);
    let time = time();
    let rows = (0..all.len()).filter(|i| all[*i].is_finite());
    let (t, r): (Vec<f64>, Vec<f64>) = rows.map(|i| (fitted.fit.curves.time[i], all[i])).unzip();
    let unit = fitted.fit.measured[0].unit;
    let recorded = greatest(&fitted.fit.curves.measured[0]);
    compose::Residuals { time, t: &t, residual: &r, unit, recorded, ..Default::default() }
        .figure()
        .to_svg()
}
