//! No test is forgotten: every file below `tests/` of every crate of the workspace is part of a test program.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// All files of Rust below a folder.
fn files(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.insert(path);
        }
    }
}

/// The files that a file declares as modules, and theirs.
fn modules(file: &Path, found: &mut BTreeSet<PathBuf>) {
    found.insert(file.to_path_buf());
    let is_root = file.file_name().is_some_and(|n| n == "main.rs" || n == "mod.rs");
    let folder = if is_root { file.parent().unwrap().into() } else { file.with_extension("") };
    let mut path = None;
    for line in std::fs::read_to_string(file).unwrap().lines() {
        let line = line.trim().trim_start_matches("pub ");
        if let Some(rest) = line.strip_prefix("#[path = \"") {
            path = rest.strip_suffix("\"]").map(str::to_owned);
            continue;
        }
        let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) else {
            continue;
        };
        if let Some(elsewhere) = path.take() {
            // It stands in the folder of another program, which reaches it too.
            assert!(folder.join(&elsewhere).exists(), "{elsewhere}");
            continue;
        }
        let flat = folder.join(name).with_extension("rs");
        modules(&if flat.exists() { flat } else { folder.join(name).join("mod.rs") }, found);
    }
}

#[test]
fn every_file_is_a_module() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut forgotten = BTreeSet::new();
    for entry in std::fs::read_dir(crates).unwrap() {
        let root = entry.unwrap().path();
        let tests = root.join("tests");
        let Ok(manifest) = std::fs::read_to_string(root.join("Cargo.toml")) else { continue };
        if !tests.exists() {
            continue;
        }
        let (mut all, mut reached) = (BTreeSet::new(), BTreeSet::new());
        files(&tests, &mut all);
        let joined = manifest.contains("autotests = false");
        for file in &all {
            // Cargo finds programs by itself where it is not told otherwise.
            let depth = file.strip_prefix(&tests).unwrap().components().count();
            let is_main = file.file_name().is_some_and(|n| n == "main.rs");
            if is_main && depth <= 2 || depth == 1 && !joined {
                modules(file, &mut reached);
            }
        }
        forgotten.extend(all.difference(&reached).cloned());
    }
    assert!(forgotten.is_empty(), "not part of any test program: {forgotten:?}");
}
