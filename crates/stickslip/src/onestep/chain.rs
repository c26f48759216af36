//! A tridiagonal, G = 1: one friction element at each node of a chain.
//!
//! Primal–dual active set (a semismooth Newton iteration): guess which nodes slip and which way,
//! solve the tridiagonal system for those, correct the guess by
//!
//! ```text
//! node i slips with sign s next   if  s (λ_i + a_ii p_i) > α_i,     it sticks otherwise
//! ```
//!
//! On a chain this alone moves the end of a slipping stretch by one node an iteration. Two rules make
//! it a Newton iteration for the *place* of that end: what a yielding node cannot hold passes on to
//! its neighbour (growth), and where too many were taken only the half nearer the mistaken end is
//! given back (shrinkage). Neither can change what is accepted: only a guess that the correction leaves
//! as it is.

use super::twisted::Twisted;
use super::{Outcome, Status, TOLERANCE, natural_residual};
use crate::error::Error;

/// Active-set iterations before the fallback takes over.
const CAP: usize = 80;

/// Iterations after which the last solution's slipping nodes have been no help, and all nodes start
/// from rest.
const STALE: usize = 10;

/// Iterations with free growth; then a stretch grows by at most n/2, n/4, … nodes, so that growth and
/// shrinkage cannot chase each other for ever.
const FREE: usize = 30;

/// Single minimisations of the fallback before it gives what it has.
const PATIENCE: usize = 2_000_000_000;

/// The problem min ½ pᵀAp − rᵀp + Σ α_i |p_i| for a fixed tridiagonal A, solved again and again.
/// It starts from the last solution's slipping nodes.
#[derive(Debug, Clone)]
pub struct Chain {
    /// a_ii.
    diagonal: Vec<f64>,
    /// −a_{i,i+1}, and a 0 at the end.
    coupling: Vec<f64>,
    /// +1, −1: slips that way; 0: sticks.
    signs: Vec<i8>,
    factor: Twisted,
    /// Whether `factor` belongs to `signs`.
    factored: bool,
    /// Where it begins.
    factored_from: usize,
    /// The nodes [from, to) that matter: outside all stick, p = 0 and λ = r. Slipping nodes have their
    /// neighbours in it.
    window: (usize, usize),
    p: Vec<f64>,
    lambda: Vec<f64>,
}

impl Chain {
    /// A with `diagonal` a_ii > 0 and −`coupling` beside it (n − 1 numbers ≥ 0); it must be
    /// diagonally dominant, as the matrix of springs in a chain is.
    pub fn new(diagonal: Vec<f64>, mut coupling: Vec<f64>) -> Result<Self, Error> {
        let n = diagonal.len();
        let wrong = |what, found, expected| Err(Error::WrongLength { what, found, expected });
        if n == 0 {
            return wrong("diagonal", 0, "one or more entries");
        }
        if coupling.len() + 1 != n {
            return wrong("coupling", coupling.len(), "one entry less than the diagonal");
        }
        coupling.push(0.0);
        for index in 0..n {
            let (d, e) = (diagonal[index], coupling[index]);
            let around = e + if index > 0 { coupling[index - 1] } else { 0.0 };
            let slack = 1e-12 * d.abs();
            if !(d.is_finite() && d > 0.0 && d >= around - slack) {
                let expected = "a finite number > 0, at least the sum of the couplings beside it";
                return Err(Error::BadEntry { what: "diagonal", index, found: d, expected });
            }
            if !(e.is_finite() && e >= 0.0) {
                let expected = "a finite number ≥ 0";
                return Err(Error::BadEntry { what: "coupling", index, found: e, expected });
            }
        }
        Ok(Self {
            diagonal,
            coupling,
            signs: vec![0; n],
            factor: Twisted::new(n),
            factored: false,
            factored_from: 0,
            window: (0, n),
            p: vec![0.0; n],
            lambda: vec![0.0; n],
        })
    }

    /// p of the last solution.
    pub fn p(&self) -> &[f64] {
        &self.p
    }

