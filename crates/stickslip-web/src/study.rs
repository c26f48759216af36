//! Everything that a model or fit file can be asked for, by the names that commands have everywhere.

#[cfg(feature = "calibrations")]
use crate::page::CONTEXT;
use crate::results::Results;
use crate::{Answer, fault, parsed, reading};
use stickslip_file::Diagnostic;
#[cfg(feature = "calibrations")]
use stickslip_run as run;
use stickslip_run::{Input, Product};
use wasm_bindgen::prelude::wasm_bindgen;

/// Runs `command` on the model or fit file in `text`. `options` is JSON: `from` and `to` (paths of an ensemble),
/// `periods`, `key`, `low`, `high`, `count` (a response), `x` and `v` (basins: `[from, to, count]`), `limit`.
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
    #[cfg(feature = "calibrations")]
    if command == "calibrate" {
        return run::calibrate(&run::Calibrate::default(), input, &CONTEXT);
    }
    #[cfg(feature = "studies")]
    if let Some(found) = crate::moving::asked(command, options, input) {
        return found;
    }
    // A module that has no studies of motions takes no options.
    let _ = (options, input);
    Err(Diagnostic::command_line(format!("`{command}` is no study of this module")))
}
