//! The exact step-by-step solution (Bensoussan et al. 2021, §2.3): closed-form arcs between certified events.
//!
//! Rules at the contacts that Bensoussan et al. 2021 leaves open, where the load or the velocity only touches:
//!
//! * a load that reaches ±f_s without exceeding it does not end the stick ("as soon as |b|
//!   *would exceed* f_s");
//! * a velocity that reaches zero is at rest there, even if it would not change its sign: the slip
//!   has left the open set (6) there, and the stick begins if |b| ≤ f_s;
//! * a load at the limit, to rounding, counts as at the limit; a stick that would end at the
//!   instant it begins (the load is at the limit and grows) is none: the slip goes on;
//! * a mass that comes to rest next to a rigid stop without reaching it has not touched it; bounces
//!   that become infinitely many end in rest, see `scheme/bounces.rs`.

mod contact;
mod point;
mod rests;
mod slip;

pub use crate::scheme::event_loop::MAX_EVENTS;
use crate::scheme::event_loop::most_events;

use crate::error::Error;
use crate::model::{Initial, Model, Oscillator, Stops, Wall};
use crate::motion::{Event, EventKind, Motion, Phase, Segment, State, Stretch, Trajectory};
use crate::motion::{Frame, LinearArc};
use crate::roots::{GivenUp, Jet, Touch, first_root};
use crate::scheme::cursor::Cursor;
use crate::scheme::event_loop::{
    self, Begins, EventDriven, Failure, Hit, Leg, Observer, fixed_signals,
};
use crate::scheme::oscillator::jump::is_jump;
use crate::scheme::oscillator::uniqueness;
use crate::signal::{Piece, Signal};
use contact::Side;
use point::Landing;
pub use point::Point;
use rests::Rests;
use slip::first_rest;
use std::sync::Arc;

/// Solves `oscillator` on [0, `end`] (s) exactly, to rounding.
///
/// # Errors
/// [`Error::Unsuitable`] for friction that is not constant in each phase, loads that are not linear in x and v,
/// users' functions of time, and a moving support beside stops; [`Error::TooLong`] for more periods than anybody
/// waits for; and what is out of range.
///
/// ```
/// use stickslip::{Law, Oscillator, Signal, scheme::oscillator::exact};
/// # fn main() -> Result<(), stickslip::Error> {
/// let shaw = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0)?)
///     .with_drive(Signal::harmonic(6.0, 0.5, 0.0))
///     .starting_at(6.0, 0.0);
/// let path = exact::solve(&shaw, 40.0)?;
/// assert_eq!(path.events().len(), 10);
/// # Ok(()) }
/// ```
pub fn solve(oscillator: &Oscillator, end: f64) -> Result<Trajectory, Error> {
    oscillator.check_until(end)?;
    oscillator.check_effort(end)?;
    let mut path = Trajectory::with_room(64);
    let doubts = advance(oscillator, end, most_events(), &mut path)?;
    uniqueness::examine_at(oscillator, &mut path, &doubts.suspects);
    uniqueness::tell_grazes(&mut path, &doubts.grazes);
    Ok(path)
}

/// The same, streaming to `observer` and keeping nothing.
///
/// # Errors
/// As [`solve`], and [`Error::TooManyEvents`] beyond `max_events`.
pub fn run(
    oscillator: &Oscillator,
    end: f64,
    max_events: usize,
    observer: &mut impl Observer<Stretch>,
) -> Result<(), Error> {
    oscillator.check_until(end)?;
    oscillator.check_effort(end)?;
    advance(oscillator, end, max_events, observer).map(|_| ())
}

/// The run from `start` to `end` (s at the latest), at the caller's pace: see [`Cursor`]. The oscillator's initial
/// state holds at `start`. Pieces of a run have the same events and states as the whole run to the last bit.
///
/// # Errors
/// As [`solve`].
///
/// ```
/// use stickslip::{EventKind, Law, Oscillator, Signal, State, scheme::oscillator::exact};
/// # fn main() -> Result<(), stickslip::Error> {
/// let shaw = Oscillator::new(1.0, 1.0, Law::static_dynamic(1.2, 1.0)?)
///     .with_drive(Signal::harmonic(6.0, 0.5, 0.0))
///     .starting_at(6.0, 0.0);
/// let (mut cursor, mut events) = (exact::cursor(&shaw, 0.0, 40.0)?, Vec::new());
/// cursor.advance(17.0, &mut events)?;
/// let kept = cursor.clone();
/// cursor.advance(40.0, &mut events)?;
/// assert_eq!(events, exact::solve(&shaw, 40.0)?.events());
/// // from the copy on, with the mass put to rest at 0
/// let mut other = kept;
/// other.set_state(State { x: 0.0, v: 0.0 })?;
/// assert_eq!((other.time(), other.state().v), (17.0, 0.0));
/// # Ok(()) }
/// ```
pub fn cursor(oscillator: &Oscillator, start: f64, end: f64) -> Result<Cursor<System>, Error> {
    oscillator.check_until(end)?;
    oscillator.require_closed_forms("exact")?;
    let o = Some(Arc::new(oscillator.clone()));
    let mut system = System { o, ..System::new(oscillator, end)? };
    let (mut p, phase) = system.begin(start, oscillator.initial);
    system.let_go(&mut p, phase);
    Cursor::new(system, (p, phase), start, end, most_events())
}

