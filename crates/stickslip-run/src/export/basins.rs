//! Basins of attraction: their table, their figure, and what is said of them.

use super::orbit::numbers;
use crate::heading::Heading;
use crate::number::readable;
use crate::product::{Column, Lazy, Product, Remark, Table, pretty, printed};
use crate::summary::Head;
use serde_json::{Value, json};
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip::study::orbit::{Found, Orbit};
use stickslip::study::sweep::Span;
use stickslip_report::figure::{Anchor, Axis, Heat, Ink, Marker, Panel, Style};

/// Basins that are known.
pub struct Shown {
    heading: Heading,
    x: Span,
    v: Span,
    found: Found,
    reached: Vec<u32>,
    /// Where the displacement and the velocity that vary are in a state.
    places: [usize; 2],
}

impl Shown {
    /// Of the starts of a grid: the number of the orbit that each reaches, displacements varying fastest.
    pub fn new(heading: Heading, (x, v): (Span, Span), found: Found, reached: Vec<u32>) -> Self {
        Self { heading, x, v, found, reached, places: [0, 1] }
    }

    /// With these places of the displacement and the velocity in a state.
    #[must_use]
    pub fn at(self, places: [usize; 2]) -> Self {
        Self { places, ..self }
    }

    /// Everything that basins leave.
    pub fn product(self, head: &Head<'_, Value>) -> Product {
        let orbits: Vec<Value> = self.stable().map(|(n, o)| self.numbers(n, o)).collect();
        let span = |s: &Span| json!({ "from": s.from, "to": s.to, "count": s.count });
        let about = json!({
            "x": span(&self.x), "v": span(&self.v), "orbits": orbits,
            "reached_none": self.share(0), "complete": self.found.complete,
        });
        let summary = head.with(about.clone());
        let heading = self.heading.clone();
        let shown = Arc::new(self);
        let drawn = shown.clone();
        let said = shown.clone();
        let product = Product::new(summary, Lazy::new(move || printed(|w| said.text(w))))
            .table(shown.table())
            .document("basins", move || pretty(&about))
            .figure("basins", move || drawn.figure())
            .remarks(shown.remarks());
        heading.units_of(product)
    }

    /// The stable orbits and their numbers in the list of all.
    fn stable(&self) -> impl Iterator<Item = (u32, &Orbit)> {
        (1..).zip(&self.found.orbits).filter(|o| o.1.stable)
    }

    /// The share of the starts that reach an orbit; of those that reach none for 0.
    fn share(&self, number: u32) -> f64 {
        let count = self.reached.iter().filter(|k| **k == number).count();
        count as f64 / self.reached.len().max(1) as f64
    }

    fn numbers(&self, number: u32, orbit: &Orbit) -> Value {
        let mut all = numbers(orbit);
        all["orbit"] = json!(number);
        all["share"] = json!(self.share(number));
        all
    }

    fn table(self: &Arc<Self>) -> Table {
        let columns = [("x", "m"), ("v", "m/s"), ("orbit", "")];
        let shown = self.clone();
        Table::new("basins", columns.map(|c| Column::new(c.0, c.1)).to_vec(), move |rows| {
            shown.reached.iter().enumerate().try_for_each(|(i, number)| {
                let x = shown.x.value(i % shown.x.count);
                let v = shown.v.value(i / shown.x.count);
                rows(&[x.into(), v.into(), (*number as usize).into()])
            })
        })
    }

    fn text(&self, w: &mut dyn Write) -> fmt::Result {
        let amplitude = format!("amplitude ({})", self.heading.unit("m"));
        writeln!(w, "orbit  starts that reach it  periods  {amplitude:>13}  largest multiplier")?;
        for (number, o) in self.stable() {
            let share = format!("{:.3} %", 100.0 * self.share(number));
            let a = readable(o.amplitude(), 6);
            let m = readable(o.multiplier(), 6);
            writeln!(w, "{number:>5}  {share:>20}  {:>7}  {a:>13}  {m:>18}", o.periods)?;
        }
        let none = self.share(0);
        if none > 0.0 {
            writeln!(w, " none  {:>20}", format!("{:.3} %", 100.0 * none))?;
        }
        Ok(())
    }

    fn remarks(&self) -> Vec<Remark> {
        let mut all = Vec::new();
        if self.share(0) > 0.0 {
            let text = "some starts reach none of the orbits: their motions do not repeat, are given up too early, cannot be \
                        followed to their end, or repeat on an orbit that was not found";
            all.push(Remark::from(text.to_owned()));
        }
        if self.stable().any(|(_, o)| o.family) {
            let text = "some orbits are not isolated: all orbits of one continuum share one number";
            all.push(Remark::from(text.to_owned()));
        }
        all
    }

    fn figure(&self) -> String {
        let axes = [("displacement at the start", "m"), ("velocity at the start", "m/s")];
        let [x, v] = axes.map(|(name, unit)| Axis::linear(name, unit).tight());
        let half = |s: &Span| 0.5 * (s.to - s.from).abs() / s.count.saturating_sub(1).max(1) as f64;
        let ends = |s: &Span| (s.from.min(s.to) - half(s), s.from.max(s.to) + half(s));
        let rows = self.v.count;
        let columns = self.x.count;
        let turned = |i: usize, n: usize, s: &Span| if s.from > s.to { n - 1 - i } else { i };
        let values: Vec<f64> = (0..rows * columns)
            .map(|k| {
                let row = turned(k / columns, rows, &self.v);
                let column = turned(k % columns, columns, &self.x);
                match self.reached[row * columns + column] {
                    0 => stickslip_report::figure::NO_CLASS,
                    number => f64::from(number),
                }
            })
            .collect();
        let heat = Heat::new(ends(&self.x), ends(&self.v), columns, values);
        let mut panel = Panel::new(x, v).heat(heat.classes()).height(420.0);
        let [at_x, at_v] = self.places;
        for (number, o) in self.stable() {
            // A square of the colour of its class, whether any start leads there or not.
            let class =
                Style::new(Ink::class(number as usize - 1)).marker(Marker::Square).size(9.0);
            let share = readable(100.0 * self.share(number), 3);
            let class = class.label(format!("to orbit {number}: {share} %"));
            panel = panel.points(Vec::new(), Vec::new(), class);
            if !o.family {
                let style = Style::new(Ink::Black).marker(Marker::Diamond).size(9.0);
                let [x, v] = [o.state[at_x], o.state[at_v]];
                let name = number.to_string();
                panel = panel.points(vec![x], vec![v], style).note(x, v, name, Anchor::Start);
            }
        }
        if self.share(0) > 0.0 {
            let share = readable(100.0 * self.share(0), 3);
            let none = Style::new(Ink::Grey).marker(Marker::Square).size(9.0);
            panel = panel.points(Vec::new(), Vec::new(), none.label(format!("to none: {share} %")));
        }
        let figure = self.heading.figure();
        figure.describe("To which orbit each start leads").panel(panel).to_svg()
    }
}
