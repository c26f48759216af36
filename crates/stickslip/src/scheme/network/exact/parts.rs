//! A network laid flat: indices instead of names, the ground as the last node.

use super::inertia::Inertia;
use super::power::Power;
use crate::error::{Error, Obstacle};
use crate::model::Network;
use crate::model::network::{Link, Shared, Slider};
use crate::numeric::natural_frequency;
use crate::onestep::Ldl;
use crate::signal::{Knot, Signal};
use std::collections::BTreeMap;

/// A spring or dashpot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Branch {
    pub a: usize,
    pub b: usize,
    /// k, N/m, or c, N·s/m.
    pub coefficient: f64,
}

/// A slider: friction −λ on `a`, +λ on `b`.
#[derive(Debug, Clone)]
pub(super) struct Contact {
    pub name: String,
    pub a: usize,
    pub b: usize,
    pub breakaway: f64,
    pub dynamic: f64,
    /// N(t), N.
    normal: Option<Signal>,
}

impl Contact {
    fn new(s: &Slider, ground: usize) -> Self {
        let [a, b] = s.between().map(|e| e.unwrap_or(ground));
        let name = s.name.to_string();
        let normal = s.normal.clone();
        Self { name, a, b, breakaway: s.breakaway, dynamic: s.dynamic, normal }
    }

    /// Whether its force falls when it breaks away.
    pub fn breaks(&self) -> bool {
        self.dynamic < self.breakaway
    }

    /// Whether N is constant.
    pub fn is_constant(&self) -> bool {
        self.normal.as_ref().is_none_or(|n| n.as_constant().is_some())
    }

    /// What f_s and f_d are multiplied by, from `t` on.
    pub fn normal(&self, t: f64) -> Power {
        // The limits are in newtons then, and are multiplied by 1.
        let Some(normal) = &self.normal else {
            let mut one = Power::ZERO;
            one.0[0] = 1.0;
            return one;
        };
        let mut p = Power::of(&normal.piece_at(t), t);
        p.0[0] = p.0[0].max(0.0); // where it touches zero, but for rounding
        p
    }

    /// What the rounding errors of [`normal`](Self::normal) are relative to.
    pub(crate) fn normal_terms(&self, t: f64) -> Power {
        self.normal.as_ref().map_or(Power::ZERO, |n| Power::terms(&n.piece_at(t), t))
    }
}

/// The network.
#[derive(Debug)]
pub(super) struct Parts {
    pub network: Network,
    /// Number of nodes, and the index of the ground.
    pub ground: usize,
    /// m of each node and the ground, kg.
    pub mass: Vec<f64>,
    /// What of their masses nodes share.
    pub shared: Vec<Shared>,
    pub springs: Vec<Branch>,
    pub dashpots: Vec<Branch>,
    pub contacts: Vec<Contact>,
    /// F(t) where there is one.
    pub forces: Vec<(usize, Signal)>,
    /// x(t) where it is prescribed.
    pub motions: Vec<(usize, Signal)>,
    /// Whether the motion of a node is given: the ground, and prescribed nodes.
    pub given: Vec<bool>,
    /// Where any signal is not smooth, s.
    pub breakpoints: Vec<f64>,
    /// The fastest harmonic, rad/s.
    pub fastest: f64,
}

impl Parts {
    pub fn new(network: &Network, end: f64) -> Result<Self, Error> {
        let nodes = network.nodes();
        let ground = nodes.len();
        let mut given: Vec<bool> = nodes.iter().map(|n| n.motion.is_some()).collect();
        // The ground is the last node, and its motion is given.
        given.push(true);
        let branch = |l: &Link| {
            let [a, b] = l.between().map(|e| e.unwrap_or(ground));
            Branch { a, b, coefficient: l.coefficient }
        };
        let contacts: Vec<_> = network.sliders().iter().map(|s| Contact::new(s, ground)).collect();
        let zero = Signal::default();
        let of = |i: usize, s: &Signal| (i, s.clone());
        let forces: Vec<_> = nodes.iter().enumerate().filter(|n| n.1.force != zero).collect();
        let forces = forces.into_iter().map(|(i, n)| of(i, &n.force)).collect::<Vec<_>>();
        let motions: Vec<_> =
            nodes.iter().enumerate().filter_map(|(i, n)| Some(of(i, n.motion.as_ref()?))).collect();
        for (i, motion) in &motions {
            if let Some(t) = first_jump(motion, end) {
                return Err(unsuitable(Obstacle::Jump {
                    node: nodes[*i].name.to_string(),
                    time: t,
                    remedy: "use implicit-euler, or a steep ramp in place of the jump",
                }));
            }
        }
        let normals = || contacts.iter().filter_map(|c| c.normal.as_ref());
        let signals = || forces.iter().chain(&motions).map(|s| &s.1).chain(normals());
        let mut breakpoints: Vec<f64> = signals().flat_map(|s| s.breakpoints(0.0, end)).collect();
        // What jumps at the end belongs to the run: slip has begun there.
        if forces.iter().map(|f| &f.1).chain(normals()).any(|s| jump_at(s, end)) {
            breakpoints.push(end);
        }
        breakpoints.sort_unstable_by(f64::total_cmp);
        breakpoints.dedup();
        let harmonics = signals().flat_map(|s| s.harmonics());
        let fastest = harmonics.map(|h| h.angular_frequency).fold(0.0, f64::max);
        let mut mass: Vec<f64> = nodes.iter().map(|n| n.mass).collect();
        mass.push(0.0);
        Ok(Self {
            network: network.clone(),
            ground,
            mass,
            shared: network.shared_masses().to_vec(),
            springs: network.springs().iter().map(branch).collect(),
            dashpots: network.dashpots().iter().map(branch).collect(),
            contacts,
            forces,
            motions,
            given,
            breakpoints,
            fastest,
        })
    }

