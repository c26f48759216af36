//! Warnings and errors: every message of the page is one of the program's, and every warning of the library is
//! on the page.

use std::path::{Path, PathBuf};

pub fn folder(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(below)
}

pub fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The texts in quotes of a source; what is put into them is a NUL.
pub fn texts(source: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(source).unwrap();
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let code = text.lines().filter(|l| !l.trim_start().starts_with("//"));
    let (mut all, mut inside, mut depth) = (Vec::new(), None::<String>, 0);
    let code = code.collect::<Vec<_>>().join("\n");
    let mut letters = code.chars().peekable();
    while let Some(c) = letters.next() {
        let Some(said) = &mut inside else {
            // A quote alone is a letter: '"'.
            match c {
                '\'' if letters.peek() == Some(&'"') => drop(letters.next()),
                '"' => (inside, depth) = (Some(String::new()), 0),
                _ => {}
            }
            continue;
        };
        match c {
            '"' => all.extend(inside.take()),
            '\\' => match letters.next() {
                // A line that goes on below.
                Some('\n') => while letters.next_if(|c| c.is_whitespace()).is_some() {},
                Some('n') => said.push('\n'),
                Some(escaped) => said.push(escaped),
                None => {}
            },
            '{' => {
                depth += 1;
                said.push('\0');
            }
            '}' if depth > 0 => depth -= 1,
            _ if depth == 0 => said.push(c),
            _ => {}
        }
    }
    all
}

/// The messages of the page: the first cells of its tables, with N for what is put into them.
fn messages(page: &str) -> Vec<String> {
    let rows = page.lines().filter(|l| l.starts_with("| `"));
    let cells = rows.filter_map(|l| l.split(" | ").next());
    let mut all = Vec::new();
    for cell in cells {
        // Quotes of two signs hold a message that has quotes itself.
        let (double, cell) = match cell.split_once("`` ") {
            Some((_, rest)) => (rest.split(" ``").next(), ""),
            None => (None, cell),
        };
        all.extend(double.map(str::to_owned));
        all.extend(cell.split('`').skip(1).step_by(2).map(str::to_owned));
    }
    let put_in = |m: String| {
        m.split(' ').map(|w| if w == "N" { "\0" } else { w }).collect::<Vec<_>>().join(" ")
    };
    all.into_iter().map(put_in).collect()
}

#[test]
fn messages_of_the_page_are_those_of_the_program() {
    let page = folder("book/src/reference/messages.md");
    let page = std::fs::read_to_string(page).unwrap();
    let messages = messages(&page);
    assert!(messages.len() > 80, "{messages:?}");
    let mut files = Vec::new();
    sources(&folder("crates"), &mut files);
    let said: Vec<String> = files.iter().flat_map(|f| texts(f)).collect();
    let strange: Vec<_> =
        messages.iter().filter(|m| !said.iter().any(|s| s.contains(*m))).collect();
    assert!(strange.is_empty(), "the program does not say: {strange:#?}");
    for file in ["motion/warning.rs", "error/mod.rs"] {
        for text in texts(&folder("crates/stickslip/src").join(file)) {
            // Shorter ones are parts of others.
            let told = text.len() <= 35 || messages.iter().any(|m| text.contains(m.as_str()));
            let general =
                text.starts_with("\0 is \0; expected") || text.starts_with("\0[\0] is \0");
            assert!(told || general, "{file}: no row of the page is for: {text}");
        }
    }
}
