//! A slip pattern in its own modes, for networks that are stiff.
//!
//! With M φ_j ω_j² = K φ_j and φᵀMφ = 1, and with damping that these modes share (φᵀCφ = diag d_j), each q_j = φ_jᵀ M x moves by itself:
//!
//! ```text
//! q̈ + d q̇ + ω² q = p(t),     q = particular solution under constants, ramps and harmonics + what is left of the start
//! ```
//!
//! What is left of the start is carried along in closed form. A fast mode that has died away stays so, while in a series about displacements
//! and velocities their rounding errors bring it back and keep the series short.

use super::cuts::Clusters;
use super::parts::Parts;
use super::power::{ORDER, Power};
use crate::numeric::{Modes, modes, times, transposed};
use crate::portable;
use crate::signal::Piece;

/// The most clusters whose modes are computed.
const MOST: usize = 128;
/// A pattern is stiff if a mode dies away so much faster than the loads and the slowest mode vary.
const STIFF: f64 = 50.0;
/// What counts as zero beside the largest entries of the damping of the modes.
const APART: f64 = 1e-10;
/// Nearer to a resonance, relative to the squares of the frequencies, there is no particular solution.
const RESONANT: f64 = 1e-4;

/// A slip pattern, as far as its modes are concerned.
#[derive(Clone, Copy)]
pub(super) struct Pattern<'a> {
    pub parts: &'a Parts,
    pub clusters: &'a Clusters,
    /// 0 sticks, ±1 slips that way; and the force in slip over N.
    pub signs: &'a [i8],
    pub sliding: &'a [f64],
}

/// The modes of a slip pattern.
#[derive(Debug, Clone)]
pub(super) struct Modal {
    size: usize,
    /// The row of each cluster, if it moves.
    row: Vec<Option<usize>>,
    /// φ by rows, and φᵀM by rows.
    shape: Vec<f64>,
    onto: Vec<f64>,
    modes: Vec<One>,
}

/// q̈ + d q̇ + ω² q = 0.
#[derive(Debug, Clone, Copy)]
struct One {
    square: f64,
    damping: f64,
    /// Both rates where they are real and apart.
    rates: Option<[f64; 2]>,
}

impl One {
    fn new(square: f64, damping: f64) -> Self {
        let half = 0.5 * damping;
        let apart = half * half - square;
        let fast = -half - apart.max(0.0).sqrt();
        // The slow rate as a quotient: as a difference it would lose its digits where the mode is strongly damped.
        // Near critical damping both rates meet, and the sum of exponentials would divide by their difference.
        let rates = (apart > 0.1 * half * half).then(|| [square / fast, fast]);
        Self { square, damping, rates }
    }

    /// How fast it dies away, 1/s.
    fn decay(&self) -> f64 {
        self.rates.map_or(0.5 * self.damping, |r| -r[1])
    }

    /// What is carried, from q and q̇.
    fn carry(&self, [q, v]: [f64; 2]) -> [f64; 2] {
        match self.rates {
            Some([l, m]) => [(v - m * q) / (l - m), (l * q - v) / (l - m)],
            None => [q, v],
        }
    }

    /// What is carried, `tau` (s) later.
    fn after(&self, [a, b]: [f64; 2], tau: f64) -> [f64; 2] {
        if let Some([l, m]) = self.rates {
            return [a * portable::exp(l * tau), b * portable::exp(m * tau)];
        }
        let half = 0.5 * self.damping;
        let turning = self.square - half * half;
        let angle = turning.abs().sqrt() * tau;
        // cos and sin(ω_d τ)/ω_d, or the hyperbolic ones. Both have the same series in z, which takes their place at
        // small angles, by which nothing should be divided. What it leaves out is below angle⁶/720 < 2·10⁻²¹.
        let (c, s) = if angle < 1e-3 {
            let z = -turning * tau * tau;
            (1.0 + 0.5 * z * (1.0 + z / 12.0), tau * (1.0 + z / 6.0 * (1.0 + z / 20.0)))
        } else if turning > 0.0 {
            let (sin, cos) = portable::sin_cos(angle);
            (cos, sin * tau / angle)
        } else {
            let up = portable::exp(angle);
            let down = portable::exp(-angle);
            (0.5 * (up + down), 0.5 * (up - down) * tau / angle)
        };
        let e = portable::exp(-half * tau);
        [e * (a * c + (b + half * a) * s), e * (b * c - (self.square * a + half * b) * s)]
    }

    /// Adds the series of what is carried.
    fn add(&self, [a, b]: [f64; 2], q: &mut Power) {
        if let Some(rates) = self.rates {
            for (size, rate) in [a, b].into_iter().zip(rates) {
                let mut c = size;
                for (k, q) in q.0.iter_mut().enumerate() {
                    *q += c;
                    c *= rate / (k + 1) as f64;
                }
            }
            return;
        }
        // The coefficients follow from the equation itself, term by term.
        let mut c = [0.0; ORDER + 1];
        (c[0], c[1]) = (a, b);
        for k in 0..ORDER - 1 {
            let f = self.damping * (k + 1) as f64 * c[k + 1] + self.square * c[k];
            c[k + 2] = -f / ((k + 1) * (k + 2)) as f64;
        }
        q.0.iter_mut().zip(c).for_each(|(q, c)| *q += c);
    }

