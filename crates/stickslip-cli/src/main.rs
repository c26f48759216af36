//! The `stickslip` program: reads its arguments, calls the library, and writes what it returns.

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
use std::process::ExitCode;

fn main() -> ExitCode {
    output::clean_up_when_interrupted();
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(e) => {
            let _ = e.print(); // help and version come this way too; a closed pipe is no failure
            return ExitCode::from(u8::try_from(e.exit_code()).unwrap_or(2));
        }
    };
    match run(&args) {
        Ok(code) => code,
        Err(fault) => {
            screen::complain(&fault);
            ExitCode::from(fault::exit_code(&fault))
        }
    }
}

fn run(args: &Args) -> Result<ExitCode> {
    let screen = Screen { quiet: args.quiet };
    match &args.command {
        Command::Fmu(a) => commands::fmu(a, &screen).map(|()| ExitCode::SUCCESS),
        Command::New(a) => new::run(a, &screen).map(|()| ExitCode::SUCCESS),
        Command::Completions(a) => manual::completions(a.shell).map(|()| ExitCode::SUCCESS),
        Command::Man => manual::man().map(|()| ExitCode::SUCCESS),
        command => deliver::run(command, &screen),
    }
}
