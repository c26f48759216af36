//! The linear system that a network is while every slider keeps sticking or slipping as it does.
//!
//! Sliders that stick join nodes into rigid clusters. In each cluster the springs, dashpots, forces and
//! the constant friction of the sliders that slip add up,
//!
//! ```text
//! M q̈ = Σ_i F_i − (C ẋ)_i − (K x)_i − (Gᵀλ)_i            a cluster with mass
//! 0   = the same                                         one without
//! ```
//!
//! and the power series of x about any instant follow term by term: acceleration from the forces where there is
//! mass, by the inverse of the clusters' mass matrix where they share some; where there is none, the velocity from a Laplacian of dashpots or, for what no dashpot holds, the
//! displacement from a Laplacian of springs. The forces in the sliders that stick follow from the balance of
//! the nodes along a tree of them, from the leaves to the root; those that close loops carry nothing here, see
//! [`share`](Mode::share).

use super::cuts::Clusters;
use super::inertia::Inertia;
use super::modal::{Modal, Pattern};
use super::parts::{Branch, Contact, Laplacian, Parts};
pub(super) use super::power::ROUNDING;
use super::power::{Power, radius};
use crate::error::Error;
use std::sync::{Arc, OnceLock};

/// Orders whose rounding errors are known: enough to tell which way a quantity leaves zero.
const KNOWN: usize = 5;

/// How much of the fastest harmonic an arc has at most, rad.
pub(super) const PHASE: f64 = 1.5;

/// What determines the motion of a cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ClusterMotion {
    /// The ground, or the prescribed node given.
    Given(usize),
    /// Its mass, kg.
    Massive(f64),
    /// The balance of forces.
    Massless,
}

/// One slip pattern of a network.
#[derive(Debug, Clone)]
pub(super) struct Mode {
    pub parts: Arc<Parts>,
    /// 0 sticks, ±1 slips that way.
    pub signs: Vec<i8>,
    /// The force in slip over N.
    pub sliding: Vec<f64>,
    pub clusters: Clusters,
    /// By clusters.
    pub motion: Vec<ClusterMotion>,
    /// The masses of clusters that share some.
    pub inertia: Option<Inertia>,
    /// Clusters without mass: what no dashpot holds, by displacement, and the rest, by velocity.
    pub statics: Laplacian,
    pub creep: Laplacian,
    /// Its modes, if they have been asked for and serve.
    modal: OnceLock<Option<Box<Modal>>>,
}

/// The motion about an instant, and room for its computation.
#[derive(Debug, Clone)]
pub(super) struct Series {
    /// x of each node and the ground.
    pub x: Vec<Power>,
    /// λ of each slider; two orders less are known.
    pub lambda: Vec<Power>,
    /// N of each slider.
    pub normal: Vec<Power>,
    /// Rounding errors of the first terms of x, and of λ in sliders that stick.
    pub noise: Vec<[f64; KNOWN]>,
    pub force_noise: Vec<[f64; KNOWN]>,
    /// Rounding errors of the first terms of N.
    pub normal_noise: Vec<[f64; KNOWN]>,
    /// Force on each node without the sliders that stick, less inertia, and its rounding errors.
    pub rest: Vec<Power>,
    doubt: Vec<[f64; KNOWN]>,
    sum: Vec<f64>,
    room: Vec<f64>,
    /// Room for masses that are shared.
    spare: Vec<f64>,
}

/// The state at an instant.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub t: f64,
    /// Displacements, velocities, and the errors of these.
    pub x: &'a [f64],
    pub v: &'a [f64],
    pub noise: &'a [f64],
}

/// Velocities of masses that a slip pattern joins.
pub(super) struct Joined {
    /// Of each node, m/s, momentum kept; 0 where there is no mass.
    pub velocity: Vec<f64>,
    /// Their rounding errors.
    pub noise: Vec<f64>,
    /// The impulse, N·s, that each slider of the tree needs for it, and its rounding error.
    pub impulse: Vec<(f64, f64)>,
}

