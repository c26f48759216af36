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
const SWEEPS: [usize; 3] = [40, 24, 40];
/// Points scattered before the first sweep.
const CLOUD: usize = 20 * WALKERS;
/// So many of them should count at first.
const ENOUGH: f64 = 24.0;
/// Largest stretch.
const STRETCH: f64 = 2.0;
/// Two points whose log-likelihoods differ less than this are in the same cell.
const SAME: f64 = 0.01;
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
    /// Standard error (the interval's width over that of a normal law) and 95 % interval of a quantity, from its value and its gradient in (c, a, b)
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
        values.sort_unstable_by(f64::total_cmp);
        let [low, high] = [quantile(&values, 0.025), quantile(&values, 0.975)];
        // Of the interval, not of the draws: one draw from a far cell must not make it.
        ((high - low) / (2.0 * 1.96), [low, high])
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
    starts[s] = if u > 1.0 {
        2.0 - u
    } else if u < -1.0 {
        -2.0 - u
    } else {
        u
    };
    Point { starts: starts.into(), ..p.clone() }
}

/// How far a point's log-likelihood is below the best's: ½ (n/τ) ln(rss/rss_best).
fn evidence(track: &Track, effective: f64, s: &Scored, best: &Scored) -> f64 {
    0.5 * effective * ((s.line.rss + track.floor) / (best.line.rss + track.floor)).ln()
}

/// Explores the likelihood around the best of some minima; `tau` is the residuals' autocorrelation
/// time.
pub fn explore(track: &Track, minima: &[Scored], tau: f64, seed: u64) -> Spread {
    let mut draws = Draws::new(seed, u64::MAX);
    let n = track.record.weight();
    let effective = n / tau;
    let bad = |s: &Scored, best: &Scored| evidence(track, effective, s, best);
    let (mut walkers, mut visited, mut best, first) = begin(track, minima, effective, &mut draws);
    let mut evaluations = visited.len();
    let jump = best.point.delta.max(0.05 * best.point.sliding);
    let [tempered, settling, keeping] = SWEEPS;
    let mut kept = Vec::with_capacity(WALKERS * keeping);
    for sweep in 0..tempered + settling + keeping {
        let share = (sweep as f64 / tempered as f64).min(1.0);
        let power = first.powf(1.0 - share);
        if sweep == tempered {
            rescue(&mut walkers, &mut draws, |s| bad(s, &best));
        }
        for half in [0, HALF] {
            let mut factors = [1.0; HALF];
            let mut points = Vec::with_capacity(HALF);
            for (l, factor) in factors.iter_mut().enumerate() {
                let own = &walkers[half + l].point;
                let mut other = || {
                    let other = HALF - half + (draws.unit() * HALF as f64) as usize;
                    coordinates(&walkers[other].point)
                };
                let (z, w) = (other(), other());
                let y = coordinates(own);
                points.push(match (sweep + l) % 5 {
                    0 => restarted(own, &mut draws),
                    1 => {
                        let by = 0.3 + 0.7 * draws.unit();
                        moved(track, [0, 1, 2].map(|i| y[i] + by * (z[i] - w[i])), own)
                    }
                    // Stretches keep an ensemble in the plane that it lies in; these do not.
                    2 => {
                        let size = jump * 2f64.powf(-16.0 * draws.unit());
                        moved(track, y.map(|y| y + size * draws.normal()), own)
                    }
                    _ => {
                        let root = 1.0 + (STRETCH - 1.0) * draws.unit();
                        let stretch = root * root / STRETCH;
                        *factor = stretch * stretch;
                        moved(track, [0, 1, 2].map(|i| z[i] + stretch * (y[i] - z[i])), own)
                    }
                });
            }
            for (l, s) in score(track, points).into_iter().enumerate() {
                let old = &walkers[half + l];
                let gain = power * (bad(old, &best) - bad(&s, &best));
                if draws.unit() < factors[l] * gain.exp() {
                    walkers[half + l] = s.clone();
                }
                best = better(best, s.clone());
                if bad(&s, &best) < REMEMBERED {
                    visited.push(s);
                }
            }
            evaluations += HALF;
        }
        if sweep >= tempered + settling {
            kept.extend(walkers.iter().cloned());
        }
    }
    let centre = middle(track, &kept, best, bad);
    visited.push(centre.clone());
    visited.retain(|s| bad(s, &centre) < REMEMBERED);
    let freedom = (effective - 6.0).max(1.0) / effective;
    let variance = centre.line.rss / n / freedom * tau;
    Spread { variance, effective, centre, draws: kept, visited, evaluations: evaluations + 1 }
}

