//! The recurrence of a small change of a motion, turned round: what a loss makes of each number that goes into the series, from what it
//! makes of the series.
//!
//! The series of a change follows term by term from displacements, velocities and loads (`Mode::vary_with`), each of its steps being linear.
//! So the derivatives of a loss L with respect to all of them follow by the transposed steps in the opposite order, exactly and for the price
//! of one series:
//!
//! ```text
//! y ← y + A x            ∂L/∂x += Aᵀ ∂L/∂y
//! K x = f                ∂L/∂f += K⁻¹ ∂L/∂x           K and M are symmetric
//! ```

use super::mode::{ClusterMotion, Mode, Series};
use super::parts::{Branch, Laplacian};
use super::power::{ORDER, Power};

/// ∂L with respect to a series about an instant, and to what goes into it.
#[derive(Debug)]
pub(super) struct Adjoint {
    /// With respect to each coefficient of x of each node and the ground; of the loads on them; of λ of each slider that sticks.
    pub x: Vec<Power>,
    pub rest: Vec<Power>,
    pub lambda: Vec<Power>,
    /// By clusters, vertices or nodes, and room for what solves.
    sum: Vec<f64>,
    room: Vec<f64>,
    spare: Vec<f64>,
}

impl Adjoint {
    pub fn new(mode: &Mode) -> Self {
        let nodes = mode.parts.ground + 1;
        Self {
            x: vec![Power::ZERO; nodes],
            rest: vec![Power::ZERO; nodes],
            lambda: vec![Power::ZERO; mode.parts.contacts.len()],
            sum: vec![0.0; nodes],
            room: vec![0.0; nodes],
            spare: vec![0.0; 2 * nodes],
        }
    }

    /// Of a loss that looks at nothing yet.
    pub fn clear(&mut self) {
        self.x.fill(Power::ZERO);
        self.rest.fill(Power::ZERO);
        self.lambda.fill(Power::ZERO);
    }

    /// Adds a loss that looks at x and ẋ of a node at `tau` (s) with these weights, by the terms up to order `last`.
    pub fn look(&mut self, node: usize, tau: f64, [of_x, of_v]: [f64; 2], last: usize) {
        let mut power = 1.0;
        let mut before = 0.0;
        for (k, c) in self.x[node].0[..=last].iter_mut().enumerate() {
            *c += of_x * power + of_v * k as f64 * before;
            before = power;
            power *= tau;
        }
    }

    /// Σ over all loads and prescribed displacements of what they change times what the loss makes of it.
    pub fn dot(&self, mode: &Mode, loads: &Series, last: usize) -> f64 {
        let sum = |a: &Power, b: &Power| -> f64 {
            a.0[..=last].iter().zip(&b.0).map(|(a, b)| a * b).sum()
        };
        let forces: f64 = self.rest.iter().zip(&loads.rest).map(|(a, b)| sum(a, b)).sum();
        let given = |(i, _): &(usize, _)| sum(&self.x[*i], &loads.x[*i]);
        forces + mode.parts.motions.iter().map(given).sum::<f64>()
    }

    /// How large the terms of that may be that cancel each other, or that are themselves such a sum, where loads change within `time` (s).
    pub fn size(&self, loads: &Series, time: f64, last: usize) -> f64 {
        let largest = |p: &Power, time: f64| {
            let all = p.0[..=last].iter().rev();
            all.fold(0.0, |m: f64, c| (m * time).max(c.abs()))
        };
        let of = |(a, b): (&Power, &Power)| largest(a, 1.0 / time) * largest(b, time);
        let pairs = self.rest.iter().zip(&loads.rest).chain(self.x.iter().zip(&loads.x));
        pairs.map(of).sum()
    }
}

