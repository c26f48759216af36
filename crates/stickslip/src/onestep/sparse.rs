//! A sparse, G arbitrary: friction elements between any two unknowns, or one unknown and the ground.
//!
//! An element that holds an unknown to the ground is its *anchor* (the first one, if there are several).
//! While it sticks the unknown is known, and its force is what the balance of that unknown leaves:
//! a primal–dual active set, exact at once. All other elements go by an augmented Lagrangian. For
//! multipliers λ̂ and a penalty ρ,
//!
//! ```text
//! min_p  ½ pᵀAp − rᵀp + Σ_e ψ_e((Gp + g)_e),    ψ_e′(y) = clamp(λ̂_e + ρ y, −α_e, α_e)
//! ```
//!
//! is smooth; one Newton step solves (A + ρ G_sᵀG_s) p = …, s the elements that stick under the current
//! guess. Then λ̂ ← ψ′: the multipliers gain a factor of 1 + ρ/λ_max(A) or more each time. Sticking
//! elements may be dependent (their forces not unique): the matrix stays regular, and λ is then the
//! solution near the last one. At the end p is made exactly equal across every sticking element.
//!
//! Where full steps do not settle, the anchors are treated like the rest, and a line search makes each
//! step a descent of a convex function.

mod clusters;
mod rows;

use super::ldl::Ldl;
use super::order::sorted;
use super::{Outcome, Status, TOLERANCE, natural_residual};
use rows::Rows;

/// ρ over the largest diagonal entry of A. Large settles in fewer rounds, but the rounding of p comes
/// back ρ times in the forces.
const PENALTY: f64 = 100.0;
/// Full Newton steps before the anchors are given up, or the line search takes over; steps in all.
const FREE: usize = 25;
const CAP: usize = 400;
/// Updates of the multipliers.
const ROUNDS: usize = 40;

/// A friction element between unknown `a` and unknown `b`, or the ground: (Gp)_e = p_a − p_b.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element {
    /// An unknown.
    pub a: usize,
    /// Another, or the ground.
    pub b: Option<usize>,
}

/// The problem min ½ pᵀAp − rᵀp + Σ α_e |(Gp + g)_e| for fixed A and G, solved again and again.
#[derive(Debug, Clone)]
pub struct Sparse {
    n: usize,
    /// Entries of A, each pair once, then the pairs that only GᵀG has.
    pairs: Vec<(usize, usize)>,
    a: Vec<f64>,
    rows: Rows,
    elements: Vec<Element>,
    /// Places of element e in the values: (a,a), (b,b), (a,b).
    places: Vec<[usize; 3]>,
    rho: f64,
    diagonal: Vec<f64>,
    /// The anchor of each unknown, or none; how many there are.
    anchor: Vec<Option<usize>>,
    anchors: usize,
    /// Whether each element is the anchor of its unknown.
    anchors_unknown: Vec<bool>,
    /// Whether anchors are treated as such.
    anchored: bool,
    /// Unknowns whose anchor sticks.
    held: Vec<bool>,
    factor: Ldl,
    values: Vec<f64>,
    /// 0 sticks, ±1 slips.
    signs: Vec<i8>,
    factored: bool,
    p: Vec<f64>,
    trial: Vec<f64>,
    rest: Vec<f64>,
    lambda: Vec<f64>,
    y: Vec<f64>,
    cluster: Vec<usize>,
}

