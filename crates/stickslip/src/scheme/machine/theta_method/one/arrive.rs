//! The end of a step, before its impacts.

use super::One;
use crate::model::Bumper;
use crate::scheme::machine::impact::TOUCHES;
use crate::scheme::machine::mode::{Groups, Mode};
use crate::scheme::machine::parts::{CLOSED, OPEN, Parts, Window};
use crate::scheme::machine::theta_method::control::aim;
use crate::scheme::machine::theta_method::node::Node;
use crate::scheme::machine::theta_method::places::{push, reach, speed_of, touches};
use std::sync::Arc;

/// How masses move that sliders hold together.
#[derive(Debug, Clone, Default)]
pub(super) struct Holds {
    /// The modes that were met, and the one that was made last.
    modes: Vec<Arc<Mode>>,
    last: usize,
    status: Vec<i8>,
    groups: Groups,
}

/// So many modes are kept: a motion that repeats itself makes no new ones.
const KEPT: usize = 32;

impl Holds {
    /// The number of the mode in which the rows have the statuses `self.status`, if there is one.
    fn find(&mut self, parts: &Parts) -> Option<usize> {
        if let Some(k) = self.modes.iter().position(|m| m.status == self.status) {
            return Some(k);
        }
        let mode = Arc::new(Mode::without_forces(parts, self.status.clone()).ok()?);
        if self.modes.len() < KEPT {
            self.last = self.modes.len();
            self.modes.push(mode);
        } else {
            // The one that has been kept longest makes room.
            self.last = (self.last + 1) % KEPT;
            self.modes[self.last] = mode;
        }
        Some(self.last)
    }
}

impl One {
    /// Gives what is held together one velocity.
    fn hold(&mut self, parts: &Parts, sliders: usize, to: &mut Node) {
        let holds = &mut self.holds;
        holds.status.clear();
        holds.status.resize(parts.statuses(), 0);
        holds.status[..sliders].copy_from_slice(&to.arrived[..sliders]);
        holds.status[parts.sliders..parts.rows.len()].fill(OPEN);
        for e in 0..sliders {
            // What is lifted off holds nothing, and rests by chance.
            let free = to.impulse[e] == 0.0 && speed_of(parts, e, &self.after) != 0.0;
            holds.status[e] = if free { 1 } else { holds.status[e] };
        }
        let Some(mode) = holds.find(parts) else { return };
        let mode = &holds.modes[mode];
        let given = |g: usize| self.after.given[g][1];
        let groups = mode.group_velocities_in(parts, &to.v, given, &mut holds.groups);
        for (v, carried) in to.v.iter_mut().zip(&mode.carried) {
            let own = carried.group.map_or(0.0, |g| carried.ratio * groups[g]);
            *v = own + carried.given.iter().map(|(g, c)| c * given(*g)).sum::<f64>();
        }
    }

    /// Completes the end of the step: what is held has one velocity to the last bit.
    pub(super) fn arrive(&mut self, next: f64, window: &Window<'_>, from: &Node, to: &mut Node) {
        let parts = self.parts.clone();
        let sliders = parts.sliders;
        if to.arrived[..sliders].contains(&0) {
            self.hold(&parts, sliders, to);
        }
        self.look(next, window, &to.v, &from.control);
        push(&parts, &mut self.after, &mut self.statuses[1]);
        aim(&parts, next, window, &self.after, &mut self.statuses[1]);
        parts.forces(next, window, &self.statuses[1], &mut self.after);
        to.x.copy_from_slice(&self.after.x);
        to.gap.copy_from_slice(&self.after.gap);
        for (c, row) in (parts.sliders..parts.rows.len()).enumerate() {
            // Where friction holds a body at a stop either may bear the load, but it stays there.
            let opened = to.gap[c] - self.before.gap[c].min(0.0);
            let stays = opened <= TOUCHES * reach(&parts, c, &self.after);
            let rigid = matches!(parts.contacts[c].bumper, Bumper::Rigid { .. });
            let touched = touches(&parts, c, &self.before, from);
            if rigid && (to.impulse[row] > 0.0 || (touched && stays)) {
                to.arrived[row] = CLOSED;
            }
        }
        to.control.clone_from(&from.control);
        to.control.states.copy_from_slice(&self.after.states);
        self.bend(from, to);
        for e in 0..parts.rows.len() {
            let rests = to.arrived[e] == 0 && from.doing[e] == 0;
            to.since[e] = if rests { from.since[e] } else { next };
        }
        to.doing.copy_from_slice(&to.arrived);
        // The mean acceleration and force of the step, from which follows what gears hand on.
        for (i, a) in self.after.a.iter_mut().enumerate() {
            *a = (to.v[i] - from.v[i]) / self.h;
        }
    }
}
