//! The guide: its files are written, its commands run, its output compared.
//!
//! The tutorials first, the others in the order of the summary, all in one folder, so that a page may use the files of those
//! before it. A fenced block whose first line is `# NAME` with a dot in it is a file. In a `console` block `$ stickslip …`
//! is run, and `# exit code N` behind it is what it must end with. The lines below it are its output, entire:
//! what is left out is a `…`, alone on a line for lines, within a line for text.

use super::sandbox::Sandbox;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src")
}

/// The pages that the summary names: the tutorials, then the others, in its order.
fn pages() -> Vec<PathBuf> {
    let summary = std::fs::read_to_string(book().join("SUMMARY.md")).unwrap();
    let links = summary.lines().filter_map(|l| l.split_once("](")?.1.strip_suffix(')'));
    let (tutorials, others): (Vec<_>, Vec<_>) = links.partition(|l| l.starts_with("tutorials/"));
    tutorials.into_iter().chain(others).map(|l| book().join(l)).collect()
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

/// A line without what only aligns its columns.
fn squeezed(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a line is the one shown, in which a `…` stands for any text.
fn is_line(line: &str, shown: &str) -> bool {
    let mut pieces = shown.split('…').map(str::trim);
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else { return rest.is_empty() };
    for piece in middle {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

/// Whether output is what is shown, in which a line `…` stands for any lines.
fn is_output(output: &[String], shown: &[String]) -> bool {
    match (output, shown) {
        (_, []) => output.is_empty(),
        (_, [gap, rest @ ..]) if gap == "…" => {
            (0..=output.len()).any(|skipped| is_output(&output[skipped..], rest))
        }
        ([line, below @ ..], [first, rest @ ..]) => is_line(line, first) && is_output(below, rest),
        ([], _) => false,
    }
}

/// Runs a command of a page; `shown` is its output there, if any is.
fn run(sandbox: &Sandbox, page: &Path, command: &str, shown: &[String]) {
    let (command, code) = command.split_once("# exit code ").unwrap_or((command, "0"));
    let args: Vec<&str> = command.split_whitespace().collect();
    let ended = sandbox.run(&args);
    let expected = code.trim().parse().ok();
    assert_eq!(ended.code, expected, "{}: {command}\n{}", page.display(), ended.stderr);
    let said = ended.stdout + &ended.stderr;
    let lines = said.lines().map(squeezed).filter(|l| !l.is_empty()).collect::<Vec<_>>();
    let kept = shown.is_empty() || is_output(&lines, shown);
    assert!(kept, "{}: {command}\nshows\n{}\nbut prints\n{said}", page.display(), shown.join("\n"));
}

/// Runs the commands of a console block; their number.
fn run_all(sandbox: &Sandbox, page: &Path, text: &str) -> usize {
    let mut commands: Vec<(&str, Vec<String>)> = Vec::new();
    for line in text.lines().filter(|l| !l.trim().is_empty()) {
        match (line.strip_prefix("$ stickslip "), commands.last_mut()) {
            (Some(command), _) => commands.push((command, Vec::new())),
            (None, Some((_, shown))) => shown.push(squeezed(line)),
            (None, None) => panic!("{}: {line}: the output of what?", page.display()),
        }
    }
    for (command, shown) in &commands {
        run(sandbox, page, command, shown);
    }
    commands.len()
}

#[test]
fn an_ellipsis_stands_for_what_is_left_out_and_nothing_else_does() {
    let lines = |s: &str| s.lines().map(squeezed).collect::<Vec<_>>();
    let output = lines("first 1 2\nsecond\nthird");
    for shown in ["first 1 2\nsecond\nthird", "first …\n…", "…\nthird", "fi… 2\n…\nth…d", "…"]
    {
        assert!(is_output(&output, &lines(shown)), "{shown}");
    }
    for shown in ["first 1\n…", "second", "first 1 2\nthird", "first 1 2\nsecond"] {
        assert!(!is_output(&output, &lines(shown)), "{shown}");
    }
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
                ("console", _) => commands += run_all(&sandbox, &page, &block),
                ("toml", Some(name)) if name.ends_with(".toml") => {
                    sandbox.write(name, &block);
                    files += 1;
                }
                // A CSV file has no comments: without its name.
                ("csv", Some(name)) => {
                    sandbox.write(name, block.split_once('\n').unwrap().1);
                    files += 1;
                }
                // Rust is compiled and run by the tests of the book, Python by those of the package.
                ("rust" | "python" | "pycon", _) => {}
                // Formulas, and what is no output of the program.
                ("math" | "text" | "sh", _) => {}
                (language, _) => panic!("{}: nobody runs a `{language}` block", page.display()),
            }
        }
    }
    assert!(commands >= 30 && files >= 9, "{commands} commands, {files} files");
}

/// Every Markdown file of the book: one level of folders.
fn files() -> Vec<PathBuf> {
    super::pages::pictures::pages(&book())
}

/// The anchors of a page: its headings as mdBook writes them, those that are alike numbered from the second on.
fn anchors(page: &str) -> Vec<String> {
    let mut code = false;
    let headings = page.lines().filter(|l| {
        code ^= l.starts_with("```");
        !code && l.starts_with('#')
    });
    let letter = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_ascii_lowercase()),
        c if c.is_whitespace() => Some('-'),
        _ => None,
    };
    let mut alike: HashMap<String, usize> = HashMap::new();
    headings
        .map(|h| {
            let own: String = h.trim_start_matches('#').trim().chars().filter_map(letter).collect();
            let before = alike.entry(own.clone()).or_default();
            *before += 1;
            if *before == 1 { own } else { format!("{own}-{}", *before - 1) }
        })
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
            if link.contains("://") {
                continue;
            }
            if !(file.is_empty() || file.ends_with(".md")) {
                assert!(page.with_file_name(file).exists(), "{}: {link}", page.display());
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

#[test]
fn links_of_the_pages_beside_the_guide_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "REFERENCES.md", "crates/README.md"]
    {
        let page = root.join(name);
        let text = std::fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1).filter_map(|s| s.split_once(')')).map(|s| s.0) {
            let file = link.split_once('#').map_or(link, |(file, _)| file);
            let there = link.contains("://") || page.with_file_name(file).exists();
            assert!(there, "{name}: {link}");
        }
    }
}
