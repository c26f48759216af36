//! A periodic orbit of a network: its table, its numbers and its figure.

use super::orbit::{POINTS, besides, numbers, remarks, text};
use crate::heading::Heading;
use crate::number::readable;
use crate::product::{Cell, Column, Lazy, Product, Table, pretty, printed};
use crate::summary::Head;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use stickslip::Model;
use stickslip::model::Network;
use stickslip::study::orbit::{Found, Orbit};
use stickslip_report::figure::{Axis, Ink, Panel, Style};

/// Nodes whose state is shown to people.
const NODES: usize = 4;

/// A network or a machine at one instant.
#[derive(Default)]
struct State {
    x: Vec<f64>,
    v: Vec<f64>,
    /// The friction of each slider, N.
    friction: Vec<f64>,
    /// Of a machine the gap and the force of each stop, the force of each controller, what each gear hands on, and the
    /// deflection of each bristle.
    more: Vec<f64>,
}

/// Orbits of a network or a machine, the first of which is shown.
pub struct Shown {
    heading: Heading,
    model: Model,
    point: usize,
    found: Found,
    count: usize,
}

impl Shown {
    /// Of `model`, looked at node number `point`, with so many rows.
    pub fn new(
        heading: Heading,
        (model, point): (&Model, usize),
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

    /// Of a machine the network that it is made of.
    fn network(&self) -> Option<&Network> {
        match &self.model {
            Model::Network(n) => Some(n),
            Model::Machine(m) => Some(m.network()),
            _ => None,
        }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.network().into_iter().flat_map(|n| n.nodes()).map(|n| n.name.as_str())
    }

    fn sliders(&self) -> impl Iterator<Item = &str> {
        self.network().into_iter().flat_map(|n| n.sliders()).map(|s| s.name.as_str())
    }

    fn point(&self) -> &str {
        self.names().nth(self.point).unwrap_or_default()
    }

    /// Columns of a machine beyond those of a network, with their units.
    fn further(&self) -> Vec<(String, &'static str)> {
        let Model::Machine(m) = &self.model else { return Vec::new() };
        let stops = m
            .stops()
            .iter()
            .flat_map(|s| [(format!("gap_{}", s.name), "m"), (format!("force_{}", s.name), "N")]);
        let controllers = m.controllers().iter().map(|c| (format!("u_{}", c.name), "N"));
        let gears = m.gears().iter().map(|g| (format!("force_{}", g.name), "N"));
        stops.chain(controllers).chain(gears).chain(m.remembered()).collect()
    }

    /// An orbit in numbers, the state by the names of the nodes.
    fn numbers(&self, o: &Orbit) -> Value {
        let mut all = numbers(o);
        let states = state(o, 0.0);
        let pairs = states.x.iter().zip(&states.v);
        let state: Map<String, Value> =
            self.names().zip(pairs).map(|(n, (x, v))| (n.to_owned(), json!([x, v]))).collect();
        all["state"] = Value::Object(state);
        all["point"] = json!(self.point());
        if let Some(path) = &o.machine {
            all["from"] = json!(path.span().0);
        }
        let amplitudes =
            self.names().enumerate().map(|(i, n)| (n.to_owned(), json!(o.amplitude_of(i))));
        all["amplitudes"] = Value::Object(amplitudes.collect());
        all
    }

    fn place(&self) -> String {
        let state = self.found.orbits.first().map(|o| state(o, 0.0)).unwrap_or_default();
        let one = |(name, (x, v)): (&str, (&f64, &f64))| {
            let [unit, rate] = ["m", "m/s"].map(|u| self.heading.unit(u));
            format!("{name}: {} {unit}, {} {rate}", readable(*x, 9), readable(*v, 9))
        };
        let pairs = self.names().zip(state.x.iter().zip(&state.v));
        let shown: Vec<String> = pairs.take(NODES).map(one).collect();
        let more = if self.names().count() > NODES { "; …" } else { "" };
        format!("{}{more}", shown.join("; "))
    }

    /// Equally spaced rows over one period.
    fn rows<'a>(&self, o: &'a Orbit, count: usize) -> impl Iterator<Item = (f64, State)> + use<'a> {
        let last = count.max(2) - 1;
        (0..=last).map(move |i| {
            let t = if i == last { o.period } else { o.period * (i as f64 / last as f64) };
            (t, state(o, t))
        })
    }

    fn table(self: &Arc<Self>) -> Table {
        let mut columns = vec![Column::new("t", "s")];
        for name in self.names() {
            columns.push(Column::new(format!("x_{name}"), "m"));
            columns.push(Column::new(format!("v_{name}"), "m/s"));
        }
        columns.extend(self.sliders().map(|s| Column::new(format!("friction_{s}"), "N")));
        columns.extend(self.further().into_iter().map(|(name, unit)| Column::new(name, unit)));
        let shown = self.clone();
        Table::new("orbit", columns, move |rows| {
            for (t, u) in shown.rows(&shown.found.orbits[0], shown.count) {
                let pairs = u.x.iter().zip(&u.v).flat_map(|(x, v)| [*x, *v]);
                let friction = u.friction.iter().chain(&u.more).map(|f| f + 0.0);
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
        let column =
            |f: &dyn Fn(&State) -> f64| -> Vec<f64> { rows.iter().map(|r| f(&r.1)).collect() };
        let p = self.point;
        let plane = Panel::new(
            Axis::linear(format!("displacement of {}", self.point()), "m"),
            Axis::linear("velocity", "m/s"),
        )
        .line(column(&|u| u.x[p]), column(&|u| u.v[p]), Style::new(Ink::Blue))
        .height(260.0);
        let time = || Axis::linear("time", "s").tight();
        let mut displacements = Panel::new(time(), Axis::linear("displacement", "m")).height(110.0);
        for (i, name) in self.names().enumerate().take(NODES) {
            let style = Style::series(i).label(name);
            displacements = displacements.line(t.clone(), column(&|u| u.x[i]), style);
        }
        let mut friction = Panel::new(time(), Axis::linear("friction", "N")).height(110.0);
        for (i, s) in self.sliders().enumerate().take(NODES) {
            let style = Style::series(i).label(s);
            friction = friction.line(t.clone(), column(&|u| u.friction[i]), style);
        }
        let figure = self.heading.figure().describe("A periodic orbit");
        figure.columns([vec![plane], vec![displacements, friction]]).to_svg()
    }
}

/// The state of an orbit at `t` (s) from its start on.
fn state(o: &Orbit, t: f64) -> State {
    if let Some(path) = &o.machine {
        let (start, end) = path.span();
        let u = path.state((start + t).min(end));
        let stops = u.gap.iter().zip(&u.force).flat_map(|(gap, force)| [*gap, *force]);
        let more = stops.chain(u.u).chain(u.load).chain(u.bristles).collect();
        return State { x: u.x, v: u.v, friction: u.friction, more };
    }
    let Some(path) = &o.network else { return State::default() };
    let u = path.state(t);
    State { x: u.x, v: u.v, friction: u.friction, more: Vec::new() }
}
