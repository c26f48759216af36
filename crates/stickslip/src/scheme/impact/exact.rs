//! Rigid walls, exactly: closed-form flights, certified contacts, summed Zeno sequences.
//!
//! Rules where the law u⁺ = −e u⁻ says nothing:
//!
//! * **grazing**: a contact at which the distance from the wall only touches zero (to its rounding
//!   error) transmits no impulse and is no event; the flight goes on, or rests if the mass is pressed;
//! * a mass at rest on a wall **stays** while the load presses it there, and also at zero load;
//!   it is released when the reaction would pull, at a zero of the reaction that it crosses;
//! * a wall that turns towards a mass resting on it is an impact like any other; one that turns away
//!   leaves it behind;
//! * infinitely many impacts in a finite time end in rest: see [`chain`](super::chain).

use super::chain::Chain;
use super::check_effort;
use super::flight::{Landing, Task, follow};
use super::guard::Limit;
use super::room::{Relative, Room};
use crate::error::Error;
use crate::model::{Impact, Model, Wall, lost_in_segment};
use crate::motion::{
    Event, EventKind, ImpactArc, ImpactPath, LinearArc, PressedArc, Segment, State, Touching,
    WallArc,
};
use crate::scheme::cursor::Cursor;
use crate::scheme::event_loop::{
    self, Begins, EventDriven, Failure, Hit, Leg, Observer, fixed_signals, most_events,
};

/// Solves `impact` on [0, `end`] (s) exactly, to rounding.
///
/// # Errors
/// If a number is outside its range, a signal too short or not known in closed form, the walls meet, or the run is longer than
/// anybody waits for.
///
/// ```
/// use stickslip::{Impact, EventKind, Signal, scheme::impact};
/// # fn main() -> Result<(), stickslip::Error> {
/// let ball = Impact::new(1.0, 0.9).with_force(Signal::constant(-9.81)).starting_at(1.0, 0.0);
/// let path = impact::solve(&ball, 10.0)?;
/// let rest = path.events().iter().find(|e| e.kind == EventKind::Rest).unwrap();
/// assert!((rest.time - (2.0f64 / 9.81).sqrt() * 1.9 / 0.1).abs() < 1e-13 * rest.time);
/// # Ok(()) }
/// ```
pub fn solve(impact: &Impact, end: f64) -> Result<ImpactPath, Error> {
    let mut path = ImpactPath::default();
    run(impact, end, most_events(), &mut path)?;
    Ok(path)
}

/// The same, streaming to `observer` and keeping nothing.
///
/// # Errors
/// As [`solve`], and [`Error::TooManyEvents`] beyond `max_events`.
pub fn run(
    impact: &Impact,
    end: f64,
    max_events: usize,
    observer: &mut impl Observer<ImpactArc>,
) -> Result<(), Error> {
    let (system, begins, events) = begin(impact, end)?;
    events.into_iter().for_each(|e| observer.event(e));
    check_effort(impact, end)?;
    event_loop::run(system, begins, end, max_events, observer)?;
    Ok(())
}

/// The run up to `end` (s at the latest), at the caller's pace, and what happens at t = 0: see [`Cursor`]. Its
/// pieces have the events and states of [`solve`] to the last bit.
///
/// # Errors
/// As [`solve`].
pub fn cursor(impact: &Impact, end: f64) -> Result<(Cursor<System>, Vec<Event>), Error> {
    let (system, begins, events) = begin(impact, end)?;
    Ok((Cursor::new(system, begins, 0.0, end, most_events())?, events))
}

/// An error if a signal is not known in closed form.
fn require_closed_form(impact: &Impact) -> Result<(), Error> {
    impact.force.require_closed_form("force", "exact")?;
    for wall in Wall::ALL {
        impact.wall(wall).into_iter().try_for_each(|w| w.require_closed_form("wall", "exact"))?;
    }
    Ok(())
}

