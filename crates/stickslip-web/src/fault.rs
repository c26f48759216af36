//! Diagnostics as JSON, with remedies in the words of the page.

use serde_json::{Value, json};
use stickslip_file::{Diagnostic, FailureKind, Place, Remedy};

/// `{kind, message, help, name, line, column, from, to}`.
pub fn value(fault: &Diagnostic) -> Value {
    let kind = match fault.kind() {
        FailureKind::Input => "input",
        FailureKind::CommandLine => "options",
        FailureKind::Unsolvable => "unsolvable",
        FailureKind::Interrupted => "interrupted",
    };
    let mut all = json!({ "kind": kind, "message": fault.message(), "help": advice(fault) });
    if let Some(place) = fault.place() {
        let (line, column) = place.position();
        let [from, to] = span(place);
        all["name"] = place.source.name.as_str().into();
        all["line"] = line.into();
        all["column"] = column.into();
        all["from"] = from.into();
        all["to"] = to.into();
    }
    all
}

/// The same as text.
pub fn told(fault: &Diagnostic) -> String {
    value(fault).to_string()
}

/// Where a place begins and ends in its text, in the UTF-16 units that a page counts.
pub fn span(place: &Place) -> [usize; 2] {
    let units = |end: usize| place.source.text.get(..end).unwrap_or("").encode_utf16().count();
    [units(place.range.start), units(place.range.end)]
}

/// What to do, in the words of the page.
fn advice(fault: &Diagnostic) -> Option<String> {
    let help = fault.help_text().unwrap_or_default();
    let also =
        |more: &str| if help.is_empty() { more.to_owned() } else { format!("{help}; {more}") };
    Some(match fault.remedy() {
        None => return fault.help_text().map(str::to_owned),
        Some(Remedy::Template | Remedy::ModelTemplate) => also("pick an example to start from"),
        Some(Remedy::Calibrate) => also("open the record under Calibrate"),
        Some(Remedy::Simulate) => also("look at it under Motion"),
        Some(Remedy::Solutions) => also("look at them under Solutions"),
        Some(Remedy::Option(key)) => also(&format!("write `{key}` under [run]")),
        Some(Remedy::Replace { path, value }) => also(&format!("write {path} = {value}")),
        Some(_) => help.to_owned(),
    })
}
