//! The loop that every event-driven scheme runs.
//!
//! Between events the motion is known in closed form (or to a tolerance). The loop asks the system
//! for the motion, for the first event on it, and for what comes after; nothing is stepped.

use crate::error::Error;
use crate::motion::{Motion, Path, Segment};

/// Events after which a run that keeps its path is given up: some 400 MB, far more than any
/// sensible run has. `run` takes its own limit.
pub const MAX_EVENTS: usize = 1_000_000;

/// A system as the event loop sees it.
pub trait EventDriven {
    /// What a motion starts from.
    type State: Clone;
    /// The motion between two events.
    type Motion: Motion;

    /// Where a smooth motion must end at the latest (a breakpoint of a signal), s; may be +∞.
    fn smooth_until(&mut self, t: f64) -> f64;

    /// The motion from `state` at `t` in `phase`, and the time of its first event before `until`.
    fn motion(
        &mut self,
        t: f64,
        state: &Self::State,
        phase: &PhaseOf<Self>,
        until: f64,
    ) -> (Self::Motion, Option<f64>);

    /// State at `t`, the end of the motion.
    fn arrive(&self, motion: &Self::Motion, t: f64) -> Self::State;

    /// What comes after `t`: state and phase, adding to `events` what happened. `hit` tells an event
    /// of the motion from a breakpoint.
    fn next(
        &mut self,
        t: f64,
        state: Self::State,
        phase: PhaseOf<Self>,
        hit: bool,
        events: &mut Vec<EventOf<Self>>,
    ) -> (Self::State, PhaseOf<Self>);

    /// Why there is nothing after the state reached last, if so: asked after each `next`.
    fn blocked(&mut self) -> Option<Error> {
        None
    }

    /// Whether every number of the state is finite.
    fn is_finite(&self, state: &Self::State) -> bool;

    /// The phase in words, for messages.
    fn describe(&self, phase: &PhaseOf<Self>) -> String;
}

/// The phase of a system's motion.
pub type PhaseOf<S> = <<S as EventDriven>::Motion as Motion>::Phase;
/// The event of a system's motion.
pub type EventOf<S> = <<S as EventDriven>::Motion as Motion>::Event;

/// Receives the path while it is made; a [`Path`] keeps it.
pub trait Observer<M: Motion> {
    /// A segment is complete.
    fn segment(&mut self, segment: Segment<M>);
    /// An event happened, at the end of the segment before.
    fn event(&mut self, event: M::Event);
}

impl<M: Motion> Observer<M> for Path<M> {
    fn segment(&mut self, segment: Segment<M>) {
        self.push(segment);
    }

    fn event(&mut self, event: M::Event) {
        self.record(event);
    }
}

/// Runs `system` from t = 0 to `end` (s), giving up after `max_events`.
pub fn run<S: EventDriven>(
    system: &mut S,
    mut state: S::State,
    mut phase: PhaseOf<S>,
    end: f64,
    max_events: usize,
    observer: &mut impl Observer<S::Motion>,
) -> Result<(), Error> {
    let (mut t, mut count) = (0.0, 0);
    let mut events = Vec::new();
    while t < end {
        let until = system.smooth_until(t).min(end);
        let (arc, hit) = system.motion(t, &state, &phase, until);
        let stop = hit.unwrap_or(until);
        if stop.is_nan() {
            return Err(Error::Stalled { time: t, phase: system.describe(&phase) });
        }

        state = system.arrive(&arc, stop);
        if !system.is_finite(&state) {
            return Err(Error::NotFinite { time: stop, step: 0.0 });
        }
        observer.segment(Segment { phase: phase.clone(), start: t, end: stop, arc });
        t = stop;

        (state, phase) = system.next(t, state, phase, hit.is_some(), &mut events);
        count += events.len();
        events.drain(..).for_each(|e| observer.event(e));
        if let Some(error) = system.blocked() {
            return Err(error);
        }
        if count > max_events {
            return Err(Error::TooManyEvents {
                limit: max_events,
                time: t,
                phase: system.describe(&phase),
            });
        }
    }
    Ok(())
}
