//! Machines by time steps: the θ-method with friction and contacts at the end of the step.
//!
//! | what | how |
//! |---|---|
//! | springs by any curve, dashpots, soft stops, loads | weighted between the ends of the step; a soft stop only pushes |
//! | sliders | by any law, at the velocity of the end of the step; what rests is at rest to the last bit |
//! | what sliders remember | moved along that velocity by the law itself, in closed form or by an exponential: stable however stiff the bristles are |
//! | rigid stops | pushed by impulses that let no penetration grow; met at the end of the step in which they are passed, by the impact law of `adaptive` |
//! | gears | exactly, in the coordinates of their trains; their friction under the load of the step, which follows from its accelerations |
//! | continuous controllers | with the other forces; their inner states at the end of the step in closed form |
//! | sampled controllers | at their ticks, which are nodes of the grid |
//!
//! θ = 1 is implicit Euler, of first order. θ = ½ is of second order between events and of first order over them: neither impacts
//! nor changes between rest and slip are located within a step. A body passes a rigid stop by h |u| at most before it is met, and
//! bounces that would take less than a step are over.

mod account;
mod bristles;
mod control;
mod matrix;
mod node;
mod one;
pub(crate) mod paths;
mod places;
mod rows;

pub use node::{MachineGrid, Node};

use super::arc::MachineState;
use super::parts::{CLOSED, PUSHES, Parts};
use crate::error::{Error, Obstacle, require};
use crate::grid::step_count;
use crate::interrupt::Interrupt;
use crate::model::{Bumper, Machine, Model};
use crate::motion::{
    Counts, Energy, Event, EventKind, Motion, NetworkPhase, Path, Phase, Segment, State,
};
use crate::scheme::effort::check_kept;
use crate::scheme::event_loop::fixed_signals;
use crate::scheme::stepper::{Stepper, Stepping};
use one::{NEARLY, ON_GRID, One};
use std::sync::Arc;

/// The path of a machine by steps.
pub type SteppedPath = Path<SteppedArc>;

/// The motion between two changes of what rubs and pushes, by steps.
#[derive(Debug, Clone)]
pub struct SteppedArc {
    grid: Arc<MachineGrid>,
    phase: NetworkPhase,
}

impl SteppedArc {
    /// h, s, and the number of steps of the whole run.
    pub fn steps(&self) -> (usize, f64) {
        (self.grid.steps(), self.grid.step)
    }

    /// Whether the stop of this number is closed.
    pub fn pushes(&self, stop: usize) -> bool {
        let parts = &self.grid.parts;
        let rows = parts.contacts.iter().zip(&self.phase[parts.sliders..]);
        rows.into_iter().any(|(c, doing)| c.stop == stop && pushes(c.bumper, *doing))
    }
}

impl SteppedArc {
    /// The side to which the first side of this gear slides, 0 at rest; `None` without friction.
    pub fn slides(&self, gear: usize) -> Option<i8> {
        let row = self.grid.parts.meshes.get(gear)?.row?;
        Some(self.phase[row])
    }
}

impl Motion for SteppedArc {
    type Phase = NetworkPhase;
    type State = MachineState;
    type Event = Event;

    fn state(&self, t: f64) -> MachineState {
        self.grid.at(t)
    }
}

/// Whether a contact carries a force.
fn pushes(bumper: Bumper, doing: i8) -> bool {
    match bumper {
        Bumper::Rigid { .. } => doing == CLOSED,
        Bumper::Soft { .. } => doing == PUSHES,
    }
}

/// The name of the scheme with this θ.
fn name(theta: f64) -> &'static str {
    if theta == 1.0 { "implicit-euler" } else { "theta" }
}

/// The same error of the scheme with this θ.
fn named(error: Error, theta: f64) -> Error {
    match error {
        Error::Unsuitable { reason, .. } => Error::Unsuitable { scheme: name(theta), reason },
        other => other,
    }
}

/// `machine`, made ready for steps of `step` (s).
fn prepare(machine: &Machine, step: f64, theta: f64) -> Result<One, Error> {
    require("the step", step, step > 0.0, "a finite time > 0 s")?;
    require("theta", theta, (0.5..=1.0).contains(&theta), "a number from 0.5 to 1")?;
    if let Some(reason) = obstacle(machine, step) {
        return Err(Error::Unsuitable { scheme: name(theta), reason });
    }
    let parts = Parts::new(machine).map_err(|error| named(error, theta))?;
    // Only a state space that grows within a step has none of it.
    One::new(Arc::new(parts), step, theta).ok_or(Error::NotFinite { time: 0.0, step })
}

