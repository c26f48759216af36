//! The page "What each sentence means", which is made from the list of sentences.

use super::messages::{folder, sources, texts};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use stickslip_run::sentences::{Sentence, Weight, all};

const BEGIN: &str = "\
# What each sentence means

A verdict is a claim. Here is every sentence that the program prints about a model or a record: when it is printed, what to
do about it, a test in which it is right, and one in which it would be wrong and is not printed. Names in *italics* stand for
what changes. Sentences that share a condition stand together.

This page is made by `cargo xtask book` from `crates/stickslip-run/src/sentences`. The tests of the program compare what any
of its runs prints with this list, others look for the sentences in its sources, and both fail where one is missing here. Messages
about files, keys and options are on [another page](messages.md).
";

/// A text with its names in italics, safe in Markdown.
fn shown(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '{' | '}' => out.push('*'),
            '*' | '_' | '<' | '|' | '[' | ']' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}

fn tests(names: &[&str]) -> String {
    let one = |name: &&str| match name.split_once("::") {
        Some((file, name)) => format!("`{name}` ({})", file.rsplit('/').next().unwrap_or(file)),
        None => (*name).to_owned(),
    };
    names.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn weighs(weight: Weight) -> String {
    match weight {
        Weight::Worth => "is worth knowing".to_owned(),
        other => other.name().to_owned(),
    }
}

fn entry(s: &Sentence) -> String {
    let texts: Vec<String> = s.texts.iter().map(|t| format!("> {}", shown(t))).collect();
    let (right, wrong) = (tests(&s.right), tests(&s.wrong));
    let weight = s.weight.map_or(String::new(), |w| format!("\n* It {}.", weighs(w)));
    format!(
        "\n{}\n{weight}\n* When: {}.\n* What to do: {}.\n* Right in {right}; would be wrong in {wrong}.\n",
        texts.join("\n>\n"),
        shown(s.when),
        shown(s.advice)
    )
}

fn page() -> String {
    let mut page = BEGIN.to_owned();
    let mut chapter = "";
    for s in all() {
        if s.chapter != chapter {
            chapter = s.chapter;
            page += &format!("\n## {chapter}\n");
        }
        page += &entry(s);
    }
    page
}

/// Whether the page says something else than the list; it is written anew where that is asked for.
pub fn stale(folder: &Path, write: bool) -> Option<String> {
    let file = folder.join("sentences.md");
    let (now, then) = (std::fs::read_to_string(&file).unwrap_or_default(), page());
    if now == then {
        return None;
    }
    if write {
        std::fs::write(&file, then).unwrap();
        return None;
    }
    let differs = now.lines().zip(then.lines()).find(|(a, b)| a != b);
    Some(format!("sentences.md: {differs:?}"))
}

/// Where verdicts are worded.
const WORDED: [&str; 14] = [
    "stickslip-calibrate/src",
    "stickslip-run/src/export",
    "stickslip-run/src/fleet/judge.rs",
    "stickslip-run/src/fleet/compare.rs",
    "stickslip-run/src/section.rs",
    "stickslip-run/src/simulate.rs",
    "stickslip-run/src/response.rs",
    "stickslip/src/motion/warning.rs",
    "stickslip/src/model/network/posed.rs",
    "stickslip/src/scheme/stochastic/bias.rs",
    "stickslip/src/signal/noise/mod.rs",
    "stickslip/src/study/orbit/search.rs",
    "stickslip/src/study/orbit/returns.rs",
    "stickslip/src/study/orbit/self_excited.rs",
];

/// What is put into a text, and indices such as the s of f_s, which pages write in braces, are left out on both sides.
fn bare(text: &str) -> String {
    let mut out = String::new();
    let mut index = false;
    for c in text.chars() {
        index = if index { c == '\0' || c.is_alphanumeric() } else { false };
        if !index {
            out.push(c);
        }
        index |= c == '_';
    }
    out
}

fn words(text: &str) -> usize {
    let is_word = |w: &&str| w.chars().filter(|c| c.is_alphabetic()).count() > 1;
    text.split_whitespace().filter(is_word).count()
}

/// Whether all that a text says stands, in its order, in one of the listed sentences.
fn is_listed(text: &str, listed: &[String]) -> bool {
    let marks = |c: char| c.is_whitespace() || ".,;:()".contains(c);
    let parts = text.split('\0').map(|p| p.trim_matches(marks)).filter(|p| words(p) > 1);
    let parts: Vec<&str> = parts.collect();
    listed.iter().any(|sentence| {
        let mut rest = sentence.as_str();
        parts.iter().all(|part| match rest.find(part) {
            Some(at) => {
                rest = &rest[at + part.len()..];
                true
            }
            None => false,
        })
    })
}

/// Each text of four words or more in the sources in which verdicts are worded is a part of a listed sentence, or stands among
/// those that are none: captions, headings, names of columns, methods, and what errors about input say.
#[test]
fn every_text_of_the_sources_is_listed_or_is_no_verdict() {
    let mut files: Vec<PathBuf> = Vec::new();
    for place in WORDED {
        let place = folder("crates").join(place);
        if place.is_dir() { sources(&place, &mut files) } else { files.push(place) }
    }
    files.retain(|f| !f.ends_with("stickslip-calibrate/src/error.rs"));
    let braces = |text: &str| {
        let mut out = String::new();
        let mut depth = 0;
        for c in text.chars() {
            match c {
                '{' => (depth, _) = (depth + 1, out.push('\0')),
                '}' => depth -= 1,
                _ if depth == 0 => out.push(c),
                _ => {}
            }
        }
        bare(&out)
    };
    let listed: Vec<String> = all().iter().flat_map(|s| &s.texts).map(|t| braces(t)).collect();
    let of_sources = files.iter().flat_map(|f| texts(f));
    let of_sources = of_sources.map(|t| bare(&t)).filter(|t| words(t) > 3);
    let open: BTreeSet<String> = of_sources
        .filter(|t| !is_listed(t, &listed))
        .map(|t| t.replace('\0', "…").replace('\n', " ").trim().to_owned())
        .collect();
    let file = folder("crates/stickslip-cli/tests/program/pages/no_verdicts.txt");
    if std::env::var_os("STICKSLIP_WRITE_NO_VERDICTS").is_some() {
        let all: Vec<&str> = open.iter().map(String::as_str).collect();
        std::fs::write(&file, all.join("\n") + "\n").unwrap();
    }
    let known = std::fs::read_to_string(&file).unwrap();
    let known: BTreeSet<String> = known.lines().map(str::to_owned).collect();
    let new: Vec<_> = open.difference(&known).collect();
    assert!(
        new.is_empty(),
        "list these in crates/stickslip-run/src/sentences, or in no_verdicts.txt if they say nothing of a model or a record: \
         {new:#?}"
    );
    let gone: Vec<_> = known.difference(&open).collect();
    assert!(
        gone.is_empty(),
        "no source has these any more: remove them from no_verdicts.txt: {gone:#?}"
    );
}
