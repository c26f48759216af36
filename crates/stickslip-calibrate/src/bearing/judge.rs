//! One record with its drive as it reaches the bearing: searched, freed of late spikes, explained, and judged.

use std::borrow::Cow;

use stickslip::lanes::Record;

use crate::bearing::assemble::{with_friction, without_friction};
use crate::bearing::case::{BELIEVABLE, BUSY, Case, FAINT, SUSPICIOUS};
use crate::bearing::delay::{DelayKind, Node, delayed};
use crate::bearing::diagnosis::{Diagnosis, diagnose, thinned};
use crate::bearing::finding::What;
use crate::bearing::fit::Fit;
use crate::bearing::intervals::explore::{FEW_SWEEPS, explore, explore_for};
use crate::bearing::intervals::replicas::{Errors, replicas};
use crate::bearing::intervals::rounding::Rounding;
use crate::bearing::intervals::sizes::{Excess, Sizes};
use crate::bearing::intervals::thermometer::{self, mistimed};
use crate::bearing::intervals::timing::{Known, timing};
use crate::bearing::intervals::uncertainty::{Spread, Timed};
use crate::bearing::near::{self, Near};
use crate::bearing::options::{Method, Options, ThermalBearing};
use crate::bearing::outliers::residual_spikes;
use crate::bearing::remarks;
use crate::bearing::residuals::{noisy, suspicious};
use crate::bearing::search::evolution::{Outcome, evolve, straight};
use crate::bearing::search::global::{
    FIRST, FoundPaths, QUICK, Survey, THOROUGH, USUAL, refine, search_from, survey_surface,
};
use crate::bearing::search::motion::left;
use crate::bearing::search::point::{Point, Scored, score};
use crate::bearing::search::prepared::Prepared;
use crate::control::{Control, Parts};
use crate::error::Error;
use crate::parallel;
use crate::record::series::Series;
use crate::statistics::memory::{autocorrelation_time, white};
use stickslip::portable;

/// A path that leaves more than this share of what a straight line leaves of a very long record shows hardly any friction.
const HARDLY: f64 = 0.98;
/// Rounds of leaving out late spikes.
const ROUNDS: usize = 3;
/// From this share of late spikes on the search starts anew without them.
const MANY: f64 = 0.002;
/// Records that are made up to see what noise of the drive, or rounding, does.
const REPLICAS: usize = 24;
/// A lag or a shift that is fitted is wrong by this share of the time between rows, at least.
const LEAST_ERROR: f64 = 0.02;
/// A drive that may go beyond its readings by less than this part of ρ needs no word.
const WANDERS: f64 = 0.01;
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
    pub around: Option<(&'a Series<'a>, DelayKind, &'a [Node])>,
    /// Who watches.
    pub control: &'a dyn Control,
}

impl<'a> Judged<'a> {
    /// How the drive at the samples of the search changes with a lag or a shift that is fitted, and the standard deviation of
    /// that number; nothing where none is.
    fn rate(&self, prepared: &Prepared) -> (Vec<f64>, f64) {
        let Some((record, kind, nodes)) = self.around else { return (Vec::new(), 0.0) };
        // The first node is the best; without others the number has no error of its own.
        let [best, others @ ..] = nodes else { return (Vec::new(), 0.0) };
        if best.value == 0.0 || others.is_empty() {
            return (Vec::new(), 0.0);
        }
        let mean: f64 = nodes.iter().map(|n| n.share * n.value).sum();
        let square: f64 = nodes.iter().map(|n| n.share * (n.value - mean).powi(2)).sum();
        let least = LEAST_ERROR * record.usual_step();
        // For a quotient of differences the step must neither vanish nor carry a lag to zero.
        let by = square.sqrt().max(least).min(0.3 * best.value.abs());
        let at = |value| delayed(record, prepared.max_gap, kind, value);
        let below = at(best.value - by);
        let above = at(best.value + by);
        let time = record.time();
        let rate = prepared.light().times.iter().map(|t| {
            let row = time.partition_point(|s| s < t).min(time.len() - 1);
            let rate = (above[row] - below[row]) / (2.0 * by);
            // At a long gap one of the two has no value: the row says nothing about the number.
            if rate.is_finite() { rate } else { 0.0 }
        });
        (rate.collect(), by)
    }

