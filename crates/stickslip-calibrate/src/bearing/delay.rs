//! The drive does not reach the bearing when it is measured: a deck that follows the air, or a clock that is wrong.
//!
//! ```text
//! lag      θ dT_d/dt = T − T_d       θ: time constant of the deck, s
//! shift    T_d(t) = T(t − s)         s: by how much the response comes late, s; negative: early
//! ```
//!
//! One number each, and the whole (ρ, δ) search for every value of it. The error has several valleys along that
//! number, so a grid comes first, then golden sections around its two best points. With
//! D = (n/τ) ln(rss/rss_min), some values around the minimum, as far apart as D tells, become *nodes*: the
//! likelihood of the path is sampled at each, and the nodes weigh exp(−D/2). The number's own error is then part of
//! every interval.

use crate::bearing::intervals::profile::LIMIT;
use crate::bearing::options::Options;
use crate::bearing::search::global::{Effort, PROBE, QUICK, refine, search};
use crate::bearing::search::motion::left;
use crate::bearing::search::point::Point;
use crate::bearing::search::prepared::Prepared;
use crate::control::Parts;
use crate::error::Error;
use crate::parallel;
use crate::record::lag::lagged;
use crate::record::series::Series;
use crate::record::trend::Trend;
use crate::statistics::estimate::Estimate;
use crate::statistics::memory::autocorrelation_time;
use stickslip::numeric::try_golden;
use stickslip::portable;

/// Which number is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DelayKind {
    /// θ.
    Lag,
    /// s.
    Shift,
}

/// Lags: the smallest, and how often it is doubled.
const SMALLEST_LAG: f64 = 900.0;
const DOUBLINGS: i32 = 9;
/// Shifts: rows either way, and the longest, s.
const ROWS: [f64; 13] = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 72.0, 96.0];
const LONGEST_SHIFT: f64 = 12.0 * 3600.0;
/// Golden-section steps around each of so many valleys.
const REFINEMENTS: usize = 10;
const VALLEYS: usize = 2;
/// D that one of the first values must bring for the others to be tried.
const HOPEFUL: f64 = 10.0;
/// Residuals are more than noise if their variance exceeds the robust one by this factor,
pub const TAILS: f64 = 1.12;
/// or resemble their neighbours so much.
pub const MEMORY: f64 = 1.6;
/// The parabola is laid through trials with D below this.
const NEAR: f64 = 40.0;
/// Nodes on either side of the minimum, and how far apart, in standard deviations.
const NODES: i32 = 4;
const APART: f64 = 0.6;

/// The drive as it reaches the bearing.
pub fn delayed(series: &Series, max_gap: f64, kind: DelayKind, value: f64) -> Vec<f64> {
    match kind {
        DelayKind::Lag if value > 0.0 => lagged(series.time(), series.drive(), value, max_gap),
        DelayKind::Shift if value != 0.0 => shifted(series.time(), series.drive(), value, max_gap),
        _ => series.drive().to_vec(),
    }
}

/// T(t − `by`) at every t, linear between values no further apart than `max_gap`; NaN elsewhere.
fn shifted(time: &[f64], drive: &[f64], by: f64, max_gap: f64) -> Vec<f64> {
    let known: Vec<usize> = (0..drive.len()).filter(|&i| !drive[i].is_nan()).collect();
    let mut after = 0;
    let at = |t: f64| -> f64 {
        // The times increase, and so does the place in the list: one pass.
        while known.get(after).is_some_and(|&i| time[i] < t) {
            after += 1;
        }
        let Some(&next) = known.get(after) else { return f64::NAN };
        // A time that falls on a row but for rounding is that row, and nothing is interpolated.
        let step = 1e-6 * by.abs();
        if time[next] - t <= step {
            return drive[next];
        }
        let Some(&last) = after.checked_sub(1).and_then(|k| known.get(k)) else { return f64::NAN };
        let span = time[next] - time[last];
        if t - time[last] <= step {
            drive[last]
        } else if span > max_gap {
            f64::NAN
        } else {
            drive[last] + (drive[next] - drive[last]) * (t - time[last]) / span
        }
    };
    time.iter().map(|t| t - by).map(at).collect()
}

