//! Everything that a model or fit file can be asked for, by the names that commands have everywhere.

use crate::page::CONTEXT;
use crate::results::Results;
use crate::{Answer, fault, parsed, reading};
use stickslip_file::Diagnostic;
use stickslip_run::{Asked, Input, Product};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::wasm_bindgen;

/// Runs `command` on the model or fit file in `text`. `options` is JSON: the options that the command has everywhere, by
/// their names ([`Asked::read`]).
///
/// # Errors
/// Where the text or an option is wrong, or what is asked for has no answer.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
pub fn study(command: &str, text: &str, options: &str) -> Answer<Results> {
    let document = parsed(text)?;
    let reading = reading();
    let input = Input::new(&document, &reading);
    asked(command, options, &input).map(Results).map_err(|d| fault::told(&d))
}

/// The product of a command.
fn asked(command: &str, options: &str, input: &Input<'_>) -> Result<Product, Diagnostic> {
    let options = serde_json::from_str(options)
        .map_err(|e| Diagnostic::command_line(format!("the options of `{command}`: {e}")))?;
    Asked::read(command, options)?.run(input, &CONTEXT)
}
