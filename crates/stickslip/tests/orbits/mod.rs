//! Periodic orbits against closed forms, published numbers and differences.

mod forced;
mod grazing;
mod networks;
mod others;
mod responses;
mod smooth;
mod tangents;
