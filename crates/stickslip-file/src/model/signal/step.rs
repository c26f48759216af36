//! `step = { time, before, after }`.

use crate::diagnostic::Result;
use crate::model::slot::Field;
use crate::reader::{Variant, any};
use serde::Serialize;

/// A jump at one instant.
#[derive(Debug, Clone, Serialize)]
pub struct Step {
    time: f64,
    before: f64,
    after: f64,
}

impl Step {
    /// Reads the signal's numbers.
    pub fn read(signal: &Variant<'_>, unit: &'static str) -> Result<Self> {
        let t = signal.table(&["time", "before", "after"])?;
        Ok(Self {
            time: t.number("time", any("s"))?,
            before: t.number_or("before", any(unit), 0.0)?,
            after: t.number("after", any(unit))?,
        })
    }

    /// The number at a key.
    pub fn slot(key: &str) -> Option<Field<Self>> {
        Some(match key {
            "time" => |s| &mut s.time,
            "before" => |s| &mut s.before,
            "after" => |s| &mut s.after,
            _ => return None,
        })
    }

    /// The library's signal.
    pub fn build(&self) -> stickslip::Signal {
        stickslip::Signal::step(self.time, self.before, self.after)
    }
}
