//! The exact step-by-step solution (seed 000 §2.3): closed-form arcs between certified events.
//!
//! Rules at the contacts that seed 000 leaves open, where the load or the velocity only touches:
//!
//! * a load that reaches ±f_s without exceeding it does not end the stick (S1: "as soon as |b|
//!   *would exceed* f_s");
//! * a velocity that reaches zero is at rest there, even if it would not change its sign: the slip
//!   has left the open set (6) of the seed, and the stick begins if |b| ≤ f_s;
//! * a load at the limit, to rounding, counts as at the limit; a stick that would end at the
//!   instant it begins (the load is at the limit and grows) is none: the slip goes on.

mod frame;
mod slip;

pub use frame::Frame;

use crate::error::Error;
use crate::model::{Initial, Oscillator};
use crate::roots::{Jet, Touch, first_root};
use crate::scheme::event_loop::{self, EventDriven, Observer};
use crate::scheme::linear::{LinearArc, Medium};
use crate::scheme::uniqueness;
use crate::signal::Signal;
use crate::trajectory::{Arc, Event, EventKind, Motion, Phase, State, Trajectory};
use slip::first_rest;
use std::sync::Arc as Shared;

/// Events after which a run that keeps its path is given up: some 400 MB, far more than any
/// sensible run has. [`run`] takes its own limit.
pub const MAX_EVENTS: usize = 1_000_000;

/// Solves `oscillator` on [0, `end`] (s) exactly, to rounding.
///
/// ```
/// use stickslip::{Law, Oscillator, Signal, scheme::exact};
/// # fn main() -> Result<(), stickslip::Error> {
/// let shaw = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0)?)
///     .with_drive(Signal::harmonic(6.0, 0.5, 0.0))
///     .starting_at(6.0, 0.0);
/// let path = exact::solve(&shaw, 40.0)?;
/// assert_eq!(path.events().len(), 10);
/// # Ok(()) }
/// ```
pub fn solve(oscillator: &Oscillator, end: f64) -> Result<Trajectory, Error> {
    let mut path = Trajectory::default();
    let suspects = advance(oscillator, end, MAX_EVENTS, &mut path)?;
    uniqueness::examine_at(oscillator, &mut path, &suspects);
    Ok(path)
}

/// The same, streaming to `observer` and keeping nothing.
pub fn run(
    oscillator: &Oscillator,
    end: f64,
    max_events: usize,
    observer: &mut impl Observer<Arc>,
) -> Result<(), Error> {
    advance(oscillator, end, max_events, observer).map(|_| ())
}

/// Runs, and returns instants of the sticks that come so near the limit that leaving might be
/// possible.
fn advance(
    oscillator: &Oscillator,
    end: f64,
    max_events: usize,
    observer: &mut impl Observer<Arc>,
) -> Result<Vec<f64>, Error> {
    oscillator.check_until(end)?;
    let mut system = System::new(oscillator)?;
    let State { x, v } = system.to_frame(oscillator.initial);
    let state = State { x, v };
    let phase = if v == 0.0 { system.at_rest(0.0, x) } else { Phase::slip(v) };
    event_loop::run(&mut system, state, phase, end, max_events, observer)?;
    Ok(system.suspects)
}

/// The oscillator as the event loop sees it, relative to its support.
struct System {
    stiffness: f64,
    /// All that depends on time alone, N.
    load: Shared<Signal>,
    /// Limits and friction towards each side, ahead (0) and back (1).
    sides: [Side; 2],
    frame: Option<Shared<Frame>>,
    /// The affine piece of the loads in use.
    piece: usize,
    /// The side towards which the last stick ended.
    exit: f64,
    /// Whether a stick at the limit may end at will (f_s > f_d).
    rule: bool,
    suspects: Vec<f64>,
}

/// The contact towards one side.
struct Side {
    medium: Shared<Medium>,
    /// f_s and f_d, N; per N of normal force where that varies.
    breakaway: f64,
    sliding: f64,
    /// The load in slip; with a varying normal force it contains the friction.
    load: Shared<Signal>,
    /// f_s F_n(t), N, where F_n varies.
    limit: Option<Signal>,
}

impl Side {
    /// Friction as a constant beside `load`, N.
    fn friction(&self) -> f64 {
        if self.limit.is_some() { 0.0 } else { self.sliding }
    }
}

