//! Reading a document: typed values, ranges with units, and errors that say what to do.

mod matrix;
mod numbers;
mod tables;
mod variant;
mod words;

use crate::asked::{Asked, Number};
pub use crate::asked::{Quantity, any, not_negative, positive};
use crate::diagnostic::{Diagnostic, Result, did_you_mean};
use crate::hints;
use crate::node::{Entry, Node, Value};
use crate::place::Place;
use crate::units;
pub use variant::{DIRECTIONS, Variant};

/// Words for a motion, and whether it is one about an axis.
pub const MOTIONS: [(&str, bool); 2] = [("translation", false), ("rotation", true)];

/// A table of the document, being read.
#[derive(Debug, Clone)]
pub struct Table<'a> {
    entries: &'a [Entry],
    path: String,
    place: &'a Place,
    /// Where the numbers that are asked for are noted.
    asked: Option<&'a Asked>,
    /// Whether forces in it are coefficients of a normal force.
    coefficients: bool,
    /// Whether it describes a motion about an axis: angles take the place of displacements.
    rotation: bool,
}

impl<'a> Table<'a> {
    /// The whole document, which may hold the keys `known` and no others.
    pub fn root(node: &'a Node, known: &[&str]) -> Result<Self> {
        Self::of(node, &node.place, String::new(), known)
    }

    /// The same, noting in `asked` every number that is asked for.
    pub fn asking(self, asked: Option<&'a Asked>) -> Self {
        Self { asked, ..self }
    }

    /// The same, of which the forces are coefficients of a normal force where `are` says so.
    pub fn coefficients(self, are: bool) -> Self {
        Self { coefficients: are, ..self }
    }

    /// The same, about an axis where `is` says so: numbers are read in the units of a rotation.
    pub fn rotating(self, is: bool) -> Self {
        Self { rotation: is, ..self }
    }

    /// The same, about an axis where it says so itself: by `motion = "rotation"`, or by `rotation = true`, which leaves `motion` to the
    /// motions of nodes that are given, where the model has nodes.
    pub fn rotating_as_told(self, has_nodes: bool) -> Result<Self> {
        let is = self.says_rotation(has_nodes)?;
        Ok(self.rotating(is))
    }

    /// Whether its numbers are those of a rotation.
    pub fn turns(&self) -> bool {
        self.rotation
    }

    fn says_rotation(&self, has_nodes: bool) -> Result<bool> {
        let told = self.flag_or("rotation", false)?;
        if !self.has("motion") || has_nodes && self.is_list("motion") {
            return Ok(told);
        }
        let word = self.choice("motion", "motion", &MOTIONS)?.is_some_and(|m| m.value);
        if self.has("rotation") && told != word {
            let [rotation, motion] = ["rotation", "motion"].map(|key| self.path_of(key));
            let message = format!("`{rotation}` and `{motion}` contradict each other");
            return Err(Diagnostic::at(self.place_of("motion"), message)
                .help("leave one out: both say whether the model turns about an axis"));
        }
        Ok(word)
    }

    /// Whether a table or a list of tables stands at `key`.
    pub fn is_list(&self, key: &str) -> bool {
        let listed = |entry: &Entry| matches!(entry.node.value, Value::Array(_) | Value::Table(_));
        self.entry(key).is_some_and(listed)
    }

