//! Studies over schemes.

pub mod convergence;
