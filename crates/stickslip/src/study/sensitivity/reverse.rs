//! Gradients of a loss by the adjoint of the variational equation: one walk back along the motion for any number of numbers.

use super::collocation::{COUNT, Collocation};
use super::derivatives::{started, steps, unsuitable};
use super::doubt::{Doubt, Why};
use super::gauss::{Parts, fastest};
use super::jump::{Impact, Instant, Jump, Push, Slip, near};
use super::number::Number;
use super::partial::{Here, Partial};
use super::samples::{Samples, of_samples};
use super::sums::Sums;
use crate::error::Error;
use crate::model::Oscillator;
use crate::motion::{
    Dense, Event, EventKind, LinearArc, Motion, Phase, Segment, State, Stretch, Trajectory,
};
use crate::study::orbit::local::Local;
use std::ops::Range;

/// The derivatives of a loss with respect to what a motion shows.
#[derive(Debug, Clone, Copy)]
pub struct Loss<'a> {
    /// Times at which the loss looks at the state, s, not decreasing.
    pub times: &'a [f64],
    /// Its derivatives with respect to displacement and velocity at each of them.
    pub states: &'a [State],
    /// Its derivatives with respect to the times of the events, one for each event; empty where it does not look at them.
    pub event_times: &'a [f64],
}

/// The derivatives of a loss with respect to numbers and samples.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Gradient {
    /// With respect to each number; NaN where there is none.
    pub numbers: Vec<f64>,
    /// With respect to the values of each list of samples.
    pub samples: Vec<Vec<f64>>,
    /// Where the motion has no derivative, in the order of time. What the loss looks at after such an instant makes all of it NaN.
    pub doubtful: Vec<Doubt>,
}

/// The gradient of a loss that looks at `path`, a motion of `o` by an event-driven scheme, with respect to `numbers` and to the
/// values of `samples`: what [`derivatives`](super::derivatives()) gives, multiplied by the derivatives of the loss, by one walk back
/// whose cost hardly depends on how many numbers there are.
///
/// Between events λ = ∂L/∂(x, v) obeys λ′ = −f_yᵀ λ, and a number gains ∫ λᵀ f_p dt. At an event, with the map and the time t* of
/// [`derivatives`](super::derivatives()), and μ the derivative of the loss with respect to t*,
///
/// ```text
/// τ = μ + λ⁺ᵀ (h_y f⁻ + h_t − f⁺)        λ⁻ = h_yᵀ λ⁺ − g_yᵀ τ/ġ        ∂L/∂p += λ⁺ᵀ h_p − g_p τ/ġ
/// ```
///
/// (Cao, Li, Petzold and Serban 2003; with jumps Corner, Sandu and Sandu 2020).
///
/// ```
/// use stickslip::scheme::oscillator::exact;
/// use stickslip::model::Inlet;
/// use stickslip::study::sensitivity::{Loss, Samples, gradient};
/// use stickslip::{Error, Law, Oscillator, Signal, State};
/// // A mass without spring or friction that a force pushes: x(2) = ∫ (2 − t) F(t) dt, of samples at 0, 1 and 2 s.
/// let times = [0.0, 1.0, 2.0];
/// let pushed = Oscillator::new(1.0, 0.0, Law::coulomb(0.0)?)
///     .with_force(Signal::sampled(&times, &[1.0, 2.0, 3.0])?)
///     .starting_at(0.0, 1.0);
/// let path = exact::solve(&pushed, 2.0)?;
/// let loss = Loss { times: &[2.0], states: &[State { x: 1.0, v: 0.0 }], event_times: &[] };
/// let samples = [Samples { of: Inlet::Force, times: &times, held: false }];
/// let found = gradient(&pushed, &path, &[], &samples, &loss)?;
/// for (found, exact) in found.samples[0].iter().zip([5.0 / 6.0, 1.0, 1.0 / 6.0]) {
///     assert!((found - exact).abs() < 1e-14);
/// }
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// Those of [`derivatives`](super::derivatives()); [`Error::BadLoss`] where the lists of the loss do not fit the motion; [`Error::NotOffered`] for samples of
/// another signal than the drive, the force, the support or the normal force, or without any value.
pub fn gradient(
    o: &Oscillator,
    path: &Trajectory,
    numbers: &[Number<&Oscillator>],
    samples: &[Samples<'_>],
    loss: &Loss<'_>,
) -> Result<Gradient, Error> {
    if o.stops.is_some() && !o.support.is_zero() {
        return Err(unsuitable("the support moves past the stops"));
    }
    loss.check(path.events().len())?;
    let partials: Vec<Partial<'_>> =
        numbers.iter().map(|n| Partial::new(o, n.clone())).collect::<Result<_, _>>()?;
    let mut sampled = [false; 4];
    for list in samples {
        list.check()?;
        let place = list.of_oscillator().ok_or_else(|| {
            unsuitable(
                "samples of an oscillator are those of its drive, force, support or normal force",
            )
        })?;
        sampled[place] = true;
    }
    let mut walk = Back {
        o,
        sums: Sums::new(o, &partials, sampled),
        collocation: Collocation::new(),
        now: State { x: 0.0, v: 0.0 },
        rested: 0.0,
        poisoned: false,
        out: Gradient::default(),
    };
    let starts: Vec<State> = numbers.iter().map(|n| started(o, n)).collect();
    let begun = walk.along(path, loss, &partials, &starts)?;
    Ok(walk.finished(&begun, samples))
}

impl Loss<'_> {
    /// That its lists fit a motion with so many events.
    pub(super) fn check(&self, events: usize) -> Result<(), Error> {
        if self.states.len() != self.times.len() {
            let reason = format!(
                "it has derivatives with respect to {} states; expected {}, one for each of its times",
                self.states.len(),
                self.times.len()
            );
            return Err(Error::BadLoss { reason });
        }
        check_order(self.times)?;
        check_events(self.event_times, events)
    }
}

