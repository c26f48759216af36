//! Stops in the way of adaptive arcs.

use super::window::{Slide, Window};
use super::{Ends, Landing, Rest, System};
use crate::error::Error;
use crate::model::{Oscillator, Stops, Wall};
use crate::motion::Link;
use crate::motion::{Event, EventKind, Motion, Phase, State, Stretch, Warning};
use crate::numeric::GAUSS;
use crate::roots::{GivenUp, Jet, Touch, first_root};
use crate::scheme::event_loop::{Begins, EventDriven, Hit};
use crate::scheme::oscillator::bounces::Bounces;

/// The stop that holds or contains a mass that begins with `u`.
pub(super) fn at_start(o: &Oscillator, u: State) -> Option<Wall> {
    let stops = &o.stops?;
    let rigid = stops.restitution().is_some();
    let State { x, v } = u;
    stops.touched(x).filter(|wall| {
        let enters = wall.sign() * v < 0.0;
        // A rigid stop holds only what rests at it, while a soft one has the mass in its spring beyond its position.
        if rigid { v == 0.0 } else { stops.at(*wall) != Some(x) || enters }
    })
}

/// A stop's position is crossed, or the force of a soft stop vanishes.
#[derive(Clone, Copy)]
pub(super) struct Crossing {
    /// When, s.
    pub at: f64,
    /// What happens there.
    pub what: Ends,
    line: Line,
}

impl Crossing {
    /// The value that falls through zero, and its rate where the mass accelerates with `a` (m/s²).
    pub fn guard(&self, u: State, a: f64) -> (f64, f64) {
        let Line { sign, at, stiffness, damping } = self.line;
        let value = stiffness * (u.x - at) + damping * u.v;
        (sign * value, sign * (stiffness * u.v + damping * a))
    }
}

/// sign·(k (x − at) + c v), which falls through zero: a distance with k = 1 and c = 0, the force of a soft stop with its
/// own numbers.
#[derive(Clone, Copy)]
struct Line {
    sign: f64,
    at: f64,
    stiffness: f64,
    damping: f64,
}

impl Line {
    fn distance(sign: f64, at: f64) -> Self {
        Self { sign, at, stiffness: 1.0, damping: 0.0 }
    }

    /// The force with which the soft stop `wall` pushes, or the one with which it would pull.
    fn force(stops: &Stops, wall: Wall, apart: bool) -> Option<Self> {
        let (stiffness, damping) = stops.spring().filter(|s| s.1 > 0.0)?;
        let sign = if apart { wall.sign() } else { -wall.sign() };
        Some(Self { sign, at: stops.at(wall)?, stiffness, damping })
    }

    /// From the jets of x and v, with the noise `noise` of both.
    fn jet(&self, x: Jet, v: Jet) -> Jet {
        let Self { sign, at, stiffness: k, damping: c } = *self;
        let of = |x: f64, v: f64| if c == 0.0 { sign * (k * x) } else { sign * (k * x + c * v) };
        Jet {
            value: of(x.value - at, v.value),
            first: of(x.first, v.first),
            second: of(x.second, v.second),
            third: 0.0,
            bound: k * x.bound + c * v.bound,
            growth: 0.0,
        }
    }
}

/// The direction away from the place where a contact that is `open` or not closes or opens.
fn contact_sign(slope: f64, open: bool) -> f64 {
    if open { -slope.signum() } else { slope.signum() }
}

/// Whether the contact is open in a slip that begins at `u` towards `side`: at the place where it opens the way out decides.
pub(super) fn is_open(o: &Oscillator, u: State, side: f64) -> bool {
    let slope = o.nonlinear.normal_slope;
    let pressing = 1.0 + slope * u.x;
    // To rounding 1 + s x is zero there, and its sign says nothing.
    let there = slope != 0.0 && pressing.abs() <= 1e-12;
    let way = if u.v == 0.0 { side } else { u.v };
    if there { slope * way < 0.0 } else { pressing < 0.0 }
}

/// The stops whose positions a mass can come to, with the direction away from them.
fn ahead(stops: &Stops, inside: Option<Wall>) -> impl Iterator<Item = (Wall, f64, f64)> {
    Wall::ALL.into_iter().filter_map(move |wall| {
        let a = stops.at(wall)?;
        match inside {
            None => Some((wall, wall.sign(), a)),
            Some(w) if w == wall => Some((wall, -wall.sign(), a)),
            Some(_) => None,
        }
    })
}

