//! The whole calibration of a bearing that temperature drives.

use crate::assemble::{Case, SUSPICIOUS, with_friction, without_friction};
use crate::error::Error;
use crate::estimate::Estimate;
use crate::evolution::{Outcome, evolve, straight};
use crate::fit::Fit;
use crate::lag::{Lag, lagged};
use crate::motion::follow;
use crate::outliers::{beyond, spikes};
use crate::plausible;
use crate::point::Scored;
use crate::prepared::Prepared;
use crate::search::{Found, THOROUGH, USUAL, search, survey_surface};
use crate::series::Series;
use crate::timeconstant::{self, Constant};
use crate::trend::Trend;
use crate::uncertainty::{autocorrelation_time, explore};

/// A bearing driven by temperature: d = βT, z = z₀ + x + K(βT − x)/K_BP. Seed 000 §4.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ThermalBearing {
    /// K_BP, N/m. Without it K, f_d and f_s cannot be known, only f_d/K and f_s/K.
    pub bearing_stiffness: Option<f64>,
}

/// How the least error is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// All of (ρ, δ), with linear least squares for the rest.
    #[default]
    Global,
    /// All five parameters by independent evolutionary runs, as in seed 000 §4.2. The result is the
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
    /// Spikes beyond so many robust standard deviations are left out; `None`: everything counts.
    pub outliers: Option<f64>,
    /// Replicates of the moving-block bootstrap; 0: none.
    pub bootstrap: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            method: Method::Global,
            max_gap: None,
            seed: 1,
            trend: Trend::default(),
            lag: Lag::None,
            outliers: Some(6.0),
            bootstrap: 0,
        }
    }
}

/// Twice the gain in log-likelihood that friction must bring over a straight line before it is
/// believed. Under no friction the best of the many paths that are tried gains about 2 ln(10⁵) + 3.
const BELIEVABLE: f64 = 50.0;
/// A residual above this share of a jump makes the search look again.
const NOISY: f64 = 0.2;
/// Rounds of leaving out spikes and fitting again, at most.
const ROUNDS: usize = 3;
/// Rows on either side of a slip whose residuals are not judged.
const NEAR_SLIP: usize = 4;
/// Rows of spikes that are listed.
const LISTED: usize = 1000;

/// Fits z₀, K, f_d, f_s and β by global search, whatever the method in `options`.
pub fn global(series: &Series, model: &ThermalBearing, options: &Options) -> Result<Fit, Error> {
    calibrate(series, model, &Options { method: Method::Global, ..options.clone() })
}

/// Fits z₀, K, f_d, f_s and β.
pub fn calibrate(series: &Series, model: &ThermalBearing, options: &Options) -> Result<Fit, Error> {
    check(model, options)?;
    let mut clean = Clean::of(series, options.outliers);
    let spikes = clean.left_out.len();
    let constant = match options.lag {
        Lag::None => None,
        Lag::Fixed(seconds) => Some(Constant::given(seconds)),
        Lag::Fitted => {
            let record = clean.series(series.time())?;
            Some(timeconstant::find(&record, options)?)
        }
    };
    let behind = constant.as_ref().and_then(|c| c.seconds);
    let mut fit = None;
    for _ in 0..ROUNDS {
        let drive = match behind {
            Some(seconds) => {
                let max_gap = options.max_gap.unwrap_or_else(|| Prepared::usual_gap(series));
                lagged(series.time(), &clean.drive, seconds, max_gap)
            }
            None => clean.drive.clone(),
        };
        let record = Series::new(series.time(), &drive, &clean.response)?;
        let found = one(&record, model, options)?;
        let more = options.outliers.map_or(0, |threshold| {
            clean.leave_out(beyond(&judged(&clean.response, &found), threshold))
        });
        fit = Some(found);
        // A handful among many moves nothing; and rows are few where the model is wrong.
        if more == 0 || more * 2000 < found_samples(&fit) {
            break;
        }
    }
    let Some(mut fit) = fit else { return Err(Error::TooFewSamples { found: 0, needed: 1 }) };
    fit.lag = constant.map(Constant::estimate);
    tell_outliers(&mut fit, clean, spikes);
    doubts(series, &mut fit);
    Ok(fit)
}

/// Residuals, but none near a slip: a slip that the fit puts a few samples off is evidence, not a spike.
fn judged(response: &[f64], fit: &Fit) -> Vec<f64> {
    let mut left: Vec<f64> = response.iter().zip(&fit.curve.fitted).map(|(z, f)| z - f).collect();
    for (row, _) in fit.curve.phase.iter().enumerate().filter(|(_, phase)| **phase != 0) {
        let to = (row + NEAR_SLIP + 1).min(left.len());
        left[row.saturating_sub(NEAR_SLIP)..to].fill(f64::NAN);
    }
    left
}

fn found_samples(fit: &Option<Fit>) -> usize {
    fit.as_ref().map_or(0, |f| f.samples)
}

