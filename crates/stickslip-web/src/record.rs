//! Records that were dropped onto the page: what is guessed of them, and the fit file that follows.

use crate::{Answer, fault};
use stickslip_file::Diagnostic;
use stickslip_file::fit::{Draft, Sketch};
use wasm_bindgen::prelude::wasm_bindgen;

/// What the table `name` that begins with `head` seems to hold: `{draft, columns, rows}`.
///
/// # Errors
/// Where there is no table.
#[wasm_bindgen]
pub fn sketch(name: &str, head: &[u8]) -> Answer<String> {
    let sketch = Sketch::of(name, head).map_err(|d| fault::told(&d))?;
    Ok(serde_json::to_string(&sketch).unwrap_or_default())
}

/// The same of a table in Parquet that was dropped onto the page.
///
/// # Errors
/// Where it cannot be read.
#[cfg(feature = "fits")]
#[wasm_bindgen]
pub fn sketch_parquet(name: &str) -> Answer<String> {
    let sketch = Sketch::of_parquet(name, &crate::page::Dropped).map_err(|d| fault::told(&d))?;
    Ok(serde_json::to_string(&sketch).unwrap_or_default())
}

/// The fit file of a draft, which is JSON.
///
/// # Errors
/// Where it is no draft.
#[wasm_bindgen]
pub fn fit_file(draft: &str) -> Answer<String> {
    let draft: Draft = serde_json::from_str(draft).map_err(|e| {
        fault::told(&Diagnostic::new(format!("this is no draft of a fit file: {e}")))
    })?;
    Ok(draft.to_toml())
}