/// Why closed forms cannot treat `oscillator`, if they cannot.
pub(crate) fn obstacle(oscillator: &Oscillator) -> Option<String> {
    if oscillator.require_closed_forms("exact").is_err() {
        return Some("a load is a function without a closed form".to_owned());
    }
    contact::obstacle(oscillator).map(str::to_owned)
}

/// Instants at which the problem may have other solutions.
#[derive(Debug, Clone, Default)]
struct Doubts {
    /// Of sticks that begin at the limit or come so near it that leaving might be possible, s.
    suspects: Vec<f64>,
    /// Ends of slips at which the load is the sliding friction, s, and how far it is from it: see [`uniqueness`].
    grazes: Vec<(f64, f64)>,
}

/// Runs, and returns what is in doubt.
fn advance(
    oscillator: &Oscillator,
    end: f64,
    max_events: usize,
    observer: &mut impl Observer<Stretch>,
) -> Result<Doubts, Error> {
    oscillator.require_closed_forms("exact")?;
    let mut system = System::new(oscillator, end)?;
    let (mut p, phase) = system.begin(0.0, oscillator.initial);
    system.let_go(&mut p, phase);
    let system = event_loop::run(system, (p, phase), end, max_events, observer)?;
    Ok(system.doubts)
}

/// What ends a motion.
#[derive(Debug, Clone, Copy)]
pub enum Ends {
    /// The load leaves the limits towards this side, ±1: a stick is over.
    Leaves(f64),
    /// The relative velocity is zero: a slip is over.
    Rests,
    /// The slip is over at the instant at which it began.
    RestsAtOnce,
    /// The mass is at the position of a stop, or a soft stop ceases or begins again to push it.
    Lands(Landing),
    /// Bounces that were summed are over.
    Settles,
}

/// The oscillator as the event loop sees it.
#[derive(Debug, Clone)]
pub struct System {
    /// For those who ask what is lost.
    o: Option<Arc<Oscillator>>,
    /// What was before the last change of the loads: room for the next.
    spare: Option<(Arc<Oscillator>, Arc<Signal>)>,
    mass: f64,
    damping: f64,
    stiffness: f64,
    /// All that depends on time alone, N.
    load: Arc<Signal>,
    /// Limits and friction towards each side, ahead (0) and back (1).
    sides: [Side; 2],
    frame: Option<Arc<Frame>>,
    /// The affine piece of the loads in use.
    piece: usize,
    /// Whether a stick at the limit may end at will (f_s > f_d).
    rule: bool,
    /// Whether the load stood at a limit, or next to it, when the mass was last looked at at rest.
    stands: bool,
    doubts: Doubts,
    /// What stands in the way, and the end of the run, s.
    stops: Option<Stops>,
    end: f64,
    /// What the soft stop that the mass is in had given it when the motion in progress began, N·s.
    impulse: f64,
}

impl System {
    /// Point and phase of a mass that begins at `t` with what `initial` says.
    fn begin(&mut self, t: f64, initial: Initial) -> (Point, Phase) {
        self.smooth_until(t); // where a load jumps at once, what holds is on its right
        let Initial { displacement: x, velocity: v } = initial;
        let mut p = Point::start(self.stops.as_ref(), State { x, v });
        let support = self.support_velocity(t);
        // A mass that was set down on a moving support rests on it, though both velocities carry roundings.
        let rounding = self.frame.as_ref().map_or(0.0, |f| f.rounding(t));
        if (v - support).abs() > rounding {
            return (p, Phase::slip(v - support));
        }
        p.v = support;
        let phase = self.at_rest(t, &p, Phase::Stick);
        (p, phase)
    }

    /// v_s at `t`, m/s; at a jump the value from the right.
    fn support_velocity(&self, t: f64) -> f64 {
        self.frame.as_ref().map_or(0.0, |f| f.velocity(t).derivatives(t)[0])
    }

