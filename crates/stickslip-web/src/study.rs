//! Everything that a model or fit file can be asked for, by the names that commands have everywhere.

#[cfg(feature = "records")]
use crate::page::CONTEXT;
use crate::{Answer, fault, parsed, reading};
use serde_json::{Value, json};
use stickslip_file::Diagnostic;
use stickslip_run::{self as run, Input, Named, Product};
use wasm_bindgen::prelude::wasm_bindgen;

/// The results of a study: a summary, tables, figures and pages.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Results(pub(crate) Product);

/// Runs `command` on the model or fit file in `text`. `options` is JSON: `from` and `to` (paths of an ensemble),
/// `periods`, `key`, `low`, `high`, `count` (a response), `limit`, `halvings`.
///
/// # Errors
/// Where the text or an option is wrong, or what is asked for has no answer.
#[wasm_bindgen]
pub fn study(command: &str, text: &str, options: &str) -> Answer<Results> {
    let document = parsed(text)?;
    let reading = reading();
    let input = Input::new(&document, &reading);
    asked(command, options, &input).map(Results).map_err(|d| fault::told(&d))
}

/// The product of a command; the page asks a module for what it has.
fn asked(command: &str, options: &str, input: &Input<'_>) -> Result<Product, Diagnostic> {
    #[cfg(feature = "records")]
    if command == "calibrate" {
        return run::calibrate(&run::Calibrate::default(), input, &CONTEXT);
    }
    #[cfg(feature = "motions")]
    if let Some(found) = crate::moving::asked(command, options, input) {
        return found;
    }
    let _ = (options, input);
    Err(Diagnostic::command_line(format!("`{command}` is no study of this module")))
}

fn names(all: &[Named]) -> Vec<&str> {
    all.iter().map(|n| n.name.as_str()).collect()
}

fn content(all: &[Named], name: &str) -> Option<String> {
    all.iter().find(|n| n.name == name).map(|n| n.content.get())
}

#[wasm_bindgen]
impl Results {
    /// What there is: `{summary, tables: [{name, columns}], figures, pages, documents, texts, remarks}`.
    pub fn about(&self) -> String {
        let Product { summary, tables, figures, pages, documents, texts, remarks, .. } = &self.0;
        let column = |c: &run::Column| json!({ "name": c.name, "unit": c.unit });
        let table = |t: &run::Table| json!({ "name": t.name, "columns": t.columns.iter().map(column).collect::<Vec<_>>() });
        json!({
            "summary": summary,
            "tables": tables.iter().map(table).collect::<Vec<_>>(),
            "figures": names(figures), "pages": names(pages), "documents": names(documents), "texts": names(texts),
            "remarks": remarks.iter().map(|r| r.text.as_str()).collect::<Vec<_>>(),
        })
        .to_string()
    }

    /// The result for people.
    pub fn text(&self) -> String {
        self.0.text.get()
    }

    /// The numbers of a column; NaN where there is none. Nothing if there is no such column.
    pub fn numbers(&self, table: &str, column: &str) -> Option<Vec<f64>> {
        self.0.table_named(table)?.numbers(column)
    }

    /// The first rows of a table as JSON.
    pub fn rows(&self, table: &str, most: usize) -> Option<String> {
        let mut rows: Vec<Value> = Vec::new();
        // The table ends where enough has been seen.
        let _ = self.0.table_named(table)?.each(&mut |row| {
            if rows.len() == most {
                return Err(run::product::Stop);
            }
            let cell = |c: &run::Cell<'_>| match c {
                run::Cell::Text(text) => text.as_ref().into(),
                other => other.number().map_or(Value::Null, Value::from),
            };
            rows.push(row.iter().map(cell).collect());
            Ok(())
        });
        Some(Value::from(rows).to_string())
    }

    /// A table as CSV, as files hold it.
    pub fn csv(&self, table: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        // Memory never refuses.
        self.0.table_named(table)?.write_csv(&mut bytes).ok()?;
        Some(bytes)
    }

    /// A figure in SVG.
    pub fn figure(&self, name: &str) -> Option<String> {
        content(&self.0.figures, name)
    }

    /// A report in HTML.
    pub fn page(&self, name: &str) -> Option<String> {
        content(&self.0.pages, name)
    }

    /// A JSON document.
    pub fn document(&self, name: &str) -> Option<String> {
        content(&self.0.documents, name)
    }

    /// Another text.
    pub fn other(&self, name: &str) -> Option<String> {
        content(&self.0.texts, name)
    }
}
