//! The protocol of event-driven schemes.
//!
//! Between events the motion is known in closed form (or to a tolerance). The loop asks the scheme for the motion and
//! for what ends it, and then for what comes after; nothing is stepped. What ends a motion is said by [`Hit`] and handed
//! back to the scheme as part of the finished [`Leg`], so that a scheme keeps nothing between two questions but what the
//! model itself remembers.
//!
//! ```text
//! (state, phase) ── motion ──> Leg { motion, hit } ── arrive ──> state at its end ── next ──> (state, phase), events
//! ```

use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::model::Model;
use crate::motion::{Motion, Path, Segment};
use crate::roots::GivenUp;
use std::fmt;

/// What ends a motion before the loads do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit<W> {
    /// When, s.
    pub time: f64,
    /// What happens there.
    pub what: W,
}

/// Why a motion cannot be followed to its end.
#[derive(Debug)]
pub enum Failure {
    /// The search for what ends it was given up.
    GivenUp,
    /// Anything else.
    Met(Error),
}

impl From<GivenUp> for Failure {
    fn from(_: GivenUp) -> Self {
        Self::GivenUp
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Met(error)
    }
}

impl Failure {
    /// The error of a motion that began at `time` (s) in `phase`.
    pub(crate) fn at(self, time: f64, phase: impl FnOnce() -> String) -> Error {
        match self {
            Self::GivenUp => Interrupt::of_search(time, phase()),
            Self::Met(error) => error,
        }
    }
}

/// A motion with all that it is made of: where it starts, and what ends it.
pub struct Leg<S: EventDriven> {
    /// Its start, s.
    pub start: f64,
    /// The state there.
    pub state: S::State,
    /// The phase in it.
    pub phase: PhaseOf<S>,
    /// The motion.
    pub motion: S::Motion,
    /// Its end, s.
    pub stop: f64,
    /// What ends it; nothing where the loads do, or the run.
    pub hit: Option<S::What>,
}

impl<S: EventDriven> Leg<S> {
    /// The motion of `system` from what `begins` at `start`, to `end` (s) at the latest.
    ///
    /// # Errors
    /// If it cannot be followed; what begins is then given back.
    #[inline] // a motion is some hundred bytes, which a call would copy
    pub(super) fn of(
        system: &mut S,
        start: f64,
        end: f64,
        begins: Begins<S>,
    ) -> Result<Self, (Error, Begins<S>)> {
        let (state, phase) = begins;
        let until = system.smooth_until(start).min(end);
        match system.motion(start, &state, &phase, until) {
            Ok((motion, hit)) => {
                let stop = hit.as_ref().map_or(until, |hit| hit.time);
                Ok(Self { start, state, phase, motion, stop, hit: hit.map(|hit| hit.what) })
            }
            Err(failure) => {
                let error = failure.at(start, || system.describe(&phase));
                Err((error, (state, phase)))
            }
        }
    }

    /// What of it lies before `end` (s), for those who draw it.
    pub(super) fn segment(&self, end: f64) -> Segment<S::Motion> {
        Segment { phase: self.phase.clone(), start: self.start, end, arc: self.motion.clone() }
    }

    /// The whole motion, when it is over.
    pub(super) fn into_segment(self) -> Segment<S::Motion> {
        Segment { phase: self.phase, start: self.start, end: self.stop, arc: self.motion }
    }
}

impl<S: EventDriven> Clone for Leg<S> {
    fn clone(&self) -> Self {
        Self {
            start: self.start,
            state: self.state.clone(),
            phase: self.phase.clone(),
            motion: self.motion.clone(),
            stop: self.stop,
            hit: self.hit.clone(),
        }
    }
}

impl<S: EventDriven> fmt::Debug for Leg<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { start, stop, motion, .. } = self;
        f.debug_struct("Leg")
            .field("start", start)
            .field("stop", stop)
            .field("motion", motion)
            .finish_non_exhaustive()
    }
}

/// A system as the event loop sees it.
pub trait EventDriven: Sized {
    /// What a motion starts from.
    type State: Clone + fmt::Debug;
    /// The motion between two events.
    type Motion: Motion;
    /// What ends a motion.
    type What: Clone + fmt::Debug;

    /// Whether [`lost`](Self::lost) says what is lost.
    const COUNTS_LOSSES: bool = false;

    /// Where a smooth motion must end at the latest (a breakpoint of a signal), s; may be +∞.
    fn smooth_until(&mut self, t: f64) -> f64;

    /// The motion from `state` at `t` in `phase`, and what ends it before `until` (s), if anything does.
    ///
    /// # Errors
    /// If there is no such motion, or the search for its end is given up.
    fn motion(
        &mut self,
        t: f64,
        state: &Self::State,
        phase: &PhaseOf<Self>,
        until: f64,
    ) -> Result<Followed<Self>, Failure>;

    /// State at `t` in a motion, which ends there by `hit` if anything of its own ends it.
    fn arrive(&self, leg: &Leg<Self>, t: f64, hit: Option<&Self::What>) -> Self::State;

    /// What comes after a motion that has arrived at its end with `state`: the state and the phase that begin, adding to
    /// `events` what happened.
    ///
    /// # Errors
    /// If there is nothing after it.
    fn next(
        &mut self,
        leg: &Leg<Self>,
        state: Self::State,
        events: &mut Vec<EventOf<Self>>,
    ) -> Result<Begins<Self>, Error>;

    /// Whether every number of the state is finite.
    fn is_finite(&self, state: &Self::State) -> bool;

    /// The phase in words, for messages.
    fn describe(&self, phase: &PhaseOf<Self>) -> String;

    /// The motion ends at `t`, before its event, for the system is about to be put into another state.
    fn leave(&mut self, leg: &Leg<Self>, t: f64) {
        let _ = (leg, t);
    }

    /// What begins at `t` when the system is put into the state `at` from outside.
    ///
    /// # Errors
    /// If the system has more to it than that state, or cannot be there.
    fn place(&mut self, t: f64, at: &StateOf<Self>) -> Result<Begins<Self>, Error> {
        let _ = (t, at);
        let reason = "it has a past that no state at one instant tells; keep a copy of the cursor \
                      and go on with that";
        Err(Error::BadState { reason: reason.into() })
    }

    /// State at `t` inside the motion, which ends there because the loads are about to change.
    fn halt(&mut self, leg: &Leg<Self>, t: f64) -> Self::State {
        self.arrive(leg, t, None)
    }

    /// A copy whose loads are about to change: it may take along what this system has kept for that.
    fn draft(&mut self) -> Self
    where
        Self: Clone,
    {
        self.clone()
    }

    /// Goes on at `t` under the signals of `model`, which is otherwise the model that is being solved: from the present
    /// `state` and `phase`, the state and phase that follow, adding to `events` what happened.
    ///
    /// # Errors
    /// If the signals of such a run cannot be changed on the way, or there is no motion under the new ones.
    fn change(
        &mut self,
        t: f64,
        state: Self::State,
        phase: PhaseOf<Self>,
        model: &Model,
        events: &mut Vec<EventOf<Self>>,
    ) -> Result<Begins<Self>, Error> {
        let _ = (t, state, phase, model, events);
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
    Error::FixedSignals
}

/// A motion, and what ends it.
pub type Followed<S> = (<S as EventDriven>::Motion, Option<Hit<<S as EventDriven>::What>>);
/// The state and the phase with which a motion begins.
pub type Begins<S> = (<S as EventDriven>::State, PhaseOf<S>);
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
