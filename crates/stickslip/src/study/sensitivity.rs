//! How a motion changes with the numbers of its model: derivatives through stick and slip.
//!
//! With p a number of the model, a(t, x, v, p) the acceleration in slip, and δ = (δx, δv) the derivative of the state at
//! a fixed time with respect to p:
//!
//! ```text
//! slip         δ′ = (δv, ∂ₓa δx + ∂ᵥa δv + ∂ₚa)          δ ← Φ δ + ∫ Φ(t − s) (0, ∂ₚa(s)) ds
//! stick        δv = 0, δx as it was
//! breakaway    δv ← a⁺ (∂ₓh δx + ∂ₚh)/ḣ                  h = ±b − f_s, the load beyond the limit
//! stop         δv ← 0                                    the slip ends by δt = −δv/a⁻
//! reversal     δv ← δv a⁺/a⁻
//! ```
//!
//! (the variational equation with its jumps: Rozenvasser 1967; Leine and Nijmeijer 2004, chapter 7). Φ is the
//! propagator of the arc, known in closed form; the integral is Gauss's rule on parts so short that its error is below
//! that of rounding. ∂ₚ of the acceleration, the load and the limit are central differences of the model itself, which
//! are exact where a number enters linearly.

mod cascade;
mod collocation;
mod derivatives;
mod doubt;
mod gauss;
mod impact;
mod jump;
mod machine;
mod network;
mod number;
mod partial;
mod plain;
mod reverse;
mod samples;
mod shapes;
mod signals;
mod sums;

#[doc(hidden)]
pub use cascade::{cascade_derivatives, cascade_gradient};
pub use derivatives::{Derivatives, derivatives};
pub use doubt::{Doubt, Why};
#[doc(hidden)]
pub use impact::{impact_derivatives, impact_gradient};
#[doc(hidden)]
pub use machine::{machine_derivatives, machine_distance, machine_gradient};
pub use network::{NetworkDerivatives, network_derivatives};
#[doc(hidden)]
pub use network::{NetworkLoss, network_gradient};
pub use number::{Number, Sides};
pub use reverse::{Gradient, Loss, gradient};
pub use samples::Samples;

use super::orbit::local::Local;
use crate::model::Oscillator;
use crate::motion::{Dense, LinearArc, Motion, Phase, Segment, State, Stretch, Trajectory};
use crate::scheme::oscillator::adaptive::dormand_prince::Step;
use plain::{Acting, Plain, is_plain};

/// What is changed.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub enum Change<'a> {
    /// The state at the start, in this direction.
    Start(State),
    /// A number of the model.
    Number {
        /// The model with a smaller value of it.
        less: &'a Oscillator,
        /// The model with a larger one.
        more: &'a Oscillator,
        /// The difference of the two.
        apart: f64,
    },
}

/// Derivatives at one instant.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rates {
    /// Of the displacement.
    pub x: f64,
    /// Of the velocity.
    pub v: f64,
    /// Of the acceleration.
    pub a: f64,
    /// Of the force of the support on the mass.
    pub friction: f64,
}

/// Gauss's rule with three nodes on [0, 1].
const NODES: [(f64, f64); 3] = [
    (0.112_701_665_379_258_3, 5.0 / 18.0),
    (0.5, 8.0 / 18.0),
    (0.887_298_334_620_741_7, 5.0 / 18.0),
];
/// The longest part of an arc for one application of the rule, as an angle (rad).
const PART: f64 = 0.15;

