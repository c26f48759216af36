//! A mass at rest at a rigid stop while its support moves: a box on a belt in front of a gate.
//!
//! There are two ways to be at rest at a stop. On a support that stands still the mass sticks, and the stop carries what
//! presses it (see [`Stops`](crate::model::Stops)). A support that moves rubs past the mass, which the stop holds against
//! load and sliding friction together until that sum no longer presses, or the support comes to a halt.

use super::polish::secant;
use super::stick::Panel;
use super::window::Window;
use super::{Cause, Ends, Rest, System};
use crate::error::Error;
use crate::model::Wall;
use crate::motion::{Event, EventKind, Phase, State};
use crate::scheme::event_loop::{Begins, Failure, Hit};

impl System {
    /// The rigid stop at which a mass rests.
    pub(super) fn rigid_stop_at(&self, state: &Rest) -> Option<Wall> {
        let rigid = self.o.stops.is_some_and(|s| s.restitution().is_some());
        state.stop.filter(|_| rigid && state.bounces.is_none())
    }

    /// What begins for a mass at rest at the stop `wall`.
    pub(super) fn at_wall(
        &mut self,
        t: f64,
        wall: Wall,
        state: Rest,
    ) -> Result<Begins<Self>, Error> {
        let o = self.o.clone();
        let window = Window::new(&o, t, None);
        let [v, a, ..] = window.support.derivatives(t);
        let rounding = self.frame.as_ref().map_or(0.0, |f| f.rounding(t));
        let moves = v.abs() > rounding;
        // A support at rest that accelerates is about to move.
        let way = if moves { v } else { a };
        let at = Rest { u: State { v: 0.0, ..state.u }, stop: Some(wall), held: false, ..state };
        let x = at.u.x;
        let away = wall.sign();
        if way == 0.0 {
            // The support stands still.
            let at = Rest { since: t, ..at };
            let next = self.at_rest(t, &at)?;
            return Ok((if next == Phase::Stick { at } else { self.let_go(at) }, next));
        }
        if !moves && away * way > 0.0 {
            // The support sets out from the stop, and takes the mass along if friction can.
            let needed = away * (o.mass * a - window.load(t, x, 0.0));
            let limit = window.normal(t, x) * o.friction.limit(-away, 0.0);
            if needed <= limit {
                let free = Rest { since: t, stop: None, ..at };
                let next = self.at_rest(t, &free)?;
                return Ok((free, next));
            }
        }
        let side = -way.signum();
        let presses = -away * o.mass * window.acceleration(side, t, x, 0.0);
        // At zero as well: a stop that need not push still has the mass next to it.
        if presses >= 0.0 {
            return Ok((Rest { held: true, since: t, ..at }, Phase::slip(side)));
        }
        Ok((Rest { stop: None, since: t, ..at }, Phase::slip(side)))
    }

    /// When a mass that the stop holds is let go, or its support comes to a halt, if before `until`.
    pub(super) fn holding(
        &mut self,
        t: f64,
        state: &Rest,
        side: f64,
        until: f64,
    ) -> Result<Option<Hit<Ends>>, Failure> {
        let o = self.o.clone();
        let away = state.stop.map_or(0.0, Wall::sign);
        let window = Window::new(&o, t, None);
        let x = state.u.x;
        // Two margins: what presses the mass to the stop, N, and how fast the support rubs, as a force.
        let margin = |which: f64, at: f64| {
            let support = window.support.value(at);
            if which < 0.0 {
                return (-side * support, window.support.scale(at));
            }
            let load = window.load(at, x, 0.0);
            let friction =
                window.normal(at, x) * o.friction.force(side, (-side * support).max(0.0));
            (-away * (load - side * friction), load.abs() + friction)
        };
        let tolerance = (0.1 * self.options.rtol).max(1e-14);
        let mut from = t;
        let mut width = until - t;
        while from < until {
            self.interrupt.check(from)?;
            width = width.min(until - from);
            let panel = Panel::new(from, width, margin);
            let fine = width <= self.shortest(from).max(1e-9 * (until - t));
            if !panel.is_smooth(tolerance) && !fine {
                width *= 0.5;
                continue;
            }
            if !panel.is_finite() {
                return Err(Error::NotFinite { time: from, step: 0.0 }.into());
            }
            if let Some(root) = panel.first_root()? {
                let (which, what) =
                    if root.which == 0 { (1.0, Ends::LetsGo) } else { (-1.0, Ends::Halts) };
                let f = |at: f64| margin(which, at).0;
                let time = secant(f, from, root.at, from + width, 1e-3 * width);
                return Ok(Some(Hit { time, what }));
            }
            from = if from + width >= until { until } else { from + width };
            // A panel that was smooth is followed by a wider one; one that is not is halved above.
            width *= 2.0;
        }
        Ok(None)
    }

    /// A mass at rest at a stop, at an instant at which the loads or the way of its support change.
    pub(super) fn stay(
        &mut self,
        t: f64,
        wall: Wall,
        state: Rest,
        phase: Phase,
        cause: Cause,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        let (next, then) = match cause {
            Cause::Hit(Ends::LetsGo) => {
                (Rest { stop: None, held: false, since: t, ..state }, phase)
            }
            // Whatever else has changed, what holds the mass is asked anew.
            _ => self.at_wall(t, wall, state)?,
        };
        let place = wall.stop_place();
        let mut record = |kind, place| events.push(Event::new(kind, t, place, next.u));
        if let Some(kind) = EventKind::between(phase, then) {
            record(kind, 0);
        }
        if state.held && next.stop.is_none() {
            record(EventKind::Release, place);
        } else if next.held && !state.held {
            record(EventKind::Rest, place);
        }
        Ok((next, then))
    }
}
