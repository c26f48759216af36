//! Answers that once were wrong without a word, each against theory or an independent integrator.

#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "../common/mod.rs"]
mod common;

mod belts;
mod doubts;
mod jumps;
mod magnitudes;
mod narrow_laws;
mod oracle;
