//! A run in your own pace: advance it, look at it, take it out, put it back, change its state.
//!
//! A [`Cursor`] is the event loop of every event-driven scheme between two calls, a [`Stepper`] the
//! time-stepping schemes of oscillators; [`Advance`] is what both have in common, for co-simulation or a
//! page that plays a motion. Both own what they need.
//!
//! **The same bits.** A cursor keeps the motion that it is in: to advance it in many small pieces locates the
//! same events by the same arithmetic as one run to its `end`, to the last bit, for closed forms and for adaptive
//! steps alike (what a motion looks like may depend on the end that was given at the start, not on how
//! one gets there). Steppers make the same steps. After [`set_state`](Advance::set_state) a new motion
//! begins at that instant.

use crate::error::{Error, require};
use crate::interrupt::Interrupt;
use crate::model::Oscillator;
use crate::motion::{Event, EventKind, Motion, Phase, Segment, State};
use crate::scheme::event_driven::{EventDriven, EventOf, Observer, PhaseOf, StateOf};
use std::sync::Arc;

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

    /// On to `until` (s), adding what happens up to and including that instant.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if `until` lies before the present time or beyond the end; else what the
    /// scheme itself meets on the way.
    fn advance_to(&mut self, until: f64, events: &mut Vec<Event>) -> Result<(), Error>;

    /// Goes on from `state` at the present time. Its phase follows from the state: what moves relative to
    /// its contact slips, what does not sticks if the contact can hold it.
    ///
    /// # Errors
    /// [`Error::Unsuitable`] if the model has more to it than such a state (the elements of a cascade, the
    /// sliders of a network), [`Error::BeyondWall`] beyond a rigid stop.
    fn set_state(&mut self, state: Self::State) -> Result<(), Error>;
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
            return Err(Error::Stalled { time: start, phase: system.describe(phase) });
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
        let (time, count, most, events) = (start, 0, max_events, Vec::new());
        Ok(Self { system, state, phase, start, motion, stop, hit, time, end, count, most, events })
    }

    /// The end of the motion in progress, and what comes after.
    fn pass(&mut self, observer: &mut impl Observer<S::Motion>) -> Result<(), Error> {
        let (start, stop) = (self.start, self.stop);
        let state = self.system.arrive(&self.motion, stop);
        if !self.system.is_finite(&state) {
            return Err(Error::NotFinite { time: stop, step: 0.0 });
        }
        let phase = self.phase.clone();
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
        require(
            "the time to advance to",
            until,
            inside,
            "a time from the present one to the end, s",
        )?;
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
    pub fn set_state(&mut self, state: StateOf<S>) -> Result<(), Error> {
        let t = self.time;
        require("the present time", t, t < self.end, "a time before the end of the run, s")?;
        let (state, phase) = self.system.place(t, &state)?;
        let next = Next::of(&mut self.system, (t, self.end), &state, &phase)?;
        (self.state, self.phase, self.start) = (state, phase, t);
        (self.motion, self.stop, self.hit) = (next.motion, next.stop, next.hit);
        Ok(())
    }

    /// What the run is of.
    pub(crate) fn system(&self) -> &S {
        &self.system
    }
}

impl<S: EventDriven> Advance for Cursor<S>
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

    fn advance_to(&mut self, until: f64, events: &mut Vec<Event>) -> Result<(), Error> {
        self.advance(until, events)
    }

    fn set_state(&mut self, state: StateOf<S>) -> Result<(), Error> {
        self.set_state(state)
    }
}

/// Which time-stepping scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Steps {
    Euler,
    ImplicitEuler,
}

/// A node of a stepping scheme.
#[derive(Debug, Clone, Copy)]
struct Node {
    u: State,
    w: f64,
    /// Since when it rests, s; meaningful while w = 0.
    since: f64,
}

/// A time-stepping run of an oscillator between two instants. A copy goes on like the original.
#[derive(Debug, Clone)]
pub struct Stepper {
    o: Arc<Oscillator>,
    steps: Steps,
    h: f64,
    /// Time of node 0, s, and number of the first of the two nodes between which the run is.
    base: f64,
    n: usize,
    nodes: [Node; 2],
    time: f64,
    end: f64,
}

