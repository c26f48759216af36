//! The `stickslip` program: parse → validate → schedule → export.

mod args;
mod commands;
mod export;
mod fault;
mod file;
mod screen;

use args::{Args, Command};
use clap::Parser;
use commands::Job;
use export::Output;
use fault::Result;
use screen::Screen;
use std::process::ExitCode;
use stickslip_file::{number, table};

fn main() -> ExitCode {
    export::clean_up_when_interrupted();
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(e) => {
            // Help and version come this way too; a closed pipe is no failure.
            let _ = e.print();
            return ExitCode::from(u8::try_from(e.exit_code()).unwrap_or(2));
        }
    };
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            screen::complain(&fault);
            ExitCode::from(fault::exit_code(&fault))
        }
    }
}

fn run(args: Args) -> Result<()> {
    let screen = Screen { quiet: args.quiet };
    let (delivery, job): (_, Box<dyn Job>) = match args.command {
        Command::Simulate(a) => (a.delivery.clone(), commands::simulate::read(&a)?),
        Command::Converge(a) => (a.delivery.clone(), commands::converge::read(&a)?),
        Command::Solutions(a) => (a.delivery.clone(), commands::solutions::read(&a)?),
        Command::Calibrate(a) => (a.delivery.clone(), commands::calibrate::read(&a)?),
        Command::Ensemble(a) => (a.delivery.clone(), Box::new(commands::ensemble::read(&a)?)),
        Command::Merge(a) => (a.delivery.clone(), Box::new(commands::merge::read(&a)?)),
        Command::Sweep(a) => (a.delivery.clone(), Box::new(commands::sweep::read(&a)?)),
        Command::Reproduce(a) => (a.delivery.clone(), Box::new(commands::reproduce::read(&a))),
        Command::New(a) => return commands::new::run(&a, &screen),
    };
    job.warnings().iter().for_each(|w| screen.warn(w));
    let output =
        delivery.out.as_deref().map(|dir| Output::prepare(dir, job.inputs())).transpose()?;
    let progress = screen.progress(job.title());
    let product = job.solve()?;
    drop(progress);
    export::deliver(product, output, delivery.json, &screen)
}
