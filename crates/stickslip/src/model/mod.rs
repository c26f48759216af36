//! What moves.

mod forces;
mod impact;
mod noisy;
mod oscillator;

pub(crate) use forces::Forces;
pub use forces::{Load, Nonlinear};
pub use impact::{Impact, Wall};
pub use noisy::{NoisyOscillator, Place};
pub use oscillator::{Initial, Oscillator};
