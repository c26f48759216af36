//! The tests of the reference set.

#![allow(clippy::unwrap_used, reason = "a test")]

mod bits;
mod files;
mod ours;
mod rates;
mod scoring;