fn check(model: &ThermalBearing, options: &Options) -> Result<(), Error> {
    let positive = |what, found: Option<f64>, expected| match found {
        Some(found) if !(found.is_finite() && found > 0.0) => {
            Err(Error::OutOfRange { what, found, expected })
        }
        _ => Ok(()),
    };
    positive("the bearing stiffness", model.bearing_stiffness, "a finite stiffness > 0 N/m")?;
    positive("outliers", options.outliers, "a number of standard deviations > 0, 6 is usual")?;
    let lag = if let Lag::Fixed(seconds) = options.lag { Some(seconds) } else { None };
    positive("lag", lag, "a time constant > 0 s")
}

/// The record without its spikes.
struct Clean {
    drive: Vec<f64>,
    response: Vec<f64>,
    left_out: Vec<usize>,
}

impl Clean {
    fn of(series: &Series, threshold: Option<f64>) -> Self {
        let (drive, response) = (series.drive().to_vec(), series.response().to_vec());
        let mut clean = Self { drive, response, left_out: Vec::new() };
        if let Some(threshold) = threshold {
            for row in spikes(series.time(), &clean.drive, threshold) {
                clean.drive[row] = f64::NAN;
                clean.left_out.push(row);
            }
            let rows = spikes(series.time(), &clean.response, threshold);
            clean.leave_out(rows);
        }
        clean
    }

    /// Leaves rows of the response out; returns how many.
    fn leave_out(&mut self, rows: Vec<usize>) -> usize {
        let count = rows.len();
        rows.iter().for_each(|&row| self.response[row] = f64::NAN);
        self.left_out.extend(rows);
        count
    }

    fn series<'a>(&'a self, time: &'a [f64]) -> Result<Series<'a>, Error> {
        Series::new(time, &self.drive, &self.response)
    }
}

/// Searches, samples and assembles one record as it stands.
fn one(series: &Series, model: &ThermalBearing, options: &Options) -> Result<Fit, Error> {
    let prepared = Prepared::new(series, options.max_gap, &options.trend)?;
    let tau = |found: &Found| {
        let Scored { point, line, .. } = &found.minima[0];
        autocorrelation_time(&follow(series, &prepared, &options.trend, point, line).residuals)
    };
    let (outcomes, mut found): (Vec<Outcome>, Found) = match options.method {
        Method::Global => (Vec::new(), search(&prepared, options.seed, USUAL)),
        Method::Evolution { runs } => {
            let (outcomes, mut found) = evolve(&prepared, options.seed, runs);
            found.surface = survey_surface(&prepared);
            (outcomes, found)
        }
    };
    if options.method == Method::Global && (tau(&found) > SUSPICIOUS || noisy(&prepared, &found)) {
        found.join(search(&prepared, options.seed, THOROUGH));
    }
    let tau = tau(&found);
    let best = found.minima[0].clone();
    let floor = prepared.full.floor;
    let ratio = (straight(&prepared.full).rss + floor) / (best.line.rss + floor);
    let gain = prepared.full.record.weight() / tau * ratio.ln();
    let case = Case { series, prepared: &prepared, model, options, tau };
    if gain < BELIEVABLE || best.line.on_path == 0.0 {
        found.minima.remove(0);
        return Ok(without_friction(&case, found, &outcomes));
    }
    let spread = explore(&prepared.full, &found.minima, tau, options.seed);
    found.minima.remove(0);
    Ok(with_friction(&case, found, spread, &outcomes))
}

/// Whether the residual is so large against a jump that a wrong path would leave nothing to see.
fn noisy(prepared: &Prepared, found: &Found) -> bool {
    let best = &found.minima[0];
    let rmse = (best.line.rss / prepared.full.record.weight()).sqrt();
    rmse > NOISY * (best.line.on_path * best.point.delta).abs()
}

fn tell_outliers(fit: &mut Fit, clean: Clean, before: usize) {
    let mut rows = clean.left_out;
    rows.sort_unstable();
    fit.outliers = rows.len();
    fit.missing -= rows.len().min(fit.missing);
    if !rows.is_empty() {
        fit.warnings.push(format!(
            "{} values are spikes and were left out ({before} against their neighbours, {} by their residual)",
            rows.len(),
            rows.len() - before
        ));
    }
    rows.truncate(LISTED);
    fit.outlier_rows = rows.into_iter().map(|r| r + 1).collect();
}

/// Is this the record that its owner thinks it is?
fn doubts(series: &Series, fit: &mut Fit) {
    let beta = fit.parameters.beta.value.unwrap_or(0.0);
    fit.warnings.extend(plausible::expansion(beta));
    if fit.lag.is_none() {
        fit.warnings.extend(plausible::leads(series, beta));
    }
    fit.warnings.extend(plausible::stuck(series));
}

impl Constant {
    fn estimate(self) -> Estimate {
        match (self.seconds, self.stderr, self.ci95) {
            (Some(value), Some(stderr), Some(ci95)) => Estimate::within(value, stderr, ci95, "s"),
            (Some(value), _, _) => Estimate {
                value: Some(value),
                unit: "s",
                stderr: None,
                ci95: None,
                identifiable: true,
                reason: Some("given".to_owned()),
            },
            _ => Estimate::unknown("s", "no lag seen: the record is fitted as well without one"),
        }
    }
}
