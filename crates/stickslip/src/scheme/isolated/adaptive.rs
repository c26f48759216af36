//! A slab on isolators from event to event.
//!
//! The slab rests, turns about one isolator that rests, or slides on all; what is free in between moves smoothly (`reduced`) and is followed by
//! collocation (`collocation`). A slab that slides comes to rest, or one of its isolators does, where the time that is left to it falls
//! below the tolerance: before that, steps become shorter with it. What rests gives way where its share of what holds it reaches one; then the
//! problem of a step of no length says what begins (`slab_step`).

use super::assembly::Matrices;
use super::collocation::{First, Links, Refused, Step};
use super::crossing::first_below;
use super::hold::hold;
use super::path::{
    Course, Glide, IsolatedArc, IsolatedPath, IsolatedPhase, IsolatedState, between,
};
use super::reduced::{Reduced, Window, discs};
use super::slab::{Cube, Triple, dot, turn, velocity};
use super::slab_step::{Does, Problem};
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::law::Law;
use crate::model::Model;
use crate::model::isolated::{Isolated, Isolator};
use crate::motion::{Event, EventKind, State, Warning};
use crate::portable::hypot;
use crate::scheme::audit::audit;
use crate::scheme::cursor::Cursor;
use crate::scheme::effort::check_periods;
use crate::scheme::event_loop::{
    Begins, EventDriven, Failure, Followed, Hit, Leg, fixed_signals, most_events,
};
use crate::scheme::oscillator::adaptive::Options;
use crate::signal::Signal;
use std::sync::Arc;

/// Solves `model` on [0, `end`] (s) from event to event.
///
/// # Errors
/// If a number is outside its range, the run longer than anybody waits for, a signal too short, the normal force negative from the start, the rotation larger than
/// [`Isolated::MOST_ROTATION`], or a step falls below what rounding allows. Where the normal force falls below zero later, the run ends, with
/// [`Warning::LiftsOff`].
///
/// ```
/// use stickslip::model::isolated::{Isolated, Isolator};
/// use stickslip::scheme::{isolated, oscillator::adaptive::Options};
/// use stickslip::Law;
/// # fn main() -> Result<(), stickslip::Error> {
/// // A slab on four isolators, 5 m from its centre, turns at 0.02 rad/s: friction stops it after t = J ω/(4 f r).
/// let r = 5.0;
/// let places = [("east", [r, 0.0]), ("north", [0.0, r]), ("west", [-r, 0.0]), ("south", [0.0, -r])];
/// let friction = Law::coulomb(1e3)?;
/// let isolators = places.map(|(name, at)| Isolator::new(name, at, friction.clone())).to_vec();
/// let slab = Isolated::new(2e4, 2e5, isolators).turning(0.0, 0.02);
/// let path = isolated::adaptive(&slab, 1.0, Options::tolerance(1e-10))?;
/// let stop = path.events()[0].time;
/// assert!((stop - 2e5 * 0.02 / (4.0 * 1e3 * r)).abs() < 1e-10);
/// # Ok(()) }
/// ```
pub fn adaptive(model: &Isolated, end: f64, options: Options) -> Result<IsolatedPath, Error> {
    model.check_until(end)?;
    check_periods(model.swings(), model.signals(), end)?;
    let lifts = model.lifts_off(end)?;
    let end = lifts.unwrap_or(end);
    let mut cursor = begin(model, end, options)?;
    let mut path = IsolatedPath::default();
    cursor.advance(end, &mut path)?;
    lifts.into_iter().for_each(|time| path.warn(Warning::LiftsOff { time }));
    let energy = path.energy();
    audit(&mut path, &energy, end, options.rtol)?;
    Ok(path)
}

/// The run up to `end` (s at the latest), at the caller's pace: see [`Cursor`].
///
/// # Errors
/// As [`adaptive`]; a normal force that falls below zero before the end is refused.
pub fn adaptive_cursor(
    model: &Isolated,
    end: f64,
    options: Options,
) -> Result<Cursor<System>, Error> {
    model.check_until(end)?;
    model.normal.iter().try_for_each(|n| n.require_pressing(0.0, end))?;
    begin(model, end, options)
}

