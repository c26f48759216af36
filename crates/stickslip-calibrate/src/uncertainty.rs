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
//! The linear part has the usual covariance. In (ρ_d, δ, lattice, starting states) the error is constant on cells
//! (`cell`) and jumps between them, so it has no curvature to invert. The likelihood with a flat prior does have
//! quantiles: `explore` draws from exp(−½ (n/τ) ln(rss/rss_min)). A parameter's draws are those of the path plus those of
//! the linear part given the path; its standard error and 95 % interval are their spread and their quantiles. They include
//! the width of the best cell, which is all that is left when noise is low.

use std::sync::OnceLock;
use stickslip::study::correlation;

use crate::linear::Linear;
use crate::parallel;
use crate::point::{Point, Scored};
use crate::random::Draws;
use crate::stats::{mean, median, sd, unsorted_quantile};

/// Normal deviates that are kept for all quantities.
const KEPT: usize = 4096;

/// Lags whose sums are taken in one pass, side by side.
const SIDE_BY_SIDE: usize = 8;

/// Lags whose sums are taken so; further ones by Fourier transforms.
const ONE_BY_ONE: usize = 64;

/// Σ of the products of values so many rows apart, and their number, for the lags from `first` on. Every sum is that of a pass
/// of its own, in the same order.
fn products<P: AsRef<[f64]>>(
    parts: &[P],
    first: usize,
) -> ([f64; SIDE_BY_SIDE], [f64; SIDE_BY_SIDE]) {
    let (mut sums, mut counts) = ([0.0; SIDE_BY_SIDE], [0.0; SIDE_BY_SIDE]);
    let mut add = |l: usize, product: f64| {
        let there = !product.is_nan();
        sums[l] += if there { product } else { 0.0 };
        counts[l] += f64::from(u8::from(there));
    };
    for part in parts.iter().map(AsRef::as_ref).filter(|p| p.len() > first) {
        let all = part.len().saturating_sub(first + SIDE_BY_SIDE - 1);
        for (a, others) in part[..all].iter().zip(part[first..].windows(SIDE_BY_SIDE)) {
            for (l, b) in others.iter().enumerate() {
                add(l, a * b);
            }
        }
        for (i, a) in part.iter().enumerate().skip(all) {
            for (l, b) in part.iter().skip(i + first).take(SIDE_BY_SIDE).enumerate() {
                add(l, a * b);
            }
        }
    }
    (sums, counts)
}

/// Autocorrelation time of the residuals, in samples: τ ≥ 1. Each part is a stretch of consecutive
/// samples, NaN where one is missing.
pub fn autocorrelation_time<P: AsRef<[f64]>>(parts: &[P]) -> f64 {
    let present = || parts.iter().flat_map(AsRef::as_ref).filter(|r| !r.is_nan());
    let n = present().count() as f64;
    let square = present().map(|r| r * r).sum::<f64>() / n;
    if square <= 0.0 {
        return 1.0;
    }
    let most = (n / 10.0) as usize;
    let mut tau = 1.0;
    // Adds one lag; whether it was the last that says something.
    let ends = |tau: &mut f64, product: f64, pairs: f64| {
        let r = product / pairs.max(1.0) / square;
        let ends = r.is_nan() || r < 2.0 / n.sqrt();
        *tau += if ends { 0.0 } else { 2.0 * r };
        ends
    };
    for first in (1..=most.min(ONE_BY_ONE)).step_by(SIDE_BY_SIDE) {
        let (sums, pairs) = products(parts, first);
        let mut lags = 0..SIDE_BY_SIDE.min(most + 1 - first);
        if lags.any(|l| ends(&mut tau, sums[l], pairs[l])) {
            return tau;
        }
    }
    let parts: Vec<&[f64]> = parts.iter().map(AsRef::as_ref).collect();
    let mut known = ONE_BY_ONE;
    while known < most {
        let lags = most.min(16 * known);
        let (sums, pairs) = correlation::sums(&parts, lags, square.sqrt());
        if (known + 1..=lags).any(|l| ends(&mut tau, sums[l], pairs[l])) {
            break;
        }
        known = lags;
    }
    tau
}

/// Whether residuals do not resemble their neighbours: the sums of their first 4, 16 and 64 autocorrelations
/// lie within four standard errors √(m/n) of nothing. A path with wrong jumps leaves residuals that keep their
/// sign from one slip to the next, and a small one many times.
pub fn white<P: AsRef<[f64]> + Sync>(parts: &[P]) -> bool {
    let present = || parts.iter().flat_map(AsRef::as_ref).filter(|r| !r.is_nan());
    let n = present().count() as f64;
    let square = present().map(|r| r * r).sum::<f64>() / n;
    let mut sum = 0.0;
    // The first lags alone: most of what is not white shows there.
    for lags in [1..9, 9..17, 17..65] {
        let passes: Vec<usize> = lags.step_by(SIDE_BY_SIDE).collect();
        let found = parallel::map(passes, |first| (first, products(parts, first)));
        for (first, (products, counts)) in found {
            for l in 0..SIDE_BY_SIDE {
                let lag = first + l;
                sum += products[l] / counts[l].max(1.0) / square;
                if matches!(lag, 4 | 16 | 64) && sum > 4.0 * (lag as f64 / n).sqrt() {
                    return false;
                }
            }
        }
    }
    true
}

/// The likelihood of the slips' instants.
pub struct Timed {
    /// Draws, equally weighted.
    pub draws: Vec<Scored>,
    /// Variance of a residual about the rests that the response shows, times its autocorrelation time.
    pub variance: f64,
    /// Whether it stands alone: slips at the wrong time are what least squares cannot describe.
    pub alone: bool,
}

