//! Tables in Parquet that were dropped onto the page.

use crate::page::Dropped;
use crate::{Answer, fault};
use wasm_bindgen::prelude::wasm_bindgen;

/// The table `name` as the text of a CSV file, which the other modules read in its place.
///
/// # Errors
/// Where it cannot be read.
#[wasm_bindgen]
pub fn unpacked(name: &str) -> Answer<Vec<u8>> {
    stickslip_file::table::csv_of_parquet(&Dropped, name).map_err(|d| fault::told(&d))
}