fn begin(model: &Isolated, end: f64, options: Options) -> Result<Cursor<System>, Error> {
    options.check()?;
    let matrices = Arc::new(Matrices::new(model));
    let (q, v) = matrices.start(model);
    let mut system = System {
        model: Arc::new(model.clone()),
        matrices,
        at_start: at_start(model)?,
        options,
        end,
        h: f64::INFINITY,
        stalls: 0,
        interrupt: Interrupt::current(),
    };
    let begins = system.placed(0.0, q, v);
    Cursor::new(system, begins, 0.0, end, most_events())
}

/// The isolators with the friction that they have where a slip begins, at whatever speed.
fn at_start(model: &Isolated) -> Result<Arc<[Isolator]>, Error> {
    let of = |isolator: &Isolator| {
        let law = &isolator.friction;
        let friction = Law::static_dynamic(law.limit(1.0, 0.0), law.force(1.0, 0.0))?;
        Ok(Isolator { friction, ..isolator.clone() })
    };
    model.isolators.iter().map(of).collect()
}

/// A slab as the event loop sees it.
#[derive(Debug, Clone)]
pub struct System {
    model: Arc<Isolated>,
    matrices: Arc<Matrices>,
    at_start: Arc<[Isolator]>,
    options: Options,
    end: f64,
    /// The next step, s.
    h: f64,
    /// Motions in a row that took no time.
    stalls: u32,
    interrupt: Interrupt,
}

/// Where a motion begins.
#[derive(Debug, Clone)]
pub struct Node {
    q: Vec<f64>,
    v: Vec<f64>,
    does: Does,
    /// Which way it turns about an isolator.
    towards: f64,
}

/// What ends a motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// The slab is at rest.
    Rests,
    /// This isolator is, and the slab turns about it.
    Stops(usize),
    /// What rests is no longer held.
    GivesWay,
    /// Nothing: it is long enough.
    Pauses,
}

/// Steps after which a motion ends and the next goes on from there, so that whoever watches a run can stop it.
const MOST_STEPS: usize = 5_000;
/// Motions in a row that take no time, after which the run is given up.
const MOST_STALLS: u32 = 500;
/// Steps that are tried in place of one that was refused.
const RETRIES: u32 = 60;
/// Rounding of a load against its limit within which what arrives at rest stays.
const ROUNDING: f64 = 1e-12;
/// The part of the velocity of the slab below which that of an isolator is rounding.
const SLOW: f64 = 1e-12;
/// How far beyond its limit a load is taken that only just reaches it, to see what begins.
const BEYOND: f64 = 1e-6;
/// The largest part of the time that is left to a slip that one step takes.
const PART: f64 = 0.5;

impl System {
    /// The shortest step at `t` (s) that rounding allows.
    fn shortest(&self, t: f64) -> f64 {
        16.0 * f64::EPSILON * t.abs().max(1e-3 * self.end)
    }

    /// How much of a slip may be left where it is taken to end, s.
    fn least(&self, t: f64) -> f64 {
        self.shortest(t).max(1e-3 * self.options.rtol * t.abs().max(1e-3 * self.end))
    }

    /// The time in which loads and the springs of `n` free coordinates change, s.
    fn pace(&self, t: f64, n: usize) -> f64 {
        let waves = self.model.signals().map(Signal::fastest).fold(0.0, f64::max);
        let swings = if n > 0 { self.model.swings() } else { 0.0 };
        let fastest = swings.max(waves);
        let radian = if fastest > 0.0 { 1.0 / fastest } else { f64::INFINITY };
        radian.min(self.end).max(self.shortest(t))
    }

    fn reduced(&self, t: f64, node: &Node) -> Reduced {
        Reduced::new(&self.model, &self.matrices, t, node.does, node.towards, &node.q)
    }

