//! Implicit Euler steps in the velocity, with what the contact remembers moved along exactly.
//!
//! ```text
//! m (v⁺ − v)/h = K (d⁺ − x⁺) − c v⁺ + f⁺ − F(x⁺, w⁺, z⁺, (z⁺ − z)/h),   x⁺ = x + h v⁺,   z⁺ = z along w⁺ for h
//! ```
//!
//! z⁺ is what the law says of a stride at the constant velocity w⁺, its closed form or an exponential: however stiff the
//! bristles are, z stays within its bounds and with it the friction. The error is O(h).

use super::arc::{MemoryArc, Steps};
use super::flow::{carried, kept};
use super::{Held, MemoryPath, phase};
use crate::error::{Error, Obstacle};
use crate::grid::{kept_count, step_count};
use crate::interrupt::Interrupt;
use crate::law::memory::{Run, Way};
use crate::model::hysteretic::{Carrier, Hysteretic};
use crate::motion::{Event, EventKind, Segment, State};
use crate::scheme::contact_step::ContactStep;
use std::sync::Arc;

/// Secants and halvings in the search for a velocity.
const ITERATIONS: usize = 200;
/// Times that a bracket is doubled.
const DOUBLINGS: usize = 1000;
/// Steps of a segment, so that a long run is seen to make progress.
const MOST_STEPS: usize = 10_000;

/// Solves `model` on [0, `end`] (s) by steps of `step` (s).
///
/// # Errors
/// If a number is outside its range, a signal too short, or the velocity follows from a balance without a mass.
pub fn solve(model: &Hysteretic, end: f64, step: f64) -> Result<MemoryPath, Error> {
    model.check_until(end)?;
    let count = kept_count(end, step)?;
    if model.body().is_some_and(|b| b.mass == 0.0) {
        return Err(Error::Unsuitable { scheme: "implicit-euler", reason: Obstacle::NoMass });
    }
    let mut walk = Walk::new(model);
    let mut path = MemoryPath::default();
    let interrupt = Interrupt::current();
    let node = |k: usize| if k == count { end } else { step * k as f64 };
    // A segment begins with the state, side and regions that hold over its steps.
    let mut begins = walk.clone();
    let mut steps = Steps::default();
    for k in 0..count {
        let span = [node(k), node(k + 1)];
        let before = walk.coordinates();
        walk.advance(span)?;
        steps.push_line(span, &before, &walk.coordinates());
        let events = walk.settle(span[1]);
        // Formulas change at events only, and a segment has one set of them.
        if !events.is_empty() || k + 1 == count || steps.spans.len() == MOST_STEPS {
            interrupt.check(span[0])?;
            path.push(begins.segment(std::mem::take(&mut steps), span[1]));
            events.into_iter().for_each(|e| path.record(e));
            begins = walk.clone();
        }
    }
    Ok(path)
}

/// The same steps, streaming (n, state, what the contact did), n = 0 … N, to `observe` and keeping nothing.
///
/// # Errors
/// As [`solve`].
pub(crate) fn run(
    model: &Hysteretic,
    end: f64,
    step: f64,
    mut observe: impl FnMut(usize, State, ContactStep),
) -> Result<(), Error> {
    model.check_until(end)?;
    let count = step_count(end, step)?;
    if model.body().is_some_and(|b| b.mass == 0.0) {
        return Err(Error::Unsuitable { scheme: "implicit-euler", reason: Obstacle::NoMass });
    }
    let mut walk = Walk::new(model);
    let rests = |walk: &Walk| !walk.model.law().slips(&walk.regions);
    let start = State { x: walk.x, v: walk.v };
    observe(0, start, ContactStep { rests: rests(&walk), ..ContactStep::default() });
    let interrupt = Interrupt::current();
    for steps in interrupt.ranges(count) {
        for n in steps {
            let next = (n + 1) as f64 * step;
            walk.advance([n as f64 * step, next])?;
            walk.settle(next);
            let slide = step * (walk.v - walk.support(next));
            let did = ContactStep { slide, lost: walk.friction * slide, rests: rests(&walk) };
            observe(n + 1, State { x: walk.x, v: walk.v }, did);
        }
    }
    interrupt.check(end)
}

