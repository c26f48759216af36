//! Derivatives of a motion of an oscillator by its variational equation, with the jumps that events make in them.

use super::doubt::{Doubt, Why};
use super::gauss::{Parts, fastest};
use super::jump::{Impact, Instant, Jump, Push, Slip, near};
use super::number::Number;
use super::partial::{Here, Partial};
use super::shapes::{Shapes, through};
use crate::error::Error;
use crate::model::Oscillator;
use crate::motion::{
    Dense, Event, EventKind, LinearArc, Motion, Phase, Segment, State, Stretch, Trajectory,
};
use crate::scheme::oscillator::adaptive::dormand_prince::Step;
use crate::study::orbit::local::Local;

/// Derivatives of a motion with respect to some numbers.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Derivatives {
    /// Of displacement and velocity: those with respect to every number at the first time, at the second, ….
    pub states: Vec<State>,
    /// Of the times of the events: those with respect to every number of the first event, of the second, ….
    pub event_times: Vec<f64>,
    /// Where a derivative does not exist. From the first such instant on derivatives are NaN.
    pub doubtful: Vec<Doubt>,
}

/// The derivatives of `path`, a motion of `o` by an event-driven scheme, with respect to `numbers`, at `times` (s, not
/// decreasing) and of the times of its events.
///
/// Between events S = ∂(x, v)/∂p obeys S′ = f_y S + f_p. At an event, where g(y, t, p) = 0 and y⁺ = h(y⁻, t, p),
///
/// ```text
/// ∂t*/∂p = −(g_y S + g_p)/(g_y f⁻ + g_t)        S⁺ = h_y S⁻ + h_p + (h_y f⁻ + h_t − f⁺) ∂t*/∂p
/// ```
///
/// (Rozenvasser 1967; Leine and Nijmeijer 2004, chapter 7). Where an event is touched and not crossed, or a slip ends
/// just at the limit, there is no derivative: the instant is listed, and what comes after it is NaN, never a mean of both sides.
///
/// ```
/// use stickslip::scheme::oscillator::exact;
/// use stickslip::study::sensitivity::{Number, derivatives};
/// use stickslip::{Error, Law, Oscillator};
/// // A mass that slides to rest: at t* = v₀/f, x = v₀²/(2 f).
/// let model = |f: f64| Ok::<_, Error>(Oscillator::new(1.0, 0.0, Law::coulomb(f)?).starting_at(0.0, 2.0));
/// let (o, number) = (model(1.0)?, Number::around(1.0, model)?);
/// let path = exact::solve(&o, 3.0)?;
/// let found = derivatives(&o, &path, &[number.of(|o| Some(o)).unwrap()], &[1.0, 3.0])?;
/// assert!((found.states[0].x + 0.5).abs() < 1e-14 && (found.states[1].x + 2.0).abs() < 1e-14);
/// assert!((found.event_times[0] + 2.0).abs() < 1e-14);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// [`Error::NotOffered`] for paths of stepping schemes, stops past which the support moves, and numbers that switch a part of the
/// model on or off.
pub fn derivatives(
    o: &Oscillator,
    path: &Trajectory,
    numbers: &[Number<&Oscillator>],
    times: &[f64],
) -> Result<Derivatives, Error> {
    if o.stops.is_some() && !o.support.is_zero() {
        return Err(unsuitable("the support moves past the stops"));
    }
    let partials: Vec<Partial<'_>> =
        numbers.iter().map(|n| Partial::new(o, n.clone())).collect::<Result<_, _>>()?;
    let now = numbers.iter().map(|n| started(o, n)).collect();
    let mut walk = Walk {
        o,
        partials,
        shapes: Shapes::default(),
        now,
        rested: vec![0.0; numbers.len()],
        since: 0.0,
        lost: f64::INFINITY,
        out: Derivatives::default(),
    };
    walk.warned(path);
    walk.along(path, times)?;
    Ok(walk.out)
}

