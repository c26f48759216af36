//! What gears hand on, and their friction that grows with it.
//!
//! A gear with friction is one more row: the velocity of its first side, which rests or slides like a slider against the
//! housing. Its friction is f₀ + μ |T|, and T depends on the accelerations, which depend on the friction. In a mode, where
//! the signs of the slip, s, and of T, σ, are known, the friction is linear in T,
//!
//! ```text
//! R = −s (f₀ + μ σ T),     T = T₀ + B R,     (I + B diag(s μ σ)) T = T₀ + …
//! ```
//!
//! and the small matrix is inverted once for the mode. T itself is read off from the forces by a virtual velocity in which
//! the gear opens at the unit speed of its second side and nothing else that is held opens. The sign σ is kept in the
//! phase, behind the rows; where T passes zero is an event.

use super::balance::{Balance, Question};
use super::flow::{Flow, Instant};
use super::loads::{Handed, Loads, Sliding, Torn};
use super::mode::{Carried, Direction};
use super::parts::{Parts, Place};
use super::resolve::STILL;
use super::{complementarity, unsuitable};
use crate::error::{Error, Obstacle};
use crate::model::machine::{Ambiguous, TOGETHER, jams, too_many, unique};
use crate::numeric::invert;

impl Handed {
    /// T of the forces on nodes and the accelerations, and the size of its terms.
    fn value(&self, parts: &Parts, at: &Instant) -> [f64; 2] {
        needed(&self.nodes, parts, at)
    }
}

/// What these nodes need for their inertia beyond the forces on them, each by its virtual velocity, and the size of its terms.
fn needed(nodes: &[(usize, f64)], parts: &Parts, at: &Instant) -> [f64; 2] {
    let mut sum = 0.0;
    let mut size = 0.0;
    for (i, z) in nodes {
        let inertia = parts.inertia(*i, at);
        sum += z * (inertia - at.node_force[*i]);
        size += z.abs() * (inertia.abs() + at.node_force[*i].abs());
    }
    [sum, size]
}

impl Parts {
    /// The force m a of node `i` at these accelerations.
    fn inertia(&self, i: usize, at: &Instant) -> f64 {
        let network = self.machine.network();
        let a = |i: usize| match self.places[i] {
            Place::With(k, ratio) => ratio * at.a[k],
            Place::Led(g, ratio) => ratio * at.given[g][2],
        };
        let mut sum = network.nodes()[i].mass * a(i);
        for s in network.shared_masses() {
            let [p, q] = s.between;
            if p == i {
                sum += s.mass * a(q);
            } else if q == i {
                sum += s.mass * a(p);
            }
        }
        sum
    }

    /// The gear whose friction is row `e`.
    pub fn mesh(&self, e: usize) -> Option<usize> {
        self.meshes.iter().position(|m| m.row == Some(e))
    }

    /// Where the phase keeps the sign of what gear `g` hands on: behind what it keeps of controllers.
    pub fn sign_of(&self, g: usize) -> usize {
        self.rows.len() + 2 * self.loops.len() + g
    }

    /// Whether the friction of gear `g` grows with its load.
    pub fn is_loaded(&self, g: usize) -> bool {
        let mesh = &self.meshes[g];
        mesh.row.is_some() && mesh.friction.steepest() > 0.0
    }

    /// The virtual velocity that opens gear `g` while masses move as `carried`, of which these rows are held.
    fn opening(&self, g: usize, carried: &[Carried], held: &[usize]) -> Handed {
        let given = self.meshes[g].opening;
        // The rate at which each mass follows when this gear opens.
        let of = |list: &[(usize, f64)]| list.iter().find(|c| c.0 == given).map_or(0.0, |c| c.1);
        let y: Vec<f64> = carried.iter().map(|c| of(&c.given)).collect();
        let side = &self.trains.sides[g];
        let zeta = |i: usize| side.iter().find(|s| s.0 == i).map_or(0.0, |s| s.1);
        let nodes = self.places.iter().enumerate().map(|(i, place)| match place {
            Place::With(k, ratio) => (i, zeta(i) + ratio * y[*k]),
            Place::Led(..) => (i, zeta(i)),
        });
        let nodes = nodes.filter(|n| n.1 != 0.0).collect();
        // A held row that opened with the gear would hand on a part of the load.
        let closed = held.iter().all(|e| {
            let row = &self.rows[*e];
            let terms = row.masses.iter().map(|(k, c)| c * y[*k]);
            let [sum, size] = terms
                .fold([of(&row.given), of(&row.given).abs()], |[sum, size], t| {
                    [sum + t, size + t.abs()]
                });
            sum.abs() <= 1e-9 * size
        });
        Handed { nodes, determined: closed }
    }