impl Sparse {
    /// A of order n by its entries (i, j, value), either triangle, repeated entries summed; positive
    /// definite.
    pub fn new(n: usize, entries: &[(usize, usize, f64)], elements: Vec<Element>) -> Self {
        let key = |i: usize, j: usize| (i.min(j), i.max(j));
        let given = entries.iter().map(|&(i, j, v)| (key(i, j), v));
        let joined = elements.iter().filter_map(|e| Some((key(e.a, e.b?), 0.0)));
        // Every place that a penalty may add to is in the pattern, with a zero where A has no entry: the
        // pattern is analysed only once.
        let (places, terms): (Vec<_>, Vec<f64>) =
            (0..n).map(|i| ((i, i), 0.0)).chain(given).chain(joined).unzip();
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        let mut a: Vec<f64> = Vec::new();
        for p in sorted(n, &places) {
            match a.last_mut() {
                Some(sum) if pairs.last() == Some(&places[p]) => *sum += terms[p],
                _ => {
                    pairs.push(places[p]);
                    a.push(terms[p]);
                }
            }
        }
        let find = |i: usize, j: usize| pairs.binary_search(&key(i, j)).unwrap_or(0);
        let places = elements
            .iter()
            .map(|e| match e.b {
                Some(b) => [find(e.a, e.a), find(b, b), find(e.a, b)],
                None => [find(e.a, e.a); 3],
            })
            .collect();
        let diagonal: Vec<f64> = (0..n).map(|i| a[find(i, i)]).collect();
        // Stiff beside every entry of A, so that few updates of the multipliers suffice, and not so stiff that rounding shows.
        let rho = PENALTY * diagonal.iter().fold(0.0, |m: f64, d| m.max(*d));
        let m = elements.len();
        let mut anchor = vec![None; n];
        // Of several elements between an unknown and the ground the first one is the anchor: in reverse, it is written last.
        for (e, x) in elements.iter().enumerate().rev().filter(|x| x.1.b.is_none()) {
            anchor[x.a] = Some(e);
        }
        Self {
            n,
            anchors: anchor.iter().flatten().count(),
            anchors_unknown: (0..m).map(|e| anchor[elements[e].a] == Some(e)).collect(),
            anchor,
            anchored: true,
            held: vec![false; n],
            factor: Ldl::new(n, &pairs),
            values: vec![0.0; pairs.len()],
            rows: Rows::new(n, &pairs, &a),
            pairs,
            a,
            elements,
            places,
            rho,
            diagonal,
            signs: vec![0; m],
            factored: false,
            p: vec![0.0; n],
            trial: vec![0.0; n],
            rest: vec![0.0; n],
            lambda: vec![0.0; m],
            y: vec![0.0; m],
            cluster: vec![0; n + 1],
        }
    }

    /// Forgets the last solution: the next one is found from rest, with the bits of a new problem.
    pub fn restart(&mut self) {
        self.signs.fill(0);
        self.p.fill(0.0);
        self.lambda.fill(0.0);
        (self.anchored, self.factored) = (true, false);
    }

    /// p of the last solution.
    pub fn p(&self) -> &[f64] {
        &self.p
    }

    /// λ of the last solution, one for each element.
    pub fn lambda(&self) -> &[f64] {
        &self.lambda
    }

    /// Whether each element slips, and which way, in the last solution.
    pub fn signs(&self) -> &[i8] {
        &self.signs
    }

    /// Solves for the right-hand side `r` (n numbers), the thresholds `alpha` ≥ 0 and the offsets `g` (one
    /// for each element). The last λ is the first guess.
    ///
    /// # Panics
    /// If a length is wrong.
    pub fn solve(&mut self, r: &[f64], alpha: &[f64], g: &[f64]) -> Outcome {
        let m = self.elements.len();
        assert!(r.len() == self.n && alpha.len() == m && g.len() == m, "lengths");
        let given = r.iter().chain(alpha).fold(0.0, |s: f64, v| s.max(v.abs()));
        let mut scale = given;
        // The thresholds may have shrunk since the last solution, whose λ is the first guess.
        for (l, a) in self.lambda.iter_mut().zip(alpha) {
            *l = l.clamp(-a, *a);
        }
        let mut iterations = 0;
        let mut status = Status::ActiveSet;
        let mut last = f64::INFINITY;
        self.treat_anchors(true);
        for _ in 0..ROUNDS {
            let mut taken = self.newton(r, alpha, g, scale);
            if taken > FREE {
                status = Status::Fallback;
                // Anchors make the system small, but their signs may cycle; with a penalty each step is one of a convex problem.
                if self.anchored {
                    self.treat_anchors(false);
                    taken += self.newton(r, alpha, g, scale);
                }
            }
            iterations += taken;
            self.update(alpha);
            if self.anchored && self.anchors == self.elements.len() {
                scale = self.scale(given);
                break; // nothing is left to a penalty
            }
            scale = self.scale(given);
            // What the penalties still carry is what the multipliers are off by, however small the entries of A
            // beside it: those of a node without mass are h² times a stiffness.
            let carried = self.carried();
            // Done as well once they no longer halve and are down to the rounding that the penalty magnifies.
            if carried <= f64::EPSILON * scale
                || carried > 0.5 * last && carried <= 1e-14 * PENALTY * scale
            {
                break;
            }
            last = carried;
        }
        self.settle(g, scale);
        self.snap(g);
        let residual = self.residual(r, alpha, g);
        if residual.is_nan() || residual > TOLERANCE * scale {
            status = Status::Inexact;
        }
        Outcome { status, iterations, residual, scale }
    }

