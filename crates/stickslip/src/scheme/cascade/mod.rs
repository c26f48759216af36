//! How a cascade is advanced: five ways that must agree.
//!
//! | scheme | how | error |
//! |---|---|---|
//! | [`exact()`] | closed-form arcs between yields and turning points | rounding |
//! | [`implicit_euler`] | Bastien, Lamarque 2007, (4.1), projection on the box in the metric K⁻¹ | O(h) |
//! | [`hysteresis`] | the same time steps, the force by n clamps | O(h) |
//! | [`theta`] | the θ-method with θ = ½, the force by n clamps | O(h²) between events, O(h) at them |
//! | [`quasi_static()`] | displacement or force prescribed, no inertia | rounding |
//!
//! Between events the first J nodes slip, the force on the mass is affine in x with slope S_J, and
//! the mass is a linear oscillator. All of them return a [`CascadePath`].

mod exact;
mod paced;
mod quasi_static;
mod restoring_step;

pub use crate::model::Replay;
pub use crate::motion::{
    CascadeArc, CascadeGrid, CascadePath, CascadePhase, CascadeState, Counts, Line,
};
pub(crate) use exact::System as ExactSystem;
pub use exact::{cursor as exact_cursor, run as run_exact, solve as exact};
pub use paced::{CascadeSteps, hysteresis_cursor, implicit_euler_cursor, theta_cursor};
pub(crate) use quasi_static::System as QuasiStaticSystem;
pub use quasi_static::{cursor as quasi_static_cursor, solve as quasi_static};
#[cfg(test)]
pub(crate) use restoring_step::walk_implicit_euler;
pub use restoring_step::{
    hysteresis, implicit_euler, run_hysteresis, run_implicit_euler, solve_implicit_euler, theta,
};
