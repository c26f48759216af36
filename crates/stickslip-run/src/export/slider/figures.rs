//! Figures of a record of slips.

use super::Seen;
use stickslip::portable;
use stickslip_calibrate::pulled_slider::Slip;
use stickslip_report::compose::histogram;
use stickslip_report::figure::{Axis, Figure, Ink, Marker, Panel, Style};

/// A zoom shows about this many slips.
const ZOOM: usize = 8;

fn force() -> Axis {
    Axis::linear("F/(m g)", "")
}

fn all(seen: &Seen, of: impl Fn(&Slip) -> f64) -> Vec<f64> {
    seen.fit.events.iter().map(of).collect()
}

/// The record with its slips, and a part of it enlarged.
pub fn record(seen: &Seen) -> Figure<'_> {
    let t = &seen.file.data.seconds;
    let f = &seen.file.data.values[0];
    let axis = || Axis::linear("time t", "s").tight();
    let top = all(seen, |s| s.top);
    let bottom = all(seen, |s| s.bottom);
    let start = all(seen, |s| s.time);
    let end = all(seen, |s| s.end);
    let marks = |panel: Panel<'static>, size: f64| {
        let mark = |ink, shape, label: &str| {
            Style::new(ink).marker(shape).size(size).label(label.to_owned())
        };
        panel
            .points(
                start.clone(),
                top.clone(),
                mark(Ink::Vermillion, Marker::Triangle, "breakaway"),
            )
            .points(end.clone(), bottom.clone(), mark(Ink::Blue, Marker::Diamond, "after the slip"))
    };
    let draw = |axis: Axis, range: std::ops::Range<usize>, width: f64| {
        Panel::new(axis, force()).line(
            t[range.clone()].to_vec(),
            f[range].to_vec(),
            Style::new(Ink::Sky).width(width),
        )
    };
    let figure =
        Figure::new().describe("The spring force over time with the slips that were found");
    let figure = figure.panel(marks(draw(axis(), 0..t.len(), 0.7), 4.0).height(200.0));
    // The middle of the record, where nothing has just begun.
    let events = &seen.fit.events;
    let n = seen.fit.events.len();
    if n <= ZOOM {
        return figure;
    }
    let first = &events[n / 2 - ZOOM / 2];
    let last = &events[n / 2 + ZOOM / 2 - 1];
    let margin = 0.5 * (last.end - first.time) / ZOOM as f64;
    let from = first.time - margin;
    let to = last.end + margin;
    let range = t.partition_point(|v| *v < from)..t.partition_point(|v| *v <= to);
    let inside = |s: &&Slip| s.time >= from && s.end <= to;
    let part: Vec<&Slip> = events.iter().filter(inside).collect();
    let slips: Vec<(f64, f64)> = part.iter().map(|s| (s.time, s.end)).collect();
    let at = |of: fn(&Slip) -> f64| part.iter().map(|s| of(s)).collect::<Vec<_>>();
    let panel = draw(axis().limits(from, to), range, 1.0)
        .bands(slips, Style::new(Ink::Grey).opacity(0.3).label("slips"))
        .points(
            at(|s| s.time),
            at(|s| s.top),
            Style::new(Ink::Vermillion).marker(Marker::Triangle).size(8.0),
        )
        .points(
            at(|s| s.end),
            at(|s| s.bottom),
            Style::new(Ink::Blue).marker(Marker::Diamond).size(8.0),
        );
    figure.panel(panel.height(200.0))
}

fn bars(values: &[f64], axis: Axis, ink: Ink, theory: Option<(f64, &str)>) -> Panel<'static> {
    let (edges, counts) = histogram(values);
    let panel = Panel::new(axis, Axis::linear("slips", "")).bars(edges, counts, Style::new(ink));
    let panel = match theory {
        Some((x, label)) => {
            panel.vertical(x, Style::new(Ink::Black).dashed().label(label.to_owned()))
        }
        None => panel,
    };
    panel.height(130.0)
}

/// Histograms of what the slips show.
pub fn distributions(seen: &Seen) -> Figure<'_> {
    let fit = &seen.fit;
    let slope: Vec<f64> =
        fit.events.iter().filter_map(|s| s.slope).map(|v| v / fit.theory_stick_slope).collect();
    let waiting: Vec<f64> = fit.events.iter().filter_map(|s| s.waiting).collect();
    let duration = all(seen, |s| 1e3 * s.duration);
    let theory = 1e3 * fit.theory_slip_duration_at_speed.unwrap_or(fit.theory_slip_duration);
    let plain = |label: &'static str, unit: &'static str| Axis::linear(label, unit);
    Figure::new()
        .describe("Histograms of friction, waiting times, slip durations and stick slopes")
        .beside([
            bars(&all(seen, |s| s.top), plain("μ_{s}", ""), Ink::Vermillion, None),
            bars(&all(seen, |s| s.mu_d), plain("μ_{d}", ""), Ink::Blue, None),
        ])
        .beside([
            bars(&all(seen, |s| s.top - s.bottom), plain("fall of F/(m g)", ""), Ink::Green, None),
            bars(&waiting, plain("waiting time", "s"), Ink::Grey, None),
        ])
        .beside([
            bars(
                &duration,
                plain("duration of slips", "ms"),
                Ink::Orange,
                Some((theory, "theory")),
            ),
            bars(&slope, plain("slope in stick / kV", ""), Ink::Sky, Some((1.0, "theory"))),
        ])
}

/// μ_s against waiting time, with the line that was fitted.
pub fn ageing(seen: &Seen) -> Figure<'_> {
    let aged = seen.fit.events.iter().filter_map(|s| s.waiting.map(|w| (w, s.top)));
    let (wait, top): (Vec<f64>, Vec<f64>) = aged.unzip();
    let mut panel = Panel::new(Axis::log("waiting time", "s"), Axis::linear("μ_{s}", ""));
    if let (Some(slope), false) = (seen.fit.ageing.per_decade.value, wait.is_empty()) {
        let n = wait.len() as f64;
        let middle = wait.iter().map(|w| portable::log10(*w)).sum::<f64>() / n;
        let mean = top.iter().sum::<f64>() / n;
        let ends = [f64::min, f64::max]
            .map(|pick: fn(f64, f64) -> f64| wait.iter().copied().reduce(pick).unwrap_or(1.0));
        let line = ends.map(|w| mean + slope * (portable::log10(w) - middle));
        let style =
            Style::new(Ink::Vermillion).width(1.6).label("slope per decade, drift taken out");
        panel = panel.line(ends.to_vec(), line.to_vec(), style);
    }
    let style = Style::new(Ink::Blue).size(4.0).label("slips");
    Figure::new()
        .describe("Static friction against waiting time")
        .panel(panel.points(wait, top, style).height(280.0))
}

/// μ_s and μ_d along the record.
pub fn slips(seen: &Seen) -> Figure<'_> {
    let t = all(seen, |s| s.time);
    let axis = Axis::linear("time t", "s").tight();
    let series = |panel: Panel<'static>, y: Vec<f64>, ink, label: &'static str| {
        panel.line(t.clone(), y.clone(), Style::new(ink).width(0.8).opacity(0.6)).points(
            t.clone(),
            y,
            Style::new(ink).size(3.5).label(label),
        )
    };
    let panel = Panel::new(axis, Axis::linear("μ", ""));
    let panel = series(panel, all(seen, |s| s.top), Ink::Vermillion, "μ_{s}");
    let panel = series(panel, all(seen, |s| s.mu_d), Ink::Blue, "μ_{d}");
    Figure::new()
        .describe("Static and sliding friction along the record")
        .panel(panel.height(220.0))
}