    /// Size of the forces in the problem, those `given` and those of p.
    fn scale(&self, given: f64) -> f64 {
        self.p.iter().zip(&self.diagonal).map(|(p, d)| (p * d).abs()).fold(given, f64::max)
    }

    fn treat_anchors(&mut self, anchored: bool) {
        self.factored &= anchored == self.anchored;
        self.anchored = anchored;
    }

    /// Whether element `e` is an anchor and treated as such.
    fn is_anchor(&self, e: usize) -> bool {
        self.anchored && self.anchors_unknown[e]
    }

    /// λ̂ + ρ y clamped: the force that the guess `y` asks for.
    fn pull(&self, e: usize, y: f64, alpha: &[f64]) -> (f64, i8) {
        let z = self.lambda[e] + self.rho * y;
        if z > alpha[e] {
            (alpha[e], 1)
        } else if z < -alpha[e] {
            (-alpha[e], -1)
        } else {
            (z, 0)
        }
    }

    /// Newton steps until the guess repeats; how many.
    fn newton(&mut self, r: &[f64], alpha: &[f64], g: &[f64], scale: f64) -> usize {
        let noise = 4.0 * f64::EPSILON * scale;
        let most = if self.anchored { FREE } else { CAP };
        for step in 1..=most {
            if !self.factored {
                self.assemble();
                self.factored = true;
            }
            // A correction of the last p: its rounding is that of the change.
            self.trial.copy_from_slice(&self.p);
            // What an anchor holds is known; the rest of the system is solved for the others.
            for i in (0..self.n).filter(|&i| self.held[i]) {
                self.trial[i] = self.anchor[i].map_or(0.0, |e| -g[e]);
            }
            self.balance(r, alpha, g);
            self.factor.solve(&mut self.rest);
            for (p, d) in self.trial.iter_mut().zip(&self.rest) {
                *p += d;
            }
            // Full steps are quicker as long as they converge; only with the line search are they sure to.
            if step > FREE {
                self.line_search(r, alpha, g);
            }
            // The force of an anchor is what the balance at the new p leaves to it.
            self.balance(r, alpha, g);
            self.p.copy_from_slice(&self.trial);
            let mut changed = false;
            for e in 0..self.elements.len() {
                self.y[e] = self.stretch(e, &self.p) + g[e];
                let s = match self.is_anchor(e) {
                    true => self.anchor_sign(e, alpha[e], noise),
                    false => self.sign(e, alpha, noise),
                };
                changed |= s != self.signs[e];
                self.signs[e] = s;
            }
            if !changed {
                return step;
            }
            self.factored = false;
        }
        most + 1
    }

