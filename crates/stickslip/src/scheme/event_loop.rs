//! The loop that every event-driven scheme runs.
//!
//! Between events the motion is known in closed form (or to a tolerance). The loop asks the system
//! for the motion, for the first event on it, and for what comes after; nothing is stepped.

pub use super::event_driven::{EventDriven, EventOf, Observer, PhaseOf, StateOf};

use super::cursor::Cursor;
use crate::error::Error;

/// Events after which a run that keeps its path is given up: some 200 MB, far more than any
/// sensible run has. `run` takes its own limit.
pub const MAX_EVENTS: usize = 1_000_000;

/// Runs `system` from t = 0 to `end` (s), giving up after `max_events`.
///
/// # Errors
/// What the system meets on the way: [`Error::TooManyEvents`], [`Error::Stalled`], [`Error::NotFinite`], and
/// [`Error::Interrupted`] if the observer wants to stop.
pub fn run<S: EventDriven>(
    system: &mut S,
    state: S::State,
    phase: PhaseOf<S>,
    end: f64,
    max_events: usize,
    observer: &mut impl Observer<S::Motion>,
) -> Result<(), Error> {
    Cursor::new(system, (state, phase), (0.0, end), max_events)?.advance(end, observer)
}
