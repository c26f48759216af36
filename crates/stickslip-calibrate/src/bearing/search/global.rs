//! The global search over (ρ, δ), the lattice and the starting states.
//!
//! For a fixed sequence of jumps the path is ξ = ξ₀ + δ n(t) with n(t) whole numbers, and the linear
//! part absorbs ξ₀ and δ: the error is *constant* on each cell of fixed jumps. It is a staircase, and
//! no derivative leads anywhere. Seen from afar it is a bowl in the mean lead ρ_d; inside the bowl it
//! is rugged, with a funnel around the true (ρ_d, δ, lattice) as wide as a quarter of a jump at the
//! far end of the drive's range. So:
//!
//! 1. **survey**: the whole box 0 < ρ ≤ R/2, 0 ≤ δ ≤ 2ρ (R: range of the drive), coarsely;
//! 2. **comb**: along the best valleys in ρ_d, all δ and lattices, finely enough to hit each funnel;
//! 3. **descent**: from the best distinct points by multi-scale random steps, which need no slope.
//!
//! Every part is a fixed list of points, or draws from a generator that is seeded per start, so
//! the result does not depend on the number of threads.

use std::sync::Arc;
use stickslip::portable;

use crate::bearing::search::point::{Point, Scored, better, score, seen};
use crate::bearing::search::prepared::{Prepared, Track};
use crate::parallel;
use crate::statistics::random::Draws;

/// Points per parallel task.
const TASK: usize = 64;
/// Distinct minima that are reported.
const LISTED: usize = 4;
/// Survey: values of ρ, geometric from R/200 to R/2.
const SURVEY_RHO: usize = 34;
/// Survey: values of δ/2ρ, from 0 to 1.
const SURVEY_SHARE: usize = 9;
/// Survey: from this share of R on, every point gets two lattices and two starting states.
const SURVEY_LARGE: f64 = 1.0 / 24.0;
/// Comb: the smallest δ, as a share of R.
const COMB_SMALLEST: f64 = 1.0 / 120.0;
/// Fine comb: tried if the best δ so far is below this share of R, down to the second.
const FINE_BELOW: f64 = 1.0 / 100.0;
const FINE_SMALLEST: f64 = 1.0 / 400.0;
/// Fine comb: positions of the lattice.
const FINE_LATTICES: usize = 6;
/// How far around a valley the comb reaches, how many of its teeth are followed, and how far.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Valleys of the survey that are combed.
    valleys: usize,
    /// Half the width in ρ_d, as a share of ρ_d and of δ; the larger counts.
    reach: (f64, f64),
    /// Positions of the lattice.
    lattices: usize,
    /// From the best points of the comb, on the thinned record.
    teeth: Descents,
    /// From the best of those, on the thinned record.
    rough: Descents,
    /// On the whole record, or of a very long one on the less thinned: from those whose squared error is near the best's, and from the
    /// others, which are only listed.
    last: [Descents; 2],
}

/// For one of many readings of a record, which are compared with each other.
pub const PROBE: Effort = Effort {
    valleys: VALLEYS,
    reach: (0.03, 0.45),
    lattices: 4,
    teeth: descents(6, descent(3, 32, 3)),
    rough: descents(2, descent(6, 32, 4)),
    last: LAST_DESCENTS,
};
/// Enough if the residual turns out to be noise that is small against a jump; else more is tried.
pub const FIRST: Effort = Effort {
    valleys: 1,
    last: [descents(2, descent(12, 32, 4)), descents(1, descent(2, 32, 2))],
    ..PROBE
};
/// Enough if the residual turns out white; else more is tried.
pub const QUICK: Effort = Effort {
    valleys: VALLEYS,
    reach: (0.03, 0.45),
    lattices: 6,
    teeth: descents(12, descent(3, 32, 3)),
    rough: descents(4, descent(8, 32, 6)),
    last: LAST_DESCENTS,
};
/// Misses the best funnel in one yearly record of a hundred, or less.
pub const USUAL: Effort = Effort {
    valleys: VALLEYS,
    reach: (0.03, 0.45),
    lattices: 6,
    teeth: descents(24, descent(6, 32, 6)),
    rough: descents(8, descent(16, 32, 8)),
    last: LAST_DESCENTS,
};
/// For another search where that leaves a residual that is not noise: it may be the model that is
/// wrong, but it may be the funnel.
pub const THOROUGH: Effort =
    Effort { reach: (0.08, 0.7), lattices: 8, teeth: descents(48, descent(6, 32, 6)), ..USUAL };