pub(super) fn unsuitable(reason: &str) -> Error {
    Error::NotOffered { what: "sensitivity", reason: reason.to_owned() }
}

/// ∂ₚ of the initial state.
pub(super) fn started(o: &Oscillator, n: &Number<&Oscillator>) -> State {
    State { x: n.rate(&o, |o| o.initial.displacement), v: n.rate(&o, |o| o.initial.velocity) }
}

/// The shortest part of a step next to rest is its length halved so often.
const HALVINGS: i32 = 24;

struct Walk<'a> {
    o: &'a Oscillator,
    partials: Vec<Partial<'a>>,
    shapes: Shapes,
    now: Vec<State>,
    /// ∂ₚ of the time at which the mass came to rest last, and that time, s.
    rested: Vec<f64>,
    since: f64,
    /// The first instant without a derivative, s.
    lost: f64,
    out: Derivatives,
}

impl<'a> Walk<'a> {
    /// Notes what the path itself warns of.
    fn warned(&mut self, path: &Trajectory) {
        for w in path.warnings().iter().filter(|w| w.is_sensitive_instant()) {
            if let Some(time) = w.time() {
                self.doubt(time, Why::Warned(w.clone()));
            }
        }
    }

    fn along(&mut self, path: &Trajectory, times: &[f64]) -> Result<(), Error> {
        let segments = path.segments();
        let mut events = path.events();
        let mut left = times;
        let end = path.span().1;
        for (i, s) in segments.iter().enumerate() {
            match i.checked_sub(1) {
                None => self.begin(s),
                Some(i) => {
                    let count = events.iter().take_while(|e| e.time <= s.start).count();
                    let (now, later) = events.split_at(count);
                    self.pass(&segments[i], s, now);
                    events = later;
                }
            }
            self.lose_after(s.start);
            let near = near(self.o, s);
            let mut t = s.start;
            let last = i + 1 == segments.len();
            while let Some((&at, rest)) = left.split_first().filter(|(at, _)| **at < s.end || last)
            {
                let to = at.clamp(t, s.end);
                self.follow(s, &near, t, to)?;
                (t, left) = (to, rest);
                self.lose_after(t);
                self.out.states.extend_from_slice(&self.now);
            }
            self.follow(s, &near, t, s.end)?;
        }
        // Events at the very end, such as a slip that begins there, have no motion after them.
        let rest = events.iter().filter(|e| e.time <= end).count() * self.now.len();
        self.out.event_times.resize(self.out.event_times.len() + rest, f64::NAN);
        Ok(())
    }

    /// What comes after an instant without a derivative has none.
    fn lose_after(&mut self, t: f64) {
        if t >= self.lost {
            self.now.fill(State { x: f64::NAN, v: f64::NAN });
            self.rested.fill(f64::NAN);
        }
    }

    fn doubt(&mut self, time: f64, why: Why) {
        if !matches!(why, Why::Bounces | Why::StartsAtRest) {
            self.lost = self.lost.min(time);
        }
        let doubt = Doubt { time, why };
        if !self.out.doubtful.contains(&doubt) {
            self.out.doubtful.push(doubt);
        }
    }

    /// The start: a mass at rest on its support is carried by it, whatever the derivative of its own velocity is.
    fn begin(&mut self, s: &Segment) {
        let o = self.o;
        let t = s.start;
        let State { x, v } = s.arc.state(t);
        let near = near(o, s);
        let [support, ..] = near.support(t);
        if v != support {
            return;
        }
        let load = near.at_rest(t, x).0;
        let [n, ..] = near.normal(t, x);
        let stops = [1.0, -1.0].iter().all(|e| e * load < n * o.friction.force(*e, 0.0));
        for k in 0..self.now.len() {
            let [carried, _] = self.partials[k].support(t, t);
            // A push either way ends at once where sliding friction stops it.
            if self.now[k].v != carried && !stops {
                self.now[k] = State { x: f64::NAN, v: f64::NAN };
                self.doubt(t, Why::StartsAtRest);
            } else if s.phase == Phase::Stick {
                self.now[k].v = carried;
            }
        }
    }
}

