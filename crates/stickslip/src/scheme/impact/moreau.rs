//! Moreau's time-stepping: impulses instead of forces, velocities instead of places.
//!
//! With x_m = x_n + (h/2) v_n, t_m = t_n + h/2 and the wall's velocity W = (a(t_n + h) − a(t_n))/h,
//!
//! ```text
//! (m + h c/2 + h² K/4) v̂ = (m − h c/2 − h² K/4) v_n + h (f(t_m) − K x_n)
//! if x_m is at or beyond a wall:   0 ≤ (v⁺ − W) + e (v_n − W)  ⟂  P ≥ 0      (else P = 0)
//! v⁺ = v̂ + P/(m + h c/2 + h² K/4),        x⁺ = x_m + (h/2) v⁺
//! ```
//!
//! (written for the lower wall). It knows no events, so it never fails on a Zeno sequence; it is of first
//! order. A sustained contact keeps its place: x − a moves by (h/2)(W_{n−1} − W_n) a step, a
//! telescoping sum. Sources: Moreau 1988; Jean 1999 (θ = ½); Bastien,
//! Bernardin, Lamarque 2013, §1.3.

use crate::error::Error;
use crate::grid::{kept_count, step_count};
use crate::interrupt::Interrupt;
use crate::model::{Impact, Model, Wall};
use crate::motion::{
    Blend, Event, EventKind, Grid, ImpactArc, ImpactGrid, ImpactPath, Segment, State, Touching,
};
use crate::scheme::event_loop::fixed_signals;
use crate::scheme::stepper::{self, Stepper, Stepping};
use crate::signal::{Read, Signal};
use std::sync::Arc;

/// Solves `impact` on [0, `end`] (s) with steps `step` (s); first order.
///
/// # Errors
/// If a number is outside its range, a signal too short, or the motion leaves the range of finite numbers.
///
/// ```
/// use stickslip::{Impact, Signal, scheme::impact};
/// # fn main() -> Result<(), stickslip::Error> {
/// // Dropped from 0.5 m at 1 m/s², restitution ½: down after 1 s, at rest after 1 + 2(½ + ¼ + …) = 3 s.
/// let ball = Impact::new(1.0, 0.5)
///     .with_force(Signal::constant(-1.0))
///     .between(Some(Signal::constant(0.0)), None)
///     .starting_at(0.5, 0.0);
/// let path = impact::moreau::solve(&ball, 4.0, 1e-4)?;
/// assert!((path.state(1.0).x.abs() < 1e-2) && path.state(4.0).x.abs() < 1e-2);
/// # Ok(()) }
/// ```
pub fn solve(impact: &Impact, end: f64, step: f64) -> Result<ImpactPath, Error> {
    let mut nodes = Vec::with_capacity(kept_count(end, step)? + 1);
    march(impact, end, step, |_, node| nodes.push(node))?;
    Ok(path(&nodes, step, end))
}

/// The same, streaming (n, state at t_n, impulses of the lower and the upper wall in the step that
/// ends there, N·s), n = 0 … N, to `observe` and keeping nothing.
///
/// # Errors
/// As [`solve`].
pub fn run(
    impact: &Impact,
    end: f64,
    step: f64,
    mut observe: impl FnMut(usize, State, [f64; 2]),
) -> Result<(), Error> {
    march(impact, end, step, |n, node| observe(n, node.u, node.impulses))
}

/// All steps on [0, `end`] (s), showing the nodes to `see`.
fn march(impact: &Impact, end: f64, h: f64, see: impl FnMut(usize, Node)) -> Result<(), Error> {
    impact.check_until(end)?;
    let count = step_count(end, h)?;
    let one = OneStep::new(impact, h);
    let mut force = impact.force.cursor();
    let mut walls = Wall::ALL.map(|wall| impact.wall(wall).map(Signal::cursor));
    let take = |from: Node, [t, _]: [f64; 2]| {
        let to = one.advance(&from, t, &mut force, &mut walls);
        if to.is_finite() { Ok(to) } else { Err(Error::NotFinite { time: t + h, step: h }) }
    };
    stepper::march(count, h, Node::at(impact, 0.0, impact.initial.into()), take, see)?;
    Interrupt::current().check(end)
}

