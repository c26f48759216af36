//! The guide: its files are written, its commands run, its output compared.
//!
//! In order of the summary and in one folder, so that a page may use the files of those before it. A
//! fenced block whose first line is `# NAME` with a dot in it is a file. In a `console` block `$ stickslip …`
//! is run, `# exit code N` behind it is what it must end with, and every other line must be in its output.

use super::sandbox::Sandbox;
use std::path::{Path, PathBuf};

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src")
}

/// The pages that the summary names, in order.
fn pages() -> Vec<PathBuf> {
    let summary = std::fs::read_to_string(book().join("SUMMARY.md")).unwrap();
    let links = summary.lines().filter_map(|l| l.split_once("](")?.1.strip_suffix(')'));
    links.map(|l| book().join(l)).collect()
}

/// (language, text) of the fenced blocks of a page.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match (line.strip_prefix("```"), inside) {
            (Some(language), false) => {
                out.push((language.trim().to_owned(), String::new()));
                inside = true;
            }
            (Some(_), true) => inside = false,
            (None, true) => {
                if let Some((_, text)) = out.last_mut() {
                    text.push_str(line);
                    text.push('\n');
                }
            }
            (None, false) => {}
        }
    }
    assert!(!inside, "a block is not closed");
    out
}

fn run(sandbox: &Sandbox, page: &Path, text: &str) -> usize {
    let mut said = String::new();
    let mut commands = 0;
    for line in text.lines().filter(|l| !l.trim().is_empty()) {
        let Some(command) = line.strip_prefix("$ stickslip ") else {
            let squeezed = |s: &str| s.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(
                squeezed(&said).contains(&squeezed(line)),
                "{}: `{line}` is not in\n{said}",
                page.display()
            );
            continue;
        };
        let (command, code) = command.split_once("# exit code ").unwrap_or((command, "0"));
        let args: Vec<&str> = command.split_whitespace().collect();
        let ended = sandbox.run(&args);
        let expected = code.trim().parse().ok();
        assert_eq!(ended.code, expected, "{}: {line}\n{}", page.display(), ended.stderr);
        said = ended.stdout + &ended.stderr;
        commands += 1;
    }
    commands
}

#[test]
fn every_listing_of_the_guide_runs() {
    let sandbox = Sandbox::new();
    let (mut commands, mut files) = (0, 0);
    for page in pages() {
        let text =
            std::fs::read_to_string(&page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
        for (language, block) in blocks(&text) {
            let name = block.lines().next().and_then(|l| l.strip_prefix("# "));
            match (language.as_str(), name) {
                ("console", _) => commands += run(&sandbox, &page, &block),
                ("toml", Some(name)) if name.ends_with(".toml") => {
                    sandbox.write(name, &block);
                    files += 1;
                }
                // A CSV file has no comments: without its name.
                ("csv", Some(name)) => {
                    sandbox.write(name, block.split_once('\n').unwrap().1);
                    files += 1;
                }
                // Rust is compiled and run by the tests of the libraries' documentation.
                // Python by those of the Python package.
                ("rust" | "python" | "pycon" | "text" | "sh", _) => {}
                (language, _) => panic!("{}: nobody runs a `{language}` block", page.display()),
            }
        }
    }
    assert!(commands >= 30 && files >= 9, "{commands} commands, {files} files");
}

/// Every Markdown file of the book: one level of folders.
fn files() -> Vec<PathBuf> {
    let entries = |folder: PathBuf| std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let (folders, pages): (Vec<_>, Vec<_>) = entries(book()).partition(|p| p.is_dir());
    let inner = folders.into_iter().flat_map(entries);
    pages.into_iter().chain(inner).filter(|p| p.extension().is_some_and(|e| e == "md")).collect()
}

/// The anchors of a page: its headings as mdBook writes them.
fn anchors(page: &str) -> Vec<String> {
    let headings = page.lines().filter(|l| l.starts_with('#'));
    let letter = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_ascii_lowercase()),
        c if c.is_whitespace() => Some('-'),
        _ => None,
    };
    headings
        .map(|h| h.trim_start_matches('#').trim().chars().filter_map(letter).collect())
        .collect()
}

#[test]
fn every_page_is_in_the_summary_and_every_link_leads_somewhere() {
    let mut there = files();
    let mut named = pages();
    named.push(book().join("SUMMARY.md"));
    there.sort();
    named.sort();
    assert_eq!(there, named);
    for page in there {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1).filter_map(|s| s.split_once(')')).map(|s| s.0) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            if link.contains("://") || !(file.is_empty() || file.ends_with(".md")) {
                continue;
            }
            let target = if file.is_empty() { page.clone() } else { page.with_file_name(file) };
            let found = std::fs::read_to_string(&target)
                .unwrap_or_else(|e| panic!("{}: {link}: {e}", page.display()));
            let known = anchor.is_empty() || anchors(&found).iter().any(|a| a == anchor);
            assert!(known, "{}: {link}: there is no such heading", page.display());
        }
    }
}
