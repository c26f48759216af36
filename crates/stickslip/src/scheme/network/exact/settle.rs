//! The instant in which nodes without mass find a new balance.
//!
//! Where a load jumps, or a slider with f_s > f_d gives way, nodes that neither mass nor dashpot holds jump:
//!
//! ```text
//! min ½ Δᵀ K Δ − (F − K x)ᵀ Δ + Σ_e α_e |(G Δ)_e|
//! ```
//!
//! the one-step problem with the stiffness as its matrix. It starts from, and changes nothing in, a state that is
//! in balance already.

use super::mode::ROUNDING;
use super::parts::{Parts, entries, unsuitable};
use super::resolve::Pattern;
use crate::error::{Error, Obstacle};
use crate::onestep::{Element, Sparse, Status};

/// The problem, its matrix made once.
#[derive(Debug, Clone)]
pub(super) struct Settle {
    /// The unknown that each node moves with.
    vertex: Vec<Option<usize>>,
    problem: Sparse,
    /// Slider of each element, and whether its second end is the element's first.
    sliders: Vec<(usize, bool)>,
    r: Vec<f64>,
    alpha: Vec<f64>,
    offset: Vec<f64>,
}

/// What holds a slider.
#[derive(Debug, Clone, Copy, PartialEq)]
enum By {
    Static,
    /// It slid that way before; it may stick at f_s before it turns.
    Dynamic(i8),
    /// It broke away now.
    Free,
}

impl Settle {
    /// None where every node has a mass or a dashpot.
    pub fn new(parts: &Parts) -> Option<Self> {
        let nodes = parts.ground + 1;
        let group: Vec<usize> = (0..nodes).collect();
        let free: Vec<bool> =
            group.iter().map(|&i| parts.mass[i] == 0.0 && !parts.given[i]).collect();
        // A dashpot would need an infinite force to jump: nodes that it joins jump as one, and those that it ties to
        // a mass or to the ground do not jump.
        let (set, held) = parts.damped_sets(&group, &free);
        let mut index = vec![None; nodes + 1];
        let mut size = 0;
        let mut vertex = vec![None; nodes];
        for i in (0..nodes).filter(|&i| free[i] && !held[i]) {
            let known = index[set[i]].is_some();
            vertex[i] = Some(*index[set[i]].get_or_insert(size));
            size += usize::from(!known);
        }
        if size == 0 {
            return None;
        }
        let mut sliders = Vec::new();
        let mut elements = Vec::new();
        for (e, c) in parts.contacts.iter().enumerate() {
            match (vertex[c.a], vertex[c.b]) {
                // A slider whose ends jump as one, or not at all, does not enter the problem.
                (Some(a), b) if b != Some(a) => {
                    sliders.push((e, false));
                    elements.push(Element { a, b });
                }
                (None, Some(a)) => {
                    sliders.push((e, true));
                    elements.push(Element { a, b: None });
                }
                _ => {}
            }
        }
        let matrix: Vec<(usize, usize, f64)> = entries(&vertex, size, &parts.springs)
            .into_iter()
            .map(|((i, j), v)| (i, j, v))
            .collect();
        let m = sliders.len();
        let problem = Sparse::new(size, &matrix, elements);
        let r = vec![0.0; size];
        let alpha = vec![0.0; m];
        let offset = vec![0.0; m];
        Some(Self { vertex, problem, sliders, r, alpha, offset })
    }

    /// Whether slider e can jump.
    pub fn concerns(&self, e: usize) -> bool {
        self.sliders.iter().any(|s| s.0 == e)
    }

    /// Moves `x` to the balance at `t`. Sliders that move get their sign; `broken` ones are held by f_d, and have
    /// jumped then: they are broken no longer.
    pub fn apply(&mut self, parts: &Parts, t: f64, p: &mut Pattern) -> Result<(), Error> {
        let size = self.load(parts, t, &p.state.x);
        let mut by: Vec<By> = self
            .sliders
            .iter()
            .map(|&(e, _)| match p.signs[e] {
                _ if p.broken[e] => By::Free,
                0 => By::Static,
                s => By::Dynamic(s),
            })
            .collect();
        loop {
            for (k, &(e, _)) in self.sliders.iter().enumerate() {
                let c = &parts.contacts[e];
                let limit = if by[k] == By::Static { c.breakaway } else { c.dynamic };
                self.alpha[k] = limit * c.normal(t).0[0];
            }
            let outcome = self.problem.solve(&self.r, &self.alpha, &self.offset);
            // Near balance the forces cancel, and the residual is to be seen relative to what cancels, not to what
            // remains.
            let rounding = outcome.residual <= ROUNDING * size;
            if outcome.status == Status::Inexact && !rounding {
                let residual = outcome.relative_residual();
                return Err(unsuitable(Obstacle::Unbalanced { time: t, residual }));
            }
            let mut changed = false;
            for (k, &(e, flipped)) in self.sliders.iter().enumerate() {
                let sign = self.problem.signs()[k] * if flipped { -1 } else { 1 };
                by[k] = match by[k] {
                    By::Static if sign != 0 => By::Free,
                    // Changes go in these two directions only: each slider changes at most twice, and the loop ends.
                    By::Dynamic(was) if sign == -was => By::Static,
                    _ => continue,
                };
                let c = &parts.contacts[e];
                // Where f_s = f_d the problem is the same whichever of them holds.
                changed |= c.breakaway != c.dynamic;
            }
            if !changed {
                break;
            }
        }
        self.jump(parts, p);
        Ok(())
    }

    /// The forces that are out of balance at `x`; the largest of all forces, N.
    fn load(&mut self, parts: &Parts, t: f64, x: &[f64]) -> f64 {
        self.r.fill(0.0);
        let mut size = 0.0f64;
        for (i, force) in &parts.forces {
            if let Some(u) = self.vertex[*i] {
                self.r[u] += force.value(t);
                size = size.max(force.value(t).abs());
            }
        }
        for b in &parts.springs {
            let f = b.coefficient * (x[b.a] - x[b.b]);
            size = size.max(b.coefficient.abs() * x[b.a].abs().max(x[b.b].abs()));
            self.vertex[b.a].into_iter().for_each(|u| self.r[u] -= f);
            self.vertex[b.b].into_iter().for_each(|u| self.r[u] += f);
        }
        size
    }

    /// Moves the places by the solution.
    fn jump(&self, parts: &Parts, p: &mut Pattern) {
        let x = &mut p.state.x;
        // A jump that is no more than the rounding of the places decides nothing.
        let rounding = ROUNDING * x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let moved = |i: usize| self.vertex[i].map_or(0.0, |u| self.problem.p()[u]);
        for &(e, _) in &self.sliders {
            let c = &parts.contacts[e];
            let jump = moved(c.a) - moved(c.b);
            // Its force has found a balance: from here on it is a slider like others, at rest or sliding.
            p.broken[e] = false;
            if jump.abs() > rounding {
                p.signs[e] = if jump > 0.0 { 1 } else { -1 };
                p.slid[e] = p.signs[e];
            }
        }
        for (i, x) in x.iter_mut().enumerate() {
            *x += moved(i);
        }
    }
}
