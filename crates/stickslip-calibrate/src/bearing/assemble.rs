//! From what was searched and sampled to what is returned: parameters, intervals, reasons.

use crate::bearing::case::{Case, SUSPICIOUS};
use crate::bearing::finding::States;
use crate::bearing::fit::{
    Coverage, Fit, Minimum, NO_FRICTION, Parameters, SearchRun, Statistics, TrendSizes,
};
use crate::bearing::intervals::bootstrap::{Named, Source};
use crate::bearing::search::evolution::Outcome;
use crate::statistics::estimate::Estimate;

use crate::bearing::intervals::profile::profile;
use crate::bearing::intervals::quantity::{Quantity, quantities};
use crate::bearing::intervals::uncertainty::Spread;
use crate::bearing::options::ThermalBearing;
use crate::bearing::search::global::FoundPaths;
use crate::bearing::search::motion::{Motion, follow};
use crate::bearing::search::point::{Point, Scored};
use stickslip::portable;

/// κ must exceed its standard error so many times before K is printed.
const KAPPA_SIGMAS: f64 = 3.0;
/// Fewer slips than this get a warning: there are six unknowns.
const FEW_SLIPS: usize = 6;

/// z₀, κ and the rest of one path: what a run of the evolution ends with.
fn run_of(case: &Case, o: &Outcome, forces: bool) -> SearchRun {
    let lead = o.point.thresholds().rho;
    let beta = o.beta;
    // Forces of a run are shown only where the fit as a whole can tell them.
    let stiffness = case.model.bearing_stiffness.filter(|_| forces).map(|k| k * o.kappa);
    // With β < 0 the travel is positive all the same.
    let over = [o.point.sliding * beta.abs(), lead * beta.abs()];
    // Without it z₀ would be the mean over time of what the sensor's drift and steps make of it.
    let opening = o.scored(&case.prepared.full).line.opening;
    SearchRun {
        z0: o.constant + opening + case.prepared.response_centre
            - beta * case.prepared.drive_centre,
        K: stiffness,
        f_d: stiffness.map(|k| k * over[0]),
        f_s: stiffness.map(|k| k * over[1]),
        f_d_over_K: over[0],
        f_s_over_K: over[1],
        beta,
        rmse: rmse(case, o.rss),
    }
}

/// The runs of an evolution, their statistics, and those of `fit` itself where there were none.
fn add_runs(case: &Case, fit: &mut Fit, outcomes: &[Outcome]) {
    let forces = fit.parameters.K.identifiable;
    fit.runs = outcomes.iter().map(|o| run_of(case, o, forces)).collect();
    if outcomes.is_empty() {
        fit.runs = vec![SearchRun::of(fit)];
    }
    fit.runs_statistics = Statistics::of(&fit.runs);
}

fn rmse(case: &Case, rss: f64) -> f64 {
    (rss / case.weight).sqrt()
}

/// Why K, f_d and f_s cannot be known, or K_BP.
fn bearing(model: &ThermalBearing, kappa: &Estimate, one_way: Option<&str>) -> Result<f64, String> {
    if let Some(reason) = one_way {
        return Err(reason.to_owned());
    }
    let Some(bearing) = model.bearing_stiffness else {
        return Err("the bearing's own stiffness K_BP is not given; the record shows only f_s/K, f_d/K and K/K_BP".to_owned());
    };
    match (kappa.value, kappa.stderr) {
        // K must stand clear of nothing at one end and of K_BP at the other.
        (Some(k), Some(se)) if k > KAPPA_SIGMAS * se && k < 1.0 => Ok(bearing),
        // Beyond its error on the wrong side, K/K_BP is no matter of precision: the model does not hold.
        (Some(k), Some(se)) if !(-2.0 * se..=1.0 + 2.0 * se).contains(&k) => Err(impossible(k, se)),
        (Some(k), Some(se)) => Err(format!(
            "K shows only through K/K_BP, which is {k:.4} ± {se:.4} here: too close to {} to tell",
            if k < 0.5 { "0" } else { "1" }
        )),
        _ => Err("K/K_BP was not found".to_owned()),
    }
}

/// A quantity with its standard error and its interval.
type Sure<'a> = (&'a Quantity, (f64, [f64; 2]));

