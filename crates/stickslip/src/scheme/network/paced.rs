//! The θ-method of networks at the caller's pace, one step after the other.

use super::account::{lost, stretch};
use super::convex_step::{Kinematics, OneStep};
use super::prepared::{Loads, Prepared, forces, motions, normals, set_out};
use crate::error::Error;
use crate::model::{Model, Network};
use crate::motion::{Event, EventKind, NetworkPhase, NetworkState, Phase, State};
use crate::scheme::event_loop::fixed_signals;
use crate::scheme::stepper::{Stepper, Stepping};
use std::sync::Arc;

/// A node of the θ-method: the state, and the friction and the slip in the step before.
#[derive(Debug, Clone)]
pub struct Node {
    pub(super) u: Kinematics,
    pub(super) lambda: Vec<f64>,
    pub(super) signs: Vec<i8>,
}

impl Node {
    /// Adds what the sliders do from here, at `t` (s), to the node `next`, that they did not do `before`, and notes it there.
    pub(super) fn changes(
        &self,
        network: &Network,
        t: f64,
        next: &Self,
        before: &mut NetworkPhase,
        events: &mut Vec<Event>,
    ) {
        // Most steps change nothing, and those should not build a phase, which allocates.
        let same = |((was, a), b): ((&i8, &i8), &i8)| *was == between(*a, *b);
        if before.iter().zip(&self.signs).zip(&next.signs).all(same) {
            return;
        }
        let phase = self.phase(next);
        events.extend(changes(network, t, &self.u.x, &self.u.v, before, &phase));
        *before = phase;
    }

    /// The state of the first `nodes` nodes at the fraction `s` of the way to `other`; the friction is that of the step.
    pub(super) fn blend(&self, other: &Self, s: f64, nodes: usize) -> NetworkState {
        let mix = |a: &[f64], b: &[f64]| {
            a.iter().zip(b).take(nodes).map(|(a, b)| a + s * (b - a)).collect()
        };
        // λ is constant in a step and is kept at its end; at the node itself that of the step before is shown.
        let friction = &if s > 0.0 { other } else { self }.lambda;
        NetworkState {
            x: mix(&self.u.x, &other.u.x),
            v: mix(&self.u.v, &other.u.v),
            friction: friction.iter().map(|l| 0.0 - l).collect(),
        }
    }

    /// The phase from here to the node `next`.
    pub(super) fn phase(&self, next: &Self) -> NetworkPhase {
        self.signs.iter().zip(&next.signs).map(|(a, b)| between(*a, *b)).collect()
    }

    /// Whether every number is finite.
    pub(super) fn is_finite(&self) -> bool {
        self.u.x.iter().chain(&self.u.v).all(|u| u.is_finite())
    }
}

/// The θ-method of a network.
#[derive(Debug, Clone)]
pub struct Steps {
    network: Arc<Network>,
    one: OneStep,
    /// In the step before.
    phase: NetworkPhase,
    /// What is given in the step in progress.
    loads: Loads,
}

/// The θ-method up to `end` (s at the latest), at the caller's pace: see [`Stepper`]. Its nodes are those of
/// [`solve`](super::solve), to the last bit.
///
/// # Errors
/// As [`solve`](super::solve).
pub fn cursor(network: &Network, end: f64, step: f64, theta: f64) -> Result<Stepper<Steps>, Error> {
    network.check_until(end)?;
    let (network, one) = Prepared::new(network, step, theta)?.into_parts();
    let loads = Loads::new(&network);
    let mut steps = Steps { network, one, phase: Arc::new([]), loads };
    let u = Kinematics::at_start(&steps.network);
    // Prescribed nodes start where their motions lead them, whatever displacement the network gives them.
    let node = steps.node(0.0, u);
    Stepper::new(steps, node, step, [0.0, end])
}

/// What a slider does in a step between nodes at which it slips that way: it sticks where it rests at both. One that rests
/// at a single node on its way turns there, or touches zero and goes on.
pub(super) fn between(before: i8, after: i8) -> i8 {
    if after != 0 { after } else { before }
}

/// What sliders do that they did not do before, at `t` (s) and the state (x, v): they slid as it `was`, and now as it `is`.
pub(super) fn changes<'a>(
    network: &'a Network,
    t: f64,
    x: &'a [f64],
    v: &'a [f64],
    was: &'a [i8],
    is: &'a [i8],
) -> impl Iterator<Item = Event> + 'a {
    let changed =
        |(&was, &is): (&i8, &i8)| EventKind::between(Phase::of_sign(was), Phase::of_sign(is));
    was.iter().zip(is).map(changed).enumerate().filter_map(move |(e, kind)| {
        let between = network.sliders()[e].between();
        let state = State { x: stretch(x, between), v: stretch(v, between) };
        Some(Event::new(kind?, t, e, state))
    })
}

impl Steps {
    /// The node that a run sets out from at `t` (s), with nothing of what was before.
    fn node(&mut self, t: f64, mut u: Kinematics) -> Node {
        set_out(&self.network, &mut self.one, t, &mut u);
        Node { u, lambda: self.one.lambda.clone(), signs: self.one.signs.clone() }
    }
}

impl Stepping for Steps {
    type Node = Node;
    type State = NetworkState;
    type Phase = NetworkPhase;

    fn step(&mut self, span: [f64; 2], _: f64, from: &Node, to: &mut Node) {
        let n = &self.network;
        // A run at the caller's pace may be copied and taken back, so its signals are read anywhere.
        self.loads.read(span, forces(n), motions(n), normals(n));
        self.one.advance(n, &from.u, &mut to.u, &self.loads.given());
        to.lambda.copy_from_slice(&self.one.lambda);
        to.signs.copy_from_slice(&self.one.signs);
    }

    fn begin(&mut self, nodes: &[Node]) {
        self.phase = self.phase(nodes);
    }

    fn arrive(&mut self, t: f64, nodes: &[Node], events: &mut Vec<Event>) {
        nodes[0].changes(&self.network, t, &nodes[1], &mut self.phase, events);
    }

    const COUNTS_LOSSES: bool = true;

    fn lost(&self, _: f64, h: f64, [from, to]: [&Node; 2]) -> f64 {
        lost(&self.network, [&from.u, &to.u], &to.lambda, h)
    }

    fn state(&self, nodes: &[Node], s: f64) -> NetworkState {
        nodes[0].blend(&nodes[1], s, self.network.nodes().len())
    }

    fn phase(&self, nodes: &[Node]) -> NetworkPhase {
        nodes[0].phase(&nodes[1])
    }

    fn is_finite(&self, node: &Node) -> bool {
        node.is_finite()
    }

    fn place(&mut self, t: f64, state: NetworkState, _: &[Node], _: f64) -> Result<Node, Error> {
        Ok(self.node(t, Kinematics::of(state)))
    }

    fn change(&mut self, model: &Model) -> Result<(), Error> {
        let Model::Network(n) = model else { return Err(fixed_signals()) };
        // The matrix and its factorisation stay: a change of signals touches neither masses nor links.
        self.network = Arc::new(n.clone());
        Ok(())
    }
}
