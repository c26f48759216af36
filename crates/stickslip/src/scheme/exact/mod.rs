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

mod slip;

use crate::error::Error;
use crate::model::Oscillator;
use crate::scheme::event_loop::{self, EventDriven, Observer};
use crate::scheme::linear::{LinearArc, Medium};
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
    run(oscillator, end, MAX_EVENTS, &mut path)?;
    Ok(path)
}

/// The same, streaming to `observer` and keeping nothing.
pub fn run(
    oscillator: &Oscillator,
    end: f64,
    max_events: usize,
    observer: &mut impl Observer<Arc>,
) -> Result<(), Error> {
    oscillator.check_until(end)?;
    let mut system = System::new(oscillator);
    let state = State { x: oscillator.initial.displacement, v: oscillator.initial.velocity };
    let phase = if state.v == 0.0 { system.at_rest(0.0, state.x) } else { Phase::slip(state.v) };
    event_loop::run(&mut system, state, phase, end, max_events, observer)
}

/// The oscillator as the event loop sees it.
struct System {
    medium: Shared<Medium>,
    /// K d(t) + f(t), N.
    load: Shared<Signal>,
    breakaway: f64,
    sliding: f64,
    /// The affine piece of the load in use.
    piece: usize,
}

impl System {
    fn new(o: &Oscillator) -> Self {
        let load = o.load_signal();
        let medium = Shared::new(Medium::new(o.mass, o.damping, o.stiffness, load.harmonics()));
        let (breakaway, sliding) = (o.friction.breakaway(), o.friction.sliding());
        Self { medium, load: Shared::new(load), breakaway, sliding, piece: 0 }
    }

    /// The phase that begins at rest at `x` when the load is K d + f − K x: stick within ±f_s,
    /// slip beyond; at the limit the load's rate decides.
    fn at_rest(&self, t: f64, x: f64) -> Phase {
        let piece = self.load.piece_at(t);
        let [load, rate, curve, _] = piece.derivatives(t);
        let b = load - self.medium.stiffness * x;
        let noise = 8.0
            * f64::EPSILON
            * (piece.scale(t) + self.medium.stiffness * x.abs() + self.breakaway);
        if b.abs() > self.breakaway + noise {
            return Phase::slip(b);
        }
        // The way the load is going: the first derivative that says so.
        let trend = if rate != 0.0 { rate } else { curve };
        let direction = if b.abs() <= noise { trend } else { b };
        let grows = trend * direction > 0.0;
        if b.abs() >= self.breakaway - noise && grows {
            Phase::slip(direction)
        } else {
            Phase::Stick
        }
    }

    /// The slip that begins where the limit is about to be exceeded: in the direction of the load,
    /// or, without any friction, of its growth.
    fn breakaway_direction(&self, t: f64, x: f64) -> Phase {
        let b = self.load.value(t) - self.medium.stiffness * x;
        Phase::slip(if self.breakaway > 0.0 { b } else { self.load.derivative(t) })
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
        match phase {
            Phase::Stick => {
                let hold = self.medium.stiffness * state.x;
                let exit = self.load.piece_at(t).first_exceedance(hold, self.breakaway, t, until);
                (Arc::Rest(state.x), exit.map(|(time, _)| time))
            }
            Phase::SlipForward | Phase::SlipBackward => {
                let friction = phase.sign() * self.sliding;
                let arc = LinearArc::new(
                    &self.medium,
                    &self.load,
                    self.piece,
                    t,
                    *state,
                    friction,
                    until,
                );
                let stop = first_rest(&arc, phase.sign(), self.breakaway, until);
                (Arc::Slip(Box::new(arc)), stop)
            }
        }
    }

    fn arrive(&self, arc: &Arc, t: f64) -> State {
        arc.state(t)
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
        let State { x, v } = state;
        let mut record = |kind| events.push(Event { kind, time: t, x, v: 0.0 });
        match phase {
            Phase::Stick => {
                let next = if hit { self.breakaway_direction(t, x) } else { self.at_rest(t, x) };
                if next != Phase::Stick {
                    record(EventKind::Slip);
                }
                (state, next)
            }
            _ if hit || v * phase.sign() <= 0.0 => {
                let next = self.at_rest(t, x);
                match next {
                    Phase::Stick => record(EventKind::Stick),
                    _ if next != phase => record(EventKind::Reversal),
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