/// One value that was tried.
#[derive(Debug, Clone)]
pub struct Trial {
    /// θ or s, s.
    pub value: f64,
    /// Mean squared residual.
    pub square: f64,
    /// Rows.
    pub rows: f64,
    /// Autocorrelation time of the residuals, rows.
    pub tau: f64,
    /// Robust variance of the residuals.
    pub robust: f64,
    /// The best paths.
    pub points: Vec<Point>,
}

impl Trial {
    /// (n/τ) ln(`other`/this): how much less likely another trial is, as a deviance.
    pub fn deviance(&self, other: &Self) -> f64 {
        self.rows / self.tau * portable::log(other.square / self.square)
    }

    /// Whether what it leaves is noise, as far as one can see.
    fn noise(&self) -> bool {
        self.tau < MEMORY && self.square < TAILS * self.robust
    }
}

/// Tries one drive in place of the record's: a search, and short descents from `warm`.
pub fn trial(
    series: &Series,
    options: &Options,
    drive: &[f64],
    warm: &[Point],
    effort: Effort,
) -> Result<Trial, Error> {
    let record = Series::new(series.time(), drive, series.response())?;
    let prepared = Prepared::new(&record, options.max_gap, &options.trend)?;
    let mut found = search(&prepared, options.seed, effort);
    if !warm.is_empty() {
        // The paths of another value are often near the best of this one, and a search may miss them.
        found.join(refine(&prepared, warm, options.seed));
    }
    Ok(judged(&record, &prepared, &options.trend, found.minima))
}

/// Short descents from `warm` alone.
fn nearby(
    series: &Series,
    options: &Options,
    drive: &[f64],
    warm: &[Point],
) -> Result<Trial, Error> {
    let record = Series::new(series.time(), drive, series.response())?;
    let prepared = Prepared::new(&record, options.max_gap, &options.trend)?;
    let found = refine(&prepared, warm, options.seed);
    Ok(judged(&record, &prepared, &options.trend, found.minima))
}

pub fn judged(
    record: &Series,
    prepared: &Prepared,
    trend: &Trend,
    minima: Vec<crate::bearing::search::point::Scored>,
) -> Trial {
    let best = &minima[0];
    let left = left(record, prepared, trend, &best.point, &best.line);
    let rows = prepared.full.record.weight();
    Trial {
        value: 0.0,
        square: (best.line.rss + prepared.full.floor) / rows,
        rows,
        tau: autocorrelation_time(&left.parts()),
        robust: left.robust().powi(2),
        points: minima.into_iter().map(|s| s.point).collect(),
    }
}

/// Everything that was tried, the least error first.
pub struct Scan {
    kind: DelayKind,
    /// Sorted by error.
    pub trials: Vec<Trial>,
    /// Without lag or shift.
    pub none: Trial,
}

/// The grid of values.
fn grid(series: &Series, kind: DelayKind) -> Vec<f64> {
    let length = series.time()[series.time().len() - 1] - series.time()[0];
    match kind {
        DelayKind::Lag => (0..DOUBLINGS)
            .map(|i| SMALLEST_LAG * 2f64.powi(i))
            // A longer lag has not come to an end within the record.
            .filter(|lag| *lag < 0.1 * length)
            .collect(),
        DelayKind::Shift => {
            let step = series.usual_step();
            // Two rows either way in any case, however far apart they are.
            let rows = ROWS.iter().filter(|k| **k <= 2.0 || *k * step <= LONGEST_SHIFT);
            rows.flat_map(|k| [-k * step, k * step]).filter(|s| s.abs() < 0.1 * length).collect()
        }
    }
}

/// How many trials a scan makes, about.
pub fn trials(series: &Series, kind: DelayKind) -> usize {
    grid(series, kind).len() + VALLEYS * (REFINEMENTS + 2) + 2
}

/// What a scan tries its values with.
struct Scanner<'a> {
    series: &'a Series<'a>,
    options: &'a Options,
    kind: DelayKind,
    parts: &'a Parts<'a>,
    max_gap: f64,
}

