//! Sliders of rate and state: u and ln θ in place of a velocity and an age.
//!
//! The friction of such a slider is N a u at the sliding velocity w = 2 V₀ e^−ψ sinh u, which passes tens of decades. As a
//! difference of the velocities of two masses w would lose its digits, and a polynomial in time does not follow it over decades.
//! So u stands in the state in the place of the velocity of one group that the slider moves, and that velocity follows from w and
//! those of the others: with the sliding velocities w_k of all such sliders and the groups P whose places they take,
//!
//! ```text
//! B_P V_P = w − B_N V_N − (what is given),      (∂w/∂u) u̇ = ẇ + w ψ̇
//! ```
//!
//! B has the coefficients of the groups' velocities in w. A slider whose w follows from those of others, or is zero because
//! something else holds its ends together, takes no place: its u is that of the velocities.

use super::flow::{Flow, Instant};
use super::mode::{Carried, Mode};
use super::parts::{Parts, Window, speed};
use super::places::{Creep, Level, Levels};
use super::slots::Bristled;
use super::{Masses, System};
use crate::law::memory::RateAndState;
use crate::portable;

/// What is left of a row below this share of it is rounding: it follows from others.
const FOLLOWS: f64 = 1e-9;
/// Rounding of a velocity relative to the terms of which it is the sum.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// |u| below which a slider turns: whichever side it has there, its velocity is none that a number in m/s could tell from zero.
pub(super) const TURNS: f64 = 1e-3;
/// The length of a leap over decades of the velocity, in multiples of the shortest step.
pub(super) const LEAP: f64 = 1e3;
/// A level that changes by less over a leap does not take part in it, unless the friction brings it to a balance within the leap.
const CALM: f64 = 0.1;
/// How far u is moved to see how fast the friction brings it to a balance.
const NUDGE: f64 = 1e-3;

impl Levels {
    /// Of masses that move like this in `groups`.
    pub fn of(parts: &Parts, carried: &[Carried], groups: usize) -> Self {
        let mut levels = Self::default();
        if !parts.has_levels() {
            return levels;
        }
        let mut reduced: Vec<(usize, Vec<f64>)> = Vec::new();
        for (bristle, b) in parts.bristles.iter().enumerate() {
            if parts.rock(b).is_none() {
                continue;
            }
            let (dense, given) = through(parts, b.row, carried, groups);
            let size = dense.iter().fold(0.0, |m: f64, c| m.max(c.abs()));
            let mut left = dense.clone();
            // Gauss's elimination by those that have their places already.
            for (group, row) in &reduced {
                let factor = left[*group] / row[*group];
                left.iter_mut().zip(row).for_each(|(l, r)| *l -= factor * r);
                left[*group] = 0.0;
            }
            // The first of the greatest, so that a slider between two masses takes the place of its first end.
            let mut group = 0;
            for g in 1..groups {
                if left[g].abs() > left[group].abs() {
                    group = g;
                }
            }
            if groups == 0 || left[group].abs() <= FOLLOWS * size || size == 0.0 {
                continue;
            }
            reduced.push((group, left));
            let own = dense.iter().copied().enumerate().filter(|c| c.1 != 0.0).collect();
            levels.all.push(Level { bristle, row: b.row, group, groups: own, given });
        }
        levels.invert();
        levels
    }

