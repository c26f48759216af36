//! What a loop does in the long run: tables, a document, and what is said of it.

use super::key::{axis_of, unit_of};
use crate::axis;
use crate::heading::Heading;
use crate::number::readable;
use crate::product::{Cell, Column, Lazy, Product, Table, pretty, printed};
use crate::summary::Head;
use serde_json::{Value, json};
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip::study::hunt::{Cycle, Hunt, Multipliers, Outcome, Start, Verdict};
use stickslip::{Model, portable};
use stickslip_file::ModelFile;
use stickslip_report::figure::{Axis, Figure, Heat, Ink, Marker, NO_CLASS, Panel, Style};

/// A loop of which it is known what it does.
pub struct Shown {
    heading: Heading,
    controller: String,
    unit: &'static str,
    points: Vec<String>,
    found: Hunt,
    /// Time after which a motion was given up, s.
    within: f64,
}

/// What becomes of a start, in one word.
fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Rests { .. } => "rests",
        Outcome::Hunts(_) => "hunts",
        Outcome::Wanders { .. } => "wanders",
        Outcome::RunsAway(_) => "unstable",
        Outcome::Undecided(_) => "undecided",
    }
}

/// What a loop does, in one word.
fn verdict(found: &Hunt) -> &'static str {
    match found.verdict() {
        Verdict::Unstable => "unstable",
        Verdict::Hunts => "hunts",
        Verdict::Rests => "rests",
        Verdict::Undecided => "undecided",
    }
}

fn multipliers(cycle: &Cycle) -> Vec<[f64; 2]> {
    match &cycle.multipliers {
        Multipliers::Known { values, .. } => values.iter().map(|m| [m.re, m.im]).collect(),
        Multipliers::Unknown(_) => Vec::new(),
    }
}

/// The largest modulus of a multiplier.
fn largest(cycle: &Cycle) -> Option<f64> {
    multipliers(cycle).first().map(|[re, im]| portable::hypot(*re, *im))
}

/// The controller whose error is looked at, and the unit of that.
fn measured(model: &Model, found: &Hunt) -> (String, &'static str) {
    match model {
        Model::Machine(m) => {
            let c = &m.controllers()[found.controller];
            (c.name.to_string(), c.law.unit())
        }
        _ => (String::new(), "m"),
    }
}

impl Shown {
    /// Of a model with a controller.
    pub fn new(heading: Heading, model: &ModelFile, found: Hunt, within: f64) -> Self {
        let (controller, unit) = measured(&model.problem.model, &found);
        let mut points = model.problem.model.contacts();
        if let Model::Machine(m) = &model.problem.model {
            points.extend(m.stops().iter().map(|s| s.name.to_string()));
        }
        let unit = heading.unit(unit);
        Self { heading, controller, unit, points, found, within }
    }

    /// Its tables, its document and its text.
    pub fn product(self, head: &Head<'_, Value>) -> Product {
        let about = self.document();
        let summary = head.with(about.clone());
        let shown = Arc::new(self);
        let said = shown.clone();
        let product = Product::new(summary, Lazy::new(move || printed(|w| said.text(w))))
            .table(shown.starts())
            .table(shown.cycles())
            .document("hunt", move || pretty(&about));
        shown.heading.units_of(product)
    }

    fn document(&self) -> Value {
        let found = &self.found;
        let cycles: Vec<Value> = found.cycles.iter().map(|c| self.cycle(c)).collect();
        let starts: Vec<Value> = found.starts.iter().map(start).collect();
        json!({
            "verdict": verdict(found), "controller": self.controller, "unit": self.unit,
            "within_s": self.within, "rest_error": found.within(), "starts": starts, "cycles": cycles,
        })
    }

    fn cycle(&self, c: &Cycle) -> Value {
        let doubt = match &c.multipliers {
            Multipliers::Known { doubt, .. } => Some(*doubt),
            Multipliers::Unknown(_) => None,
        };
        let reason = match &c.multipliers {
            Multipliers::Known { .. } => None,
            Multipliers::Unknown(reason) => Some(*reason),
        };
        let events: Vec<Value> = c
            .events
            .iter()
            .map(|e| {
                let place = self.points.get(e.place).map_or("", String::as_str);
                json!({ "t": e.time, "kind": e.kind.name(), "where": place, "x": e.x })
            })
            .collect();
        json!({
            "period": c.period, "amplitude": c.amplitude(), "error": c.error, "rest": c.rest,
            "multipliers": multipliers(c), "multipliers_doubt": doubt, "multipliers_missing": reason,
            "attracts": c.attracts(), "events": events,
        })
    }

