//! Studies over schemes.

pub mod correlation;
pub mod ensemble;
pub mod fourier;
pub mod ill_posed;
pub mod inclusion;
pub mod orbit;
pub mod order;
pub mod parallel;
pub mod perturb;
pub mod sensitivity;
pub mod sign;
pub mod solutions;
pub mod spectrum;
pub mod sweep;
pub mod work_precision;
