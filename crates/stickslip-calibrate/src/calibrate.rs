//! The whole calibration of a bearing that temperature drives.

use crate::assemble::{with_friction, without_friction};
use crate::case::{Case, SUSPICIOUS};
use crate::error::Error;
use crate::estimate::Estimate;
use crate::evolution::{Outcome, evolve, straight};
use crate::explore::explore;
use crate::fit::Fit;
use crate::lag::{Lag, lagged};
use crate::motion::follow;
use crate::options::{Method, Options, ThermalBearing};
use crate::outliers::{both, residual_spikes};
use crate::plausible;
use crate::point::{Scored, score};
use crate::prepared::Prepared;
use crate::search::{Found, QUICK, THOROUGH, USUAL, search, survey_surface};
use crate::series::Series;
use crate::stuck::Stuck;
use crate::timeconstant::{self, Constant};
use crate::uncertainty::{autocorrelation_time, white};

/// Twice the gain in log-likelihood that friction must bring over a straight line before it is
/// believed. Under no friction the best of the many paths that are tried gains about 2 ln(10⁵) + 3.
const BELIEVABLE: f64 = 50.0;
/// A residual above this share of a jump makes the search look again.
const NOISY: f64 = 0.2;
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
    let constant = match options.lag {
        Lag::None => None,
        Lag::Fixed(seconds) => Some(Constant::given(seconds)),
        Lag::Fitted => {
            let record = clean.series(series.time())?;
            Some(timeconstant::find(&record, options)?)
        }
    };
    let behind = constant.as_ref().and_then(|c| c.seconds);
    let drive = match behind {
        Some(seconds) => {
            let max_gap = options.max_gap.unwrap_or_else(|| Prepared::usual_gap(series));
            lagged(series.time(), &clean.drive, seconds, max_gap)
        }
        None => clean.drive.clone(),
    };
    let record = Series::new(series.time(), &drive, &clean.response)?;
    let (mut fit, late) = one(&record, model, options)?;
    clean.left_out.extend(late);
    fit.lag = constant.map(Constant::estimate);
    tell_outliers(&mut fit, clean);
    doubts(series, options.outliers.is_none(), &mut fit);
    Ok(fit)
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
            let [drive, response] = Stuck::find(series);
            for (stuck, values) in [(drive, &mut clean.drive), (response, &mut clean.response)] {
                if stuck.left_out {
                    stuck.runs.into_iter().flatten().for_each(|row| values[row] = f64::NAN);
                }
            }
            let rows = both(series, threshold);
            for row in rows.0 {
                clean.drive[row] = f64::NAN;
                clean.left_out.push(row);
            }
            for row in rows.1 {
                clean.response[row] = f64::NAN;
                clean.left_out.push(row);
            }
        }
        clean
    }

    fn series<'a>(&'a self, time: &'a [f64]) -> Result<Series<'a>, Error> {
        Series::new(time, &self.drive, &self.response)
    }
}

/// Searches, leaves out what stands out from the best path, samples and assembles. Returns the rows of the
/// response that were left out, too.
fn one(
    series: &Series,
    model: &ThermalBearing,
    options: &Options,
) -> Result<(Fit, Vec<usize>), Error> {
    let prepared = Prepared::new(series, options.max_gap, &options.trend)?;
    let (outcomes, found): (Vec<Outcome>, Found) = match options.method {
        Method::Global => (Vec::new(), global_search(series, &prepared, options)),
        Method::Evolution { runs } => {
            let (outcomes, mut found) = evolve(&prepared, options.seed, runs);
            found.surface = survey_surface(&prepared);
            (outcomes, found)
        }
    };
    // The paper's procedure has no such step.
    let late = match (options.method, options.outliers) {
        (Method::Global, Some(threshold)) => {
            let Scored { point, line, .. } = &found.minima[0];
            let curve = follow(series, &prepared, &options.trend, point, line).curve;
            residual_spikes(series, &curve, threshold)
        }
        _ => Vec::new(),
    };
    let case = Case { series, prepared: &prepared, model, options, tau: 1.0 };
    if late.is_empty() {
        return Ok((judged(case, found, &outcomes), late));
    }
    let mut response = series.response().to_vec();
    late.iter().for_each(|&row| response[row] = f64::NAN);
    let series = Series::new(series.time(), series.drive(), &response)?;
    let prepared = Prepared::new(&series, options.max_gap, &options.trend)?;
    let points = found.minima.into_iter().map(|s| s.point).collect();
    let minima = Found::of(score(&prepared.full, points), 0).minima;
    let case = Case { series: &series, prepared: &prepared, ..case };
    Ok((judged(case, Found { minima, ..found }, &outcomes), late))
}

