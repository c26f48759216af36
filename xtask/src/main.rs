//! `cargo xtask TASK`: what cargo alone cannot do.

mod book;
mod fmu;
mod licences;
mod peers;
mod python;
mod shell;

use shell::Outcome;
use std::process::ExitCode;

const TASKS: &str = "\
cargo xtask test     tests of the workspace, then of everything else that this machine can test
cargo xtask book     the tables of the guide's reference, and its site (with mdbook)
cargo xtask licences whether the licences of all dependencies are allowed
cargo xtask python   tests of the Python package and of FMUs alone
cargo xtask program  the program with everything in it, in target/dist
cargo xtask wheel    the wheel of the Python package, in target/wheels
cargo xtask peers    other simulators on the reference set: docs/peers.md";

fn main() -> ExitCode {
    let outcomes = match std::env::args().nth(1).as_deref() {
        Some("test") => vec![licences::check(), workspace(), python::test(), later("the lab")],
        Some("licences") => vec![licences::check()],
        Some("book") => book::make(),
        Some("python") => vec![python::test()],
        Some("wheel") => vec![python::wheel_only()],
        Some("program") => vec![fmu::program()],
        Some("peers") => vec![peers::compare()],
        _ => {
            eprintln!("{TASKS}");
            return ExitCode::from(2);
        }
    };
    report(&outcomes)
}

fn workspace() -> Outcome {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let tests = shell::run("tests of the workspace", &cargo, &["test", "--workspace"]);
    tests.map_or_else(Outcome::Failed, |()| Outcome::Passed("tests of the workspace".to_owned()))
}

/// A part that this version of the project does not have yet.
fn later(what: &str) -> Outcome {
    Outcome::Skipped(format!("{what}: not part of this version"))
}

fn report(outcomes: &[Outcome]) -> ExitCode {
    for outcome in outcomes {
        match outcome {
            Outcome::Passed(what) => eprintln!("passed: {what}"),
            Outcome::Skipped(what) => eprintln!("skipped: {what}"),
            Outcome::Failed(what) => eprintln!("FAILED: {what}"),
        }
    }
    let failed = outcomes.iter().any(|o| matches!(o, Outcome::Failed(_)));
    ExitCode::from(u8::from(failed))
}