/// Comb: valleys, usually.
const VALLEYS: usize = 3;
/// Comb: a valley is tried if its squared error is at most this many times the best's.
const VALLEY_DEPTH: f64 = 2.0;

/// How long a descent goes on.
#[derive(Debug, Clone, Copy)]
pub struct Descent {
    /// Generations at most.
    generations: usize,
    /// Points in each.
    size: usize,
    /// Generations without a better point after which it stops.
    patience: usize,
}

pub const fn descent(generations: usize, size: usize, patience: usize) -> Descent {
    Descent { generations, size, patience }
}

/// Descents from the best of some points.
#[derive(Debug, Clone, Copy)]
pub struct Descents {
    /// Distinct points from which they start.
    starts: usize,
    /// How each goes.
    each: Descent,
}

const fn descents(starts: usize, each: Descent) -> Descents {
    Descents { starts, each }
}

/// Into the valleys, from points of the survey.
const SURVEY_DESCENT: Descents = descents(6, descent(8, 32, 8));
/// See [`Effort::last`].
const LAST_DESCENTS: [Descents; 2] =
    [descents(LAST, descent(32, 32, 8)), descents(LAST, descent(4, 32, 4))];
/// From a point that is known to be near.
const REFINED: Descent = descent(12, 32, 4);
/// On all rows of a very long record, from where descents on some of its rows have ended.
const FINISH: Descents = descents(2, descent(6, 32, 3));
const LAST: usize = 4;
const NEAR: f64 = 1.2;

/// The error over the whole box, for a picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Surface {
    /// Values of ρ, in the drive's unit, increasing.
    pub rho: Vec<f64>,
    /// Values of δ/(2ρ) = 1 − f_d/f_s, increasing from 0 to 1.
    pub share: Vec<f64>,
    /// Root mean square error, m: `rmse[i * share.len() + j]` at (`rho[i]`, `share[j]`), the best over
    /// the lattices and starting states that were tried.
    pub rmse: Vec<f64>,
}

/// What the search found.
pub struct FoundPaths {
    /// Distinct minima, best first.
    pub minima: Vec<Scored>,
    /// The survey.
    pub surface: Surface,
    /// Paths tried.
    pub evaluations: usize,
}

impl FoundPaths {
    /// The distinct ones among some points.
    pub fn of(minima: Vec<Scored>, evaluations: usize) -> Self {
        let minima = distinct(minima, LISTED, Point::resembles);
        Self { minima, surface: Surface::default(), evaluations }
    }

    /// With the survey that it began with.
    pub fn with(self, survey: Survey) -> Self {
        let evaluations = self.evaluations + survey.evaluations;
        Self { surface: survey.surface, evaluations, ..self }
    }

    /// Takes over what another search found.
    pub fn join(&mut self, other: Self) {
        let mut minima = std::mem::take(&mut self.minima);
        minima.extend(other.minima);
        self.minima = distinct(minima, LISTED, Point::resembles);
        self.evaluations += other.evaluations;
    }
}

/// Scores many points on all threads, in order.
fn score_all(track: &Track, points: &[Point]) -> Vec<Scored> {
    parallel::map(points.chunks(TASK).collect(), |c| score(track, c.to_vec()))
        .into_iter()
        .flatten()
        .collect()
}

