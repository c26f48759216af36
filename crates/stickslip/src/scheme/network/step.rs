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

use super::branches::{Branch, Branches, Index, ends};
use crate::error::Error;
use crate::model::Network;
use crate::model::network::Shared;
use crate::motion::NetworkState;
use crate::onestep::{Chain, Element, Outcome, Sparse, Status, cuthill_mckee};
use std::sync::Arc;

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

/// The part of a step that depends on the network, h and θ only: it is made once and shared by every path.
#[derive(Debug)]
struct Layout {
    h: f64,
    /// θ_i for each node and the ground.
    theta: Vec<f64>,
    mass: Vec<f64>,
    /// What of their masses nodes share.
    shared: Vec<Shared>,
    /// The unknown of each node, or [`NONE`].
    unknown: Vec<Index>,
    /// The node of each unknown.
    node: Vec<Index>,
    branches: Arc<Branches>,
    /// Of each dashpot whether it is taken at the end of the step.
    implicit: Vec<bool>,
    /// Of each slider whether the first unknown is its second end.
    flipped: Vec<bool>,
    breakaway: Vec<f64>,
    dynamic: Vec<f64>,
    two_phase: bool,
}

/// The one-step problem with its order of elimination, and the solution found last.
#[derive(Debug, Clone)]
enum Solver {
    Chain { chain: Box<Chain>, slider: Vec<Index>, alpha: Vec<f64> },
    Sparse(Box<Sparse>),
}

/// Advances one path at a time. A clone shares the layout and repeats none of its preparation.
#[derive(Debug, Clone)]
pub(super) struct Stepper {
    layout: Arc<Layout>,
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
pub struct Kinematics {
    pub x: Vec<f64>,
    pub v: Vec<f64>,
}

impl Kinematics {
    /// Of a state of the nodes.
    pub fn of(NetworkState { mut x, mut v, .. }: NetworkState) -> Self {
        x.push(0.0);
        v.push(0.0);
        Self { x, v }
    }

    /// As the nodes of `network` and the ground start, without their prescribed motions.
    pub fn at_start(network: &Network) -> Self {
        let nodes = network.nodes();
        Self {
            x: nodes.iter().map(|n| n.displacement).chain([0.0]).collect(),
            v: nodes.iter().map(|n| n.velocity).chain([0.0]).collect(),
        }
    }
}

/// What is given during one step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Given<'a> {
    /// Forces on the nodes at the start and at the end of the step, N.
    pub forces: (&'a [f64], &'a [f64]),
    /// Prescribed nodes with their x⁺ and v⁺.
    pub motion: &'a [(usize, f64, f64)],
    /// What the forces of each slider are multiplied by.
    pub normal: &'a [f64],
}

impl Layout {
    fn new(network: &Network, h: f64, theta: f64) -> Self {
        let n = network.nodes().len();
        let free = |i: usize| i < n && network.nodes()[i].motion.is_none();
        let massless = |i: usize| free(i) && network.nodes()[i].mass == 0.0;
        let branches = Branches::new(network);
        let mut mass: Vec<f64> = network.nodes().iter().map(|n| n.mass).collect();
        mass.push(0.0);
        let (breakaway, dynamic): (Vec<f64>, Vec<f64>) =
            network.sliders().iter().map(|s| (s.breakaway, s.dynamic)).unzip();
        let at_end = |d: &Branch| ends(d.between).into_iter().any(massless);
        let mut layout = Self {
            h,
            theta: (0..=n).map(|i| if massless(i) { 1.0 } else { theta }).collect(),
            mass,
            shared: network.shared_masses().to_vec(),
            unknown: vec![NONE; n + 1],
            node: Vec::new(),
            implicit: branches.dashpots.iter().map(at_end).collect(),
            flipped: branches.sliders.iter().map(|s| !free(s[0] as usize)).collect(),
            branches: Arc::new(branches),
            two_phase: breakaway != dynamic,
            breakaway,
            dynamic,
        };
        layout.number(free);
        layout
    }

    /// Numbers the unknowns in an order that keeps a chain a chain.
    fn number(&mut self, free: impl Fn(usize) -> bool) {
        let Branches { springs, dashpots, sliders } = &*self.branches;
        let joined =
            springs.iter().chain(dashpots).map(|s| s.between).chain(sliders.iter().copied());
        let pairs: Vec<(usize, usize)> = joined
            .map(|between| ends(between).into())
            .chain(self.shared.iter().map(|s| s.between.into()))
            .filter(|&(a, b)| free(a) && free(b))
            .collect();
        let n = self.mass.len() - 1;
        let order = cuthill_mckee(n, &pairs).into_iter().filter(|&i| free(i));
        self.node = order.map(|i| i as Index).collect();
        for (k, &i) in self.node.iter().enumerate() {
            self.unknown[i as usize] = k as Index;
        }
    }

