//! The node that steps set out from.

use super::{ON_GRID, One};
use crate::error::Error;
use crate::model::Bumper;
use crate::model::machine::FITS;
use crate::scheme::machine::control::Control;
use crate::scheme::machine::parts::{CLOSED, OPEN, ZERO, speed};
use crate::scheme::machine::theta_method::control::aim;
use crate::scheme::machine::theta_method::node::Node;
use crate::scheme::machine::theta_method::places::{place, push, reach};
use crate::scheme::machine::theta_method::rows::sign;

impl One {
    /// The node that a run sets out from at `t` (s) with these displacements (m) and velocities (m/s) of all nodes.
    pub fn start(
        &mut self,
        t: f64,
        x: &[f64],
        v: &[f64],
        control: Option<Control>,
    ) -> Result<Node, Error> {
        let parts = self.parts.clone();
        let of = |u: &[f64]| parts.node_of.iter().map(|i| u[*i]).collect::<Vec<f64>>();
        let rows = parts.rows.len();
        let mut node = Node {
            x: of(x),
            v: of(v),
            arrived: vec![0; rows],
            doing: vec![0; rows],
            since: vec![t; rows],
            regions: vec![0; parts.bristles.iter().map(|b| b.parts).sum()],
            gap: vec![0.0; parts.contacts.len()],
            impulse: vec![0.0; rows],
            control: Control::empty(&parts),
            ..Node::default()
        };
        let window = parts.window(t + ON_GRID * self.h);
        self.after.x.copy_from_slice(&node.x);
        self.after.v.copy_from_slice(&node.v);
        place(&parts, t, &window, &node.control, &mut self.after);
        push(&parts, &mut self.after, &mut self.statuses[1]);
        node.control = match control {
            Some(control) if control.held.len() == parts.loops.len() => control,
            _ => parts.fresh_control(t, &window, &self.after),
        };
        let given: Vec<f64> = self.after.given.iter().map(|g| g[1]).collect();
        for (e, row) in parts.rows.iter().enumerate() {
            let [u, size] = speed(row, &node.v, &given);
            let moves = u.abs() > ZERO * size;
            node.doing[e] = match e.checked_sub(parts.sliders) {
                None if moves => sign(u),
                None => 0,
                Some(c) if matches!(parts.contacts[c].bumper, Bumper::Soft { .. }) => {
                    self.statuses[1][e]
                }
                Some(c) => {
                    let gap = self.after.gap[c];
                    let closed = gap <= FITS * reach(&parts, c, &self.after) && !moves;
                    if closed { CLOSED } else { OPEN }
                }
            };
        }
        node.gap.copy_from_slice(&self.after.gap);
        node.arrived.copy_from_slice(&node.doing);
        self.enter(&mut node);
        self.collide(t, &mut node)?;
        self.tick(t, &mut node);
        place(&parts, t, &window, &node.control, &mut self.after);
        aim(&parts, t, &window, &self.after, &mut self.statuses[1]);
        parts.forces(t, &window, &self.statuses[1], &mut self.after);
        self.after.node_force.fill(0.0);
        self.before.node_force.fill(0.0);
        self.after.a.fill(0.0);
        self.show(&mut node);
        Ok(node)
    }
}
