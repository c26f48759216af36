//! `method = "global"`: the whole calibration of a bearing that temperature drives.

use crate::error::Error;
use crate::estimate::Estimate;
use crate::fit::{Fit, Minimum, Parameters, Run};
use crate::linear::Linear;
use crate::motion::{Motion, follow};
use crate::point::{Point, Scored};
use crate::prepared::Prepared;
use crate::search::{Found, THOROUGH, USUAL, search};
use crate::series::Series;
use crate::uncertainty::{Spread, autocorrelation_time, explore};

/// A bearing driven by temperature: d = βT, z = z₀ + x + K(βT − x)/K_BP. Seed 000 §4.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ThermalBearing {
    /// K_BP, N/m. Without it K, f_d and f_s cannot be known, only f_d/K and f_s/K.
    pub bearing_stiffness: Option<f64>,
}

/// How to fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Longest gap in the drive across which it is taken as linear, s. `None`: six hours or ten
    /// usual steps, whichever is longer.
    pub max_gap: Option<f64>,
    /// Seed of the search's random steps.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_gap: None, seed: 1 }
    }
}

/// Twice the gain in log-likelihood that friction must bring over a straight line before it is
/// believed. Under no friction the best of the many paths that are tried gains about 2 ln(10⁵) + 3.
const BELIEVABLE: f64 = 50.0;
/// So many residuals counting as one make the search look again, and the reader be warned.
const SUSPICIOUS: f64 = 3.0;
/// κ must exceed its standard error so many times before K is printed.
const KAPPA_SIGMAS: f64 = 3.0;
/// Fewer slips than this get a warning: there are six unknowns.
const FEW_SLIPS: usize = 6;

/// Fits z₀, K, f_d, f_s and β by global search.
pub fn global(series: &Series, model: &ThermalBearing, options: &Options) -> Result<Fit, Error> {
    if let Some(found) = model.bearing_stiffness
        && !(found.is_finite() && found > 0.0)
    {
        let expected = "a finite stiffness > 0 N/m";
        return Err(Error::OutOfRange { what: "the bearing stiffness", found, expected });
    }
    let prepared = Prepared::new(series, options.max_gap)?;
    let tau = |found: &Found| {
        let Scored { point, line, .. } = &found.minima[0];
        autocorrelation_time(&follow(series, &prepared, point, line).residuals)
    };
    let mut found = search(&prepared, options.seed, USUAL);
    if tau(&found) > SUSPICIOUS {
        found.join(search(&prepared, options.seed, THOROUGH));
    }
    let tau = tau(&found);
    let best = found.minima.remove(0);
    let floor = prepared.full.floor;
    let ratio = (straight(&prepared).rss + floor) / (best.line.rss + floor);
    let gain = prepared.full.record.weight() / tau * ratio.ln();
    if gain < BELIEVABLE || best.line.on_path == 0.0 {
        return Ok(without_friction(series, &prepared, found, tau));
    }
    let spread = explore(&prepared.full, best, tau, options.seed);
    Ok(with_friction(series, &prepared, model, found, spread, tau))
}

/// z = c + bT.
fn straight(prepared: &Prepared) -> Linear {
    crate::linear::fit(&prepared.full.record, &stickslip::lanes::Sums::default())
}

/// z₀ = c + z̄ − βT̄ in the uncentred variables, with its gradient.
fn z0(prepared: &Prepared, line: &Linear) -> (f64, [f64; 3]) {
    let t = prepared.drive_centre;
    let value = line.constant + prepared.response_centre - (line.on_path + line.on_drive) * t;
    (value, [1.0, -t, -t])
}

fn rmse(prepared: &Prepared, rss: f64) -> f64 {
    (rss / prepared.full.record.weight()).sqrt()
}

