//! Periodic orbits against closed forms, published numbers and differences.

mod forced;
mod others;
mod responses;
mod tangents;
