//! The motion of a machine between two events.

use super::control::Control;
use super::dormand_prince::Dense;
use super::flow::{Flow, Instant};
use super::mode::{Carried, Mode, carry};
use super::parts::{CLOSED, PUSHES, Parts};
use crate::model::Machine;
use crate::motion::{Event, Motion, NetworkPhase};
use std::sync::Arc;

/// The motion between two events: steps with dense output in the coordinates of the masses that move as one.
#[derive(Debug, Clone)]
pub struct MachineArc {
    pub(super) parts: Arc<Parts>,
    pub(super) mode: Arc<Mode>,
    pub(super) start: f64,
    /// Displacement of each mass at the start, m.
    pub(super) x0: Arc<[f64]>,
    /// Gap of each contact at the start, m.
    pub(super) gap0: Arc<[f64]>,
    /// When each slider came to rest, s.
    pub(super) since: Arc<[f64]>,
    /// What the controllers remembered there.
    pub(super) control: Arc<Control>,
    /// The piece on which each bend is.
    pub(super) pieces: Arc<[u32]>,
    pub(super) dense: Arc<Dense>,
}

impl MachineArc {
    /// The machine at `t` (s), for whoever looks at many instants.
    pub(super) fn instants<T>(&self, look: impl FnOnce(&mut dyn FnMut(f64) -> Instant) -> T) -> T {
        let flow = self.flow();
        let mut u = vec![0.0; flow.size()];
        look(&mut |t| {
            let mut at = Instant::of(&self.parts);
            self.dense.at(t, &mut u);
            flow.kinematics(t, &u, &mut at);
            flow.dynamics(t, &mut at);
            at
        })
    }

    /// Whether the stop of this number is closed.
    pub fn pushes(&self, stop: usize) -> bool {
        let rows = self.parts.contacts.iter().zip(&self.mode.status[self.parts.sliders..]);
        rows.enumerate().any(|(c, (contact, status))| {
            let row = self.parts.sliders + c;
            contact.stop == stop && (*status == PUSHES || self.parts.holds(row, *status))
        })
    }

    /// Whether the force of a continuous controller is at a limit.
    pub(crate) fn is_limited(&self) -> bool {
        let parts = &self.parts;
        (0..parts.loops.len()).any(|c| self.mode.status[parts.status_of(c)] != 0)
    }

    /// Which way the friction of the gear of this number slides, 0 at rest, if it has any.
    pub fn slides(&self, gear: usize) -> Option<i8> {
        let row = self.parts.meshes.get(gear)?.row?;
        Some(self.mode.status[row])
    }

    /// How the displacement and the velocity of each free mass follow those of another one while this motion lasts. What rubs
    /// holds velocities only; a stop that is closed holds displacements, too.
    pub(crate) fn follows(&self) -> [Vec<Follows>; 2] {
        let parts = &self.parts;
        let closed = (parts.sliders..parts.rows.len())
            .filter(|&e| parts.holds(e, self.mode.status[e]))
            .collect::<Vec<usize>>();
        let (places, first) = carry(parts, &closed);
        let of = |carried: &[Carried], first: &[usize]| {
            let one = |c: &Carried| c.group.map(|g| (first[g], c.ratio));
            carried.iter().map(one).collect()
        };
        [of(&places, &first), of(&self.mode.carried, &self.mode.first)]
    }

    /// How many of its rows rub: sliders, then gears with friction.
    pub(crate) fn rubbing(&self) -> usize {
        self.parts.sliders
    }

    /// What each row does: of what rubs which way it slips, of a stop's side 1 where it is open and 2 or more where it is closed, pushes or
    /// has been entered.
    pub(crate) fn doings(&self) -> Vec<i8> {
        let parts = &self.parts;
        let one = |e: usize| match self.mode.status[e] {
            CLOSED if e >= parts.sliders => MET + 1,
            status => status,
        };
        (0..parts.rows.len()).map(one).collect()
    }

    /// Notes in such a list that the stop of an event at `place` was met.
    pub(crate) fn mark(&self, place: usize, doings: &mut [i8]) {
        let parts = &self.parts;
        let stop = place.wrapping_sub(parts.machine.network().sliders().len());
        let side = parts.contacts.iter().position(|c| c.stop == stop);
        if let Some(c) = side {
            doings[parts.sliders + c] = MET;
        }
    }

