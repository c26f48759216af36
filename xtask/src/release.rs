//! Whether this version can be released: who publishes it is known, and all files agree on what it is.

use crate::shell::{Outcome, root};
use std::fs::read_to_string;

/// The keys of `release.toml`.
const IDENTITY: [&str; 4] = ["authors", "repository", "homepage", "doi"];

/// Manifests from which people learn authors and addresses: the file, and the keys in the words of its format.
const TOLD: [(&str, &[(&str, &str)]); 3] = [
    ("Cargo.toml", &[("repository", "repository"), ("homepage", "homepage")]),
    (
        "crates/stickslip-python/pyproject.toml",
        &[("repository", "Repository"), ("homepage", "Homepage")],
    ),
    ("CITATION.cff", &[("repository", "repository-code"), ("doi", "doi")]),
];

/// Checks the identity, the version, and that `tag`, if it is given, names this version.
pub fn check(tag: Option<&str>) -> Outcome {
    let read = |path: &str| read_to_string(root().join(path)).unwrap_or_default();
    let manifest = read("Cargo.toml");
    let version = value(&manifest, "version").unwrap_or_default();
    let mut faults = faults_of_identity(&read("release.toml"), read);
    if value(&read("CITATION.cff"), "version").as_deref() != Some(version.as_str()) {
        faults.push(format!("CITATION.cff does not say version {version}"));
    }
    let head = format!("## {version}");
    let log = read("CHANGELOG.md");
    match log.lines().find(|line| line.starts_with(&head)) {
        None => faults.push(format!("CHANGELOG.md has no section `{head}`")),
        Some(line) if line.contains("unreleased") => {
            faults.push(format!("CHANGELOG.md: `{line}`; write the day of the release there"));
        }
        Some(_) => {}
    }
    if let Some(tag) = tag
        && tag != format!("v{version}")
    {
        faults.push(format!(
            "the tag is {tag}, and the version in Cargo.toml is {version}; expected v{version}"
        ));
    }
    match faults.as_slice() {
        [] => Outcome::Passed(format!("version {version} can be released")),
        _ => Outcome::Failed(format!(
            "version {version} cannot be released yet:\n  {}",
            faults.join("\n  ")
        )),
    }
}

/// What is empty in `identity`, the text of release.toml, and where other files say something else.
fn faults_of_identity(identity: &str, read: impl Fn(&str) -> String) -> Vec<String> {
    let empty = |key: &&&str| value(identity, key).is_none_or(|v| v.is_empty());
    let mut faults: Vec<String> = IDENTITY
        .iter()
        .filter(empty)
        .map(|key| format!("release.toml: `{key}` is empty; fill it in"))
        .collect();
    for (file, keys) in TOLD {
        let text = read(file);
        for (key, name) in keys {
            let told = value(&text, name);
            match value(identity, key).filter(|v| !v.is_empty()) {
                Some(wanted) if told.as_deref() != Some(wanted.as_str()) => {
                    faults
                        .push(format!("{file}: `{name}` is not {wanted}, which release.toml says"));
                }
                None if told.is_some() => {
                    faults.push(format!(
                        "{file}: `{name}` is given, and release.toml leaves `{key}` empty"
                    ));
                }
                _ => {}
            }
        }
    }
    faults
}

/// The first value of `key` in a file of lines `key = "value"` or `key: value`, without quotes and brackets.
fn value(text: &str, key: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let rest = line.strip_prefix(key)?.trim_start();
        let rest = rest.strip_prefix('=').or_else(|| rest.strip_prefix(':'))?;
        Some(rest.trim().trim_matches(['"', '[', ']', ' ']).to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::{IDENTITY, faults_of_identity, value};

    const FILLED: &str = "authors = [\"A. Coulomb <a@example.org>\"]\nrepository = \"https://example.org/s\"\n\
                          homepage = \"https://example.org\"\ndoi = \"10.5281/zenodo.1\"\n";

    fn manifests(file: &str) -> String {
        let text = match file {
            "Cargo.toml" => {
                "repository = \"https://example.org/s\"\nhomepage = \"https://example.org\""
            }
            "CITATION.cff" => "repository-code: https://example.org/s\ndoi: 10.5281/zenodo.1",
            _ => "Repository = \"https://example.org/s\"\nHomepage = \"https://example.org\"",
        };
        text.to_owned()
    }

    #[test]
    fn an_empty_line_is_named() {
        let faults = faults_of_identity(
            "authors = []\nrepository = \"\"\nhomepage = \"\"\ndoi = \"\"\n",
            |_| String::new(),
        );
        assert_eq!(faults.len(), IDENTITY.len());
        assert!(faults[0].contains("`authors` is empty"), "{faults:?}");
    }

    #[test]
    fn files_that_agree_have_no_fault() {
        assert_eq!(faults_of_identity(FILLED, manifests), Vec::<String>::new());
    }

    #[test]
    fn another_address_in_one_file_is_named() {
        let other = |file: &str| manifests(file).replace("10.5281/zenodo.1", "10.5281/zenodo.2");
        let faults = faults_of_identity(FILLED, other);
        assert_eq!(
            faults,
            ["CITATION.cff: `doi` is not 10.5281/zenodo.1, which release.toml says"]
        );
    }

    #[test]
    fn values_are_read_without_quotes() {
        assert_eq!(value("version = \"0.1.0\"", "version").as_deref(), Some("0.1.0"));
        assert_eq!(value("version: 0.1.0", "version").as_deref(), Some("0.1.0"));
        assert_eq!(value("versions = 1", "version"), None);
    }
}
