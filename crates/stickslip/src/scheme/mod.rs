//! How a model is advanced.
//!
//! | scheme | for | error | source |
//! |---|---|---|---|
//! | [`exact`] | linear oscillators | rounding | seed 000 §2.3 |
//! | [`euler`] | any load | O(h) | seed 000 §3 |
//! | [`cascade`] | cascades, four schemes | | seed 004 |
//! | [`network`] | networks, time-stepping | O(h), O(h²) between events | seed 004, S22 |
//! | [`stochastic`] | any load and noise | O(h) under filtered noise, O(√h) under white | seeds 000 §3.3.2, 003 §1.4 |
//! | [`quasi_static`] | slow drives | O(drive's speed · π/ω) | seed 000 §2.3.4 |
//!
//! Event-driven schemes share the loop in [`event_loop`]; all return the same
//! [`Trajectory`](crate::trajectory::Trajectory).

pub mod cascade;
pub mod euler;
pub mod event_loop;
pub mod exact;
pub mod impact;
pub mod linear;
pub mod network;
pub mod quasi_static;
pub mod stochastic;
