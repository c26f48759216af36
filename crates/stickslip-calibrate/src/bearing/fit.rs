//! What a calibration returns.

use serde::Serialize;

use crate::bearing::finding::{Finding, Logged, States, What};
use crate::bearing::intervals::bootstrap::Bootstrap;
use crate::bearing::intervals::profile::Profile;
use crate::bearing::near::Near;
use crate::bearing::search::curve::{Curve, Slip};
use crate::bearing::search::global::Surface;
use crate::record::sentinels::Sentinel;
use crate::record::trend::{Creep, Sizes, Trend};
use crate::statistics::estimate::Estimate;
use crate::statistics::stats;
use stickslip::portable;

/// Why nothing is known of the friction of a record that a straight line fits.
pub const NO_FRICTION: &str = "no friction seen: a straight line through response against drive fits as well as any path that sticks and slips";

/// Why no number is given of a record with several states.
const DIVIDED: &str = "the friction changes more than once within the record, or steadily, so that no single set of numbers describes it";

/// The five parameters of Bensoussan et al. 2021 §4.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(non_snake_case)] // K is what everybody calls it
pub struct Parameters {
    /// z₀, m: the sensor's reading at ξ = T = 0; if it drifts or has steps, as the record begins.
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

/// One independent run of a search that has several.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(non_snake_case)]
pub struct SearchRun {
    /// m.
    pub z0: f64,
    /// N/m.
    pub K: Option<f64>,
    /// N.
    pub f_d: Option<f64>,
    /// N.
    pub f_s: Option<f64>,
    /// m.
    pub f_d_over_K: f64,
    /// m.
    pub f_s_over_K: f64,
    /// m per unit of the drive.
    pub beta: f64,
    /// m.
    pub rmse: f64,
}

impl SearchRun {
    /// The one run of a search that has no others.
    pub(crate) fn of(fit: &Fit) -> Self {
        let p = &fit.parameters;
        Self {
            // A number that is withheld stands as null in a fit file, as JSON has no NaN.
            z0: p.z0.value.unwrap_or(f64::NAN),
            K: p.K.value,
            f_d: p.f_d.value,
            f_s: p.f_s.value,
            f_d_over_K: fit.f_d_over_K.value.unwrap_or(f64::NAN),
            f_s_over_K: fit.f_s_over_K.value.unwrap_or(f64::NAN),
            beta: p.beta.value.unwrap_or(f64::NAN),
            rmse: fit.rmse,
        }
    }

    /// Every number, one by one.
    fn map(rows: &[Self], f: impl Fn(&[f64]) -> f64) -> Self {
        let of = |get: fn(&Self) -> f64| f(&rows.iter().map(get).collect::<Vec<_>>());
        let maybe = |get: fn(&Self) -> Option<f64>| {
            // Where one run has no K there is no mean of it.
            let all: Option<Vec<f64>> = rows.iter().map(get).collect();
            all.map(|v| f(&v))
        };
        Self {
            z0: of(|r| r.z0),
            K: maybe(|r| r.K),
            f_d: maybe(|r| r.f_d),
            f_s: maybe(|r| r.f_s),
            f_d_over_K: of(|r| r.f_d_over_K),
            f_s_over_K: of(|r| r.f_s_over_K),
            beta: of(|r| r.beta),
            rmse: of(|r| r.rmse),
        }
    }
}

/// The last three rows of Bensoussan et al. 2021, Table 2.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Statistics {
    /// Means.
    pub mean: SearchRun,
    /// Standard deviations, n − 1.
    pub sd: SearchRun,
    /// Coefficients of variation: sd/|mean|.
    pub cv: SearchRun,
}

impl Statistics {
    /// Of two runs or more.
    pub fn of(runs: &[SearchRun]) -> Option<Self> {
        if runs.len() < 2 {
            return None;
        }
        let mean = stats::mean;
        let sd = stats::sd;
        // By the size of the mean: a negative mean would turn the sign around.
        let cv = |v: &[f64]| sd(v) / mean(v).abs();
        Some(Self {
            mean: SearchRun::map(runs, mean),
            sd: SearchRun::map(runs, sd),
            cv: SearchRun::map(runs, cv),
        })
    }
}

/// What a trend came out as.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrendSizes {
    /// Drift of the reading, m/s.
    pub drift: Option<f64>,
    /// Creep of the reading.
    pub creep: Option<Settling>,
    /// Steps of the reading: (when, s; by how much, m).
    pub steps: Vec<(f64, f64)>,
}

/// A reading that creeps by `size` (1 − e^{−(t − t₀)/`time`}).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Settling {
    /// What it creeps in the end, m.
    pub size: f64,
    /// Time constant, s.
    pub time: f64,
}

impl Settling {
    /// What it has crept `since` (s) the first row, m.
    pub fn after(&self, since: f64) -> f64 {
        -self.size * portable::exp_m1(-since / self.time)
    }
}

impl TrendSizes {
    pub(crate) fn of(trend: &Trend, sizes: Sizes) -> Self {
        let Sizes { drift, creep, steps } = sizes;
        let creep = match (trend.creep, creep) {
            (Creep::Within(time), Some(size)) => Some(Settling { size, time }),
            _ => None,
        };
        Self { drift, creep, steps: trend.steps.iter().copied().zip(steps).collect() }
    }
}

/// What part of the (ρ, δ) box was searched, and how finely.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Coverage {
    /// Smallest and largest ρ, in the drive's unit.
    pub rho: [f64; 2],
    /// Values of ρ, in equal ratios.
    pub rho_count: usize,
    /// Smallest and largest δ/(2ρ) = 1 − f_d/f_s.
    pub share: [f64; 2],
    /// Values of it, in equal steps.
    pub share_count: usize,
}