    /// Whether a sticking anchor yields, or a slipping one is to stick.
    fn anchor_sign(&self, e: usize, alpha: f64, noise: f64) -> i8 {
        let a = self.elements[e].a;
        match self.signs[e] {
            0 if self.rest[a] > alpha + noise => 1,
            0 if self.rest[a] < -alpha - noise => -1,
            0 => 0,
            // Without friction either way is right.
            s if f64::from(s) * self.diagonal[a] * self.y[e] < -noise && alpha > 0.0 => 0,
            s => s,
        }
    }

    /// The next sign of an element with a penalty.
    fn sign(&self, e: usize, alpha: &[f64], noise: f64) -> i8 {
        let z = self.lambda[e] + self.rho * self.y[e];
        let alpha_e = alpha[e];
        // At the threshold to rounding both guesses are right.
        let right = match self.signs[e] {
            0 => z.abs() <= alpha_e + noise,
            s => f64::from(s) * z >= alpha_e - noise,
        };
        if right { self.signs[e] } else { self.pull(e, self.y[e], alpha).1 }
    }

    /// The rest of the balance r − A p − Gᵀλ at the trial p; a sticking anchor takes none of it.
    fn balance(&mut self, r: &[f64], alpha: &[f64], g: &[f64]) {
        self.rows.balance(r, &self.trial, &mut self.rest);
        for (e, &Element { a, b }) in self.elements.iter().enumerate() {
            let f = match self.signs[e] {
                0 if self.is_anchor(e) => 0.0,
                0 => self.lambda[e] + self.rho * (self.stretch(e, &self.trial) + g[e]),
                s => f64::from(s) * alpha[e],
            };
            self.rest[a] -= f;
            if let Some(b) = b {
                self.rest[b] += f;
            }
        }
    }

