//! Sizes of the errors that least squares does not see.

use crate::rounding::Rounding;
use crate::thermometer::Timing;

/// What was found about errors that least squares does not see.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sizes {
    /// Noise of the drive; `None`: unknown.
    pub drive: Option<f64>,
    /// What the timing of the slips says.
    pub timing: Option<Timing>,
    /// Rounding of the response.
    pub rounding: Option<Rounding>,
    /// Whether something else explains the residuals.
    pub explained: bool,
}
