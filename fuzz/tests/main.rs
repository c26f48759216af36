//! Every target on its corpus, on changes of it (the same ones every time), and on inputs that an earlier version did not
//! survive.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use stickslip_fuzz::{Random, TARGETS, Target, check_model, corpus};

/// Changes of each target, unless `STICKSLIP_FUZZ` says otherwise.
fn count(target: &Target) -> u64 {
    let usual = match target.name {
        "solve" => 150,
        "calibrate" => 20,
        "partial" => 200,
        "parquet" => 500,
        "fmu" => 60,
        _ => 1000,
    };
    std::env::var("STICKSLIP_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Shows the input that a target does not survive.
fn survives(target: &Target, input: &[u8]) {
    if catch_unwind(AssertUnwindSafe(|| (target.run)(input))).is_err() {
        panic!("{} does not survive:\n{}", target.name, String::from_utf8_lossy(input));
    }
}

/// Where inputs lie that an earlier version did not survive, in a folder for each target.
fn found() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("found")
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn fuzz(name: &str) {
    let target = TARGETS.iter().find(|t| t.name == name).expect("a target");
    for input in entries(&found().join(name)) {
        survives(target, &std::fs::read(&input).expect("it can be read"));
    }
    let inputs = corpus(name);
    assert!(inputs.iter().all(|i| !i.is_empty()));
    inputs.iter().for_each(|input| survives(target, input));
    for seed in 0..count(target) {
        let mut random = Random::new(seed);
        let n = seed as usize;
        let (one, other) = (&inputs[n % inputs.len()], &inputs[(n / inputs.len()) % inputs.len()]);
        survives(target, &random.changed(one, other));
    }
}

#[test]
fn models() {
    fuzz("model");
}

#[test]
fn solutions() {
    fuzz("solve");
}

#[test]
fn fits() {
    fuzz("fit");
}

#[test]
fn tables() {
    fuzz("table");
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_tables() {
    assert_eq!(corpus("parquet").len(), 2);
    fuzz("parquet");
}

#[test]
fn models_in_fmus() {
    fuzz("fmu");
}

#[test]
fn calibrations() {
    fuzz("calibrate");
}

#[test]
fn partial_results() {
    fuzz("partial");
}

/// A folder of `found` that no target has the name of would not be read.
#[test]
fn what_was_found_belongs_to_a_target() {
    // Parquet is read with the feature of that name only.
    let known = |name: &str| name == "parquet" || TARGETS.iter().any(|t| t.name == name);
    let mut folders = entries(&found()).into_iter();
    assert!(folders.all(|f| f.file_name().and_then(|n| n.to_str()).is_some_and(known)));
}

/// Changes of what is refused anyhow would find little.
#[test]
fn the_corpus_is_in_order() {
    let mut refused: Vec<String> =
        corpus("solve").iter().filter_map(|m| check_model(m).err()).collect();
    // Templates of other commands are in it too.
    refused.retain(|why| !why.contains("fit file") && !why.contains("more than one solution"));
    assert!(refused.is_empty(), "{refused:#?}");
}
