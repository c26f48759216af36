//! `summary.json`: what was solved, how, and what came out, for machines.

use crate::file::Model;
use serde::Serialize;
use serde_json::{Value, json};
use stickslip::{EventKind, Oscillator, Trajectory};

/// Keys that every summary begins with.
#[derive(Debug, Serialize)]
pub struct Head<'a> {
    /// This program.
    pub program: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The command.
    pub command: &'static str,
    /// The model file with every default filled in.
    pub model: &'a Model,
    /// The scheme that was used.
    pub scheme: &'static str,
    /// Seed of whatever is random.
    pub seed: u64,
    /// Computing only, s.
    pub solve_seconds: f64,
    /// What users should know.
    pub warnings: &'a [String],
}

impl<'a> Head<'a> {
    /// For a command on a model.
    pub fn of(
        command: &'static str,
        model: &'a Model,
        scheme: &'static str,
        solve_seconds: f64,
        warnings: &'a [String],
    ) -> Self {
        let (program, version) = ("stickslip", env!("CARGO_PKG_VERSION"));
        let seed = model.run.seed;
        Self { program, version, command, model, scheme, seed, solve_seconds, warnings }
    }

    /// The summary: these keys and those of `more`.
    pub fn with(&self, more: Value) -> Value {
        let mut all = serde_json::to_value(self).unwrap_or_default();
        if let (Value::Object(all), Value::Object(more)) = (&mut all, more) {
            all.extend(more);
        }
        all
    }
}

/// Numbers of events by kind.
pub fn count(path: &Trajectory, kind: EventKind) -> usize {
    path.events().iter().filter(|e| e.kind == kind).count()
}

/// Counts, the energy audit and the last state of one motion.
pub fn motion(path: &Trajectory, oscillator: &Oscillator, steps: Option<usize>) -> Value {
    let end = path.span().1;
    let (last, energy) = (path.state(end), path.energy(oscillator));
    json!({
        "counts": {
            "steps": steps,
            "segments": path.segments().len(),
            "events": {
                "total": path.events().len(),
                "slip": count(path, EventKind::Slip),
                "stick": count(path, EventKind::Stick),
                "reversal": count(path, EventKind::Reversal),
            },
        },
        "energy": {
            "unit": "J",
            "work": energy.work,
            "kinetic": energy.kinetic,
            "elastic": energy.elastic,
            "friction": energy.friction,
            "viscous": energy.viscous,
            "defect": energy.defect(),
            "relative_defect": energy.relative_defect(),
        },
        "end_state": { "t": end, "x": last.x, "v": last.v, "phase": path.phase(end).name() },
    })
}
