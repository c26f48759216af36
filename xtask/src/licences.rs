//! The licences of everything that is compiled in, against those that `deny.toml` allows.

use crate::shell::Outcome;
use serde_json::Value;
use std::process::Command;

const WHAT: &str = "licences of the dependencies";

/// Reads the list of packages from cargo and the list of licences from `deny.toml`.
pub fn check() -> Outcome {
    match refused() {
        Ok(refused) if refused.is_empty() => Outcome::Passed(WHAT.to_owned()),
        Ok(refused) => Outcome::Failed(format!("{WHAT}: {}", refused.join(", "))),
        Err(why) => Outcome::Failed(format!("{WHAT}: {why}")),
    }
}

/// Packages whose licence is not allowed, each with it.
fn refused() -> Result<Vec<String>, String> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let deny = std::fs::read_to_string(format!("{root}/deny.toml")).map_err(|e| e.to_string())?;
    let allowed = allowed(&deny);
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let said = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root)
        .output()
        .map_err(|e| format!("cargo cannot be run: {e}"))?;
    if !said.status.success() {
        return Err(String::from_utf8_lossy(&said.stderr).trim().to_owned());
    }
    let known: Value = serde_json::from_slice(&said.stdout).map_err(|e| e.to_string())?;
    let packages = known["packages"].as_array().cloned().unwrap_or_default();
    if packages.is_empty() {
        return Err("cargo lists no package".to_owned());
    }
    let bad = |p: &Value| {
        let licence = p["license"].as_str().unwrap_or("no licence");
        let name = p["name"].as_str().unwrap_or_default();
        (!is_allowed(licence, &allowed)).then(|| format!("{name} ({licence})"))
    };
    Ok(packages.iter().filter_map(bad).collect())
}

/// The texts of the list `allow` in the table `[licenses]`.
fn allowed(deny: &str) -> Vec<String> {
    let list = deny.split_once("allow").and_then(|(_, rest)| rest.split_once(']'));
    let list = list.map(|(list, _)| list).unwrap_or_default();
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Whether an SPDX expression can be met: `OR` (or `/`) needs one side, `AND` both.
fn is_allowed(licence: &str, allowed: &[String]) -> bool {
    let text = licence.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut at = 0;
    let met = any(&words, &mut at, allowed);
    met && at == words.len()
}

fn any(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut met = all(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        met |= all(words, at, allowed);
    }
    met
}

fn all(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut met = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        met &= one(words, at, allowed);
    }
    met
}

fn one(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let Some(word) = words.get(*at) else { return false };
    *at += 1;
    if *word == "(" {
        let met = any(words, at, allowed);
        let closed = words.get(*at) == Some(&")");
        *at += 1;
        return met && closed;
    }
    let mut name = (*word).to_owned();
    if words.get(*at) == Some(&"WITH") {
        name = [*word, "WITH", words.get(*at + 1).copied().unwrap_or_default()].join(" ");
        *at += 2;
    }
    allowed.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::{allowed, is_allowed};

    #[test]
    fn expressions_are_met_or_not() {
        let list = allowed("[licenses]\nallow = [\"MIT\", \"Unicode-3.0\", \"A WITH b\"]\n");
        assert_eq!(list, ["MIT", "Unicode-3.0", "A WITH b"]);
        for good in
            ["MIT", "GPL OR MIT", "Unlicense/MIT", "(GPL OR MIT) AND Unicode-3.0", "A WITH b"]
        {
            assert!(is_allowed(good, &list), "{good}");
        }
        for bad in ["GPL", "MIT AND GPL", "(MIT OR GPL", "A", "A WITH c", "", "no licence"] {
            assert!(!is_allowed(bad, &list), "{bad}");
        }
    }
}
