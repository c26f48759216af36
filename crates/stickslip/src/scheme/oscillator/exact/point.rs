//! Where the mass is, and what the stops do to it.
//!
//! On the ground a slip does not turn back, so x is monotone in it and meets at most the stop ahead:
//! the crossing is the one root of an increasing function, and none can be missed.

use super::slip::{first_rest, first_turn};
use super::{Ends, Side, System};
use crate::model::{Stops, Wall};
use crate::motion::LinearArc;
use crate::motion::{Event, EventKind, Phase, State, Stretch};
use crate::roots::{GivenUp, increasing_root};
use crate::scheme::event_loop::{EventDriven, Hit};
use crate::scheme::oscillator::bounces::Bounces;

/// The mass, at x = origin + y.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    /// The stop met last, m (0 before): a bounce of 1e-17 m can be told from none in y, not in x.
    pub(super) origin: f64,
    /// m.
    pub(super) y: f64,
    /// m/s.
    pub(super) v: f64,
    /// The rigid stop at which the mass rests, or the soft one that it is in.
    pub(super) stop: Option<Wall>,
    /// The mass leaves that soft stop faster than it follows: the stop does not push.
    pub(super) apart: bool,
    /// Bounces on a rigid stop that are being summed: when they end (s), and their impulse (N·s).
    pub(super) bounces: Option<(f64, f64)>,
}

impl Point {
    pub(super) fn x(&self) -> f64 {
        self.origin + self.y
    }

    /// The soft stop that pushes the mass, or the rigid one that holds it.
    fn pushed(&self) -> Option<Wall> {
        self.stop.filter(|_| !self.apart)
    }

    /// Where the run starts.
    pub(super) fn start(stops: Option<&Stops>, State { x, v }: State) -> Self {
        let free = Self { y: x, v, ..Self::default() };
        let touched = stops.and_then(|s| Some((s, s.touched(x)?)));
        let Some((stops, wall)) = touched else { return free };
        let Some(a) = stops.at(wall) else { return free };
        // Rigid: the mass rests there, or is about to hit or to leave. Soft: it is in the spring.
        let enters = wall.sign() * v < 0.0;
        let inside = if stops.restitution().is_some() { v == 0.0 } else { x != a || enters };
        let apart = stops.is_apart(x, v);
        Self { origin: a, y: x - a, stop: inside.then_some(wall), apart, ..free }
    }
}

/// The mass arrives at a stop's position, or where a soft stop ceases or begins to push.
#[derive(Debug, Clone, Copy)]
pub struct Landing {
    wall: Wall,
    at: Point,
    /// The second of the two.
    turns: bool,
}

impl Landing {
    /// The mass there.
    pub(super) fn point(&self) -> Point {
        self.at
    }
}

/// Bounces whose rest is shorter than this, relative to the time reached, are summed if that is exact
/// to rounding: √ε, half of the digits of the clock.
const SHORT: f64 = 1.5e-8;

impl System {
    /// What holds the mass beside friction and the load that depends on time, N.
    pub(super) fn hold(&self, p: &Point) -> f64 {
        let soft = self.stops.and_then(|s| s.spring()).filter(|_| p.pushed().is_some());
        self.stiffness * p.x() + soft.map_or(0.0, |(stiffness, _)| stiffness * p.y)
    }

    /// Whether a rigid stop keeps the mass from going the way of `side`.
    pub(super) fn blocks(&self, p: &Point, side: f64) -> bool {
        let rigid = self.stops.is_some_and(|s| s.restitution().is_some());
        rigid && p.stop.is_some_and(|wall| wall.sign() * side < 0.0)
    }

    /// A mass that slips is not held by a rigid stop any more.
    pub(super) fn let_go(&self, p: &mut Point, phase: Phase) {
        if phase != Phase::Stick && self.stops.is_some_and(|s| s.restitution().is_some()) {
            p.stop = None;
        }
    }

    /// The stop whose position a slip towards `sign` comes to next.
    fn ahead(&self, p: &Point, sign: f64) -> Option<(Wall, f64)> {
        let stops = self.stops?;
        let towards = if sign > 0.0 { Wall::Upper } else { Wall::Lower };
        let wall = match p.stop {
            Some(wall) if wall == towards => return None, // deeper into its spring
            Some(wall) => wall,
            None => towards,
        };
        Some((wall, stops.at(wall)?))
    }

