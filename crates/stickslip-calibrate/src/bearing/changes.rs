//! Has the friction changed, and when?
//!
//! Up to an instant the path has the thresholds (ρ, δ), from then on r times both; everything else, the line
//! z = c + aξ + bT, is shared. Where the rest positions lie afterwards is not known and starts anew. For each of a row of
//! instants the thresholds come from a search in the longer part, and the other part is compared with them for a row of
//! ratios; the best few are refined together. What counts as evidence is
//!
//! ```text
//! D = (n/τ) ln(rss(r = 1)/rss(r)),
//! ```
//!
//! both with a new start at the instant, so that a slip at the wrong time, which a new start mends, is no change.

use serde::Serialize;
use stickslip::numeric::erfc;
use stickslip::portable;

use crate::bearing::dating::Both;
use crate::bearing::delay::MEMORY;
use crate::bearing::intervals::profile::LIMIT;
use crate::bearing::near::{Near, known};
use crate::bearing::options::Options;
use crate::bearing::search::point::{Point, Scored};
use crate::bearing::search::prepared::{Prepared, Sampled};
use crate::bearing::two::{Split, Steps, Two};
use crate::error::Error;
use crate::parallel;
use crate::record::series::Series;
use crate::statistics::estimate::VAGUE;
use crate::statistics::memory::autocorrelation_time;
use crate::statistics::random::Draws;
use crate::statistics::stats::robust;

/// Instants that are looked at first, and around the best of them.
const INSTANTS: usize = 24;
/// Candidates that are refined, and how far apart they lie as a share of the samples.
const REFINED: usize = 6;
const DISTINCT: f64 = 0.02;
/// An instant is given up whose D, after a few generations, is this much worse than the best's: its share in the date is nothing.
const HOPELESS: f64 = 60.0;
/// Either part has at least this share of the samples.
const LEAST: f64 = 0.06;
/// A change and the path before it have so many unknowns that are no part of the line: ρ, δ, a rest and a start on either side, the
/// instant. A record with fewer slips can always be explained by a change.
const FEWEST: f64 = 8.0;
/// D that a change must bring.
const BELIEVABLE: f64 = 25.0;
/// ln of the least ratio, 8 %. Single slips at the wrong time look like a small change: with a noise of 0.1 °C in the drive, D exceeded
/// 25 in 8 of 40 unchanged records of 200 days of measured temperature, with ratios from 0.94 to 1.06; without noise in none.
const SMALLEST: f64 = 0.077;
/// How often the parts on either side of a change are searched for its thresholds.
const ROUNDS: usize = 3;
/// How often the rows around the best instant are tried, at most.
const FINER: usize = 6;
/// From how many of the likely instants the ratio is moved until its error is too large.
const MOVED: usize = 6;
/// Where nothing speaks against one path over the whole record, the best few instants must bring this D for the others to be
/// tried.
const HOPEFUL: f64 = 10.0;

/// The interval of the ratio is so many times the larger of the two distances at which D reaches its limit. Beside the best
/// ratio the squares have small valleys, in each of which some slip moves by one sample, and the nearest wall of one may be very near:
/// of 478 changes in a simulated fleet the bare interval held 80 %, this one 94 % both of the half by which the factor was chosen
/// and of the other.
const WIDER: f64 = 2.5;

/// D by which a change may be the worse for having to begin where the slider rests.
const APART: f64 = 10.0;

/// A change of friction.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// When, s.
    pub time: f64,
    /// 95 % interval of the instant, s.
    pub between: [f64; 2],
    /// f_s and f_d afterwards, over those before.
    pub ratio: f64,
    /// 95 % interval of the ratio: its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Probability that there is a change, even odds before the record was seen.
    pub probability: f64,
    /// Whether the friction rises or falls steadily over `between`, and `ratio` is that of its end over its beginning; `time` is
    /// the middle then.
    pub gradual: bool,
}

