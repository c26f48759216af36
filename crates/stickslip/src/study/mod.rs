//! Studies over schemes.

pub mod convergence;
pub mod ensemble;