impl Series {
    pub fn new(parts: &Parts) -> Self {
        let n = parts.ground + 1;
        let m = parts.contacts.len();
        Self {
            x: vec![Power::ZERO; n],
            lambda: vec![Power::ZERO; m],
            normal: vec![Power::ZERO; m],
            noise: vec![[0.0; KNOWN]; n],
            force_noise: vec![[0.0; KNOWN]; m],
            normal_noise: vec![[0.0; KNOWN]; m],
            rest: vec![Power::ZERO; n],
            doubt: vec![[0.0; KNOWN]; n],
            sum: vec![0.0; n],
            room: vec![0.0; n],
            spare: vec![0.0; if parts.shared.is_empty() { 0 } else { 2 * n }],
        }
    }

    /// Of nothing: no motion, and no loads.
    pub fn clear(&mut self) {
        self.x.fill(Power::ZERO);
        self.rest.fill(Power::ZERO);
        self.lambda.fill(Power::ZERO);
    }

    /// ẋ_a − ẋ_b, m/s.
    pub fn slip(&self, a: usize, b: usize) -> Power {
        self.x[a].plus(-1.0, &self.x[b]).derivative()
    }

    /// How long it holds, s.
    pub fn radius(&self, parts: &Parts) -> f64 {
        // The displacements alone do not show how fast a normal force varies, so the fastest harmonic bounds the arc
        // as well.
        let fastest = if parts.fastest > 0.0 { PHASE / parts.fastest } else { f64::INFINITY };
        radius(&self.x).min(fastest)
    }
}

impl Mode {
    /// The pattern `signs` from `t` on; who slips does so at f_d, or at f_s where it is `held`.
    pub fn new(parts: Arc<Parts>, signs: Vec<i8>, held: &[bool], t: f64) -> Result<Self, Error> {
        // While an instant is decided, a slider of a trial pattern may slip and still be held by f_s: see `pivot`.
        let sliding = |(c, held): (&Contact, &bool)| if *held { c.breakaway } else { c.dynamic };
        let sliding = parts.contacts.iter().zip(held).map(sliding).collect();
        let clusters = Clusters::new(&parts, &signs, parts.alike(t))?;
        let mut mass = vec![0.0; clusters.roots.len()];
        clusters.set.iter().zip(&parts.mass).for_each(|(&c, m)| mass[c] += m);
        let motion: Vec<ClusterMotion> = clusters
            .roots
            .iter()
            .zip(&mass)
            .map(|(&root, &mass)| match (parts.given[root], mass > 0.0) {
                (true, _) => ClusterMotion::Given(root),
                (false, true) => ClusterMotion::Massive(mass),
                (false, false) => ClusterMotion::Massless,
            })
            .collect();
        let massive: Vec<bool> =
            motion.iter().map(|k| matches!(k, ClusterMotion::Massive(_))).collect();
        let inertia = Inertia::new(&parts.mass, &parts.shared, &clusters.set, &massive);
        let (statics, creep) = massless(&parts, &clusters.set, &motion);
        let modal = OnceLock::new();
        Ok(Self { parts, signs, sliding, clusters, motion, inertia, statics, creep, modal })
    }

    /// Its modes, where they serve: see [`Modal`].
    pub fn modal(&self) -> Option<&Modal> {
        let moves = |motion: &ClusterMotion| match motion {
            ClusterMotion::Massive(_) => Some(true),
            ClusterMotion::Given(_) => Some(false),
            ClusterMotion::Massless => None,
        };
        let all = || self.motion.iter().map(moves).collect::<Vec<_>>();
        self.modal.get_or_init(|| Modal::of(self.pattern(), &all()).map(Box::new)).as_deref()
    }

