//! What isolators can hold: whether forces within their discs balance a load on the slab, and which.
//!
//! Forces λ_k with |E_k⁻¹ λ_k| ≤ τ L_k balance the load c on the slab, Σ B_kᵀ λ_k = c, for the least τ
//!
//! ```text
//! τ = max over motions d of  cᵀ d/Φ(d),      Φ(d) = Σ L_k |E_k B_k d|
//! ```
//!
//! (the support functions of the discs): the isolators hold c if τ ≤ 1. The d that is found is the motion in which the slab breaks
//! away under a growing load; with it λ_k = τ L_k E_k² B_k d/|E_k B_k d|. Where the slab turns about isolator k, B_k d = 0, and
//! λ_k is what the others lack.

use super::slab::{Cube, Triple, add, dot, lever, solved, turn, velocity};
use crate::model::planar::Ellipse;

/// The admissible forces at a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Disc {
    /// m.
    pub at: [f64; 2],
    pub ellipse: Ellipse,
    /// L ≥ 0, N, or N·s of a step.
    pub limit: f64,
}

/// By how much rounding may carry a share over its limit.
const ROUNDING: f64 = 1e-13;
/// By how much a force must be below its share for the motion to be the only one.
const STRICT: f64 = 1e-9;
/// Newton's steps, at most.
const ITERATIONS: usize = 200;
/// What Newton's step promises of Φ where its steps are trusted.
const CLOSE: f64 = 1e-10;

/// Φ(d).
pub(super) fn holds_against(discs: &[Disc], d: Triple) -> f64 {
    discs.iter().map(|disc| disc.limit * disc.ellipse.support(velocity(disc.at, d))).sum()
}

/// How discs hold a load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hold {
    /// The least share τ of their limits with which they do: infinite where nothing can hold it. Above 1 it may be a lower bound.
    pub share: f64,
    /// The disc about which the slab breaks away in a turn, if it does.
    pub about: Option<usize>,
}

impl Hold {
    const NONE: Self = Self { share: f64::INFINITY, about: None };
}

/// How `discs` hold the load `c`, which is not zero; `forces` are those with which they do, if they can. `start` is a motion along the
/// load.
pub(super) fn hold(discs: &[Disc], c: Triple, start: Triple, forces: &mut [[f64; 2]]) -> Hold {
    forces.fill([0.0; 2]);
    let active = discs.iter().filter(|d| d.limit > 0.0).count();
    if active == 0 {
        return Hold::NONE;
    }
    for (k, disc) in discs.iter().enumerate() {
        if disc.limit > 0.0
            && let Some(share) = about(discs, k, active == 1, c, forces)
        {
            balance(discs, c, forces);
            return Hold { share, about: Some(k).filter(|_| active > 1) };
        }
    }
    // One isolator alone resists no turn about itself.
    if active == 1 {
        return Hold::NONE;
    }
    let share = together(discs, c, start, forces);
    if share <= 1.0 + ROUNDING {
        balance(discs, c, forces);
    }
    Hold { share, about: None }
}

/// Adds to `forces` what they lack of the load, as the least forces that make it up.
fn balance(discs: &[Disc], c: Triple, forces: &mut [[f64; 2]]) {
    let mut left = c;
    let mut form = Cube::default();
    for (disc, force) in discs.iter().zip(forces.iter()).filter(|(d, _)| d.limit > 0.0) {
        let of = lever(disc.at, *force);
        left = [0, 1, 2].map(|i| left[i] - of[i]);
        add(&mut form, disc.at, 1.0, &[[1.0, 0.0], [0.0, 1.0]]);
    }
    // One disc alone bears no moment, and its force is the load itself.
    let Some(d) = solved(&form, left) else { return };
    let size = [0, 1].map(|i| c[i].abs()).into_iter().fold(c[2].abs(), f64::max);
    for (disc, force) in discs.iter().zip(forces).filter(|(d, _)| d.limit > 0.0) {
        let more = velocity(disc.at, d);
        if more.iter().all(|m| m.abs() < 1e-5 * size) {
            *force = [0, 1].map(|i| force[i] + more[i]);
        }
    }
}

/// τ if the slab breaks away in a turn about disc `k`, or if that is `alone` and the load does not turn the slab about it.
fn about(discs: &[Disc], k: usize, alone: bool, c: Triple, forces: &mut [[f64; 2]]) -> Option<f64> {
    let own = discs[k];
    let e = turn(own.at);
    let moment = dot(c, e);
    if alone {
        let size = (c[0] * e[0]).abs() + (c[1] * e[1]).abs() + c[2].abs();
        if moment.abs() > ROUNDING * size {
            return None;
        }
        forces[k] = [c[0], c[1]];
        return Some(own.ellipse.gauge(forces[k]) / own.limit);
    }
    let share = moment.abs() / holds_against(discs, e);
    let towards = moment.signum();
    let mut left = c;
    for (j, disc) in discs.iter().enumerate() {
        let w = velocity(disc.at, e).map(|w| towards * w);
        if j == k || disc.limit == 0.0 || w == [0.0; 2] {
            continue;
        }
        forces[j] = disc.ellipse.normal(w).map(|n| share * disc.limit * n);
        let of = lever(disc.at, forces[j]);
        left = [0, 1, 2].map(|i| left[i] - of[i]);
    }
    forces[k] = [left[0], left[1]];
    // Where it takes just this share, the slab may break away in other motions as well, and turns about none.
    if own.ellipse.gauge(forces[k]) <= share * own.limit * (1.0 - STRICT) {
        return Some(share);
    }
    forces.fill([0.0; 2]);
    None
}

