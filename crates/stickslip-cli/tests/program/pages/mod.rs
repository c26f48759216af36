//! The reference pages of the guide: their tables are what the program itself says.
//!
//! A table below one of these comments is made from the program:
//!
//! * `<!-- keys: NAME … -->` keys of a file, with unit, default and range, as the reader's own errors and
//!   resolved files give them;
//! * `<!-- schemes -->` the schemes of each kind of model;
//! * `<!-- commands -->` and `<!-- options: COMMAND -->` what `--help` prints;
//! * `<!-- columns: NAME … -->` the columns of tables of results, with their units.
//!
//! Only the meaning of a key or column, the last cell of its row, is written by hand and kept. A test compares
//! the pages with what would be made; with `STICKSLIP_WRITE_BOOK` set it writes them (`cargo xtask book`).

mod columns;
mod keys;
mod messages;
mod options;
pub mod pictures;
mod runs;
mod sentences;

use std::collections::HashMap;
use std::path::Path;

/// What stands where nobody has written a meaning yet.
const TO_WRITE: &str = "(to be written)";

/// A row of a table: its first cell, and those that the program gives.
pub struct Row {
    pub name: String,
    pub cells: Vec<String>,
}

/// A table that the program gives.
pub struct Made {
    pub header: &'static [&'static str],
    pub rows: Vec<Row>,
    /// Whether a last cell of each row is written by hand.
    pub meanings: bool,
}

/// The rows of a table as they stand on the page, by their first cells.
pub type Written = HashMap<String, Vec<String>>;

fn make(kind: &str, names: &[&str], written: &Written) -> Made {
    match kind {
        "keys" => keys::table(names, written),
        "schemes" => keys::schemes(),
        "commands" => options::commands(),
        "options" => options::table(names),
        "columns" => columns::table(names),
        _ => panic!("nobody makes a table of {kind}"),
    }
}

/// The cells of a row; a bar within a cell is written `\|`.
fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
    let inner = inner.replace("\\|", "\u{1}");
    inner.split('|').map(|c| c.trim().replace('\u{1}', "\\|")).collect()
}

/// `<!-- KIND: NAMES -->`.
fn marker(line: &str) -> Option<(&str, Vec<&str>)> {
    let inner = line.trim().strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    let (kind, names) = inner.split_once(':').unwrap_or((inner, ""));
    Some((kind, names.split_whitespace().collect()))
}

/// The page with its tables made anew.
fn renewed(page: &str) -> String {
    let mut out = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        out += line;
        out.push('\n');
        // `drawn by` stands above a picture.
        let Some((kind, names)) = marker(line).filter(|m| m.0 != "drawn by") else { continue };
        let mut written = Written::new();
        while lines.peek().is_some_and(|l| l.is_empty()) {
            lines.next();
        }
        while lines.peek().is_some_and(|l| l.starts_with('|')) {
            let row = cells(lines.next().unwrap());
            let known = row.last().is_some_and(|last| last != TO_WRITE);
            if let ([name, rest @ ..], true) = (row.as_slice(), known) {
                written.insert(name.trim_matches('`').to_owned(), rest.to_vec());
            }
        }
        out += "\n";
        out += &text(&make(kind, &names, &written), &written);
        // A table that was not there yet took the only empty line before what follows.
        if lines.peek().is_some_and(|l| !l.is_empty()) {
            out.push('\n');
        }
    }
    out
}

fn text(made: &Made, written: &Written) -> String {
    let bars = |cells: &[&str]| format!("| {} |\n", cells.join(" | "));
    let mut header = made.header.to_vec();
    header.extend(made.meanings.then_some("meaning"));
    let mut out = bars(&header) + "|" + &"---|".repeat(header.len()) + "\n";
    for Row { name, cells } in &made.rows {
        let shown = format!("`{name}`");
        let mut row = vec![shown.as_str()];
        row.extend(cells.iter().map(String::as_str));
        if made.meanings {
            let meaning = written.get(name).and_then(|w| w.last()).map(String::as_str);
            row.push(meaning.unwrap_or(TO_WRITE));
        }
        out += &bars(&row);
    }
    out
}

#[test]
fn the_reference_says_what_the_program_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/reference");
    let write = std::env::var_os("STICKSLIP_WRITE_BOOK").is_some();
    let mut wrong = Vec::new();
    for name in [
        "model-file.md",
        "fit-file.md",
        "command-line.md",
        "output-files.md",
        "../explanation/ill-posed-impacts.md",
    ] {
        let page = folder.join(name);
        let now = std::fs::read_to_string(&page).unwrap();
        let then = renewed(&now);
        if write && then != now {
            std::fs::write(&page, &then).unwrap();
        }
        let differs = |(a, b): (&str, &str)| (a != b).then(|| format!("{name}:\n- {a}\n+ {b}"));
        wrong.extend(now.lines().zip(then.lines()).find_map(differs).filter(|_| !write));
        wrong.extend(then.lines().filter(|l| l.contains(TO_WRITE)).map(|l| format!("{name}: {l}")));
    }
    wrong.extend(sentences::stale(&folder, write));
    let wrong = wrong.join("\n");
    assert!(wrong.is_empty(), "`cargo xtask book` writes the reference anew\n{wrong}");
}

#[test]
fn every_command_has_a_section() {
    let page =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/reference/command-line.md");
    let page = std::fs::read_to_string(page).unwrap();
    let headings: Vec<&str> = page.lines().filter_map(|l| l.strip_prefix("## ")).collect();
    for command in options::commands().rows {
        let name = command.name.trim_start_matches("stickslip ").to_owned();
        let has = headings.iter().any(|h| h.split(' ').any(|word| word == name));
        assert!(has, "no section for `{name}`");
    }
}

#[test]
fn every_scheme_has_a_row() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/reference/schemes.md");
    let page = std::fs::read_to_string(page).unwrap();
    for name in stickslip_file::model::scheme_names() {
        let has = |line: &str| line.starts_with('|') && line.contains(&format!("`{name}`"));
        assert!(page.lines().any(has), "`{name}`");
    }
}