/// That the times of a loss do not decrease.
pub(super) fn check_order(times: &[f64]) -> Result<(), Error> {
    if times.is_sorted() {
        return Ok(());
    }
    Err(Error::BadLoss { reason: "its times decrease; expected times in order".to_owned() })
}

/// That a loss has a derivative with respect to the time of each event of a motion, or of none.
pub(super) fn check_events(weights: &[f64], events: usize) -> Result<(), Error> {
    if weights.is_empty() || weights.len() == events {
        return Ok(());
    }
    let reason = format!(
        "it has {} derivatives with respect to the times of events; expected {events}, one for each event of the motion, or none",
        weights.len()
    );
    Err(Error::BadLoss { reason })
}

struct Back<'a> {
    o: &'a Oscillator,
    sums: Sums<'a>,
    collocation: Collocation,
    /// λ: ∂L with respect to the state.
    now: State,
    /// ∂L with respect to the time at which the mass came to rest, which what has been walked along depends on.
    rested: f64,
    /// Whether the loss looks at what has no derivative.
    poisoned: bool,
    out: Gradient,
}

/// What happens between two segments: the events, and when the mass came to rest before them, s.
struct Passed {
    events: Range<usize>,
    since: f64,
}

fn passes(path: &Trajectory) -> Vec<Passed> {
    let events = path.events();
    let mut at = 0;
    let mut since = 0.0;
    let mut out = Vec::with_capacity(path.segments().len());
    for s in path.segments().iter().skip(1) {
        let count = events[at..].iter().take_while(|e| e.time <= s.start).count();
        out.push(Passed { events: at..at + count, since });
        if events[at..at + count].iter().any(|e| e.kind == EventKind::Stick) {
            since = s.start;
        }
        at += count;
    }
    out
}