// --- Between events ---------------------------------------------------------------------------------

impl Walk<'_> {
    fn follow(&mut self, s: &Segment, near: &Local<'_>, from: f64, to: f64) -> Result<(), Error> {
        if to <= from {
            return Ok(());
        }
        match &s.arc {
            Stretch::Rest(_) => {}
            Stretch::Carried { .. } if s.phase == Phase::Stick => self.carry(s, from, to),
            Stretch::Slip(arc) => self.linear(s, near, arc, 0.0, [from, to]),
            Stretch::Offset { arc, origin } => self.linear(s, near, arc, *origin, [from, to]),
            Stretch::Dense(dense) => self.integrate(s, near, dense, [from, to]),
            _ => return Err(unsuitable("derivatives are those of the schemes exact and adaptive")),
        }
        Ok(())
    }

    /// At rest on a support that moves: δx′ = ∂ₚv_s.
    fn carry(&mut self, s: &Segment, from: f64, to: f64) {
        let parts = Parts::new(fastest(self.o), [from, to]);
        for (p, d) in self.partials.iter().zip(&mut self.now) {
            for i in 0..parts.count {
                let at = |node: f64| p.support(s.start, parts.middle(i) + parts.half * node)[0];
                let sum: f64 = parts.nodes.iter().map(|(node, weight)| weight * at(*node)).sum();
                d.x += 2.0 * parts.half * sum;
            }
            d.v = p.support(s.start, to)[0];
        }
    }

    /// Under constant friction, along an arc in y = x − `origin` (m): the propagator in closed form, and
    /// ∫ Φ(t − s) (0, ∂ₚa(s)) ds in closed form, too, or by Gauss's rule.
    fn linear(
        &mut self,
        s: &Segment,
        near: &Local<'_>,
        arc: &LinearArc,
        origin: f64,
        [from, to]: [f64; 2],
    ) {
        let o = self.o;
        let side = s.phase.sign();
        let shaped = self.shapes.prepare(o, &self.partials, near, side, s.start);
        if shaped && let Some(across) = self.shapes.close(o, arc, origin, side, s.start, [from, to])
        {
            return self.add_shapes(&across);
        }
        let parts = Parts::of(o, arc, [from, to]);
        if shaped {
            self.shapes.gather(o, s, arc, &parts);
            return self.add_shapes(&arc.propagator(to - from));
        }
        let half = parts.half;
        let whole = arc.propagator(2.0 * half);
        for i in 0..parts.count {
            for d in &mut self.now {
                *d = through(&whole, *d);
            }
            for (node, weight) in parts.nodes {
                let later = arc.propagator(half * (1.0 - node));
                let t = parts.middle(i) + half * node;
                let State { x, v } = s.arc.state(t);
                let here = Here { near, from: s.start, t, side, x, v };
                let a = near.acceleration(here.side, t, x, v);
                for (p, d) in self.partials.iter().zip(&mut self.now) {
                    let g = 2.0 * half * weight * p.acceleration(o, &here, a);
                    (d.x, d.v) = (d.x + later[0][1] * g, d.v + later[1][1] * g);
                }
            }
        }
    }

    /// What an arc makes of the derivatives at its beginning, and adds to them.
    fn add_shapes(&mut self, across: &[[f64; 2]; 2]) {
        for (k, d) in self.now.iter_mut().enumerate() {
            let free = through(across, *d);
            let added = self.shapes.sum(k);
            *d = State { x: free.x + added.x, v: free.v + added.v };
        }
    }

    /// The variational equation by the steps of the motion.
    fn integrate(&mut self, s: &Segment, near: &Local<'_>, dense: &Dense, span: [f64; 2]) {
        for part in steps(self.o, s, near, dense, span) {
            self.step(s, near, dense, part);
        }
    }

    fn step(&mut self, s: &Segment, near: &Local<'_>, dense: &Dense, [t, end]: [f64; 2]) {
        let o = self.o;
        let side = s.phase.sign();
        for (p, d) in self.partials.iter().zip(&mut self.now) {
            let a = |t: f64, dx: f64, dv: f64| {
                let State { x, v } = dense.state(t);
                let here = Here { near, from: s.start, t, side, x, v };
                let (ax, av) = near.slopes(side, t, x, v);
                let a = near.acceleration(side, t, x, v);
                ax * dx + av * dv + p.acceleration(o, &here, a)
            };
            *d = Step::new(t, *d, a(t, d.x, d.v), end - t, &a).to;
        }
    }
}

