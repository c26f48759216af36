//! Periodic orbits against closed forms, published numbers and differences.

mod forced;
mod responses;
mod tangents;
