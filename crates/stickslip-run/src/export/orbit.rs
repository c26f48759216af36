//! A periodic orbit: its table, its numbers, its figure and what is said of it.

use crate::heading::Heading;
use crate::number::{readable, short};
use crate::product::{Cell, Column, Lazy, Product, Remark, Table, pretty, printed};
use crate::shown::BEARING;
use crate::summary::Head;
use serde_json::{Value, json};
use std::fmt::{self, Write};
use std::sync::Arc;
use stickslip::study::orbit::{Found, Leads, Orbit, Steady};
use stickslip::{Model, Oscillator, Phase};
use stickslip_file::ModelFile;
use stickslip_file::model::Rows;
use stickslip_report::figure::{Axis, Ink, Panel, Style};

/// Points of a curve.
pub(super) const POINTS: usize = 2000;
/// Displacements of steady sliding that are shown to people.
const PLACES: usize = 6;
/// Multipliers that are shown to people.
const MULTIPLIERS: usize = 6;

/// Rows of the table of an orbit.
pub(crate) fn rows(model: &ModelFile) -> usize {
    match model.run.rows {
        Rows::Count(n) => n,
        Rows::Steps => POINTS + 1,
    }
}

/// Everything that is shown of the orbits of an oscillator; `Err` if there is none to show.
pub fn product(
    head: &Head<'_, Value>,
    heading: Heading,
    model: &ModelFile,
    found: Found,
) -> Result<Product, &'static str> {
    let Some(first) = found.orbits.first().cloned() else { return Err("there is no orbit") };
    let count = rows(model);
    let Model::Oscillator(o) = &model.problem.model else {
        return Err("only orbits of oscillators and networks are shown");
    };
    let others: Vec<Value> = found.orbits[1..].iter().map(numbers).collect();
    let numbers = numbers(&first);
    let mut more = numbers.clone();
    more["others"] = json!(others);
    more["complete"] = json!(found.complete);
    besides(&mut more, &found);
    let summary = head.with(more);
    let bearing = model.bearing_stiffness;
    let shown = Arc::new(Shown { heading, model: o.clone(), bearing, orbit: first, found, count });
    let said = shown.clone();
    let drawn = shown.clone();
    let text = Lazy::new(move || {
        printed(|w| text(&said.found, (&place(&said.orbit, &said.heading), &said.heading), w))
    });
    let product = Product::new(summary, text)
        .table(shown.table())
        .document("orbit", move || pretty(&numbers))
        .figure("orbit", move || drawn.figure())
        .remarks(remarks(&shown.found, &shown.heading));
    Ok(shown.heading.units_of(product))
}

/// What was found besides orbits, for machines.
pub(super) fn besides(all: &mut Value, found: &Found) {
    let one = |s: &Steady| {
        let rates: Vec<[f64; 2]> = s.rates.iter().map(|r| [r.re + 0.0, r.im + 0.0]).collect();
        json!({ "state": s.state, "rates": rates, "stable": s.stable })
    };
    all["steady"] = found.steady.iter().map(one).collect();
    all["start_leads_to"] = match found.leads {
        Leads::Orbit => json!("orbit"),
        Leads::Steady(_) => json!("steady"),
        Leads::After(_) => json!("another-period"),
        _ => json!("unsettled"),
    };
}

/// An orbit in numbers, for machines.
pub(super) fn numbers(o: &Orbit) -> Value {
    let multipliers: Vec<[f64; 2]> =
        o.multipliers.iter().map(|m| [m.re + 0.0, m.im + 0.0]).collect();
    json!({
        "period": o.period, "periods": o.periods, "state": o.state, "drift": o.drift,
        "amplitude": o.amplitude(), "max": o.max, "min": o.min,
        "multipliers": multipliers, "stable": o.stable, "family": o.family,
        "stops": o.stops, "stuck_fraction": o.stuck_fraction,
        "dissipated": o.dissipated, "equivalent_damping": o.equivalent_damping(),
        "transmissibility": o.transmissibility,
        "residual": o.residual, "transversality": finite(o.transversality),
    })
}

fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

struct Shown {
    heading: Heading,
    model: Oscillator,
    /// K_BP, N/m, where the mass stands on a bearing.
    bearing: Option<f64>,
    orbit: Orbit,
    found: Found,
    count: usize,
}

