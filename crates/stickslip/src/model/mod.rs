//! What moves.

mod cascade;
mod oscillator;

pub use cascade::Cascade;
pub use oscillator::{Initial, Oscillator};