/// The derivatives of `path`, a motion of `o` by an event-driven scheme, at `times` (s, not decreasing), one for each of
/// the `changes`: those of the first time come first. `None` where stops, ageing, or a support that moves are involved, or
/// the path is of another scheme.
///
/// ```
/// use stickslip::scheme::oscillator::exact;
/// use stickslip::study::sensitivity::{Change, along};
/// use stickslip::{Law, Oscillator};
/// // A mass that slides to rest: x = v₀t − f t²/2, so that ∂x/∂f = −t²/2 until it stops at t = v₀/f.
/// let sliding = |f| Ok(Oscillator::new(1.0, 0.0, Law::coulomb(f)?).starting_at(0.0, 2.0));
/// let (o, less, more) = (sliding(1.0)?, sliding(0.99)?, sliding(1.01)?);
/// let path = exact::solve(&o, 3.0)?;
/// let change = Change::Number { less: &less, more: &more, apart: 0.02 };
/// let found = along(&o, &path, &[change], &[1.0, 3.0]).unwrap();
/// // At rest x = v₀²/(2f).
/// assert!((found[0].x + 0.5).abs() < 1e-12 && (found[1].x + 2.0).abs() < 1e-9);
/// # Ok::<(), stickslip::Error>(())
/// ```
#[doc(hidden)]
pub fn along(
    o: &Oscillator,
    path: &Trajectory,
    changes: &[Change<'_>],
    times: &[f64],
) -> Option<Vec<Rates>> {
    let reached = |o: &Oscillator| o.stops.is_none() && o.support.is_zero() && !o.friction.ages();
    let numbers = changes.iter().filter_map(|c| match c {
        Change::Start(_) => None,
        Change::Number { less, more, .. } => Some([*less, *more]),
    });
    if !numbers.flatten().chain([o]).all(reached) {
        return None;
    }
    let plain: Vec<Option<Plain>> = changes.iter().map(|c| Plain::new(o, c)).collect();
    let now = changes.iter().map(begin).collect();
    let mut walk = Walk { o, changes, plain, linear: is_plain(o), now, known: None };
    let mut out = Vec::with_capacity(times.len() * changes.len());
    let mut left = times;
    let mut before: Option<&Segment> = None;
    for (i, s) in path.segments().iter().enumerate() {
        match before {
            Some(b) => walk.pass(b, s),
            None if s.phase == Phase::Stick => walk.now.iter_mut().for_each(|d| d.v = 0.0),
            None => {}
        }
        let near = Near::new(o, changes, &walk.plain, s);
        let mut t = s.start;
        let last = i + 1 == path.segments().len();
        while let Some((&at, rest)) = left.split_first().filter(|(at, _)| **at < s.end || last) {
            let to = at.clamp(t, s.end);
            walk.follow(s, &near, t, to)?;
            walk.read(s, &near, to, &mut out);
            (t, left) = (to, rest);
        }
        walk.follow(s, &near, t, s.end)?;
        before = Some(s);
    }
    Some(out)
}

/// The derivative of the start.
fn begin(change: &Change<'_>) -> State {
    match change {
        Change::Start(state) => *state,
        Change::Number { less, more, apart } => State {
            x: (more.initial.displacement - less.initial.displacement) / apart,
            v: (more.initial.velocity - less.initial.velocity) / apart,
        },
    }
}

/// The forces near a segment, of the model and of its neighbours.
struct Near<'a> {
    own: Local<'a>,
    /// Less, more, 1/apart; nothing of those that are plain, and none where all are.
    others: Vec<Option<(Local<'a>, Local<'a>, f64)>>,
}

impl<'a> Near<'a> {
    /// Those that are `plain` need no neighbours.
    fn new(
        o: &'a Oscillator,
        changes: &[Change<'a>],
        plain: &[Option<Plain>],
        s: &Segment,
    ) -> Self {
        // Only stops and contacts that open ask where the mass is.
        let bent = o.stops.is_some() || !o.nonlinear.is_none();
        let x = if bent { s.arc.state(0.5 * (s.start + s.end)).x } else { 0.0 };
        let of = |o: &'a Oscillator| Local::new(o, s.start, x);
        let pair = |(k, change): (usize, &Change<'a>)| match *change {
            Change::Number { less, more, apart } if plain.get(k).is_none_or(Option::is_none) => {
                Some((of(less), of(more), 1.0 / apart))
            }
            _ => None,
        };
        let others = if !plain.is_empty() && plain.iter().all(Option::is_some) {
            Vec::new()
        } else {
            changes.iter().enumerate().map(pair).collect()
        };
        Self { own: of(o), others }
    }

    /// The signals at `t`.
    fn acting(&self, t: f64) -> Acting {
        let [drive, force, normal] = self.own.signals(t);
        Acting { drive, force, normal }
    }

    /// ∂ₚ of a property of the model, for change number `k`.
    fn slope(&self, k: usize, of: impl Fn(&Local<'a>) -> f64) -> f64 {
        let other = self.others.get(k).and_then(Option::as_ref);
        other.map_or(0.0, |(less, more, by)| (of(more) - of(less)) * by)
    }
}

/// A change of ∂ₓa over a step by less than this share of it is no jump.
const JUMP: f64 = 0.02;
/// Of a smooth change, the larger half of the interval has less than this share.
const LARGER_HALF: f64 = 0.9;
/// Halvings that tell a jump from a smooth change, and those that locate it.
const HALVINGS: (usize, usize) = (3, 10);

/// Where ∂ₓa jumps between two instants of a step, and the first of them, twice, where it does not.
fn corner(side: f64, dense: &Dense, near: &Local<'_>, [from, to]: [f64; 2]) -> [f64; 2] {
    let slope = |t: f64| {
        let u = dense.state(t);
        near.slopes(side, t, u.x, u.v).0
    };
    let mut low = (from, slope(from));
    let mut high = (to, slope(to));
    if (high.1 - low.1).abs() <= JUMP * (low.1.abs() + high.1.abs()) {
        return [from; 2];
    }
    for i in 0..HALVINGS.1 {
        let t = 0.5 * (low.0 + high.0);
        let middle = (t, slope(t));
        let [before, after] = [middle.1 - low.1, high.1 - middle.1].map(f64::abs);
        if before.max(after) < LARGER_HALF * (high.1 - low.1).abs() {
            // Nearer than its distance for differences the jump is a smooth change.
            if i < HALVINGS.0 {
                return [from; 2];
            }
            break;
        }
        if before > after { high = middle } else { low = middle }
    }
    [low.0, high.0]
}

struct Walk<'a> {
    o: &'a Oscillator,
    changes: &'a [Change<'a>],
    /// Of each change what it is where the start changes, or numbers alone.
    plain: Vec<Option<Plain>>,
    /// Whether forces are linear in x and v and friction is constant in each phase.
    linear: bool,
    now: Vec<State>,
    /// The propagators of the last part of an arc.
    known: Option<Propagators>,
}

