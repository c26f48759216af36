//! The picture of an explanation: what of the record speaks for it.

use super::Fitted;
use super::figures::Curves;
use stickslip_calibrate::{Finding, What};
use stickslip_report::figure::{Axis, Figure, Ink, Marker, Panel, Style};

const DAY: f64 = 86_400.0;
const HOUR: f64 = 3600.0;
/// Parts of the rows over which residuals are averaged.
const PARTS: usize = 60;

/// The picture of a finding, with its caption.
pub fn picture<'a>(
    fitted: &'a Fitted,
    finding: &Finding,
    curves: &'a Curves,
) -> Option<(Figure<'a>, &'static str)> {
    Some(match finding.what {
        What::Lag | What::Shift | What::Viscous => (
            against_rate(fitted, curves),
            "What the fit leaves over against the rate of the temperature: without a delay the means would lie on zero.",
        ),
        What::Step
        | What::Change
        | What::Drift
        | What::Creep
        | What::Thermometer
        | What::Gain
        | What::Expansion => (
            over_time(finding, curves),
            "What the fit leaves over, over time, with its means; the line marks the instant that was found.",
        ),
        What::Spikes | What::Sentinels => {
            (left_out(fitted, curves), "The record as it was measured, with what was left out.")
        }
        What::Rounding => (
            week(curves),
            "A week of the record: the readings, and the motion that was fitted to them.",
        ),
        _ => return None,
    })
}

/// Means of equally many neighbours along x, where x and y are numbers.
fn means(x: &[f64], y: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut all: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
    all.retain(|p| p.0.is_finite() && p.1.is_finite());
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mean = |part: &[(f64, f64)], of: fn(&(f64, f64)) -> f64| {
        part.iter().map(of).sum::<f64>() / part.len() as f64
    };
    let parts = all.chunks(all.len().div_ceil(PARTS).max(1));
    parts.map(|part| (mean(part, |p| p.0), mean(part, |p| p.1))).unzip()
}

fn residuals<'a>(
    panel: Panel<'a>,
    x: impl Into<std::borrow::Cow<'a, [f64]>>,
    curves: &'a Curves,
) -> Panel<'a> {
    panel
        .points(x, &curves.residual, Style::new(Ink::Sky).size(2.0).label("residuals"))
        .horizontal(0.0, Style::new(Ink::Black).width(0.8))
}

fn over_time<'a>(finding: &Finding, curves: &'a Curves) -> Figure<'a> {
    let times = &curves.times;
    let panel = Panel::new(times.axis.clone(), Axis::linear("residual", "mm"));
    let (x, y) = means(&times.t, &curves.residual);
    let mut panel = residuals(panel, &times.t, curves)
        .line(x, y, Style::new(Ink::Vermillion).width(2.0).label("means"))
        .height(200.0);
    if let Some(time) = finding.time {
        panel = panel.vertical(times.scale * time, Style::new(Ink::Black).dashed());
    }
    Figure::new().describe("Residuals over time, with the instant of the finding").panel(panel)
}

fn against_rate<'a>(fitted: &Fitted, curves: &'a Curves) -> Figure<'a> {
    let time = &fitted.file.data.seconds;
    let drive = &fitted.fit.curve.drive;
    let rate: Vec<f64> = (0..time.len())
        .map(|i| match (i.checked_sub(1), i + 1 < time.len()) {
            (Some(h), true) => HOUR * (drive[i + 1] - drive[h]) / (time[i + 1] - time[h]),
            _ => f64::NAN,
        })
        .collect();
    let (x, y) = means(&rate, &curves.residual);
    let panel =
        Panel::new(Axis::linear("rate of the temperature", "°C/h"), Axis::linear("residual", "mm"));
    let panel = residuals(panel, rate, curves)
        .line(x, y, Style::new(Ink::Vermillion).width(2.0).label("means"))
        .height(220.0);
    Figure::new().describe("Residuals against the rate of the temperature").panel(panel)
}

fn left_out<'a>(fitted: &Fitted, curves: &'a Curves) -> Figure<'a> {
    let codes: Vec<f64> = fitted.fit.sentinels.iter().map(|c| 1e3 * c.value).collect();
    let coded = |i: &usize| codes.contains(&curves.measured[*i]);
    let listed = fitted.fit.outlier_rows.iter().map(|row| row - 1);
    let mut rows: Vec<usize> = listed.collect();
    if rows.is_empty() {
        rows = (0..curves.measured.len()).filter(coded).collect();
    }
    let (x, y): (Vec<f64>, Vec<f64>) =
        rows.iter().map(|&i| (curves.times.t[i], curves.measured[i])).unzip();
    let mark = Style::new(Ink::Vermillion).marker(Marker::Diamond).size(6.0);
    let panel = Panel::new(curves.times.axis.clone(), Axis::linear("z", "mm"))
        .line(&curves.times.t, &curves.measured, Style::new(Ink::Sky).label("measured"))
        .points(x, y, mark.label("left out"))
        .height(220.0);
    Figure::new().describe("The record with what was left out").panel(panel)
}

/// The week in the middle of the record.
fn week<'a>(curves: &'a Curves) -> Figure<'a> {
    let times = &curves.times;
    let n = times.t.len();
    let half = 3.5 * DAY * times.scale;
    let middle = times.t.get(n / 2).copied().unwrap_or(0.0);
    let from = times.t.partition_point(|t| *t < middle - half);
    let to = times.t.partition_point(|t| *t <= middle + half);
    let part = |values: &'a [f64]| &values[from..to];
    let panel = Panel::new(times.axis.clone(), Axis::linear("z", "mm"))
        .points(
            part(&times.t),
            part(&curves.measured),
            Style::new(Ink::Sky).size(3.0).label("measured"),
        )
        .line(part(&times.t), part(&curves.fitted), Style::new(Ink::Vermillion).label("fitted"))
        .height(220.0);
    Figure::new().describe("A week of rounded readings").panel(panel)
}