    /// What a slab at rest does at `t`: whether its isolators hold it, or how it sets out. `before` is what it did; `lets` says that it is no longer
    /// held.
    fn sets_out(&self, t: f64, node: &Node, before: Does, lets: bool) -> (Does, f64) {
        let window = Window::new(&self.model, t);
        let c = self.matrices.on_slab(&window.loads(t), &node.q, &node.v);
        let discs = discs(&self.model, &window, t);
        if c == [0.0; 3] {
            return (Does::Rests, 1.0);
        }
        let mass = [0, 1, 2].map(|i| self.matrices.mass[i]);
        let free = [0, 1, 2].map(|i| c[i] / mass[i]);
        let mut forces = vec![[0.0; 2]; discs.len()];
        let share = hold(&discs, c, free, &mut forces).share;
        if !lets && share <= 1.0 + ROUNDING {
            return (Does::Rests, 1.0);
        }
        // A load that only just reaches its limit accelerates nothing yet; what begins shows a little beyond it.
        let more = ((1.0 + BEYOND) / share).max(1.0);
        let mut inertia = Cube::default();
        let mut inverse = Cube::default();
        for i in 0..3 {
            inertia[i][i] = mass[i];
            inverse[i][i] = 1.0 / mass[i];
        }
        let pressed: Vec<f64> =
            self.model.isolators.iter().map(|i| window.pressed(t, i.share)).collect();
        let problem = Problem {
            inertia: &inertia,
            inverse: &inverse,
            isolators: &self.at_start,
            discs: &discs,
            pressed: &pressed,
        };
        let end = problem.solve(c.map(|c| more * c), before, [0.0; 3], &mut forces);
        match end.does {
            Does::Rests => (Does::Slides, 1.0),
            does => (does, if end.d[2] < 0.0 { -1.0 } else { 1.0 }),
        }
    }

    /// Whether isolator `k`, which rests, holds a slab that turns.
    fn holds(&self, t: f64, node: &Node, k: usize) -> bool {
        let window = Window::new(&self.model, t);
        let towards = if node.v[2] < 0.0 { -1.0 } else { 1.0 };
        let turns = Node { does: Does::TurnsAbout(k), towards, ..node.clone() };
        let reduced = self.reduced(t, &turns);
        let mut forces = vec![[0.0; 2]; self.model.isolators.len()];
        self.share(&reduced, &window, t, [&node.q, &node.v], &mut forces) <= 1.0 + ROUNDING
    }

    /// The share of what holds it that something at rest needs: see [`Reduced::forces`].
    fn share(
        &self,
        reduced: &Reduced,
        window: &Window<'_>,
        t: f64,
        [q, v]: [&[f64]; 2],
        forces: &mut [[f64; 2]],
    ) -> f64 {
        reduced.forces(window, t, [q, v], reduced.spin_rate(window, t, q, v), forces)
    }

    /// The isolator that rests in this state though the slab does not, if there is one: its velocity is zero to the last bit.
    fn resting(&self, v: &[f64]) -> Option<usize> {
        let d = [v[0], v[1], v[2]];
        let rubs = |i: &Isolator| i.friction.limit(1.0, 0.0) > 0.0;
        self.model.isolators.iter().position(|i| rubs(i) && velocity(i.at, d) == [0.0; 2])
    }

    /// What a slab in this state does at `t`; `before` is what it did.
    fn goes_on(&self, t: f64, node: &mut Node, before: Does) {
        if node.v[..3] == [0.0; 3] {
            (node.does, node.towards) = self.sets_out(t, node, before, false);
            return;
        }
        node.does = match self.resting(&node.v) {
            Some(k) if self.holds(t, node, k) => Does::TurnsAbout(k),
            _ => Does::Slides,
        };
        node.towards = if node.v[2] < 0.0 { -1.0 } else { 1.0 };
    }

    /// What begins where the system is put into a state.
    fn placed(&mut self, t: f64, q: Vec<f64>, v: Vec<f64>) -> Begins<Self> {
        let mut node = Node { q, v, does: Does::Rests, towards: 1.0 };
        self.goes_on(t, &mut node, Does::Rests);
        let phase = self.phase(node.does);
        (node, phase)
    }