    /// What the mode of these statuses knows of gears. `inverse` is that of the groups' mass matrix.
    ///
    /// # Errors
    /// If the load of a gear that slides is not determined, or its friction jams.
    pub fn loads(
        &self,
        status: &[i8],
        carried: &[Carried],
        held: &[usize],
        inverse: &[f64],
    ) -> Result<Loads, Error> {
        let all = 0..self.meshes.len();
        let handed: Vec<Handed> = all.clone().map(|g| self.opening(g, carried, held)).collect();
        let slides = |g: &usize| {
            let row = self.meshes[*g].row;
            self.is_loaded(*g) && row.is_some_and(|e| status[e] != 0)
        };
        let sliding: Vec<Sliding> = all
            .clone()
            .filter(slides)
            .map(|gear| self.sliding(gear, status, carried, inverse))
            .collect();
        // Of a gear that rests the load need not be known, as long as its friction holds it.
        if let Some(s) = sliding.iter().find(|s| !handed[s.gear].determined) {
            return Err(unsuitable(self.undetermined(s.gear)));
        }
        let answer: Vec<f64> = all
            .flat_map(|g| sliding.iter().map(move |s| (g, s)))
            .map(|(g, s)| self.answer(&handed[g], s, carried))
            .collect();
        let m = sliding.len();
        let own = |i: usize, j: usize| answer[sliding[i].gear * m + j];
        let b: Vec<f64> = (0..m * m).map(|k| own(k / m, k % m)).collect();
        let mu: Vec<f64> =
            sliding.iter().map(|s| self.meshes[s.gear].friction.steepest()).collect();
        unique(&b, &mu).map_err(|why| self.jam(&sliding, &mu, why))?;
        // I − B diag(slope) of the module.
        let entry = |i: usize, j: usize| f64::from(u8::from(i == j)) - own(i, j) * sliding[j].slope;
        let matrix: Vec<f64> = (0..m * m).map(|k| entry(k / m, k % m)).collect();
        let inverse = invert(matrix, m)
            .ok_or_else(|| unsuitable(Obstacle::Jams { inequality: TOGETHER.to_owned() }))?;
        Ok(Loads { handed, sliding, answer, inverse })
    }

    fn undetermined(&self, g: usize) -> Obstacle {
        Obstacle::LoadUnknown { gear: self.machine.gears()[g].name.to_string() }
    }

    /// The error of a friction that jams while other parts hold the nodes together.
    fn jam(&self, sliding: &[Sliding], mu: &[f64], why: Ambiguous) -> Error {
        let inequality = match why {
            Ambiguous::Alone { gear, bound } => {
                let part = &self.machine.gears()[sliding[gear].gear];
                format!(
                    "gear `{}`, with the inertias that sliders and stops hold to it: {}",
                    part.name,
                    jams(part, mu[gear], bound)
                )
            }
            Ambiguous::Together => TOGETHER.to_owned(),
            Ambiguous::TooMany => too_many(),
        };
        unsuitable(Obstacle::Jams { inequality })
    }