impl Change {
    /// The ratio and the ends of its interval; nothing where the ends differ by a factor of more than three, or do not
    /// exclude that nothing changed: then the record tells that the friction changed, but not by how much.
    pub fn size(&self) -> Option<[f64; 3]> {
        let told = self.low > 0.0 && self.high <= VAGUE * self.low;
        let excludes = self.low > 1.0 || self.high < 1.0;
        (told && excludes).then_some([self.ratio, self.low, self.high])
    }

    /// ln of the odds that there is a change.
    pub(crate) fn evidence(&self) -> f64 {
        let [yes, no] = [self.probability, 1.0 - self.probability].map(|p| p.max(1e-300));
        portable::log(yes / no)
    }

    /// The probability that a record without a change gives as much evidence, or an upper bound of it.
    ///
    /// Without a change D is χ² distributed with one degree of freedom at a given instant, for the one ratio; as many
    /// instants as were looked at are allowed for (Bonferroni). What cannot be told from certainty is called 10⁻¹⁶.
    pub fn p_value(&self) -> f64 {
        // The same instants as in `judged`, whose odds are turned back into D here.
        let instants = 2.0 * INSTANTS as f64;
        let odds = self.probability / (1.0 - self.probability);
        let deviance = 2.0 * (portable::log(odds) + portable::log(instants));
        let tail = erfc((0.5 * deviance.max(0.0)).sqrt());
        (instants * tail).clamp(1e-16, 1.0)
    }
}

/// A change together with what it leaves.
#[derive(Clone)]
pub struct FoundChange {
    /// The change.
    pub change: Change,
    /// Mean squared residual.
    pub square: f64,
    /// Autocorrelation time of the residuals.
    pub tau: f64,
    /// Robust variance of the residuals.
    pub robust: f64,
    /// Rows that count.
    pub rows: f64,
    /// Time from the beginning of the record to the change, s.
    pub since: f64,
    /// The paths before and after.
    pub paths: [Near; 2],
}

/// Looks for one change of friction. Where paths are known that leave nothing but noise of the record, a change is small
/// if there is one: the thresholds of either half are looked for near them, and without any hope of evidence the search
/// ends soon.
pub fn find(
    series: &Series,
    prepared: &Prepared,
    options: &Options,
    near: Option<&Near>,
) -> Result<Option<FoundChange>, Error> {
    let sampled = prepared.light();
    let n = sampled.samples.len();
    // A trend would take up what a change leaves, and few rows show neither.
    if !sampled.columns.is_empty() || n < 200 {
        return Ok(None);
    }
    let range = prepared.full.range;
    let search = Search { series, prepared, options, near, sampled: &sampled, range };
    let Some(all) = search.over(0.5) else { return Ok(None) };
    let Some(first) = foremost(&sampled, range, options.seed, &all) else { return Ok(None) };
    if near.is_some() && !hopeful(&sampled, range, options.seed, &first) {
        return Ok(None);
    }
    let mut instants = refined(&sampled, range, options.seed, &all, first);
    if near.is_none() {
        search.again(&mut instants);
    }
    row_by_row(&sampled, range, options.seed, &mut instants);
    let whole = || known(series, prepared, options, [0.0, 1.0], near);
    Ok(judged(prepared, options.seed, &instants, &whole))
}

/// A record in which a change is looked for.
struct Search<'a> {
    series: &'a Series<'a>,
    prepared: &'a Prepared<'a>,
    options: &'a Options,
    near: Option<&'a Near>,
    sampled: &'a Sampled<'a>,
    range: f64,
}