    /// Adds the particular solution under `size` times a signal about `t` (s).
    fn add_forced(&self, size: f64, piece: &Piece<'_>, t: f64, q: &mut Power) {
        let value = size * piece.affine.at(t);
        let rate = size * piece.affine.rate;
        // Under a ramp the mode lags by the displacement that its damper makes at the rate of the ramp.
        q.0[0] += (value - self.damping * rate / self.square) / self.square;
        q.0[1] += rate / self.square;
        for h in piece.harmonics {
            let w = h.angular_frequency;
            // The response of the mode to a force e^{iwt} is e^{iwt}/(re + i im).
            let re = self.square - w * w;
            let im = self.damping * w;
            let by = size * h.amplitude / (re * re + im * im);
            let (sin, cos) = portable::sin_cos(h.angle(t));
            let c = by * (re * cos + im * sin);
            let s = by * (re * sin - im * cos);
            let mut factor = 1.0;
            for (k, q) in q.0.iter_mut().enumerate() {
                *q += factor * [c, -s, -c, s][k % 4];
                factor *= w / (k + 1) as f64;
            }
        }
    }

    /// Whether a harmonic is too near to its resonance.
    fn resonates(&self, w: f64) -> bool {
        let re = self.square - w * w;
        let im = self.damping * w;
        re * re + im * im <= (RESONANT * self.square.max(w * w)).powi(2)
    }
}

impl Modal {
    /// The modes of a pattern that is stiff, where every cluster has mass, nothing is prescribed but the ground, normal forces are
    /// constant, and damping does not couple the modes.
    ///
    /// `moves` says of each cluster whether it has a mass of its own or is held; nothing where the balance of forces decides.
    pub fn of(mode: Pattern<'_>, moves: &[Option<bool>]) -> Option<Self> {
        let p = mode.parts;
        let simple = p.motions.is_empty() && p.contacts.iter().all(|c| c.is_constant());
        // By a bound on all rates, before modes are computed.
        if p.dashpots.is_empty() || 2.0 < STIFF * p.fastest * p.fastest_time() {
            return None;
        }
        let mut size = 0;
        let mut row = Vec::new();
        for moves in moves {
            // A cluster without mass has no mode, and its place depends on the others at once.
            row.push((*moves)?.then_some(size));
            size += usize::from(*moves == Some(true));
        }
        if !simple || size == 0 || size > MOST {
            return None;
        }
        let of = |node: usize| row[mode.clusters.set[node]];
        let [mut mass, mut stiffness, mut damping] = [(); 3].map(|()| vec![0.0; size * size]);
        for i in 0..p.ground {
            if let Some(k) = of(i) {
                mass[k * size + k] += p.mass[i];
            }
        }
        for s in &p.shared {
            if let [Some(k), Some(l)] = s.between.map(of) {
                mass[k * size + l] += s.mass;
                mass[l * size + k] += s.mass;
            }
        }
        for (matrix, branches) in [(&mut stiffness, &p.springs), (&mut damping, &p.dashpots)] {
            for b in branches {
                let ends = [of(b.a), of(b.b)];
                for k in ends.into_iter().flatten() {
                    matrix[k * size + k] += b.coefficient;
                }
                if let [Some(k), Some(l)] = ends {
                    matrix[k * size + l] -= b.coefficient;
                    matrix[l * size + k] -= b.coefficient;
                }
            }
        }
        // Normed by the mass: φᵀMφ = 1.
        let Modes { shapes: shape, squares } = modes(&mass, &stiffness, size)?;
        let across = times(&transposed(&shape, size), &times(&damping, &shape, size), size);
        let most = across.iter().fold(0.0f64, |m, d| m.max(d.abs()));
        // Only damping that is diagonal in the modes lets each go on by itself.
        let coupled = |k: usize| k / size != k % size && across[k].abs() > APART * most;
        if (0..size * size).any(coupled) {
            return None;
        }
        let modes: Vec<One> =
            squares.iter().enumerate().map(|(j, w)| One::new(*w, across[j * size + j])).collect();
        let slowest = squares.iter().fold(f64::INFINITY, |m, w| m.min(w.sqrt()));
        let fastest = modes.iter().map(One::decay).fold(0.0, f64::max);
        // Not stiff: restarted series are as quick, and keep what they have.
        if fastest < STIFF * p.fastest.max(slowest) {
            return None;
        }
        let harmonics = || p.forces.iter().flat_map(|f| f.1.harmonics());
        let regular =
            // A mode without stiffness has no balance under a constant load, so no particular solution of this form.
            |m: &One| m.square > 0.0 && !harmonics().any(|h| m.resonates(h.angular_frequency));
        if !modes.iter().all(regular) {
            return None;
        }
        let onto = times(&transposed(&shape, size), &mass, size);
        Some(Self { size, row, shape, onto, modes })
    }

