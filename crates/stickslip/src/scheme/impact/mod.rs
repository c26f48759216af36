//! Masses between walls (seed 003 §1.3).
//!
//! | scheme | walls | error |
//! |---|---|---|
//! | [`solve`] | rigid, u⁺ = −e u⁻ | rounding |
//! | [`moreau`] | rigid, in time steps | O(h) |
//! | [`penalised`] | a stiff spring, in closed form | rounding; O(κ^−½) from the rigid wall |

mod chain;
mod exact;
mod flight;
mod guard;
pub mod moreau;
pub mod penalised;
mod room;

pub use exact::{cursor, run, solve};