    /// B_P⁻¹ by Gauss and Jordan's elimination with exchanges; that it exists was seen as the places were given.
    fn invert(&mut self) {
        let n = self.all.len();
        let mut rows: Vec<Vec<f64>> = (0..n)
            .map(|k| {
                let of =
                    |g: usize| self.all[k].groups.iter().find(|c| c.0 == g).map_or(0.0, |c| c.1);
                let unit = (0..n).map(|j| if j == k { 1.0 } else { 0.0 });
                self.all.iter().map(|l| of(l.group)).chain(unit).collect()
            })
            .collect();
        for k in 0..n {
            let most =
                (k..n).fold(k, |p, i| if rows[i][k].abs() > rows[p][k].abs() { i } else { p });
            rows.swap(k, most);
            let pivot = rows[k][k];
            rows[k].iter_mut().for_each(|x| *x /= pivot);
            let own = rows[k].clone();
            for (i, row) in rows.iter_mut().enumerate() {
                let factor = row[k];
                if i != k && factor != 0.0 {
                    row.iter_mut().zip(&own).for_each(|(x, o)| *x -= factor * o);
                }
            }
        }
        self.inverse = rows.iter().flat_map(|row| row[n..].iter().copied()).collect();
    }
}

/// The velocity of a row by those of groups, all of them, and of what is given.
fn through(
    parts: &Parts,
    row: usize,
    carried: &[Carried],
    groups: usize,
) -> (Vec<f64>, Vec<(usize, f64)>) {
    let mut dense = vec![0.0; groups];
    let mut given: Vec<(usize, f64)> = Vec::new();
    let mut add = |g: usize, c: f64| match given.iter_mut().find(|k| k.0 == g) {
        Some(k) => k.1 += c,
        None => given.push((g, c)),
    };
    for (i, c) in &parts.rows[row].masses {
        if let Some(g) = carried[*i].group {
            dense[g] += c * carried[*i].ratio;
        }
        carried[*i].given.iter().for_each(|(g, d)| add(*g, c * d));
    }
    parts.rows[row].given.iter().for_each(|(g, c)| add(*g, *c));
    (dense, given)
}

impl Parts {
    /// The law of a slider with memory, if it is of rate and state.
    pub fn rock(&self, b: &Bristled) -> Option<&RateAndState> {
        self.memory(b.row)?.law().as_rate_and_state()
    }

    /// Whether there is a slider of rate and state.
    pub fn has_levels(&self) -> bool {
        self.bristles.iter().any(|b| self.rock(b).is_some())
    }

    /// w, u and ln θ of every slider of rate and state from velocities and ages; u is that of `known` where the velocity agrees
    /// with it to rounding.
    pub fn show_levels(&self, known: &[f64], at: &mut Instant) {
        if !self.has_levels() {
            return;
        }
        let given: Vec<f64> = at.given.iter().map(|g| g[1]).collect();
        for (i, b) in self.bristles.iter().enumerate() {
            let Some(law) = self.rock(b) else { continue };
            let sum = speed(&self.rows[b.row], &at.v, &given);
            let known = known.get(i).copied().unwrap_or(f64::NAN);
            at.creeps[i] = creep(law, sum, portable::ln(at.states[b.state]), known);
        }
    }
}

/// What a slider does at the velocity `w` (m/s), which is a sum of terms of this size.
fn creep(law: &RateAndState, [w, size]: [f64; 2], ln_age: f64, known: f64) -> Creep {
    let psi = law.psi(ln_age);
    let fine = law.velocity(known, psi);
    // A number that is none agrees with nothing.
    if (fine - w).abs() <= ROUNDING * size {
        return Creep { speed: fine, level: known, ln_age };
    }
    Creep { speed: w, level: law.level(w, psi), ln_age }
}