    /// A mass that rests at `p` from `from` on.
    #[inline]
    fn resting(&self, p: &Point, from: f64) -> Rests<'_> {
        Rests {
            load: self.load.nth_piece(self.piece),
            moves: self.frame.is_some(),
            support: self.frame.as_ref().map_or(Piece::constant(0.0), |f| f.velocity(from)),
            from,
            hold: self.hold(p),
            mass: self.mass,
            damping: self.damping,
            stiffness: self.stiffness,
        }
    }

    fn side(&self, sign: f64) -> &Side {
        &self.sides[usize::from(sign < 0.0)]
    }

    /// limit − sign·b at rest at `p`, ahead (sign +1) and back (−1): value and two derivatives; and
    /// the size of the forces in it, N. Towards a rigid stop the limit is infinite.
    fn margins(&self, t: f64, p: &Point) -> ([[f64; 3]; 2], f64) {
        let rests = self.resting(p, t);
        let b = rests.derivatives(t);
        let mut scale = rests.scale();
        let margins = [1.0, -1.0].map(|sign| {
            let side = self.side(sign);
            let limit = match &side.limit {
                None => [side.breakaway, 0.0, 0.0, 0.0],
                Some(limit) => limit.piece_at(t).derivatives(t),
            };
            scale = scale.max(limit[0].abs());
            // A rigid stop carries whatever pushes the mass against it.
            if self.blocks(p, sign) {
                return [f64::INFINITY, 0.0, 0.0];
            }
            [limit[0] - sign * b[0], limit[1] - sign * b[1], limit[2] - sign * b[2]]
        });
        (margins, scale)
    }

    /// The phase that begins at rest at `p`: stick within the limits, slip beyond; at a limit, to
    /// rounding, the way the load is going decides. `was` is the phase that has come to rest.
    fn at_rest(&mut self, t: f64, p: &Point, was: Phase) -> Phase {
        let (margins, scale) = self.margins(t, p);
        self.stands = margins.iter().any(|m| m[0] <= uniqueness::SUSPECT * scale);
        if self.rule && was != Phase::Stick {
            self.look_for_graze(t, was, margins);
        }
        // Beyond a limit first, on both sides, for this is certain; at a limit the direction of the load decides, and then its
        // curvature: a load that peaks at the limit does not exceed it.
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

    /// The phase after a slip that was over as it began. A load beyond its limit by less than its place is known, as at x = 0
    /// without friction, may say the same slip again, for ever: then the mass goes the way that the load is going, if the other
    /// limit is no farther than the load is beyond this one, and else rests at the limit.
    fn at_rest_again(&mut self, t: f64, p: &Point, was: Phase) -> Phase {
        let next = self.at_rest(t, p, was);
        if next != was {
            return next;
        }
        let (margins, _) = self.margins(t, p);
        let [this, other] = if was.sign() > 0.0 { margins } else { [margins[1], margins[0]] };
        if other[0] <= -this[0] && other[1] < 0.0 { Phase::slip(-was.sign()) } else { Phase::Stick }
    }

    /// When the load first leaves the limits, and towards which side; `near` is shown each margin
    /// that the search looks at, and the size of the forces.
    fn first_exit(
        &self,
        p: &Point,
        from: f64,
        to: f64,
        mut near: impl FnMut(&Jet, f64),
    ) -> Result<Option<(f64, f64)>, GivenUp> {
        let rests = self.resting(p, from);
        let varies = self.sides[0].limit.is_some();
        let [ahead, back] = [0, 1].map(|i| self.sides[i].breakaway);
        let centre = 0.5 * (ahead - back);
        // The limits may differ between the two sides: they are ±half about a load that is not zero.
        let half = 0.5 * (ahead + back);
        // One piece of a load against two constant limits has a quicker search, in closed form where it is a straight line.
        let blocked = [1.0, -1.0].map(|sign| self.blocks(p, sign));
        if let Some(piece) = rests.as_piece()
            && !varies
            && blocked == [false; 2]
        {
            let scale = rests.scale() + half;
            let centre = rests.hold + centre;
            return piece.first_exceedance_seen(centre, half, from, to, |j| near(j, scale));
        }
        let limits = [0, 1].map(|i| self.sides[i].limit_from(from));
        let limit_scale = if varies { limits[0].scale(from) } else { half };
        let scale = rests.scale() + limit_scale;
        let third_bound = rests.third_bound();
        let noise = 8.0 * f64::EPSILON * scale;
        // A load that only touches its limit does not exceed it.
        let root = first_root(from, to, noise, Touch::Exceeds, |t| {
            let b = rests.derivatives(t);
            let mut side = |i: usize, sign: f64| {
                if blocked[i] {
                    return Jet::NEVER;
                }
                let limit = limits[i].derivatives(t);
                let jet = Jet {
                    value: limit[0] - sign * b[0],
                    first: limit[1] - sign * b[1],
                    second: limit[2] - sign * b[2],
                    third: 0.0,
                    bound: limits[i].third_bound + third_bound,
                    growth: 0.0,
                };
                near(&jet, scale);
                jet
            };
            [side(0, 1.0), side(1, -1.0)]
        })?;
        Ok(root.map(|r| (r.at, if r.which == 0 { 1.0 } else { -1.0 })))
    }

    /// The stick from `t` on: when it ends. Notes those that begin at the limit or come very near it
    /// on the way.
    fn stick(&mut self, t: f64, p: &Point, until: f64) -> Result<Option<Hit<Ends>>, GivenUp> {
        let mut suspect = false;
        let exit = self.first_exit(p, t, until, |jet, scale| {
            suspect |= jet.turns_within(uniqueness::SUSPECT * scale);
        })?;
        if self.rule && (suspect || self.stands) {
            self.doubts.suspects.push(t);
        }
        Ok(exit.map(|(time, side)| Hit { time, what: Ends::Leaves(side) }))
    }

    /// Something that happens to the mass at `p`.
    fn event(&self, kind: EventKind, t: f64, p: &Point) -> Event {
        Event::new(kind, t, 0, State { x: p.x(), v: p.v })
    }

    /// The mass at rest at `p` from `start` on.
    fn rest(&self, p: &Point, start: f64) -> Stretch {
        match &self.frame {
            None => Stretch::Rest(p.x()),
            Some(f) => {
                let relative = Box::new(Stretch::Rest(p.x() - f.at(start, start).x));
                Stretch::Carried { relative, support: f.clone(), start }
            }
        }
    }
}

