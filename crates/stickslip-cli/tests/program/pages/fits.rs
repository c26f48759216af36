//! Tables of the guide that come from fits: what a template gives where one number of its file is changed.
//!
//! Above such a table a comment says what makes it:
//!
//! ```text
//! <!-- fits: TEMPLATE KEY=VALUE,VALUE,… COLUMN/UNIT … -->
//! ```
//!
//! TEMPLATE is one of `stickslip new`. Each VALUE, which has no blank, is a row, each COLUMN a number of `fit.json` with its 95 %
//! interval. Fits take seconds: the test runs each night, and `cargo xtask book` writes the tables anew.

use super::super::sandbox::Sandbox;
use super::marker;
use super::pictures::pages;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// What a number in SI units is multiplied by.
fn factor(unit: &str) -> f64 {
    match unit {
        "N" => 1.0,
        "kN" => 1e-3,
        "mm" => 1e3,
        "kN/mm" => 1e-6,
        _ => panic!("a unit of no table: {unit}"),
    }
}

/// To three digits, without an exponent.
fn digits(x: f64) -> String {
    let decimals = (2 - x.abs().log10().floor() as i32).max(0) as usize;
    format!("{x:.decimals$}")
}

/// A number of a fit with its interval, or a dash where it is not known.
fn cell(fit: &Value, column: &str) -> String {
    let (name, unit) = column.split_once('/').expect("NAME/UNIT");
    let found =
        if fit["parameters"][name].is_null() { &fit[name] } else { &fit["parameters"][name] };
    let shown = |v: &Value| digits(factor(unit) * v.as_f64().unwrap());
    if found["value"].is_null() {
        return "–".to_owned();
    }
    let [low, high] = [0, 1].map(|i| shown(&found["ci95"][i]));
    format!("{} ({low} to {high})", shown(&found["value"]))
}

/// The table of a comment.
fn table(words: &[&str]) -> String {
    let [template, varied, columns @ ..] = words else { panic!("{words:?}") };
    let (key, values) = varied.split_once('=').expect("KEY=VALUES");
    let heads: Vec<String> = columns
        .iter()
        .map(|c| c.split_once('/').map(|(name, unit)| format!("`{name}`, {unit} (95 %)")).unwrap())
        .collect();
    let mut out =
        format!("| `{key}` | {} |\n|{}\n", heads.join(" | "), "---|".repeat(1 + heads.len()));
    let sandbox = Sandbox::new();
    sandbox.run(&["new", template, "made.toml"]).done();
    for value in values.split(',') {
        let set = format!("{key}={value}");
        sandbox.run(&["calibrate", "made.toml", "-q", "--set", &set, "--out", "r"]).done();
        let fit: Value = serde_json::from_str(&sandbox.read("r/fit.json")).unwrap();
        let cells: Vec<String> = columns.iter().map(|c| cell(&fit, c)).collect();
        out += &format!("| {value} | {} |\n", cells.join(" | "));
    }
    out
}

/// A page with its tables of fits made anew, and how many they are.
fn renewed(page: &str) -> (String, usize) {
    let mut out = String::new();
    let mut count = 0;
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        out += line;
        out.push('\n');
        let Some((_, words)) = marker(line).filter(|m| m.0 == "fits") else { continue };
        while lines.next_if(|l| l.is_empty() || l.starts_with('|')).is_some() {}
        out += "\n";
        out += &table(&words);
        out.push('\n');
        count += 1;
    }
    (out, count)
}

#[test]
#[ignore = "fits take a minute"]
fn tables_of_fits_are_those_of_the_program() {
    let write = std::env::var_os("STICKSLIP_WRITE_BOOK").is_some();
    let mut wrong = Vec::new();
    let mut all = 0;
    for page in pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src")) {
        let now = fs::read_to_string(&page).unwrap();
        let (then, count) = renewed(&now);
        all += count;
        if count == 0 || then.trim_end() == now.trim_end() {
            continue;
        }
        if write {
            fs::write(&page, &then).unwrap();
        } else {
            wrong.push(page.display().to_string());
        }
    }
    assert!(all > 0);
    assert!(wrong.is_empty(), "`cargo xtask book` writes them anew: {}", wrong.join("\n"));
}
