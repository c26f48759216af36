//! A model file as a text again, with other names of files in it.

use stickslip_file::{Entry, Node, Value};

/// The text of a document. `file` says what a file that is named in it is called.
pub fn text(root: &Node, file: &mut impl FnMut(&str) -> String) -> String {
    let mut out = String::new();
    table(root, "", file, &mut out);
    out
}

/// Whether a value has headers of its own: a table, or a list of tables.
fn is_below(node: &Node) -> bool {
    match &node.value {
        Value::Table(_) => true,
        Value::Array(items) => {
            !items.is_empty() && items.iter().all(|i| matches!(i.value, Value::Table(_)))
        }
        _ => false,
    }
}

fn table(node: &Node, path: &str, file: &mut impl FnMut(&str) -> String, out: &mut String) {
    let Value::Table(entries) = &node.value else { return };
    for e in entries.iter().filter(|e| !is_below(&e.node)) {
        let value = match &e.node.value {
            Value::Text(name) if e.key == "file" => quoted(&file(name)),
            value => inline(value),
        };
        out.push_str(&format!("{} = {value}\n", key(&e.key)));
    }
    for Entry { key: name, node, .. } in entries.iter().filter(|e| is_below(&e.node)) {
        let path = if path.is_empty() { key(name) } else { format!("{path}.{}", key(name)) };
        match &node.value {
            Value::Array(items) => items.iter().for_each(|item| {
                out.push_str(&format!("\n[[{path}]]\n"));
                table(item, &path, file, out);
            }),
            _ => {
                out.push_str(&format!("\n[{path}]\n"));
                table(node, &path, file, out);
            }
        }
    }
}

/// A value on one line.
fn inline(value: &Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::Number { whole: Some(i), .. } => i.to_string(),
        Value::Number { number, .. } => format!("{number:?}"),
        Value::Text(text) => quoted(text),
        Value::Time(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|i| inline(&i.value)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Table(entries) => {
            let pair = |e: &Entry| format!("{} = {}", key(&e.key), inline(&e.node.value));
            format!("{{ {} }}", entries.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
    }
}

fn key(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(plain) { name.to_owned() } else { quoted(name) }
}

/// A basic string of TOML, which JSON's strings are too.
fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}