    fn sliding(&self, gear: usize, status: &[i8], carried: &[Carried], inverse: &[f64]) -> Sliding {
        let mesh = &self.meshes[gear];
        let side = f64::from(mesh.row.map_or(0, |e| status[e]));
        let sign = f64::from(status[self.sign_of(gear)]);
        let slope = -side * sign * mesh.friction.coefficient(side);
        let groups = carried.iter().filter_map(|c| c.group).max().map_or(0, |g| g + 1);
        let force = match self.places[mesh.first] {
            Place::With(k, ratio) => carried[k].group.map(|g| (g, ratio * carried[k].ratio)),
            Place::Led(..) => None,
        };
        let push = (0..groups).map(|g| force.map_or(0.0, |(h, f)| inverse[g * groups + h] * f));
        Sliding { gear, slope, push: push.collect() }
    }

    /// How T answers to a force of 1 on the first side of a gear that slides.
    fn answer(&self, handed: &Handed, sliding: &Sliding, carried: &[Carried]) -> f64 {
        let mut at = Instant::of(self);
        for (a, carried) in at.a.iter_mut().zip(carried) {
            *a = carried.group.map_or(0.0, |g| carried.ratio * sliding.push[g]);
        }
        // By the accelerations that the force causes, less the force itself, which is one of those on the
        // nodes.
        handed.value(self, &at)[0] - handed.rate(self.meshes[sliding.gear].first)
    }

    /// The gears whose friction gives way in `direction`, of a mode in which these rows are held.
    ///
    /// # Errors
    /// If the load of one is not determined by what stays.
    pub fn torn(&self, direction: &Direction, held: &[usize]) -> Result<Vec<Torn>, Error> {
        let gear = |e: usize| self.mesh(e).filter(|g| self.is_loaded(*g));
        if direction.rows.iter().all(|(e, _)| gear(*e).is_none()) {
            return Ok(Vec::new());
        }
        let opened = |e: &usize| direction.rows.iter().any(|r| r.0 == *e);
        // What gives way is held no longer: the load is that under the rows which stay.
        let stays: Vec<usize> = held.iter().copied().filter(|e| !opened(e)).collect();
        let (carried, _) = super::mode::carry(self, &stays);
        let mut torn = Vec::new();
        for g in direction.rows.iter().filter_map(|(e, _)| gear(*e)) {
            let handed = self.opening(g, &carried, &stays);
            if !handed.determined {
                return Err(unsuitable(self.undetermined(g)));
            }
            let given = self.meshes[g].opening;
            let of =
                |list: &[(usize, f64)]| list.iter().find(|c| c.0 == given).map_or(0.0, |c| c.1);
            let rate = |e: usize| {
                let row = &self.rows[e];
                let masses = row.masses.iter().map(|(k, c)| c * of(&carried[*k].given));
                masses.sum::<f64>() + of(&row.given)
            };
            let rates = direction.rows.iter().map(|(e, _)| (*e, rate(*e))).collect();
            torn.push(Torn { gear: g, handed, rates });
        }
        Ok(torn)
    }

    /// The forces of gears that slide, on their first sides, of which `loads` are handed on.
    fn rub_under(&self, status: &[i8], loads: &[f64], at: &mut Instant) {
        for (g, mesh) in self.meshes.iter().enumerate() {
            let Some(e) = mesh.row.filter(|e| status[*e] != 0) else { continue };
            let side = f64::from(status[e]);
            self.push(mesh.first, -side * mesh.friction.coefficient(side) * loads[g].abs(), at);
        }
    }

    /// Adds the part of the friction of sliding gears that does not grow with the load.
    pub fn rub_without_load(&self, status: &[i8], at: &mut Instant) {
        for mesh in &self.meshes {
            let Some(e) = mesh.row.filter(|e| status[*e] != 0) else { continue };
            at.node_force[mesh.first] -= f64::from(status[e]) * mesh.friction.force;
        }
    }

    /// Adds a force on a node.
    fn push(&self, node: usize, force: f64, at: &mut Instant) {
        at.node_force[node] += force;
        if let Place::With(k, ratio) = self.places[node] {
            at.force[k] += ratio * force;
        }
    }

    /// What the friction of gear `g` can hold under `load`: the limits of its force on the first side.
    pub fn gear_limits(&self, g: usize, load: f64) -> [f64; 2] {
        let mesh = &self.meshes[g];
        [-mesh.limit(1.0, load), mesh.limit(-1.0, load)]
    }

