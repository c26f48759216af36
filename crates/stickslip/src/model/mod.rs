//! What moves.

mod impact;
mod noisy;
mod oscillator;

pub use impact::{Impact, Wall};
pub use noisy::{NoisyOscillator, Place};
pub use oscillator::{Initial, Oscillator};
