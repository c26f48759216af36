//! A response: its table, its figure, and what is said of it.

use super::boundaries::{Boundaries, KINDS};
use crate::number::{readable, short};
use crate::product::{Column, Lazy, Product, Remark, Table, printed};
use serde_json::Value;
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip::study::orbit::{Branch, Kind, Point, Response};
use stickslip_report::figure::{Axis, Figure, Ink, Marker, Panel, Style};

/// A response that is done.
pub struct Shown {
    title: String,
    key: String,
    response: Response,
    boundaries: Option<Boundaries>,
}

impl Shown {
    /// Over the number `key`.
    pub fn new(title: String, key: String, response: Response) -> Self {
        Self { title, key, response, boundaries: None }
    }

    /// With what there is at each value of a second number.
    pub fn with_boundaries(self, boundaries: Option<Boundaries>) -> Self {
        Self { boundaries, ..self }
    }

    /// Everything that a response leaves.
    pub fn product(mut self, summary: Value) -> Product {
        let boundaries = self.boundaries.take();
        let least =
            boundaries.as_ref().and_then(|b| Some((b.second().to_owned(), b.least_peak()?)));
        let shown = Arc::new(self);
        let (drawn, said) = (shown.clone(), shown.clone());
        let text = Lazy::new(move || printed(|w| said.text(least.as_ref(), w)));
        let product = Product::new(summary, text)
            .table(shown.table())
            .figure("response", move || drawn.figure())
            .remarks(shown.remarks());
        match boundaries {
            Some(boundaries) => boundaries.added_to(product),
            None => product,
        }
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

    /// What is said, beginning with the place of the least peak over the second number.
    fn text(&self, least: Option<&(String, [f64; 3])>, w: &mut dyn Write) -> fmt::Result {
        if let Some((key, least)) = least {
            let [second, value, peak] = least.map(|x| readable(x, 6));
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
}

/// The least and the greatest value of a quantity along a branch.
fn range(b: &Branch, of: fn(&Point) -> f64) -> (f64, f64) {
    b.points
        .iter()
        .map(of)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)))
}