    /// An error if a prescribed motion goes from its place in `x` (m) to another at `t` (s).
    pub(crate) fn check_continuous(&self, t: f64, x: &[f64]) -> Result<(), Error> {
        for (i, motion) in &self.motions {
            let was = x[*i];
            let is = motion.value(t);
            if (is - was).abs() > 1e-9 * is.abs().max(was.abs()) {
                let node = self.network.nodes()[*i].name.to_string();
                let reason = Obstacle::JumpBetween { node, from: was, to: is, time: t };
                return Err(unsuitable(reason));
            }
        }
        Ok(())
    }

    /// For each node one that it moves with from `t` on whatever the sliders do: of all prescribed nodes, and the
    /// ground, that move alike the last, else itself.
    pub fn alike(&self, t: f64) -> Vec<usize> {
        let rest = Power::ZERO;
        let rate = |m: &Signal| Power::of(&m.piece_at(t), t).derivative();
        // Compared by their rates: two belts may be at different places and yet move as one body.
        let mut groups: Vec<(usize, Power)> = vec![(self.ground, rest)];
        let mut alike: Vec<usize> = (0..=self.ground).collect();
        for (i, motion) in &self.motions {
            let rate = rate(motion);
            match groups.iter().find(|g| g.1 == rate) {
                Some(g) => alike[*i] = g.0,
                None => groups.push((*i, rate)),
            }
        }
        alike
    }

    /// A time in which nothing changes much, s: of the lightest mass on its springs and dashpots, the slackest dashpot
    /// on its springs, and the fastest harmonic.
    pub(crate) fn fastest_time(&self) -> f64 {
        let around = |of: &[Branch], i: usize| -> f64 {
            of.iter().filter(|b| b.a == i || b.b == i).map(|b| b.coefficient.abs()).sum()
        };
        let rate = |i: usize| {
            let k = around(&self.springs, i);
            let c = around(&self.dashpots, i);
            let m = self.mass[i];
            if m > 0.0 {
                natural_frequency(k, m) + c / m
            } else if c > 0.0 {
                // Without mass, but on a dashpot, it creeps at the rate k/c.
                k / c
            } else {
                0.0
            }
        };
        let free = (0..self.ground).filter(|&i| !self.given[i]);
        let mut fastest = free.map(rate).fold(self.fastest, f64::max);
        let set: Vec<usize> = (0..=self.ground).collect();
        let massive: Vec<bool> =
            set.iter().map(|&i| self.mass[i] > 0.0 && !self.given[i]).collect();
        // Mass that is shared makes some motions faster than those of each mass on its own.
        if let Some(inertia) = Inertia::new(&self.mass, &self.shared, &set, &massive) {
            let k = |i| around(&self.springs, i);
            let c = |i| around(&self.dashpots, i);
            fastest = fastest.max(inertia.fastest(k, c));
        }
        if fastest > 0.0 { 1.0 / fastest } else { 1.0 }
    }

    /// Adds `factor` M u of the masses that nodes share to `sum`.
    pub(crate) fn add_shared(&self, factor: f64, u: &[f64], sum: &mut [f64]) {
        for s in &self.shared {
            let [i, j] = s.between;
            sum[i] += factor * s.mass * u[j];
            sum[j] += factor * s.mass * u[i];
        }
    }

    /// Groups of nodes without mass that dashpots join, for `group[node]` and whether each group is
    /// without mass and free: for each group the set it is in, and whether a dashpot holds that set.
    pub(crate) fn damped_sets(
        &self,
        group: &[usize],
        massless: &[bool],
    ) -> (Vec<usize>, Vec<bool>) {
        let held = massless.len();
        // One more vertex stands for everything that cannot jump: masses, prescribed nodes and the ground.
        let mut sets = Sets::new(held + 1);
        let vertex = |node: usize| if massless[group[node]] { group[node] } else { held };
        for d in &self.dashpots {
            let a = vertex(d.a);
            let b = vertex(d.b);
            if group[d.a] != group[d.b] {
                sets.join(a, b);
            }
        }
        let root = sets.root(held);
        let set: Vec<usize> = (0..held).map(|g| sets.root(g)).collect();
        let fixed = set.iter().map(|&s| s == root).collect();
        (set, fixed)
    }
}

