//! A slab between two events, by collocation at Radau's nodes.
//!
//! One method serves for all that a slab does: friction that turns a small velocity at once into its place does not shorten its steps, and
//! no node lies at the start of a slip, where the direction is not defined. Before a slip dies the steps become
//! shorter with the time that is left, since how it turns is smooth only before that.

use super::hold::Disc;
use super::reduced::{Reduced, Room, Window, slab_size};
use super::slab::{Cube, Triple, times, velocity};
use super::slab_step::{Does, Problem};
use crate::model::isolated::Isolator;
use crate::numeric::{eliminate, inverse};
use crate::portable::hypot;
use crate::scheme::collocation::{NODES, RADAU, integrals};

/// Iterations of Newton's method.
const ROUNDS: usize = 25;
/// The least share of its speed that a sliding isolator keeps in a step.
const KEEPS: f64 = 0.33;

/// Steps in order of time: y and z at the start of each, then ż and ẏ in Legendre's polynomials.
#[derive(Debug, Clone, Default)]
pub(super) struct Links {
    size: usize,
    /// Start and length of each, s.
    pub times: Vec<[f64; 2]>,
    numbers: Vec<f64>,
}

impl Links {
    pub fn new(size: usize) -> Self {
        Self { size, ..Self::default() }
    }

    fn stride(&self) -> usize {
        (2 + 2 * NODES) * self.size
    }

    /// Number of steps.
    pub fn count(&self) -> usize {
        self.times.len()
    }

    /// y and z at the fraction `x` of step `i`.
    pub fn at(&self, i: usize, x: f64, y: &mut [f64], z: &mut [f64]) {
        let n = self.size;
        let h = self.times[i][1];
        let own = &self.numbers[i * self.stride()..(i + 1) * self.stride()];
        let whole = integrals(x);
        for m in 0..n {
            let sum = |from: usize| -> f64 {
                whole.iter().enumerate().map(|(k, p)| own[from + k * n + m] * p).sum()
            };
            y[m] = own[m] + h * sum((2 + NODES) * n);
            z[m] = own[n + m] + h * sum(2 * n);
        }
    }

    /// The number of the step at `t` (s), and the fraction of it that is over.
    pub fn place(&self, t: f64) -> Option<(usize, f64)> {
        // At the end of one step and the beginning of the next, the next one counts.
        let i = self.times.partition_point(|s| s[0] <= t).saturating_sub(1);
        let [start, h] = *self.times.get(i)?;
        Some((i, if h > 0.0 { ((t - start) / h).min(1.0) } else { 1.0 }))
    }

    /// Adds a straight piece of `h` (s) from `y` and `z` to the velocities `end`.
    pub fn push_straight(&mut self, t: f64, h: f64, [y, z, end]: [&[f64]; 3]) {
        let n = self.size;
        self.times.push([t, h]);
        self.numbers.extend_from_slice(y);
        self.numbers.extend_from_slice(z);
        let from = self.numbers.len();
        self.numbers.resize(from + 2 * NODES * n, 0.0);
        for m in 0..n {
            // z = z₀ + (z₁ − z₀) x: the mean velocity, and P₁(2x − 1) with half the change.
            self.numbers[from + m] = if h > 0.0 { (end[m] - z[m]) / h } else { 0.0 };
            self.numbers[from + NODES * n + m] = 0.5 * (z[m] + end[m]);
            self.numbers[from + (NODES + 1) * n + m] = 0.5 * (end[m] - z[m]);
        }
    }
}

/// A step, and the room for the next one.
#[derive(Debug, Clone, Default)]
pub(super) struct Step {
    n: usize,
    /// Where it begins.
    pub y: Vec<f64>,
    pub z: Vec<f64>,
    /// ż, z and y at each node, node by node.
    rates: Vec<f64>,
    speeds: Vec<f64>,
    places: Vec<f64>,
    matrix: Vec<f64>,
    right: Vec<f64>,
    given: Vec<f64>,
    full: Vec<f64>,
    pub room: Room,
}

/// Why there is no step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Refused {
    /// Its problem is not solved, or it does not go on sliding.
    Unsolved,
    /// The motion is not smooth enough: the error over the tolerance.
    Rough(f64),
}