/// What of a machine paths under noise do not count: what the friction of gears loses.
fn obstacle_of(machine: &Machine) -> Option<&'static str> {
    machine.gears().iter().any(|g| g.friction.is_some()).then_some("a gear has friction")
}

/// What of a machine these steps cannot treat.
fn obstacle(machine: &Machine, step: f64) -> Option<Obstacle> {
    for controller in machine.controllers() {
        let Some(sampling) = controller.law.sampling else { continue };
        let whole = |time: f64| {
            let steps = time / step;
            (steps - steps.round()).abs() <= ON_GRID && (time == 0.0 || steps.round() >= 1.0)
        };
        if !(whole(sampling.time) && whole(sampling.delay)) {
            return Some(Obstacle::TicksOffGrid {
                controller: controller.name.to_string(),
                time: sampling.time,
                delay: sampling.delay,
                step,
            });
        }
    }
    None
}

/// Solves `machine` on [0, `end`] (s) with steps `step` (s), ½ ≤ `theta` ≤ 1; 1 is implicit Euler. Its path, what it cost,
/// and where the work went.
///
/// # Errors
/// If a number is outside its range, a signal too short, the machine has a part that these steps cannot treat, a rigid stop is
/// passed at the start or by a jump of its bound, or the motion leaves the range of finite numbers.
///
/// ```
/// use stickslip::Signal;
/// use stickslip::model::{Bumper, Machine, Network};
/// use stickslip::scheme::machine::theta_method;
/// # fn main() -> Result<(), stickslip::Error> {
/// // A ball falls 0.8 m at 10 m/s² and meets the floor after 0.4 s, at 4 m/s; it comes back at 2 m/s.
/// let network = Network::builder()
///     .unjoined()
///     .node("ball", 1.0)
///     .starting_at("ball", 0.8, 0.0)
///     .force("ball", Signal::constant(-10.0))
///     .build()?;
/// let floor = [Some(Signal::constant(0.0)), None];
/// let bumper = Bumper::Rigid { restitution: 0.5 };
/// let ball = Machine::new(network)?.with_stop("floor", ["ball", "ground"], floor, bumper)?;
/// let (path, _, _) = theta_method::solve(&ball, 0.6, 1e-4, 0.5)?;
/// assert!((path.events()[0].time - 0.4).abs() < 2e-4);
/// assert!((path.state(0.6).x[0] - (2.0 * 0.2 - 5.0 * 0.2 * 0.2)).abs() < 1e-3);
/// # Ok(()) }
/// ```
pub fn solve(
    machine: &Machine,
    end: f64,
    step: f64,
    theta: f64,
) -> Result<(SteppedPath, Counts, Energy), Error> {
    machine.check_start()?;
    machine.check_until(end)?;
    let mut one = prepare(machine, step, theta)?;
    let count = step_count(end, step)?;
    // Before any memory is asked for: the operating system would end the program instead of refusing.
    check_kept(count, one.sizes.width())?;
    let parts = one.parts.clone();
    let mut node = first(machine, &mut one)?;
    let mut next = node.clone();
    let mut rows = Vec::with_capacity((count + 1) * one.sizes.width());
    rows.extend_from_slice(&node.shown);
    let mut counts = Counts::of_steps(count);
    let mut energy = Energy::default();
    let before = one.stored();
    let mut phases: Vec<(f64, NetworkPhase)> = Vec::new();
    let mut events = Vec::new();
    let interrupt = Interrupt::current();
    for k in 1..=count {
        let span = [(k - 1) as f64 * step, k as f64 * step];
        interrupt.check(span[0])?;
        one.advance(span, &node, &mut next).map_err(|error| named(error, theta))?;
        counts.inexact += usize::from(one.residual.is_nan() || one.residual > NEARLY);
        counts.note_residual(one.residual);
        add(&mut energy, &one.energy);
        energy.level = energy.level.max(one.stored().iter().sum::<f64>().abs());
        rows.extend_from_slice(&next.shown);
        let is_new = match phases.last() {
            None => true,
            Some((_, before)) => !node.phase_to(&next, &parts).eq(before.iter().copied()),
        };
        if is_new || !node.blows.is_empty() {
            let phase = node.phase(&next, &parts);
            let before = phases.last().map_or(&phase, |p| &p.1);
            tell(&parts, span[0], before, &phase, &node, &mut events);
            if is_new {
                phases.push((span[0], phase));
            }
        }
        // Two nodes in turn, so that no step makes another one.
        std::mem::swap(&mut node, &mut next);
    }
    if let Some((_, phase)) = phases.last() {
        tell(&parts, (count as f64 * step).min(end), phase, phase, &node, &mut events);
    }
    let after = one.stored();
    energy.kinetic = after[0] - before[0];
    energy.elastic = after[1] - before[1] + after[2] - before[2];
    counts.iterations = one.iterations;
    if !(node.x.iter().chain(&node.v).all(|u| u.is_finite()) && energy.defect().is_finite()) {
        return Err(Error::NotFinite { time: end, step });
    }
    let grid = Arc::new(MachineGrid { step, sizes: one.sizes, rows, parts });
    let mut path = SteppedPath::default();
    for (k, (start, phase)) in phases.iter().enumerate() {
        // The last step may reach beyond the end of the run; the last phase does not.
        let until = phases.get(k + 1).map_or(end, |p| p.0);
        let arc = SteppedArc { grid: grid.clone(), phase: phase.clone() };
        path.push(Segment { phase: phase.clone(), start: *start, end: until, arc });
    }
    events.into_iter().for_each(|event| path.record(event));
    Ok((path, counts, energy))
}

