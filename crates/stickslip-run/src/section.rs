//! Poincaré sections and Lyapunov exponents over a number: what motions settle to, upwards and downwards.

use crate::export::key::{axis_of, unit_of};
use crate::heading::Heading;
use crate::number::readable;
use crate::orbit::method;
use crate::product::{Cell, Column, Lazy, Product, Remark, Table};
use std::sync::Arc;
use stickslip::study::orbit::{Driven, Forced, Settled, States, period_of, repeats_after, settled};
use stickslip_file::{Diagnostic, ModelFile, Result};
use stickslip_report::figure::{Axis, Ink, Panel, Style};

/// What a section consists of.
pub(crate) struct Sections {
    heading: Heading,
    keys: Vec<String>,
    values: Vec<Vec<f64>>,
    found: Settled,
    /// What was asked for.
    asked: (Option<usize>, Option<usize>),
}

/// The points of a sweep.
pub(crate) struct Grid<'a> {
    /// The numbers that vary.
    pub keys: Vec<String>,
    /// Their values at each point.
    pub values: Vec<Vec<f64>>,
    /// States that are listed at each point, if any are.
    pub rows: Option<usize>,
    /// Periods over which the Lyapunov exponents are taken, if they are.
    pub exponents: Option<usize>,
    /// The model of a point.
    pub model: &'a (dyn Fn(usize) -> Result<ModelFile> + Sync),
}

impl Grid<'_> {
    /// The states of every point after each period, rising and falling.
    pub fn sections(self, heading: &Heading) -> Result<Sections> {
        let make = |i: usize| forced(&(self.model)(i)?);
        let found = settled(make, self.values.len(), self.rows, self.exponents)?;
        let asked = (self.rows, self.exponents);
        let heading = heading.clone();
        Ok(Sections { heading, keys: self.keys, values: self.values, found, asked })
    }
}

fn forced(model: &ModelFile) -> Result<Forced> {
    match period_of(&model.problem.model)? {
        Driven::Every(period) => Ok(Forced::new(&model.problem.model, period, method(model)?)?),
        Driven::ByItself => Err(Diagnostic::unsolvable(
            "nothing drives the model, so that there is no period after which its state could be listed",
        )
        .help("add a harmonic drive or force")),
    }
}

impl Sections {
    /// Everything that the sections leave.
    pub fn product(self, summary: serde_json::Value) -> Product {
        let text = match self.asked.0 {
            Some(rows) => self.text(rows),
            None => self.text_of_exponents(),
        };
        let sections = Arc::new(self);
        let drawn = sections.clone();
        let name = if sections.asked.0.is_some() { "section" } else { "lyapunov" };
        let mut product = Product::new(summary, Lazy::ready(text))
            .figure(name, move || drawn.figure())
            .remarks(sections.remark());
        if sections.asked.0.is_some() {
            product = product.table(sections.table("section", |s| &s.up));
            product = product.table(sections.table("section_down", |s| &s.down));
        }
        match sections.asked.1 {
            Some(_) => product.table(sections.exponent_table()),
            None => product,
        }
    }

    fn remark(&self) -> Option<Remark> {
        let apart = self.found.apart();
        (apart > 0).then(|| {
            Remark::from(format!("at {apart} points or more the motion depends on where it comes from: there are several attractors"))
        })
    }

    /// The exponents; one that is −∞, where a stick forgets a direction altogether, is left empty.
    fn exponent_table(self: &Arc<Self>) -> Table {
        let mut columns: Vec<Column> =
            self.keys.iter().map(|k| Column::new(k.as_str(), unit_of(k))).collect();
        columns.extend([Column::new("lyapunov1", "1/s"), Column::new("lyapunov2", "1/s")]);
        let sections = self.clone();
        Table::new("lyapunov", columns, move |rows| {
            for (values, found) in sections.values.iter().zip(&sections.found.exponents) {
                let numbers = values.iter().copied().map(Cell::Number);
                let cells: Vec<Cell<'_>> =
                    numbers.chain(found.iter().map(|x| Cell::finite(*x))).collect();
                rows(&cells)?;
            }
            Ok(())
        })
    }

    fn text_of_exponents(&self) -> String {
        let mut text = format!("{:>18}  Lyapunov exponents, 1/s\n", self.keys.join(", "));
        for (values, found) in self.values.iter().zip(&self.found.exponents) {
            let values: Vec<String> = values.iter().map(|v| readable(*v, 6)).collect();
            let found = found.map(|x| if x.is_finite() { readable(x, 6) } else { "-∞".to_owned() });
            text += &format!("{:>18}  {:>12} {:>12}\n", values.join(", "), found[0], found[1]);
        }
        text
    }

    fn table(self: &Arc<Self>, name: &str, of: fn(&Settled) -> &Vec<States>) -> Table {
        let mut columns: Vec<Column> =
            self.keys.iter().map(|k| Column::new(k.as_str(), unit_of(k))).collect();
        columns.extend([Column::new("x", "m"), Column::new("v", "m/s")]);
        let sections = self.clone();
        Table::new(name, columns, move |rows| {
            for (values, states) in sections.values.iter().zip(of(&sections.found)) {
                for state in states {
                    let cells: Vec<Cell<'_>> =
                        values.iter().chain(state).copied().map(Cell::Number).collect();
                    rows(&cells)?;
                }
            }
            Ok(())
        })
    }

    fn text(&self, rows: usize) -> String {
        let mut text = format!(
            "{:>18}  periods of the load after which the motion repeats\n",
            self.keys.join(", ")
        );
        for (values, states) in self.values.iter().zip(&self.found.up) {
            let values: Vec<String> = values.iter().map(|v| readable(*v, 6)).collect();
            let n = repeats_after(states);
            let n = n.map_or_else(|| format!("more than {rows}"), |n| n.to_string());
            text += &format!("{:>18}  {n}\n", values.join(", "));
        }
        text
    }

    fn figure(&self) -> String {
        let axis = || axis_of(&self.keys[0]);
        let points = |of: &Vec<States>| -> (Vec<f64>, Vec<f64>) {
            let each = self.values.iter().zip(of);
            each.flat_map(|(v, s)| s.iter().map(|s| (v[0], s[0]))).unzip()
        };
        let mut panels = Vec::new();
        if self.asked.0.is_some() {
            let (x, y) = points(&self.found.up);
            let (p, q) = points(&self.found.down);
            let panel = Panel::new(axis(), Axis::linear("displacement after a period", "m"))
                .points(p, q, Style::new(Ink::Vermillion).size(4.0).label("falling"))
                .points(x, y, Style::new(Ink::Blue).size(2.0).label("rising"));
            panels.push(panel.height(320.0));
        }
        if self.asked.1.is_some() {
            let of = |k: usize| -> (Vec<f64>, Vec<f64>) {
                let each = self.values.iter().zip(&self.found.exponents);
                each.map(|(v, e)| (v[0], if e[k].is_finite() { e[k] } else { f64::NAN })).unzip()
            };
            let (x, y) = of(0);
            let (p, q) = of(1);
            let style = |ink, size| Style::new(ink).size(size);
            let panel = Panel::new(axis(), Axis::linear("Lyapunov exponent", "1/s"))
                .horizontal(0.0, Style::new(Ink::Grey).dotted())
                .points(p, q, style(Ink::Grey, 4.0).label("second"))
                .points(x, y, style(Ink::Blue, 2.5).label("largest"));
            panels.push(panel.height(160.0));
        }
        let figure = self.heading.figure().describe("What motions settle to, over a parameter");
        figure.stack(panels).to_svg()
    }
}
