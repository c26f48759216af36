//! Names of files with `*` and `?` in them.

use crate::diagnostic::{Diagnostic, Result};
use crate::place::Placed;
use crate::reading::Gathered;

/// Whether a name stands for several.
fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// The files that `patterns` name, in this order, those of a pattern by their names; each comes once.
pub fn files(patterns: &[Placed<String>], gathered: &Gathered) -> Result<Vec<Placed<String>>> {
    let mut all: Vec<Placed<String>> = Vec::new();
    for pattern in patterns {
        let resources = gathered.reading.resources();
        let found = if is_pattern(&pattern.value) && !resources.is_held(&pattern.value) {
            matching(pattern, gathered)?
        } else {
            vec![resources.resolve(&gathered.name, &pattern.value)]
        };
        for name in found {
            if !all.iter().any(|known| known.value == name) {
                all.push(Placed { value: name, place: pattern.place.clone() });
            }
        }
    }
    Ok(all)
}

fn matching(pattern: &Placed<String>, gathered: &Gathered) -> Result<Vec<String>> {
    let resources = gathered.reading.resources();
    let whole = resources.resolve(&gathered.name, &pattern.value);
    let (folder, last) = match whole.rsplit_once('/') {
        Some((folder, last)) => (if folder.is_empty() { "/" } else { folder }, last),
        None => ("", whole.as_str()),
    };
    if is_pattern(folder) {
        let message = format!("`{}` has `*` or `?` in the name of a folder", pattern.value);
        return Err(Diagnostic::at(&pattern.place, message)
            .help("name the folders one by one: file = [\"2023/*.csv\", \"2024/*.csv\"]"));
    }
    let listed = resources.list(folder).map_err(|e| {
        Diagnostic::at(&pattern.place, format!("the folder of `{whole}` cannot be listed: {e}"))
            .help("check the path; paths in a file are relative to the folder of that file")
    })?;
    let letters: Vec<char> = last.chars().collect();
    let name_of = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let fits = |path: &String| {
        let name: Vec<char> = name_of(path).chars().collect();
        name.first() != Some(&'.') && matches(&letters, &name)
    };
    let found: Vec<String> = listed.into_iter().filter(fits).collect();
    if found.is_empty() {
        return Err(Diagnostic::at(&pattern.place, format!("no file is called `{whole}`"))
            .help("check the path; `*` stands for any letters of a name, `?` for one"));
    }
    Ok(found)
}

/// Whether a name fits a pattern.
pub fn matches(pattern: &[char], name: &[char]) -> bool {
    let mut p = 0;
    let mut n = 0;
    let mut star = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => (p, n) = (p + 1, n + 1),
            _ => {
                // The last star takes one letter more.
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                (p, n) = (at + 1, taken + 1);
            }
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    #[test]
    fn stars_and_question_marks() {
        let matches = |pattern: &str, name: &str| {
            let letters = |s: &str| s.chars().collect::<Vec<_>>();
            super::matches(&letters(pattern), &letters(name))
        };
        for (pattern, name) in [("*.csv", "a.csv"), ("b?-*.csv", "b1-.csv"), ("*a*b", "xaayb")] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("*.csv", "a.csv.gz"), ("b?.csv", "b.csv"), ("a", "ab")] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
