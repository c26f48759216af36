//! Arrows point downward only: between the crates of the workspace, between the rooms of this one, and no files of
//! a crate go round in a circle.
//!
//! What is read are `use` declarations and paths that begin with `crate` or `super`, tests and comments aside. A
//! file and the files of its own folder (`mod.rs` and what it declares) count as one thing in several files.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms of the core from the ground up: each uses itself and what stands before it.
const ROOMS: [&str; 19] = [
    "error",
    "instructions",
    "interrupt",
    "threads",
    "portable",
    "roots",
    "grid",
    "numeric",
    "signal",
    "onestep",
    "hysteresis",
    "law",
    "motion",
    "model",
    "scheme",
    "solution",
    "lanes",
    "study",
    "lib",
];

/// The rooms of the calibration; `bearing` is what stands in its folder and in no room of its own.
const ROOMS_OF_CALIBRATE: [&str; 11] = [
    "error",
    "control",
    "parallel",
    "statistics",
    "record",
    "bearing/search",
    "bearing/intervals",
    "bearing",
    "models",
    "experiments",
    "lib",
];

/// The crates from the ground up, and what each may use of the others.
const CRATES: [(&str, &[&str]); 13] = [
    ("stickslip", &[]),
    ("stickslip-calibrate", &["stickslip"]),
    ("stickslip-certify", &["stickslip"]),
    ("stickslip-report", &[]),
    ("stickslip-parquet", &[]),
    ("stickslip-file", &["stickslip", "stickslip-calibrate", "stickslip-parquet"]),
    (
        "stickslip-run",
        &[
            "stickslip",
            "stickslip-calibrate",
            "stickslip-certify",
            "stickslip-report",
            "stickslip-file",
        ],
    ),
    ("stickslip-reference", &["stickslip", "stickslip-file", "stickslip-run"]),
    (
        "stickslip-gallery",
        &[
            "stickslip",
            "stickslip-calibrate",
            "stickslip-report",
            "stickslip-file",
            "stickslip-run",
        ],
    ),
    (
        "stickslip-cli",
        &[
            "stickslip",
            "stickslip-calibrate",
            "stickslip-file",
            "stickslip-run",
            "stickslip-reference",
            "stickslip-gallery",
        ],
    ),
    (
        "stickslip-python",
        &[
            "stickslip",
            "stickslip-calibrate",
            "stickslip-file",
            "stickslip-run",
            "stickslip-reference",
            "stickslip-cli",
        ],
    ),
    ("stickslip-web", &["stickslip", "stickslip-file", "stickslip-run"]),
    ("stickslip-fmi", &["stickslip", "stickslip-file"]),
];

/// What the file of a module says.
#[derive(Debug, Default)]
struct Module {
    /// Names that the file passes on: name → path.
    passed_on: BTreeMap<String, Vec<String>>,
    /// Paths that the file uses.
    used: Vec<Vec<String>>,
}

/// The modules of a crate by their paths.
type Modules = BTreeMap<Vec<String>, Module>;

/// The text without comments, strings and tests.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let mut out = String::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        for (i, part) in line.split('"').enumerate() {
            if i % 2 == 0 {
                out.push_str(part);
            }
        }
        out.push('\n');
    }
    out
}

/// The paths of a `use` tree: `a::{b, c::d as e}` → a::b and a::c::d, with the names they get.
fn leaves(tree: &str, prefix: &[String], out: &mut Vec<(Vec<String>, String)>) {
    let tree = tree.trim();
    if let Some((head, rest)) = tree.split_once('{') {
        let mut prefix = prefix.to_vec();
        prefix.extend(head.split("::").map(str::trim).filter(|s| !s.is_empty()).map(str::to_owned));
        let inner = rest.trim_end().strip_suffix('}').unwrap_or(rest);
        let (mut depth, mut from) = (0, 0);
        for (i, c) in inner.char_indices().chain([(inner.len(), ',')]) {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    let part = inner.get(from..i).unwrap_or_default();
                    if !part.trim().is_empty() {
                        leaves(part, &prefix, out);
                    }
                    from = i + 1;
                }
                _ => {}
            }
        }
        return;
    }
    let (path, name) = tree.split_once(" as ").map_or((tree, None), |(p, n)| (p, Some(n)));
    let mut all = prefix.to_vec();
    all.extend(path.split("::").map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()));
    if all.last().is_some_and(|s| s == "self") {
        all.pop();
    }
    let last = all.last().cloned().unwrap_or_default();
    out.push((all, name.map_or(last, |n| n.trim().to_owned())));
}

