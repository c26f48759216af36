//! What a study leaves, for the page to take what it shows.

use serde_json::{Value, json};
use stickslip_run::{self as run, Named, Product};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::wasm_bindgen;

/// The results of a study: a summary, tables, figures and pages.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
#[derive(Debug)]
pub struct Results(pub(crate) Product);

fn names(all: &[Named]) -> Vec<&str> {
    all.iter().map(|n| n.name.as_str()).collect()
}

fn content(all: &[Named], name: &str) -> Option<String> {
    all.iter().find(|n| n.name == name).map(|n| n.content.get())
}

#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
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