/// Walkers that tempering left behind, where the likelihood has nothing, start again from others.
fn rescue(walkers: &mut [Scored], draws: &mut Draws, bad: impl Fn(&Scored) -> f64) {
    let good: Vec<Scored> = walkers.iter().filter(|s| bad(s) < REMEMBERED).cloned().collect();
    if good.is_empty() {
        return;
    }
    for walker in walkers.iter_mut().filter(|s| bad(s) >= REMEMBERED) {
        *walker = good[(draws.unit() * good.len() as f64) as usize].clone();
    }
}

/// Walkers spread over everything that a flattened likelihood cannot tell from the best; all points
/// that were tried; the best of them; the share of the log-likelihood to begin with.
///
/// Points are scattered around the minima at distances from a jump down to 2⁻¹⁴ of one, evenly in the
/// logarithm, so each stands for a volume like the cube of its distance. The share is chosen so that
/// about as many points count as there are walkers.
fn begin(
    track: &Track,
    minima: &[Scored],
    effective: f64,
    draws: &mut Draws,
) -> (Vec<Scored>, Vec<Scored>, Scored, f64) {
    let mut volumes = Vec::with_capacity(CLOUD);
    let cloud = (0..CLOUD).map(|i| {
        let home = &minima[i % minima.len()].point;
        let halvings = 14.0 * draws.unit();
        volumes.push(-3.0 * halvings * 2f64.ln());
        let size = home.delta.max(0.05 * home.sliding) * 2f64.powf(-halvings);
        let y = coordinates(home);
        let part = |i: usize| if i == 1 { 0.2 } else { 1.0 };
        moved(track, [0, 1, 2].map(|i| y[i] + size * draws.signed() * part(i)), home)
    });
    let cloud: Vec<Point> = cloud.collect();
    let tried = score(track, cloud);
    let best = minima.iter().chain(&tried).cloned().reduce(better);
    let best = best.unwrap_or_else(|| tried[0].clone());
    let bad: Vec<f64> = tried.iter().map(|s| evidence(track, effective, s, &best)).collect();
    let weights = |power: f64| -> Vec<f64> {
        let logs = bad.iter().zip(&volumes).map(|(e, v)| v - power * e);
        let logs: Vec<f64> = logs.collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        logs.iter().map(|l| (l - most).exp()).collect()
    };
    let counting = |w: &[f64]| {
        let (sum, square) = w.iter().fold((0.0, 0.0), |(a, b), w| (a + w, b + w * w));
        sum * sum / square
    };
    // The most of the likelihood that still leaves enough points: bisection in the logarithm.
    let (mut low, mut high) = (1e-6f64.ln(), 0.0);
    for _ in 0..24 {
        let middle = 0.5 * (low + high);
        if counting(&weights(f64::exp(middle))) > ENOUGH { low = middle } else { high = middle }
    }
    let power = f64::exp(low);
    // Systematic resampling.
    let weights = weights(power);
    let step = weights.iter().sum::<f64>() / WALKERS as f64;
    let (mut at, mut sum, mut walkers) = (step * draws.unit(), 0.0, Vec::with_capacity(WALKERS));
    for (s, w) in tried.iter().zip(&weights) {
        sum += w;
        while at < sum && walkers.len() < WALKERS {
            walkers.push(s.clone());
            at += step;
        }
    }
    while walkers.len() < WALKERS {
        walkers.push(best.clone());
    }
    // Neighbours in the list come from the same minimum: deal them out to both halves.
    let (even, odd): (Vec<_>, Vec<_>) =
        walkers.into_iter().enumerate().partition(|(i, _)| i % 2 == 0);
    let walkers = even.into_iter().chain(odd).map(|(_, s)| s).collect();
    (walkers, tried, best, power)
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
    let mean = [0, 1, 2].map(|i| share * inside.iter().map(|p| coordinates(p)[i]).sum::<f64>());
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