    /// λ = r − A p of the last solution.
    pub fn lambda(&self) -> &[f64] {
        &self.lambda
    }

    /// Solves for the right-hand side `r` and the thresholds `alpha` ≥ 0, both of length n.
    ///
    /// # Panics
    /// If a length is wrong.
    pub fn solve(&mut self, r: &[f64], alpha: &[f64]) -> Outcome {
        let n = self.diagonal.len();
        assert!(r.len() == n && alpha.len() == n, "r and alpha must have {n} entries");
        let outside = self.open(r, alpha);
        for iterations in 1..=CAP {
            if iterations == STALE {
                self.signs.fill(0);
                self.factored = false;
            }
            let (residual, inside) = self.guess(r, alpha);
            let scale = inside.max(outside);
            // Accepted by what it satisfies: at a degenerate node both answers do.
            if residual <= 4.0 * f64::EPSILON * scale || !self.correct(alpha, scale, iterations) {
                let status = if residual <= TOLERANCE * scale { Status::ActiveSet } else { break };
                return Outcome { status, iterations, residual, scale };
            }
        }
        self.fallback(r, alpha)
    }

    /// Starts with λ = r and the window around what slips or must; the scale of the forces.
    fn open(&mut self, r: &[f64], alpha: &[f64]) -> f64 {
        let n = self.diagonal.len();
        self.p[self.window.0..self.window.1].fill(0.0);
        self.lambda.copy_from_slice(r);
        let (mut scale, mut beyond) = (0.0, 0usize);
        for (r, a) in r.iter().zip(alpha) {
            let size = if r.abs() > *a { r.abs() } else { *a };
            scale = if size > scale { size } else { scale };
            beyond += usize::from(r.abs() > *a);
        }
        let (old_from, old_to) = self.window;
        let slips = |i: &usize| self.signs[*i] != 0;
        let (mut from, mut to) = match (old_from..old_to).find(slips) {
            Some(first) => (first, (first..old_to).rev().find(slips).unwrap_or(first) + 1),
            None => (n, 0),
        };
        if beyond > 0 {
            let yields = |i: &usize| r[*i].abs() > alpha[*i];
            from = (0..n).find(yields).unwrap_or(n).min(from);
            to = (0..n).rev().find(yields).map_or(0, |i| i + 1).max(to);
        }
        self.window = (0, 0);
        self.widen(from, to);
        scale
    }

    /// Lets the window hold the nodes [`from`, `to`) and their neighbours.
    fn widen(&mut self, from: usize, to: usize) {
        if from >= to {
            return;
        }
        let (from, to) = (from.saturating_sub(1), (to + 1).min(self.diagonal.len()));
        self.window = match self.window {
            (a, b) if a < b => (a.min(from), b.max(to)),
            _ => (from, to),
        };
    }

    /// Solves on the slipping nodes; the residual and the scale inside the window.
    fn guess(&mut self, r: &[f64], alpha: &[f64]) -> (f64, f64) {
        let (from, to) = self.window;
        if from == to {
            return (0.0, 0.0);
        }
        let signs = &self.signs[from..to];
        let (d, e) = (&self.diagonal[from..to], &self.coupling[from..to]);
        if !self.factored || self.factor.order() != to - from || self.factored_from != from {
            self.factor.factor(d, e, |i| signs[i] != 0);
            (self.factored, self.factored_from) = (true, from);
        }
        let p = &mut self.p[from..to];
        for (((p, r), a), s) in p.iter_mut().zip(&r[from..to]).zip(&alpha[from..to]).zip(signs) {
            *p = r - f64::from(*s) * a;
        }
        self.factor.solve(e, p);
        self.measure(r, alpha)
    }

