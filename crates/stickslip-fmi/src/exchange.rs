//! The motion of one instance in model exchange: the importer integrates, the contact decides.
//!
//! In each phase the motion is smooth, and it stays in its phase until the importer has found a zero of an event indicator
//! and asked what comes next. The indicators are what the library's own event location looks for:
//!
//! ```text
//! stick:  f_s N − b  and  f_s N + b,  b = load at rest            slip to the side s:  s (ẋ − v_s)  and  1
//! x − a_lower  and  a_upper − x, where there are soft stops
//! ```
//!
//! In a stick the velocity is that of the support and the force what holds the load: nothing creeps.

use crate::run::Held;
use std::sync::Arc;
use stickslip::model::Loads;
use stickslip::{Error, EventKind, Model, Oscillator, Phase, Problem, State};

/// x, v, and the energy lost.
pub const STATES: usize = 3;

/// What is added to an indicator, relative to what it compares: a phase that begins at a zero of its own indicator does
/// not end there.
const BLUR: f64 = 1e-12;

/// What an importer must know after an event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Update {
    /// Whether the states jump.
    pub states_changed: bool,
    /// When the next event is that is known by its time, s.
    pub next: Option<f64>,
}

/// An oscillator that somebody else integrates. A copy goes on like the original.
#[derive(Debug, Clone)]
pub struct Exchange {
    loads: Arc<Loads>,
    /// The oscillator under its own loads and those of the importer, from the last event or change of them on.
    o: Oscillator,
    /// What is added at each inlet.
    pub inputs: Vec<Held>,
    /// Where it is: t (s), the state, and the energy lost so far, J.
    pub time: f64,
    state: State,
    lost: f64,
    phase: Phase,
    /// Since when it rests, s.
    since: f64,
    counts: [i32; EventKind::ALL.len()],
}

/// Whether model exchange is offered for a model: an oscillator without rigid stops.
pub fn is_offered(problem: &Problem) -> bool {
    let rigid = |o: &Oscillator| o.stops.is_some_and(|s| s.restitution().is_some());
    problem.model.as_oscillator().is_some_and(|o| !rigid(o) && problem.noises.is_empty())
}

impl Exchange {
    /// The oscillator of `problem` at t = 0, with `inputs` added to its signals.
    ///
    /// # Errors
    /// If the problem is not well posed, or model exchange is not offered for it.
    pub fn new(problem: &Problem, inputs: Vec<Held>) -> Result<Self, Error> {
        problem.check()?;
        let reason =
            "model exchange is there for oscillators without rigid stops; use co-simulation"
                .to_owned();
        let unsuitable = Error::Unsuitable { scheme: "of the importer", reason };
        let Some(o) = problem.model.as_oscillator().filter(|_| is_offered(problem)) else {
            return Err(unsuitable);
        };
        let state = State { x: o.initial.displacement, v: o.initial.velocity };
        let mut exchange = Self {
            loads: Arc::new(Loads::of(&problem.model)),
            o: o.clone(),
            inputs,
            time: 0.0,
            state,
            lost: 0.0,
            phase: Phase::Stick,
            since: 0.0,
            counts: [0; EventKind::ALL.len()],
        };
        exchange.load()?;
        let w = exchange.relative();
        exchange.phase = if w == 0.0 { exchange.at_rest() } else { Phase::slip(w) };
        Ok(exchange)
    }

    /// Takes the loads from the present time on.
    ///
    /// # Errors
    /// If a load is not finite, or the normal force negative.
    pub fn load(&mut self) -> Result<(), Error> {
        let add: Vec<[f64; 2]> = self.inputs.iter().map(|i| [i.at(self.time), i.rate]).collect();
        if let Model::Oscillator(o) = self.loads.from(self.time, self.time, &add)? {
            self.o = o;
        }
        Ok(())
    }

    /// ẋ − v_s, m/s; 0 where that is a rounding.
    fn relative(&self) -> f64 {
        let (v, support) = (self.state.v, self.o.support.value(self.time));
        let w = v - support;
        if w.abs() > BLUR * v.abs().max(support.abs()) { w } else { 0.0 }
    }

    /// What friction must hold at rest, N, and the limits ahead and back.
    fn at_limits(&self) -> (f64, [f64; 2]) {
        let (t, age) =
            (self.time, if self.phase == Phase::Stick { self.time - self.since } else { 0.0 });
        let normal = self.o.normal_force(t);
        let limit = |side: f64| normal * self.o.friction.limit(side, age.max(0.0));
        (self.o.load_at_rest(self.state.x, t), [limit(1.0), limit(-1.0)])
    }

    /// The phase that begins at rest: where the load stands at a limit, the way that it is going decides.
    fn at_rest(&self) -> Phase {
        let (b, [ahead, back]) = self.at_limits();
        let blur = BLUR * b.abs().max(ahead).max(back);
        match () {
            () if b > ahead + blur => Phase::slip(1.0),
            () if -b > back + blur => Phase::slip(-1.0),
            () => Phase::Stick,
        }
    }

    /// Displacement, velocity and the energy lost.
    pub fn states(&self) -> [f64; STATES] {
        [self.state.x, self.state.v, self.lost]
    }

    /// Puts them where the importer has integrated them to.
    pub fn set_states(&mut self, [x, v, lost]: [f64; STATES]) {
        (self.state, self.lost) = (State { x, v }, lost);
    }