fn with_friction(
    series: &Series,
    prepared: &Prepared,
    model: &ThermalBearing,
    found: Found,
    spread: Spread,
    tau: f64,
) -> Fit {
    let Scored { point, line, .. } = &spread.centre;
    let motion = follow(series, prepared, point, line);
    type Quantity<'a> = &'a dyn Fn(&Point, &Linear) -> (f64, [f64; 3]);
    let known = |unit, of: Quantity| Estimate::known(of(point, line).0, spread.stderr(of), unit);
    let beta = known("m/K", &|_, l| (l.on_path + l.on_drive, [0.0, 1.0, 1.0]));
    let kappa = known("1", &|_, l| {
        let beta = l.on_path + l.on_drive;
        let square = beta * beta;
        (l.on_drive / beta, [0.0, -l.on_drive / square, l.on_path / square])
    });
    // f_s/K = ρβ and f_d/K = (ρ − δ/2)β, positive for β < 0 too.
    let over_stiffness = |lead: fn(&Point) -> f64| {
        known("m", &|p, l| {
            let (lead, beta) = (lead(p), l.on_path + l.on_drive);
            let slope = lead.copysign(beta);
            (slope * beta, [0.0, slope, slope])
        })
    };
    let breakaway = |p: &Point| p.thresholds().rho;
    let sliding = |p: &Point| p.sliding;

    let slips = motion.forward + motion.backward;
    let one_way = (motion.forward == 0 || motion.backward == 0).then(|| {
        format!(
            "all {slips} slips go one way, so the threshold cannot be told from the starting state; \
             use a record in which the drive turns around and the slider follows"
        )
    });
    let hidden = match (&one_way, model.bearing_stiffness) {
        (Some(reason), _) => Err(reason.clone()),
        (None, None) => Err("the bearing's own stiffness K_BP is not given; the record shows only f_s/K, f_d/K and K/K_BP".to_owned()),
        (None, Some(bearing)) => match (kappa.value, kappa.stderr) {
            (Some(k), Some(se)) if k > KAPPA_SIGMAS * se && k < 1.0 => Ok(bearing),
            (Some(k), Some(se)) => Err(format!(
                "K shows only through K/K_BP, which is {k:.4} ± {se:.4} here: too close to {} to tell",
                if k < 0.5 { "0" } else { "1" }
            )),
            _ => Err("K/K_BP was not found".to_owned()),
        },
    };
    // f = (f/K)·κ K_BP = lead · |β| · (b/β) · K_BP.
    let force = |bearing: f64, lead: fn(&Point) -> f64| {
        known("N", &|p, l| {
            let slope = (lead(p) * bearing).copysign(l.on_path + l.on_drive);
            (slope * l.on_drive, [0.0, 0.0, slope])
        })
    };
    let (stiffness, f_d, f_s) = match &hidden {
        Ok(bearing) => {
            let mut stiffness = kappa.clone();
            stiffness.unit = "N/m";
            stiffness.value = kappa.value.map(|v| v * bearing);
            stiffness.stderr = kappa.stderr.map(|v| v * bearing);
            stiffness.ci95 = kappa.ci95.map(|c| c.map(|v| v * bearing));
            (stiffness, force(*bearing, sliding), force(*bearing, breakaway))
        }
        Err(reason) => (
            Estimate::unknown("N/m", reason),
            Estimate::unknown("N", reason),
            Estimate::unknown("N", reason),
        ),
    };
    let lead = |unit, of: &dyn Fn(&Point) -> f64| match &one_way {
        None => known(unit, &|p, _| (of(p), [0.0; 3])),
        Some(reason) => Estimate::unknown(unit, reason),
    };
    let ratio = |of: fn(&Point) -> f64| match &one_way {
        None => over_stiffness(of),
        Some(reason) => Estimate::unknown("m", reason),
    };

    let mut warnings = warnings(prepared, tau);
    if slips < FEW_SLIPS {
        warnings.push(format!(
            "only {slips} slips for six unknowns: use a longer record or one with larger swings of the drive"
        ));
    }
    if slips > motion.slips.len() {
        warnings.push(format!("{slips} slips are too many to list; none is"));
    }
    if let (Some(k), Some(se)) = (kappa.value, kappa.stderr)
        && k < -KAPPA_SIGMAS * se
    {
        warnings.push(format!(
            "K/K_BP comes out negative ({k:.4} ± {se:.4}), which no bearing has: the response moves against the drive while \
             it sticks; check for a temperature effect on the sensor, or a lag between the two columns"
        ));
    }
    let mut fit = Fit {
        friction_seen: true,
        parameters: Parameters {
            z0: known("m", &|_, l| z0(prepared, l)),
            K: stiffness,
            f_d,
            f_s,
            beta,
        },
        f_s_over_K: ratio(breakaway),
        f_d_over_K: ratio(sliding),
        rho: lead("K", &breakaway),
        delta: lead("K", &|p| p.delta),
        kappa,
        rmse: rmse(prepared, line.rss),
        slips,
        evaluations: found.evaluations + spread.evaluations,
        minima: minima(prepared, Some(&spread.centre), &found),
        ..bare(series, prepared, found, motion, tau)
    };
    fit.warnings = warnings;
    fit.runs = vec![run(&fit)];
    fit
}