/// The best `count` points that do not resemble each other.
fn distinct(
    mut all: Vec<Scored>,
    count: usize,
    same: impl Fn(&Point, &Point) -> bool,
) -> Vec<Scored> {
    all.sort_by(|a, b| a.line.rss.total_cmp(&b.line.rss));
    let mut out: Vec<Scored> = Vec::new();
    for candidate in all {
        if out.len() == count {
            break;
        }
        if !out.iter().any(|o| same(&o.point, &candidate.point)) {
            out.push(candidate);
        }
    }
    out
}

/// What every search of a record begins with.
pub struct Survey {
    surface: Surface,
    points: Vec<Scored>,
    /// Where descents from the best of them end.
    valleys: Vec<Scored>,
    evaluations: usize,
}

impl Survey {
    /// Surveys the whole box and descends into its valleys.
    pub fn of(prepared: &Prepared, seed: u64) -> Self {
        let rough = prepared.thin.as_ref().unwrap_or(&prepared.full);
        let (surface, points, mut evaluations) = survey(rough);
        let stage = Stage { prepared, track: rough, seed, stage: 0 };
        let valleys = stage.descend(points.clone(), SURVEY_DESCENT, &mut evaluations);
        Self { surface, points, valleys, evaluations }
    }
}

/// Descents from the best distinct points of some, each with draws of its own.
struct Stage<'a> {
    prepared: &'a Prepared<'a>,
    track: &'a Track,
    seed: u64,
    stage: u64,
}

impl Stage<'_> {
    fn descend(
        &self,
        from: Vec<Scored>,
        Descents { starts, each }: Descents,
        evaluations: &mut usize,
    ) -> Vec<Scored> {
        let one = |(i, s): (usize, Scored)| {
            if self.prepared.stopped() {
                return (s, 0);
            }
            descend(self.track, s, Draws::new(self.seed, 1000 * self.stage + i as u64), each)
        };
        let from = distinct(from, starts, Point::resembles);
        let done: Vec<(Scored, usize)> = parallel::map(from.into_iter().enumerate().collect(), one);
        *evaluations += done.iter().map(|d| d.1).sum::<usize>();
        done.into_iter().map(|d| d.0).collect()
    }
}

/// See the module.
pub fn search(prepared: &Prepared, seed: u64, effort: Effort) -> FoundPaths {
    let survey = Survey::of(prepared, seed);
    search_from(prepared, &survey, seed, effort).with(survey)
}

/// A search that begins with a survey of its record that was made before.
pub fn search_from(prepared: &Prepared, survey: &Survey, seed: u64, effort: Effort) -> FoundPaths {
    let rough = prepared.thin.as_ref().unwrap_or(&prepared.full);
    let mut evaluations = 0;
    let mut descend_all = |track: &Track, from: Vec<Scored>, stage: u64, how: Descents| {
        Stage { prepared, track, seed, stage }.descend(from, how, &mut evaluations)
    };
    // Valleys are told apart by their mean lead alone: jumps and lattice within one are what the comb tries.
    let mut valleys = distinct(survey.valleys.clone(), effort.valleys, |p, q| {
        (p.sliding - q.sliding).abs() <= 0.05 * p.sliding.max(0.5 * p.delta)
    });
    let limit = valleys[0].line.rss * VALLEY_DEPTH;
    valleys.retain(|v| v.line.rss <= limit);
    // A descent from afar falls into the nearest funnel, which is rarely the deepest: every funnel along the valley is tried.
    let points: Vec<Point> = valleys.iter().flat_map(|v| comb(rough, v, effort)).collect();
    let mut minima = score_all(rough, &points);

    minima.extend(valleys);
    minima.extend(survey.points.iter().cloned());
    minima = descend_all(rough, minima, 1, effort.teeth);
    minima = descend_all(rough, minima, 2, effort.rough);
    minima = distinct(minima, LAST, Point::resembles);
    let mut teeth = points.len();
    // The best has jumps near the smallest of the comb, so that the true ones may be smaller still.
    if minima[0].point.delta < FINE_BELOW * rough.range {
        let fine = fine_comb(rough, &minima[0]);
        teeth += fine.len();
        minima.extend(score_all(rough, &fine));
        minima = descend_all(rough, minima, 7, effort.rough);
    }

    // The thinned record served to find the funnels; which of them is the deepest only the whole record says.
    let all = prepared.finer.as_ref().unwrap_or(&prepared.full);
    if prepared.thin.is_some() {
        let points = minima.into_iter().map(|s| s.point).collect();
        minima = score(all, points);
    }
    let limit = NEAR * minima.iter().map(|s| s.line.rss).fold(f64::INFINITY, f64::min);
    // Those that are far behind may still win on the whole record, but are not worth long descents.
    let (near, far): (Vec<_>, Vec<_>) = minima.into_iter().partition(|s| s.line.rss <= limit);
    minima = descend_all(all, near, 9, effort.last[0]);
    minima.extend(descend_all(all, far, 10, effort.last[1]));
    if prepared.finer.is_some() {
        minima = on_all_rows(prepared, minima);
        minima.extend(descend_all(&prepared.full, minima.clone(), 11, FINISH));
    }
    evaluations += teeth;
    FoundPaths::of(minima, evaluations)
}

