//! How a model is advanced, one room for each kind of model.
//!
//! | scheme | for | error |
//! |---|---|---|
//! | [`oscillator::exact`] | linear oscillators, any stops | rounding |
//! | [`oscillator::adaptive`] | any load, law, support, stops | a tolerance |
//! | [`oscillator::euler`] | any load, law, support, soft stops | O(h) |
//! | [`oscillator::implicit_euler`] | any load, law, support, soft stops | O(h) |
//! | [`oscillator::theta`] | any load, law, support, soft stops | O(h²) between events, O(h) at them |
//! | [`oscillator::quasi_static`] | slow drives | O(drive's speed · π/ω) |
//! | [`oscillator::sign`] | showing what fails | does not converge |
//! | [`cascade`] | cascades, five schemes | rounding; O(h) |
//! | [`network`] | networks: by events up to some 100 nodes, by steps any | rounding; O(h), O(h²) between events |
//! | [`machine`] | networks with any law on any slider, by events | a tolerance |
//! | [`memory`] | a contact whose law has memory, under a mass or led, by events | a tolerance; rounding in closed forms |
//! | [`impact`] | a mass between walls, four schemes | rounding (exact) |
//! | [`planar`] | a mass that slides on a plane, three schemes | a tolerance; O(h) |
//! | [`isolated`] | a rigid slab on isolators, with floors above it, two schemes | a tolerance; O(h) |
//! | [`element`] | a contact whose motion somebody else owns | rounding |
//! | [`guarded`] | any of them but machines and laws with memory, integrated from outside | that of the integrator |
//! | [`stochastic`] | any model under noise, path by path | O(h) under filtered noise, O(√h) under white |
//!
//! Event-driven schemes share the loop in [`event_loop`]. Each returns the typed path of its kind; one verb for all
//! of them is [`solve`](crate::solve).
//! A run can be advanced in pieces, copied and put into another state: see [`cursor`].

mod audit;
pub mod cascade;
mod collocation;
mod contact_step;
pub mod cursor;
mod effort;
pub mod element;
pub mod event_loop;
pub(crate) mod gap;
pub mod guarded;
pub mod impact;
pub mod isolated;
pub(crate) mod looked;
pub mod machine;
pub mod memory;
pub mod network;
pub mod oscillator;
pub mod planar;
mod protocol;
pub mod stepper;
pub mod stochastic;
mod two_phases;