impl System {
    /// What comes after a motion in `phase` that `hit` has ended at `t` with the mass at `p`, or a breakpoint of the loads.
    fn follow(
        &mut self,
        t: f64,
        mut p: Point,
        phase: Phase,
        hit: Option<Ends>,
        events: &mut Vec<Event>,
    ) -> (Point, Phase) {
        self.smooth_until(t); // at a breakpoint, read the load on its right
        // Where a motion ends by itself the support does not jump: it would have ended it before.
        let jump = self.frame.as_ref().filter(|_| hit.is_none()).map_or(0.0, |f| f.jump(t));
        if jump != 0.0 {
            return self.kicked(t, p, phase, jump, events);
        }
        if let Some(Ends::Lands(landing)) = hit {
            return self.meet(t, landing, phase, events);
        }
        if let Some((_, impulse)) = p.bounces {
            let wall = self.stops.and_then(|s| s.touched(p.x()));
            let place = wall.map_or(0, Wall::stop_place);
            events.push(Event::impact(EventKind::Impact, t, place, p.x(), [0.0, 0.0], impulse));
            return wall.map_or((p, phase), |wall| self.rest_at(t, wall, p, events));
        }
        let support = self.support_velocity(t);
        let rests = phase == Phase::Stick || hit.is_some() || (p.v - support) * phase.sign() <= 0.0;
        let next = match hit {
            Some(Ends::Leaves(side)) => Phase::slip(side),
            Some(Ends::RestsAtOnce) => self.at_rest_again(t, &p, phase),
            _ if rests => self.at_rest(t, &p, phase),
            _ => phase,
        };
        if rests {
            p.v = support;
            p.apart = false; // at rest a soft stop pushes
        }
        // A velocity that touches zero and keeps its sign is no event.
        let kind = EventKind::between(phase, next);
        events.extend(kind.map(|kind| self.event(kind, t, &p)));
        self.let_go(&mut p, next);
        (p, next)
    }
}

impl EventDriven for System {
    type State = Point;
    type Motion = Stretch;
    type What = Ends;

    fn smooth_until(&mut self, t: f64) -> f64 {
        let knots = self.load.knots();
        while knots.get(self.piece + 1).is_some_and(|k| k.time <= t) {
            self.piece += 1;
        }
        knots.get(self.piece + 1).map_or(f64::INFINITY, |k| k.time)
    }

