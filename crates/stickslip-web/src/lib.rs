//! The door of the browser lab: strings and arrays in, JSON and arrays out.
//!
//! Everything runs in a web worker. What is wrong comes back as data, in JSON: the kind, the message, what helps, and
//! where in the text it stands. A defect of the library itself is told to the page before the worker stops, and the
//! page starts another one.

mod fault;
mod merge;
mod motion;
mod page;
mod record;
mod results;
mod study;

pub use merge::merge;
pub use motion::Motion;
pub use record::{fit_file, sketch};
pub use results::Results;
pub use study::study;

use serde_json::json;
use stickslip_file::{Document, Reading};
use stickslip_run::synthetic::WithRecords;
use stickslip_run::templates;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::wasm_bindgen;

/// What functions of this crate return: a fault is JSON.
pub type Answer<T> = Result<T, String>;

/// Tells the page about a panic before the worker stops.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen(start))]
pub fn begin() {
    std::panic::set_hook(Box::new(|defect| page::defect(&defect.to_string())));
}

/// The version of the library.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// The templates of fit files: `[{name, about, command, text}]`.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
pub fn model_templates() -> String {
    let one = |t: templates::Template| json!({ "name": t.name, "about": t.about, "command": t.command, "text": t.printed() });
    templates::ALL.into_iter().map(one).collect::<serde_json::Value>().to_string()
}

/// Every number of a model: `[{path, value, unit, range, whole, from, to}]`, where `range` is any, positive or
/// not-negative and `from` and `to` count UTF-16 units of the text.
///
/// # Errors
/// Where the model is wrong.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
pub fn numbers(text: &str) -> Answer<String> {
    let list = motion::numbers(&parsed(text)?, &reading()).map_err(|d| fault::told(&d))?;
    Ok(list.to_string())
}

/// The document in a text.
fn parsed(text: &str) -> Answer<Document> {
    Document::parse(NAME, text).map_err(|d| fault::told(&d))
}

/// What messages call the text of the page.
const NAME: &str = "model.toml";

/// Files that were dropped onto the page, and the built-in records.
fn reading() -> Reading {
    Reading::new(WithRecords(page::Dropped))
}
