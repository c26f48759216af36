//! Where the work of a step goes.

use crate::model::Bumper;
use crate::motion::Energy;
use crate::scheme::machine::energy::stored;
use crate::scheme::machine::flow::{Instant, stretch};
use crate::scheme::machine::parts::{PUSHES, Parts, Place, Window};

/// A step, before its impacts.
pub(super) struct Step<'a> {
    pub parts: &'a Parts,
    pub theta: f64,
    pub h: f64,
    /// Start and end, and what soft contacts do there.
    pub at: [&'a Instant; 2],
    pub statuses: [&'a [i8]; 2],
    /// Along each row, N·s.
    pub impulse: &'a [f64],
}

/// What an account writes to.
#[derive(Debug, Clone, Default)]
pub(super) struct Account {
    /// What pulls at each node, N.
    pulled: Vec<f64>,
}

impl Step<'_> {
    /// Between the start and the end as the step weighs them.
    fn mean(&self, of: impl Fn(usize) -> f64) -> f64 {
        self.theta * of(1) + (1.0 - self.theta) * of(0)
    }

    /// How far the end of a part has gone.
    fn way(&self, ends: [Option<usize>; 2]) -> f64 {
        stretch(&self.at[1].node_x, ends) - stretch(&self.at[0].node_x, ends)
    }

    /// How far the surface under a slider has gone, m.
    fn carried(&self, slider: usize) -> f64 {
        let surface = self.parts.links.supports[slider];
        surface.map_or(0.0, |g| self.h * self.mean(|s| self.at[s].given[g][1]))
    }

    /// How far a slider slid, m.
    pub fn slide(&self, slider: usize) -> f64 {
        let ends = self.parts.machine.network().sliders()[slider].between();
        self.way(ends) - self.carried(slider)
    }

    /// Works and losses, forces as the step has them times ways, J; not what is stored.
    pub fn energy(
        &self,
        [t, next]: [f64; 2],
        windows: [&Window<'_>; 2],
        account: &mut Account,
    ) -> Energy {
        let parts = self.parts;
        let network = parts.machine.network();
        let times = [t, next];
        let mut energy = Energy::default();
        let nodes = network.nodes().len();
        let way = |i: usize| self.at[1].node_x[i] - self.at[0].node_x[i];
        let led = |i: usize| matches!(parts.places[i], Place::Led(..));
        // What pulls at nodes that are led, without the load on them, which what leads them takes up.
        let pulled = &mut account.pulled;
        pulled.clear();
        pulled.extend((0..nodes).map(|i| self.mean(|s| self.at[s].node_force[i])));
        for (k, (i, _)) in windows[0].forces.iter().enumerate() {
            let force = self.mean(|s| windows[s].forces[k].1.value(times[s]));
            pulled[*i] -= force;
            if !led(*i) {
                energy.work += force * way(*i);
            }
        }
        for (c, controller) in parts.machine.controllers().iter().enumerate() {
            energy.work += self.mean(|s| self.at[s].u[c]) * way(controller.on());
        }
        for d in network.dashpots() {
            let w = self.mean(|s| stretch(&self.at[s].node_v, d.between()));
            energy.viscous += d.coefficient * w * self.way(d.between());
        }
        for (e, slider) in network.sliders().iter().enumerate() {
            let force = self.impulse[e] / self.h;
            let carried = self.carried(e);
            energy.friction -= force * (self.way(slider.between()) - carried);
            energy.work += force * carried;
            pull(pulled, slider.between(), force);
        }
        for (mesh, e) in parts.meshes.iter().filter_map(|mesh| Some((mesh, mesh.row?))) {
            energy.friction -= self.impulse[e] / self.h * way(mesh.first);
        }
        for (c, contact) in parts.contacts.iter().enumerate() {
            let row = parts.sliders + c;
            let ends = parts.machine.stops()[contact.stop].between();
            let rigid = matches!(contact.bumper, Bumper::Rigid { .. });
            let soft = |s: usize| match self.statuses[s][row] {
                PUSHES if !rigid => parts.push_of(c, self.at[s]),
                _ => 0.0,
            };
            let force = if rigid { self.impulse[row] / self.h } else { self.mean(soft) };
            let opened = self.at[1].gap[c] - self.at[0].gap[c];
            energy.impacts -= force * opened;
            // What the ends do not go by themselves is the way of the bound.
            energy.work += force * (contact.side * self.way(ends) - opened);
            if rigid {
                pull(pulled, ends, contact.side * force);
            }
        }
        let [before, after] = [0, 1].map(|s| stored(parts, self.statuses[s], self.at[s])[2]);
        energy.impacts -= after - before;
        for (i, force) in pulled.iter().enumerate().filter(|(i, _)| led(*i)) {
            energy.work -= force * way(i);
        }
        energy
    }
}

/// Adds a force on the first end, and against it on the second.
fn pull(forces: &mut [f64], [a, b]: [Option<usize>; 2], force: f64) {
    if let Some(i) = a {
        forces[i] += force;
    }
    if let Some(i) = b {
        forces[i] -= force;
    }
}
