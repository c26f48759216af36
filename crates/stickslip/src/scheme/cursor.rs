//! A run in your own pace: advance it, look at it, take it out, put it back, change its state.
//!
//! A [`Cursor`] is the event loop of every event-driven scheme between two calls, a
//! [`Stepper`](super::stepper::Stepper) any time-stepping scheme; [`Advance`] is what both have in common. They are
//! typed; [`start`](crate::start) gives one cursor for every model and scheme. Both own what they need.
//!
//! **The same bits.** A cursor keeps the motion that it is in: to advance it in many small pieces locates the
//! same events by the same arithmetic as one run to its `end`, to the last bit, for closed forms and for adaptive
//! steps alike. (A motion may depend on the end that was given at the start, but not on how one gets there.)
//! Steppers make the same steps. After [`set_state`](Advance::set_state) a new motion begins at that instant.

use crate::error::{Error, require};
use crate::interrupt::Interrupt;
use crate::model::Model;
use crate::motion::{Event, Motion, Segment};
use crate::scheme::event_driven::{
    EventDriven, EventOf, Observer, PhaseOf, StateOf, fixed_signals,
};

/// What can be advanced in time.
pub trait Advance {
    /// What it shows at each instant.
    type State;
    /// What is constant between two events.
    type Phase;

    /// Where it is, s.
    fn time(&self) -> f64;

    /// The latest time to which it can be advanced, s.
    fn end(&self) -> f64;

    /// The state there; just after an event, if there is one.
    fn state(&self) -> Self::State;

    /// The phase there.
    fn phase(&self) -> Self::Phase;

    /// Advances to `until` (s), adding what happens up to and including that instant, as long as `goes_on` (asked
    /// now and then with the time reached, s) says so.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if `until` lies before the present time or beyond the end, [`Error::Interrupted`] if
    /// `goes_on` says no: the run then stands at the time reached and can be advanced further. Otherwise what the
    /// scheme itself meets on the way.
    fn advance_while(
        &mut self,
        until: f64,
        events: &mut Vec<Event>,
        goes_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), Error>;

    /// Advances to `until` (s), adding what happens up to and including that instant.
    ///
    /// # Errors
    /// As [`advance_while`](Self::advance_while), without the interruption.
    fn advance_to(&mut self, until: f64, events: &mut Vec<Event>) -> Result<(), Error> {
        self.advance_while(until, events, &mut |_| true)
    }

    /// Goes on from `state` at the present time. The phase follows from the state: what moves relative to its
    /// contact slips, what does not sticks if the contact can hold it. The elements of a cascade follow the mass to
    /// its new place without turning on the way.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] at the end of the run, [`Error::BeyondWall`] beyond a rigid stop or wall,
    /// [`Error::Unsuitable`] if the motion is prescribed.
    fn set_state(&mut self, state: Self::State) -> Result<(), Error>;

    /// Goes on from the present time to `end` (s at the latest) under the signals of `model`, adding what happens at
    /// once. The rest of `model` is what it was; the motion, its phases and its memory go on.
    ///
    /// # Errors
    /// If `end` is not after the present time, the signals of such a run cannot be changed on the way, or there is no
    /// motion under the new ones. The run is then as it was.
    fn change(&mut self, model: &Model, end: f64, events: &mut Vec<Event>) -> Result<(), Error> {
        let _ = (model, end, events);
        Err(fixed_signals())
    }

    /// Counts from now on what is lost; whether the scheme can.
    fn count_losses(&mut self) -> bool {
        false
    }

    /// Energy lost to friction, dampers and stops since it has been counted, J.
    fn lost(&self) -> f64 {
        0.0
    }
}

/// An error unless `cursor` can be advanced to `until` (s).
pub(super) fn check_until(cursor: &(impl Advance + ?Sized), until: f64) -> Result<(), Error> {
    let inside = cursor.time() <= until && until <= cursor.end();
    require("the time to advance to", until, inside, "a time from the present one to the end, s")
}

/// An event-driven run between two instants. A copy goes on like the original.
#[derive(Debug, Clone)]
pub struct Cursor<S: EventDriven> {
    system: S,
    state: S::State,
    phase: PhaseOf<S>,
    /// Start of the motion in progress, s, and the motion; at the end of the run the last one.
    start: f64,
    motion: S::Motion,
    /// When the motion ends, s, and whether by an event.
    stop: f64,
    hit: bool,
    time: f64,
    end: f64,
    count: usize,
    most: usize,
    events: Vec<EventOf<S>>,
    /// Energy lost before the motion in progress, J, if it is counted.
    lost: Option<f64>,
}

/// A motion, when it ends, s, and whether by an event.
struct Next<M> {
    motion: M,
    stop: f64,
    hit: bool,
}

