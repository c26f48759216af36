//! An oscillator that is integrated from outside.
//!
//! The indicators are what the library's own event location looks for:
//!
//! ```text
//! stick:  f_s N − b  and  f_s N + b,  b = load at rest            slip to the side s:  s (ẋ − v_s)  and  1
//! x − a_lower  and  a_upper − x, where there are stops; at rigid ones the velocity turns
//! ```
//!
//! In a stick the velocity is that of the support and the force what holds the load: nothing creeps.

use super::{BLUR, Equations, Known, Shared, Unknown, rebound};
use crate::model::{Inlet, Stops};
use crate::{Error, EventKind, Model, Oscillator, Phase, State, Wall};

/// An oscillator that somebody else integrates. A copy goes on like the original.
#[derive(Debug, Clone)]
pub struct OscillatorMotion {
    /// The oscillator under its own loads and those of the integrator, from the last event or change of them on.
    o: Oscillator,
    /// The state, and the energy lost so far, J.
    state: State,
    lost: f64,
    phase: Phase,
    /// Since when it rests, s.
    since: f64,
    /// The fastest that it has come to a rigid stop, m/s.
    fastest: f64,
}

impl OscillatorMotion {
    /// The oscillator `o` at t = 0.
    ///
    /// # Errors
    /// If a load is not finite or the normal force is negative.
    pub fn new(o: &Oscillator, at: &Shared) -> Result<Self, Error> {
        let state = State { x: o.initial.displacement, v: o.initial.velocity };
        let mut motion =
            Self { o: o.clone(), state, lost: 0.0, phase: Phase::Stick, since: 0.0, fastest: 0.0 };
        motion.load(at)?;
        let w = motion.relative(at.time);
        motion.phase = if w == 0.0 { motion.at_rest(at.time) } else { Phase::slip(w) };
        Ok(motion)
    }

    /// ẋ − v_s, m/s; 0 where that is a rounding.
    fn relative(&self, t: f64) -> f64 {
        let v = self.state.v;
        let support = self.o.support.value(t);
        let w = v - support;
        if w.abs() > BLUR * v.abs().max(support.abs()) { w } else { 0.0 }
    }

