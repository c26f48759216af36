//! The `stickslip` program as a function: it reads its arguments, calls the library, and writes what it returns. The binary of
//! this crate and the Python package (`python -m stickslip`) run it.

mod args;
mod commands;
mod deliver;
mod fault;
mod manual;
mod new;
mod output;
mod screen;

use args::{Args, Command};
use clap::Parser;
use fault::Result;
use screen::Screen;
use std::ffi::OsString;
use std::panic;

pub use fault::NO_MEMORY;

/// Says nothing of a panic that becomes an error of a damaged file.
fn keep_quiet_of_caught_panics() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |defect| {
        if !stickslip_file::is_reading_parquet() {
            usual(defect);
        }
    }));
}

/// Runs the program with these arguments, of which the first is its own name, in this process: it writes to its standard
/// output and error, and an interruption ends it. Returns the exit code.
pub fn program(arguments: &[OsString]) -> u8 {
    keep_quiet_of_caught_panics();
    output::clean_up_when_interrupted();
    let ended = if asks_for_bits(arguments) {
        bits().map(|()| 0)
    } else {
        match Args::try_parse_from(arguments) {
            Ok(args) => run(&args),
            Err(e) => {
                screen::complain_of_arguments(&e);
                return u8::try_from(e.exit_code()).unwrap_or(2);
            }
        }
    };
    ended.unwrap_or_else(|fault| {
        screen::complain(&fault);
        fault::exit_code(&fault)
    })
}

/// Whether the two arguments are `--version` and `--bits`, which no command has and the parser of arguments cannot combine.
fn asks_for_bits(arguments: &[OsString]) -> bool {
    let given = |name: &str| arguments.iter().any(|a| a == name);
    arguments.len() == 3 && given("--bits") && (given("--version") || given("-V"))
}

/// Prints the version, and digests of fixed computations that can be compared with those of other machines.
fn bits() -> Result<()> {
    let found = stickslip_reference::bits(&stickslip_run::Context::silent())?;
    screen::print(|w| write!(w, "stickslip {}\n{found}", env!("CARGO_PKG_VERSION")))
}

fn run(args: &Args) -> Result<u8> {
    let screen = Screen { quiet: args.quiet };
    match &args.command {
        Command::Fmu(a) => commands::fmu(a, &screen).map(|()| 0),
        Command::Joint(a) => commands::joint(a, &screen).map(|()| 0),
        Command::New(a) => new::run(a, &screen).map(|()| 0),
        Command::Completions(a) => manual::completions(a.shell).map(|()| 0),
        Command::Man => manual::man().map(|()| 0),
        command => deliver::run(command, &screen),
    }
}