impl Mode {
    /// From ∂L with respect to all coefficients of a small change up to order `last` to ∂L with respect to what they are made of: of the
    /// displacements and of the velocities of masses in the first two coefficients of x, of prescribed displacements in all of them, and of
    /// loads. Where `holds`, the loss looks at forces in sliders, too.
    pub fn turn(&self, last: usize, holds: bool, s: &mut Adjoint) {
        let p = &*self.parts;
        for k in (0..=last).rev() {
            // The steps of `Mode::go_on`, each turned round, from the last to the first.
            if k < last {
                if k + 2 <= last {
                    if holds {
                        self.turn_hold(k, s);
                    }
                    self.turn_accelerate(k, s);
                }
                for b in &p.dashpots {
                    turn_branch(s, b, [k, k + 1], (k + 1) as f64 * b.coefficient);
                }
                if self.creep.size > 0 {
                    self.creep.turn_balance(&p.dashpots, [k, k + 1], (k + 1) as f64, s);
                }
            }
            for b in &p.springs {
                turn_branch(s, b, [k, k], b.coefficient);
            }
            if self.statics.size > 0 {
                self.statics.turn_balance(&p.springs, [k, k], 1.0, s);
            }
        }
        for i in (0..p.ground).filter(|&i| !p.given[i]) {
            match self.motion[self.clusters.set[i]] {
                // It moves with what it sticks to, from a place of its own.
                ClusterMotion::Given(root) => {
                    for k in 1..=last {
                        s.x[root].0[k] += s.x[i].0[k];
                    }
                    s.x[i].0[1] = 0.0;
                }
                ClusterMotion::Massive(_) => {}
                ClusterMotion::Massless => s.x[i].0[1] = 0.0,
            }
        }
    }

    fn turn_accelerate(&self, k: usize, s: &mut Adjoint) {
        let p = &*self.parts;
        let order = ((k + 1) * (k + 2)) as f64;
        for (i, m) in p.mass.iter().enumerate() {
            s.x[i].0[k + 2] -= m * order * s.rest[i].0[k];
        }
        for m in &p.shared {
            let [i, j] = m.between;
            for (i, j) in [(i, j), (j, i)] {
                s.x[j].0[k + 2] -= m.mass * order * s.rest[i].0[k];
            }
        }
        let sum = &mut s.sum[..self.motion.len()];
        sum.fill(0.0);
        for (i, &c) in self.clusters.set.iter().enumerate() {
            if let ClusterMotion::Massive(mass) = self.motion[c] {
                // M⁻¹ comes after.
                let mass = if self.inertia.is_some() { 1.0 } else { mass };
                sum[c] += s.x[i].0[k + 2] / (mass * order);
                s.x[i].0[k + 2] = 0.0;
            }
        }
        if let Some(inertia) = &self.inertia {
            let room = &mut s.room[..self.motion.len()];
            room.fill(0.0);
            inertia.solve(sum, room, &mut s.spare);
            for m in &p.shared {
                let [i, j] = m.between;
                for (i, j) in [(i, j), (j, i)] {
                    if let ClusterMotion::Given(_) = self.motion[self.clusters.set[j]] {
                        s.x[j].0[k + 2] -= m.mass * order * sum[self.clusters.set[i]];
                    }
                }
            }
        }
        for (i, &c) in self.clusters.set.iter().enumerate() {
            s.rest[i].0[k] += sum[c];
        }
    }

    fn turn_hold(&self, k: usize, s: &mut Adjoint) {
        s.sum.fill(0.0);
        for &(e, child, parent) in self.clusters.tree.iter().rev() {
            let f = s.lambda[e].0[k];
            let own = if self.parts.contacts[e].a == child { f } else { -f };
            s.sum[child] += own + s.sum[parent];
        }
        for (rest, sum) in s.rest.iter_mut().zip(&s.sum) {
            rest.0[k] += sum;
        }
    }