impl Step {
    /// Room for `n` coordinates.
    pub fn of(n: usize) -> Self {
        let nodes = || vec![0.0; NODES * n];
        Self {
            n,
            y: vec![0.0; n],
            z: vec![0.0; n],
            rates: nodes(),
            speeds: nodes(),
            places: nodes(),
            matrix: vec![0.0; NODES * NODES * n * n],
            right: nodes(),
            given: nodes(),
            full: Vec::new(),
            room: Room::default(),
        }
    }

    /// Makes a step of `h` (s) from `t` (s) and adds it to `links`; the error over the tolerance (relative to the acceleration).
    pub fn make(
        &mut self,
        reduced: &Reduced,
        window: &Window<'_>,
        [t, h]: [f64; 2],
        tolerance: f64,
        first: First<'_>,
        links: &mut Links,
    ) -> Result<f64, Refused> {
        let g = &*RADAU;
        let n = self.n;
        if n == 0 {
            links.times.push([t, h]);
            return Ok(0.0);
        }
        self.full.resize(reduced.matrices.size(), 0.0);
        for i in 0..NODES {
            reduced.given(window, t + g.c[i] * h, &mut self.full);
            reduced.restrict(&self.full, &mut self.given[i * n..(i + 1) * n]);
        }
        match first {
            First::Rates(rates) => {
                self.rates.chunks_exact_mut(n).for_each(|r| r.copy_from_slice(rates));
            }
            First::FromRest => self.set_out(reduced, window, [t, h])?,
        }
        self.place(h);
        let rounding = 4.0 * f64::EPSILON * self.terms(reduced, window, t);
        let mut before = f64::INFINITY;
        let mut solved = false;
        for _ in 0..ROUNDS {
            let change = self.newton(reduced, window, [t, h]).ok_or(Refused::Unsolved)?;
            let size = self.size(reduced, &self.rates);
            // Newton's method converges until rounding makes its changes; a change that no longer falls is taken if it is near that.
            let stalls = change >= 0.5 * before;
            if change <= 1e-14 * size + rounding
                || stalls && change <= 1e-12 * size + 32.0 * rounding
            {
                solved = true;
                break;
            }
            before = change;
        }
        if !solved || !self.slides(reduced) {
            return Err(Refused::Unsolved);
        }
        // What the polynomials leave of the acceleration, from their last coefficients.
        let coefficient = |k: usize| {
            let mut largest = 0.0f64;
            for m in 0..n {
                let sum: f64 =
                    (0..NODES).map(|j| g.b[j] * g.legendre[k][j] * self.rates[j * n + m]).sum();
                largest = largest.max(((2 * k + 1) as f64 * sum * reduced.lengths[m]).abs());
            }
            largest
        };
        let largest = (0..NODES).map(coefficient).fold(0.0, f64::max);
        // An error of the acceleration is one of the velocity after the step, which must be small next to the velocity.
        let speed = self.size(reduced, &self.z);
        let most = tolerance * (largest + speed / h) + 16.0 * rounding;
        let error = coefficient(NODES - 1).max(coefficient(NODES - 2) / 30.0);
        let error = if error == 0.0 { 0.0 } else { error / most };
        // A comparison that a number that is none fails.
        if !matches!(
            error.partial_cmp(&1.0),
            Some(std::cmp::Ordering::Less | std::cmp::Ordering::Equal)
        ) {
            return Err(Refused::Rough(error));
        }
        self.push(t, h, links);
        Ok(error)
    }

    fn push(&self, t: f64, h: f64, links: &mut Links) {
        let g = &*RADAU;
        let n = self.n;
        links.times.push([t, h]);
        links.numbers.extend_from_slice(&self.y);
        links.numbers.extend_from_slice(&self.z);
        for values in [&self.rates, &self.speeds] {
            for k in 0..NODES {
                for m in 0..n {
                    let sum: f64 =
                        (0..NODES).map(|j| g.b[j] * g.legendre[k][j] * values[j * n + m]).sum();
                    links.numbers.push((2 * k + 1) as f64 * sum);
                }
            }
        }
    }

    /// The largest of some rates, as an acceleration of a place far from the centre, m/s².
    fn size(&self, reduced: &Reduced, rates: &[f64]) -> f64 {
        let of = |r: &[f64]| {
            r.iter().zip(&reduced.lengths).map(|(r, l)| (r * l).abs()).fold(0.0, f64::max)
        };
        rates.chunks_exact(self.n).map(of).fold(0.0, f64::max)
    }