/// One quantity with its interval.
fn estimated(all: &[Sure], spread: &Spread, name: &str) -> Estimate {
    let Some(&(q, (stderr, ci95))) = all.iter().find(|q| q.0.name == name) else {
        return Estimate::unknown("", "not computed");
    };
    let found = Estimate::within(spread.value(&q.of), stderr, ci95, q.unit);
    // z0, kappa and delta may be zero.
    if matches!(name, "z0" | "kappa" | "delta") { found } else { found.unless_vague() }
}

/// K, f_d and f_s are proportional to K_BP: its error, if it is known, is one of theirs.
fn scaled(e: Estimate, model: &ThermalBearing) -> Estimate {
    let share = model.bearing_stiffness.zip(model.bearing_stiffness_error).map(|(k, s)| s / k);
    let (Some(value), Some(stderr), Some([low, high]), Some(share)) =
        (e.value, e.stderr, e.ci95, share)
    else {
        return e;
    };
    let own = share * value;
    // The error of K_BP is independent of the record's.
    let wider = |half: f64| portable::hypot(half, 1.96 * own);
    let ci95 = Some([value - wider(value - low), value + wider(high - value)]);
    Estimate { stderr: Some(portable::hypot(stderr, own)), ci95, ..e }
}

/// Why slips that all go one way do not show the threshold.
fn one_way(motion: &Motion) -> Option<String> {
    (motion.forward == 0 || motion.backward == 0).then(|| {
        format!(
            "all {} slips go one way, so the threshold cannot be told from the starting state; \
             use a record in which the drive turns around and the slider follows",
            motion.forward + motion.backward
        )
    })
}

/// What a record with friction shows.
pub fn with_friction(case: &Case, found: FoundPaths, spread: Spread, outcomes: &[Outcome]) -> Fit {
    let Case { series, prepared, model, options, tau, .. } = *case;
    let Scored { point, line, .. } = &spread.centre;
    let motion = follow(series, prepared, &options.trend, point, line);
    let slips = motion.forward + motion.backward;
    let one_way = one_way(&motion);
    let quantities = quantities(prepared, model.bearing_stiffness);
    let all: Vec<Sure> = quantities.iter().map(|q| (q, spread.of(&q.of))).collect();
    let known = |name| estimated(&all, &spread, name);
    let kappa = known("kappa");
    let hidden = bearing(model, &kappa, one_way.as_deref()).err();
    let unless = |reason: &Option<String>, name, unit| match reason {
        Some(reason) => Estimate::unknown(unit, reason),
        None => known(name),
    };
    // What one direction of slips, or K_BP, leaves open has neither profile nor bootstrap.
    let is_known = |q: &&Sure| match q.0.name {
        "K" | "f_d" | "f_s" => hidden.is_none(),
        "rho" | "delta" | "f_s_over_K" | "f_d_over_K" => one_way.is_none(),
        _ => true,
    };
    let shown: Vec<&Sure> = all.iter().filter(is_known).collect();
    // Profiles are those of least squares, and of no use where the intervals come from another likelihood.
    let alone = spread.timed.as_ref().is_some_and(|t| t.alone);
    let profiled = shown.iter().filter(|_| !alone);
    let profiles =
        profiled.map(|(q, (stderr, ends))| profile(&spread, q, *stderr, *ends)).collect();
    // A single replicate has no scatter.
    let bootstrap = (options.bootstrap > 1).then(|| {
        let trend = &options.trend;
        let motion = &motion;
        let spread = &spread;
        let named: Vec<Named> = shown.iter().map(|(q, _)| (q.name, &*q.of)).collect();
        let source = Source { series, prepared, trend, motion, spread, tau };
        source.bootstrap(options.bootstrap, options.seed, &named)
    });
    let mut fit = Fit {
        friction_seen: true,
        friction_denied: false,
        states: States::One,
        parameters: Parameters {
            z0: known("z0"),
            K: scaled(unless(&hidden, "K", "N/m"), model),
            f_d: scaled(unless(&hidden, "f_d", "N"), model),
            f_s: scaled(unless(&hidden, "f_s", "N"), model),
            beta: known("beta"),
        },
        f_s_over_K: unless(&one_way, "f_s_over_K", "m"),
        f_d_over_K: unless(&one_way, "f_d_over_K", "m"),
        rho: unless(&one_way, "rho", "K"),
        delta: unless(&one_way, "delta", "K"),
        kappa,
        rmse: rmse(case, line.rss),
        slips,
        evaluations: found.evaluations + spread.evaluations,
        minima: minima(case, Some(&spread.centre), &found),
        profiles,
        bootstrap,
        ..bare(case, found, motion)
    };
    circumstances(case, &mut fit);
    friction_warnings(&mut fit);
    add_runs(case, &mut fit, outcomes);
    // Last, since it takes back numbers that everything before has filled in.
    withhold(&mut fit);
    fit
}

