//! How sure the fit is.
//!
//! # Autocorrelated residuals
//!
//! n residuals that resemble their neighbours carry less than n residuals' worth of evidence. With
//! r_k their autocorrelation at lag k, summed up to the first lag where it drops into the noise
//! (r_k < 2/√n), τ = 1 + 2 Σ r_k of them count as one: squared errors are multiplied, and
//! log-likelihoods divided, by τ. White residuals give τ = 1.
//!
//! # The staircase
//!
//! The linear part has the usual covariance. In (ρ_d, δ, lattice, starting states) the error is constant on cells and
//! jumps between them, so it has no curvature to invert. The likelihood with a flat prior does have
//! quantiles: exp(−½ (n/τ) ln(rss/rss_min)) is sampled by an ensemble of walkers with stretch moves (Goodman,
//! Weare 2010), which do not care how elongated a cell is, alternating with moves of the starting states. At first the
//! likelihood is flattened (tempered), so that walkers spread over neighbouring cells before they settle.
//! A parameter's draws are those of the path plus those of the linear part given the path; its standard error and 95 %
//! interval are their spread and their quantiles. They include the width of the best cell, which is all that is left when noise is low.

use stickslip::lanes::LANES;

use crate::draw::Draws;
use crate::linear::Linear;
use crate::point::{Point, Scored, better, score, seen};
use crate::prepared::Track;

/// Walkers, in two halves that fill the lanes.
const WALKERS: usize = 4 * LANES;
const HALF: usize = WALKERS / 2;
/// Sweeps over all walkers: tempered, settling, kept.
const SWEEPS: [usize; 3] = [20, 16, 44];
/// The first tempered sweep sees this share of the log-likelihood.
const FLATTEST: f64 = 0.05;
/// Largest stretch.
const STRETCH: f64 = 2.0;
/// Two points whose log-likelihoods differ less than this are in the same cell.
const SAME: f64 = 0.01;
/// Walkers start within this of the best log-likelihood.
const START: f64 = 5.0;
/// Points within this of the best log-likelihood are remembered for the profiles.
const REMEMBERED: f64 = 15.0;

/// Autocorrelation time of the residuals, in samples: τ ≥ 1. Each part is a stretch of consecutive
/// samples, NaN where one is missing.
pub fn autocorrelation_time(parts: &[Vec<f64>]) -> f64 {
    let present = || parts.iter().flatten().filter(|r| !r.is_nan());
    let n = present().count() as f64;
    let square = present().map(|r| r * r).sum::<f64>() / n;
    if square <= 0.0 {
        return 1.0;
    }
    let mut tau = 1.0;
    for lag in 1..=(n / 10.0) as usize {
        let (mut sum, mut count) = (0.0, 0.0f64);
        for part in parts.iter().filter(|p| p.len() > lag) {
            for (a, b) in part.iter().zip(&part[lag..]) {
                let product = a * b;
                if !product.is_nan() {
                    sum += product;
                    count += 1.0;
                }
            }
        }
        let r = sum / count.max(1.0) / square;
        if r.is_nan() || r < 2.0 / n.sqrt() {
            break;
        }
        tau += 2.0 * r;
    }
    tau
}

/// The likelihood around a minimum.
pub struct Spread {
    /// The minimum, moved to the middle of its cell.
    pub centre: Scored,
    /// Draws from the likelihood, equally weighted.
    pub draws: Vec<Scored>,
    /// All points that were tried and are not far below the best.
    pub visited: Vec<Scored>,
    /// Variance of a residual times τ.
    pub variance: f64,
    /// n/τ.
    pub effective: f64,
    /// Paths tried.
    pub evaluations: usize,
}

impl Spread {
    /// Standard error and 95 % interval of a quantity, from its value and its gradient in (c, a, b)
    /// at a point.
    pub fn of(&self, of: impl Fn(&Point, &Linear) -> (f64, [f64; 3])) -> (f64, [f64; 2]) {
        let mut draws = Draws::new(0x51, 7);
        let mut values: Vec<f64> = self
            .draws
            .iter()
            .map(|scored| {
                let (value, gradient) = of(&scored.point, &scored.line);
                value + (scored.line.variance(gradient) * self.variance).sqrt() * draws.normal()
            })
            .collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
        values.sort_unstable_by(f64::total_cmp);
        (square.sqrt(), [quantile(&values, 0.025), quantile(&values, 0.975)])
    }
}

/// The `p`-quantile of sorted values, linear between them; NaN if there are none.
pub fn quantile(sorted: &[f64], p: f64) -> f64 {
    let at = p * sorted.len().saturating_sub(1) as f64;
    let (low, share) = (at.floor() as usize, at.fract());
    match (sorted.get(low), sorted.get(low + 1)) {
        (Some(a), Some(b)) => a + share * (b - a),
        (Some(a), None) => *a,
        _ => f64::NAN,
    }
}

type Vector = [f64; 3];

fn coordinates(p: &Point) -> Vector {
    [p.sliding, p.delta, p.lattice]
}

/// A point at other coordinates, with the starting states of `like`.
fn moved(track: &Track, y: Vector, like: &Point) -> Point {
    let delta = seen(y[1].abs(), track);
    Point { sliding: y[0].abs(), delta, lattice: y[2], starts: like.starts.clone() }
}

