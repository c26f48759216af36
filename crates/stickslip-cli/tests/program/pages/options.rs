//! Commands and their options, as `--help` prints them.

use super::super::sandbox::Sandbox;
use super::{Made, Row};

fn help(args: &[&str]) -> String {
    Sandbox::new()
        .command(args)
        .env("COLUMNS", "10000")
        .output()
        .map_or_else(|e| panic!("{args:?}: {e}"), |o| String::from_utf8(o.stdout).unwrap())
}

/// The lines below a heading of a help, up to the next empty line before a heading.
fn section<'a>(help: &'a str, heading: &str) -> Vec<&'a str> {
    let lines = help.lines().skip_while(|l| l.trim() != heading).skip(1);
    lines.take_while(|l| l.is_empty() || l.starts_with(' ')).collect()
}

/// Names and helps: a line with a name, and perhaps more lines below it that are deeper.
fn items(lines: &[&str]) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for line in lines.iter().filter(|l| !l.trim().is_empty()) {
        let depth = line.len() - line.trim_start().len();
        let line = line.trim();
        let begins = depth <= 2 || (depth <= 6 && line.starts_with("--"));
        match (begins, all.last_mut()) {
            (false, Some((_, text))) => *text = format!("{text} {line}"),
            _ => {
                let (name, text) = line.split_once("  ").unwrap_or((line, ""));
                all.push((name.trim().to_owned(), text.trim().to_owned()));
            }
        }
    }
    all.into_iter().map(|(n, t)| (n, t.trim().to_owned())).collect()
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}

/// The commands.
pub fn commands() -> Made {
    let all = items(&section(&help(&["--help"]), "Commands:"));
    let rows = all.into_iter().filter(|(n, _)| n != "help");
    let rows = rows.map(|(n, t)| Row { name: format!("stickslip {n}"), cells: vec![cell(&t)] });
    Made { header: &["command", "what it does"], rows: rows.collect(), meanings: false }
}

/// The options of commands: those of the first that the others have too.
pub fn table(names: &[&str]) -> Made {
    let of = |command: &str| {
        let help = help(&[command, "-h"]);
        let mut all = items(&section(&help, "Arguments:"));
        all.extend(items(&section(&help, "Options:")));
        all
    };
    let common = ["-q, --quiet", "-h, --help"];
    let (own, shared) = match names {
        ["every", ..] => (of("simulate"), Vec::new()),
        [name, rest @ ..] => (of(name), rest.iter().flat_map(|n| of(n)).map(|o| o.0).collect()),
        [] => panic!("options of which command?"),
    };
    let model = |n: &str| {
        ["scheme", "end", "step", "rtol", "atol", "rows", "seed", "set"]
            .iter()
            .any(|o| n.starts_with(&format!("--{o} ")))
    };
    let shown = |n: &str| match names {
        ["every", "model"] => model(n),
        ["every"] => {
            common.contains(&n) || ["--out", "--json", "--format"].iter().any(|o| n.starts_with(o))
        }
        [one, ..] => {
            let of_all = common.contains(&n)
                || ["--out", "--json", "--format"].iter().any(|o| n.starts_with(o));
            let with_model = [
                "simulate",
                "converge",
                "solutions",
                "certify",
                "ensemble",
                "sweep",
                "orbit",
                "response",
            ];
            !of_all && !(with_model.contains(one) && (model(n) || n.starts_with("<MODEL")))
        }
        [] => false,
    };
    let rows = own.into_iter().filter(|(n, _)| shown(n) && !shared.contains(n));
    let rows = rows.map(|(n, t)| Row { name: n.replace('|', "\\|"), cells: vec![cell(&t)] });
    Made { header: &["option", "meaning"], rows: rows.collect(), meanings: false }
}
