//! The loop that every event-driven scheme runs.
//!
//! Between events the motion is an arc known in closed form (or to a tolerance). The loop asks the
//! system for the arc, for the first event on it, and for what comes after; nothing is stepped.

use crate::error::Error;
use crate::trajectory::{Arc, Event, Phase, Segment, Trajectory};

/// A system as the event loop sees it.
pub trait EventDriven {
    /// The state that an arc starts from.
    type State: Copy;

    /// Where a smooth motion must end at the latest (a breakpoint of a signal), s; may be +∞.
    fn smooth_until(&mut self, t: f64) -> f64;

    /// The arc from `state` at `t` in `phase`, and its first event before `until`.
    fn arc(&mut self, t: f64, state: Self::State, phase: Phase, until: f64) -> (Arc, Option<f64>);

    /// State on the arc at `t`, its end.
    fn arrive(&self, arc: &Arc, t: f64) -> Self::State;

    /// What comes at `t`: state and phase after it, and the event if it is one. `hit` tells an
    /// event on the arc from a breakpoint.
    fn next(
        &mut self,
        t: f64,
        state: Self::State,
        phase: Phase,
        hit: bool,
    ) -> (Self::State, Phase, Option<Event>);
}

/// Receives the path while it is made; a [`Trajectory`] keeps it.
pub trait Observer {
    /// A segment is complete.
    fn segment(&mut self, segment: Segment);
    /// An event happened.
    fn event(&mut self, event: Event);
}

impl Observer for Trajectory {
    fn segment(&mut self, segment: Segment) {
        self.push(segment);
    }

    fn event(&mut self, event: Event) {
        self.record(event);
    }
}

/// Runs `system` from t = 0 to `end` (s).
pub fn run<S: EventDriven>(
    system: &mut S,
    mut state: S::State,
    mut phase: Phase,
    end: f64,
    max_events: usize,
    observer: &mut impl Observer,
) -> Result<(), Error> {
    let (mut t, mut events) = (0.0, 0);
    while t < end {
        let until = system.smooth_until(t).min(end);
        let (arc, hit) = system.arc(t, state, phase, until);
        let stop = hit.unwrap_or(until);

        state = system.arrive(&arc, stop);
        observer.segment(Segment { phase, start: t, end: stop, arc });
        t = stop;

        let event;
        (state, phase, event) = system.next(t, state, phase, hit.is_some());
        if let Some(event) = event {
            if !(event.x.is_finite() && event.v.is_finite()) {
                return Err(Error::NotFinite { time: t, step: 0.0 });
            }
            events += 1;
            if events > max_events {
                return Err(Error::TooManyEvents { limit: max_events, time: t, phase });
            }
            observer.event(event);
        }
    }
    Ok(())
}
