//! The loop that every event-driven scheme runs.
//!
//! It asks the scheme for a motion and what ends it, and then for what comes after; nothing is stepped.

pub(super) use super::protocol::fixed_signals;
pub use super::protocol::{
    Begins, EventDriven, EventOf, Failure, Followed, Hit, Leg, Observer, PhaseOf, StateOf,
};

use super::cursor::Cursor;
use crate::error::Error;
pub use crate::model::MAX_EVENTS;
use std::cell::Cell;

thread_local! {
    /// What is allowed to the run on this thread.
    static MOST: Cell<usize> = const { Cell::new(MAX_EVENTS) };
}

/// Events that the run on this thread may have.
pub(crate) fn most_events() -> usize {
    MOST.get()
}

/// Does `work`, whose runs on this thread may have so many events.
pub(crate) fn with_most_events<T>(most: usize, work: impl FnOnce() -> T) -> T {
    /// Puts the number before back, also after a panic.
    struct Before(usize);
    impl Drop for Before {
        fn drop(&mut self) {
            MOST.set(self.0);
        }
    }
    let _before = Before(MOST.replace(most));
    work()
}

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