impl Search<'_> {
    /// The instants of a row over the record, and of a closer one around the best of them, with their best thresholds; the least
    /// error comes first. The thresholds on one side of each come from the part on this side of `divided`, a share of the record.
    fn over(&self, divided: f64) -> Option<Vec<Instant>> {
        let n = self.sampled.samples.len();
        let parts = vec![[0.0, divided], [divided, 1.0]];
        let part = |share| known(self.series, self.prepared, self.options, share, self.near);
        let parts = parallel::map(parts, part);
        let place = |i: usize, low: f64, high: f64| {
            ((low + (high - low) * i as f64 / (INSTANTS - 1) as f64) * n as f64) as usize
        };
        let at = |k: usize| -> Option<Instant> {
            // The part that lies wholly on one side of the instant knows the thresholds there.
            let own = usize::from((k as f64) < divided * n as f64);
            let split = Split::new(self.sampled, self.range, k);
            let best = parts[own].iter().filter_map(|s| split.best(s, own));
            let best = best.min_by(|a, b| a.line.rss.total_cmp(&b.line.rss))?;
            Some(Instant::of(k, best))
        };
        let row = |low: f64, high: f64| {
            let instants = (0..INSTANTS).map(|i| place(i, low, high)).collect();
            parallel::map(instants, at).into_iter().flatten()
        };
        let mut all: Vec<_> = row(LEAST, 1.0 - LEAST).collect();
        all.sort_by(Instant::by_error);
        let first = all.first()?.at;
        let width = (1.0 - 2.0 * LEAST) / (INSTANTS - 1) as f64;
        let centre = first as f64 / n as f64;
        all.extend(row((centre - width).max(LEAST), (centre + width).min(1.0 - LEAST)));
        all.sort_by(Instant::by_error);
        all.truncate(2 * INSTANTS);
        Some(all)
    }

    /// Where the best change leaves more than noise, the half that gave its thresholds may hold the change itself: the parts on either side
    /// of what was found hold less of the wrong friction, and are searched in turn.
    fn again(&self, instants: &mut Vec<Instant>) {
        for _ in 0..ROUNDS {
            let Some(best) = instants.first() else { return };
            let split = Split::new(self.sampled, self.range, best.at);
            let left = split.residuals(self.sampled, &best.two).0;
            if autocorrelation_time(&[left]) < MEMORY {
                return;
            }
            let share = best.at as f64 / self.sampled.samples.len() as f64;
            let Some(all) = self.over(share) else { return };
            let seed = self.options.seed;
            let Some(first) = foremost(self.sampled, self.range, seed, &all) else { return };
            if first.error() >= best.error() {
                return;
            }
            *instants = refined(self.sampled, self.range, seed, &all, first);
        }
    }
}

/// An instant at which the friction may have changed.
#[derive(Clone)]
struct Instant {
    /// The first sample after the change.
    at: usize,
    /// The best thresholds.
    two: Two,
    /// The ratios that were tried there, with their errors.
    ratios: Vec<(f64, f64)>,
}

impl Instant {
    fn of(at: usize, two: Two) -> Self {
        Self { at, two, ratios: Vec::new() }
    }

    /// The squared error.
    fn error(&self) -> f64 {
        self.two.line.rss
    }

    /// The least error first.
    fn by_error(&self, other: &Self) -> std::cmp::Ordering {
        self.error().total_cmp(&other.error())
    }
}

/// The best of the first few instants, refined.
fn foremost(sampled: &Sampled, range: f64, seed: u64, all: &[Instant]) -> Option<Instant> {
    let refine = |(i, Instant { at, two, .. }): (usize, Instant)| {
        let split = Split::new(sampled, range, at);
        let draws = Draws::new(seed, 80_000 + i as u64);
        Instant::of(at, split.refine(two, Steps::FREE, draws, &mut Vec::new()))
    };
    // The best instants crowd around one valley, which may be the wrong one.
    let mut apart: Vec<Instant> = Vec::new();
    let distance = (DISTINCT * sampled.samples.len() as f64) as usize;
    for candidate in all {
        if apart.len() < REFINED && apart.iter().all(|a| a.at.abs_diff(candidate.at) >= distance) {
            apart.push(candidate.clone());
        }
    }
    let best = parallel::map(apart.into_iter().enumerate().collect(), refine);
    best.into_iter().min_by(Instant::by_error)
}

/// The instants refined: the best few first, then all of them from the thresholds of the best. The least error comes
/// first.
fn refined(
    sampled: &Sampled,
    range: f64,
    seed: u64,
    all: &[Instant],
    best: Instant,
) -> Vec<Instant> {
    let instants = all.iter().map(|a| a.at).collect();
    let mut out = elsewhere(sampled, range, seed, 81_000, &best, instants);
    out.push(best);
    out.sort_by(Instant::by_error);
    out
}

