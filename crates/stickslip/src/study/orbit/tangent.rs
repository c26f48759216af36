//! How the end of a motion depends on its start: the derivative of the flow, arc by arc and event by event.
//!
//! With δ = (δx, δv) a small change of the state at a fixed time, a the acceleration before (−) and after (+) an
//! event, and s the support's acceleration there:
//!
//! ```text
//! arc          δ ← Φ δ                                   Φ the propagator of the linear or linearised motion
//! reversal     δv ← δv (a⁺ − s)/(a⁻ − s)                 the event moves by δt = −δv/(a⁻ − s)
//! stick        δv ← 0                                    the rank falls by one
//! breakaway    δv ← (a⁺ − s) ∂_x h δx / ḣ                h = ±b − f_s, the load beyond the limit
//! impact       δx ← −e δx,  δv ← −e (δv + a⁻ δt) − a⁺ δt,      δt = −δx/v⁻
//! soft stop    δv ← δv + (a⁻ − a⁺) δt                    δt = −δx/v
//! ```
//!
//! (saltation matrices: Aizerman and Gantmakher 1958; Leine and Nijmeijer 2004, chapter 7).

use super::local::{Limit, Local};
use crate::model::Oscillator;
use crate::motion::{Dense, EventKind, Motion, Phase, Segment, State, Stretch, Trajectory};
use crate::scheme::oscillator::adaptive::dormand_prince::Step;

/// The derivative of the state at the end of a motion with respect to the state at its start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tangent {
    /// Rows x and v at the end, columns x and v at the start.
    pub jacobian: [[f64; 2]; 2],
    /// The same with the time at rest: rows x, v and age at the end, columns at the start.
    pub(super) rows: [[f64; 3]; 3],
    /// How far the motion is from one at which the derivative does not exist: the smallest of the relative
    /// accelerations with which it arrives at rest, the rates at which it leaves the limits and the distances of
    /// the load from the limits on arrival, each relative to its own size. 0 where an event is grazed.
    pub transversality: f64,
}

/// The changes of the present state and of the start of the stick in progress, for both changes at the start.
struct Change {
    x: [f64; 3],
    v: [f64; 3],
    since: [f64; 3],
    /// Three where friction ages, two otherwise.
    columns: usize,
    transversality: f64,
}

/// The tangent along `path`, a motion of `o` by an event-driven scheme.
pub fn along(o: &Oscillator, path: &Trajectory) -> Tangent {
    along_rested(o, path, 0.0)
}

/// The same where a mass that starts at rest has rested for `rested` (s) already.
pub(super) fn along_rested(o: &Oscillator, path: &Trajectory, rested: f64) -> Tangent {
    let mut change = Change {
        x: [1.0, 0.0, 0.0],
        v: [0.0, 1.0, 0.0],
        since: [0.0, 0.0, -1.0],
        columns: if o.friction.ages() { 3 } else { 2 },
        transversality: f64::INFINITY,
    };
    let mut events = path.events().iter().peekable();
    let mut since = path.span().0;
    let mut before: Option<&Segment> = None;
    for s in path.segments() {
        if let Some(b) = before {
            let mut impact = None;
            while let Some(e) = events.next_if(|e| e.time <= b.end) {
                let walls = matches!(e.kind, EventKind::Impact | EventKind::Touch);
                impact = if walls { Some(e.place) } else { impact };
            }
            change.pass(o, b, s, impact.is_some(), since);
        } else if s.phase == Phase::Stick {
            change.v = [0.0; 3];
        }
        if s.phase == Phase::Stick && before.is_none_or(|b| b.phase != Phase::Stick) {
            since = if before.is_none() { s.start - rested } else { s.start };
        }
        change.follow(o, s);
        before = Some(s);
    }
    if let Some(b) = before
        && b.phase != Phase::Stick
    {
        change.finish(o, b);
    }
    let Change { x, v, since, transversality, .. } = change;
    // The time at rest is counted from the start of the stick.
    let held = before.is_some_and(|b| b.phase == Phase::Stick);
    let age = if held { since.map(|s| 0.0 - s) } else { [0.0; 3] };
    let jacobian = [[x[0], x[1]], [v[0], v[1]]];
    Tangent { jacobian, rows: [x, v, age], transversality }
}

impl Change {
    fn note(&mut self, value: f64, scale: f64) {
        if scale > 0.0 {
            self.transversality = self.transversality.min((value / scale).abs());
        }
    }

    fn by(&mut self, p: [[f64; 2]; 2]) {
        for k in 0..self.columns {
            let x = self.x[k];
            let v = self.v[k];
            self.x[k] = p[0][0] * x + p[0][1] * v;
            self.v[k] = p[1][0] * x + p[1][1] * v;
        }
    }

    /// Along a segment.
    fn follow(&mut self, o: &Oscillator, s: &Segment) {
        match &s.arc {
            _ if s.phase == Phase::Stick => {}
            Stretch::Slip(arc) | Stretch::Offset { arc, .. } => {
                self.by(arc.propagator(s.end - s.start))
            }
            Stretch::Dense(dense) => self.integrate(o, s, dense),
            // Bounces that are summed to rest forget where they came from.
            _ => (self.x, self.v) = ([0.0; 3], [0.0; 3]),
        }
    }

