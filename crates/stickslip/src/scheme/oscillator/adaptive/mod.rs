//! Any load, any law, any support: Dormand–Prince 8(5,3) arcs in the common event loop.
//!
//! # What is guaranteed
//!
//! A slip is a chain of steps whose estimated error is below `atol + rtol·|u|` for displacement and
//! velocity. Inside each step the relative velocity is a polynomial of degree 7 (dense output) less
//! the support's velocity; the event is its **first** root, isolated with a bound on the third
//! derivative, so no pair of roots of the polynomial is passed over. The event is then polished by
//! Newton's method on the step itself. A stick ends at the first root of the limit less the load,
//! interpolated by polynomials of degree 8 whose last terms are below the tolerance, and polished on
//! the function itself. Stops are met where the distance to their positions, a polynomial too, first
//! falls below zero; bounces on a rigid one are summed to rest once their sum is within the tolerance.
//!
//! A law that bends on a scale of velocities of its own (a narrow Stribeck peak) bounds the steps: the
//! bounds on its slope prove that over the speeds of one step the friction is straight to a quarter of its
//! change, so no bend lies between two stages unseen.
//!
//! What remains is the difference between polynomial and motion. It is watched: the residual of the
//! equation of motion is taken at two points of every step, a step where it is large is halved, and
//! [`Warning::WildArc`] tells where that did not help; [`Warning::NearMiss`] tells where the motion
//! came nearer to an event than the tolerance can decide.

mod dop853;
mod polish;
mod step;
mod stops;
mod window;

use crate::error::{Error, require};
use crate::model::{Oscillator, Wall};
use crate::motion::{
    Arc, Dense, Event, EventKind, Frame, Link, Motion, Phase, Poly, State, TERMS, Trajectory,
    Warning,
};
use crate::roots::{Jet, Root, Touch, first_root};
use crate::scheme::event_loop::{self, EventDriven, MAX_EVENTS};
use crate::scheme::oscillator::uniqueness::{self, NEAR};
use crate::signal::Integral;
use polish::{link, polish, residual, secant};
use std::sync::Arc as Shared;
use step::Step;
use window::Window;

/// How accurate, and what else to ask for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Relative tolerance of each step; 1e-9.
    pub rtol: f64,
    /// Absolute tolerance of each step, m and m/s; 1e-12.
    pub atol: f64,
    /// A stick that holds at this instant (s) ends there, if the contact slips under its load: one
    /// solution of many where it stands at the limit.
    pub leave_at: Option<f64>,
}

impl Default for Options {
    fn default() -> Self {
        Self { rtol: 1e-9, atol: 1e-12, leave_at: None }
    }
}

impl Options {
    /// Both tolerances: `rtol`, and `rtol`/1000 for small values.
    pub fn tolerance(rtol: f64) -> Self {
        Self { rtol, atol: 1e-3 * rtol, leave_at: None }
    }
}

/// Solves `oscillator` on [0, `end`] (s).
pub fn solve(oscillator: &Oscillator, end: f64, options: Options) -> Result<Trajectory, Error> {
    oscillator.check_until(end)?;
    let Options { rtol, atol, .. } = options;
    require("rtol", rtol, (1e-14..1.0).contains(&rtol), "a number from 1e-14 to 1")?;
    require("atol", atol, atol > 0.0, "a finite number > 0, m and m/s")?;
    let motion = Integral::new(oscillator.support.clone());
    let mut system = System::new(oscillator, &motion, options, end);
    let support = oscillator.support.value(0.0);
    let mut w = oscillator.initial.velocity - support;
    let mut v = oscillator.initial.velocity;
    if system.frame.as_ref().is_some_and(|f| w.abs() <= f.rounding(0.0)) {
        (w, v) = (0.0, support); // a support that sets out from rest as a harmonic, say
    }
    let state = Rest {
        u: State { x: oscillator.initial.displacement, v },
        since: 0.0,
        stop: stops::at_start(oscillator)?,
        bounces: None,
    };
    let phase = if w != 0.0 {
        Phase::slip(w)
    } else if options.leave_at == Some(0.0) {
        system.leave(0.0, &state)
    } else {
        system.at_rest(0.0, &state)
    };
    let mut path = Trajectory::default();
    let done = event_loop::run(&mut system, state, phase, end, MAX_EVENTS, &mut path);
    if let Some(failure) = system.failure {
        return Err(failure);
    }
    done?;
    system.warnings.into_iter().for_each(|w| path.warn(w));
    let defect = path.energy(oscillator).relative_defect();
    if defect > AUDIT * rtol {
        path.warn(Warning::EnergyDefect { defect });
    }
    uniqueness::examine_all(oscillator, &mut path);
    Ok(path)
}