    /// A stage is done.
    fn stage(&self, share: f64) -> Result<(), Error> {
        if self.control.stop() {
            return Err(Error::Interrupted);
        }
        self.control.progress(share);
        Ok(())
    }

    fn case(&self, prepared: &'a Prepared<'a>, tau: f64) -> Case<'a> {
        let series = self.series;
        let model = self.model;
        let options = self.options;
        let weight = prepared.full.record.weight();
        let straight = straight(&prepared.full);
        Case { series, prepared, model, options, tau, weight, straight }
    }
}

/// A fit, with what its caller needs to complete it.
pub struct Judgement {
    /// The fit.
    pub fit: Fit,
    /// Rows of the response that were left out.
    pub late: Vec<usize>,
    /// Standard deviation and 95 % interval of a lag or a shift that is fitted, as an excess over its value, s.
    pub number: Option<Excess>,
}

/// Searches, leaves out what stands out from the best path, looks for explanations, samples and assembles.
pub fn judged(job: &Judged) -> Result<Judgement, Error> {
    let series = job.series;
    let options = job.options;
    let mut response = Cow::from(series.response());
    let mut late: Vec<usize> = Vec::new();
    let prepared = Prepared::new(series, options.max_gap, &options.trend)?.watched(job.control);
    let (outcomes, mut found) = searched(job, series, &prepared);
    let mut prepared = prepared;
    for _ in 0..ROUNDS {
        // The paper's procedure has no such step.
        let (Method::Global, Some(threshold)) = (options.method, options.outliers) else { break };
        let record = Series::new(series.time(), series.drive(), &response)?;
        let Scored { point, line, .. } = &found.minima[0];
        let spikes = {
            let left = left(&record, &prepared, &options.trend, point, line);
            residual_spikes(record.drive(), &left, threshold)
        };
        if spikes.is_empty() {
            break;
        }
        spikes.iter().for_each(|&row| response.to_mut()[row] = f64::NAN);
        let record = Series::new(series.time(), series.drive(), &response)?;
        prepared = Prepared::new(&record, options.max_gap, &options.trend)?.watched(job.control);
        // Many spikes have pulled at the search itself; a few have only made its residuals larger.
        let many = spikes.len() as f64 > MANY * prepared.full.record.weight();
        late.extend(spikes);
        if many {
            found = searched(job, &record, &prepared).1;
        } else {
            let points = found.minima.into_iter().map(|s| s.point).collect();
            found.minima = FoundPaths::of(score(&prepared.full, points), 0).minima;
        }
    }
    let record = Series::new(series.time(), series.drive(), &response)?;
    job.stage(0.4)?;
    let (fit, number) =
        explained(&Judged { series: &record, ..*job }, &mut prepared, found, &outcomes)?;
    Ok(Judgement { fit, late, number })
}

/// The search that was asked for.
fn searched(job: &Judged, series: &Series, prepared: &Prepared) -> (Vec<Outcome>, FoundPaths) {
    match job.options.method {
        Method::Global => {
            let mut found = global_search(series, prepared, job.options);
            // The paths that the scan of the lag or shift has ended with belong among those that are compared.
            if let Some((_, _, [best, ..])) = job.around {
                found.join(refine(prepared, &best.points, job.options.seed));
            }
            (Vec::new(), found)
        }
        Method::Evolution { runs } => {
            let (outcomes, mut found) = evolve(prepared, job.options.seed, runs);
            // The runs have no survey of their own, and the picture of the error is drawn from one.
            found.surface = survey_surface(prepared);
            (outcomes, found)
        }
    }
}

