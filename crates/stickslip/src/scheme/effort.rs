//! Runs that nobody waits for are refused before they begin.

use crate::error::Error;
use crate::signal::Signal;

/// Periods beyond which an event-driven run is not begun: hours at best.
const MOST_PERIODS: f64 = 1e8;
/// Numbers of a path that is kept: 16 GB.
const MOST_KEPT: f64 = 2e9;

/// Refuses a run of `end` (s) in which the mass, at its `own` angular frequency (rad/s), and the harmonics of `signals`
/// have too many periods.
pub(super) fn check_periods<'a>(
    own: f64,
    signals: impl Iterator<Item = &'a Signal>,
    end: f64,
) -> Result<(), Error> {
    let fastest = signals.map(Signal::fastest).fold(0.0, f64::max);
    let count = own.max(fastest) * end / std::f64::consts::TAU;
    if count <= MOST_PERIODS {
        return Ok(());
    }
    let reason = if fastest > own {
        format!("a signal varies with {fastest:.1e} rad/s over {end:.1e} s")
    } else {
        format!("the mass swings with {own:.1e} rad/s over {end:.1e} s")
    };
    Err(Error::TooLong { what: "periods", count, most: MOST_PERIODS, reason })
}

/// Refuses to keep a path of `steps` steps with `width` numbers each if no machine has the memory for it.
pub(super) fn check_kept(steps: usize, width: usize) -> Result<(), Error> {
    let count = steps as f64 * width as f64;
    if count <= MOST_KEPT {
        return Ok(());
    }
    let reason = format!("each of {steps} steps keeps {width}");
    Err(Error::TooLong { what: "numbers to keep", count, most: MOST_KEPT, reason })
}