/// Whether every signal of `impact` is known in closed form.
pub(crate) fn is_closed(impact: &Impact) -> bool {
    require_closed_form(impact).is_ok()
}

/// The system, its state and phase at t = 0, and what happens there.
fn begin(impact: &Impact, end: f64) -> Result<(System, Begins<System>, Vec<Event>), Error> {
    impact.check_until(end)?;
    require_closed_form(impact)?;
    let mut system = System { room: Room::new(impact), restitution: impact.restitution };
    let start = State::from(impact.initial);
    let (begins, events) = system.set_out(0.0, start);
    Ok((system, begins, events))
}

/// What ends a motion.
#[derive(Debug, Clone, Copy)]
pub enum Ends {
    /// The mass meets a wall.
    Lands(Landing),
    /// The load that pressed the mass on a wall begins to lift it.
    Lifts,
}

/// What a motion starts from.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    at: Relative,
    /// The Zeno sequence that the coming flight belongs to.
    chain: Option<Chain>,
    /// The true time is so much later, s: less than a rounding.
    carry: f64,
    /// The load on the mass, at rest on the wall, is just turning away from it.
    released: bool,
}

impl From<Relative> for Start {
    fn from(at: Relative) -> Self {
        Self { at, chain: None, carry: 0.0, released: false }
    }
}

/// The mass between rigid walls as the event loop sees it.
#[derive(Debug, Clone)]
pub struct System {
    room: Room,
    restitution: f64,
}

/// What the load does to a mass at rest on a wall.
enum Hold {
    Presses,
    Lifts,
    /// It is at zero and turning away.
    Turns,
}

impl System {
    /// State and phase of a mass that begins with `u` at `t`, and the impacts that this is.
    fn set_out(&mut self, t: f64, u: State) -> ((Start, Touching), Vec<Event>) {
        let r = self.room.enter(t, u);
        let mut events = Vec::new();
        let from =
            if r.y == 0.0 { self.meet(t, r, &mut events) } else { (r.into(), Touching::Flight) };
        // A start at rest on the wall is a phase, not an event.
        events.retain(|e| e.kind == EventKind::Impact || e.impulse != 0.0);
        (from, events)
    }

    /// Force on a mass at rest on a wall, and where it is going.
    fn hold(&self, t: f64, frame: usize) -> Hold {
        let f = &self.room.frames[frame];
        let sign = f.wall.sign();
        let piece = f.load.piece_at(t);
        let fastest = piece.harmonics.iter().map(|h| h.angular_frequency).fold(0.0, f64::max);
        let mut noise = 8.0 * f64::EPSILON * piece.scale(t);
        for (order, derivative) in piece.derivatives(t).into_iter().enumerate() {
            let away = sign * derivative;
            if away < -noise {
                return Hold::Presses;
            }
            if away > noise {
                return if order == 0 { Hold::Lifts } else { Hold::Turns };
            }
            // The rounding of each derivative grows by the fastest frequency in it.
            noise *= fastest;
        }
        Hold::Presses
    }

    /// At rest on a wall: what begins.
    fn settle(&self, t: f64, frame: usize) -> (Start, Touching) {
        let at = Relative { frame, y: 0.0, v: 0.0 };
        match self.hold(t, frame) {
            Hold::Presses => (at.into(), Touching::Contact(self.room.frames[frame].wall)),
            Hold::Lifts => (at.into(), Touching::Flight),
            Hold::Turns => (Start { released: true, ..at.into() }, Touching::Flight),
        }
    }

