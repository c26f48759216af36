//! How a network is advanced.
//!
//! | scheme | how | error |
//! |---|---|---|
//! | [`exact()`] | power series between events, whose times are isolated | rounding |
//! | [`implicit_euler`] | one convex problem a step | O(h) |
//! | [`theta`] | the θ-method with the friction at the end of the step; θ = ½ | O(h²) between events, O(h) at them |
//!
//! All three keep a stick exact: where a slider sticks, the velocities of its ends are equal to the last bit.
//! [`run_sign_euler`], for comparison, does not: it takes the friction of the velocity before.

mod account;
mod convex_step;
pub mod exact;
mod layout;
mod load;
mod paced;
mod path;
mod prepared;
mod reach;
mod sign;
mod theta_method;

pub use crate::motion::{NetworkGrid, NetworkPhase, NetworkState};
pub use account::NetworkRun;
#[cfg(test)]
pub(crate) use convex_step::PREPARATIONS;
pub(crate) use exact::obstacle as exact_obstacle;
pub use exact::{Guarded, Quantity, Rates, cursor as exact_cursor, solve as exact};
pub use paced::cursor;
pub use path::{NetworkArc, NetworkPath};
pub use prepared::Prepared;
pub(crate) use prepared::just_before;
pub use sign::{check_sign, run_sign_euler, sign_cursor, sign_euler};
pub use theta_method::{implicit_euler, run, solve, theta};
