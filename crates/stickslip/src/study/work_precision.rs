//! What a tolerance of `adaptive` costs and gives.

use crate::error::Error;
use crate::model::Oscillator;
use crate::motion::{State, Stretch};
use crate::portable;
use crate::scheme::oscillator::adaptive::{self, Options};
use crate::scheme::oscillator::exact;

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
///
/// # Errors
/// As the schemes `exact` and `adaptive`.
///
/// ```
/// use stickslip::{Law, Oscillator, study::work_precision::work_precision};
/// # fn main() -> Result<(), stickslip::Error> {
/// let o = Oscillator::new(1.0, 1.0, Law::coulomb(1.0)?).starting_at(5.5, 0.0);
/// let rows = work_precision(&o, 12.0, 4, 8)?;
/// assert!(rows.len() == 5 && rows[4].error < 1e-3 * rows[0].error);
/// # Ok(()) }
/// ```
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
            Stretch::Dense(dense) => dense.steps(),
            _ => 0,
        });
        Ok(Work { rtol, steps: steps.sum(), error, events })
    };
    (from..=to).map(row).collect()
}

fn norm(a: State, b: State) -> f64 {
    portable::hypot(a.x - b.x, a.v - b.v)
}
