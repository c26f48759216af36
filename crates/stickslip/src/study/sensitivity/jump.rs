//! What an event does to the derivatives of a motion: a linear map, which forward mode follows and reverse mode turns round.

use super::doubt::Why;
use super::partial::Here;
use crate::model::{Oscillator, Wall};
use crate::motion::{Event, EventKind, Motion, Phase, Segment, State};
use crate::study::orbit::local::Local;

/// Velocities and forces that differ by less than this share of their size are taken for equal: no number is given to more digits
/// than an event is known to.
const EQUAL: f64 = 1e-9;

/// The two sides of an instant.
pub(super) struct Instant<'a> {
    pub t: f64,
    pub before: &'a Segment,
    pub after: &'a Segment,
    pub near: [Local<'a>; 2],
    /// State and acceleration.
    pub u: [State; 2],
    pub a: [f64; 2],
}

/// What happens there, with the numbers of its map: the time t* of the event changes with the state and the numbers, and the
/// derivatives jump.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Jump {
    /// Nothing but what a breakpoint of the signals brings.
    Breakpoint,
    /// The relative velocity comes to zero at this rate, m/s²; NaN where it only touches it.
    Rest {
        /// d(v − v_s)/dt.
        slows: f64,
    },
    /// A breakpoint of the signals ends a stick.
    Thrown,
    /// The load leaves the limit.
    Slip(Slip),
    /// Infinitely many bounces are over.
    Bounced(Wall),
    /// A rigid stop turns the velocity.
    Impact(Impact),
    /// A soft stop begins or ceases to push.
    Push(Push),
}

/// h = ±(b − m v̇_s) − limit passes through zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Slip {
    pub side: f64,
    /// How long the mass has rested, s.
    pub age: f64,
    /// ḣ, N/s; NaN where the load stands at the limit.
    pub climbs: f64,
    /// ∂h/∂x, N/m.
    pub slope: f64,
    /// The part of the limit's rate that is due to its age, N/s.
    pub ages: f64,
}

/// v⁺ = −e v⁻.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Impact {
    pub wall: Wall,
    pub speed: f64,
    pub rebound: f64,
    pub restitution: f64,
    /// Whether the mass rests at the stop afterwards.
    pub rests: bool,
}

/// g = k (x − bound) + c v passes through zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Push {
    pub wall: Wall,
    pub k: f64,
    pub c: f64,
    /// By how far the mass is beyond the stop, m, if its force is what vanishes.
    pub inside: Option<f64>,
    /// ġ; 0 becomes NaN.
    pub passes: f64,
}

impl<'a> Instant<'a> {
    pub fn new(o: &'a Oscillator, before: &'a Segment, after: &'a Segment) -> Self {
        let t = after.start;
        let u = [before.arc.state(t), after.arc.state(t)];
        let near = [near(o, before), near(o, after)];
        let a = [0, 1].map(|i| match [before, after][i].phase {
            Phase::Stick => near[i].support(t)[1],
            slip => near[i].acceleration(slip.sign(), t, u[i].x, u[i].v),
        });
        Self { t, before, after, near, u, a }
    }

    /// What these events are; the mass came to rest at `since` (s), and `moves` says whether a breakpoint of the signals comes at
    /// another time with some number. Why there is no derivative goes to `doubts`.
    pub fn jump(
        &self,
        o: &Oscillator,
        events: &[Event],
        since: f64,
        moves: bool,
        doubts: &mut Vec<Why>,
    ) -> Jump {
        let jump = match events.first() {
            None => self.pass_by(o, doubts),
            Some(event) => match event.kind {
                EventKind::Slip => self.slip(o, since, doubts),
                EventKind::Stick | EventKind::Reversal if event.place == 0 => {
                    self.rest(o, moves, doubts)
                }
                EventKind::Impact if o.rigid_stop(event.x).is_some() => {
                    self.impact(o, event, doubts)
                }
                EventKind::Impact | EventKind::Touch | EventKind::Release => {
                    self.push(o, event, doubts)
                }
                _ => Jump::Breakpoint,
            },
        };
        for (i, event) in events.iter().enumerate() {
            // A second event of one impact, the stick that it ends in, has its time.
            let of_one = i == 0 || events[0].kind == EventKind::Impact;
            if event.time < self.t || !of_one {
                doubts.push(Why::Together);
            }
        }
        jump
    }