    fn starts(self: &Arc<Self>) -> Table {
        let unit = self.unit;
        let columns = [
            ("shift", "m"),
            ("error", unit),
            ("outcome", ""),
            ("rest_error", unit),
            ("time", "s"),
            ("cycle", ""),
        ];
        let shown = self.clone();
        Table::new("starts", columns.map(|c| Column::new(c.0, c.1)).to_vec(), move |rows| {
            shown.found.starts.iter().try_for_each(|s| {
                let (rest, time, cycle) = numbers(&s.outcome);
                let cycle = cycle.map_or(Cell::Empty, |c| (c + 1).into());
                let outcome = Cell::Text(word(&s.outcome).into());
                rows(&[
                    s.shift.into(),
                    Cell::finite(s.error),
                    outcome,
                    rest.into(),
                    time.into(),
                    cycle,
                ])
            })
        })
    }

    fn cycles(self: &Arc<Self>) -> Table {
        let unit = self.unit;
        let columns = [
            ("cycle", ""),
            ("period", "s"),
            ("amplitude", unit),
            ("error_low", unit),
            ("error_high", unit),
            ("rest", "s"),
            ("multiplier", ""),
        ];
        let shown = self.clone();
        Table::new("cycles", columns.map(|c| Column::new(c.0, c.1)).to_vec(), move |rows| {
            shown.found.cycles.iter().enumerate().try_for_each(|(i, c)| {
                let [low, high] = c.error;
                rows(&[
                    (i + 1).into(),
                    c.period.into(),
                    c.amplitude().into(),
                    low.into(),
                    high.into(),
                    c.rest.into(),
                    largest(c).into(),
                ])
            })
        })
    }

    fn text(&self, w: &mut dyn Write) -> fmt::Result {
        if !self.heading.title().is_empty() {
            writeln!(w, "{}", self.heading)?;
        }
        let starts = &self.found.starts;
        let unit = self.unit;
        let count = |of: &str| starts.iter().filter(|s| word(&s.outcome) == of).count();
        let n = starts.len();
        match self.found.verdict() {
            Verdict::Hunts => writeln!(
                w,
                "The loop of `{}` hunts from {} of {n} starts",
                self.controller,
                count("hunts") + count("wanders")
            )?,
            Verdict::Unstable => writeln!(
                w,
                "The loop of `{}` runs away from {} of {n} starts",
                self.controller,
                count("unstable")
            )?,
            Verdict::Rests => {
                let error = readable(self.found.within().unwrap_or(f64::NAN), 6);
                let tried = match n {
                    1 => "the one start that was tried".to_owned(),
                    _ => format!("all {n} starts that were tried"),
                };
                writeln!(
                    w,
                    "The loop of `{}` comes to rest within ± {error} {unit} from {tried}",
                    self.controller
                )?;
            }
            Verdict::Undecided => writeln!(
                w,
                "It could not be told what the loop of `{}` does from {} of {n} starts",
                self.controller,
                count("undecided")
            )?,
        }
        for (i, c) in self.found.cycles.iter().enumerate() {
            let period = readable(c.period, 10);
            let amplitude = readable(c.amplitude(), 10);
            writeln!(w, "Cycle {}: period {period} s, amplitude {amplitude} {unit}", i + 1)?;
            match (&c.multipliers, largest(c)) {
                (Multipliers::Known { .. }, Some(m)) => {
                    let near = match c.attracts() {
                        Some(true) => "motions near it come to it",
                        Some(false) => "motions near it leave it",
                        None => {
                            "it is not known well enough to tell whether motions near it come to it"
                        }
                    };
                    writeln!(w, "  largest multiplier {}: {near}", readable(m, 6))?;
                }
                (Multipliers::Unknown(reason), _) => {
                    writeln!(w, "  its multipliers are not known: {reason}")?;
                }
                _ => {}
            }
        }
        writeln!(w, "error at the start ({unit})    what comes of it")?;
        for s in starts {
            writeln!(w, "{:>22}    {}", readable(s.error, 6), self.fate(s))?;
        }
        Ok(())
    }

    /// What comes of a start, in words.
    fn fate(&self, s: &Start) -> String {
        let unit = self.unit;
        match &s.outcome {
            Outcome::Rests { time, error } => {
                let time = readable(*time, 6);
                let error = readable(*error, 6);
                format!("rests from {time} s on, error {error} {unit}")
            }
            Outcome::Hunts(k) => format!("cycle {}", k + 1),
            Outcome::Wanders { error: [low, high] } => {
                let low = readable(*low, 6);
                let high = readable(*high, 6);
                format!("continues without repeating itself, error from {low} to {high} {unit}")
            }
            Outcome::RunsAway(time) => {
                format!(
                    "runs away: by {} s the error is 10,000 times that of the starts, or the motion is beyond the largest numbers",
                    readable(*time, 6)
                )
            }
            Outcome::Undecided(reason) => format!("not known: {reason}"),
        }
    }
}

