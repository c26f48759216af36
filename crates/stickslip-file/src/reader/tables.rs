//! Tables below a table, and lists of them.

use super::Table;
use crate::diagnostic::{Diagnostic, Result};
use crate::node::{Node, Value};

impl<'a> Table<'a> {
    /// A table below this one that may be left out.
    pub fn table_opt(&self, key: &str, known: &[&str]) -> Result<Option<Table<'a>>> {
        let Some(entry) = self.entry(key) else { return Ok(None) };
        let table = Table::of(&entry.node, &entry.key_place, self.path_of(key), known)?;
        let table = table.asking(self.asked).coefficients(self.coefficients_below(key));
        Ok(Some(table.rotating(self.rotation_below(key))))
    }

    /// The same; where it is left out, one whose numbers all have their defaults, which are noted like any others.
    pub fn table_or_empty(&self, key: &str, known: &[&str]) -> Result<Table<'a>> {
        let empty = || Table {
            entries: &[],
            path: self.path_of(key),
            place: self.place,
            asked: self.asked,
            coefficients: self.coefficients_below(key),
            rotation: self.rotation_below(key),
        };
        Ok(self.table_opt(key, known)?.unwrap_or_else(empty))
    }

    /// Whatever stands below `key`, for keys that no list knows.
    pub fn open(&self, key: &str) -> Result<&'a Node> {
        self.entry(key).map(|e| &e.node).ok_or_else(|| self.missing(key, "a table"))
    }

    /// A table that was found elsewhere in the document, under this path.
    pub fn inside(node: &'a Node, path: String, known: &[&str]) -> Result<Self> {
        Self::of(node, &node.place, path, known)
    }

    /// A table below this one that must be there.
    pub fn table(&self, key: &str, known: &[&str]) -> Result<Table<'a>> {
        self.table_opt(key, known)?.ok_or_else(|| {
            let path = self.path_of(key);
            Diagnostic::at(self.place, format!("the table [{path}] is missing"))
                .help(format!("add [{path}] with: {}", known.join(", ")))
        })
    }

    /// A list of tables below this one, `[[key]]` (none if the key is absent).
    pub fn tables(&self, key: &str, known: &[&str]) -> Result<Vec<Table<'a>>> {
        let Some(entry) = self.entry(key) else { return Ok(Vec::new()) };
        let path = self.path_of(key);
        let Value::Array(items) = &entry.node.value else {
            let found = entry.node.value.describe();
            let message = format!("`{path}` is {found}; expected a list of tables");
            return Err(Diagnostic::at(&entry.key_place, message)
                .help(format!("write [[{path}]] with two brackets")));
        };
        let items = items.iter().enumerate();
        let one = |(i, n): (usize, &'a Node)| {
            let table = Self::of(n, &n.place, format!("{path}.{i}"), known)?;
            Ok(table.asking(self.asked).rotating(self.rotation_below(key)))
        };
        items.map(one).collect()
    }

    /// The entries of a list, or a single one (none if the key is absent).
    pub fn items(&self, key: &str) -> Vec<&'a Node> {
        match self.entry(key).map(|e| &e.node) {
            None => Vec::new(),
            Some(Node { value: Value::Array(items), .. }) => items.iter().collect(),
            Some(one) => vec![one],
        }
    }
}
