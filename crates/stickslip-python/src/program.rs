//! The program of the command line, which the wheel brings along.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the program with these arguments, of which the first is its own name, in this process. It writes to the standard
/// output and error of the process, not to `sys.stdout`, and an interruption ends the process. Returns the exit code.
#[pyfunction]
pub fn program(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| stickslip_cli::program(&arguments))
}
