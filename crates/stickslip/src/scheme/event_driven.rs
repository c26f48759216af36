//! What the event loop asks of a system, and who watches.

use crate::error::Error;
use crate::model::Model;
use crate::motion::{Motion, Path, Segment};

/// A system as the event loop sees it.
pub trait EventDriven {
    /// What a motion starts from.
    type State: Clone;
    /// The motion between two events.
    type Motion: Motion;

    /// Whether [`lost`](Self::lost) says what is lost.
    const COUNTS_LOSSES: bool = false;

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

    /// The motion ends at `t`, before its event, for the system is about to be put into another state.
    fn leave(&mut self, motion: &Self::Motion, t: f64) {
        let _ = (motion, t);
    }

    /// What begins at `t` when the system is put into the state `at` from outside.
    ///
    /// # Errors
    /// If the system has more to it than that state, or cannot be there.
    fn place(&mut self, t: f64, at: &StateOf<Self>) -> Result<(Self::State, PhaseOf<Self>), Error> {
        let _ = (t, at);
        let reason = "its state has a past that no state at one instant tells; keep a copy of the cursor \
                      and go on with that";
        Err(Error::Unsuitable { scheme: "of this kind", reason: reason.into() })
    }

    /// State at `t` inside the motion, which ends there because the loads are about to change.
    fn halt(&mut self, motion: &Self::Motion, t: f64) -> Self::State {
        self.arrive(motion, t)
    }

    /// A copy whose loads are about to change: it may take along what this system has kept for that.
    fn draft(&mut self) -> Self
    where
        Self: Clone,
    {
        self.clone()
    }

    /// Goes on at `t` under the signals of `model`, which is otherwise the model that is being solved: from the state
    /// and phase `now`, the state and phase that follow, adding to `events` what happened.
    ///
    /// # Errors
    /// If the signals of such a run cannot be changed on the way, or there is no motion under the new ones.
    fn change(
        &mut self,
        t: f64,
        now: (Self::State, PhaseOf<Self>),
        model: &Model,
        events: &mut Vec<EventOf<Self>>,
    ) -> Result<(Self::State, PhaseOf<Self>), Error> {
        let _ = (t, now, model, events);
        Err(fixed_signals())
    }

    /// Energy lost to friction, dampers and soft stops during the motion in progress, as far as `segment` reaches, J.
    fn lost(&self, segment: &Segment<Self::Motion>) -> f64 {
        let _ = segment;
        0.0
    }

    /// Energy lost before the motion in progress, at jumps too, where the system keeps count of it itself, J.
    fn lost_before(&self) -> Option<f64> {
        None
    }
}

/// The error of a run whose signals cannot be changed on the way.
pub(super) fn fixed_signals() -> Error {
    let reason = "its signals are fixed at the start and cannot be changed on the way; use exact or adaptive";
    Error::Unsuitable { scheme: "of this kind", reason: reason.into() }
}

impl<S: EventDriven> EventDriven for &mut S {
    type State = S::State;
    type Motion = S::Motion;

    const COUNTS_LOSSES: bool = S::COUNTS_LOSSES;

    fn smooth_until(&mut self, t: f64) -> f64 {
        (**self).smooth_until(t)
    }

    fn motion(
        &mut self,
        t: f64,
        state: &Self::State,
        phase: &PhaseOf<Self>,
        until: f64,
    ) -> (Self::Motion, Option<f64>) {
        (**self).motion(t, state, phase, until)
    }

    fn arrive(&self, motion: &Self::Motion, t: f64) -> Self::State {
        (**self).arrive(motion, t)
    }

    fn next(
        &mut self,
        t: f64,
        state: Self::State,
        phase: PhaseOf<Self>,
        hit: bool,
        events: &mut Vec<EventOf<Self>>,
    ) -> (Self::State, PhaseOf<Self>) {
        (**self).next(t, state, phase, hit, events)
    }

    fn blocked(&mut self) -> Option<Error> {
        (**self).blocked()
    }

    fn is_finite(&self, state: &Self::State) -> bool {
        (**self).is_finite(state)
    }

    fn describe(&self, phase: &PhaseOf<Self>) -> String {
        (**self).describe(phase)
    }

    fn leave(&mut self, motion: &Self::Motion, t: f64) {
        (**self).leave(motion, t);
    }

    fn place(&mut self, t: f64, at: &StateOf<Self>) -> Result<(Self::State, PhaseOf<Self>), Error> {
        (**self).place(t, at)
    }

    fn halt(&mut self, motion: &Self::Motion, t: f64) -> Self::State {
        (**self).halt(motion, t)
    }

    fn change(
        &mut self,
        t: f64,
        now: (Self::State, PhaseOf<Self>),
        model: &Model,
        events: &mut Vec<EventOf<Self>>,
    ) -> Result<(Self::State, PhaseOf<Self>), Error> {
        (**self).change(t, now, model, events)
    }

    fn lost(&self, segment: &Segment<Self::Motion>) -> f64 {
        (**self).lost(segment)
    }

    fn lost_before(&self) -> Option<f64> {
        (**self).lost_before()
    }
}

/// The state that a system's motion shows.
pub type StateOf<S> = <<S as EventDriven>::Motion as Motion>::State;
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
    /// Whether to go on beyond `t` (s), asked after each segment: a run that is told to stop there ends with
    /// [`Error::Interrupted`], and what was observed up to then is a path of its own.
    fn goes_on(&mut self, t: f64) -> bool {
        let _ = t;
        true
    }
}

impl<M: Motion> Observer<M> for Path<M> {
    fn segment(&mut self, segment: Segment<M>) {
        self.push(segment);
    }

    fn event(&mut self, event: M::Event) {
        self.record(event);
    }
}

impl<M: Motion<Event = E>, E> Observer<M> for Vec<E> {
    fn segment(&mut self, _: Segment<M>) {}

    fn event(&mut self, event: E) {
        self.push(event);
    }
}