    /// The key of what resists an acceleration: `mass`, or `inertia` about an axis.
    pub fn inertial_key(&self) -> Result<&'static str> {
        if !self.has("inertia") {
            return Ok(if self.rotation && !self.has("mass") { "inertia" } else { "mass" });
        }
        let path = self.path_of("inertia");
        let told = |message: String, help: &str| {
            Err(Diagnostic::at(self.place_of("inertia"), message).help(help))
        };
        if !self.rotation {
            let model = self.path.split('.').next().unwrap_or_default();
            return told(
                format!("`{path}` is for a motion about an axis, and this one is along a line"),
                &format!("add `motion = \"rotation\"` to [{model}], or write `mass`, in kg"),
            );
        }
        if self.has("mass") {
            let message = format!("both `{path}` and `{}` are given", self.path_of("mass"));
            return told(message, "leave one out: they are two names of one number");
        }
        Ok("inertia")
    }

    /// The unit here of what is in `straight` along a line.
    pub fn unit(&self, straight: &'static str) -> &'static str {
        let turned = self.rotation.then(|| units::about_an_axis(straight));
        turned.flatten().unwrap_or(straight)
    }

    /// What a number must be here that must be `what` along a line.
    fn here(&self, what: Quantity) -> Quantity {
        Quantity { unit: self.unit(what.unit), ..what }
    }

    /// Whether numbers below `key` are those of a rotation: a force that presses stays one.
    fn rotation_below(&self, key: &str) -> bool {
        self.rotation && key != "normal"
    }

    /// Whether forces below `key` are coefficients: in the law of a contact with a normal force.
    fn coefficients_below(&self, key: &str) -> bool {
        self.coefficients || (key == "friction" && (self.has("normal") || self.has("normal_from")))
    }

    /// Notes a number that was asked for, in the file or by default, if somebody wants to know.
    fn note(&self, key: &str, what: Quantity, value: f64, place: Option<&Place>) {
        if let Some(asked) = self.asked {
            let Quantity { unit, range } = what;
            let path = self.path_of(key);
            let place = place.cloned();
            asked.note(Number { path, value, unit, range, whole: false, place });
        }
    }

    fn of(node: &'a Node, place: &'a Place, path: String, known: &[&str]) -> Result<Self> {
        let Value::Table(entries) = &node.value else {
            let found = node.value.describe();
            return Err(Diagnostic::at(
                &node.place,
                format!("`{path}` is {found}; expected a table"),
            )
            .help(format!("write [{path}] and below it lines `key = value`")));
        };
        let table =
            Self { entries, path, place, asked: None, coefficients: false, rotation: false };
        table.only(known)?;
        Ok(table)
    }

    fn only(&self, known: &[&str]) -> Result<()> {
        let Some(stray) = self.entries.iter().find(|e| !known.contains(&e.key.as_str())) else {
            return Ok(());
        };
        let what = if self.path.is_empty() { "table or key" } else { "key" };
        let written = stray.written();
        let hint = hints::of_key(written, &self.path);
        let near = match hint {
            Some(_) => String::new(),
            None => did_you_mean(written, known.iter().copied()),
        };
        let message = format!("unknown {what} `{}`{near}", self.path_of(written));
        if let Some(hint) = hint {
            return Err(Diagnostic::at(&stray.key_place, message).help(hint));
        }
        let hertz = stray.key == "frequency" && known.contains(&"angular_frequency");
        if hertz {
            let message = format!("{message}; did you mean `angular_frequency`, in rad/s?");
            return Err(Diagnostic::at(&stray.key_place, message)
                .help("multiply a frequency in Hz by 2π and write `angular_frequency`"));
        }
        let here = if self.path.is_empty() { "here" } else { "in this table" };
        Err(Diagnostic::at(&stray.key_place, message)
            .help(format!("known keys {here}: {}", known.join(", "))))
    }

    /// `key`, as written from the top of the document.
    pub fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// The path of the table.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether the key is there.
    pub fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    /// Whether the key is there and is a table that holds one of `below`.
    pub fn holds(&self, key: &str, below: &[&str]) -> bool {
        match self.entry(key).map(|e| &e.node.value) {
            Some(Value::Table(entries)) => entries.iter().any(|e| below.contains(&e.key.as_str())),
            _ => false,
        }
    }

    /// Whether the tables `keys` are there, one inside the other, and the last holds one of `below`.
    pub fn reaches(&self, keys: &[&str], below: &[&str]) -> bool {
        let [first, others @ ..] = keys else { return false };
        let top = self.entry(first).map(|e| &e.node);
        let last = others.iter().fold(top, |node, key| Some(&node?.get(key)?.node));
        last.is_some_and(|node| below.iter().any(|key| node.get(key).is_some()))
    }

    /// Whether the key is there with a number, which may have a unit.
    pub fn has_number(&self, key: &str) -> bool {
        self.entry(key).is_some_and(|e| match &e.node.value {
            Value::Number { .. } => true,
            Value::Text(s) => units::quantity(s).is_some(),
            _ => false,
        })
    }

    fn entry(&self, key: &str) -> Option<&'a Entry> {
        self.entries.iter().find(|e| e.key == key)
    }

    /// The error for a key that must be there.
    pub fn missing(&self, key: &str, expected: &str) -> Diagnostic {
        let path = self.path_of(key);
        Diagnostic::at(self.place, format!("`{path}` is missing; expected {expected}"))
            .help(format!("add a line `{key} = …` here"))
    }

    fn wrong(&self, entry: &Entry, expected: &str) -> Diagnostic {
        let path = self.path_of(entry.written());
        let found = entry.node.value.describe();
        Diagnostic::at(&entry.node.place, format!("`{path}` is {found}; expected {expected}"))
    }

    /// An error about `property` of entry `index` (from 0) of the list `key`; about the whole entry where it has none.
    pub fn fault_in(&self, key: &str, index: usize, property: &str, message: String) -> Diagnostic {
        let item = match self.entry(key).map(|e| &e.node.value) {
            Some(Value::Array(items)) => items.get(index),
            _ => None,
        };
        let Some(item) = item else { return self.fault(message) };
        Diagnostic::at(item.get(property).map_or(&item.place, |e| &e.node.place), message)
    }

    /// Where the table stands.
    pub fn place(&self) -> &'a Place {
        self.place
    }

    /// Where the name of a key stands; where the table stands, if the key is absent.
    pub fn place_of(&self, key: &str) -> &'a Place {
        self.entry(key).map_or(self.place, |e| &e.key_place)
    }

    /// An error about this table as a whole.
    pub fn fault(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::at(self.place, message)
    }
}

/// The error for a name that is not one of `known`.
fn unavailable(place: &Place, what: &str, name: &str, known: &[&str]) -> Diagnostic {
    let near = did_you_mean(name, known.iter().copied());
    let shown = if name.len() > 60 { "…" } else { name };
    if let Some(hint) = hints::of_signal(name).filter(|_| what == "signal") {
        return Diagnostic::at(place, format!("unknown {what} `{shown}`")).help(hint);
    }
    Diagnostic::at(place, format!("unknown {what} `{shown}`{near}"))
        .help(format!("expected one of: {}", known.join(", ")))
}