    /// The slip from `p`, and when it ends: at rest, or at a stop's position.
    pub(super) fn slide(
        &self,
        t: f64,
        p: Point,
        sign: f64,
        until: f64,
    ) -> Result<(Stretch, Option<Hit<Ends>>), GivenUp> {
        let side = self.side(sign);
        // Inside a soft stop the mass swings on two springs; outside on its own. Each has a medium of its own.
        let soft = side.bed.as_ref().filter(|_| p.pushed().is_some());
        let medium = soft.unwrap_or(&side.medium);
        // The arc is in y about the stop met last, so the spring's pull at that place is a constant force on it.
        let resistance = sign * side.friction() + self.stiffness * p.origin;
        let ahead = self.ahead(&p, sign);
        let least = side.least(t);
        let length = until - t;
        let initial = State { x: p.y, v: p.v };
        // The arc is made for short spans first: a bounce of 1e-8 s has all its digits, however far
        // away `until` is.
        let mut span = self.likely_span(t, &p, sign, ahead).min(length);
        loop {
            let load = &side.load;
            let arc = LinearArc::new(medium, load, self.piece, t, initial, resistance, t + span);
            let rest = first_rest(&arc, None, sign, least, t + span)?;
            let mut end = rest.map_or(span, |r| r - t);
            let mut hit = rest.map(|time| Hit { time, what: Ends::Rests });
            if let Some((wall, time)) = self.first_turn(&arc, &p, sign, t + end)? {
                // What follows from here on does not happen under this force.
                end = time - t;
                let State { x: y, v } = arc.after(end);
                let at = Point { y, v, apart: !p.apart, ..p };
                hit = Some(Hit { time, what: Ends::Lands(Landing { wall, at, turns: true }) });
            }
            if let Some((wall, a)) = ahead {
                let level = a - p.origin;
                let beyond = |s: f64| {
                    let State { x: y, v } = arc.after(s);
                    (sign * (y - level), sign * v)
                };
                if beyond(end).0 > 0.0 {
                    let s =
                        if beyond(0.0).0 >= 0.0 { 0.0 } else { increasing_root(0.0, end, beyond) };
                    let v = sign * (sign * arc.after(s).v).max(0.0);
                    let at = Point { origin: a, y: 0.0, v, ..p };
                    let what = Ends::Lands(Landing { wall, at, turns: false });
                    let arc = Stretch::Offset { arc: Box::new(arc), origin: p.origin };
                    return Ok((arc, Some(Hit { time: t + s, what })));
                }
            }
            if hit.is_some() || span >= length {
                return Ok((Stretch::Offset { arc: Box::new(arc), origin: p.origin }, hit));
            }
            // Not to the end at once: the arc is made anew for each span, and most slips end within a few.
            span = (8.0 * span).min(length);
        }
    }

    /// Where a soft stop that the mass is leaving ceases to push it, or begins to again, if before `until` (s).
    fn first_turn(
        &self,
        arc: &LinearArc,
        p: &Point,
        sign: f64,
        until: f64,
    ) -> Result<Option<(Wall, f64)>, GivenUp> {
        // A soft stop that the mass is leaving pushes it until its damper outweighs its spring; one without damper always.
        let leaves = p.stop.filter(|wall| wall.sign() == sign);
        let spring = self.stops.and_then(|s| s.spring()).filter(|(_, damping)| *damping > 0.0);
        let Some((wall, (stiffness, damping))) = leaves.zip(spring) else { return Ok(None) };
        let at = first_turn(arc, stiffness, damping, sign, !p.apart, until)?;
        Ok(at.map(|at| (wall, at)))
    }

    /// A span in which the slip is likely to end, by its speed and acceleration now, s.
    fn likely_span(&self, t: f64, p: &Point, sign: f64, ahead: Option<(Wall, f64)>) -> f64 {
        let side = self.side(sign);
        let b = side.load.piece_at(t).derivatives(t)[0] - self.hold(p) - side.medium.damping * p.v;
        let a = sign * (b - sign * side.friction()) / side.medium.mass;
        let u = sign * p.v;
        let rests = if a < 0.0 { u / -a } else { f64::INFINITY };
        let meets = ahead.map_or(f64::INFINITY, |(_, level)| {
            let d = (sign * (level - p.origin - p.y)).max(0.0);
            2.0 * d / (u + (u * u + 2.0 * a * d).sqrt()) // NaN if it rests before
        });
        let span = rests.min(meets);
        if span > 0.0 { 2.0 * span } else { f64::INFINITY }
    }

    /// Adds what a soft stop has given the mass during a motion from `t` to `stop`.
    pub(super) fn add_impulse(&mut self, p: &Point, arc: &Stretch, t: f64, stop: f64) {
        let Some((stiffness, damping)) = self.stops.and_then(|s| s.spring()) else { return };
        if p.pushed().is_none() {
            return;
        }
        self.impulse -= match arc {
            Stretch::Offset { arc, .. } => {
                let way = arc.after(stop - t).x - p.y;
                stiffness * arc.displacement_integral(stop - t) + damping * way
            }
            _ => stiffness * p.y * (stop - t),
        };
    }

