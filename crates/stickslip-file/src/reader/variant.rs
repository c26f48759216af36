//! Tables with one key, which names one of a few: a law, a signal.

use super::{Quantity, Table, unavailable};
use crate::asked::Asked;
use crate::diagnostic::{Diagnostic, Remedy, Result};
use crate::node::{Entry, Node, Value};
use crate::place::Place;

/// A one-key table: the key names the variant, the value holds its numbers.
#[derive(Debug, Clone)]
pub struct Variant<'a> {
    /// Which of the known names.
    pub name: &'static str,
    entry: &'a Entry,
    parent: String,
    /// The variant's own path.
    path: String,
    asked: Option<&'a Asked>,
    coefficients: bool,
    rotation: bool,
}

/// The keys of what is written for each direction.
pub const DIRECTIONS: [&str; 2] = ["forward", "backward"];

impl<'a> Variant<'a> {
    fn of(
        node: &'a Node,
        place: &'a Place,
        path: String,
        what: &str,
        known: &[&'static str],
    ) -> Result<Self> {
        let list = known.join(", ");
        let Value::Table(entries) = &node.value else {
            let found = node.value.describe();
            return Err(Diagnostic::at(
                &node.place,
                format!("`{path}` is {found}; expected a {what}"),
            )
            .help(format!("write NAME = …, NAME one of: {list}")));
        };
        let unknown = entries.iter().find(|e| !known.contains(&e.key.as_str()));
        if let Some(e) = unknown {
            return Err(unavailable(&e.key_place, what, &e.key, known));
        }
        match entries.as_slice() {
            [entry] => {
                let name = known.iter().copied().find(|k| *k == entry.key).unwrap_or_default();
                let own = format!("{path}.{name}");
                let asked = None;
                let coefficients = false;
                let rotation = false;
                Ok(Self { name, entry, parent: path, path: own, asked, coefficients, rotation })
            }
            [] => Err(Diagnostic::at(place, format!("`{path}` is empty; expected one {what}"))
                .help(format!("give one of: {list}"))),
            [_, second, ..] => {
                let names: Vec<&str> = entries.iter().map(|e| e.key.as_str()).collect();
                let message = format!(
                    "`{path}` holds {} {what}s ({}); expected one",
                    names.len(),
                    names.join(", ")
                );
                let value = format!("{{{} = …}}", second.key);
                Err(Diagnostic::at(&second.key_place, message)
                    .help("keep one; write each signal of a sum as a list entry of its own")
                    .with_remedy(Remedy::Replace { path, value }))
            }
        }
    }

    /// Where its name stands.
    pub fn place(&self) -> &'a Place {
        &self.entry.key_place
    }

    /// The numbers of the variant, a table with the keys `known`.
    pub fn table(&self, known: &[&str]) -> Result<Table<'a>> {
        let table = Table::of(&self.entry.node, &self.entry.key_place, self.path.clone(), known)?;
        let table = table.asking(self.asked).coefficients(self.coefficients);
        Ok(table.rotating(self.rotation))
    }

    /// The same variant forwards and backwards, if it is written so: `NAME = { forward = { … },
    /// backward = { … } }`.
    pub fn directions(&self) -> Result<Option<[Self; 2]>> {
        self.directions_beside(&[])
    }

    /// The same where these keys may stand next to `forward` and `backward`.
    pub fn directions_beside(&self, others: &[&'static str]) -> Result<Option<[Self; 2]>> {
        let Value::Table(entries) = &self.entry.node.value else { return Ok(None) };
        if !entries.iter().any(|e| DIRECTIONS.contains(&e.key.as_str())) {
            return Ok(None);
        }
        let table = self.table(&[DIRECTIONS.as_slice(), others].concat())?;
        let side = |key: &str| {
            let entry = table
                .entry(key)
                .ok_or_else(|| table.missing(key, "the numbers of this direction"))?;
            Ok::<_, Diagnostic>(Self {
                name: self.name,
                entry,
                parent: self.path.clone(),
                path: table.path_of(key),
                asked: self.asked,
                coefficients: self.coefficients,
                rotation: self.rotation,
            })
        };
        Ok(Some([side(DIRECTIONS[0])?, side(DIRECTIONS[1])?]))
    }

    /// The variant's only number: `constant = 2.0`.
    pub fn number(&self, what: Quantity) -> Result<f64> {
        let alone = Table {
            entries: std::slice::from_ref(self.entry),
            path: self.parent.clone(),
            place: &self.entry.key_place,
            asked: self.asked,
            coefficients: self.coefficients,
            rotation: self.rotation,
        };
        alone.number(self.name, what)
    }
}