impl Scanner<'_> {
    /// Tries one value: by a search, or by descents from `warm` alone.
    fn run(&self, value: f64, warm: &[Point], effort: Option<Effort>) -> Result<Trial, Error> {
        if self.parts.stopped() {
            return Err(Error::Interrupted);
        }
        let drive = delayed(self.series, self.max_gap, self.kind, value);
        // A search finds valleys of its own; descents only follow the ones that are known.
        let trial = match effort {
            Some(effort) => trial(self.series, self.options, &drive, warm, effort)?,
            None => nearby(self.series, self.options, &drive, warm)?,
        };
        self.parts.one();
        Ok(Trial { value, ..trial })
    }

    /// Tries several values, each by a search.
    fn probe(&self, values: Vec<f64>, warm: &[Point]) -> Vec<Trial> {
        let tried = parallel::map(values, |value| self.run(value, warm, Some(PROBE)));
        tried.into_iter().filter_map(Result::ok).collect()
    }

    /// Golden sections around the lowest of the trials, which are sorted by value.
    fn refined(&self, trials: &[Trial]) -> Result<Vec<Trial>, Error> {
        let lag = self.kind == DelayKind::Lag;
        // Lags differ by factors, shifts by seconds.
        let on_axis = |v: f64| if lag { portable::log(v.max(1.0)) } else { v };
        let mut more = Vec::new();
        for k in valleys(trials) {
            let low = if k == 0 { trials[0].value } else { trials[k - 1].value };
            // Beyond the end of the grid, as far as its last doubling or as far again.
            let high = trials.get(k + 1).map_or(2.0 * trials[k].value, |t| t.value);
            let low = if lag { low.max(0.5 * SMALLEST_LAG) } else { low };
            try_golden(on_axis(low), on_axis(high), REFINEMENTS, |x| {
                let trial =
                    self.run(if lag { portable::exp(x) } else { x }, &trials[k].points, None)?;
                let square = trial.square;
                more.push(trial);
                Ok::<_, Error>(square)
            })?;
        }
        Ok(more)
    }

    /// Clocks are mostly wrong by whole rows, and there nothing is interpolated: the nearest of them to the best.
    fn whole(&self, trials: &[Trial]) -> Result<Option<Trial>, Error> {
        let least = trials.iter().min_by(|a, b| a.square.total_cmp(&b.square));
        let Some(best) = least.filter(|_| self.kind == DelayKind::Shift) else { return Ok(None) };
        let step = self.series.usual_step();
        let whole = (best.value / step).round() * step;
        if whole == 0.0 || whole == best.value {
            return Ok(None);
        }
        self.run(whole, &best.points, None).map(Some)
    }
}

/// Scans the values of one number; `parts` is told of each trial and may stop the work.
pub fn scan(
    series: &Series,
    options: &Options,
    kind: DelayKind,
    parts: &Parts,
) -> Result<Scan, Error> {
    let max_gap = options.max_gap.unwrap_or_else(|| Prepared::usual_gap(series));
    let scanner = Scanner { series, options, kind, parts, max_gap };
    // With more effort than any value gets, so that a delay must not win by a path that was missed here.
    let none = scanner.run(0.0, &[], Some(QUICK))?;
    let warm = &none.points[..1];
    // Every other pair of values first: where none of them helps at all, that is the end of a diagnosis.
    let (first, rest): (Vec<_>, Vec<_>) =
        grid(series, kind).into_iter().enumerate().partition(|(i, _)| i % 4 < 2);
    let [mut first, rest] =
        [first, rest].map(|some| some.into_iter().map(|v| v.1).collect::<Vec<_>>());
    // Of many records a value that leaves noise is enough, and a clock is mostly wrong by a row.
    let enough = |trials: &[Trial]| options.quick && trials.iter().any(Trial::noise);
    let further = first.split_off(first.len().min(2));
    let mut trials = scanner.probe(first, warm);
    if !enough(&trials) {
        trials.extend(scanner.probe(further, warm));
    }
    // A diagnosis wants to know whether there is anything; who asked for the number wants all of it.
    if !parts.counts() && !trials.iter().any(|t| t.deviance(&none) > HOPEFUL) {
        return Ok(Scan { kind, trials: vec![none.clone()], none });
    }
    if !enough(&trials) {
        trials.extend(scanner.probe(rest, warm));
    }
    if parts.stopped() {
        return Err(Error::Interrupted);
    }
    trials.push(none.clone());
    trials.sort_by(|a, b| a.value.total_cmp(&b.value));
    let more = scanner.refined(&trials)?;
    trials.extend(more);
    let whole = scanner.whole(&trials)?;
    trials.extend(whole);
    trials.sort_by(|a, b| a.square.total_cmp(&b.square));
    // The best one by a full search, since everything rests on it.
    let best = scanner.run(trials[0].value, &trials[0].points, Some(QUICK))?;
    trials.insert(0, best);
    trials.sort_by(|a, b| a.square.total_cmp(&b.square));
    Ok(Scan { kind, trials, none })
}

