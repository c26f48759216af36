//! Studies over schemes.

pub mod assembly;
pub mod convergence;
pub mod ensemble;
pub mod ill_posed;
pub mod impact;
pub mod inclusion;
pub mod noisy;
pub mod perturb;
pub mod sign;
pub mod solutions;
pub mod spectrum;
pub mod sweep;