    /// ∂L with respect to the velocities of nodes before masses move together, from ∂L with respect to those afterwards: see [`Mode::join`].
    pub fn turn_join(&self, of: &[f64]) -> Vec<f64> {
        let p = &*self.parts;
        let set = &self.clusters.set;
        let mut sum = vec![0.0; self.motion.len()];
        set.iter().zip(of).for_each(|(&c, of)| sum[c] += of);
        let mut out = vec![0.0; of.len()];
        let heavy = |i: usize| p.mass[i] > 0.0 && !p.given[i];
        for (c, motion) in self.motion.iter().enumerate() {
            match motion {
                ClusterMotion::Given(root) => (out[*root], sum[c]) = (sum[c], 0.0),
                ClusterMotion::Massive(mass) if self.inertia.is_none() => sum[c] /= mass,
                ClusterMotion::Massive(_) => {}
                ClusterMotion::Massless => sum[c] = 0.0,
            }
        }
        if let Some(inertia) = &self.inertia {
            let mut room = vec![0.0; 2 * sum.len()];
            inertia.solve(&mut sum, &mut vec![0.0; self.motion.len()], &mut room);
        }
        // M times that: what the momentum of each mass does to the loss.
        let by: Vec<f64> = set.iter().map(|&c| sum[c]).collect();
        let mut momentum: Vec<f64> = by.iter().zip(&p.mass).map(|(by, m)| m * by).collect();
        p.add_shared(1.0, &by, &mut momentum);
        for i in (0..of.len()).filter(|&i| heavy(i)) {
            out[i] += momentum[i];
            if let ClusterMotion::Given(root) = self.motion[set[i]] {
                // Only what it is faster than what leads it is handed on.
                out[root] -= momentum[i];
            }
        }
        out
    }
}

impl Laplacian {
    fn turn_balance(&self, branches: &[Branch], [k, j]: [usize; 2], factor: f64, s: &mut Adjoint) {
        let sum = &mut s.sum[..self.size];
        sum.fill(0.0);
        for (x, u) in s.x.iter().zip(&self.vertex) {
            u.iter().for_each(|u| sum[*u] += x.0[j] / factor);
        }
        self.solve(sum, &mut s.room[..self.size]);
        for (rest, u) in s.rest.iter_mut().zip(&self.vertex) {
            u.iter().for_each(|u| rest.0[k] += sum[*u]);
        }
        for b in branches {
            let [ua, ub] = [b.a, b.b].map(|i| self.vertex[i]);
            if ua == ub {
                continue;
            }
            let of = |u: Option<usize>| u.map_or(0.0, |u| sum[u]);
            let stretch = factor * b.coefficient * (of(ub) - of(ua));
            s.x[b.a].0[j] += stretch;
            s.x[b.b].0[j] -= stretch;
        }
    }
}

/// Of the force of order k of a branch, which that of order j in its stretch makes.
fn turn_branch(s: &mut Adjoint, b: &Branch, [k, j]: [usize; 2], coefficient: f64) {
    let stretch = coefficient * (s.rest[b.b].0[k] - s.rest[b.a].0[k]);
    s.x[b.a].0[j] += stretch;
    s.x[b.b].0[j] -= stretch;
}

/// How fast the changes of a pattern may go: the largest coefficients of the series of two changes that excite all of its motions, one of all
/// displacements and one of all velocities.
#[derive(Debug)]
pub(super) struct Pace([Power; 2]);

impl Pace {
    pub fn of(mode: &Mode, room: &mut Series) -> Self {
        let nodes = mode.parts.ground + 1;
        // Of no symmetry that a motion might have.
        let share = |i: usize| 0.5 + (0.618_034 * (i + 1) as f64).fract();
        let sign = |i: usize| if (0.414_214 * (i + 1) as f64).fract() < 0.5 { -1.0 } else { 1.0 };
        let all: Vec<f64> = (0..nodes).map(|i| sign(i) * share(i)).collect();
        let none = vec![0.0; nodes];
        Self([(&all, &none), (&none, &all)].map(|(x, v)| {
            mode.vary(x, v, ORDER, room);
            let largest = |k: usize| room.x.iter().fold(0.0, |m: f64, x| m.max(x.0[k].abs()));
            Power(std::array::from_fn(largest))
        }))
    }

    pub fn series(&self) -> &[Power; 2] {
        &self.0
    }
}
