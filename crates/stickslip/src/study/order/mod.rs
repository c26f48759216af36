//! Empirical order of a scheme: its error for steps h, h/2, h/4, …
//!
//! One table serves every model and every scheme: it takes the solution as a function of the step. What is
//! halved need not be a step in time; for soft walls it is their compliance.
//!
//! The norm of a mass with friction (on a line, on a plane or with memory), a cascade and a network is the supremum over the run of the Euclidean
//! distance of two states: displacements of all points and velocities of those with mass, on the linear
//! interpolants. Nodes without mass that jump (f_s > f_d) do so at slightly different times, which no supremum
//! forgives: such networks show no order. Between walls it is [`impact_distance`]. Of a contact with memory whose displacement
//! is given it is the supremum of the difference of the frictions.

mod impact;
pub mod noisy;

pub use impact::{Softness, distance as impact_distance};

use crate::error::Error;
use crate::model::{Model, Problem};
use crate::motion::{Motion, Path};
use crate::portable;
use crate::scheme::oscillator::adaptive::Options;
use crate::solution::{Scheme, Solution, solve};

/// One line of the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Step h, s.
    pub h: f64,
    /// ‖u^h − u^{h/2}‖, or ‖u^h − u‖ against the exact solution.
    pub error: f64,
    /// q(h) = error(h)/error(h/2); none in the last row.
    pub ratio: Option<f64>,
    /// p(h) = log₂ q(h).
    pub order: Option<f64>,
}

/// What the scheme is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// The same scheme at half the step.
    Itself,
    /// The [`reference()`] solution.
    Exact,
}

/// The steps h, h/2, …, h/2^n.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Halving {
    /// h, s.
    pub step: f64,
    /// n.
    pub halvings: u32,
}

impl Halving {
    /// h/2^j.
    pub fn step(&self, j: u32) -> f64 {
        self.step * 0.5f64.powi(j as i32)
    }
}

/// The motion that the error of a scheme is measured against: the exact one; of an oscillator that has no closed
/// form, a mass on a plane and a contact with memory `adaptive` at 1e-12.
///
/// # Errors
/// If the problem is not well posed, or has no such motion.
pub fn reference(problem: &Problem) -> Result<Solution, Error> {
    match (solve(problem, &Scheme::Exact), &problem.model) {
        (
            Err(Error::Unsuitable { .. }),
            Model::Oscillator(_) | Model::Planar(_) | Model::Hysteretic(_),
        ) => solve(problem, &Scheme::Adaptive(Options::tolerance(1e-12))),
        (solved, _) => solved,
    }
}

/// The errors of the solutions `solve(h)` of `problem` for the steps of `halving`. Against itself the last
/// solution only serves as a reference, so there are n rows; against the exact solution one more.
///
/// ```
/// use stickslip::study::order::{Against, Halving, table};
/// use stickslip::{Law, Oscillator, Problem, Scheme, Signal, solve};
/// # fn main() -> Result<(), stickslip::Error> {
/// let o = Oscillator::new(1.0, 1.0, Law::coulomb(1.0)?).with_drive(Signal::harmonic(6.0, 0.5, 0.0));
/// let problem = Problem::new(o, 5.0);
/// let halving = Halving { step: 0.1, halvings: 6 };
/// let rows = table(&problem, halving, Against::Exact, |step| {
///     solve(&problem, &Scheme::Euler { step })
/// })?;
/// assert!(rows.len() == 7 && (rows[5].order.unwrap() - 1.0).abs() < 0.1);
/// # Ok(()) }
/// ```
///
/// # Errors
/// Those of `solve`, and of the [`reference()`].
pub fn table(
    problem: &Problem,
    halving: Halving,
    against: Against,
    solve: impl Fn(f64) -> Result<Solution, Error>,
) -> Result<Vec<Row>, Error> {
    let model = &problem.model;
    let mut rows = Vec::new();
    match against {
        Against::Itself => {
            let mut coarse = solve(halving.step(0))?;
            for j in 0..halving.halvings {
                let h = halving.step(j);
                let half = halving.step(j + 1);
                let fine = solve(half)?;
                rows.push((h, distance(&coarse, &fine, model, half)));
                coarse = fine;
            }
        }
        Against::Exact => {
            let truth = reference(problem)?;
            // Between nodes the exact path of a mass is curved: look at eight points in each step.
            let curved = truth.oscillator().is_some()
                || truth.planar().is_some()
                || truth.hysteretic().is_some();
            let points = if curved { 8.0 } else { 1.0 };
            for j in 0..=halving.halvings {
                let h = halving.step(j);
                rows.push((h, distance(&solve(h)?, &truth, model, h / points)));
            }
        }
    }
    Ok(with_orders(&rows))
}

