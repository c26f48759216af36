//! A record together with everything that says how it is fitted.

use crate::bearing::options::{Options, ThermalBearing};
use crate::bearing::search::linear::Linear;
use crate::bearing::search::prepared::Prepared;
use crate::record::series::Series;

/// Twice the gain in log-likelihood that friction must bring over a straight line before it is
/// accepted. Under no friction the best of the many paths that are tried gains about 2 ln(10⁵) + 3.
pub const BELIEVABLE: f64 = 50.0;

/// The share by which friction must lessen the squared residual before it is accepted, however many readings there are. The second one
/// is for paths with more slips than [`BUSY`] in a reading, which say little more than which way the drive has gone since the reading
/// before: noise of the thermometer is felt in that direction and not in the response, and looks like such a friction.
pub const FAINT: [f64; 2] = [0.01, 0.1];
pub const BUSY: f64 = 0.2;

/// So many residuals counting as one make the search look again, and the reader be warned.
pub const SUSPICIOUS: f64 = 3.0;

/// A record as it is fitted, and how.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    /// The record: without spikes, behind the lag.
    pub series: &'a Series<'a>,
    /// The same, prepared.
    pub prepared: &'a Prepared<'a>,
    /// What is known of the bearing.
    pub model: &'a ThermalBearing,
    /// How to fit.
    pub options: &'a Options,
    /// Autocorrelation time of the residuals, samples.
    pub tau: f64,
    /// Rows that count.
    pub weight: f64,
    /// The straight line through response against drive.
    pub straight: Linear,
}
