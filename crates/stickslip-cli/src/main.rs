//! The `stickslip` program.

mod memory;

use std::ffi::OsString;
use std::process::ExitCode;
use std::{env, thread};

/// Bytes of stack: what a shell usually gives to the main thread. It may give less (`ulimit -s`).
const STACK: usize = 8 << 20;

fn main() -> ExitCode {
    memory::end_where_a_thread_has_no_room();
    let program = || {
        let arguments: Vec<OsString> = env::args_os().collect();
        ExitCode::from(stickslip_cli::program(&arguments))
    };
    match thread::Builder::new().name("main".to_owned()).stack_size(STACK).spawn(program) {
        // A panic has said what it had to say.
        Ok(running) => running.join().unwrap_or(ExitCode::from(101)),
        Err(_) => program(),
    }
}
