//! How sure the fit is.
//!
//! Residuals that resemble their neighbours count as fewer than they are: see `statistics::memory`.
//!
//! # The staircase
//!
//! The linear part has the usual covariance. In (ρ_d, δ, lattice, starting states) the error is constant on cells
//! (`cell`) and jumps between them, so it has no curvature to invert. The likelihood with a flat prior does have
//! quantiles: `explore` draws from exp(−½ (n/τ) ln(rss/rss_min)). A parameter's draws are those of the path plus those of
//! the linear part given the path; its standard error and 95 % interval are their spread and their quantiles. They include
//! the width of the best cell, which is all that is left when noise is low.

use std::sync::OnceLock;

use crate::bearing::search::linear::Linear;
use crate::bearing::search::point::{Point, Scored};
use crate::statistics::random::Draws;
use crate::statistics::stats::{mean, median, sd, unsorted_quantile};

/// Normal deviates that are kept for all quantities.
const KEPT: usize = 4096;

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