/// Descents on the whole record from points that are known to be near.
pub fn refine(prepared: &Prepared, points: &[Point], seed: u64) -> FoundPaths {
    let track = prepared.finer.as_ref().unwrap_or(&prepared.full);
    let fit = |p: &Point| {
        let count = track.openings.len();
        let starts: Vec<f64> =
            (0..count).map(|s| p.starts.get(s).copied().unwrap_or_default()).collect();
        Point { starts: starts.into(), ..p.clone() }
    };
    let scored = score(track, points.iter().map(fit).collect());
    let one = |(i, s): (usize, Scored)| {
        if prepared.stopped() {
            return (s, 0);
        }
        descend(track, s, Draws::new(seed, 70_000 + i as u64), REFINED)
    };
    let done =
        parallel::map(distinct(scored, 3, Point::resembles).into_iter().enumerate().collect(), one);
    let mut evaluations = done.iter().map(|d| d.1).sum();
    let mut minima: Vec<Scored> = done.into_iter().map(|d| d.0).collect();
    if prepared.finer.is_some() {
        minima = on_all_rows(prepared, minima);
        let stage = Stage { prepared, track: &prepared.full, seed, stage: 71 };
        minima.extend(stage.descend(minima.clone(), FINISH, &mut evaluations));
    }
    FoundPaths::of(minima, evaluations)
}

/// What some paths leave of all rows.
fn on_all_rows(prepared: &Prepared, minima: Vec<Scored>) -> Vec<Scored> {
    score(&prepared.full, minima.into_iter().map(|s| s.point).collect())
}

/// The survey alone, for a picture of what another method searched.
pub fn survey_surface(prepared: &Prepared) -> Surface {
    survey(prepared.thin.as_ref().unwrap_or(&prepared.full)).0
}

