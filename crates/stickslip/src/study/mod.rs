//! Studies over schemes: ensembles, sweeps, periodic orbits, rates of change, spectra.
//!
//! What only papers need (orders, ill-posed corners, inclusions, sets of solutions) is not shown here: it
//! serves the gallery of figures and may change with it.

#[doc(hidden)]
pub mod correlation;
pub mod ensemble;
#[doc(hidden)]
pub mod fourier;
pub mod hunt;
#[doc(hidden)]
pub mod ill_posed;
#[doc(hidden)]
pub mod inclusion;
pub mod orbit;
#[doc(hidden)]
pub mod order;
#[doc(hidden)]
pub mod parallel;
#[doc(hidden)]
pub mod perturb;
pub mod sensitivity;
pub mod shooting;
#[doc(hidden)]
pub mod solutions;
pub mod spectrum;
pub mod sweep;
#[doc(hidden)]
pub mod work_precision;