fn without_friction(series: &Series, prepared: &Prepared, found: Found, tau: f64) -> Fit {
    let line = straight(prepared);
    let free = Point {
        sliding: 0.0,
        delta: 0.0,
        lattice: 0.0,
        starts: vec![0.0; prepared.starts.len()].into(),
    };
    let motion = follow(series, prepared, &free, &line);
    let variance = line.rss / (line.weight - 2.0) * tau;
    let known = |(value, gradient), unit| {
        Estimate::known(value, (variance * line.variance(gradient)).sqrt(), unit)
    };
    let reason = "no friction seen: a straight line through response against drive fits as well as any path that sticks and slips";
    let unknown = |unit| Estimate::unknown(unit, reason);
    let mut beta = known((line.on_drive, [0.0, 0.0, 1.0]), "m/K");
    beta.reason = Some(
        "as for a slider that moves freely; one that never moves would show βK/K_BP here".into(),
    );
    let mut warnings = warnings(prepared, tau);
    warnings.push(reason.to_owned());
    let minima = minima(prepared, None, &found);
    let mut fit = Fit {
        parameters: Parameters {
            z0: known(z0(prepared, &line), "m"),
            K: unknown("N/m"),
            f_d: unknown("N"),
            f_s: unknown("N"),
            beta,
        },
        f_s_over_K: unknown("m"),
        f_d_over_K: unknown("m"),
        rho: unknown("K"),
        delta: unknown("K"),
        kappa: unknown("1"),
        evaluations: found.evaluations,
        minima,
        warnings,
        ..bare(series, prepared, found, motion, tau)
    };
    // The path of a slider without friction moves all the time: those are no slips.
    fit.events.clear();
    fit.curve.phase.fill(0);
    fit.runs = vec![run(&fit)];
    fit
}

/// What both outcomes share; the rest is empty.
fn bare(series: &Series, prepared: &Prepared, found: Found, motion: Motion, tau: f64) -> Fit {
    let blank = || Estimate::unknown("", "");
    let samples = series.complete().count();
    let straight = rmse(prepared, straight(prepared).rss);
    Fit {
        friction_seen: false,
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
        rmse: straight,
        rmse_without_friction: straight,
        samples,
        missing: series.time().len() - samples,
        long_gaps: prepared.starts.len() - 1,
        slips: 0,
        autocorrelation: tau,
        evaluations: 0,
        seconds: 0.0,
        runs: Vec::new(),
        minima: Vec::new(),
        warnings: Vec::new(),
        curve: motion.curve,
        events: motion.slips,
        surface: found.surface,
    }
}

fn minima(prepared: &Prepared, best: Option<&Scored>, found: &Found) -> Vec<Minimum> {
    let all = best.into_iter().chain(&found.minima);
    all.map(|s| {
        let set = s.point.thresholds();
        Minimum { rho: set.rho, delta: set.delta, rmse: rmse(prepared, s.line.rss) }
    })
    .collect()
}

fn run(fit: &Fit) -> Run {
    let p = &fit.parameters;
    Run {
        z0: p.z0.value.unwrap_or(f64::NAN),
        K: p.K.value,
        f_d: p.f_d.value,
        f_s: p.f_s.value,
        beta: p.beta.value.unwrap_or(f64::NAN),
        rmse: fit.rmse,
    }
}

fn warnings(prepared: &Prepared, tau: f64) -> Vec<String> {
    let mut out = Vec::new();
    let gaps = prepared.starts.len() - 1;
    if gaps > 0 {
        out.push(format!(
            "the drive is missing for more than {:.1} h in {gaps} place{}: the slips inside cannot be known, and the state \
             after each is fitted",
            prepared.max_gap / 3600.0,
            if gaps == 1 { "" } else { "s" }
        ));
    }
    if tau > SUSPICIOUS {
        out.push(format!(
            "neighbouring residuals resemble each other ({tau:.0} count as one): something in the record is not in the \
             model; the intervals allow for it, the estimates do not"
        ));
    }
    out
}
