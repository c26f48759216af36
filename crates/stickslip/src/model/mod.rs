//! What moves.

mod forces;
mod oscillator;

pub(crate) use forces::Forces;
pub use forces::{Load, Nonlinear};
pub use oscillator::{Initial, Oscillator};