    fn phase(&self, does: Does) -> IsolatedPhase {
        let rests = |k: usize| match does {
            Does::Rests => true,
            Does::TurnsAbout(about) => k == about,
            Does::Slides => false,
        };
        (0..self.model.isolators.len()).map(rests).collect()
    }

    /// Steps from `node` at `t` until something ends the motion, or `until` (s).
    fn follow(
        &mut self,
        reduced: &Reduced,
        t: f64,
        node: &Node,
        until: f64,
    ) -> Result<(Links, Option<Hit<Ends>>), Failure> {
        let model = self.model.clone();
        let window = Window::new(&model, t);
        let n = reduced.size();
        let mut links = Links::new(n);
        let mut step = Step::of(n);
        reduced.coordinates(&node.v, &mut step.z);
        let mut now = t;
        let mut rates = vec![0.0; n];
        let mut nearing = Nearing::default();
        while now < until {
            self.interrupt.check(now)?;
            // A slip that begins has no direction yet.
            let begins = reduced.does == Does::Slides
                && (step.z[..3] == [0.0; 3] || self.resting(&step.z).is_some());
            let pace = self.pace(now, n);
            let mut most = pace.min(until - now);
            if !begins {
                let Step { y, z, room, .. } = &mut step;
                reduced.rates(&window, now, y, z, room, &mut rates);
            }
            if reduced.does == Does::Slides && !begins {
                let left = self.left(&step.z, &rates);
                if let Some((what, span)) = nearing.ends(self, &left, now, pace)
                    && now + span < until
                {
                    self.finish([now, span], what, &step, &rates, &mut links);
                    return Ok((links, Some(Hit { time: now + span, what })));
                }
                most = most.min(PART * left.shortest).max(0.1 * self.least(now)).min(until - now);
            }
            if matches!(reduced.does, Does::TurnsAbout(_)) && rates[0] * reduced.towards < 0.0 {
                // A little beyond the instant at which it halts.
                let halts = (step.z[0] / rates[0]).abs();
                most = most.min((1.25 * halts).max(self.least(now)));
            }
            let first = if begins { First::FromRest } else { First::Rates(&rates) };
            let h = self.step(reduced, &window, [now, most], first, &mut step, &mut links)?;
            let i = links.count() - 1;
            if let Some((x, what)) = self.crossing(reduced, &window, &links, i) {
                let time = now + x * h;
                if time < until {
                    return Ok((links, Some(Hit { time, what })));
                }
            }
            links.at(i, 1.0, &mut step.y, &mut step.z);
            // The end of the run is met to the last bit.
            now = if now + h >= until { until } else { now + h };
            self.check_rotation(reduced, now, &step.y)?;
            if links.count() >= MOST_STEPS && now < until {
                return Ok((links, Some(Hit { time: now, what: Ends::Pauses })));
            }
        }
        Ok((links, None))
    }

    /// One step of at most `most` (s); how long it is.
    fn step(
        &mut self,
        reduced: &Reduced,
        window: &Window<'_>,
        [now, most]: [f64; 2],
        first: First<'_>,
        step: &mut Step,
        links: &mut Links,
    ) -> Result<f64, Failure> {
        let tolerance = self.options.rtol.clamp(1e-11, 1e-4);
        let mut h = if matches!(first, First::FromRest) { most } else { most.min(self.h) };
        for _ in 0..RETRIES {
            match step.make(reduced, window, [now, h], tolerance, first, links) {
                Ok(error) => {
                    let grow = match error > 0.0 {
                        true => 0.8 * crate::portable::pow(error, -1.0 / 7.0),
                        false => 4.0,
                    };
                    self.h = h * grow.clamp(0.5, 4.0);
                    return Ok(h);
                }
                Err(Refused::Unsolved) => h *= 0.3,
                Err(Refused::Rough(error)) => {
                    let shrink = 0.8 * crate::portable::pow(error, -1.0 / 7.0);
                    h *= if shrink.is_finite() { shrink.clamp(0.1, 0.7) } else { 0.1 };
                }
            }
            if h < self.shortest(now) {
                break;
            }
        }
        let phase = self.describe(&self.phase(reduced.does));
        Err(Error::StepTooShort { time: now, step: h, phase }.into())
    }