/// Reads one file.
fn module(file: &Path) -> Module {
    let text = code(&fs::read_to_string(file).expect("a file"));
    let mut module = Module::default();
    let mut rest = text.as_str();
    // Declarations with `use` end with a semicolon.
    let mut body = String::new();
    while let Some(at) = rest.find("use ") {
        let before = rest.get(..at).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        let is_use = line.trim().is_empty() || line.trim_start().starts_with("pub");
        body.push_str(before);
        let after = rest.get(at + 4..).unwrap_or_default();
        let end = after.find(';').unwrap_or(0);
        if is_use {
            let mut all = Vec::new();
            leaves(after.get(..end).unwrap_or_default(), &[], &mut all);
            for (path, name) in all {
                if line.trim_start().starts_with("pub") {
                    module.passed_on.insert(name, path);
                } else {
                    module.used.push(path);
                }
            }
            rest = after.get(end..).unwrap_or_default();
        } else {
            rest = after;
        }
    }
    body.push_str(rest);
    for start in ["crate::", "super::"] {
        for (at, _) in body.match_indices(start) {
            let path = body.get(at..).unwrap_or_default();
            let path: String = path
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_' || *c == ':')
                .collect();
            let path = path.trim_end_matches(':');
            module.used.push(path.split("::").map(str::to_owned).collect());
        }
    }
    module
}

/// All modules below `folder`, the module `path`.
fn read(folder: &Path, path: &[String], out: &mut Modules) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|e| e.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        let stem = entry.file_stem().unwrap().to_string_lossy().into_owned();
        let mut inner = path.to_vec();
        if entry.is_dir() {
            inner.push(stem);
            read(&entry, &inner, out);
        } else if stem != "tests" && entry.extension().is_some_and(|e| e == "rs") {
            if !["mod", "lib", "main"].contains(&stem.as_str()) {
                inner.push(stem);
            }
            out.insert(inner, module(&entry));
        }
    }
}

/// The module in which the item of a path used in module `at` is defined.
fn resolve(modules: &Modules, at: &[String], path: &[String], depth: usize) -> Option<Vec<String>> {
    let mut here = at.to_vec();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => {
            here.clear();
            rest = &rest[1..];
        }
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|s| s == "super") {
                here.pop();
                rest = &rest[1..];
            }
        }
        first => {
            let mut child = here.clone();
            child.push(first.to_owned());
            if !modules.contains_key(&child) {
                return None; // another crate
            }
        }
    }
    for (i, name) in rest.iter().enumerate() {
        let mut child = here.clone();
        child.push(name.clone());
        if modules.contains_key(&child) {
            here = child;
            continue;
        }
        let module = modules.get(&here)?;
        if let Some(on) = module.passed_on.get(name).filter(|_| depth < 8) {
            let mut path = on.clone();
            path.extend_from_slice(&rest[i + 1..]);
            return resolve(modules, &here, &path, depth + 1).or(Some(here));
        }
        break;
    }
    Some(here)
}

/// Which module uses which, those of one folder's root aside.
fn arrows(modules: &Modules) -> BTreeMap<Vec<String>, BTreeSet<Vec<String>>> {
    let one = |a: &[String], b: &[String]| a.starts_with(b) || b.starts_with(a);
    let of = |(at, module): (&Vec<String>, &Module)| {
        let used = module.used.iter().filter_map(|p| resolve(modules, at, p, 0));
        (at.clone(), used.filter(|to| !one(at, to)).collect())
    };
    modules.iter().map(of).collect()
}

fn name(path: &[String]) -> String {
    if path.is_empty() { "lib".to_owned() } else { path.join("/") }
}

/// Circles, each of which is gone without one of the others' arrows.
fn circles(mut graph: BTreeMap<Vec<String>, BTreeSet<Vec<String>>>) -> Vec<String> {
    let mut all = Vec::new();
    while let Some(way) = circle(&graph) {
        all.push(way.iter().map(|p| name(p)).collect::<Vec<_>>().join(" → "));
        if let [.., from, to] = way.as_slice() {
            graph.entry(from.clone()).or_default().remove(to);
        }
    }
    all
}

/// A circle, if there is one.
fn circle(graph: &BTreeMap<Vec<String>, BTreeSet<Vec<String>>>) -> Option<Vec<Vec<String>>> {
    fn visit<'a>(
        graph: &'a BTreeMap<Vec<String>, BTreeSet<Vec<String>>>,
        at: &'a Vec<String>,
        way: &mut Vec<&'a Vec<String>>,
        done: &mut BTreeSet<&'a Vec<String>>,
    ) -> Option<Vec<Vec<String>>> {
        if let Some(from) = way.iter().position(|w| *w == at) {
            return Some(way[from..].iter().chain([&at]).map(|p| (*p).clone()).collect());
        }
        if !done.insert(at) {
            return None;
        }
        way.push(at);
        let found = graph.get(at).into_iter().flatten().find_map(|to| visit(graph, to, way, done));
        way.pop();
        found
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|at| visit(graph, at, &mut Vec::new(), &mut done))
}

