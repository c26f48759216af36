//! Tables of the guide that come from runs of the program.
//!
//! Above such a table a comment says what makes it:
//!
//! ```text
//! <!-- runs: MODEL,… COMMAND [KEY=VALUE,VALUE,…] gives COLUMN[/UNIT] … -->
//! ```
//!
//! MODEL is what it is above a picture: a template of `stickslip new`, a listing of the page, or a file below `examples/`. There is a row
//! for each MODEL, or for each VALUE of KEY, which has no blank. COLUMN is a number of `fit.json` with its 95 % interval where COMMAND is
//! `calibrate`, and otherwise of `summary.json`, its keys and places joined by dots. `closed-form:NAME` is what theory says instead.
//!
//! With `STICKSLIP_WRITE_BOOK` set the tables are written anew (`cargo xtask book`). Fits take seconds, and are compared each night.

use super::super::sandbox::Sandbox;
use super::marker;
use super::pictures::{pages, put};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// What a number in SI units is multiplied by.
fn factor(unit: &str) -> f64 {
    match unit {
        "" | "N" => 1.0,
        "kN" => 1e-3,
        "mm" => 1e3,
        "kN/mm" => 1e-6,
        _ => panic!("a unit of no table: {unit}"),
    }
}

/// So many significant digits, without an exponent.
fn digits(x: f64, significant: i32) -> String {
    let whole = if x == 0.0 { 1 } else { x.abs().log10().floor() as i32 + 1 };
    let decimals = (significant - whole).max(0) as usize;
    format!("{x:.decimals$}")
}

/// What theory says of a model with these numbers.
fn closed_form(name: &str, model: &Value) -> f64 {
    let number = |pointer: &str| model.pointer(pointer).and_then(Value::as_f64).expect(pointer);
    match name {
        // Den Hartog 1931: √(V² − f² U²) under cos Ωt, with V = 1/(1 − Ω²) and U = tan(π/2Ω)/Ω.
        "den-hartog" => {
            let omega = number("/oscillator/force/0/harmonic/angular_frequency");
            let f = number("/oscillator/friction/coulomb/force");
            let v = 1.0 / (1.0 - omega * omega);
            let u = (std::f64::consts::FRAC_PI_2 / omega).tan() / omega;
            (v * v - (f * u).powi(2)).sqrt()
        }
        _ => panic!("no closed form is called {name}"),
    }
}

/// A number of a result: with its interval to three digits where it has one, to eight otherwise; a dash where it is not known.
fn cell(result: &Value, column: &str) -> String {
    let (name, unit) = column.split_once('/').unwrap_or((column, ""));
    if let Some(known) = name.strip_prefix("closed-form:") {
        return digits(closed_form(known, &result["model"]), 8);
    }
    let pointer = format!("/{}", name.replace('.', "/"));
    let found =
        result.pointer(&format!("/parameters{pointer}")).or_else(|| result.pointer(&pointer));
    let found = found.unwrap_or_else(|| panic!("no {name} in {result}"));
    let scaled = |v: &Value| factor(unit) * v.as_f64().unwrap();
    match found {
        Value::Object(_) if found["value"].is_null() => "–".to_owned(),
        Value::Object(_) => {
            let [low, high] = [0, 1].map(|i| digits(scaled(&found["ci95"][i]), 3));
            format!("{} ({low} to {high})", digits(scaled(&found["value"]), 3))
        }
        Value::Bool(yes) => (if *yes { "yes" } else { "no" }).to_owned(),
        Value::Number(n) if n.is_u64() => n.to_string(),
        Value::Number(_) => digits(scaled(found), 8),
        _ => panic!("{name} is no number: {found}"),
    }
}

/// The head of a column.
fn head(column: &str, command: &str) -> String {
    let (name, unit) = column.split_once('/').unwrap_or((column, ""));
    let unit = if unit.is_empty() { String::new() } else { format!(", {unit}") };
    let interval = if command == "calibrate" { " (95 %)" } else { "" };
    match name.strip_prefix("closed-form:") {
        Some(_) => "closed form".to_owned(),
        None => format!("`{name}`{unit}{interval}"),
    }
}

