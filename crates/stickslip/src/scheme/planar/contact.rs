//! What happens at a rigid rim: impacts, the contact that they end in, and how that goes on.

use super::arc::Node;
use super::bounces::{Bounces, Impact};
use super::circle::along;
use super::polar::Sliding;
use super::side::Side;
use super::slip::Link;
use super::window::{Window, dot};
use super::{Ends, System, event};
use crate::error::Error;
use crate::model::planar::Rim;
use crate::motion::{Event, EventKind, PlanarPhase};
use crate::scheme::event_loop::{Begins, EventDriven, Hit, Leg};

/// How bounces in progress end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settles {
    /// How long they take, s.
    span: f64,
    /// How far they go along the rim, m, and the speed at their end, m/s, against the clock.
    arc: f64,
    speed: f64,
    /// The impulse of all of them, N·s.
    impulse: f64,
}

/// How high the lowest bounce rises, of the radius, that a step of the usual length resolves well enough for the next ones to be
/// extrapolated.
const RESOLVED: f64 = 1e-9;

/// The velocity along the rim of a mass at `r` with `w`.
fn tangential(r: [f64; 2], w: [f64; 2]) -> [f64; 2] {
    let ahead = along(r);
    let speed = dot(w, ahead);
    ahead.map(|x| speed * x)
}

impl System {
    /// What a mass does that is at the rim, without a velocity across it: in contact it rests or slides along the rim; otherwise
    /// it leaves the rim. What its surface and the rim can hold rests, unless that has just given way.
    fn at_rim(&self, t: f64, rim: Rim, state: Node, gives_way: bool) -> Begins<Self> {
        let r = rim.nearest(state.r);
        let w = tangential(r, state.w);
        let window = Window::new(&self.model, t);
        let closed = Node { r, w, side: Side::Closed };
        let leaves = Node { r, w, side: Side::Inside };
        let ahead = along(r);
        let speed = dot(w, ahead);
        if w == [0.0; 2] {
            if !gives_way && window.holds_at_rim(t, r) {
                return (closed, PlanarPhase::Stick);
            }
            let side = if dot(window.left_at_rest(t, r), ahead) < 0.0 { -1.0 } else { 1.0 };
            let stays = window.presses_at_rest(t, r) && window.is_pushed(t, r, side, 0.0);
            return (if stays { closed } else { leaves }, PlanarPhase::Slip);
        }
        let side = if speed < 0.0 { -1.0 } else { 1.0 };
        let stays = window.is_pushed(t, r, side, speed.abs());
        (if stays { closed } else { leaves }, PlanarPhase::Slip)
    }

    /// A mass is put into the rim.
    pub(super) fn place_in_rim(
        &mut self,
        t: f64,
        rim: Rim,
        state: Node,
    ) -> Result<Begins<Self>, Error> {
        self.bounces.clear();
        let depth = rim.depth(state.r);
        if depth > Rim::ROUNDING * rim.radius {
            let reason = format!(
                "the mass would be {depth:?} m beyond the rigid rim of radius {:?} m; expected a place inside",
                rim.radius
            );
            return Err(Error::BadState { reason });
        }
        if rim.is_at(state.r) {
            let out = dot(Rim::outward(state.r), state.w);
            // A velocity that should be along the rim has a component across it by rounding.
            if out.abs() <= Rim::ROUNDING * super::window::length(state.w) {
                let (at, phase) = self.at_rim(t, rim, state, false);
                // What leaves the rim at once keeps the numbers that were given.
                let at = if at.side == Side::Closed { at } else { state };
                return Ok((at, phase));
            }
        }
        Ok((state, self.phase(t, &state)))
    }

    /// What comes after a motion that ends at the rim or in contact with it; nothing where the rim has no part in it.
    pub(super) fn next_at_rim(
        &mut self,
        leg: &Leg<Self>,
        state: Node,
        rim: Rim,
        restitution: f64,
        events: &mut Vec<Event>,
    ) -> Option<Begins<Self>> {
        let t = leg.stop;
        match (leg.hit, leg.motion.side) {
            (Some(Ends::Meets), _) => Some(self.strikes(t, rim, restitution, state, events)),
            (Some(Ends::Settles), _) => {
                let impulse = self.ends.take().map_or(0.0, |ends| ends.impulse);
                let w = tangential(state.r, state.w);
                let told = event(EventKind::Impact, t, &Window::new(&self.model, t), &state);
                events.push(Event { v: w[0], before: w[0], impulse, ..told });
                Some(self.closes(t, rim, Node { w, ..state }, events))
            }
            (Some(Ends::Pauses), _) => None,
            (Some(Ends::Lets), _) => {
                let leaves = Node { side: Side::Inside, ..state };
                self.tell(t, EventKind::Release, &leaves, events);
                Some((leaves, PlanarPhase::Slip))
            }
            (Some(Ends::Rests), Side::Closed) => {
                let (at, phase) = self.at_rim(t, rim, state, false);
                let kind = if phase == PlanarPhase::Stick {
                    EventKind::Stick
                } else {
                    EventKind::Reversal
                };
                self.tell(t, kind, &at, events);
                self.tell_release(t, &at, events);
                Some((at, phase))
            }
            (Some(Ends::GivesWay), Side::Closed) => {
                let (at, phase) = self.at_rim(t, rim, state, true);
                self.tell(t, EventKind::Slip, &at, events);
                self.tell_release(t, &at, events);
                Some((at, phase))
            }
            (None, Side::Closed | Side::Bouncing) => {
                Some(self.goes_on_at_rim(t, rim, state, leg.phase, events))
            }
            _ => None,
        }
    }

