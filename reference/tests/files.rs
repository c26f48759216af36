//! The files of the set are whole, and all of them are in the program.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use stickslip_file::{Document, Memory, ModelFile, Reading};
use stickslip_reference::{CASES, Grade, find};

#[test]
fn every_folder_is_a_case_of_the_program() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = fs::read_dir(here).unwrap().map(|e| e.unwrap().path());
    let found: BTreeSet<String> = folders
        .filter(|p| p.join("certified.json").is_file())
        .map(|p| p.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    let known: BTreeSet<String> = CASES.iter().map(|c| c.name.to_owned()).collect();
    assert_eq!(found, known);
    assert!(known.len() >= 40);
}

#[test]
fn the_files_of_a_case_belong_together() {
    let mut grades = Vec::new();
    for case in CASES {
        let certified = case.certified().unwrap();
        assert_eq!(certified.case, case.name);
        let document = Document::parse(case.name, case.model).unwrap();
        let model = ModelFile::read(&document, &Reading::new(Memory::default())).unwrap();
        assert_eq!(model.title.as_deref(), Some(certified.title.as_str()), "{}", case.name);
        assert_eq!(model.run.end, certified.end, "{}", case.name);
        assert!(case.statement.starts_with(&format!("# {}", certified.title)), "{}", case.name);
        assert!(!certified.unique || certified.digits == 20, "{}", case.name);
        assert!(!certified.unique || !certified.states.is_empty(), "{}", case.name);
        grades.push(certified.grade);
    }
    assert!(grades.is_sorted(), "the easy cases come first");
    for grade in [Grade::Lower, Grade::Average, Grade::Higher, Grade::Adversarial] {
        assert!(grades.iter().filter(|g| **g == grade).count() >= 10, "{grade:?}");
    }
}

#[test]
fn an_unknown_case_is_called_unknown() {
    assert_eq!(find("peer_P3").unwrap().name, "peer-p3");
    let said = find("shwa").unwrap_err().message().to_owned();
    assert!(said.contains("no case `shwa`") && said.contains("shaw"), "{said}");
}