    /// The size of the terms whose sum an acceleration is, m/s².
    fn terms(&self, reduced: &Reduced, window: &Window<'_>, t: f64) -> f64 {
        let n = self.n;
        // The direction of a velocity that is small next to that of the slab is rounded with it.
        let cancels = |at: [f64; 2]| {
            if reduced.does != Does::Slides {
                return 1.0;
            }
            let w = velocity(at, [self.z[0], self.z[1], self.z[2]]);
            let speed = hypot(w[0], w[1]);
            if speed > 0.0 { (self.size(reduced, &self.z) / speed).max(1.0) } else { 1.0 }
        };
        let of =
            |i: &Isolator| window.pressed(t, i.share) * i.friction.limit(1.0, 0.0) * cancels(i.at);
        let friction: f64 = reduced.model.isolators.iter().map(of).sum();
        let friction =
            if reduced.does == Does::Rests { 0.0 } else { friction / reduced.model.mass };
        (0..n)
            .map(|m| (self.given[m] / reduced.mass[m] * reduced.lengths[m]).abs())
            .fold(friction, f64::max)
    }

    /// Velocities and places of the nodes from their accelerations.
    fn place(&mut self, h: f64) {
        let g = &*RADAU;
        let n = self.n;
        for i in 0..NODES {
            for m in 0..n {
                let sum = |a: &[f64; NODES]| -> f64 {
                    a.iter().enumerate().map(|(j, a)| a * self.rates[j * n + m]).sum()
                };
                self.speeds[i * n + m] = self.z[m] + h * sum(&g.a[i]);
                self.places[i * n + m] = self.y[m] + g.c[i] * h * self.z[m] + h * h * sum(&g.aa[i]);
            }
        }
    }

    /// One step of Newton's method; the largest change of an acceleration, m/s².
    fn newton(&mut self, reduced: &Reduced, window: &Window<'_>, [t, h]: [f64; 2]) -> Option<f64> {
        let g = &*RADAU;
        let n = self.n;
        let unknowns = NODES * n;
        let own = slab_size(reduced.does);
        for i in 0..NODES {
            let nodes = i * n..(i + 1) * n;
            let z = &self.speeds[nodes.clone()];
            let y = &self.places[nodes];
            let (friction, slopes) = reduced.friction(window, t + g.c[i] * h, z);
            for p in 0..n {
                let row = &reduced.stiffness[p * n..(p + 1) * n];
                let damps = &reduced.damping[p * n..(p + 1) * n];
                let rubs = if p < own { friction[p] } else { 0.0 };
                let force = self.given[i * n + p]
                    - crate::numeric::dot(row, y)
                    - crate::numeric::dot(damps, z)
                    + rubs;
                self.right[i * n + p] = force - reduced.mass[p] * self.rates[i * n + p];
                let cells = &mut self.matrix[(i * n + p) * unknowns..(i * n + p + 1) * unknowns];
                for q in 0..n {
                    let slope = if p < own && q < own { slopes[p][q] } else { 0.0 };
                    let by_speed = h * (damps[q] - slope);
                    let by_place = h * h * row[q];
                    for j in 0..NODES {
                        cells[j * n + q] = by_speed * g.a[i][j] + by_place * g.aa[i][j];
                    }
                }
                cells[i * n + p] += reduced.mass[p];
            }
        }
        if !eliminate(&mut self.matrix, &mut self.right) {
            return None;
        }
        let change = self.size(reduced, &self.right);
        self.rates.iter_mut().zip(&self.right).for_each(|(a, by)| *a += by);
        self.place(h);
        change.is_finite().then_some(change)
    }

    /// Whether no isolator that slides comes near rest: its speed grows, or falls to no less than a part of what it was.
    fn slides(&self, reduced: &Reduced) -> bool {
        if reduced.does != Does::Slides {
            return true;
        }
        let n = self.n;
        reduced.model.isolators.iter().all(|isolator| {
            let speed = |z: &[f64]| {
                let w = velocity(isolator.at, [z[0], z[1], z[2]]);
                hypot(w[0], w[1])
            };
            let first = speed(&self.z);
            let mut before = first;
            let mut grows = true;
            let mut keeps = first > 0.0;
            for z in self.speeds.chunks_exact(n) {
                let now = speed(z);
                grows &= now > before;
                keeps &= now >= KEEPS * first;
                before = now;
            }
            grows || keeps || isolator.friction.limit(1.0, 0.0) == 0.0
        })
    }

