//! The fitted motion, row by row, and its slips.

use serde::Serialize;

/// The fitted motion at every row of the series.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curve {
    /// The drive, linear across missing values; NaN inside long gaps and beyond the ends.
    pub drive: Vec<f64>,
    /// The fitted response, m; NaN as above.
    pub fitted: Vec<f64>,
    /// x = βξ, m; NaN as above.
    pub x: Vec<f64>,
    /// +1 or −1 where a slip forward or backward began since the row before, 0 in stick.
    pub phase: Vec<i8>,
}

/// One slip of the fitted path.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Slip {
    /// When it begins, s: located inside the sampling interval.
    pub time: f64,
    /// When it ends, s. A jump (f_s > f_d) is instantaneous.
    pub end: f64,
    /// The drive as it begins.
    pub drive: f64,
    /// x before, m.
    pub from: f64,
    /// x after, m.
    pub to: f64,
}