impl Coverage {
    pub(crate) fn of(surface: &Surface) -> Self {
        let ends =
            |v: &[f64]| [v.first().copied().unwrap_or(0.0), v.last().copied().unwrap_or(0.0)];
        let rho = &surface.rho;
        let share = &surface.share;
        Self { rho: ends(rho), rho_count: rho.len(), share: ends(share), share_count: share.len() }
    }
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

/// A calibrated record.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(non_snake_case)]
pub struct Fit {
    /// `global` or `evolution`.
    pub method: &'static str,
    /// Whether the record shows friction at all.
    pub friction_seen: bool,
    /// Whether the record shows that there is no friction. Where it is neither seen nor denied, the record leaves it open.
    pub friction_denied: bool,
    /// How many states of the friction explain the record best. With more than two, or steadily changing ones, no single set of
    /// numbers describes it, and they are withheld.
    pub states: States,
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
    /// Slope of a straight line through response against drive, m per unit of the drive: β of a bearing that moves
    /// freely, βK/K_BP of one that never moves. Only where no friction is seen.
    pub slope: Option<Estimate>,
    /// Time constant of the deck, s, if one was asked for.
    pub lag: Option<Estimate>,
    /// By how much the response comes later than the drive, s, if that was asked for.
    pub shift: Option<Estimate>,
    /// Standard deviation of the drive's noise that the intervals allow for, in the drive's unit; `None`: its size
    /// cannot be known from this record.
    pub drive_noise: Option<f64>,
    /// The response comes in multiples of this, m; `None`: no rounding that matters.
    pub rounding: Option<f64>,
    /// Codes for "no value" that were found and left out.
    pub sentinels: Vec<Sentinel>,
    /// Responses that were interpolated to the times of the drive.
    pub interpolated: usize,
    /// Whether the residuals are noise as far as can be seen, so that no step, drift, lag, shift or change had anything to
    /// explain; `None`: that was not asked.
    pub residuals_are_noise: Option<bool>,
    /// What was looked for to explain residuals that are more than noise: where one reading leaves noise, others are not tried.
    #[serde(skip)]
    pub looked_for: Vec<What>,
    /// What explains the residuals, strongest first, and what was left out of the record.
    pub diagnosis: Vec<Finding>,
    /// Drift and steps of the reading, if they were asked for.
    pub trend: Option<TrendSizes>,
    /// Root mean square of the residuals, m.
    pub rmse: f64,
    /// Root mean square of the residuals of a straight line z = c + bT, m.
    pub rmse_without_friction: f64,
    /// Rows with both drive and response.
    pub samples: usize,
    /// Rows with one or both missing.
    pub missing: usize,
    /// Values left out as spikes.
    pub outliers: usize,
    /// Their rows, from 1; the first thousand.
    pub outlier_rows: Vec<usize>,
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
    pub runs: Vec<SearchRun>,
    /// Mean, standard deviation (n − 1) and coefficient of variation of several runs.
    pub runs_statistics: Option<Statistics>,
    /// The best distinct minima, best first.
    pub minima: Vec<Minimum>,
    /// What was searched.
    pub coverage: Coverage,
    /// Profile likelihoods of everything that is known.
    pub profiles: Vec<Profile>,
    /// Intervals by moving-block bootstrap, if asked for.
    pub bootstrap: Option<Bootstrap>,
    /// What the reader should know.
    pub warnings: Vec<String>,
    /// Those of the warnings that ask for nothing, since they touch no number: no reason to doubt this record.
    #[serde(skip)]
    pub notices: Vec<String>,
    /// What the warnings say of how the record was made.
    #[serde(skip)]
    pub logged: Vec<Logged>,
    /// The fitted motion.
    #[serde(skip)]
    pub curve: Curve,
    /// The slips.
    #[serde(skip)]
    pub events: Vec<Slip>,
    /// The error over the whole (ρ, δ) box.
    #[serde(skip)]
    pub surface: Surface,
    /// The paths that a quick search has settled with.
    #[serde(skip)]
    pub(crate) near: Option<Near>,
}

impl Fit {
    /// Whether the friction changes more than once within the record, or steadily, so that its numbers are withheld.
    pub fn is_divided(&self) -> bool {
        matches!(self.states, States::Several | States::Gradual)
    }

    /// Warns of how the record was made.
    pub(crate) fn remark(&mut self, of: Logged, said: String) {
        self.logged.push(of);
        self.warnings.push(said);
    }

    /// Tells the reader what asks for nothing.
    pub(crate) fn notice(&mut self, said: String) {
        self.notices.push(said.clone());
        self.warnings.push(said);
    }

    /// The friction changes more than once, or steadily: no number is that of the record.
    pub(crate) fn divided(&mut self) {
        self.refuse(DIVIDED);
        self.parameters.z0 = Estimate::unknown("m", DIVIDED);
    }

    /// Nothing about friction can be relied on, and why.
    pub(crate) fn refuse(&mut self, reason: &str) {
        let p = &mut self.parameters;
        for e in [
            &mut p.K,
            &mut p.f_d,
            &mut p.f_s,
            &mut p.beta,
            &mut self.f_s_over_K,
            &mut self.f_d_over_K,
            &mut self.rho,
            &mut self.delta,
            &mut self.kappa,
        ] {
            *e = Estimate::unknown(e.unit, reason);
        }
        // A picture of a number that is withheld would give it away.
        self.profiles.clear();
        self.bootstrap = None;
    }
}