/// Propagators over a part of an arc, the same for all arcs of one oscillator.
#[derive(Clone, Copy)]
struct Propagators {
    /// Length of the part, s.
    h: f64,
    whole: [[f64; 2]; 2],
    /// From each node to the end.
    later: [[[f64; 2]; 2]; 3],
}

/// Parts whose lengths differ by less than this share, as those between equally spaced rows do, are alike.
const ALIKE: f64 = 1e-12;

impl Walk<'_> {
    /// Inside a segment; `None` for an arc of another scheme.
    fn follow(&mut self, s: &Segment, near: &Near<'_>, from: f64, to: f64) -> Option<()> {
        match &s.arc {
            _ if s.phase == Phase::Stick => {}
            Stretch::Slip(arc) => self.linear(s.phase.sign(), arc, near, from, to),
            Stretch::Dense(dense) => self.integrate(s.phase.sign(), dense, near, from, to),
            _ => return None,
        }
        Some(())
    }

    fn linear(&mut self, side: f64, arc: &LinearArc, near: &Near<'_>, from: f64, to: f64) {
        if to <= from {
            return;
        }
        let o = self.o;
        let waves = o.drive.harmonics().iter().chain(o.force.harmonics());
        let waves = waves.chain(o.normal.iter().flat_map(|n| n.harmonics()));
        let fastest = waves.fold(0.0, |most: f64, h| most.max(h.angular_frequency.abs()));
        let rate = o.natural_frequency() + o.damping / o.mass + fastest;
        let parts = ((to - from) * rate / PART).ceil().max(1.0);
        let h = (to - from) / parts;
        let Propagators { whole, later, .. } = self.propagators(arc, h);
        for i in 0..parts as usize {
            let start = from + h * i as f64;
            let at = NODES.map(|(c, _)| {
                let t = start + h * c;
                (t, arc.state(t), near.acting(t))
            });
            for (k, d) in self.now.iter_mut().enumerate() {
                let x = d.x;
                let v = d.v;
                d.x = whole[0][0] * x + whole[0][1] * v;
                d.v = whole[1][0] * x + whole[1][1] * v;
                let plain = self.plain[k].as_ref();
                for (j, (t, u, acting)) in at.iter().enumerate() {
                    let g = match plain {
                        Some(plain) => plain.acceleration(side, *u, acting),
                        None => near.slope(k, |l| l.acceleration(side, *t, u.x, u.v)),
                    };
                    d.x += h * NODES[j].1 * later[j][0][1] * g;
                    d.v += h * NODES[j].1 * later[j][1][1] * g;
                }
            }
        }
    }

    fn propagators(&mut self, arc: &LinearArc, h: f64) -> Propagators {
        if let Some(known) = self.known.filter(|k| (k.h - h).abs() < ALIKE * h) {
            return known;
        }
        let later = NODES.map(|(c, _)| arc.propagator(h * (1.0 - c)));
        *self.known.insert(Propagators { h, whole: arc.propagator(h), later })
    }

    /// The linearised equation along adaptive steps, by the same steps, cut where ∂ₓa jumps: the motion has a corner in its
    /// acceleration there, such as a voltage that reaches its limit, and its step passes over it.
    fn integrate(&mut self, side: f64, dense: &Dense, near: &Near<'_>, from: f64, to: f64) {
        for i in 0..dense.steps() {
            let Some((t, h)) = dense.interval(i) else { break };
            let end = (t + h).min(to);
            let t = t.max(from);
            if end <= t {
                continue;
            }
            let [low, high] = corner(side, dense, &near.own, [t, end]);
            for (t, end) in [(t, low), (low, high), (high, end)] {
                if end > t {
                    self.step(side, dense, near, t, end);
                }
            }
        }
    }

    /// One step of it.
    fn step(&mut self, side: f64, dense: &Dense, near: &Near<'_>, t: f64, end: f64) {
        for k in 0..self.now.len() {
            let a = |t: f64, x: f64, v: f64| {
                let u = dense.state(t);
                let (ax, av) = near.own.slopes(side, t, u.x, u.v);
                let g = match &self.plain[k] {
                    Some(plain) => plain.acceleration(side, u, &near.acting(t)),
                    None => near.slope(k, |l| l.acceleration(side, t, u.x, u.v)),
                };
                ax * x + av * v + g
            };
            let u = self.now[k];
            self.now[k] = Step::new(t, u, a(t, u.x, u.v), end - t, &a).to;
        }
    }

    /// From one segment to the next.
    fn pass(&mut self, b: &Segment, n: &Segment) {
        let t = n.start;
        match (b.phase, n.phase) {
            (Phase::Stick, Phase::Stick) => {}
            (Phase::Stick, next) => self.break_away(b, n, t, next.sign()),
            (from, next) if from.sign() == next.sign() => {}
            (_, Phase::Stick) => self.now.iter_mut().for_each(|d| d.v = 0.0),
            (from, next) => {
                let State { x, v } = b.arc.state(t);
                let [before, after] = [(b, from), (n, next)]
                    .map(|(s, p)| Local::new(self.o, s.start, x).acceleration(p.sign(), t, x, v));
                self.now.iter_mut().for_each(|d| d.v *= after / before);
            }
        }
    }

    /// A stick ends: the load leaves the limit, or jumps at a time of its own.
    fn break_away(&mut self, b: &Segment, n: &Segment, t: f64, side: f64) {
        let near = Near::new(self.o, self.changes, &[], b);
        let x = n.arc.state(t).x;
        let beyond = |l: &Local<'_>| side * l.at_rest(t, x).0 - l.limit(side, t, x, 0.0).value;
        let (load, rate) = near.own.at_rest(t, x);
        let limit = near.own.limit(side, t, x, 0.0);
        let climbs = side * rate - limit.rate;
        if beyond(&near.own).abs() > 1e-6 * load.abs().max(limit.value) || climbs <= 0.0 {
            self.now.iter_mut().for_each(|d| d.v = 0.0);
            return;
        }
        let slope = side * near.own.load_slopes(t, x, 0.0).0 - limit.along;
        let after = Local::new(self.o, t, x).acceleration(side, t, x, 0.0);
        for (k, d) in self.now.iter_mut().enumerate() {
            d.v = after * (slope * d.x + near.slope(k, beyond)) / climbs;
        }
    }

    /// What is seen at `t`.
    fn read(&self, s: &Segment, near: &Near<'_>, t: f64, out: &mut Vec<Rates>) {
        let side = s.phase.sign();
        let u = s.arc.state(t);
        let State { x, v } = u;
        let o = self.o;
        let ((bx, bv), (ax, av)) = if self.linear {
            ((-o.stiffness, -o.damping), (-o.stiffness / o.mass, -o.damping / o.mass))
        } else {
            (near.own.load_slopes(t, x, v), near.own.slopes(side, t, x, v))
        };
        let acting = near.acting(t);
        for (k, d) in self.now.iter().enumerate() {
            let mut rates = Rates { x: d.x, v: d.v, ..Rates::default() };
            let (slips, load, rubs) = match &self.plain[k] {
                Some(plain) => (
                    plain.acceleration(side, u, &acting),
                    plain.load(u, &acting),
                    plain.friction(side, &acting),
                ),
                None => {
                    let slips = |l: &Local<'_>| l.acceleration(side, t, x, v);
                    let load = near.slope(k, |l| l.load(t, x, v));
                    let moved = near.slope(k, |l| l.mass() * slips(l));
                    (near.slope(k, slips), load, moved - load)
                }
            };
            let load = load + bx * d.x + bv * d.v;
            let own = ax * d.x + av * d.v;
            if s.phase == Phase::Stick {
                rates.friction = -load;
            } else {
                rates.a = own + slips;
                // Friction is what the load leaves after m a.
                rates.friction = rubs + o.mass * own - bx * d.x - bv * d.v;
            }
            out.push(rates);
        }
    }
}
