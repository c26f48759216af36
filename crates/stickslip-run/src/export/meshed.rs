//! A periodic orbit of a network: its table, its numbers and its figure.

use super::orbit::{POINTS, besides, numbers, remarks, text};
use crate::heading::Heading;
use crate::number::readable;
use crate::product::{Cell, Column, Lazy, Product, Table, pretty, printed};
use crate::summary::Head;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use stickslip::model::Network;
use stickslip::scheme::network::NetworkState;
use stickslip::study::orbit::{Found, Orbit};
use stickslip_report::figure::{Axis, Ink, Panel, Style};

/// Nodes whose state is shown to people.
const NODES: usize = 4;

/// Orbits of a network, the first of which is shown.
pub struct Shown {
    heading: Heading,
    model: Network,
    point: usize,
    found: Found,
    count: usize,
}

impl Shown {
    /// Of `model`, looked at node number `point`, with so many rows.
    pub fn new(
        heading: Heading,
        (model, point): (&Network, usize),
        found: Found,
        count: usize,
    ) -> Self {
        Self { heading, model: model.clone(), point, found, count }
    }

    /// Everything that the orbits leave.
    pub fn product(self, head: &Head<'_, Value>) -> Product {
        let all: Vec<Value> = self.found.orbits.iter().map(|o| self.numbers(o)).collect();
        let first = all.first().cloned().unwrap_or_default();
        let mut more = first.clone();
        more["others"] = json!(all.get(1..).unwrap_or_default());
        more["complete"] = json!(self.found.complete);
        besides(&mut more, &self.found);
        let summary = head.with(more);
        let shown = Arc::new(self);
        let said = shown.clone();
        let drawn = shown.clone();
        let words =
            Lazy::new(move || printed(|w| text(&said.found, (&said.place(), &said.heading), w)));
        let product = Product::new(summary, words)
            .table(shown.table())
            .document("orbit", move || pretty(&first))
            .figure("orbit", move || drawn.figure())
            .remarks(remarks(&shown.found, &shown.heading));
        shown.heading.units_of(product)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.model.nodes().iter().map(|n| n.name.as_str())
    }

    /// An orbit in numbers, the state by the names of the nodes.
    fn numbers(&self, o: &Orbit) -> Value {
        let mut all = numbers(o);
        let states = o.network.as_ref().map(|n| n.state(0.0)).unwrap_or_default();
        let pairs = states.x.iter().zip(&states.v);
        let state: Map<String, Value> =
            self.names().zip(pairs).map(|(n, (x, v))| (n.to_owned(), json!([x, v]))).collect();
        all["state"] = Value::Object(state);
        all["point"] = json!(self.model.nodes()[self.point].name.as_str());
        let amplitudes =
            self.names().enumerate().map(|(i, n)| (n.to_owned(), json!(o.amplitude_of(i))));
        all["amplitudes"] = Value::Object(amplitudes.collect());
        all
    }

    fn place(&self) -> String {
        let first = self.found.orbits.first().and_then(|o| o.network.as_ref());
        let state = first.map(|n| n.state(0.0)).unwrap_or_default();
        let one = |(name, (x, v)): (&str, (&f64, &f64))| {
            let [unit, rate] = ["m", "m/s"].map(|u| self.heading.unit(u));
            format!("{name}: {} {unit}, {} {rate}", readable(*x, 9), readable(*v, 9))
        };
        let pairs = self.names().zip(state.x.iter().zip(&state.v));
        let shown: Vec<String> = pairs.take(NODES).map(one).collect();
        let more = if self.model.nodes().len() > NODES { "; …" } else { "" };
        format!("{}{more}", shown.join("; "))
    }

    /// Equally spaced rows over one period.
    fn rows(&self, o: &Orbit, count: usize) -> impl Iterator<Item = (f64, NetworkState)> + use<> {
        let path = o.network.clone().unwrap_or_default();
        let end = path.span().1;
        let last = count.max(2) - 1;
        (0..=last).map(move |i| {
            let t = if i == last { end } else { end * (i as f64 / last as f64) };
            (t, path.state(t))
        })
    }

    fn table(self: &Arc<Self>) -> Table {
        let mut columns = vec![Column::new("t", "s")];
        for name in self.names() {
            columns.push(Column::new(format!("x_{name}"), "m"));
            columns.push(Column::new(format!("v_{name}"), "m/s"));
        }
        let sliders = self.model.sliders().iter();
        columns.extend(sliders.map(|s| Column::new(format!("friction_{}", s.name), "N")));
        let shown = self.clone();
        Table::new("orbit", columns, move |rows| {
            for (t, u) in shown.rows(&shown.found.orbits[0], shown.count) {
                let pairs = u.x.iter().zip(&u.v).flat_map(|(x, v)| [*x, *v]);
                let friction = u.friction.iter().map(|f| f + 0.0);
                let cells: Vec<Cell<'_>> =
                    std::iter::once(t).chain(pairs).chain(friction).map(Cell::Number).collect();
                rows(&cells)?;
            }
            Ok(())
        })
    }

    fn figure(&self) -> String {
        let rows: Vec<_> = self.rows(&self.found.orbits[0], POINTS + 1).collect();
        let t: Vec<f64> = rows.iter().map(|r| r.0).collect();
        let column = |f: &dyn Fn(&NetworkState) -> f64| -> Vec<f64> {
            rows.iter().map(|r| f(&r.1)).collect()
        };
        let p = self.point;
        let plane = Panel::new(
            Axis::linear(format!("displacement of {}", self.model.nodes()[p].name), "m"),
            Axis::linear("velocity", "m/s"),
        )
        .line(column(&|u| u.x[p]), column(&|u| u.v[p]), Style::new(Ink::Blue))
        .height(260.0);
        let time = || Axis::linear("time", "s").tight();
        let mut displacements = Panel::new(time(), Axis::linear("displacement", "m")).height(110.0);
        for (i, name) in self.names().enumerate().take(NODES) {
            let style = Style::new(Ink::series(i)).label(name);
            displacements = displacements.line(t.clone(), column(&|u| u.x[i]), style);
        }
        let mut friction = Panel::new(time(), Axis::linear("friction", "N")).height(110.0);
        for (i, s) in self.model.sliders().iter().enumerate().take(NODES) {
            let style = Style::new(Ink::series(i)).label(s.name.as_str());
            friction = friction.line(t.clone(), column(&|u| u.friction[i]), style);
        }
        let figure = self.heading.figure().describe("A periodic orbit");
        figure.columns([vec![plane], vec![displacements, friction]]).to_svg()
    }
}