impl Shown {
    fn table(self: &Arc<Self>) -> Table {
        let all = [("t", "s"), ("x", "m"), ("v", "m/s"), ("friction", "N"), ("phase", "")];
        let bearing = self.bearing.map(|_| (BEARING, "m"));
        let columns = all.into_iter().chain(bearing).map(|c| Column::new(c.0, c.1)).collect();
        let shown = self.clone();
        Table::new("orbit", columns, move |rows| {
            for (t, x, v, friction, phase) in shown.rows(shown.count) {
                let z = shown.bearing.map_or(0.0, |k| shown.model.bearing_displacement(t, x, k));
                let all: [Cell; 6] =
                    [t.into(), x.into(), v.into(), friction.into(), phase.name().into(), z.into()];
                rows(&all[..5 + usize::from(shown.bearing.is_some())])?;
            }
            Ok(())
        })
    }

    /// Equally spaced rows over one period.
    fn rows(&self, count: usize) -> impl Iterator<Item = (f64, f64, f64, f64, Phase)> + '_ {
        self.orbit.path.sample(count).map(|(t, s, phase)| {
            // The friction depends on the velocity relative to the support, which moves along with the orbit.
            let seen =
                stickslip::State { x: s.x + self.orbit.drift * t, v: s.v + self.orbit.drift };
            (t, s.x, s.v, self.model.friction_force(t, seen, phase) + 0.0, phase)
        })
    }

    fn figure(&self) -> String {
        let rows: Vec<_> = self.rows(POINTS + 1).collect();
        let column =
            |f: fn(&(f64, f64, f64, f64, Phase)) -> f64| rows.iter().map(f).collect::<Vec<f64>>();
        let t = column(|r| r.0);
        let x = column(|r| r.1);
        let v = column(|r| r.2);
        let friction = column(|r| r.3);
        let plane = Panel::new(Axis::linear("displacement", "m"), Axis::linear("velocity", "m/s"))
            .line(x.clone(), v.clone(), Style::new(Ink::Blue))
            .height(260.0);
        let phases = self.orbit.path.phases();
        let sticks: Vec<(f64, f64)> =
            phases.iter().filter(|p| p.0 == Phase::Stick).map(|p| (p.1, p.2)).collect();
        let time = |name: &str, unit: &str, y: Vec<f64>, ink: Ink| {
            Panel::new(Axis::linear("time", "s").tight(), Axis::linear(name, unit))
                .bands(sticks.clone(), Style::new(Ink::Grey).opacity(0.2))
                .line(t.clone(), y, Style::new(ink))
                .height(110.0)
        };
        let over = vec![
            time("displacement", "m", x, Ink::Blue),
            time("friction on the mass", "N", friction, Ink::Vermillion),
        ];
        let figure = self.heading.figure().describe("A periodic orbit");
        figure.columns([vec![plane], over]).to_svg()
    }
}

/// The state at the start of an orbit, in words.
fn place(o: &Orbit, heading: &Heading) -> String {
    let rested = o.state.get(2).filter(|age| **age > 0.0);
    let rested =
        rested.map_or_else(String::new, |age| format!(", at rest for {} s", readable(*age, 9)));
    let [unit, rate] = ["m", "m/s"].map(|u| heading.unit(u));
    let [x, v] = [0, 1].map(|i| readable(o.state[i], 9));
    format!("x = {x} {unit}, v = {v} {rate}{rested}")
}