    /// What every gear hands on, with the size of its terms, where the rows that are held have these forces.
    pub fn handed_on(&self, at: &Instant, held: &[(usize, f64)]) -> Vec<[f64; 2]> {
        (0..self.meshes.len()).map(|g| self.load_of(g, at, held.iter().copied())).collect()
    }

    /// How much of a force along row `e` acts on the side of the train behind gear `g`, as the train stands.
    pub fn shares(&self, g: usize, e: usize) -> f64 {
        let given = self.meshes[g].opening;
        self.rows[e].given.iter().find(|c| c.0 == given).map_or(0.0, |c| c.1)
    }

    /// What gear `g` hands on, with the size of its terms, where these rows have these forces.
    pub fn load_of(
        &self,
        g: usize,
        at: &Instant,
        forces: impl Iterator<Item = (usize, f64)>,
    ) -> [f64; 2] {
        // The side of the train behind the gear, as it stands: T is what it needs for its inertia, less what acts on it.
        let [mut sum, mut size] = needed(&self.trains.sides[g], self, at);
        for (e, force) in forces {
            let rate = self.shares(g, e);
            sum -= rate * force;
            size += (rate * force).abs();
        }
        [sum, size]
    }
}

impl Flow<'_> {
    /// What gears hand on, and the accelerations under the friction that grows with it, which are those without it before.
    pub fn hand_on(&self, at: &mut Instant) {
        let Loads { handed, sliding, answer, inverse } = &self.mode.loads;
        if handed.is_empty() {
            return;
        }
        for (g, handed) in handed.iter().enumerate() {
            at.load[g] = handed.value(self.parts, at)[0];
        }
        let m = sliding.len();
        at.rubs.clear();
        for i in 0..m {
            // The loads under the friction that they cause themselves, by the small inverse of the mode.
            let t: f64 = (0..m).map(|j| inverse[i * m + j] * at.load[sliding[j].gear]).sum();
            at.rubs.push(sliding[i].slope * t);
        }
        for (g, load) in at.load.iter_mut().enumerate() {
            *load += at.rubs.iter().enumerate().map(|(j, r)| answer[g * m + j] * r).sum::<f64>();
        }
        // Accelerations are those without this friction so far: each gear adds its own.
        for (j, s) in sliding.iter().enumerate() {
            let rub = at.rubs[j];
            self.parts.push(self.parts.meshes[s.gear].first, rub, at);
            at.group_a.iter_mut().zip(&s.push).for_each(|(a, p)| *a += p * rub);
            for (a, carried) in at.a.iter_mut().zip(&self.mode.carried) {
                if let Some(g) = carried.group {
                    *a += carried.ratio * s.push[g] * rub;
                }
            }
        }
    }

    /// What gear `g` hands on and the size of its terms, after [`dynamics`](Self::dynamics).
    pub fn handed(&self, g: usize, at: &Instant) -> [f64; 2] {
        self.mode.loads.handed[g].value(self.parts, at)
    }

    /// The friction of gears that give way in a direction, each at the load that it hands on when everything that gives way
    /// is at its limit: by row. `limit` is that of sliders; `signs` are those of the loads, or those that they have.
    pub fn torn_limits(
        &self,
        direction: &Direction,
        at: &Instant,
        limit: impl Fn(usize, f64) -> f64,
        signs: Option<&[f64]>,
    ) -> Vec<(usize, f64)> {
        let parts = self.parts;
        let side =
            |e: usize| direction.rows.iter().find(|r| r.0 == e).map_or(0.0, |r| r.1.signum());
        let loads = self.torn_loads(direction, at, limit, signs);
        let limits = direction.torn.iter().zip(&loads).enumerate().filter_map(|(k, (t, load))| {
            let e = parts.meshes[t.gear].row?;
            Some((e, parts.meshes[t.gear].limit_under(side(e), pressed(*load, k, signs))))
        });
        limits.collect()
    }

    /// The loads of these gears when everything that gives way is at its limit.
    pub fn torn_loads(
        &self,
        direction: &Direction,
        at: &Instant,
        limit: impl Fn(usize, f64) -> f64,
        signs: Option<&[f64]>,
    ) -> Vec<f64> {
        let torn = &direction.torn;
        let parts = self.parts;
        let base: Vec<f64> = torn.iter().map(|t| t.handed.value(parts, at)[0]).collect();
        let side =
            |e: usize| direction.rows.iter().find(|r| r.0 == e).map_or(0.0, |r| r.1.signum());
        let mut loads = base.clone();
        // Gears in a row know their loads after so many rounds; loads that act on each other converge, because a mode in which
        // they would not is refused.
        for _ in 0..ROUNDS {
            let before = loads.clone();
            for (k, t) in torn.iter().enumerate() {
                let resisted = t.rates.iter().map(|(e, rate)| {
                    let most = match torn.iter().position(|o| parts.meshes[o.gear].row == Some(*e))
                    {
                        Some(o) => {
                            let press = pressed(loads[o], o, signs);
                            parts.meshes[torn[o].gear].limit_under(side(*e), press)
                        }
                        None => limit(*e, side(*e)),
                    };
                    rate * side(*e) * most
                });
                loads[k] = base[k] + resisted.sum::<f64>();
            }
            if loads == before {
                break;
            }
        }
        loads
    }
}