impl System {
    /// The first crossing of a stop's position inside a step of a slip towards `side`. On the ground
    /// that slip does not turn back, so only what is ahead can be crossed.
    pub(super) fn first_crossing(
        &self,
        l: &Link,
        slide: &Slide<'_>,
        fresh: bool,
        end: f64,
    ) -> Result<Option<Crossing>, GivenUp> {
        let Slide { side, stop: inside, apart, open, .. } = *slide;
        // Of the polynomials over the whole step, so that no crossing in it is passed over.
        let bounds = [l.x.third_bound(l.h), l.v.third_bound(l.h)];
        let [scale, speed] = [&l.x, &l.v].map(|p| p.0.iter().map(|c| c.abs()).sum::<f64>());
        // On the ground a slip goes one way, so that the stop behind it cannot be met; on a moving support it can.
        let meets = |sign: f64| self.frame.is_some() || sign * side < 0.0;
        let walls = self.o.stops.iter().flat_map(|stops| ahead(stops, inside));
        let slope = self.o.nonlinear.normal_slope;
        let contact =
            (slope != 0.0).then(|| (Ends::Reseats, contact_sign(slope, open), -1.0 / slope));
        let positions = walls.map(|(wall, sign, a)| (Ends::Lands(Landing::Stop(wall)), sign, a));
        let positions = positions.chain(contact).filter(|c| meets(c.1));
        let lines = positions.map(|(what, sign, a)| (what, Line::distance(sign, a)));
        let turn = self.o.stops.zip(inside).and_then(|(stops, wall)| {
            Some((Ends::Lands(Landing::Turn(wall)), Line::force(&stops, wall, apart)?))
        });
        let mut first: Option<Crossing> = None;
        for (what, line) in lines.chain(turn) {
            let Line { at, stiffness, damping, .. } = line;
            let noise = 4.0 * f64::EPSILON * (stiffness * (scale + at.abs()) + damping * speed);
            let root = first_root(l.t, end, noise, Touch::Passes, |t| {
                let theta = (t - l.t) / l.h;
                let mut j =
                    line.jet(l.x.jet(theta, l.h, bounds[0]), l.v.jet(theta, l.h, bounds[1]));
                // After a turn the force is zero to what Newton's method has left.
                let zero =
                    if damping > 0.0 { noise.max(1e-10 * noise / f64::EPSILON) } else { noise };
                if fresh && t == l.t && j.value.abs() <= zero {
                    // It sets out from the stop, whatever the rounding.
                    j.value = 0.0;
                    // From rest at the stop the velocity is zero to rounding as well: the way out is the side of the
                    // slip.
                    if damping == 0.0 && j.first.abs() < 1e-12 * scale / l.h {
                        j.first = j.first.max(0.0);
                        j.second = j.second.max(0.0);
                    }
                }
                [j]
            })?;
            if let Some(root) = root.filter(|r| first.is_none_or(|first| r.at < first.at)) {
                first = Some(Crossing { at: root.at, what, line });
            }
        }
        Ok(first)
    }

    /// When a support that carries the mass from `t` on brings it to a stop's position, or to where a soft stop ceases or
    /// begins to push, if before `until`.
    pub(super) fn carried_to_a_stop(
        &self,
        t: f64,
        rest: &Rest,
        until: f64,
    ) -> Result<Option<Hit<Ends>>, GivenUp> {
        let Some(stops) = self.o.stops.filter(|_| self.frame.is_some()) else { return Ok(None) };
        let o = self.o.clone();
        let window = Window::new(&o, t, None);
        let support = window.support;
        // The third derivative of the place is the second of the support's velocity, of which only harmonics have
        // one.
        let bound: f64 =
            support.harmonics.iter().map(|h| h.amplitude.abs() * h.angular_frequency.powi(2)).sum();
        let rounding = self.frame.as_ref().map_or(0.0, |f| f.rounding(t));
        let positions = ahead(&stops, rest.stop)
            .map(|(wall, sign, a)| (Landing::Stop(wall), Line::distance(sign, a)));
        let turn = rest
            .stop
            .and_then(|wall| Some((Landing::Turn(wall), Line::force(&stops, wall, rest.apart)?)));
        let mut first: Option<Hit<Ends>> = None;
        for (landing, line) in positions.chain(turn) {
            let Line { at, stiffness, damping, .. } = line;
            let way = rest.u.x.abs() + at.abs();
            let speed = support.scale(t);
            let noise = 8.0 * f64::EPSILON * (stiffness * way + damping * speed);
            let root = first_root(t, until, noise, Touch::Passes, |s| {
                let (x, [v, rate, jerk, _]) =
                    (window.carried(rest.u.x, t, s).x, support.derivatives(s));
                let jet = |value, first, second, bound| Jet {
                    value,
                    first,
                    second,
                    third: 0.0,
                    bound,
                    growth: 0.0,
                };
                let third = support.third_bound;
                // A support that takes the mass along from a stop is just turning there, to rounding.
                let turns = s == t && x == at && v.abs() <= rounding;
                let v = if turns { line.sign * (line.sign * v).max(0.0) } else { v };
                [line.jet(jet(x, v, rate, bound), jet(v, rate, jerk, third))]
            })?;
            if let Some(root) = root.filter(|r| first.is_none_or(|first| r.at < first.time)) {
                first = Some(Hit { time: root.at, what: Ends::Lands(landing) });
            }
        }
        Ok(first)
    }

