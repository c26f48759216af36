//! A run at the caller's pace: advance it, look at it, take it out, put it back, change its state.
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
use crate::scheme::protocol::{
    Begins, EventDriven, EventOf, Leg, Observer, PhaseOf, StateOf, fixed_signals,
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

    /// Impulse of walls on the mass during the last advance, N·s.
    fn impulse(&self) -> f64 {
        0.0
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
#[derive(Debug)]
pub struct Cursor<S: EventDriven> {
    system: S,
    /// The motion in progress; at the end of the run the last one, with the state and the phase that would go on.
    leg: Leg<S>,
    /// Whether that motion has been shown and its losses are counted: at the end of the run, and where nothing follows it.
    over: bool,
    /// What begins with a motion that could not be followed. It is tried again: somebody may only have asked to stop.
    waiting: Option<Begins<S>>,
    time: f64,
    end: f64,
    count: usize,
    most: usize,
    /// What happens at the end of a motion: room that is used again.
    events: Vec<EventOf<S>>,
    /// Impulse of walls during the last advance, N·s.
    impulse: f64,
    /// Energy lost before the motion in progress, J, if it is counted.
    lost: Option<f64>,
}

/// What follows a motion.
enum Follows<S: EventDriven> {
    Leg(Leg<S>),
    /// The end of the run; this is what would begin.
    End(Begins<S>),
    Nothing(Error),
}

impl<S: EventDriven> Cursor<S> {
    /// From `start` to `end` (s), beginning with a state and its phase, and giving up after `max_events`.
    pub(crate) fn new(
        mut system: S,
        begins: Begins<S>,
        start: f64,
        end: f64,
        max_events: usize,
    ) -> Result<Self, Error> {
        require("the start of the run", start, start < end, "a time before its end, s")?;
        let leg = Leg::of(&mut system, start, end, begins).map_err(|(error, _)| error)?;
        Ok(Self {
            system,
            leg,
            over: false,
            waiting: None,
            time: start,
            end,
            count: 0,
            most: max_events,
            events: Vec::new(),
            impulse: 0.0,
            lost: None,
        })
    }

    /// The end of the motion in progress, and what comes after.
    fn pass(&mut self, observer: &mut impl Observer<S::Motion>) -> Result<(), Error> {
        let stop = self.leg.stop;
        let follows = self.follow()?;
        self.count += self.events.len();
        // What is over is shown whatever comes next, and once.
        let shown = self.over;
        let mut failed = None;
        match follows {
            Follows::Leg(leg) => {
                let over = std::mem::replace(&mut self.leg, leg);
                self.over = false;
                if !shown {
                    observer.segment(over.into_segment());
                }
            }
            Follows::End((state, phase)) => {
                observer.segment(self.leg.segment(stop));
                self.leg.state = state;
                self.leg.phase = phase;
                self.over = true;
            }
            Follows::Nothing(error) => {
                if !shown {
                    observer.segment(self.leg.segment(stop));
                }
                self.over = true;
                failed = Some(error);
            }
        }
        self.events.drain(..).for_each(|e| observer.event(e));
        self.time = stop;
        if let Some(error) = failed {
            return Err(error);
        }
        if self.count > self.most {
            let phase = self.system.describe(&self.leg.phase);
            return Err(Error::TooManyEvents { limit: self.most, time: stop, phase });
        }
        Ok(())
    }

    /// Ends the motion in progress, and makes the one that follows.
    #[inline] // as `Leg::of`
    fn follow(&mut self) -> Result<Follows<S>, Error> {
        let Self { system, leg, .. } = self;
        let stop = leg.stop;
        let begins = match self.waiting.take() {
            Some(begins) => begins,
            None => {
                // The state is asked for before what it leads to, so that an overflow is told as such, with its time.
                let state = system.arrive(leg, stop, leg.hit.as_ref());
                if !system.is_finite(&state) {
                    return Err(Error::NotFinite { time: stop, step: 0.0 });
                }
                if let Some(lost) = self.lost
                    && !self.over
                {
                    let lost = lost + system.lost(&leg.segment(stop));
                    Interrupt::current().check(leg.start)?; // where somebody asks to stop the sum ends early
                    self.lost = Some(lost);
                }
                match system.next(leg, state, &mut self.events) {
                    Ok(begins) => begins,
                    Err(error) => return Ok(Follows::Nothing(error)),
                }
            }
        };
        if stop >= self.end {
            return Ok(Follows::End(begins));
        }
        Ok(match Leg::of(system, stop, self.end, begins) {
            Ok(leg) => Follows::Leg(leg),
            Err((error, begins)) => {
                self.waiting = Some(begins);
                Follows::Nothing(error)
            }
        })
    }

    /// Whether the last motion of the run is over.
    fn is_done(&self) -> bool {
        self.over && self.leg.stop >= self.end
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
        // An event at `until` itself belongs to this advance: whoever stops there sees it.
        while !self.is_done() && self.leg.stop <= until {
            interrupt.check(self.leg.start)?;
            self.pass(observer)?;
            if self.time < until && !observer.goes_on(self.time) {
                return Err(Error::Interrupted { time: self.time });
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
        match &self.waiting {
            Some((_, phase)) => phase.clone(),
            None => self.leg.phase.clone(),
        }
    }

    /// The motion in progress up to the present time, for those who draw it.
    pub fn segment(&self) -> Segment<S::Motion> {
        let mut segment = self.leg.segment(self.time);
        if self.over {
            segment.start = self.leg.stop; // all of it has been shown
        }
        segment
    }

    /// The state at the present time; at the end of the run the one that it arrived with.
    pub fn state(&self) -> StateOf<S> {
        self.leg.motion.state(self.time)
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
        system.leave(&self.leg, t);
        let begins = system.place(t, &state)?;
        self.set_out(system, begins)
    }

    /// Goes on from the present time as `system`, from what begins there. Where nothing does, nothing has changed.
    fn set_out(&mut self, mut system: S, begins: Begins<S>) -> Result<(), Error> {
        let leg = Leg::of(&mut system, self.time, self.end, begins).map_err(|(error, _)| error)?;
        self.system = system;
        self.leg = leg;
        self.over = false;
        self.waiting = None;
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
        let leg = &self.leg;
        let (state, phase) = match &self.waiting {
            Some(begins) => begins.clone(),
            None if self.over || leg.start == t => (leg.state.clone(), leg.phase.clone()),
            None => (system.halt(leg, t), leg.phase.clone()),
        };
        // What the caller had already collected stays, whatever comes of this.
        let known = events.len();
        // The new end counts for the first motion under the new loads; it is taken back where there is none.
        let before = std::mem::replace(&mut self.end, end);
        let changed = system.change(t, state, phase, model, events);
        if let Err(error) = changed.and_then(|begins| self.set_out(system, begins)) {
            self.end = before;
            events.truncate(known);
            return Err(error);
        }
        self.lost = self.lost.map(|_| lost);
        self.count += events.len() - known;
        Ok(())
    }

    /// Energy lost since it has been counted, J.
    pub fn lost(&self) -> f64 {
        match self.lost.map(|lost| self.system.lost_before().unwrap_or(lost)) {
            Some(lost) if !self.over && self.leg.start < self.time => {
                lost + self.system.lost(&self.segment())
            }
            lost => lost.unwrap_or(0.0),
        }
    }

    /// What the run is of.
    pub(crate) fn system(&self) -> &S {
        &self.system
    }

    /// What the run was of.
    pub(super) fn into_system(self) -> S {
        self.system
    }
}

impl<S: EventDriven + Clone> Clone for Cursor<S> {
    fn clone(&self) -> Self {
        Self {
            system: self.system.clone(),
            leg: self.leg.clone(),
            over: self.over,
            waiting: self.waiting.clone(),
            time: self.time,
            end: self.end,
            count: self.count,
            most: self.most,
            events: self.events.clone(),
            impulse: self.impulse,
            lost: self.lost,
        }
    }
}

/// Collects events, adds up impulses and asks whether to go on.
struct Asking<'a> {
    events: &'a mut Vec<Event>,
    goes_on: &'a mut dyn FnMut(f64) -> bool,
    /// Impulse of walls since this time (s), N·s.
    from: f64,
    impulse: f64,
}

impl<M: Motion<Event = Event>> Observer<M> for Asking<'_> {
    fn segment(&mut self, segment: Segment<M>) {
        self.impulse += segment.arc.impulse(self.from.max(segment.start), segment.end);
    }

    fn event(&mut self, event: Event) {
        if event.duration == 0.0 {
            self.impulse += event.impulse; // that of an event with a duration is in its segment
        }
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
        let from = self.time;
        let mut asking = Asking { events, goes_on, from, impulse: 0.0 };
        let advanced = self.advance(until, &mut asking);
        self.impulse = asking.impulse;
        if !self.over {
            let begun = from.max(self.leg.start);
            self.impulse += self.leg.motion.impulse(begun, self.time);
        }
        advanced
    }

    fn impulse(&self) -> f64 {
        self.impulse
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