    /// What comes after a contact with `wall`, of which the mass is at `at` at `t`; it ends by its own event if it is `hit`.
    fn pressed(
        &mut self,
        t: f64,
        at: Relative,
        wall: Wall,
        hit: bool,
        events: &mut Vec<Event>,
    ) -> (Start, Touching) {
        let frame = at.frame;
        // Not if the wall has jumped or turned: that leaves the mass at a distance, or with a velocity relative to
        // it.
        let stays = at.y == 0.0 && at.v == 0.0;
        let (start, next) = if wall.sign() * at.v < 0.0 && at.y == 0.0 {
            self.meet(t, at, events)
        } else if !stays {
            (at.into(), Touching::Flight)
        } else if hit {
            (Start { released: true, ..at.into() }, Touching::Flight)
        } else {
            self.settle(t, frame)
        };
        if next == Touching::Flight && wall.sign() * at.v >= 0.0 {
            events.push(self.event(t, EventKind::Release, frame, [0.0, at.v], 0.0));
        }
        (start, next)
    }

    fn event(&self, t: f64, kind: EventKind, frame: usize, u: [f64; 2], impulse: f64) -> Event {
        let a = self.room.wall_state(frame, t);
        let wall = self.room.frames[frame].wall;
        Event::impact(kind, t, wall.index(), a.x, u.map(|u| a.v + u), impulse)
    }

    /// The mass meets the wall of its frame at `t`: the impact, and what begins.
    fn meet(&mut self, t: f64, r: Relative, events: &mut Vec<Event>) -> (Start, Touching) {
        let frame = &self.room.frames[r.frame];
        let sign = frame.wall.sign();
        let mass = frame.medium.mass;
        // It is on its way from the wall already, and no law of impacts applies.
        if sign * r.v > 0.0 {
            return (Relative { y: 0.0, ..r }.into(), Touching::Flight);
        }
        let after = Relative { y: 0.0, v: -self.restitution * r.v, ..r };
        if r.v != 0.0 {
            let impulse = mass * (after.v - r.v);
            events.push(self.event(t, EventKind::Impact, r.frame, [r.v, after.v], impulse));
        }
        if after.v != 0.0 {
            let until = self.room.smooth_until(t);
            let chain = Chain::certify(&self.room, t, after, self.restitution, until);
            return (Start { chain, ..after.into() }, Touching::Flight);
        }
        let (start, phase) = self.settle(t, r.frame);
        // Where the load lifts the mass at once it has not come to rest.
        if phase != Touching::Flight {
            events.push(self.event(t, EventKind::Rest, r.frame, [0.0, 0.0], 0.0));
        }
        (start, phase)
    }

    /// A flight of a Zeno sequence ends.
    fn link(
        &mut self,
        t: f64,
        r: Relative,
        chain: Chain,
        events: &mut Vec<Event>,
    ) -> (Start, Touching) {
        let frame = &self.room.frames[r.frame];
        let sign = frame.wall.sign();
        let mass = frame.medium.mass;
        let e = self.restitution;
        let speed = chain.speed();
        if chain.end().is_none() {
            // All impacts to come, m (1 + e) (u + e u + …), in one.
            let impulse = sign * mass * (1.0 + e) * speed / (1.0 - e);
            events.push(self.event(t, EventKind::Rest, r.frame, [-sign * speed, 0.0], impulse));
            return self.settle(t, r.frame);
        }
        let next = chain.next();
        // The speeds are those of the geometric series: those of the arcs would bring in the rounding of each.
        let before = -sign * speed;
        let after = sign * next.speed();
        let impulse = mass * (after - before);
        events.push(self.event(t, EventKind::Impact, r.frame, [before, after], impulse));
        (Start { chain: Some(next), ..Relative { y: 0.0, v: after, ..r }.into() }, Touching::Flight)
    }
}

impl EventDriven for System {
    type State = Start;
    type Motion = ImpactArc;
    type What = Ends;

    fn smooth_until(&mut self, t: f64) -> f64 {
        self.room.smooth_until(t)
    }

