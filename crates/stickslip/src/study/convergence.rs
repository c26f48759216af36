//! Empirical order of the time-stepping schemes (seed 000 §3.3.3, Table 1).
//!
//! The norm is the seed's: the supremum over the run of the Euclidean distance in (x, ẋ) between
//! the linear interpolants of two solutions, or between an interpolant and the exact solution.

use crate::error::Error;
use crate::model::Oscillator;
use crate::motion::{Arc, State, Trajectory};
use crate::scheme::adaptive::{self, Options};
use crate::scheme::{euler, exact};

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
    /// The exact solution; where the model has no closed form, `adaptive` at 1e-12.
    Exact,
}

/// A time-stepping scheme: oscillator, end (s) and step (s) to path.
pub type Stepper = fn(&Oscillator, f64, f64) -> Result<Trajectory, Error>;

/// [`table_of`] the Euler scheme.
pub fn table(
    oscillator: &Oscillator,
    end: f64,
    step: f64,
    halvings: u32,
    against: Against,
) -> Result<Vec<Row>, Error> {
    table_of(euler::solve, oscillator, end, step, halvings, against)
}

/// The motion that a scheme's error is measured against.
pub fn reference(oscillator: &Oscillator, end: f64) -> Result<Trajectory, Error> {
    match exact::solve(oscillator, end) {
        Err(Error::Unsuitable { .. }) => {
            adaptive::solve(oscillator, end, Options::tolerance(1e-12))
        }
        solved => solved,
    }
}

/// The table for steps `step`, `step`/2, …, halved `halvings` times. Against itself the last step
/// only serves as a reference, so there are `halvings` rows; against the exact solution one more.
pub fn table_of(
    scheme: Stepper,
    oscillator: &Oscillator,
    end: f64,
    step: f64,
    halvings: u32,
    against: Against,
) -> Result<Vec<Row>, Error> {
    let solve = |j: u32| scheme(oscillator, end, step / f64::from(1u32 << j));
    let steps = |j: u32| step / f64::from(1u32 << j);
    let mut rows = Vec::new();
    match against {
        Against::Itself => {
            let mut coarse = solve(0)?;
            for j in 0..halvings {
                let fine = solve(j + 1)?;
                rows.push((steps(j), distance(&coarse, &fine, end, steps(j + 1))));
                coarse = fine;
            }
        }
        Against::Exact => {
            let truth = reference(oscillator, end)?;
            for j in 0..=halvings {
                // Between nodes the exact path is curved: look at eight points in each step.
                rows.push((steps(j), distance(&solve(j)?, &truth, end, steps(j) / 8.0)));
            }
        }
    }
    Ok(with_orders(&rows))
}

/// What `adaptive` does with one tolerance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Work {
    /// rtol; atol is a thousandth of it.
    pub rtol: f64,
    /// Steps of all slips.
    pub steps: usize,
    /// sup |u − u_exact| in the plane (x, ẋ).
    pub error: f64,
    /// Greatest error of an event's time, s; none if the events are not the same.
    pub events: Option<f64>,
}

/// Instants at which the paths of a work–precision table are compared.
const INSTANTS: usize = 4001;

/// The work–precision table of `adaptive` for tolerances 10^−`from` to 10^−`to`, against the exact
/// solution (where there is none, `adaptive` at 1e-13).
pub fn work_precision(o: &Oscillator, end: f64, from: i32, to: i32) -> Result<Vec<Work>, Error> {
    let truth = match exact::solve(o, end) {
        Err(Error::Unsuitable { .. }) => adaptive::solve(o, end, Options::tolerance(1e-13))?,
        solved => solved?,
    };
    let row = |k: i32| {
        let rtol = 10f64.powi(-k);
        let path = adaptive::solve(o, end, Options::tolerance(rtol))?;
        let pairs = path.sample(INSTANTS).zip(truth.sample(INSTANTS));
        let error = pairs.map(|((_, a, _), (_, b, _))| norm(a, b)).fold(0.0, f64::max);
        let both = || path.events().iter().zip(truth.events());
        let same =
            path.events().len() == truth.events().len() && both().all(|(a, b)| a.kind == b.kind);
        let events = same.then(|| both().map(|(a, b)| (a.time - b.time).abs()).fold(0.0, f64::max));
        let steps = path.segments().iter().map(|s| match &s.arc {
            Arc::Dense(dense) => dense.steps(),
            _ => 0,
        });
        Ok(Work { rtol, steps: steps.sum(), error, events })
    };
    (from..=to).map(row).collect()
}

/// Adds ratios and orders to (h, error) pairs.
pub fn with_orders(errors: &[(f64, f64)]) -> Vec<Row> {
    let row = |(i, &(h, error)): (usize, &(f64, f64))| {
        let ratio = errors.get(i + 1).map(|next| error / next.1);
        Row { h, error, ratio, order: ratio.map(f64::log2) }
    };
    errors.iter().enumerate().map(row).collect()
}

/// sup over the nodes of spacing `spacing` of |u − w| in the plane (x, ẋ).
fn distance(u: &Trajectory, w: &Trajectory, end: f64, spacing: f64) -> f64 {
    let count = (end / spacing).round() as usize + 1;
    let pairs = u.sample(count).zip(w.sample(count));
    pairs.map(|((_, a, _), (_, b, _))| norm(a, b)).fold(0.0, f64::max)
}

fn norm(a: State, b: State) -> f64 {
    (a.x - b.x).hypot(a.v - b.v)
}
