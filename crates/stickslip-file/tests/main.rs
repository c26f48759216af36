//! All integration tests of the crate, in one program. A new file joins by one line here.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod as_found;
mod averages;
mod common;
mod continued;
mod fleets;
mod records;
mod refusals;
mod servo_logs;
mod synonyms;