/// Adds the works and losses of a step.
fn add(sum: &mut Energy, step: &Energy) {
    sum.work += step.work;
    sum.gross_work += step.work.abs();
    sum.friction += step.friction;
    sum.viscous += step.viscous;
    sum.impacts += step.impacts;
}

/// The node that a run of `machine` begins at.
fn first(machine: &Machine, one: &mut One) -> Result<Node, Error> {
    let nodes = machine.network().nodes();
    let [x, v]: [Vec<f64>; 2] = [
        nodes.iter().map(|n| n.displacement).collect(),
        nodes.iter().map(|n| n.velocity).collect(),
    ];
    let theta = one.theta;
    one.start(0.0, &x, &v, None).map_err(|error| named(error, theta))
}

/// Adds what happens at `node` at `t` (s), with the statuses `before` and `after` it.
fn tell(parts: &Parts, t: f64, before: &[i8], after: &[i8], node: &Node, events: &mut Vec<Event>) {
    let network = parts.machine.network();
    let nodes = network.nodes().len();
    let at = |[a, b]: [Option<usize>; 2]| {
        let of = |first: usize| {
            a.map_or(0.0, |i| node.shown[first + i]) - b.map_or(0.0, |i| node.shown[first + i])
        };
        State { x: of(0), v: of(nodes) }
    };
    for (e, slider) in network.sliders().iter().enumerate() {
        // One with memory has events of its own, below.
        if parts.memory(e).is_some() {
            continue;
        }
        let kind = EventKind::between(Phase::of_sign(before[e]), Phase::of_sign(after[e]));
        events.extend(kind.map(|kind| Event::new(kind, t, e, at(slider.between()))));
    }
    for b in &parts.bristles {
        let state = at(network.sliders()[b.row].between());
        let kinds = parts.bristle_events(b, before, after).into_iter().flatten();
        events.extend(kinds.map(|kind| Event::new(kind, t, b.row, state)));
    }
    for (row, element) in parts.yields(before, after) {
        let state = at(network.sliders()[row].between());
        events.push(Event::new(EventKind::Yield, t, parts.machine.places() + element, state));
    }
    let behind = network.sliders().len() + parts.machine.stops().len();
    for (g, e) in (0..parts.meshes.len()).filter_map(|g| Some((g, parts.meshes[g].row?))) {
        let state = at([Some(parts.meshes[g].first), None]);
        let kind = EventKind::between(Phase::of_sign(before[e]), Phase::of_sign(after[e]));
        events.extend(kind.map(|kind| Event::new(kind, t, behind + g, state)));
        let signs = [before, after].map(|doing| doing[parts.sign_of(g)]);
        if kind.is_none() && parts.is_loaded(g) && signs[0] * signs[1] < 0 {
            events.push(Event::new(EventKind::LoadReversal, t, behind + g, state));
        }
    }
    for (c, contact) in parts.contacts.iter().enumerate() {
        let row = parts.sliders + c;
        let [was, is] = [before[row], after[row]].map(|doing| pushes(contact.bumper, doing));
        let blow = node.blows.iter().find(|b| b.contact == c);
        let kind = match (was, is, blow) {
            // What was met without a rebound pushes from there on, or will in a moment.
            (false, true, _) => EventKind::Contact,
            (_, _, Some(_)) if node.doing[row] == CLOSED && !was => EventKind::Contact,
            (true, false, None) => EventKind::Release,
            (_, _, Some(_)) => EventKind::Impact,
            _ => continue,
        };
        let place = network.sliders().len() + contact.stop;
        let mut event =
            Event::new(kind, t, place, at(parts.machine.stops()[contact.stop].between()));
        if let Some(blow) = blow {
            // Events tell velocities of one end against the other: that of the bound is added to the opening velocity.
            event.before = event.v + contact.side * (blow.before - blow.after);
            event.impulse = contact.side * blow.impulse;
        }
        events.push(event);
    }
}