/// One step.
#[derive(Debug, Clone, Copy)]
struct OneStep {
    m: f64,
    stiffness: f64,
    resistance: f64,
    inertia: f64,
    restitution: f64,
    h: f64,
}

/// A wall during a step: its sign, its place at the middle of the step, m, and its mean velocity, m/s.
type AtWall = [f64; 3];

impl OneStep {
    fn new(impact: &Impact, h: f64) -> Self {
        let Impact { mass: m, damping: c, stiffness, restitution, .. } = *impact;
        // From c (v + v⁺)/2 and from the spring at the mean place, which lies (h/4)(v + v⁺) ahead of the start.
        let resistance = 0.5 * h * c + 0.25 * h * h * stiffness;
        Self { m, stiffness, resistance, inertia: m + resistance, restitution, h }
    }

    /// The state after a step from `u` under `force` (N), and the impulses of the walls, N·s.
    #[inline]
    fn step(&self, u: State, force: f64, walls: [Option<AtWall>; 2]) -> (State, [f64; 2]) {
        let Self { m, stiffness: k, resistance, inertia, restitution: e, h } = *self;
        // Half of the way by the velocity before; the other half is gone with the velocity after the impact.
        let middle = u.x + 0.5 * h * u.v;
        let mut v = ((m - resistance) * u.v + h * (force - k * u.x)) / inertia;
        let mut impulses = [0.0; 2];
        for (wall, impulse) in walls.into_iter().zip(&mut impulses) {
            let Some([sign, at, speed]) = wall else { continue };
            // The contact is looked for at the middle of the step, where the load is read, too.
            if sign * (middle - at) > 0.0 {
                continue;
            }
            // Newton's law relative to the wall: the mass leaves with at least e times the speed with which it came.
            let least = speed - e * (u.v - speed);
            // Both walls may push in one step: the upper one then starts from the velocity that the lower one has left.
            if sign * (v - least) < 0.0 {
                // The step's own inertia, so that the impulse brings about just this velocity.
                *impulse = inertia * (least - v);
                v = least;
            }
        }
        (State { x: middle + 0.5 * h * v, v }, impulses)
    }

    /// The node after a step from `from` at `t` (s), its load and its walls read as they are needed.
    #[inline]
    fn advance<R: Read>(
        &self,
        from: &Node,
        t: f64,
        force: &mut R,
        walls: &mut [Option<R>; 2],
    ) -> Node {
        let h = self.h;
        let load = force.value(t + 0.5 * h);
        let mut next = from.walls;
        let mut during = [None; 2];
        for (i, wall) in Wall::ALL.into_iter().enumerate() {
            let Some(place) = &mut walls[i] else { continue };
            let middle = place.value(t + 0.5 * h); // in order of time, for readers that do not go back
            next[i] = place.value(t + h);
            during[i] = Some([wall.sign(), middle, (next[i] - from.walls[i]) / h]);
        }
        let (u, impulses) = self.step(from.u, load, during);
        // The place of each wall is handed on, so that its mean velocities add up to its way without a rounding
        // between.
        Node { u, impulses, before: from.u.v, walls: next }
    }
}

/// The wall that gave the mass an impulse, if one did.
fn touched([lower, upper]: [f64; 2]) -> Option<Wall> {
    match [lower, upper] {
        [p, _] if p != 0.0 => Some(Wall::Lower),
        [_, p] if p != 0.0 => Some(Wall::Upper),
        _ => None,
    }
}

