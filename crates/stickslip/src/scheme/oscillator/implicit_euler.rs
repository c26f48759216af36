//! Implicit Euler for the inclusion (Bastien, Bernardin, Lamarque 2013, §1.2.3, (2.32)).
//!
//! ```text
//! X⁺ = X + h V⁺
//! m (V⁺ − V)/h + c V⁺ + K X⁺ + A(V⁺ − v_s⁺) ∋ K d⁺ + f⁺ + g(X, V, t⁺)
//! ```
//!
//! Linear forces and friction are implicit, so stiffness limits no step; forces g that are not
//! linear are explicit. With w = V − v_s one step is w⁺ = (I + λA)⁻¹ p,
//!
//! ```text
//! λ = h/M,   M = m + h c + h² K,   p = (m V + h (K d⁺ + f⁺ + g − K X))/M − v_s⁺
//! ```
//!
//! Monotone laws make it a contraction; in stick w is exactly zero. Rules (static–dynamic, ageing)
//! stick if they can.

use crate::error::Error;
use crate::grid::step_count;
use crate::model::{Forces, Oscillator};
use crate::motion::{State, Trajectory, Warning};
use crate::scheme::oscillator::predictor_step::{self, Predictor, Steps};
use crate::scheme::stepper::Stepper;
use crate::signal::Read;

/// Solves `oscillator` on [0, `end`] (s) with steps `step` (s); first order.
///
/// # Errors
/// If a number is outside its range, a signal too short, a stop rigid, the path too long to be kept, or the motion leaves the range of
/// finite numbers.
///
/// ```
/// use stickslip::{Law, Oscillator, scheme::oscillator::implicit_euler};
/// # fn main() -> Result<(), stickslip::Error> {
/// // Each half swing against 1 N loses 2 m: 5.5, −3.5, 1.5, and at 0.5 m friction holds.
/// let o = Oscillator::new(1.0, 1.0, Law::coulomb(1.0)?).starting_at(5.5, 0.0);
/// let path = implicit_euler::solve(&o, 12.0, 1e-4)?;
/// assert!((path.state(12.0).x - 0.5).abs() < 1e-2);
/// # Ok(()) }
/// ```
pub fn solve(oscillator: &Oscillator, end: f64, step: f64) -> Result<Trajectory, Error> {
    predictor_step::path(oscillator, end, step, |states| {
        advance(oscillator, end, step, |n, state| states[n] = state)
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
    observe: impl FnMut(usize, State),
) -> Result<(), Error> {
    advance(oscillator, end, step, observe).map(|_| ())
}

/// The run from `start` to `end` (s at the latest), at the caller's pace: see
/// [`Stepper`]. The oscillator's initial state holds at `start`; from 0 on the nodes are those of
/// [`solve`], to the last bit. Between two nodes the state is interpolated.
///
/// # Errors
/// As [`solve`].
///
/// ```
/// use stickslip::scheme::cursor::Advance;
/// use stickslip::{Law, Oscillator, scheme::oscillator::implicit_euler};
/// # fn main() -> Result<(), stickslip::Error> {
/// let o = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0)?).starting_at(6.0, 0.0);
/// let (mut stepper, mut events) = (implicit_euler::cursor(&o, 0.0, 20.0, 1e-3)?, Vec::new());
/// while stepper.time() < 20.0 {
///     stepper.advance_to((stepper.time() + 0.37).min(20.0), &mut events)?;
/// }
/// assert_eq!(events, implicit_euler::solve(&o, 20.0, 1e-3)?.events());
/// # Ok(()) }
/// ```
pub fn cursor(
    oscillator: &Oscillator,
    start: f64,
    end: f64,
    step: f64,
) -> Result<Stepper<impl Steps + use<>>, Error> {
    oscillator.check_until(end)?;
    oscillator.refuse_rigid_stops("implicit-euler")?;
    let implicit = Implicit::new(oscillator, step);
    predictor_step::stepper(oscillator, implicit, step, [start, end])
}

fn advance(
    o: &Oscillator,
    end: f64,
    step: f64,
    observe: impl FnMut(usize, State),
) -> Result<Option<Warning>, Error> {
    o.check_until(end)?;
    o.refuse_rigid_stops("implicit-euler")?;
    let count = step_count(end, step)?;
    let (last, warning) = predictor_step::march(o, &Implicit::new(o, step), count, step, observe)?;
    predictor_step::check_finite(last, end, step)?;
    Ok(warning)
}

/// Everything linear at the end of the step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Implicit {
    m: f64,
    c: f64,
    k: f64,
    h: f64,
}

impl Implicit {
    fn new(o: &Oscillator, h: f64) -> Self {
        Self { m: o.mass, c: o.damping, k: o.stiffness, h }
    }
}

impl Predictor for Implicit {
    fn predict<R: Read>(&self, f: &mut Forces<'_, R>, u: State, _: f64, t_next: f64) -> (f64, f64) {
        let Self { m, c, k, h } = *self;
        // What the linear forces of the end of the step make of the mass: they contain V⁺ and X⁺ = X + h V⁺.
        let mass = m + h * (c + h * k);
        let (loading, d) = f.loading(t_next);
        let b = loading + f.nonlinear(d, u.x, u.v, t_next) - k * u.x;
        // (m V + h b)/M and h/M, with X⁺ = X + h V⁺ put in: the K X of the place before remains in b.
        ((m * u.v + h * b) / mass, h / mass)
    }

    fn displacement(&self, u: State, v_next: f64) -> f64 {
        u.x + self.h * v_next
    }

    /// h/(m + hc + h²K) < λ for every h below the smaller root of λK h² − (1 − λc) h + λm = 0.
    fn step_for(&self, lambda: f64) -> f64 {
        let Self { m, c, k, .. } = *self;
        let b = 1.0 - lambda * c;
        let discriminant = b * b - 4.0 * lambda * lambda * k * m;
        if b <= 0.0 || discriminant < 0.0 {
            return f64::INFINITY; // the damping or the stiffness keeps every step single-valued
        }
        2.0 * lambda * m / (b + discriminant.sqrt())
    }
}
