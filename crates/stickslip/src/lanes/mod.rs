//! Many paths side by side.
//!
//! A processor's vectors hold two, four or eight numbers; loops over lanes in fixed order, one lane
//! a path, become such vectors. [`dispatch`] compiles a kernel for each instruction set and picks at
//! run time. The result does not depend on the choice, to the last bit: no fused multiply-add is
//! used, and lanes never mix.

mod instructions;
mod normals;

pub use instructions::Instructions;
pub(crate) use instructions::{Kernel, dispatch};
pub use normals::fill_normals;
