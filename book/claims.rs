//! The page "Claims and their tests": each claim stands on the page that it names, and what keeps it exists.
//! And two lists that stand in two places: the literature, and the oldest version of Rust.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A text as it reads: links by their words, no marks, single spaces.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        out += before;
        rest = after.split_once(')').map_or("", |(_, behind)| behind);
    }
    out += rest;
    let out: String = out.chars().filter(|c| !matches!(c, '*' | '`' | '[' | ']' | '\\')).collect();
    let words = out.split_whitespace().filter(|w| *w != ">" && *w != "|");
    words.collect::<Vec<_>>().join(" ")
}

/// Whether the pieces of a claim, which a `…` divides, stand in a text in this order.
fn stands(claim: &str, text: &str) -> bool {
    let mut rest = text;
    claim.split('…').map(str::trim).all(|piece| match rest.find(piece) {
        Some(at) => {
            rest = &rest[at + piece.len()..];
            true
        }
        None => false,
    })
}

/// The rows of the tables whose header begins with `claim`: claim, where, kept by.
fn claims(page: &str) -> Vec<[String; 3]> {
    let mut rows = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        let cells: Vec<_> = line.trim().trim_matches('|').split(" | ").map(str::trim).collect();
        match (line.starts_with('|'), inside, cells.as_slice()) {
            (false, ..) => inside = false,
            (true, false, ["claim", ..]) => inside = true,
            (true, true, [rule, ..]) if rule.starts_with("---") => {}
            (true, true, [claim, place, kept]) => {
                rows.push([claim, place, kept].map(|c| (*c).to_owned()));
            }
            (true, true, _) => panic!("three cells are expected: {line}"),
            (true, false, _) => {}
        }
    }
    rows
}

/// What stands in backticks.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// Checks that `FILE::NAME` is a test, or that the file of another entry exists.
fn exists(entry: &str) -> Result<(), String> {
    let Some((file, name)) = entry.split_once("::") else {
        // A command is written with spaces; its file is for those who run it.
        let there = entry.contains(' ') || root().join(entry).exists();
        return if there { Ok(()) } else { Err(format!("there is no {entry}")) };
    };
    let Ok(text) = std::fs::read_to_string(root().join(file)) else {
        return Err(format!("there is no {file}"));
    };
    let head = match file.rsplit_once('.').map(|f| f.1) {
        Some("py") => format!("def {name}("),
        Some("mjs") => format!("test('{name}'"),
        _ => format!("fn {name}("),
    };
    if text.contains(&head) { Ok(()) } else { Err(format!("{file} has no test {name}")) }
}