    /// What is left of a slip on all isolators.
    fn left(&self, z: &[f64], rates: &[f64]) -> Left {
        let [d, a]: [Triple; 2] = [z, rates].map(|u| [u[0], u[1], u[2]]);
        let mass = [0, 1, 2].map(|i| self.matrices.mass[i]);
        let form = |u: Triple, w: Triple| dot(u, [0, 1, 2].map(|i| mass[i] * w[i]));
        let mut left = Left { slab: f64::INFINITY, first: None, shortest: f64::INFINITY };
        let falls = -form(d, a);
        if falls > 0.0 {
            left.slab = form(d, d) / falls;
        }
        for (k, isolator) in self.model.isolators.iter().enumerate() {
            if isolator.friction.limit(1.0, 0.0) == 0.0 {
                continue;
            }
            let w = velocity(isolator.at, d);
            let by = velocity(isolator.at, a);
            let speed = hypot(w[0], w[1]);
            let falls = -(w[0] * by[0] + w[1] * by[1]) / speed;
            // Where the speed grows, what is smooth ends behind.
            let near = if speed <= SLOW * form(d, d).sqrt() / mass[0].sqrt() {
                0.0
            } else {
                speed / hypot(by[0], by[1])
            };
            left.shortest = left.shortest.min(if falls > 0.0 { near } else { 4.0 * near });
            let span = match near > 0.0 {
                true if falls > 0.0 => speed / falls,
                true => f64::INFINITY,
                false => 0.0,
            };
            if left.first.is_none_or(|(_, least)| span < least) {
                left.first = Some((k, span));
            }
        }
        left
    }

    /// The last piece of a slip, straight, in `span` (s).
    fn finish(
        &self,
        [now, span]: [f64; 2],
        what: Ends,
        step: &Step,
        rates: &[f64],
        links: &mut Links,
    ) {
        let mut end: Vec<f64> = step.z.iter().zip(rates).map(|(z, a)| z + span * a).collect();
        let d = self.stopped([end[0], end[1], end[2]], what);
        end[..3].copy_from_slice(&d);
        links.push_straight(now, span, [&step.y, &step.z, &end]);
    }

    /// The velocity of the slab after `what`, from one that is almost that.
    fn stopped(&self, d: Triple, what: Ends) -> Triple {
        match what {
            Ends::Rests => [0.0; 3],
            Ends::Stops(k) => {
                // The force at the isolator that stops it does not change the momentum of the turn about it.
                let e = turn(self.model.isolators[k].at);
                let mass = [0, 1, 2].map(|i| self.matrices.mass[i]);
                let carried = [0, 1, 2].map(|i| mass[i] * d[i]);
                let spin = dot(e, carried) / dot(e, [0, 1, 2].map(|i| mass[i] * e[i]));
                e.map(|e| spin * e)
            }
            Ends::GivesWay | Ends::Pauses => d,
        }
    }

    /// What ends step `i` before its end, and at which part of it.
    fn crossing(
        &self,
        reduced: &Reduced,
        window: &Window<'_>,
        links: &Links,
        i: usize,
    ) -> Option<(f64, Ends)> {
        let n = reduced.size();
        let [start, h] = links.times[i];
        let mut y = vec![0.0; n];
        let mut z = vec![0.0; n];
        let mut q = vec![0.0; self.matrices.size()];
        let mut v = q.clone();
        let mut forces = vec![[0.0; 2]; self.model.isolators.len()];
        let mut share = |x: f64| {
            let t = start + x * h;
            links.at(i, x, &mut y, &mut z);
            reduced.state(&y, &z, &mut q, &mut v);
            self.share(reduced, window, t, [&q, &v], &mut forces)
        };
        match reduced.does {
            Does::Slides => None,
            Does::Rests => {
                let straight = n == 0 && window.is_straight();
                let x = first_below(straight, |x| 1.0 + ROUNDING - share(x))?;
                Some((x, Ends::GivesWay))
            }
            Does::TurnsAbout(_) => {
                let lets = first_below(false, |x| 1.0 + ROUNDING - share(x));
                let mut y = vec![0.0; n];
                let mut z = vec![0.0; n];
                let halts = first_below(false, |x| {
                    links.at(i, x, &mut y, &mut z);
                    reduced.towards * z[0]
                });
                match (lets, halts) {
                    (Some(a), Some(b)) if b <= a => Some((b, Ends::Rests)),
                    (Some(a), _) => Some((a, Ends::GivesWay)),
                    (None, Some(b)) => Some((b, Ends::Rests)),
                    (None, None) => None,
                }
            }
        }
    }

