//! Records that were dropped onto the page: what is guessed of them, and the fit file that follows.

use crate::page::Dropped;
#[cfg(feature = "records")]
use crate::{Answer, fault};
use std::borrow::Cow;
use stickslip_file::Resources;
#[cfg(feature = "records")]
use stickslip_file::{
    Diagnostic,
    fit::{Draft, Sketch},
};
#[cfg(feature = "records")]
use wasm_bindgen::prelude::wasm_bindgen;

/// What calibrations take from the page: data of time zones, which it offers as files `zone:europe/berlin`, and a copy of
/// their longest loop that is compiled for speed, with this crate.
pub fn begin() {
    stickslip_file::zones_from(|name| {
        let file = format!("zone:{}", name.to_lowercase());
        Dropped.read(&file).ok().map(Cow::into_owned)
    });
    #[cfg(all(target_arch = "wasm32", feature = "records"))]
    stickslip::lanes::sums_by(|record, sets, starts, out| {
        record.sums_with(stickslip::lanes::Instructions::Portable, sets, starts, out);
    });
}

/// What the table `name` that begins with `head` seems to hold: `{draft, columns, rows}`.
///
/// # Errors
/// Where there is no table.
#[cfg(feature = "records")]
#[wasm_bindgen]
pub fn sketch(name: &str, head: &[u8]) -> Answer<String> {
    let sketch = Sketch::of(name, head).map_err(|d| fault::told(&d))?;
    Ok(serde_json::to_string(&sketch).unwrap_or_default())
}

/// The fit file of a draft, which is JSON.
///
/// # Errors
/// Where it is no draft.
#[cfg(feature = "records")]
#[wasm_bindgen]
pub fn fit_file(draft: &str) -> Answer<String> {
    let draft: Draft = serde_json::from_str(draft).map_err(|e| {
        fault::told(&Diagnostic::new(format!("this is no draft of a fit file: {e}")))
    })?;
    Ok(draft.to_toml())
}