impl Stepper {
    /// Over `span` = (start, end), s, with steps `h` (s).
    pub(crate) fn new(
        o: &Oscillator,
        steps: Steps,
        h: f64,
        span: (f64, f64),
    ) -> Result<Self, Error> {
        require("the step", h, h > 0.0, "a finite step > 0 s")?;
        let (start, end) = span;
        let u = State { x: o.initial.displacement, v: o.initial.velocity };
        let o = Arc::new(o.clone());
        let node = Node { u, w: u.v - o.support.value(start), since: start };
        let mut stepper =
            Self { o, steps, h, base: start, n: 0, nodes: [node; 2], time: start, end };
        stepper.nodes[1] = stepper.step(0, &node);
        Ok(stepper)
    }

    fn time_of(&self, n: usize) -> f64 {
        let since = n as f64 * self.h;
        if self.base == 0.0 { since } else { self.base + since }
    }

    /// The node after number `n`: the arithmetic of the scheme itself, in its order.
    fn step(&self, n: usize, from: &Node) -> Node {
        let (o, h, u) = (&*self.o, self.h, from.u);
        let (t, t_next) = (self.time_of(n), self.time_of(n + 1));
        let others = |d: f64, at: f64| {
            if o.is_linear() {
                return 0.0;
            }
            let stops = o.stops.map_or(0.0, |s| s.force(u.x, u.v));
            o.nonlinear.force(u.x - d, u.x, u.v, at) + stops
        };
        let (p, lambda) = match self.steps {
            Steps::Euler => {
                let d = o.drive.value(t);
                let linear = o.stiffness * (d - u.x) - o.damping * u.v + o.force.value(t);
                (u.v + h / o.mass * (linear + others(d, t)), h / o.mass)
            }
            Steps::ImplicitEuler => {
                let mass = o.mass + h * (o.damping + h * o.stiffness);
                let d = o.drive.value(t_next);
                let loading = o.stiffness * d + o.force.value(t_next);
                let b = loading + others(d, t_next) - o.stiffness * u.x;
                ((o.mass * u.v + h * b) / mass, h / mass)
            }
        };
        let support = o.support.value(t_next);
        let lambda = lambda * o.normal_force(t_next);
        let age = if from.w == 0.0 { t_next - from.since } else { 0.0 };
        let w = o.friction.step(p - support, lambda, age, from.w).w;
        let since = if w == 0.0 && from.w != 0.0 { t_next } else { from.since };
        let v = w + support;
        let way = if self.steps == Steps::Euler { u.v } else { v };
        Node { u: State { x: u.x + h * way, v }, w, since }
    }
}

/// The phase between two nodes with these relative velocities.
fn phase_between(a: f64, b: f64) -> Phase {
    if a == 0.0 && b == 0.0 { Phase::Stick } else { Phase::slip(if b != 0.0 { b } else { a }) }
}

impl Advance for Stepper {
    type State = State;
    type Phase = Phase;

    fn time(&self) -> f64 {
        self.time
    }

    fn end(&self) -> f64 {
        self.end
    }

    fn state(&self) -> State {
        let [a, b] = self.nodes.map(|n| n.u);
        let s = (self.time - self.base) / self.h - self.n as f64;
        State { x: a.x + s * (b.x - a.x), v: a.v + s * (b.v - a.v) }
    }

    fn phase(&self) -> Phase {
        phase_between(self.nodes[0].w, self.nodes[1].w)
    }

    fn advance_to(&mut self, until: f64, events: &mut Vec<Event>) -> Result<(), Error> {
        let inside = self.time <= until && until <= self.end;
        require(
            "the time to advance to",
            until,
            inside,
            "a time from the present one to the end, s",
        )?;
        while self.time_of(self.n + 1) <= until && self.time_of(self.n + 1) < self.end {
            let before = self.phase();
            let next = self.step(self.n + 1, &self.nodes[1]);
            (self.nodes, self.n) = ([self.nodes[1], next], self.n + 1);
            let (t, u) = (self.time_of(self.n), self.nodes[0].u);
            let kind = match (before, self.phase()) {
                (a, b) if a == b => None,
                (Phase::Stick, _) => Some(EventKind::Slip),
                (_, Phase::Stick) => Some(EventKind::Stick),
                _ => Some(EventKind::Reversal),
            };
            events.extend(kind.map(|kind| Event::new(kind, t, 0, u)));
            if !(next.u.x.is_finite() && next.u.v.is_finite()) {
                return Err(Error::NotFinite { time: t, step: self.h });
            }
        }
        self.time = until;
        Ok(())
    }

    fn set_state(&mut self, state: State) -> Result<(), Error> {
        let t = self.time;
        let node = Node { u: state, w: state.v - self.o.support.value(t), since: t };
        (self.base, self.n) = (t, 0);
        self.nodes = [node, self.step(0, &node)];
        Ok(())
    }
}
