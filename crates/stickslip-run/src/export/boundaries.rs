//! What a response has over two numbers: the curves on which orbits bifurcate, and the peak.

use super::key::unit_of;
use crate::number::readable;
use crate::product::{Cell, Column, Product, Table};
use crate::turns::{Pair, Turn};
use std::sync::Arc;
use stickslip::study::orbit::{Kind, Response};
use stickslip_report::figure::{Axis, Figure, Ink, Marker, Panel, Style};

/// Bifurcations that get a mark of their own, in the order of the legend.
pub(super) const KINDS: [Kind; 12] = [
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
    Kind::Hopf,
];

/// Neighbours on a curve differ by less than this part of the range of the first number from where the curve leads.
const NEXT: f64 = 0.25;
/// Bifurcations that several branches go through are one: parts of the range.
const SAME: f64 = 1e-8;

/// A bifurcation at a value of the second number.
#[derive(Clone, Copy)]
struct At {
    second: f64,
    first: f64,
    kind: Kind,
    /// The number of its curve, from 1.
    curve: usize,
}

/// Curves that are one.
struct Line {
    kind: Kind,
    /// (second, first) in their order along it.
    points: Vec<[f64; 2]>,
    /// The curves at its two ends, and whether each is at the end that has the last value of the second number.
    ends: [(usize, bool); 2],
    /// Whether it leads back to its first point.
    closed: bool,
}

/// What there is over two numbers.
pub struct Boundaries {
    title: String,
    /// The first number and the second.
    keys: [String; 2],
    /// The length of the range of the first number.
    length: f64,
    all: Vec<At>,
    /// The values of the second number.
    seconds: Vec<f64>,
    curves: usize,
    lines: Vec<Line>,
    /// (second, first) where curves turn back.
    turns: Vec<([f64; 2], Kind)>,
    /// (second, first, amplitude) of the largest stable orbit at each value of the second number.
    peaks: Vec<[f64; 3]>,
    /// The least of these over the second number, between its values.
    least: Option<[f64; 3]>,
}

impl Boundaries {
    /// Nothing yet, over the number `first` in a range of this length, and `second`.
    pub fn new(title: String, [first, second]: [&str; 2], length: f64) -> Self {
        let keys = [first, second].map(str::to_owned);
        Self {
            title,
            keys,
            length,
            all: Vec::new(),
            seconds: Vec::new(),
            curves: 0,
            lines: Vec::new(),
            turns: Vec::new(),
            peaks: Vec::new(),
            least: None,
        }
    }