    /// Adds what a soft stop has given the mass during a motion.
    pub(super) fn add_impulse(&mut self, rest: &Rest, arc: &Stretch, start: f64, stop: f64) {
        let held = self.o.stops.zip(rest.pushed());
        let Some(((k, c), a)) = held.and_then(|(s, wall)| s.spring().zip(s.at(wall))) else {
            return;
        };
        let force = |t: f64| {
            let State { x, v } = arc.state(t);
            k * (a - x) - c * v
        };
        let mut add = |from: f64, to: f64| {
            let half = 0.5 * (to - from);
            for (node, weight) in GAUSS {
                // Gauss's nodes come in pairs about the middle.
                let both = force(from + half * (1.0 - node)) + force(from + half * (1.0 + node));
                self.impulse += half * weight * both;
            }
        };
        match arc {
            Stretch::Dense(dense) => {
                // Where the loads change on the way the motion ends before its last steps do.
                let passed = dense.links.iter().filter(|l| l.t < stop);
                passed.for_each(|l| add(l.t, (l.t + l.h).min(stop)));
            }
            _ => {
                // At rest on a support the force is smooth, but there are no steps that say how fast it varies.
                let at = |i: i32| start + (stop - start) * f64::from(i) / 64.0;
                (0..64).for_each(|i| add(at(i), at(i + 1)));
            }
        }
    }

    /// A mass that slips is not held by a rigid stop any more.
    pub(super) fn let_go(&self, rest: Rest) -> Rest {
        let rigid = self.o.stops.is_some_and(|s| s.restitution().is_some());
        Rest { stop: rest.stop.filter(|_| !rigid), ..rest }
    }

    /// The mass is at a stop's position: what happens, and what begins.
    pub(super) fn meet(
        &mut self,
        t: f64,
        wall: Wall,
        state: Rest,
        phase: Phase,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        let Some((stops, x)) = self.o.stops.and_then(|s| Some((s, s.at(wall)?))) else {
            return Ok((state, phase));
        };
        let v = state.u.v;
        let place = wall.stop_place();
        let since = if phase == Phase::Stick { state.since } else { t };
        let at = Rest { u: State { x, v }, since, ..state };
        let Some(e) = stops.restitution() else {
            // At a soft stop's position the mass enters its spring or leaves it; what it was given in between is told
            // when it leaves.
            let entered = state.stop.is_none();
            let (kind, impulse) =
                if entered { (EventKind::Touch, 0.0) } else { (EventKind::Impact, self.impulse) };
            self.impulse = 0.0;
            events.push(Event::impact(kind, t, place, x, [v, v], impulse));
            return Ok((Rest { stop: entered.then_some(wall), apart: false, ..at }, phase));
        };
        let after = 0.0 - e * v;
        let impulse = self.o.mass * (after - v);
        events.push(Event::impact(EventKind::Impact, t, place, x, [v, after], impulse));
        let at = Rest { u: State { x, v: after }, ..at };
        if after == 0.0 {
            return self.rest_at(t, Rest { stop: Some(wall), ..at }, events);
        }
        let bounces = self.sum_up(t, wall, &at, e);
        let w = after - self.o.support.value(t);
        // Thrown off at the very speed of its support, it may go on with it.
        if w == 0.0 {
            let phase = self.at_rest(t, &at)?;
            return Ok((Rest { since: t, ..at }, phase));
        }
        Ok((Rest { bounces, ..at }, Phase::slip(w)))
    }

    /// A soft stop that the mass is in ceases to push, or begins to again.
    pub(super) fn turn(
        &mut self,
        t: f64,
        wall: Wall,
        state: Rest,
        phase: Phase,
        events: &mut Vec<Event>,
    ) -> (Rest, Phase) {
        let State { x, v } = state.u;
        let kind = if state.apart { EventKind::Touch } else { EventKind::Release };
        events.push(Event::impact(kind, t, wall.stop_place(), x, [v, v], 0.0));
        let since = if phase == Phase::Stick { state.since } else { t };
        (Rest { since, apart: !state.apart, ..state }, phase)
    }

    /// Bounces have been summed: the mass rests.
    pub(super) fn end_bounces(
        &mut self,
        t: f64,
        state: Rest,
        impulse: f64,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        let x = state.u.x;
        let stop = self.o.rigid_stop(x);
        let place = stop.map_or(0, Wall::stop_place);
        events.push(Event::impact(EventKind::Impact, t, place, x, [0.0, 0.0], impulse));
        self.rest_at(t, Rest { stop, bounces: None, since: t, ..state }, events)
    }

