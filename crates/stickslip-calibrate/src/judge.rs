//! One record with its drive as it reaches the bearing: searched, freed of late spikes, explained, and judged.

use crate::assemble::{with_friction, without_friction};
use crate::case::{Case, SUSPICIOUS};
use crate::control::{Control, Parts};
use crate::delay::{Kind, Node, delayed};
use crate::diagnosis::{Diagnosis, diagnose};
use crate::error::Error;
use crate::evolution::{Outcome, evolve, straight};
use crate::explore::{FEW_SWEEPS, explore, explore_for};
use crate::finding::What;
use crate::fit::Fit;
use crate::motion::follow;
use crate::options::{Method, Options, ThermalBearing};
use crate::outliers::residual_spikes;
use crate::parallel;
use crate::point::{Scored, score};
use crate::prepared::Prepared;
use crate::remarks;
use crate::replicas::{Errors, replicas};
use crate::rounding::Rounding;
use crate::search::{Found, QUICK, THOROUGH, USUAL, refine, search, survey_surface};
use crate::series::Series;
use crate::sizes::Sizes;
use crate::thermometer::{self, mistimed};
use crate::uncertainty::{Spread, autocorrelation_time, white};

/// Twice the gain in log-likelihood that friction must bring over a straight line before it is
/// believed. Under no friction the best of the many paths that are tried gains about 2 ln(10⁵) + 3.
const BELIEVABLE: f64 = 50.0;
/// A residual above this share of a jump makes the search look again.
const NOISY: f64 = 0.2;
/// Rounds of leaving out late spikes.
const ROUNDS: usize = 3;
/// From this share of late spikes on the search starts anew without them.
const MANY: f64 = 0.002;
/// Records that are made up to see what noise of the drive, or rounding, does.
const REPLICAS: usize = 24;
/// The same, to see how large the noise of the drive is.
const PILOTS: usize = 8;
/// Noise of the drive below this share of the standard error of ρ is of no account.
const OF_ACCOUNT: f64 = 0.2;

/// A record, what is known and what is asked.
pub struct Judged<'a> {
    /// The record: without spikes, with the drive as it reaches the bearing.
    pub series: &'a Series<'a>,
    /// What is known of the bearing.
    pub model: &'a ThermalBearing,
    /// How to fit.
    pub options: &'a Options,
    /// Of a lag or a shift that is fitted: the record before it, which of the two, and its values.
    pub around: Option<(&'a Series<'a>, Kind, &'a [Node])>,
    /// Who watches.
    pub control: &'a dyn Control,
}

