//! Sliding by collocation at Gauss's nodes: where a slip begins, and where friction turns the velocity much faster than the
//! motion changes.
//!
//! At the start of a slip the direction of the velocity is not defined, but along the motion it is smooth: no node of Gauss
//! lies at the start, so none asks for it. The method is implicit and A-stable: friction that turns a small velocity at once
//! into its place does not shorten its steps. Source: Hairer & Wanner, Solving Ordinary Differential Equations II, §IV.5.

use super::polar::Sliding;
use super::window::{Window, length};
use crate::numeric::eliminate;
use crate::scheme::collocation::{GAUSS, NODES, integrals};

/// Unknown numbers: an acceleration at each node.
const UNKNOWNS: usize = 2 * NODES;
/// Iterations of Newton's method.
const ROUNDS: usize = 25;

/// The coefficients of the polynomial through values at the nodes, in Legendre's polynomials.
fn coefficients(values: &[[f64; 2]; NODES]) -> [[f64; 2]; NODES] {
    let g = &*GAUSS;
    std::array::from_fn(|k| {
        [0, 1].map(|i| {
            let sum: f64 = (0..NODES).map(|j| g.b[j] * g.legendre[k][j] * values[j][i]).sum();
            (2 * k + 1) as f64 * sum
        })
    })
}

/// A step of collocation with its dense output: sliding acceleration and velocity in Legendre's polynomials.
#[derive(Debug, Clone)]
pub(super) struct GaussLink {
    /// Where it begins.
    pub from: Sliding,
    /// Its length, s.
    pub h: f64,
    /// ẇ and ṙ.
    a: [[f64; 2]; NODES],
    v: [[f64; 2]; NODES],
}

impl GaussLink {
    /// The mass at the fraction `x` of the step.
    pub fn at(&self, x: f64) -> Sliding {
        let whole = integrals(x);
        let sum = |c: &[[f64; 2]; NODES], i: usize| -> f64 {
            c.iter().zip(&whole).map(|(c, p)| c[i] * p).sum()
        };
        let Sliding { t, r, w } = self.from;
        Sliding {
            t: t + x * self.h,
            r: [0, 1].map(|i| r[i] + self.h * sum(&self.v, i)),
            w: [0, 1].map(|i| w[i] + self.h * sum(&self.a, i)),
        }
    }
}

/// The unknowns of a step and what they make.
struct Stages {
    acceleration: [[f64; 2]; NODES],
    r: [[f64; 2]; NODES],
    w: [[f64; 2]; NODES],
}

/// A step of `h` (s) from a slip or from rest, or nothing if its problem is not solved, the motion is not smooth enough for it
/// to `tolerance` (relative to the acceleration), or it does not go on sliding.
pub(super) fn step(
    window: &Window<'_>,
    from: &Sliding,
    h: f64,
    tolerance: f64,
) -> Option<GaussLink> {
    let g = &*GAUSS;
    let mut stages = guess(window, from, h)?;
    let mut solved = false;
    let mut before = f64::INFINITY;
    // What cancels in B + R leaves a rounding that is large where the acceleration is small.
    let terms = length(window.load(from.t + 0.5 * h, from.r, from.w)) / window.model.mass;
    let rounding = 4.0 * f64::EPSILON * terms;
    for _ in 0..ROUNDS {
        let change = newton(window, from, h, &mut stages)?;
        // The unknowns are accelerations, and their rounding is that of the largest of them.
        let size = stages.acceleration.iter().flatten().fold(0.0f64, |m, a| m.max(a.abs()));
        // Newton's method converges until rounding makes its changes; a change that no longer falls is taken if
        // it is near that.
        let stalls = change >= 0.5 * before;
        if change <= 1e-14 * size + rounding || stalls && change <= 1e-12 * size + 32.0 * rounding {
            solved = true;
            break;
        }
        before = change;
    }
    let a = coefficients(&stages.acceleration);
    let velocity: [[f64; 2]; NODES] = std::array::from_fn(|i| {
        let surface = window.surface(from.t + g.c[i] * h);
        [stages.w[i][0] + surface[0], stages.w[i][1] + surface[1]]
    });
    let link = GaussLink { from: *from, h, a, v: coefficients(&velocity) };
    (solved && is_smooth(&a, tolerance, 16.0 * rounding) && slides(&stages, from, &link))
        .then_some(link)
}

/// Whether the last coefficients are below the tolerance, or below `rounding`, m/s². The last but one may be larger: it is held.
fn is_smooth(a: &[[f64; 2]; NODES], tolerance: f64, rounding: f64) -> bool {
    let size = |k: usize| a[k][0].abs().max(a[k][1].abs());
    let largest = (0..NODES).map(size).fold(0.0, f64::max);
    let most = tolerance * largest + rounding;
    size(NODES - 1) <= most && size(NODES - 2) <= 30.0 * most
}

/// Whether the speed stays away from zero: it grows, or falls to no less than a third of what it was.
fn slides(stages: &Stages, from: &Sliding, link: &GaussLink) -> bool {
    let first = length(from.w);
    let last = length(link.at(1.0).w);
    let mut before = first;
    let mut grows = last > 0.0;
    for w in stages.w {
        let speed = length(w);
        grows &= speed > before;
        before = speed;
    }
    // A speed that passes near zero has no direction there, and its polynomial no meaning.
    let keeps = stages.w.iter().all(|w| length(*w) >= 0.33 * first) && last >= 0.33 * first;
    grows && last > before || first > 0.0 && keeps
}

