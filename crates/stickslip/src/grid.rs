//! Equidistant steps in time.

use crate::error::{Error, require};

/// Number of steps of length `step` that cover [0, `end`] (s).
///
/// # Errors
/// If one of them is not a finite time > 0, or there are more than 1e15 steps.
pub(crate) fn step_count(end: f64, step: f64) -> Result<usize, Error> {
    require("the step", step, step > 0.0, "a finite step > 0 s")?;
    require("the end of the run", end, end > 0.0, "a finite time > 0 s")?;
    let n = end / step;
    require(
        "the number of steps, end/step,",
        n,
        n < 1e15,
        "at most 1e15 steps: a larger step or an earlier end",
    )?;
    // A quotient that is whole but for rounding is meant to be whole.
    Ok(if (n - n.round()).abs() <= 1e-9 * n { n.round() as usize } else { n.ceil() as usize }
        .max(1))
}

/// Steps of a path that is kept: 16 GB.
const MOST_KEPT: f64 = 1e9;

/// [`step_count`] for a path that is kept.
pub(crate) fn kept_count(end: f64, step: f64) -> Result<usize, Error> {
    let count = step_count(end, step)?;
    if count as f64 <= MOST_KEPT {
        return Ok(count);
    }
    let reason = format!("{end} s are {count} steps of {step} s, and each is kept");
    Err(Error::TooLong { what: "steps", count: count as f64, most: MOST_KEPT, reason })
}