/// Indices of the lowest local minima along the axis.
fn valleys(trials: &[Trial]) -> Vec<usize> {
    let square = |i: usize| trials[i].square;
    let mut lows: Vec<usize> = (0..trials.len())
        .filter(|&i| {
            (i == 0 || square(i) <= square(i - 1))
                && (i + 1 == trials.len() || square(i) <= square(i + 1))
        })
        .collect();
    lows.sort_by(|a, b| square(*a).total_cmp(&square(*b)));
    lows.truncate(VALLEYS);
    lows
}

/// A value of the number with the share of the likelihood that it holds.
#[derive(Debug, Clone)]
pub struct Node {
    /// θ or s, s.
    pub value: f64,
    /// Its share.
    pub share: f64,
    /// The best paths there.
    pub points: Vec<Point>,
}

impl Scan {
    /// The best trial.
    pub fn best(&self) -> &Trial {
        &self.trials[0]
    }

    /// By how much the best value beats none, as a deviance.
    pub fn gain(&self) -> f64 {
        self.best().deviance(&self.none)
    }

    /// Whether the record shows it.
    pub fn seen(&self) -> bool {
        self.best().value != 0.0 && self.gain() > 2.0 * LIMIT
    }

    /// The standard deviation of the number, from a parabola through the trials near the best. Rows that are
    /// hit exactly are peaks of a shift's likelihood: then only what lies on the rows counts.
    fn spread(&self) -> f64 {
        let best = self.best();
        let mut up = 0.0;
        let mut down = 0.0;
        // D ≈ (x/σ)² near the best value: least squares of D over x² give σ² = Σx⁴/Σ D x².
        for t in &self.trials {
            let d = best.deviance(t);
            let x = self.axis(t.value) - self.axis(best.value);
            if d < NEAR && x != 0.0 {
                (up, down) = (up + d.max(0.0) * x * x, down + x.powi(4));
            }
        }
        if up > 0.0 { (down / up).sqrt() } else { self.nearest() }
    }

    /// The same in seconds.
    pub fn spread_seconds(&self) -> f64 {
        // The axis of a lag is logarithmic: a distance on it is a share of the lag.
        let scale = if self.kind == DelayKind::Lag { self.best().value } else { 1.0 };
        self.spread() * scale
    }

    /// Half the distance to the nearest other trial.
    fn nearest(&self) -> f64 {
        let at = self.axis(self.best().value);
        let others = self.trials.iter().map(|t| (self.axis(t.value) - at).abs());
        0.5 * others.filter(|d| *d > 0.0).fold(f64::INFINITY, f64::min)
    }

    fn axis(&self, value: f64) -> f64 {
        if self.kind == DelayKind::Lag { portable::log(value.max(1.0)) } else { value }
    }

