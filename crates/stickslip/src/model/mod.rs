//! What moves.

mod noisy;
mod oscillator;

pub use noisy::{NoisyOscillator, Place};
pub use oscillator::{Initial, Oscillator};