/// Withholds the numbers of a fit whose K exceeds K_BP.
fn withhold(fit: &mut Fit) {
    if let (Some(k), Some(se)) = (fit.kappa.value, fit.kappa.stderr)
        && k - 2.0 * se > 1.0
    {
        let said = impossible(k, se);
        fit.warnings.push(said.clone());
        // z₀ stays in a refusal of the friction alone; of a model that does not hold it goes as well.
        fit.refuse(&said);
        fit.parameters.z0 = Estimate::unknown("m", said);
    }
}

/// K/K_BP that no bearing has.
fn impossible(k: f64, se: f64) -> String {
    format!(
        "K/K_BP comes out as {k:.4} ± {se:.4}, and only 0 to 1 is possible: check that the drive and the response are the \
         right columns, and the model the right one"
    )
}

fn friction_warnings(fit: &mut Fit) {
    let slips = fit.slips;
    if slips < FEW_SLIPS {
        fit.warnings.push(format!(
            "only {slips} slips for six unknowns: use a longer record or one with larger swings of the drive"
        ));
    }
    // The path has slipped, but too often for a list.
    if slips > fit.events.len() && fit.events.is_empty() {
        fit.notice(format!("{slips} slips are too many to list: the list of slips is empty"));
    }
    if let Some([low, _]) = fit.delta.ci95
        && low <= 0.0
    {
        fit.warnings.push(
            "f_s and f_d cannot be told apart in this record: their difference may be 0 (continuous sliding)"
                .to_owned(),
        );
    }
    if let (Some(k), Some(se)) = (fit.kappa.value, fit.kappa.stderr)
        && k < -KAPPA_SIGMAS * se
    {
        fit.warnings.push(format!(
            "K/K_BP comes out negative ({k:.4} ± {se:.4}), which no bearing has: the response moves against the drive while \
             it sticks; check for a temperature effect on the sensor, or a lag between the two columns"
        ));
    }
}

/// What a record without friction shows: a straight line.
pub fn without_friction(case: &Case, found: FoundPaths, outcomes: &[Outcome]) -> Fit {
    let Case { series, prepared, options, tau, .. } = *case;
    let line = case.straight;
    // With ρ = δ = 0 the path is the drive itself, and the line through it the straight one.
    let free = Point {
        sliding: 0.0,
        delta: 0.0,
        lattice: 0.0,
        starts: vec![0.0; prepared.starts.len()].into(),
    };
    let motion = follow(series, prepared, &options.trend, &free, &line);
    // Two numbers were fitted: the straight line's.
    let variance = line.rss / (line.weight - 2.0) * tau;
    let reason = NO_FRICTION;
    let unknown = |unit| Estimate::unknown(unit, reason);
    let stderr = (variance * line.variance([0.0, 0.0, 1.0])).sqrt();
    let slope = Estimate::known(line.on_drive, stderr, "m/K");
    let either = |what: &str| {
        format!(
            "no friction seen; the slope of response over drive is {:.4e} m/K, which is beta if the bearing moves freely \
             and beta K/K_BP if it never moves, so {what} cannot be known",
            line.on_drive
        )
    };
    let minima = minima(case, None, &found);
    let mut fit = Fit {
        parameters: Parameters {
            z0: Estimate::unknown("m", either("z0")),
            K: unknown("N/m"),
            f_d: unknown("N"),
            f_s: unknown("N"),
            beta: Estimate::unknown("m/K", either("beta")),
        },
        slope: Some(slope),
        f_s_over_K: unknown("m"),
        f_d_over_K: unknown("m"),
        rho: unknown("K"),
        delta: unknown("K"),
        kappa: unknown("1"),
        evaluations: found.evaluations,
        minima,
        ..bare(case, found, motion)
    };
    circumstances(case, &mut fit);
    fit.friction_denied = true;
    fit.warnings.push(reason.to_owned());
    // The path of a slider without friction moves all the time: those are no slips.
    fit.events.clear();
    fit.curve.phase.fill(0);
    add_runs(case, &mut fit, outcomes);
    fit
}