    /// The mass has come to rest against a rigid stop.
    fn rest_at(
        &mut self,
        t: f64,
        at: Rest,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        if let Some(wall) = at.stop
            && self.frame.is_some()
        {
            let (state, phase) = self.at_wall(t, wall, at)?;
            let u = State { x: at.u.x, v: 0.0 };
            match phase {
                Phase::Stick => events.push(Event::new(EventKind::Stick, t, 0, u)),
                _ if state.held => {
                    events.push(Event::new(EventKind::Rest, t, wall.stop_place(), u))
                }
                _ => {}
            }
            return Ok((state, phase));
        }
        let next = self.at_rest(t, &at)?;
        if next != Phase::Stick {
            return Ok((self.let_go(at), next));
        }
        events.push(Event::new(EventKind::Stick, t, 0, State { x: at.u.x, v: 0.0 }));
        Ok((at, next))
    }

    /// The end of the bounces that `at`, leaving a stop, begins, and their impulse, once forces that
    /// are as good as constant end them where they do to within the tolerance.
    fn sum_up(&mut self, t: f64, wall: Wall, at: &Rest, e: f64) -> Option<(f64, f64)> {
        let until = self.smooth_until(t).min(self.end);
        let o = self.o.clone();
        let window = Window::new(&o, t, None);
        let x = at.u.x;
        let sign = wall.sign();
        let law = &o.friction;
        // A support that moves rubs the same way on the way out as on the way back, if it is fast enough.
        let belt = window.support.value(t);
        if belt != 0.0 && belt.abs() <= 2.0 * at.u.v.abs() {
            return None;
        }
        let rubs = |way: f64| if belt == 0.0 { way } else { -belt.signum() };
        let friction = |way: f64, u: f64, t: f64, x: f64| {
            let side = rubs(way);
            let speed = if belt == 0.0 { u } else { (u - belt).abs() };
            side * sign * window.normal(t, x) * law.force(side, speed)
        };
        let push = |t: f64, x: f64, v: f64| -sign * window.load(t, x, v);
        let out = (push(t, x, 0.0) + friction(sign, 0.0, t, x)) / o.mass;
        let back = (push(t, x, 0.0) + friction(-sign, 0.0, t, x)) / o.mass;
        let bounces = Bounces { out, back, restitution: e };
        let u = at.u.v.abs();
        let rtol = self.options.rtol;
        // Bounces that take longer are followed one by one, and so are those that the loads change in between.
        let span = bounces.duration(u).filter(|s| *s <= rtol.sqrt() * t && t + s <= until)?;
        let height = sign * bounces.height(u);
        // The forces at a few instants, places and speeds of the bounces to come stand for all of them.
        let mut change = 0.0f64;
        for later in [t, t + 0.5 * span, t + span] {
            for v in [0.0, sign * u, -sign * u] {
                let loads = [x, x + height].map(|x| push(later, x, v) - push(t, x, 0.0));
                let rubs = [sign, -sign].map(|side| (side, friction(side, 0.0, t, x))).map(
                    |(side, now)| {
                        let u = if belt == 0.0 { v.abs() } else { v };
                        let [a, b] = [x, x + height].map(|x| friction(side, u, later, x) - now);
                        a.abs().max(b.abs())
                    },
                );
                let both = loads.map(f64::abs).iter().fold(0.0f64, |a, b| a.max(*b))
                    + rubs.iter().fold(0.0f64, |a, b| a.max(*b));
                change = change.max(both);
            }
        }
        let holds = match belt {
            0.0 => window.normal(t, x) * law.limit(-sign, 0.0),
            _ => -friction(sign, 0.0, t, x),
        };
        let varies = bounces.sensitivity(change / o.mass);
        // At the top of each bounce the load must pull the mass back; the sum hardly varies; and its error is within
        // the tolerance.
        let certain = push(t, x, 0.0) - holds > change
            && varies < 0.1
            && 4.0 * varies * span <= 0.1 * (rtol * t + self.options.atol);
        certain.then(|| (t + span, sign * o.mass * bounces.impulse(u)))
    }

    /// A slip towards `side` that ends next to the stop ahead may have touched it.
    pub(super) fn warn_near_stop(&mut self, t: f64, x: f64, side: f64) {
        let Some(stops) = self.o.stops else { return };
        let band = 10.0 * (self.options.atol + self.options.rtol * x.abs());
        let ahead = if side > 0.0 { Wall::Upper } else { Wall::Lower };
        if stops.at(ahead).is_some_and(|a| (x - a).abs() <= band && x != a) {
            self.warn(Warning::NearMiss { time: t });
        }
    }
}
