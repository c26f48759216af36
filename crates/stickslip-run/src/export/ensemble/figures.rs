//! The figures of an ensemble.

use super::label;
use crate::ensemble::partial::SomePaths;
use crate::export::said::STICKS;
use stickslip::portable;
use stickslip::study::ensemble::{Distribution, Durations, Point, Row};
use stickslip_report::figure::{Axis, Ink, Panel, Style};

/// Bins of a drawn histogram: so many of those kept make one.
const TOGETHER: usize = 32;
/// The most points or contacts that are drawn: beyond, colours repeat.
const MOST: usize = 6;
/// Bins of drawn durations in a factor of ten.
const PER_DECADE: f64 = 12.0;

/// Mean, median and the middle nine tenths against time, and how many stick.
pub fn rows(partial: &SomePaths) -> String {
    let t = &partial.times;
    let e = &partial.ensemble;
    let panel = |name: &str, unit: &str, point: &Point, of: fn(&Row) -> &Distribution| {
        let column = |f: &dyn Fn(&Row) -> f64| point.rows.iter().map(f).collect::<Vec<f64>>();
        let quantile = |p: f64| column(&|r| of(r).quantile(p));
        let name = name.to_owned() + &label("", &point.name).1;
        Panel::new(Axis::linear("time", "s").tight(), Axis::linear(name, unit))
            .between(
                t.clone(),
                quantile(0.05),
                quantile(0.95),
                Style::new(Ink::Blue).opacity(0.25).label("5 % to 95 %"),
            )
            .line(t.clone(), quantile(0.5), Style::new(Ink::Blue).label("median"))
            .line(
                t.clone(),
                column(&|r| of(r).mean()),
                Style::new(Ink::Orange).dashed().label("mean"),
            )
    };
    let mut panels = Vec::new();
    for point in e.points.iter().take(MOST) {
        panels.push(panel("displacement", "m", point, |r| &r.x));
        if e.points.len() == 1 {
            panels.push(panel("velocity", "m/s", point, |r| &r.v));
        }
    }
    let mut stick =
        Panel::new(Axis::linear("time", "s").tight(), Axis::linear(STICKS, "").limits(0.0, 1.0))
            .height(140.0);
    for (i, c) in e.contacts.iter().enumerate().take(MOST) {
        let share: Vec<f64> = (0..t.len()).map(|r| c.stick_fraction(r)).collect();
        let style = if e.contacts.len() == 1 {
            Style::new(Ink::Black)
        } else {
            Style::series(i).label(c.name.as_str())
        };
        stick = stick.line(t.clone(), share, style);
    }
    panels.extend((!e.contacts.is_empty()).then_some(stick));
    let figure =
        partial.heading().figure().describe("Statistics of an ensemble against time").stack(panels);
    figure.to_svg()
}

/// Histograms at the end, beside the exact law where it is known.
pub fn histograms(partial: &SomePaths) -> String {
    let Some(&end) = partial.times.last() else { return String::new() };
    let panel = |name: String, unit: &str, d: &Distribution| {
        let bins = d.histogram(TOGETHER);
        let mut edges: Vec<f64> = bins.iter().map(|b| b.0.0).collect();
        edges.extend(bins.last().map(|b| b.0.1));
        let all = d.count() as f64;
        let density: Vec<f64> = bins
            .iter()
            .map(|&((a, b), n)| if b > a { n as f64 / all / (b - a) } else { 0.0 })
            .collect();
        let y = Axis::linear("density", if unit == "m" { "1/m" } else { "s/m" });
        let bars = Style::new(Ink::Blue).opacity(0.5).label("paths");
        (Panel::new(Axis::linear(name, unit).tight(), y).bars(edges.clone(), density, bars), edges)
    };
    let mut figure =
        partial.heading().figure().describe("Histograms of displacement and velocity at the end");
    for point in partial.ensemble.points.iter().take(MOST) {
        let Some(last) = point.rows.last() else { continue };
        let whose = label("", &point.name).1;
        let (x, _) = panel(format!("displacement{whose} at the end"), "m", &last.x);
        let (mut v, edges) = panel(format!("velocity{whose} at the end"), "m/s", &last.v);
        if let (Some(inclusion), [first, .., to]) = (partial.inclusion, edges.as_slice()) {
            let z: Vec<f64> =
                (0..=400).map(|i| first + (to - first) * f64::from(i) / 400.0).collect();
            let exact: Vec<f64> = z.iter().map(|&z| inclusion.density(end, z)).collect();
            v = v.line(z, exact, Style::new(Ink::Orange).label("exact law"));
        }
        figure = figure.beside([x, v]);
    }
    figure.to_svg()
}

/// Shares of the single slips by how long they lasted, in bins of equal ratio.
pub fn durations(partial: &SomePaths) -> String {
    let e = &partial.ensemble;
    let step = partial.step();
    let panel = |i: usize, name: &str, d: &Durations| {
        let (edges, shares) = by_ratio(d);
        let edges: Vec<f64> = edges.iter().map(|n| n * step).collect();
        let y = "share of the slips".to_owned() + &label("", name).1;
        Panel::new(Axis::log("duration of a slip", "s").tight(), Axis::linear(y, ""))
            .bars(edges, shares, Style::new(Ink::series(i)).opacity(0.6))
            .height(170.0)
    };
    let seen = e.contacts.iter().filter(|c| c.slip_steps.count() > 0).take(MOST);
    let panels = seen.enumerate().map(|(i, c)| panel(i, &c.name, &c.slip_steps));
    let figure = partial.heading().figure().describe("How long single slips last").stack(panels);
    figure.to_svg()
}

/// Edges in steps, each a whole number and a half, and the share between them.
fn by_ratio(d: &Durations) -> (Vec<f64>, Vec<f64>) {
    let (low, high) = d.range();
    let mut edges = vec![(low as f64 - 0.5).max(0.5)];
    let mut last = edges[0];
    while last <= high as f64 {
        // No bin is narrower than a step: shorter ones would be empty or full by chance.
        last = (last * portable::pow(10.0, 1.0 / PER_DECADE)).max(last + 1.0).floor() + 0.5;
        edges.push(last);
    }
    let mut shares = vec![0.0; edges.len() - 1];
    for (from, to, count) in d.histogram() {
        let middle = 0.5 * (from + to - 1) as f64;
        let bin = edges.partition_point(|&e| e <= middle).saturating_sub(1);
        if let Some(share) = shares.get_mut(bin) {
            *share += count as f64 / d.count() as f64;
        }
    }
    (edges, shares)
}
