//! The equations of motion in a mode.

use super::Masses;
use super::balance::Question;
use super::mode::Mode;
use super::parts::{CLOSED, PUSHES, Parts, Window};
use super::places::Creep;
use super::plan::{Follower, Led, Plan, Pressed, Rub};
use crate::law::Law;
use crate::model::Bumper;

/// Everything about the machine at an instant.
#[derive(Debug, Clone, Default)]
pub(super) struct Instant {
    /// Way since the start of the arc, velocity and acceleration of what is given.
    pub given: Vec<[f64; 3]>,
    /// Displacement, way since the start of the arc and velocity of each mass.
    pub x: Vec<f64>,
    pub way: Vec<f64>,
    pub v: Vec<f64>,
    /// Displacement and velocity of each node, then those of the ground, which are 0.
    pub node_x: Vec<f64>,
    pub node_v: Vec<f64>,
    /// Sliders with memory whose law is of rate and state; of others what stands here says nothing.
    pub creeps: Vec<Creep>,
    /// Of those that take a place: the sliding velocity beyond that of the groups that keep theirs, and of what is given, m/s.
    pub beyond: Vec<f64>,
    /// The velocity of each group, m/s.
    pub group_v: Vec<f64>,
    /// Gap of each contact, m.
    pub gap: Vec<f64>,
    /// Inner states of continuous controllers.
    pub states: Vec<f64>,
    /// Forces that sampled controllers hold, N, and those of all controllers.
    pub applied: Vec<f64>,
    /// The piece on which each bend is.
    pub pieces: Vec<u32>,
    pub u: Vec<f64>,
    /// Force on each node, but for that of the rows that are held, N; then what is pulled at the ground.
    pub node_force: Vec<f64>,
    /// The same on each mass, N; and what of it is left for the groups, beyond what a given acceleration needs.
    pub force: Vec<f64>,
    net: Vec<f64>,
    /// Acceleration of each mass, m/s².
    pub a: Vec<f64>,
    /// Acceleration of each group, m/s².
    pub group_a: Vec<f64>,
    /// What each gear hands on to its second side, N.
    pub load: Vec<f64>,
    /// The part of the friction of gears that grows with it, where it slides, N.
    pub rubs: Vec<f64>,
}

impl Instant {
    /// Room for that of a machine.
    pub fn of(parts: &Parts) -> Self {
        let masses = parts.masses();
        let nodes = parts.places.len();
        Self {
            given: vec![[0.0; 3]; parts.given.len()],
            x: vec![0.0; masses],
            way: vec![0.0; masses],
            v: vec![0.0; masses],
            node_x: vec![0.0; nodes + 1],
            node_v: vec![0.0; nodes + 1],
            creeps: vec![Creep::default(); parts.bristles.len()],
            beyond: Vec::with_capacity(parts.bristles.len()),
            group_v: Vec::with_capacity(masses),
            gap: vec![0.0; parts.contacts.len()],
            states: vec![0.0; parts.states()],
            applied: vec![0.0; parts.loops.len()],
            pieces: vec![0; parts.bends.all.len()],
            u: vec![0.0; parts.loops.len()],
            node_force: vec![0.0; nodes + 1],
            force: vec![0.0; masses],
            net: vec![0.0; masses],
            a: vec![0.0; masses],
            group_a: Vec::with_capacity(masses),
            load: vec![0.0; parts.meshes.len()],
            rubs: Vec::with_capacity(parts.meshes.len()),
        }
    }
}

/// A mode from an instant on.
pub(super) struct Flow<'a> {
    pub parts: &'a Parts,
    pub mode: &'a Mode,
    pub window: Window<'a>,
    /// Displacement of each mass at the start, m.
    pub x0: &'a [f64],
    /// Gap of each contact at the start, m.
    pub gap0: &'a [f64],
    /// Forces that sampled controllers hold, N.
    pub applied: &'a [f64],
    /// The piece on which each bend is.
    pub pieces: &'a [u32],
}