/// Another starting state for one stretch, near or far: a symmetric move, reflected at ±1.
fn restarted(p: &Point, draws: &mut Draws) -> Point {
    let mut starts = p.starts.to_vec();
    let s = ((draws.unit() * starts.len() as f64) as usize).min(starts.len() - 1);
    let reach = 2f64.powf(1.0 - 9.0 * draws.unit());
    let u = starts[s] + reach * draws.signed();
    starts[s] = if u > 1.0 { 2.0 - u } else if u < -1.0 { -2.0 - u } else { u };
    Point { starts: starts.into(), ..p.clone() }
}

/// Explores the likelihood around `best`; `tau` is the residuals' autocorrelation time.
pub fn explore(track: &Track, best: Scored, tau: f64, seed: u64) -> Spread {
    let mut draws = Draws::new(seed, u64::MAX);
    let n = track.record.weight();
    let effective = n / tau;
    let evidence = |s: &Scored, best: &Scored| {
        0.5 * effective * ((s.line.rss + track.floor) / (best.line.rss + track.floor)).ln()
    };
    let mut best = best;
    let mut visited = scatter(track, &best.point, &mut draws);
    let mut evaluations = visited.len();
    best = visited.iter().cloned().fold(best, better);
    let good = visited.iter().filter(|s| evidence(s, &best) < START);
    let fill = visited.iter().rev().take(WALKERS);
    let mut walkers: Vec<Scored> = good.chain(fill).take(WALKERS).cloned().collect();

    let [tempered, settling, keeping] = SWEEPS;
    let mut kept = Vec::with_capacity(WALKERS * keeping);
    for sweep in 0..tempered + settling + keeping {
        let share = (sweep as f64 / tempered as f64).min(1.0);
        let power = FLATTEST.powf(1.0 - share);
        for half in [0, HALF] {
            let others = HALF - half;
            let mut factors = [1.0; HALF];
            let mut points = Vec::with_capacity(HALF);
            for (l, factor) in factors.iter_mut().enumerate() {
                let own = &walkers[half + l].point;
                if sweep % 3 == 2 {
                    points.push(restarted(own, &mut draws));
                    continue;
                }
                let root = 1.0 + (STRETCH - 1.0) * draws.unit();
                let stretch = root * root / STRETCH;
                *factor = stretch * stretch;
                let other = others + (draws.unit() * HALF as f64) as usize;
                let (y, z) = (coordinates(own), coordinates(&walkers[other].point));
                points.push(moved(track, [0, 1, 2].map(|i| z[i] + stretch * (y[i] - z[i])), own));
            }
            for (l, s) in score(track, points).into_iter().enumerate() {
                let old = &walkers[half + l];
                let gain = power * (evidence(old, &best) - evidence(&s, &best));
                if draws.unit() < factors[l] * gain.exp() {
                    walkers[half + l] = s.clone();
                }
                best = better(best, s.clone());
                if evidence(&s, &best) < REMEMBERED {
                    visited.push(s);
                }
            }
            evaluations += HALF;
        }
        if sweep >= tempered + settling {
            kept.extend(walkers.iter().cloned());
        }
    }
    let centre = middle(track, &kept, best, evidence);
    visited.push(centre.clone());
    visited.retain(|s| evidence(s, &centre) < REMEMBERED);
    let freedom = (effective - 6.0).max(1.0) / effective;
    let variance = centre.line.rss / n / freedom * tau;
    Spread { variance, effective, centre, draws: kept, visited, evaluations: evaluations + 1 }
}

/// Points around `home` at distances from a jump down to 2⁻¹⁶ of one, the nearest last.
fn scatter(track: &Track, home: &Point, draws: &mut Draws) -> Vec<Scored> {
    let jump = home.delta.max(0.05 * home.sliding);
    let cloud = (0..6 * WALKERS).map(|i| {
        let least = if i < 5 * WALKERS { 0.0 } else { 1.0 };
        let size = jump * 2f64.powf(-16.0 * (least + (1.0 - least) * draws.unit()));
        let y = coordinates(home);
        let part = |i: usize| if i == 1 { 0.2 } else { 1.0 };
        moved(track, [0, 1, 2].map(|i| y[i] + size * draws.signed() * part(i)), home)
    });
    score(track, cloud.collect())
}

/// The middle of the draws in the best cell: cells are convex, so it lies in the cell.
fn middle(
    track: &Track,
    kept: &[Scored],
    best: Scored,
    evidence: impl Fn(&Scored, &Scored) -> f64,
) -> Scored {
    let same = |s: &&Scored| evidence(s, &best).abs() < SAME;
    let inside: Vec<&Point> = kept.iter().filter(same).map(|s| &s.point).collect();
    if inside.is_empty() {
        return best;
    }
    let share = 1.0 / inside.len() as f64;
    let mean =
        [0, 1, 2].map(|i| share * inside.iter().map(|p| coordinates(p)[i]).sum::<f64>());
    let found = score(track, vec![moved(track, mean, &best.point)]);
    found.into_iter().find(|s| evidence(s, &best) < SAME).unwrap_or(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn autocorrelation_time_of_an_autoregression() {
        let mut draws = Draws::new(5, 0);
        let white: Vec<f64> = (0..20_000).map(|_| draws.signed()).collect();
        assert!(autocorrelation_time(std::slice::from_ref(&white)) < 1.1);
        let (mut state, phi) = (0.0, 0.8);
        let coloured: Vec<f64> = white
            .iter()
            .map(|e| {
                state = phi * state + e;
                state
            })
            .collect();
        // τ = (1 + φ)/(1 − φ) = 9.
        assert!((autocorrelation_time(&[coloured]) - 9.0).abs() < 1.5);
    }
}