impl Back<'_> {
    /// Back along the path; ∂L with respect to each number by what it changes at the start, `starts` by itself.
    fn along(
        &mut self,
        path: &Trajectory,
        loss: &Loss<'_>,
        partials: &[Partial<'_>],
        starts: &[State],
    ) -> Result<Vec<f64>, Error> {
        let segments = path.segments();
        let passes = passes(path);
        self.look_past(path, loss, passes.last().map_or(0, |p| p.events.end));
        let mut left = loss.times.len();
        for (i, s) in segments.iter().enumerate().rev() {
            let near = near(self.o, s);
            let first = if i == 0 { 0 } else { loss.times.partition_point(|t| *t < s.start) };
            let mut at = s.end;
            while left > first {
                left -= 1;
                let to = loss.times[left].clamp(s.start, s.end);
                self.follow(s, &near, [to, at])?;
                at = to;
                self.now.x += loss.states[left].x;
                self.now.v += loss.states[left].v;
            }
            self.follow(s, &near, [s.start, at])?;
            if i > 0 {
                self.pass(path, i, &passes[i - 1], loss);
            }
        }
        Ok(segments.first().map_or_else(Vec::new, |s| self.begin(s, partials, starts)))
    }

    /// What the loss looks at where the path itself warns that there is no derivative, or where no motion follows.
    fn look_past(&mut self, path: &Trajectory, loss: &Loss<'_>, passed: usize) {
        let mut lost = f64::INFINITY;
        for w in path.warnings().iter().filter(|w| w.is_sensitive_instant()) {
            if let Some(time) = w.time() {
                lost = lost.min(time);
                self.doubt(time, Why::Warned(w.clone()));
            }
        }
        let looks = |u: &State| u.x != 0.0 || u.v != 0.0;
        let mut states = loss.times.iter().zip(loss.states);
        let events = path.events().iter().zip(loss.event_times).enumerate();
        let late =
            |(i, (e, w)): (usize, (&Event, &f64))| *w != 0.0 && (e.time > lost || i >= passed);
        self.poisoned = states.any(|(t, u)| *t >= lost && looks(u)) || events.into_iter().any(late);
    }

    fn doubt(&mut self, time: f64, why: Why) {
        let doubt = Doubt { time, why };
        if !self.out.doubtful.contains(&doubt) {
            self.out.doubtful.push(doubt);
        }
    }

    /// Whether what has been walked along depends on the state.
    fn depends(&self) -> bool {
        self.now.x != 0.0 || self.now.v != 0.0 || self.rested != 0.0
    }

    fn finished(self, begun: &[f64], samples: &[Samples<'_>]) -> Gradient {
        let mut out = self.out;
        out.numbers = self.sums.numbers().iter().zip(begun).map(|(a, b)| a + b).collect();
        out.samples = samples.iter().map(|s| of_samples(self.o, &self.sums, s)).collect();
        if self.poisoned {
            out.numbers.fill(f64::NAN);
            out.samples.iter_mut().for_each(|s| s.fill(f64::NAN));
        }
        out.doubtful.sort_by(|a, b| a.time.total_cmp(&b.time));
        out
    }

    /// The start: a mass at rest on its support is carried by it, whatever the derivative of its own velocity is.
    fn begin(&mut self, s: &Segment, partials: &[Partial<'_>], starts: &[State]) -> Vec<f64> {
        let o = self.o;
        let t = s.start;
        let State { x, v } = s.arc.state(t);
        let near = near(o, s);
        let [support, ..] = near.support(t);
        let State { x: of_x, v: of_v } = self.now;
        if v != support {
            return starts.iter().map(|d| of_x * d.x + of_v * d.v).collect();
        }
        let load = near.at_rest(t, x).0;
        let [n, ..] = near.normal(t, x);
        let stops = [1.0, -1.0].iter().all(|e| e * load < n * o.friction.force(*e, 0.0));
        let sticks = s.phase == Phase::Stick;
        if sticks {
            self.sums.carried(t, t, of_v);
        }
        let mut out = Vec::with_capacity(starts.len());
        for (p, d) in partials.iter().zip(starts) {
            // A push either way ends at once where sliding friction stops it.
            if d.v != p.support(t, t)[0] && !stops {
                self.doubt(t, Why::StartsAtRest);
                out.push(if self.depends() { f64::NAN } else { 0.0 });
            } else if sticks {
                out.push(of_x * d.x);
            } else {
                out.push(of_x * d.x + of_v * d.v);
            }
        }
        out
    }
}

// --- Between events ---------------------------------------------------------------------------------

impl Back<'_> {
    fn follow(&mut self, s: &Segment, near: &Local<'_>, [from, to]: [f64; 2]) -> Result<(), Error> {
        if to <= from {
            return Ok(());
        }
        match &s.arc {
            Stretch::Rest(_) => {}
            Stretch::Carried { .. } if s.phase == Phase::Stick => self.carry(s, [from, to]),
            Stretch::Slip(arc) | Stretch::Offset { arc, .. } => {
                self.linear(s, near, arc, [from, to]);
            }
            Stretch::Dense(dense) => self.integrate(s, near, dense, [from, to]),
            _ => return Err(unsuitable("derivatives are those of the schemes exact and adaptive")),
        }
        Ok(())
    }

    /// At rest on a support that moves: δx′ = ∂ₚv_s, and δv = ∂ₚv_s at the end.
    fn carry(&mut self, s: &Segment, [from, to]: [f64; 2]) {
        self.sums.carried(s.start, to, self.now.v);
        self.now.v = 0.0;
        let parts = Parts::new(fastest(self.o), [from, to]);
        for i in 0..parts.count {
            for (node, weight) in parts.nodes {
                let t = parts.middle(i) + parts.half * node;
                self.sums.carried(s.start, t, 2.0 * parts.half * weight * self.now.x);
            }
        }
    }

    /// Under constant friction: the propagator in closed form, and the integrals by Gauss's rule.
    fn linear(&mut self, s: &Segment, near: &Local<'_>, arc: &LinearArc, span: [f64; 2]) {
        if self.now.x == 0.0 && self.now.v == 0.0 {
            return;
        }
        let parts = Parts::of(self.o, arc, span);
        let half = parts.half;
        let whole = arc.propagator(2.0 * half);
        for i in (0..parts.count).rev() {
            let State { x: of_x, v: of_v } = self.now;
            for (node, weight) in parts.nodes {
                let later = arc.propagator(half * (1.0 - node));
                let by = 2.0 * half * weight * (of_x * later[0][1] + of_v * later[1][1]);
                let t = parts.middle(i) + half * node;
                self.gather(s, near, t, s.arc.state(t), by);
            }
            self.now = State {
                x: whole[0][0] * of_x + whole[1][0] * of_v,
                v: whole[0][1] * of_x + whole[1][1] * of_v,
            };
        }
    }

    /// `weight` for each m/s² of the acceleration at an instant of a slip.
    fn gather(&mut self, s: &Segment, near: &Local<'_>, t: f64, u: State, weight: f64) {
        let side = s.phase.sign();
        let here = Here { near, from: s.start, t, side, x: u.x, v: u.v };
        let a = near.acceleration(side, t, u.x, u.v);
        self.sums.acceleration(&here, a, weight);
    }

    /// The adjoint equation by the steps of the motion, from the last to the first.
    fn integrate(&mut self, s: &Segment, near: &Local<'_>, dense: &Dense, span: [f64; 2]) {
        let side = s.phase.sign();
        for [from, to] in steps(self.o, s, near, dense, span).into_iter().rev() {
            if self.now.x == 0.0 && self.now.v == 0.0 {
                return;
            }
            let h = to - from;
            let at = self.collocation.nodes.map(|(c, _)| {
                let t = to - h * c;
                (t, dense.state(t))
            });
            let slopes: [(f64, f64); COUNT] =
                std::array::from_fn(|i| near.slopes(side, at[i].0, at[i].1.x, at[i].1.v));
            let Some((costates, start)) = self.collocation.back(h, &slopes, self.now) else {
                self.poisoned = true;
                return;
            };
            for (i, l) in costates.iter().enumerate() {
                let weight = h * self.collocation.nodes[i].1 * l.v;
                let (t, u) = at[i];
                self.gather(s, near, t, u, weight);
            }
            self.now = start;
        }
    }
}

// --- At events --------------------------------------------------------------------------------------

impl Back<'_> {
    /// From a segment to the one before it.
    fn pass(&mut self, path: &Trajectory, i: usize, passed: &Passed, loss: &Loss<'_>) {
        let segments = path.segments();
        let at = Instant::new(self.o, &segments[i - 1], &segments[i]);
        let events = &path.events()[passed.events.clone()];
        let mut doubts = Vec::new();
        let moves = self.sums.is_moved(at.t);
        let jump = at.jump(self.o, events, passed.since, moves, &mut doubts);
        for why in doubts {
            // Bounces that are over leave the mass at the stop, wherever they began.
            self.poisoned |= why != Why::Bounces && self.depends();
            self.doubt(at.t, why);
        }
        let looked = loss.event_times.get(passed.events.clone()).unwrap_or(&[]);
        let mut of_time: f64 = looked.iter().sum();
        if events.iter().any(|e| e.kind == EventKind::Stick) {
            of_time += std::mem::take(&mut self.rested);
        }
        self.turn(&at, &jump, of_time);
    }

    /// The map of an event, turned round; `of_time` is ∂L with respect to its time.
    fn turn(&mut self, at: &Instant<'_>, jump: &Jump, of_time: f64) {
        match jump {
            Jump::Breakpoint => self.breakpoint(at, of_time),
            Jump::Rest { slows } => self.rest(at, *slows, of_time),
            Jump::Thrown => {
                let later = self.leave(at, of_time);
                self.sums.moved(at.t, later);
            }
            Jump::Slip(slip) => self.slip(at, slip, of_time),
            Jump::Bounced(wall) => {
                self.sums.stop(*wall, self.now.x);
                self.now = State { x: 0.0, v: 0.0 };
                self.poisoned |= of_time != 0.0;
            }
            Jump::Impact(impact) => self.impact(at, impact, of_time),
            Jump::Push(push) => self.push(at, push, of_time),
        }
    }

    /// ∂L with respect to a time at which the state and the velocity jump so.
    fn later(&self, at: &Instant<'_>) -> f64 {
        self.now.x * (at.u[0].v - at.u[1].v) + self.now.v * (at.a[0] - at.a[1])
    }

    fn breakpoint(&mut self, at: &Instant<'_>, of_time: f64) {
        if at.after.phase == Phase::Stick {
            self.sums.carried(at.t, at.t, self.now.v);
            self.now.v = 0.0;
        }
        let later = of_time + self.later(at);
        self.sums.moved(at.t, later);
    }

    fn rest(&mut self, at: &Instant<'_>, slows: f64, of_time: f64) {
        if at.after.phase == Phase::Stick {
            self.sums.carried(at.after.start, at.t, self.now.v);
            self.now.v = 0.0;
        }
        let later = of_time + self.now.v * (at.a[0] - at.a[1]);
        if later != 0.0 {
            self.poisoned |= slows.is_nan();
            self.now.v -= later / slows;
            self.sums.carried(at.before.start, at.t, later / slows);
        }
    }

    /// The mass leaves its support: ∂L with respect to the time at which it does.
    fn leave(&mut self, at: &Instant<'_>, of_time: f64) -> f64 {
        let later = of_time + self.later(at);
        self.sums.carried(at.before.start, at.t, self.now.v);
        self.now.v = 0.0;
        later
    }

    fn slip(&mut self, at: &Instant<'_>, slip: &Slip, of_time: f64) {
        let later = self.leave(at, of_time);
        if later == 0.0 {
            return;
        }
        self.poisoned |= slip.climbs.is_nan();
        let by = -later / slip.climbs;
        let here = at.resting(slip.side);
        self.now.x += by * slip.slope;
        self.rested += by * slip.ages;
        self.sums.load_at_rest(&here, by * slip.side);
        self.sums.limit(&here, slip.age, -by);
    }

    fn impact(&mut self, at: &Instant<'_>, i: &Impact, of_time: f64) {
        let mut later = of_time;
        if i.rests {
            self.sums.stop(i.wall, self.now.x);
            self.now = State { x: 0.0, v: 0.0 };
        } else {
            let jump = -i.restitution * at.a[0] - at.a[1];
            later += self.now.x * (i.speed - i.rebound) + self.now.v * jump;
            self.sums.bumper([-self.now.v * i.speed, 0.0, 0.0]);
            self.now.v *= -i.restitution;
        }
        self.now.x -= later / i.speed;
        self.sums.stop(i.wall, later / i.speed);
    }

    fn push(&mut self, at: &Instant<'_>, push: &Push, of_time: f64) {
        let later = of_time + self.now.v * (at.a[0] - at.a[1]);
        if later == 0.0 {
            return;
        }
        self.poisoned |= push.passes.is_nan();
        let by = -later / push.passes;
        self.now.x += by * push.k;
        self.now.v += by * push.c;
        self.sums.stop(push.wall, -by * push.k);
        if let Some(inside) = push.inside {
            self.sums.bumper([0.0, by * inside, by * at.u[0].v]);
        }
    }
}
