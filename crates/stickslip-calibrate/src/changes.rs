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
use stickslip::lanes::Sums;

use crate::dating::Both;
use crate::error::Error;
use crate::linear::{Linear, Moments};
use crate::near::{HALVES, Near, known};
use crate::options::Options;
use crate::parallel;
use crate::point::{Point, Scored, sums};
use crate::prepared::{Prepared, Sampled, Track, openings};
use crate::profile::LIMIT;
use crate::random::Draws;
use crate::series::Series;
use crate::stats::robust;
use crate::uncertainty::autocorrelation_time;

/// Instants that are looked at first, and around the best of them.
const INSTANTS: usize = 24;
/// Ratios: from 1/2 to 2, so many, and lattices for each.
const RATIOS: usize = 47;
const LATTICES: usize = 6;
/// Candidates that are refined, how far apart they lie as a share of the samples, and how long.
const REFINED: usize = 6;
const DISTINCT: f64 = 0.02;
const GENERATIONS: usize = 24;
const SIZE: usize = 32;
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
/// Where nothing speaks against one path over the whole record, the best few instants must bring this D for the others to be
/// tried.
const HOPEFUL: f64 = 10.0;

/// D by which a change may be the worse for having to begin where the slider rests.
const APART: f64 = 10.0;
/// The first step away from the best ratio, its growth from step to step, and steps at most.
const FIRST_STEP: f64 = 0.004;
const GROWTH: f64 = 1.25;
const STEPS: u64 = 24;

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
}

impl Change {
    /// The probability that a record without a change gives as much evidence, or an upper bound of it.
    ///
    /// Without a change D is χ² distributed with one degree of freedom at a given instant, for the one ratio; as many
    /// instants as were looked at are allowed for (Bonferroni). What cannot be told from certainty is called 10⁻¹⁶.
    pub fn p_value(&self) -> f64 {
        let instants = 2.0 * INSTANTS as f64;
        let odds = self.probability / (1.0 - self.probability);
        let deviance = 2.0 * (odds.ln() + instants.ln());
        let tail = erfc((0.5 * deviance.max(0.0)).sqrt());
        (instants * tail).clamp(1e-16, 1.0)
    }
}

/// The complementary error function of x ≥ 0, to 1.2·10⁻⁷ of itself: Press et al. 2007, §6.2.2.
fn erfc(x: f64) -> f64 {
    const C: [f64; 10] = [
        -1.26551223,
        1.00002368,
        0.37409196,
        0.09678418,
        -0.18628806,
        0.27886807,
        -1.13520398,
        1.48851587,
        -0.82215223,
        0.17087277,
    ];
    let t = 1.0 / (1.0 + 0.5 * x);
    t * (C.iter().rev().fold(0.0, |sum, c| sum * t + c) - x * x).exp()
}

/// A change together with what it leaves.
pub struct Found {
    /// The change.
    pub change: Change,
    /// Mean squared residual.
    pub square: f64,
    /// Autocorrelation time of the residuals.
    pub tau: f64,
    /// Robust variance of the residuals.
    pub robust: f64,
    /// D.
    pub deviance: f64,
    /// Slips of the path.
    pub slips: f64,
    /// Rows that count.
    pub rows: f64,
    /// Time from the beginning of the record to the change, s.
    pub since: f64,
}

/// A record in two parts.
struct Split {
    at: usize,
    parts: [Track; 2],
}

/// Thresholds before, and their ratio, lattice and starts after.
#[derive(Debug, Clone)]
struct Two {
    before: Point,
    ratio: f64,
    lattice: f64,
    starts: std::sync::Arc<[f64]>,
    line: Linear,
}

impl Two {
    fn after(&self) -> Point {
        Point {
            sliding: self.ratio * self.before.sliding,
            delta: self.ratio * self.before.delta,
            lattice: self.lattice,
            starts: self.starts.clone(),
        }
    }
}

impl Split {
    fn new(sampled: &Sampled, range: f64, at: usize) -> Self {
        let Sampled { samples, starts, .. } = *sampled;
        let first: Vec<usize> = starts.iter().copied().filter(|&s| s < at).collect();
        let later = starts.iter().filter(|&&s| s > at).map(|s| s - at);
        let second: Vec<usize> = std::iter::once(0).chain(later).collect();
        let track = |samples: &[(f64, f64, f64)], starts: &[usize]| {
            Track::new(samples, starts, openings(samples, starts), range, &[])
        };
        Self { at, parts: [track(&samples[..at], &first), track(&samples[at..], &second)] }
    }

