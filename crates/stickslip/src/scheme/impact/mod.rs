//! Masses between walls.
//!
//! | scheme | walls | error |
//! |---|---|---|
//! | [`solve`] | rigid | rounding |

mod chain;
mod exact;
mod flight;
mod guard;
mod room;

pub use exact::{run, solve};
