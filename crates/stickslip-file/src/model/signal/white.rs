//! `white = { intensity }`.

use crate::diagnostic::{Diagnostic, Result};
use crate::reader::{Variant, positive};
use serde::Serialize;

/// A force whose impulse over dt is intensity · dB.
#[derive(Debug, Clone, Serialize)]
pub struct White {
    intensity: f64,
}

impl White {
    /// Reads the signal's numbers; `key` is the list it stands in.
    pub fn read(signal: &Variant<'_>, key: &str) -> Result<Self> {
        // In a plane an acceleration of the ground acts as a force on the mass.
        if !["force", "force_x", "force_y", "base_x", "base_y"].contains(&key) {
            return Err(Diagnostic::at(
                signal.place(),
                format!("white noise cannot act on `{key}`; expected it in a list of forces, such as [[oscillator.force]]"),
            )
            .help("it has impulses but no values: make it a force, or take ornstein-uhlenbeck"));
        }
        let t = signal.table(&["intensity"])?;
        let unit = if key.starts_with("base") { "m/s²·√s" } else { "N·√s" };
        Ok(Self { intensity: t.number("intensity", positive(unit))? })
    }

    /// The library's noise.
    pub fn build(&self) -> stickslip::Noise {
        stickslip::Noise::White { intensity: self.intensity }
    }
}
