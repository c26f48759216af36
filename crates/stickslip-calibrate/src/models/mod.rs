//! Any model fitted to any record: what is asked, and what comes out.
//!
//! A [`Family`] gives the model for any values of its unknowns, a [`Question`] says what was measured. The fit is a
//! residual function with its gradient and bounds (`setup`, a `Misfit`):
//!
//! 1. `search`: differential evolution over the box of the unknowns. The record is cut into short pieces, each of which
//!    starts from what was measured there, so that one missed slip does not spoil what follows;
//!    `parts`: a long record of which the model explains nothing is refused here;
//! 2. `least_squares`: the whole record in one motion, its start unknown too, by Levenberg and Marquardt's method with
//!    derivatives through stick and slip ([`stickslip::study::sensitivity`]) where the model allows it, and divided
//!    differences of the solution otherwise (`whole`). Where one motion cannot follow the record, pieces with starts of their own;
//!    `around`: better minima, and rivals;
//!    `beginnings`: those of a long record are looked for in its beginning and followed to the whole;
//! 3. `sure`: intervals from the curvature with residuals that remember their neighbours, from the profile of the
//!    squares on request; which numbers, or which of their ratios, the record fixes;
//! 4. `compare`: the same with other friction laws, and what that says about the contact;
//! 5. `verdict`: what speaks against the numbers.

mod apart;
mod around;
mod beginnings;
mod compare;
mod fit;
pub(crate) mod least_squares;
mod parts;
mod report;
mod search;
mod setup;
#[cfg(test)]
mod shaken;
mod sure;
mod verdict;
mod whole;

pub use compare::{Answer, Candidate, Comparison};
pub use fit::fit;
pub use report::{Combination, Covariance, Curves, Measured, ModelFit, Named, Tuned};

use stickslip::{Problem, Scheme};

/// Models that differ in the values of their unknowns.
pub trait Family: Sync {
    /// The model with these values, and the end of the record as the end of its run.
    ///
    /// # Errors
    /// Where there is no such model.
    fn problem(&self, values: &[f64]) -> Result<Problem, stickslip::Error>;

    /// The model on the part of the record from `from` to `to` (s), its time counted from `from`. `None`: it is cut from
    /// [`Family::problem`], which serves as long as the model's own signals are all that depends on time.
    fn part(
        &self,
        _values: &[f64],
        [_from, _to]: [f64; 2],
    ) -> Option<Result<Problem, stickslip::Error>> {
        None
    }
}

/// A number of the model that is to be found.
#[derive(Debug, Clone, PartialEq)]
pub struct Unknown {
    /// What it is called.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// Where it lies.
    pub range: [f64; 2],
    /// Another unknown that it is never below: the friction at rest is never below that in slip.
    pub above: Option<usize>,
}

/// A number of a sensor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sought {
    /// It is known.
    Known(f64),
    /// It is to be found in this range.
    Within([f64; 2]),
}

/// A measured column: gain · what(t − delay) + offset, or the mean of that over an interval.
#[derive(Debug, Clone)]
pub struct Sensor {
    /// What it measures: a column of a solution such as `x`, `v`, `friction` or `x_NAME`; or `acceleration`.
    pub what: String,
    /// Its unit.
    pub unit: &'static str,
    /// The values, one for each time; NaN where one is missing.
    pub values: Vec<f64>,
    /// The factor. Sought beside the forces of a contact it can end beside the truth with a narrow interval: a
    /// calibrated sensor is better. Fit files take a number only.
    pub gain: Sought,
    /// What is added, in the unit of the column.
    pub offset: Sought,
    /// How late it is, s.
    pub delay: Sought,
    /// The length T (s) of the interval over which a logger takes the mean, (1/T) ∫ from t − T to t of what it measures:
    /// the time of a row is the end of its interval. 0: a row is a reading at its time.
    pub average: f64,
}

/// A record, and what is asked about it.
#[derive(Debug, Clone)]
pub struct Question {
    /// Times from 0, s, increasing.
    pub time: Vec<f64>,
    /// Rows, other than the first, at which another record of the same machine begins.
    pub breaks: Vec<usize>,
    /// What was measured.
    pub sensors: Vec<Sensor>,
    /// What is to be found.
    pub unknowns: Vec<Unknown>,
    /// How the model is solved.
    pub scheme: Scheme,
    /// Whether the state at the start is to be found too (of an oscillator whose displacement is measured).
    pub start: bool,
    /// Pieces of the record with starts of their own; `None`: one, and more where one cannot follow the record.
    pub pieces: Option<usize>,
    /// Whether other friction laws are tried.
    pub compare: bool,
    /// Whether intervals are taken from the profile of the squares.
    pub profile: bool,
    /// Seed of the search.
    pub seed: u64,
}