    /// The support jumps to another velocity, the mass keeps its own.
    pub(super) fn kicked(
        &mut self,
        t: f64,
        mut p: Point,
        phase: Phase,
        kick: f64,
        events: &mut Vec<Event>,
    ) -> (Point, Phase) {
        let support = self.support_velocity(t);
        let w = if phase == Phase::Stick { -kick } else { p.v - support };
        let next = if w == 0.0 {
            p.v = support;
            self.at_rest(t, &p, phase)
        } else {
            Phase::slip(w)
        };
        let kind = EventKind::between(phase, next);
        events.extend(kind.map(|kind| self.event(kind, t, &p)));
        (p, next)
    }

    /// The mass is at a stop's position: what happens, and what begins.
    pub(super) fn meet(
        &mut self,
        t: f64,
        Landing { wall, at, turns }: Landing,
        phase: Phase,
        events: &mut Vec<Event>,
    ) -> (Point, Phase) {
        let mut record = |kind, v: [f64; 2], impulse| {
            events.push(Event::impact(kind, t, wall.stop_place(), at.x(), v, impulse));
        };
        if turns {
            record(if at.apart { EventKind::Release } else { EventKind::Touch }, [at.v; 2], 0.0);
            return (at, phase);
        }
        let Some(e) = self.stops.and_then(|s| s.restitution()) else {
            let stop = if at.stop.is_none() { Some(wall) } else { None };
            match stop {
                Some(_) => record(EventKind::Touch, [at.v; 2], 0.0),
                None => record(EventKind::Impact, [at.v; 2], self.impulse),
            }
            self.impulse = 0.0;
            return (Point { stop, apart: false, ..at }, phase);
        };
        // Written as a difference, for a mass that arrives at 0 m/s leaves at 0 and not at −0 m/s.
        let after = 0.0 - e * at.v;
        record(EventKind::Impact, [at.v, after], self.sides[0].medium.mass * (after - at.v));
        let at = Point { v: after, ..at };
        if after == 0.0 {
            return self.rest_at(t, wall, at, events);
        }
        let bounces = self.certify(t, wall, &at, e);
        (Point { bounces, ..at }, Phase::slip(after))
    }

    /// The mass has come to rest against a rigid stop.
    pub(super) fn rest_at(
        &mut self,
        t: f64,
        wall: Wall,
        at: Point,
        events: &mut Vec<Event>,
    ) -> (Point, Phase) {
        let at = Point { v: 0.0, stop: Some(wall), bounces: None, ..at };
        let next = self.at_rest(t, &at, Phase::Stick); // the way of the slip is barred
        if next == Phase::Stick {
            let kind = EventKind::Stick;
            events.push(Event::new(kind, t, 0, State { x: at.x(), v: 0.0 }));
            return (at, next);
        }
        (Point { stop: None, ..at }, next)
    }

    /// The end of the bounces that `p`, leaving a stop, begins, if they are so short that their sum is
    /// exact to rounding, and their impulse.
    fn certify(&mut self, t: f64, wall: Wall, p: &Point, e: f64) -> Option<(f64, f64)> {
        let until = self.smooth_until(t).min(self.end);
        let reach = until * (1.0 + 4.0 * f64::EPSILON); // what ends with the piece, but for rounding
        let away = self.side(wall.sign());
        let towards = self.side(-wall.sign());
        let m = &*away.medium;
        let [q, q1, ..] = self.load.piece_at(t).derivatives(t);
        let push = -wall.sign() * (q - self.hold(p));
        let [away, holds, towards] =
            [away.sliding_at(t), towards.breakaway_at(t), towards.sliding_at(t)];
        let bounces = Bounces {
            out: (push + away) / m.mass,
            back: (push - towards) / m.mass,
            restitution: e,
        };
        let u = p.v.abs();
        let span = bounces.duration(u).filter(|s| *s <= SHORT * t && t + s <= reach)?;
        let load_change = span * (q1.abs() + span * self.load.derivative_bound(2));
        let limit_change = towards_change(self.side(-wall.sign()), t, span);
        let change =
            load_change + limit_change + m.damping * 2.0 * u + m.stiffness * bounces.height(u);
        // At the top of every bounce the load must take the mass back.
        if push - holds <= change {
            return None;
        }
        let varies = bounces.sensitivity(change / m.mass);
        let certain = varies < 0.1 && 4.0 * varies * span <= f64::EPSILON * t;
        let impulse = wall.sign() * m.mass * bounces.impulse(u);
        certain.then_some(((t + span).min(until), impulse))
    }
}

/// How much the limit of a side may change over `span` (s), N.
fn towards_change(side: &Side, t: f64, span: f64) -> f64 {
    side.limit.as_ref().map_or(0.0, |limit| {
        span * (limit.piece_at(t).derivatives(t)[1].abs() + span * limit.derivative_bound(2))
    })
}