    /// The same motion for whoever looks at many instants.
    pub(crate) fn look(&self) -> Look<'_> {
        let flow = self.flow();
        let u = vec![0.0; flow.size()];
        Look { dense: &self.dense, at: Instant::of(&self.parts), flow, u }
    }

    /// Where its steps begin, s.
    pub(crate) fn instants_of_steps(&self) -> impl Iterator<Item = f64> + '_ {
        self.dense.steps.iter().map(|s| s[0])
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.dense.steps.len()
    }

    pub(super) fn flow(&self) -> Flow<'_> {
        // The window of the start: an arc reaches over no breakpoint.
        let window = self.parts.window(self.start);
        Flow {
            parts: &self.parts,
            mode: &self.mode,
            window,
            x0: &self.x0,
            gap0: &self.gap0,
            applied: &self.control.applied,
            pieces: &self.pieces,
        }
    }
}

impl Flow<'_> {
    /// The force of each row on its first end, N: the friction of sliders and gears, then the push of contacts along the way in which
    /// they open; 0 of what is held.
    pub(super) fn row_forces(&self, t: f64, at: &Instant, forces: &mut [f64]) {
        let parts = self.parts;
        let status = &self.mode.status;
        forces.fill(0.0);
        for rub in parts.links.sliders.iter().filter(|rub| status[rub.row] != 0) {
            let side = f64::from(status[rub.row]);
            let most = parts.friction_of(rub, side, t, &self.window, status, at);
            // From −0 to 0, as a slider without friction has it.
            forces[rub.row] = 0.0 - side * most;
        }
        for (g, mesh) in parts.meshes.iter().enumerate() {
            let Some(e) = mesh.row.filter(|e| status[*e] != 0) else { continue };
            let side = f64::from(status[e]);
            // The limits are those of a force on the first end, which is against the slip.
            let most = -parts.gear_limits(g, at.load[g])[usize::from(side < 0.0)] * side;
            forces[e] = 0.0 - side * most;
        }
        for i in 0..parts.bristles.len() {
            let (e, friction) = parts.bristle_force(i, t, &self.window, &self.mode.status, at);
            forces[e] = 0.0 - friction;
        }
        for c in 0..parts.contacts.len() {
            if self.mode.status[parts.sliders + c] == PUSHES {
                forces[parts.sliders + c] = self.push(c, at)[0];
            }
        }
    }

    /// The same of what is held, which follows from the balance; where several rows hold the same masses, forces within their limits are
    /// chosen. `since` says when each slider came to rest, s.
    pub(super) fn held_forces(&self, t: f64, since: &[f64], at: &Instant, forces: &mut [f64]) {
        for (e, force) in super::share::held(self, t, since, at) {
            forces[e] = force;
        }
    }

    /// Everything that a solution tells of the machine at `t` (s), where it is `at`, its sliders have rested `since` (s) and its
    /// controllers remember `control`.
    pub(super) fn state(
        &self,
        t: f64,
        since: &[f64],
        control: &Control,
        mut at: Instant,
    ) -> MachineState {
        let parts = self.parts;
        let status = &self.mode.status;
        // First the forces of all that rubs and pushes: loads follow from those of what is held.
        let mut friction = vec![0.0; parts.rows.len()];
        self.row_forces(t, &at, &mut friction);
        self.held_forces(t, since, &at, &mut friction);
        let held = |e: &usize| parts.holds(*e, status[*e]);
        let held: Vec<(usize, f64)> =
            (0..friction.len()).filter(held).map(|e| (e, friction[e])).collect();
        let load = parts.handed_on(&at, &held).into_iter().map(|[load, _]| load).collect();
        let meshes = parts.meshes.iter();
        let rub = meshes.map(|m| m.row.map_or(0.0, |e| friction[e])).collect();
        let pushes = friction.split_off(parts.sliders);
        friction.truncate(parts.machine.network().sliders().len());
        let stops = parts.machine.stops().len();
        let mut gap = vec![f64::INFINITY; stops];
        let mut force = vec![0.0; stops];
        for (c, contact) in parts.contacts.iter().enumerate() {
            // Of two bounds the nearer one.
            gap[contact.stop] = at.gap[c].min(gap[contact.stop]);
            force[contact.stop] += contact.side * pushes[c];
        }
        // Behind the nodes stands the ground.
        let nodes = parts.places.len();
        at.node_x.truncate(nodes);
        at.node_v.truncate(nodes);
        let bristles = parts.deflections(&at.states);
        let sliders = 0..parts.machine.network().sliders().len();
        let rested = sliders.map(|e| if status[e] == 0 { t - since[e] } else { 0.0 });
        let rested = rested.collect();
        let control = Control { states: at.states, ..control.clone() };
        MachineState {
            x: at.node_x,
            v: at.node_v,
            friction,
            gap,
            force,
            u: at.u,
            control,
            load,
            rub,
            bristles,
            rested,
        }
    }
}