/// Explanations of what is left, then the fit.
fn explained(
    job: &Judged,
    prepared: &mut Prepared,
    mut found: FoundPaths,
    outcomes: &[Outcome],
) -> Result<(Fit, Option<Excess>), Error> {
    let series = job.series;
    let options = job.options;
    let asked = options.diagnose || options.quick;
    let mut more = asked && suspicious(series, prepared, options, &found.minima[0]);
    // Runs of the paper's procedure are reported as they ended.
    if more
        && outcomes.is_empty()
        && let Some(other) = of_halves(series, prepared, options, &found)
    {
        found.join(other);
        more = false;
    }
    let settled = options.quick && !more && !noisy(prepared, &found);
    let near = settled.then(|| Near::of(prepared, &found.minima));
    let diagnosis = if options.diagnose && more {
        let silent = Parts::silent(job.control);
        diagnose(series, prepared, options, &found.minima, &silent)?
    } else {
        Diagnosis::default()
    };
    job.stage(0.7)?;
    // Runs of the paper's procedure are reported as they ended.
    if outcomes.is_empty() && !diagnosis.points.is_empty() {
        found.join(refine(prepared, &diagnosis.points, options.seed));
    }
    let (mut fit, number) = believed(job, prepared, found, outcomes, &diagnosis)?;
    let other = diagnosis.findings.first().filter(|f| f.what == What::Viscous);
    if let Some(finding) = other {
        fit.refuse(&finding.suggestion);
    }
    fit.states = diagnosis.states;
    if fit.is_divided() {
        fit.divided();
    }
    fit.residuals_are_noise = options.diagnose.then_some(!more);
    fit.looked_for = diagnosis.looked;
    // In front of what cleaning and errors of the instruments have found, since they explain the most.
    fit.diagnosis.splice(0..0, diagnosis.findings);
    fit.near = near;
    remarks::explained(&mut fit);
    Ok((fit, number))
}

/// Paths near those of either half of the record, if the best of them leaves less than what was found, and nothing that asks for an
/// explanation. The funnel around the path of a record of thousands of slips is narrow, and a search may miss it; that of half a record is
/// wider. Where this is not asked first, a healthy record is tried with every explanation there is.
fn of_halves(
    series: &Series,
    prepared: &Prepared,
    options: &Options,
    found: &FoundPaths,
) -> Option<FoundPaths> {
    // The extremes of a long record are enough to find them, and a path in fewer rows has a wider funnel.
    let thinned = thinned(series);
    let thin = thinned.as_ref().and_then(|[t, d, r]| Series::new(t, d, r).ok());
    let points = match &thin {
        Some(thin) => {
            let own = Prepared::new(thin, options.max_gap, &options.trend).ok()?;
            let halves = near::halves(thin, &own, options);
            Near::of(&own, &refined(&own, &halves, options)?.minima).at(prepared.drive_centre)
        }
        None => near::halves(series, prepared, options),
    };
    let other = refined(prepared, &points, options)?;
    let best = other.minima.first()?;
    let less = best.line.rss < found.minima[0].line.rss;
    (less && !suspicious(series, prepared, options, best)).then_some(other)
}

/// Short descents from points, if there are any.
fn refined(prepared: &Prepared, points: &[Point], options: &Options) -> Option<FoundPaths> {
    (!points.is_empty()).then(|| refine(prepared, points, options.seed))
}

