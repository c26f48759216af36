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
//! From the ground up; each room uses itself and what stands before it, and a test keeps it so.
//!
//! | room | what it holds |
//! |---|---|
//! | [`error`] | what can be wrong, its kind, and what helps |
//! | [`interrupt`] | stopping a computation from outside |
//! | [`portable`] | elementary functions with the same bits on every machine |
//! | [`roots`] | the first root of a function, with a proof that none came before it |
//! | `grid` (not public) | equidistant steps in time |
//! | [`numeric`] | dense algebra, golden sections, a rule of Gauss, medians, the error function |
//! | [`signal`] | functions of time, [`Signal`], and random ones, [`Noise`] |
//! | [`onestep`] | the small problems inside a time step |
//! | [`hysteresis`] | the Prandtl–Ishlinskii operator that a cascade is |
//! | [`law`] | what a contact does: [`Law`], or a user's own [`law::Contact`] |
//! | [`motion`] | states, phases, events, energies; what a path is made of, in closed form or on a grid |
//! | [`model`] | what moves: [`Oscillator`], [`Cascade`], [`Network`], [`Impact`]; a [`Problem`] is one of them, its noises and the end of the run |
//! | [`scheme`] | how it is advanced, one room for each kind of model, each returning its typed path |
//! | [`solution`] | one verb, [`solve`], for every model and [`Scheme`], and one [`Solution`] for all; [`start`] and one [`Cursor`] for runs in pieces |
//! | [`lanes`] | many paths side by side |
//! | [`study`] | orders, ensembles, sweeps, spectra, perturbations, sets of solutions |
//!
//! ```
//! use stickslip::{Law, Oscillator, Problem, Scheme, Signal, solve};
//! # fn main() -> Result<(), stickslip::Error> {
//! let shaw = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0)?)
//!     .with_drive(Signal::harmonic(6.0, 0.5, 0.0))
//!     .starting_at(6.0, 0.0);
//! let solution = solve(&Problem::new(shaw, 40.0), &Scheme::Exact)?;
//! assert_eq!(solution.events.len(), 10);
//! assert!(solution.energy().relative_defect() < 1e-12);
//! # Ok(()) }
//! ```
//!
//! All quantities are SI. Nothing here reads a file, a clock or a terminal.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests compare with the C library"))]

pub mod error;
mod grid;
pub mod hysteresis;
mod instructions;
pub mod interrupt;
pub mod lanes;
pub mod law;
pub mod model;
pub mod motion;
pub mod numeric;
pub mod onestep;
pub mod portable;
pub mod roots;
pub mod scheme;
pub mod signal;
pub mod solution;
pub mod study;
#[cfg(feature = "parallel")]
mod threads;

pub use error::{Error, Kind, Remedy};
pub use interrupt::Interrupt;
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
pub use solution::{
    Choice, Column, Cursor, Remaining, Role, Rows, RunState, Scheme, Solution, solve, start,
};
