//! What is left is searched for an explanation.
//!
//! Where the residuals are more than noise, other readings of the record are fitted: a clock that is wrong, a deck that
//! lags, a sensor that drifts, creeps or was reset, friction that changed, a bearing without dry friction. With
//! s² the smallest robust variance that any reading leaves, a reading explains the share
//!
//! ```text
//! (rss₀ − rss)/(rss₀ − n s²)
//! ```
//!
//! of what noise does not account for. The one that leaves least is named if it explains half and brings
//! D = (n/τ) ln(rss₀/rss) ≥ 40. Nothing is applied.

use crate::bearing::changes;
use crate::bearing::creep::{self, Trended, trended};
use crate::bearing::delay::{self, DelayKind, MEMORY, TAILS, Trial, judged};
use crate::bearing::finding::{Finding, Remedy, States, What};
use crate::bearing::gain;
use crate::bearing::near;
use crate::bearing::options::Options;
use crate::bearing::residuals::{SLOPE, follows};
use crate::bearing::search::global::refine;
use crate::bearing::search::motion::{follow, left};
use crate::bearing::search::point::{Point, Scored, better, score};
use crate::bearing::search::prepared::{LONG, Prepared};
use crate::bearing::segments::{Part, segmented};
use crate::bearing::viscous;
use crate::control::Parts;
use crate::error::Error;
use crate::parallel;
use crate::record::series::Series;
use crate::record::trend::{Creep, Trend};
use crate::statistics::estimate::Estimate;
use crate::statistics::stats::{mean, roughness};
use stickslip::portable;

/// A reading must explain this share, and bring this D.
const SHARE: f64 = 0.5;
const BELIEVABLE: f64 = 40.0;
/// Others are named that explain nearly as much as the best: the share less this, and no D of the above against them, with the memory of
/// their own residuals. A reading that leaves eight times the noise is refuted by one that leaves noise, though each explains 93 % or more of
/// a large excess.
const RIVAL: f64 = 0.08;
/// Another gain, unit, sign or expansion must explain this share of what the noise of the readings does not account for: on ten
/// records with one of these it explained 0.97 or more, on six that creep 0.31 to 0.75.
const GAINED: f64 = 0.9;
/// Instants at which a step is tried.
const INSTANTS: usize = 14;
/// Those of them that get a search.
const STEPS: usize = 2;
/// Longer records are diagnosed by this many of their rows, and very long ones by fewer: none of what is looked for is seen better by more.
const ROWS: usize = 60_000;
const OF_VERY_LONG: usize = 30_000;

/// Another reading of the record and what it leaves.
struct Reading {
    what: What,
    /// How many states of the friction it has.
    states: States,
    square: f64,
    rows: f64,
    tau: f64,
    robust: f64,
    estimate: Estimate,
    time: Option<f64>,
    remedy: Option<Remedy>,
    said: String,
    /// Paths that may do better for the record as it is, too.
    points: Vec<Point>,
}

impl Reading {
    /// Whether what it leaves is noise, as far as one can see.
    fn noise(&self) -> bool {
        self.tau < MEMORY && self.square < TAILS * self.robust
    }
}

/// What a diagnosis ends with.
#[derive(Default)]
pub struct Diagnosis {
    /// Strongest first.
    pub findings: Vec<Finding>,
    /// What was looked for.
    pub looked: Vec<What>,
    /// Paths for the record as it is that other readings led to.
    pub points: Vec<Point>,
    /// How many states of the friction the strongest of them has.
    pub states: States,
}

/// What is looked for in any record.
const LOOKS: [What; 6] =
    [What::Shift, What::Lag, What::Drift, What::Creep, What::Step, What::Change];

