//! The results of a run as data: a summary, tables with named columns and units, figures, pages and
//! text. Nothing here writes a file; a door decides what becomes of a product.

mod format;
#[cfg(feature = "parquet")]
mod parquet;
mod table;

pub use format::Format;
pub use table::{Cell, Column, Flow, Rows, Stop, Table};

use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use stickslip::{Remedy, Warning};

/// A text that is made when it is asked for: a figure that nobody looks at costs nothing.
#[derive(Clone)]
pub struct Lazy(Arc<dyn Fn() -> String + Send + Sync>);

impl Lazy {
    /// The text that `make` returns.
    pub fn new(make: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self(Arc::new(make))
    }

    /// A text that exists already.
    pub fn ready(text: impl Into<String>) -> Self {
        let text: String = text.into();
        Self::new(move || text.clone())
    }

    /// Makes the text.
    pub fn get(&self) -> String {
        (self.0)()
    }
}

impl fmt::Debug for Lazy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lazy")
    }
}

/// A text with a name: a figure, a page or another document.
#[derive(Debug, Clone)]
pub struct Named {
    /// Unique among the figures, pages and documents of a product.
    pub name: String,
    /// What it holds.
    pub content: Lazy,
}

/// What users should know of a result, and what they can do about it with the means of the program that
/// shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Remark {
    /// One sentence.
    pub text: String,
    /// What to do, for each program to word.
    pub remedy: Option<Remedy>,
}

impl From<String> for Remark {
    fn from(text: String) -> Self {
        Self { text, remedy: None }
    }
}

impl From<&Warning> for Remark {
    fn from(warning: &Warning) -> Self {
        Self { text: warning.to_string(), remedy: warning.remedy() }
    }
}

/// Everything that a run returns.
#[derive(Debug, Clone)]
pub struct Product {
    /// What was solved, how, and what came out, for machines.
    pub summary: Value,
    /// Tables of numbers.
    pub tables: Vec<Table>,
    /// In which formats tables are written, unless another one is asked for.
    pub formats: Vec<Format>,
    /// Figures in SVG.
    pub figures: Vec<Named>,
    /// Reports in HTML, each complete in itself.
    pub pages: Vec<Named>,
    /// JSON documents beside the summary.
    pub documents: Vec<Named>,
    /// Other texts, such as model files; their names have an extension.
    pub texts: Vec<Named>,
    /// The result for people at a terminal.
    pub text: Lazy,
    /// The same in a few lines, for those who find the rest in files.
    pub brief: Option<Lazy>,
    /// What users should know now that it is solved.
    pub remarks: Vec<Remark>,
    /// Files that were read.
    pub inputs: Vec<String>,
    /// Whether the run was cancelled and holds only what was complete by then.
    pub interrupted: bool,
}

impl Product {
    /// A product with a summary and a text for people.
    pub fn new(summary: Value, text: Lazy) -> Self {
        Self {
            summary,
            tables: Vec::new(),
            formats: vec![Format::Csv],
            figures: Vec::new(),
            pages: Vec::new(),
            documents: Vec::new(),
            texts: Vec::new(),
            text,
            brief: None,
            remarks: Vec::new(),
            inputs: Vec::new(),
            interrupted: false,
        }
    }

    /// With a table.
    pub fn table(mut self, table: Table) -> Self {
        self.tables.push(table);
        self
    }

    /// With a figure, drawn when it is asked for.
    pub fn figure(mut self, name: &str, draw: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.figures.push(named(name, Lazy::new(draw)));
        self
    }

    /// With a page, composed when it is asked for.
    pub fn page(mut self, name: &str, html: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.pages.push(named(name, Lazy::new(html)));
        self
    }

    /// With a JSON document, written when it is asked for.
    pub fn document(
        mut self,
        name: &str,
        json: impl Fn() -> String + Send + Sync + 'static,
    ) -> Self {
        self.documents.push(named(name, Lazy::new(json)));
        self
    }

    /// With remarks.
    pub fn remarks(mut self, remarks: impl IntoIterator<Item = impl Into<Remark>>) -> Self {
        self.remarks.extend(remarks.into_iter().map(Into::into));
        self
    }

    /// The table `name`.
    pub fn table_named(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|t| t.name == name)
    }
}

fn named(name: &str, content: Lazy) -> Named {
    Named { name: name.to_owned(), content }
}

/// A text that `write` prints into a string; a string never refuses.
pub(crate) fn printed(write: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) -> String {
    let mut text = String::new();
    let _ = write(&mut text);
    text
}

/// JSON with line breaks, for documents that people read too.
pub(crate) fn pretty(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}
