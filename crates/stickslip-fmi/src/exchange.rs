//! The motion of one instance in model exchange: the importer integrates, the contact decides.
//!
//! In each phase the motion is smooth, and it stays in its phase until the importer has found a zero of an event indicator
//! and asked what comes next. The indicators are what the library's own event location looks for:
//!
//! ```text
//! stick:  f_s N − b  and  f_s N + b,  b = load at rest            slip to the side s:  s (ẋ − v_s)  and  1
//! x − a_lower  and  a_upper − x, where there are stops; at rigid ones the velocity turns
//! ```
//!
//! In a stick the velocity is that of the support and the force what holds the load: nothing creeps.

use crate::run::Held;
use std::sync::Arc;
use stickslip::model::{Inlet, Loads};
use stickslip::{Error, EventKind, Model, Oscillator, Phase, Problem, State, Wall};
use stickslip_file::interface::Meaning;

/// A rebound slower than the fastest approach by this factor is none: the mass rests at the stop.
const REBOUND: f64 = 1e-8;

/// What an importer that integrates asks of a motion.
pub trait Integrated {
    /// Where it is, s.
    fn time(&self) -> f64;

    /// Puts it to `t` (s).
    ///
    /// # Errors
    /// If the loads there are none.
    fn set_time(&mut self, t: f64) -> Result<(), Error>;

    /// What is added at each inlet.
    fn inputs(&mut self) -> &mut [Held];

    /// Takes the loads from the present time on.
    ///
    /// # Errors
    /// If a load is not finite, or the normal force negative.
    fn load(&mut self) -> Result<(), Error>;

    /// The continuous states.
    fn states(&self, out: &mut [f64]);

    /// Puts them where the importer has integrated them to.
    fn set_states(&mut self, states: &[f64]);

    /// Their derivatives in the present phase.
    fn derivatives(&self, out: &mut [f64]);

    /// The event indicators.
    fn indicators(&self, out: &mut [f64]);

    /// What comes next at an event: the phase, and whether the states jump.
    ///
    /// # Errors
    /// If the loads from here on are none.
    fn update(&mut self) -> Result<Update, Error>;

    /// ∂`unknown`/∂`known` in the present phase; `None` where no formula is at hand.
    fn partial(&self, unknown: Meaning, known: Meaning) -> Option<f64>;
}

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
    /// The fastest that it has come to a rigid stop, m/s.
    fastest: f64,
    counts: [i32; EventKind::ALL.len()],
}

/// Whether model exchange is offered for a model: an oscillator.
pub fn is_offered(problem: &Problem) -> bool {
    problem.model.as_oscillator().is_some() && problem.noises.is_empty()
}

impl Exchange {
    /// The oscillator of `problem` at t = 0, with `inputs` added to its signals.
    ///
    /// # Errors
    /// If the problem is not well posed, or model exchange is not offered for it.
    pub fn new(problem: &Problem, inputs: Vec<Held>) -> Result<Self, Error> {
        problem.check()?;
        let reason =
            "model exchange is there for oscillators and elements; use co-simulation".to_owned();
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
            fastest: 0.0,
            counts: [0; EventKind::ALL.len()],
        };
        exchange.load()?;
        let w = exchange.relative();
        exchange.phase = if w == 0.0 { exchange.at_rest() } else { Phase::slip(w) };
        Ok(exchange)
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
        let held = |side: f64| if self.is_blocked(side) { f64::INFINITY } else { limit(side) };
        (self.o.load_at_rest(self.state.x, t), [held(1.0), held(-1.0)])
    }

    /// The rigid stop at which it is, and which it does not leave.
    fn rigid_stop(&self) -> Option<Wall> {
        let rigid = self.o.stops.filter(|s| s.restitution().is_some());
        rigid.and_then(|s| s.touched(self.state.x))
    }

    /// Whether a rigid stop keeps it from going the way of `side`.
    fn is_blocked(&self, side: f64) -> bool {
        self.rigid_stop().is_some_and(|wall| wall.sign() * side < 0.0)
    }

    /// The size of the forces at rest, N, times what rounding makes of them.
    fn blur(b: f64, limits: [f64; 2]) -> f64 {
        BLUR * limits.into_iter().filter(|l| l.is_finite()).fold(b.abs(), f64::max)
    }

    /// An impact at a rigid stop that the mass has come to, if there is one: whether the velocity has jumped.
    fn meet(&mut self) -> bool {
        let (State { x, v }, mass) = (self.state, self.o.mass);
        let Some((stops, e)) = self.o.stops.and_then(|s| Some((s, s.restitution()?))) else {
            return false;
        };
        let beyond = |wall: &Wall| {
            let at = stops.at(*wall);
            at.is_some_and(|a| {
                wall.sign() * (x - a) <= BLUR * a.abs().max(1.0) && wall.sign() * v < 0.0
            })
        };
        let Some(wall) = Wall::ALL.into_iter().find(beyond) else { return false };
        self.fastest = self.fastest.max(v.abs());
        let rebound = if e * v.abs() <= REBOUND * self.fastest { 0.0 } else { -e * v };
        self.lost += 0.5 * mass * (v - rebound) * (v + rebound);
        self.state = State { x: stops.at(wall).unwrap_or(x), v: rebound };
        self.count_one(EventKind::Impact);
        true
    }

    fn count_one(&mut self, kind: EventKind) {
        if let Some(i) = EventKind::ALL.iter().position(|k| *k == kind) {
            self.counts[i] = self.counts[i].saturating_add(1);
        }
    }

    /// The phase that begins at rest: where the load stands at a limit, the way that it is going decides.
    fn at_rest(&self) -> Phase {
        let (b, [ahead, back]) = self.at_limits();
        let blur = Self::blur(b, [ahead, back]);
        match () {
            () if b > ahead + blur => Phase::slip(1.0),
            () if -b > back + blur => Phase::slip(-1.0),
            () => Phase::Stick,
        }
    }

    /// Displacement, velocity and the energy lost.
    pub fn energy_lost(&self) -> f64 {
        self.lost
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
        let State { x, v } = self.state;
        let own = [x, v, self.lost, f64::from(self.phase()), self.since, self.fastest];
        own.into_iter().chain(self.counts.iter().map(|n| f64::from(*n))).collect()
    }

    /// Puts it where it was when it gave these numbers; whether they are such numbers.
    pub fn put_back(&mut self, numbers: &[f64]) -> bool {
        let Some((&[x, v, lost, phase, since, fastest], counts)) = numbers.split_first_chunk::<6>()
        else {
            return false;
        };
        if counts.len() != self.counts.len() {
            return false;
        }
        self.phase = if phase == 0.0 { Phase::Stick } else { Phase::slip(phase) };
        (self.state, self.lost, self.since) = (State { x, v }, lost, since);
        self.fastest = fastest;
        self.counts.iter_mut().zip(counts).for_each(|(to, from)| *to = *from as i32);
        true
    }
}

