//! Where the work of a machine went.

use super::MachinePath;
use super::arc::MachineArc;
use super::flow::{Flow, Instant, stretch};
use super::parts::{GivenPiece, PUSHES, Parts, Place, Row};
use crate::model::Bumper;
use crate::motion::{EIGHT, Energy, FIVE, Rule, Segment};
use std::sync::Arc;

/// Powers at an instant, W.
#[derive(Debug, Clone, Copy, Default)]
struct Powers {
    work: f64,
    friction: f64,
    viscous: f64,
    /// Into soft stops.
    stops: f64,
}

impl MachinePath {
    /// Where the work went, J. What moves as it is given works against all that acts on it.
    pub fn energy(&self) -> Energy {
        self.audited().unwrap_or_else(|| self.summed())
    }

    /// The same, summed over the path.
    fn summed(&self) -> Energy {
        let (Some(first), Some(last)) = (self.segments().first(), self.segments().last()) else {
            return Energy::default();
        };
        let mut room = Room::of(&first.arc);
        let [before, after] = [room.stored(first, first.start), room.stored(last, last.end)];
        let mut energy = Energy {
            kinetic: after[0] - before[0],
            // What soft stops store is elastic; of all that goes into them impacts keep what is lost.
            elastic: after[1] - before[1] + after[2] - before[2],
            impacts: before[2] - after[2],
            ..Energy::default()
        };
        for segment in self.segments() {
            let level = room.stored(segment, segment.start).iter().sum::<f64>().abs();
            energy.level = energy.level.max(level);
            room.add(segment, &mut energy);
        }
        // An impulse p changes the kinetic energy by p times the mean of the velocities before and after.
        let parts = &first.arc.parts;
        for e in self.events().iter().filter(|e| e.impulse != 0.0) {
            energy.impacts -= 0.5 * e.impulse * (e.before + e.v);
            let ends =
                parts.machine.stops()[e.place - parts.machine.network().sliders().len()].between();
            let given = last.arc.parts.window(e.time);
            for (end, sign) in ends.into_iter().zip([1.0, -1.0]) {
                if let Some(Place::Led(g, ratio)) = end.map(|i| parts.places[i]) {
                    energy.work -= sign * e.impulse * ratio * given.given[g].at(e.time)[1];
                }
            }
        }
        energy.if_complete()
    }
}

/// What is looked at in an instant, used again from one segment to the next.
struct Room {
    parts: Arc<Parts>,
    at: Instant,
    u: Vec<f64>,
    forces: Vec<f64>,
}

impl Room {
    fn of(arc: &MachineArc) -> Self {
        let parts = arc.parts.clone();
        let forces = vec![0.0; parts.rows.len()];
        Self { at: Instant::of(&parts), forces, u: Vec::new(), parts }
    }

    /// Makes room for a machine whose inputs have changed.
    fn fit(&mut self, arc: &MachineArc) {
        if !Arc::ptr_eq(&self.parts, &arc.parts) {
            *self = Self::of(arc);
        }
    }

    /// The energies that are [`stored`] at `t` (s), J.
    fn stored(&mut self, segment: &Segment<MachineArc>, t: f64) -> [f64; 3] {
        let arc = &segment.arc;
        self.fit(arc);
        let flow = arc.flow();
        self.u.resize(flow.size(), 0.0);
        arc.dense.at(t, &mut self.u);
        flow.kinematics(t, &self.u, &mut self.at);
        stored(flow.parts, &flow.mode.status, &self.at)
    }

    /// Adds what happens in a segment.
    fn add(&mut self, segment: &Segment<MachineArc>, energy: &mut Energy) {
        let flow = segment.arc.flow();
        // What five points miss of a power p is 4·10⁻¹³ h¹¹ p⁽¹⁰⁾, far below the error of a step of order 8, where the step had to
        // follow what p is made of.
        if is_followed(&flow) {
            self.add_by(&FIVE, segment, &flow, energy);
        } else {
            self.add_by(&EIGHT, segment, &flow, energy);
        }
    }

