//! Studies over schemes.

pub mod convergence;
pub mod perturb;
pub mod sign;
pub mod solutions;
