//! A slab between two events: the coordinates that are free, and what acts on them.
//!
//! Where the slab rests only the floors are free; where it turns about an isolator, the turn and the floors; else everything. With v = P z,
//! q = q₀ + P y and ẏ = z the motion is
//!
//! ```text
//! PᵀM P ż = Pᵀ(F − M ι a − K q₀) − PᵀK P y − PᵀC P z + PᵀΣ B_kᵀ R_k(z)
//! ```
//!
//! which is smooth: an isolator that rests does no work on what is free. A slab that turns about an isolator rubs on the others in directions that do
//! not change, and its friction is continued beyond the instant at which it halts.

use super::assembly::{Loads, Matrices};
use super::hold::{Disc, bending, hold};
use super::slab::{Cube, Triple, add, dot, lever, turn, velocity};
use super::slab_step::Does;
use crate::model::isolated::Isolated;
use crate::portable::hypot;
use crate::signal::Piece;
use std::sync::Arc;

/// The signals on the pieces that hold at one instant, continued.
#[derive(Debug)]
pub(super) struct Window<'a> {
    force: [Piece<'a>; 2],
    moment: Piece<'a>,
    base: [Piece<'a>; 2],
    normal: Option<Piece<'a>>,
}

impl<'a> Window<'a> {
    /// Those of `model` that hold from `t` (s) on.
    pub fn new(model: &'a Isolated, t: f64) -> Self {
        Self {
            force: [0, 1].map(|i| model.force[i].piece_at(t)),
            moment: model.moment.piece_at(t),
            base: [0, 1].map(|i| model.base[i].piece_at(t)),
            normal: model.normal.as_ref().map(|n| n.piece_at(t)),
        }
    }

    /// The loads at `t`, s.
    pub fn loads(&self, t: f64) -> Loads {
        let [fx, fy] = [0, 1].map(|i| self.force[i].value(t));
        let base = [0, 1].map(|i| self.base[i].value(t));
        Loads { slab: [fx, fy, self.moment.value(t)], base }
    }

    /// The normal force of an isolator with this share, N; 1 where the laws' numbers are forces.
    pub fn pressed(&self, t: f64, share: f64) -> f64 {
        self.normal.as_ref().map_or(1.0, |n| n.value(t).max(0.0) * share)
    }

    /// Whether all loads are straight lines, and the normal force is.
    pub fn is_straight(&self) -> bool {
        let straight = |p: &Piece<'_>| p.harmonics.is_empty() && p.functions.terms.is_empty();
        self.force.iter().chain(&self.base).chain([&self.moment]).chain(&self.normal).all(straight)
    }
}

/// What is free, and what acts on it.
#[derive(Debug, Clone)]
pub(super) struct Reduced {
    pub model: Arc<Isolated>,
    pub matrices: Arc<Matrices>,
    /// When it begins, s.
    pub start: f64,
    pub does: Does,
    /// Which way the slab turns about an isolator: 1 or −1.
    pub towards: f64,
    /// q₀, m and rad.
    pub from: Vec<f64>,
    /// K q₀.
    held: Vec<f64>,
    /// Diagonal of PᵀM P.
    pub mass: Vec<f64>,
    /// PᵀC P and PᵀK P by rows.
    pub damping: Vec<f64>,
    pub stiffness: Vec<f64>,
    /// What a velocity of each coordinate is to a place far from its centre, 1 or m: errors are compared as velocities.
    pub lengths: Vec<f64>,
}

impl Reduced {
    pub fn new(
        model: &Arc<Isolated>,
        matrices: &Arc<Matrices>,
        start: f64,
        does: Does,
        towards: f64,
        from: &[f64],
    ) -> Self {
        let full = matrices.size();
        let times = |k: &[f64], u: &[f64]| -> Vec<f64> {
            k.chunks_exact(full).map(|row| crate::numeric::dot(row, u)).collect()
        };
        let mut reduced = Self {
            model: model.clone(),
            matrices: matrices.clone(),
            start,
            does,
            towards,
            from: from.to_vec(),
            held: times(&matrices.stiffness, from),
            mass: Vec::new(),
            damping: Vec::new(),
            stiffness: Vec::new(),
            lengths: Vec::new(),
        };
        let n = reduced.size();
        let mut unit = vec![0.0; n];
        let mut v = vec![0.0; full];
        let mut column = vec![0.0; n];
        reduced.damping = vec![0.0; n * n];
        reduced.stiffness = vec![0.0; n * n];
        for j in 0..n {
            unit[j] = 1.0;
            reduced.expand(&unit, &mut v);
            unit[j] = 0.0;
            reduced.mass.push(v.iter().zip(&matrices.mass).map(|(v, m)| m * v * v).sum());
            // How far the mass of what moves is from its centre, or that of the turn.
            let moved: f64 =
                (0..full).filter(|i| i % 3 != 2).map(|i| matrices.mass[i] * v[i] * v[i]).sum();
            let turned: f64 =
                (0..full).filter(|i| i % 3 == 2).map(|i| matrices.mass[i] * v[i] * v[i]).sum();
            let body = (0..full).find(|i| v[*i] != 0.0).unwrap_or(0) / 3;
            reduced.lengths.push(((moved + turned) / matrices.mass[3 * body]).sqrt());
            for (matrix, to) in [
                (&matrices.damping, &mut reduced.damping),
                (&matrices.stiffness, &mut reduced.stiffness),
            ] {
                let force = times(matrix, &v);
                restrict(does, model, &force, &mut column);
                for (i, cell) in column.iter().enumerate() {
                    to[i * n + j] = *cell;
                }
            }
        }
        reduced
    }

    /// Number of free coordinates.
    pub fn size(&self) -> usize {
        self.matrices.size() - 3 + slab_size(self.does)
    }

    /// v = P z.
    pub fn expand(&self, z: &[f64], v: &mut [f64]) {
        let own = slab_size(self.does);
        match self.does {
            Does::Slides => v[..3].copy_from_slice(&z[..3]),
            Does::TurnsAbout(k) => {
                let e = turn(self.model.isolators[k].at);
                (0..3).for_each(|i| v[i] = e[i] * z[0]);
            }
            Does::Rests => v[..3].fill(0.0),
        }
        v[3..].copy_from_slice(&z[own..]);
    }

    /// Pᵀ of forces and moments.
    pub fn restrict(&self, force: &[f64], out: &mut [f64]) {
        restrict(self.does, &self.model, force, out);
    }

    /// z of these velocities, which are possible ones.
    pub fn coordinates(&self, v: &[f64], z: &mut [f64]) {
        let own = slab_size(self.does);
        match self.does {
            Does::Slides => z[..3].copy_from_slice(&v[..3]),
            Does::TurnsAbout(_) => z[0] = v[2],
            Does::Rests => {}
        }
        z[own..].copy_from_slice(&v[3..]);
    }

    /// Places and velocities of everything.
    pub fn state(&self, y: &[f64], z: &[f64], q: &mut [f64], v: &mut [f64]) {
        self.expand(y, q);
        q.iter_mut().zip(&self.from).for_each(|(q, from)| *q += from);
        self.expand(z, v);
    }

    /// F − M ι a − K q₀ on every coordinate, N and N·m.
    pub fn given(&self, window: &Window<'_>, t: f64, out: &mut [f64]) {
        let loads = window.loads(t);
        for (i, cell) in out.iter_mut().enumerate() {
            *cell = loads.on(i, self.matrices.mass[i]) - self.held[i];
        }
    }

    /// The friction on what is free, at the velocities `z`, and its derivatives by them: for the coordinates of the slab alone.
    pub fn friction(&self, window: &Window<'_>, t: f64, z: &[f64]) -> (Triple, Cube) {
        let mut sum = [0.0; 3];
        let mut slopes = Cube::default();
        match self.does {
            Does::Rests => {}
            Does::Slides => {
                let d = [z[0], z[1], z[2]];
                for isolator in &self.model.isolators {
                    let pressed = window.pressed(t, isolator.share);
                    let w = velocity(isolator.at, d);
                    let size = isolator.ellipse.support(w);
                    if pressed == 0.0 || size == 0.0 {
                        continue;
                    }
                    let speed = hypot(w[0], w[1]);
                    let force = pressed * isolator.friction.force(1.0, speed);
                    let normal = isolator.ellipse.normal(w);
                    let of = lever(isolator.at, normal);
                    (0..3).for_each(|i| sum[i] -= force * of[i]);
                    add(
                        &mut slopes,
                        isolator.at,
                        -force / size,
                        &bending(isolator.ellipse, normal),
                    );
                    let slope = pressed * isolator.friction.slope_range(1.0, speed, speed).0;
                    if slope != 0.0 {
                        let outer = [0, 1].map(|i| [0, 1].map(|j| normal[i] * w[j] / speed));
                        add(&mut slopes, isolator.at, -slope, &outer);
                    }
                }
            }
            Does::TurnsAbout(k) => {
                let about = turn(self.model.isolators[k].at);
                let spin = self.towards * z[0];
                for (j, isolator) in self.model.isolators.iter().enumerate() {
                    let arm = velocity(isolator.at, about);
                    if j == k || arm == [0.0; 2] {
                        continue;
                    }
                    let pressed = window.pressed(t, isolator.share);
                    let support = isolator.ellipse.support(arm);
                    let length = hypot(arm[0], arm[1]);
                    let speed = spin.max(0.0) * length;
                    let slope = isolator.friction.slope_range(1.0, speed, speed).0;
                    // Beyond the instant at which it halts the friction goes on along its tangent.
                    let beyond = slope * length * spin.min(0.0);
                    let force = pressed * (isolator.friction.force(1.0, speed) + beyond);
                    sum[0] -= self.towards * force * support;
                    slopes[0][0] -= pressed * slope * length * support;
                }
            }
        }
        (sum, slopes)
    }

    /// ż.
    pub fn rates(
        &self,
        window: &Window<'_>,
        t: f64,
        y: &[f64],
        z: &[f64],
        room: &mut Room,
        out: &mut [f64],
    ) {
        let n = z.len();
        room.full.resize(self.matrices.size(), 0.0);
        self.given(window, t, &mut room.full);
        self.restrict(&room.full, out);
        let (friction, _) = self.friction(window, t, z);
        let own = slab_size(self.does);
        for (i, cell) in out.iter_mut().enumerate() {
            let row = i * n..(i + 1) * n;
            *cell -= crate::numeric::dot(&self.stiffness[row.clone()], y);
            *cell -= crate::numeric::dot(&self.damping[row], z);
            if i < own {
                *cell += friction[i];
            }
            *cell /= self.mass[i];
        }
    }

    /// θ̈ of a slab that turns about an isolator, at the places `q` and the velocities `v`; 0 of another.
    pub fn spin_rate(&self, window: &Window<'_>, t: f64, q: &[f64], v: &[f64]) -> f64 {
        let Does::TurnsAbout(k) = self.does else { return 0.0 };
        let moment =
            dot(turn(self.model.isolators[k].at), self.matrices.on_slab(&window.loads(t), q, v));
        // The friction of a turn is that of its spin alone.
        (moment + self.friction(window, t, &[v[2]]).0[0]) / self.mass[0]
    }

    /// The friction of every isolator on the slab at the places `q` and the velocities `v`, N; `spin_rate` is θ̈ of a slab that turns about an
    /// isolator. The share of what holds it that a slab at rest, or an isolator about which it turns, needs.
    pub fn forces(
        &self,
        window: &Window<'_>,
        t: f64,
        [q, v]: [&[f64]; 2],
        spin_rate: f64,
        out: &mut [[f64; 2]],
    ) -> f64 {
        let model = &*self.model;
        match self.does {
            Does::Rests => {
                let discs = discs(model, window, t);
                let c = self.matrices.on_slab(&window.loads(t), q, v);
                out.fill([0.0; 2]);
                if c == [0.0; 3] {
                    return 0.0;
                }
                let m = &self.matrices.mass;
                let share = hold(&discs, c, [0, 1, 2].map(|i| c[i] / m[i]), out).share;
                out.iter_mut().for_each(|f| *f = f.map(|f| 0.0 - f));
                share
            }
            Does::Slides => {
                let d = [v[0], v[1], v[2]];
                for (isolator, f) in model.isolators.iter().zip(out) {
                    *f = rubs(
                        isolator,
                        window.pressed(t, isolator.share),
                        velocity(isolator.at, d),
                        d,
                    );
                }
                0.0
            }
            Does::TurnsAbout(k) => {
                let own = &model.isolators[k];
                let about = turn(own.at);
                let way = about.map(|e| self.towards * e);
                let d = way.map(|e| v[2].abs() * e);
                let c = self.matrices.on_slab(&window.loads(t), q, v);
                let m = &self.matrices.mass;
                // M ḋ = c + Σ R, of which R_k is what is left.
                let mut left = [0, 1].map(|i| m[i] * about[i] * spin_rate - c[i]);
                for (j, isolator) in model.isolators.iter().enumerate() {
                    if j == k {
                        continue;
                    }
                    let w = velocity(isolator.at, d);
                    out[j] = rubs(isolator, window.pressed(t, isolator.share), w, way);
                    left = [0, 1].map(|i| left[i] - out[j][i]);
                }
                out[k] = left;
                let limit = window.pressed(t, own.share) * own.friction.limit(1.0, 0.0);
                own.ellipse.gauge(left) / limit
            }
        }
    }
}

/// The friction of an isolator that slides with `w`, or is about to slide as a slab that moves along `way`, N.
fn rubs(
    isolator: &crate::model::isolated::Isolator,
    pressed: f64,
    w: [f64; 2],
    way: Triple,
) -> [f64; 2] {
    let along = if w == [0.0; 2] { velocity(isolator.at, way) } else { w };
    if along == [0.0; 2] {
        return [0.0; 2];
    }
    let f = pressed * isolator.friction.force(1.0, hypot(w[0], w[1]));
    isolator.ellipse.normal(along).map(|n| 0.0 - f * n)
}

/// What the isolators can hold at rest at `t`, s.
pub(super) fn discs(model: &Isolated, window: &Window<'_>, t: f64) -> Vec<Disc> {
    let of = |isolator: &crate::model::isolated::Isolator| Disc {
        at: isolator.at,
        ellipse: isolator.ellipse,
        limit: window.pressed(t, isolator.share) * isolator.friction.limit(1.0, 0.0),
    };
    model.isolators.iter().map(of).collect()
}

/// Room for evaluations.
#[derive(Debug, Clone, Default)]
pub(super) struct Room {
    full: Vec<f64>,
}

/// How many coordinates of the slab are free.
pub(super) fn slab_size(does: Does) -> usize {
    match does {
        Does::Rests => 0,
        Does::TurnsAbout(_) => 1,
        Does::Slides => 3,
    }
}

fn restrict(does: Does, model: &Isolated, force: &[f64], out: &mut [f64]) {
    let own = slab_size(does);
    match does {
        Does::Slides => out[..3].copy_from_slice(&force[..3]),
        Does::TurnsAbout(k) => {
            out[0] = dot(turn(model.isolators[k].at), [force[0], force[1], force[2]]);
        }
        Does::Rests => {}
    }
    out[own..].copy_from_slice(&force[3..]);
}