/// The error at rest, the time, and the number of the cycle of an outcome, as far as it has them.
fn numbers(outcome: &Outcome) -> (Option<f64>, Option<f64>, Option<usize>) {
    match outcome {
        Outcome::Rests { time, error } => (Some(*error), Some(*time), None),
        Outcome::RunsAway(time) => (None, Some(*time), None),
        Outcome::Hunts(k) => (None, None, Some(*k)),
        Outcome::Wanders { .. } | Outcome::Undecided(_) => (None, None, None),
    }
}

fn start(s: &Start) -> Value {
    let mut all = json!({ "shift": s.shift, "error": s.error, "outcome": word(&s.outcome) });
    let (rest, time, cycle) = numbers(&s.outcome);
    if let Some(error) = rest {
        all["rest_error"] = json!(error);
    }
    if let Some(time) = time {
        all["time"] = json!(time);
    }
    if let Some(k) = cycle {
        all["cycle"] = json!(k + 1);
    }
    match &s.outcome {
        Outcome::Wanders { error } => all["range"] = json!(error),
        Outcome::Undecided(reason) => all["reason"] = json!(reason),
        _ => {}
    }
    all
}

/// The cycle that goes furthest.
fn widest(found: &Hunt) -> Option<&Cycle> {
    found.cycles.iter().max_by(|a, b| a.amplitude().total_cmp(&b.amplitude()))
}

/// The markers of the verdicts over one number, in their order.
const MARKERS: [Marker; 4] = [Marker::Diamond, Marker::Square, Marker::Triangle, Marker::Cross];

/// What a loop may do, in words: the classes of a map, in their order.
const VERDICTS: [(Verdict, &str); 4] = [
    (Verdict::Hunts, "hunts"),
    (Verdict::Rests, "comes to rest"),
    (Verdict::Unstable, "runs away"),
    (Verdict::Undecided, "undecided"),
];

/// What a loop does over a range of one or two numbers.
pub struct Map {
    heading: Heading,
    /// Of the error that is looked at.
    unit: &'static str,
    axes: Vec<axis::Axis>,
    values: Vec<Vec<f64>>,
    found: Vec<Hunt>,
}

impl Map {
    /// Of these numbers: the values of each point, and what was found there.
    pub fn new(
        heading: Heading,
        model: &Model,
        axes: Vec<axis::Axis>,
        values: Vec<Vec<f64>>,
        found: Vec<Hunt>,
    ) -> Self {
        let unit = found.first().map_or("m", |h| measured(model, h).1);
        let unit = heading.unit(unit);
        Self { heading, unit, axes, values, found }
    }

    fn keys(&self) -> impl Iterator<Item = &str> {
        self.axes.iter().map(|a| a.key.as_str())
    }

    /// Its tables, its document and its text.
    pub fn product(self, head: &Head<'_, Value>) -> Product {
        let count = |v: Verdict| self.found.iter().filter(|h| h.verdict() == v).count();
        let summary = head.with(json!({
            "vary": self.keys().collect::<Vec<_>>(), "points": self.found.len(), "hunts": count(Verdict::Hunts),
            "rests": count(Verdict::Rests), "unstable": count(Verdict::Unstable),
            "undecided": count(Verdict::Undecided),
        }));
        let shown = Arc::new(self);
        let said = shown.clone();
        let drawn = shown.clone();
        let product = Product::new(summary, Lazy::new(move || printed(|w| said.text(w))))
            .table(shown.table())
            .figure("hunt", move || drawn.figure().to_svg());
        shown.heading.units_of(product)
    }

    fn table(self: &Arc<Self>) -> Table {
        let of = ["hunts", "rests", "unstable", "undecided"].map(|name| Column::new(name, ""));
        let keys = self.keys().map(|k| Column::new(k, unit_of(k)));
        let numbers = [
            ("period", "s"),
            ("amplitude", self.unit),
            ("multiplier", ""),
            ("rest_error", self.unit),
        ];
        let numbers = numbers.map(|c| Column::new(c.0, c.1));
        let columns = keys.chain(of).chain(numbers).collect();
        let shown = self.clone();
        Table::new("hunt", columns, move |rows| {
            shown.values.iter().zip(&shown.found).try_for_each(|(values, found)| {
                let verdicts =
                    [Verdict::Hunts, Verdict::Rests, Verdict::Unstable, Verdict::Undecided];
                let is = |v: Verdict| Cell::from(usize::from(found.verdict() == v));
                let cycle = widest(found);
                let numbers = [
                    cycle.map(|c| c.period),
                    cycle.map(Cycle::amplitude),
                    cycle.and_then(largest),
                    found.within(),
                ];
                let given = values.iter().map(|v| Cell::from(*v));
                let row: Vec<Cell<'_>> =
                    given.chain(verdicts.map(is)).chain(numbers.map(Cell::from)).collect();
                rows(&row)
            })
        })
    }