    /// What its modes need to know of it.
    pub fn pattern(&self) -> Pattern<'_> {
        let Self { parts, clusters, signs, sliding, .. } = self;
        Pattern { parts, clusters, signs, sliding }
    }

    /// The same if they have been computed already.
    pub(crate) fn known_modal(&self) -> Option<&Modal> {
        self.modal.get()?.as_deref()
    }

    /// The same pattern from `t` on under the signals of `parts`, which are otherwise the parts of this network.
    pub fn under(&self, parts: Arc<Parts>, t: f64) -> Result<Self, Error> {
        // Loads do not enter the clusters, unless nodes that were prescribed alike part.
        if parts.alike(t) == self.clusters.alike {
            return Ok(Self { parts, modal: OnceLock::new(), ..self.clone() });
        }
        let held = vec![false; self.signs.len()];
        Self::new(parts, self.signs.clone(), &held, t)
    }

    /// What becomes of the velocities `v` of masses that move together from now on.
    pub fn join(&self, v: &[f64], noise: &[f64]) -> Joined {
        let clusters = self.motion.len();
        // NaN marks a cluster none of whose masses has been met so far.
        let mut first = vec![f64::NAN; clusters];
        let mut equal = vec![true; clusters];
        let mut momentum = vec![0.0; clusters];
        let mut doubt = vec![0.0f64; clusters];
        for (i, &c) in self.clusters.set.iter().enumerate() {
            let m = self.parts.mass[i];
            if m > 0.0 && !self.parts.given[i] {
                momentum[c] += m * v[i];
                // Masses that move alike already keep their velocity to the last bit; a mean of equal numbers may not be that number.
                equal[c] &= first[c].is_nan() || first[c] == v[i];
                first[c] = v[i];
                doubt[c] = doubt[c].max(noise[i]);
            }
        }
        if let Some(inertia) = &self.inertia {
            self.share_momentum(inertia, v, &mut first);
            // The velocities of the clusters are complete in `first` now; a sum of momenta over a sum of masses does
            // not hold here.
            equal.fill(true);
        }
        let velocity = |c: usize| match self.motion[c] {
            ClusterMotion::Given(root) => v[root],
            ClusterMotion::Massive(_) if equal[c] => first[c],
            ClusterMotion::Massive(mass) => momentum[c] / mass,
            ClusterMotion::Massless => 0.0,
        };
        let velocity: Vec<f64> = self.clusters.set.iter().map(|&c| velocity(c)).collect();
        let doubt = |c: usize| {
            if matches!(self.motion[c], ClusterMotion::Massive(_)) { doubt[c] } else { 0.0 }
        };
        let mut sum: Vec<(f64, f64)> = (0..v.len())
            .map(|i| {
                // What leads a prescribed node takes up any impulse on it.
                let m = if self.parts.given[i] { 0.0 } else { self.parts.mass[i] };
                let doubt = noise[i]
                    + doubt(self.clusters.set[i])
                    + ROUNDING * (v[i].abs() + velocity[i].abs());
                (m * (v[i] - velocity[i]), m * doubt)
            })
            .collect();
        for s in &self.parts.shared {
            let [i, j] = s.between;
            for (i, j) in [(i, j), (j, i)] {
                let doubt = noise[j]
                    + doubt(self.clusters.set[j])
                    + ROUNDING * (v[j].abs() + velocity[j].abs());
                sum[i].0 += s.mass * (v[j] - velocity[j]);
                sum[i].1 += s.mass.abs() * doubt;
            }
        }
        let mut impulse = vec![(0.0, 0.0); self.signs.len()];
        // What a node gives up in momentum goes through the slider to its parent. The tree begins with the leaves, so
        // the sum of a child is complete before it is passed on.
        for &(e, child, parent) in &self.clusters.tree {
            let (p, doubt) = sum[child];
            sum[parent] = (sum[parent].0 + p, sum[parent].1 + doubt);
            impulse[e] = (if self.parts.contacts[e].a == child { p } else { -p }, doubt);
        }
        let noise = self.clusters.set.iter().map(|&c| doubt(c)).collect();
        Joined { velocity, noise, impulse }
    }

    /// The velocities of clusters that share mass, momentum kept, from those of any of their nodes, `first`.
    fn share_momentum(&self, inertia: &Inertia, v: &[f64], first: &mut [f64]) {
        let p = &*self.parts;
        // The momentum is taken relative to one node of each cluster: where all masses agree it is exactly zero, and
        // so is the correction, which keeps their velocity to the last bit.
        let of = |c: usize| match self.motion[c] {
            ClusterMotion::Given(root) => v[root],
            _ => first[c],
        };
        let massive = |i: usize| p.mass[i] > 0.0 && !p.given[i];
        let apart = |i: usize| if massive(i) { v[i] - of(self.clusters.set[i]) } else { 0.0 };
        let apart: Vec<f64> = (0..v.len()).map(apart).collect();
        let mut momentum: Vec<f64> = apart.iter().zip(&p.mass).map(|(u, m)| m * u).collect();
        p.add_shared(1.0, &apart, &mut momentum);
        let clusters = self.motion.len();
        let mut sum = vec![0.0; clusters];
        let mut doubt = vec![0.0; clusters];
        for (&c, m) in self.clusters.set.iter().zip(momentum) {
            sum[c] += m;
        }
        inertia.solve(&mut sum, &mut doubt, &mut vec![0.0; 2 * clusters]);
        let massive = |c: &usize| matches!(self.motion[*c], ClusterMotion::Massive(_));
        (0..clusters).filter(massive).for_each(|c| first[c] += sum[c]);
    }

    /// The series to order `last` from an instant on. Where there is no mass only what dashpots hold is taken from the
    /// displacements, and nothing from the velocities.
    pub fn fill(&self, from: At<'_>, last: usize, s: &mut Series) {
        self.start(from, s);
        self.go_on(last, false, s);
    }

    /// The same with displacements by its modes, of which something is `carried`.
    pub(crate) fn fill_by(
        &self,
        modal: &Modal,
        carried: &[[f64; 2]],
        from: At<'_>,
        s: &mut Series,
    ) {
        self.start(from, s);
        modal.displace(self.pattern(), from.t, from.x, carried, true, &mut s.x);
        self.go_on(super::power::ORDER, true, s);
    }

    /// The series of a small change of the motion, to order `last`: what is given does not change.
    pub fn vary(&self, x: &[f64], v: &[f64], last: usize, s: &mut Series) {
        self.vary_with(x, v, last, s, |_| ());
    }

    /// The same where `given` changes too: it adds to the displacements of prescribed nodes and to the forces.
    pub(crate) fn vary_with(
        &self,
        x: &[f64],
        v: &[f64],
        last: usize,
        s: &mut Series,
        given: impl FnOnce(&mut Series),
    ) {
        s.clear();
        s.noise.fill([0.0; KNOWN]);
        s.doubt.fill([0.0; KNOWN]);
        given(s);
        for i in (0..self.parts.ground).filter(|&i| !self.parts.given[i]) {
            match self.motion[self.clusters.set[i]] {
                // What sticks to a prescribed node changes with it, from a place of its own.
                ClusterMotion::Given(root) => s.x[i] = s.x[root],
                ClusterMotion::Massive(_) => s.x[i].0[1] = v[i],
                ClusterMotion::Massless => {}
            }
            s.x[i].0[0] = x[i];
        }
        self.go_on(last, false, s);
    }

    /// Every term from those that are known; all displacements may be.
    fn go_on(&self, last: usize, displaced: bool, s: &mut Series) {
        let p = &*self.parts;
        for k in 0..=last {
            // The order matters. The springs of order k need all displacements of order k, of which those of nodes
            // that nothing but springs hold come last; the dashpots need order k + 1, which creep completes; then
            // every force of order k is known, and the masses find order k + 2. What sticks carries the rest, inertia
            // included.
            self.statics(k, s);
            for b in &p.springs {
                let stretch = s.x[b.a].0[k] - s.x[b.b].0[k];
                branch(s, b, k, k, b.coefficient, stretch);
            }
            if k == last {
                break;
            }
            self.creep(k, s);
            for b in &p.dashpots {
                let rate = s.x[b.a].0[k + 1] - s.x[b.b].0[k + 1];
                branch(s, b, k, k + 1, (k + 1) as f64 * b.coefficient, rate);
            }
            if k + 2 <= last {
                self.accelerate(k, displaced, s);
                self.hold(k, s);
            }
        }
    }

    /// Everything that is given: signals, displacements, velocities of masses.
    fn start(&self, At { t, x, v, noise }: At<'_>, s: &mut Series) {
        let p = &*self.parts;
        s.clear();
        s.noise.fill([0.0; KNOWN]);
        for (i, motion) in &p.motions {
            // Prescribed nodes come first, for what sticks to one of them copies its series.
            s.x[*i] = Power::of(&motion.piece_at(t), t);
        }
        for i in 0..=p.ground {
            let motion = self.motion[self.clusters.set[i]];
            if !p.given[i] {
                match motion {
                    ClusterMotion::Given(root) => s.x[i] = s.x[root],
                    ClusterMotion::Massive(_) => s.x[i].0[1] = v[i],
                    ClusterMotion::Massless => {}
                }
                s.x[i].0[0] = x[i];
            }
            let rounding = |k: usize| ROUNDING * s.x[i].0[k].abs();
            s.noise[i] = std::array::from_fn(rounding);
            if matches!(motion, ClusterMotion::Massive(_)) {
                // Velocities of masses bring the errors of the arc before along; those of prescribed nodes are known
                // anew.
                s.noise[i][1] += noise[i];
            }
        }
        s.doubt.fill([0.0; KNOWN]);
        for (i, force) in &p.forces {
            let piece = force.piece_at(t);
            s.rest[*i] = Power::of(&piece, t);
            s.doubt[*i] = rounding(&Power::terms(&piece, t));
        }
        for (e, c) in p.contacts.iter().enumerate() {
            s.normal[e] = c.normal(t);
            s.normal_noise[e] = rounding(&c.normal_terms(t));
            if self.signs[e] != 0 {
                let friction = f64::from(self.signs[e]) * self.sliding[e];
                s.lambda[e] = Power::ZERO.plus(friction, &s.normal[e]);
                // In slip the friction is known for the whole arc and acts like a load.
                s.rest[c.a] = s.rest[c.a].plus(-1.0, &s.lambda[e]);
                s.rest[c.b] = s.rest[c.b].plus(1.0, &s.lambda[e]);
                for k in 0..KNOWN {
                    let noise =
                        ROUNDING * s.lambda[e].0[k].abs() + self.sliding[e] * s.normal_noise[e][k];
                    s.doubt[c.a][k] += noise;
                    s.doubt[c.b][k] += noise;
                }
            }
        }
    }

    /// The displacements of order k of what no dashpot holds.
    fn statics(&self, k: usize, s: &mut Series) {
        let l = &self.statics;
        if l.size > 0 {
            l.balance(&self.parts.springs, k, k, 1.0, s);
        }
    }

    /// The displacements of order k + 1 of what dashpots hold, from the velocities.
    fn creep(&self, k: usize, s: &mut Series) {
        let l = &self.creep;
        if l.size > 0 {
            l.balance(&self.parts.dashpots, k, k + 1, (k + 1) as f64, s);
        }
    }

    /// The displacements of order k + 2 of masses, and inertia taken from the forces.
    fn accelerate(&self, k: usize, displaced: bool, s: &mut Series) {
        let order = ((k + 1) * (k + 2)) as f64;
        let sum = &mut s.sum[..self.motion.len()];
        let room = &mut s.room[..self.motion.len()];
        sum.fill(0.0);
        room.fill(0.0);
        for (i, &c) in self.clusters.set.iter().enumerate() {
            sum[c] += s.rest[i].0[k];
            if k + 2 < KNOWN {
                room[c] += s.doubt[i][k];
            }
        }
        if let Some(inertia) = &self.inertia {
            for m in &self.parts.shared {
                let [i, j] = m.between;
                for (i, j) in [(i, j), (j, i)] {
                    // How a prescribed node accelerates is known: what it does through the shared mass goes to the
                    // right-hand side.
                    if let ClusterMotion::Given(_) = self.motion[self.clusters.set[j]] {
                        sum[self.clusters.set[i]] -= m.mass * order * s.x[j].0[k + 2];
                    }
                }
            }
            inertia.solve(sum, room, &mut s.spare);
        }
        for (i, &c) in self.clusters.set.iter().enumerate() {
            if let ClusterMotion::Massive(mass) = self.motion[c] {
                // The sum has been multiplied by M⁻¹ already.
                let mass = if self.inertia.is_some() { 1.0 } else { mass };
                // With modes all displacements are known before; only their errors are taken from the forces.
                if !displaced {
                    s.x[i].0[k + 2] = sum[c] / (mass * order);
                }
                if k + 2 < KNOWN {
                    s.noise[i][k + 2] = room[c] / (mass * order);
                }
            }
            let inertia = self.parts.mass[i] * order;
            // By d'Alembert's principle: what is left of the force on a node is what the sliders that stick have to
            // carry.
            s.rest[i].0[k] -= inertia * s.x[i].0[k + 2];
            if k + 2 < KNOWN {
                s.doubt[i][k] += inertia * s.noise[i][k + 2];
            }
        }
        for m in &self.parts.shared {
            let [i, j] = m.between;
            let mass = m.mass * order;
            for (i, j) in [(i, j), (j, i)] {
                s.rest[i].0[k] -= mass * s.x[j].0[k + 2];
                if k + 2 < KNOWN {
                    s.doubt[i][k] += mass.abs() * s.noise[j][k + 2];
                }
            }
        }
    }

    /// The forces of order k in the sliders that stick.
    fn hold(&self, k: usize, s: &mut Series) {
        for (i, (sum, room)) in s.sum.iter_mut().zip(&mut s.room).enumerate() {
            (*sum, *room) = (s.rest[i].0[k], if k < KNOWN { s.doubt[i][k] } else { 0.0 });
        }
        for &(e, child, parent) in &self.clusters.tree {
            let f = s.sum[child];
            s.sum[parent] += f;
            // Friction is −λ on the first end, +λ on the second: λ balances what the child and all that hangs on it
            // feel.
            s.lambda[e].0[k] = if self.parts.contacts[e].a == child { f } else { -f };
            s.room[parent] += s.room[child];
            if k < KNOWN {
                s.force_noise[e][k] = s.room[child];
            }
        }
    }
}

