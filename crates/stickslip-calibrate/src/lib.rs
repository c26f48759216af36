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
//! # The modules
//!
//! From the ground up; each uses only what stands before it:
//!
//! * `statistics`: numbers from samples: moments, regressions, filters, draws;
//! * `record`: [`Series`], a checked record, and what instruments do to one: clocks, codes, stuck sensors, drift;
//! * `bearing`: [`calibrate`] and, for change over time, [`windows`]; [`Fit`] is what they return, ready to be written as
//!   JSON. In `search`, [`Method::Global`], the default (survey, comb and descent), and [`Method::Evolution`], the paper's;
//!   what is assumed across gaps is said in `prepared`. In `intervals`, how sure the numbers are: likelihood, profiles,
//!   bootstrap, the instants of the slips;
//! * [`models`]: any model of the library, and any columns that it shows;
//! * `experiments`: [`pulled_slider`], the spring force of a slider pulled at constant speed; [`rigid_drive`], position and
//!   force of a drive; [`hysteresis`], force and displacement of a damper; [`friction_curve`], effort and speed of a joint
//!   or an axis; [`isolator`], both components of an isolator; [`rock_friction`], velocity steps and holds of rock; [`valve`], output and process variable of a control loop; [`servo`], the model of a motor with its gear.
//!
//! Nothing here reads a file or a clock. Results do not depend on the number of threads.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests compare with the C library"))]

mod bearing;
mod control;
mod error;
mod experiments;
pub mod models;
mod parallel;
mod record;
mod statistics;

pub use bearing::calibrate::{calibrate, calibrate_watched, global};
pub use bearing::changes::Change;
pub use bearing::finding::{Finding, Logged, Remedy, States, What};
pub use bearing::fit::{
    Coverage, Fit, Minimum, Parameters, SearchRun, Settling, Statistics, TrendSizes,
};
pub use bearing::intervals::bootstrap::{Bootstrap, Interval};
pub use bearing::intervals::profile::Profile;
pub use bearing::options::{Method, Options, ThermalBearing};
pub use bearing::search::curve::{Curve, Slip};
pub use bearing::search::global::Surface;
pub use bearing::windows::{Alarm, Window, Windows, changes, windows};
pub use control::{Control, Unwatched};
pub use error::{Error, Kind};
pub use experiments::{
    friction_curve, hysteresis, isolator, joint, pulled_slider, rigid_drive, rock_friction, servo,
    valve,
};
pub use record::lag::{Lag, Shift};
pub use record::sentinels::Sentinel;
pub use record::series::{MIN_SAMPLES, Series};
pub use record::trend::{Creep, Trend};
pub use statistics::discovery::benjamini_yekutieli;
pub use statistics::estimate::Estimate;
