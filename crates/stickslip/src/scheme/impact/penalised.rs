//! Soft walls: a spring instead of a law, event-driven with linear arcs (Bastien, Bernardin, Lamarque 2013,
//! §1.3).
//!
//! Inside the distance l of a wall the mass feels −κ (y − rest) − γ ẏ more, y = x − a(t). Each stay in a
//! wall's spring is one closed-form arc, so a stiffness of 1e15 N/m costs what one of 1 N/m costs.
//!
//! * [`Penalty::spring`]: the spring of that chapter, engaged at l with κ l = 1 (in its units) and slack at
//!   the wall itself (so it first pulls the mass in), or slack where it engages.
//! * [`Penalty::yosida`]: the Yosida regularisation ∂ψ_λ(z) = (z − a)/λ beyond the wall: κ = 1/λ, l = 0.
//!
//! As κ → ∞ both tend to the rigid wall with e = 1. For e < 1 the dashpot γ is the one with which a
//! mass alone on the spring leaves with e times the speed it came with:
//! γ = 2 ζ √(κ m), e = exp(−π ζ/√(1 − ζ²)).

use super::check_effort;
use super::flight::{Landing, Task, follow};
use super::guard::Limit;
use super::room::{Relative, Room};
use crate::error::{Error, Obstacle, require};
use crate::model::{Impact, Wall, lost_in_segment};
use crate::motion::Medium;
use crate::motion::{
    Event, EventKind, ImpactArc, ImpactPath, Segment, State, Touching, WallArc, WallSpring,
};
use crate::portable;
use crate::scheme::cursor::Cursor;
use crate::scheme::event_loop::{
    self, Begins, EventDriven, Failure, Hit, Leg, Observer, most_events,
};
use std::f64::consts::PI;
use std::sync::Arc;

/// The spring in front of a wall.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Penalty {
    /// κ > 0, N/m.
    pub stiffness: f64,
    /// l ≥ 0, m: distance from the wall at which it engages.
    pub engagement: f64,
    /// Distance from the wall at which it is slack, m, at most l: 0 in Bastien, Bernardin, Lamarque 2013.
    pub rest: f64,
}

impl Penalty {
    /// The spring of Bastien, Bernardin, Lamarque 2013, §1.3: engaged at l, slack at the wall.
    pub fn spring(stiffness: f64, engagement: f64) -> Self {
        Self { stiffness, engagement, rest: 0.0 }
    }

    /// Engaged at the distance `engagement` (m) from the wall, slack at the distance `rest` ≤ `engagement` (m).
    pub fn new(stiffness: f64, engagement: f64, rest: f64) -> Self {
        Self { stiffness, engagement, rest }
    }

    /// Yosida's: λ in m/N.
    pub fn yosida(lambda: f64) -> Self {
        Self { stiffness: 1.0 / lambda, engagement: 0.0, rest: 0.0 }
    }

    /// The scheme that this penalty makes, by its name in files.
    fn name(&self) -> &'static str {
        if self.engagement == 0.0 { "yosida" } else { "spring" }
    }

    fn check(&self) -> Result<(), Error> {
        let Self { stiffness: k, engagement: l, rest } = *self;
        require(
            "the stiffness of the stop",
            k,
            k > 0.0,
            "a finite stiffness > 0 N/m (λ: > 0 m/N)",
        )?;
        require("the engagement distance", l, l >= 0.0, "a finite distance ≥ 0 m")?;
        require(
            "the rest position of the stop's spring",
            rest,
            rest <= l,
            "a distance ≤ the engagement, m",
        )
    }

    /// γ, N·s/m.
    fn damping(&self, mass: f64, restitution: f64) -> f64 {
        // ζ/√(1 − ζ²) = −ln e/π, solved for ζ.
        let decrement = -portable::ln(restitution) / PI;
        2.0 * (self.stiffness * mass).sqrt() * decrement / portable::hypot(decrement, 1.0)
    }
}

/// Solves `impact` with soft walls on [0, `end`] (s) exactly, to rounding.
///
/// # Errors
/// If a number is outside its range, a signal too short or not known in closed form, or the restitution is 0.
///
/// ```
/// use stickslip::{Impact, Signal, scheme::impact};
/// # fn main() -> Result<(), stickslip::Error> {
/// // Dropped from 0.5 m at 1 m/s², restitution ½: down after 1 s, at rest after 1 + 2(½ + ¼ + …) = 3 s.
/// let ball = Impact::new(1.0, 0.5)
///     .with_force(Signal::constant(-1.0))
///     .between(Some(Signal::constant(0.0)), None)
///     .starting_at(0.5, 0.0);
/// let path = impact::penalised::solve(&ball, impact::penalised::Penalty::spring(1e8, 0.0), 1.5)?;
/// // half a second after the first bounce, at the top of 0.125 m
/// assert!((path.state(1.5).x - 0.125).abs() < 1e-3);
/// # Ok(()) }
/// ```
pub fn solve(impact: &Impact, penalty: Penalty, end: f64) -> Result<ImpactPath, Error> {
    let mut path = ImpactPath::default();
    run(impact, penalty, end, most_events(), &mut path)?;
    Ok(path)
}

