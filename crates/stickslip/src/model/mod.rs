//! What moves.

mod oscillator;

pub use oscillator::{Initial, Oscillator};