/// The state, and since when the mass rests.
#[derive(Debug, Clone, Copy)]
struct Rest {
    u: State,
    since: f64,
    /// The rigid stop at which the mass rests, or the soft one that it is in.
    stop: Option<Wall>,
    /// Bounces on a rigid stop that are being summed: when they end (s), and their impulse (N·s).
    bounces: Option<(f64, f64)>,
}

struct System<'a> {
    o: &'a Oscillator,
    motion: &'a Integral,
    frame: Option<Shared<Frame>>,
    options: Options,
    end: f64,
    /// Next step in slip and next panel in stick, s.
    h: f64,
    panel: f64,
    /// The side towards which the last stick ended.
    exit: f64,
    /// When the stick in progress began, s.
    stuck_at: f64,
    /// Of the motion made last: where it started, and the stop's position at which it ends.
    from: Option<Rest>,
    landing: Option<Wall>,
    /// What the soft stop that the mass is in has given it so far, N·s.
    impulse: f64,
    /// Arcs in a row that got nowhere.
    stalls: u32,
    warnings: Vec<Warning>,
    failure: Option<Error>,
}

/// Residual of the equation of motion over the tolerance beyond which a step is halved.
const WILD: f64 = 1e4;
/// Relative defect of the energies over the tolerance beyond which the run says so.
const AUDIT: f64 = 1e3;
/// Halvings after which a wild step is taken as it is, with a warning.
const TAMINGS: u32 = 12;
/// More warnings than anybody reads.
const MOST_WARNINGS: usize = 100;

impl<'a> System<'a> {
    fn new(o: &'a Oscillator, motion: &'a Integral, options: Options, end: f64) -> Self {
        let frame = (!o.support.is_zero()).then(|| Shared::new(Frame::new(&o.support)));
        Self {
            o,
            motion,
            frame,
            options,
            end,
            h: 1e-3 * end,
            panel: 1e-2 * end,
            exit: 1.0,
            stuck_at: 0.0,
            from: None,
            landing: None,
            impulse: 0.0,
            stalls: 0,
            warnings: Vec::new(),
            failure: None,
        }
    }