    /// λ = r − A p from p; the natural residual and the scale of the forces.
    fn measure(&mut self, r: &[f64], alpha: &[f64]) -> (f64, f64) {
        let (d, e, p) = (&self.diagonal, &self.coupling, &self.p);
        let n = d.len();
        let mut row = |i: usize, before: f64, after: f64| {
            let own = d[i] * p[i];
            let lambda = r[i] - own + before + after;
            self.lambda[i] = lambda;
            let size = own.abs().max(r[i].abs()).max(alpha[i]);
            (natural_residual(lambda, p[i], d[i], alpha[i]), size)
        };
        let (from, to) = self.window;
        let before = |i: usize| if i > 0 { e[i - 1] * p[i - 1] } else { 0.0 };
        let after = |i: usize| if i + 1 < n { e[i] * p[i + 1] } else { 0.0 };
        let (mut worst, mut scale) = row(from, before(from), after(from));
        for i in from + 1..to.saturating_sub(1) {
            let (w, s) = row(i, e[i - 1] * p[i - 1], e[i] * p[i + 1]);
            worst = if w > worst || w.is_nan() { w } else { worst };
            scale = if s > scale { s } else { scale };
        }
        let (w, s) = row(to - 1, before(to - 1), after(to - 1));
        (if w > worst || w.is_nan() { w } else { worst }, scale.max(s))
    }

    /// Corrects the guess; whether anything changed.
    fn correct(&mut self, alpha: &[f64], scale: f64, iteration: usize) -> bool {
        let noise = 4.0 * f64::EPSILON * scale;
        let n = self.signs.len();
        let (mut i, to) = self.window;
        let halvings = iteration.saturating_sub(FREE).min(63) as u32;
        let most = (n >> halvings).max(1);
        let mut changed = false;
        while i < to {
            if self.signs[i] == 0 {
                if self.lambda[i].abs() > alpha[i] + noise {
                    changed = true;
                    i = self.grow(i, alpha, most);
                }
                i += 1;
                continue;
            }
            // A stretch [i, end) slipping with one sign.
            let s = self.signs[i];
            let end = (i..to).find(|&j| self.signs[j] != s).unwrap_or(to);
            changed |= self.shrink(i, end, alpha, noise);
            i = end;
        }
        self.factored &= !changed;
        changed
    }

    /// Node `i` yields. What it cannot hold passes on along the chain, away from what slips already, to
    /// `most` nodes in all; the last node looked at.
    fn grow(&mut self, i: usize, alpha: &[f64], most: usize) -> usize {
        let s: i8 = if self.lambda[i] > 0.0 { 1 } else { -1 };
        let hold = |j: usize| alpha[j] - f64::from(s) * self.lambda[j];
        let n = self.signs.len();
        let (behind, ahead) =
            (i > 0 && self.signs[i - 1] == s, i + 1 < n && self.signs[i + 1] == s);
        let mut excess = -hold(i);
        let (mut low, mut high) = (i, i);
        if behind && !ahead {
            while high + 1 < n.min(i + most) && self.signs[high + 1] == 0 && excess > hold(high + 1)
            {
                high += 1;
                excess -= hold(high);
            }
        } else if ahead && !behind {
            while low > (i + 1).saturating_sub(most)
                && self.signs[low - 1] == 0
                && excess > hold(low - 1)
            {
                low -= 1;
                excess -= hold(low);
            }
        }
        self.signs[low..=high].fill(s);
        self.widen(low, high + 1);
        high
    }

    /// Nodes of the stretch [`from`, `to`) that slip against their sign stick again: all of them
    /// inside, the outer half of those at its ends. Whether there were any.
    fn shrink(&mut self, from: usize, to: usize, alpha: &[f64], noise: f64) -> bool {
        let s = f64::from(self.signs[from]);
        let (p, d) = (&self.p, &self.diagonal);
        // Without friction either way is right.
        let wrong = |j: usize| s * d[j] * p[j] < -noise && alpha[j] > 0.0;
        let Some(first) = (from..to).find(|&j| !wrong(j)) else {
            self.signs[from..to].fill(0);
            return true;
        };
        let last = (first..to).rev().find(|&j| !wrong(j)).unwrap_or(first);
        let (head, tail) = ((first - from).div_ceil(2), (to - 1 - last).div_ceil(2));
        let mut changed = head + tail > 0;
        self.signs[from..from + head].fill(0);
        self.signs[to - tail..to].fill(0);
        let inside = self.p[first..last].iter().zip(&self.diagonal[first..last]);
        let inside = inside.zip(&alpha[first..last]).zip(&mut self.signs[first..last]);
        for (((p, d), alpha), sign) in inside {
            if s * d * p < -noise && *alpha > 0.0 {
                *sign = 0;
                changed = true;
            }
        }
        changed
    }