/// The same, streaming to `observer` and keeping nothing.
///
/// # Errors
/// As [`solve`], and [`Error::TooManyEvents`] beyond `max_events`.
pub fn run(
    impact: &Impact,
    penalty: Penalty,
    end: f64,
    max_events: usize,
    observer: &mut impl Observer<ImpactArc>,
) -> Result<(), Error> {
    let (system, begins) = begin(impact, penalty, end)?;
    check_effort(impact, end)?;
    event_loop::run(system, begins, end, max_events, observer)?;
    Ok(())
}

/// The run up to `end` (s at the latest), at the caller's pace: see [`Cursor`]. Its pieces have the events and states of
/// [`solve`] to the last bit.
///
/// # Errors
/// As [`solve`].
pub fn cursor(impact: &Impact, penalty: Penalty, end: f64) -> Result<Cursor<System>, Error> {
    let (system, begins) = begin(impact, penalty, end)?;
    Cursor::new(system, begins, 0.0, end, most_events())
}

/// The system, its state and its phase at t = 0.
fn begin(impact: &Impact, penalty: Penalty, end: f64) -> Result<(System, Begins<System>), Error> {
    impact.check_until(end)?;
    impact.force.require_closed_form("force", penalty.name())?;
    for wall in Wall::ALL {
        impact
            .wall(wall)
            .into_iter()
            .try_for_each(|w| w.require_closed_form("wall", penalty.name()))?;
    }
    penalty.check()?;
    // e = 0 would need ζ = 1, with which the mass only creeps back to the edge of the spring.
    if impact.restitution == 0.0 {
        let reason = Obstacle::NoRestitution;
        return Err(Error::Unsuitable { scheme: penalty.name(), reason });
    }
    let room = Room::new(impact);
    let m = impact.mass;
    let c = impact.damping;
    let k = impact.stiffness;
    let gamma = penalty.damping(m, impact.restitution);
    let spring = |f: &super::room::Frame| {
        // In its frame the wall is at rest, so its spring and dashpot add to those of the mass.
        Arc::new(Medium::new(m, c + gamma, k + penalty.stiffness, f.load.harmonics()))
    };
    let springs = room.frames.iter().map(spring).collect();
    let mut system = System { room, springs, penalty, gamma, entry: None };
    let state = State::from(impact.initial);
    let begins = system.set_out(0.0, state);
    Ok((system, begins))
}

/// What a motion starts from.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    at: Relative,
    carry: f64,
}

/// A stay in a wall's spring, so far.
#[derive(Debug, Clone, Copy)]
struct Entry {
    time: f64,
    velocity: f64,
    impulse: f64,
}

/// The mass between soft walls as the event loop sees it.
#[derive(Debug, Clone)]
pub struct System {
    room: Room,
    /// The motion inside each wall's spring.
    springs: Vec<Arc<Medium>>,
    penalty: Penalty,
    gamma: f64,
    /// The stay in a wall's spring in progress.
    entry: Option<Entry>,
}

impl System {
    /// State and phase of a mass that begins with `state` at `t`.
    fn set_out(&mut self, t: f64, state: State) -> Begins<Self> {
        let (at, phase) = self.locate(t, self.room.enter(t, state));
        let inside = phase != Touching::Flight;
        // A run may begin inside a spring: the stay is counted from there.
        self.entry = inside.then_some(Entry { time: t, velocity: state.v, impulse: 0.0 });
        (Start { at, carry: 0.0 }, phase)
    }

    fn wall(&self, frame: usize) -> Wall {
        self.room.frames[frame].wall
    }

    /// In the spring of a wall, or about to enter it, or free? With the frame to go on in.
    fn locate(&self, t: f64, r: Relative) -> (Relative, Touching) {
        let inside = (0..self.room.frames.len()).find_map(|frame| {
            // Each wall looks at the mass in a frame of its own, in which it is at zero.
            let there = self.room.change(t, r, frame);
            let wall = self.wall(frame);
            let distance = wall.sign() * there.y;
            let speed = wall.sign() * there.v;
            let l = self.penalty.engagement;
            // On the edge of the spring the way that the mass goes decides: one that leaves is free.
            let is_in = distance < l || (distance == l && speed < 0.0);
            is_in.then_some((there, Touching::Contact(wall)))
        });
        inside.unwrap_or((r, Touching::Flight))
    }

