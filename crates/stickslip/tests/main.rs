//! All integration tests of the crate, in one program: it is linked once, and what it shares is compiled once.
//!
//! A new file joins by one line here or in the `mod.rs` beside it; `every_file_is_a_module` fails where that line is
//! missing.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![allow(clippy::disallowed_methods, reason = "tests compare with the C library")]

mod allocations;
mod arrows;
mod common;
mod every_file;
mod laws;
mod machines;
mod matrix;
mod orbits;
mod planar;
mod schemes;
mod solution;
mod studies;
mod wrong_answers;
