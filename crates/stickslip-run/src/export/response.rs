//! A response: its table, its figure, and what is said of it.

use crate::number::{readable, short};
use crate::product::{Cell, Column, Lazy, Product, Remark, Table, printed};
use serde_json::Value;
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip::study::orbit::{Branch, Kind, Point, Response};
use stickslip_report::figure::{Axis, Figure, Ink, Marker, Panel, Style};

/// What there is over two numbers.
#[derive(Default)]
pub struct Boundaries {
    /// (second, first, kind) of each bifurcation.
    bifurcations: Vec<(f64, f64, &'static str)>,
    /// (second, first, amplitude) of the largest stable orbit at each value of the second number.
    peaks: Vec<(f64, f64, f64)>,
}

impl Boundaries {
    /// Adds the response at a value of the second number.
    pub fn add(&mut self, second: f64, r: &Response) {
        self.bifurcations.extend(r.bifurcations().map(|(v, k)| (second, v, k.name())));
        let points = r.branches.iter().flat_map(|b| &b.points).filter(|p| p.orbit.stable);
        let peak = points.max_by(|p, q| p.orbit.amplitude().total_cmp(&q.orbit.amplitude()));
        self.peaks.extend(peak.map(|p| (second, p.value, p.orbit.amplitude())));
    }