/// What both outcomes share; the rest is empty.
fn bare(case: &Case, found: FoundPaths, motion: Motion) -> Fit {
    let Case { series, prepared, options, tau, .. } = *case;
    let blank = || Estimate::unknown("", "");
    let samples = series.complete().count();
    let straight = rmse(case, case.straight.rss);
    let trend = (options.trend.count() > 0).then(|| TrendSizes::of(&options.trend, motion.trend));
    Fit {
        method: options.method.name(),
        friction_seen: false,
        friction_denied: false,
        states: States::One,
        parameters: Parameters {
            z0: blank(),
            K: blank(),
            f_d: blank(),
            f_s: blank(),
            beta: blank(),
        },
        f_s_over_K: blank(),
        f_d_over_K: blank(),
        rho: blank(),
        delta: blank(),
        kappa: blank(),
        slope: None,
        lag: None,
        shift: None,
        drive_noise: None,
        rounding: None,
        sentinels: Vec::new(),
        interpolated: 0,
        residuals_are_noise: None,
        looked_for: Vec::new(),
        diagnosis: Vec::new(),
        trend,
        rmse: straight,
        rmse_without_friction: straight,
        samples,
        missing: series.time().len() - samples,
        outliers: 0,
        outlier_rows: Vec::new(),
        long_gaps: prepared.starts.len() - 1,
        slips: 0,
        autocorrelation: tau,
        evaluations: 0,
        seconds: 0.0,
        runs: Vec::new(),
        runs_statistics: None,
        minima: Vec::new(),
        coverage: Coverage::of(&found.surface),
        profiles: Vec::new(),
        bootstrap: None,
        warnings: Vec::new(),
        notices: Vec::new(),
        logged: Vec::new(),
        curve: motion.curve,
        events: motion.slips,
        surface: found.surface,
        near: None,
    }
}

fn minima(case: &Case, best: Option<&Scored>, found: &FoundPaths) -> Vec<Minimum> {
    let all = best.into_iter().chain(&found.minima);
    // The centre stands for the best minimum, in whose cell it lies.
    all.map(|s| {
        let set = s.point.thresholds();
        Minimum { rho: set.rho, delta: set.delta, rmse: rmse(case, s.line.rss) }
    })
    .collect()
}

/// Gaps of the drive, and residuals that remember their neighbours.
fn circumstances(case: &Case, fit: &mut Fit) {
    let prepared = case.prepared;
    let tau = case.tau;
    let gaps = prepared.starts.len() - 1;
    if gaps > 0 {
        fit.notice(format!(
            "the drive is missing for more than {:.1} h {}: slips in the gaps are unknown, and the state after each is fitted \
             (normally harmless)",
            prepared.max_gap / 3600.0,
            match gaps {
                1 => "once".to_owned(),
                2 => "twice".to_owned(),
                n => format!("{n} times"),
            }
        ));
    }
    if tau > SUSPICIOUS {
        fit.warnings.push(format!(
            "the residuals are autocorrelated (about {tau:.0} neighbouring ones count as one): something in the record is \
             not in the model; the intervals allow for it, the estimates do not"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Series, calibrate};
    use stickslip::lanes::SlipPath;

    /// A path with more slips than are listed says that its list is empty; with a list, or without a slip, nothing is said of it.
    #[test]
    fn slips_that_are_not_listed_are_told() {
        let time: Vec<f64> = (0..500).map(|i| 3600.0 * f64::from(i)).collect();
        let drive: Vec<f64> = (0..500).map(|i| 9.0 * portable::sin(0.26 * f64::from(i))).collect();
        let mut path = SlipPath { rho: 4.0, delta: 1.0, xi: 0.0 };
        let response: Vec<f64> = drive
            .iter()
            .map(|t| {
                path.advance(*t);
                3e-4 * path.xi + 1e-5 * t
            })
            .collect();
        let series = Series::new(&time, &drive, &response).unwrap();
        let options = Options { drive_noise: Some(0.0), ..Options::default() };
        let fit = calibrate(&series, &ThermalBearing::default(), &options).unwrap();
        let said = |fit: &Fit| fit.notices.iter().any(|n| n.contains("too many to list"));
        assert!(fit.slips > 50 && fit.events.len() == fit.slips && !said(&fit));
        let told = |slips: usize| {
            let mut many = Fit { slips, events: Vec::new(), ..fit.clone() };
            friction_warnings(&mut many);
            said(&many)
        };
        assert!(told(5_000_001) && !told(0));
    }
}