/// The steps of a motion between two times, cut where ∂ₓa jumps, and where the slip begins or ends at rest under friction that
/// depends on the speed into parts each of which is half as long as the one before: the slope of such a law may be singular there,
/// as that of |w|^1.3.
pub(super) fn steps(
    o: &Oscillator,
    s: &Segment,
    near: &Local<'_>,
    dense: &Dense,
    span: [f64; 2],
) -> Vec<[f64; 2]> {
    let side = s.phase.sign();
    let mut out = Vec::with_capacity(dense.steps());
    for i in 0..dense.steps() {
        let Some((t, h)) = dense.interval(i) else { break };
        let end = (t + h).min(span[1]);
        let t = t.max(span[0]);
        if end <= t {
            continue;
        }
        let [low, high] = super::corner(side, dense, near, [t, end]);
        for (t, end) in [(t, low), (low, high), (high, end)] {
            if end > t {
                graded(o, s, [t, end], &mut out);
            }
        }
    }
    out
}

fn graded(o: &Oscillator, s: &Segment, [t, end]: [f64; 2], out: &mut Vec<[f64; 2]>) {
    let curved = o.friction.constants().is_none();
    let part = |k: i32| (end - t) * 0.5f64.powi(k);
    let mut at = t;
    if curved && t == s.start {
        for k in (1..=HALVINGS).rev() {
            out.push([at, t + part(k)]);
            at = t + part(k);
        }
    }
    if curved && end == s.end {
        for k in 1..=HALVINGS {
            let to = end - part(k);
            if to > at {
                out.push([at, to]);
                at = to;
            }
        }
    }
    out.push([at, end]);
}

// --- At events --------------------------------------------------------------------------------------