    /// An error if the slab or a floor has turned too far.
    fn check_rotation(&self, reduced: &Reduced, t: f64, y: &[f64]) -> Result<(), Error> {
        let mut q = vec![0.0; self.matrices.size()];
        let mut v = q.clone();
        reduced.state(y, y, &mut q, &mut v);
        super::check(t, 0.0, &q, &v)
    }
}

/// What is left of a slip, if it goes on as it does now, s.
struct Left {
    /// Of all of it.
    slab: f64,
    /// The isolator that rests first, and when.
    first: Option<(usize, f64)>,
    /// The least time in which some velocity changes by itself.
    shortest: f64,
}

/// How the ends of a slip that are foreseen become certain.
#[derive(Debug, Default)]
struct Nearing {
    /// When the last was foreseen, what and how much was left then, and when that ends, s.
    last: Option<(f64, Ends, f64, f64)>,
}

impl Nearing {
    /// What ends a slip at `now` (s), and after how long, if what is `left` is sure enough; loads and springs change in `pace`, s.
    ///
    /// A speed that falls like (t* − t)^p has left (t* − t)/p at its present rate: two instants give p.
    fn ends(&mut self, system: &System, left: &Left, now: f64, pace: f64) -> Option<(Ends, f64)> {
        let least = system.least(now);
        if left.slab <= least {
            return Some((Ends::Rests, left.slab));
        }
        let (k, span) = left.first?;
        // One that comes so near rest that the clock cannot tell the difference rests for an instant.
        if span <= least {
            return Some((Ends::Stops(k), span));
        }
        if left.shortest <= 1e-2 * least {
            return Some((Ends::Stops(k), 0.0));
        }
        // The slab and its last isolator come to rest together.
        let (what, span) = match left.slab <= 1.5 * span {
            true => (Ends::Rests, left.slab),
            false => (Ends::Stops(k), span),
        };
        let tolerance = system.options.rtol;
        let before = self.last.filter(|(_, kind, ..)| *kind == what);
        let power = before.map_or(1.0, |(then, _, left, _)| {
            let by = (now - then) / (left - span);
            if by.is_finite() { by.clamp(0.5, 4.0) } else { 1.0 }
        });
        let ends = now + power * span;
        self.last = Some((now, what, span, ends));
        let (_, _, _, foreseen) = before?;
        let sure = (ends - foreseen).abs() <= 0.1 * tolerance * now.max(1e-3 * system.end);
        // The rest of the way is drawn straight.
        let short = power * span <= (0.1 * tolerance).sqrt() * pace;
        (sure && short).then_some((what, power * span))
    }
}

impl EventDriven for System {
    type State = Node;
    type Motion = IsolatedArc;
    type What = Ends;

    fn smooth_until(&mut self, t: f64) -> f64 {
        self.model.signals().map(|s| s.next_breakpoint(t)).fold(f64::INFINITY, f64::min)
    }

    fn motion(
        &mut self,
        t: f64,
        state: &Node,
        phase: &IsolatedPhase,
        until: f64,
    ) -> Result<Followed<Self>, Failure> {
        let reduced = self.reduced(t, state);
        let (links, hit) = self.follow(&reduced, t, state, until)?;
        let moved = hit.as_ref().is_none_or(|hit| hit.time > t);
        self.stalls = if moved { 0 } else { self.stalls + 1 };
        if self.stalls > MOST_STALLS {
            // Phases that follow each other at one instant would do so forever.
            return Err(Error::Stalled { time: t, phase: self.describe(phase) }.into());
        }
        let model = self.model.clone();
        let course = Course::Glide(Arc::new(Glide { reduced, links }));
        Ok((IsolatedArc { model, course }, hit))
    }

