//! Studies over schemes.

pub mod convergence;
pub mod ensemble;
pub mod ill_posed;
pub mod impact;
pub mod perturb;
pub mod sign;
pub mod solutions;
