//! What is known of the bearing, and how its record is fitted.

use crate::record::lag::{Lag, Shift};
use crate::record::trend::Trend;

/// A bearing driven by temperature: d = βT, z = z₀ + x + K(βT − x)/K_BP. Bensoussan et al. 2021 §4.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ThermalBearing {
    /// K_BP, N/m. Without it K, f_d and f_s cannot be known, only f_d/K and f_s/K.
    pub bearing_stiffness: Option<f64>,
    /// Standard error of K_BP, N/m; it enters the intervals of K, f_d and f_s. Without it K_BP is taken as exact, and p % in it are p %
    /// in each of them.
    pub bearing_stiffness_error: Option<f64>,
}

/// How the least error is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// All of (ρ, δ), with linear least squares for the rest.
    #[default]
    Global,
    /// All five parameters by independent evolutionary runs, as in Bensoussan et al. 2021 §4.2. The result is the
    /// best run's path with its least-squares line.
    Evolution {
        /// Independent runs, at least 1.
        runs: usize,
    },
}

impl Method {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Evolution { .. } => "evolution",
        }
    }
}

/// How to fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// How the least error is looked for.
    pub method: Method,
    /// Longest gap in the drive across which it is taken as linear, s. `None`: six hours or ten
    /// usual steps, whichever is longer.
    pub max_gap: Option<f64>,
    /// Seed of the search's random steps.
    pub seed: u64,
    /// What the response may contain besides the model.
    pub trend: Trend,
    /// Whether the deck lags behind the drive.
    pub lag: Lag,
    /// Whether the response comes later or earlier than the drive.
    pub shift: Shift,
    /// Standard deviation of the noise of the drive, in its unit. `None`: estimated from the record.
    pub drive_noise: Option<f64>,
    /// A response that is measured at other times than the drive is interpolated if the values on either side
    /// are no further than this from the drive's time, s. `None`: no interpolation.
    pub tolerance: Option<f64>,
    /// Each row is the mean over this time, which ends at the time of the row, s. `None`: rows are readings.
    pub average: Option<f64>,
    /// Whether what is left is searched for an explanation.
    pub diagnose: bool,
    /// Spikes beyond so many robust standard deviations are left out; `None`: everything counts.
    pub outliers: Option<f64>,
    /// Replicates of the moving-block bootstrap; 0: none.
    pub bootstrap: usize,
    /// A short search first, and the usual one only where that leaves more than noise: for many records.
    pub quick: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            method: Method::Global,
            max_gap: None,
            seed: 1,
            trend: Trend::default(),
            lag: Lag::None,
            shift: Shift::None,
            drive_noise: None,
            tolerance: None,
            average: None,
            diagnose: true,
            outliers: Some(6.0),
            bootstrap: 0,
            quick: false,
        }
    }
}
