//! A rigid slab on isolators, with floors above it: two schemes.
//!
//! [`adaptive()`] goes from event to event, to a tolerance. [`implicit_euler`] takes steps of time with friction at their ends,
//!
//! ```text
//! (M + h C + h² K) v⁺ + h Σ B_kᵀ R_k⁺ ∋ M v + h (F⁺ − M ι a⁺ − K q),      q⁺ = q + h v⁺
//! ```
//!
//! The floors are eliminated once, for a step has the same matrix throughout: left are three unknowns, the velocity of the slab, whose problem
//! (`slab_step`) is solved for what rests and what slides. What rests has the velocity zero to the last bit. The error is O(h).

mod adaptive;
mod assembly;
mod collocation;
mod crossing;
mod hold;
mod path;
mod reduced;
mod slab;
mod slab_step;

pub use adaptive::{adaptive, adaptive_cursor};
pub use path::{IsolatedArc, IsolatedGrid, IsolatedPath, IsolatedPhase, IsolatedState};

use crate::error::Error;
use crate::grid::{kept_count, step_count};
use crate::interrupt::Interrupt;
use crate::model::Model;
use crate::model::isolated::{Isolated, Isolator};
use crate::motion::{Counts, Event, State, Warning};
use crate::scheme::contact_step::ContactStep;
use crate::scheme::event_loop::fixed_signals;
use crate::scheme::stepper::{Stepper, Stepping};
use assembly::Assembly;
use hold::Disc;
use slab::{Triple, velocity};
use slab_step::{Does, Problem};
use std::sync::Arc;

/// Solves `model` on [0, `end`] (s) with steps of `step` (s): see the [module](self).
///
/// # Errors
/// If a number is outside its range, a signal too short, the normal force negative from the start, the step too long for friction that
/// falls with the speed, the rotation larger than [`Isolated::MOST_ROTATION`], or the motion leaves the range of finite numbers. Where the
/// normal force falls below zero later, the run ends, with [`Warning::LiftsOff`].
pub fn implicit_euler(model: &Isolated, end: f64, step: f64) -> Result<IsolatedPath, Error> {
    Ok(counted(model, end, step)?.0)
}

/// The same with what it cost.
pub(crate) fn counted(
    model: &Isolated,
    end: f64,
    step: f64,
) -> Result<(IsolatedPath, Counts), Error> {
    model.check_until(end)?;
    let lifts = model.lifts_off(end)?;
    let end = lifts.unwrap_or(end);
    let count = kept_count(end, step)?;
    let mut steps = Steps::new(model, step)?;
    let mut node = steps.first();
    let mut next = node.clone();
    let mut grid = IsolatedGrid::new(step, 1 + model.floors.len(), model.isolators.len(), count);
    let mut counts = Counts::of_steps(count);
    grid.push(&node.q, &node.v, &node.friction, &node.rests);
    for range in Interrupt::current().ranges(count) {
        for n in range {
            let residual = steps.advance((n + 1) as f64 * step, &node, &mut next)?;
            counts.note_residual(residual);
            counts.inexact += usize::from(residual > crate::onestep::TOLERANCE);
            std::mem::swap(&mut node, &mut next);
            grid.push(&node.q, &node.v, &node.friction, &node.rests);
        }
    }
    Interrupt::current().check(end)?;
    grid.settle();
    let mut path = path::path(Arc::new(model.clone()), Arc::new(grid), end);
    lifts.into_iter().for_each(|time| path.warn(Warning::LiftsOff { time }));
    Ok((path, counts))
}

/// The same, showing (n, x, y and θ of every body, what every isolator did) to
/// `observe` and keeping nothing; the number of steps whose problem was not solved to its tolerance.
///
/// # Errors
/// As [`implicit_euler`].
pub(crate) fn run(
    model: &Isolated,
    end: f64,
    step: f64,
    mut observe: impl FnMut(usize, &[State], &[ContactStep]),
) -> Result<usize, Error> {
    model.check_until(end)?;
    model.normal.iter().try_for_each(|n| n.require_pressing(0.0, end))?;
    let count = step_count(end, step)?;
    let mut steps = Steps::new(model, step)?;
    let mut node = steps.first();
    let mut next = node.clone();
    let mut points = vec![State::default(); node.q.len()];
    let mut contacts = vec![ContactStep::default(); model.isolators.len()];
    let mut inexact = 0;
    let interrupt = Interrupt::current();
    let mut look = |n: usize, node: &Node| {
        for (point, (&x, &v)) in points.iter_mut().zip(node.q.iter().zip(&node.v)) {
            *point = State { x, v };
        }
        let d = triple(&node.v);
        for (k, (contact, isolator)) in contacts.iter_mut().zip(&model.isolators).enumerate() {
            let w = velocity(isolator.at, d);
            let [slide, lost] = match n {
                0 => [0.0; 2],
                _ => {
                    let force = node.friction[k];
                    let power = force[0] * w[0] + force[1] * w[1];
                    [step * crate::portable::hypot(w[0], w[1]), 0.0 - step * power]
                }
            };
            *contact = ContactStep { slide, lost, rests: node.rests[k] };
        }
        observe(n, &points, &contacts);
    };
    look(0, &node);
    for range in interrupt.ranges(count) {
        for n in range {
            let residual = steps.advance((n + 1) as f64 * step, &node, &mut next)?;
            inexact += usize::from(residual > crate::onestep::TOLERANCE);
            std::mem::swap(&mut node, &mut next);
            look(n + 1, &node);
        }
    }
    interrupt.check(end)?;
    Ok(inexact)
}

