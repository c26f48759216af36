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

/// The heads of a list of literature, such as `Shaw 1986`; one of an earlier version stands within another entry.
fn literature(text: &str) -> BTreeSet<String> {
    let bold = text.split("**").skip(1).step_by(2);
    bold.map(|head| head.trim_end_matches('.').split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn both_lists_of_literature_are_the_same() {
    let entries = |text: &str| {
        let list = text.split_once("## ").map_or("", |(_, list)| list);
        list.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let page = entries(&read(&root().join("book/src/explanation/references.md")));
    let file = entries(&read(&root().join("REFERENCES.md")));
    assert!(page.len() > 10_000, "{} bytes", page.len());
    let same = page.chars().zip(file.chars()).take_while(|(a, b)| a == b).count();
    let after: String = page.chars().skip(same.saturating_sub(40)).take(120).collect();
    assert!(page == file, "the lists differ after: {after}");
}

/// Words in front of a year that name nobody: months, and organisations whose year is that of a conference.
const NOBODY: [&str; 18] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
    "Jan",
    "In",
    "Since",
    "ACM",
    "SIAM",
    "LuGre",
];

/// The citations in a text by the last name in front of the year: `Wit 1995`, and whether others follow the name (`et al.`).
fn citations(text: &str) -> Vec<(String, String, bool)> {
    let lines = text.lines().map(|l| l.trim_start().trim_start_matches(['/', '!', '#', '*']));
    let joined = lines.collect::<Vec<_>>().join(" ");
    let words: Vec<&str> = joined.split_whitespace().collect();
    let mut found = Vec::new();
    for (i, word) in words.iter().enumerate() {
        let year = word.trim_start_matches('(').trim_end_matches(|c: char| !c.is_ascii_digit());
        let shown = year.len() == 4 && year.bytes().all(|b| b.is_ascii_digit());
        if !shown || !("1600".."2030").contains(&year) {
            continue;
        }
        let (name, others) = match words[..i] {
            [.., name, "et", "al." | "al.," | "al"] | [.., name, "and", "others"] => (name, true),
            [.., name] => (name, false),
            [] => continue,
        };
        let name = name.trim_start_matches(|c: char| !c.is_alphabetic()).trim_end_matches(',');
        let name = name.trim_end_matches("'s").trim_end_matches("’s");
        let like_a_name = name.chars().next().is_some_and(char::is_uppercase)
            && name.chars().count() > 1
            && name.chars().all(|c| c.is_alphabetic() || c == '-' || c == '’');
        if like_a_name && !NOBODY.contains(&name) {
            found.push((name.to_owned(), year.to_owned(), others));
        }
    }
    found
}

/// Whether a list has an entry for a citation: its last author, or any where only one of several is named.
fn listed(heads: &BTreeSet<String>, (name, year, others): &(String, String, bool)) -> bool {
    heads.iter().any(|head| {
        let Some((authors, of)) = head.rsplit_once(' ') else { return false };
        let mut all = authors.split([' ', ',']).filter(|a| !a.is_empty() && !a.starts_with("al"));
        let last = authors.trim_end_matches(" et al.").split([' ', ',']).next_back();
        of == year && if *others { all.any(|a| a == name) } else { last == Some(name) }
    })
}

/// The texts below a folder in which literature is cited.
fn texts(folder: &Path, all: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for path in entries.map(|e| e.unwrap().path()) {
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let read = ["rs", "py", "pyi", "md", "js", "mjs", "c", "toml", "txt", "ipynb"];
        if path.is_dir() {
            if !matches!(name, "target" | "node_modules" | "vendor" | "data") {
                texts(&path, all);
            }
        } else if path.extension().and_then(|e| e.to_str()).is_some_and(|e| read.contains(&e)) {
            all.push(path);
        }
    }
}

#[test]
fn every_citation_has_its_entry() {
    let heads = literature(&read(&root().join("REFERENCES.md")));
    let mut all = Vec::new();
    for folder in [
        "benches",
        "book",
        "crates",
        "docs",
        "examples",
        "fuzz",
        "reference",
        "tools",
        "web",
        "xtask",
    ] {
        texts(&root().join(folder), &mut all);
    }
    let mut faults = BTreeSet::new();
    let mut found = BTreeSet::new();
    // The list itself, and the examples of the next test.
    let own = |p: &&PathBuf| !p.ends_with("explanation/references.md") && !p.ends_with("claims.rs");
    for path in all.iter().filter(own) {
        for citation in citations(&read(path)) {
            if !listed(&heads, &citation) {
                faults.insert(format!("{}: {} {}", path.display(), citation.0, citation.1));
            }
            found.insert(citation);
        }
    }
    assert!(found.len() > 130, "{} works are cited", found.len());
    assert!(faults.is_empty(), "not in REFERENCES.md:\n{}", Vec::from_iter(faults).join("\n"));
}

#[test]
fn a_citation_without_an_entry_is_seen() {
    let text = "/// of slip (Shaw 1986; Canudas de\n/// Wit et al. 1995, eq. 3), by Cooley and Tukey\n//! (1965)";
    let cited: Vec<String> =
        citations(text).iter().map(|c| format!("{} {} {}", c.0, c.1, c.2)).collect();
    assert_eq!(cited, ["Shaw 1986 false", "Wit 1995 true", "Tukey 1965 false"]);
    let heads = literature(
        "* **Shaw 1986.** A.\n* **Canudas de Wit, Olsson 1995.** B.\n* **Cooley, Tukey 1965.** C.",
    );
    assert!(citations(text).iter().all(|c| listed(&heads, c)));
    for head in &heads {
        let mut fewer = heads.clone();
        fewer.remove(head);
        assert_eq!(citations(text).iter().filter(|c| !listed(&fewer, c)).count(), 1, "{head}");
    }
    // Another year, another last author, and words that name nobody.
    assert!(citations("Shaw 1985, Shaw and Holmes 1986").iter().all(|c| !listed(&heads, c)));
    assert!(citations("In 2013, on 8 May 2013, 2,400 of 1986").is_empty());
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