impl Flow<'_> {
    /// Numbers of the state: the ways and the velocities of all groups, and the inner states of controllers.
    pub fn size(&self) -> usize {
        2 * self.mode.groups + self.parts.states()
    }

    /// The state at the start, from the velocities of the masses and what controllers and sliders remember.
    pub fn first(&self, state: &Masses, given: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut first = vec![0.0; self.mode.groups];
        first.extend(self.mode.group_velocities(self.parts, &state.v, &given));
        first.extend(&state.control.states);
        self.take_levels(state, given, &mut first);
        first
    }

    /// Everything at `t` (s) as the mode begins in `state`, accelerations included.
    pub fn look(&self, t: f64, state: &Masses) -> Instant {
        let mut at = Instant::of(self.parts);
        let given: Vec<f64> = self.window.given.iter().map(|g| g.at(t)[1]).collect();
        let u = self.first(state, |g| given[g]);
        self.kinematics(t, &u, &mut at);
        self.dynamics(t, &mut at);
        at
    }

    /// Displacements and velocities in the state `u` at `t` (s).
    pub fn kinematics(&self, t: f64, u: &[f64], at: &mut Instant) {
        for (now, piece) in at.given.iter_mut().zip(&self.window.given) {
            *now = piece.at(t);
        }
        let groups = self.mode.groups;
        let (ways, rest) = u.split_at(groups);
        let (speeds, states) = rest.split_at(groups);
        at.states.copy_from_slice(states);
        at.group_v.clear();
        at.group_v.extend_from_slice(speeds);
        self.release_levels(at);
        if self.mode.plan.alone {
            at.way.copy_from_slice(ways);
            at.v.copy_from_slice(&at.group_v);
        } else {
            self.carry(ways, at);
        }
        // Displacement and way are kept apart, so that small ways keep their digits.
        for (x, (x0, way)) in at.x.iter_mut().zip(self.x0.iter().zip(&at.way)) {
            *x = x0 + way;
        }
        self.parts.nodes(t, &self.window, at);
        // From the ways since the start: differences of displacements would lose what small bounces are made of.
        for (c, gap0) in self.gap0.iter().enumerate() {
            let row = &self.parts.rows[self.parts.sliders + c];
            at.gap[c] = gap0 + row.value(&at.way, |g| at.given[g][0]);
        }
        self.show_ages(at);
        at.applied.copy_from_slice(self.applied);
        at.pieces.copy_from_slice(self.pieces);
    }

    /// The ways and the velocities of masses from those of their groups.
    fn carry(&self, ways: &[f64], at: &mut Instant) {
        for (i, carried) in self.mode.carried.iter().enumerate() {
            // A mass whose motion is given has no group: all of its velocity is that of what carries it.
            let [mut way, mut v] = match carried.group {
                Some(g) => [carried.ratio * ways[g], carried.ratio * at.group_v[g]],
                None => [0.0; 2],
            };
            for (g, c) in &carried.given {
                way += c * at.given[*g][0];
                v += c * at.given[*g][1];
            }
            at.way[i] = way;
            at.v[i] = v;
        }
    }

    /// Forces and accelerations, after [`kinematics`](Self::kinematics).
    pub fn dynamics(&self, t: f64, at: &mut Instant) {
        self.parts.forces(t, &self.window, &self.mode.status, at);
        let Plan { answers, led, alone } = &self.mode.plan;
        if *led {
            self.load_by_given(at);
        }
        // What a given acceleration takes is not left for the groups.
        let net = if *led { &at.net } else { &at.force };
        at.group_a.clear();
        at.group_a.resize(self.mode.groups, 0.0);
        for answer in answers {
            at.group_a[answer.group] += answer.weight * net[answer.mass];
        }
        if *alone {
            at.a.copy_from_slice(&at.group_a);
        } else {
            if !led {
                at.a.fill(0.0);
            }
            for (a, carried) in at.a.iter_mut().zip(&self.mode.carried) {
                if let Some(g) = carried.group {
                    *a += carried.ratio * at.group_a[g];
                }
            }
        }
        self.hand_on(at);
    }

    /// The acceleration that is given to the masses, whose inertia is a load on the groups (d'Alembert).
    fn load_by_given(&self, at: &mut Instant) {
        let n = self.parts.masses();
        at.net.copy_from_slice(&at.force);
        for (i, carried) in self.mode.carried.iter().enumerate() {
            at.a[i] = carried.given.iter().map(|(g, c)| c * at.given[*g][2]).sum();
        }
        // Most of what moves as it is given moves steadily.
        if at.a.iter().any(|a| *a != 0.0) {
            for i in 0..n {
                let mass = &self.parts.mass[i * n..(i + 1) * n];
                at.net[i] -= mass.iter().zip(&at.a).map(|(m, a)| m * a).sum::<f64>();
            }
        }
    }

    /// The derivative of the state `u` at `t` (s).
    pub fn derivative(&self, t: f64, u: &[f64], du: &mut [f64], at: &mut Instant) {
        self.kinematics(t, u, at);
        self.dynamics(t, at);
        let groups = self.mode.groups;
        // The ways first, then the velocities: their rates are the velocities and the accelerations.
        du[..groups].copy_from_slice(&at.group_v);
        du[groups..2 * groups].copy_from_slice(&at.group_a);
        let rates = &mut du[2 * groups..];
        self.parts.control_rates(t, &self.window, &self.mode.status, at, rates);
        self.parts.bend(&self.mode.status, at, rates);
        self.raise_levels(at, du);
    }

    /// w·Q + Σ L(±)|w_e| of a way in which what is held may break, N; and the size of its terms. `since` is when each
    /// slider came to rest, s.
    pub fn margin(&self, direction: usize, t: f64, since: &[f64], at: &Instant) -> [f64; 2] {
        self.margin_under(direction, t, since, at, None)
    }

    /// The same where the loads of the gears that give way have these `signs`, whatever the loads are: the branch of a
    /// neighbouring motion.
    pub fn margin_under(
        &self,
        direction: usize,
        t: f64,
        since: &[f64],
        at: &Instant,
        signs: Option<&[f64]>,
    ) -> [f64; 2] {
        let n = self.parts.masses();
        let mut sum = 0.0;
        let mut size = 0.0;
        let direction = &self.mode.directions[direction];
        let limit = |e: usize, side: f64| {
            let normal = self.parts.normal(e, t, &self.window, &self.mode.status, at);
            self.parts.limit(e, side, t - since[e], normal)
        };
        let torn = self.torn_limits(direction, at, limit, signs);
        // Q, the forces that hold everything: inertia less load.
        for (i, w) in &direction.masses {
            let inertia: f64 = (0..n).map(|j| self.parts.mass[i * n + j] * at.a[j]).sum();
            sum += w * (inertia - at.force[*i]);
            size += w.abs() * (inertia.abs() + at.force[*i].abs());
        }
        for (e, w) in &direction.rows {
            let of_gear = torn.iter().find(|(f, _)| f == e).map(|(_, most)| *most);
            let limit = of_gear.unwrap_or_else(|| limit(*e, w.signum()));
            sum += limit * w.abs();
            size += limit * w.abs();
        }
        [sum, size]
    }

    /// The signs of the loads of the gears that give way in a direction, at its end.
    pub fn torn_signs(&self, direction: usize, t: f64, since: &[f64], at: &Instant) -> Vec<f64> {
        let direction = &self.mode.directions[direction];
        let limit = |e: usize, side: f64| {
            let normal = self.parts.normal(e, t, &self.window, &self.mode.status, at);
            self.parts.limit(e, side, t - since[e], normal)
        };
        self.torn_loads(direction, at, limit, None).into_iter().map(f64::signum).collect()
    }

    /// By how much the force of row `e` falls if it gives way towards `side` at `t` (s) after it has rested for `age` (s), N; 0 of what has no
    /// law, or one with memory.
    pub fn fall(&self, e: usize, side: f64, t: f64, age: f64, at: &Instant) -> f64 {
        let Some(law) = self.parts.law(e) else { return 0.0 };
        let normal = self.parts.normal(e, t, &self.window, &self.mode.status, at);
        self.parts.limit(e, side, age, normal) - normal * law.force(side, 0.0)
    }

    /// The force with which a soft contact would push, N, as long as it is entered, and the size of its terms.
    pub fn push(&self, c: usize, at: &Instant) -> [f64; 2] {
        let Bumper::Soft { stiffness, damping } = self.parts.contacts[c].bumper else {
            return [0.0; 2];
        };
        let [u, size] = self.speed(self.parts.sliders + c, at);
        let [spring, dashpot] = [-stiffness * at.gap[c], -damping * u];
        // The push may be negative: a damper pulls until the contact lets go.
        [spring + dashpot, spring.abs() + damping * size]
    }

    /// The size of the ways that make the gap of a contact, m: its rounding is far below them.
    pub fn reach(&self, c: usize, at: &Instant) -> f64 {
        let row = &self.parts.rows[self.parts.sliders + c];
        let masses = row.masses.iter().map(|(i, w)| (w * at.way[*i]).abs()).sum::<f64>();
        let given = row.given.iter().map(|(g, w)| (w * at.given[*g][0]).abs()).sum::<f64>();
        self.gap0[c].abs() + masses + given
    }

    /// The relative velocity of row `e`, m/s, and the size of its terms.
    pub fn speed(&self, e: usize, at: &Instant) -> [f64; 2] {
        if let Some(Some(across)) = self.parts.links.across.get(e) {
            return across.speed(&at.node_v, &at.given);
        }
        let row = &self.parts.rows[e];
        let mut sum = 0.0;
        let mut size = 0.0;
        for (i, c) in &row.masses {
            sum += c * at.v[*i];
            size += (c * at.v[*i]).abs();
        }
        for (g, c) in &row.given {
            sum += c * at.given[*g][1];
            size += (c * at.given[*g][1]).abs();
        }
        [sum, size]
    }
}