    fn text(&self, w: &mut dyn Write) -> fmt::Result {
        let mut head = self.keys().collect::<Vec<_>>().join("    ");
        head.push_str("    what the loop does    period (s)    amplitude");
        writeln!(w, "{head}")?;
        for (values, found) in self.values.iter().zip(&self.found) {
            for (key, value) in self.keys().zip(values) {
                write!(w, "{:>width$}    ", readable(*value, 6), width = key.chars().count())?;
            }
            let cycle = widest(found);
            let number = |x: Option<f64>| x.map_or_else(String::new, |x| readable(x, 8));
            let period = number(cycle.map(|c| c.period));
            let amplitude = number(cycle.map(Cycle::amplitude));
            writeln!(w, "{:>18}    {period:>10}    {amplitude:>9}", verdict(found))?;
        }
        Ok(())
    }

    /// What the loop does over the numbers, and how far the cycle goes that goes furthest.
    fn figure(&self) -> Figure<'static> {
        let panels = match self.axes.as_slice() {
            [one] => vec![self.curve(one)],
            [one, two, ..] => vec![self.verdicts(one, two), self.amplitudes(one, two)],
            [] => Vec::new(),
        };
        let keys: Vec<&str> = self.keys().collect();
        let described = format!("What the loop does over {}", keys.join(" and "));
        self.heading.figure().describe(described).stack(panels)
    }

    /// The amplitude over one number; where there is no cycle, a mark at zero says what there is.
    fn curve(&self, one: &axis::Axis) -> Panel<'static> {
        let points = || self.values.iter().map(|v| v[0]).zip(&self.found);
        let amplitude = |h: &Hunt| widest(h).map(Cycle::amplitude);
        let x: Vec<f64> = points().map(|p| p.0).collect();
        let y: Vec<f64> = points().map(|p| amplitude(p.1).unwrap_or(f64::NAN)).collect();
        let mut panel =
            Panel::new(axis_of(&one.key), Axis::linear("amplitude of the cycle", self.unit))
                .line(x, y, Style::new(Ink::Grey).width(1.2))
                .height(240.0);
        for (k, (verdict, name)) in VERDICTS.into_iter().enumerate() {
            let these = || points().filter(|p| p.1.verdict() == verdict);
            let x: Vec<f64> = these().map(|p| p.0).collect();
            let y = these().map(|p| amplitude(p.1).unwrap_or(0.0)).collect::<Vec<f64>>();
            if !x.is_empty() {
                let style = Style::new(Ink::class(k)).marker(MARKERS[k]).size(8.0);
                panel = panel.points(x, y, style.label(name));
            }
        }
        panel
    }

    /// What the loop does over two numbers.
    fn verdicts(&self, one: &axis::Axis, two: &axis::Axis) -> Panel<'static> {
        let class = |h: &Hunt| VERDICTS.iter().position(|v| v.0 == h.verdict());
        let number = |h: &Hunt| class(h).map_or(NO_CLASS, |k| (k + 1) as f64);
        let values: Vec<f64> = self.found.iter().map(number).collect();
        let heat = Heat::new(one.values.edges(), two.values.edges(), one.values.count(), values);
        let mut panel =
            Panel::new(axis_of(&one.key), axis_of(&two.key)).heat(heat.classes()).height(240.0);
        for (k, (verdict, name)) in VERDICTS.into_iter().enumerate() {
            if self.found.iter().any(|h| h.verdict() == verdict) {
                let style = Style::new(Ink::class(k)).marker(Marker::Square).size(9.0);
                panel = panel.points(Vec::new(), Vec::new(), style.label(name));
            }
        }
        panel
    }

    /// How far the cycle goes that goes furthest; empty where there is none.
    fn amplitudes(&self, one: &axis::Axis, two: &axis::Axis) -> Panel<'static> {
        let amplitude = |h: &Hunt| widest(h).map_or(f64::NAN, Cycle::amplitude);
        let values: Vec<f64> = self.found.iter().map(amplitude).collect();
        let heat = Heat::new(one.values.edges(), two.values.edges(), one.values.count(), values)
            .label("amplitude of the cycle", self.unit);
        Panel::new(axis_of(&one.key), axis_of(&two.key)).heat(heat).height(240.0)
    }
}
