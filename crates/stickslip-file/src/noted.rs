//! The numbers of a document with their units and ranges, as its reader meets them, for those who let people change them.
//!
//! The reader says what each number must be at the one place where it reads it; nothing is listed twice.

use crate::diagnostic::Result;
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

/// A number that stands in a document.
#[derive(Debug, Clone)]
pub struct Number {
    /// Its key from the top of the document, as in `oscillator.drive.0.harmonic.amplitude`.
    pub path: String,
    /// What it is now.
    pub value: f64,
    /// Its unit; empty where it has none.
    pub unit: &'static str,
    /// What it may be.
    pub range: Range,
    /// Whether it must be whole.
    pub whole: bool,
    /// Where it stands.
    pub place: Place,
}

thread_local! {
    /// The numbers that the reader has met, while somebody wants to know them.
    static MET: RefCell<Option<Vec<Number>>> = const { RefCell::new(None) };
}

/// Takes down a number, if somebody wants to know them. A number that is read twice is listed once.
pub(crate) fn note(number: impl FnOnce() -> Number) {
    MET.with_borrow_mut(|met| {
        let Some(met) = met else { return };
        let number = number();
        if !met.iter().any(|n| n.path == number.path) {
            met.push(number);
        }
    });
}

/// The numbers that `read` meets, in the order of the text.
pub(crate) fn met(read: impl FnOnce() -> Result<()>) -> Result<Vec<Number>> {
    MET.set(Some(Vec::new()));
    let read = read();
    let mut met = MET.take().unwrap_or_default();
    read?;
    met.sort_by_key(|n| n.place.range.start);
    Ok(met)
}