    /// The unknown of node `i`, if it is one.
    fn unknown(&self, i: usize) -> Option<usize> {
        Some(self.unknown[i]).filter(|k| *k != NONE).map(|k| k as usize)
    }

    /// The ends of slider `e`, the first unknown first.
    fn slider(&self, e: usize) -> [usize; 2] {
        let [a, b] = ends(self.branches.sliders[e]);
        if self.flipped[e] { [b, a] } else { [a, b] }
    }

    /// Entries of A between unknowns, (i, j) with i ≤ j; repeated ones are meant to be summed.
    fn entries(&self) -> Vec<(usize, usize, f64)> {
        let (h, theta) = (self.h, self.theta[self.theta.len() - 1]);
        let mut entries: Vec<(usize, usize, f64)> =
            self.node.iter().enumerate().map(|(k, &i)| (k, k, self.mass[i as usize])).collect();
        for s in &self.shared {
            if let [Some(i), Some(j)] = s.between.map(|i| self.unknown(i)) {
                entries.push((i.min(j), i.max(j), s.mass));
            }
        }
        let mut add = |[a, b]: [usize; 2], aa: f64, bb: f64, ab: f64| {
            let (ka, kb) = (self.unknown(a), self.unknown(b));
            entries.extend(ka.map(|k| (k, k, aa)));
            entries.extend(kb.map(|k| (k, k, bb)));
            if let (Some(i), Some(j)) = (ka, kb) {
                entries.push((i.min(j), i.max(j), -ab));
            }
        };
        for s in &self.branches.springs {
            let between = ends(s.between);
            let (k, [ta, tb]) = (s.coefficient, between.map(|i| h * self.theta[i]));
            add(between, k * ta * ta, k * tb * tb, k * ta * tb);
        }
        for (s, implicit) in self.branches.dashpots.iter().zip(&self.implicit) {
            let w = s.coefficient * h * if *implicit { 1.0 } else { theta };
            add(ends(s.between), w, w, w);
        }
        entries
    }
}

impl Stepper {
    /// Prepares steps of length `h` (s): orders the unknowns and analyses the pattern of their matrix.
    pub fn new(network: &Network, h: f64, theta: f64) -> Result<Self, Error> {
        #[cfg(test)]
        PREPARATIONS.with(|count| count.set(count.get() + 1));
        let layout = Layout::new(network, h, theta);
        let solver = solver(&layout)?;
        let (n, m) = (layout.mass.len(), layout.flipped.len());
        Ok(Self {
            solver,
            known: vec![0.0; n],
            r: vec![0.0; layout.node.len()],
            force: vec![0.0; n],
            alpha: vec![0.0; m],
            offset: vec![0.0; m],
            turn: vec![Turn::Held; m],
            signs: vec![0; m],
            lambda: vec![0.0; m],
            layout: Arc::new(layout),
        })
    }

    /// What joins the nodes.
    pub fn branches(&self) -> Arc<Branches> {
        self.layout.branches.clone()
    }

    /// Forgets the path before, so that the next one has the bits of a stepper that was just made.
    pub fn restart(&mut self) {
        match &mut self.solver {
            Solver::Chain { chain, .. } => chain.restart(),
            Solver::Sparse(sparse) => sparse.restart(),
        }
        self.signs.fill(0);
        self.lambda.fill(0.0);
    }

    /// Advances `u` by one step.
    pub fn advance(&mut self, u: &mut Kinematics, given: &Given<'_>) -> Outcome {
        self.load(u, given);
        let outcome = self.rule(given.normal);
        self.store(u, given.motion);
        outcome
    }

