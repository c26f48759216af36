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
//! it a Newton iteration for the *place* of that end: elimination from the stretch outwards tells how far
//! it pulls its neighbours along (growth), and where too many were taken only the half nearer the mistaken
//! end is given back (shrinkage). Neither can change what is accepted: only a guess that the correction
//! leaves as it is.

use super::pieces::{larger, pieces};
use super::twisted::Twisted;
use super::{Outcome, Status, TOLERANCE, natural_residual};
use crate::error::Error;

/// Iterations that correct many nodes at once; then one node at a time, the first that is wrong
/// (Murty 1974, which cannot go in circles).
const AT_ONCE: usize = 40;

/// Iterations before the fallback takes over.
const CAP: usize = 1000;

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
    ///
    /// # Errors
    /// If the lists do not fit each other, or the matrix is not diagonally dominant.
    pub fn new(diagonal: Vec<f64>, mut coupling: Vec<f64>) -> Result<Self, Error> {
        let n = diagonal.len();
        let wrong = |what, found, expected| Err(Error::WrongLength { what, found, expected });
        if n == 0 {
            return wrong("diagonal", 0, "one or more entries");
        }
        if coupling.len() + 1 != n {
            return wrong("coupling", coupling.len(), "one entry less than the diagonal");
        }
        // The last node has a neighbour on one side only; a coupling of zero spares every loop that case.
        coupling.push(0.0);
        for index in 0..n {
            let d = diagonal[index];
            let e = coupling[index];
            let around = e + if index > 0 { coupling[index - 1] } else { 0.0 };
            // The diagonal is itself a rounded sum of couplings, and may fall short of their sum by that.
            let slack = 1e-12 * d.abs();
            if !(d.is_finite() && d > 0.0 && d >= around - slack) {
                let expected = "a finite number > 0, at least the sum of the couplings next to it";
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

    /// Forgets the last solution: the next one is found from rest, with the bits of a new chain.
    pub fn restart(&mut self) {
        self.signs.fill(0);
        self.p.fill(0.0);
        self.lambda.fill(0.0);
        (self.factored, self.factored_from, self.window) = (false, 0, (0, self.signs.len()));
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
        // Nothing exceeds its threshold: λ = r and p = 0 are the solution, without a system.
        if self.window == (0, 0) {
            let status = Status::ActiveSet;
            let residual = 0.0;
            return Outcome { status, iterations: 0, residual, scale: outside };
        }
        for iterations in 1..=CAP {
            // The last solution was a bad first guess: all nodes start from rest.
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

    /// Starts with λ = r, the first guess and the window around what slips in it; the scale of the forces.
    fn open(&mut self, r: &[f64], alpha: &[f64]) -> f64 {
        let (old_from, old_to) = self.window;
        // Outside the old window p is zero already.
        self.p[old_from..old_to].fill(0.0);
        let look = |first: usize, lambda: &mut [f64]| {
            let piece = first..first + lambda.len();
            lambda.copy_from_slice(&r[piece.clone()]);
            largest(&r[piece.clone()], &alpha[piece])
        };
        let add = |a: (f64, usize), b: (f64, usize)| (larger(a.0, b.0), a.1 + b.1);
        let (scale, beyond) = pieces(0, &mut self.lambda[..], &look, &add);
        self.window = (0, 0);
        if beyond == 0 {
            // r is inside the box: nothing moves.
            self.signs[old_from..old_to].fill(0);
            self.factored = false;
            return scale;
        }
        self.predict(r, alpha, beyond);
        let slips = |i: &usize| self.signs[*i] != 0;
        let from = (old_from..old_to).find(slips).unwrap_or(old_to);
        let to = (from..old_to).rev().find(slips).map_or(from, |i| i + 1);
        self.widen(from, to);
        scale
    }

    /// Of the nodes `beyond` their thresholds, those that yield another way than they slipped last: the
    /// others of their stretch do not slip on, and their neighbours are pulled along. After a turning point
    /// of a cascade this is where the slip ends, not only a guess.
    fn predict(&mut self, r: &[f64], alpha: &[f64], mut beyond: usize) {
        let n = self.signs.len();
        for i in 0..n {
            // `beyond` counts down to the last node beyond its threshold: mostly a few nodes near one end, and
            // the rest need not be read.
            if beyond == 0 {
                break;
            }
            let s = sign(r[i]);
            if !yields(r[i], alpha[i]) {
                continue;
            }
            beyond -= 1;
            // It slips on as it did, which is most of what happens from step to step: the factors stay.
            if self.signs[i] == s {
                continue;
            }
            self.factored = false;
            if self.signs[i] == -s {
                let slips_on = |j: usize| yields(r[j], alpha[j]) && sign(r[j]) == -s;
                let stretch = |j: &usize| self.signs[*j] == -s;
                let from = (0..i).rev().take_while(stretch).last().unwrap_or(i);
                let to = (i..n).take_while(stretch).last().map_or(i, |j| j + 1);
                (from..to).filter(|&j| !slips_on(j)).for_each(|j| self.signs[j] = 0);
            }
            self.signs[i] = s;
            let rest = r[i] - f64::from(s) * alpha[i];
            let front = Front { s, pivot: self.diagonal[i], rest };
            let high = self.push(front, i, i + 1..n, r, alpha);
            let low = self.push(front, i, (0..i).rev(), r, alpha);
            self.widen(low, high + 1);
        }
    }

    /// Lets the window hold the nodes [`from`, `to`) and their neighbours.
    fn widen(&mut self, from: usize, to: usize) {
        if from >= to {
            return;
        }
        // The forces on the neighbours of what slips change, so that these are looked at, too.
        let from = from.saturating_sub(1);
        let to = (to + 1).min(self.diagonal.len());
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
        let d = &self.diagonal[from..to];
        let e = &self.coupling[from..to];
        if !self.factored || self.factor.order() != to - from || self.factored_from != from {
            self.factor.factor(d, e, |i| signs[i] != 0);
            (self.factored, self.factored_from) = (true, from);
        }
        let p = &mut self.p[from..to];
        let load = |first: usize, p: &mut [f64]| {
            let inside = first..first + p.len();
            let r = &r[inside.clone()];
            let a = &alpha[inside.clone()];
            let signs = &signs[inside.start - from..inside.end - from];
            for (((p, r), a), s) in p.iter_mut().zip(r).zip(a).zip(signs) {
                *p = r - f64::from(*s) * a;
            }
        };
        pieces(from, &mut *p, &load, &|(), ()| ());
        self.factor.solve(e, p);
        self.measure(r, alpha)
    }

    /// λ = r − A p from p; the natural residual and the scale of the forces.
    fn measure(&mut self, r: &[f64], alpha: &[f64]) -> (f64, f64) {
        let d = &self.diagonal;
        let e = &self.coupling;
        let p = &self.p;
        let n = d.len();
        // A row at an end of the chain has one neighbour.
        let end = |i: usize| {
            let before = if i > 0 { e[i - 1] * p[i - 1] } else { 0.0 };
            let after = if i + 1 < n { e[i] * p[i + 1] } else { 0.0 };
            row(r[i], alpha[i], d[i], p[i], before, after)
        };
        let both = |a: (f64, f64), b: (f64, f64)| (larger(a.0, b.0), larger(a.1, b.1));
        let piece = |first: usize, lambda: &mut [f64]| {
            let after = first + lambda.len();
            let from = first.max(1);
            let to = after.min(n - 1).max(first.max(1));
            let mut found = (0.0, 0.0);
            for i in (first..from.min(after)).chain(to..after) {
                let (l, residual, size) = end(i);
                lambda[i - first] = l;
                found = both(found, (residual, size));
            }
            if from < to {
                let r = &r[from..to];
                let alpha = &alpha[from..to];
                let d = &d[from..to];
                let lambda = &mut lambda[from - first..to - first];
                found = both(found, rows(lambda, r, alpha, d, &e[from - 1..to], &p[from - 1..=to]));
            }
            found
        };
        let (from, to) = self.window;
        pieces(from, &mut self.lambda[from..to], &piece, &both)
    }

    /// Corrects the guess; whether anything changed.
    fn correct(&mut self, alpha: &[f64], scale: f64, iteration: usize) -> bool {
        let noise = 4.0 * f64::EPSILON * scale;
        if iteration > AT_ONCE {
            return self.correct_one(alpha, noise);
        }
        let n = self.signs.len();
        let (mut i, to) = self.window;
        // Corrections that go back and forth end because later rounds may change ever shorter stretches.
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

    /// Corrects the first node that is wrong; whether there was one.
    fn correct_one(&mut self, alpha: &[f64], noise: f64) -> bool {
        for i in self.window.0..self.window.1 {
            let sign = f64::from(self.signs[i]);
            let next = if sign == 0.0 {
                match self.lambda[i] {
                    l if l > alpha[i] + noise => 1,
                    l if l < -alpha[i] - noise => -1,
                    _ => continue,
                }
            // A node without friction slips either way; its sign says nothing and is never wrong.
            } else if sign * self.diagonal[i] * self.p[i] < -noise && alpha[i] > 0.0 {
                0
            } else {
                continue;
            };
            self.signs[i] = next;
            self.factored = false;
            self.widen(i, i + 1);
            return true;
        }
        false
    }

    /// Node `i` yields, and with it those that elimination along the chain, away from what slips already,
    /// tells, `most` nodes in all; the last node looked at.
    fn grow(&mut self, i: usize, alpha: &[f64], most: usize) -> usize {
        let s = sign(self.lambda[i]);
        let n = self.signs.len();
        let behind = i > 0 && self.signs[i - 1] == s;
        let ahead = i + 1 < n && self.signs[i + 1] == s;
        self.signs[i] = s;
        self.widen(i, i + 1);
        // Alone, or between two stretches that it joins: there is no front whose advance could be computed.
        if behind == ahead {
            return i;
        }
        // d̂ of the stretch behind, from its far end.
        let d = &self.diagonal;
        let e = &self.coupling;
        let signs = &self.signs;
        // An infinite pivot stands before the first node: e²/∞ = 0, as though the chain began there.
        let mut pivot = f64::INFINITY;
        if behind {
            let from = (0..i).rev().take_while(|j| signs[*j] == s).last().unwrap_or(i);
            (from..=i)
                .for_each(|j| pivot = d[j] - if j > 0 { e[j - 1] * e[j - 1] / pivot } else { 0.0 });
        } else {
            let to = (i..n).take_while(|j| signs[*j] == s).last().unwrap_or(i);
            (i..=to).rev().for_each(|j| pivot = d[j] - e[j] * e[j] / pivot);
        }
        // λ_i already has what its neighbour pulls.
        let start = Front { s, pivot, rest: self.lambda[i] - f64::from(s) * alpha[i] };
        let lambda = std::mem::take(&mut self.lambda);
        let (low, high) = match behind {
            true => (i, self.push(start, i, (i + 1..n).take(most), &lambda, alpha)),
            false => (self.push(start, i, (0..i).rev().take(most), &lambda, alpha), i),
        };
        self.lambda = lambda;
        self.widen(low, high + 1);
        high
    }

    /// Lets `nodes`, one after the other away from node `i`, slip as far as the slip of node `i` pulls
    /// them; the last that does. With nodes 1 … j slipping and j + 1 held, the rest ŷ of row j + 1 is what
    /// pulls it beyond its threshold:
    ///
    /// ```text
    /// ŷ_{j+1} = r_{j+1} − s α_{j+1} + e_j ŷ_j/d̂_j,     d̂_{j+1} = d_{j+1} − e_j²/d̂_j
    /// ```
    fn push(
        &mut self,
        Front { s, mut pivot, mut rest }: Front,
        i: usize,
        nodes: impl Iterator<Item = usize>,
        r: &[f64],
        alpha: &[f64],
    ) -> usize {
        let mut last = i;
        let push = f64::from(s);
        for j in nodes {
            // A coupling is stored with the lower of its two nodes, whichever way the front moves.
            let e = self.coupling[j.min(last)];
            let ratio = e / pivot;
            rest = r[j] - push * alpha[j] + ratio * rest;
            pivot = self.diagonal[j] - e * ratio;
            if self.signs[j] != 0 || push * rest <= 0.0 {
                break;
            }
            self.signs[j] = s;
            last = j;
        }
        last
    }

    /// Nodes of the stretch [`from`, `to`) that slip against their sign stick again: all of them
    /// inside, the outer half of those at its ends. Whether there were any.
    fn shrink(&mut self, from: usize, to: usize, alpha: &[f64], noise: f64) -> bool {
        let s = f64::from(self.signs[from]);
        let p = &self.p;
        let d = &self.diagonal;
        // Without friction either way is right.
        let wrong = |j: usize| s * d[j] * p[j] < -noise && alpha[j] > 0.0;
        let Some(first) = (from..to).find(|&j| !wrong(j)) else {
            self.signs[from..to].fill(0);
            return true;
        };
        let last = (first..to).rev().find(|&j| !wrong(j)).unwrap_or(first);
        let head = (first - from).div_ceil(2);
        let tail = (to - 1 - last).div_ceil(2);
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
            // There and back: a change at one end of the chain reaches the other within one sweep.
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
        // No guess of signs has satisfied the conditions: the iterate of the sweeps, whose objective is the
        // lowest seen, is the answer, with its own residual.
        self.p.copy_from_slice(&x);
        if best.1.is_finite() {
            best = self.measure(r, alpha);
        }
        let (residual, scale) = best;
        Outcome { status: Status::Inexact, iterations: CAP + sweeps, residual, scale }
    }
}

/// Maxima in flight side by side, for vector instructions.
const LANES: usize = 8;

/// λ, natural residual and size of the forces of a row whose neighbours pull by `before` and `after`.
#[inline(always)]
fn row(r: f64, alpha: f64, d: f64, p: f64, before: f64, after: f64) -> (f64, f64, f64) {
    let own = d * p;
    let lambda = r - own + before + after;
    let size = larger(larger(own.abs(), r.abs()), alpha);
    (lambda, natural_residual(lambda, p, d, alpha), size)
}

/// λ = r − A p on rows with two neighbours, `e` and `p` beginning one entry earlier; the largest residual and
/// force.
fn rows(
    lambda: &mut [f64],
    r: &[f64],
    alpha: &[f64],
    d: &[f64],
    e: &[f64],
    p: &[f64],
) -> (f64, f64) {
    let m = lambda.len();
    let r = &r[..m];
    let alpha = &alpha[..m];
    let d = &d[..m];
    let e = &e[..m + 1];
    let p = &p[..m + 2];
    let mut worst = [0.0; LANES];
    let mut scale = [0.0; LANES];
    let mut one = |i: usize, lane: usize| {
        let before = e[i] * p[i];
        let after = e[i + 1] * p[i + 2];
        let (l, residual, size) = row(r[i], alpha[i], d[i], p[i + 1], before, after);
        lambda[i] = l;
        worst[lane] = larger(worst[lane], residual);
        scale[lane] = larger(scale[lane], size);
    };
    let whole = m - m % LANES;
    for k in (0..whole).step_by(LANES) {
        (0..LANES).for_each(|lane| one(k + lane, lane));
    }
    (whole..m).for_each(|i| one(i, 0));
    (worst.into_iter().fold(0.0, larger), scale.into_iter().fold(0.0, larger))
}

/// The largest of all |r| and α, and how many yield.
fn largest(r: &[f64], alpha: &[f64]) -> (f64, usize) {
    let mut scale = [0.0; LANES];
    let mut beyond = [0u64; LANES];
    let mut one = |r: f64, a: f64, lane: usize| {
        let size = if r.abs() > a { r.abs() } else { a };
        scale[lane] = if size > scale[lane] { size } else { scale[lane] };
        beyond[lane] += u64::from(yields(r, a));
    };
    let mut rs = r.chunks_exact(LANES);
    let mut alphas = alpha.chunks_exact(LANES);
    for (r, a) in rs.by_ref().zip(alphas.by_ref()) {
        (0..LANES).for_each(|lane| one(r[lane], a[lane], lane));
    }
    rs.remainder().iter().zip(alphas.remainder()).for_each(|(r, a)| one(*r, *a, 0));
    (scale.into_iter().fold(0.0, larger), beyond.iter().sum::<u64>() as usize)
}

/// Whether a force is beyond its threshold, or no number.
#[inline(always)]
fn yields(r: f64, alpha: f64) -> bool {
    (r.abs() > alpha) | r.is_nan()
}

/// The end of a slipping stretch on its way along the chain: its sign, pivot d̂ and rest ŷ.
#[derive(Clone, Copy)]
struct Front {
    s: i8,
    pivot: f64,
    rest: f64,
}

/// ±1.
fn sign(x: f64) -> i8 {
    if x > 0.0 { 1 } else { -1 }
}

#[cfg(test)]
mod tests;