impl Integrated for Exchange {
    fn time(&self) -> f64 {
        self.time
    }

    fn set_time(&mut self, t: f64) -> Result<(), Error> {
        self.time = t;
        Ok(())
    }

    fn inputs(&mut self) -> &mut [Held] {
        &mut self.inputs
    }

    fn load(&mut self) -> Result<(), Error> {
        let add: Vec<[f64; 2]> = self.inputs.iter().map(|i| [i.at(self.time), i.rate]).collect();
        if let Model::Oscillator(o) = self.loads.from(self.time, self.time, &add)? {
            self.o = o;
        }
        Ok(())
    }

    fn states(&self, out: &mut [f64]) {
        out.copy_from_slice(&[self.state.x, self.state.v, self.lost]);
    }

    fn set_states(&mut self, states: &[f64]) {
        if let &[x, v, lost] = states {
            (self.state, self.lost) = (State { x, v }, lost);
        }
    }

    fn derivatives(&self, out: &mut [f64]) {
        let (o, t, State { x, v }) = (&self.o, self.time, self.state);
        if self.phase == Phase::Stick {
            let support = o.support.value(t);
            out.copy_from_slice(&[support, o.support.derivative(t), o.damping * support * support]);
            return;
        }
        let force = o.friction_force(t, self.state, self.phase);
        let stops = o.stops.map_or(0.0, |s| s.loss(x, v));
        let lost = -force * (v - o.support.value(t)) + o.damping * v * v + stops;
        out.copy_from_slice(&[v, (o.load(x, v, t) + force) / o.mass, lost]);
    }

    fn indicators(&self, out: &mut [f64]) {
        let [first, second] = match self.phase {
            Phase::Stick => {
                let (b, [ahead, back]) = self.at_limits();
                let blur = 2.0 * Self::blur(b, [ahead, back]);
                let left =
                    |limit: f64, b: f64| if limit.is_finite() { limit - b + blur } else { 1.0 };
                [left(ahead, b), left(back, -b)]
            }
            phase => {
                let (v, support) = (self.state.v, self.o.support.value(self.time));
                [phase.sign() * (v - support) + BLUR * v.abs().max(support.abs()).max(1.0), 1.0]
            }
        };
        let x = self.state.x;
        // A mass that leaves a rigid stop is far from it in its velocity, whatever the importer's rounding of x.
        let rigid = self.o.stops.is_some_and(|s| s.restitution().is_some());
        let v = self.state.v;
        let inner = |a: f64, sign: f64| {
            if rigid { 2.0 * BLUR * a.abs().max(1.0) + (sign * v).max(0.0) } else { 0.0 }
        };
        let rests = self.rigid_stop().filter(|_| self.phase == Phase::Stick);
        let stop = |wall: Wall, a: Option<f64>| match a {
            Some(a) if rests != Some(wall) => wall.sign() * (x - a) + inner(a, wall.sign()),
            _ => 1.0,
        };
        let walls = self.o.stops.map(|s| Wall::ALL.map(|w| s.at(w)));
        let [lower, upper] = walls.unwrap_or([None, None]);
        for (z, value) in out.iter_mut().zip([
            first,
            second,
            stop(Wall::ALL[0], lower),
            stop(Wall::ALL[1], upper),
        ]) {
            *z = value;
        }
    }