    /// Accelerations with which Newton's method begins where a slip begins: steps of the implicit Euler scheme from node to node.
    fn set_out(
        &mut self,
        reduced: &Reduced,
        window: &Window<'_>,
        [t, h]: [f64; 2],
    ) -> Result<(), Refused> {
        let g = &*RADAU;
        let n = self.n;
        let model = &*reduced.model;
        let isolators = &model.isolators;
        let count = isolators.len();
        let mut discs: Vec<Disc> =
            isolators.iter().map(|i| Disc { at: i.at, ellipse: i.ellipse, limit: 0.0 }).collect();
        let mut pressed = vec![0.0; count];
        let mut impulses = vec![[0.0; 2]; count];
        let mut y = self.y.clone();
        let mut z = self.z.clone();
        let mut at = 0.0;
        for i in 0..NODES {
            let dt = (g.c[i] - at) * h;
            at = g.c[i];
            let now = t + at * h;
            for (k, isolator) in isolators.iter().enumerate() {
                pressed[k] = dt * window.pressed(now, isolator.share);
                discs[k].limit = pressed[k] * isolator.friction.force(1.0, 0.0);
            }
            // The floors explicitly, then the slab with its springs and dashpots at the end of the step: what leaves its limit does so by
            // how these change.
            let force = |p: usize, y: &[f64], z: &[f64]| {
                let row = p * n..(p + 1) * n;
                self.given[i * n + p]
                    - crate::numeric::dot(&reduced.stiffness[row.clone()], y)
                    - crate::numeric::dot(&reduced.damping[row], z)
            };
            let floors: Vec<f64> =
                (3..n).map(|p| z[p] + dt * force(p, &y, &z) / reduced.mass[p]).collect();
            z[3..].copy_from_slice(&floors);
            (3..n).for_each(|p| y[p] += dt * z[p]);
            let still: Vec<f64> = (0..n).map(|p| if p < 3 { 0.0 } else { z[p] }).collect();
            let c: Triple = [0, 1, 2].map(|p| reduced.mass[p] * z[p] + dt * force(p, &y, &still));
            let mut inertia = Cube::default();
            for (p, row) in inertia.iter_mut().enumerate() {
                for (q, cell) in row.iter_mut().enumerate() {
                    let own = if p == q { reduced.mass[p] } else { 0.0 };
                    let [k, d] = [reduced.stiffness[p * n + q], reduced.damping[p * n + q]];
                    *cell = own + dt * d + dt * dt * k;
                }
            }
            let back = inverse(inertia.as_flattened(), 3).ok_or(Refused::Unsolved)?;
            let back = [0, 1, 2].map(|p| [0, 1, 2].map(|q| back[3 * p + q]));
            let problem = Problem {
                inertia: &inertia,
                inverse: &back,
                isolators,
                discs: &discs,
                pressed: &pressed,
            };
            let v: Triple = [z[0], z[1], z[2]];
            let end = problem.solve(c, Does::Slides, v, &mut impulses);
            // Friction stops something within this step, where its direction has no derivative.
            if end.does != Does::Slides || times(&inertia, end.d) == [0.0; 3] {
                return Err(Refused::Unsolved);
            }
            z[..3].copy_from_slice(&end.d);
            (0..3).for_each(|p| y[p] += dt * z[p]);
            self.speeds[i * n..(i + 1) * n].copy_from_slice(&z);
        }
        // The accelerations whose integrals are these velocities.
        let mut matrix = [0.0; NODES * NODES];
        for m in 0..n {
            for (row, a) in g.a.iter().enumerate() {
                // Written anew each time, since elimination destroys the matrix.
                matrix[row * NODES..(row + 1) * NODES].copy_from_slice(a);
            }
            let mut right: [f64; NODES] =
                std::array::from_fn(|j| (self.speeds[j * n + m] - self.z[m]) / h);
            if !eliminate(&mut matrix, &mut right) {
                return Err(Refused::Unsolved);
            }
            right.iter().enumerate().for_each(|(j, a)| self.rates[j * n + m] = *a);
        }
        Ok(())
    }
}

/// What Newton's method begins with.
#[derive(Debug, Clone, Copy)]
pub(super) enum First<'a> {
    /// These accelerations at every node.
    Rates(&'a [f64]),
    /// Those of steps of Euler's implicit scheme: something begins to slide.
    FromRest,
}
