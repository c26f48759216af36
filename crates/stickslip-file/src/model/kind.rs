//! Which kind of model a file describes.

use crate::diagnostic::{Diagnostic, Remedy, Result};
use crate::node::Node;

/// What a model file describes, by the name of its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `[oscillator]`.
    Oscillator,
    /// `[impact]`.
    Impact,
    /// `[cascade]`.
    Cascade,
    /// `[network]`.
    Network,
    /// `[corner]`: several solutions.
    Corner,
    /// `[schatzman]`: several solutions.
    Schatzman,
}

impl Kind {
    /// Every kind by its table.
    const ALL: [(&'static str, Self); 6] = [
        ("oscillator", Self::Oscillator),
        ("cascade", Self::Cascade),
        ("network", Self::Network),
        ("impact", Self::Impact),
        ("corner", Self::Corner),
        ("schatzman", Self::Schatzman),
    ];

    /// The name of its table.
    pub fn table(self) -> &'static str {
        Self::ALL.iter().find(|k| k.1 == self).map_or("", |k| k.0)
    }

    /// The kind of model in a document: the one whose table is there. A document with none is
    /// taken for an oscillator, whose reader says what is missing.
    pub fn of(document: &Node) -> Result<Self> {
        if let Some(entry) = document.get("fit").or_else(|| document.get("data")) {
            let expected = "this is a fit file; expected a model file with a model and [run]";
            return Err(Diagnostic::at(&entry.key_place, expected).with_remedy(Remedy::Calibrate));
        }
        let mut found = Self::ALL.iter().filter_map(|k| Some((document.get(k.0)?, *k)));
        let Some((_, (first, kind))) = found.next() else { return Ok(Self::Oscillator) };
        match found.next() {
            None => Ok(kind),
            Some((entry, (second, _))) => Err(Diagnostic::at(
                &entry.key_place,
                format!("a second model `[{second}]` beside `[{first}]`; expected one in a file"),
            )
            .help("give each model a file of its own")),
        }
    }
}
