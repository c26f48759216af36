//! How an oscillator is advanced: by events ([`exact`], [`adaptive`], [`quasi_static`]), by steps ([`euler`],
//! [`implicit_euler`], [`theta`]), and wrongly, for comparison ([`sign`], general-purpose solvers).

pub mod adaptive;
mod at_limit;
mod bounces;
pub mod euler;
pub mod exact;
pub mod general_purpose;
pub mod implicit_euler;
mod jump;
mod predictor_step;
pub mod quasi_static;
pub mod sign;
pub mod theta;
pub(crate) mod theta_step;
mod uniqueness;

pub use predictor_step::Steps;
