//! What a response has over two numbers: the curves on which orbits bifurcate, and the peak.

use super::key::Over;
use crate::heading::Heading;
use crate::number::readable;
use crate::product::{Cell, Column, Product, Table};
use std::sync::Arc;
use stickslip::study::orbit::{Boundaries, Kind};
use stickslip_report::figure::{Axis, Ink, Marker, Panel, Style};

/// Shapes of curves of one point.
const MARKERS: [Marker; 5] =
    [Marker::Triangle, Marker::Square, Marker::Diamond, Marker::Plus, Marker::Cross];

/// What there is over two numbers, as it is shown.
pub struct Shown {
    heading: Heading,
    /// The first number and the second.
    over: [Over; 2],
    found: Boundaries,
}

impl Shown {
    /// Over the first number and the second.
    pub fn new(heading: Heading, over: [Over; 2], found: Boundaries) -> Self {
        Self { heading, over, found }
    }

    /// What was found.
    pub fn found(&self) -> &Boundaries {
        &self.found
    }

    /// The place of the least peak and of the turns, in sentences.
    pub fn said(&self) -> String {
        let [first, second] = &self.over;
        let mut said = String::new();
        if let Some(least) = self.found.least_peak {
            let s = second.said(least.second, 6);
            let value = first.said(least.first, 6);
            let peak = readable(least.amplitude, 6);
            said = format!(
                "The peak is least at {} = {s}: {peak} m, at {} = {value}\n",
                second.key, first.key
            );
        }
        for turn in &self.found.turns {
            let s = second.said(turn.second, 9);
            let value = first.said(turn.first, 9);
            said += &format!(
                "A curve of {} turns back at {} = {s}, {} = {value}\n",
                turn.kind, second.key, first.key
            );
        }
        said
    }

    /// With their tables and figures.
    pub fn added_to(self, product: Product) -> Product {
        let all = Arc::new(self);
        let drawn = |b: &Arc<Self>| b.clone();
        let boundaries = drawn(&all);
        let peaks = drawn(&all);
        product
            .table(all.table())
            .figure("boundaries", move || boundaries.figure())
            .table(all.peak_table())
            .figure("peaks", move || peaks.peak_figure())
    }

    fn table(self: &Arc<Self>) -> Table {
        let [first, second] = self.over.each_ref().map(|over| over.key.clone());
        let columns = [second, first, "kind".to_owned(), "curve".to_owned()];
        let all = self.clone();
        Table::new("boundaries", columns.map(|c| Column::new(c, "")).to_vec(), move |rows| {
            for (i, line) in all.found.curves.iter().enumerate() {
                for p in &line.points {
                    rows(&[p[0].into(), p[1].into(), line.kind.name().into(), (i + 1).into()])?;
                }
            }
            Ok(())
        })
    }

    fn peak_table(self: &Arc<Self>) -> Table {
        let [first, second] = self.over.each_ref().map(|over| over.key.clone());
        let columns = [(second, ""), (first, ""), ("amplitude".to_owned(), "m")];
        let all = self.clone();
        Table::new("peaks", columns.map(|c| Column::new(c.0, c.1)).to_vec(), move |rows| {
            all.found
                .peaks
                .iter()
                .try_for_each(|p| rows(&[p.second, p.first, p.amplitude].map(Cell::Number)))
        })
    }

    fn figure(&self) -> String {
        let [first, second] = &self.over;
        let mut panel = Panel::new(second.axis(), first.loose_axis()).height(300.0);
        for (i, kind) in Kind::ALL.iter().enumerate() {
            let mut named = false;
            for line in self.found.curves.iter().filter(|l| l.kind == *kind) {
                let back = line.points.iter().take(usize::from(line.closed));
                let drawn = |p: &[f64; 2]| (second.drawn(p[0]), first.drawn(p[1]));
                let (x, y): (Vec<f64>, Vec<f64>) =
                    line.points.iter().chain(back).map(drawn).unzip();
                // A curve of one point has no line.
                // It runs along another that says why.
                let style = Style::series(i);
                let style = if *kind == Kind::Stops { style.dotted() } else { style };
                let style = if std::mem::replace(&mut named, true) {
                    style
                } else {
                    style.label(kind.name())
                };
                panel = if x.len() > 1 {
                    panel.line(x, y, style)
                } else {
                    let size = if *kind == Kind::Stops { 7.0 } else { 11.0 };
                    panel.points(x, y, style.marker(MARKERS[i % MARKERS.len()]).size(size))
                };
            }
        }
        let figure = self.heading.figure();
        figure.describe("Where orbits bifurcate").panel(panel).to_svg()
    }

    fn peak_figure(&self) -> String {
        let second = &self.over[1];
        let (x, y): (Vec<f64>, Vec<f64>) =
            self.found.peaks.iter().map(|p| (second.drawn(p.second), p.amplitude)).unzip();
        let panel = Panel::new(second.axis(), Axis::linear("peak", "m"))
            .line(x, y, Style::new(Ink::Blue))
            .height(240.0);
        let panel = self.found.least_peak.into_iter().fold(panel, |panel, p| {
            let style = Style::new(Ink::Vermillion).marker(Marker::Diamond).size(8.0);
            panel.points(vec![second.drawn(p.second)], vec![p.amplitude], style.label("least"))
        });
        let figure = self.heading.figure();
        figure.describe("The largest amplitude over another number").panel(panel).to_svg()
    }
}
