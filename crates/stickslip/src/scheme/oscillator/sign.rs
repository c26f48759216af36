//! Schemes with the usual sign (sign 0 = 0): what fails, shown (Bastien, Bernardin, Lamarque 2013, §1.2.2).
//!
//! The usual sign turns the inclusion into a differential equation without a solution. The explicit
//! scheme oscillates about rest for ever; the implicit one soon has no next value at all. Neither has phases of rest, so
//! neither can see where a solution is not unique: their paths carry no warning of it.

use crate::error::Error;
use crate::grid::{kept_count, step_count};
use crate::model::{Forces, Oscillator};
use crate::motion::{Grid, State, Trajectory};
use crate::scheme::oscillator::predictor_step;
use crate::scheme::stepper;

/// The usual sign, 0 at 0.
fn sign(w: f64) -> f64 {
    if w == 0.0 { 0.0 } else { w.signum() }
}

/// A(|w|) sign w with the usual sign, N: the friction of a law misread as a function.
pub(crate) fn usual_friction(o: &Oscillator, w: f64, normal: f64) -> f64 {
    sign(w) * normal * o.friction.force(w, w.abs())
}

/// Explicit Euler with the usual sign: V⁺ = V + (h/m)(b(X, V, t) − A(|w|) sign w), X⁺ = X + hV.
///
/// # Errors
/// If a number is outside its range, a signal too short, a stop rigid, or the motion leaves the range of finite numbers.
///
/// ```
/// use stickslip::{Law, Oscillator, scheme::oscillator::sign::sign_euler};
/// # fn main() -> Result<(), stickslip::Error> {
/// // Each half swing against 1 N loses 2 m: 5.5, −3.5, 1.5, and at 0.5 m friction holds.
/// let o = Oscillator::new(1.0, 1.0, Law::coulomb(1.0)?).starting_at(5.5, 0.0);
/// let path = sign_euler(&o, 12.0, 1e-4)?;
/// // near the right place, but never at rest
/// assert!((path.state(12.0).x - 0.5).abs() < 1e-2);
/// assert!([11.0, 11.5, 12.0].iter().any(|t| path.state(*t).v != 0.0));
/// # Ok(()) }
/// ```
pub fn sign_euler(o: &Oscillator, end: f64, step: f64) -> Result<Trajectory, Error> {
    let mut states = Vec::with_capacity(kept_count(end, step)? + 1);
    run_sign_euler(o, end, step, |_, u| states.push(u))?;
    Ok(predictor_step::phases(Grid { step, states }, end, &o.support))
}

/// The same, streaming (n, X_n, V_n), n = 0 … N, to `observe` and keeping nothing.
///
/// # Errors
/// As [`sign_euler`].
pub fn run_sign_euler(
    o: &Oscillator,
    end: f64,
    step: f64,
    observe: impl FnMut(usize, State),
) -> Result<(), Error> {
    o.check_until(end)?;
    o.refuse_rigid_stops("sign-euler")?;
    let count = step_count(end, step)?;
    let h = step;
    let mut forces = Forces::new(o);
    let start = State::from(o.initial);
    let take = |u: State, [t, _]: [f64; 2]| {
        let w = u.v - forces.support(t);
        let b = forces.load(u.x, u.v, t) - usual_friction(o, w, forces.normal(u.x, t));
        Ok(State { x: u.x + h * u.v, v: u.v + h / o.mass * b })
    };
    let last = stepper::march(count, h, start, take, observe)?;
    predictor_step::check_finite(last, end, step)
}

/// Implicit Euler with the usual sign, the load explicit: V⁺ + (h/m) f_d sign(w⁺) = V + (h/m) b(X, V, t).
///
/// It usually has no solution: then the error is [`Error::StepWithoutSolution`] with the step.
///
/// # Errors
/// As [`sign_euler`], and [`Error::StepWithoutSolution`].
///
/// ```
/// use stickslip::{Law, Oscillator, scheme::oscillator::sign::sign_implicit};
/// # fn main() -> Result<(), stickslip::Error> {
/// // Each half swing against 1 N loses 2 m: 5.5, −3.5, 1.5, and at 0.5 m friction holds.
/// let o = Oscillator::new(1.0, 1.0, Law::coulomb(1.0)?).starting_at(5.5, 0.0);
/// let failed = sign_implicit(&o, 12.0, 1e-2);
/// assert!(matches!(failed, Err(stickslip::Error::StepWithoutSolution { .. })));
/// # Ok(()) }
/// ```
pub fn sign_implicit(o: &Oscillator, end: f64, step: f64) -> Result<Trajectory, Error> {
    o.check_until(end)?;
    o.refuse_rigid_stops("sign-implicit")?;
    let count = step_count(end, step)?;
    let h = step;
    let mut forces = Forces::new(o);
    let mut n = 0;
    let take = |u: State, [t, t_next]: [f64; 2]| {
        n += 1;
        let support = forces.support(t_next);
        let p = u.v + h / o.mass * forces.load(u.x, u.v, t) - support;
        let lambda = h / o.mass * forces.normal(u.x, t_next);
        // sign 0 = 0 solves p = 0. A solution w ≠ 0 solves the inclusion too; where the inclusion sticks with p ≠ 0, the
        // usual sign has no solution.
        let w = if p == 0.0 { 0.0 } else { o.friction.step(p, lambda, 0.0, u.v - support).w };
        if p != 0.0 && w == 0.0 {
            return Err(Error::StepWithoutSolution {
                scheme: "sign-implicit",
                step: n,
                time: t_next,
                // v⁺ > 0 needs p > λf, v⁺ < 0 needs p < −λf, and v⁺ = 0 needs p = 0.
                reason: "with sign(0) = 0 there is no friction at rest to balance the load; use \
                         implicit-euler, whose sign is set-valued"
                    .to_owned(),
            });
        }
        Ok(State { x: u.x + h * u.v, v: w + support })
    };
    let start = State::from(o.initial);
    let mut states = Vec::with_capacity(count + 1);
    let last = stepper::march(count, h, start, take, |_, u| states.push(u))?;
    predictor_step::check_finite(last, end, step)?;
    Ok(predictor_step::phases(Grid { step, states }, end, &o.support))
}
