//! What moves.

mod impact;
mod oscillator;

pub use impact::{Impact, Wall};
pub use oscillator::{Initial, Oscillator};