    /// Where the peak is least: the optimal slip load, for one.
    pub fn least_peak(&self) -> Option<(f64, f64, f64)> {
        self.peaks.iter().copied().min_by(|p, q| p.2.total_cmp(&q.2))
    }
}

/// A response that is done.
pub struct Shown {
    title: String,
    key: String,
    response: Response,
    second: Option<String>,
    boundaries: Boundaries,
}

/// Bifurcations that get a mark of their own, in the order of the legend.
const KINDS: [Kind; 11] = [
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

impl Shown {
    /// Over the number `key`.
    pub fn new(title: String, key: String, response: Response) -> Self {
        Self { title, key, response, second: None, boundaries: Boundaries::default() }
    }

    /// With what there is at each value of a second number.
    pub fn with_boundaries(self, second: Option<String>, boundaries: Boundaries) -> Self {
        Self { second, boundaries, ..self }
    }

    /// Everything that a response leaves.
    pub fn product(self, summary: Value) -> Product {
        let shown = Arc::new(self);
        let (drawn, said) = (shown.clone(), shown.clone());
        let text = Lazy::new(move || printed(|w| said.text(w)));
        let product = Product::new(summary, text)
            .table(shown.table())
            .figure("response", move || drawn.figure())
            .remarks(shown.remarks());
        if shown.second.is_none() {
            return product;
        }
        let (drawn, peaks) = (shown.clone(), shown.clone());
        product
            .table(shown.boundary_table())
            .figure("boundaries", move || drawn.boundary_figure())
            .table(shown.peak_table())
            .figure("peaks", move || peaks.peak_figure())
    }

    fn table(self: &Arc<Self>) -> Table {
        let columns = [
            ("value", ""),
            ("amplitude", "m"),
            ("max", "m"),
            ("min", "m"),
            ("stops", ""),
            ("stuck_fraction", ""),
            ("dissipated", "J"),
            ("multiplier", ""),
            ("stable", ""),
            ("branch", ""),
            ("kind", ""),
        ];
        let shown = self.clone();
        Table::new("response", columns.map(|c| Column::new(c.0, c.1)).to_vec(), move |rows| {
            for (i, branch) in shown.response.branches.iter().enumerate() {
                for p in &branch.points {
                    let o = &p.orbit;
                    rows(&[
                        p.value.into(),
                        o.amplitude().into(),
                        o.max.into(),
                        o.min.into(),
                        o.stops.into(),
                        o.stuck_fraction.into(),
                        o.dissipated.into(),
                        o.multiplier().into(),
                        if o.stable { "true" } else { "false" }.into(),
                        (i + 1).into(),
                        p.kind.map_or("", Kind::name).into(),
                    ])?;
                }
            }
            Ok(())
        })
    }

    fn boundary_table(self: &Arc<Self>) -> Table {
        let second = self.second.clone().unwrap_or_default();
        let columns = [second, self.key.clone(), "kind".to_owned()];
        let shown = self.clone();
        Table::new("boundaries", columns.map(|c| Column::new(c, "")).to_vec(), move |rows| {
            shown.boundaries.bifurcations.iter().try_for_each(|(a, b, kind)| {
                rows(&[Cell::Number(*a), Cell::Number(*b), (*kind).into()])
            })
        })
    }

    fn peak_table(self: &Arc<Self>) -> Table {
        let second = self.second.clone().unwrap_or_default();
        let columns = [(second, ""), (self.key.clone(), ""), ("amplitude".to_owned(), "m")];
        let shown = self.clone();
        Table::new("peaks", columns.map(|c| Column::new(c.0, c.1)).to_vec(), move |rows| {
            let mut all = shown.boundaries.peaks.iter();
            all.try_for_each(|p| rows(&[p.0, p.1, p.2].map(Cell::Number)))
        })
    }

    fn peak_figure(&self) -> String {
        let second = self.second.clone().unwrap_or_default();
        let peaks = &self.boundaries.peaks;
        let (x, y) = peaks.iter().map(|p| (p.0, p.2)).unzip::<_, _, Vec<f64>, Vec<f64>>();
        let panel = Panel::new(Axis::linear(second, "").tight(), Axis::linear("peak", "m"))
            .line(x, y, Style::new(Ink::Blue))
            .height(240.0);
        let least = self.boundaries.least_peak();
        let panel = least.into_iter().fold(panel, |panel, p| {
            let style = Style::new(Ink::Vermillion).marker(Marker::Diamond).size(8.0);
            panel.points(vec![p.0], vec![p.2], style.label("least"))
        });
        let figure = Figure::new().title(self.title.as_str());
        figure.describe("The largest amplitude over another number").panel(panel).to_svg()
    }

    fn text(&self, w: &mut dyn Write) -> fmt::Result {
        if let (Some(key), Some((second, value, peak))) =
            (&self.second, self.boundaries.least_peak())
        {
            let (second, value, peak) =
                (readable(second, 6), readable(value, 6), readable(peak, 6));
            writeln!(
                w,
                "The peak is least at {key} = {second}: {peak} m, at {} = {value}",
                self.key
            )?;
        }
        for (i, b) in self.response.branches.iter().enumerate() {
            let (low, high) = range(b, |p| p.value);
            let (_, most) = range(b, |p| p.orbit.amplitude());
            let stable = b.points.iter().filter(|p| p.orbit.stable).count();
            writeln!(
                w,
                "Branch {}: {} orbits from {} to {}, {stable} of them stable, amplitude up to {} m",
                i + 1,
                b.points.len(),
                readable(low, 6),
                readable(high, 6),
                readable(most, 6)
            )?;
        }
        if self.response.bifurcations().next().is_none() {
            return writeln!(w, "No bifurcation in between.");
        }
        writeln!(w, "{:>18}  {:>14}  branch  bifurcation", "value", "amplitude (m)")?;
        for (i, b) in self.response.branches.iter().enumerate() {
            for p in &b.points {
                let Some(kind) = p.kind else { continue };
                let (value, a) = (readable(p.value, 12), readable(p.orbit.amplitude(), 8));
                writeln!(w, "{value:>18}  {a:>14}  {:>6}  {kind}", i + 1)?;
            }
        }
        Ok(())
    }

    fn remarks(&self) -> Vec<Remark> {
        let others = &self.response.others;
        match others.first() {
            None => Vec::new(),
            Some(value) => vec![Remark::from(format!(
                "at {} = {} some motions do not repeat after the periods that were asked for: there are attractors \
                 that no branch shows",
                self.key,
                short(*value)
            ))],
        }
    }

    fn figure(&self) -> String {
        let axis = || Axis::linear(self.key.as_str(), "").tight();
        let amplitude = self
            .curves(Panel::new(axis(), Axis::linear("amplitude", "m")), |p| p.orbit.amplitude());
        let amplitude =
            KINDS.iter().enumerate().fold(amplitude.height(260.0), |panel, (i, kind)| {
                let here = || self.points().filter(|p| p.kind == Some(*kind));
                if here().next().is_none() {
                    return panel;
                }
                let x: Vec<f64> = here().map(|p| p.value).collect();
                let y: Vec<f64> = here().map(|p| p.orbit.amplitude()).collect();
                let marker = [
                    Marker::Triangle,
                    Marker::Square,
                    Marker::Diamond,
                    Marker::Plus,
                    Marker::Cross,
                ][i % 5];
                let style =
                    Style::new(Ink::series(i + 1)).marker(marker).size(7.0).label(kind.name());
                panel.points(x, y, style)
            });
        let multiplier = Panel::new(axis(), Axis::linear("multiplier", ""));
        let multiplier = self
            .curves(multiplier, |p| p.orbit.multiplier())
            .horizontal(1.0, Style::new(Ink::Grey).dotted());
        let stuck = self.curves(Panel::new(axis(), Axis::linear("stick share", "")), |p| {
            p.orbit.stuck_fraction
        });
        let figure = Figure::new().title(self.title.as_str());
        let figure = figure
            .describe("Periodic orbits over a parameter: stable ones solid, unstable ones dashed");
        figure.stack([amplitude, multiplier.height(110.0), stuck.height(110.0)]).to_svg()
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.response.branches.iter().flat_map(|b| &b.points)
    }

    /// One quantity along all branches: solid where the orbits are stable, dashed where they are not.
    fn curves(&self, panel: Panel<'static>, of: fn(&Point) -> f64) -> Panel<'static> {
        self.response.branches.iter().enumerate().fold(panel, |panel, (i, b)| {
            let part = |stable: bool| {
                let (mut x, mut y) = (Vec::new(), Vec::new());
                for w in b.points.windows(2) {
                    if w[0].orbit.stable == stable {
                        x.extend([w[0].value, w[1].value]);
                        y.extend([of(&w[0]), of(&w[1])]);
                    } else if x.last().is_some_and(|x: &f64| x.is_finite()) {
                        x.push(f64::NAN);
                        y.push(f64::NAN);
                    }
                }
                (x, y)
            };
            let ((x, y), (p, q)) = (part(true), part(false));
            let ink = Ink::series(i);
            panel.line(x, y, Style::new(ink)).line(p, q, Style::new(ink).dashed())
        })
    }

    fn boundary_figure(&self) -> String {
        let second = self.second.clone().unwrap_or_default();
        let panel =
            Panel::new(Axis::linear(second, "").tight(), Axis::linear(self.key.as_str(), ""));
        let panel = KINDS.iter().enumerate().fold(panel.height(300.0), |panel, (i, kind)| {
            let here = || self.boundaries.bifurcations.iter().filter(|b| b.2 == kind.name());
            if here().next().is_none() {
                return panel;
            }
            let (x, y): (Vec<f64>, Vec<f64>) = here().map(|b| (b.0, b.1)).unzip();
            panel.points(x, y, Style::new(Ink::series(i)).label(kind.name()))
        });
        Figure::new()
            .title(self.title.as_str())
            .describe("Where orbits bifurcate")
            .panel(panel)
            .to_svg()
    }
}

/// The least and the greatest value of a quantity along a branch.
fn range(b: &Branch, of: fn(&Point) -> f64) -> (f64, f64) {
    b.points
        .iter()
        .map(of)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)))
}