impl<'a> Judged<'a> {
    fn case(&self, prepared: &'a Prepared, tau: f64) -> Case<'a> {
        Case { series: self.series, prepared, model: self.model, options: self.options, tau }
    }
}

/// Searches, leaves out what stands out from the best path, looks for explanations, samples and assembles. Returns
/// the rows of the response that were left out, too.
pub fn judged(job: &Judged) -> Result<(Fit, Vec<usize>), Error> {
    let (series, options) = (job.series, job.options);
    let mut response = series.response().to_vec();
    let mut late: Vec<usize> = Vec::new();
    let prepared = Prepared::new(series, options.max_gap, &options.trend)?;
    let (outcomes, mut found) = searched(job, series, &prepared);
    let mut prepared = prepared;
    for _ in 0..ROUNDS {
        // The paper's procedure has no such step.
        let (Method::Global, Some(threshold)) = (options.method, options.outliers) else { break };
        let record = Series::new(series.time(), series.drive(), &response)?;
        let Scored { point, line, .. } = &found.minima[0];
        let curve = follow(&record, &prepared, &options.trend, point, line).curve;
        let spikes = residual_spikes(&record, &curve, threshold);
        if spikes.is_empty() {
            break;
        }
        spikes.iter().for_each(|&row| response[row] = f64::NAN);
        let record = Series::new(series.time(), series.drive(), &response)?;
        prepared = Prepared::new(&record, options.max_gap, &options.trend)?;
        let many = spikes.len() as f64 > MANY * prepared.full.record.weight();
        late.extend(spikes);
        if many {
            found = searched(job, &record, &prepared).1;
        } else {
            let points = found.minima.into_iter().map(|s| s.point).collect();
            found.minima = Found::of(score(&prepared.full, points), 0).minima;
        }
    }
    let record = Series::new(series.time(), series.drive(), &response)?;
    if job.control.stop() {
        return Err(Error::Interrupted);
    }
    let fit = explained(&Judged { series: &record, ..*job }, &prepared, found, &outcomes)?;
    Ok((fit, late))
}

/// The search that was asked for.
fn searched(job: &Judged, series: &Series, prepared: &Prepared) -> (Vec<Outcome>, Found) {
    match job.options.method {
        Method::Global => {
            let mut found = global_search(series, prepared, job.options);
            if let Some((_, _, [best, ..])) = job.around {
                found.join(refine(prepared, &best.points, job.options.seed));
            }
            (Vec::new(), found)
        }
        Method::Evolution { runs } => {
            let (outcomes, mut found) = evolve(prepared, job.options.seed, runs);
            found.surface = survey_surface(prepared);
            (outcomes, found)
        }
    }
}

/// Explanations of what is left, then the fit.
fn explained(
    job: &Judged,
    prepared: &Prepared,
    mut found: Found,
    outcomes: &[Outcome],
) -> Result<Fit, Error> {
    let (series, options) = (job.series, job.options);
    let diagnosis = if options.diagnose {
        let silent = Parts::silent(job.control);
        diagnose(series, prepared, options, &found.minima, &silent)?
    } else {
        Diagnosis::default()
    };
    if outcomes.is_empty() && !diagnosis.points.is_empty() {
        found.join(refine(prepared, &diagnosis.points, options.seed));
    }
    let mut fit = believed(job, prepared, found, outcomes, &diagnosis)?;
    let other = diagnosis.findings.first().filter(|f| f.what == What::Viscous);
    if let Some(finding) = other {
        fit.refuse(&finding.suggestion);
    }
    fit.diagnosis.splice(0..0, diagnosis.findings);
    remarks::explained(&mut fit);
    Ok(fit)
}

/// Whether there is friction, and how sure what was found is.
fn believed(
    job: &Judged,
    prepared: &Prepared,
    mut found: Found,
    outcomes: &[Outcome],
    diagnosis: &Diagnosis,
) -> Result<Fit, Error> {
    let (series, options) = (job.series, job.options);
    let best = match outcomes.iter().min_by(|a, b| a.rss.total_cmp(&b.rss)) {
        Some(outcome) => outcome.scored(&prepared.full),
        None => found.minima[0].clone(),
    };
    let motion = follow(series, prepared, &options.trend, &best.point, &best.line);
    let tau = autocorrelation_time(&motion.residuals);
    let floor = prepared.full.floor;
    let ratio = (straight(&prepared.full).rss + floor) / (best.line.rss + floor);
    let gain = prepared.full.record.weight() / tau * ratio.ln();
    let case = job.case(prepared, tau);
    if gain < BELIEVABLE || best.line.on_path == 0.0 {
        found.minima.remove(0);
        return Ok(without_friction(&case, found, outcomes));
    }
    let mut spread = explore(&prepared.full, &found.minima, tau, options.seed);
    if !outcomes.is_empty() {
        // What the runs found is what is reported, whether or not it is the best there is.
        spread.centre = best;
    }
    mix(job, prepared, &mut spread)?;
    let errors = errors(&case, &mut spread, diagnosis);
    found.minima.remove(0);
    let mut fit = with_friction(&case, found, spread, outcomes);
    remarks::errors(&mut fit, &errors);
    Ok(fit)
}

/// Draws at the other values of a fitted lag or shift join those at the best, each with its share.
fn mix(job: &Judged, prepared: &Prepared, spread: &mut Spread) -> Result<(), Error> {
    let Some((record, kind, nodes)) = job.around else { return Ok(()) };
    let [best, others @ ..] = nodes else { return Ok(()) };
    if others.is_empty() {
        return Ok(());
    }
    let options = job.options;
    let at = |node: &Node| -> Option<Vec<Scored>> {
        let drive = delayed(record, prepared.max_gap, kind, node.value);
        let series = Series::new(record.time(), &drive, job.series.response()).ok()?;
        let own = Prepared::new(&series, options.max_gap, &options.trend).ok()?;
        let found = refine(&own, &node.points, options.seed);
        let draws = explore_for(&own.full, &found.minima, spread.tau, options.seed, FEW_SWEEPS);
        Some(draws.draws.into_iter().map(|s| s.recentred(&own, prepared)).collect())
    };
    let all = parallel::map(others.iter().collect(), at);
    let total = spread.draws.len() as f64;
    let mut mixed = take(&spread.draws, (best.share * total).round() as usize);
    for (node, draws) in others.iter().zip(all) {
        if let Some(draws) = draws {
            mixed.extend(take(&draws, (node.share * total).round() as usize));
        }
    }
    spread.draws = mixed;
    Ok(())
}

/// So many of all, evenly.
fn take(all: &[Scored], count: usize) -> Vec<Scored> {
    if all.is_empty() {
        return Vec::new();
    }
    (0..count).map(|i| all[i * all.len() / count.max(1)].clone()).collect()
}

/// Estimates noise of the drive and rounding, and lets them into the intervals.
fn errors(case: &Case, spread: &mut Spread, diagnosis: &Diagnosis) -> Sizes {
    let Case { series, prepared, options, .. } = *case;
    let variance = spread.variance / spread.tau;
    let rounding = Rounding::of(series, &spread.centre, variance);
    let wanted = Errors {
        drive: 0.0,
        response: rounding.map_or(variance.sqrt(), |r| r.noise),
        rounding: rounding.map_or(0.0, |r| r.step),
        level: rounding.map_or(0.0, |r| r.level - prepared.response_centre),
    };
    let made = |drive: f64, count: usize, stream: u64| {
        let errors = Errors { drive, ..wanted };
        replicas(
            prepared,
            &spread.centre,
            &spread.draws,
            errors,
            count,
            options.seed ^ stream << 32,
        )
    };
    // Slips that another explanation puts at other times say nothing about the thermometer.
    let explained = !diagnosis.findings.is_empty();
    let light = prepared.light();
    let seen = mistimed(light.samples, light.starts, &spread.centre).filter(|_| {
        !explained && options.drive_noise.is_none() && !rounding.is_some_and(|r| r.hides)
    });
    let timing = seen.map(|seen| {
        let rho = spread.centre.point.thresholds().rho;
        thermometer::size(seen, rho, |sigma| {
            let all = made(sigma, PILOTS, sigma.to_bits() >> 40);
            all.iter().map(|r| r.1 as f64).sum::<f64>() / PILOTS as f64
        })
    });
    let estimated = || match (thermometer::scatter(series), timing.map(|t| t.sigma)) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    let drive = options.drive_noise.or_else(estimated);
    let noise = drive.unwrap_or(0.0);
    if noise > OF_ACCOUNT * spread.of(|p, _| (p.thresholds().rho, [0.0; 3])).0
        || wanted.rounding > 0.0
    {
        let points = made(noise, REPLICAS, 7).into_iter().map(|r| r.0).collect();
        spread.replicas = Some(points);
    }
    Sizes { drive, timing, rounding, explained }
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
