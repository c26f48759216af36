//! One step of a network as a convex problem.
//!
//! With w the velocities at the end of the step, θ_i = θ for a node with mass and 1 for one without,
//! and Θ their diagonal,
//!
//! ```text
//! A = M + h ΘC + h² Θ K Θ,      x⁺ = x + h (Θ w + (1 − Θ) v)
//! A w + h Gᵀλ = M v + h Θ f⁺ + h (1 − Θ) f
//! ```
//!
//! where f⁺ has all of the springs' and dashpots' forces that w does not enter. A massless node is in
//! balance at the end of the step. Dashpots that touch one are taken at the end of the step (θ = 1).

use crate::error::Error;
use crate::model::Network;
use crate::onestep::{Chain, Element, Outcome, Sparse, Status, cuthill_mckee};

/// A spring or dashpot with the weights of its two rows.
#[derive(Debug, Clone, Copy)]
struct Branch {
    a: usize,
    b: usize,
    coefficient: f64,
    /// Taken at the end of the step.
    implicit: bool,
}

/// A slider between unknowns.
#[derive(Debug, Clone, Copy)]
struct Contact {
    /// Its ends as nodes, the ground being the last.
    a: usize,
    b: usize,
    /// The first unknown is the second end.
    flipped: bool,
}

/// Where a slider is in the rule of two phases.
#[derive(Debug, Clone, Copy)]
enum Turn {
    /// By f_s.
    Held,
    /// At f_d, that way before the step.
    Slides(i8),
    /// At f_d, broken away in this step.
    Free,
}

enum Solver {
    Chain { chain: Box<Chain>, slider: Vec<usize>, alpha: Vec<f64> },
    Sparse(Box<Sparse>),
}

/// Everything that one step needs, allocated once.
pub(super) struct Stepper {
    h: f64,
    /// θ_i for each node and the ground.
    theta: Vec<f64>,
    mass: Vec<f64>,
    /// The unknown of each node, or none.
    unknown: Vec<Option<usize>>,
    /// The node of each unknown.
    node: Vec<usize>,
    springs: Vec<Branch>,
    dashpots: Vec<Branch>,
    contacts: Vec<Contact>,
    static_: Vec<f64>,
    dynamic: Vec<f64>,
    two_phase: bool,
    solver: Solver,
    /// x⁺ as far as it is known, and with the ground at the end.
    known: Vec<f64>,
    r: Vec<f64>,
    force: Vec<f64>,
    alpha: Vec<f64>,
    offset: Vec<f64>,
    turn: Vec<Turn>,
    /// Slip of each slider in the step solved last.
    pub signs: Vec<i8>,
    /// λ of each slider, N.
    pub lambda: Vec<f64>,
}

/// Displacements, velocities and forces of all nodes and the ground.
#[derive(Debug, Clone)]
pub(super) struct Kinematics {
    pub x: Vec<f64>,
    pub v: Vec<f64>,
}

impl Stepper {
    pub fn new(network: &Network, h: f64, theta: f64) -> Result<Self, Error> {
        let n = network.nodes().len();
        let node_of = |e: Option<usize>| e.unwrap_or(n);
        let free = |i: usize| i < n && network.nodes()[i].motion.is_none();
        let mut mass: Vec<f64> = network.nodes().iter().map(|n| n.mass).collect();
        mass.push(0.0);
        let massless = |i: usize| free(i) && network.nodes()[i].mass == 0.0;
        let weights: Vec<f64> = (0..=n).map(|i| if massless(i) { 1.0 } else { theta }).collect();
        let branch = |l: &crate::model::network::Link, dashpot: bool| {
            let (a, b) = (node_of(l.between[0]), node_of(l.between[1]));
            let implicit = dashpot && (massless(a) || massless(b));
            Branch { a, b, coefficient: l.coefficient, implicit }
        };
        let springs: Vec<_> = network.springs().iter().map(|l| branch(l, false)).collect();
        let dashpots: Vec<_> = network.dashpots().iter().map(|l| branch(l, true)).collect();
        let contacts: Vec<_> = network
            .sliders()
            .iter()
            .map(|s| {
                let (a, b) = (node_of(s.between[0]), node_of(s.between[1]));
                Contact { a, b, flipped: !free(a) }
            })
            .collect();

        // Unknowns in an order that keeps a chain a chain.
        let pairs: Vec<(usize, usize)> = springs
            .iter()
            .chain(&dashpots)
            .map(|s| (s.a, s.b))
            .chain(contacts.iter().map(|c| (c.a, c.b)))
            .filter(|&(a, b)| free(a) && free(b))
            .collect();
        let node: Vec<usize> = cuthill_mckee(n, &pairs).into_iter().filter(|&i| free(i)).collect();
        let mut unknown = vec![None; n + 1];
        for (k, &i) in node.iter().enumerate() {
            unknown[i] = Some(k);
        }
        let mut entries: Vec<(usize, usize, f64)> =
            node.iter().enumerate().map(|(k, &i)| (k, k, mass[i])).collect();
        let mut add = |a: usize, b: usize, aa: f64, bb: f64, ab: f64| {
            let (ka, kb) = (unknown[a], unknown[b]);
            entries.extend(ka.map(|k| (k, k, aa)));
            entries.extend(kb.map(|k| (k, k, bb)));
            if let (Some(i), Some(j)) = (ka, kb) {
                entries.push((i.min(j), i.max(j), -ab));
            }
        };
        for s in &springs {
            let (ta, tb) = (h * weights[s.a], h * weights[s.b]);
            add(
                s.a,
                s.b,
                s.coefficient * ta * ta,
                s.coefficient * tb * tb,
                s.coefficient * ta * tb,
            );
        }
        for s in &dashpots {
            let w = s.coefficient * h * if s.implicit { 1.0 } else { theta };
            add(s.a, s.b, w, w, w);
        }
        let (static_, dynamic): (Vec<f64>, Vec<f64>) =
            network.sliders().iter().map(|s| (s.static_, s.dynamic)).unzip();
        let m = contacts.len();
        let solver = solver(&entries, &contacts, &unknown, node.len())?;
        let two_phase = static_ != dynamic;
        Ok(Self {
            h,
            theta: weights,
            mass,
            r: vec![0.0; node.len()],
            unknown,
            node,
            springs,
            dashpots,
            contacts,
            static_,
            dynamic,
            two_phase,
            solver,
            known: vec![0.0; n + 1],
            force: vec![0.0; n + 1],
            alpha: vec![0.0; m],
            offset: vec![0.0; m],
            turn: vec![Turn::Held; m],
            signs: vec![0; m],
            lambda: vec![0.0; m],
        })
    }

