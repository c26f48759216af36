//! The θ-method, with the friction at the end of the step.
//!
//! ```text
//! X⁺ = X + h ((1 − θ) V + θ V⁺)
//! m (V⁺ − V)/h + c V_θ + K X_θ + A(V⁺ − v_s⁺) ∋ K d_θ + f_θ + g,     u_θ = (1 − θ) u + θ u⁺
//! ```
//!
//! d_θ and f_θ are the loads at t + θh; forces g that are not linear are those at X + (1 − θ) h V. One step is
//! w⁺ = (I + λA)⁻¹ p with w = V − v_s,
//!
//! ```text
//! M = m + θ h c + θ² h² K,     λ = h/M
//! p = ((m − (1 − θ) h c − θ (1 − θ) h² K) V + h (K d_θ + f_θ + g − K X))/M − v_s⁺
//! ```
//!
//! so a stick is exact for every θ: V = V⁺ = 0 moves nothing. θ = ½ is what the scheme `theta` of files means. It neither
//! gains nor loses energy between events, and its error there is O(h²). Under white noise, whose impulse ΔL in the step
//! adds ΔL/M to p, the state of a linear oscillator has exactly the stationary law of the equation, whatever the
//! step and the damping: z⁺ = Ψ z + (I − hA/2)⁻¹ G ΔB with Ψ = (I − hA/2)⁻¹(I + hA/2) keeps the covariance Σ for which
//! (I − hA/2) Σ (I − hA/2)ᵀ = (I + hA/2) Σ (I + hA/2)ᵀ + h GGᵀ, and that is AΣ + ΣAᵀ + GGᵀ = 0, the equation of Lyapunov. θ = 1
//! is [implicit Euler](super::implicit_euler).

use crate::error::{Error, require};
use crate::grid::step_count;
use crate::model::Oscillator;
use crate::motion::{State, Trajectory, Warning};
use crate::scheme::oscillator::predictor_step::{self, Steps};
use crate::scheme::oscillator::theta_step::ThetaStep;
use crate::scheme::stepper::Stepper;

/// Solves `oscillator` on [0, `end`] (s) with steps `step` (s), ½ ≤ `theta` ≤ 1. With θ = ½ it is of second order between
/// events, and of first order at them; otherwise of first order.
///
/// # Errors
/// If a number is outside its range, a signal too short, a stop rigid, the path too long to be kept, or the motion leaves the range of
/// finite numbers.
///
/// ```
/// use stickslip::{Law, Oscillator, scheme::oscillator::theta};
/// # fn main() -> Result<(), stickslip::Error> {
/// // Each half swing against 1 N loses 2 m: 5.5, −3.5, 1.5, and at 0.5 m friction holds.
/// let o = Oscillator::new(1.0, 1.0, Law::coulomb(1.0)?).starting_at(5.5, 0.0);
/// let path = theta::solve(&o, 12.0, 1e-3, 0.5)?;
/// assert!((path.state(12.0).x - 0.5).abs() < 1e-2);
/// # Ok(()) }
/// ```
pub fn solve(
    oscillator: &Oscillator,
    end: f64,
    step: f64,
    theta: f64,
) -> Result<Trajectory, Error> {
    predictor_step::path(oscillator, end, step, |states| {
        advance(oscillator, end, step, theta, |n, state| states[n] = state)
    })
}

/// The same, streaming (n, X_n, V_n), n = 0 … N, to `observe` and keeping nothing.
///
/// # Errors
/// As [`solve`].
pub fn run(
    oscillator: &Oscillator,
    end: f64,
    step: f64,
    theta: f64,
    observe: impl FnMut(usize, State),
) -> Result<(), Error> {
    advance(oscillator, end, step, theta, observe).map(|_| ())
}

/// The run from `start` to `end` (s at the latest), at the caller's pace: see
/// [`Stepper`]. The oscillator's initial state holds at `start`; from 0 on the nodes are those of
/// [`solve`], to the last bit. Between two nodes the state is interpolated.
///
/// # Errors
/// As [`solve`].
pub fn cursor(
    oscillator: &Oscillator,
    start: f64,
    end: f64,
    step: f64,
    theta: f64,
) -> Result<Stepper<impl Steps + use<>>, Error> {
    oscillator.check_until(end)?;
    oscillator.refuse_rigid_stops("theta")?;
    check(theta)?;
    // All steps are equally long, so their coefficients are made once.
    let predictor = ThetaStep::new(oscillator, step, theta);
    predictor_step::stepper(oscillator, predictor, step, [start, end])
}

fn advance(
    o: &Oscillator,
    end: f64,
    step: f64,
    theta: f64,
    observe: impl FnMut(usize, State),
) -> Result<Option<Warning>, Error> {
    o.check_until(end)?;
    check(theta)?;
    // A rigid stop changes the velocity by an impulse, and this step knows only forces.
    o.refuse_rigid_stops("theta")?;
    let count = step_count(end, step)?;
    let predictor = ThetaStep::new(o, step, theta);
    let (last, warning) = predictor_step::march(o, &predictor, count, step, observe)?;
    predictor_step::check_finite(last, end, step)?;
    Ok(warning)
}

fn check(theta: f64) -> Result<(), Error> {
    // Below ½ the steps would gain energy.
    require("theta", theta, (0.5..=1.0).contains(&theta), "a number from 0.5 to 1")
}
