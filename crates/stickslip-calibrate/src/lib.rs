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
//! (seed 000 §4; the quasi-static slider of its §2.3.4). Two facts make a *global* search cheap:
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
//! * [`global`]: the default method. Survey, comb and descent: `search`; intervals: `uncertainty`;
//! * [`Fit`]: what it returns, ready to be written as JSON.
//!
//! * [`pulled_slider`]: another record, the spring force of a slider pulled at constant speed: every slip;
//! * [`rigid_drive`]: and another, position and force of a drive: mass, viscous and dry friction.
//!
//! Nothing here reads a file or a clock. Results do not depend on the number of threads.

mod draw;
mod error;
mod estimate;
mod filter;
mod fit;
mod global;
mod linear;
mod motion;
mod point;
mod prepared;
pub mod pulled_slider;
mod regress;
pub mod rigid_drive;
mod search;
mod series;
mod uncertainty;
mod uniform;

pub use error::Error;
pub use estimate::Estimate;
pub use fit::{Curve, Fit, Minimum, Parameters, Run, Slip};
pub use global::{Options, ThermalBearing, global};
pub use search::Surface;
pub use series::{MIN_SAMPLES, Series};