impl<M> Next<M> {
    /// The motion over `span` = (start, end at the latest), s.
    fn of<S: EventDriven<Motion = M>>(
        system: &mut S,
        span: (f64, f64),
        state: &S::State,
        phase: &PhaseOf<S>,
    ) -> Result<Self, Error>
    where
        M: Motion,
    {
        let (start, end) = span;
        let until = system.smooth_until(start).min(end);
        let (motion, hit) = system.motion(start, state, phase, until);
        if let Some(error) = system.blocked() {
            return Err(error);
        }
        let stop = hit.unwrap_or(until);
        if stop.is_nan() {
            return Err(Interrupt::of_search(start, system.describe(phase)));
        }
        Ok(Self { motion, stop, hit: hit.is_some() })
    }
}

impl<S: EventDriven> Cursor<S> {
    /// Over `span` = (start, end), s, from a state and its phase, giving up after `max_events`.
    pub(crate) fn new(
        mut system: S,
        from: (S::State, PhaseOf<S>),
        span: (f64, f64),
        max_events: usize,
    ) -> Result<Self, Error> {
        let ((state, phase), (start, end)) = (from, span);
        require("the start of the run", start, start < end, "a time before its end, s")?;
        let Next { motion, stop, hit } = Next::of(&mut system, (start, end), &state, &phase)?;
        Ok(Self {
            system,
            state,
            phase,
            start,
            motion,
            stop,
            hit,
            time: start,
            end,
            count: 0,
            most: max_events,
            events: Vec::new(),
            lost: None,
        })
    }

    /// The end of the motion in progress, and what comes after.
    fn pass(&mut self, observer: &mut impl Observer<S::Motion>) -> Result<(), Error> {
        let (start, stop) = (self.start, self.stop);
        let state = self.system.arrive(&self.motion, stop);
        if !self.system.is_finite(&state) {
            return Err(Error::NotFinite { time: stop, step: 0.0 });
        }
        let phase = self.phase.clone();
        if let Some(lost) = self.lost {
            let (phase, arc) = (phase.clone(), self.motion.clone());
            let lost = lost + self.system.lost(&Segment { phase, start, end: stop, arc });
            Interrupt::current().check(start)?; // where somebody asks to stop the sum ends early
            self.lost = Some(lost);
        }
        (self.state, self.phase) =
            self.system.next(stop, state, phase.clone(), self.hit, &mut self.events);
        self.count += self.events.len();
        let blocked = self.system.blocked();
        let next = match blocked {
            None if stop < self.end => {
                Next::of(&mut self.system, (stop, self.end), &self.state, &self.phase).map(Some)
            }
            None => Ok(None),
            Some(error) => Err(error),
        };
        // What is over is shown whatever comes next; at the end it stays, for the last state.
        let (over, next) = match next {
            Ok(Some(Next { motion, stop, hit })) => {
                (self.stop, self.hit) = (stop, hit);
                (std::mem::replace(&mut self.motion, motion), Ok(()))
            }
            Ok(None) => (self.motion.clone(), Ok(())),
            Err(error) => (self.motion.clone(), Err(error)),
        };
        observer.segment(Segment { phase, start, end: stop, arc: over });
        self.events.drain(..).for_each(|e| observer.event(e));
        (self.start, self.time) = (stop, stop);
        next?;
        if self.count > self.most {
            let phase = self.system.describe(&self.phase);
            return Err(Error::TooManyEvents { limit: self.most, time: stop, phase });
        }
        Ok(())
    }

    /// On to `until` (s), showing `observer` the segments that end and the events that happen up to and
    /// including that instant.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if `until` lies before the present time or beyond the end,
    /// [`Error::Interrupted`] if the observer wants to stop, and what the scheme meets on the way.
    pub fn advance(
        &mut self,
        until: f64,
        observer: &mut impl Observer<S::Motion>,
    ) -> Result<(), Error> {
        let inside = self.time <= until && until <= self.end;
        let expected = "a time from the present one to the end, s";
        require("the time to advance to", until, inside, expected)?;
        let interrupt = Interrupt::current();
        while self.start < self.end && self.stop <= until {
            interrupt.check(self.start)?;
            self.pass(observer)?;
            if self.start < until && !observer.goes_on(self.start) {
                return Err(Error::Interrupted { time: self.start });
            }
        }
        self.time = until;
        Ok(())
    }

    /// Where the run is, s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The latest time to which it can be advanced, s.
    pub fn end(&self) -> f64 {
        self.end
    }

    /// The phase there: at an event the one that begins.
    pub fn phase(&self) -> PhaseOf<S> {
        self.phase.clone()
    }