    /// Loads that may have jumped meet a mass in contact with the rim.
    pub(super) fn goes_on_at_rim(
        &mut self,
        t: f64,
        rim: Rim,
        state: Node,
        phase: PlanarPhase,
        events: &mut Vec<Event>,
    ) -> Begins<Self> {
        self.ends = None;
        let (at, next) = self.at_rim(t, rim, state, false);
        if (phase, next) == (PlanarPhase::Stick, PlanarPhase::Slip) {
            self.tell(t, EventKind::Slip, &at, events);
        }
        self.tell_release(t, &at, events);
        (at, next)
    }

    /// An impact.
    fn strikes(
        &mut self,
        t: f64,
        rim: Rim,
        restitution: f64,
        state: Node,
        events: &mut Vec<Event>,
    ) -> Begins<Self> {
        let n = Rim::outward(state.r);
        let out = dot(n, state.w);
        let mass = self.model.mass;
        if out <= 0.0 {
            // It touches the rim, to rounding.
            return self.closes(t, rim, state, events);
        }
        let w = [0, 1].map(|i| state.w[i] - (1.0 + restitution) * out * n[i]);
        let back = restitution * out;
        let after = Node { r: rim.nearest(state.r), w, ..state };
        let told = event(EventKind::Impact, t, &Window::new(&self.model, t), &after);
        let impulse = mass * (1.0 + restitution) * out;
        events.push(Event { before: state.w[0], impulse, ..told });
        let speed = dot(w, along(state.r));
        if back == 0.0 {
            return self.closes(t, rim, after, events);
        }
        let options = self.options;
        let tolerance = 0.1 * (options.rtol * t + options.atol);
        let impact = Impact { t, r: after.r, back, speed };
        let is_last = self.rises_below(t, rim, &after, back, RESOLVED);
        let ends = self.bounces.add(impact, rim.radius, tolerance, is_last);
        let until = self.smooth_until(t).min(self.end);
        if let Some(ends) = ends.filter(|ends| t + ends.place[0] < until) {
            let [span, arc, speed] = ends.place;
            let rest = (1.0 + restitution) / restitution * ends.share * back;
            self.ends = Some(Settles { span, arc, speed, impulse: mass * rest });
            let bouncing = Node { w: tangential(after.r, w), side: Side::Bouncing, ..after };
            return (bouncing, PlanarPhase::Slip);
        }
        if self.rises_below(t, rim, &after, back, 0.1 * RESOLVED) {
            return self.closes(t, rim, after, events);
        }
        (after, self.phase(t, &after))
    }

    /// Whether a bounce that leaves the rim with the speed `back` (m/s) rises by less than this `share` of its radius.
    fn rises_below(&self, t: f64, rim: Rim, after: &Node, back: f64, share: f64) -> bool {
        let window = Window::new(&self.model, t);
        let w = tangential(after.r, after.w);
        let pull = dot(Rim::outward(after.r), window.load(t, after.r, w))
            + self.model.mass * dot(w, w) / rim.radius;
        // back²/(2 pull/m) is how high it rises.
        pull > 0.0 && self.model.mass * back * back < 2.0 * share * rim.radius * pull
    }

    /// The mass stays at the rim, if that pushes it.
    fn closes(&mut self, t: f64, rim: Rim, state: Node, events: &mut Vec<Event>) -> Begins<Self> {
        self.bounces.clear();
        let (at, phase) = self.at_rim(t, rim, state, false);
        if at.side == Side::Closed {
            self.tell(t, EventKind::Touch, &at, events);
        }
        if phase == PlanarPhase::Stick {
            self.tell(t, EventKind::Stick, &at, events);
        }
        (at, phase)
    }

    /// The piece in which infinitely many bounces happen.
    pub(super) fn bouncing(&self, rim: Rim, at: &Sliding) -> (Vec<Link>, Option<Hit<Ends>>) {
        let Some(Settles { span, arc, speed, .. }) = self.ends else { return (Vec::new(), None) };
        let first = dot(at.w, along(at.r));
        let bounces =
            Bounces { t: at.t, span, r: at.r, radius: rim.radius, arc, speeds: [first, speed] };
        let hit = Hit { time: at.t + span, what: Ends::Settles };
        (vec![Link::Bounces(bounces)], Some(hit))
    }

    fn tell(&self, t: f64, kind: EventKind, at: &Node, events: &mut Vec<Event>) {
        events.push(event(kind, t, &Window::new(&self.model, t), at));
    }

    fn tell_release(&self, t: f64, at: &Node, events: &mut Vec<Event>) {
        if at.side == Side::Inside {
            self.tell(t, EventKind::Release, at, events);
        }
    }
}
