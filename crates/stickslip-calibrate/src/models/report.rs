//! What a fit says.

use super::compare::Comparison;
use crate::statistics::estimate::Estimate;
use serde::{Serialize, Serializer};
use stickslip::{Event, Phase};

/// An estimate with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// What was found.
    pub estimate: Estimate,
}

/// As a map from names.
fn by_name<S: Serializer>(all: &[Named], s: S) -> Result<S::Ok, S::Error> {
    s.collect_map(all.iter().map(|n| (&n.name, &n.estimate)))
}

/// A product or a ratio that the record fixes better than the numbers in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Combination {
    /// Its formula, in names of unknowns.
    pub what: String,
    /// Its value, SI.
    pub value: f64,
    /// Its relative standard error.
    pub relative_error: f64,
}

/// Covariances of the numbers that were sought, as the curvature of the squares has them; NaN for a number that the record does
/// not fix.
///
/// The intervals may be wider than the diagonal says: a profile or another minimum widens them, and the ranges cut them off.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Covariance {
    /// The unknowns, the numbers of sensors (`delay of x`) and the start (`start of x`, `start of v`), where they were sought.
    pub names: Vec<String>,
    /// One row for each of them, in products of their SI units.
    pub matrix: Vec<Vec<f64>>,
}

/// How well one column is met.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    /// What it measures.
    pub what: String,
    /// Its unit.
    pub unit: &'static str,
    /// Rows that count.
    pub samples: usize,
    /// Root mean square of measured minus fitted.
    pub rmse: f64,
    /// The same as a share of the root mean square of what was measured about its mean.
    pub relative: f64,
    /// The noise of the sensor, from the roughness of its readings.
    pub noise: f64,
    /// Numbers of the sensor that were asked for.
    pub tuned: Vec<Tuned>,
}

/// A number of a sensor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tuned {
    /// `gain`, `offset` or `delay`.
    pub what: &'static str,
    /// What was found.
    pub estimate: Estimate,
}

/// The record and the fitted motion.
#[derive(Debug, Clone, Default)]
pub struct Curves {
    /// Times, s.
    pub time: Vec<f64>,
    /// What was measured, one list for each sensor.
    pub measured: Vec<Vec<f64>>,
    /// What the fitted model shows there.
    pub fitted: Vec<Vec<f64>>,
    /// What its contact does, of a model with one.
    pub phase: Vec<Option<Phase>>,
    /// Events of the fitted motion, with the names of their places.
    pub events: Vec<(Event, String)>,
}

/// A model fitted to a record.
#[derive(Debug, Clone, Serialize)]
pub struct ModelFit {
    /// The unknowns.
    #[serde(serialize_with = "by_name")]
    pub parameters: Vec<Named>,
    /// The state at the start of the record, where it was sought.
    #[serde(serialize_with = "by_name")]
    pub start: Vec<Named>,
    /// How the errors of all that was sought go together.
    pub covariance: Covariance,
    /// Root mean square of what is left, of the only or the first column.
    pub rmse: f64,
    /// How well each column is met.
    pub measured: Vec<Measured>,
    /// What is known better than its parts.
    pub combinations: Vec<Combination>,
    /// Other friction laws beside this one.
    pub comparison: Option<Comparison>,
    /// Whether nothing speaks against the numbers.
    pub plausible: bool,
    /// Values that were compared.
    pub samples: usize,
    /// Parts of the record with starts of their own.
    pub pieces: usize,
    /// Rows that count as one: autocorrelation time of the residuals.
    pub autocorrelation: f64,
    /// How the derivatives were found: `exact` or `differences`.
    pub gradient: &'static str,
    /// Motions that were computed.
    pub evaluations: usize,
    /// Computing only, s.
    pub seconds: f64,
    /// One sentence each.
    pub warnings: Vec<String>,
    /// The record and the motion.
    #[serde(skip)]
    pub curves: Curves,
}
