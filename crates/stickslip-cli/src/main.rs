//! The `stickslip` program: reads its arguments, calls the library, and writes what it returns.

mod args;
mod commands;
mod deliver;
mod fault;
mod manual;
mod memory;
mod new;
mod output;
mod screen;

use args::{Args, Command};
use clap::Parser;
use fault::Result;
use screen::Screen;
use std::ffi::OsString;
use std::process::ExitCode;
use std::thread;
use std::{env, panic};

/// Bytes of stack: what a shell usually gives to the main thread. It may give less (`ulimit -s`).
const STACK: usize = 8 << 20;

fn main() -> ExitCode {
    match thread::Builder::new().name("main".to_owned()).stack_size(STACK).spawn(program) {
        // A panic has said what it had to say.
        Ok(running) => running.join().unwrap_or(ExitCode::from(101)),
        Err(_) => program(),
    }
}

/// Says nothing of a panic that becomes an error of a damaged file.
fn keep_quiet_of_caught_panics() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |defect| {
        if !stickslip_file::is_reading_parquet() {
            usual(defect);
        }
    }));
}

fn program() -> ExitCode {
    keep_quiet_of_caught_panics();
    output::clean_up_when_interrupted();
    let ended = if asks_for_bits() {
        bits().map(|()| ExitCode::SUCCESS)
    } else {
        match Args::try_parse() {
            Ok(args) => run(&args),
            Err(e) => {
                screen::complain_of_arguments(&e);
                return ExitCode::from(u8::try_from(e.exit_code()).unwrap_or(2));
            }
        }
    };
    ended.unwrap_or_else(|fault| {
        screen::complain(&fault);
        ExitCode::from(fault::exit_code(&fault))
    })
}

/// Whether the two arguments are `--version` and `--bits`, which no command has and the parser of arguments cannot combine.
fn asks_for_bits() -> bool {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let given = |name: &str| arguments.iter().any(|a| a == name);
    arguments.len() == 2 && given("--bits") && (given("--version") || given("-V"))
}

/// Prints the version, and digests of fixed computations that can be compared with those of other machines.
fn bits() -> Result<()> {
    let found = stickslip_reference::bits(&stickslip_run::Context::silent())?;
    screen::print(|w| write!(w, "stickslip {}\n{found}", env!("CARGO_PKG_VERSION")))
}

fn run(args: &Args) -> Result<ExitCode> {
    let screen = Screen { quiet: args.quiet };
    match &args.command {
        Command::Fmu(a) => commands::fmu(a, &screen).map(|()| ExitCode::SUCCESS),
        Command::Joint(a) => commands::joint(a).map(|()| ExitCode::SUCCESS),
        Command::New(a) => new::run(a, &screen).map(|()| ExitCode::SUCCESS),
        Command::Completions(a) => manual::completions(a.shell).map(|()| ExitCode::SUCCESS),
        Command::Man => manual::man().map(|()| ExitCode::SUCCESS),
        command => deliver::run(command, &screen),
    }
}
