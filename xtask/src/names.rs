//! The public names of the core: those that its documentation shows are those that `lib.rs` lists.

use crate::fmu::cargo;
use crate::shell::{self, Outcome, root, target};
use std::path::Path;

/// Where the list stands.
const LIST: &str = "crates/stickslip/src/lib.rs";

pub fn check() -> Outcome {
    let made = shell::run("documentation", &cargo(), &["doc", "-p", "stickslip", "--no-deps"]);
    if let Err(reason) = made {
        return Outcome::Failed(reason);
    }
    let read =
        |file: &Path| std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()));
    // Where the documentation lists what it shows.
    let all = target().join("doc").join("stickslip").join("all.html");
    let (list, shown) = match (read(&root().join(LIST)), read(&all)) {
        (Ok(list), Ok(shown)) => (listed(&list), shown_names(&shown)),
        (Err(reason), _) | (_, Err(reason)) => return Outcome::Failed(reason),
    };
    let wrong = differences(&list, &shown);
    if wrong.is_empty() {
        Outcome::Passed(format!("{} public names of the core, all of them listed", shown.len()))
    } else {
        Outcome::Failed(format!(
            "the public names of the core and the table in {LIST}:\n  {}",
            wrong.join("\n  ")
        ))
    }
}

/// The paths that stand in links of the table.
fn listed(source: &str) -> Vec<String> {
    let rows = source.lines().filter(|line| line.starts_with("//! | "));
    let links = rows.flat_map(|line| line.split("[`").skip(1));
    links
        .filter_map(|link| link.split_once('`'))
        .map(|(path, _)| path.trim_end_matches("()").to_owned())
        .collect()
}

/// The paths of everything that the documentation shows, types, functions and constants.
fn shown_names(html: &str) -> Vec<String> {
    let items = html.split("<li><a href=\"").skip(1);
    items
        .filter_map(|item| {
            // Links within the page lead to its sections.
            let (_, text) = item.split_once('>').filter(|_| !item.starts_with('#'))?;
            let (name, _) = text.split_once("</a>")?;
            Some(name.replace("<wbr>", ""))
        })
        .collect()
}

/// What is listed and not shown, shown and not listed, or listed under a name that says too little.
fn differences(listed: &[String], shown: &[String]) -> Vec<String> {
    let is = |listed: &str, shown: &str| {
        shown == listed || shown.strip_suffix(listed).is_some_and(|room| room.ends_with("::"))
    };
    let mut wrong = Vec::new();
    for name in listed {
        match shown.iter().filter(|s| is(name, s)).count() {
            0 => wrong.push(format!("{name} is listed and not public")),
            1 => {}
            _ => wrong.push(format!("{name} is listed and names several things: write its module")),
        }
    }
    for name in shown {
        if !listed.iter().any(|l| is(l, name)) {
            wrong.push(format!("{name} is public and not listed: list it, or hide it"));
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_compared() {
        let list =
            listed("//! | to | [`solve`] [`law::Curve`](x), [`study::run()`] |\n//! [`no_row`]\n");
        assert_eq!(list, ["solve", "law::Curve", "study::run"]);
        let html = r##"<ul><li><a href="#functions">Functions</a></li><li><a href="fn.solve.html">solution::solve</a></li>
            <li><a href="x.html">law::<wbr>Curve</a></li><li><a href="y.html">other::law::Curve</a></li>"##;
        let shown = shown_names(html);
        assert_eq!(shown, ["solution::solve", "law::Curve", "other::law::Curve"]);
        let wrong = differences(&list, &shown);
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(wrong[0].contains("law::Curve is listed and names several"));
        assert!(wrong[1].contains("study::run is listed and not public"));
        let wrong =
            differences(&["solve".to_owned()], &["dissolve".to_owned(), "a::solve".to_owned()]);
        assert_eq!(wrong, ["dissolve is public and not listed: list it, or hide it"]);
    }
}