    /// The right-hand side, and what is known of the end of the step.
    fn load(&mut self, u: &Kinematics, given: &Given<'_>) {
        let layout = &*self.layout;
        let (h, (before, after)) = (layout.h, given.forces);
        // All of one length, which the loops below then need not look up again.
        let n = self.known.len();
        let (known, force) = (&mut self.known[..n], &mut self.force[..n]);
        let (x, v, th, mass) = (&u.x[..n], &u.v[..n], &layout.theta[..n], &layout.mass[..n]);
        for i in 0..n {
            known[i] = x[i] + h * (1.0 - th[i]) * v[i];
            force[i] = mass[i] * v[i];
        }
        for s in &layout.shared {
            let [i, j] = s.between;
            force[i] += s.mass * v[j];
            force[j] += s.mass * v[i];
        }
        for &(i, x, _) in given.motion {
            known[i] = x;
        }
        for (i, (b, a)) in before.iter().zip(after).enumerate() {
            force[i] += h * (th[i] * a + (1.0 - th[i]) * b);
        }
        for s in &layout.branches.springs {
            let [a, b] = ends(s.between);
            let new = s.coefficient * (known[a] - known[b]);
            let old = s.coefficient * (x[a] - x[b]);
            force[a] -= h * (th[a] * new + (1.0 - th[a]) * old);
            force[b] += h * (th[b] * new + (1.0 - th[b]) * old);
        }
        self.load_dashpots(u, given.motion);
        let layout = &*self.layout;
        for (r, &i) in self.r.iter_mut().zip(&layout.node) {
            *r = self.force[i as usize];
        }
        let sliders = layout.branches.sliders.iter().zip(&layout.flipped);
        for (g, (&[a, b], flipped)) in self.offset.iter_mut().zip(sliders) {
            let moved = if *flipped { a } else { b } as usize;
            let still = layout.unknown[moved] != NONE;
            *g = if still { 0.0 } else { -velocity(given.motion, moved) };
        }
    }

    /// The part of the dashpots' forces that the unknown velocities do not enter.
    fn load_dashpots(&mut self, u: &Kinematics, motion: &[(usize, f64, f64)]) {
        let Layout { h, theta, unknown, branches, implicit, .. } = &*self.layout;
        let theta = theta[theta.len() - 1];
        for (s, implicit) in branches.dashpots.iter().zip(implicit) {
            let weight = if *implicit { 1.0 } else { theta };
            let end = |i: usize| if unknown[i] != NONE { 0.0 } else { velocity(motion, i) };
            let [a, b] = ends(s.between);
            let f =
                s.coefficient * (weight * (end(a) - end(b)) + (1.0 - weight) * (u.v[a] - u.v[b]));
            self.force[a] -= h * f;
            self.force[b] += h * f;
        }
    }

    /// The rule in two phases, as the exact scheme has it. A slider at rest is held by f_s, one that slides by f_d.
    /// One that would stop or turn in this step is held by f_s from there on. Only when no other does are those that
    /// have broken away released, all together, to go on at f_d. Each slider changes twice at most.
    fn rule(&mut self, normal: &[f64]) -> Outcome {
        let Layout { h, breakaway, dynamic, two_phase, .. } = &*self.layout;
        let m = self.alpha.len();
        let (alpha, turn, signs) = (&mut self.alpha[..m], &mut self.turn[..m], &self.signs[..m]);
        let (breakaway, dynamic, given) = (&breakaway[..m], &dynamic[..m], &normal[..m]);
        for e in 0..m {
            let held = signs[e] == 0;
            alpha[e] = h * given[e] * if held { breakaway[e] } else { dynamic[e] };
            turn[e] = if held { Turn::Held } else { Turn::Slides(signs[e]) };
        }
        let two_phase = *two_phase;
        let mut outcome = self.one_step();
        while two_phase && (self.stop(normal) || self.release(normal)) {
            let again = self.one_step();
            outcome = Outcome { iterations: outcome.iterations + again.iterations, ..again };
        }
        outcome
    }

    /// Holds by f_s what has stopped or turned; whether any has turned, so that the solution is no longer one.
    fn stop(&mut self, normal: &[f64]) -> bool {
        let mut turned = false;
        for (e, (normal, turn)) in normal.iter().zip(&mut self.turn).enumerate() {
            if let Turn::Slides(was) = *turn
                && self.signs[e] != was
            {
                turned |= self.signs[e] == -was;
                *turn = Turn::Held;
                self.alpha[e] = self.layout.h * normal * self.layout.breakaway[e];
            }
        }
        turned
    }

    /// Lets what has broken away go on at f_d; whether any has.
    fn release(&mut self, normal: &[f64]) -> bool {
        let mut released = false;
        for (e, (normal, turn)) in normal.iter().zip(&mut self.turn).enumerate() {
            if matches!(turn, Turn::Held) && self.signs[e] != 0 {
                released = true;
                *turn = Turn::Free;
                self.alpha[e] = self.layout.h * normal * self.layout.dynamic[e];
            }
        }
        released
    }