    fn window(&self, t: f64, stop: Option<Wall>) -> Window<'a> {
        Window::new(self.o, self.motion, t, stop)
    }

    fn warn(&mut self, warning: Warning) {
        if self.warnings.len() < MOST_WARNINGS {
            self.warnings.push(warning);
        }
    }

    fn shortest(&self, t: f64) -> f64 {
        16.0 * f64::EPSILON * t.abs().max(1e-3 * self.end)
    }

    fn fail(&mut self, time: f64, step: f64, phase: Phase) {
        self.failure = Some(Error::StepTooShort { time, step, phase: phase.to_string() });
    }

    /// A first step by the size of the derivatives (Hairer, Nørsett & Wanner I, §II.4).
    fn first_step(
        &self,
        t: f64,
        u: State,
        a0: f64,
        until: f64,
        a: &impl Fn(f64, f64, f64) -> f64,
    ) -> f64 {
        let Options { rtol, atol, .. } = self.options;
        let scale = |y: f64| atol + rtol * y.abs();
        let norm = |x: f64, v: f64| (x / scale(u.x)).hypot(v / scale(u.v));
        let (d0, d1) = (norm(u.x, u.v), norm(u.v, a0));
        let h0 = if d0 < 1e-5 || d1 < 1e-5 { 1e-6 * self.end } else { 0.01 * d0 / d1 };
        let h0 = h0.min(until - t);
        let a1 = a(t + h0, u.x + h0 * u.v, u.v + h0 * a0);
        let d2 = norm(h0 * a0, a1 - a0) / h0;
        let most = d1.max(d2);
        let h1 = if most <= 1e-15 {
            (1e-3 * h0).max(1e-6 * self.end)
        } else {
            (0.01 / most).powf(0.125)
        };
        (100.0 * h0).min(h1).min(until - t)
    }

    /// The slip from `start`: steps until the relative velocity is zero, a stop's position is reached,
    /// or `until`.
    fn slip(&mut self, start: f64, rest: &Rest, side: f64, until: f64) -> (Dense, Option<f64>) {
        let (window, from) = (self.window(start, rest.stop), rest.u);
        let a = |t: f64, x: f64, v: f64| window.acceleration(side, t, x, v);
        let Options { rtol, atol, .. } = self.options;
        let mut dense = Dense::default();
        let (mut t, mut u, mut a0) = (start, from, a(start, from.x, from.v));
        self.h = self.first_step(t, u, a0, until, &a).max(self.h.min(1e-3 * (until - t)));
        let mut tamings = 0;
        while t < until {
            self.h = self.unbent(&window, side, t, u, a0);
            let last = t + 1.0001 * self.h >= until;
            let h = if last { until - t } else { self.h };
            let mut step = Step::new(t, u, a0, h, &a);
            let error = step.error(rtol, atol);
            if error.is_nan() || error > 1.0 {
                self.h =
                    h * if error.is_finite() { (0.9 * error.powf(-0.125)).max(0.2) } else { 0.2 };
                if self.h <= self.shortest(t) {
                    if !error.is_finite() {
                        self.failure = Some(Error::NotFinite { time: t, step: 0.0 });
                    } else {
                        self.fail(t, self.h, Phase::slip(side));
                    }
                    dense.links.push(link(&mut step, &a));
                    return (dense, None);
                }
                continue;
            }
            let l = link(&mut step, &a);
            if self.bends(&window, side, &l) {
                self.h = 0.5 * h;
                continue;
            }
            let excess = residual(&l, &a) / (atol + rtol * step.to.v.abs().max(step.from.v.abs()));
            if excess > WILD && tamings < TAMINGS {
                tamings += 1;
                self.h = 0.5 * h;
                continue;
            }
            if excess > WILD {
                self.warn(Warning::WildArc { time: t, excess });
            }
            tamings = 0;
            let rests = self.first_rest(&l, &window, side, t == start, t + h);
            let crosses = self.first_crossing(&l, rest.stop, side, t == start, t + h);
            if let Some(crossing) = crosses.filter(|c| rests.is_none_or(|r| c.at <= r)) {
                let guard = |_, u| crossing.distance(u);
                let (at, l) = polish(&step, &l, a0, crossing.at, guard, &a);
                dense.links.push(l);
                self.landing = Some(crossing.wall);
                return (dense, Some(at));
            }
            if let Some(at) = rests {
                let guard = |t: f64, u: State| {
                    let [s, rate, ..] = window.support.derivatives(t);
                    (side * (u.v - s), side * (a(t, u.x, u.v) - rate))
                };
                let (at, l) = polish(&step, &l, a0, at, guard, &a);
                dense.links.push(l);
                return (dense, Some(at));
            }
            dense.links.push(l);
            let grow = if error > 0.0 { (0.9 * error.powf(-0.125)).clamp(0.333, 6.0) } else { 6.0 };
            if !last || grow < 1.0 {
                self.h = h * grow;
            }
            (t, u, a0) = (if last { until } else { t + h }, step.to, step.last_acceleration());
        }
        (dense, None)
    }

    /// The next step, shortened until the speeds that it is likely to come through leave the friction
    /// nearly straight.
    fn unbent(&self, window: &Window<'_>, side: f64, t: f64, u: State, a0: f64) -> f64 {
        let law = &self.o.friction;
        let [support, rate, ..] = window.support.derivatives(t);
        let (speed, gains) = ((side * (u.v - support)).max(0.0), side * (a0 - rate));
        let mut h = self.h;
        while h > 16.0 * self.shortest(t) {
            let then = (speed + gains * h).max(0.0);
            if law.bend(side, speed.min(then), speed.max(then)) <= 1.0 {
                break;
            }
            h *= 0.5;
        }
        h
    }

    /// Whether the speeds that a step came through bend the friction so much that it may have stepped over
    /// a feature of the law, which no stage would then have seen.
    fn bends(&self, window: &Window<'_>, side: f64, l: &Link) -> bool {
        if l.h <= 16.0 * self.shortest(l.t) {
            return false;
        }
        let speed = |i: i32| {
            let theta = 0.125 * f64::from(i);
            (side * (l.v.at(theta) - window.support.value(l.t + theta * l.h))).max(0.0)
        };
        let (lo, hi) =
            (0..=8).map(speed).fold((f64::INFINITY, 0.0f64), |(lo, hi), s| (lo.min(s), hi.max(s)));
        self.o.friction.bend(side, lo, hi) > 1.0
    }

    /// The first zero of the relative velocity inside a step.
    fn first_rest(
        &mut self,
        l: &Link,
        window: &Window<'_>,
        side: f64,
        fresh: bool,
        end: f64,
    ) -> Option<f64> {
        let bound = l.v.third_bound(l.h) + window.support.third_bound;
        let scale = l.v.0.iter().map(|c| c.abs()).sum::<f64>();
        let jet = |t: f64, less: f64| {
            let (j, s) = (l.v.jet((t - l.t) / l.h, l.h, bound), window.support.derivatives(t));
            Jet {
                value: side * (j.value - s[0]) - less,
                first: side * (j.first - s[1]),
                second: side * (j.second - s[2]),
                ..j
            }
        };
        let root = first_root(l.t, end, 0.0, Touch::Counts, |t| {
            let mut j = jet(t, 0.0);
            if fresh && t == l.t && j.value <= 1e-13 * scale {
                // From rest the mass sets out towards `side`, whatever the rounding.
                j.value = 0.0;
                if j.first < 1e-12 * scale / l.h {
                    j.first = j.first.max(0.0);
                    j.second = j.second.max(0.0);
                }
            }
            [j]
        });
        if let Some(root) = root {
            return Some(root.at);
        }
        let band = 10.0 * (self.options.atol + self.options.rtol * scale);
        if jet(l.t, band).value > 0.0 && jet(end, band).value > 0.0 {
            let near = first_root(l.t, end, 0.0, Touch::Counts, |t| [jet(t, band)]);
            if let Some(near) = near {
                self.warn(Warning::NearMiss { time: near.at });
            }
        }
        None
    }

    /// The stick from `start`: panels on which the margins are polynomials, until one is crossed.
    fn stick(&mut self, start: f64, rest: &Rest, until: f64) -> Option<f64> {
        let window = self.window(start, rest.stop);
        let mut t = start;
        while t < until {
            let (root, width) = self.panel(&window, t, start, rest, until);
            if let Some(root) = root {
                return Some(root.at);
            }
            t = if t + width >= until { until } else { t + width };
        }
        None
    }

    /// Margins on a panel from `t`: the first exit on it, and its width.
    fn panel(
        &mut self,
        window: &Window<'_>,
        t: f64,
        start: f64,
        rest: &Rest,
        until: f64,
    ) -> (Option<Root>, f64) {
        let sides = [1.0, -1.0];
        let margin = |side: f64, at: f64| window.margin(side, at, rest.u.x, start, rest.since);
        let tolerance = (0.1 * self.options.rtol).max(1e-14);
        self.panel = self.panel.max(1e-6 * (until - t));
        loop {
            let width = self.panel.min(until - t);
            let mut scale = 0.0f64;
            let mut tail = 0.0f64;
            let polys = sides.map(|side| {
                let values = std::array::from_fn::<f64, TERMS, _>(|j| {
                    let (m, s) = margin(side, t + width * Poly::node(j));
                    scale = scale.max(s);
                    m
                });
                let (p, last) = Poly::interpolate(&values);
                tail = tail.max(last);
                p
            });
            let smooth = tail <= tolerance * scale;
            if !smooth && width > self.shortest(t).max(1e-9 * (until - t)) {
                self.panel = 0.5 * width;
                continue;
            }
            if !smooth && !(scale.is_finite()) {
                self.failure = Some(Error::NotFinite { time: t, step: 0.0 });
                return (None, until - t);
            }
            if smooth && self.panel <= width {
                self.panel *= if tail <= 1e-2 * tolerance * scale { 2.0 } else { 1.2 };
            }
            let noise = (64.0 * f64::EPSILON).max(NEAR) * scale;
            let bounds = polys.map(|p| p.third_bound(width));
            let find = |less: f64| {
                first_root(t, t + width, 0.0, Touch::Passes, |s| {
                    let jet = |i: usize| {
                        let mut j = polys[i].jet((s - t) / width, width, bounds[i]);
                        j.value -= less;
                        j
                    };
                    [jet(0), jet(1)]
                })
            };
            // At the limit, to rounding, counts as at the limit: beyond it is what exceeds `noise`.
            let mut root = find(-noise);
            let end = t + width;
            if !smooth && sides.iter().all(|&s| margin(s, end).0 >= -noise) {
                root = None; // the polynomial follows too badly to be believed
            }
            if let Some(r) = &mut root {
                self.exit = sides[r.which];
                let f = |at: f64| margin(self.exit, at).0;
                r.at = secant(f, t, r.at, t + width, 1e-3 * width);
            } else if self.o.friction.is_rule() {
                let band = 10.0 * self.options.rtol * scale;
                let inside = |at: f64| sides.iter().all(|&s| margin(s, at).0 > band);
                // Where the contact holds more than it slides; within 1e-12 it is told as a solution
                // that is not unique.
                if inside(t)
                    && inside(t + width)
                    && let Some(near) = find(band)
                    && window.surplus(sides[near.which], near.at, rest.since) > band
                    && polys[near.which].least((near.at - t) / width).abs() > 2.0 * noise
                {
                    self.warn(Warning::NearMiss { time: near.at });
                }
            }
            return (root, width);
        }
    }

    /// The slip that the load can drive from rest, if it can.
    fn leave(&mut self, t: f64, rest: &Rest) -> Phase {
        let b = self.o.load_at_rest(rest.u.x, t);
        let slides = b.abs() >= self.o.normal_force(t) * self.o.friction.force(b, 0.0);
        if slides { Phase::slip(b) } else { self.at_rest(t, rest) }
    }

    /// The phase that begins at rest: slip where the load is beyond a limit or just about to be.
    fn at_rest(&mut self, t: f64, rest: &Rest) -> Phase {
        let window = self.window(t, rest.stop);
        for side in [1.0, -1.0] {
            let (m, scale) = window.margin(side, t, rest.u.x, t, rest.since);
            if m < -NEAR * scale {
                return Phase::slip(side);
            }
        }
        let until = self.smooth_until(t).min(self.end);
        if t < until {
            let (root, width) = self.panel(&window, t, t, rest, until);
            // A stick that ends where it begins is none.
            if root.is_some_and(|r| r.at - t <= 1e-9 * width) {
                return Phase::slip(self.exit);
            }
        }
        Phase::Stick
    }
}