    /// What friction must hold at rest, N, and the limits ahead and back.
    fn at_limits(&self, t: f64) -> (f64, [f64; 2]) {
        let age = if self.phase == Phase::Stick { t - self.since } else { 0.0 };
        let normal = self.o.normal_force(self.state.x, t);
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
    fn meet(&mut self, at: &mut Shared) -> bool {
        let State { x, v } = self.state;
        let mass = self.o.mass;
        let Some((stops, e)) = self.o.stops.and_then(|s| Some((s, s.restitution()?))) else {
            return false;
        };
        let beyond = |wall: &Wall| {
            stops.at(*wall).is_some_and(|a| {
                wall.sign() * (x - a) <= BLUR * a.abs().max(1.0) && wall.sign() * v < 0.0
            })
        };
        let Some(wall) = Wall::ALL.into_iter().find(beyond) else { return false };
        self.fastest = self.fastest.max(v.abs());
        let stop = stops.at(wall).unwrap_or(x);
        let back = (-wall.sign() * self.o.load_at_rest(stop, at.time) / mass).max(0.0);
        let beyond = (x - stop).abs() + 2.0 * BLUR * stop.abs().max(1.0);
        let rebound = -v.signum() * rebound(e, [v.abs(), self.fastest], back, beyond);
        self.lost += 0.5 * mass * (v - rebound) * (v + rebound);
        self.state = State { x: stop, v: rebound };
        at.counts.add(EventKind::Impact);
        true
    }

    /// The phase that begins at rest: where the load stands at a limit, the way that it is going decides.
    fn at_rest(&self, t: f64) -> Phase {
        let (b, [ahead, back]) = self.at_limits(t);
        let blur = Self::blur(b, [ahead, back]);
        match () {
            () if b > ahead + blur => Phase::slip(1.0),
            () if -b > back + blur => Phase::slip(-1.0),
            () => Phase::Stick,
        }
    }

    /// The phase after a stick whose indicator the integrator has seen pass zero, or that is looked at for another reason.
    fn leaving(&self, t: f64) -> Phase {
        let (b, [ahead, back]) = self.at_limits(t);
        match () {
            () if b > ahead => Phase::slip(1.0),
            () if -b > back => Phase::slip(-1.0),
            () => Phase::Stick,
        }
    }
}

impl Equations for OscillatorMotion {
    fn load(&mut self, at: &Shared) -> Result<(), Error> {
        if let Some(Model::Oscillator(o)) = at.model()? {
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

    fn derivatives(&self, at: &Shared, out: &mut [f64]) {
        let o = &self.o;
        let t = at.time;
        let State { x, v } = self.state;
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

    fn indicators(&self, at: &Shared, out: &mut [f64]) {
        let [first, second] = match self.phase {
            Phase::Stick => {
                let (b, [ahead, back]) = self.at_limits(at.time);
                let blur = 2.0 * Self::blur(b, [ahead, back]);
                let left =
                    |limit: f64, b: f64| if limit.is_finite() { limit - b + blur } else { 1.0 };
                [left(ahead, b), left(back, -b)]
            }
            phase => {
                let v = self.state.v;
                let support = self.o.support.value(at.time);
                [phase.sign() * (v - support) + BLUR * v.abs().max(support.abs()).max(1.0), 1.0]
            }
        };
        let x = self.state.x;
        // A mass that leaves a rigid stop is far from it in its velocity, whatever the integrator's rounding of x.
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

    fn update(&mut self, at: &mut Shared) -> Result<bool, Error> {
        let before = self.phase;
        let was = self.state;
        let hit = self.meet(at);
        let v = self.state.v;
        let w = self.relative(at.time);
        let support = self.o.support.value(at.time);
        let passed = w * before.sign() <= BLUR * v.abs().max(support.abs()).max(1.0);
        self.phase = match before {
            _ if hit && w != 0.0 => Phase::slip(w),
            Phase::Stick if w != 0.0 => Phase::slip(w),
            Phase::Stick => self.leaving(at.time),
            _ if passed => self.at_rest(at.time),
            _ => before,
        };
        let rests = before == Phase::Stick && w == 0.0 || before != Phase::Stick && passed;
        if rests && !(hit && w != 0.0) {
            self.state.v = support;
        }
        // A stop that turns the mass round is an impact, which has been counted: the contact does not reverse of itself.
        let kind = EventKind::between(before, self.phase)
            .filter(|kind| !(hit && *kind == EventKind::Reversal));
        if kind == Some(EventKind::Stick) {
            self.since = at.time;
        }
        if let Some(kind) = kind {
            at.counts.add(kind);
        }
        Ok(self.state != was || hit)
    }

    fn partial(&self, at: &Shared, unknown: Unknown, known: Known) -> Option<f64> {
        let soft = self.o.stops.is_some_and(|s| s.spring().is_some());
        if !self.o.is_linear_in_pieces() || soft {
            return None;
        }
        let along = self.along(at, known)?;
        let o = &self.o;
        let v = self.state.v;
        let support = o.support.value(at.time);
        let force = self.force_along(at.time, along);
        if self.phase == Phase::Stick {
            return Some(match unknown {
                Unknown::Derivative(0) => along.support,
                Unknown::Derivative(1) => along.acceleration,
                Unknown::Derivative(2) => 2.0 * o.damping * support * along.support,
                Unknown::Value(2) => force,
                _ => return None,
            });
        }
        let friction = o.friction_force(at.time, self.state, self.phase);
        let load = o.stiffness * (along.drive - along.x) - o.damping * along.v + along.force;
        Some(match unknown {
            Unknown::Derivative(0) => along.v,
            Unknown::Derivative(1) => (load + force) / o.mass,
            Unknown::Derivative(2) => {
                let friction = force * (v - support) + friction * (along.v - along.support);
                2.0 * o.damping * v * along.v - friction
            }
            Unknown::Value(2) => force,
            _ => return None,
        })
    }

    fn row(&self, at: &Shared, out: &mut Vec<f64>) {
        let force = self.o.friction_force(at.time, self.state, self.phase);
        out.extend([self.state.x, self.state.v, force]);
        out.extend(self.o.stops.map(|_| self.o.stop_force(at.time, self.state, self.phase)));
    }

    fn lost(&self, _at: &Shared) -> f64 {
        self.lost
    }

    fn phase(&self, _at: &Shared, contact: usize) -> i32 {
        match Wall::ALL.into_iter().find(|w| w.stop_place() == contact) {
            Some(stop) => at_stop(&self.o, self.state.x, self.phase, stop),
            None => self.phase.sign() as i32,
        }
    }

    fn numbers(&self) -> Vec<f64> {
        let State { x, v } = self.state;
        vec![x, v, self.lost, self.phase.sign(), self.since, self.fastest]
    }

    fn put_back(&mut self, _at: &Shared, numbers: &[f64]) -> bool {
        let &[x, v, lost, phase, since, fastest] = numbers else { return false };
        self.phase = if phase == 0.0 { Phase::Stick } else { Phase::slip(phase) };
        (self.state, self.lost, self.since) = (State { x, v }, lost, since);
        self.fastest = fastest;
        true
    }
}

/// What a stop does: 0 where the mass stays at it, else the direction into the room.
pub fn at_stop(o: &Oscillator, x: f64, phase: Phase, stop: Wall) -> i32 {
    let stays = |s: Stops| s.restitution().is_none() || phase == Phase::Stick;
    let touched = o.stops.is_some_and(|s| s.touched(x) == Some(stop) && stays(s));
    if touched { 0 } else { stop.sign() as i32 }
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

impl OscillatorMotion {
    /// How everything goes with `known`; `None` if it is neither a state nor an input.
    fn along(&self, at: &Shared, known: Known) -> Option<Along> {
        let none = Along::default();
        match known {
            Known::Value(0) => return Some(Along { x: 1.0, ..none }),
            Known::Value(1) => return Some(Along { v: 1.0, ..none }),
            Known::Lost => return Some(none),
            _ => {}
        }
        let (input, value, rate) = at.input_with(known)?;
        Some(match at.inlet(input)? {
            Inlet::Drive => Along { drive: value, ..none },
            Inlet::Force => Along { force: value, ..none },
            Inlet::Support => Along { support: value, acceleration: rate, ..none },
            Inlet::Normal => Along { normal: value, ..none },
            _ => return None,
        })
    }

    /// How friction goes with it.
    fn force_along(&self, t: f64, along: Along) -> f64 {
        let o = &self.o;
        if self.phase == Phase::Stick {
            let load = o.stiffness * (along.drive - along.x) - o.damping * along.support;
            let held = load + along.force - o.mass * along.acceleration;
            let blocked = self.is_blocked(o.load_at_rest(self.state.x, t));
            return if blocked { 0.0 } else { 0.0 - held };
        }
        let side = self.phase.sign();
        let speed = (side * (self.state.v - o.support.value(t))).max(0.0);
        let (least, greatest) = o.friction.slope_range(side, speed, speed);
        let slope = o.normal_force(self.state.x, t) * 0.5 * (least + greatest);
        let pressed = side * o.friction.force(side, speed) * along.normal;
        0.0 - slope * (along.v - along.support) - pressed
    }
}
