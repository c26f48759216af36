//! Which kind of model a file describes.

use crate::diagnostic::{Diagnostic, Remedy, Result, did_you_mean};
use crate::node::{Node, Value};
use crate::reader::MOTIONS;

/// What a model file describes, by the name of its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelKind {
    /// `[oscillator]`.
    Oscillator,
    /// `[impact]`.
    Impact,
    /// `[cascade]`.
    Cascade,
    /// `[network]`.
    Network,
    /// `[planar]`.
    Planar,
    /// `[element]`: a contact whose motion another simulator owns, or whose displacement is given.
    Element,
    /// `[corner]`: several solutions.
    Corner,
    /// `[schatzman]`: several solutions.
    Schatzman,
}

impl ModelKind {
    /// Every kind by its table.
    const ALL: [(&'static str, Self); 8] = [
        ("oscillator", Self::Oscillator),
        ("cascade", Self::Cascade),
        ("network", Self::Network),
        ("impact", Self::Impact),
        ("planar", Self::Planar),
        ("element", Self::Element),
        ("corner", Self::Corner),
        ("schatzman", Self::Schatzman),
    ];

    /// The name of its table.
    pub fn table(self) -> &'static str {
        Self::ALL.iter().find(|k| k.1 == self).map_or("", |k| k.0)
    }

    /// Whether the model of a document moves only as another simulator wants it: an element whose displacement is not given.
    pub fn is_moved_by_others(self, document: &Node) -> bool {
        let given = document.get("element").and_then(|e| e.node.get("displacement"));
        self == Self::Element && given.is_none()
    }

    /// Whether the model of a document turns about an axis: `motion = "rotation"` or `rotation = true` in its table.
    pub(super) fn rotates(self, document: &Node) -> bool {
        let said = |key| Some(&document.get(self.table())?.node.get(key)?.node.value);
        let word = |value: &Value| match value {
            Value::Text(word) => MOTIONS.iter().any(|(name, about)| *about && name == word),
            _ => false,
        };
        matches!(said("rotation"), Some(Value::Bool(true))) || said("motion").is_some_and(word)
    }

    /// The kind of model in a document: the one whose table is there.
    ///
    /// # Errors
    /// Where there is none, or more than one.
    pub fn of(document: &Node) -> Result<Self> {
        if let Some(entry) = document.get("fit").or_else(|| document.get("data")) {
            let expected = "this is a fit file; expected a model file with a model and [run]";
            return Err(Diagnostic::at(&entry.key_place, expected).with_remedy(Remedy::Calibrate));
        }
        let mut found = Self::ALL.iter().filter_map(|k| Some((document.get(k.0)?, *k)));
        let Some((_, (first, kind))) = found.next() else { return Err(no_model(document)) };
        match found.next() {
            None => Ok(kind),
            Some((entry, (second, _))) => Err(Diagnostic::at(
                &entry.key_place,
                format!(
                    "a second model `[{second}]` in addition to `[{first}]`; expected one in a file"
                ),
            )
            .help("give each model a file of its own")),
        }
    }
}

/// The error for a document without a model. A table that is nearly one of them is named.
fn no_model(document: &Node) -> Diagnostic {
    let known = ModelKind::ALL.map(|k| k.0);
    let list = known.map(|k| format!("[{k}]")).join(", ");
    let entries = match &document.value {
        Value::Table(entries) => entries.as_slice(),
        _ => &[],
    };
    let meant = entries.iter().find_map(|e| {
        let near = did_you_mean(&e.key, known);
        (!near.is_empty()).then_some((e, near))
    });
    let (place, near) = match &meant {
        Some((entry, near)) => (&entry.key_place, near.as_str()),
        None => (&document.place, ""),
    };
    let found = meant.as_ref().map(|(e, _)| format!("; unknown table `[{}]`{near}", e.key));
    let message = format!("there is no model here{}", found.unwrap_or_default());
    Diagnostic::at(place, message)
        .help(format!("expected one of {list}"))
        .with_remedy(Remedy::ModelTemplate)
}