    /// The same by a rule of Gauss on each of its steps.
    fn add_by<const N: usize>(
        &mut self,
        rule: &Rule<N>,
        segment: &Segment<MachineArc>,
        flow: &Flow<'_>,
        energy: &mut Energy,
    ) {
        let arc = &segment.arc;
        let needs = Needs::of(flow);
        let Self { at, u, forces, .. } = self;
        u.clear();
        u.resize(flow.size(), 0.0);
        let mut looks = vec![[0.0; N]; flow.size()];
        for (i, &[start, h]) in arc.dense.steps.iter().enumerate() {
            // The last step of a segment may reach beyond it, and then counts up to its end.
            let to = (start + h).min(segment.end);
            if to <= start {
                continue;
            }
            let times = rule.times(start, to);
            arc.dense.on_step(i, &times, &mut looks);
            // Looks at the forces are what costs: all powers are taken from one.
            let [work, gross_work, friction, viscous, stops] = rule.each(start, to, |k| {
                let t = times[k];
                u.iter_mut().zip(&looks).for_each(|(u, look)| *u = look[k]);
                flow.kinematics(t, u, at);
                if needs.accelerations {
                    flow.dynamics(t, at);
                }
                flow.row_forces(t, at, forces);
                if needs.held {
                    flow.held_forces(t, &arc.since, at, forces);
                }
                let p = powers(flow, t, at, forces);
                [p.work, p.work.abs(), p.friction, p.viscous, p.stops]
            });
            energy.work += work;
            energy.gross_work += gross_work;
            energy.friction += friction;
            energy.viscous += viscous;
            energy.impacts += stops;
        }
    }
}

/// What the powers of a mode follow from, besides displacements and velocities.
#[derive(Debug, Clone, Copy)]
struct Needs {
    accelerations: bool,
    /// The forces of what is held: only what is moved as it is given does work on it.
    held: bool,
}

impl Needs {
    fn of(flow: &Flow<'_>) -> Self {
        let Flow { parts, mode, window, .. } = flow;
        let moves = |row: &Row| row.given.iter().any(|(g, _)| !window.given[*g].stands());
        let rows = parts.rows.iter().enumerate();
        let held =
            rows.filter(|(e, _)| parts.holds(*e, mode.status[*e])).any(|(_, row)| moves(row));
        // The friction of a gear that slides grows with what it hands on.
        let slides = |row: Option<usize>| row.is_some_and(|e| mode.status[e] != 0);
        let mut meshes = parts.meshes.iter().enumerate();
        let loaded = meshes.any(|(g, mesh)| parts.is_loaded(g) && slides(mesh.row));
        let led = !parts.links.led.is_empty();
        Self { accelerations: held || led || loaded || !parts.loops.is_empty(), held }
    }
}

/// Whether the steps had to follow all that powers are made of in this mode.
fn is_followed(flow: &Flow<'_>) -> bool {
    let Flow { parts, mode, window, .. } = flow;
    let free = |i: usize| match parts.places[i] {
        Place::With(mass, _) => mode.carried[mass].group.is_some(),
        Place::Led(..) => false,
    };
    // No step follows what is given, nor a load on what moves as it is given. A straight line is exact all the same.
    let steady = window.given.iter().all(GivenPiece::is_steady);
    let loads = window.forces.iter().all(|(i, force)| free(*i) || force.line().is_some());
    // What is led or carried may also be rubbed by what is pressed unsteadily, or pushed by a controller.
    let carried = mode.carried.iter().any(|c| c.group.is_none() && !c.given.is_empty());
    let alone = !carried && parts.links.led.is_empty();
    let normals = window.normals.iter().flatten().all(|normal| normal.line().is_some());
    steady && loads && (alone || normals && parts.loops.is_empty())
}

