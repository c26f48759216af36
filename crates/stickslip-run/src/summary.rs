//! The summary: what was solved, how, and what came out, for machines.

use crate::context::Context;
use serde::Serialize;
use serde_json::Value;
use stickslip_file::{Diagnostic, ModelFile, Result};

/// Keys that every summary begins with.
#[derive(Debug, Serialize)]
pub struct Head<'a, F: Serialize> {
    /// This program.
    pub program: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The command.
    pub command: &'static str,
    /// The model or fit file with every default filled in.
    pub model: &'a F,
    /// The scheme or method that was used.
    pub scheme: &'a str,
    /// Seed of whatever is random.
    pub seed: u64,
    /// Computing only, s.
    pub solve_seconds: f64,
    /// What users should know.
    pub warnings: &'a [String],
}

impl<'a, F: Serialize> Head<'a, F> {
    /// For a command on a file, by the scheme or method of this name, with this seed.
    pub fn of(command: &'static str, model: &'a F, scheme: &'a str, seed: u64) -> Self {
        let program = "stickslip";
        let version = env!("CARGO_PKG_VERSION");
        Self { program, version, command, model, scheme, seed, solve_seconds: 0.0, warnings: &[] }
    }

    /// So many seconds after the computing began.
    pub fn after(self, solve_seconds: f64) -> Self {
        Self { solve_seconds, ..self }
    }

    /// With these warnings instead of those that it has.
    pub fn warning(self, warnings: &'a [String]) -> Self {
        Self { warnings, ..self }
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

/// What a command finds for a model, and the head of its summary: the warnings of the model are passed on before the work
/// begins, and the work is timed.
///
/// # Errors
/// What the work says.
pub fn carried_out<'a, T, E>(
    command: &'static str,
    model: &'a ModelFile,
    context: &Context<'_>,
    work: impl FnOnce() -> std::result::Result<T, E>,
) -> Result<(T, Head<'a, Value>)>
where
    Diagnostic: From<E>,
{
    context.warn_all(&model.warnings);
    let (found, seconds) = context.timed(work);
    let head = Head::of(command, &model.resolved, model.run.scheme.name(), model.run.seed)
        .after(seconds)
        .warning(&model.warnings);
    Ok((found?, head))
}