    /// Advances `u`. `before` and `after` are the forces on the nodes at both ends of the step, `motion` the
    /// prescribed x⁺ and v⁺, `normal` what each slider's forces are multiplied by.
    pub fn advance(
        &mut self,
        u: &mut Kinematics,
        before: &[f64],
        after: &[f64],
        motion: &[(usize, f64, f64)],
        normal: &[f64],
    ) -> Outcome {
        self.load(u, before, after, motion);
        let outcome = self.rule(normal);
        self.store(u, motion);
        outcome
    }

    /// The right-hand side, and what is known of the end of the step.
    fn load(
        &mut self,
        u: &Kinematics,
        before: &[f64],
        after: &[f64],
        motion: &[(usize, f64, f64)],
    ) {
        let (h, th) = (self.h, &self.theta);
        for (i, known) in self.known.iter_mut().enumerate() {
            *known = u.x[i] + h * (1.0 - th[i]) * u.v[i];
        }
        for &(i, x, _) in motion {
            self.known[i] = x;
        }
        for (i, f) in self.force.iter_mut().enumerate() {
            *f = self.mass[i] * u.v[i];
        }
        for (i, (b, a)) in before.iter().zip(after).enumerate() {
            self.force[i] += h * (th[i] * a + (1.0 - th[i]) * b);
        }
        for s in &self.springs {
            let new = s.coefficient * (self.known[s.a] - self.known[s.b]);
            let old = s.coefficient * (u.x[s.a] - u.x[s.b]);
            self.force[s.a] -= h * (th[s.a] * new + (1.0 - th[s.a]) * old);
            self.force[s.b] += h * (th[s.b] * new + (1.0 - th[s.b]) * old);
        }
        let velocity = |i: usize| {
            motion.iter().find(|m| m.0 == i).map_or(0.0, |m| m.2) // few nodes are moved
        };
        let theta = th[th.len() - 1];
        for s in &self.dashpots {
            let weight = if s.implicit { 1.0 } else { theta };
            let (free_a, free_b) = (self.unknown[s.a].is_some(), self.unknown[s.b].is_some());
            let va = if free_a { 0.0 } else { velocity(s.a) };
            let vb = if free_b { 0.0 } else { velocity(s.b) };
            let f = s.coefficient * (weight * (va - vb) + (1.0 - weight) * (u.v[s.a] - u.v[s.b]));
            self.force[s.a] -= h * f;
            self.force[s.b] += h * f;
        }
        for (r, &i) in self.r.iter_mut().zip(&self.node) {
            *r = self.force[i];
        }
        for (g, c) in self.offset.iter_mut().zip(&self.contacts) {
            let moved = if c.flipped { c.a } else { c.b };
            *g = if self.unknown[moved].is_some() { 0.0 } else { -velocity(moved) };
        }
    }