    /// Their derivatives in the present phase.
    pub fn derivatives(&self) -> [f64; STATES] {
        let (o, t, State { x, v }) = (&self.o, self.time, self.state);
        if self.phase == Phase::Stick {
            let support = o.support.value(t);
            return [support, o.support.derivative(t), o.damping * support * support];
        }
        let force = o.friction_force(t, self.state, self.phase);
        let stops = o.stops.map_or(0.0, |s| s.loss(x, v));
        let lost = -force * (v - o.support.value(t)) + o.damping * v * v + stops;
        [v, (o.load(x, v, t) + force) / o.mass, lost]
    }

    /// How many event indicators there are.
    pub fn indicator_count(&self) -> usize {
        if self.o.stops.is_some() { 4 } else { 2 }
    }

    /// The event indicators.
    pub fn indicators(&self, out: &mut [f64]) {
        let [first, second] = match self.phase {
            Phase::Stick => {
                let (b, [ahead, back]) = self.at_limits();
                let blur = 2.0 * BLUR * b.abs().max(ahead).max(back);
                [ahead - b + blur, back + b + blur]
            }
            phase => {
                let (v, support) = (self.state.v, self.o.support.value(self.time));
                [phase.sign() * (v - support) + BLUR * v.abs().max(support.abs()).max(1.0), 1.0]
            }
        };
        let x = self.state.x;
        let stop = |a: Option<f64>, sign: f64| a.map_or(1.0, |a| sign * (x - a));
        let walls = self.o.stops.map(|s| stickslip::Wall::ALL.map(|w| s.at(w)));
        let [lower, upper] = walls.unwrap_or([None, None]);
        for (z, value) in out.iter_mut().zip([first, second, stop(lower, 1.0), stop(upper, -1.0)]) {
            *z = value;
        }
    }

    /// What comes next at an event: the phase, and whether the states jump.
    ///
    /// # Errors
    /// If the loads from here on are none.
    pub fn update(&mut self) -> Result<Update, Error> {
        self.load()?;
        let (before, v, w) = (self.phase, self.state.v, self.relative());
        let support = self.o.support.value(self.time);
        let passed = w * before.sign() <= BLUR * v.abs().max(support.abs()).max(1.0);
        self.phase = match before {
            Phase::Stick if w != 0.0 => Phase::slip(w),
            Phase::Stick => self.leaving(),
            _ if passed => self.at_rest(),
            _ => before,
        };
        let rests = before == Phase::Stick && w == 0.0 || before != Phase::Stick && passed;
        if rests {
            self.state.v = support;
        }
        let kind = match (before, self.phase) {
            (a, b) if a == b => None,
            (Phase::Stick, _) => Some(EventKind::Slip),
            (_, Phase::Stick) => Some(EventKind::Stick),
            _ => Some(EventKind::Reversal),
        };
        if kind == Some(EventKind::Stick) {
            self.since = self.time;
        }
        if let Some(i) = EventKind::ALL.iter().position(|k| Some(*k) == kind) {
            self.counts[i] = self.counts[i].saturating_add(1);
        }
        let next = Some(self.loads.next_breakpoint(self.time)).filter(|t| t.is_finite());
        Ok(Update { states_changed: self.state.v != v, next })
    }

    /// The phase after a stick whose indicator the importer has seen pass zero, or that is looked at for another reason.
    fn leaving(&self) -> Phase {
        let (b, [ahead, back]) = self.at_limits();
        match () {
            () if b > ahead => Phase::slip(1.0),
            () if -b > back => Phase::slip(-1.0),
            () => Phase::Stick,
        }
    }

    /// The numbers of a solution: x, v, friction, and the force of the stops where there are any.
    pub fn row(&self, out: &mut Vec<f64>) {
        let force = self.o.friction_force(self.time, self.state, self.phase);
        out.clear();
        out.extend([self.state.x, self.state.v, force]);
        out.extend(self.o.stops.map(|_| self.o.stop_force(self.time, self.state, self.phase)));
    }

    /// What the contact does: −1, 0, 1.
    pub fn phase(&self) -> i32 {
        if self.phase == Phase::Stick { 0 } else { self.phase.sign() as i32 }
    }

    /// Events of a kind so far.
    pub fn count(&self, kind: EventKind) -> i32 {
        EventKind::ALL.iter().position(|k| *k == kind).map_or(0, |i| self.counts[i])
    }

    /// Everything that decides how it goes on, beside its inputs and the time.
    pub fn numbers(&self) -> Vec<f64> {
        let own = [self.state.x, self.state.v, self.lost, f64::from(self.phase()), self.since];
        own.into_iter().chain(self.counts.iter().map(|n| f64::from(*n))).collect()
    }

    /// Puts it where it was when it gave these numbers; whether they are such numbers.
    pub fn put_back(&mut self, numbers: &[f64]) -> bool {
        let Some((&[x, v, lost, phase, since], counts)) = numbers.split_first_chunk::<5>() else {
            return false;
        };
        if counts.len() != self.counts.len() {
            return false;
        }
        self.phase = if phase == 0.0 { Phase::Stick } else { Phase::slip(phase) };
        (self.state, self.lost, self.since) = (State { x, v }, lost, since);
        self.counts.iter_mut().zip(counts).for_each(|(to, from)| *to = *from as i32);
        true
    }
}