    fn motion(
        &mut self,
        t: f64,
        start: &Start,
        phase: &Touching,
        until: f64,
    ) -> Result<(ImpactArc, Option<Hit<Ends>>), Failure> {
        let frame = &self.room.frames[start.at.frame];
        if let Touching::Contact(wall) = phase {
            let mut piece = frame.load.piece_at(t);
            // The piece that the arc below keeps too, so that the search and the arc agree.
            piece.affine = frame.load.knots()[frame.load_piece];
            let release = piece.first_positive(wall.sign(), t, until)?;
            let arc = PressedArc {
                wall: frame.position.clone(),
                wall_piece: frame.position_piece,
                load: frame.load.clone(),
                load_piece: frame.load_piece,
            };
            let hit = release.map(|time| Hit { time, what: Ends::Lifts });
            return Ok((ImpactArc::Pressed(Box::new(arc)), hit));
        }
        let limit = Limit::Above(0.0);
        let task = Task {
            medium: &frame.medium,
            resistance: 0.0,
            limit,
            released: start.released,
            carry: start.carry,
            until,
        };
        let (arc, landing) = match start.chain {
            None => follow(&self.room, t, start.at, task)?,
            Some(chain) => {
                // When the flights have become too short for the clock the last one stands for all to come.
                let end = chain.end().unwrap_or(chain.rest());
                // The arc is made for drawing only: when this flight ends the sequence knows better than any search on it.
                let (arc, _) = follow(&self.room, t, start.at, Task { until: t, ..task })?;
                let sign = frame.wall.sign();
                let at = Relative { y: 0.0, v: -sign * chain.speed(), ..start.at };
                // A sequence that ends with the piece, but for rounding, ends there.
                let ends = end <= until * (1.0 + 4.0 * f64::EPSILON);
                (arc, ends.then_some(Landing { time: end.min(until), carry: 0.0, at }))
            }
        };
        let landing = landing.map(|l| soft(l, t, start.at, &arc, frame.wall));
        let arc = WallArc {
            wall: frame.position.clone(),
            piece: frame.position_piece,
            arc,
            spring: None,
        };
        let hit = landing.map(|landing| Hit { time: landing.time, what: Ends::Lands(landing) });
        Ok((ImpactArc::Linear(Box::new(arc)), hit))
    }

    fn arrive(&self, leg: &Leg<Self>, t: f64, hit: Option<&Ends>) -> Start {
        if let Some(Ends::Lands(Landing { at, carry, .. })) = hit {
            // The root itself: the state at its rounded time would be a little beyond the wall.
            return Start { carry: *carry, chain: leg.state.chain, ..(*at).into() };
        }
        let frame = leg.state.at.frame;
        match &leg.motion {
            ImpactArc::Linear(arc) => {
                let State { x: y, v } = arc.arc.state(t);
                Relative { frame, y, v }.into()
            }
            _ => Relative { frame, y: 0.0, v: 0.0 }.into(),
        }
    }

    fn next(
        &mut self,
        leg: &Leg<Self>,
        state: Start,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        let t = leg.stop;
        let hit = leg.hit.is_some();
        let at = self.room.cross(t, state.at);
        if let Some(wall) = self.room.beyond(t, at) {
            return Err(beyond(t, wall));
        }
        Ok(match leg.phase {
            Touching::Flight if hit && at.y == 0.0 => match state.chain {
                // Unless the wall has turned just here: the sequence was certain of a wall that goes on as it did.
                Some(chain) if at.v == state.at.v => self.link(t, at, chain, events),
                _ => {
                    let (start, next) = self.meet(t, at, events);
                    // What the clock has left out is handed on to the next flight.
                    (Start { carry: state.carry, ..start }, next)
                }
            },
            Touching::Flight => (at.into(), Touching::Flight),
            Touching::Contact(wall) => self.pressed(t, at, wall, hit, events),
        })
    }

    fn is_finite(&self, state: &Start) -> bool {
        state.at.y.is_finite() && state.at.v.is_finite()
    }

    fn describe(&self, phase: &Touching) -> String {
        phase.to_string()
    }

