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

/// Sweeps of the fallback before it gives what it has.
const SWEEPS: usize = 100_000;

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
        for iterations in 1..=CAP {
            if iterations == STALE {
                self.signs.fill(0);
                self.factored = false;
            }
            let (residual, scale) = self.guess(r, alpha);
            // Accepted by what it satisfies: at a degenerate node both answers do.
            if residual <= 4.0 * f64::EPSILON * scale || !self.correct(alpha, scale, iterations) {
                let status = if residual <= TOLERANCE * scale { Status::ActiveSet } else { break };
                return Outcome { status, iterations, residual, scale };
            }
        }
        self.fallback(r, alpha)
    }

    /// Solves on the slipping nodes; the residual and the scale.
    fn guess(&mut self, r: &[f64], alpha: &[f64]) -> (f64, f64) {
        let signs = &self.signs;
        if !self.factored {
            self.factor.factor(&self.diagonal, &self.coupling, |i| signs[i] != 0);
            self.factored = true;
        }
        for (((p, r), a), s) in self.p.iter_mut().zip(r).zip(alpha).zip(signs) {
            *p = r - f64::from(*s) * a;
        }
        self.factor.solve(&self.coupling, &mut self.p);
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
        if n == 1 {
            return row(0, 0.0, 0.0);
        }
        let (mut worst, mut scale) = row(0, 0.0, e[0] * p[1]);
        for i in 1..n - 1 {
            let (w, s) = row(i, e[i - 1] * p[i - 1], e[i] * p[i + 1]);
            worst = if w > worst { w } else { worst };
            scale = if s > scale { s } else { scale };
        }
        let (w, s) = row(n - 1, e[n - 2] * p[n - 2], 0.0);
        (worst.max(w), scale.max(s))
    }

    /// Corrects the guess; whether anything changed.
    fn correct(&mut self, alpha: &[f64], scale: f64, iteration: usize) -> bool {
        let noise = 4.0 * f64::EPSILON * scale;
        let n = self.signs.len();
        let halvings = iteration.saturating_sub(FREE).min(63) as u32;
        let most = (n >> halvings).max(1);
        let mut changed = false;
        let mut i = 0;
        while i < n {
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
            let end = (i..n).find(|&j| self.signs[j] != s).unwrap_or(n);
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
        for j in first..last {
            if s * self.diagonal[j] * self.p[j] < -noise && alpha[j] > 0.0 {
                self.signs[j] = 0;
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
        for iterations in CAP + 1..=CAP + SWEEPS {
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
        Outcome { status: Status::Inexact, iterations: CAP + SWEEPS, residual, scale }
    }
}