impl Flow<'_> {
    /// Puts u and ln θ into the state `first`, in which velocities of groups and ages stand.
    pub fn take_levels(&self, state: &Masses, given: impl Fn(usize) -> f64, first: &mut [f64]) {
        let parts = self.parts;
        if !parts.has_levels() {
            return;
        }
        let given: Vec<f64> = (0..parts.given.len()).map(given).collect();
        let (moving, states) = first.split_at_mut(2 * self.mode.groups);
        for b in parts.bristles.iter().filter(|b| parts.rock(b).is_some()) {
            states[b.state] = portable::ln(states[b.state]);
        }
        for level in &self.mode.levels.all {
            let b = &parts.bristles[level.bristle];
            let Some(law) = parts.rock(b) else { continue };
            let sum = speed(&parts.rows[level.row], &state.v, &given);
            let creep = creep(law, sum, states[b.state], state.levels[level.bristle]);
            moving[self.mode.groups + level.group] = creep.level;
        }
    }

    /// The velocities of groups from those numbers in their places, with ln θ among the states.
    pub fn release_levels(&self, at: &mut Instant) {
        let levels = &self.mode.levels;
        if levels.all.is_empty() {
            return;
        }
        let n = levels.all.len();
        at.beyond.clear();
        for level in &levels.all {
            let b = &self.parts.bristles[level.bristle];
            let Some(law) = self.parts.rock(b) else { continue };
            let ln_age = at.states[b.state];
            let u = at.group_v[level.group];
            let w = law.velocity(u, law.psi(ln_age));
            at.creeps[level.bristle] = Creep { speed: w, level: u, ln_age };
            let takes = |g: usize| levels.all.iter().any(|l| l.group == g);
            let others = level.groups.iter().filter(|c| !takes(c.0));
            let others: f64 = others.map(|(g, c)| c * at.group_v[*g]).sum();
            let given: f64 = level.given.iter().map(|(g, c)| c * at.given[*g][1]).sum();
            at.beyond.push(w - others - given);
        }
        for (k, level) in levels.all.iter().enumerate() {
            let row = &levels.inverse[k * n..(k + 1) * n];
            at.group_v[level.group] = row.iter().zip(&at.beyond).map(|(c, r)| c * r).sum();
        }
    }

    /// Ages in place of their logarithms among the states, and what sliders do that have no place of their own, once the
    /// velocities are known.
    pub fn show_ages(&self, at: &mut Instant) {
        let parts = self.parts;
        for (i, b) in parts.bristles.iter().enumerate() {
            let Some(law) = parts.rock(b) else { continue };
            let ln_age = at.states[b.state];
            at.states[b.state] = portable::exp(ln_age);
            if !self.mode.levels.all.iter().any(|l| l.bristle == i) {
                let w = parts.rows[b.row].value(&at.v, |g| at.given[g][1]);
                at.creeps[i] = Creep { speed: w, level: law.level(w, law.psi(ln_age)), ln_age };
            }
        }
    }

    /// ẇ of a slider, m/s², once the accelerations of groups are known.
    fn quickens(&self, level: &Level, at: &Instant) -> f64 {
        let groups: f64 = level.groups.iter().map(|(g, c)| c * at.group_a[*g]).sum();
        groups + level.given.iter().map(|(g, c)| c * at.given[*g][2]).sum::<f64>()
    }

    /// (∂w/∂u) u̇ in the places that u takes, whose rows have the weight ∂w/∂u.
    pub fn raise_levels(&self, at: &Instant, du: &mut [f64]) {
        for level in &self.mode.levels.all {
            let Some(law) = self.parts.rock(&self.parts.bristles[level.bristle]) else { continue };
            let Creep { speed, ln_age, .. } = at.creeps[level.bristle];
            let ages = law.psi_slope() * law.ln_age_rate(speed, ln_age);
            du[self.mode.groups + level.group] = self.quickens(level, at) + speed * ages;
        }
    }

    /// u after an implicit step of Euler in the sliding velocity, of `h` (s) from `t`, with everything else in `u` as it is: w(u) =
    /// w₀ + h ẇ(u), where the friction in ẇ rises with u, so that there is one solution. `None` where a step of that length follows it.
    fn leap(&self, level: &Level, t: f64, h: f64, u: &mut [f64], at: &mut Instant) -> Option<f64> {
        let law = self.parts.rock(&self.parts.bristles[level.bristle])?;
        let place = self.mode.groups + level.group;
        let from = u[place];
        let mut look = |level_now: f64| {
            u[place] = level_now;
            self.kinematics(t, u, at);
            self.dynamics(t, at);
            u[place] = from;
            (at.creeps[level.bristle], self.quickens(level, at))
        };
        let (start, ahead) = look(from);
        let psi = law.psi(start.ln_age);
        let pace = h * law.steepness(from, psi);
        let resists = (look(from + NUDGE).1 - ahead) / NUDGE;
        // Next to a balance u hardly changes, but a step that sees how it gets there would be far shorter than a leap.
        if (pace * ahead).abs() < CALM && (pace * resists).abs() < CALM {
            return None;
        }
        // Beyond e^600 V₀ there is no velocity.
        let most = (600.0 + psi).max(1.0);
        let [mut a, mut b] = [-most, most];
        for _ in 0..200 {
            let middle = 0.5 * (a + b);
            if middle <= a || middle >= b {
                break;
            }
            let (now, ahead) = look(middle);
            if start.speed + h * ahead > now.speed { a = middle } else { b = middle }
        }
        Some(0.5 * (a + b))
    }
}