/// The whole box, coarsely: the surface, the best point of each of its cells, and the number of
/// paths tried. Each point is tried twice, the second time from the starting states that the first
/// showed. Where ρ is small the lattice hardly shows from afar and the starting state is soon
/// forgotten, while slips are many and a path costs most: there one try has to do.
fn survey(track: &Track) -> (Surface, Vec<Scored>, usize) {
    let range = track.range;
    let rho: Vec<f64> = (0..SURVEY_RHO)
        .map(|i| 0.5 * range * portable::pow(100.0, i as f64 / (SURVEY_RHO - 1) as f64 - 1.0))
        .collect();
    let share: Vec<f64> = (0..SURVEY_SHARE).map(|j| j as f64 / (SURVEY_SHARE - 1) as f64).collect();
    let starts: Arc<[f64]> = vec![0.0; track.openings.len()].into();
    let cell = |i: usize, j: usize, lattice: f64| {
        let delta = 2.0 * rho[i] * share[j];
        let sliding = rho[i] - 0.5 * delta;
        let lattice = lattice * delta;
        Point { sliding, delta, lattice, starts: starts.clone() }
    };
    let all = |rows: std::ops::Range<usize>, lattice: f64| -> Vec<Point> {
        rows.flat_map(|i| (0..SURVEY_SHARE).map(move |j| (i, j)))
            .map(|(i, j)| cell(i, j, lattice))
            .collect()
    };
    let large = rho.partition_point(|&r| r < SURVEY_LARGE * range);
    let mut evaluations = 0;
    let mut best: Vec<Scored> = Vec::new();
    for (first, lattice) in [(0, 0.0), (large, 0.5)] {
        let mut tried = score_all(track, &all(first..SURVEY_RHO, lattice));
        evaluations += tried.len();
        // Where the residual shows the starting state, the second try begins there.
        let again = |s: &Scored| Point { starts: s.seen_starts(track), ..s.point.clone() };
        let large = (large - first) * SURVEY_SHARE;
        let again = score_all(track, &tried[large..].iter().map(again).collect::<Vec<_>>());
        evaluations += again.len();
        for (s, again) in tried[large..].iter_mut().zip(again) {
            *s = better(s.clone(), again);
        }
        if best.is_empty() {
            best = tried;
        } else {
            for (s, other) in best[first * SURVEY_SHARE..].iter_mut().zip(tried) {
                *s = better(s.clone(), other);
            }
        }
    }
    let weight = track.record.weight();
    let rmse = best.iter().map(|c| (c.line.rss / weight).sqrt()).collect();
    (Surface { rho, share, rmse }, best, evaluations)
}

/// All δ and lattices along the valley of one mean lead.
fn comb(track: &Track, valley: &Scored, effort: Effort) -> Vec<Point> {
    let range = track.range;
    let Point { sliding, starts, .. } = &valley.point;
    let mut points = Vec::new();
    // The largest jump for which the range still holds the dead band of twice the mean lead, and one jump.
    let mut delta = (range - 2.0 * sliding).max(valley.point.delta);
    while delta > COMB_SMALLEST * range {
        // The mean lead may be off by the survey's grid, or by part of a jump.
        let half = (effort.reach.0 * sliding).max(effort.reach.1 * delta);
        let steps = (2.0 * half / (delta / 4.0)).ceil().min(8.0);
        for k in 0..=steps as usize {
            let sliding = sliding + half * (2.0 * k as f64 / steps - 1.0);
            if sliding < 0.0 {
                continue;
            }
            for l in 0..effort.lattices {
                let lattice = delta * l as f64 / effort.lattices as f64;
                points.push(Point { sliding, delta, lattice, starts: starts.clone() });
            }
        }
        // A lattice centred on the range is off by δ/4 at its ends after this factor.
        delta /= 1.0 + (0.5 * delta / range).clamp(0.003, 0.08);
    }
    points
}

/// Smaller jumps than the comb's, where the mean lead is already known well.
fn fine_comb(track: &Track, best: &Scored) -> Vec<Point> {
    let Point { sliding, starts, .. } = &best.point;
    let mut points = Vec::new();
    let mut delta = FINE_BELOW * track.range;
    while delta > FINE_SMALLEST * track.range {
        for k in [-0.2, 0.0, 0.2] {
            let sliding = (sliding + k * delta).abs();
            for l in 0..FINE_LATTICES {
                let lattice = delta * l as f64 / FINE_LATTICES as f64;
                points.push(Point { sliding, delta, lattice, starts: starts.clone() });
            }
        }
        delta /= 1.0 + 0.6 * delta / track.range;
    }
    points
}

