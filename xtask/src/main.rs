//! `cargo xtask TASK`: what cargo alone cannot do.

mod bits;
mod book;
mod counted;
mod dry_run;
mod elsewhere;
mod figures;
mod fmu;
mod growth;
mod licences;
mod mutants;
mod names;
mod peers;
mod python;
mod release;
mod shell;
mod speed;
mod web;

use shell::Outcome;
use std::process::ExitCode;

const TASKS: &str = "\
cargo xtask test     tests of the workspace, then of everything else that this machine can test
cargo xtask bits     whether builds for other processors and systems compute the same bits as this one (qemu, Wine, Node.js)
cargo xtask book     the tables of the guide's reference, and its site (with mdbook)
cargo xtask figures  every kind of figure on one page, in target/figures, and photographed in light, in dark,
                     as wide as a phone and in print; names that touch or are cut are told. Look at it before a release
cargo xtask licences whether the licences of all dependencies are allowed
cargo xtask names    whether the public names of the core are those that its lib.rs lists
cargo xtask python   tests of the Python package and of FMUs alone; with --environment only what they are run with is installed
cargo xtask web      the lab, in target/web; with --test its tests in a browser, from a quick build; with --measure its
                     speed compared with that of the program
cargo xtask program  the program with everything in it, in target/dist
cargo xtask wheel    the wheels of the Python package, in target/wheels
cargo xtask release  whether this version can be released: identity, versions; [TAG] must be its tag. With --dry-run everything
                     that this machine can build is built as it is given to others, installed in a clean place and
                     tried there, in an hour
cargo xtask mutants  changes of the core that its tests must notice; [COUNT [SEED]], in an hour or two
cargo xtask peers    other simulators on the reference set: docs/peers.md
cargo xtask speed    our work compared with bare loops: docs/speed.md, in a quarter of an hour; with --compare COMMIT whether fixed runs take
                     more instructions than there (or than by the program at a path)";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcomes = match arguments[..] {
        ["test"] => vec![licences::check(), workspace(), python::test(), web::test()],
        ["licences"] => vec![licences::check()],
        ["bits"] => bits::compare(),
        ["book"] => book::make(),
        ["python"] => vec![python::test()],
        ["python", "--environment"] => vec![python::environment_only()],
        ["wheel"] => vec![python::wheel_only()],
        ["release"] => vec![release::check(None)],
        ["release", "--dry-run"] => dry_run::dry_run(),
        ["release", tag] => vec![release::check(Some(tag))],
        ["figures"] => figures::sheet(),
        ["names"] => vec![names::check()],
        ["program"] => vec![fmu::program()],
        ["mutants", ref numbers @ ..] => vec![mutants::run_with(numbers)],
        ["peers"] => vec![peers::compare()],
        ["speed"] => vec![speed::measure()],
        ["speed", "--compare", commit] => vec![counted::compare(commit)],
        ["web"] => vec![web::build(web::Profile::Given)],
        ["web", "--test"] => vec![web::test()],
        ["web", "--measure"] => vec![web::measure()],
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
