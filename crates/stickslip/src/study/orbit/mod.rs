//! Steady states: periodic orbits, their stability, and how they change with a parameter.
//!
//! The arcs of the event-driven schemes give the state after a period, and its derivative with respect to the state
//! before: the product of the arcs' propagators and of one small matrix for each event (see `tangent`). A periodic
//! orbit is a fixed point of that map; Newton's method finds it to rounding, and the eigenvalues of the derivative, its
//! multipliers, say whether it is stable.
//!
//! ```
//! use stickslip::study::orbit::{Forced, Method, Search, search};
//! use stickslip::{Law, Oscillator, Signal};
//! # fn main() -> Result<(), stickslip::Error> {
//! // Den Hartog 1931: x″ + x = cos βt − f sgn x′
//! let (beta, f) = (1.25, 0.4);
//! let o = Oscillator::new(1.0, 1.0, Law::coulomb(f)?).with_force(Signal::harmonic(1.0, beta, 0.0));
//! let forced = Forced::new(&o.into(), std::f64::consts::TAU / beta, Method::Best)?;
//! let found = search(&forced, &Search::default())?;
//! assert!((found.orbits[0].amplitude() - 1.48004969692525).abs() < 1e-12);
//! assert!(found.orbits[0].stable && found.orbits[0].stops == 0);
//! # Ok(()) }
//! ```

mod arrival;
mod basins;
mod boundaries;
mod curve;
mod engine;
mod extremes;
mod forced;
mod found;
mod kind;
pub(in crate::study) mod local;
mod locate;
mod machined;
mod mesh;
mod meshed;
mod near;
mod passage;
mod peak;
mod period;
mod phases;
mod response;
mod returns;
mod runner;
mod search;
mod section;
mod self_excited;
mod settled;
mod sliding;
mod steady;
#[doc(hidden)]
pub mod tangent;
mod transmitted;
mod turns;
mod unit;

#[doc(hidden)]
pub use crate::numeric::Matrix;
pub use basins::{Attraction, Basins, basins};
pub use boundaries::{Boundaries, Boundary, Peak, TurningPoint, boundaries};
#[doc(hidden)]
pub use forced::Fixed;
pub use forced::Forced;
pub use found::{InPlane, Orbit};
pub use kind::Kind;
#[doc(hidden)]
pub use meshed::Meshed;
pub use passage::Method;
#[doc(hidden)]
pub use passage::{Passage, TIGHT};
pub use period::Driven;
pub(in crate::study) use period::driven;
#[doc(hidden)]
pub use period::moving_frame;
pub use response::{Branch, End, Options, Point, Response, response};
pub use search::{Found, Leads, Search, attractors, search};
#[doc(hidden)]
pub use settled::repeats_after;
pub use settled::{Settled, States, settled};
pub use sliding::Steady;
pub use steady::{orbits, orbits_at, period_of};

/// A multiplier of an orbit.
pub type Multiplier = num_complex::Complex64;