/// Whether there is friction, and how sure what was found is.
fn judged(case: Case, mut found: Found, outcomes: &[Outcome]) -> Fit {
    let Case { series, prepared, options, .. } = case;
    let best = found.minima[0].clone();
    let motion = follow(series, prepared, &options.trend, &best.point, &best.line);
    let tau = autocorrelation_time(&motion.residuals);
    let floor = prepared.full.floor;
    let ratio = (straight(&prepared.full).rss + floor) / (best.line.rss + floor);
    let gain = prepared.full.record.weight() / tau * ratio.ln();
    let case = Case { tau, ..case };
    if gain < BELIEVABLE || best.line.on_path == 0.0 {
        found.minima.remove(0);
        return without_friction(&case, found, outcomes);
    }
    let spread = explore(&prepared.full, &found.minima, tau, options.seed);
    found.minima.remove(0);
    with_friction(&case, found, spread, outcomes)
}

/// A quick search is enough if its residual is white: then no other path can leave much less. Otherwise
/// more is tried, and more again where the residual could still hide a wrong path.
fn global_search(series: &Series, prepared: &Prepared, options: &Options) -> Found {
    let residuals = |found: &Found| {
        let Scored { point, line, .. } = &found.minima[0];
        follow(series, prepared, &options.trend, point, line).residuals
    };
    let mut found = search(prepared, options.seed, QUICK);
    if white(&residuals(&found)) {
        return found;
    }
    found.join(search(prepared, options.seed, USUAL));
    let left = residuals(&found);
    if !white(&left) && (autocorrelation_time(&left) > SUSPICIOUS || noisy(prepared, &found)) {
        found.join(search(prepared, options.seed, THOROUGH));
    }
    found
}

/// Whether the residual is so large against a jump that a wrong path would leave nothing to see.
fn noisy(prepared: &Prepared, found: &Found) -> bool {
    let best = &found.minima[0];
    let rmse = (best.line.rss / prepared.full.record.weight()).sqrt();
    rmse > NOISY * (best.line.on_path * best.point.delta).abs()
}

fn tell_outliers(fit: &mut Fit, clean: Clean) {
    let mut rows = clean.left_out;
    rows.sort_unstable();
    fit.outliers = rows.len();
    fit.missing -= rows.len().min(fit.missing);
    if !rows.is_empty() {
        let count = rows.len();
        let said = match count {
            1 => "1 value is a spike and was left out; its row is listed in the result".to_owned(),
            _ => format!(
                "{count} values are spikes and were left out; their rows are listed in the result"
            ),
        };
        fit.warnings.push(said);
    }
    rows.truncate(LISTED);
    fit.outlier_rows = rows.into_iter().map(|r| r + 1).collect();
}

/// Is this the record that its owner thinks it is?
fn doubts(series: &Series, kept: bool, fit: &mut Fit) {
    let beta = fit.parameters.beta.value.unwrap_or(0.0);
    fit.warnings.extend(plausible::expansion(beta));
    if fit.lag.is_none() {
        fit.warnings.extend(plausible::leads(series, beta));
    }
    fit.warnings.extend(Stuck::find(series).iter().filter_map(|s| s.remark(series.time(), kept)));
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