impl Walk<'_> {
    /// From one segment to the next, at the instant of these events.
    fn pass(&mut self, before: &Segment, after: &Segment, events: &[Event]) {
        let at = Instant::new(self.o, before, after);
        let moved: Vec<Option<f64>> = self.partials.iter().map(|p| p.breakpoint(at.t)).collect();
        let moves = moved.iter().any(Option::is_some);
        let mut doubts = Vec::new();
        let jump = at.jump(self.o, events, self.since, moves, &mut doubts);
        for why in doubts {
            self.doubt(at.t, why);
        }
        let times = self.follow_jump(&at, &jump, &moved);
        for _ in events {
            self.out.event_times.extend_from_slice(&times);
        }
        if events.iter().any(|e| e.kind == EventKind::Stick) {
            (self.since, self.rested) = (at.t, times);
        }
    }

    /// The jump of the derivatives, and those of the time of the event.
    fn follow_jump(&mut self, at: &Instant<'_>, jump: &Jump, moved: &[Option<f64>]) -> Vec<f64> {
        match jump {
            Jump::Breakpoint => self.breakpoint(at, moved),
            Jump::Rest { slows } => self.rest(at, *slows),
            Jump::Thrown => self.leave(at, moved),
            Jump::Slip(slip) => self.slip(at, slip),
            Jump::Bounced(wall) => {
                for (d, p) in self.now.iter_mut().zip(&self.partials) {
                    *d = State { x: p.stops.at(*wall), v: 0.0 };
                }
                vec![f64::NAN; self.now.len()]
            }
            Jump::Impact(impact) => self.impact(at, impact),
            Jump::Push(push) => self.push(at, push),
        }
    }

    /// Nothing happens, or only what a breakpoint of the signals brings.
    fn breakpoint(&mut self, at: &Instant<'_>, moved: &[Option<f64>]) -> Vec<f64> {
        let times: Vec<f64> = moved.iter().map(|m| m.unwrap_or(0.0)).collect();
        for (k, dt) in times.iter().enumerate() {
            self.now[k].x += (at.u[0].v - at.u[1].v) * dt;
            self.now[k].v += (at.a[0] - at.a[1]) * dt;
            if at.after.phase == Phase::Stick {
                self.now[k].v = self.partials[k].support(at.t, at.t)[0];
            }
        }
        times
    }

    fn rest(&mut self, at: &Instant<'_>, slows: f64) -> Vec<f64> {
        let mut times = Vec::with_capacity(self.now.len());
        for (d, p) in self.now.iter_mut().zip(&self.partials) {
            let dt = -(d.v - p.support(at.before.start, at.t)[0]) / slows;
            d.v += (at.a[0] - at.a[1]) * dt;
            if at.after.phase == Phase::Stick {
                d.v = p.support(at.after.start, at.t)[0];
            }
            times.push(dt);
        }
        times
    }

    fn slip(&mut self, at: &Instant<'_>, slip: &Slip) -> Vec<f64> {
        let o = self.o;
        let rested = self.rested.clone();
        let here = at.resting(slip.side);
        let beyond = |p: &Partial<'_>, k: usize, d: &State| {
            let own = slip.side * p.load_at_rest(o, &here) - p.limit(o, &here, slip.age);
            -(slip.slope * d.x + own + slip.ages * rested[k]) / slip.climbs
        };
        let pairs = self.partials.iter().zip(&self.now).enumerate();
        let times: Vec<Option<f64>> = pairs.map(|(k, (p, d))| Some(beyond(p, k, d))).collect();
        self.leave(at, &times)
    }

    /// The mass leaves its support at times that change so.
    fn leave(&mut self, at: &Instant<'_>, times: &[Option<f64>]) -> Vec<f64> {
        let times: Vec<f64> = times.iter().map(|t| t.unwrap_or(0.0)).collect();
        for (k, dt) in times.iter().enumerate() {
            let [carried, _] = self.partials[k].support(at.before.start, at.t);
            self.now[k].x += (at.u[0].v - at.u[1].v) * dt;
            self.now[k].v = carried + (at.a[0] - at.a[1]) * dt;
        }
        times
    }

    fn impact(&mut self, at: &Instant<'_>, i: &Impact) -> Vec<f64> {
        let e = i.restitution;
        let mut times = Vec::with_capacity(self.now.len());
        for (d, p) in self.now.iter_mut().zip(&self.partials) {
            let dt = -(d.x - p.stops.at(i.wall)) / i.speed;
            d.x += (i.speed - i.rebound) * dt;
            d.v = -e * d.v - p.stops.restitution * i.speed + (-e * at.a[0] - at.a[1]) * dt;
            if i.rests {
                *d = State { x: p.stops.at(i.wall), v: 0.0 };
            }
            times.push(dt);
        }
        times
    }

    fn push(&mut self, at: &Instant<'_>, push: &Push) -> Vec<f64> {
        let v = at.u[0].v;
        let mut times = Vec::with_capacity(self.now.len());
        for (d, p) in self.now.iter_mut().zip(&self.partials) {
            let own = push.inside.map_or(0.0, |by| p.stops.stiffness * by + p.stops.damping * v);
            let dt = -(push.k * (d.x - p.stops.at(push.wall)) + push.c * d.v + own) / push.passes;
            d.v += (at.a[0] - at.a[1]) * dt;
            times.push(dt);
        }
        times
    }
}