/// A comment above a table, in its words.
struct Runs<'a> {
    models: Vec<&'a str>,
    command: &'a str,
    /// A key, and the values that it takes one after another.
    varied: Option<(&'a str, Vec<&'a str>)>,
    columns: Vec<&'a str>,
}

impl<'a> Runs<'a> {
    fn new(words: &[&'a str]) -> Self {
        let gives = words.iter().position(|w| *w == "gives").expect("`gives`");
        let ([models, command, varied @ ..], columns) = (&words[..gives], &words[gives + 1..])
        else {
            panic!("{words:?}")
        };
        let varied = varied.first().map(|v| v.split_once('=').expect("KEY=VALUES"));
        Self {
            models: models.split(',').collect(),
            command,
            varied: varied.map(|(key, values)| (key, values.split(',').collect())),
            columns: columns.to_vec(),
        }
    }

    /// What a run gives.
    fn result(&self, page: &Path, model: &str, set: &[&str]) -> Value {
        let sandbox = Sandbox::new();
        let file = put(&sandbox, page, model);
        let run = [&[self.command, &file, "-q"], set, &["--out", "r"]].concat();
        sandbox.run(&run).done();
        let name = if self.command == "calibrate" { "r/fit.json" } else { "r/summary.json" };
        serde_json::from_str(&sandbox.read(name)).unwrap()
    }

    fn table(&self, page: &Path) -> String {
        let first = self.varied.as_ref().map_or("model".to_owned(), |(key, _)| format!("`{key}`"));
        let heads: Vec<String> = self.columns.iter().map(|c| head(c, self.command)).collect();
        let mut out = format!("| {first} | {} |\n|", heads.join(" | "));
        out += &"---|".repeat(1 + heads.len());
        out.push('\n');
        let mut row = |name: &str, result: &Value| {
            let cells: Vec<String> = self.columns.iter().map(|c| cell(result, c)).collect();
            out += &format!("| {name} | {} |\n", cells.join(" | "));
        };
        for model in &self.models {
            match &self.varied {
                None => row(&format!("`{model}`"), &self.result(page, model, &[])),
                Some((key, values)) => values.iter().for_each(|value| {
                    row(value, &self.result(page, model, &["--set", &format!("{key}={value}")]));
                }),
            }
        }
        out
    }
}

/// A page with those of its tables made anew whose command is wanted, and how many they are.
fn renewed(path: &Path, page: &str, wanted: fn(&str) -> bool) -> (String, usize) {
    let mut out = String::new();
    let mut count = 0;
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        out += line;
        out.push('\n');
        let Some((_, words)) = marker(line).filter(|m| m.0 == "runs") else { continue };
        let runs = Runs::new(&words);
        if !wanted(runs.command) {
            continue;
        }
        while lines.next_if(|l| l.is_empty() || l.starts_with('|')).is_some() {}
        out.push('\n');
        out += &runs.table(path);
        out.push('\n');
        count += 1;
    }
    (out, count)
}

/// Compares the tables of all pages, or writes them anew.
fn compare(wanted: fn(&str) -> bool) {
    let write = std::env::var_os("STICKSLIP_WRITE_BOOK").is_some();
    let mut wrong = Vec::new();
    let mut all = 0;
    for page in pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src")) {
        let now = fs::read_to_string(&page).unwrap();
        let (then, count) = renewed(&page, &now, wanted);
        all += count;
        if count == 0 || then.trim_end() == now.trim_end() {
            continue;
        }
        if write {
            fs::write(&page, &then).unwrap();
        } else {
            let differs = |(a, b): (&str, &str)| (a != b).then(|| format!("- {a}\n+ {b}"));
            let first = now.lines().zip(then.lines()).find_map(differs).unwrap_or_default();
            wrong.push(format!("{}:\n{first}", page.display()));
        }
    }
    assert!(all > 0);
    assert!(wrong.is_empty(), "`cargo xtask book` writes them anew\n{}", wrong.join("\n"));
}

#[test]
fn tables_of_runs_are_those_of_the_program() {
    compare(|command| command != "calibrate");
}

#[test]
#[ignore = "fits take a minute"]
fn tables_of_fits_are_those_of_the_program() {
    compare(|command| command == "calibrate");
}
