//! The time-stepping schemes of oscillators: one step, taken by a whole run and by one at the caller's pace.
//!
//! With w = v − v_s, the velocity relative to the support, a step is w⁺ = the law's answer to (p, λ); how p and λ come from
//! the forces is what the schemes differ in.

use super::jump::is_jump;
use super::uniqueness;
use crate::error::Error;
use crate::grid::kept_count;
use crate::interrupt::Interrupt;
use crate::model::{Forces, Model, Oscillator};
use crate::motion::{
    Blend, Event, EventKind, Grid, Phase, Segment, State, Stretch, Trajectory, Warning,
};
use crate::scheme::event_loop::fixed_signals;
use crate::scheme::stepper::{self, Stepper, Stepping};
use crate::signal::{Read, Signal};
use std::fmt;
use std::sync::Arc;

/// How p and λ come from the forces.
pub(crate) trait Predictor: Clone + fmt::Debug + Send + Sync + 'static {
    /// p (m/s, absolute velocity) and λ (s/kg) of the step from `u` at `t` to `t_next`.
    fn predict<R: Read>(&self, f: &mut Forces<'_, R>, u: State, t: f64, t_next: f64) -> (f64, f64);

    /// X⁺ from X, V and V⁺.
    fn displacement(&self, u: State, v_next: f64) -> f64;

    /// The step h, s, that gives λ.
    fn step_for(&self, lambda: f64) -> f64;
}

/// A node of a time-stepping scheme.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    u: State,
    /// Velocity relative to the support, m/s.
    w: f64,
    /// Since when the mass rests, s; meaningful while w = 0.
    since: f64,
}

impl Node {
    /// The node with which a run sets out at `t` (s).
    fn at_start(o: &Oscillator, t: f64) -> Self {
        let u = State::from(o.initial);
        Self { u, w: u.v - o.support.value(t), since: t }
    }
}

/// One step from `from` over `[t, t_next]` (s); and whether its equation has several solutions.
#[inline]
fn step<R: Read>(
    predictor: &impl Predictor,
    forces: &mut Forces<'_, R>,
    from: Node,
    [t, t_next]: [f64; 2],
) -> (Node, bool) {
    let u = from.u;
    let (p, lambda) = predictor.predict(forces, u, t, t_next);
    let support = forces.support(t_next);
    let lambda = lambda * forces.normal(u.x, t_next);
    // b(t⁺, w) of Schatzman, Lamarque, Bastien 1999, (7): the age counts if the mass rested all through the step.
    let age = if from.w == 0.0 { t_next - from.since } else { 0.0 };
    let step = forces.oscillator().friction.step(p - support, lambda, age, from.w);
    let since = if step.w == 0.0 && from.w != 0.0 { t_next } else { from.since };
    let v = step.w + support;
    let u = State { x: predictor.displacement(u, v), v };
    (Node { u, w: step.w, since }, step.several)
}

/// The path of a scheme that writes the state at every node, with what leaves doubts about it. The room is made before: a list
/// that might grow takes the state out of its registers at every step.
pub(crate) fn path(
    o: &Oscillator,
    end: f64,
    step: f64,
    advance: impl FnOnce(&mut [State]) -> Result<Option<Warning>, Error>,
) -> Result<Trajectory, Error> {
    o.check_until(end)?;
    let count = kept_count(end, step)? + 1;
    let interrupt = Interrupt::current();
    let mut states = Vec::with_capacity(count);
    // Piece by piece: to touch gigabytes takes a second, in which somebody may ask to stop.
    interrupt.ranges(count).for_each(|piece| states.resize(piece.end, State::default()));
    interrupt.check(0.0)?;
    let warning = advance(&mut states)?;
    let mut path = phases(Grid { step, states }, end, &o.support);
    warning.into_iter().for_each(|w| path.warn(w));
    uniqueness::examine_all(o, &mut path);
    uniqueness::examine_rests(o, &mut path, uniqueness::of_steps(o, step));
    uniqueness::examine_grazes(o, &mut path, uniqueness::graze_of_steps(o, step));
    uniqueness::examine_touches(o, &mut path, step);
    Ok(path)
}