/// What happens at `wall` at `t` (s), at the end of a step of length `h` (s) that leads to `node`.
fn event(kind: EventKind, t: f64, wall: Wall, node: &Node, h: f64) -> Event {
    // Where a contact begins or ends the wall gives no impulse next to that of the impact.
    let given = node.impulses[0] + node.impulses[1];
    let impulse = if kind == EventKind::Impact { given } else { 0.0 };
    let State { x, v } = node.u;
    let velocities = [node.before, v];
    Event { duration: h, ..Event::impact(kind, t, wall.index(), x, velocities, impulse) }
}

/// A node: the state, the impulses in the step that ends there, and the velocity with which it began.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    u: State,
    impulses: [f64; 2],
    before: f64,
    /// Where the walls are, m, as the step before has them; 0 where there is none.
    walls: [f64; 2],
}

impl Node {
    /// The node with which a run sets out at `t` (s).
    fn at(impact: &Impact, t: f64, u: State) -> Self {
        let walls = Wall::ALL.map(|wall| impact.wall(wall).map_or(0.0, |a| a.value(t)));
        Self { u, impulses: [0.0; 2], before: u.v, walls }
    }

    fn is_finite(&self) -> bool {
        self.u.x.is_finite() && self.u.v.is_finite()
    }
}

/// Tells impacts from contacts: impulses in three steps or more in a row are a contact, an impulse after a step without
/// is an impact.
#[derive(Debug, Clone, Copy, Default)]
struct Detector {
    /// The wall touched at the node before, and whether it is a contact.
    wall: Option<Wall>,
    contact: bool,
}

impl Detector {
    /// What happens at the first of `nodes`, at `t` (s), with steps of length `h` (s); the others are those that follow.
    fn meet(&mut self, t: f64, h: f64, nodes: &[Node], events: &mut Vec<Event>) {
        let node = &nodes[0];
        let now = touched(node.impulses);
        let next = |i: usize| nodes.get(i).map(|n| touched(n.impulses));
        // An impulse by the same wall in the step before too.
        let went_on = std::mem::replace(&mut self.wall, now) == now;
        let Some(wall) = now else {
            self.contact = false;
            return;
        };
        let mut tell = |kind| events.push(event(kind, t, wall, node, h));
        if !went_on {
            tell(EventKind::Impact);
            // Two impulses in a row may still be two impacts.
            self.contact = next(1) == Some(now) && next(2) == Some(now);
            if self.contact {
                tell(EventKind::Rest);
            }
        } else if !self.contact {
            tell(EventKind::Impact);
        } else if next(1).is_some_and(|next| next != now) {
            tell(EventKind::Release);
        }
    }

    /// The phase of the step from the node met last to `next`.
    fn phase(&self, next: &Node) -> Touching {
        match (self.wall, touched(next.impulses)) {
            // In a step of a contact the wall pushes at both ends.
            (Some(a), Some(b)) if self.contact && a == b => Touching::Contact(a),
            _ => Touching::Flight,
        }
    }
}

/// The scheme one step at a time.
#[derive(Debug, Clone)]
pub struct Steps {
    impact: Arc<Impact>,
    one: OneStep,
    detector: Detector,
    /// Impulse since the run set out, N·s.
    impulse: f64,
}

/// The run up to `end` (s at the latest), at the caller's pace: see [`Stepper`]. Its nodes and events are those of
/// [`solve`], to the last bit.
///
/// # Errors
/// As [`solve`].
pub fn cursor(impact: &Impact, end: f64, step: f64) -> Result<Stepper<Steps>, Error> {
    impact.check_until(end)?;
    let node = Node::at(impact, 0.0, impact.initial.into());
    let scheme = Steps {
        impact: Arc::new(impact.clone()),
        one: OneStep::new(impact, step),
        detector: Detector::default(),
        impulse: 0.0,
    };
    Stepper::new(scheme, node, step, [0.0, end])
}

