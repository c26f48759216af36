//! Profile likelihoods: how much worse the best fit gets when one quantity is held at a value.
//!
//! ```text
//! D(θ) = (n/τ) ln(rss(θ)/rss_min),    rss(θ) = min over everything else;    95 %: D ≤ 3.84
//! ```
//!
//! (χ² with one degree of freedom.) For a path that was tried, holding a quantity that is linear in (c, a, b)
//! at θ costs (θ − θ_m)²/v_m more, exactly, with θ_m its best value and v_m its variance for unit
//! residuals. The minimum is over all paths that the sampler tried, so D is an upper bound that
//! is close where the likelihood is high. ρ and δ are held within half a grid step.

use serde::Serialize;

use crate::bearing::intervals::quantity::Quantity;
use crate::bearing::intervals::uncertainty::Spread;
use stickslip::portable;

/// Values at which a profile is taken.
const POINTS: usize = 41;
/// Half the width in standard errors.
const WIDTH: f64 = 4.0;

/// One quantity's profile.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Profile {
    /// The quantity, as it is named in the result.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Values, increasing.
    pub value: Vec<f64>,
    /// D at each; `None` where no path that was tried comes near.
    pub deviance: Vec<Option<f64>>,
}

/// D that 95 % of profiles stay below at the truth.
pub const LIMIT: f64 = 3.841_458_820_694_124;

/// The profile of a quantity; its standard error and its interval say how wide it is.
pub fn profile(
    spread: &Spread,
    quantity: &Quantity,
    stderr: f64,
    [low, high]: [f64; 2],
) -> Profile {
    let Quantity { name, unit, of } = quantity;
    let centre = of(&spread.centre.point, &spread.centre.line).0;
    // Wide enough to show both ends of the interval, however lopsided it is.
    let half = (WIDTH * stderr).max(1.2 * (centre - low)).max(1.2 * (high - centre));
    let step = 2.0 * half / (POINTS - 1) as f64;
    let mut rss = vec![f64::INFINITY; POINTS];
    let value: Vec<f64> = (0..POINTS).map(|i| centre - half + step * i as f64).collect();
    for scored in &spread.visited {
        let (best, gradient) = of(&scored.point, &scored.line);
        let variance = scored.line.variance(gradient);
        for (at, rss) in value.iter().zip(&mut rss) {
            let off = best - at;
            // A quantity of the path alone, such as ρ, has no variance given the path: it counts at the nearest
            // value.
            if variance > 0.0 {
                *rss = rss.min(scored.line.rss + off * off / variance);
            } else if off.abs() <= 0.5 * step {
                *rss = rss.min(scored.line.rss);
            }
        }
    }
    let least = spread.centre.line.rss;
    let deviance = |rss: f64| {
        (rss.is_finite() && least > 0.0)
            // Another path may lie a little below the centre, which is in the middle of its cell.
            .then(|| spread.effective * portable::log(rss / least).max(0.0))
    };
    Profile { name, unit, value, deviance: rss.into_iter().map(deviance).collect() }
}
