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

use rayon::prelude::*;

use crate::draw::Draws;
use crate::point::{Point, Scored, score};
use crate::prepared::Prepared;

/// Points per parallel task.
const TASK: usize = 64;
/// Survey: values of ρ, geometric from R/200 to R/2.
const SURVEY_RHO: usize = 34;
/// Survey: values of δ/2ρ, from 0 to 1.
const SURVEY_SHARE: usize = 9;
/// Comb: the smallest δ, as a share of R. Below it the funnels are reached by descent.
const COMB_SMALLEST: f64 = 1.0 / 80.0;
/// Comb: positions of the lattice.
const COMB_LATTICE: usize = 6;
/// Comb: valleys.
const VALLEYS: usize = 3;
/// Descent: (distinct starts, generations, of so many points).
const DESCENT: [(usize, usize, usize); 3] = [(28, 8, 32), (6, 24, 32), (3, 60, 48)];

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
pub struct Found {
    /// Distinct minima, best first.
    pub minima: Vec<Scored>,
    /// The survey.
    pub surface: Surface,
    /// Paths tried.
    pub evaluations: usize,
}

/// Scores many points on all threads, in order.
fn score_all(prepared: &Prepared, points: &[Point]) -> Vec<Scored> {
    points.par_chunks(TASK).flat_map_iter(|c| score(prepared, c.to_vec())).collect()
}

/// The better of the two, the first if they are equal.
fn better(a: Scored, b: Scored) -> Scored {
    if b.line.rss < a.line.rss { b } else { a }
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

/// See the module.
pub fn search(prepared: &Prepared, seed: u64) -> Found {
    let (surface, surveyed, mut evaluations) = survey(prepared);
    let rough = surveyed.clone();
    let valleys = distinct(surveyed, VALLEYS, |p, q| {
        (p.sliding - q.sliding).abs() <= 0.15 * p.sliding.max(0.5 * p.delta)
    });
    let points: Vec<Point> = valleys.iter().flat_map(|v| comb(prepared, v)).collect();
    evaluations += points.len();
    let combed = score_all(prepared, &points);
    let mut minima = combed;
    minima.extend(rough);
    for (stage, (starts, generations, size)) in DESCENT.into_iter().enumerate() {
        minima = distinct(minima, starts, Point::resembles);
        evaluations += minima.len() * generations * size;
        let from = |(i, s): (usize, Scored)| {
            let draws = Draws::new(seed, (stage * 1000 + i) as u64);
            descend(prepared, s, draws, generations, size)
        };
        minima = minima.into_par_iter().enumerate().map(from).collect();
    }
    Found { minima: distinct(minima, 3, Point::resembles), surface, evaluations }
}

/// The whole box, coarsely. Each point is tried twice: the second time from the starting states that
/// the first showed.
fn survey(prepared: &Prepared) -> (Surface, Vec<Scored>, usize) {
    let range = prepared.drive_range;
    let rho: Vec<f64> = (0..SURVEY_RHO)
        .map(|i| 0.5 * range * 100f64.powf(i as f64 / (SURVEY_RHO - 1) as f64 - 1.0))
        .collect();
    let share: Vec<f64> = (0..SURVEY_SHARE).map(|j| j as f64 / (SURVEY_SHARE - 1) as f64).collect();
    let starts: Arc<[f64]> = vec![0.0; prepared.openings.len()].into();
    let mut points = Vec::new();
    for &rho in &rho {
        for &share in &share {
            let delta = 2.0 * rho * share;
            for lattice in [0.0, 0.5 * delta] {
                points.push(Point {
                    sliding: rho - 0.5 * delta,
                    delta,
                    lattice,
                    starts: starts.clone(),
                });
            }
        }
    }
    let first = score_all(prepared, &points);
    let again: Vec<Point> = first
        .iter()
        .map(|s| Point { starts: s.seen_starts(prepared), ..s.point.clone() })
        .collect();
    let second = score_all(prepared, &again);
    let evaluations = first.len() + second.len();
    let mut both = first.into_iter().zip(second).map(|(a, b)| better(a, b));
    let mut cells = Vec::with_capacity(evaluations / 4);
    while let (Some(a), Some(b)) = (both.next(), both.next()) {
        cells.push(better(a, b));
    }
    let weight = prepared.record.weight();
    let rmse = cells.iter().map(|c| (c.line.rss / weight).sqrt()).collect();
    (Surface { rho, share, rmse }, cells, evaluations)
}

/// All δ and lattices along the valley of one mean lead.
fn comb(prepared: &Prepared, valley: &Scored) -> Vec<Point> {
    let range = prepared.drive_range;
    let Point { sliding, starts, .. } = &valley.point;
    let mut points = Vec::new();
    let mut delta = (range - 2.0 * sliding).max(valley.point.delta);
    while delta > COMB_SMALLEST * range {
        // The mean lead may be off by the survey's grid, or by part of a jump.
        let half = (0.08 * sliding).max(delta / 3.0);
        let steps = (2.0 * half / (delta / 5.0)).ceil().min(8.0);
        for k in 0..=steps as usize {
            let sliding = sliding + half * (2.0 * k as f64 / steps - 1.0);
            if sliding < 0.0 {
                continue;
            }
            for l in 0..COMB_LATTICE {
                let lattice = delta * l as f64 / COMB_LATTICE as f64;
                points.push(Point { sliding, delta, lattice, starts: starts.clone() });
            }
        }
        // A lattice centred on the range is off by δ/4 at its ends after this factor.
        delta /= 1.0 + (0.5 * delta / range).clamp(0.004, 0.08);
    }
    points
}

/// Multi-scale random steps: keeps the best of each generation.
fn descend(
    prepared: &Prepared,
    from: Scored,
    mut draws: Draws,
    generations: usize,
    size: usize,
) -> Scored {
    let mut best = from;
    for _ in 0..generations {
        let seen = best.seen_starts(prepared);
        let mut points: Vec<Point> =
            (0..size - 1).map(|i| step(prepared, &best.point, i, &mut draws)).collect();
        points.push(Point { starts: seen, ..best.point.clone() });
        best = score(prepared, points).into_iter().fold(best, better);
    }
    best
}

/// One random step away from `p`, of a size drawn from a factor of 4000.
fn step(prepared: &Prepared, p: &Point, index: usize, draws: &mut Draws) -> Point {
    let range = prepared.drive_range;
    let size = 2f64.powf(-12.0 * draws.unit());
    let mut q = p.clone();
    let jump = p.delta.max(0.05 * p.sliding).max(1e-3 * range);
    q.sliding = (p.sliding + size * 0.5 * jump * draws.signed()).abs();
    let reach = if p.delta > 0.0 { 0.5 * p.delta.max(0.02 * range) } else { jump };
    let coarse = size * reach * draws.signed();
    let fine = coarse * (p.delta / range).min(1.0);
    q.delta = (p.delta + if index % 4 == 0 { coarse } else { fine }).abs();
    q.lattice = p.lattice + size * 0.5 * jump * draws.signed();
    let most = 0.5 * range;
    q.delta = q.delta.min(2.0 * most);
    q.sliding = q.sliding.min(most);
    if index % 4 == 1 {
        // One starting state, anywhere or near.
        let mut starts = p.starts.to_vec();
        let s = ((draws.unit() * starts.len() as f64) as usize).min(starts.len() - 1);
        let reach = if index % 8 == 1 { 1.0 } else { 0.2 };
        starts[s] = (starts[s] + reach * draws.signed()).clamp(-1.0, 1.0);
        q.starts = starts.into();
    }
    q
}