/// Random descent with a population: differential moves, which take the population's own shape and
/// so follow narrow funnels, mixed with multi-scale steps away from the best. Returns the best, and
/// the number of paths tried.
pub fn descend(track: &Track, from: Scored, mut draws: Draws, descent: Descent) -> (Scored, usize) {
    let Descent { generations, size, patience } = descent;
    // The first cloud is steps of all sizes, for nobody knows yet how wide the funnel is.
    let cloud = (0..size).map(|i| step(track, &from.point, i, &mut draws)).collect();
    let mut population = score(track, cloud);
    let mut best = from;
    let mut idle = 0;
    let mut tried = size;
    for _ in 0..generations {
        let before = best.line.rss;
        best = population.iter().cloned().fold(best, better);
        idle = if best.line.rss < before { 0 } else { idle + 1 };
        if idle > patience {
            break;
        }
        let mut points: Vec<Point> = (0..size)
            .map(|i| match i % 4 {
                0 if i % 8 == 4 => restart(&best.point, &mut draws),
                0 => step(track, &best.point, i / 4, &mut draws),
                _ => blend(track, &population, &best.point, i, &mut draws),
            })
            .collect();
        // One point of each generation is the best with the starting states that its own residual asks for.
        points[0] = Point { starts: best.seen_starts(track), ..best.point.clone() };
        tried += size;
        let trial = score(track, points);
        population = population.into_iter().zip(trial).map(|(old, new)| better(old, new)).collect();
    }
    (population.into_iter().fold(best, better), tried)
}

/// A differential move: towards the best, and along the difference of two others.
fn blend(track: &Track, all: &[Scored], best: &Point, i: usize, draws: &mut Draws) -> Point {
    let mut other = || &all[(draws.unit() * all.len() as f64) as usize].point;
    let own = &all[i].point;
    let p = other();
    let q = other();
    let pull = draws.unit();
    let push = 0.4 + 0.5 * draws.unit();
    let mix = |f: fn(&Point) -> f64| f(own) + pull * (f(best) - f(own)) + push * (f(p) - f(q));
    // Thresholds are positive: a move beyond zero is reflected. Beyond half the range nothing slips.
    let most = 0.5 * track.range;
    Point {
        sliding: mix(|p| p.sliding).abs().min(most),
        delta: seen(mix(|p| p.delta).abs().min(2.0 * most), track),
        lattice: mix(|p| p.lattice),
        starts: best.starts.clone(),
    }
}

/// Another starting state for one stretch: anywhere, or near where it is.
fn restart(p: &Point, draws: &mut Draws) -> Point {
    let mut starts = p.starts.to_vec();
    let s = ((draws.unit() * starts.len() as f64) as usize).min(starts.len() - 1);
    let reach = if draws.unit() < 0.5 { 2.0 } else { 0.3 };
    starts[s] = (starts[s] + reach * draws.signed()).clamp(-1.0, 1.0);
    Point { starts: starts.into(), ..p.clone() }
}

/// One random step away from `p`, of a size drawn from a factor of 4000.
fn step(track: &Track, p: &Point, index: usize, draws: &mut Draws) -> Point {
    let range = track.range;
    // 2⁻¹² to 1: the widths of funnels span as much, from the first coarse valley to the last cell.
    let size = portable::pow(2.0, -12.0 * draws.unit());
    let mut q = p.clone();
    let jump = p.delta.max(0.05 * p.sliding).max(1e-3 * range);
    q.sliding = (p.sliding + size * 0.5 * jump * draws.signed()).abs();
    let reach = if p.delta > 0.0 { 0.5 * p.delta.max(0.02 * range) } else { jump };
    let coarse = size * reach * draws.signed();
    // A path with many small jumps is off by a whole one at its end after a change of δ²/range: most steps are of that size.
    let fine = coarse * (p.delta / range).min(1.0);
    q.delta = (p.delta + if index.is_multiple_of(4) { coarse } else { fine }).abs();
    q.lattice = p.lattice + size * 0.5 * jump * draws.signed();
    let most = 0.5 * range;
    q.delta = seen(q.delta.min(2.0 * most), track);
    q.sliding = q.sliding.min(most);
    q
}
