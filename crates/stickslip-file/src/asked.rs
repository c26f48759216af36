//! The numbers that a reader asks for: what they must be, and which they were.

use crate::noted::Range;
use std::cell::RefCell;

/// A number that a file holds or could hold, as its reader knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its key, from the top of the file: `oscillator.drive.0.harmonic.amplitude`.
    pub key: String,
    /// Its unit; empty if it has none.
    pub unit: &'static str,
    /// The least value, if there is one: 0, or the smallest number above 0.
    pub least: Option<f64>,
    /// Its value, or what it is where the file does not give it.
    pub value: f64,
}

/// Notes the numbers that are asked for while a document is read.
#[derive(Debug, Default)]
pub struct Asked(RefCell<Vec<Parameter>>);

impl Asked {
    /// Notes a number; one that is asked for twice is noted once.
    pub fn note(&self, parameter: Parameter) {
        let mut noted = self.0.borrow_mut();
        if noted.iter().all(|p| p.key != parameter.key) {
            noted.push(parameter);
        }
    }

    /// What was noted, in the order in which it was asked for.
    pub fn into_parameters(self) -> Vec<Parameter> {
        self.0.into_inner()
    }
}

/// What a number must be: its unit and its range.
#[derive(Debug, Clone, Copy)]
pub struct Quantity {
    /// Its unit.
    pub unit: &'static str,
    /// What it may be.
    pub range: Range,
}

/// Any finite number.
pub const fn any(unit: &'static str) -> Quantity {
    Quantity { unit, range: Range::Any }
}

/// A finite number > 0.
pub const fn positive(unit: &'static str) -> Quantity {
    Quantity { unit, range: Range::Positive }
}

/// A finite number ≥ 0.
pub const fn not_negative(unit: &'static str) -> Quantity {
    Quantity { unit, range: Range::NotNegative }
}

impl Quantity {
    /// The number under this key, as a parameter.
    pub fn parameter(self, key: String, value: f64) -> Parameter {
        let least = match self.range {
            Range::Any => None,
            Range::Positive => Some(f64::MIN_POSITIVE),
            Range::NotNegative => Some(0.0),
        };
        Parameter { key, unit: self.unit, least, value }
    }

    /// `a number > 0, in kg`.
    pub fn expected(self) -> String {
        let range = match self.range {
            Range::Any => "a finite number",
            Range::Positive => "a finite number > 0",
            Range::NotNegative => "a finite number ≥ 0",
        };
        if self.unit.is_empty() { range.to_owned() } else { format!("{range}, in {}", self.unit) }
    }

    /// Whether `x` is such a number.
    pub fn holds(self, x: f64) -> bool {
        x.is_finite()
            && match self.range {
                Range::Any => true,
                Range::Positive => x > 0.0,
                Range::NotNegative => x >= 0.0,
            }
    }
}