impl Parts {
    /// The law of row `e`, if it is a slider without memory.
    pub fn law(&self, e: usize) -> Option<&Law> {
        self.machine.frictions().get(e).filter(|f| f.bristle.is_none()).map(|f| &f.law)
    }

    /// Whether a row of this status holds its ends together.
    pub fn holds(&self, e: usize, status: i8) -> bool {
        let soft = |c: usize| matches!(self.contacts[c].bumper, Bumper::Soft { .. });
        let can = e < self.rows.len() && !e.checked_sub(self.sliders).is_some_and(soft);
        can && status == CLOSED
    }

    /// What the force of row `e` on its first end may be while it holds, N. What gears hand on is in `at`.
    pub fn limits(&self, e: usize, q: &Question<'_>, at: &Instant) -> [f64; 2] {
        if e >= self.sliders {
            // A stop pushes and never pulls.
            return [0.0, f64::INFINITY];
        }
        if let Some(g) = self.mesh(e) {
            return self.gear_limits(g, at.load[g]);
        }
        let normal = self.normal(e, q.t, q.window, q.status, at).max(0.0);
        let limit = |side: f64| self.limit(e, side, (q.t - q.since[e]).max(0.0), normal);
        // The force on the first end is against the way in which it would leave rest, hence the change of sign.
        [-limit(1.0), limit(-1.0)]
    }