/// The folder of a crate: that of the reference set holds its cases too and stands beside the others.
fn folder(name: &str) -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    if name == "stickslip-reference" {
        crates.parent().unwrap().join("reference")
    } else {
        crates.join(name)
    }
}

fn modules_of(name: &str) -> Modules {
    let mut modules = Modules::new();
    let source = folder(name).join("src");
    if source.is_dir() {
        read(&source, &[], &mut modules);
    }
    modules
}

/// Which of the rooms a module stands in: the innermost that holds it.
fn floor(rooms: &[&str], path: &[String]) -> usize {
    (0..=path.len())
        .rev()
        .find_map(|depth| rooms.iter().position(|r| *r == name(&path[..depth])))
        .filter(|&floor| path.is_empty() || rooms[floor] != "lib")
        .unwrap_or_else(|| panic!("no such room: {}", name(path)))
}

/// The arrows of a crate that point upward between its rooms.
fn upward(modules: &Modules, rooms: &[&str]) -> Vec<String> {
    let mut upward = Vec::new();
    for (at, used) in arrows(modules) {
        for to in used.iter().filter(|to| floor(rooms, to) > floor(rooms, &at)) {
            upward.push(format!("{} → {}", name(&at), name(to)));
        }
    }
    upward
}

#[test]
fn rooms_use_only_what_stands_below_them() {
    for (crate_name, rooms) in
        [("stickslip", &ROOMS[..]), ("stickslip-calibrate", &ROOMS_OF_CALIBRATE[..])]
    {
        let modules = modules_of(crate_name);
        assert!(modules.len() > 50, "the sources of {crate_name} were not found");
        let upward = upward(&modules, rooms);
        assert!(upward.is_empty(), "{crate_name}: upward arrows:\n{}", upward.join("\n"));
    }
}

#[test]
fn no_files_go_round_in_a_circle() {
    let mut all = Vec::new();
    for (name, _) in CRATES {
        let found = circles(arrows(&modules_of(name)));
        all.extend(found.into_iter().map(|c| format!("{name}: {c}")));
    }
    assert!(all.is_empty(), "circles of files:\n{}", all.join("\n"));
}

#[test]
fn crates_use_only_what_stands_below_them() {
    for (name, may) in CRATES {
        let Ok(text) = fs::read_to_string(folder(name).join("Cargo.toml")) else { continue };
        let mut section = String::new();
        for line in text.lines() {
            if let Some(head) = line.strip_prefix('[') {
                section = head.trim_end_matches(']').to_owned();
            }
            let used = line.split(['=', '.', ' ']).next().unwrap_or_default();
            // What tests and examples use is their own affair.
            if section != "dependencies" || !used.starts_with("stickslip") {
                continue;
            }
            assert!(may.contains(&used), "{name} uses {used}; it may use {may:?}");
        }
    }
}

/// The reader itself, on small sources.
#[test]
fn a_circle_and_a_passed_on_name_are_seen() {
    let module = |used: &[&str], passed_on: &[(&str, &str)]| Module {
        used: used.iter().map(|p| p.split("::").map(str::to_owned).collect()).collect(),
        passed_on: passed_on
            .iter()
            .map(|(n, p)| ((*n).to_owned(), p.split("::").map(str::to_owned).collect()))
            .collect(),
    };
    let path = |p: &str| -> Vec<String> {
        p.split("::").filter(|s| !s.is_empty()).map(str::to_owned).collect()
    };
    let mut modules: Modules = [
        (path(""), module(&[], &[("B", "b::inner::B")])),
        (path("a"), module(&["crate::B"], &[])),
        (path("b"), module(&[], &[])),
        (path("b::inner"), module(&[], &[])),
    ]
    .into();
    let graph = arrows(&modules);
    assert!(graph[&path("a")].contains(&path("b::inner")) && circle(&graph).is_none());
    modules.insert(path("b::inner"), module(&["super::super::a::A"], &[]));
    assert_eq!(circles(arrows(&modules)), ["a → b/inner → a"]);
    // A room within a room is below it or above it, as the list says.
    assert_eq!(upward(&modules, &["a", "b/inner", "b", "lib"]), ["a → b/inner"]);
    assert_eq!(upward(&modules, &["b", "a", "lib"]), ["b/inner → a"]);
    let mut all = Vec::new();
    leaves("crate::x::{self, y::{Z, w as v}}", &[], &mut all);
    let all: Vec<(String, String)> = all.into_iter().map(|(p, n)| (p.join("::"), n)).collect();
    let expected = [("crate::x", "x"), ("crate::x::y::Z", "Z"), ("crate::x::y::w", "v")];
    assert!(all.iter().map(|(p, n)| (p.as_str(), n.as_str())).eq(expected));
}
