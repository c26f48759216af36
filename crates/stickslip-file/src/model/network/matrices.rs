//! `[network.matrices]`: masses, dashpots and springs as rows of numbers, in the order of the nodes.

use crate::diagnostic::Result;
use crate::reader::{Table, any};
use serde::Serialize;

/// Keys of `[network.matrices]`.
pub const KEYS: [&str; 3] = ["mass", "damping", "stiffness"];
/// Rows of numbers, in the order of the nodes.
#[derive(Debug, Clone, Serialize)]
pub struct Matrices {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mass: Vec<Vec<f64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub damping: Vec<Vec<f64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stiffness: Vec<Vec<f64>>,
}

impl Matrices {
    pub fn read(t: &Table<'_>) -> Result<Option<Self>> {
        let Some(t) = t.table_opt("matrices", &KEYS)? else { return Ok(None) };
        let mass = t.matrix("mass", any("kg"))?;
        let damping = t.matrix("damping", any("N·s/m"))?;
        Ok(Some(Self { mass, damping, stiffness: t.matrix("stiffness", any("N/m"))? }))
    }
}