/// Looks for explanations; `best` are the paths of the record as it is.
pub fn diagnose(
    series: &Series,
    prepared: &Prepared,
    options: &Options,
    best: &[Scored],
    parts: &Parts,
) -> Result<Diagnosis, Error> {
    let thinned = thinned(series);
    // Too little of a long record may be left where blocks lack values: then it is diagnosed whole.
    let thin = thinned.as_ref().and_then(|[t, d, r]| Series::new(t, d, r).ok()).unwrap_or(*series);
    let options = Options { diagnose: false, bootstrap: 0, ..options.clone() };
    let (record, own);
    let prepared = if thinned.is_some() {
        record = thin;
        own = Prepared::new(&record, options.max_gap, &options.trend)?;
        &own
    } else {
        record = *series;
        prepared
    };
    // The best paths once more on this record, so that it and the readings are measured alike.
    let warm: Vec<Point> = best.iter().map(|s| s.point.clone()).collect();
    let mut base = judged(&record, prepared, &options.trend, refine(prepared, &warm, 1).minima);
    let mut readings: Vec<Reading> = damped(&record, prepared, &base).into_iter().collect();
    if readings.iter().any(Reading::noise) {
        // What is left is noise: nothing can explain it better.
        let looked = vec![What::Viscous];
        let (findings, states) = named(readings, &base);
        return Ok(Diagnosis { findings, states, looked, ..Diagnosis::default() });
    }
    let mut looked = vec![What::Viscous];
    let mut first = None;
    // Of many records one explanation that leaves noise is enough of each: those that cost least come first.
    // Indices into the list below.
    let order = if options.quick {
        order(&record, prepared, &options, &best[0])
    } else {
        [0, 1, 2, 3, 4, 5]
    };
    for i in order {
        looked.push(LOOKS[i]);
        readings.extend(match LOOKS[i] {
            What::Shift => delayed(&record, &options, DelayKind::Shift, parts)?,
            What::Lag => delayed(&record, &options, DelayKind::Lag, parts)?,
            What::Drift => drift(&record, &options, &warm),
            What::Creep => creeps(&record, &options, &warm),
            What::Step => step(&record, prepared, &options, &warm),
            _ => {
                first = changes::find(&record, prepared, &options, None)?;
                first.clone().map(change)
            }
        });
        if options.quick && readings.iter().any(Reading::noise) {
            break;
        }
    }
    // Another gain, unit, sign or expansion, where nothing else leaves noise. Two parts with slopes and a step of their own
    // follow much that is neither, such as a reading that creeps, so that they have to explain nearly all.
    let is_open = gain::can_be_seen(&record, &options);
    if !options.quick && is_open && !readings.iter().any(Reading::noise) {
        looked.extend([What::Gain, What::Expansion]);
        let found = gain::find(&record, &options)?.map(|found| gained(&record, found));
        let noise = roughness(record.response()).powi(2);
        let most = base.square - GAINED * (base.square - noise);
        readings.extend(found.filter(|r| r.square < most));
    }
    // Several changes, or a gradual one, where no single reading leaves noise.
    if !options.quick && !readings.iter().any(Reading::noise) {
        readings.extend(several(&record, &options, first));
    }
    // What another reading found may be a better path for the record as it is.
    let points: Vec<Point> = readings.iter().flat_map(|r| r.points.iter().cloned()).collect();
    if !points.is_empty() {
        let again = judged(&record, prepared, &options.trend, refine(prepared, &points, 2).minima);
        if again.square < base.square {
            base = again;
        }
    }
    let points = base.points.clone();
    let (findings, states) = named(readings, &base);
    Ok(Diagnosis { findings, states, looked, points })
}

/// Which readings are tried first: those of the clock and the deck where the residuals of the best path follow the rate of the
/// drive more than they follow time, else those that cost least.
fn order(series: &Series, prepared: &Prepared, options: &Options, best: &Scored) -> [usize; 6] {
    let left = left(series, prepared, &options.trend, &best.point, &best.line).rows;
    let [rate, time] = follows(series, &left);
    if rate > SLOPE.max(time) { [0, 1, 5, 2, 4, 3] } else { [5, 2, 4, 3, 0, 1] }
}