/// Whether there is friction, and how sure what was found is.
fn believed(
    job: &Judged,
    prepared: &mut Prepared,
    mut found: FoundPaths,
    outcomes: &[Outcome],
    diagnosis: &Diagnosis,
) -> Result<(Fit, Option<Excess>), Error> {
    let series = job.series;
    let options = job.options;
    let best = match outcomes.iter().min_by(|a, b| a.rss.total_cmp(&b.rss)) {
        Some(outcome) => outcome.scored(&prepared.full),
        None => found.minima[0].clone(),
    };
    let left = left(series, prepared, &options.trend, &best.point, &best.line);
    let tau = autocorrelation_time(&left.parts());
    let most = left.robust();
    // A long record's residuals are large.
    drop(left);
    let best_square = best.line.rss;
    let floor = prepared.full.floor;
    let ratio = (straight(&prepared.full).rss + floor) / (best.line.rss + floor);
    // Twice the gain in log-likelihood, of n/τ independent residuals.
    let gain = prepared.full.record.weight() / tau * portable::log(ratio);
    let case = job.case(prepared, tau);
    let busy = best.jumps > BUSY * prepared.full.record.weight();
    let faint = ratio < 1.0 + FAINT[usize::from(busy)];
    if gain < BELIEVABLE || faint || best.line.on_path == 0.0 {
        found.minima.remove(0);
        return Ok((without_friction(&case, found, outcomes), None));
    }
    let mut spread = explore(prepared, &found.minima, tau, options.seed);
    if !outcomes.is_empty() {
        // What the runs found is what is reported, whether or not it is the best there is.
        spread.centre = best;
    }
    job.stage(0.85)?;
    mix(job, prepared, &mut spread)?;
    job.stage(0.95)?;
    let rmse = (best_square / prepared.full.record.weight()).sqrt();
    let residuals = [rmse, most];
    let errors = Sizes { residuals, ..errors(job, &case, &mut spread, diagnosis) };
    // The centre of the likelihood stands in its place.
    found.minima.remove(0);
    let weight = case.weight;
    let straight = case.straight;
    if outcomes.is_empty() && options.bootstrap < 2 {
        // No path is tried from here on, and the curve of a long record needs the room.
        prepared.full.record = Record::new(&[], &[]);
    }
    let case = Case { weight, straight, ..job.case(prepared, tau) };
    let mut fit = with_friction(&case, found, spread, outcomes);
    remarks::errors(&mut fit, &errors);
    Ok((fit, errors.number))
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
        let own = own.watched(job.control);
        let found = refine(&own, &node.points, options.seed);
        let draws = explore_for(&own, &found.minima, spread.tau, options.seed, FEW_SWEEPS);
        Some(draws.draws.into_iter().map(|s| s.recentred(&own, prepared)).collect())
    };
    let all = parallel::map(others.iter().collect(), at);
    let total = spread.draws.len() as f64;
    // So many draws from each node as its share of the likelihood says.
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
fn errors(job: &Judged, case: &Case, spread: &mut Spread, diagnosis: &Diagnosis) -> Sizes {
    let Case { series, prepared, options, .. } = *case;
    let variance = spread.variance / spread.tau;
    let rounding = Rounding::of(series, &spread.centre, variance);
    // That slips come early within means is known.
    let explained = !diagnosis.findings.is_empty() || options.average.is_some();
    let light = prepared.light();
    let mistimed = mistimed(light.samples, light.starts, &spread.centre);
    // Runs of an evolution end beside the path whose slips fit best.
    let global = options.method == Method::Global;
    let timing = if !global || rounding.is_some_and(|r| r.hides) {
        None
    } else {
        let (rate, number) = job.rate(prepared);
        let means = options.average.is_some();
        let sigma = options.drive_noise;
        let seed = options.seed;
        let known = Known { sigma, rate: &rate, spread: number, means, seed };
        timing(prepared, spread, &known)
    };
    let slips = spread.centre.jumps as usize;
    let many = mistimed.is_some_and(|m| m.many(slips));
    let alone = many && !explained && rounding.is_none();
    let estimated = || match (thermometer::scatter(series), timing.as_ref().map(|t| t.sigma)) {
        // Slips that come at the wrong time need some noise, however little the scatter shows.
        (_, Some(b)) if alone => Some(b),
        (Some(a), Some(b)) => Some(a.min(b)),
        // Slips that come when they should leave no room for noise.
        (_, None) if mistimed.is_some() && !many => Some(0.0),
        (a, b) => a.or(b),
    };
    let drive = options.drive_noise.or_else(estimated);
    // A run need not end at the best path, and slips that it misses are no noise of the drive: only a noise
    // that was stated counts.
    let unseen = if global { drive } else { options.drive_noise };
    let noise = unseen.filter(|_| timing.is_none()).unwrap_or(0.0);
    let of_account = || OF_ACCOUNT * spread.of(|p, _| (p.thresholds().rho, [0.0; 3])).0;
    if rounding.is_some() || noise > of_account() {
        let made = Errors {
            drive: noise,
            response: rounding.map_or(variance.sqrt(), |r| r.noise),
            rounding: rounding.map_or(0.0, |r| r.step),
            level: rounding.map_or(0.0, |r| r.level - prepared.response_centre),
        };
        // Draws of their own, apart from every other use of the seed.
        let stream = options.seed ^ 7 << 32;
        let centre = &spread.centre;
        let draws = &spread.draws;
        spread.replicas = Some(replicas(prepared, centre, draws, made, REPLICAS, stream));
    }
    let number = timing.as_ref().filter(|_| job.around.is_some()).map(|t| t.number);
    spread.timed = timing.map(|t| Timed { draws: t.draws, variance: t.variance, alone });
    // What the drive does within means is known.
    let instants = options.average.is_none().then_some(series);
    let wander = instants.and_then(|s| thermometer::wander(s, options.drive_noise.unwrap_or(0.0)));
    let wander = wander.filter(|by| *by >= WANDERS * spread.centre.point.thresholds().rho);
    Sizes { drive, mistimed, number, rounding, wander, explained, ..Sizes::default() }
}

