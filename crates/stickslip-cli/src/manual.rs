//! `stickslip completions` and `stickslip man`.

use crate::args::Args;
use crate::fault::{Fault, Result};
use crate::screen;
use clap::CommandFactory;
use clap_complete::Shell;

/// Prints the completions of a shell.
pub fn completions(shell: Shell) -> Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "stickslip", &mut text);
    screen::print(|w| w.write_all(&text))
}

/// Prints the manual page of the program and of each of its commands.
pub fn man() -> Result<()> {
    let mut text = Vec::new();
    let program = Args::command();
    let commands = program.get_subcommands().filter(|c| !c.is_hide_set()).map(|c| {
        let name = format!("stickslip-{}", c.get_name());
        c.clone().display_name(name)
    });
    for page in std::iter::once(program.clone()).chain(commands) {
        clap_mangen::Man::new(page)
            .render(&mut text)
            .map_err(|e| Fault::new(format!("the manual page cannot be made: {e}")))?;
    }
    screen::print(|w| w.write_all(&text))
}
