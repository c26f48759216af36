//! `ramp = { rate, offset }`.

use crate::diagnostic::Result;
use crate::model::slot::Field;
use crate::reader::{Variant, any};
use serde::Serialize;

/// offset + rate · t.
#[derive(Debug, Clone, Serialize)]
pub struct Ramp {
    rate: f64,
    offset: f64,
}

impl Ramp {
    /// Reads the signal's numbers.
    pub fn read(signal: &Variant<'_>, unit: &'static str) -> Result<Self> {
        let t = signal.table(&["rate", "offset"])?;
        let rate = t.number("rate", any(per_second(unit)))?;
        Ok(Self { rate, offset: t.number_or("offset", any(unit), 0.0)? })
    }

    /// The number at a key.
    pub fn slot(key: &str) -> Option<Field<Self>> {
        Some(match key {
            "rate" => |s| &mut s.rate,
            "offset" => |s| &mut s.offset,
            _ => return None,
        })
    }

    /// The library's signal.
    pub fn build(&self) -> stickslip::Signal {
        stickslip::Signal::ramp(self.rate, self.offset)
    }
}

/// The unit of the rate of a signal in `unit`.
fn per_second(unit: &str) -> &'static str {
    match unit {
        "m" => "m/s",
        "m/s" => "m/s²",
        _ => "N/s",
    }
}