/// Kinetic and elastic energy, and that in soft stops, J.
pub(super) fn stored(parts: &Parts, status: &[i8], at: &Instant) -> [f64; 3] {
    let n = parts.masses();
    let kinetic: f64 = (0..n)
        .map(|i| {
            let momentum: f64 = (0..n).map(|j| parts.mass[i * n + j] * at.v[j]).sum();
            0.5 * at.v[i] * momentum
        })
        .sum();
    let network = parts.machine.network();
    let linear = network.springs().iter().map(|s| {
        let z = stretch(&at.node_x, s.between());
        0.5 * s.coefficient * z * z
    });
    let curved = parts.machine.springs().iter();
    let curved = curved.map(|s| s.curve.energy(stretch(&at.node_x, s.between())));
    let soft = parts.contacts.iter().enumerate().map(|(c, contact)| match contact.bumper {
        Bumper::Soft { stiffness, .. } if status[parts.sliders + c] == PUSHES => {
            0.5 * stiffness * at.gap[c] * at.gap[c]
        }
        _ => 0.0,
    });
    let soft = soft.sum();
    [kinetic, linear.sum::<f64>() + curved.sum::<f64>(), soft]
}

/// Powers of loads, friction and dashpots. The work of what is given is what the masses, springs and losses do not
/// explain otherwise: its force is that of all parts that pull at it. `forces` are those of the rows, N.
fn powers(flow: &Flow<'_>, t: f64, at: &Instant, forces: &[f64]) -> Powers {
    let parts = flow.parts;
    let network = parts.machine.network();
    let mut powers = Powers::default();
    for (i, force) in &flow.window.forces {
        // What is led does the work of its load itself, below.
        if matches!(parts.places[*i], Place::With(..)) {
            powers.work += force.value(t) * at.node_v[*i];
        }
    }
    for (controller, u) in parts.machine.controllers().iter().zip(&at.u) {
        powers.work += u * at.node_v[controller.on()];
    }
    for d in &parts.links.dashpots {
        let w = d.stretch(&at.node_v);
        powers.viscous += d.coefficient * w * w;
    }
    for e in (0..parts.sliders).filter(|e| flow.mode.status[*e] != 0) {
        powers.friction -= forces[e] * flow.speed(e, at)[0];
    }
    for c in 0..parts.contacts.len() {
        let row = parts.sliders + c;
        if flow.mode.status[row] == PUSHES {
            powers.stops -= forces[row] * flow.speed(row, at)[0];
        }
        // A bound that moves: the rest of the relative velocity is that of nodes.
        let bound = parts.contacts[c].bound();
        if let Some(g) = parts.given.iter().position(|g| *g == bound) {
            powers.work += forces[row] * parts.contacts[c].side * at.given[g][1];
        }
    }
    // A surface that moves gives what it does not rub away: f v_s.
    for (force, support) in forces.iter().zip(&parts.links.supports) {
        if let Some(g) = support {
            powers.work += force * at.given[*g][1];
        }
    }
    // A node that is led is led by what balances the springs, dashpots and sliders that pull at it.
    for (i, place) in parts.places.iter().enumerate() {
        if matches!(place, Place::Led(..)) {
            let mut pulled = at.node_force[i] - force_on(flow, i, t);
            for (e, slider) in network.sliders().iter().enumerate() {
                if flow.mode.status[e] == 0 {
                    let [a, b] = slider.between();
                    pulled += if a == Some(i) { forces[e] } else { 0.0 };
                    pulled -= if b == Some(i) { forces[e] } else { 0.0 };
                }
            }
            for (c, contact) in parts.contacts.iter().enumerate() {
                let row = parts.sliders + c;
                if parts.holds(row, flow.mode.status[row]) {
                    let [a, b] = parts.machine.stops()[contact.stop].between();
                    let push = contact.side * forces[row];
                    pulled += if a == Some(i) { push } else { 0.0 };
                    pulled -= if b == Some(i) { push } else { 0.0 };
                }
            }
            powers.work -= pulled * at.node_v[i];
        }
    }
    powers
}

/// The load on node `i`, N.
fn force_on(flow: &Flow<'_>, i: usize, t: f64) -> f64 {
    flow.window.forces.iter().find(|f| f.0 == i).map_or(0.0, |f| f.1.value(t))
}