/// The likelihood around a minimum.
pub struct Spread {
    /// The minimum, moved to the middle of its cell.
    pub centre: Scored,
    /// Draws from the likelihood, equally weighted.
    pub draws: Vec<Scored>,
    /// All points that were tried and are not far below the best.
    pub visited: Vec<Scored>,
    /// The likelihood of the slips' instants, which allows for noise of the drive.
    pub timed: Option<Timed>,
    /// Paths fitted to records that are made up with the errors that the likelihood does not know.
    pub replicas: Option<Vec<Scored>>,
    /// τ.
    pub tau: f64,
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
        let [mut low, mut high] = match &self.timed {
            Some(timed) if timed.alone => quantiles(&timed.draws, timed.variance, &of),
            _ => quantiles(&self.draws, self.variance, &of),
        };
        if let Some(timed) = self.timed.as_ref().filter(|t| !t.alone) {
            // Least squares knows nothing of noise of the drive: whichever reaches further.
            let [least, most] = quantiles(&timed.draws, self.variance, &of);
            (low, high) = (low.min(least), high.max(most));
        }
        if let Some((scatter, bias)) = self.scatter(&of) {
            // The likelihood knows nothing of noise of the drive and of rounding: whichever reaches further.
            let middle = self.value(&of) - bias;
            (low, high) = (low.min(middle - 1.96 * scatter), high.max(middle + 1.96 * scatter));
        }
        // Of the interval, not of the draws: one draw from a far cell must not make it.
        ((high - low) / (2.0 * 1.96), [low, high])
    }

    /// The value of a quantity: at the least error, or in the middle of what the instants of the slips say.
    pub fn value(&self, of: impl Fn(&Point, &Linear) -> (f64, [f64; 3])) -> f64 {
        match &self.timed {
            Some(timed) if timed.alone => {
                median(&mut timed.draws.iter().map(|s| of(&s.point, &s.line).0).collect::<Vec<_>>())
            }
            _ => of(&self.centre.point, &self.centre.line).0,
        }
    }

    /// Standard deviation and bias of a quantity over the made-up records.
    fn scatter(&self, of: &impl Fn(&Point, &Linear) -> (f64, [f64; 3])) -> Option<(f64, f64)> {
        let replicas = self.replicas.as_ref().filter(|r| r.len() > 3)?;
        let values: Vec<f64> = replicas.iter().map(|s| of(&s.point, &s.line).0).collect();
        let bias = mean(&values) - of(&self.centre.point, &self.centre.line).0;
        // So few records are allowed for as Student's law does: √(ν/(ν − 2)).
        let freedom = values.len() as f64 - 1.0;
        let memory = self.tau.max(1.0).sqrt();
        Some((sd(&values) * (freedom / (freedom - 2.0)).sqrt() * memory, bias))
    }
}

/// The 2.5 % and 97.5 % quantiles of a quantity over draws of the path, with its part from the line given the path.
fn quantiles(
    paths: &[Scored],
    variance: f64,
    of: &impl Fn(&Point, &Linear) -> (f64, [f64; 3]),
) -> [f64; 2] {
    // The same for every quantity.
    static NORMALS: OnceLock<(Vec<f64>, Draws)> = OnceLock::new();
    let (normals, further) = NORMALS.get_or_init(|| {
        let mut draws = Draws::new(0x51, 7);
        ((0..KEPT).map(|_| draws.normal()).collect(), draws)
    });
    let mut further = further.clone();
    let mut values: Vec<f64> = paths
        .iter()
        .enumerate()
        .map(|(i, scored)| {
            let (value, gradient) = of(&scored.point, &scored.line);
            let variance = scored.line.variance(gradient) * variance;
            value + variance.sqrt() * normals.get(i).copied().unwrap_or_else(|| further.normal())
        })
        .collect();
    [0.025, 0.975].map(|p| unsorted_quantile(&mut values, p))
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

    /// Far beyond the lags that are summed one by one: against their sums, with a gap and a second part.
    #[test]
    fn autocorrelation_time_of_a_long_memory() {
        let mut draws = Draws::new(6, 0);
        for phi in [0.97, 0.995, 0.9995] {
            let mut state = 0.0;
            let mut part = |n: usize| -> Vec<f64> {
                (0..n)
                    .map(|i| {
                        state = phi * state + draws.normal();
                        if (700..720).contains(&i) { f64::NAN } else { 1e-4 * state }
                    })
                    .collect()
            };
            let parts = [part(11_000), part(300), part(3000)];
            let there = || parts.iter().flatten().filter(|v| !v.is_nan());
            let n = there().count() as f64;
            let square = there().map(|v| v * v).sum::<f64>() / n;
            let mut tau = 1.0;
            for l in 1..=(n / 10.0) as usize {
                let pairs = || parts.iter().flat_map(|p| p.iter().zip(p.iter().skip(l)));
                let products: Vec<f64> =
                    pairs().map(|(a, b)| a * b).filter(|v| !v.is_nan()).collect();
                let r = products.iter().sum::<f64>() / products.len() as f64 / square;
                if r < 2.0 / n.sqrt() {
                    break;
                }
                tau += 2.0 * r;
            }
            assert!(tau > 30.0, "a memory of {tau}");
            let found = autocorrelation_time(&parts);
            assert!((found - tau).abs() < 1e-9 * tau, "{found} for {tau}");
        }
    }
}