/// What presses the teeth of the gear of number `k` under this load: its size, or what that is on the branch of these signs.
fn pressed(load: f64, k: usize, signs: Option<&[f64]>) -> f64 {
    signs.map_or(load.abs(), |signs| signs[k] * load)
}

/// Rounds after which loads that act on each other have converged.
const ROUNDS: usize = 200;

impl Parts {
    /// The forces of what is held: none is beyond its limit, those of gears under the loads that follow from the forces.
    /// Displacements and velocities are in `at`; forces and accelerations are there afterwards.
    pub fn balance(&self, q: &Question<'_>, at: &mut Instant) -> Option<Balance> {
        let loaded: Vec<usize> = (0..self.meshes.len()).filter(|g| self.is_loaded(*g)).collect();
        // The first loads are those without friction that grows.
        let mut loads = vec![0.0; self.meshes.len()];
        let mut found = self.balance_under(q, &loads, at)?;
        if loaded.is_empty() {
            return Some(found);
        }
        // T = G(T) is piecewise linear: Newton's method with differences ends after as many steps as it passes pieces.
        let missing = |found: &Balance, loads: &[f64]| -> Vec<f64> {
            loaded.iter().map(|g| found.loads[*g][0] - loads[*g]).collect()
        };
        let small = |found: &Balance, f: &[f64]| {
            loaded.iter().zip(f).all(|(g, f)| f.abs() <= SETTLED * found.loads[*g][1])
        };
        for round in 0..MOST_ROUNDS {
            let f = missing(&found, &loads);
            if small(&found, &f) || self.holds_all(q, &loaded, &found) {
                return Some(found);
            }
            if round >= NEWTON {
                // Rounding changes the shares of parts that hold a train together by a thousandth, and the loads with them: with a
                // little less friction forces within the limits are found although they do not settle.
                let less: Vec<f64> = loads.iter().map(|t| LESS * t).collect();
                let found = self.balance_under(q, &less, at)?;
                if self.holds_all(q, &loaded, &found) {
                    return Some(found);
                }
            }
            let step = if round < NEWTON {
                self.newton(q, at, &loaded, &f, &loads)
            } else {
                None // it goes round in circles; half of a plain step converges where accelerations are unique
            };
            let step = step.unwrap_or_else(|| f.iter().map(|f| 0.5 * f).collect());
            loaded.iter().zip(step).for_each(|(g, s)| loads[*g] += s);
            found = self.balance_under(q, &loads, at)?;
        }
        let f = missing(&found, &loads);
        let near = |(g, f): (&usize, &f64)| f.abs() <= (1.0 - LESS) * found.loads[*g][1];
        loaded.iter().zip(&f).all(near).then_some(found)
    }

