//! The velocities at the end of a step, by Newton's method.

use super::One;
use crate::model::Bumper;
use crate::scheme::machine::control::Control;
use crate::scheme::machine::flow::stretch;
use crate::scheme::machine::parts::{OPEN, Parts, Window};
use crate::scheme::machine::theta_method::bristles::{Bend, Laws};
use crate::scheme::machine::theta_method::control::aim;
use crate::scheme::machine::theta_method::node::Node;
use crate::scheme::machine::theta_method::places::{place, push, speed_of, touches};
use crate::scheme::machine::theta_method::rows::{Asked, Rub, sign};

/// Newton's steps after which the search is given up.
const MOST_STEPS: usize = 40;
/// The equations are solved where what is left of them is this share of their terms, or w changes by this share of itself.
const SOLVED: f64 = 1e-13;

/// What a search writes to.
#[derive(Debug, Clone, Default)]
pub(super) struct Search {
    /// The velocities of the masses, m/s, and where they would go without the rows.
    w: Vec<f64>,
    free: Vec<f64>,
    /// The rows that are asked: what is known of the velocity of each, m/s, what it is asked for, and its normal force.
    rows: Vec<usize>,
    constant: Vec<f64>,
    asked: Vec<Asked>,
    normals: Vec<f64>,
    /// What is left of the equations without the impulses of the rows, and with them, N·s.
    left: Vec<f64>,
    rest: Vec<f64>,
}

impl Search {
    /// For this machine.
    pub fn of(parts: &Parts) -> Self {
        let [n, m] = [parts.masses(), parts.rows.len()];
        Self {
            w: vec![0.0; n],
            free: Vec::with_capacity(n),
            rows: Vec::with_capacity(m),
            constant: Vec::with_capacity(m),
            asked: Vec::with_capacity(m),
            normals: Vec::with_capacity(m),
            left: vec![0.0; n],
            rest: vec![0.0; n],
        }
    }
}