impl System {
    /// Goes at `t` (s) over the decades of sliding velocities that lie within rounding of the time.
    ///
    /// From rest, or towards it, a velocity w = a t of rate and state passes all its decades within rounding of `t`, and u ~ ln w with
    /// them. What a step of that length leaves of the velocity is wrong by less than the acceleration times it.
    pub(super) fn leap(
        &mut self,
        t: f64,
        window: &Window<'_>,
        state: &mut Masses,
        mode: &Mode,
        status: &mut [i8],
    ) {
        let h = LEAP * self.shortest(t);
        self.put_levels(t, window, state, mode, |flow, u, at| {
            // One after the other: each takes what the one before it has become.
            for level in &mode.levels.all {
                if let Some(to) = flow.leap(level, t, h, u, at) {
                    u[mode.groups + level.group] = to;
                }
            }
        });
        self.take_sides(state, mode, status);
        self.h = 0.1 * h;
    }

    /// Puts sliders of rate and state on the sides of their levels.
    pub(super) fn take_sides(&self, state: &Masses, mode: &Mode, status: &mut [i8]) {
        for level in &mode.levels.all {
            if state.levels[level.bristle] * f64::from(status[level.row]) < 0.0 {
                status[level.row] = -status[level.row];
            }
        }
    }

    /// The slider of row `e` turns at `t` (s): its velocity is zero to the last bit, and not as near as the root was found, from
    /// where it would turn again at once.
    pub(super) fn turn_level(
        &self,
        t: f64,
        window: &Window<'_>,
        state: &mut Masses,
        mode: &Mode,
        e: usize,
    ) {
        let Some(level) = mode.levels.all.iter().find(|l| l.row == e) else { return };
        self.put_levels(t, window, state, mode, |_, u, _| u[mode.groups + level.group] = 0.0);
    }

    /// Gives `state` at `t` (s) the sliding velocities that `put` puts into the state of the flow.
    fn put_levels(
        &self,
        t: f64,
        window: &Window<'_>,
        state: &mut Masses,
        mode: &Mode,
        put: impl FnOnce(&Flow<'_>, &mut [f64], &mut Instant),
    ) {
        let parts = self.parts.clone();
        let (u, v) = {
            let flow = Flow {
                parts: &parts,
                mode,
                window: window.clone(),
                x0: &state.x,
                gap0: &state.gap,
                applied: &state.control.applied,
                pieces: &state.pieces,
            };
            let given: Vec<f64> = window.given.iter().map(|g| g.at(t)[1]).collect();
            let mut u = flow.first(state, |g| given[g]);
            let mut at = Instant::of(&parts);
            put(&flow, &mut u, &mut at);
            flow.kinematics(t, &u, &mut at);
            (u, at.v)
        };
        state.v = v;
        for level in &mode.levels.all {
            state.levels[level.bristle] = u[mode.groups + level.group];
        }
    }
}