impl Steps {
    /// Arrives at the first of `nodes` at `t` (s).
    fn meet(&mut self, t: f64, nodes: &[Node], events: &mut Vec<Event>) {
        self.impulse += nodes[0].impulses[0] + nodes[0].impulses[1];
        self.detector.meet(t, self.one.h, nodes, events);
    }
}

impl Stepping for Steps {
    type Node = Node;
    type State = State;
    type Phase = Touching;

    /// Three nodes in a row make a contact.
    const AHEAD: usize = 1;

    fn step(&mut self, [t, _]: [f64; 2], _: f64, from: &Node, to: &mut Node) {
        // A run at the caller's pace may be copied and taken back, so its signals are read anywhere.
        let mut walls = Wall::ALL.map(|wall| self.impact.wall(wall));
        *to = self.one.advance(from, t, &mut &self.impact.force, &mut walls);
    }

    fn arrive(&mut self, t: f64, nodes: &[Node], events: &mut Vec<Event>) {
        self.meet(t, nodes, events);
    }

    fn finish(&mut self, t: f64, nodes: &[Node], events: &mut Vec<Event>) {
        // Without a step after the last node its event is told as far as it is known.
        self.meet(t, &nodes[1..], events);
    }

    fn impulse(&self) -> f64 {
        self.impulse
    }

    const COUNTS_LOSSES: bool = true;

    /// By the mean velocity, as the scheme's balance has it.
    fn lost(&self, _: f64, h: f64, [from, to]: [&Node; 2]) -> f64 {
        let mean = 0.5 * (from.u.v + to.u.v);
        (h * self.impact.damping * mean - to.impulses[0] - to.impulses[1]) * mean
    }

    fn change(&mut self, model: &Model) -> Result<(), Error> {
        let Model::Impact(i) = model else { return Err(fixed_signals()) };
        self.impact = Arc::new(i.clone());
        Ok(())
    }

    fn state(&self, nodes: &[Node], s: f64) -> State {
        nodes[0].u.blend(nodes[1].u, s)
    }

    fn phase(&self, nodes: &[Node]) -> Touching {
        self.detector.phase(&nodes[1])
    }

    fn is_finite(&self, node: &Node) -> bool {
        node.is_finite()
    }

    fn place(&mut self, t: f64, u: State, _: &[Node], _: f64) -> Result<Node, Error> {
        // What touched before is another motion's.
        self.detector = Detector::default();
        Ok(Node::at(&self.impact, t, u))
    }
}

/// The path over `nodes`, with its phases and events.
fn path(nodes: &[Node], h: f64, end: f64) -> ImpactPath {
    let last = nodes.len() - 1;
    let steps = Arc::new(ImpactGrid {
        grid: Grid { step: h, states: nodes.iter().map(|n| n.u).collect() },
        impulses: nodes.iter().map(|n| n.impulses[0] + n.impulses[1]).collect(),
    });
    let mut path = ImpactPath::default();
    let mut detector = Detector::default();
    let mut events = Vec::new();
    let mut start = 0.0;
    let mut phase = Touching::Flight;
    let push = |path: &mut ImpactPath, phase, start, end| {
        path.push(Segment { phase, start, end, arc: ImpactArc::Steps(steps.clone()) });
    };
    for n in 1..=last {
        // In flight nothing happens at a node without an impulse, and most nodes are such.
        if phase == Touching::Flight && detector.wall.is_none() && nodes[n].impulses == [0.0; 2] {
            continue;
        }
        let t = (n as f64 * h).min(end);
        detector.meet(t, h, &nodes[n..], &mut events);
        events.drain(..).for_each(|e| path.record(e));
        // The phase is one of the step that begins here.
        let next = if n < last { detector.phase(&nodes[n + 1]) } else { phase };
        if next != phase {
            // A run may end, or change, where it begins.
            if t > start {
                push(&mut path, phase, start, t);
            }
            start = t;
            phase = next;
        }
    }
    if end > start {
        push(&mut path, phase, start, end);
    }
    path
}
