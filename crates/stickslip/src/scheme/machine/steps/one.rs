//! One step of a machine.
//!
//! With w the velocities of the masses at its end, F the forces of springs, dashpots, soft stops, loads and sampled controllers,
//! and J the rows of sliders and rigid contacts,
//!
//! ```text
//! M (w − v) = h (θ F(t⁺, x⁺, w) + (1 − θ) F(t, x, v)) + Jᵀ p,      x⁺ = x + h (θ w + (1 − θ) v)
//! −p_e ∈ h N_e A_e(w_e) on sliders,      0 ≤ gap⁺ − min(gap, 0) ⊥ p ≥ 0 on contacts that are closed at the start
//! ```
//!
//! by Newton's method in w; each of its linear problems, r = W p + q over the rows, goes to [`Rows`]. A contact is asked for its
//! place, not for its velocity, so that no penetration can grow. Impacts follow at the end of the step.

use super::control::{Loops, aim};
use super::node::{Node, Sizes};
use super::rows::{Asked, Rows, Rub, sign};
use crate::error::{Error, Obstacle};
use crate::model::Bumper;
use crate::model::machine::FITS;
use crate::motion::Energy;
use crate::numeric::invert;
use crate::scheme::machine::control::Control;
use crate::scheme::machine::flow::{Instant, stretch};
use crate::scheme::machine::impact::{STAYS, TOUCHES};
use crate::scheme::machine::mode::Mode;
use crate::scheme::machine::parts::{
    APART, CLOSED, OPEN, PUSHES, Parts, Place, Window, ZERO, speed,
};
use crate::scheme::machine::unsuitable;
use std::sync::Arc;

/// A machine, made ready for steps of one length.
#[derive(Debug, Clone)]
pub(super) struct One {
    pub parts: Arc<Parts>,
    pub sizes: Sizes,
    pub h: f64,
    pub theta: f64,
    /// At the start and at the end of the step.
    before: Instant,
    after: Instant,
    /// What soft contacts and continuous controllers do there.
    statuses: [Vec<i8>; 2],
    /// Displacements at the end but for what w adds.
    base: Vec<f64>,
    rows: Rows,
    loops: Loops,
    /// The matrix of Newton's method that was inverted last, the inverse, and the rows that were asked.
    known: Known,
    /// The mode of sliders that were held last.
    mode: Option<Arc<Mode>>,
    /// Newton's steps of all steps so far, and what is left of the equations of the last one.
    pub iterations: usize,
    pub residual: f64,
    /// What the last step did.
    pub energy: Energy,
}

#[derive(Debug, Clone, Default)]
struct Known {
    matrix: Vec<f64>,
    inverse: Vec<f64>,
    asked: Vec<usize>,
    /// B Jᵀ of these rows, one after the other.
    reach: Vec<f64>,
}

/// Signals are looked at this share of a step after its start, so that a knot on the grid is one whatever its rounding.
pub(super) const ON_GRID: f64 = 1e-9;
/// Newton's steps after which the search is given up.
const MOST_STEPS: usize = 40;
/// The equations are solved where what is left of them is this share of their terms, or w changes by this share of itself.
const SOLVED: f64 = 1e-13;
/// Rounds of impacts at one instant, in the last of which nothing bounces.
const MOST_ROUNDS: usize = 50;
/// The share of what an impulse does to a velocity that may be its rounding.
const ROUNDING: f64 = 1e-10;
/// What is left after all steps that still counts as solved.
pub(super) const NEARLY: f64 = 1e-9;

impl One {
    /// `None` if a controller has no step of this length.
    pub fn new(parts: Arc<Parts>, h: f64, theta: f64) -> Option<Self> {
        let [before, after] = [Instant::of(&parts), Instant::of(&parts)];
        let statuses = [vec![OPEN; parts.statuses()], vec![OPEN; parts.statuses()]];
        let mut one = Self {
            sizes: Sizes::of(&parts),
            h,
            theta,
            before,
            after,
            statuses,
            base: vec![0.0; parts.masses()],
            rows: Rows::default(),
            loops: Loops::of(&parts, h, theta)?,
            known: Known::default(),
            mode: None,
            iterations: 0,
            residual: 0.0,
            energy: Energy::default(),
            parts,
        };
        let rows = one.parts.rows.len();
        let sliders = one.parts.sliders;
        for status in &mut one.statuses {
            status[..sliders].fill(0);
            status[rows..].fill(0);
        }
        Some(one)
    }