pub(super) fn unsuitable(reason: Obstacle) -> Error {
    Error::Unsuitable { scheme: "exact", reason }
}

/// The first jump of a signal inside (0, `end`), s.
pub(super) fn first_jump(s: &Signal, end: f64) -> Option<f64> {
    let inside = |t: &f64| *t > 0.0 && *t < end;
    s.knots().windows(2).filter(jumps).map(|w| w[1].time).find(inside)
}

/// Whether a signal jumps at `t`.
fn jump_at(s: &Signal, t: f64) -> bool {
    s.knots().windows(2).filter(jumps).any(|w| w[1].time == t)
}

/// Whether the second of two pieces begins elsewhere than where the first ends, by more than rounding.
fn jumps(w: &&[Knot]) -> bool {
    let left = w[0].at(w[1].time);
    let right = w[1].value;
    // What is below the rounding of the values, and of the ramp that leads from one to the other, is no jump.
    let scale = left.abs() + right.abs() + (w[0].rate * (w[1].time - w[0].time)).abs();
    (right - left).abs() > 1e-12 * scale
}

/// Disjoint sets.
pub(super) struct Sets(Vec<usize>);

impl Sets {
    pub fn new(n: usize) -> Self {
        Self((0..n).collect())
    }

    pub fn root(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            // Halving the path on the way keeps the trees flat.
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    pub fn join(&mut self, a: usize, b: usize) {
        let a = self.root(a);
        let b = self.root(b);
        self.0[a] = b;
    }
}

/// The stiffness (or damping) between some vertices, all other nodes held: factored.
#[derive(Debug, Clone)]
pub(super) struct Laplacian {
    /// The vertex of each node, if it has one.
    pub vertex: Vec<Option<usize>>,
    pub size: usize,
    ldl: Ldl,
    /// |K⁻¹|, row by row, where a coefficient is negative; without one no entry of K⁻¹ is.
    magnitudes: Option<Vec<f64>>,
}

impl Laplacian {
    pub fn new(vertex: Vec<Option<usize>>, size: usize, branches: &[Branch]) -> Self {
        let entries = entries(&vertex, size, branches);
        let (pairs, values): (Vec<_>, Vec<f64>) = entries.into_iter().unzip();
        let mut ldl = Ldl::new(size, &pairs);
        ldl.factor(&values);
        let negative = |b: &Branch| b.coefficient < 0.0 && vertex[b.a] != vertex[b.b];
        // Matrices may have springs of negative stiffness, and then K⁻¹ has entries of both signs.
        let magnitudes = branches.iter().any(negative).then(|| {
            let mut all = vec![0.0; size * size];
            for (k, column) in all.chunks_mut(size.max(1)).enumerate() {
                column[k] = 1.0;
                ldl.solve(column);
                column.iter_mut().for_each(|c| *c = c.abs());
            }
            all
        });
        Self { vertex, size, ldl, magnitudes }
    }

    /// What errors `r` of the right-hand side do at most, in place; `room` has the same length.
    pub fn bound(&self, r: &mut [f64], room: &mut [f64]) {
        // K⁻¹ ≥ 0, entry by entry: what it makes of the largest errors is the largest that errors can do.
        let Some(magnitudes) = &self.magnitudes else { return self.solve(r, room) };
        room.copy_from_slice(r);
        for (r, line) in r.iter_mut().zip(magnitudes.chunks(self.size.max(1))) {
            *r = line.iter().zip(&*room).map(|(k, e)| k * e).sum();
        }
    }

    /// Solves in place; `room` has the same length.
    pub fn solve(&self, r: &mut [f64], room: &mut [f64]) {
        self.ldl.solve_in(r, room);
    }
}

/// Entries of the matrix of `branches` between vertices, each pair once.
pub(super) fn entries(
    vertex: &[Option<usize>],
    size: usize,
    branches: &[Branch],
) -> BTreeMap<(usize, usize), f64> {
    // The diagonal is always there.
    let mut sum: BTreeMap<_, _> = (0..size).map(|i| ((i, i), 0.0)).collect();
    for s in branches {
        let a = vertex[s.a];
        let b = vertex[s.b];
        // Its ends move as one, and it pulls at nothing.
        if a == b {
            continue;
        }
        for v in [a, b].into_iter().flatten() {
            *sum.entry((v, v)).or_default() += s.coefficient;
        }
        if let (Some(a), Some(b)) = (a, b) {
            *sum.entry((a.min(b), a.max(b))).or_default() -= s.coefficient;
        }
    }
    sum
}