    fn motion(
        &mut self,
        t: f64,
        p: &Point,
        phase: &Phase,
        until: f64,
    ) -> Result<(Stretch, Option<Hit<Ends>>), Failure> {
        let (stretch, hit) = match (phase, p.bounces) {
            (_, Some((end, _))) => {
                (Stretch::Rest(p.x()), Some(Hit { time: end, what: Ends::Settles }))
            }
            (Phase::Stick, _) => (self.rest(p, t), self.stick(t, p, until)?),
            // With stops in the way an arc is about the one met last, and may end at the next.
            _ if self.stops.is_some() => self.slide(t, *p, phase.sign(), until)?,
            _ => {
                let sign = phase.sign();
                let side = self.side(sign);
                let start = State { x: p.y, v: p.v };
                // In a phase the friction is a constant force, and the arc has a closed form.
                let friction = sign * side.friction();
                let arc =
                    LinearArc::new(&side.medium, &side.load, self.piece, t, start, friction, until);
                let support = self.frame.as_ref().map(|f| f.velocity(t));
                let rest = first_rest(&arc, support, sign, side.least(t), until)?;
                let hit = rest.map(|time| Hit { time, what: Ends::Rests });
                (Stretch::Slip(Box::new(arc)), hit)
            }
        };
        let at_once = |h: Hit<Ends>| matches!(h.what, Ends::Rests) && h.time <= t;
        Ok((
            stretch,
            hit.map(|h| if at_once(h) { Hit { what: Ends::RestsAtOnce, ..h } } else { h }),
        ))
    }

    fn arrive(&self, leg: &Leg<Self>, t: f64, hit: Option<&Ends>) -> Point {
        if let Some(Ends::Lands(landing)) = hit {
            return landing.point(); // at the stop itself, without the rounding of the time
        }
        let p = leg.state;
        let moved = |State { x: y, v }: State| Point { y, v, ..p };
        match &leg.motion {
            // On the ground what rests has no velocity at all, not even a rounding.
            Stretch::Rest(_) => Point { v: 0.0, ..p },
            // About the stop that was met last, where a bounce of 1e-17 m is not lost in x.
            Stretch::Offset { arc, .. } => moved(arc.state(t)),
            Stretch::Carried { support, .. } => {
                let velocity = support.velocity(leg.start);
                let y = p.y + velocity.integral(leg.start, t);
                Point { y, v: velocity.derivatives(t)[0], ..p }
            }
            arc => moved(arc.state(t)),
        }
    }

    fn next(
        &mut self,
        leg: &Leg<Self>,
        p: Point,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        self.add_impulse(&leg.state, &leg.motion, leg.start, leg.stop);
        Ok(self.follow(leg.stop, p, leg.phase, leg.hit, events))
    }

    fn is_finite(&self, p: &Point) -> bool {
        p.y.is_finite() && p.v.is_finite()
    }

    fn describe(&self, phase: &Phase) -> String {
        phase.to_string()
    }

    fn place(&mut self, t: f64, at: &State) -> Result<Begins<Self>, Error> {
        let initial = Initial { displacement: at.x, velocity: at.v };
        self.stops.map_or(Ok(()), |s| s.check(at.x))?;
        self.impulse = 0.0;
        let (mut p, phase) = self.begin(t, initial);
        self.let_go(&mut p, phase);
        Ok((p, phase))
    }

    fn halt(&mut self, leg: &Leg<Self>, t: f64) -> Point {
        self.add_impulse(&leg.state, &leg.motion, leg.start, t);
        self.arrive(leg, t, None)
    }

    fn draft(&mut self) -> Self {
        let spare = self.spare.take();
        Self { spare, ..self.clone() }
    }

    fn change(
        &mut self,
        t: f64,
        p: Point,
        phase: Phase,
        model: &Model,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        let Model::Oscillator(o) = model else { return Err(fixed_signals()) };
        o.require_closed_forms("exact")?;
        let before = self.support_velocity(t);
        // What a soft stop has given the mass so far is no matter of the loads, and is carried over.
        let impulse = self.impulse;
        let (mut kept, room) =
            self.spare.take().unwrap_or_else(|| (Arc::new(o.clone()), Arc::default()));
        let changed = Self::after(o, self.end, Some(&*self), room)?;
        Arc::make_mut(&mut kept).take_signals(o);
        let load = self.load.clone();
        // What held until now becomes the room for the next change, so that a change allocates nothing.
        let spare = self.o.take().map(|o| (o, load));
        *self = Self { o: Some(kept), spare, impulse, ..changed };
        let after = self.support_velocity(t);
        if is_jump(before, after) {
            self.smooth_until(t);
            return Ok(self.kicked(t, p, phase, after - before, events));
        }
        Ok(self.follow(t, p, phase, None, events))
    }

    const COUNTS_LOSSES: bool = true;

    fn lost(&self, segment: &Segment) -> f64 {
        self.o.as_ref().map_or(0.0, |o| o.lost_in(segment))
    }
}
