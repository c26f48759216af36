//! What moves.

mod cascade;
pub mod network;
mod oscillator;

pub use cascade::Cascade;
pub use network::{Network, NetworkBuilder};
pub use oscillator::{Initial, Oscillator};
