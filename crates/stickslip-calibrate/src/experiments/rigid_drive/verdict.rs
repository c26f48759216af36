//! Can the numbers of a drive be believed? And do its two signals share a clock?

use super::Comparison;
use crate::statistics::estimate::Estimate;
use crate::statistics::memory::autocorrelation_time;
use crate::statistics::regress::solve;
use crate::statistics::stats::square;

/// More of the force than this is not explained: then the model is wrong.
const UNEXPLAINED: f64 = 0.5;
/// A simulation that misses the position or the force by more than this share does not describe this drive.
const ASTRAY: f64 = 0.3;
/// No drive on rails is faster (m/s) or accelerates more (m/s²).
const FASTEST: f64 = 20.0;
const SHARPEST: f64 = 2000.0;
/// Samples either way in which a delay is looked for.
const LATE: isize = 60;
/// A delay that brings less of the squared residual than this is not mentioned.
const WORTH: f64 = 0.3;
/// Residuals that are alike over more rows are no noise.
const SYSTEMATIC: f64 = 2.0;

/// What the verdict looks at.
pub struct Seen<'a> {
    /// ‖residual‖/‖force‖.
    pub relative_residual: f64,
    /// m/s.
    pub velocity: &'a [f64],
    /// m/s².
    pub acceleration: &'a [f64],
    /// The record against simulations.
    pub simulations: &'a [Comparison],
    /// Of the force, s.
    pub delay: &'a Estimate,
    /// Time between samples, s.
    pub step: f64,
    /// Rows over which residuals are alike.
    pub autocorrelation: f64,
    /// What is said of something that lies between force and position.
    pub between: Option<String>,
}

impl Seen<'_> {
    /// Says what speaks against the numbers; true if nothing does.
    pub fn judge(&self, warnings: &mut Vec<String>) -> bool {
        let before = warnings.len();
        if self.relative_residual > UNEXPLAINED {
            warnings.push(format!(
                "the model leaves {:.0} % of the force unexplained: these parameters cannot be trusted; check that force \
                 and position belong to the same drive and to the same time",
                100.0 * self.relative_residual
            ));
        }
        if self.autocorrelation > SYSTEMATIC {
            warnings.push(format!(
                "the residual force is alike over {:.1} rows: the model leaves something out, which the intervals do not cover; \
                 look at the residuals against the velocity and over time",
                self.autocorrelation
            ));
        }
        let most = |v: &[f64]| v.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let fastest = most(self.velocity);
        let sharpest = most(self.acceleration);
        if fastest > FASTEST || sharpest > SHARPEST {
            warnings.push(format!(
                "the drive would move at up to {fastest:.3} m/s and accelerate by up to {sharpest:.3} m/s²; expected at most \
                 {FASTEST} m/s and {SHARPEST} m/s²: check the unit of the position, which is taken as m, and that of the time"
            ));
        }
        // In open loop the position drifts away even with the right numbers.
        for c in self.simulations.iter().filter(|c| c.name == "closed loop") {
            let force = c.force_error.unwrap_or(0.0);
            if c.position_error.max(force) > ASTRAY || !(c.position_error + force).is_finite() {
                warnings.push(format!(
                    "simulated with its controller the drive misses the measured position by {:.0} % and the force by \
                     {:.0} %: check the units of position (m) and force (N) and the controller's gains",
                    100.0 * c.position_error,
                    100.0 * force
                ));
            }
        }
        // What looks like a delay may be explained better, or as well.
        if let Some(between) = &self.between {
            warnings.push(between.clone());
        } else if let (Some(delay), Some(error)) = (self.delay.value, self.delay.stderr)
            // Beyond its own error, and beyond what sampling does by itself.
            && delay.abs() > (3.0 * error).max(0.5 * self.step)
        {
            warnings.push(format!(
                "the force comes {:.2} ms {} than the position says: correct the times of one of them, for a delay makes the \
                 dry friction come out wrong; a force that comes later may have a slow sensor, too, whose force no shift of time puts right",
                1e3 * delay.abs(),
                if delay > 0.0 { "later" } else { "earlier" }
            ));
        }
        warnings.len() == before
    }
}

/// The delay of the force with which the least squares leaves least: whole samples first, then a parabola. `force` is the
/// force at the rows, so many samples later. With it what that leaves of the square of a row, where the delay is worth mentioning.
pub fn delay(
    matrix: &[Vec<f64>],
    step: f64,
    force: impl Fn(isize) -> Vec<f64> + Sync,
) -> (Estimate, Option<f64>) {
    let residuals = |late: isize| solve(matrix, &force(late)).map(|fit| fit.residuals);
    let left = |late: isize| residuals(late).map(|r| square(&r));
    let none = || (Estimate::unknown("s", "the delay of the force was not found"), None);
    let Some(now) = left(0) else { return none() };
    // A coarse pass of every sixth sample, then all around the best of them.
    let coarse: Vec<isize> = (-LATE..=LATE).step_by(6).collect();
    let least = |all: &[isize]| {
        let tried = crate::parallel::map(all.to_vec(), |d| left(d).map(|l| (d, l)));
        tried.into_iter().flatten().min_by(|a, b| a.1.total_cmp(&b.1)).map(|t| t.0)
    };
    let Some(near) = least(&coarse) else { return none() };
    let fine: Vec<isize> = (near - 5..=near + 5).filter(|d| d.abs() < LATE).collect();
    let Some(best) = least(&fine) else { return none() };
    let (Some(before), Some(own), Some(after)) = (left(best - 1), residuals(best), left(best + 1))
    else {
        return none();
    };
    let at = square(&own);
    let bend = before - 2.0 * at + after;
    // No minimum, or one at the limit of the search: the delay is not found.
    if bend.is_nan() || bend <= 0.0 || best.abs() + 1 >= LATE {
        return none();
    }
    let value = step * (best as f64 + 0.5 * (before - after) / bend);
    // rss ≈ rss₀ + ½ bend (d/step)², and the variance of d is 2 (rss₀/n) τ/(bend/step²).
    let rows = matrix.first().map_or(1, Vec::len) as f64;
    let together = autocorrelation_time(&[own]);
    let error = step * (2.0 * at / rows * together / bend).sqrt();
    if now - at < WORTH * now && value.abs() > 0.0 {
        let none = Estimate {
            reason: Some("no delay is worth mentioning".into()),
            ..Estimate::known(0.0, error.max(value.abs()), "s")
        };
        return (none, None);
    }
    (Estimate::known(value, error, "s"), Some(at / rows))
}