/// The extremes of the drive in equal blocks, of a long record, with a row that has a response where these have none.
pub fn thinned(series: &Series) -> Option<[Vec<f64>; 3]> {
    let n = series.time().len();
    if n <= ROWS {
        return None;
    }
    // Two rows are kept of each block.
    let block = (2 * n).div_ceil(if n > LONG { OF_VERY_LONG } else { ROWS });
    let drive = series.drive();
    let mut out = [Vec::new(), Vec::new(), Vec::new()];
    let mut from = 0;
    while from < n {
        let to = (from + block).min(n);
        let rows = || (from..to).filter(|&i| !drive[i].is_nan());
        let low = rows().min_by(|a, b| drive[*a].total_cmp(&drive[*b]));
        let high = rows().max_by(|a, b| drive[*a].total_cmp(&drive[*b]));
        let shows = |k: &usize| !series.response()[*k].is_nan();
        let seen = low.iter().chain(&high).any(shows);
        let other = if seen { None } else { rows().find(shows) };
        let mut kept: Vec<usize> = low.into_iter().chain(high).chain(other).collect();
        kept.sort_unstable();
        kept.dedup();
        for i in kept {
            out[0].push(series.time()[i]);
            out[1].push(drive[i]);
            out[2].push(series.response()[i]);
        }
        from = to;
    }
    Some(out)
}

/// The readings that explain enough, strongest first, and how many states of the friction the first of them has.
fn named(mut readings: Vec<Reading>, base: &Trial) -> (Vec<Finding>, States) {
    readings.sort_by(|a, b| a.square.total_cmp(&b.square));
    // One change is a poorer reading of a record with several.
    if let Some(first) = readings.iter().position(|r| r.what == What::Change) {
        let mut at = 0;
        readings.retain(|r| {
            at += 1;
            r.what != What::Change || at == first + 1
        });
    }
    straight(&mut readings);
    let Some(best) = readings.first() else { return Default::default() };
    // Whichever reading leaves least in the middle of its residuals shows best what is noise.
    let noise = readings.iter().map(|r| r.robust).fold(base.robust, f64::min);
    let excess = base.square - noise;
    let share = |r: &Reading| ((base.square - r.square) / excess).clamp(0.0, 1.0);
    let tau = best.tau;
    let believable = |r: &Reading| {
        let deviance = r.rows / tau * portable::log(base.square / r.square);
        // Where several explain nearly as much, and what is left of them differs by no more than chance would, the record does not
        // decide among them, and all are named.
        let behind = r.rows / r.tau * portable::log(r.square / best.square);
        let nearly = share(r) > share(best) - RIVAL && behind <= BELIEVABLE;
        deviance > BELIEVABLE && share(r) > SHARE && nearly
    };
    let finding = |r: &Reading| Finding {
        what: r.what,
        strength: share(r),
        estimate: Some(r.estimate.clone()),
        time: r.time,
        suggestion: r.said.clone(),
        remedy: r.remedy.clone(),
    };
    let mut all = readings.iter().filter(|r| believable(r)).peekable();
    let states = all.peek().map_or(States::One, |r| r.states);
    (all.map(finding).collect(), states)
}

/// Creep without a curvature that the record shows is a drift.
fn straight(readings: &mut Vec<Reading>) {
    let drift = readings.iter().find(|r| r.what == What::Drift).map(|r| r.square);
    readings.retain(|r| {
        let bent = |drift: f64| r.rows / r.tau * portable::log(drift / r.square) > BELIEVABLE;
        r.what != What::Creep || drift.is_none_or(bent)
    });
}

/// A duration as a reader would say it.
pub fn spell(seconds: f64) -> String {
    let size = seconds.abs();
    if size < 120.0 {
        format!("{seconds:.1} s")
    } else if size < 7200.0 {
        format!("{:.1} min", seconds / 60.0)
    } else if size < 172_800.0 {
        format!("{:.2} h", seconds / 3600.0)
    } else {
        format!("{:.1} days", seconds / 86_400.0)
    }
}

