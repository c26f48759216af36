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
//! The linear part has the usual covariance. In (ρ_d, δ, lattice) the error is constant on cells and
//! jumps between them, so it has no curvature to invert. The likelihood with a flat prior does have
//! moments: exp(−½ (n/τ) ln(rss/rss_min)) is sampled by an ensemble of walkers with stretch moves (Goodman,
//! Weare 2010), which do not care how elongated a cell is, and a parameter's variance is the spread of
//! its conditional means plus the mean of its conditional variances. It includes the width of the best cell, which is all that is left when noise is low.
//! The starting states are held at their best values.

use stickslip::lanes::LANES;

use crate::draw::Draws;
use crate::linear::Linear;
use crate::point::{Point, Scored, better, score, seen};
use crate::prepared::Track;

/// Walkers, in two halves that fill the lanes.
const WALKERS: usize = 2 * LANES;
/// Sweeps over all walkers before, and while, draws are kept.
const SWEEPS: [usize; 2] = [36, 44];
/// Largest stretch.
const STRETCH: f64 = 2.0;
/// Two points whose log-likelihoods differ less than this are in the same cell.
const SAME: f64 = 0.01;
/// Walkers start within this of the best log-likelihood.
const START: f64 = 5.0;

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
    /// Variance of a residual times τ.
    pub variance: f64,
    /// Paths tried.
    pub evaluations: usize,
}

impl Spread {
    /// Standard error of a quantity, from its value and its gradient in (c, a, b) at a point.
    pub fn stderr(&self, of: impl Fn(&Point, &Linear) -> (f64, [f64; 3])) -> f64 {
        let (mut mean, mut square, mut conditional) = (0.0, 0.0, 0.0);
        let at = of(&self.centre.point, &self.centre.line).0;
        let weight = 1.0 / self.draws.len() as f64;
        for scored in &self.draws {
            let (value, gradient) = of(&scored.point, &scored.line);
            mean += weight * (value - at);
            square += weight * (value - at) * (value - at);
            conditional += weight * scored.line.variance(gradient) * self.variance;
        }
        ((square - mean * mean).max(0.0) + conditional).sqrt()
    }
}

type Vector = [f64; 3];

fn coordinates(p: &Point) -> Vector {
    [p.sliding, p.delta, p.lattice]
}

/// Explores the likelihood around `best`; `tau` is the residuals' autocorrelation time.
pub fn explore(track: &Track, best: Scored, tau: f64, seed: u64) -> Spread {
    let mut draws = Draws::new(seed, u64::MAX);
    let n = track.record.weight();
    let effective = n / tau;
    let evidence = |s: &Scored, best: &Scored| {
        0.5 * effective * ((s.line.rss + track.floor) / (best.line.rss + track.floor)).ln()
    };
    let at = |y: Vector, like: &Point| Point {
        sliding: y[0].abs(),
        delta: seen(y[1].abs(), track),
        lattice: y[2],
        starts: like.starts.clone(),
    };

    // The walkers start at points that are as good as the best, or nearly on it.
    let mut best = best;
    let jump = best.point.delta.max(0.05 * best.point.sliding);
    let home = best.point.clone();
    let mut scatter = |least: f64| {
        let size = jump * 2f64.powf(-16.0 * (least + (1.0 - least) * draws.unit()));
        let y = coordinates(&home);
        at([0, 1, 2].map(|i| y[i] + size * draws.signed() * if i == 1 { 0.2 } else { 1.0 }), &home)
    };
    let spread = |i| if i < 5 * WALKERS { 0.0 } else { 1.0 };
    let cloud: Vec<Point> = (0..6 * WALKERS).map(|i| scatter(spread(i))).collect();
    let cloud = score(track, cloud);
    let mut evaluations = cloud.len();
    best = cloud.iter().cloned().fold(best, better);
    let good = cloud.iter().filter(|s| evidence(s, &best) < START);
    let fill = cloud.iter().rev().take(WALKERS);
    let mut walkers: Vec<Scored> = good.chain(fill).take(WALKERS).cloned().collect();

    let mut kept = Vec::with_capacity(WALKERS * SWEEPS[1]);
    for sweep in 0..SWEEPS[0] + SWEEPS[1] {
        for half in [0, 1] {
            let (own, others) = (half * LANES, (1 - half) * LANES);
            let mut stretches = [0.0; LANES];
            let mut points = Vec::with_capacity(LANES);
            for (l, stretch) in stretches.iter_mut().enumerate() {
                let root = 1.0 + (STRETCH - 1.0) * draws.unit();
                *stretch = root * root / STRETCH;
                let other = others + (draws.unit() * LANES as f64) as usize;
                let (y, z) =
                    (coordinates(&walkers[own + l].point), coordinates(&walkers[other].point));
                points.push(at([0, 1, 2].map(|i| z[i] + *stretch * (y[i] - z[i])), &home));
            }
            for (l, s) in score(track, points).into_iter().enumerate() {
                let old = &walkers[own + l];
                let odds =
                    stretches[l].powi(2) * (evidence(old, &best) - evidence(&s, &best)).exp();
                if draws.unit() < odds {
                    walkers[own + l] = s.clone();
                }
                best = better(best, s);
            }
            evaluations += LANES;
        }
        if sweep >= SWEEPS[0] {
            kept.extend(walkers.iter().cloned());
        }
    }

    // Cells are convex, so the mean of the draws in the best one lies in it.
    let inside: Vec<Vector> = kept
        .iter()
        .filter(|s| evidence(s, &best).abs() < SAME)
        .map(|s| coordinates(&s.point))
        .collect();
    if !inside.is_empty() {
        let share = 1.0 / inside.len() as f64;
        let mean = [0, 1, 2].map(|i| share * inside.iter().map(|y| y[i]).sum::<f64>());
        for s in score(track, vec![at(mean, &home)]) {
            evaluations += 1;
            if evidence(&s, &best) < SAME {
                best = s;
            }
        }
    }
    let freedom = (effective - 6.0).max(1.0) / effective;
    Spread { variance: best.line.rss / n / freedom * tau, centre: best, draws: kept, evaluations }
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
