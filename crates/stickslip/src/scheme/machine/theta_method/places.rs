//! Where a machine is at an end of a step.

use super::node::Node;
use crate::model::Bumper;
use crate::scheme::machine::control::Control;
use crate::scheme::machine::flow::{Instant, stretch};
use crate::scheme::machine::impact::TOUCHES;
use crate::scheme::machine::parts::{APART, CLOSED, OPEN, PUSHES, Parts, Window};

/// Where everything is at `t` (s) with the displacements and velocities of masses in `at`.
pub(super) fn place(
    parts: &Parts,
    t: f64,
    window: &Window<'_>,
    control: &Control,
    at: &mut Instant,
) {
    for (now, piece) in at.given.iter_mut().zip(&window.given) {
        *now = piece.at(t);
    }
    parts.nodes(t, window, at);
    for (c, contact) in parts.contacts.iter().enumerate() {
        let z = stretch(&at.node_x, parts.machine.stops()[contact.stop].between());
        at.gap[c] = contact.side * (z - window_bound(parts, window, c, t));
    }
    at.states.copy_from_slice(&control.states);
    at.applied.copy_from_slice(&control.applied);
    parts.find_pieces(t, window, at);
}

/// The place of the bound of contact `c` at `t` (s), m.
pub(super) fn window_bound(parts: &Parts, window: &Window<'_>, c: usize, t: f64) -> f64 {
    // The bound is the last thing that is given in the row of its contact.
    let bound = parts.rows[parts.sliders + c].given.last();
    bound.map_or(0.0, |(g, _)| window.given[*g].place(t))
}

/// What soft contacts do where the machine is.
pub(super) fn push(parts: &Parts, at: &mut Instant, status: &mut [i8]) {
    for (c, contact) in parts.contacts.iter().enumerate() {
        if matches!(contact.bumper, Bumper::Soft { .. }) {
            let now = match at.gap[c] < 0.0 {
                true if parts.push_of(c, at) > 0.0 => PUSHES,
                true => APART,
                false => OPEN,
            };
            status[parts.sliders + c] = now;
        }
    }
}

/// The size of the displacements that make the gap of contact `c`, m.
pub(super) fn reach(parts: &Parts, c: usize, at: &Instant) -> f64 {
    let masses = parts.rows[parts.sliders + c].masses.iter();
    masses.map(|(i, w)| (w * at.x[*i]).abs()).sum()
}

/// Whether the rigid contact `c` is closed, or passed, at the start of a step.
pub(super) fn touches(parts: &Parts, c: usize, at: &Instant, from: &Node) -> bool {
    at.gap[c] <= TOUCHES * reach(parts, c, at) || from.doing[parts.sliders + c] == CLOSED
}

/// The relative velocity of row `e`, m/s.
pub(super) fn speed_of(parts: &Parts, e: usize, at: &Instant) -> f64 {
    parts.rows[e].value(&at.v, |g| at.given[g][1])
}