    fn score(&self, all: Vec<Two>) -> Vec<Two> {
        let after: Vec<Point> = all.iter().map(Two::after).collect();
        let [first, second] = &self.parts;
        let before = sums(first, all.iter().map(|t| &t.before));
        let after = sums(second, after.iter());
        let fitted = |((two, a), b): ((Two, _), _)| Two {
            line: Moments::joined(&[(first, a), (second, b)]).fit(),
            ..two
        };
        let both = before.iter().zip(&after);
        all.into_iter().zip(both).map(|(t, (a, b))| fitted(((t, a), b))).collect()
    }

    /// Starting states of a part that the response shows, for a line.
    fn starts(&self, part: usize, point: &Point, line: &Linear) -> std::sync::Arc<[f64]> {
        let track = &self.parts[part];
        let blank = vec![0.0; track.openings.len()].into();
        let point = Point { starts: blank, ..point.clone() };
        Scored { point, line: *line, jumps: 0.0 }.seen_starts(track)
    }

    /// The best of a row of ratios and lattices, with the thresholds of `known` in one part.
    fn best(&self, known: &Scored, own: usize) -> Option<Two> {
        let p = &known.point;
        let mine = Point { starts: self.starts(own, p, &known.line), ..p.clone() };
        let mut all = Vec::with_capacity(RATIOS * LATTICES);
        for i in 0..RATIOS {
            let ratio = 0.5 * 4f64.powf(i as f64 / (RATIOS - 1) as f64);
            let other = Point { sliding: ratio * p.sliding, delta: ratio * p.delta, ..p.clone() };
            let starts = self.starts(1 - own, &other, &known.line);
            all.extend((0..LATTICES).map(|l| {
                let lattice = other.delta * l as f64 / LATTICES as f64;
                (ratio, Point { lattice, starts: starts.clone(), ..other.clone() })
            }));
        }
        let [before, after] = &self.parts;
        let my = *sums(&self.parts[own], std::iter::once(&mine)).first()?;
        let others = sums(&self.parts[1 - own], all.iter().map(|a| &a.1));
        let line = |other: &Sums| {
            let (first, second) = if own == 0 { (&my, other) } else { (other, &my) };
            Moments::joined(&[(before, first), (after, second)]).fit()
        };
        let lines = others.iter().map(line);
        let ((ratio, other), line) =
            all.into_iter().zip(lines).min_by(|a, b| a.1.rss.total_cmp(&b.1.rss))?;
        let (ratio, before, after) =
            if own == 0 { (ratio, mine, other) } else { (ratio.recip(), other, mine) };
        Some(Two { ratio, lattice: after.lattice, starts: after.starts, before, line })
    }

    /// Random steps of many sizes away from the best; `fixed` keeps the ratio.
    fn refine(
        &self,
        mut best: Two,
        fixed: bool,
        mut draws: Draws,
        seen: &mut Vec<(f64, f64)>,
    ) -> Two {
        let range = self.parts[0].range;
        let mut idle = 0;
        for _ in 0..GENERATIONS {
            let mut trial: Vec<Two> = (0..SIZE)
                .map(|i| {
                    let p = &best.before;
                    let size = 2f64.powf(-12.0 * draws.unit());
                    let jump = p.delta.max(0.05 * p.sliding).max(1e-3 * range);
                    let mut two = best.clone();
                    let q = &mut two.before;
                    if i % 4 != 1 {
                        q.sliding = (p.sliding + 0.5 * size * jump * draws.signed()).abs();
                        q.lattice = p.lattice + 0.5 * size * jump * draws.signed();
                        let fine = if i % 8 < 4 { (p.delta / range).min(1.0) } else { 1.0 };
                        q.delta = (p.delta + 0.5 * size * fine * p.delta * draws.signed()).abs();
                    }
                    if i % 4 != 2 {
                        two.lattice += 0.5 * size * jump * draws.signed();
                        if !fixed {
                            two.ratio *= (0.2 * size * draws.signed()).exp();
                        }
                    }
                    if i % 8 == 5 {
                        two.starts = restarted(&two.starts, &mut draws);
                    } else if i % 8 == 6 {
                        two.before.starts = restarted(&two.before.starts, &mut draws);
                    }
                    two
                })
                .collect();
            let seen_before = self.starts(0, &best.before, &best.line);
            let seen_after = self.starts(1, &best.after(), &best.line);
            trial[0] = Two { starts: seen_after, ..best.clone() };
            trial[0].before.starts = seen_before;
            idle += 1;
            for two in self.score(trial) {
                seen.push((two.ratio, two.line.rss));
                if two.line.rss < best.line.rss {
                    (best, idle) = (two, 0);
                }
            }
            if idle > 6 {
                break;
            }
        }
        best
    }