/// A quick search is enough if its residual is white: then no other path can leave much less. Otherwise
/// more is tried, and more again where the residual could still hide a wrong path.
fn global_search(series: &Series, prepared: &Prepared, options: &Options) -> FoundPaths {
    let residuals = |found: &FoundPaths| {
        let Scored { point, line, .. } = &found.minima[0];
        left(series, prepared, &options.trend, point, line)
    };
    // Every search begins with the same survey.
    let survey = Survey::of(prepared, options.seed);
    let search = |effort| search_from(prepared, &survey, options.seed, effort);
    let mut found = match options.quick {
        false => search(QUICK),
        true => {
            let first = search(FIRST);
            if enough(series, prepared, options, &first) {
                return first.with(survey);
            }
            let mut found = search(QUICK);
            found.join(first);
            found
        }
    };
    if white(&residuals(&found).parts()) {
        return found.with(survey);
    }
    // From afar a friction is a bowl, which a quick search does not miss. Where it has seen none in a very long record, each other search would
    // look for it there as long as for one.
    let square = straight(&prepared.full).rss;
    if prepared.finer.is_some() && found.minima[0].line.rss > HARDLY * square {
        return found.with(survey);
    }
    found.join(search(USUAL));
    let left = residuals(&found);
    let left = left.parts();
    if !white(&left) && (autocorrelation_time(&left) > SUSPICIOUS || noisy(prepared, &found)) {
        found.join(search(THOROUGH));
    }
    found.with(survey)
}

/// Whether a short search is enough: what it leaves is noise that is small against a jump, and no slip comes at the wrong
/// time. Then another path would show in the residual.
fn enough(series: &Series, prepared: &Prepared, options: &Options, found: &FoundPaths) -> bool {
    let best = &found.minima[0];
    let light = prepared.light();
    let late = || mistimed(light.samples, light.starts, best);
    !noisy(prepared, found)
        && !suspicious(series, prepared, options, best)
        && !late().is_some_and(|m| m.many(best.jumps as usize))
}