    /// The force with which row `e` resists to leave rest towards `side`, after it has rested for `age` (s), N: of a gear
    /// that without a load, and none of a stop, which only pushes.
    pub fn limit(&self, e: usize, side: f64, age: f64, normal: f64) -> f64 {
        match (self.law(e), self.mesh(e)) {
            (Some(law), _) => normal * law.limit(side, age),
            (None, Some(g)) => self.meshes[g].friction.force,
            (None, None) => 0.0,
        }
    }

    /// Displacements and velocities of nodes from those of masses.
    pub fn nodes(&self, t: f64, window: &Window<'_>, at: &mut Instant) {
        let links = &self.links;
        if links.alone {
            at.node_x[..at.x.len()].copy_from_slice(&at.x);
            at.node_v[..at.v.len()].copy_from_slice(&at.v);
            return;
        }
        for Follower { node, mass, ratio } in &links.followers {
            at.node_x[*node] = ratio * at.x[*mass];
            at.node_v[*node] = ratio * at.v[*mass];
        }
        // By its signal, not by its way: the displacement of a led node is known at once.
        for Led { node, given, ratio } in &links.led {
            at.node_x[*node] = ratio * window.given[*given].value(t);
            at.node_v[*node] = ratio * at.given[*given][1];
        }
    }