    /// Whether a node moves.
    pub fn moves(&self, mode: Pattern<'_>, node: usize) -> bool {
        self.row[mode.clusters.set[node]].is_some()
    }

    /// Displacements of nodes beside those of their clusters, m.
    fn offsets(&self, mode: Pattern<'_>, x: &[f64]) -> Vec<f64> {
        let c = &mode.clusters;
        // Nodes of a cluster may stick at different places: springs feel that as a constant force.
        let of = |(i, x_i): (usize, &f64)| match self.row[c.set[i]] {
            Some(_) => x_i - x[c.roots[c.set[i]]],
            None => *x_i,
        };
        x.iter().enumerate().map(of).collect()
    }

    /// What constant forces on the nodes and springs between displaced nodes do to each mode; without `friction` of a small change.
    fn pushed(&self, mode: Pattern<'_>, offsets: &[f64], friction: bool) -> Vec<f64> {
        let p = mode.parts;
        let mut sum = vec![0.0; self.size];
        let mut push = |node: usize, force: f64| {
            if let Some(k) = self.row[mode.clusters.set[node]] {
                sum[k] += force;
            }
        };
        for b in &p.springs {
            let f = b.coefficient * (offsets[b.a] - offsets[b.b]);
            push(b.a, -f);
            push(b.b, f);
        }
        for (e, c) in p.contacts.iter().enumerate().filter(|_| friction) {
            // Normal forces are constant here, so any instant gives their value.
            let f = f64::from(mode.signs[e]) * mode.sliding[e] * c.normal(0.0).0[0];
            push(c.a, -f);
            push(c.b, f);
        }
        (0..self.size)
            .map(|j| (0..self.size).map(|k| self.shape[k * self.size + j] * sum[k]).sum())
            .collect()
    }

    /// The particular solution of each mode from `t` on.
    fn particular(&self, mode: Pattern<'_>, t: f64, x: &[f64], forced: bool) -> Vec<Power> {
        let offsets = self.offsets(mode, x);
        let pushed = self.pushed(mode, &offsets, forced);
        let forces = mode.parts.forces.iter().filter(|_| forced);
        let forces: Vec<_> = forces
            .filter_map(|(i, s)| Some((self.row[mode.clusters.set[*i]]?, s.piece_at(t))))
            .collect();
        let one = |(j, m): (usize, &One)| {
            let mut q = Power::ZERO;
            // Under a constant force a mode rests where its stiffness balances it.
            q.0[0] = pushed[j] / m.square;
            for (k, piece) in &forces {
                m.add_forced(self.shape[k * self.size + j], piece, t, &mut q);
            }
            q
        };
        self.modes.iter().enumerate().map(one).collect()
    }

    /// What is carried of displacements and velocities at `t` (s); of a small change where nothing is `forced`.
    pub fn carried(
        &self,
        mode: Pattern<'_>,
        t: f64,
        x: &[f64],
        v: &[f64],
        forced: bool,
    ) -> Vec<[f64; 2]> {
        let p = self.particular(mode, t, x, forced);
        let c = &mode.clusters;
        let mut own = vec![[0.0; 2]; self.size];
        for (root, row) in c.roots.iter().zip(&self.row) {
            if let Some(k) = row {
                // The displacement of a cluster is that of its root; the others differ by their offsets only.
                own[*k] = [x[*root], v[*root]];
            }
        }
        let of = |j: usize| {
            let line = &self.onto[j * self.size..(j + 1) * self.size];
            let sum = |i: usize| line.iter().zip(&own).map(|(m, u)| m * u[i]).sum::<f64>();
            self.modes[j].carry([sum(0) - p[j].0[0], sum(1) - p[j].0[1]])
        };
        (0..self.size).map(of).collect()
    }

    /// The same `tau` (s) later.
    pub fn after(&self, carried: &[[f64; 2]], tau: f64) -> Vec<[f64; 2]> {
        self.modes.iter().zip(carried).map(|(m, c)| m.after(*c, tau)).collect()
    }

    /// The series of the displacements about `t` (s) into those of the nodes that move.
    pub(crate) fn displace(
        &self,
        mode: Pattern<'_>,
        t: f64,
        x: &[f64],
        carried: &[[f64; 2]],
        forced: bool,
        out: &mut [Power],
    ) {
        let offsets = self.offsets(mode, x);
        let mut q = self.particular(mode, t, x, forced);
        for ((m, c), q) in self.modes.iter().zip(carried).zip(&mut q) {
            m.add(*c, q);
        }
        // Back from modes to clusters; nodes that do not move keep what they have.
        let clusters: Vec<Option<Power>> = self
            .row
            .iter()
            .map(|row| {
                let line = &self.shape[(*row)? * self.size..((*row)? + 1) * self.size];
                Some(line.iter().zip(&q).fold(Power::ZERO, |sum, (s, q)| sum.plus(*s, q)))
            })
            .collect();
        for (i, out) in out.iter_mut().enumerate() {
            if let Some(of) = &clusters[mode.clusters.set[i]] {
                *out = *of;
                out.0[0] += offsets[i];
            }
        }
    }
}