    /// A mass that still rests, about to slip towards `side`.
    pub fn resting(&self, side: f64) -> Here<'_> {
        let near = &self.near[0];
        Here { near, from: self.before.start, t: self.t, side, x: self.u[1].x, v: self.u[0].v }
    }

    /// Nothing happens. A load that turns back just at the limit only touches it: no smooth motion leads past that instant.
    fn pass_by(&self, o: &Oscillator, doubts: &mut Vec<Why>) -> Jump {
        if self.before.phase == Phase::Stick && self.after.phase == Phase::Stick {
            self.look_at_limits(o, doubts);
        }
        Jump::Breakpoint
    }

    /// The relative velocity comes to zero: g = v − v_s.
    fn rest(&self, o: &Oscillator, moves: bool, doubts: &mut Vec<Why>) -> Jump {
        let [s, s1, _] = self.near[0].support(self.t);
        let mut slows = self.a[0] - s1;
        let largest = self.a[0].abs() + s1.abs() + self.friction() / o.mass;
        if self.near[1].support(self.t)[0] != s {
            // The support's velocity jumps to that of the mass, or past it.
            return Jump::Breakpoint;
        }
        if slows.abs() <= EQUAL * largest {
            doubts.push(Why::Grazes);
            slows = f64::NAN;
        }
        if moves {
            doubts.push(Why::Together);
        }
        self.look_at_limits(o, doubts);
        Jump::Rest { slows }
    }

    /// The largest friction at rest, N.
    fn friction(&self) -> f64 {
        let limit = |side: f64| self.near[1].limit(side, self.t, self.u[1].x, 0.0).value;
        limit(1.0).max(limit(-1.0))
    }

    /// Notes a slip that ends under a load at the limit: whether the mass rests is decided by the last digit.
    fn look_at_limits(&self, o: &Oscillator, doubts: &mut Vec<Why>) {
        let x = self.u[1].x;
        let load = self.near[1].at_rest(self.t, x).0;
        let stands = |side: f64| {
            let limit = self.near[1].limit(side, self.t, x, 0.0).value;
            let blocked = o.is_blocked(x, side);
            !blocked && (limit - side * load).abs() <= EQUAL * limit.abs().max(load.abs())
        };
        // Without friction there is nothing that could hold the mass.
        if self.friction() > 0.0 && [1.0, -1.0].into_iter().any(stands) {
            doubts.push(Why::AtLimit);
        }
    }

    /// A stick ends: the load leaves the limit, g = ±(b − m v̇_s) − limit, or jumps at a time of its own.
    fn slip(&self, o: &Oscillator, since: f64, doubts: &mut Vec<Why>) -> Jump {
        let t = self.t;
        let side = self.after.phase.sign();
        let x = self.u[1].x;
        let near = &self.near[0];
        let age = if o.friction.ages() { t - since } else { 0.0 };
        let (load, rate) = near.at_rest(t, x);
        let limit = near.limit(side, t, x, age);
        let mut climbs = side * rate - limit.rate;
        let size = load.abs().max(limit.value);
        if (side * load - limit.value).abs() > 1e-6 * size {
            return Jump::Thrown;
        }
        if climbs <= 0.0 {
            // The load stands at the limit and a breakpoint takes it beyond.
            doubts.push(Why::AtLimit);
            climbs = f64::NAN;
        }
        let slope = side * near.load_slopes(t, x, 0.0).0 - limit.along;
        Jump::Slip(Slip { side, age, climbs, slope, ages: limit.ages })
    }

    /// A rigid stop turns the velocity: g = x − bound, v⁺ = −e v⁻.
    fn impact(&self, o: &Oscillator, event: &Event, doubts: &mut Vec<Why>) -> Jump {
        let wall = wall(event);
        let speed = event.before;
        let rests = self.after.phase == Phase::Stick;
        if speed == 0.0 {
            // Bounces that were summed are over: the mass is at the stop.
            doubts.push(Why::Bounces);
            return Jump::Bounced(wall);
        }
        if rests {
            self.look_at_limits(o, doubts);
        }
        let restitution = o.stops.and_then(|s| s.restitution()).unwrap_or(0.0);
        Jump::Impact(Impact { wall, speed, rebound: event.v, restitution, rests })
    }

    /// A soft stop begins or ceases to push: at its position, g = x − bound, or where its force is zero, g = κ(x − bound) + γ v.
    fn push(&self, o: &Oscillator, event: &Event, doubts: &mut Vec<Why>) -> Jump {
        let wall = wall(event);
        let State { x, v } = self.u[0];
        let bound = o.stops.and_then(|s| s.at(wall)).unwrap_or(x);
        let (stiffness, damping) = o.stops.and_then(|s| s.spring()).unwrap_or((1.0, 0.0));
        // By how far the mass is beyond where the stop would have no force.
        let inside = (x - bound).abs() > EQUAL * (x.abs() + bound.abs() + v.abs());
        let [k, c] = if inside { [stiffness, damping] } else { [1.0, 0.0] };
        let mut passes = k * v + c * self.a[0];
        if passes == 0.0 {
            doubts.push(Why::Grazes);
            passes = f64::NAN;
        }
        Jump::Push(Push { wall, k, c, inside: inside.then_some(x - bound), passes })
    }
}

/// The forces near a segment.
pub(super) fn near<'a>(o: &'a Oscillator, s: &Segment) -> Local<'a> {
    // Only stops and contacts that open ask where the mass is.
    let bent = o.stops.is_some() || !o.nonlinear.is_none();
    if !bent {
        return Local::new(o, s.start, 0.0);
    }
    let State { x, v } = s.arc.state(0.5 * (s.start + s.end));
    Local::new(o, s.start, x).moving(x, v)
}

/// The stop at which an event is.
fn wall(event: &Event) -> Wall {
    let of = |w: &Wall| w.stop_place() == event.place;
    Wall::ALL.into_iter().find(of).unwrap_or(Wall::Lower)
}
