//! A sweep: its table, and its curves or maps.

mod quantiles;

use super::key::{axis_of, unit_of};
use crate::axis;
use crate::heading::Heading;
use crate::number::readable;
use crate::product::{self as data, Cell, Lazy, Product, Table, printed};
use serde_json::Value;
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip::study::sweep::Measures;
use stickslip_report::figure::{Axis, Heat, Ink, Panel, Style};

/// What is measured: column, name and unit.
type Column = (String, String, &'static str);

/// What is measured of a model, before the points of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measured {
    /// What its contacts do.
    Friction,
    /// What a mass does between walls.
    Impacts,
    /// What a mass does on a plane.
    Plane,
    /// What a slab on isolators does.
    Slab,
}

impl Measured {
    /// Of a model with every default filled in.
    pub fn of(resolved: &Value) -> Self {
        match resolved {
            all if all.get("impact").is_some() => Self::Impacts,
            all if all.pointer("/planar/isolator").is_some() => Self::Slab,
            all if all.get("planar").is_some() => Self::Plane,
            _ => Self::Friction,
        }
    }

    fn columns(self) -> &'static [(&'static str, &'static str, &'static str)] {
        match self {
            Self::Friction => &[
                ("slips", "slips", ""),
                ("stick_share", "share of time in stick", ""),
                ("dissipated", "lost to dry friction", "J"),
            ],
            Self::Impacts => &[
                ("impacts", "impacts", ""),
                ("rest_share", "share of time at rest on a wall", ""),
                ("lost_in_impacts", "lost at the walls", "J"),
            ],
            Self::Plane => &[
                ("slips", "slips", ""),
                ("stick_share", "share of time in stick", ""),
                ("dissipated", "lost to dry friction", "J"),
                ("peak", "greatest distance from the origin", "m"),
                ("residual", "distance from the origin at the end", "m"),
            ],
            Self::Slab => &[
                ("slips", "slips", ""),
                ("stick_share", "share of time in stick", ""),
                ("dissipated", "lost to dry friction", "J"),
                ("peak", "greatest displacement of an isolator", "m"),
                ("residual", "greatest displacement of an isolator at the end", "m"),
            ],
        }
    }

    /// Its columns and what they are called.
    pub(super) fn named(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.columns().iter().map(|c| (c.0, c.1))
    }

    /// The cells of one point: these, then displacement at the end and its standard deviation of each point of the model.
    pub fn row(self, m: &Measures) -> Vec<f64> {
        let first = match self {
            Self::Friction => vec![m.slips, m.stick_share, m.dissipated],
            Self::Impacts => vec![m.impacts, m.stick_share, m.lost_in_impacts],
            Self::Plane | Self::Slab => {
                let residual = m.residual.unwrap_or(f64::NAN);
                let peak = m.peak.unwrap_or(f64::NAN);
                vec![m.slips, m.stick_share, m.dissipated, peak, residual]
            }
        };
        first.into_iter().chain(m.ends.iter().flat_map(|e| [e.mean, e.deviation])).collect()
    }
}

/// A sweep that is done.
pub struct Swept {
    /// Heading of figures.
    heading: Heading,
    /// The numbers that vary, the first fastest.
    axes: Vec<axis::Axis>,
    /// Their values at each point.
    grid: Vec<Vec<f64>>,
    /// What came out at each point.
    measures: Vec<Vec<f64>>,
    columns: Vec<Column>,
    /// The records that were put into the model in turn, faster than the numbers; usually none.
    records: Vec<String>,
}

impl Swept {
    /// Of a model with points `names`.
    pub fn new(
        heading: Heading,
        axes: Vec<axis::Axis>,
        grid: Vec<Vec<f64>>,
        (measured, measures): (Measured, Vec<Measures>),
        names: &[String],
    ) -> Self {
        let measures = measures.iter().map(|m| measured.row(m)).collect();
        let columns = Self::columns(measured, names);
        Self { heading, axes, grid, measures, columns, records: Vec::new() }
    }

    /// Of rows that were measured before, one for each point.
    pub fn of_rows(
        heading: Heading,
        axes: Vec<axis::Axis>,
        (measured, measures): (Measured, Vec<Vec<f64>>),
        names: &[String],
    ) -> Self {
        let grid = (0..measures.len()).map(|i| axis::at(&axes, i)).collect();
        let columns = Self::columns(measured, names);
        Self { heading, axes, grid, measures, columns, records: Vec::new() }
    }

    /// The same for each of these records in turn.
    #[must_use]
    pub fn over(self, records: Vec<String>) -> Self {
        Self { records, ..self }
    }

    /// How many numbers are measured at each point of a model with points `names`.
    pub fn width(measured: Measured, names: &[String]) -> usize {
        measured.columns().len() + 2 * names.len()
    }