impl System {
    fn new(o: &Oscillator) -> Result<Self, Error> {
        let unsuitable =
            |reason: &str| Error::Unsuitable { scheme: "exact", reason: reason.into() };
        if !o.is_linear() {
            return Err(unsuitable("the load is not linear in x and v; use adaptive"));
        }
        let constants = o.friction.constants().ok_or_else(|| {
            unsuitable("the friction depends on the velocity or on the time at rest; use adaptive")
        })?;
        let frame = Frame::new(o);
        let mut load = o.load_signal();
        if let Some(frame) = &frame {
            load = load + frame.load(o)?;
        }
        let scale = o.normal.as_ref().and_then(Signal::as_constant);
        let varying = o.normal.as_ref().filter(|_| scale.is_none());
        if let Some(n) = varying {
            load = load + 0.0 * n.clone(); // its breakpoints are breakpoints of all
        }
        let scale = scale.unwrap_or(1.0);
        let plain = Shared::new(load);
        let medium = |load: &Signal| {
            Shared::new(Medium::new(o.mass, o.damping, o.stiffness, load.harmonics()))
        };
        let common = medium(&plain);
        let side = |(fs, fd): (f64, f64), sign: f64| match varying {
            None => {
                let (load, medium) = (plain.clone(), common.clone());
                Side { medium, breakaway: scale * fs, sliding: scale * fd, load, limit: None }
            }
            Some(n) => {
                let load = Shared::new((*plain).clone() + (-sign * fd) * n.clone());
                let limit = Some(fs * n.clone());
                Side { medium: medium(&load), breakaway: fs, sliding: fd, load, limit }
            }
        };
        let sides = [side(constants[0], 1.0), side(constants[1], -1.0)];
        Ok(Self {
            stiffness: o.stiffness,
            load: plain,
            sides,
            frame: frame.map(Shared::new),
            piece: 0,
            exit: 1.0,
            rule: o.friction.is_rule(),
            suspects: Vec::new(),
        })
    }

    fn to_frame(&self, initial: Initial) -> State {
        let at = self.frame.as_ref().map_or(State::default(), |f| f.at(0.0, 0.0));
        State { x: initial.displacement - at.x, v: initial.velocity - at.v }
    }

    fn side(&self, sign: f64) -> &Side {
        &self.sides[usize::from(sign < 0.0)]
    }

    /// limit − sign·b at rest at `x`, ahead (sign +1) and back (−1): value and two derivatives; and
    /// the size of the forces in it, N.
    fn margins(&self, t: f64, x: f64) -> ([[f64; 3]; 2], f64) {
        let piece = self.load.nth_piece(self.piece);
        let b = piece.derivatives(t);
        let hold = self.stiffness * x;
        let mut scale = piece.scale(t) + hold.abs();
        let margins = [1.0, -1.0].map(|sign| {
            let side = self.side(sign);
            let limit = match &side.limit {
                None => [side.breakaway, 0.0, 0.0, 0.0],
                Some(limit) => limit.piece_at(t).derivatives(t),
            };
            scale = scale.max(limit[0].abs());
            [limit[0] - sign * (b[0] - hold), limit[1] - sign * b[1], limit[2] - sign * b[2]]
        });
        (margins, scale)
    }

    /// The phase that begins at rest at `x`: stick within the limits, slip beyond; at a limit, to
    /// rounding, the way the load is going decides.
    fn at_rest(&self, t: f64, x: f64) -> Phase {
        let (margins, scale) = self.margins(t, x);
        let noise = 16.0 * f64::EPSILON * scale;
        for (sign, m) in [1.0, -1.0].into_iter().zip(margins) {
            if m[0] < -noise {
                return Phase::slip(sign);
            }
        }
        for (sign, m) in [1.0, -1.0].into_iter().zip(margins) {
            if m[0] <= noise && (m[1] < 0.0 || (m[1] == 0.0 && m[2] < 0.0)) {
                return Phase::slip(sign);
            }
        }
        Phase::Stick
    }

    /// When the load first leaves the limits, and towards which side; `near` is shown each margin
    /// that the search looks at, and the size of the forces.
    fn first_exit(
        &self,
        x: f64,
        from: f64,
        to: f64,
        mut near: impl FnMut(&Jet, f64),
    ) -> Option<(f64, f64)> {
        let hold = self.stiffness * x;
        let piece = self.load.nth_piece(self.piece);
        let [ahead, back] = &self.sides;
        let (Some(ahead), Some(back)) = (&ahead.limit, &back.limit) else {
            let (ahead, back) = (ahead.breakaway, back.breakaway);
            let (centre, half) = (0.5 * (ahead - back), 0.5 * (ahead + back));
            let scale = piece.scale(from) + hold.abs() + half;
            return piece.first_exceedance_seen(hold + centre, half, from, to, |j| near(j, scale));
        };
        let limits = [ahead.piece_at(from), back.piece_at(from)];
        let scale = piece.scale(from) + hold.abs() + limits[0].scale(from);
        let noise = 8.0 * f64::EPSILON * scale;
        let root = first_root(from, to, noise, Touch::Passes, |t| {
            let b = piece.derivatives(t);
            let mut side = |i: usize, sign: f64| {
                let limit = limits[i].derivatives(t);
                let jet = Jet {
                    value: limit[0] - sign * (b[0] - hold),
                    first: limit[1] - sign * b[1],
                    second: limit[2] - sign * b[2],
                    bound: limits[i].third_bound + piece.third_bound,
                    growth: 0.0,
                };
                near(&jet, scale);
                jet
            };
            [side(0, 1.0), side(1, -1.0)]
        });
        root.map(|r| (r.at, if r.which == 0 { 1.0 } else { -1.0 }))
    }