/// Marches `count` steps `h`, streaming to `observe`; the last state, and what to warn of.
pub(crate) fn march(
    o: &Oscillator,
    predictor: &impl Predictor,
    count: usize,
    h: f64,
    mut observe: impl FnMut(usize, State),
) -> Result<(State, Option<Warning>), Error> {
    let mut forces = Forces::new(o);
    let mut several = 0;
    let mut first = 0.0;
    let mut pressing = 0.0f64;
    // Steps with several solutions are counted, not refused: the law's rule has taken one, and the path says so.
    let take = |from: Node, span: [f64; 2]| {
        let (node, ambiguous) = step(predictor, &mut forces, from, span);
        if ambiguous {
            if several == 0 {
                first = span[1];
            }
            several += 1;
            pressing = pressing.max(o.nonlinear.pressing(from.u.x));
        }
        Ok(node)
    };
    let last =
        stepper::march(count, h, Node::at_start(o, 0.0), take, |n, node| observe(n, node.u))?;
    let warning = (several > 0).then(|| {
        let normal = o.normal.as_ref().map_or(1.0, |n| n.largest(count as f64 * h));
        let below = predictor.step_for(1.0 / (o.friction.weakening() * normal * pressing));
        Warning::SeveralSolutions { count: several, first, below }
    });
    Ok((last.u, warning))
}

/// Errors of a finished march, one that was stopped included.
pub(crate) fn check_finite(last: State, end: f64, step: f64) -> Result<(), Error> {
    Interrupt::current().check(end)?;
    if last.x.is_finite() && last.v.is_finite() {
        Ok(())
    } else {
        Err(Error::NotFinite { time: end, step })
    }
}

/// The phase of a step from the relative velocity `a` to `b` (m/s): a stick where both are zero. A mass that rests at one
/// end only is on its way from it, or to it.
pub(super) fn phase_between(a: f64, b: f64) -> Phase {
    if a == 0.0 && b == 0.0 { Phase::Stick } else { Phase::slip(if b != 0.0 { b } else { a }) }
}

/// Nodes that are looked at together.
const TOGETHER: usize = 16;

/// Reads the phases off a grid: stick where two neighbouring relative velocities are zero. A slip
/// begins at the last node at rest, a stick at the first one.
pub(crate) fn phases(grid: Grid, end: f64, support: &Signal) -> Trajectory {
    let h = grid.step;
    let grid = Arc::new(grid);
    let mut path = Trajectory::default();
    // On the ground the velocity itself is read; subtracting a zero would cost a look-up at every node.
    let moves = !support.is_zero();
    let mut cursor = support.cursor();
    let mut relative = |n: usize| {
        let v = grid.states[n].v;
        if moves { v - cursor.value(n as f64 * h) } else { v }
    };
    let mut a = relative(0);
    let mut b = relative(1);
    let mut start = 0.0;
    let mut phase = phase_between(a, b);
    let mut n = 1;
    while n + 1 < grid.states.len() {
        // Many nodes at a time, where none leaves the phase.
        if !moves && n.is_multiple_of(TOGETHER) && n + TOGETHER < grid.states.len() {
            let up = phase.sign() > 0.0;
            let down = phase.sign() < 0.0;
            let goes_on = |u: &State| ((u.v > 0.0) == up) & ((u.v < 0.0) == down);
            // Seventeen nodes at once: a slip of thousands of steps is passed without a branch for each.
            if grid.states[n..=n + TOGETHER].iter().fold(true, |all, u| all & goes_on(u)) {
                n += TOGETHER;
                b = grid.states[n].v;
                continue;
            }
        }
        a = b;
        b = relative(n + 1);
        let t = n as f64 * h;
        let next = phase_between(a, b);
        let state = grid.states[n];
        n += 1;
        if next == phase || t >= end {
            continue;
        }
        path.push(Segment { phase, start, end: t, arc: Stretch::Steps(grid.clone()) });
        if let Some(kind) = EventKind::between(phase, next) {
            path.record(Event::new(kind, t, 0, state));
        }
        start = t;
        phase = next;
    }
    path.push(Segment { phase, start, end, arc: Stretch::Steps(grid) });
    path
}