/// Where the steps are.
#[derive(Debug, Clone)]
struct Walk {
    model: Arc<Hysteretic>,
    t: f64,
    x: f64,
    v: f64,
    z: Vec<f64>,
    /// +1 or −1: the side to which it moves, or moved last.
    side: f64,
    regions: Vec<u8>,
    /// The force against the motion at the end of the last step, N.
    friction: f64,
    room: Room,
}

/// What a step writes to.
#[derive(Debug, Clone, Default)]
struct Room {
    z: Vec<f64>,
    rates: Vec<f64>,
    margins: Vec<f64>,
}

impl Walk {
    fn new(model: &Hysteretic) -> Self {
        let at = model.body().map_or([0.0; 2], |b| [b.initial.displacement, b.initial.velocity]);
        let parts = model.law().parts();
        let mut walk = Self {
            model: Arc::new(model.clone()),
            t: 0.0,
            x: at[0],
            v: at[1],
            z: model.memory.clone(),
            side: 1.0,
            regions: vec![0; parts],
            friction: 0.0,
            room: Room {
                z: model.memory.clone(),
                rates: model.memory.clone(),
                margins: vec![0.0; parts],
            },
        };
        if let Carrier::Led(way) = &model.carrier {
            (walk.x, walk.v) = (way.value(0.0), way.derivative(0.0));
        }
        // At rest it counts as moving to the positive side, until a step moves it.
        let w = walk.v - walk.support(0.0);
        walk.side = if w < 0.0 { -1.0 } else { 1.0 };
        model.law().enter(walk.side, w.abs(), &walk.z, false, &mut walk.regions);
        walk
    }

    fn support(&self, t: f64) -> f64 {
        self.model.body().map_or(0.0, |b| b.support.value(t))
    }

    /// The state as arcs keep it.
    fn coordinates(&self) -> Vec<f64> {
        let mut z = self.z.clone();
        kept(&self.model, &mut z);
        let Some(_) = self.model.body() else { return z };
        // Arcs keep u of rate and state, in which small velocities have all their digits.
        let level = match self.model.law().as_rate_and_state() {
            Some(law) => law.level(self.v - self.support(self.t), law.psi(z[0])),
            None => self.v,
        };
        [self.x, level].into_iter().chain(z).collect()
    }

    fn segment(&self, steps: Steps, end: f64) -> Segment<MemoryArc> {
        let from: Arc<[f64]> = self.coordinates().into();
        debug_assert_eq!(from.len(), carried(&self.model) + self.z.len());
        let arc = MemoryArc {
            model: self.model.clone(),
            start: self.t,
            side: self.side,
            regions: self.regions.clone().into(),
            from,
            steps: Some(Arc::new(steps)),
        };
        let held = Held { y: Vec::new(), side: self.side, regions: self.regions.clone() };
        Segment { phase: phase(&self.model, &held), start: self.t, end, arc }
    }

    /// What the contact remembers after a step in which it moves with `w` (m/s), in `z`.
    fn stride(&self, w: f64, h: f64, z: &mut [f64]) {
        z.copy_from_slice(&self.z);
        // The stride is told of a turn: it begins with elastic bristles.
        let turned = w * self.side < 0.0;
        self.model.law().stride(Way { length: w * h, time: h }, turned, &self.regions, z);
    }

    /// One step.
    fn advance(&mut self, span: [f64; 2]) -> Result<(), Error> {
        let mut room = std::mem::take(&mut self.room);
        let advanced = self.advance_in(span, &mut room);
        self.room = room;
        advanced
    }

