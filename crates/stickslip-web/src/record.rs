//! Records that were dropped onto the page: what is guessed of them, and the fit file that follows.

#[cfg(feature = "parquet")]
use crate::page::Dropped;
use crate::{Answer, fault};
use stickslip_file::{
    Diagnostic,
    fit::{Draft, Sketch},
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::wasm_bindgen;

/// What the table `name` that begins with `head` seems to hold: `{draft, columns, rows}`. A table in Parquet must have been
/// dropped before.
///
/// # Errors
/// Where there is no table.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
pub fn sketch(name: &str, head: &[u8]) -> Answer<String> {
    let sketch = sketched(name, head).map_err(|d| fault::told(&d))?;
    Ok(serde_json::to_string(&sketch).unwrap_or_default())
}

/// The columns of a table in Parquet stand at its end, those of any other table in its first row.
fn sketched(name: &str, head: &[u8]) -> Result<Sketch, Diagnostic> {
    #[cfg(feature = "parquet")]
    if name.to_ascii_lowercase().ends_with(".parquet") {
        return Sketch::of_parquet(name, &Dropped);
    }
    Sketch::of(name, head)
}

/// The fit file of a draft, which is JSON.
///
/// # Errors
/// Where it is no draft.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
pub fn fit_file(draft: &str) -> Answer<String> {
    let draft: Draft = serde_json::from_str(draft).map_err(|e| {
        fault::told(&Diagnostic::new(format!("this is no draft of a fit file: {e}")))
    })?;
    Ok(draft.to_toml())
}