/// Steps of the implicit Euler scheme from node to node.
fn guess(window: &Window<'_>, from: &Sliding, h: f64) -> Option<Stages> {
    let g = &*GAUSS;
    let m = window.model.mass;
    let mut at = *from;
    let mut stages =
        Stages { acceleration: [[0.0; 2]; NODES], r: [[0.0; 2]; NODES], w: [[0.0; 2]; NODES] };
    for i in 0..NODES {
        let t = from.t + g.c[i] * h;
        let d = t - at.t;
        // Where the surface carries it: as the load leaves its limit, that counts.
        let carried = window.carried(at.r, at.t, t);
        let load = window.load(t, carried, at.w);
        let f = window.normal(t) * window.model.friction.force(1.0, length(at.w));
        let q = [0, 1].map(|j| at.w[j] + d * load[j] / m);
        let w = window.model.ellipse.resolvent(q, [1.0; 2], d * f / m);
        // Friction stops the mass within this step, where its direction has no derivative.
        if w == [0.0; 2] {
            return None;
        }
        let r = [0, 1].map(|j| carried[j] + d * w[j]);
        stages.r[i] = r;
        stages.w[i] = w;
        at = Sliding { t, r, w };
    }
    // Newton's method does the rest, but from velocities that point the right way.
    stages.acceleration = implied_accelerations(&stages, from, h);
    Some(stages)
}

/// The accelerations whose integrals are the velocities of the stages.
fn implied_accelerations(stages: &Stages, from: &Sliding, h: f64) -> [[f64; 2]; NODES] {
    let g = &*GAUSS;
    let mut matrix = [0.0; NODES * NODES];
    let mut out = [[0.0; 2]; NODES];
    for i in 0..2 {
        // Written anew for each axis, since elimination destroys the matrix.
        for (row, a) in g.a.iter().enumerate() {
            matrix[row * NODES..(row + 1) * NODES].copy_from_slice(a);
        }
        let mut right: [f64; NODES] = std::array::from_fn(|j| (stages.w[j][i] - from.w[i]) / h);
        if eliminate(&mut matrix, &mut right) {
            out.iter_mut().zip(right).for_each(|(a, x)| a[i] = x);
        }
    }
    out
}

/// One step of Newton's method; the largest change of an acceleration, m/s².
fn newton(window: &Window<'_>, from: &Sliding, h: f64, stages: &mut Stages) -> Option<f64> {
    let g = &*GAUSS;
    let model = window.model;
    let m = model.mass;
    let mut matrix = [0.0; UNKNOWNS * UNKNOWNS];
    let mut right = [0.0; UNKNOWNS];
    for i in 0..NODES {
        let t = from.t + g.c[i] * h;
        let r = stages.r[i];
        let w = stages.w[i];
        let load = window.load(t, r, w);
        let friction = window.friction(t, w);
        let slopes = friction_slopes(window, t, w);
        // Where there is a rim the surface stands, and the sliding velocity is that in space.
        let [stiffness, damping] = window.slopes(r, w);
        for p in 0..2 {
            right[2 * i + p] = load[p] + friction[p] - m * stages.acceleration[i][p];
            for j in 0..NODES {
                for q in 0..2 {
                    let by_speed = slopes[p][q] - damping[p][q];
                    // m ẇ = B + R with w = w₀ + h A ẇ and r = r₀ + h c w₀ + h² A² ẇ, differentiated by ẇ.
                    let entry = -h * by_speed * g.a[i][j] + h * h * stiffness[p][q] * g.aa[i][j];
                    let own = if i == j && p == q { m } else { 0.0 };
                    matrix[(2 * i + p) * UNKNOWNS + 2 * j + q] = own + entry;
                }
            }
        }
    }
    if !eliminate(&mut matrix, &mut right) {
        return None;
    }
    let mut change = 0.0f64;
    for (a, by) in stages.acceleration.iter_mut().zip(right.chunks_exact(2)) {
        for p in 0..2 {
            a[p] += by[p];
            change = change.max(by[p].abs());
        }
    }
    place(window, from, h, stages);
    change.is_finite().then_some(change)
}

/// Velocities and places of the stages from their accelerations.
fn place(window: &Window<'_>, from: &Sliding, h: f64, stages: &mut Stages) {
    let g = &*GAUSS;
    for i in 0..NODES {
        let sum = |a: &[f64; NODES], p: usize| -> f64 {
            a.iter().zip(&stages.acceleration).map(|(a, x)| a * x[p]).sum()
        };
        let carried = window.carried(from.r, from.t, from.t + g.c[i] * h);
        stages.w[i] = [0, 1].map(|p| from.w[p] + h * sum(&g.a[i], p));
        stages.r[i] =
            [0, 1].map(|p| carried[p] + g.c[i] * h * from.w[p] + h * h * sum(&g.aa[i], p));
    }
}

/// ∂R/∂w, N·s/m.
fn friction_slopes(window: &Window<'_>, t: f64, w: [f64; 2]) -> [[f64; 2]; 2] {
    let model = window.model;
    let normal = window.normal(t);
    let speed = length(w);
    let f = normal * model.friction.force(1.0, speed);
    let rise = normal * model.friction.slope_range(1.0, speed, speed).0;
    let n = model.ellipse.normal(w);
    let size = model.ellipse.support(w);
    let e = model.ellipse.0;
    [0, 1].map(|p| {
        [0, 1].map(|q| {
            let own = if p == q { e[p] * e[p] } else { 0.0 };
            -rise * w[q] / speed * n[p] - f / size * (own - n[p] * n[q])
        })
    })
}
