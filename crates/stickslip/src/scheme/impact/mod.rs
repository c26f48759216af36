//! Masses between walls (Bastien, Bernardin, Lamarque 2013, §1.3).
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

pub(crate) use exact::is_closed;
pub use exact::{cursor, run, solve};

use crate::error::Error;
use crate::model::{Impact, Wall};
use crate::numeric::natural_frequency;
use crate::scheme::effort::check_periods;

/// Refuses an event-driven run with more periods than anybody waits for.
fn check_effort(impact: &Impact, end: f64) -> Result<(), Error> {
    let at_rest = impact.initial.velocity == 0.0 && impact.force.as_constant().is_some();
    let swings = impact.damping == 0.0 && !at_rest;
    let own = if swings { natural_frequency(impact.stiffness, impact.mass) } else { 0.0 };
    let walls = Wall::ALL.into_iter().filter_map(|w| impact.wall(w));
    check_periods(own, walls.chain([&impact.force]), end)
}
