//! Prints the digests of fixed computations, for targets on which the program itself is not run:
//! `cargo run -p stickslip-reference --example bits`.

use std::process::ExitCode;
use stickslip_reference::bits;
use stickslip_run::Context;

fn main() -> ExitCode {
    match bits(&Context::silent()) {
        Ok(bits) => {
            print!("{bits}");
            ExitCode::SUCCESS
        }
        Err(e) => {
            eprintln!("{}", e.message());
            ExitCode::FAILURE
        }
    }
}
