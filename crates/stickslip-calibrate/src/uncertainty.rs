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
//! moments: exp(−½ (n/τ) ln(rss/rss_min)) is averaged over that space by adaptive importance sampling,
//! and a parameter's variance is the spread of its conditional means plus the mean of its conditional
//! variances. It includes the width of the best cell, which is all that is left when noise is low.
//! The starting states are held at their best values.

use crate::draw::Draws;
use crate::linear::Linear;
use crate::point::{Point, Scored, score};
use crate::prepared::Track;

/// Rounds of adaptation, and points in each.
const ROUNDS: usize = 6;
const ROUND: usize = 128;
/// Points of the last round, which is the one that counts.
const LAST: usize = 512;
/// Widening of the proposal over the sampled spread.
const WIDER: f64 = 1.5;
/// Two points whose log-likelihoods differ less than this are in the same cell.
const SAME: f64 = 0.01;

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

/// A weighted draw from the likelihood.
pub struct Draw {
    /// The point and its line.
    pub scored: Scored,
    /// Its weight; they sum to 1.
    pub weight: f64,
}

/// The likelihood around a minimum.
pub struct Spread {
    /// The minimum, moved to the middle of its cell.
    pub centre: Scored,
    /// Draws.
    pub draws: Vec<Draw>,
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
        for Draw { scored, weight } in &self.draws {
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
    let [_, mean_z] = track.record.first_moments().map(|s| s / n);
    let floor = 1e-14 * (track.record.second_moments()[2] - n * mean_z * mean_z);
    let evidence = |s: &Scored, best: &Scored| {
        0.5 * effective * ((s.line.rss + floor) / (best.line.rss + floor)).ln()
    };
    let at = |y: Vector, like: &Point| Point {
        sliding: y[0].abs(),
        delta: y[1].abs(),
        lattice: y[2],
        starts: like.starts.clone(),
    };

    // A first spread from points at all distances.
    let mut best = best;
    let jump = best.point.delta.max(0.05 * best.point.sliding);
    let scattered = (0..2 * ROUND).map(|_| {
        let size = jump * 2f64.powf(-16.0 * draws.unit());
        let y = coordinates(&best.point);
        at(
            [0, 1, 2].map(|i| y[i] + size * draws.signed() * if i == 1 { 0.2 } else { 1.0 }),
            &best.point,
        )
    });
    let cloud = score(track, scattered.collect());
    let mut evaluations = cloud.len();
    for s in &cloud {
        if s.line.rss < best.line.rss {
            best = s.clone();
        }
    }
    let near: Vec<(Vector, f64)> = cloud
        .iter()
        .filter(|s| evidence(s, &best) < 5.0)
        .map(|s| (coordinates(&s.point), 1.0))
        .collect();
    let mut middle = coordinates(&best.point);
    let mut factor = cholesky(covariance(&near, middle), 1e-7 * jump);

    let mut last: Vec<Draw> = Vec::new();
    for round in 0..=ROUNDS {
        let count = if round == ROUNDS { LAST } else { ROUND };
        let mut densities = Vec::with_capacity(count);
        let mut points = Vec::with_capacity(count);
        for _ in 0..count {
            let e = [draws.normal(), draws.normal(), draws.normal()];
            let y = [0, 1, 2]
                .map(|i| middle[i] + WIDER * (0..=i).map(|j| factor[i][j] * e[j]).sum::<f64>());
            densities.push(-0.5 * e.iter().map(|e| e * e).sum::<f64>());
            points.push(at(y, &best.point));
        }
        let scored = score(track, points);
        evaluations += scored.len();
        for s in &scored {
            if s.line.rss < best.line.rss {
                best = s.clone();
            }
        }
        let raw: Vec<f64> =
            scored.iter().zip(&densities).map(|(s, d)| (-evidence(s, &best) - d).exp()).collect();
        let total: f64 = raw.iter().sum();
        let effective_draws = total * total / raw.iter().map(|w| w * w).sum::<f64>();
        if !(total > 0.0 && effective_draws > 12.0) {
            // The proposal misses the likelihood: come back to the best point, more narrowly.
            middle = coordinates(&best.point);
            factor = factor.map(|row| row.map(|f| 0.4 * f));
            continue;
        }
        let weighted = scored.iter().zip(&raw).map(|(s, w)| (coordinates(&s.point), w / total));
        let weighted: Vec<(Vector, f64)> = weighted.collect();
        middle = [0, 1, 2].map(|i| weighted.iter().map(|(y, w)| w * y[i]).sum());
        factor = cholesky(covariance(&weighted, middle), 1e-9 * jump);
        last = scored
            .into_iter()
            .zip(raw)
            .map(|(scored, w)| Draw { scored, weight: w / total })
            .collect();
    }

    // Cells are convex, so the mean of the draws in the best one lies in it.
    let inside: Vec<(Vector, f64)> = last
        .iter()
        .filter(|d| evidence(&d.scored, &best).abs() < SAME)
        .map(|d| (coordinates(&d.scored.point), 1.0))
        .collect();
    if !inside.is_empty() {
        let share = 1.0 / inside.len() as f64;
        let mean = [0, 1, 2].map(|i| share * inside.iter().map(|(y, _)| y[i]).sum::<f64>());
        for s in score(track, vec![at(mean, &best.point)]) {
            evaluations += 1;
            if evidence(&s, &best) < SAME {
                best = s;
            }
        }
    }
    let freedom = (effective - 6.0).max(1.0) / effective;
    Spread { variance: best.line.rss / n / freedom * tau, centre: best, draws: last, evaluations }
}

fn covariance(points: &[(Vector, f64)], about: Vector) -> [Vector; 3] {
    let total: f64 = points.iter().map(|p| p.1).sum::<f64>().max(f64::MIN_POSITIVE);
    let entry = |i: usize, j: usize| {
        points.iter().map(|(y, w)| w * (y[i] - about[i]) * (y[j] - about[j])).sum::<f64>() / total
    };
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j)))
}

/// Lower triangular L with L Lᵀ = m, each diagonal element at least `least`.
fn cholesky(m: [Vector; 3], least: f64) -> [Vector; 3] {
    let mut l = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..=i {
            let rest = m[i][j] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>();
            l[i][j] = if i == j { rest.max(0.0).sqrt().max(least) } else { rest / l[j][j] };
        }
    }
    l
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn autocorrelation_time_of_an_autoregression() {
        let mut draws = Draws::new(5, 0);
        let white: Vec<f64> = (0..20_000).map(|_| draws.normal()).collect();
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

    #[test]
    fn factor_of_a_covariance() {
        let m = [[4.0, 2.0, 0.6], [2.0, 5.0, 1.0], [0.6, 1.0, 3.0]];
        let l = cholesky(m, 0.0);
        for i in 0..3 {
            for j in 0..3 {
                let product: f64 = (0..3).map(|k| l[i][k] * l[j][k]).sum();
                assert!((product - m[i][j]).abs() < 1e-14);
            }
        }
    }
}
