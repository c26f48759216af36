//! `[[network.stop]]`: what stops the motion between two ends.

use super::ENDS;
use crate::diagnostic::{Diagnostic, Result};
use crate::model::signal::{self, Signal};
use crate::model::stops::Bumper;
use crate::reader::Table;
use crate::reading::Gathered;
use serde::Serialize;

/// Keys of `[[network.stop]]`.
pub const KEYS: [&str; 7] =
    ["name", "between", "lower", "upper", "restitution", "stiffness", "damping"];
/// A stop between two ends.
#[derive(Debug, Clone, Serialize)]
pub struct Stop {
    pub name: String,
    pub between: [String; 2],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lower: Vec<Signal>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub upper: Vec<Signal>,
    #[serde(flatten)]
    pub bumper: Bumper,
}

impl Stop {
    /// Reads stop number `i`.
    pub fn read(t: &Table<'_>, i: usize, gathered: &mut Gathered) -> Result<Self> {
        let given = t.text_opt("name", "a name")?;
        let mut bound = |key: &str| {
            if !t.has(key) {
                return Ok(Vec::new());
            }
            let signals = signal::read_or_number(t, key, "m", gathered)?;
            if signals.is_empty() {
                let message = format!("`{}` is an empty list", t.path_of(key));
                return Err(Diagnostic::at(t.place_of(key), message).help(format!(
                    "leave `{key}` out where nothing stops, or give a number, in {}",
                    t.unit("m")
                )));
            }
            Ok(signals)
        };
        let lower = bound("lower")?;
        let upper = bound("upper")?;
        if lower.is_empty() && upper.is_empty() {
            let unit = t.unit("m");
            let expected =
                format!("a number, in {unit}, or a list of signals: lower ≤ x_first − x_second");
            return Err(t.missing("lower", &expected));
        }
        Ok(Self {
            name: given.map_or_else(|| format!("stop{}", i + 1), |n| n.value),
            between: t.pair("between", ENDS)?,
            lower,
            upper,
            bumper: Bumper::read(t)?,
        })
    }
}