impl One {
    /// Finds the velocities at the end of the step, in `to`, and the impulses of all rows.
    pub(super) fn solve(&mut self, next: f64, window: &Window<'_>, from: &Node, to: &mut Node) {
        let parts = self.parts.clone();
        let n = parts.masses();
        let share = self.h * self.theta;
        for (i, base) in self.base.iter_mut().enumerate() {
            *base = from.x[i] + (self.h - share) * from.v[i];
        }
        // Where everything is without the velocities at the end.
        let mut search = std::mem::take(&mut self.search);
        let Search { w, rows, constant, normals, left, rest, asked, free } = &mut search;
        w.fill(0.0);
        self.look(next, window, w, &from.control);
        rows.clear();
        rows.extend(0..parts.sliders);
        constant.clear();
        constant.extend(rows.iter().map(|e| {
            parts.rows[*e].given.iter().map(|(g, c)| c * self.after.given[*g][1]).sum::<f64>()
        }));
        let rubbing = parts.machine.network().sliders().len();
        for (c, contact) in parts.contacts.iter().enumerate() {
            let row = parts.sliders + c;
            let gap = self.before.gap[c];
            let rigid = matches!(contact.bumper, Bumper::Rigid { .. });
            if rigid && touches(&parts, c, &self.before, from) {
                rows.push(row);
                // gap⁺ = what is known of it + h θ J w
                constant.push((self.after.gap[c] - gap.min(0.0)) / share);
            }
        }
        let m = rows.len();
        self.rows.p.clear();
        self.rows.p.extend(rows.iter().map(|e| from.impulse[*e]));
        w.copy_from_slice(&from.v);
        normals.clear();
        normals.resize(m, 0.0);
        let laws = Laws { parts: &parts, from, h: self.h, share };
        let mut solved = true;
        let mut settled = false;
        for round in 0..=MOST_STEPS {
            self.look(next, window, w, &from.control);
            push(&parts, &mut self.after, &mut self.statuses[1]);
            aim(&parts, next, window, &self.after, &mut self.statuses[1]);
            parts.forces(next, window, &self.statuses[1], &mut self.after);
            let mut steady = true;
            for (k, &e) in rows.iter().enumerate().take(rubbing) {
                let normal = parts.normal(e, next, window, &self.statuses[1], &self.after).max(0.0);
                steady &= (normal - normals[k]).abs() <= SOLVED * normal;
                normals[k] = normal;
            }
            steady &= self.hand_on(rows, w, &from.v);
            let size = self.left(w, &from.v, left);
            let unbalanced = self.unbalanced(rows, left, rest);
            self.residual = if size > 0.0 { unbalanced / size } else { 0.0 };
            let done = round > 0 && steady && (settled || unbalanced <= SOLVED * size);
            if done || round == MOST_STEPS {
                break;
            }
            self.iterations += 1;
            let status = &self.statuses[1][..];
            let compliance = &mut self.rows.compliance;
            self.matrix.factor(&parts, &self.loops, status, &self.after, rows, compliance);
            asked.clear();
            asked.extend(rows.iter().enumerate().map(|(k, e)| {
                if *e >= parts.sliders {
                    return Asked::Pushes;
                } else if *e >= rubbing {
                    return Asked::Grips(*e - rubbing);
                }
                let age = if from.doing[*e] == 0 { next - from.since[*e] } else { 0.0 };
                let before = speed_of(&parts, *e, &self.before);
                let weight = self.h * normals[k];
                if let Some(number) = parts.bristles.iter().position(|b| b.row == *e) {
                    let ends = parts.machine.network().sliders()[*e].between();
                    let x = stretch(&self.after.node_x, ends)
                        - share * speed_of(&parts, *e, &self.after);
                    return Asked::Bends(Bend { number, weight, before, x });
                }
                Asked::Rubs(Rub { slider: *e, weight, age, before, was: from.doing[*e] })
            }));
            // Without the rows the masses would go at w − B R.
            let inverse = &self.matrix.inverse;
            free.clear();
            free.extend(
                (0..n).map(|i| w[i] - (0..n).map(|j| inverse[i * n + j] * left[j]).sum::<f64>()),
            );
            self.rows.q.clear();
            let known = rows.iter().zip(&*constant);
            self.rows.q.extend(known.map(|(e, c)| parts.rows[*e].of_masses(free) + c));
            self.grip([next, self.h], window, rows, [w, free], from);
            solved = self.rows.solve(asked, &laws);
            let mut change: f64 = 0.0;
            let mut largest: f64 = 0.0;
            for i in 0..n {
                let pushed = (0..m).map(|k| self.matrix.reach[k * n + i] * self.rows.p[k]);
                let new = free[i] + pushed.sum::<f64>();
                change = change.max((new - w[i]).abs());
                largest = largest.max(new.abs()).max(from.v[i].abs());
                w[i] = new;
            }
            settled = change <= SOLVED * largest;
        }
        if !solved {
            self.residual = self.residual.max(1.0);
        }
        to.v.copy_from_slice(w);
        to.impulse.fill(0.0);
        to.arrived.copy_from_slice(&from.doing);
        for (c, row) in (parts.sliders..parts.rows.len()).enumerate() {
            let soft = matches!(parts.contacts[c].bumper, Bumper::Soft { .. });
            to.arrived[row] = if soft { self.statuses[1][row] } else { OPEN };
        }
        for (k, &e) in rows.iter().enumerate() {
            to.impulse[e] = self.rows.p[k];
            if e < parts.sliders && parts.memory(e).is_none() {
                to.arrived[e] = sign(self.rows.r[k]);
            }
        }
        self.search = search;
    }

    /// Where the machine is at the end of the step with the velocities `w`.
    pub(super) fn look(&mut self, next: f64, window: &Window<'_>, w: &[f64], control: &Control) {
        let share = self.h * self.theta;
        for (x, (base, w)) in self.after.x.iter_mut().zip(self.base.iter().zip(w)) {
            *x = base + share * w;
        }
        self.after.v.copy_from_slice(w);
        place(&self.parts, next, window, control, &mut self.after);
        self.loops.advance(&self.parts, next, window, &mut self.after);
    }

    /// M (w − v) − h (θ F⁺ + (1 − θ) F) in `left`; the size of its terms, N·s.
    fn left(&self, w: &[f64], v: &[f64], left: &mut [f64]) -> f64 {
        let n = w.len();
        let mut largest: f64 = 0.0;
        for (i, left) in left.iter_mut().enumerate() {
            let mass = &self.parts.mass[i * n..(i + 1) * n];
            let gained: f64 = mass.iter().zip(w.iter().zip(v)).map(|(m, (w, v))| m * (w - v)).sum();
            let new = self.h * self.theta * self.after.force[i];
            let old = self.h * (1.0 - self.theta) * self.before.force[i];
            *left = gained - new - old;
            let own = mass[i] * (w[i].abs() + v[i].abs());
            largest = largest.max(own + new.abs() + old.abs());
        }
        largest
    }

    /// The largest of what the impulses of the rows leave of the equations, N·s; each in `rest`.
    fn unbalanced(&self, rows: &[usize], left: &[f64], rest: &mut [f64]) -> f64 {
        rest.copy_from_slice(left);
        for (e, p) in rows.iter().zip(&self.rows.p) {
            for (i, c) in &self.parts.rows[*e].masses {
                rest[*i] -= c * p;
            }
        }
        rest.iter().fold(0.0, |m, r| m.max(r.abs()))
    }
}