fn delayed(
    series: &Series,
    options: &Options,
    kind: DelayKind,
    parts: &Parts,
) -> Result<Option<Reading>, Error> {
    let scan = match delay::scan(series, options, kind, parts) {
        Ok(scan) => scan,
        Err(Error::Interrupted) => return Err(Error::Interrupted),
        // A record on which this kind cannot be tried has no such reading.
        Err(_) => return Ok(None),
    };
    let best = scan.best();
    if best.value == 0.0 {
        return Ok(None);
    }
    let value = best.value;
    let (what, remedy, said) = match kind {
        DelayKind::Lag => (
            What::Lag,
            Remedy::Lag,
            format!(
                "the bearing follows the drive with a time constant of {}: let the lag be fitted",
                spell(value)
            ),
        ),
        DelayKind::Shift => (
            What::Shift,
            Remedy::Shift,
            format!(
                "the response comes {} {} than the drive: compare the clocks of the two, or let the shift be fitted",
                spell(value.abs()),
                if value > 0.0 { "later" } else { "earlier" }
            ),
        ),
    };
    Ok(Some(Reading {
        what,
        states: States::One,
        square: best.square,
        rows: best.rows,
        tau: best.tau,
        robust: best.robust,
        estimate: Estimate::known(value, scan.spread_seconds(), "s"),
        time: None,
        remedy: Some(remedy),
        said,
        points: best.points.clone(),
    }))
}

fn drift(series: &Series, options: &Options, warm: &[Point]) -> Option<Reading> {
    // The record is fitted with a drift already.
    if options.trend.drift {
        return None;
    }
    let trend = Trend { drift: true, ..options.trend.clone() };
    let Trended { trial, sizes } = trended(series, options, &trend, warm)?;
    let rate = sizes.drift?;
    let year = 365.25 * 86_400.0;
    Some(Reading {
        what: What::Drift,
        states: States::One,
        square: trial.square,
        rows: trial.rows,
        tau: trial.tau,
        robust: trial.robust,
        estimate: Estimate::known(rate, 0.0, "m/s"),
        time: None,
        remedy: Some(Remedy::Drift),
        said: format!(
            "the reading of the response drifts by {:.3} mm a year: let a drift be fitted",
            1e3 * rate * year
        ),
        points: trial.points,
    })
}

/// A reading that settles from the beginning of the record on.
fn creeps(series: &Series, options: &Options, warm: &[Point]) -> Option<Reading> {
    // The record is fitted with a creep already.
    if options.trend.creep != Creep::None {
        return None;
    }
    let creep::FoundCreep { time, size, trial } = creep::find(series, options, warm)?;
    Some(Reading {
        what: What::Creep,
        states: States::One,
        square: trial.square,
        rows: trial.rows,
        tau: trial.tau,
        robust: trial.robust,
        estimate: Estimate::known(size, 0.0, "m"),
        time: None,
        remedy: Some(Remedy::Creep),
        said: format!(
            "the reading of the response creeps by {:.3} mm from the beginning of the record on, with a time constant of {}: let a \
             creep be fitted",
            1e3 * size,
            spell(time)
        ),
        points: trial.points,
    })
}

/// Instants at which the reading may have been reset: its largest changes from row to row, and where the
/// residuals of the best paths change their level.
fn instants(series: &Series, prepared: &Prepared, options: &Options, warm: &[Point]) -> Vec<usize> {
    let rows: Vec<usize> = series.complete().collect();
    let z = series.response();
    let mut jumps: Vec<(f64, usize)> =
        rows.windows(2).map(|w| ((z[w[1]] - z[w[0]]).abs(), w[1])).collect();
    jumps.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut out: Vec<usize> = jumps.iter().take(INSTANTS).map(|j| j.1).collect();
    for s in score(&prepared.full, warm.to_vec()) {
        let fitted = follow(series, prepared, &options.trend, &s.point, &s.line).curve.fitted;
        let left: Vec<f64> = rows.iter().map(|&i| z[i] - fitted[i]).collect();
        let level = mean(&left.iter().copied().filter(|r| !r.is_nan()).collect::<Vec<_>>());
        // The running sum of residuals about their mean has its extreme where their level changes.
        let mut sum = 0.0;
        let sums = left.iter().map(|r| {
            sum += if r.is_nan() { 0.0 } else { r - level };
            sum
        });
        let top = sums.enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        // The sum ends with the row before the change.
        out.extend(top.and_then(|(k, _)| rows.get(k + 1)));
    }
    out.sort_unstable();
    out.dedup();
    out
}

