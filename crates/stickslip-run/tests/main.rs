//! All integration tests of the crate, in one program. A new file joins by one line here.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod bearings;
mod fleets;
mod goes_on;
mod parquet_files;
mod runs;
mod tables;
mod turning;
