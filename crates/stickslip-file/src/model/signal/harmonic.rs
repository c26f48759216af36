//! `harmonic = { amplitude, angular_frequency, phase }`.

use crate::diagnostic::Result;
use crate::model::slot::Field;
use crate::reader::{Variant, any, not_negative};
use serde::Serialize;

/// amplitude · cos(angular_frequency · t + phase).
#[derive(Debug, Clone, Serialize)]
pub struct Harmonic {
    amplitude: f64,
    angular_frequency: f64,
    phase: f64,
}

impl Harmonic {
    /// Reads the signal's numbers.
    pub fn read(signal: &Variant<'_>, unit: &'static str) -> Result<Self> {
        let t = signal.table(&["amplitude", "angular_frequency", "phase"])?;
        Ok(Self {
            amplitude: t.number("amplitude", any(unit))?,
            angular_frequency: t.number("angular_frequency", not_negative("rad/s"))?,
            phase: t.number_or("phase", any("rad"), 0.0)?,
        })
    }

    /// The number at a key.
    pub fn slot(key: &str) -> Option<Field<Self>> {
        Some(match key {
            "amplitude" => |s| &mut s.amplitude,
            "angular_frequency" => |s| &mut s.angular_frequency,
            "phase" => |s| &mut s.phase,
            _ => return None,
        })
    }

    /// The library's signal.
    pub fn build(&self) -> stickslip::Signal {
        stickslip::Signal::harmonic(self.amplitude, self.angular_frequency, self.phase)
    }
}