    /// How far the ratio may lie from the best one, upward or downward: where the least error with the ratio held reaches
    /// the 95 % limit of D.
    fn reach(&self, best: &Two, direction: f64, seed: u64, deviance: &impl Fn(f64) -> f64) -> f64 {
        let (mut two, mut step) = (best.clone(), FIRST_STEP);
        for i in 0..STEPS {
            let mut trial = Two { ratio: two.ratio * (direction * step).exp(), ..two.clone() };
            trial.starts = self.starts(1, &trial.after(), &trial.line);
            let Some(trial) = self.score(vec![trial]).pop() else { break };
            let draws = Draws::new(seed, 83_000 + i);
            let trial = self.refine(trial, true, draws, &mut Vec::new());
            let [near, far] = [&two, &trial].map(|t| deviance(t.line.rss));
            if far > LIMIT {
                let share = ((LIMIT - near) / (far - near)).clamp(0.0, 1.0);
                return two.ratio * (direction * step * share).exp();
            }
            (two, step) = (trial, GROWTH * step);
        }
        two.ratio
    }

    /// What is left at the samples, NaN where the response is missing, and the number of slips.
    fn residuals(&self, sampled: &Sampled, two: &Two) -> (Vec<f64>, f64) {
        let mut slips = 0.0;
        let Linear { constant, on_path, on_drive, .. } = two.line;
        let mut left = Vec::with_capacity(sampled.samples.len());
        for (part, point) in [two.before.clone(), two.after()].into_iter().enumerate() {
            let (from, to) =
                if part == 0 { (0, self.at) } else { (self.at, sampled.samples.len()) };
            let set = point.thresholds();
            let mut path = stickslip::lanes::SlipPath { rho: set.rho, delta: set.delta, xi: 0.0 };
            let mut stretch = 0;
            for i in from..to {
                let (t, z, w) = sampled.samples[i];
                if i == from || sampled.starts.binary_search(&i).is_ok() {
                    path.xi = point.start(stretch, t);
                    stretch += 1;
                }
                slips += path.advance(t).abs();
                let fitted = constant + on_path * path.xi + on_drive * t;
                left.push(if w > 0.0 { z - fitted } else { f64::NAN });
            }
        }
        (left, slips)
    }
}

fn restarted(starts: &[f64], draws: &mut Draws) -> std::sync::Arc<[f64]> {
    let mut starts = starts.to_vec();
    let s = ((draws.unit() * starts.len() as f64) as usize).min(starts.len().saturating_sub(1));
    if let Some(u) = starts.get_mut(s) {
        *u = (*u + 0.5 * draws.signed()).clamp(-1.0, 1.0);
    }
    starts.into()
}

