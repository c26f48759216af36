//! What a response has over two numbers: the curves on which orbits bifurcate, and the peak.

use crate::product::{Cell, Column, Product, Table};
use std::sync::Arc;
use stickslip::study::orbit::{Kind, Response};
use stickslip_report::figure::{Axis, Figure, Ink, Marker, Panel, Style};

/// Bifurcations that get a mark of their own, in the order of the legend.
pub(super) const KINDS: [Kind; 11] = [
    Kind::Fold,
    Kind::Flip,
    Kind::SymmetryBreaking,
    Kind::Branching,
    Kind::NeimarkSacker,
    Kind::GrazingSliding,
    Kind::CrossingSliding,
    Kind::SwitchingSliding,
    Kind::AddingSliding,
    Kind::Grazing,
    Kind::Stops,
];

/// Neighbours on a curve differ by less than this part of the range of the first number from where the curve leads.
const NEXT: f64 = 0.25;
/// Bifurcations that several branches go through are one: parts of the range.
const SAME: f64 = 1e-8;

/// A bifurcation at a value of the second number.
struct At {
    second: f64,
    first: f64,
    kind: Kind,
    /// The number of its curve, from 1.
    curve: usize,
}

/// What there is over two numbers.
pub struct Boundaries {
    title: String,
    /// The first number and the second.
    keys: [String; 2],
    /// The length of the range of the first number.
    length: f64,
    all: Vec<At>,
    curves: usize,
    /// (second, first, amplitude) of the largest stable orbit at each value of the second number.
    peaks: Vec<[f64; 3]>,
    /// The least of these over the second number, between its values.
    least: Option<[f64; 3]>,
}

impl Boundaries {
    /// Nothing yet, over the number `first` in a range of this length, and `second`.
    pub fn new(title: String, [first, second]: [&str; 2], length: f64) -> Self {
        let keys = [first, second].map(str::to_owned);
        Self { title, keys, length, all: Vec::new(), curves: 0, peaks: Vec::new(), least: None }
    }

    /// Adds the response at the next value of the second number, and its peak.
    pub fn add(&mut self, second: f64, r: &Response, peak: Option<[f64; 3]>) {
        let begin = self.all.len();
        let last = self.all.last().map(|b| b.second);
        for (first, kind) in r.bifurcations() {
            let here = &self.all[begin..];
            if here.iter().any(|b| b.kind == kind && (b.first - first).abs() <= SAME * self.length)
            {
                continue;
            }
            let curve = last.and_then(|last| self.leads_to(last, (second, first, kind), begin));
            let curve = curve.unwrap_or_else(|| {
                self.curves += 1;
                self.curves
            });
            self.all.push(At { second, first, kind, curve });
        }
        self.peaks.extend(peak);
    }

    /// The values of the second number on both sides of the least peak, if there are some.
    pub fn beside_least(&self) -> Option<(f64, f64)> {
        let pairs = self.peaks.iter().enumerate();
        let i = pairs.min_by(|p, q| p.1[2].total_cmp(&q.1[2]))?.0;
        Some((self.peaks.get(i.checked_sub(1)?)?[0], self.peaks.get(i + 1)?[0]))
    }

    /// With the place of a peak that is lower than those at the values of the second number.
    pub fn refine(&mut self, least: Option<[f64; 3]>) {
        self.least = least;
    }

    /// The curve that was at the value `last` of the second number and leads nearest to a bifurcation.
    fn leads_to(
        &self,
        last: f64,
        (second, first, kind): (f64, f64, Kind),
        begin: usize,
    ) -> Option<usize> {
        let taken = |curve: usize| self.all[begin..].iter().any(|b| b.curve == curve);
        let ends = self.all[..begin].iter().filter(|b| b.second == last && b.kind == kind);
        let distance = |b: &At| {
            let mut before = self.all[..begin].iter().rev().filter(|a| a.curve == b.curve).skip(1);
            let rate = before.next().map_or(0.0, |a| (b.first - a.first) / (b.second - a.second));
            (b.first + rate * (second - last) - first).abs()
        };
        let open = ends.filter(|b| !taken(b.curve)).map(|b| (distance(b), b.curve));
        let nearest = open.min_by(|a, b| a.0.total_cmp(&b.0))?;
        (nearest.0 <= NEXT * self.length).then_some(nearest.1)
    }