/// The thresholds of the best instant at others, refined a little with draws of streams from `stream` on: which ones will do as well?
fn elsewhere(
    sampled: &Sampled,
    range: f64,
    seed: u64,
    stream: u64,
    best: &Instant,
    instants: Vec<usize>,
) -> Vec<Instant> {
    let Instant { at, two: best, .. } = best;
    let found = Split::new(sampled, range, *at).residuals(sampled, best).0;
    let tau = autocorrelation_time(std::slice::from_ref(&found));
    let hopeless = best.line.rss * portable::exp(HOPELESS * tau / weight(sampled));
    let again = |(i, at): (usize, usize)| -> Option<Instant> {
        let split = Split::new(sampled, range, at);
        let starts = split.starts(1, &best.after(), &best.line);
        let mut start = Two { starts, ..best.clone() };
        start.before.starts = split.starts(0, &best.before, &best.line);
        let start = split.score(vec![start]).pop()?;
        let mut ratios = Vec::new();
        let draws = Draws::new(seed, stream + i as u64);
        let two = split.refine(start, Steps::below(hopeless), draws, &mut ratios);
        Some(Instant { at, two, ratios })
    };
    parallel::map(instants.into_iter().enumerate().collect(), again).into_iter().flatten().collect()
}

/// Tries the rows around the best instant, and then the rows around the better one that it finds.
///
/// The instants that were tried so far lie some rows apart, 12 in a record of five months by the hour. A slip between the change and
/// the nearest of them is made by the wrong friction; the thresholds, and with them the ratio, are bent to make up for it, by more than
/// their interval. So the date is sought to the row, and the ratio is held against all dates that will do.
fn row_by_row(sampled: &Sampled, range: f64, seed: u64, instants: &mut Vec<Instant>) {
    let n = sampled.samples.len();
    let least = (LEAST * n as f64) as usize;
    // Two rows of instants, the second one between the neighbours in the first.
    let row = (INSTANTS - 1) as f64;
    let mut apart = ((2.0 / (row * row) * n as f64).ceil() as usize).max(1);
    for round in 0..FINER {
        let Some(best) = instants.first().cloned() else { return };
        let k = best.at;
        let step = apart.div_ceil(INSTANTS / 2);
        let new = |k: &usize| (least..n - least).contains(k) && instants.iter().all(|i| i.at != *k);
        let side = 1..=apart.div_ceil(step);
        let rows = side.flat_map(|i| [k.saturating_sub(i * step), k + i * step]).filter(new);
        let stream = 85_000 + 100 * round as u64;
        let found = elsewhere(sampled, range, seed, stream, &best, rows.collect());
        instants.extend(found);
        // Once more from the best: what is reported is to be the bottom of its valley.
        instants.sort_by(Instant::by_error);
        if let Some(Instant { at, two, ratios }) = instants.first_mut() {
            let split = Split::new(sampled, range, *at);
            let draws = Draws::new(seed, stream + 99);
            *two = split.refine(two.clone(), Steps::FREE, draws, ratios);
        }
        let is_same = instants.first().is_some_and(|i| i.at == k);
        if is_same && step == 1 {
            return;
        }
        apart = if is_same { step } else { apart };
    }
}

/// Σ w.
fn weight(sampled: &Sampled) -> f64 {
    sampled.samples.iter().map(|s| s.2).sum()
}