    /// The stick from `t` on: when it ends. Notes those that begin at the limit or come very near it
    /// on the way.
    fn stick(&mut self, t: f64, x: f64, until: f64) -> Option<f64> {
        let mut suspect = false;
        let exit = self.first_exit(x, t, until, |jet, scale| {
            suspect |= jet.turns_within(uniqueness::SUSPECT * scale);
        });
        if let Some((_, side)) = exit {
            self.exit = side;
        }
        if self.rule {
            let (margins, scale) = self.margins(t, x);
            let stands = margins.iter().any(|m| m[0] <= uniqueness::SUSPECT * scale);
            if suspect || stands {
                self.suspects.push(t);
            }
        }
        exit.map(|e| e.0)
    }

    /// The segment's motion as seen from the ground.
    fn carry(&self, arc: Arc, start: f64) -> Arc {
        match &self.frame {
            None => arc,
            Some(f) => Arc::Carried { relative: Box::new(arc), support: f.clone(), start },
        }
    }
}

impl EventDriven for System {
    type State = State;
    type Motion = Arc;

    fn smooth_until(&mut self, t: f64) -> f64 {
        let knots = self.load.knots();
        while knots.get(self.piece + 1).is_some_and(|k| k.time <= t) {
            self.piece += 1;
        }
        knots.get(self.piece + 1).map_or(f64::INFINITY, |k| k.time)
    }

    fn motion(&mut self, t: f64, state: &State, phase: &Phase, until: f64) -> (Arc, Option<f64>) {
        let (arc, stop) = match phase {
            Phase::Stick => (Arc::Rest(state.x), self.stick(t, state.x, until)),
            Phase::SlipForward | Phase::SlipBackward => {
                let sign = phase.sign();
                let side = self.side(sign);
                let friction = sign * side.friction();
                let arc = LinearArc::new(
                    &side.medium,
                    &side.load,
                    self.piece,
                    t,
                    *state,
                    friction,
                    until,
                );
                // At rest |b| is at least at the limit, whatever the rounding.
                let least = match &side.limit {
                    None => side.breakaway - side.sliding,
                    Some(limit) => {
                        limit.value(t)
                            * (1.0 - side.sliding / side.breakaway.max(f64::MIN_POSITIVE))
                    }
                };
                let stop = first_rest(&arc, sign, least, until);
                (Arc::Slip(Box::new(arc)), stop)
            }
        };
        (self.carry(arc, t), stop)
    }

    fn arrive(&self, arc: &Arc, t: f64) -> State {
        match arc {
            Arc::Carried { relative, .. } => relative.state(t),
            arc => arc.state(t),
        }
    }

    fn next(
        &mut self,
        t: f64,
        state: State,
        phase: Phase,
        hit: bool,
        events: &mut Vec<Event>,
    ) -> (State, Phase) {
        self.smooth_until(t); // at a breakpoint, read the load on its right
        let kick = if hit { 0.0 } else { self.frame.as_ref().map_or(0.0, |f| f.jump(t)) };
        let support = self.frame.as_ref().map_or(State::default(), |f| f.at(t, t));
        let State { x, v } = state;
        let mut record = |kind, w: f64| {
            events.push(Event { kind, time: t, x: x + support.x, v: w + support.v });
        };
        if kick != 0.0 {
            // The support jumps to another velocity, the mass keeps its own.
            let w = if phase == Phase::Stick { -kick } else { v - kick };
            let next = if w == 0.0 { self.at_rest(t, x) } else { Phase::slip(w) };
            match (phase, next) {
                (Phase::Stick, _) => record(EventKind::Slip, w),
                (_, Phase::Stick) => record(EventKind::Stick, w),
                (a, b) if a != b => record(EventKind::Reversal, w),
                _ => {}
            }
            return (State { x, v: w }, next);
        }
        match phase {
            Phase::Stick => {
                let next = if hit { Phase::slip(self.exit) } else { self.at_rest(t, x) };
                if next != Phase::Stick {
                    record(EventKind::Slip, 0.0);
                }
                (state, next)
            }
            _ if hit || v * phase.sign() <= 0.0 => {
                let next = self.at_rest(t, x);
                match next {
                    Phase::Stick => record(EventKind::Stick, 0.0),
                    _ if next != phase => record(EventKind::Reversal, 0.0),
                    _ => {} // touched zero and goes on
                }
                (State { x, v: 0.0 }, next)
            }
            _ => (state, phase),
        }
    }

    fn is_finite(&self, state: &State) -> bool {
        state.x.is_finite() && state.v.is_finite()
    }

    fn describe(&self, phase: &Phase) -> String {
        phase.to_string()
    }
}
