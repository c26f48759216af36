//! Tables of steps, errors and orders: `h,error,ratio,order`; the last row has no ratio and no order.
//! With noise the error is the mean over the paths, and `spread,standard_error` follow.

use crate::heading::Heading;
use crate::product::{Cell, Column, Table};
use serde_json::{Value, json};
use std::fmt::{self, Write};
use stickslip::study::order::Row;
use stickslip_report::compose;

/// A row, and under noise the spread over the paths and the standard error of their mean.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    /// Step, error, ratio and order.
    pub row: Row,
    /// Standard deviation over the paths and standard error of their mean.
    pub scatter: Option<(f64, f64)>,
}

impl From<Row> for Line {
    fn from(row: Row) -> Self {
        Self { row, scatter: None }
    }
}

/// A study of the order of one scheme.
#[derive(Debug, Clone)]
pub struct Orders {
    /// Heading, and the units of the model.
    pub heading: Heading,
    /// The scheme's name.
    pub scheme: &'static str,
    /// `self` or `exact`.
    pub against: &'static str,
    /// What was compared with what, for people.
    pub what: String,
    /// What is halved: name and unit.
    pub parameter: (&'static str, &'static str),
    /// The unit of the error of a model along a line.
    pub error: &'static str,
    /// The order that the scheme should show.
    pub order: f64,
    /// What people should know about the rows.
    pub note: Option<String>,
    /// The coarsest first.
    pub lines: Vec<Line>,
}

impl Orders {
    /// The table of a product.
    pub fn table(&self) -> Table {
        let mut columns = vec![Column::new("h", self.parameter.1)];
        columns.push(Column::new("error", self.error));
        columns.extend(["ratio", "order"].map(|name| Column::new(name, "")));
        if self.lines.iter().any(|l| l.scatter.is_some()) {
            columns.extend(["spread", "standard_error"].map(|name| Column::new(name, self.error)));
        }
        let lines = self.lines.clone();
        Table::new("convergence", columns, move |rows| {
            for Line { row: r, scatter } in &lines {
                let mut cells =
                    vec![r.h.into(), r.error.into(), Cell::from(r.ratio), Cell::from(r.order)];
                if let Some((spread, error)) = scatter {
                    cells.extend([*spread, *error].map(Cell::Number));
                }
                rows(&cells)?;
            }
            Ok(())
        })
    }

    /// The rows of a summary.
    pub fn json(&self) -> Vec<Value> {
        let line = |Line { row: r, scatter }: &Line| {
            let mut value =
                json!({ "h": r.h, "error": r.error, "ratio": r.ratio, "order": r.order });
            if let Some((spread, error)) = scatter {
                value["spread"] = json!(spread);
                value["standard_error"] = json!(error);
            }
            value
        };
        self.lines.iter().map(line).collect()
    }

    /// The table for people.
    pub fn text(&self, w: &mut dyn Write) -> fmt::Result {
        let title = self.heading.title();
        if !title.is_empty() {
            writeln!(w, "{title}")?;
        }
        let (name, unit) = self.parameter;
        writeln!(w, "{}\n", self.what)?;
        let head = format!("{name} [{unit}]");
        writeln!(w, "{head:>24} {:>14} {:>10} {:>10}", "error", "ratio", "order")?;
        let cell = |x: Option<f64>| x.map(|x| format!("{x:.4}")).unwrap_or_default();
        for Line { row: r, .. } in &self.lines {
            let h = if name == "h" { r.h.to_string() } else { format!("{:e}", r.h) };
            writeln!(w, "{h:>24} {:>14.6e} {:>10} {:>10}", r.error, cell(r.ratio), cell(r.order))?;
        }
        match &self.note {
            Some(note) => writeln!(w, "\n{note}"),
            None => Ok(()),
        }
    }

    /// Error against step.
    pub fn figure(&self) -> String {
        let (h, error): (Vec<f64>, Vec<f64>) =
            self.lines.iter().map(|l| (l.row.h, l.row.error)).unzip();
        let series = [compose::Errors { label: self.scheme, h: &h, error: &error }];
        // What is halved is the step h, unless it is a compliance, which stands under its own name.
        let halved = if self.parameter.0 == "h" { ("", "") } else { self.parameter };
        let shown = compose::Convergence {
            title: self.heading.title(),
            series: &series,
            order: self.order,
            halved,
            error: ("", self.error),
        };
        self.heading.on(shown.figure()).to_svg()
    }
}
