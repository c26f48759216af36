//! Ensembles that several workers have made parts of.

use crate::page::CONTEXT;
use crate::results::Results;
use crate::{Answer, fault, reading};
use stickslip_run as run;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::wasm_bindgen;

/// Puts partial results of one ensemble together: `files` is a JSON list of their names.
///
/// # Errors
/// Where they do not belong together.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
pub fn merge(files: &str) -> Answer<Results> {
    let files: Vec<String> = serde_json::from_str(files).unwrap_or_default();
    let merged = run::merge_paths(&run::Merge::default(), &files, &reading(), &CONTEXT);
    merged.map(Results).map_err(|d| fault::told(&d))
}
