//! One motion for the page: what it is in JSON, its curves as arrays.

use crate::{Answer, fault, parsed, reading};
use serde_json::{Value, json};
use stickslip::{Energy, Event, Model, Phase};
use stickslip_file::{Diagnostic, Document, Range, Reading, Value as Toml, model};
use stickslip_run::{Input, Scene};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::wasm_bindgen;

/// The most stretches of phases and events that are handed to the page.
const MOST: usize = 20_000;

/// The kind of a model as the page draws it: a machine is a network with more parts.
fn shown_as(kind: &'static str) -> &'static str {
    if kind == "machine" { "network" } else { kind }
}

/// A solved motion.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
#[derive(Debug)]
pub struct Motion {
    scene: Scene,
    numbers: Value,
    times: Vec<f64>,
}

#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
impl Motion {
    /// Solves the model in a text, by another scheme and with another step where they are given.
    ///
    /// # Errors
    /// Where the model is wrong, or the scheme cannot solve it.
    pub fn new(text: &str, scheme: Option<String>, step: Option<f64>) -> Answer<Self> {
        let document = parsed(text)?;
        let reading = reading();
        solve(document, &reading, scheme, step).map_err(|d| fault::told(&d))
    }

    /// What it is: kind, title, columns, schemes, numbers, events, phases, energy, warnings, counts, the model with
    /// its defaults.
    pub fn about(&self) -> String {
        let model = self.scene.model();
        let solution = self.scene.solution();
        let column = |c: stickslip_run::Column| json!({ "name": c.name, "unit": c.unit });
        let columns: Vec<Value> = self.scene.columns().into_iter().map(column).collect();
        let warnings: Vec<String> = model
            .warnings
            .iter()
            .cloned()
            .chain(solution.warnings.iter().map(ToString::to_string))
            .collect();
        let places = solution.places();
        let event = |e: &Event| {
            let place = places.get(e.place).map_or("", String::as_str);
            json!([e.kind.name(), e.time, place, e.x, e.v, e.before, e.impulse])
        };
        let events: Vec<Value> = solution.events.iter().take(MOST).map(event).collect();
        json!({
            "kind": shown_as(model.problem.kind()),
            "title": model.title,
            "scheme": model.run.scheme.name(),
            "step": model.run.step,
            "schemes": model.problem.model.schemes(),
            "noisy": !model.problem.noises.is_empty(),
            "span": solution.span(),
            "columns": columns,
            "events": events,
            "event_count": solution.events.len(),
            "contacts": self.contacts(),
            "energy": energy(&solution.energy()),
            "counts": { "steps": solution.counts.steps, "segments": solution.counts.segments, "inexact": solution.counts.inexact },
            "constant_friction": constant(&model.problem.model),
            "warnings": warnings,
            "numbers": self.numbers,
            "model": model.resolved,
        })
        .to_string()
    }

    /// Chooses `count` times and those of the events, and returns them, s.
    pub fn times(&mut self, count: usize) -> Vec<f64> {
        self.times = self.scene.times(count);
        self.times.clone()
    }

    /// The values at these times, one column after the other.
    pub fn table(&self) -> Vec<f64> {
        self.scene.table(&self.times)
    }

    /// The values at other times, which should not go back.
    pub fn at(&self, times: &[f64]) -> Vec<f64> {
        self.scene.table(times)
    }
}

impl Motion {
    /// Each contact and the stretches in which it sticks: `[{name, stick: [from, to, from, to, …]}]`.
    fn contacts(&self) -> Vec<Value> {
        let solution = self.scene.solution();
        let one = |place: usize| {
            let stretches = solution.phases(place);
            let stuck = stretches.iter().filter(|p| p.0 == Phase::Stick).take(MOST);
            let stick: Vec<f64> = stuck.flat_map(|p| [p.1, p.2]).collect();
            json!({ "name": solution.places()[place], "stick": stick })
        };
        solution.contact_places().map(one).collect()
    }
}

fn solve(
    mut document: Document,
    reading: &Reading,
    scheme: Option<String>,
    step: Option<f64>,
) -> Result<Motion, Diagnostic> {
    let numbers = numbers(&document, reading)?;
    if let Some(name) = scheme {
        document.set("run.scheme", Toml::Text(name))?;
    }
    if let Some(step) = step {
        document.set("run.step", step)?;
    }
    let scene = Scene::solve(&Input::new(&document, reading))?;
    Ok(Motion { scene, numbers, times: Vec::new() })
}

/// Every number of a model, in the order of the text.
pub fn numbers(document: &Document, reading: &Reading) -> Result<Value, Diagnostic> {
    let one = |n: stickslip_file::Number| {
        let [from, to] = n.place.as_ref().map_or([0, 0], fault::span);
        let range = match n.range {
            Range::Any => "any",
            Range::Positive => "positive",
            Range::NotNegative => "not-negative",
        };
        json!({
            "path": n.path, "value": n.value, "unit": n.unit, "range": range, "whole": n.whole, "from": from, "to": to,
        })
    };
    Ok(model::numbers(document, reading)?.into_iter().map(one).collect())
}

/// Whether the friction in slip does not depend on the speed.
fn constant(model: &Model) -> bool {
    matches!(model, Model::Oscillator(o) if o.friction.constants().is_some())
}

fn energy(e: &Energy) -> Value {
    json!({
        "work": e.work, "kinetic": e.kinetic, "elastic": e.elastic, "friction": e.friction, "viscous": e.viscous,
        "impacts": e.impacts, "relative_defect": e.relative_defect(),
    })
}