/// Looks for one change of friction. Where paths are known that leave nothing but noise of the record, a change is small
/// if there is one: the thresholds of either half are looked for near them, and without any hope of evidence the search
/// ends soon.
pub fn find(
    series: &Series,
    prepared: &Prepared,
    options: &Options,
    near: Option<&Near>,
) -> Result<Option<Found>, Error> {
    let sampled = prepared.light();
    let n = sampled.samples.len();
    if !sampled.columns.is_empty() || n < 200 {
        return Ok(None);
    }
    let range = prepared.full.range;
    let halves = parallel::map(HALVES.to_vec(), |s| known(series, prepared, options, s, near));
    let place = |i: usize, of: usize, low: f64, high: f64| {
        ((low + (high - low) * i as f64 / (of - 1) as f64) * n as f64) as usize
    };
    let at = |k: usize| -> Option<(f64, usize, Two)> {
        // The half that lies wholly on one side of the instant knows the thresholds there.
        let own = usize::from(2 * k < n);
        let split = Split::new(&sampled, range, k);
        let best = halves[own].iter().filter_map(|s| split.best(s, own));
        let best = best.min_by(|a, b| a.line.rss.total_cmp(&b.line.rss))?;
        Some((best.line.rss, k, best))
    };
    let coarse: Vec<usize> =
        (0..INSTANTS).map(|i| place(i, INSTANTS, LEAST, 1.0 - LEAST)).collect();
    let mut all: Vec<_> = parallel::map(coarse, at).into_iter().flatten().collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let Some(first) = all.first().map(|f| f.1) else { return Ok(None) };
    let width = (1.0 - 2.0 * LEAST) / (INSTANTS - 1) as f64;
    let centre = first as f64 / n as f64;
    let (low, high) = ((centre - width).max(LEAST), (centre + width).min(1.0 - LEAST));
    let fine: Vec<usize> = (0..INSTANTS).map(|i| place(i, INSTANTS, low, high)).collect();
    all.extend(parallel::map(fine, at).into_iter().flatten());
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.truncate(2 * INSTANTS);
    if near.is_some() && !hopeful(&sampled, range, options.seed, &all) {
        return Ok(None);
    }
    let whole = || known(series, prepared, options, [0.0, 1.0], near);
    Ok(judged(&sampled, range, options.seed, all, &whole))
}

/// An instant with its best thresholds, and the ratios that were tried there with their errors.
type Instant = (usize, Two, Vec<(f64, f64)>);

/// The best of the first few instants, refined.
fn foremost(
    sampled: &Sampled,
    range: f64,
    seed: u64,
    all: &[(f64, usize, Two)],
) -> Option<(usize, Two)> {
    let refine = |(i, (_, k, two)): (usize, (f64, usize, Two))| {
        let split = Split::new(sampled, range, k);
        let draws = Draws::new(seed, 80_000 + i as u64);
        (k, split.refine(two, false, draws, &mut Vec::new()))
    };
    // The best instants crowd around one valley, which may be the wrong one.
    let mut apart: Vec<(f64, usize, Two)> = Vec::new();
    let distance = (DISTINCT * sampled.samples.len() as f64) as usize;
    for candidate in all {
        if apart.len() < REFINED && apart.iter().all(|a| a.1.abs_diff(candidate.1) >= distance) {
            apart.push(candidate.clone());
        }
    }
    let best = parallel::map(apart.into_iter().enumerate().collect(), refine);
    best.into_iter().min_by(|a, b| a.1.line.rss.total_cmp(&b.1.line.rss))
}

/// The instants refined: the best few first, then all of them from the thresholds of the best. The least error comes
/// first.
fn refined(
    sampled: &Sampled,
    range: f64,
    seed: u64,
    all: &[(f64, usize, Two)],
) -> Option<Vec<Instant>> {
    let (k, best) = foremost(sampled, range, seed, all)?;
    // The same thresholds at every other instant, refined a little: which ones will do as well?
    let again = |(i, k): (usize, usize)| -> Option<Instant> {
        let split = Split::new(sampled, range, k);
        let starts = split.starts(1, &best.after(), &best.line);
        let mut start = Two { starts, ..best.clone() };
        start.before.starts = split.starts(0, &best.before, &best.line);
        let start = split.score(vec![start]).pop()?;
        let mut seen = Vec::new();
        let two = split.refine(start, false, Draws::new(seed, 81_000 + i as u64), &mut seen);
        Some((k, two, seen))
    };
    let instants = all.iter().map(|a| a.1).enumerate().collect();
    let mut out: Vec<Instant> = parallel::map(instants, again).into_iter().flatten().collect();
    out.push((k, best, Vec::new()));
    out.sort_by(|a, b| a.1.line.rss.total_cmp(&b.1.line.rss));
    Some(out)
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
        Some(split.refine(two, true, Draws::new(seed, 82_000), &mut Vec::new()))
    });
    same.into_iter().flatten().map(|s| s.line.rss).fold(f64::INFINITY, f64::min)
}