/// The run up to `end` (s at the latest), at the caller's pace: see [`Stepper`]. Its nodes are those of the whole run, to the last bit.
///
/// # Errors
/// As [`implicit_euler`]; a normal force that falls below zero before the end is refused.
pub fn cursor(model: &Isolated, end: f64, step: f64) -> Result<Stepper<Steps>, Error> {
    model.check_until(end)?;
    model.normal.iter().try_for_each(|n| n.require_pressing(0.0, end))?;
    let steps = Steps::new(model, step)?;
    let first = steps.first();
    Stepper::new(steps, first, step, [0.0, end])
}

/// A slab at the end of a step.
#[derive(Debug, Clone)]
pub struct Node {
    q: Vec<f64>,
    v: Vec<f64>,
    does: Does,
    /// Friction on the slab, N.
    friction: Vec<[f64; 2]>,
    /// Which isolators rest, and which did so throughout the step that leads here.
    rests: Vec<bool>,
    rested: Vec<bool>,
}

/// The scheme, one step at a time.
#[derive(Debug, Clone)]
pub struct Steps {
    model: Arc<Isolated>,
    h: f64,
    assembly: Arc<Assembly>,
    /// Whether some law falls with the speed.
    weakens: bool,
    /// What a step writes to.
    discs: Vec<Disc>,
    pressed: Vec<f64>,
    /// Why the last step could not be taken.
    failed: Option<Error>,
}

impl Steps {
    fn new(model: &Isolated, h: f64) -> Result<Self, Error> {
        let assembly = Arc::new(Assembly::new(model, h)?);
        let disc = |i: &Isolator| Disc { at: i.at, ellipse: i.ellipse, limit: 0.0 };
        let discs: Vec<Disc> = model.isolators.iter().map(disc).collect();
        let pressed = vec![0.0; discs.len()];
        let weakens = model.isolators.iter().any(|i| i.friction.weakening() > 0.0);
        let model = Arc::new(model.clone());
        Ok(Self { model, h, assembly, weakens, discs, pressed, failed: None })
    }

    fn first(&self) -> Node {
        let (q, v) = self.assembly.matrices.start(&self.model);
        self.node(q, v)
    }

    /// The node with these places and velocities.
    fn node(&self, q: Vec<f64>, v: Vec<f64>) -> Node {
        let d = [v[0], v[1], v[2]];
        let does = if d == [0.0; 3] { Does::Rests } else { Does::Slides };
        let rests = self.discs.iter().map(|disc| velocity(disc.at, d) == [0.0; 2]).collect();
        let count = self.discs.len();
        Node { q, v, does, friction: vec![[0.0; 2]; count], rests, rested: vec![false; count] }
    }