    fn one_step(&mut self) -> Outcome {
        let Layout { h, flipped, .. } = &*self.layout;
        match &mut self.solver {
            Solver::Chain { chain, slider, alpha } => {
                for (a, &e) in alpha.iter_mut().zip(slider.iter()) {
                    *a = if e == NONE { 0.0 } else { self.alpha[e as usize] };
                }
                let outcome = chain.solve(&self.r, alpha);
                for (k, &e) in slider.iter().enumerate().filter(|s| *s.1 != NONE) {
                    let e = e as usize;
                    let (p, flip) = (chain.p()[k], if flipped[e] { -1.0 } else { 1.0 });
                    self.signs[e] = ((p > 0.0) as i8 - (p < 0.0) as i8) * flip as i8;
                    self.lambda[e] = flip * chain.lambda()[k] / h;
                }
                outcome
            }
            Solver::Sparse(sparse) => {
                let outcome = sparse.solve(&self.r, &self.alpha, &self.offset);
                for (e, flipped) in flipped.iter().enumerate() {
                    let flip = if *flipped { -1.0 } else { 1.0 };
                    self.signs[e] = sparse.signs()[e] * flip as i8;
                    self.lambda[e] = flip * sparse.lambda()[e] / h;
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
        let Layout { h, theta, node, .. } = &*self.layout;
        for (w, &i) in w.iter().zip(node) {
            let i = i as usize;
            u.x[i] = self.known[i] + h * theta[i] * w;
            u.v[i] = *w;
        }
        for &(i, x, v) in motion {
            (u.x[i], u.v[i]) = (x, v);
        }
    }
}

/// No unknown, or no slider.
const NONE: Index = Index::MAX;

#[cfg(test)]
thread_local! {
    /// How many steppers this thread has prepared.
    pub(crate) static PREPARATIONS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The velocity of a prescribed node, m/s; few nodes are prescribed.
fn velocity(motion: &[(usize, f64, f64)], i: usize) -> f64 {
    motion.iter().find(|m| m.0 == i).map_or(0.0, |m| m.2)
}

/// The solver for a chain where the network is one, else the general one.
fn solver(layout: &Layout) -> Result<Solver, Error> {
    let (entries, n) = (layout.entries(), layout.node.len());
    if let Some(slider) = sliders_of_chain(layout, &entries) {
        let (mut diagonal, mut coupling) = (vec![0.0; n], vec![0.0; n - 1]);
        for &(i, j, v) in &entries {
            if i == j { diagonal[i] += v } else { coupling[i.min(j)] -= v }
        }
        let beside =
            |i: usize| coupling.get(i).unwrap_or(&0.0) + if i > 0 { coupling[i - 1] } else { 0.0 };
        let joined = coupling.iter().all(|c| *c >= 0.0);
        if joined && (0..n).all(|i| diagonal[i] >= beside(i)) {
            let chain = Box::new(Chain::new(diagonal, coupling)?);
            return Ok(Solver::Chain { chain, slider, alpha: vec![0.0; n] });
        }
    }
    let element = |e: usize| {
        let [first, second] = layout.slider(e).map(|i| layout.unknown(i));
        Element { a: first.unwrap_or(0), b: second }
    };
    let elements = (0..layout.flipped.len()).map(element).collect();
    Ok(Solver::Sparse(Box::new(Sparse::new(n, &entries, elements))))
}

/// The slider of each unknown where only neighbours are joined and each unknown has at most one slider, to the
/// ground; `None` for any other network.
fn sliders_of_chain(layout: &Layout, entries: &[(usize, usize, f64)]) -> Option<Vec<Index>> {
    let (n, ground) = (layout.node.len(), layout.unknown.len() - 1);
    if n == 0 || entries.iter().any(|e| e.0.abs_diff(e.1) > 1) {
        return None;
    }
    let mut slider = vec![NONE; n];
    for e in 0..layout.flipped.len() {
        let [free, held] = layout.slider(e);
        let k = layout.unknown(free).filter(|&k| held == ground && slider[k] == NONE)?;
        slider[k] = e as Index;
    }
    Some(slider)
}

/// Whether the step counts as solved.
pub(super) fn solved(outcome: &Outcome) -> bool {
    outcome.status != Status::Inexact
}
