//! `constant = 2.0`.

use crate::diagnostic::Result;
use crate::reader::{Variant, any};
use serde::Serialize;

/// A constant.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct Constant(f64);

impl Constant {
    /// This value.
    pub fn of(value: f64) -> Self {
        Self(value)
    }

    /// Reads the signal's number.
    pub fn read(signal: &Variant<'_>, unit: &'static str) -> Result<Self> {
        signal.number(any(unit)).map(Self)
    }

    /// Its value.
    pub fn value(&mut self) -> &mut f64 {
        &mut self.0
    }

    /// The library's signal.
    pub fn build(&self) -> stickslip::Signal {
        stickslip::Signal::constant(self.0)
    }
}