impl<'a> Table<'a> {
    /// A table with exactly one key, the name of a variant: `friction.coulomb = { … }`.
    pub fn one_of(&self, key: &str, what: &str, known: &[&'static str]) -> Result<Variant<'a>> {
        let entry = self.entry(key).ok_or_else(|| {
            let path = self.path_of(key);
            Diagnostic::at(self.place, format!("the {what} `{path}` is missing"))
                .help(format!("add a table [{path}.NAME], NAME one of: {}", known.join(", ")))
        })?;
        let path = self.path_of(key);
        let found = Variant::of(&entry.node, &entry.key_place, path, what, known)?;
        let coefficients = self.coefficients_below(key);
        Ok(Variant { asked: self.asked, coefficients, rotation: self.rotation_below(key), ..found })
    }

    /// The one variant among the keys of this table that are not `others`.
    pub fn variant_beside(
        &self,
        others: &[&str],
        what: &str,
        known: &[&'static str],
    ) -> Result<Variant<'a>> {
        let mut rest = self.entries.iter().filter(|e| !others.contains(&e.key.as_str()));
        let list = known.join(", ");
        let Some(entry) = rest.next() else {
            return Err(Diagnostic::at(self.place, format!("`{}` has no {what}", self.path))
                .help(format!("add one of: {list}")));
        };
        if let Some(second) = rest.next() {
            return Err(Diagnostic::at(
                &second.key_place,
                format!("a second {what} in `{}`", self.path),
            )
            .help("give each a list entry of its own; they are summed"));
        }
        match known.iter().copied().find(|k| *k == entry.key) {
            Some(name) => {
                let path = self.path_of(name);
                let asked = self.asked;
                let coefficients = self.coefficients;
                let rotation = self.rotation;
                let parent = self.path.clone();
                Ok(Variant { name, entry, parent, path, asked, coefficients, rotation })
            }
            None => Err(unavailable(&entry.key_place, what, &entry.key, known)),
        }
    }

    /// A list of one-key tables (none if the key is absent).
    pub fn list_of(
        &self,
        key: &str,
        what: &str,
        known: &[&'static str],
    ) -> Result<Vec<Variant<'a>>> {
        let Some(entry) = self.entry(key) else { return Ok(Vec::new()) };
        let path = self.path_of(key);
        let Value::Array(items) = &entry.node.value else {
            let found = entry.node.value.describe();
            let message =
                format!("`{path}` is {found}; expected a list of {what}s, which are summed");
            if let Value::Number { number, .. } = entry.node.value
                && known.contains(&"constant")
            {
                let coefficients = match key {
                    "normal" => "; the numbers of the friction law are coefficients then",
                    _ => "",
                };
                return Err(Diagnostic::at(&entry.key_place, message).help(format!(
                    "write `{key} = [{{ constant = {number:?} }}]`, or [[{path}]] with two brackets and below it \
                     `constant = {number:?}`{coefficients}"
                )));
            }
            return Err(Diagnostic::at(&entry.key_place, message).help(format!(
                "write [[{path}]] with two brackets, and below it one of: {}",
                known.join(", ")
            )));
        };
        let items = items.iter().enumerate();
        let one = |(i, n): (usize, &'a Node)| {
            let found = Variant::of(n, &n.place, format!("{path}.{i}"), what, known)?;
            Ok(Variant { asked: self.asked, rotation: self.rotation_below(key), ..found })
        };
        items.map(one).collect()
    }
}
