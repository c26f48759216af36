//! Measured series to friction parameters.
//!
//! # The problem
//!
//! A bearing is pushed by the thermal expansion βT of what rests on it, and held by dry friction. Given
//! the temperature T(t) and the measured displacement z(t), find z₀, K, f_d, f_s, β that minimise
//!
//! ```text
//! Σ (z₀ + x + K(βT − x)/K_BP − z)²       over all rows that hold both, with equal weights
//!
//! stick while K|βT − x| ≤ f_s;   then   x ← x + 2 (f_s − f_d)/K · sign(βT − x)     (instantaneous)
//! ```
//!
//! (Bensoussan et al. 2021 §4; the quasi-static slider of its §2.3.4). Two facts make a *global* search cheap:
//!
//! * with x = βξ the path ξ depends only on ρ = f_s/(Kβ), δ = 2(f_s − f_d)/(Kβ) and where it starts;
//! * the rest is linear: z = z₀ + β(1 − κ) ξ + βκ T with κ = K/K_BP.
//!
//! K is seen only through κ. Without K_BP, or with κ near 0, K and the forces cannot be known, and
//! [`Estimate::value`] is `None` with the reason; f_s/K and f_d/K can.
//!
//! # The rooms
//!
//! * [`Series`]: a checked record; what is assumed across gaps is said in `prepared`;
//! * [`calibrate`]: spikes, lag, search, intervals. [`Method::Global`], the default: survey, comb and descent in
//!   `search`; [`Method::Evolution`], the paper's: `evolution` with `optimise`;
//! * how sure: `uncertainty` (likelihood), `profile`, `bootstrap`; whether to believe it: `plausible`;
//! * [`windows`]: change over time;
//! * [`Fit`]: what it returns, ready to be written as JSON.
//!
//! * [`pulled_slider`]: another record, the spring force of a slider pulled at constant speed: every slip;
//! * [`rigid_drive`]: and another, position and force of a drive: mass, viscous and dry friction;
//! * [`hysteresis`]: force and displacement of a damper: springs and friction elements;
//! * [`friction_curve`]: effort and speed of a joint or an axis: friction against speed;
//! * [`valve`]: output and process variable of a control loop: does its valve stick?
//! * [`models`]: any model of the library, and any columns that it shows.
//!
//! Nothing here reads a file or a clock. Results do not depend on the number of threads.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests compare with the C library"))]

mod assemble;
mod bootstrap;
mod calibrate;
mod case;
mod cell;
mod changes;
mod clean;
mod control;
mod curve;
mod dating;
mod delay;
mod diagnosis;
mod discovery;
mod error;
mod estimate;
mod evolution;
mod explore;
mod filter;
mod finding;
mod fit;
pub mod friction_curve;
pub mod hysteresis;
mod judge;
mod lag;
mod levels;
mod linear;
mod logger;
pub mod models;
mod motion;
mod near;
mod nonnegative;
mod optimise;
mod options;
mod outliers;
mod parallel;
mod plausible;
mod point;
mod prepared;
mod profile;
pub mod pulled_slider;
mod quantity;
mod random;
mod regress;
mod remarks;
mod replicas;
pub mod rigid_drive;
mod rounding;
mod sampling;
mod search;
mod sentinels;
mod series;
pub mod servo;
mod sizes;
mod stats;
mod stuck;
mod thermometer;
mod timing;
mod trend;
mod two;
mod uncertainty;
mod uniform;
pub mod valve;
mod viscous;
mod windows;

pub use bootstrap::{Bootstrap, Interval};
pub use calibrate::{calibrate, calibrate_watched, global};
pub use changes::Change;
pub use control::{Control, Unwatched};
pub use curve::{Curve, Slip};
pub use discovery::benjamini_yekutieli;
pub use error::{Error, Kind};
pub use estimate::Estimate;
pub use finding::{Finding, Remedy, What};
pub use fit::{Coverage, Fit, Minimum, Parameters, Run, Statistics, TrendSizes};
pub use lag::{Lag, Shift};
pub use options::{Method, Options, ThermalBearing};
pub use profile::Profile;
pub use search::Surface;
pub use sentinels::Sentinel;
pub use series::{MIN_SAMPLES, Series};
pub use trend::Trend;
pub use windows::{Alarm, Window, Windows, changes, windows};