    /// One step, to `next` (s), and the residual of its problem.
    fn advance(&mut self, next: f64, from: &Node, to: &mut Node) -> Result<f64, Error> {
        let h = self.h;
        let model = self.model.clone();
        self.assembly.free(&model, next, &from.q, &from.v, &mut to.v);
        let normal = model.normal.as_ref().map(|n| n.value(next).max(0.0));
        for (k, isolator) in model.isolators.iter().enumerate() {
            self.pressed[k] = h * normal.map_or(1.0, |n| n * isolator.share);
            self.discs[k].limit = self.pressed[k] * isolator.friction.limit(1.0, 0.0);
        }
        if self.weakens && !self.assembly.is_convex(&model.isolators, &self.pressed) {
            let reason = "friction that falls with the speed leaves several solutions of a step as long as this for the mass and the \
                          inertia of the slab; take a shorter step";
            return Err(Error::StepWithoutSolution {
                scheme: "implicit-euler",
                step: (next / h).round() as usize,
                time: next,
                reason: reason.into(),
            });
        }
        let c = slab::times(&self.assembly.inertia, triple(&to.v));
        let problem = Problem {
            inertia: &self.assembly.inertia,
            inverse: &self.assembly.inverse,
            isolators: &model.isolators,
            discs: &self.discs,
            pressed: &self.pressed,
        };
        let end = problem.solve(c, from.does, triple(&from.v), &mut to.friction);
        let carried = slab::times(&self.assembly.inertia, end.d);
        let taken = [0, 1, 2].map(|i| c[i] - carried[i]);
        self.assembly.coupled(&mut to.v, taken, end.d);
        to.does = end.does;
        for ((q, before), v) in to.q.iter_mut().zip(&from.q).zip(&to.v) {
            *q = before + h * v;
        }
        for (k, friction) in to.friction.iter_mut().enumerate() {
            *friction = friction.map(|p| 0.0 - p / h);
            to.rests[k] = match end.does {
                Does::Rests => true,
                Does::TurnsAbout(about) => k == about,
                Does::Slides => false,
            };
            to.rested[k] = from.rests[k] && to.rests[k];
        }
        check(next, h, &to.q, &to.v)?;
        Ok(end.residual)
    }
}

/// The motion of the slab among all velocities.
fn triple(v: &[f64]) -> Triple {
    [v[0], v[1], v[2]]
}

/// An error if a number of the places `q` and the velocities `v` is not finite, or something turns too far.
fn check(time: f64, step: f64, q: &[f64], v: &[f64]) -> Result<(), Error> {
    if !q.iter().chain(v).all(|x| x.is_finite()) {
        return Err(Error::NotFinite { time, step });
    }
    let far = q.chunks_exact(3).find(|body| body[2].abs() > Isolated::MOST_ROTATION);
    far.map_or(Ok(()), |body| {
        let reason = format!(
            "the slab or a floor has turned by {:.3} rad, and places are taken as linear in the rotation; expected at most 0.2 rad, where \
             they are off by 2 % of the distance from the centre: check the inertia, the places and the loads",
            body[2].abs()
        );
        Err(Error::NoSolution { time, reason })
    })
}

impl Stepping for Steps {
    type Node = Node;
    type State = IsolatedState;
    type Phase = IsolatedPhase;

    fn step(&mut self, span: [f64; 2], _: f64, from: &Node, to: &mut Node) {
        if let Err(error) = self.advance(span[1], from, to) {
            // The stepper stops at a node that is not finite, and asks why.
            to.q[0] = f64::NAN;
            self.failed.get_or_insert(error);
        }
    }

    fn arrive(&mut self, t: f64, nodes: &[Node], events: &mut Vec<Event>) {
        let Some(next) = nodes.get(1) else { return };
        let now = &nodes[0];
        let at = |of: &[f64], k: usize| velocity(self.discs[k].at, triple(of))[0];
        for (k, (before, after)) in now.rested.iter().zip(&next.rested).enumerate() {
            if let Some(kind) = path::between(*before, *after) {
                let state = State { x: at(&now.q, k), v: at(&now.v, k) };
                events.push(Event::new(kind, t, k, state));
            }
        }
    }

    fn state(&self, nodes: &[Node], s: f64) -> IsolatedState {
        let from = &nodes[0];
        let to = nodes.get(1).unwrap_or(from);
        let mix = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + s * (b - a)).collect();
        let friction = if s > 0.0 { &to.friction } else { &from.friction };
        IsolatedState { q: mix(&from.q, &to.q), v: mix(&from.v, &to.v), friction: friction.clone() }
    }

    fn phase(&self, nodes: &[Node]) -> IsolatedPhase {
        nodes.get(1).unwrap_or(&nodes[0]).rested.as_slice().into()
    }

    fn is_finite(&self, node: &Node) -> bool {
        node.q.iter().chain(&node.v).all(|x| x.is_finite())
    }

    fn failure(&self) -> Option<Error> {
        self.failed.clone()
    }

    fn place(&mut self, _: f64, state: IsolatedState, _: &[Node], _: f64) -> Result<Node, Error> {
        self.failed = None;
        Ok(self.node(state.q, state.v))
    }

    fn keep(&mut self, _: f64, nodes: &[Node], s: f64) -> Result<Node, Error> {
        let state = self.state(nodes, s);
        let node = self.node(state.q, state.v);
        Ok(Node { friction: state.friction, ..node })
    }

    fn change(&mut self, model: &Model) -> Result<(), Error> {
        let Model::Isolated(isolated) = model else { return Err(fixed_signals()) };
        self.model = Arc::new(isolated.clone());
        Ok(())
    }
}
