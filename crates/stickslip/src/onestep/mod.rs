//! The small problems inside a time step.

mod scalar;

pub use scalar::{Roots, Step, resolvent, sliding_roots};