    /// Whether every gear whose friction grows with its load is held, by forces within the limits under the loads that follow
    /// from them. Where several parts hold a train together their shares, and with them the loads, are not determined, and
    /// rounding changes them: any shares that hold will do.
    fn holds_all(&self, q: &Question<'_>, loaded: &[usize], found: &Balance) -> bool {
        let m = q.held.len();
        loaded.iter().all(|&g| {
            let Some(k) = q.held.iter().position(|e| self.meshes[g].row == Some(*e)) else {
                return false;
            };
            let terms = (0..m).map(|j| found.compliance[k * m + j] * found.lambda[j]);
            let acceleration = terms.clone().sum::<f64>() + found.free[k];
            let size = terms.map(f64::abs).sum::<f64>() + found.free[k].abs();
            let [low, high] = self.gear_limits(g, found.loads[g][0]);
            let slack = q.slack.max(1.0 + 1e-12);
            // The acceleration of a held row vanishes but for rounding.
            acceleration.abs() <= STILL * size
                && (low * slack..=high * slack).contains(&found.lambda[k])
        })
    }

    /// Newton's step for T = G(T) of these gears, where G(T) − T is `f`.
    fn newton(
        &self,
        q: &Question<'_>,
        at: &mut Instant,
        loaded: &[usize],
        f: &[f64],
        loads: &[f64],
    ) -> Option<Vec<f64>> {
        let m = loaded.len();
        let mut jacobian = vec![0.0; m * m];
        let mut moved = loads.to_vec();
        for (j, &g) in loaded.iter().enumerate() {
            // G is linear in |T|: a step away from zero stays on the piece.
            let by = 1e-3 * f.iter().fold(loads[g].abs(), |m: f64, f| m.max(f.abs()));
            let by = if loads[g] < 0.0 { -by } else { by };
            moved[g] = loads[g] + by;
            let found = self.balance_under(q, &moved, at)?;
            for (i, &h) in loaded.iter().enumerate() {
                jacobian[i * m + j] = (found.loads[h][0] - moved[h] - f[i]) / by;
            }
            moved[g] = loads[g];
        }
        let inverse = invert(jacobian, m)?;
        Some((0..m).map(|i| -(0..m).map(|j| inverse[i * m + j] * f[j]).sum::<f64>()).collect())
    }

    /// The forces of what is held where the friction of gears is that under `loads`, and the loads that follow.
    fn balance_under(&self, q: &Question<'_>, loads: &[f64], at: &mut Instant) -> Option<Balance> {
        let n = self.masses();
        // All forces anew: those of gears depend on the loads that are tried.
        self.forces(q.t, q.window, q.status, at);
        self.rub_under(q.status, loads, at);
        at.load.copy_from_slice(loads);
        let free: Vec<f64> =
            (0..n).map(|i| (0..n).map(|j| self.inverse[i * n + j] * at.force[j]).sum()).collect();
        let u: Vec<f64> =
            q.held.iter().map(|e| self.rows[*e].value(&free, |g| at.given[g][2])).collect();
        let limits: Vec<[f64; 2]> =
            q.held.iter().map(|&e| self.limits(e, q, at).map(|limit| limit * q.slack)).collect();
        let compliance = self.compliance(q.held);
        let (lambda, stands) = complementarity::solve(&compliance, &u, &limits)?;
        at.a.copy_from_slice(&free);
        for (e, force) in q.held.iter().zip(&lambda) {
            for (j, c) in &self.rows[*e].masses {
                for i in 0..n {
                    at.a[i] += self.inverse[i * n + j] * c * force;
                }
            }
        }
        let held: Vec<(usize, f64)> = q.held.iter().copied().zip(lambda.iter().copied()).collect();
        let loads = self.handed_on(at, &held);
        Some(Balance { lambda, stands, compliance, free: u, loads })
    }
}

/// A load is settled where it differs from the one that follows from it by less than this share of its terms.
const SETTLED: f64 = 1e-14;
/// Rounds of Newton's method, and of all.
const NEWTON: usize = 16;
const MOST_ROUNDS: usize = 64;
/// The share of its friction that a gear keeps where shares do not settle.
const LESS: f64 = 0.98;
