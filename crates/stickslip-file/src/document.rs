//! A model file or fit file as a tree of values that can be changed and read again.

use crate::diagnostic::Result;
use crate::node::{Node, Value};
use crate::overrides::Override;
use crate::place::Source;
use std::sync::Arc;

/// A parsed file.
#[derive(Debug, Clone)]
pub struct Document {
    name: String,
    root: Node,
}

impl Document {
    /// The document in `text`. Files that it names are relative to the folder of `name`, which
    /// need not exist.
    ///
    /// ```
    /// let mut document = stickslip_file::Document::parse("m.toml", "oscillator.mass = 1.0")?;
    /// document.set("oscillator.mass", 2.0)?;
    /// # Ok::<(), stickslip_file::Diagnostic>(())
    /// ```
    ///
    /// # Errors
    /// Where the text is not TOML.
    pub fn parse(name: &str, text: impl Into<String>) -> Result<Self> {
        let source = Source { name: name.to_owned(), text: text.into() };
        Ok(Self { name: name.to_owned(), root: Node::parse(&Arc::new(source))? })
    }

    /// The document with this tree: a part of another document, or data that never were a text.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use stickslip_file::{Document, Entry, Node, Place, Source, Value};
    /// let source = Arc::new(Source { name: "data".to_owned(), text: String::new() });
    /// let node = |value| Node { place: Place::new(&source, 0..0), value };
    /// let table = |key: &str, value| Value::Table(vec![Entry::of(key, node(value))]);
    /// let document = Document::of("data", node(table("oscillator", table("mass", Value::from(1.0)))));
    /// assert!(document.root().get("oscillator").is_some());
    /// ```
    pub fn of(name: &str, root: Node) -> Self {
        Self { name: name.to_owned(), root }
    }

    /// The name of its file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The tree.
    pub fn root(&self) -> &Node {
        &self.root
    }

    pub(crate) fn root_mut(&mut self) -> &mut Node {
        &mut self.root
    }

    /// Puts a value in, where it replaces what stands there.
    ///
    /// # Errors
    /// Where the path goes through something that holds no keys.
    pub fn apply(&mut self, value: &Override) -> Result<()> {
        value.apply(&mut self.root)
    }

    /// Sets the value at `path`, such as `oscillator.drive.0.harmonic.amplitude`.
    ///
    /// # Errors
    /// Where the path is no key path, or goes through something that holds no keys.
    pub fn set(&mut self, path: &str, value: impl Into<Value>) -> Result<()> {
        self.root.set(path, value)
    }
}