    fn columns(measured: Measured, names: &[String]) -> Vec<Column> {
        let mut columns: Vec<Column> =
            measured.columns().iter().map(|c| (c.0.to_owned(), c.1.to_owned(), c.2)).collect();
        for name in names {
            let (tail, of) = match name.as_str() {
                "" => (String::new(), String::new()),
                _ => (format!("_{name}"), format!(" of {name}")),
            };
            if matches!(measured, Measured::Plane | Measured::Slab) {
                let unit = if name.starts_with("theta") { "rad" } else { "m" };
                let along = match unit {
                    "rad" => format!("rotation {name} at the end"),
                    _ => format!("displacement along {name} at the end"),
                };
                columns.push((format!("end_{name}"), along, unit));
                columns.push((
                    format!("end_sd_{name}"),
                    "standard deviation of it".to_owned(),
                    unit,
                ));
                continue;
            }
            columns.push((format!("end_x{tail}"), format!("displacement{of} at the end"), "m"));
            columns.push((format!("end_sd{tail}"), "standard deviation of it".to_owned(), "m"));
        }
        columns
    }

    /// Everything that a sweep leaves.
    pub fn product(self, summary: Value) -> Product {
        let swept = Arc::new(self);
        let drawn = swept.clone();
        let said = swept.clone();
        let text = Lazy::new(move || printed(|w| said.text(w)));
        let product = Product::new(summary, text).table(swept.table());
        let product = if swept.records.is_empty() {
            product
        } else {
            product.table(quantiles::table(&swept))
        };
        swept.heading.units_of(product.figure("sweep", move || drawn.figure()))
    }

    /// The record of point `i`, if there are records.
    fn record(&self, i: usize) -> Option<&str> {
        let count = self.records.len();
        (count > 0).then(|| self.records[i % count].as_str())
    }

    fn table(self: &Arc<Self>) -> Table {
        let records = (!self.records.is_empty()).then(|| data::Column::new("record", ""));
        let keys = self.axes.iter().map(|a| data::Column::new(a.key.as_str(), unit_of(&a.key)));
        let keys = records.into_iter().chain(keys);
        let columns = self.columns.iter().map(|c| data::Column::new(c.0.as_str(), c.2));
        let swept = self.clone();
        Table::new("sweep", keys.chain(columns).collect(), move |rows| {
            for (i, (values, m)) in swept.grid.iter().zip(&swept.measures).enumerate() {
                let numbers = values.iter().chain(m).copied().map(Cell::Number);
                let cells: Vec<Cell<'_>> =
                    swept.record(i).map(Cell::from).into_iter().chain(numbers).collect();
                rows(&cells)?;
            }
            Ok(())
        })
    }

    fn text(&self, w: &mut dyn Write) -> fmt::Result {
        if !self.records.is_empty() {
            return quantiles::text(self, w);
        }
        let keys = self.axes.iter().map(|a| a.key.rsplit('.').next().unwrap_or_default());
        let header: Vec<String> = keys
            .chain(self.columns.iter().map(|c| c.0.as_str()))
            .map(|c| format!("{c:>14}"))
            .collect();
        writeln!(w, "{}", header.join(" "))?;
        for (values, m) in self.grid.iter().zip(&self.measures) {
            let cells: Vec<String> =
                values.iter().chain(m).map(|&v| format!("{:>14}", readable(v, 6))).collect();
            writeln!(w, "{}", cells.join(" "))?;
        }
        Ok(())
    }

    fn column(&self, c: usize) -> Vec<f64> {
        self.measures.iter().map(|m| m[c]).collect()
    }

    fn figure(&self) -> String {
        if !self.records.is_empty() {
            return quantiles::figure(self);
        }
        // Spreads are drawn where there are any.
        let shown = |c: &usize| {
            !self.columns[*c].0.starts_with("end_sd") || self.column(*c).iter().any(|&s| s != 0.0)
        };
        let panels = (0..self.columns.len()).filter(shown).map(|c| match self.axes.as_slice() {
            [one] => self.curve(one, c),
            [one, two, ..] => self.map(one, two, c),
            [] => Panel::new(Axis::linear("", ""), Axis::linear("", "")),
        });
        let keys: Vec<&str> = self.axes.iter().map(|a| a.key.as_str()).collect();
        let described = format!("A sweep over {}", keys.join(" and "));
        let figure = self.heading.figure().describe(described).stack(panels);
        figure.to_svg()
    }

    fn curve(&self, axis: &axis::Axis, c: usize) -> Panel<'static> {
        let (_, name, unit) = &self.columns[c];
        let x: Vec<f64> = self.grid.iter().map(|g| g[0]).collect();
        Panel::new(axis_of(&axis.key), Axis::linear(name.as_str(), *unit))
            .line(x, self.column(c), Style::new(Ink::series(c)))
            .height(150.0)
    }

    fn map(&self, one: &axis::Axis, two: &axis::Axis, c: usize) -> Panel<'static> {
        let (_, name, unit) = &self.columns[c];
        let columns = one.values.count();
        let heat = Heat::new(one.values.edges(), two.values.edges(), columns, self.column(c))
            .label(name.as_str(), *unit);
        Panel::new(axis_of(&one.key), axis_of(&two.key)).heat(heat).height(240.0)
    }
}
