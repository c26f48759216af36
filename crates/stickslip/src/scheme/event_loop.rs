//! The loop that every event-driven scheme runs.
//!
//! It asks the scheme for a motion and what ends it, and then for what comes after; nothing is stepped.

pub(super) use super::protocol::fixed_signals;
pub use super::protocol::{
    Begins, EventDriven, EventOf, Failure, Followed, Hit, Leg, Observer, PhaseOf, StateOf,
};

use super::cursor::Cursor;
use crate::error::Error;

/// Events after which a run that keeps its path is given up: some 200 MB, far more than any
/// sensible run has. `run` takes its own limit.
pub const MAX_EVENTS: usize = 1_000_000;

/// Runs `system` from `begins` at t = 0 to `end` (s), giving up after `max_events`; the system as it is then.
///
/// # Errors
/// What the system meets on the way: [`Error::TooManyEvents`], [`Error::Stalled`], [`Error::NotFinite`], and
/// [`Error::Interrupted`] if the observer wants to stop.
pub fn run<S: EventDriven>(
    system: S,
    begins: Begins<S>,
    end: f64,
    max_events: usize,
    observer: &mut impl Observer<S::Motion>,
) -> Result<S, Error> {
    let mut cursor = Cursor::new(system, begins, 0.0, end, max_events)?;
    cursor.advance(end, observer)?;
    Ok(cursor.into_system())
}
