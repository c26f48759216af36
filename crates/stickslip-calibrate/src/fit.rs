//! What a calibration returns.

use serde::Serialize;

use crate::estimate::Estimate;
use crate::search::Surface;

/// The five parameters of seed 000 §4.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(non_snake_case)] // K is what everybody calls it
pub struct Parameters {
    /// z₀, m: the sensor's reading at ξ = T = 0.
    pub z0: Estimate,
    /// K, N/m.
    pub K: Estimate,
    /// f_d, N.
    pub f_d: Estimate,
    /// f_s, N.
    pub f_s: Estimate,
    /// β, m per unit of the drive.
    pub beta: Estimate,
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

/// One independent run of a search that has several.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(non_snake_case)]
pub struct Run {
    /// m.
    pub z0: f64,
    /// N/m.
    pub K: Option<f64>,
    /// N.
    pub f_d: Option<f64>,
    /// N.
    pub f_s: Option<f64>,
    /// m per unit of the drive.
    pub beta: f64,
    /// m.
    pub rmse: f64,
}

/// A minimum of the error, in the drive's unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Minimum {
    /// ρ = f_s/(Kβ).
    pub rho: f64,
    /// δ = 2(f_s − f_d)/(Kβ).
    pub delta: f64,
    /// Root mean square error, m.
    pub rmse: f64,
}

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

/// A calibrated record.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(non_snake_case)]
pub struct Fit {
    /// Whether the record shows friction at all.
    pub friction_seen: bool,
    /// z₀, K, f_d, f_s, β.
    pub parameters: Parameters,
    /// f_s/K, m.
    pub f_s_over_K: Estimate,
    /// f_d/K, m.
    pub f_d_over_K: Estimate,
    /// ρ = f_s/(Kβ), in the drive's unit.
    pub rho: Estimate,
    /// δ = 2(f_s − f_d)/(Kβ), in the drive's unit.
    pub delta: Estimate,
    /// κ = K/K_BP, whether or not K_BP is known.
    pub kappa: Estimate,
    /// Root mean square of the residuals, m.
    pub rmse: f64,
    /// Root mean square of the residuals of a straight line z = c + bT, m.
    pub rmse_without_friction: f64,
    /// Rows with both drive and response.
    pub samples: usize,
    /// Rows with one or both missing.
    pub missing: usize,
    /// Gaps in the drive across which the state restarts.
    pub long_gaps: usize,
    /// Slips of the fitted path.
    pub slips: usize,
    /// Autocorrelation time of the residuals, samples.
    pub autocorrelation: f64,
    /// Parameter sets tried.
    pub evaluations: usize,
    /// Computing time, s. This crate has no clock: the caller fills it in.
    pub seconds: f64,
    /// Independent runs; one for the global search.
    pub runs: Vec<Run>,
    /// The best distinct minima, best first.
    pub minima: Vec<Minimum>,
    /// What the reader should know.
    pub warnings: Vec<String>,
    /// The fitted motion.
    #[serde(skip)]
    pub curve: Curve,
    /// The slips.
    #[serde(skip)]
    pub events: Vec<Slip>,
    /// The error over the whole (ρ, δ) box.
    #[serde(skip)]
    pub surface: Surface,
}