/// Whether the best of some instants may bring evidence of a change.
fn hopeful(sampled: &Sampled, range: f64, seed: u64, all: &[(f64, usize, Two)]) -> bool {
    let Some((k, best)) = foremost(sampled, range, seed, all) else { return false };
    let split = Split::new(sampled, range, k);
    let (left, _) = split.residuals(sampled, &best);
    let tau = autocorrelation_time(std::slice::from_ref(&left));
    let weight: f64 = sampled.samples.iter().map(|s| s.2).sum();
    weight / tau * (unchanged(&split, &best, &[], seed) / best.line.rss).ln() > HOPEFUL
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
    for (at, two, _) in likely {
        let (before, after, line) = (&two.before, &two.after(), &two.line);
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
    let share = |k: usize| (-0.5 * below(&k)).exp() * (times[k] - times[k - 1]);
    let half = 0.5 * inside.clone().map(share).sum::<f64>();
    let mut sum = 0.0;
    let middle = inside.into_iter().find(|&k| {
        sum += share(k);
        sum >= half
    })?;
    let [mut from, mut to] = [times[first - 1], times[last]];
    if deviance(best) > APART {
        let [least, most] = ends(likely.iter().map(|a| times[a.0]));
        (from, to) = (from.min(least), to.max(most));
    }
    Some((times[middle], [from, to]))
}

/// Refines the best instants and judges the best of them; `whole` finds the paths of the record as if nothing had changed.
fn judged(
    sampled: &Sampled,
    range: f64,
    seed: u64,
    all: Vec<(f64, usize, Two)>,
    whole: &impl Fn() -> Vec<Scored>,
) -> Option<Found> {
    let instants = refined(sampled, range, seed, &all)?;
    let (k, best, _) = instants.first()?.clone();
    let split = Split::new(sampled, range, k);
    let (left, slips) = split.residuals(sampled, &best);
    let weight: f64 = sampled.samples.iter().map(|s| s.2).sum();
    let floor = 1e-13 * sampled.samples.iter().map(|s| s.2 * s.1 * s.1).sum::<f64>();
    let tau = autocorrelation_time(std::slice::from_ref(&left));
    let deviance = |rss: f64| weight / tau * ((rss + floor) / (best.line.rss + floor)).ln();
    let mut same = unchanged(&split, &best, &[], seed);
    if deviance(same) > BELIEVABLE {
        // A path that needs no change may lie elsewhere.
        same = same.min(unchanged(&split, &best, &whole(), seed));
    }
    let evidence = deviance(same);
    // Paths that were tried bound D from above, so twice the limit is allowed here.
    let tried = instants.iter().flat_map(|a| a.2.iter()).filter(|s| deviance(s.1) < 2.0 * LIMIT);
    let mut ratios: Vec<f64> = tried.map(|s| s.0).chain([best.ratio]).collect();
    if evidence > BELIEVABLE {
        let reach = |direction| split.reach(&best, direction, seed, &deviance);
        ratios.extend(parallel::map(vec![-1.0, 1.0], reach));
    }
    let likely: Vec<&Instant> =
        instants.iter().filter(|a| deviance(a.1.line.rss) < 2.0 * LIMIT).collect();
    let [low, high] = ends(ratios.into_iter());
    let (time, between) = dated(sampled, &likely, &deviance)
        .unwrap_or_else(|| (sampled.times[k], ends(likely.iter().map(|a| sampled.times[a.0]))));
    // One instant among many, one ratio: what chance alone would find is taken off.
    let odds = (0.5 * evidence - (2.0 * INSTANTS as f64).ln()).exp();
    let change = Change {
        time,
        between,
        ratio: best.ratio,
        low,
        high,
        probability: if odds.is_finite() { odds / (1.0 + odds) } else { 1.0 },
    };
    Some(Found {
        square: best.line.rss / weight,
        tau,
        robust: robust(left.into_iter().filter(|r| !r.is_nan())).powi(2),
        deviance: evidence,
        slips,
        rows: weight,
        since: time - sampled.times[0],
        change,
    })
}

impl Found {
    /// Whether there is one.
    pub fn believable(&self) -> bool {
        let Change { low, high, ratio, .. } = self.change;
        let enough = self.slips >= FEWEST && self.deviance > BELIEVABLE;
        enough && (low > 1.0 || high < 1.0) && (ratio.ln()).abs() > SMALLEST
    }
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
        };
        // D = 25: odds of exp(12.5)/48.
        let odds = 12.5f64.exp() / 48.0;
        let p = change(odds / (1.0 + odds)).p_value();
        assert!((p / (48.0 * 5.733_031e-7) - 1.0).abs() < 1e-5, "{p}");
        assert_eq!((change(1.0).p_value(), change(0.0).p_value()), (1e-16, 1.0));
    }
}