    /// Velocities of nodes from those of masses and of what is given.
    pub fn node_velocities(&self, at: &mut Instant) {
        for Follower { node, mass, ratio } in &self.links.followers {
            at.node_v[*node] = ratio * at.v[*mass];
        }
        for Led { node, given, ratio } in &self.links.led {
            at.node_v[*node] = ratio * at.given[*given][1];
        }
    }

    /// The magnitude of the friction of a slider whose law has no memory and which slips to `side`, N.
    #[inline(always)]
    pub fn friction_of(
        &self,
        rub: &Rub,
        side: f64,
        t: f64,
        window: &Window<'_>,
        status: &[i8],
        at: &Instant,
    ) -> f64 {
        let e = rub.row;
        let w = match &self.links.across[e] {
            Some(across) => across.speed(&at.node_v, &at.given)[0],
            None => self.rows[e].value(&at.v, |g| at.given[g][1]),
        };
        // Beyond rest, where stages may look, the friction of the slip is continued.
        let force = rub.law.force(side, side * w);
        match rub.pressed {
            Pressed::Once => force,
            Pressed::Given => window.normal(e, t) * force,
            Pressed::ByMachine => self.normal(e, t, window, status, at) * force,
        }
    }

    /// Forces on nodes and masses at `t` (s) of everything but the rows that are held.
    pub fn forces(&self, t: f64, window: &Window<'_>, status: &[i8], at: &mut Instant) {
        let network = self.machine.network();
        at.node_force.fill(0.0);
        for (i, force) in &window.forces {
            at.node_force[*i] += force.value(t);
        }
        for spring in &self.links.springs {
            let z = spring.stretch(&at.node_x);
            spring.pull(&mut at.node_force, spring.coefficient * z);
        }
        for dashpot in &self.links.dashpots {
            let w = dashpot.stretch(&at.node_v);
            dashpot.pull(&mut at.node_force, dashpot.coefficient * w);
        }
        for (k, s) in self.machine.springs().iter().enumerate() {
            let z = stretch(&at.node_x, s.between());
            let force = self.spring_pull(k, z, at)[0];
            pull(&mut at.node_force, s.between(), force);
        }
        for rub in &self.links.sliders {
            // What rests is balanced by forces that follow from the others.
            if status[rub.row] != 0 {
                let side = f64::from(status[rub.row]);
                let friction = self.friction_of(rub, side, t, window, status, at);
                rub.ends.pull(&mut at.node_force, side * friction);
            }
        }
        for i in 0..self.bristles.len() {
            // Its side is never 0, but steps find its force by themselves.
            if status[self.bristles[i].row] == 0 {
                continue;
            }
            let (e, friction) = self.bristle_force(i, t, window, status, at);
            pull(&mut at.node_force, network.sliders()[e].between(), friction);
        }
        self.rub_without_load(status, at);
        for (c, contact) in self.contacts.iter().enumerate() {
            if status[self.sliders + c] == PUSHES {
                let push = self.push_of(c, at);
                let ends = self.machine.stops()[contact.stop].between();
                pull(&mut at.node_force, ends, -contact.side * push);
            }
        }
        self.actuate(t, window, status, at);
        if self.links.alone {
            let masses = at.force.len();
            at.force.copy_from_slice(&at.node_force[..masses]);
            return;
        }
        at.force.fill(0.0);
        // A node that goes ratio times as far as its train does ratio times the work there.
        for Follower { node, mass, ratio } in &self.links.followers {
            at.force[*mass] += ratio * at.node_force[*node];
        }
    }
}

/// u_a − u_b.
pub(super) fn stretch(u: &[f64], [a, b]: [Option<usize>; 2]) -> f64 {
    a.map_or(0.0, |i| u[i]) - b.map_or(0.0, |i| u[i])
}

/// Adds the forces of a part that pulls its ends together with `f` (N).
fn pull(force: &mut [f64], [a, b]: [Option<usize>; 2], f: f64) {
    if let Some(i) = a {
        force[i] -= f;
    }
    if let Some(i) = b {
        force[i] += f;
    }
}
