//! The numbers that a reader asks for, with their units and ranges, as it meets them: for those who list them.
//!
//! The reader says what each number must be at the one place where it reads it; nothing is listed twice.

use crate::place::Place;
use std::cell::RefCell;

/// What a number may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// Any finite number.
    Any,
    /// A finite number > 0.
    Positive,
    /// A finite number ≥ 0.
    NotNegative,
}

/// A number that a document holds or could hold.
#[derive(Debug, Clone)]
pub struct Number {
    /// Its key from the top of the document, as in `oscillator.drive.0.harmonic.amplitude`.
    pub path: String,
    /// What it is, in the document or by default.
    pub value: f64,
    /// Its unit; empty where it has none.
    pub unit: &'static str,
    /// What it may be.
    pub range: Range,
    /// Whether it must be whole.
    pub whole: bool,
    /// Where it stands; `None` where the document does not give it.
    pub place: Option<Place>,
}

impl Number {
    /// The least value it may have, if there is one: 0, or the smallest number above 0.
    pub fn least(&self) -> Option<f64> {
        match self.range {
            Range::Any => None,
            Range::Positive => Some(f64::MIN_POSITIVE),
            Range::NotNegative => Some(0.0),
        }
    }
}

/// Notes the numbers that are asked for while a document is read.
#[derive(Debug, Default)]
pub struct Asked(RefCell<Vec<Number>>);

impl Asked {
    /// Notes a number; one that is asked for twice is noted once.
    pub fn note(&self, number: Number) {
        let mut noted = self.0.borrow_mut();
        if noted.iter().all(|n| n.path != number.path) {
            noted.push(number);
        }
    }

    /// What was noted, in the order in which it was asked for.
    pub fn into_numbers(self) -> Vec<Number> {
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