    /// Where the peak is least: the optimal slip load, for one.
    pub fn least_peak(&self) -> Option<[f64; 3]> {
        self.peaks.iter().chain(&self.least).copied().min_by(|p, q| p[2].total_cmp(&q[2]))
    }

    /// The second number.
    pub fn second(&self) -> &str {
        &self.keys[1]
    }

    /// With their tables and figures.
    pub fn added_to(self, product: Product) -> Product {
        let (all, drawn) = (Arc::new(self), |b: &Arc<Self>| b.clone());
        let (boundaries, peaks) = (drawn(&all), drawn(&all));
        product
            .table(all.table())
            .figure("boundaries", move || boundaries.figure())
            .table(all.peak_table())
            .figure("peaks", move || peaks.peak_figure())
    }

    fn table(self: &Arc<Self>) -> Table {
        let [first, second] = self.keys.clone();
        let columns = [second, first, "kind".to_owned(), "curve".to_owned()];
        let all = self.clone();
        Table::new("boundaries", columns.map(|c| Column::new(c, "")).to_vec(), move |rows| {
            all.all.iter().try_for_each(|b| {
                let values = [b.second, b.first].map(Cell::Number);
                rows(&[values[0].clone(), values[1].clone(), b.kind.name().into(), b.curve.into()])
            })
        })
    }

    fn peak_table(self: &Arc<Self>) -> Table {
        let [first, second] = self.keys.clone();
        let columns = [(second, ""), (first, ""), ("amplitude".to_owned(), "m")];
        let all = self.clone();
        Table::new("peaks", columns.map(|c| Column::new(c.0, c.1)).to_vec(), move |rows| {
            all.peaks.iter().try_for_each(|p| rows(&p.map(Cell::Number)))
        })
    }

    fn figure(&self) -> String {
        let [first, second] = &self.keys;
        let mut panel =
            Panel::new(Axis::linear(second.as_str(), "").tight(), Axis::linear(first.as_str(), ""))
                .height(300.0);
        for (i, kind) in KINDS.iter().enumerate() {
            let mut named = false;
            for curve in 1..=self.curves {
                let on = self.all.iter().filter(|b| b.curve == curve && b.kind == *kind);
                let (x, y): (Vec<f64>, Vec<f64>) = on.map(|b| (b.second, b.first)).unzip();
                if x.is_empty() {
                    continue;
                }
                // A curve of one point has no line.
                // It runs along another that says why.
                let style = Style::new(Ink::series(i));
                let style = if *kind == Kind::Stops { style.dotted() } else { style };
                let style = if std::mem::replace(&mut named, true) {
                    style
                } else {
                    style.label(kind.name())
                };
                panel =
                    if x.len() > 1 { panel.line(x, y, style) } else { panel.points(x, y, style) };
            }
        }
        let figure = Figure::new().title(self.title.as_str());
        figure.describe("Where orbits bifurcate").panel(panel).to_svg()
    }

    fn peak_figure(&self) -> String {
        let (x, y) = self.peaks.iter().map(|p| (p[0], p[2])).unzip::<_, _, Vec<f64>, Vec<f64>>();
        let panel = Panel::new(Axis::linear(self.second(), "").tight(), Axis::linear("peak", "m"))
            .line(x, y, Style::new(Ink::Blue))
            .height(240.0);
        let panel = self.least_peak().into_iter().fold(panel, |panel, p| {
            let style = Style::new(Ink::Vermillion).marker(Marker::Diamond).size(8.0);
            panel.points(vec![p[0]], vec![p[2]], style.label("least"))
        });
        let figure = Figure::new().title(self.title.as_str());
        figure.describe("The largest amplitude over another number").panel(panel).to_svg()
    }
}
