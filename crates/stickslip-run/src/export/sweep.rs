//! A sweep: its table, and its curves or maps.

use crate::number::readable;
use crate::product::{self as data, Cell, Lazy, Product, Table, printed};
use crate::sweep::{self, Values};
use serde_json::Value;
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip::study::ensemble::Ensemble;
use stickslip::study::sweep::Counted;
use stickslip::{EventKind, Oscillator, Phase, Trajectory};
use stickslip_report::figure::{Axis, Figure, Heat, Ink, Panel, Style};

/// What is measured: column, name and unit.
type Column = (String, String, &'static str);

/// What is measured of every model, before the points of it.
const COLUMNS: [(&str, &str, &str); 3] = [
    ("slips", "slips", ""),
    ("stick_share", "share of time in stick", ""),
    ("dissipated", "lost to dry friction", "J"),
];

/// What is measured of one motion, or the mean over paths: slips of all contacts, the mean of their
/// shares of time in stick, J lost, then displacement at the end and its standard deviation for each
/// point.
#[derive(Debug, Clone)]
pub struct Measures(Vec<f64>);

impl Measures {
    /// Of one motion.
    pub fn of_motion(oscillator: &Oscillator, path: &Trajectory) -> Self {
        let (start, end) = path.span();
        let slips = path.events().iter().filter(|e| e.kind == EventKind::Slip).count();
        let stick: f64 = path.durations(&Phase::Stick).iter().sum();
        let energy = path.energy(oscillator);
        Self(vec![slips as f64, stick / (end - start), energy.friction, path.state(end).x, 0.0])
    }

    /// Of one motion of so many `steps` by the Euler scheme.
    pub fn of_steps(oscillator: &Oscillator, c: &Counted, steps: f64) -> Self {
        let dissipated = oscillator.friction.sliding() * c.slid;
        Self(vec![c.slips as f64, c.stick as f64 / steps, dissipated, c.last.x, 0.0])
    }

    /// Means over paths.
    pub fn of_paths(e: &Ensemble) -> Self {
        let slips = e.contacts.iter().map(|c| c.slips.mean()).sum();
        let sticks: f64 = e.contacts.iter().map(|c| c.stick_share.mean()).sum();
        let mut all = vec![slips, sticks / e.contacts.len().max(1) as f64, e.dissipated.mean()];
        for last in e.points.iter().filter_map(|p| p.rows.last()) {
            all.extend([last.x.mean(), last.x.variance().sqrt()]);
        }
        Self(all)
    }
}

/// A sweep that is done.
pub struct Swept {
    /// Heading of figures.
    title: String,
    /// The numbers that vary, the first fastest.
    axes: Vec<sweep::Axis>,
    /// Their values at each point.
    grid: Vec<Vec<f64>>,
    /// What came out at each point.
    measures: Vec<Measures>,
    columns: Vec<Column>,
}

impl Swept {
    /// Of a model with points `names`.
    pub fn new(
        title: String,
        axes: Vec<sweep::Axis>,
        grid: Vec<Vec<f64>>,
        measures: Vec<Measures>,
        names: &[String],
    ) -> Self {
        let mut columns: Vec<Column> =
            COLUMNS.iter().map(|c| (c.0.to_owned(), c.1.to_owned(), c.2)).collect();
        for name in names {
            let (tail, of) = match name.as_str() {
                "" => (String::new(), String::new()),
                _ => (format!("_{name}"), format!(" of {name}")),
            };
            columns.push((format!("end_x{tail}"), format!("displacement{of} at the end"), "m"));
            columns.push((format!("end_sd{tail}"), "standard deviation of it".to_owned(), "m"));
        }
        Self { title, axes, grid, measures, columns }
    }

    /// Everything that a sweep leaves.
    pub fn product(self, summary: Value) -> Product {
        let swept = Arc::new(self);
        let (drawn, said) = (swept.clone(), swept.clone());
        let text = Lazy::new(move || printed(|w| said.text(w)));
        Product::new(summary, text).table(swept.table()).figure("sweep", move || drawn.figure())
    }

    fn table(self: &Arc<Self>) -> Table {
        let keys = self.axes.iter().map(|a| data::Column::new(a.key.as_str(), ""));
        let columns = self.columns.iter().map(|c| data::Column::new(c.0.as_str(), c.2));
        let swept = self.clone();
        Table::new("sweep", keys.chain(columns).collect(), move |rows| {
            for (values, m) in swept.grid.iter().zip(&swept.measures) {
                let cells: Vec<Cell<'_>> =
                    values.iter().chain(&m.0).copied().map(Cell::Number).collect();
                rows(&cells)?;
            }
            Ok(())
        })
    }

    fn text(&self, w: &mut dyn Write) -> fmt::Result {
        let keys = self.axes.iter().map(|a| a.key.rsplit('.').next().unwrap_or_default());
        let header: Vec<String> = keys
            .chain(self.columns.iter().map(|c| c.0.as_str()))
            .map(|c| format!("{c:>14}"))
            .collect();
        writeln!(w, "{}", header.join(" "))?;
        for (values, m) in self.grid.iter().zip(&self.measures) {
            let cells: Vec<String> =
                values.iter().chain(&m.0).map(|&v| format!("{:>14}", readable(v, 6))).collect();
            writeln!(w, "{}", cells.join(" "))?;
        }
        Ok(())
    }

    fn column(&self, c: usize) -> Vec<f64> {
        self.measures.iter().map(|m| m.0[c]).collect()
    }

    fn figure(&self) -> String {
        // Spreads are drawn where there are any.
        let shown = |c: &usize| {
            !self.columns[*c].0.starts_with("end_sd") || self.column(*c).iter().any(|&s| s != 0.0)
        };
        let panels = (0..self.columns.len()).filter(shown).map(|c| match self.axes.as_slice() {
            [one] => self.curve(one, c),
            [one, two, ..] => self.map(one, two, c),
            [] => Panel::new(Axis::linear("", ""), Axis::linear("", "")),
        });
        let figure = Figure::new().title(self.title.as_str()).describe("A sweep").stack(panels);
        figure.to_svg()
    }

    fn curve(&self, axis: &sweep::Axis, c: usize) -> Panel<'static> {
        let (_, name, unit) = &self.columns[c];
        let x: Vec<f64> = self.grid.iter().map(|g| g[0]).collect();
        Panel::new(Axis::linear(axis.key.as_str(), "").tight(), Axis::linear(name.as_str(), *unit))
            .line(x, self.column(c), Style::new(Ink::series(c)))
            .height(150.0)
    }

    fn map(&self, one: &sweep::Axis, two: &sweep::Axis, c: usize) -> Panel<'static> {
        let (_, name, unit) = &self.columns[c];
        // Cells are centred on the values.
        let edges = |s: &Values| {
            let (from, to) = s.ends();
            let half = 0.5 * (to - from) / s.count().saturating_sub(1).max(1) as f64;
            let half = if half == 0.0 { 0.5 } else { half };
            (from - half, to + half)
        };
        let columns = one.values.count();
        let heat = Heat::new(edges(&one.values), edges(&two.values), columns, self.column(c))
            .label(name.as_str(), *unit);
        Panel::new(
            Axis::linear(one.key.as_str(), "").tight(),
            Axis::linear(two.key.as_str(), "").tight(),
        )
        .heat(heat)
        .height(240.0)
    }
}
