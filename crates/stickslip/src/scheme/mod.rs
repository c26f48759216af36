//! How a model is advanced.
//!
//! | scheme | for | error | source |
//! |---|---|---|---|
//! | [`exact`] | linear oscillators | rounding | seed 000 §2.3 |
//! | [`euler`] | any load | O(h) | seed 000 §3 |
//! | [`cascade`] | cascades, four schemes | | seed 004 |
//! | [`quasi_static`] | slow drives | O(drive's speed · π/ω) | seed 000 §2.3.4 |
//!
//! Event-driven schemes share the loop in [`event_loop`]; all return the same
//! [`Trajectory`](crate::trajectory::Trajectory).

pub mod cascade;
pub mod euler;
pub mod event_loop;
pub mod exact;
pub mod network;
pub mod quasi_static;