/// The least error of a path with a new start at the instant, but no change: its thresholds may be those before, those
/// after or those of other paths.
fn unchanged(split: &Split, best: &Two, others: &[Scored], seed: u64) -> f64 {
    let after = best.after();
    let like = |p: &Point| Point { starts: best.before.starts.clone(), ..p.clone() };
    let mut either: Vec<Point> = others.iter().map(|s| like(&s.point)).collect();
    if others.is_empty() {
        either = vec![best.before.clone(), like(&after)];
    }
    let same = parallel::map(either, |before| {
        let starts = split.starts(1, &before, &best.line);
        let lattice = if others.is_empty() { after.lattice } else { before.lattice };
        let two = Two { ratio: 1.0, lattice, starts, before, line: best.line };
        let two = split.score(vec![two]).pop()?;
        Some(split.refine(two, Steps::FIXED, Draws::new(seed, 82_000), &mut Vec::new()))
    });
    same.into_iter().flatten().map(|s| s.line.rss).fold(f64::INFINITY, f64::min)
}

/// Whether the best of some instants may bring evidence of a change.
fn hopeful(sampled: &Sampled, range: f64, seed: u64, best: &Instant) -> bool {
    let split = Split::new(sampled, range, best.at);
    let (left, _) = split.residuals(sampled, &best.two);
    let tau = autocorrelation_time(std::slice::from_ref(&left));
    let same = unchanged(&split, &best.two, &[], seed);
    weight(sampled) / tau * portable::log(same / best.error()) > HOPEFUL
}

/// The least and the greatest.
fn ends(values: impl Iterator<Item = f64>) -> [f64; 2] {
    values.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], v| [a.min(v), b.max(v)])
}

/// The most likely instant of a change and its 95 % interval, s, over the paths of some instants; `None` where these
/// have no levels. Where the later thresholds cannot take over from the earlier ones without a jump, the interval reaches over these instants, too.
fn dated(
    sampled: &Sampled,
    likely: &[&Instant],
    deviance: &impl Fn(f64) -> f64,
) -> Option<(f64, [f64; 2])> {
    let mut errors = vec![f64::INFINITY; sampled.samples.len() + 1];
    for Instant { at, two, .. } in likely {
        let before = &two.before;
        let after = &two.after();
        let line = &two.line;
        let own = Both { before, after, line, at: *at }.errors(sampled)?;
        errors.iter_mut().zip(own).for_each(|(e, own)| *e = e.min(own));
    }
    let best = errors.iter().copied().fold(f64::INFINITY, f64::min);
    // A change before sample k happened since sample k − 1.
    let times = sampled.times;
    let inside = 1..times.len();
    let below = |k: &usize| deviance(errors[*k]) - deviance(best);
    // As for the ratio: these paths bound D from above.
    let first = inside.clone().find(|k| below(k) < 2.0 * LIMIT)?;
    let last = inside.clone().rev().find(|k| below(k) < 2.0 * LIMIT)?;
    let share = |k: usize| portable::exp(-0.5 * below(&k)) * (times[k] - times[k - 1]);
    let half = 0.5 * inside.clone().map(share).sum::<f64>();
    let mut sum = 0.0;
    let middle = inside.into_iter().find(|&k| {
        sum += share(k);
        sum >= half
    })?;
    let [mut from, mut to] = [times[first - 1], times[last]];
    if deviance(best) > APART {
        let [least, most] = ends(likely.iter().map(|a| times[a.at]));
        (from, to) = (from.min(least), to.max(most));
    }
    Some((times[middle], [from, to]))
}

