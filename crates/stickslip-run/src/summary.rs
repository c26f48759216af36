//! The summary: what was solved, how, and what came out, for machines.

use serde::Serialize;
use serde_json::Value;

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
    /// For a command on a file.
    pub fn of(
        command: &'static str,
        model: &'a F,
        (scheme, seed): (&'a str, u64),
        solve_seconds: f64,
        warnings: &'a [String],
    ) -> Self {
        let (program, version) = ("stickslip", env!("CARGO_PKG_VERSION"));
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
