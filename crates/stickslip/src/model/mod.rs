//! What moves.

mod cascade;
mod forces;
mod impact;
pub mod network;
mod noisy;
mod oscillator;
mod stops;

pub use cascade::Cascade;
pub(crate) use forces::Forces;
pub use forces::{Load, Nonlinear};
pub use impact::{Impact, Wall};
pub use network::{Network, NetworkBuilder};
pub use noisy::{NoisyCascade, NoisyNetwork, NoisyOscillator, Place};
pub use oscillator::{Initial, Oscillator};
pub use stops::{Bumper, Stops};
