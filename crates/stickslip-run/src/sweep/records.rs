//! Records that are put into a model in turn.

use stickslip_file::{Diagnostic, Document, Node, Remedy, Result, Value};

/// The document with each of the records in the place of every sampled file; without records the document itself.
///
/// # Errors
/// If the model has no sampled file.
pub(super) fn documents(document: &Document, records: &[String]) -> Result<Vec<Document>> {
    if records.is_empty() {
        return Ok(vec![document.clone()]);
    }
    let mut places = Vec::new();
    find(document.root(), &mut Vec::new(), &mut places);
    if places.is_empty() {
        return Err(Diagnostic::command_line(
            "records were given; the model has no sampled signal in whose place they would be put",
        )
        .with_remedy(Remedy::Omit("records"))
        .help("write a signal as `sampled = { file = \"record.csv\", time = \"t\", value = \"a_x\" }`"));
    }
    let with = |record: &String| {
        let mut document = document.clone();
        places.iter().try_for_each(|place| document.set(place, record.as_str()))?;
        Ok(document)
    };
    records.iter().map(with).collect()
}

/// Adds the paths of the keys `file` of every table `sampled`.
fn find(node: &Node, path: &mut Vec<String>, found: &mut Vec<String>) {
    match &node.value {
        Value::Table(entries) => {
            for entry in entries {
                path.push(entry.key.clone());
                let is_file =
                    entry.key == "file" && path.iter().rev().nth(1).is_some_and(|k| k == "sampled");
                if is_file {
                    found.push(path.join("."));
                }
                find(&entry.node, path, found);
                path.pop();
            }
        }
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                path.push(i.to_string());
                find(item, path, found);
                path.pop();
            }
        }
        _ => {}
    }
}
