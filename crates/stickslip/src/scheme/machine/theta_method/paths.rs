//! The same steps for whoever looks at them as they come, and keeps nothing: paths under noise.

use super::node::Node;
use super::one::{NEARLY, One};
use super::{first, named, obstacle_of, prepare};
use crate::error::Error;
use crate::grid::step_count;
use crate::interrupt::Interrupt;
use crate::model::Machine;
use crate::motion::State;
use crate::scheme::contact_step::ContactStep;

/// Why paths of `machine` do not advance in steps, whatever their length, if they do not.
pub(crate) fn denied(machine: &Machine) -> Option<&'static str> {
    obstacle_of(machine)
}

/// Advances `machine` to `end` (s) by steps of `step` (s) as [`solve`](super::solve) does: `observe` gets n, the nodes and what the
/// sliders did in the step before, n = 0 … N. Returns how many steps were not solved to their tolerance.
///
/// # Errors
/// As [`solve`](super::solve).
pub(crate) fn run(
    machine: &Machine,
    end: f64,
    step: f64,
    theta: f64,
    mut observe: impl FnMut(usize, &[State], &[ContactStep]),
) -> Result<usize, Error> {
    machine.check_start()?;
    machine.check_until(end)?;
    let mut one = prepare(machine, step, theta)?;
    let count = step_count(end, step)?;
    let mut node = first(machine, &mut one)?;
    let mut next = node.clone();
    let mut states = vec![State::default(); one.sizes.nodes];
    let mut did = vec![ContactStep::default(); one.sizes.sliders];
    let mut inexact = 0;
    one.resting(&node, &mut did);
    look(&node, &mut states);
    observe(0, &states, &did);
    let interrupt = Interrupt::current();
    for steps in interrupt.ranges(count) {
        for k in steps {
            let span = [k as f64 * step, (k + 1) as f64 * step];
            one.advance(span, &node, &mut next).map_err(|error| named(error, theta))?;
            inexact += usize::from(one.residual.is_nan() || one.residual > NEARLY);
            one.resting(&next, &mut did);
            for (e, contact) in did.iter_mut().enumerate() {
                contact.slide = one.slide(e);
                // A slider that rests at the end of an implicit step does not slide; what rounding leaves is no slip.
                if contact.rests && theta == 1.0 && one.parts.memory(e).is_none() {
                    contact.slide = 0.0;
                }
                contact.lost = -next.impulse[e] / step * contact.slide;
            }
            look(&next, &mut states);
            observe(k + 1, &states, &did);
            std::mem::swap(&mut node, &mut next);
        }
    }
    interrupt.check(end)?;
    Ok(inexact)
}

/// The nodes as they are shown.
fn look(node: &Node, states: &mut [State]) {
    let (x, rest) = node.shown.split_at(states.len());
    for (state, (x, v)) in states.iter_mut().zip(x.iter().zip(rest)) {
        *state = State { x: *x, v: *v };
    }
}

impl One {
    /// Which sliders rest at a node: those without memory that do not move, and those whose law says that they do not slip.
    fn resting(&self, node: &Node, did: &mut [ContactStep]) {
        for (e, contact) in did.iter_mut().enumerate() {
            contact.rests = node.doing[e] == 0;
        }
        for b in &self.parts.bristles {
            let regions = &node.regions[b.region..][..b.parts];
            did[b.row].rests = !self.parts.law_of(b).is_some_and(|law| law.slips(regions));
        }
    }
}