    /// The best value and its neighbours, with their shares; the best comes first.
    pub fn nodes(
        &self,
        series: &Series,
        options: &Options,
        parts: &Parts,
    ) -> Result<Vec<Node>, Error> {
        let max_gap = options.max_gap.unwrap_or_else(|| Prepared::usual_gap(series));
        let mut spread = self.spread();
        let best = self.best().clone();
        let mut kept = vec![best.clone()];
        for _ in 0..3 {
            if parts.stopped() {
                return Err(Error::Interrupted);
            }
            let values: Vec<f64> = (-NODES..=NODES)
                .filter(|k| *k != 0)
                .map(|k| match self.kind {
                    DelayKind::Lag => best.value * portable::exp(APART * spread * f64::from(k)),
                    DelayKind::Shift => best.value + APART * spread * f64::from(k),
                })
                .collect();
            let trials = parallel::map(values, |value| {
                let drive = delayed(series, max_gap, self.kind, value);
                nearby(series, options, &drive, &best.points).map(|t| Trial { value, ..t })
            });
            kept.truncate(1);
            kept.extend(trials.into_iter().filter_map(Result::ok));
            // Wide enough once both ends hold little.
            let end = |t: Option<&Trial>| t.map_or(0.0, |t| portable::exp(-0.5 * best.deviance(t)));
            let first = kept.get(1);
            let last = kept.last();
            let inner = kept.iter().skip(1).filter(|t| best.deviance(t) < 8.0).count();
            if end(first).max(end(last)) > 0.1 {
                spread *= 2.0;
            } else if inner < 2 {
                // Nearly all nodes lie beyond the valley: closer together.
                spread *= 0.4;
            } else {
                break;
            }
        }
        // Short descents from one place leave some nodes short of their best: once more, from their neighbours.
        let points: Vec<Point> = kept.iter().filter_map(|t| t.points.first().cloned()).collect();
        let kept = parallel::map(kept, |t| {
            let drive = delayed(series, max_gap, self.kind, t.value);
            let again =
                nearby(series, options, &drive, &points).map(|a| Trial { value: t.value, ..a });
            again.ok().filter(|a| a.square < t.square).unwrap_or(t)
        });
        let best =
            kept.iter().min_by(|a, b| a.square.total_cmp(&b.square)).cloned().unwrap_or(best);
        let mut kept = kept;
        kept.sort_by(|a, b| a.square.total_cmp(&b.square));
        parts.one();
        let weights: Vec<f64> =
            kept.iter().map(|t| portable::exp(-0.5 * best.deviance(t))).collect();
        let sum: f64 = weights.iter().sum();
        let node = |(t, w): (Trial, f64)| Node { value: t.value, share: w / sum, points: t.points };
        let mut nodes: Vec<Node> = kept.into_iter().zip(weights).map(node).collect();
        // A node with hardly a share would still cost a sampling of its own.
        nodes.retain(|n| n.share > 1e-4);
        Ok(nodes)
    }
}

/// The number with its error, from its nodes.
pub fn estimate(nodes: &[Node]) -> Estimate {
    let Some(best) = nodes.first() else { return Estimate::unknown("s", "not looked for") };
    if nodes.len() < 2 {
        return Estimate::known(best.value, 0.0, "s");
    }
    let mut sorted: Vec<&Node> = nodes.iter().collect();
    sorted.sort_by(|a, b| a.value.total_cmp(&b.value));
    let mean: f64 = nodes.iter().map(|n| n.share * n.value).sum();
    let square: f64 = nodes.iter().map(|n| n.share * (n.value - mean).powi(2)).sum();
    // Each node stands for the interval half-way to its neighbours.
    let edge = |i: usize, side: i64| {
        let j = i as i64 + side;
        // The outermost node has one neighbour: it reaches as far out as in.
        let other = usize::try_from(j).ok().and_then(|j| sorted.get(j)).map(|n| n.value);
        let mirrored = usize::try_from(i as i64 - side).ok().and_then(|j| sorted.get(j));
        let other = other.or(mirrored.map(|n| 2.0 * sorted[i].value - n.value));
        0.5 * (sorted[i].value + other.unwrap_or(sorted[i].value))
    };
    let at = |p: f64| {
        let mut sum = 0.0;
        for (i, n) in sorted.iter().enumerate() {
            if sum + n.share >= p {
                let low = edge(i, -1);
                let high = edge(i, 1);
                return low + (high - low) * (p - sum) / n.share;
            }
            sum += n.share;
        }
        edge(sorted.len() - 1, 1)
    };
    Estimate::within(best.value, square.sqrt(), [at(0.025), at(0.975)], "s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shift_by_rows_is_exact_and_between_rows_linear() {
        let time: Vec<f64> = (0..50).map(|i| 3600.0 * f64::from(i)).collect();
        let mut drive: Vec<f64> = time.iter().map(|t| (1e-4 * t).sin()).collect();
        drive[20] = f64::NAN;
        let late = shifted(&time, &drive, 7200.0, 6.0 * 3600.0);
        assert!(late[0].is_nan() && late[1].is_nan());
        for i in 2..50 {
            if i != 22 {
                assert_eq!(late[i], drive[i - 2]);
            }
        }
        assert!((late[22] - 0.5 * (drive[19] + drive[21])).abs() < 1e-12);
        let early = shifted(&time, &drive, -1800.0, 6.0 * 3600.0);
        assert!((early[3] - 0.5 * (drive[3] + drive[4])).abs() < 1e-12 && early[49].is_nan());
        // No value is made up across a long gap.
        assert!(shifted(&time, &drive, 1800.0, 3700.0)[20].is_nan());
    }
}