    /// Exact minimisation over one p_i after the other: the objective falls with every change and the
    /// sweeps converge from any start, for every A here. After each sweep the system is solved on what
    /// slips then, and taken if it satisfies the conditions.
    fn fallback(&mut self, r: &[f64], alpha: &[f64]) -> Outcome {
        let n = self.signs.len();
        let mut x = vec![0.0; n]; // the rare road: it may allocate
        let mut best = (f64::INFINITY, 1.0);
        let sweeps = (PATIENCE / n).clamp(1000, 100_000);
        self.window = (0, n);
        for iterations in CAP + 1..=CAP + sweeps {
            for i in (0..n).chain((0..n).rev()) {
                let before = if i > 0 { self.coupling[i - 1] * x[i - 1] } else { 0.0 };
                let after = if i + 1 < n { self.coupling[i] * x[i + 1] } else { 0.0 };
                x[i] = super::scalar(self.diagonal[i], r[i] + before + after, alpha[i]).0;
            }
            for (s, x) in self.signs.iter_mut().zip(&x) {
                *s = (*x > 0.0) as i8 - (*x < 0.0) as i8;
            }
            self.factored = false;
            let (residual, scale) = self.guess(r, alpha);
            best = (residual, scale);
            if residual <= TOLERANCE * scale {
                return Outcome { status: Status::Fallback, iterations, residual, scale };
            }
            if !residual.is_finite() {
                break;
            }
        }
        self.p.copy_from_slice(&x);
        if best.1.is_finite() {
            best = self.measure(r, alpha);
        }
        let (residual, scale) = best;
        Outcome { status: Status::Inexact, iterations: CAP + sweeps, residual, scale }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fallback alone, on problems that the active set has solved: the same answer.
    #[test]
    fn the_fallback_finds_the_same() {
        let mut seed = 5u64;
        let mut next = move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        for n in [1, 2, 3, 10, 60] {
            for _ in 0..20 {
                let k: Vec<f64> = (0..=n).map(|_| 0.1 + next()).collect();
                let d = k.windows(2).map(|k| k[0] + k[1]).collect();
                let mut chain = Chain::new(d, k[1..n].to_vec()).unwrap();
                let alpha: Vec<f64> = (0..n).map(|_| next()).collect();
                let r: Vec<f64> = (0..n).map(|_| 4.0 * next() - 2.0).collect();
                let outcome = chain.solve(&r, &alpha);
                assert_eq!(outcome.status, Status::ActiveSet);
                let p = chain.p().to_vec();
                let outcome = chain.fallback(&r, &alpha);
                assert_eq!(outcome.status, Status::Fallback);
                for (a, b) in p.iter().zip(chain.p()) {
                    assert!((a - b).abs() < 1e-11, "{n}: {a} {b}");
                }
                // And the next warm start from there is right too.
                assert!(
                    chain
                        .solve(&alpha, &r.iter().map(|r| r.abs()).collect::<Vec<_>>())
                        .relative_residual()
                        < 1e-14
                );
            }
        }
    }

    #[test]
    fn what_is_no_chain_is_refused() {
        assert!(Chain::new(vec![], vec![]).is_err());
        assert!(Chain::new(vec![1.0, 1.0], vec![]).is_err());
        assert!(Chain::new(vec![1.0, 1.0], vec![1.5]).is_err());
        assert!(Chain::new(vec![1.0, f64::NAN], vec![0.5]).is_err());
        assert!(Chain::new(vec![1.0, 1.0], vec![-0.5]).is_err());
    }
}
