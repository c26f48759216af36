//! Empirical order of a scheme: its error for steps h, h/2, h/4, …
//!
//! One table serves every model and every scheme: it takes the solution as a function of the step. What is
//! halved need not be a step in time; for soft walls it is their compliance.
//!
//! The norm of a mass with friction (on a line, on a plane or with memory), a cascade and a network is the supremum over the run of the Euclidean
//! distance of two states: displacements of all points and velocities of those with mass, on the linear
//! interpolants. Nodes without mass that jump (f_s > f_d) do so at slightly different times, which no supremum
//! forgives: such networks show no order. Between walls it is [`impact_distance`], and of a machine with rigid stops the same: the
//! supremum of the distance of the displacements and the mean of that of the velocities, which jump. Of a contact with memory whose displacement
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

/// The motion that the error of a scheme is measured against: the exact one, and where `exact` does not treat the model
/// that of `adaptive` at 1e-12.
///
/// # Errors
/// If the problem is not well posed, or has no such motion.
pub fn reference(problem: &Problem) -> Result<Solution, Error> {
    match solve(problem, &Scheme::Exact) {
        Err(Error::Unsuitable { .. }) => {
            solve(problem, &Scheme::Adaptive(Options::tolerance(1e-12)))
        }
        solved => solved,
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
/// different kinds have none.
fn distance(a: &Solution, b: &Solution, model: &Model, spacing: f64) -> f64 {
    let norm = Distance { spacing, jumps: model.velocities_jump() };
    if let (Some(a), Some(b)) = (a.oscillator(), b.oscillator()) {
        return norm.of(a, b, |u, w| [(u.x - w.x).abs(), (u.v - w.v).abs()]);
    }
    if let (Some(a), Some(b)) = (a.cascade(), b.cascade()) {
        return norm.of(a, b, |u, w| [(u.x - w.x).abs(), (u.v - w.v).abs()]);
    }
    if let (Some(a), Some(b)) = (a.hysteretic(), b.hysteretic()) {
        let led = matches!(model, Model::Hysteretic(h) if h.body().is_none());
        return norm.of(a, b, |u, w| match led {
            true => [(u.friction - w.friction).abs(), 0.0],
            false => [(u.x - w.x).abs(), (u.v - w.v).abs()],
        });
    }
    if let (Some(a), Some(b)) = (a.planar(), b.planar()) {
        return norm.of(a, b, |u, w| {
            let off = |a: [f64; 2], b: [f64; 2]| portable::hypot(a[0] - b[0], a[1] - b[1]);
            [off(u.x, w.x), off(u.v, w.v)]
        });
    }
    let euclid =
        |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    if let (Some(a), Some(b)) = (a.isolated(), b.isolated()) {
        return norm.of(a, b, |u, w| [euclid(&u.q, &w.q), euclid(&u.v, &w.v)]);
    }
    if let (Some(a), Some(b)) = (a.impact(), b.impact()) {
        return impact_distance(a, b);
    }
    // The velocity of a node without mass is no state.
    let masses = model.have_mass();
    let speeds = |v: &[f64], w: &[f64]| {
        let moving = v.iter().zip(w).zip(&masses).filter(|p| *p.1);
        moving.map(|((v, w), _)| (v - w).powi(2)).sum::<f64>().sqrt()
    };
    if let (Some(u), Some(w)) = (a.machine_states(), b.machine_states()) {
        // Those of steps and those of arcs are paths of two kinds.
        let (start, end) = a.span();
        let last = ((end - start) / spacing).round().max(1.0);
        let times = (0..=last as usize).map(|k| start + (end - start) * (k as f64 / last));
        let pairs = times.map(|t| (u(t), w(t)));
        return norm.over(pairs, |u, w| [euclid(&u.x, &w.x), speeds(&u.v, &w.v)]);
    }
    let (Some(a), Some(b)) = (a.network(), b.network()) else { return f64::NAN };
    norm.of(a, b, |u, w| [euclid(&u.x, &w.x), speeds(&u.v, &w.v)])
}

/// How far two paths are apart.
struct Distance {
    /// Of the grid on which they are compared, s.
    spacing: f64,
    /// Whether velocities jump: one that jumps a little too late is wrong by the whole jump, so that only their mean converges.
    jumps: bool,
}

impl Distance {
    /// The supremum of the distance, `parts` of which are those of the displacements and of the velocities.
    fn of<M: Motion>(
        &self,
        a: &Path<M>,
        b: &Path<M>,
        parts: impl Fn(&M::State, &M::State) -> [f64; 2],
    ) -> f64 {
        let count = ((a.span().1 - a.span().0) / self.spacing).round() as usize + 1;
        self.over(a.sample(count).zip(b.sample(count)).map(|(u, w)| (u.1, w.1)), parts)
    }

    /// The same of pairs of states.
    fn over<S>(
        &self,
        pairs: impl Iterator<Item = (S, S)>,
        parts: impl Fn(&S, &S) -> [f64; 2],
    ) -> f64 {
        let mut most = 0.0f64;
        let mut sum = 0.0;
        let mut count = 0.0;
        for (u, w) in pairs {
            let [x, v] = parts(&u, &w);
            most = most.max(if self.jumps { x } else { portable::hypot(x, v) });
            sum += v;
            count += 1.0;
        }
        if self.jumps { most + sum / count } else { most }
    }
}