    /// When the motion in progress ends, s: no event comes before.
    pub fn quiet_until(&self) -> f64 {
        self.stop
    }

    /// The motion in progress up to the present time, for those who draw it.
    pub fn segment(&self) -> Segment<S::Motion> {
        let (phase, arc) = (self.phase.clone(), self.motion.clone());
        Segment { phase, start: self.start, end: self.time, arc }
    }

    /// The state at the present time; at the end of the run the one that it arrived with.
    pub fn state(&self) -> StateOf<S> {
        self.motion.state(self.time)
    }

    /// Goes on from `state` at the present time.
    ///
    /// # Errors
    /// As [`Advance::set_state`].
    pub fn set_state(&mut self, state: StateOf<S>) -> Result<(), Error>
    where
        S: Clone,
    {
        let t = self.time;
        require("the present time", t, t < self.end, "a time before the end of the run, s")?;
        let mut system = self.system.clone(); // where the state is refused, nothing has changed
        system.leave(&self.motion, t);
        let (state, phase) = system.place(t, &state)?;
        let next = Next::of(&mut system, (t, self.end), &state, &phase)?;
        (self.system, self.state, self.phase, self.start) = (system, state, phase, t);
        (self.motion, self.stop, self.hit) = (next.motion, next.stop, next.hit);
        Ok(())
    }

    /// Goes on from the present time to `end` (s) under the signals of `model`.
    ///
    /// # Errors
    /// As [`Advance::change`].
    pub fn change(
        &mut self,
        model: &Model,
        end: f64,
        events: &mut Vec<EventOf<S>>,
    ) -> Result<(), Error>
    where
        S: Clone,
    {
        let t = self.time;
        require("the end of the run", end, t < end, "a time after the present one, s")?;
        let mut system = self.system.draft(); // where the signals are refused, nothing has changed
        let lost = self.lost();
        let began = self.start == t;
        let state = if began { self.state.clone() } else { system.halt(&self.motion, t) };
        let known = events.len();
        let changed = system.change(t, (state, self.phase.clone()), model, events);
        let changed = changed.and_then(|(state, phase)| match system.blocked() {
            None => Ok((Next::of(&mut system, (t, end), &state, &phase)?, state, phase)),
            Some(error) => Err(error),
        });
        let (next, state, phase) = changed.inspect_err(|_| events.truncate(known))?;
        self.lost = self.lost.map(|_| lost);
        (self.system, self.state, self.phase, self.start, self.end) =
            (system, state, phase, t, end);
        (self.motion, self.stop, self.hit) = (next.motion, next.stop, next.hit);
        self.count += events.len() - known;
        Ok(())
    }

    /// Energy lost since it has been counted, J.
    pub fn lost(&self) -> f64 {
        match self.lost.map(|lost| self.system.lost_before().unwrap_or(lost)) {
            Some(lost) if self.start < self.time => lost + self.system.lost(&self.segment()),
            lost => lost.unwrap_or(0.0),
        }
    }

    /// What the run is of.
    pub(crate) fn system(&self) -> &S {
        &self.system
    }
}

/// Collects events and asks whether to go on.
struct Asking<'a> {
    events: &'a mut Vec<Event>,
    goes_on: &'a mut dyn FnMut(f64) -> bool,
}

impl<M: Motion<Event = Event>> Observer<M> for Asking<'_> {
    fn segment(&mut self, _: Segment<M>) {}

    fn event(&mut self, event: Event) {
        self.events.push(event);
    }

    fn goes_on(&mut self, t: f64) -> bool {
        (self.goes_on)(t)
    }
}

impl<S: EventDriven + Clone> Advance for Cursor<S>
where
    S::Motion: Motion<Event = Event>,
{
    type State = StateOf<S>;
    type Phase = PhaseOf<S>;

    fn time(&self) -> f64 {
        self.time
    }

    fn end(&self) -> f64 {
        self.end
    }

    fn state(&self) -> StateOf<S> {
        self.state()
    }

    fn phase(&self) -> PhaseOf<S> {
        self.phase()
    }

    fn advance_while(
        &mut self,
        until: f64,
        events: &mut Vec<Event>,
        goes_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), Error> {
        self.advance(until, &mut Asking { events, goes_on })
    }

    fn set_state(&mut self, state: StateOf<S>) -> Result<(), Error> {
        self.set_state(state)
    }

    fn change(&mut self, model: &Model, end: f64, events: &mut Vec<Event>) -> Result<(), Error> {
        self.change(model, end, events)
    }

    fn count_losses(&mut self) -> bool {
        self.lost = S::COUNTS_LOSSES.then(|| self.lost());
        S::COUNTS_LOSSES
    }

    fn lost(&self) -> f64 {
        self.lost()
    }
}