    fn update(&mut self) -> Result<Update, Error> {
        self.load()?;
        let (before, was) = (self.phase, self.state);
        let hit = self.meet();
        let (v, w) = (self.state.v, self.relative());
        let support = self.o.support.value(self.time);
        let passed = w * before.sign() <= BLUR * v.abs().max(support.abs()).max(1.0);
        self.phase = match before {
            _ if hit && w != 0.0 => Phase::slip(w),
            Phase::Stick if w != 0.0 => Phase::slip(w),
            Phase::Stick => self.leaving(),
            _ if passed => self.at_rest(),
            _ => before,
        };
        let rests = before == Phase::Stick && w == 0.0 || before != Phase::Stick && passed;
        if rests && !(hit && w != 0.0) {
            self.state.v = support;
        }
        let kind = match (before, self.phase) {
            (a, b) if a == b => None,
            (Phase::Stick, _) => Some(EventKind::Slip),
            (_, Phase::Stick) => Some(EventKind::Stick),
            _ if hit => None,
            _ => Some(EventKind::Reversal),
        };
        if kind == Some(EventKind::Stick) {
            self.since = self.time;
        }
        if let Some(kind) = kind {
            self.count_one(kind);
        }
        let next = Some(self.loads.next_breakpoint(self.time)).filter(|t| t.is_finite());
        Ok(Update { states_changed: self.state != was || hit, next })
    }

    fn partial(&self, unknown: Meaning, known: Meaning) -> Option<f64> {
        let soft = self.o.stops.is_some_and(|s| s.spring().is_some());
        if !self.o.is_linear_in_pieces() || soft {
            return None;
        }
        let along = self.along(known)?;
        let (o, v) = (&self.o, self.state.v);
        let support = o.support.value(self.time);
        let force = self.force_along(along);
        if self.phase == Phase::Stick {
            return Some(match unknown {
                Meaning::Derivative(0) => along.support,
                Meaning::Derivative(1) => along.acceleration,
                Meaning::Derivative(2) => 2.0 * o.damping * support * along.support,
                Meaning::Output(2) => force,
                _ => return None,
            });
        }
        let friction = o.friction_force(self.time, self.state, self.phase);
        let load = o.stiffness * (along.drive - along.x) - o.damping * along.v + along.force;
        Some(match unknown {
            Meaning::Derivative(0) => along.v,
            Meaning::Derivative(1) => (load + force) / o.mass,
            Meaning::Derivative(2) => {
                let friction = force * (v - support) + friction * (along.v - along.support);
                2.0 * o.damping * v * along.v - friction
            }
            Meaning::Output(2) => force,
            _ => return None,
        })
    }
}

/// How everything that a force depends on goes with one variable.
#[derive(Debug, Clone, Copy, Default)]
struct Along {
    x: f64,
    v: f64,
    drive: f64,
    force: f64,
    support: f64,
    acceleration: f64,
    normal: f64,
}

impl Exchange {
    /// How everything goes with `known`; `None` if it is neither a state nor an input.
    fn along(&self, known: Meaning) -> Option<Along> {
        let none = Along::default();
        let of = |i: usize, by: f64| {
            Some(match self.loads.inlets().get(i)? {
                Inlet::Drive => Along { drive: by, ..none },
                Inlet::Force => Along { force: by, ..none },
                Inlet::Support => Along { support: by, ..none },
                Inlet::Normal => Along { normal: by, ..none },
                _ => return None,
            })
        };
        match known {
            Meaning::Output(0) => Some(Along { x: 1.0, ..none }),
            Meaning::Output(1) => Some(Along { v: 1.0, ..none }),
            Meaning::Lost => Some(none),
            Meaning::Input(i) => of(i, 1.0),
            Meaning::Rate(i) => {
                let along = of(i, self.time - self.inputs.get(i)?.since)?;
                let moves = self.loads.inlets()[i] == Inlet::Support;
                Some(Along { acceleration: f64::from(u8::from(moves)), ..along })
            }
            _ => None,
        }
    }

    /// How friction goes with it.
    fn force_along(&self, along: Along) -> f64 {
        let o = &self.o;
        if self.phase == Phase::Stick {
            let load = o.stiffness * (along.drive - along.x) - o.damping * along.support;
            let held = load + along.force - o.mass * along.acceleration;
            let blocked = self.is_blocked(o.load_at_rest(self.state.x, self.time));
            return if blocked { 0.0 } else { 0.0 - held };
        }
        let side = self.phase.sign();
        let speed = (side * (self.state.v - o.support.value(self.time))).max(0.0);
        let (least, greatest) = o.friction.slope_range(side, speed, speed);
        let slope = o.normal_force(self.time) * 0.5 * (least + greatest);
        let pressed = side * o.friction.force(side, speed) * along.normal;
        0.0 - slope * (along.v - along.support) - pressed
    }
}
