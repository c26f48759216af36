//! Every sentence about a model or a record that any test of the program makes it print is in the list of sentences.

use super::sandbox::{Ended, Sandbox};
use stickslip_run::sentences::{self, Weight};

/// Commands that say something of a model or a record.
const COMMANDS: [&str; 15] = [
    "basins",
    "calibrate",
    "certify",
    "converge",
    "ensemble",
    "fleet",
    "hunt",
    "merge",
    "orbit",
    "response",
    "score",
    "simulate",
    "solutions",
    "sweep",
    "fmu",
];

/// Advice in the words of the command line, which follows a remark.
const ADVICE: [&str; 2] = ["; --perturb shows the other", "; `stickslip solutions` lists them"];

/// The beginnings of lines that hold numbers or head a table, and say nothing that could be false of a model.
const FACTS: [&str; 15] = [
    "Other orbits that were found",
    "work of ",
    "… the table of solutions has them all",
    "force ± ",
    "Model: SHA-256 ",
    "members of the continuous family",
    "value ± std. error",
    "order over all rows ",
    "from (1 − h, ½ + h) with ",
    "oddness of the correlation: ",
    "period of the oscillation: ",
    "state at its start",
    "law: ",
    "mean absolute error without a term, rad:",
    "simulated, ",
];

/// Parts of such lines.
const PARTS: [&str; 10] = [
    // The row of an orbit; whether it is stable is listed.
    ", largest multiplier ",
    " against the exact solution, 0 to ",
    " against itself at half the step, ",
    " against rigid walls, 0 to ",
    " steps each",
    ": SHA-256 ",
    " samples (",
    " samples, ",
    " rows count; ",
    " windows, ",
];

/// Warnings about files and folders, and not about a model or a record.
const OF_FILES: [&str; 1] = ["may come from a run that was killed"];

/// Panics where a run has printed a sentence that the list does not hold: each warning, and each line of the result that is
/// a sentence.
#[track_caller]
pub fn check(args: &[&str], ended: &Ended) {
    let command = args.first().copied().unwrap_or_default();
    if !COMMANDS.contains(&command) {
        return;
    }
    for line in ended.stderr.lines().filter_map(warning) {
        let said =
            ADVICE.iter().fold(line, |said, advice| said.strip_suffix(advice).unwrap_or(said));
        let of_files = OF_FILES.iter().any(|part| said.contains(part));
        assert!(
            of_files || sentences::of(said).is_some(),
            "no entry of sentences/*.txt is for: {said}"
        );
    }
    if ended.code != Some(0) || args.iter().any(|a| ["--json", "--help", "-h"].contains(a)) {
        return;
    }
    // The first line is the title, which is the user's, where there is one.
    for line in ended.stdout.lines().skip(1).map(str::trim).filter(|l| is_sentence(l)) {
        assert!(sentences::of(line).is_some(), "no entry of sentences/*.txt is for: {line}");
    }
}

/// The text of a line that is a warning. One about a record says its weight first.
fn warning(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("warning")?;
    let weights = Weight::ALL.into_iter().map(|w| format!(" ({}): ", w.name()));
    weights.chain([": ".to_owned()]).find_map(|head| rest.strip_prefix(&head))
}

/// Whether a line is one: words, and no row of a table.
fn is_sentence(line: &str) -> bool {
    let letters = |w: &&str| w.chars().filter(|c| c.is_alphabetic()).count() > 1;
    let words = line.split_whitespace().filter(letters).count();
    let is_row = line.trim_end_matches('.').contains("   ") || line.contains(", 0 to ");
    let fact = FACTS.iter().any(|f| line.starts_with(f)) || PARTS.iter().any(|p| line.contains(p));
    words >= 4 && !is_row && !fact
}

#[test]
fn a_sentence_that_is_not_listed_is_seen() {
    let ended = |stdout: &str, stderr: &str| Ended {
        code: Some(0),
        stdout: format!("A title that is the user's own\n{stdout}\n"),
        stderr: stderr.to_owned(),
    };
    let passes = |ended: Ended| std::panic::catch_unwind(move || check(&["orbit"], &ended)).is_ok();
    assert!(passes(ended("No bifurcation was found in between.", "")));
    assert!(!passes(ended("There is certainly no bifurcation here.", "")));
    assert!(passes(ended("", "warning: this model has no noise: all paths are equal")));
    assert!(!passes(ended("", "warning: this model is rather noisy")));
    let s = Sandbox::new();
    s.run(&["simulate", "model.toml"]).done();
}
