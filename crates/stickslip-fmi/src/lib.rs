//! The library inside an FMU: a model file, or the fit of a servo, among the FMU's resources, advanced for another simulator.
//!
//! | module | what it is |
//! |---|---|
//! | [`mod@unit`] | one instance: its variables, its life from instantiation to termination; in model exchange its motion is one of the core's [`stickslip::scheme::guarded`] |
//! | [`run`] | its motion in co-simulation |
//! | [`history`] | what brought it where it is, so that a state can be written down |
//! | `c_interface` | the functions of FMI 2.0 and 3.0, the only place with `unsafe` |

#[allow(unsafe_code)] // what importers call and pass is C; each block says why it is sound
mod c_interface;
pub mod history;
mod resources;
pub mod run;
pub mod unit;

pub use unit::{Fault, Unit};
