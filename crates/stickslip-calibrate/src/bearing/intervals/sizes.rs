//! Sizes of the errors that least squares does not see.

use crate::bearing::intervals::rounding::Rounding;
use crate::bearing::intervals::thermometer::Mistimed;

/// Standard deviation and 95 % interval of a number, as an excess over its value, s.
pub type Excess = (f64, [f64; 2]);

/// What was found about errors that least squares does not see.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sizes {
    /// Noise of the drive; `None`: unknown.
    pub drive: Option<f64>,
    /// Rows next to slips where the response says that the slip came earlier or later; `None` where that cannot be seen.
    pub mistimed: Option<Mistimed>,
    /// Standard deviation and 95 % interval of a lag or a shift that is fitted, as an excess over its value, s.
    pub number: Option<Excess>,
    /// Rounding of the response.
    pub rounding: Option<Rounding>,
    /// How far the drive may go beyond its readings between them, in its unit, where that is of account beside ρ.
    pub wander: Option<f64>,
    /// Whether something else explains the residuals.
    pub explained: bool,
    /// Root mean square of the residuals, m, and their robust standard deviation.
    pub residuals: [f64; 2],
}
