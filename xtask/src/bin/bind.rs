//! From the module that the compiler writes to one that a page can load, and the JavaScript that goes with it:
//! `bind MODULE FOLDER NAME` writes `NAME_bg.wasm` and `NAME.js`.

use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let bound = match arguments.as_slice() {
        [module, folder, name] => bind(module, folder, name),
        _ => Err("bind MODULE FOLDER NAME".to_owned()),
    };
    match bound {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("{what}");
            ExitCode::FAILURE
        }
    }
}

fn bind(module: &str, folder: &str, name: &str) -> Result<(), String> {
    let mut bindgen = Bindgen::new();
    let page = bindgen.input_path(module).out_name(name).web(true);
    let page = page.map_err(|e| format!("{e:#}"))?;
    // Names of functions are a tenth of the module, and nobody reads them in a browser.
    page.omit_default_module_path(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(folder)
        .map_err(|e| format!("{e:#}"))
}