fn step(
    series: &Series,
    prepared: &Prepared,
    options: &Options,
    warm: &[Point],
) -> Option<Reading> {
    let mut known = warm.to_vec();
    known.extend(near::halves(series, prepared, options));
    let at = |row: usize| -> Option<(f64, usize, Point)> {
        let mut trend = options.trend.clone();
        trend.steps.push(series.time()[row]);
        let prepared = Prepared::new(series, options.max_gap, &trend).ok()?;
        let fit =
            // First without a known state, then from the one that the response shows with this step.
            |p: &Point| Point { starts: vec![0.0; prepared.starts.len()].into(), ..p.clone() };
        let blank: Vec<Point> = known.iter().map(fit).collect();
        let tried = score(&prepared.full, blank);
        let again = tried
            .iter()
            .map(|s| Point { starts: s.seen_starts(&prepared.full), ..s.point.clone() })
            .chain(warm.iter().cloned())
            .collect();
        let best = tried.into_iter().chain(score(&prepared.full, again)).reduce(better)?;
        Some((best.line.rss, row, best.point))
    };
    let mut tried: Vec<_> = parallel::map(instants(series, prepared, options, warm), at)
        .into_iter()
        .flatten()
        .collect();
    tried.sort_by(|a, b| a.0.total_cmp(&b.0));
    // A search costs far more than the comparison did: only the best instants get one.
    tried.truncate(STEPS);
    let searched = parallel::map(tried, |(_, row, point)| {
        let mut trend = options.trend.clone();
        trend.steps.push(series.time()[row]);
        let Trended { trial, sizes } = trended(series, options, &trend, &[point])?;
        Some((trial, *sizes.steps.last()?, series.time()[row]))
    });
    let best = searched.into_iter().flatten().min_by(|a, b| a.0.square.total_cmp(&b.0.square));
    let (trial, size, time) = best?;
    let mut steps = options.trend.steps.clone();
    steps.push(time);
    Some(Reading {
        what: What::Step,
        states: States::One,
        square: trial.square,
        rows: trial.rows,
        tau: trial.tau,
        robust: trial.robust,
        // The difference of two means, each over about half of the rows.
        estimate: Estimate::known(size, (trial.square * trial.tau / trial.rows).sqrt() * 2.0, "m"),
        time: Some(time),
        remedy: Some(Remedy::Steps(steps)),
        said: format!(
            "the reading of the response changes by {:.3} mm at {} after the record begins, without a slip: let a step \
             be fitted there",
            1e3 * size,
            spell(time - series.time()[0])
        ),
        points: trial.points,
    })
}

fn change(found: changes::FoundChange) -> Reading {
    let changes::Change { time, ratio, low, high, .. } = found.change;
    Reading {
        what: What::Change,
        states: States::Two,
        square: found.square,
        rows: found.rows,
        tau: found.tau,
        robust: found.robust,
        // A 95 % interval is 2 · 1.96 standard errors wide.
        estimate: Estimate::within(ratio, (high - low) / 3.92, [low, high], "1"),
        time: Some(time),
        remedy: Some(Remedy::Windows),
        said: format!(
            "the friction is {ratio:.2} times what it was ({low:.2} to {high:.2}) from {} after the record begins: look \
             at its change over time",
            spell(found.since)
        ),
        points: Vec::new(),
    }
}