    fn arrive(&self, leg: &Leg<Self>, t: f64, hit: Option<&Ends>) -> Node {
        let Course::Glide(glide) = &leg.motion.course else { return leg.state.clone() };
        let (q, mut v) = glide.at(t);
        // The root is near zero only to rounding, and a rest is exact.
        if let Some(what) = hit {
            let d = self.stopped([v[0], v[1], v[2]], *what);
            v[..3].copy_from_slice(&d);
        }
        Node { q, v, ..leg.state.clone() }
    }

    fn next(
        &mut self,
        leg: &Leg<Self>,
        mut state: Node,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        let t = leg.stop;
        let before = leg.state.does;
        match (leg.hit, before) {
            (Some(Ends::Pauses), _) => {}
            (Some(Ends::GivesWay), Does::TurnsAbout(_)) => state.does = Does::Slides,
            (Some(Ends::GivesWay), _) => {
                (state.does, state.towards) = self.sets_out(t, &state, before, true);
            }
            (Some(Ends::Rests | Ends::Stops(_)) | None, _) => self.goes_on(t, &mut state, before),
        }
        let after = self.phase(state.does);
        let halts = matches!(leg.hit, Some(Ends::Rests | Ends::Stops(_)));
        let d = [state.v[0], state.v[1], state.v[2]];
        let place = [state.q[0], state.q[1], state.q[2]];
        for (k, isolator) in self.model.isolators.iter().enumerate() {
            let v = velocity(isolator.at, d);
            // What came to a halt against the load, which throws it back.
            let turned = halts && !leg.phase[k] && !after[k] && v == [0.0; 2];
            let kind = between(leg.phase[k], after[k]);
            let kind = kind.or(turned.then_some(EventKind::Reversal));
            if let Some(kind) = kind {
                let x = velocity(isolator.at, place)[0];
                events.push(Event::new(kind, t, k, State { x, v: v[0] }));
            }
        }
        // What begins has a pace of its own.
        if leg.hit.is_some_and(|hit| hit != Ends::Pauses) {
            self.h = f64::INFINITY;
        }
        Ok((state, after))
    }

    fn is_finite(&self, state: &Node) -> bool {
        state.q.iter().chain(&state.v).all(|x| x.is_finite())
    }

    fn describe(&self, phase: &IsolatedPhase) -> String {
        let resting: Vec<&str> = phase
            .iter()
            .zip(&self.model.isolators)
            .filter_map(|(rests, isolator)| rests.then_some(&*isolator.name))
            .collect();
        match resting.len() {
            0 => "sliding on all isolators".to_owned(),
            n if n == phase.len() => "rest".to_owned(),
            _ => format!("turning about {}", resting.join(", ")),
        }
    }

    fn place(&mut self, t: f64, at: &IsolatedState) -> Result<Begins<Self>, Error> {
        super::check(t, 0.0, &at.q, &at.v)?;
        self.h = f64::INFINITY;
        Ok(self.placed(t, at.q.clone(), at.v.clone()))
    }

    fn change(
        &mut self,
        t: f64,
        mut state: Node,
        phase: IsolatedPhase,
        model: &Model,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        let Model::Isolated(isolated) = model else { return Err(fixed_signals()) };
        self.model = Arc::new(isolated.clone());
        let before = state.does;
        self.goes_on(t, &mut state, before);
        let after = self.phase(state.does);
        let at = |u: &[f64], k: usize| velocity(self.model.isolators[k].at, [u[0], u[1], u[2]])[0];
        for k in 0..after.len() {
            if let Some(kind) = between(phase[k], after[k]) {
                let place = State { x: at(&state.q, k), v: at(&state.v, k) };
                events.push(Event::new(kind, t, k, place));
            }
        }
        Ok((state, after))
    }
}
