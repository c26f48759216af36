//! What is shown of a machine after a step.

use super::One;
use crate::model::Bumper;
use crate::scheme::machine::parts::PUSHES;
use crate::scheme::machine::slots::Bristled;
use crate::scheme::machine::theta_method::node::{Node, Sizes};
use crate::scheme::machine::theta_method::rows::sign;

impl One {
    /// The row of numbers that is shown after a step.
    pub(super) fn show(&mut self, to: &mut Node) {
        let parts = self.parts.clone();
        let Sizes { nodes, sliders, stops, .. } = self.sizes;
        let shown = &mut to.shown;
        shown.clear();
        shown.extend_from_slice(&self.after.node_x[..nodes]);
        shown.extend_from_slice(&self.after.node_v[..nodes]);
        shown.extend(std::iter::repeat_n(f64::INFINITY, stops));
        shown.extend(to.impulse[..sliders].iter().map(|p| p / self.h + 0.0));
        shown.extend(std::iter::repeat_n(0.0, stops));
        let pushes = 2 * nodes + stops + sliders;
        for (c, contact) in parts.contacts.iter().enumerate() {
            let gap = &mut shown[2 * nodes + contact.stop];
            *gap = gap.min(to.gap[c]);
            let row = parts.sliders + c;
            let push = match contact.bumper {
                Bumper::Rigid { .. } => to.impulse[row] / self.h,
                Bumper::Soft { .. } if to.arrived[row] == PUSHES => parts.push_of(c, &self.after),
                Bumper::Soft { .. } => 0.0,
            };
            shown[pushes + contact.stop] += contact.side * push;
        }
        // What acted in the step: a tick at its end acts in the next one.
        shown.extend(self.after.u.iter());
        if !parts.meshes.is_empty() {
            for (now, before) in self.after.node_force.iter_mut().zip(&self.before.node_force) {
                *now = self.theta * *now + (1.0 - self.theta) * before;
            }
            let forces = || to.impulse.iter().map(|p| p / self.h).enumerate();
            let loads = (0..parts.meshes.len()).map(|g| parts.load_of(g, &self.after, forces()));
            let first = shown.len();
            shown.extend(loads.map(|[load, _]| load));
            let slides = |row: Option<usize>| row.is_some_and(|e| to.arrived[e] != 0);
            to.signs.clear();
            to.signs.extend(
                parts
                    .meshes
                    .iter()
                    .zip(&shown[first..])
                    .map(|(mesh, load)| if slides(mesh.row) { sign(*load) } else { 0 }),
            );
            let rub = |row: Option<usize>| row.map_or(0.0, |e| to.impulse[e] / self.h + 0.0);
            shown.extend(parts.meshes.iter().map(|mesh| rub(mesh.row)));
        }
        let remembered = |b: &Bristled| &to.control.states[b.state..][..b.states];
        shown.extend(parts.bristles.iter().flat_map(remembered));
    }
}