impl EventDriven for System<'_> {
    type State = Rest;
    type Motion = Arc;

    fn smooth_until(&mut self, t: f64) -> f64 {
        let o = self.o;
        let signals = [Some(&o.drive), Some(&o.force), Some(&o.support), o.normal.as_ref()];
        let next = signals.into_iter().flatten().map(|s| s.next_breakpoint(t));
        let leave = self.options.leave_at.filter(|&u| u > t);
        next.chain(leave).fold(f64::INFINITY, f64::min)
    }

    fn motion(&mut self, t: f64, state: &Rest, phase: &Phase, until: f64) -> (Arc, Option<f64>) {
        (self.from, self.landing) = (Some(*state), None);
        let (arc, stop) = match (phase, state.bounces) {
            (_, Some((end, _))) => (Arc::Rest(state.u.x), Some(end)),
            (Phase::Stick, _) => {
                // Kinks of an ageing limit are panels' ends.
                let mut from = t;
                let mut stop = None;
                while from < until && stop.is_none() {
                    let kink = state.since + self.o.friction.next_kink(from - state.since);
                    let to = if kink > from { kink.min(until) } else { until };
                    let u = self.window(t, None).carried(state.u.x, t, from);
                    let here = Rest { u, ..*state };
                    stop = self.stick(from, &here, to);
                    from = to;
                }
                stop = self.carried_to_a_stop(t, state, stop.unwrap_or(until)).or(stop);
                let arc = match &self.frame {
                    None => Arc::Rest(state.u.x),
                    Some(f) => {
                        let relative = Box::new(Arc::Rest(state.u.x - f.at(t, t).x));
                        Arc::Carried { relative, support: f.clone(), start: t }
                    }
                };
                (arc, stop)
            }
            _ => {
                let (dense, stop) = self.slip(t, state, phase.sign(), until);
                (Arc::Dense(Shared::new(dense)), stop)
            }
        };
        self.stalls = if stop == Some(t) { self.stalls + 1 } else { 0 };
        if self.stalls > 100 {
            self.fail(t, 0.0, *phase);
        }
        self.add_impulse(state, &arc, t, stop.unwrap_or(until));
        (arc, stop)
    }

    fn arrive(&self, arc: &Arc, t: f64) -> Rest {
        // `next` says since when the mass rests.
        let stop = self.from.and_then(|f| f.stop);
        let bounces = self.from.and_then(|f| f.bounces);
        Rest { u: arc.state(t), since: f64::NAN, stop, bounces }
    }

    fn next(
        &mut self,
        t: f64,
        state: Rest,
        phase: Phase,
        hit: bool,
        events: &mut Vec<Event>,
    ) -> (Rest, Phase) {
        if let Some(wall) = self.landing {
            return self.meet(t, wall, state, phase, events);
        }
        if let Some((_, impulse)) = state.bounces {
            return self.end_bounces(t, state, impulse, events);
        }
        let support = self.o.support.value(t);
        let State { x, v } = state.u;
        let mut w = v - support;
        let kicked = !hit && self.frame.as_ref().is_some_and(|f| f.jump(t) != 0.0);
        if !kicked && w * phase.sign() <= 0.0 {
            w = 0.0; // the motion is continuous: only rounding leads beyond rest
        }
        let mut record = |kind, v: f64| events.push(Event::new(kind, t, 0, State { x, v }));
        let moving = Rest { u: State { x, v }, since: t, ..state };
        let resting = Rest { u: State { x, v: support }, since: t, ..state };
        if phase == Phase::Stick {
            let rest = Rest { since: self.stuck_at, ..resting };
            let next = if kicked {
                Phase::slip(w)
            } else if hit {
                Phase::slip(self.exit)
            } else if self.options.leave_at == Some(t) {
                self.leave(t, &rest)
            } else {
                self.at_rest(t, &rest)
            };
            if next == Phase::Stick {
                return (rest, next);
            }
            record(EventKind::Slip, if kicked { v } else { support });
            return (self.let_go(if kicked { moving } else { resting }), next);
        }
        if !hit && w * phase.sign() > 0.0 {
            return (moving, phase);
        }
        if hit {
            self.warn_near_stop(t, x, phase.sign());
        }
        // Here w is zero, or of the other sign after a jump of the support.
        let next = if hit || w == 0.0 { self.at_rest(t, &resting) } else { Phase::slip(w) };
        match next {
            Phase::Stick => {
                self.stuck_at = t;
                record(EventKind::Stick, support);
            }
            _ if next != phase => record(EventKind::Reversal, if hit { support } else { v }),
            _ => {} // touched zero and goes on
        }
        (if hit || w == 0.0 { resting } else { moving }, next)
    }

    fn is_finite(&self, state: &Rest) -> bool {
        self.failure.is_none() && state.u.x.is_finite() && state.u.v.is_finite()
    }

    fn describe(&self, phase: &Phase) -> String {
        phase.to_string()
    }
}