/// What is said of the first orbit, whose start is at `place`, and of the others.
pub(super) fn text(
    found: &Found,
    (place, heading): (&str, &Heading),
    w: &mut dyn Write,
) -> fmt::Result {
    let unit = heading.unit("m");
    let Some(o) = found.orbits.first() else { return Ok(()) };
    let several = if o.periods > 1 {
        format!(" of {} periods of the load", o.periods)
    } else {
        String::new()
    };
    writeln!(w, "A periodic orbit{several}")?;
    match found.leads {
        Leads::Orbit => {}
        Leads::Steady(_) => writeln!(
            w,
            "The motion from the initial state of the model comes to steady sliding; other starts lead to this orbit."
        )?,
        Leads::After(n) => writeln!(
            w,
            "The motion from the initial state of the model repeats after {n} periods of the load; other starts lead to this orbit."
        )?,
        _ => writeln!(
            w,
            "The motion from the initial state of the model had not settled when it was given up; other starts lead to this orbit."
        )?,
    }
    let line = |w: &mut dyn Write, name: &str, value: String| writeln!(w, "  {name:<22}{value}");
    line(w, "period", format!("{} s", readable(o.period, 9)))?;
    line(w, "state at its start", place.to_owned())?;
    line(
        w,
        "amplitude",
        format!(
            "{} {unit}, from {} {unit} to {} {unit}",
            readable(o.amplitude(), 9),
            readable(o.min, 9),
            readable(o.max, 9)
        ),
    )?;
    let one = |m: &stickslip::study::orbit::Multiplier| match m.im {
        0.0 => readable(m.re, 9),
        im => format!(
            "{} {} {} i",
            readable(m.re, 9),
            if im < 0.0 { '-' } else { '+' },
            readable(im.abs(), 9)
        ),
    };
    let shown = o.multipliers.iter().take(MULTIPLIERS).map(one).collect::<Vec<_>>().join(", ");
    let more = if o.multipliers.len() > MULTIPLIERS { ", …" } else { "" };
    line(w, "multipliers", format!("{shown}{more}"))?;
    line(w, "stability", stability(o))?;
    line(
        w,
        "stops in a period",
        format!("{}, {} of the time", o.stops, percent(o.stuck_fraction)),
    )?;
    line(w, "lost to friction", format!("{} J in a period", readable(o.dissipated, 9)))?;
    if let Some(c) = o.equivalent_damping() {
        line(w, "equivalent damping", format!("{} {}", readable(c, 9), heading.unit("N·s/m")))?;
    }
    if let Some(t) = o.transmissibility {
        line(w, "transmissibility", readable(t, 9))?;
    }
    if o.drift != 0.0 {
        line(w, "moves along with", format!("{} {}", readable(o.drift, 9), heading.unit("m/s")))?;
    }
    others(&found.orbits[1..], unit, w)?;
    found.steady.iter().try_for_each(|s| {
        let places = &s.state[..s.state.len().div_ceil(2)];
        let shown: Vec<String> =
            places.iter().take(PLACES).map(|x| format!("{} {unit}", readable(*x, 9))).collect();
        let more = if places.len() > PLACES { ", …" } else { "" };
        let kind = match (s.stable, is_neutral(s)) {
            (true, _) => "stable",
            (_, true) => "motions near it neither approach it nor leave it",
            _ => "unstable",
        };
        writeln!(w, "Steady sliding at x = {}{more}: {kind}", shown.join(", "))
    })
}

/// Whether small motions about it neither grow nor decay, to rounding: without damping, under friction that does not depend on the
/// speed.
fn is_neutral(steady: &Steady) -> bool {
    let grows = steady.rates.iter().map(|r| r.re).fold(f64::NEG_INFINITY, f64::max);
    let size = steady.rates.iter().map(|r| r.norm()).fold(0.0, f64::max);
    grows.abs() <= 1e-12 * size
}

fn stability(o: &Orbit) -> String {
    match (o.stable, o.family) {
        (true, true) => "one of a continuum of orbits; motions near it stay near it".to_owned(),
        (true, false) => "stable".to_owned(),
        (false, _) => "unstable".to_owned(),
    }
}

fn others(rest: &[Orbit], unit: &str, w: &mut dyn Write) -> fmt::Result {
    if rest.is_empty() {
        return Ok(());
    }
    writeln!(w, "Other orbits that were found")?;
    for o in rest {
        let kind = if o.stable { "stable" } else { "unstable" };
        let a = readable(o.amplitude(), 6);
        let m = readable(o.multiplier(), 6);
        writeln!(w, "  amplitude {a} {unit}, largest multiplier {m}, {kind}, {} stops", o.stops)?;
    }
    Ok(())
}

/// What the orbits should not be read without.
pub(super) fn remarks(found: &Found, heading: &Heading) -> Vec<Remark> {
    let mut all = Vec::new();
    let Some(o) = found.orbits.first() else { return all };
    let unit = heading.unit("m");
    if o.family {
        let text = "the orbit is one of a continuum: other starts end at orbits next to it";
        let max = short(o.max);
        let min = short(o.min);
        let range = format!("{text}, with other extremes ({max} {unit} and {min} {unit} here)");
        all.push(Remark::from(range));
    }
    if !found.complete {
        if let Some(n) = found.others.iter().find(|n| **n > 0) {
            let s = if *n == 1 { "" } else { "s" };
            let text =
                format!("some motions end elsewhere: they repeat after {n} period{s} of the load");
            all.push(Remark::from(text));
        }
        if found.others.contains(&0) {
            let text = "some motions that were followed had not settled when they were given up: the list of orbits may not be \
                        complete";
            all.push(Remark::from(text.to_owned()));
        }
    }
    if o.transversality < 1e-6 {
        let text =
            "the orbit grazes an event: it is at a bifurcation, where its multipliers do not exist";
        all.push(Remark::from(text.to_owned()));
    }
    all
}

fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}