/// Rounding errors of the first coefficients, by the magnitudes of their terms.
fn rounding(terms: &Power) -> [f64; KNOWN] {
    std::array::from_fn(|k| ROUNDING * terms.0[k])
}

impl Laplacian {
    /// Adds to the displacements of order j what brings the forces of order k into balance; `factor` is that of the
    /// branches' rates.
    fn balance(&self, branches: &[Branch], k: usize, j: usize, factor: f64, s: &mut Series) {
        let n = self.size;
        let sum =
            |into: &mut [f64], rest: &dyn Fn(usize) -> f64, pull: &dyn Fn(&Branch) -> [f64; 3]| {
                into.fill(0.0);
                for (i, u) in self.vertex.iter().enumerate() {
                    u.iter().for_each(|u| into[*u] += rest(i));
                }
                for b in branches {
                    let ua = self.vertex[b.a];
                    let ub = self.vertex[b.b];
                    // A branch inside one vertex pulls at both of its ends and moves nothing.
                    if ua != ub {
                        let [coefficient, fa, fb] = pull(b);
                        ua.into_iter().for_each(|u| into[u] += factor * coefficient * fa);
                        ub.into_iter().for_each(|u| into[u] += factor * coefficient * fb);
                    }
                }
            };
        // What is known of the displacements of order j is on the right-hand side: that of all other nodes and, in a
        // set that springs alone hold, how its nodes creep against each other.
        let stretch = |b: &Branch| s.x[b.a].0[j] - s.x[b.b].0[j];
        let pull = |b: &Branch| [b.coefficient, -stretch(b), stretch(b)];
        sum(&mut s.sum[..n], &|i| s.rest[i].0[k], &pull);
        self.solve(&mut s.sum[..n], &mut s.room[..n]);
        for (x, u) in s.x.iter_mut().zip(&self.vertex) {
            u.iter().for_each(|u| x.0[j] += s.sum[*u] / factor);
        }
        if j < KNOWN {
            // The inverse of a Laplacian has no negative entries, see `Laplacian::bound`: this bounds every error.
            for ((noise, x), u) in s.noise.iter_mut().zip(&s.x).zip(&self.vertex) {
                u.iter().for_each(|_| noise[j] = noise[j].max(ROUNDING * x.0[j].abs()));
            }
            let noise = |b: &Branch| s.noise[b.a][j] + s.noise[b.b][j];
            let pull = |b: &Branch| [b.coefficient.abs(), noise(b), noise(b)];
            sum(&mut s.sum[..n], &|i| s.doubt[i][k], &pull);
            self.bound(&mut s.sum[..n], &mut s.room[..n]);
            for (noise, u) in s.noise.iter_mut().zip(&self.vertex) {
                u.iter().for_each(|u| noise[j] += s.sum[*u] / factor);
            }
        }
    }
}