    /// The signals from `t` (s) on.
    fn window<'a>(parts: &'a Parts, t: f64, h: f64) -> Window<'a> {
        parts.window(t + ON_GRID * h)
    }

    /// Advances from `from` at the first to `to` at the second instant (s).
    ///
    /// # Errors
    /// If a bound of a rigid stop jumps past what it stops, or no impulses keep within all bounds.
    pub fn advance(&mut self, span: [f64; 2], from: &Node, to: &mut Node) -> Result<(), Error> {
        let parts = self.parts.clone();
        let [t, next] = span;
        let start = Self::window(&parts, t, self.h);
        let slack = ON_GRID * self.h;
        let ends = |s: &crate::signal::Signal| s.next_breakpoint(t + slack) < next - slack;
        // A jump at the end of the step belongs to the next one; only where one lies inside are there other signals at its end.
        let inside = parts.signals().any(ends).then(|| parts.window(next));
        let end = inside.as_ref().unwrap_or(&start);

        self.set_out(t, &start, from)?;
        to.v.copy_from_slice(&from.v);
        self.solve(next, end, from, to);
        self.arrive(next, end, from, to);
        self.audit(span, [&start, end], to);
        self.collide(next, to)?;
        self.tick(next, to);
        self.show(to);
        Ok(())
    }

    /// The forces at the start of a step.
    fn set_out(&mut self, t: f64, window: &Window<'_>, from: &Node) -> Result<(), Error> {
        let parts = &self.parts;
        let at = &mut self.before;
        at.x.copy_from_slice(&from.x);
        at.v.copy_from_slice(&from.v);
        place(parts, t, window, &from.control, at);
        for (c, contact) in parts.contacts.iter().enumerate() {
            let rigid = matches!(contact.bumper, Bumper::Rigid { .. });
            let bound = window_bound(parts, window, c, t);
            // The gap changes between two steps only where a bound jumps.
            if rigid
                && at.gap[c] < from.gap[c].min(0.0) - FITS * (bound.abs() + reach(parts, c, at))
            {
                let stop = parts.machine.stops()[contact.stop].name.to_string();
                return Err(unsuitable(Obstacle::BoundJumps { stop, time: t }));
            }
        }
        push(parts, at, &mut self.statuses[0]);
        aim(parts, t, window, at, &mut self.statuses[0]);
        parts.forces(t, window, &self.statuses[0], at);
        parts.control_rates(t, window, &self.statuses[0], at, &mut self.loops.rates);
        Ok(())
    }

    /// Finds the velocities at the end of the step, in `to`, and the impulses of all rows.
    fn solve(&mut self, next: f64, window: &Window<'_>, from: &Node, to: &mut Node) {
        let parts = self.parts.clone();
        let n = parts.masses();
        let share = self.h * self.theta;
        for (i, base) in self.base.iter_mut().enumerate() {
            *base = from.x[i] + (self.h - share) * from.v[i];
        }
        // Where everything is without the velocities at the end.
        let mut w = vec![0.0; n];
        self.look(next, window, &w, &from.control);
        let mut asked_rows: Vec<usize> = (0..parts.machine.network().sliders().len()).collect();
        let mut constant: Vec<f64> = asked_rows
            .iter()
            .map(|e| parts.rows[*e].given.iter().map(|(g, c)| c * self.after.given[*g][1]).sum())
            .collect();
        for (c, contact) in parts.contacts.iter().enumerate() {
            let row = parts.sliders + c;
            let gap = self.before.gap[c];
            let rigid = matches!(contact.bumper, Bumper::Rigid { .. });
            if rigid && touches(&parts, c, &self.before, from) {
                asked_rows.push(row);
                // gap⁺ = what is known of it + h θ J w
                constant.push((self.after.gap[c] - gap.min(0.0)) / share);
            }
        }
        let m = asked_rows.len();
        self.rows.p.clear();
        self.rows.p.extend(asked_rows.iter().map(|e| from.impulse[*e]));
        w.copy_from_slice(&from.v);
        let mut left = vec![0.0; n];
        let mut normals = vec![0.0; m];
        let mut solved = true;
        let mut settled = false;
        for round in 0..=MOST_STEPS {
            self.look(next, window, &w, &from.control);
            push(&parts, &mut self.after, &mut self.statuses[1]);
            aim(&parts, next, window, &self.after, &mut self.statuses[1]);
            parts.forces(next, window, &self.statuses[1], &mut self.after);
            let mut steady = true;
            for (k, &e) in asked_rows.iter().enumerate().filter(|(_, e)| **e < parts.sliders) {
                let normal = parts.normal(e, next, window, &self.statuses[1], &self.after).max(0.0);
                steady &= (normal - normals[k]).abs() <= SOLVED * normal;
                normals[k] = normal;
            }
            let size = self.left(&w, &from.v, &mut left);
            let rest = self.rest(&asked_rows, &left);
            self.residual = if size > 0.0 { rest / size } else { 0.0 };
            let done = round > 0 && steady && (settled || rest <= SOLVED * size);
            if done || round == MOST_STEPS {
                break;
            }
            self.iterations += 1;
            self.factor(&asked_rows);
            let law = |(k, e): (usize, &usize)| {
                if *e >= parts.sliders {
                    return Asked::Pushes;
                }
                let age = if from.doing[*e] == 0 { next - from.since[*e] } else { 0.0 };
                let before = speed_of(&parts, *e, &self.before);
                let law = &parts.machine.frictions()[*e].law;
                let weight = self.h * normals[k];
                Asked::Rubs(Rub { law, weight, age, before, was: from.doing[*e] })
            };
            let asked: Vec<Asked<'_>> = asked_rows.iter().enumerate().map(law).collect();
            // Without the rows the masses would go at w − B R.
            let free: Vec<f64> = (0..n)
                .map(|i| {
                    w[i] - (0..n).map(|j| self.known.inverse[i * n + j] * left[j]).sum::<f64>()
                })
                .collect();
            self.rows.q.clear();
            let rows = asked_rows.iter().zip(&constant);
            self.rows.q.extend(rows.map(|(e, c)| parts.rows[*e].of_masses(&free) + c));
            solved = self.rows.solve(&asked);
            let mut change: f64 = 0.0;
            let mut largest: f64 = 0.0;
            for i in 0..n {
                let pushed = (0..m).map(|k| self.known.reach[k * n + i] * self.rows.p[k]);
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
        to.v.copy_from_slice(&w);
        to.impulse.fill(0.0);
        to.arrived.copy_from_slice(&from.doing);
        for (c, row) in (parts.sliders..parts.rows.len()).enumerate() {
            let soft = matches!(parts.contacts[c].bumper, Bumper::Soft { .. });
            to.arrived[row] = if soft { self.statuses[1][row] } else { OPEN };
        }
        for (k, &e) in asked_rows.iter().enumerate() {
            to.impulse[e] = self.rows.p[k];
            if e < parts.sliders {
                to.arrived[e] = sign(self.rows.r[k]);
            }
        }
    }

    /// Where the machine is at the end of the step with the velocities `w`.
    fn look(&mut self, next: f64, window: &Window<'_>, w: &[f64], control: &Control) {
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

    /// What the impulses of the rows leave of the equations, N·s.
    fn rest(&self, asked: &[usize], left: &[f64]) -> f64 {
        let mut rest = left.to_vec();
        for (e, p) in asked.iter().zip(&self.rows.p) {
            for (i, c) in &self.parts.rows[*e].masses {
                rest[*i] -= c * p;
            }
        }
        rest.iter().fold(0.0, |m, r| m.max(r.abs()))
    }

    /// The inverse of M + h θ C + h² θ² K where the machine is, and what impulses of the rows do by it.
    fn factor(&mut self, asked: &[usize]) {
        let parts = &self.parts;
        let n = parts.masses();
        let share = self.h * self.theta;
        let mut matrix = parts.mass.clone();
        let mut add = |ends: [Option<usize>; 2], stiffness: f64, damping: f64| {
            let by = share * (damping + share * stiffness);
            let mut row = [(0, 0.0); 2];
            for (entry, (end, sign)) in row.iter_mut().zip(ends.into_iter().zip([1.0, -1.0])) {
                if let Some(Place::With(k, ratio)) = end.map(|i| parts.places[i]) {
                    *entry = (k, sign * ratio);
                }
            }
            for (i, c) in row {
                for (j, d) in row {
                    matrix[i * n + j] += by * c * d;
                }
            }
        };
        let network = parts.machine.network();
        network.springs().iter().for_each(|s| add(s.between(), s.coefficient, 0.0));
        network.dashpots().iter().for_each(|d| add(d.between(), 0.0, d.coefficient));
        for (k, s) in parts.machine.springs().iter().enumerate() {
            let z = stretch(&self.after.node_x, s.between());
            add(s.between(), parts.spring_pull(k, z, &self.after)[1], 0.0);
        }
        for (c, contact) in parts.contacts.iter().enumerate() {
            if let Bumper::Soft { stiffness, damping } = contact.bumper
                && self.statuses[1][parts.sliders + c] == PUSHES
            {
                add(parts.machine.stops()[contact.stop].between(), stiffness, damping);
            }
        }
        self.loops.entries(parts, &self.statuses[1], |i, j, by| matrix[i * n + j] += by);
        let known = &mut self.known;
        let same = known.matrix == matrix;
        if !same {
            // A softening spring may take so much away that nothing is left; the run then says that its numbers are not finite.
            known.inverse = invert(matrix.clone(), n).unwrap_or_else(|| vec![f64::NAN; n * n]);
            known.matrix = matrix;
        }
        if !same || known.asked != asked {
            known.asked = asked.to_vec();
            known.reach.clear();
            for e in asked {
                let masses = &parts.rows[*e].masses;
                let of = |i: usize| {
                    masses.iter().map(|(j, c)| known.inverse[i * n + j] * c).sum::<f64>()
                };
                known.reach.extend((0..n).map(of));
            }
            let m = asked.len();
            self.rows.compliance.clear();
            for e in asked {
                let row = &parts.rows[*e];
                let reach = &known.reach;
                self.rows
                    .compliance
                    .extend((0..m).map(|k| row.of_masses(&reach[k * n..(k + 1) * n])));
            }
        }
    }

    /// Completes the end of the step: what is held has one velocity to the last bit.
    fn arrive(&mut self, next: f64, window: &Window<'_>, from: &Node, to: &mut Node) {
        let parts = self.parts.clone();
        let sliders = parts.machine.network().sliders().len();
        if to.arrived[..sliders].contains(&0) {
            let mut status = vec![0; parts.statuses()];
            status[..sliders].copy_from_slice(&to.arrived[..sliders]);
            status[parts.sliders..parts.rows.len()].fill(OPEN);
            for e in 0..sliders {
                // What is lifted off holds nothing, and rests by chance.
                let free = to.impulse[e] == 0.0 && speed_of(&parts, e, &self.after) != 0.0;
                status[e] = if free { 1 } else { status[e] };
            }
            if self.mode.as_ref().is_none_or(|m| m.status[..] != status[..]) {
                self.mode = Mode::without_forces(&parts, status).ok().map(Arc::new);
            }
            if let Some(mode) = &self.mode {
                let given = |g: usize| self.after.given[g][1];
                let groups = mode.group_velocities(&parts, &to.v, given);
                for (v, carried) in to.v.iter_mut().zip(&mode.carried) {
                    let own = carried.group.map_or(0.0, |g| carried.ratio * groups[g]);
                    *v = own + carried.given.iter().map(|(g, c)| c * given(*g)).sum::<f64>();
                }
            }
        }
        let w = to.v.clone();
        self.look(next, window, &w, &from.control);
        push(&parts, &mut self.after, &mut self.statuses[1]);
        aim(&parts, next, window, &self.after, &mut self.statuses[1]);
        parts.forces(next, window, &self.statuses[1], &mut self.after);
        to.x.copy_from_slice(&self.after.x);
        to.gap.copy_from_slice(&self.after.gap);
        for (c, row) in (parts.sliders..parts.rows.len()).enumerate() {
            // Where friction holds a body at a stop either may bear the load, but it stays there.
            let opened = to.gap[c] - self.before.gap[c].min(0.0);
            let stays = opened <= TOUCHES * reach(&parts, c, &self.after);
            let rigid = matches!(parts.contacts[c].bumper, Bumper::Rigid { .. });
            let touched = touches(&parts, c, &self.before, from);
            if rigid && (to.impulse[row] > 0.0 || (touched && stays)) {
                to.arrived[row] = CLOSED;
            }
        }
        for e in 0..parts.rows.len() {
            let rests = to.arrived[e] == 0 && from.doing[e] == 0;
            to.since[e] = if rests { from.since[e] } else { next };
        }
        to.doing.copy_from_slice(&to.arrived);
        to.control.clone_from(&from.control);
        to.control.states.copy_from_slice(&self.after.states);
        // The mean acceleration and force of the step, from which follows what gears hand on.
        for (i, a) in self.after.a.iter_mut().enumerate() {
            *a = (to.v[i] - from.v[i]) / self.h;
        }
    }

    /// Impacts at the end of the step: contacts that are passed and close. One that pushed all the step long does not bounce:
    /// what would come back within a step is over. Where an impact makes another contact close, that one is met next.
    fn collide(&mut self, next: f64, to: &mut Node) -> Result<(), Error> {
        let parts = self.parts.clone();
        to.blows.clear();
        let given: Vec<f64> = self.after.given.iter().map(|g| g[1]).collect();
        for round in 0..MOST_ROUNDS {
            // Blows that follow each other without an end are over at last.
            let bounces = round + 1 < MOST_ROUNDS;
            let (rows, restitution) = self.closing(to, &given, bounces);
            if restitution.iter().all(Option::is_none) {
                break;
            }
            let met = parts.strike(next, &rows, &restitution, &given, &mut to.v)?;
            for (k, met) in met.iter().enumerate() {
                let row = &parts.rows[rows[k]];
                let mean = 0.5 * (met.before + speed(row, &to.v, &given)[0]);
                let bound: f64 = row.given.iter().map(|(g, c)| c * given[*g]).sum();
                // On the masses a contact does p times the mean of their part of its velocity.
                self.energy.impacts -= met.impulse * mean;
                self.energy.work -= met.impulse * bound;
                to.lost -= met.impulse * mean;
                if restitution[k].is_some() {
                    to.note(met);
                }
            }
        }
        if to.blows.is_empty() {
            return Ok(());
        }
        for blow in &mut to.blows {
            let row = parts.sliders + blow.contact;
            let [after, size] = speed(&parts.rows[row], &to.v, &given);
            blow.after = after;
            let pushed = parts.compliance(&[row])[0] * blow.impulse;
            let stays = after <= STAYS * size + ROUNDING * pushed;
            to.doing[row] = if stays { CLOSED } else { OPEN };
        }
        for e in 0..parts.rows.len() {
            let [w, size] = speed(&parts.rows[e], &to.v, &given);
            let moves = w.abs() > STAYS * size;
            if e >= parts.sliders {
                // What pushed and was not met may have been torn open.
                let met = to.blows.iter().any(|b| parts.sliders + b.contact == e);
                let leaves = w > self.slack(e, to) + STAYS * size;
                if to.doing[e] == CLOSED && !met && leaves {
                    to.doing[e] = OPEN;
                }
                continue;
            }
            let now = if moves { sign(w) } else { 0 };
            if now != to.doing[e] {
                to.doing[e] = now;
                to.since[e] = next;
            }
        }
        self.after.v.copy_from_slice(&to.v);
        parts.nodes(next, &mut self.after);
        Ok(())
    }

    /// The rows of rigid contacts that close, each with its restitution, and those that push and are at rest.
    fn closing(&self, to: &Node, given: &[f64], bounces: bool) -> (Vec<usize>, Vec<Option<f64>>) {
        let parts = &self.parts;
        let mut rows = Vec::new();
        let mut restitution = Vec::new();
        for (c, contact) in parts.contacts.iter().enumerate() {
            let Bumper::Rigid { restitution: e } = contact.bumper else { continue };
            let row = parts.sliders + c;
            let pressed = to.arrived[row] == CLOSED;
            let [u, size] = speed(&parts.rows[row], &to.v, given);
            let slack = ZERO * size + if pressed { self.slack(row, to) } else { 0.0 };
            let touches = to.gap[c] <= TOUCHES * reach(parts, c, &self.after);
            if (pressed || touches) && u < -slack {
                rows.push(row);
                restitution.push(Some(if pressed || !bounces { 0.0 } else { e }));
            } else if pressed && u <= slack {
                rows.push(row);
                restitution.push(None);
            }
        }
        (rows, restitution)
    }

    /// The velocity with which a contact that pushes may seem to open, m/s: its place is right to rounding, its velocity to what a
    /// bound gains in a step, and to the rounding of what its impulse does.
    fn slack(&self, row: usize, to: &Node) -> f64 {
        let given = self.parts.rows[row].given.iter();
        let gained: f64 = given.map(|(g, c)| (c * self.after.given[*g][2]).abs()).sum();
        2.0 * self.h * gained + ROUNDING * self.parts.compliance(&[row])[0] * to.impulse[row]
    }

    /// What sampled controllers do at `t` (s).
    pub fn tick(&mut self, t: f64, to: &mut Node) {
        let due = t + ON_GRID * self.h;
        if self.parts.next_tick(&to.control) > due {
            return;
        }
        let parts = self.parts.clone();
        let window = Self::window(&parts, t, self.h);
        // A tick on the grid is one whatever its rounding.
        loop {
            let tick = parts.next_tick(&to.control);
            if tick > due {
                return;
            }
            parts.tick(tick.max(t), &window, &self.after, &mut to.control);
        }
    }

    /// The row of numbers that is shown after a step.
    fn show(&mut self, to: &mut Node) {
        let parts = self.parts.clone();
        let Sizes { nodes, sliders, stops, .. } = self.sizes;
        let shown = &mut to.shown;
        shown.clear();
        shown.extend_from_slice(&self.after.node_x[..nodes]);
        shown.extend_from_slice(&self.after.node_v[..nodes]);
        shown.extend(std::iter::repeat_n(f64::INFINITY, stops));
        shown.extend(to.impulse[..sliders].iter().map(|p| p / self.h + 0.0));
        shown.extend(std::iter::repeat_n(0.0, stops));
        let pushes = 2 * nodes + stops + sliders;
        for (c, contact) in parts.contacts.iter().enumerate() {
            let gap = &mut shown[2 * nodes + contact.stop];
            *gap = gap.min(to.gap[c]);
            let row = parts.sliders + c;
            let push = match contact.bumper {
                Bumper::Rigid { .. } => to.impulse[row] / self.h,
                Bumper::Soft { .. } if to.arrived[row] == PUSHES => parts.push_of(c, &self.after),
                Bumper::Soft { .. } => 0.0,
            };
            shown[pushes + contact.stop] += contact.side * push;
        }
        // What acted in the step: a tick at its end acts in the next one.
        shown.extend(self.after.u.iter());
        if !parts.meshes.is_empty() {
            for (now, before) in self.after.node_force.iter_mut().zip(&self.before.node_force) {
                *now = self.theta * *now + (1.0 - self.theta) * before;
            }
            let forces: Vec<(usize, f64)> =
                to.impulse.iter().map(|p| p / self.h).enumerate().collect();
            let loads = parts.handed_on(&self.after, &forces);
            shown.extend(loads.into_iter().map(|[load, _]| load));
        }
    }

    /// The node that a run sets out from at `t` (s) with these displacements (m) and velocities (m/s) of all nodes.
    pub fn start(
        &mut self,
        t: f64,
        x: &[f64],
        v: &[f64],
        control: Option<Control>,
    ) -> Result<Node, Error> {
        let parts = self.parts.clone();
        let of = |u: &[f64]| parts.node_of.iter().map(|i| u[*i]).collect::<Vec<f64>>();
        let rows = parts.rows.len();
        let mut node = Node {
            x: of(x),
            v: of(v),
            arrived: vec![0; rows],
            doing: vec![0; rows],
            since: vec![t; rows],
            gap: vec![0.0; parts.contacts.len()],
            impulse: vec![0.0; rows],
            control: Control::empty(&parts),
            ..Node::default()
        };
        let window = Self::window(&parts, t, self.h);
        self.after.x.copy_from_slice(&node.x);
        self.after.v.copy_from_slice(&node.v);
        place(&parts, t, &window, &node.control, &mut self.after);
        push(&parts, &mut self.after, &mut self.statuses[1]);
        node.control = match control {
            Some(control) if control.held.len() == parts.loops.len() => control,
            _ => parts.fresh_control(t, &window, &self.after),
        };
        let given: Vec<f64> = self.after.given.iter().map(|g| g[1]).collect();
        for (e, row) in parts.rows.iter().enumerate() {
            let [u, size] = speed(row, &node.v, &given);
            let moves = u.abs() > ZERO * size;
            node.doing[e] = match e.checked_sub(parts.sliders) {
                None if moves => sign(u),
                None => 0,
                Some(c) if matches!(parts.contacts[c].bumper, Bumper::Soft { .. }) => {
                    self.statuses[1][e]
                }
                Some(c) => {
                    let gap = self.after.gap[c];
                    let closed = gap <= FITS * reach(&parts, c, &self.after) && !moves;
                    if closed { CLOSED } else { OPEN }
                }
            };
        }
        node.gap.copy_from_slice(&self.after.gap);
        node.arrived.copy_from_slice(&node.doing);
        self.collide(t, &mut node)?;
        self.tick(t, &mut node);
        place(&parts, t, &window, &node.control, &mut self.after);
        aim(&parts, t, &window, &self.after, &mut self.statuses[1]);
        parts.forces(t, &window, &self.statuses[1], &mut self.after);
        self.after.node_force.fill(0.0);
        self.before.node_force.fill(0.0);
        self.after.a.fill(0.0);
        self.show(&mut node);
        Ok(node)
    }

    /// Adds what the step from the first to the second instant did to the energies, before its impacts.
    fn audit(&mut self, span: [f64; 2], windows: [&Window<'_>; 2], to: &mut Node) {
        let parts = self.parts.clone();
        let energy = super::account::Step {
            parts: &parts,
            theta: self.theta,
            h: self.h,
            at: [&self.before, &self.after],
            statuses: [&self.statuses[0], &self.statuses[1]],
            impulse: &to.impulse,
        }
        .energy(span, windows);
        to.lost = energy.friction + energy.viscous + energy.impacts;
        self.energy = energy;
    }

    /// Kinetic and elastic energy and that in soft stops at the end of the last step, J.
    pub fn stored(&self) -> [f64; 3] {
        crate::scheme::machine::energy::stored(&self.parts, &self.statuses[1], &self.after)
    }
}

/// Where everything is at `t` (s) with the displacements and velocities of masses in `at`.
fn place(parts: &Parts, t: f64, window: &Window<'_>, control: &Control, at: &mut Instant) {
    for (now, piece) in at.given.iter_mut().zip(&window.given) {
        *now = piece.at(t);
    }
    parts.nodes(t, at);
    for (c, contact) in parts.contacts.iter().enumerate() {
        let z = stretch(&at.node_x, parts.machine.stops()[contact.stop].between());
        at.gap[c] = contact.side * (z - window_bound(parts, window, c, t));
    }
    at.states.copy_from_slice(&control.states);
    at.applied.copy_from_slice(&control.applied);
    parts.find_pieces(t, window, at);
}

/// The place of the bound of contact `c` at `t` (s), m.
fn window_bound(parts: &Parts, window: &Window<'_>, c: usize, t: f64) -> f64 {
    // The bound is the last thing that is given in the row of its contact.
    let bound = parts.rows[parts.sliders + c].given.last();
    bound.map_or(0.0, |(g, _)| window.given[*g].place(t))
}

/// What soft contacts do where the machine is.
fn push(parts: &Parts, at: &mut Instant, status: &mut [i8]) {
    for (c, contact) in parts.contacts.iter().enumerate() {
        if matches!(contact.bumper, Bumper::Soft { .. }) {
            let now = match at.gap[c] < 0.0 {
                true if parts.push_of(c, at) > 0.0 => PUSHES,
                true => APART,
                false => OPEN,
            };
            status[parts.sliders + c] = now;
        }
    }
}

/// The size of the displacements that make the gap of contact `c`, m.
fn reach(parts: &Parts, c: usize, at: &Instant) -> f64 {
    let masses = parts.rows[parts.sliders + c].masses.iter();
    masses.map(|(i, w)| (w * at.x[*i]).abs()).sum()
}

/// Whether the rigid contact `c` is closed, or passed, at the start of a step.
fn touches(parts: &Parts, c: usize, at: &Instant, from: &Node) -> bool {
    at.gap[c] <= TOUCHES * reach(parts, c, at) || from.doing[parts.sliders + c] == CLOSED
}

/// The relative velocity of row `e`, m/s.
fn speed_of(parts: &Parts, e: usize, at: &Instant) -> f64 {
    parts.rows[e].value(&at.v, |g| at.given[g][1])
}