    /// A state that hits a wall is after the impact at once.
    fn place(&mut self, t: f64, at: &State) -> Result<Begins<Self>, Error> {
        let r = self.room.enter(t, *at);
        if let Some(wall) = self.room.beyond(t, r) {
            let frame = self.room.frames.iter().position(|f| f.wall == wall).unwrap_or(0);
            let position = self.room.wall_state(frame, t).x;
            return Err(Error::BeyondWall { x: at.x, wall: wall.name(), at: position });
        }
        // The caller has set the state: what happens to it there is no event of the run.
        let (begins, _) = self.set_out(t, *at);
        Ok(begins)
    }

    fn change(
        &mut self,
        t: f64,
        state: Start,
        phase: Touching,
        model: &Model,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        let Model::Impact(i) = model else { return Err(fixed_signals()) };
        let before = std::mem::replace(&mut self.room, Room::new(i));
        let at = self.room.take_over(t, &before, state.at);
        if let Some(wall) = self.room.beyond(t, at) {
            return Err(beyond(t, wall));
        }
        // It is on its way: neither where it would land, nor in the sequence that the old loads promised.
        Ok(match phase {
            Touching::Contact(wall) => self.pressed(t, at, wall, false, events),
            Touching::Flight if at.y == 0.0 => self.meet(t, at, events),
            Touching::Flight => (Start { carry: state.carry, ..at.into() }, phase),
        })
    }

    const COUNTS_LOSSES: bool = true;

    fn lost(&self, s: &Segment<ImpactArc>) -> f64 {
        lost_in_segment(s, self.room.frames[0].medium.damping, self.room.fastest())
    }
}

/// The landing of a mass that was at rest next to the wall, to rounding, and is pressed on it since then: it touched the wall
/// without speed, and what the arc makes of a rounding of the distance is no impact.
fn soft(landing: Landing, t: f64, from: Relative, arc: &LinearArc, wall: Wall) -> Landing {
    let s = landing.time - t;
    if landing.at.frame != from.frame || s <= 0.0 {
        return landing;
    }
    let m = arc.medium();
    let v = landing.at.v;
    let (State { x: y, .. }, [p, p1, _]) = arc.loaded(s);
    let a = (p - m.damping * v - m.stiffness * y) / m.mass;
    let j = (p1 - m.damping * a - m.stiffness * v) / m.mass;
    let v = wall.sign() * v;
    let a = wall.sign() * a;
    let j = wall.sign() * j;
    if v >= 0.0 || a >= 0.0 {
        return landing;
    }
    // v − a σ + j σ²/2 = 0, the first σ > 0; where rounding leaves no root, the least of it.
    let discriminant = a * a - 2.0 * v * j;
    let (since, speed) = match discriminant {
        d if d >= 0.0 => (2.0 * v / (a - d.sqrt()), 0.0),
        d => (a / j, d / (2.0 * j)),
    };
    let rounding = 8.0 * f64::EPSILON * (from.v.abs() + (a.abs() + j.abs() * s) * s);
    if speed.abs() > rounding {
        return landing;
    }
    // Not before the force presses, to the last bit of the time.
    let last = 4.0 * f64::EPSILON * landing.time;
    let since = if j < 0.0 { since.min(a / j - last).max(0.0) } else { since };
    let noise = 4.0 * f64::EPSILON * (from.y.abs() + from.v.abs() * s);
    if since > s || arc.after(s - since).x.abs() > noise {
        return landing;
    }
    Landing { time: landing.time - since, carry: 0.0, at: Relative { v: 0.0, ..landing.at } }
}

/// A wall has jumped over the mass.
fn beyond(time: f64, wall: Wall) -> Error {
    let reason = format!(
        "the {} wall jumps over the mass, which would need an infinite speed; \
         move the wall continuously (a ramp or samples instead of a step)",
        wall.name()
    );
    Error::NoSolution { time, reason }
}