    /// The rule in two phases (S1): who sticks is held by f_s, who slips by f_d; who breaks away goes on at
    /// f_d, and who would turn may stick at f_s first. Each slider changes twice at most.
    fn rule(&mut self, normal: &[f64]) -> Outcome {
        let h = self.h;
        for (e, a) in self.alpha.iter_mut().enumerate() {
            let held = self.signs[e] == 0;
            *a = h * normal[e] * if held { self.static_[e] } else { self.dynamic[e] };
            self.turn[e] = if held { Turn::Held } else { Turn::Slides(self.signs[e]) };
        }
        let mut outcome = self.one_step();
        while self.two_phase {
            let mut changed = false;
            for (e, normal) in normal.iter().enumerate() {
                match self.turn[e] {
                    Turn::Held if self.signs[e] != 0 => {
                        self.turn[e] = Turn::Free;
                        self.alpha[e] = h * normal * self.dynamic[e];
                    }
                    Turn::Slides(was) if self.signs[e] == -was => {
                        self.turn[e] = Turn::Held;
                        self.alpha[e] = h * normal * self.static_[e];
                    }
                    _ => continue,
                }
                changed = true;
            }
            if !changed {
                break;
            }
            let again = self.one_step();
            outcome = Outcome { iterations: outcome.iterations + again.iterations, ..again };
        }
        outcome
    }

    fn one_step(&mut self) -> Outcome {
        match &mut self.solver {
            Solver::Chain { chain, slider, alpha } => {
                for (a, &e) in alpha.iter_mut().zip(slider.iter()) {
                    *a = if e == NONE { 0.0 } else { self.alpha[e] };
                }
                let outcome = chain.solve(&self.r, alpha);
                for (k, &e) in slider.iter().enumerate().filter(|s| *s.1 != NONE) {
                    let (p, flip) =
                        (chain.p()[k], if self.contacts[e].flipped { -1.0 } else { 1.0 });
                    self.signs[e] = ((p > 0.0) as i8 - (p < 0.0) as i8) * flip as i8;
                    self.lambda[e] = flip * chain.lambda()[k] / self.h;
                }
                outcome
            }
            Solver::Sparse(sparse) => {
                let outcome = sparse.solve(&self.r, &self.alpha, &self.offset);
                for (e, c) in self.contacts.iter().enumerate() {
                    let flip = if c.flipped { -1.0 } else { 1.0 };
                    self.signs[e] = sparse.signs()[e] * flip as i8;
                    self.lambda[e] = flip * sparse.lambda()[e] / self.h;
                }
                outcome
            }
        }
    }

    /// Writes the end of the step into `u`.
    fn store(&mut self, u: &mut Kinematics, motion: &[(usize, f64, f64)]) {
        let w = match &self.solver {
            Solver::Chain { chain, .. } => chain.p(),
            Solver::Sparse(sparse) => sparse.p(),
        };
        for (w, &i) in w.iter().zip(&self.node) {
            u.x[i] = self.known[i] + self.h * self.theta[i] * w;
            u.v[i] = *w;
        }
        for &(i, x, v) in motion {
            (u.x[i], u.v[i]) = (x, v);
        }
    }
}

const NONE: usize = usize::MAX;

/// The chain where the network is one: neighbours only, and at most one slider a node, to the ground.
fn solver(
    entries: &[(usize, usize, f64)],
    contacts: &[Contact],
    unknown: &[Option<usize>],
    n: usize,
) -> Result<Solver, Error> {
    let ground = unknown.len() - 1;
    let mut slider = vec![NONE; n];
    let mut simple = entries.iter().all(|e| e.0.abs_diff(e.1) <= 1) && n > 0;
    for (e, c) in contacts.iter().enumerate() {
        let (free, held) = if c.flipped { (c.b, c.a) } else { (c.a, c.b) };
        match unknown[free] {
            Some(k) if held == ground && slider[k] == NONE => slider[k] = e,
            _ => simple = false,
        }
    }
    if simple {
        let (mut diagonal, mut coupling) = (vec![0.0; n], vec![0.0; n - 1]);
        for &(i, j, v) in entries {
            if i == j { diagonal[i] += v } else { coupling[i.min(j)] -= v }
        }
        let dominant = (0..n).all(|i| {
            let beside =
                coupling.get(i).unwrap_or(&0.0) + if i > 0 { coupling[i - 1] } else { 0.0 };
            diagonal[i] >= beside
        });
        if dominant {
            let chain = Box::new(Chain::new(diagonal, coupling)?);
            return Ok(Solver::Chain { chain, slider, alpha: vec![0.0; n] });
        }
    }
    let element = |c: &Contact| {
        let (first, second) = if c.flipped { (c.b, c.a) } else { (c.a, c.b) };
        Element { a: unknown[first].unwrap_or(0), b: unknown[second] }
    };
    let elements = contacts.iter().map(element).collect();
    Ok(Solver::Sparse(Box::new(Sparse::new(n, entries, elements))))
}

/// Whether the step counts as solved.
pub(super) fn solved(outcome: &Outcome) -> bool {
    outcome.status != Status::Inexact
}