    /// Replaces the trial by the best point on the way to it: the slope of a convex function along a line
    /// grows, so its zero is found by bisection.
    fn line_search(&mut self, r: &[f64], alpha: &[f64], g: &[f64]) {
        let slope = |t: f64| {
            let at = |i: usize| self.p[i] + t * (self.trial[i] - self.p[i]);
            let d = |i: usize| self.trial[i] - self.p[i];
            let mut sum: f64 = (0..self.n).map(|i| -r[i] * d(i)).sum();
            for (&(i, j), a) in self.pairs.iter().zip(&self.a) {
                sum += a * at(i) * d(j);
                if i != j {
                    sum += a * at(j) * d(i);
                }
            }
            for (e, x) in self.elements.iter().enumerate() {
                let (y, dy) = match x.b {
                    Some(b) => (at(x.a) - at(b), d(x.a) - d(b)),
                    None => (at(x.a), d(x.a)),
                };
                sum += self.pull(e, y + g[e], alpha).0 * dy;
            }
            sum
        };
        // The objective falls all the way to the full step.
        if slope(1.0) <= 0.0 {
            return;
        }
        let mut low = 0.0;
        let mut high = 1.0;
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if slope(middle) > 0.0 { high = middle } else { low = middle }
        }
        for i in 0..self.n {
            self.trial[i] = self.p[i] + high * (self.trial[i] - self.p[i]);
        }
    }

    /// A + ρ G_sᵀG_s without what is held, factored.
    fn assemble(&mut self) {
        self.values.copy_from_slice(&self.a);
        self.held.fill(false);
        for (e, places) in self.places.iter().enumerate() {
            if self.signs[e] != 0 {
                continue;
            }
            if self.is_anchor(e) {
                self.held[self.elements[e].a] = true;
                continue;
            }
            self.values[places[0]] += self.rho;
            if self.elements[e].b.is_some() {
                self.values[places[1]] += self.rho;
                self.values[places[2]] -= self.rho;
            }
        }
        let held = &self.held;
        self.factor.factor_free(&self.values, |i| !held[i]);
    }

    fn stretch(&self, e: usize, p: &[f64]) -> f64 {
        let Element { a, b } = self.elements[e];
        p[a] - b.map_or(0.0, |b| p[b])
    }

    /// λ̂ ← ψ′(y); an anchor takes the rest of the balance.
    fn update(&mut self, alpha: &[f64]) {
        for e in 0..self.elements.len() {
            self.lambda[e] = match (self.is_anchor(e), self.signs[e]) {
                (true, 0) => self.rest[self.elements[e].a].clamp(-alpha[e], alpha[e]),
                (true, s) => f64::from(s) * alpha[e],
                (false, _) => self.pull(e, self.y[e], alpha).0,
            };
        }
    }

    /// The largest force by which a penalty keeps an element from slipping.
    fn carried(&self) -> f64 {
        let sticks = |e: &usize| self.signs[*e] == 0 && !self.is_anchor(*e);
        let elements = (0..self.elements.len()).filter(sticks);
        elements.map(|e| self.rho * self.y[e].abs()).fold(0.0, |m, v| if v <= m { m } else { v })
    }

    /// How far sticking elements still are from sticking, as a force.
    fn stick_defect(&self, alpha: &[f64]) -> f64 {
        let one = |e: usize| {
            let d = self.diagonal[self.elements[e].a];
            natural_residual(self.lambda[e], self.y[e], d, alpha[e])
        };
        (0..self.elements.len()).map(one).fold(0.0, |m, v| if v <= m { m } else { v })
    }

    /// The larger of |r − A p − Gᵀλ| and the natural residual of λ ∈ α σ(Gp + g).
    fn residual(&mut self, r: &[f64], alpha: &[f64], g: &[f64]) -> f64 {
        self.rows.balance(r, &self.p, &mut self.trial);
        for (e, &Element { a, b }) in self.elements.iter().enumerate() {
            self.trial[a] -= self.lambda[e];
            if let Some(b) = b {
                self.trial[b] += self.lambda[e];
            }
            self.y[e] = self.p[a] - b.map_or(0.0, |b| self.p[b]) + g[e];
        }
        let balance =
            self.trial.iter().fold(0.0, |m: f64, v| if v.abs() <= m { m } else { v.abs() });
        let law = self.stick_defect(alpha);
        if balance > law || balance.is_nan() { balance } else { law }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two unknowns with a_ii = 2 and a threshold of 1 each. A balance that is off by 1 in the first row, then a friction
    /// beyond its threshold in the second.
    #[test]
    fn the_residual_is_the_largest_of_all() {
        let element = |a| Element { a, b: None };
        let mut s = Sparse::new(2, &[(0, 0, 2.0), (1, 1, 2.0)], vec![element(0), element(1)]);
        (s.p, s.lambda) = (vec![1.0, 0.0], vec![1.0, 0.5]);
        assert_eq!(s.residual(&[4.0, 0.5], &[1.0; 2], &[0.0; 2]), 1.0);
        assert_eq!(s.residual(&[3.0, 0.5], &[1.0; 2], &[0.0; 2]), 0.0);
        s.lambda[1] = 1.25;
        assert_eq!(s.residual(&[3.0, 1.25], &[1.0; 2], &[0.0; 2]), 0.25);
    }

    /// Two unknowns that slip, then pulled with their thresholds: neither moves, so neither slips. A slip of 10⁻⁹ is one, and one of a
    /// rounding of the pull does not count.
    #[test]
    fn what_does_not_move_sticks() {
        let element = |a| Element { a, b: None };
        let entries = [(0, 0, 2.0), (1, 1, 0.5)];
        for (over, signs) in [(0.0, [0, 0]), (2e-16, [0, 0]), (1e-9, [1, -1])] {
            for unit in [1e-6, 1.0, 1e6] {
                let mut s = Sparse::new(2, &entries, vec![element(0), element(1)]);
                s.solve(&[3.0 * unit, -3.0 * unit], &[unit; 2], &[0.0; 2]);
                assert_eq!(s.signs(), [1, -1]);
                let pull = (1.0 + over) * unit;
                s.solve(&[pull, -pull], &[unit; 2], &[0.0; 2]);
                assert_eq!(s.signs(), signs, "{over} {unit}");
            }
        }
    }
}
