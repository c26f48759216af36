//! What moves.

mod canonical;
mod cascade;
pub mod hysteretic;
mod impact;
mod initial;
mod inlet;
mod inlets;
pub mod isolated;
pub mod machine;
pub mod network;
mod oscillator;
pub mod planar;
mod problem;

pub use crate::motion::Wall;
pub use cascade::Cascade;
#[doc(hidden)]
pub use cascade::Replay;
pub use hysteretic::Hysteretic;
pub use impact::Impact;
pub(crate) use impact::lost_in_segment;
pub use initial::Initial;
pub use inlet::Inlet;
pub use inlets::Loads;
pub use isolated::Isolated;
pub use machine::Machine;
pub use network::{Network, NetworkBuilder};
pub(crate) use oscillator::Forces;
pub use oscillator::{Bumper, Effort, Load, Nonlinear, Oscillator, Stops};
pub use planar::Planar;
pub(crate) use planar::times as planar_times;
pub(crate) use problem::NoisyOscillator;
pub use problem::{MAX_EVENTS, Model, NoiseOn, Place, Problem};