    /// Adds the response at the next value of the second number, and its peak.
    pub fn add(&mut self, second: f64, r: &Response, peak: Option<[f64; 3]>) {
        let begin = self.all.len();
        let last = self.seconds.last().copied();
        self.seconds.push(second);
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

    /// The points of a curve, in the order of the second number.
    fn points(&self, curve: usize) -> Vec<At> {
        self.all.iter().filter(|b| b.curve == curve).copied().collect()
    }

    /// The curves that may be one: neighbours of a kind that both end at one value of the second number, or both begin there.
    pub(crate) fn pairs(&self) -> Vec<Pair> {
        let steps = || self.seconds.windows(2).map(|w| [w[0], w[1]]);
        let ways = steps().map(|w| (w, true)).chain(steps().map(|[a, b]| ([b, a], false)));
        let mut all = Vec::new();
        for (second, last) in ways {
            let mut ends: Vec<(At, f64)> = Vec::new();
            for curve in 1..=self.curves {
                let mut points = self.points(curve);
                if last {
                    points.reverse();
                }
                if points[0].second == second[0] {
                    let before = points
                        .get(1)
                        .map(|p| (points[0].first - p.first) / (points[0].second - p.second));
                    ends.push((points[0], before.unwrap_or(f64::NAN)));
                }
            }
            ends.sort_by(|a, b| a.0.first.total_cmp(&b.0.first));
            for kind in KINDS {
                let of: Vec<_> = ends.iter().filter(|e| e.0.kind == kind).collect();
                all.extend(of.windows(2).map(|w| {
                    let slope = 0.5 * (w[0].1 + w[1].1);
                    Pair {
                        kind,
                        curves: [w[0].0.curve, w[1].0.curve],
                        ends: [w[0].0.first, w[1].0.first],
                        second,
                        slope: if slope.is_finite() { slope } else { 0.0 },
                        last,
                    }
                }));
            }
        }
        all
    }

    /// Joins the curves that turn back, and numbers them anew.
    pub(crate) fn join(&mut self, turns: Vec<Turn>) {
        let mut lines: Vec<Line> = (1..=self.curves)
            .map(|curve| {
                let points = self.points(curve);
                let kind = points[0].kind;
                let points = points.iter().map(|p| [p.second, p.first]).collect();
                Line { kind, points, ends: [(curve, false), (curve, true)], closed: false }
            })
            .collect();
        for Turn { pair, points, at } in turns {
            let [a, b] = pair.curves.map(|c| (c, pair.last));
            let of = |end| lines.iter().position(|l| l.ends.contains(&end));
            let (Some(i), Some(j)) = (of(a), of(b)) else { continue };
            self.turns.push((at, pair.kind));
            if i == j {
                let line = &mut lines[i];
                let around =
                    if line.ends[1] == a { points } else { points.into_iter().rev().collect() };
                line.points.extend(around);
                (line.closed, line.ends) = (true, [(0, false); 2]);
                continue;
            }
            let mut second = lines.remove(j);
            let first = &mut lines[if j < i { i - 1 } else { i }];
            // An end is joined once only.
            if first.ends[1] != a {
                first.turn_round();
            }
            if second.ends[0] != b {
                second.turn_round();
            }
            first.points.extend(points.into_iter().chain(second.points));
            first.ends[1] = second.ends[1];
        }
        self.lines = lines;
    }

    /// Where curves turn back in the second number: (second, first) and the kind of each.
    pub fn turns(&self) -> &[([f64; 2], Kind)] {
        &self.turns
    }

    /// Where the peak is least: the optimal slip load, for one.
    pub fn least_peak(&self) -> Option<[f64; 3]> {
        self.peaks.iter().chain(&self.least).copied().min_by(|p, q| p[2].total_cmp(&q[2]))
    }

    /// The place of the least peak and of the turns, in sentences.
    pub fn said(&self) -> String {
        let [first, second] = &self.keys;
        let mut said = String::new();
        if let Some(least) = self.least_peak() {
            let [s, value, peak] = least.map(|x| readable(x, 6));
            said = format!("The peak is least at {second} = {s}: {peak} m, at {first} = {value}\n");
        }
        for (at, kind) in &self.turns {
            let [s, value] = at.map(|x| readable(x, 9));
            said += &format!("A curve of {kind} turns back at {second} = {s}, {first} = {value}\n");
        }
        said
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
            for (i, line) in all.lines.iter().enumerate() {
                for p in &line.points {
                    rows(&[p[0].into(), p[1].into(), line.kind.name().into(), (i + 1).into()])?;
                }
            }
            Ok(())
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
        let mut panel = Panel::new(
            Axis::linear(second.as_str(), unit_of(second)).tight(),
            Axis::linear(first.as_str(), unit_of(first)),
        )
        .height(300.0);
        for (i, kind) in KINDS.iter().enumerate() {
            let mut named = false;
            for line in self.lines.iter().filter(|l| l.kind == *kind) {
                let back = line.points.iter().take(usize::from(line.closed));
                let (x, y): (Vec<f64>, Vec<f64>) =
                    line.points.iter().chain(back).map(|p| (p[0], p[1])).unzip();
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
        let panel = Panel::new(
            Axis::linear(self.keys[1].as_str(), unit_of(&self.keys[1])).tight(),
            Axis::linear("peak", "m"),
        )
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

impl Line {
    /// The other way round.
    fn turn_round(&mut self) {
        self.points.reverse();
        self.ends.reverse();
    }
}
