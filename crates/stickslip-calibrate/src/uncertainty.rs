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

use crate::linear::Linear;
use crate::point::{Point, Scored};
use crate::random::Draws;
use crate::stats::{mean, median, quantile, sd};

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

/// Whether residuals do not resemble their neighbours: the sums of their first 4, 16 and 64 autocorrelations
/// lie within four standard errors √(m/n) of nothing. A path with wrong jumps leaves residuals that keep their
/// sign from one slip to the next, and a small one many times.
pub fn white(parts: &[Vec<f64>]) -> bool {
    let present = || parts.iter().flatten().filter(|r| !r.is_nan());
    let n = present().count() as f64;
    let square = present().map(|r| r * r).sum::<f64>() / n;
    let mut sum = 0.0;
    for lag in 1..=64usize {
        let (mut product, mut count) = (0.0, 0.0f64);
        for part in parts.iter().filter(|p| p.len() > lag) {
            for (a, b) in part.iter().zip(&part[lag..]) {
                if !(a * b).is_nan() {
                    product += a * b;
                    count += 1.0;
                }
            }
        }
        sum += product / count.max(1.0) / square;
        if matches!(lag, 4 | 16 | 64) && sum > 4.0 * (lag as f64 / n).sqrt() {
            return false;
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
    let mut draws = Draws::new(0x51, 7);
    let mut values: Vec<f64> = paths
        .iter()
        .map(|scored| {
            let (value, gradient) = of(&scored.point, &scored.line);
            let variance = scored.line.variance(gradient) * variance;
            value + variance.sqrt() * draws.normal()
        })
        .collect();
    values.sort_unstable_by(f64::total_cmp);
    [quantile(&values, 0.025), quantile(&values, 0.975)]
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