/// The code of an impact, beyond those of contacts that are open, push or do not.
const MET: i8 = 4;

/// The mass whose number another one is so many times, but for what is given; `None` where all of it is given.
pub(crate) type Follows = Option<(usize, f64)>;

/// A motion at many instants.
pub(crate) struct Look<'a> {
    flow: Flow<'a>,
    dense: &'a Dense,
    at: Instant,
    u: Vec<f64>,
}

impl Look<'_> {
    /// Displacement and velocity of node number `node` at `t` (s), m and m/s.
    pub fn node(&mut self, t: f64, node: usize) -> [f64; 2] {
        self.dense.at(t, &mut self.u);
        self.flow.kinematics(t, &self.u, &mut self.at);
        [self.at.node_x[node], self.at.node_v[node]]
    }

    /// The velocity and the acceleration of each free mass at `t` (s), and the rates of what controllers and bristles remember.
    pub fn rates(&mut self, t: f64) -> Vec<f64> {
        self.dense.at(t, &mut self.u);
        let mut du = vec![0.0; self.u.len()];
        self.flow.derivative(t, &self.u, &mut du, &mut self.at);
        let inner = &du[2 * self.flow.mode.groups..];
        [&self.at.v[..], &self.at.a, inner].concat()
    }
}

/// A machine at one instant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MachineState {
    /// x of each node, m.
    pub x: Vec<f64>,
    /// ẋ of each node, m/s.
    pub v: Vec<f64>,
    /// The friction of each slider on its first end, N.
    pub friction: Vec<f64>,
    /// The smaller gap of each stop, m; negative where a soft one is entered.
    pub gap: Vec<f64>,
    /// The force of each stop on its first end, N.
    pub force: Vec<f64>,
    /// The force of each controller, N.
    pub u: Vec<f64>,
    /// What the controllers remember.
    pub control: Control,
    /// What each gear hands on to its second side, N, and its friction on its first side, N.
    pub load: Vec<f64>,
    pub rub: Vec<f64>,
    /// The deflection of the bristle of each slider with memory, m.
    pub bristles: Vec<f64>,
    /// How long each slider has rested, s; 0 where it slips. Time steps do not tell it.
    pub rested: Vec<f64>,
}

impl MachineState {
    /// The numbers of a solution of `machine`: x and v of each node, friction of sliders, gap and force of stops, forces of controllers,
    /// then of each gear what it hands on and its friction, and what sliders remember.
    pub(crate) fn row<'a>(&'a self, machine: &'a Machine) -> impl Iterator<Item = f64> + 'a {
        let pairs = self.x.iter().zip(&self.v).flat_map(|(x, v)| [*x, *v]);
        let stops = self.gap.iter().zip(&self.force).flat_map(|(gap, force)| [*gap, *force]);
        let gears =
            machine.gears().iter().zip(self.load.iter().zip(&self.rub)).flat_map(
                |(g, (load, rub))| std::iter::once(*load).chain(g.friction.map(|_| *rub)),
            );
        let forces = self.friction.iter().copied();
        let all = pairs.chain(forces).chain(stops).chain(self.u.iter().copied()).chain(gears);
        all.chain(self.bristles.iter().copied())
    }
}

impl Motion for MachineArc {
    type Phase = NetworkPhase;
    type State = MachineState;
    type Event = Event;

    fn state(&self, t: f64) -> MachineState {
        let at = self.instants(|at| at(t));
        self.flow().state(t, &self.since, &self.control, at)
    }
}