/// τ if the slab breaks away in a motion in which no disc rests, by Newton's method on Φ in the plane cᵀ d = 1, where it is convex; where that
/// does not descend, by a step in which the sizes |E_k B_k d| are those of the step before (Weiszfeld), which always does.
fn together(discs: &[Disc], c: Triple, start: Triple, forces: &mut [[f64; 2]]) -> f64 {
    let along = dot(c, start);
    let mut d = start.map(|u| u / along);
    let mut phi = holds_against(discs, d);
    for _ in 0..ITERATIONS {
        // Any motion bounds τ from below.
        if phi < 1.0 {
            return 1.0 / phi;
        }
        let step = newton(discs, c, d);
        if let Some((step, promised)) = step
            && promised <= CLOSE * phi
        {
            // So near the least value Φ itself does not show any more which of two motions is better; Newton's steps do.
            let trial = [0, 1, 2].map(|i| d[i] + step[i]);
            let at_trial = holds_against(discs, trial);
            // Where Φ is straight along a motion there is no step.
            if at_trial > phi * (1.0 + 1e-12) {
                break;
            }
            (d, phi) = (trial, at_trial);
            if promised <= f64::EPSILON * f64::EPSILON * phi {
                break;
            }
            continue;
        }
        let descends = |(step, promised): (Triple, f64)| {
            [1.0, 0.5, 0.25, 0.125].into_iter().find_map(|part| {
                let trial = [0, 1, 2].map(|i| d[i] + part * step[i]);
                (holds_against(discs, trial) <= phi - 0.1 * part * promised).then_some(trial)
            })
        };
        let Some(next) = step.and_then(descends).or_else(|| weiszfeld(discs, c, d)) else { break };
        (d, phi) = (next, holds_against(discs, next));
    }
    let share = 1.0 / phi;
    for (disc, force) in discs.iter().zip(forces) {
        let w = velocity(disc.at, d);
        if disc.limit > 0.0 && w != [0.0; 2] {
            *force = disc.ellipse.normal(w).map(|n| share * disc.limit * n);
        }
    }
    share
}

/// Newton's step in the plane, and twice what it promises Φ to fall.
fn newton(discs: &[Disc], c: Triple, d: Triple) -> Option<(Triple, f64)> {
    let mut hessian = Cube::default();
    let mut gradient = [0.0; 3];
    for disc in discs.iter().filter(|d| d.limit > 0.0) {
        let w = velocity(disc.at, d);
        let size = disc.ellipse.support(w);
        if size == 0.0 {
            return None;
        }
        let normal = disc.ellipse.normal(w);
        let of = lever(disc.at, normal);
        gradient = [0, 1, 2].map(|i| gradient[i] + disc.limit * of[i]);
        add(&mut hessian, disc.at, disc.limit / size, &bending(disc.ellipse, normal));
    }
    // Φ is straight along d: a curvature across the plane makes the matrix regular and changes no step in it.
    let size = holds_against(discs, d);
    for (row, a) in hessian.iter_mut().zip(c) {
        for (cell, b) in row.iter_mut().zip(c) {
            *cell += size * a * b;
        }
    }
    let by_gradient = solved(&hessian, gradient)?;
    let by_load = solved(&hessian, c)?;
    let multiplier = dot(c, by_gradient) / dot(c, by_load);
    let step = [0, 1, 2].map(|i| multiplier * by_load[i] - by_gradient[i]);
    Some((step, -dot(gradient, step)))
}

/// E² − n nᵀ, with n = E² w/|E w|: how the normal turns with w, times |E w|.
#[inline]
pub(super) fn bending(ellipse: Ellipse, normal: [f64; 2]) -> [[f64; 2]; 2] {
    let e = ellipse.0;
    let own = |i: usize, j: usize| if i == j { e[i] * e[i] } else { 0.0 };
    [0, 1].map(|i| [0, 1].map(|j| own(i, j) - normal[i] * normal[j]))
}

/// The motion of least Σ L_k |E_k B_k d|²/|E_k B_k d₀| in the plane.
fn weiszfeld(discs: &[Disc], c: Triple, d: Triple) -> Option<Triple> {
    let mut form = Cube::default();
    for disc in discs.iter().filter(|d| d.limit > 0.0) {
        let size = disc.ellipse.support(velocity(disc.at, d)).max(f64::MIN_POSITIVE);
        add(&mut form, disc.at, disc.limit / size, &bending(disc.ellipse, [0.0; 2]));
    }
    let u = solved(&form, c)?;
    let along = dot(c, u);
    (along > 0.0).then(|| u.map(|u| u / along))
}