/// Judges the best of some instants, `None` where it is no change that can be believed; `whole` finds the paths of the record as if nothing had changed.
fn judged(
    prepared: &Prepared,
    seed: u64,
    instants: &[Instant],
    whole: &impl Fn() -> Vec<Scored>,
) -> Option<FoundChange> {
    let Instant { at: k, two: best, .. } = instants.first()?.clone();
    let sampled = &prepared.light();
    let split = Split::new(sampled, prepared.full.range, k);
    let (left, slips) = split.residuals(sampled, &best);
    let weight = weight(sampled);
    let floor = 1e-13 * sampled.samples.iter().map(|s| s.2 * s.1 * s.1).sum::<f64>();
    let tau = autocorrelation_time(std::slice::from_ref(&left));
    let deviance = |rss: f64| weight / tau * portable::log((rss + floor) / (best.line.rss + floor));
    // So few slips, or so small a ratio, are explained by chance.
    if slips < FEWEST || portable::log(best.ratio).abs() <= SMALLEST {
        return None;
    }
    let mut same = unchanged(&split, &best, &[], seed);
    if deviance(same) > BELIEVABLE {
        // A path that needs no change may lie elsewhere.
        same = same.min(unchanged(&split, &best, &whole(), seed));
    }
    let evidence = deviance(same);
    if evidence <= BELIEVABLE {
        return None;
    }
    // Paths that were tried bound D from above, so twice the limit is allowed here.
    let tried =
        instants.iter().flat_map(|a| a.ratios.iter()).filter(|s| deviance(s.1) < 2.0 * LIMIT);
    let mut ratios: Vec<f64> = tried.map(|s| s.0).chain([best.ratio]).collect();
    let likely: Vec<&Instant> =
        instants.iter().filter(|a| deviance(a.error()) < 2.0 * LIMIT).collect();
    // The date is not known either: the ratio may lie wherever it may lie for one of the likely dates.
    let dates = likely.iter().filter(|a| deviance(a.error()) < LIMIT).take(MOVED);
    let moves = dates.flat_map(|a| [(*a, -1.0), (*a, 1.0)]).collect();
    let range = prepared.full.range;
    let reach = |(a, direction): (&Instant, f64)| {
        Split::new(sampled, range, a.at).reach(&a.two, direction, seed, &deviance)
    };
    let reached = parallel::map(moves, reach);
    let is_open = reached.iter().any(|r| r.1);
    ratios.extend(reached.into_iter().map(|r| r.0));
    let [low, high] = ends(ratios.into_iter());
    // An interval that holds 1 shows no change, whatever the evidence at its middle.
    if low <= 1.0 && high >= 1.0 {
        return None;
    }
    let own = [best.ratio / low, high / best.ratio].map(|r| WIDER * portable::log(r));
    // A side without a bound says nothing of the other one.
    let [down, up] = if is_open { own } else { [own[0].max(own[1]); 2] };
    let (time, between) = dated(sampled, &likely, &deviance)
        .unwrap_or_else(|| (sampled.times[k], ends(likely.iter().map(|a| sampled.times[a.at]))));
    // One instant among many, one ratio: what chance alone would find is taken off.
    let odds = portable::exp(0.5 * evidence - portable::log(2.0 * INSTANTS as f64));
    let change = Change {
        time,
        between,
        ratio: best.ratio,
        low: best.ratio * portable::exp(-down),
        high: best.ratio * portable::exp(up),
        probability: if odds.is_finite() { odds / (1.0 + odds) } else { 1.0 },
        gradual: false,
    };
    Some(FoundChange {
        square: best.line.rss / weight,
        tau,
        robust: robust(left.into_iter().filter(|r| !r.is_nan())).powi(2),
        rows: weight,
        since: time - sampled.times[0],
        paths: [best.before.clone(), best.after()].map(|p| Near::one(prepared, p)),
        change,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tail of the normal distribution at 1, 2, 5 standard deviations: Abramowitz and Stegun, table 26.1.
    #[test]
    fn evidence_becomes_a_probability() {
        for (x, tail) in [(1.0, 0.317_310_51), (2.0, 0.045_500_264), (5.0, 5.733_031e-7)] {
            let found = erfc(x / 2f64.sqrt());
            assert!((found / tail - 1.0).abs() < 1e-6, "{x}: {found}");
        }
        let change = |probability| Change {
            time: 0.0,
            between: [0.0; 2],
            ratio: 1.2,
            low: 1.1,
            high: 1.3,
            probability,
            gradual: false,
        };
        // D = 25: odds of exp(12.5)/48.
        let odds = 12.5f64.exp() / 48.0;
        let p = change(odds / (1.0 + odds)).p_value();
        assert!((p / (48.0 * 5.733_031e-7) - 1.0).abs() < 1e-5, "{p}");
        assert_eq!((change(1.0).p_value(), change(0.0).p_value()), (1e-16, 1.0));
    }
}