/// Another gain, unit, sign or expansion.
fn gained(series: &Series, found: gain::GainChange) -> Reading {
    let gain::GainChange { what, ratio, time, left } = found;
    let since = spell(time - series.time()[0]);
    let (name, said) = match what {
        gain::What::Response => (
            What::Gain,
            format!(
                "from {since} after the record begins the response counts {ratio:.2} times what it did: the gain, the unit or the \
                 sign of its sensor changed; correct it there, or fit the parts separately"
            ),
        ),
        gain::What::Fahrenheit => (
            What::Gain,
            format!(
                "from {since} after the record begins a degree of the drive is {ratio:.2} of what it was, as if °C and °F had been exchanged: the unit of the temperature changed; convert it there"
            ),
        ),
        gain::What::Drive => (
            What::Expansion,
            format!(
                "from {since} after the record begins the response moves {ratio:.2} times as much per degree, although it slips after the same travel: the expansion, or the gain of the thermometer, changed; fit the parts separately"
            ),
        ),
    };
    Reading {
        what: name,
        states: States::One,
        square: left.square,
        rows: left.rows,
        tau: left.tau,
        robust: left.robust,
        // How sure the ratio is was not looked at.
        estimate: Estimate { stderr: None, ci95: None, ..Estimate::known(ratio, 0.0, "1") },
        time: Some(time),
        remedy: None,
        said,
        points: Vec::new(),
    }
}

/// Several changes of the friction, or one that is gradual.
fn several(
    series: &Series,
    options: &Options,
    first: Option<changes::FoundChange>,
) -> Option<Reading> {
    // Parts of a record cannot tell a trend from changes.
    if options.trend.count() > 0 {
        return None;
    }
    let record = Part { time: series.time(), drive: series.drive(), response: series.response() };
    let found = segmented(&record, options, None, first);
    let all = &found.changes;
    // A single step stands among the readings already.
    let single = all.len() == 1 && !all[0].gradual;
    let left = if single { None } else { found.left(&record, options) }?;
    let since = |c: &changes::Change| spell(c.time - series.time()[0]);
    let one = |c: &changes::Change| {
        let changes::Change { ratio, low, high, .. } = c;
        format!(
            "{ratio:.2} of what it was ({low:.2} to {high:.2}) from {} after the record begins",
            since(c)
        )
    };
    let said = if all[0].gradual {
        let changes::Change { ratio, low, high, .. } = all[0];
        format!(
            "the friction {} steadily: at the end of the record it is {ratio:.2} times what it was at its beginning ({low:.2} to \
             {high:.2}), so that no single set of numbers describes the record",
            if ratio > 1.0 { "rises" } else { "falls" }
        )
    } else {
        format!(
            "the friction changes {} times, to {}, so that no single set of numbers describes the record",
            all.len(),
            all.iter().map(one).collect::<Vec<_>>().join(", ")
        )
    };
    let changes::Change { time, ratio, low, high, .. } = all[0];
    Some(Reading {
        what: What::Change,
        states: if all[0].gradual { States::Gradual } else { States::Several },
        square: left.square,
        rows: left.rows,
        tau: left.tau,
        robust: left.robust,
        estimate: Estimate::within(ratio, (high - low) / 3.92, [low, high], "1"),
        time: Some(time),
        remedy: Some(Remedy::Windows),
        said,
        points: Vec::new(),
    })
}

fn damped(series: &Series, prepared: &Prepared, base: &Trial) -> Option<Reading> {
    let found = viscous::fit(series, prepared.max_gap)?;
    // A damped bearing must leave less than dry friction does, or it is no explanation.
    (found.square < base.square).then(|| Reading {
        what: What::Viscous,
        states: States::One,
        square: found.square,
        rows: base.rows,
        tau: found.tau,
        robust: found.robust,
        estimate: Estimate::known(found.constant, 0.0, "s"),
        time: None,
        remedy: None,
        said: format!(
            "this is not dry friction: a bearing that is damped, with a time constant of {}, explains the record better",
            spell(found.constant)
        ),
        points: Vec::new(),
    })
}
