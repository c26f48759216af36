//! Gears whose friction grows with what they hand on.
//!
//! T is what the nodes behind a gear need for their inertia beyond the forces on them, with the accelerations of the step,
//!
//! ```text
//! T = Σ ζ_i (m_i (w_i − v_i)/h − θ F_i⁺ − (1 − θ) F_i) − Σ ρ_e p_e/h
//! ```
//!
//! It is linear in the impulses of all rows but for curved springs: each of Newton's rounds takes it where it is and adds what the
//! impulses change, by a difference along what each of them does to the masses.

use super::One;
use crate::model::machine::unique;
use crate::scheme::machine::parts::{Parts, Window};
use crate::scheme::machine::theta_method::node::Node;
use crate::scheme::machine::theta_method::rows::{Grip, Rows};

/// What the search for the loads of gears writes to.
#[derive(Debug, Clone, Default)]
pub(super) struct Grasp {
    /// The loads where the machine is, without the impulses of the rows, N.
    now: Vec<f64>,
    /// Velocities that are tried, and a direction, m/s.
    tried: Vec<f64>,
    way: Vec<f64>,
    /// How loads answer to friction, and the greater μ of each.
    answers: Vec<f64>,
    mu: Vec<f64>,
    /// A gear that has no single motion in a step of this length.
    pub jams: Option<usize>,
}

/// Rows of a machine in steps of `h` (s).
pub(super) fn rows(parts: &Parts, h: f64) -> Rows {
    let meshes = parts.meshes.iter().filter(|mesh| mesh.row.is_some());
    let grip = |friction| Grip { friction, h, load: 0.0, by: Vec::new() };
    let mut rows = Rows::default();
    rows.grips.extend(meshes.map(|mesh| grip(mesh.friction)));
    rows
}

/// The gears with friction, in the order of their rows.
fn rubbing(parts: &Parts) -> impl Iterator<Item = usize> + '_ {
    (0..parts.meshes.len()).filter(|g| parts.meshes[*g].row.is_some())
}

/// A load is settled where it differs from the one that was expected by less than this share of its terms.
const SETTLED: f64 = 1e-12;
/// The share of the velocities by which they are moved for a difference.
const NUDGE: f64 = 1e-3;

impl One {
    /// Finds what gears hand on where the masses are, at `w`, from forces that were just found; whether that is what was expected.
    pub(super) fn hand_on(&mut self, rows: &[usize], w: &[f64], v: &[f64]) -> bool {
        if self.rows.grips.is_empty() {
            return true;
        }
        let parts = self.parts.clone();
        self.weigh(w, v);
        let mut steady = true;
        self.grasp.now.clear();
        for (grip, g) in self.rows.grips.iter().zip(rubbing(&parts)) {
            self.grasp.now.push(parts.load_of(g, &self.after, std::iter::empty())[0]);
            let forces = rows.iter().zip(&self.rows.p).map(|(e, p)| (*e, p / self.h));
            let [load, size] = parts.load_of(g, &self.after, forces);
            steady &= (load - grip.handed(&self.rows.p)).abs() <= SETTLED * size;
        }
        steady
    }

    /// The accelerations of the step that ends at `w`, and the forces on nodes as it weighs them.
    fn weigh(&mut self, w: &[f64], v: &[f64]) {
        for (a, (w, v)) in self.after.a.iter_mut().zip(w.iter().zip(v)) {
            *a = (w - v) / self.h;
        }
        for (now, before) in self.after.node_force.iter_mut().zip(&self.before.node_force) {
            *now = self.theta * *now + (1.0 - self.theta) * before;
        }
    }

    /// Finds how the loads follow from the impulses of `rows`, where the masses are at the first of two velocities and would go at
    /// the second without the rows.
    pub(super) fn grip(
        &mut self,
        [next, h]: [f64; 2],
        window: &Window<'_>,
        rows: &[usize],
        [w, free]: [&[f64]; 2],
        from: &Node,
    ) {
        if self.rows.grips.is_empty() {
            return;
        }
        let n = w.len();
        let mut grasp = std::mem::take(&mut self.grasp);
        let mut grips = std::mem::take(&mut self.rows.grips);
        // What Newton's round changes with the impulses as they are, then what each impulse does.
        grasp.way.clear();
        grasp.way.extend((0..n).map(|i| {
            let pushed = self.rows.p.iter().enumerate();
            free[i] - w[i] + pushed.map(|(k, p)| self.matrix.reach[k * n + i] * p).sum::<f64>()
        }));
        for (grip, now) in grips.iter_mut().zip(&grasp.now) {
            grip.load = *now;
            grip.by.clear();
        }
        let largest = w.iter().chain(free).chain(&from.v).fold(0.0, |m: f64, w| m.max(w.abs()));
        for k in 0..=rows.len() {
            if k > 0 {
                grasp.way.copy_from_slice(&self.matrix.reach[(k - 1) * n..k * n]);
            }
            let size = grasp.way.iter().fold(0.0, |m: f64, d| m.max(d.abs()));
            let share = if largest > 0.0 { NUDGE * largest / size } else { 1.0 };
            let moves = size > 0.0;
            if moves {
                grasp.tried.clear();
                grasp.tried.extend(w.iter().zip(&grasp.way).map(|(w, d)| w + share * d));
                self.look(next, window, &grasp.tried, &from.control);
                let parts = self.parts.clone();
                parts.forces(next, window, &self.statuses[1], &mut self.after);
                self.weigh(&grasp.tried, &from.v);
            }
            let gears = rubbing(&self.parts).zip(&grasp.now);
            for (grip, (g, now)) in grips.iter_mut().zip(gears) {
                let there = || self.parts.load_of(g, &self.after, std::iter::empty())[0];
                let rate = if moves { (there() - now) / share } else { 0.0 };
                if k == 0 {
                    grip.load += rate;
                } else {
                    let e = rows[k - 1];
                    grip.load -= rate * self.rows.p[k - 1];
                    grip.by.push(rate - self.parts.shares(g, e) / h);
                }
            }
        }
        // In the order of the rows, sliders are first.
        let first = self.parts.sliders - grips.len();
        let own = |k: usize| first + k;
        grasp.answers.clear();
        grasp.mu.clear();
        for grip in &grips {
            grasp.answers.extend((0..grips.len()).map(|k| h * grip.by[own(k)]));
            grasp.mu.push(grip.friction.steepest());
        }
        if unique(&grasp.answers, &grasp.mu).is_err() {
            let loaded = |k: &usize| grasp.mu[*k] > 0.0;
            let k = (0..grips.len()).find(loaded).unwrap_or(0);
            grasp.jams = rubbing(&self.parts).nth(k);
        }
        self.grasp = grasp;
        self.rows.grips = grips;
    }
}