/// The force of order k of a branch on its ends, `stretch` being that of order j.
fn branch(s: &mut Series, b: &Branch, k: usize, j: usize, coefficient: f64, stretch: f64) {
    s.rest[b.a].0[k] -= coefficient * stretch;
    s.rest[b.b].0[k] += coefficient * stretch;
    if j < KNOWN {
        let noise = coefficient.abs() * (s.noise[b.a][j] + s.noise[b.b][j]);
        s.doubt[b.a][k] += noise;
        s.doubt[b.b][k] += noise;
    }
}

/// The two Laplacians of the clusters without mass.
fn massless(parts: &Parts, cluster: &[usize], motion: &[ClusterMotion]) -> (Laplacian, Laplacian) {
    let free: Vec<bool> = motion.iter().map(|k| *k == ClusterMotion::Massless).collect();
    let (set, held) = parts.damped_sets(cluster, &free);
    // A set that no dashpot holds moves as a whole by its springs; its first cluster stands for it, and the others
    // creep against that one.
    let mut vertex = vec![None; motion.len()];
    let mut first = vec![None; motion.len() + 1];
    let mut creeping = vec![None; motion.len()];
    let mut statics = 0;
    let mut creep = 0;
    for c in (0..motion.len()).filter(|&c| free[c]) {
        if !held[c] {
            let known = first[set[c]].is_some();
            let index = *first[set[c]].get_or_insert(statics);
            vertex[c] = Some(index);
            if !known {
                statics += 1;
                continue;
            }
        }
        creeping[c] = Some(creep);
        creep += 1;
    }
    let at = |of: &[Option<usize>]| cluster.iter().map(|&c| of[c]).collect::<Vec<_>>();
    (
        Laplacian::new(at(&vertex), statics, &parts.springs),
        Laplacian::new(at(&creeping), creep, &parts.dashpots),
    )
}