    fn event(&self, t: f64, kind: EventKind, r: Relative, entry: Entry) -> Event {
        let a = self.room.wall_state(r.frame, t);
        let Entry { time, velocity: before, impulse } = entry;
        let x = a.x + r.y;
        let v = a.v + r.v;
        let wall = self.wall(r.frame);
        Event {
            // The impulse of a soft wall takes time.
            duration: t - time,
            ..Event::impact(kind, t, wall.index(), x, [before, v], impulse)
        }
    }
}

impl EventDriven for System {
    type State = Start;
    type Motion = ImpactArc;
    type What = Landing;

    fn smooth_until(&mut self, t: f64) -> f64 {
        self.room.smooth_until(t)
    }

    fn motion(
        &mut self,
        t: f64,
        start: &Start,
        phase: &Touching,
        until: f64,
    ) -> Result<(ImpactArc, Option<Hit<Landing>>), Failure> {
        let frame = &self.room.frames[start.at.frame];
        let l = self.penalty.engagement;
        let sign = frame.wall.sign();
        let spring = WallSpring {
            stiffness: self.penalty.stiffness,
            damping: self.gamma,
            rest: sign * self.penalty.rest,
        };
        // In flight every wall bounds the motion; in a spring only its own edge does, and from the other side.
        let (medium, resistance, limit, spring) = match phase {
            Touching::Flight => (&frame.medium, 0.0, Limit::Above(l), None),
            Touching::Contact(_) => {
                // κ (y − rest): what does not depend on y acts like a constant force.
                let slack = -spring.stiffness * spring.rest;
                (&self.springs[start.at.frame], slack, Limit::Below(l), Some(spring))
            }
        };
        let task = Task { medium, resistance, limit, released: false, until, carry: start.carry };
        let (arc, landing) = follow(&self.room, t, start.at, task)?;
        let arc =
            WallArc { wall: frame.position.clone(), piece: frame.position_piece, arc, spring };
        let hit = landing.map(|landing| Hit { time: landing.time, what: landing });
        Ok((ImpactArc::Linear(Box::new(arc)), hit))
    }

    fn arrive(&self, leg: &Leg<Self>, t: f64, hit: Option<&Landing>) -> Start {
        if let Some(Landing { at, carry, .. }) = hit {
            // On the edge itself: the state at the rounded time would be next to it, and the search could find the
            // same edge again.
            return Start { at: *at, carry: *carry };
        }
        let State { x: y, v } = match &leg.motion {
            ImpactArc::Linear(arc) => arc.arc.state(t),
            _ => State::default(),
        };
        Start { at: Relative { frame: leg.state.at.frame, y, v }, carry: 0.0 }
    }

    fn next(
        &mut self,
        leg: &Leg<Self>,
        state: Start,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        let t = leg.stop;
        let phase = leg.phase;
        let hit = leg.hit.is_some();
        if let (Some(entry), ImpactArc::Linear(arc)) = (&mut self.entry, &leg.motion) {
            // A stay may have several arcs, where the loads break in between.
            entry.impulse += arc.impulse(t - leg.start);
        }
        let r = self.room.cross(t, state.at);
        let (r, next) = match phase {
            // At its own event the phase changes, whatever rounding says of the place; elsewhere the place decides,
            // since a wall may jump.
            Touching::Flight if hit => (r, Touching::Contact(self.wall(r.frame))),
            Touching::Contact(_) if hit => (r, Touching::Flight),
            _ => self.locate(t, r),
        };
        match (phase, next) {
            // The velocity is noted when it enters, since the event at the end of the stay shows both.
            (Touching::Flight, Touching::Contact(_)) => {
                let a = self.room.wall_state(r.frame, t);
                let entry = Entry { time: t, velocity: a.v + r.v, impulse: 0.0 };
                events.push(self.event(t, EventKind::Touch, r, entry));
                self.entry = Some(entry);
            }
            (Touching::Contact(_), Touching::Flight) => {
                if let Some(entry) = self.entry.take() {
                    events.push(self.event(t, EventKind::Impact, r, entry));
                }
            }
            _ => {}
        }
        Ok((Start { at: r, ..state }, next))
    }

    fn place(&mut self, t: f64, at: &State) -> Result<Begins<Self>, Error> {
        Ok(self.set_out(t, *at))
    }

    fn is_finite(&self, state: &Start) -> bool {
        state.at.y.is_finite() && state.at.v.is_finite()
    }

    fn describe(&self, phase: &Touching) -> String {
        phase.to_string()
    }

    const COUNTS_LOSSES: bool = true;

    fn lost(&self, s: &Segment<ImpactArc>) -> f64 {
        lost_in_segment(s, self.room.frames[0].medium.damping, self.room.fastest())
    }
}
