//! Studies over schemes.

pub mod convergence;
pub mod ill_posed;
pub mod impact;