/// A time-stepping scheme of an oscillator, at the caller's pace.
pub trait Steps:
    Stepping<State = State, Phase = Phase, Node = Node> + Send + Sync + 'static
{
}

impl<P: Predictor> Steps for Paced<P> {}

#[derive(Debug, Clone)]
struct Paced<P> {
    o: Arc<Oscillator>,
    predictor: P,
    /// The phase in the step before.
    before: Phase,
}

/// The run of `o` over `span` = \[start, end\] (s), with steps `h` (s), for which `predictor` has been made.
pub(super) fn stepper<P: Predictor>(
    o: &Oscillator,
    predictor: P,
    h: f64,
    span: [f64; 2],
) -> Result<Stepper<impl Steps + use<P>>, Error> {
    let node = Node::at_start(o, span[0]);
    let scheme = Paced { o: Arc::new(o.clone()), predictor, before: Phase::Stick };
    Stepper::new(scheme, node, h, span)
}

impl<P: Predictor> Stepping for Paced<P> {
    type Node = Node;
    type State = State;
    type Phase = Phase;

    fn step(&mut self, span: [f64; 2], _: f64, from: &Node, to: &mut Node) {
        // A run at the caller's pace may be copied and taken back, so its signals are read anywhere.
        (*to, _) = step(&self.predictor, &mut Forces::anywhere(&self.o), *from, span);
    }

    fn begin(&mut self, nodes: &[Node]) {
        self.before = self.phase(nodes);
    }

    fn arrive(&mut self, t: f64, nodes: &[Node], events: &mut Vec<Event>) {
        let next = self.phase(nodes);
        let kind = EventKind::between(self.before, next);
        events.extend(kind.map(|kind| Event::new(kind, t, 0, nodes[0].u)));
        self.before = next;
    }

    fn state(&self, nodes: &[Node], s: f64) -> State {
        nodes[0].u.blend(nodes[1].u, s)
    }

    fn phase(&self, nodes: &[Node]) -> Phase {
        phase_between(nodes[0].w, nodes[1].w)
    }

    fn is_finite(&self, node: &Node) -> bool {
        node.u.x.is_finite() && node.u.v.is_finite()
    }

    fn place(&mut self, t: f64, u: State, _: &[Node], _: f64) -> Result<Node, Error> {
        // Where a state is set the mass has not rested before, and friction that ages begins anew.
        Ok(Node { u, w: u.v - self.o.support.value(t), since: t })
    }

    fn keep(&mut self, t: f64, nodes: &[Node], s: f64) -> Result<Node, Error> {
        let u = nodes[0].u.blend(nodes[1].u, s);
        let support = self.o.support.value(t);
        if nodes[0].w == 0.0 && nodes[1].w == 0.0 && !is_jump(u.v, support) {
            return Ok(Node { u, ..nodes[0] }); // it has been at rest since then
        }
        Ok(Node { u, w: u.v - support, since: t })
    }

    const COUNTS_LOSSES: bool = true;

    fn lost(&self, t: f64, h: f64, [from, to]: [&Node; 2]) -> f64 {
        let Node { u: State { x, v }, w, .. } = to;
        let friction = match *w {
            0.0 => 0.0,
            w => {
                self.o.normal_force(from.u.x, t)
                    * self.o.friction.force(w.signum(), w.abs())
                    * w.abs()
            }
        };
        // All powers are those at the end of the step, where the scheme takes the friction; the normal force is that
        // of the place before, as in the step itself.
        let stops = self.o.stops.map_or(0.0, |s| s.loss(*x, *v));
        h * (friction + self.o.damping * v * v + stops)
    }

    fn change(&mut self, model: &Model) -> Result<(), Error> {
        let Model::Oscillator(o) = model else { return Err(fixed_signals()) };
        self.o = Arc::new(o.clone());
        Ok(())
    }
}