/// The run up to `end` (s at the latest), at the caller's pace: see [`Stepper`]. Its nodes are those of [`solve`], to the last
/// bit.
///
/// # Errors
/// As [`solve`].
pub fn cursor(machine: &Machine, end: f64, step: f64, theta: f64) -> Result<Stepper<Steps>, Error> {
    machine.check_start()?;
    machine.check_until(end)?;
    let mut one = prepare(machine, step, theta)?;
    let node = first(machine, &mut one)?;
    let steps = Steps { one, phase: Arc::new([]), failure: None };
    Stepper::new(steps, node, step, [0.0, end])
}

/// The steps of a machine, one at a time.
#[derive(Debug, Clone)]
pub struct Steps {
    one: One,
    /// In the step before.
    phase: NetworkPhase,
    /// Why the last step could not be taken.
    failure: Option<Error>,
}

impl Steps {
    fn parts(&self) -> &Parts {
        &self.one.parts
    }
}

impl Stepping for Steps {
    type Node = Node;
    type State = MachineState;
    type Phase = NetworkPhase;

    fn step(&mut self, span: [f64; 2], _: f64, from: &Node, to: &mut Node) {
        if let Err(error) = self.one.advance(span, from, to) {
            self.failure = Some(named(error, self.one.theta));
            to.x.fill(f64::NAN);
        }
    }

    fn begin(&mut self, nodes: &[Node]) {
        self.phase = self.phase(nodes);
    }

    fn arrive(&mut self, t: f64, nodes: &[Node], events: &mut Vec<Event>) {
        let [node, next] = [&nodes[0], &nodes[1]];
        let same = node.phase_to(next, self.parts()).eq(self.phase.iter().copied());
        if same && node.blows.is_empty() {
            return;
        }
        let phase = self.phase(nodes);
        tell(&self.one.parts, t, &self.phase, &phase, node, events);
        self.phase = phase;
    }

    fn finish(&mut self, t: f64, nodes: &[Node], events: &mut Vec<Event>) {
        if let Some(last) = nodes.get(1) {
            tell(&self.one.parts, t, &self.phase, &self.phase, last, events);
        }
    }

    const COUNTS_LOSSES: bool = true;

    fn lost(&self, _: f64, _: f64, [_, to]: [&Node; 2]) -> f64 {
        to.lost
    }

    fn state(&self, nodes: &[Node], s: f64) -> MachineState {
        let state = self.one.sizes.state(&nodes[0].shown, &nodes[nodes.len().min(2) - 1].shown, s);
        MachineState { control: nodes[0].control.clone(), ..state }
    }

    fn phase(&self, nodes: &[Node]) -> NetworkPhase {
        match nodes.get(1) {
            Some(next) => nodes[0].phase(next, self.parts()),
            None => nodes[0].phase(&nodes[0], self.parts()),
        }
    }

    fn is_finite(&self, node: &Node) -> bool {
        node.x.iter().chain(&node.v).all(|u| u.is_finite())
    }

    fn failure(&self) -> Option<Error> {
        self.failure.clone()
    }

    fn place(&mut self, t: f64, state: MachineState, _: &[Node], _: f64) -> Result<Node, Error> {
        self.one.start(t, &state.x, &state.v, Some(state.control))
    }

    fn change(&mut self, model: &Model) -> Result<(), Error> {
        let Model::Machine(machine) = model else { return Err(fixed_signals()) };
        self.one = prepare(machine, self.one.h, self.one.theta)?;
        Ok(())
    }
}