    /// The linearised equation along adaptive steps, by the same steps.
    fn integrate(&mut self, o: &Oscillator, s: &Segment, dense: &Dense) {
        let middle = dense.state(0.5 * (s.start + s.end));
        let mut local = Local::new(o, s.start, middle.x).moving(middle.x, middle.v);
        let side = s.phase.sign();
        for i in 0..dense.steps() {
            let Some((t, h)) = dense.interval(i) else { break };
            let h = h.min(s.end - t);
            if h <= 0.0 {
                break;
            }
            // No step comes over a kink of the law, but its ends may lie on one.
            let half = t + 0.5 * h;
            local = local.sliding_at(side, half, dense.state(half).v);
            let a = |t: f64, x: f64, v: f64| {
                let u = dense.state(t);
                let (ax, av) = local.slopes(side, t, u.x, u.v);
                ax * x + av * v
            };
            for k in 0..self.columns {
                let u = State { x: self.x[k], v: self.v[k] };
                let State { x, v } = Step::new(t, u, a(t, u.x, u.v), h, &a).to;
                (self.x[k], self.v[k]) = (x, v);
            }
        }
    }

    /// From one segment to the next.
    fn pass(&mut self, o: &Oscillator, b: &Segment, n: &Segment, wall: bool, since: f64) {
        let t = n.start;
        let from = b.arc.state(t);
        let to = n.arc.state(t);
        match (b.phase, n.phase) {
            (Phase::Stick, Phase::Stick) => {}
            (Phase::Stick, next) => self.break_away(o, b, t, from.x, next.sign(), since),
            _ if wall && o.stops.is_some_and(|s| s.restitution().is_some()) => {
                self.bounce(o, b, n, from, to);
            }
            _ if wall => self.cross(o, b, n, from),
            (phase, next) => self.rest(o, b, t, from, phase.sign(), next),
        }
    }

    /// A stick ends: the load leaves the limit, or jumps at a time of its own.
    fn break_away(&mut self, o: &Oscillator, b: &Segment, t: f64, x: f64, side: f64, since: f64) {
        let local = Local::new(o, b.start, x);
        let [s, s1, _] = local.support(t);
        let (load, rate) = local.at_rest(t, x);
        let Limit { value: limit, rate: limit_rate, ages, along } =
            local.limit(side, t, x, t - since);
        let beyond = side * load - limit;
        let climbs = side * rate - limit_rate;
        let scale = load.abs().max(limit);
        if beyond.abs() > 1e-6 * scale || climbs <= 0.0 {
            self.v = [0.0; 3]; // a jump of the load or of the support, at a time of its own
            return;
        }
        self.note(climbs, climbs.abs() + scale * o.natural_frequency().max(1e-3));
        let slope = side * local.load_slopes(t, x, s).0 - along;
        let after = Local::new(o, t, x).acceleration(side, t, x, s) - s1;
        for k in 0..self.columns {
            let dt = -(slope * self.x[k] + ages * self.since[k]) / climbs;
            self.v[k] = -after * dt;
        }
    }

    /// A slip comes to rest on its support.
    fn rest(&mut self, o: &Oscillator, b: &Segment, t: f64, u: State, side: f64, next: Phase) {
        let local = Local::new(o, b.start, u.x);
        let [s, s1, _] = local.support(t);
        let jumps = Local::new(o, t, u.x).support(t)[0] != s;
        if next.sign() == side || jumps {
            return; // a breakpoint, or the support jumps at a time of its own
        }
        let before = local.acceleration(side, t, u.x, s) - s1;
        let (load, _) = local.at_rest(t, u.x);
        let limit = local.limit(-side, t, u.x, 0.0).value;
        let scale = load.abs() + limit;
        self.note(o.mass * before, scale);
        self.note(load.abs() - limit, scale);
        let after = Local::new(o, t, u.x).acceleration(next.sign(), t, u.x, s) - s1;
        for k in 0..self.columns {
            if next == Phase::Stick {
                self.since[k] = -self.v[k] / before;
                self.v[k] = 0.0;
            } else {
                self.v[k] *= after / before;
            }
        }
    }

    /// A rigid stop turns the velocity.
    fn bounce(&mut self, o: &Oscillator, b: &Segment, n: &Segment, from: State, to: State) {
        let t = n.start;
        if n.phase == Phase::Stick || to.v == 0.0 || from.v == 0.0 {
            (self.x, self.v) = ([0.0; 3], [0.0; 3]); // it stays at the stop, whenever it came
            return;
        }
        let e = -to.v / from.v;
        let before = Local::new(o, b.start, from.x).acceleration(b.phase.sign(), t, from.x, from.v);
        let after = Local::new(o, t, to.x).acceleration(n.phase.sign(), t, to.x, to.v);
        self.note(from.v, from.v.abs() + o.natural_frequency() * from.x.abs());
        for k in 0..self.columns {
            let dt = -self.x[k] / from.v;
            self.x[k] *= -e;
            self.v[k] = -e * (self.v[k] + before * dt) - after * dt;
        }
    }

    /// The mass enters or leaves a soft stop.
    fn cross(&mut self, o: &Oscillator, b: &Segment, n: &Segment, at: State) {
        let t = n.start;
        let side = b.phase.sign();
        let [before, after] = [b, n].map(|s| {
            let inside = s.arc.state(0.5 * (s.start + s.end));
            let local = Local::new(o, s.start, inside.x).moving(inside.x, inside.v);
            local.acceleration(side, t, at.x, at.v)
        });
        self.note(at.v, at.v.abs() + o.natural_frequency() * at.x.abs());
        for k in 0..self.columns {
            self.v[k] -= (before - after) * self.x[k] / at.v;
        }
    }

    /// A slip that ends at rest at the very end of the motion.
    fn finish(&mut self, o: &Oscillator, b: &Segment) {
        let u = b.arc.state(b.end);
        let s = o.support.value(b.end);
        if u.v == s {
            self.v = [0.0; 3];
        }
    }
}
