//! How a model is advanced.
//!
//! | scheme | for | error | source |
//! |---|---|---|---|
//! | [`exact`] | linear oscillators, any stops | rounding | seed 000 §2.3 |
//! | [`adaptive`] | any load, law, support, stops | a tolerance | Dormand–Prince 8(5,3) |
//! | [`euler`] | any load, law, support, soft stops | O(h) | seed 000 §3 |
//! | [`implicit_euler`] | any load, law, support, soft stops | O(h) | seed 003 (2.32) |
//! | [`cascade`] | cascades, four schemes | | seed 004 |
//! | [`network`] | networks: by events up to some 100 nodes, by steps any | rounding; O(h), O(h²) between events | seed 004, S22 |
//! | [`impact`] | a mass between walls, four schemes | rounding (exact) | seed 003 §1.3 |
//! | [`stochastic`] | any load and noise | O(h) under filtered noise, O(√h) under white | seeds 000 §3.3.2, 003 §1.4 |
//! | [`quasi_static`] | slow drives | O(drive's speed · π/ω) | seed 000 §2.3.4 |
//! | [`naive`] | showing what fails | does not converge | seed 003 §1.2.2 |
//!
//! A run can be advanced in pieces, copied and put into another state: see [`cursor`].
//!
//! Event-driven schemes share the loop in [`event_loop`]; all return the same
//! [`Trajectory`](crate::motion::Trajectory).

pub mod adaptive;
pub(crate) mod bounces;
pub mod cascade;
pub mod cursor;
mod effort;
pub mod euler;
pub mod event_loop;
pub mod exact;
#[cfg(feature = "general-purpose")]
pub mod general_purpose;
pub mod impact;
pub mod implicit_euler;
pub mod naive;
pub mod network;
pub mod quasi_static;
mod stepping;
pub mod stochastic;
mod uniqueness;