/// Adds ratios and orders to (h, error) pairs.
pub fn with_orders(errors: &[(f64, f64)]) -> Vec<Row> {
    let row = |(i, &(h, error)): (usize, &(f64, f64))| {
        let ratio = errors.get(i + 1).map(|next| error / next.1);
        Row { h, error, ratio, order: ratio.map(portable::log2) }
    };
    errors.iter().enumerate().map(row).collect()
}

/// The distance of two solutions of one model, on a grid of `spacing` (s) where it is a supremum. Solutions of
/// different kinds have none, and of machines none is defined.
fn distance(a: &Solution, b: &Solution, model: &Model, spacing: f64) -> f64 {
    if let (Some(a), Some(b)) = (a.oscillator(), b.oscillator()) {
        return sup(a, b, spacing, |u, w| portable::hypot(u.x - w.x, u.v - w.v));
    }
    if let (Some(a), Some(b)) = (a.cascade(), b.cascade()) {
        return sup(a, b, spacing, |u, w| portable::hypot(u.x - w.x, u.v - w.v));
    }
    if let (Some(a), Some(b)) = (a.hysteretic(), b.hysteretic()) {
        let led = matches!(model, Model::Hysteretic(h) if h.body().is_none());
        return sup(a, b, spacing, |u, w| match led {
            true => (u.friction - w.friction).abs(),
            false => portable::hypot(u.x - w.x, u.v - w.v),
        });
    }
    if let (Some(a), Some(b)) = (a.planar(), b.planar()) {
        return sup(a, b, spacing, |u, w| {
            let off = |a: [f64; 2], b: [f64; 2]| portable::hypot(a[0] - b[0], a[1] - b[1]);
            portable::hypot(off(u.x, w.x), off(u.v, w.v))
        });
    }
    if let (Some(a), Some(b)) = (a.isolated(), b.isolated()) {
        return sup(a, b, spacing, |u, w| {
            let off =
                |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
            (off(&u.q, &w.q) + off(&u.v, &w.v)).sqrt()
        });
    }
    if let (Some(a), Some(b)) = (a.impact(), b.impact()) {
        return impact_distance(a, b);
    }
    let (Some(a), Some(b)) = (a.network(), b.network()) else { return f64::NAN };
    let masses = model.have_mass();
    sup(a, b, spacing, |u, w| {
        let x = u.x.iter().zip(&w.x).map(|(a, b)| (a - b).powi(2));
        let moving = u.v.iter().zip(&w.v).zip(&masses).filter(|p| *p.1);
        (x.sum::<f64>() + moving.map(|((a, b), _)| (a - b).powi(2)).sum::<f64>()).sqrt()
    })
}

/// The largest distance on a grid of spacing `h` (s).
pub(super) fn sup<M: Motion>(
    a: &Path<M>,
    b: &Path<M>,
    h: f64,
    norm: impl Fn(&M::State, &M::State) -> f64,
) -> f64 {
    let count = ((a.span().1 - a.span().0) / h).round() as usize + 1;
    let pairs = a.sample(count).zip(b.sample(count));
    pairs.map(|((_, u, _), (_, w, _))| norm(&u, &w)).fold(0.0, f64::max)
}
