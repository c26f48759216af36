//! Everything that a model or fit file can be asked for, by the names that commands have everywhere.

use crate::page::CONTEXT;
use crate::results::Results;
use crate::{Answer, fault, parsed, reading};
use stickslip_file::Diagnostic;
use stickslip_run::{self as run, Input, Product};
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

/// The product of a command.
fn asked(command: &str, options: &str, input: &Input<'_>) -> Result<Product, Diagnostic> {
    if command == "calibrate" {
        return run::calibrate(&run::Calibrate::default(), input, &CONTEXT);
    }
    let unknown = || Diagnostic::command_line(format!("`{command}` is no study of the lab"));
    crate::moving::asked(command, options, input).unwrap_or_else(|| Err(unknown()))
}
