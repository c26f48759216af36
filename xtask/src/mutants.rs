//! Changes of the core that its tests must notice: `bin/mutants.rs`.

use crate::shell::{Outcome, run};

/// Makes them, with a count and a seed.
pub fn run_with(numbers: &[&str]) -> Outcome {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let program = [
        "run",
        "--quiet",
        "--locked",
        "-p",
        "xtask",
        "--features",
        "mutants",
        "--bin",
        "mutants",
        "--",
    ];
    let all: Vec<&str> = program.iter().chain(numbers).copied().collect();
    run("changes of the core", &cargo, &all)
        .map_or_else(Outcome::Failed, |()| Outcome::Passed("changes of the core".to_owned()))
}