#[test]
fn every_claim_is_on_its_page_and_its_test_exists() {
    let folder = root().join("docs");
    let rows = claims(&read(&folder.join("claims.md")));
    assert!(rows.len() > 80, "{} claims", rows.len());
    let mut faults = Vec::new();
    for [claim, place, kept] in &rows {
        let link = place.split_once("](").and_then(|(_, l)| l.split_once(')')).map(|l| l.0);
        let file = match link {
            Some(link) => folder.join(link.split('#').next().unwrap_or_default()),
            None => root().join(place.trim_matches('`')),
        };
        if !stands(&plain(claim), &plain(&read(&file))) {
            faults.push(format!("{}: does not say: {claim}", file.display()));
        }
        let by: Vec<&str> = quoted(kept).filter(|q| q.contains('/')).collect();
        if by.is_empty() && !kept.contains("](") {
            faults.push(format!("nothing keeps: {claim}"));
        }
        faults.extend(by.into_iter().filter_map(|q| exists(q).err()));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_claim_that_is_not_there_and_a_test_that_is_not_there_are_seen() {
    let page = plain("It is **never**\nwrong, as [the page](page.md) says, or `so`.");
    assert!(stands("never wrong, … says, or so.", &page));
    assert!(!stands("always wrong", &page) && !stands("or so … never", &page));
    assert!(exists("book/claims.rs::plain").is_ok());
    assert!(exists("book/claims.rs::splendid").is_err() && exists("book/claim.rs::x").is_err());
    assert!(exists("book/claims.rs").is_ok() && exists("book/claim.rs").is_err());
}

/// Sentences of the list for which a test is still to be written. It only falls.
const TO_WRITE: usize = 39;

/// The tests that the list of sentences names exist.
#[test]
fn the_tests_of_every_sentence_exist() {
    let folder = root().join("crates/stickslip-run/src/sentences");
    let files = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path());
    let texts: Vec<String> =
        files.filter(|f| f.extension().is_some_and(|e| e == "txt")).map(|f| read(&f)).collect();
    let lines = texts.iter().flat_map(|t| t.lines());
    let named: Vec<&str> = lines
        .filter_map(|l| l.strip_prefix("right: ").or_else(|| l.strip_prefix("wrong: ")))
        .flat_map(|l| l.split(", "))
        .collect();
    assert!(named.len() > 250, "{}", named.len());
    let (open, named): (Vec<&str>, Vec<&str>) = named.into_iter().partition(|n| *n == "none yet");
    let faults: Vec<String> = named
        .into_iter()
        .map(|n| if n.contains("::") { exists(n) } else { Err(format!("no test: {n}")) })
        .filter_map(Result::err)
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(open.len() <= TO_WRITE, "{} sentences lack a test", open.len());
}

/// The pages of the guide that a page links to.
fn links(page: &Path) -> Vec<PathBuf> {
    let text = read(page);
    let all = text.split("](").skip(1).filter_map(|l| l.split_once(')')).map(|l| l.0);
    let pages = all.map(|l| l.split('#').next().unwrap_or_default()).filter(|l| l.ends_with(".md"));
    pages
        .map(|l| page.with_file_name(l).canonicalize().unwrap_or_else(|e| panic!("{l}: {e}")))
        .collect()
}

#[test]
fn every_page_is_two_clicks_from_the_first() {
    let source = root().join("book/src").canonicalize().unwrap_or_default();
    let first = links(&source.join("introduction.md"));
    let second = first.iter().flat_map(|page| links(page));
    let reached: BTreeSet<PathBuf> = first.iter().cloned().chain(second).collect();
    let far: Vec<PathBuf> = links(&source.join("SUMMARY.md"))
        .into_iter()
        .filter(|page| !page.ends_with("introduction.md") && !reached.contains(page))
        .collect();
    assert!(far.is_empty(), "{far:?}");
}

/// The bold heads of a list of literature: `Shaw 1986`.
fn literature(text: &str) -> BTreeSet<String> {
    let heads = text.lines().filter_map(|l| l.strip_prefix("* **")?.split_once("**"));
    heads
        .map(|(head, _)| head.trim_end_matches('.').replace("et al.", "et al").to_owned())
        .collect()
}

#[test]
fn both_lists_of_literature_are_the_same() {
    let page = literature(&read(&root().join("book/src/explanation/references.md")));
    let file = literature(&read(&root().join("REFERENCES.md")));
    let missing: Vec<_> = file.symmetric_difference(&page).collect();
    assert!(missing.is_empty(), "in one list only: {missing:?}");
}

#[test]
fn the_oldest_rust_is_that_of_the_manifest() {
    let manifest = read(&root().join("Cargo.toml"));
    let line = manifest.lines().find_map(|l| l.strip_prefix("rust-version = ")).unwrap_or_default();
    let version = line.trim_matches('"');
    assert!(!version.is_empty());
    for page in [
        "README.md",
        "book/src/how-to/install.md",
        "book/src/reference/rust.md",
        "book/src/tutorials/first-program.md",
    ] {
        let text = plain(&read(&root().join(page)));
        assert!(text.contains(version), "{page} does not name Rust {version}");
    }
}
