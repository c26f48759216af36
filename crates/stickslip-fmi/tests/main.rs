//! The library inside an FMU, without an importer.

#![allow(clippy::unwrap_used, reason = "a test")]

mod exchange;
mod machines;
mod servo;
mod units;
