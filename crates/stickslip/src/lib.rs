//! Mechanical systems with dry friction: exact where the mathematics allows it.
//!
//! # The problem
//!
//! A mass `m` on a spring, pushed by a load and held by dry friction:
//!
//! ```text
//! m ẍ + F(ẋ) = b(x, ẋ, t),        b = K (d(t) − x) − c ẋ + f(t)
//!
//! stick:  ẋ = 0 and |b| ≤ f_s     then F = b
//! slip:   otherwise               then F = f_d sign ẋ,     0 ≤ f_d ≤ f_s
//! ```
//!
//! The stick ends as soon as |b| would exceed the breakaway force `f_s`; a slip ends at ẋ = 0 if
//! |b| ≤ f_s there, and goes on with the other sign otherwise (a *reversal*).
//!
//! # The rooms
//!
//! ```text
//! signal, law ──► model ──► scheme ──► trajectory ──► study
//! ```
//!
//! * [`signal`]: functions of time, [`signal::Signal`], and random ones, [`signal::noise`];
//! * [`law`]: what a contact does, [`law::Law`];
//! * [`model`]: what moves, [`model::Oscillator`] (alone, between stops, under noise), [`model::Impact`],
//!   [`model::Cascade`], [`model::Network`];
//! * [`hysteresis`]: the Prandtl–Ishlinskii operator that a cascade is;
//! * [`onestep`]: the small problems inside a time step;
//! * [`roots`]: the first root of a function, with a proof that none came before it;
//! * [`scheme`]: how it is advanced. By events: [`scheme::exact`], [`scheme::adaptive`],
//!   [`scheme::impact`], [`scheme::cascade`], [`scheme::network`]; by steps: [`scheme::euler`],
//!   [`scheme::implicit_euler`], [`scheme::stochastic`]; without inertia: [`scheme::quasi_static`];
//! * [`lanes`]: many paths at once: the quasi-static one for many parameter sets, [`lanes::Record`],
//!   those of ensembles and of sweeps;
//! * [`trajectory`]: what every scheme returns, [`trajectory::Trajectory`];
//! * [`study`]: convergence tables over schemes, ensembles and their spectra, sweeps, the solutions
//!   of ill-posed problems;
//! * [`portable`]: elementary functions with the same bits on every machine.
//!
//! All quantities are SI. Nothing here reads a file, a clock or a terminal.

pub mod error;
pub mod grid;
pub mod hysteresis;
mod instructions;
pub mod lanes;
pub mod law;
pub mod model;
pub mod motion;
pub mod onestep;
pub mod portable;
pub mod roots;
pub mod scheme;
pub mod signal;
pub mod solution;
pub mod study;
/// The former name of [`motion`].
#[doc(hidden)]
pub use motion as trajectory;

pub use error::{Error, Kind, Remedy};
pub use law::Law;
pub use model::{
    Bumper, Cascade, Impact, Initial, Model, Network, NoiseOn, Oscillator, Place, Problem, Replay,
    Stops, Wall,
};
pub use motion::{
    Counts, Energy, Event, EventKind, ImpactArc, ImpactPath, Motion, Phase, State, Touching,
    Trajectory, Warning,
};
pub use signal::Signal;
pub use signal::noise::{Noise, PathId};
pub use solution::{Column, Role, Rows, Scheme, Solution, solve};