    fn advance_in(&mut self, [t, next]: [f64; 2], room: &mut Room) -> Result<(), Error> {
        let h = next - t;
        let model = self.model.clone();
        let Room { z, rates, .. } = room;
        let body = match &model.carrier {
            Carrier::Led(way) => {
                let x = way.value(next);
                // The mean velocity over the step is all that a stride knows of a given way.
                self.v = (x - self.x) / h;
                self.stride(self.v, h, z);
                std::mem::swap(&mut self.z, z);
                (self.x, self.t) = (x, next);
                return Ok(());
            }
            Carrier::Mass(body) => body,
        };
        let moves = body.support.value(next);
        // The loads of the step itself: one that jumps at its end belongs to the next.
        let pull = body.stiffness * body.drive.value_before(next) + body.force.value_before(next);
        let normal = model.normal.as_ref().map_or(1.0, |n| n.value(next));
        let mut rubs = |v: f64| {
            let w = v - moves;
            self.stride(w, h, z);
            // (z⁺ − z)/h of the scheme.
            rates.iter_mut().zip(z.iter().zip(&self.z)).for_each(|(r, (a, b))| *r = (a - b) / h);
            normal * model.law().force(self.x + h * v, w, z, rates)
        };
        // What the balance of momentum lacks at v⁺, over h; with a short step the inertia makes it fall with v⁺, however
        // the friction weakens.
        let lacks = |v: f64| {
            let force = pull - body.stiffness * (self.x + h * v) - body.damping * v - rubs(v);
            force - body.mass * (v - self.v) / h
        };
        let Some(v) = falling_root(self.v, h / body.mass, lacks) else {
            return Err(Error::NotFinite { time: next, step: h });
        };
        // The search may have ended at another velocity than the last one tried.
        self.friction = rubs(v);
        std::mem::swap(&mut self.z, z);
        (self.x, self.v, self.t) = (self.x + h * v, v, next);
        Ok(())
    }

    /// Which formulas hold after a step, and what happened in it.
    fn settle(&mut self, t: f64) -> Vec<Event> {
        let model = self.model.clone();
        let law = model.law();
        let mut events = Vec::new();
        let w = self.v - self.support(t);
        let at = State { x: self.x, v: self.v };
        let mut slipped = law.slips(&self.regions);
        // The stride has bent the bristles to the new side already; now its formulas hold.
        if w * self.side < 0.0 {
            self.side = -self.side;
            law.enter(self.side, w.abs(), &self.z, false, &mut self.regions);
            let kind = if slipped { EventKind::Stick } else { EventKind::Reversal };
            events.push(Event::new(kind, t, 0, at));
            // At the turn itself it does not slip: bristles that the rest of the step has bent enough begin a slip of their own.
            slipped = false;
        }
        let run = Run { side: self.side, regions: &self.regions };
        law.margins(run, w, &self.z, &mut self.room.margins);
        for part in 0..self.regions.len() {
            if self.room.margins[part] <= 0.0 {
                self.regions[part] = law.leave(part, self.regions[part]);
                if part < law.elements() {
                    events.push(Event::new(EventKind::Yield, t, 1 + part, at));
                }
            }
        }
        let slips = law.slips(&self.regions);
        if slips != slipped {
            let kind = if slips { EventKind::Slip } else { EventKind::Stick };
            events.push(Event::new(kind, t, 0, at));
        }
        events
    }
}

/// The root nearest to `from` of a function that is positive far below and negative far above it; `reach` is its inverse slope
/// without friction.
pub(crate) fn falling_root(from: f64, reach: f64, mut f: impl FnMut(f64) -> f64) -> Option<f64> {
    let first = f(from);
    if first == 0.0 {
        return Some(from);
    }
    let mut a = from;
    let mut fa = first;
    // Without friction this step would lead to the root.
    let mut step = first * reach;
    let mut b = from + step;
    let mut fb = f(from + step);
    for _ in 0..DOUBLINGS {
        if fb == 0.0 || fb.signum() != fa.signum() {
            break;
        }
        (a, fa) = (b, fb);
        step *= 2.0;
        b += step;
        fb = f(b);
        if !fb.is_finite() {
            return None;
        }
    }
    // A friction that does not change over the step makes the first step lead to the root itself.
    if fb == 0.0 {
        return Some(b);
    }
    if fb.signum() == fa.signum() {
        return None;
    }
    // Secants with halved ends (Illinois), and a halving wherever they are slow.
    for k in 0..ITERATIONS {
        let width = (b - a).abs();
        if fb == 0.0 || width <= 2.0 * f64::EPSILON * a.abs().max(b.abs()) {
            return Some(b);
        }
        let secant = b - fb * (b - a) / (fb - fa);
        let c = if k % 3 == 2 || !secant.is_finite() { 0.5 * (a + b) } else { secant };
        let fc = f(c);
        // Halving the weight of the end that stays makes the secants approach from both sides.
        if fc.signum() == fb.signum() {
            fa *= 0.5;
        } else {
            (a, fa) = (b, fb);
        }
        (b, fb) = (c, fc);
    }
    Some(b)
}
