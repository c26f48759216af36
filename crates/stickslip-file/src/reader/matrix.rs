//! Matrices, as lists of rows.

use super::{Quantity, Table};
use crate::diagnostic::{Diagnostic, Result};
use crate::node::{Node, Value};

impl Table<'_> {
    /// A square matrix: a list of rows, or a list of numbers for a diagonal one; empty if the key is absent.
    pub fn matrix(&self, key: &str, what: Quantity) -> Result<Vec<Vec<f64>>> {
        let Some(entry) = self.entry(key) else { return Ok(Vec::new()) };
        let expected =
            "a list of rows, each a list of numbers, or a list of numbers for a diagonal matrix";
        let help = format!("write `{key} = [[2.0, -1.0], [-1.0, 1.0]]`");
        let Value::Array(items) = &entry.node.value else {
            return Err(self.wrong(entry, expected).help(help));
        };
        if !matches!(items.first().map(|i| &i.value), Some(Value::Array(_))) {
            let diagonal = self.list(key, items, what)?;
            let row = |(i, d): (usize, &f64)| {
                let mut row = vec![0.0; diagonal.len()];
                row[i] = *d;
                row
            };
            return Ok(diagonal.iter().enumerate().map(row).collect());
        }
        let row = |(i, node): (usize, &Node)| match &node.value {
            Value::Array(numbers) => self.list(&format!("{key}.{i}"), numbers, what),
            other => {
                let path = self.path_of(key);
                let found = other.describe();
                let message = format!("`{path}.{i}` is {found}; expected a row of numbers");
                Err(Diagnostic::at(&node.place, message).help(help.clone()))
            }
        };
        items.iter().enumerate().map(row).collect()
    }
}
