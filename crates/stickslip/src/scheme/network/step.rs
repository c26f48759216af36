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
use crate::model::network::{Ends, Link, Shared};
use crate::motion::NetworkState;
use crate::onestep::{Chain, Element, Outcome, Sparse, Status, cuthill_mckee};
use std::sync::Arc;

/// The number of an unknown or of a slider.
type Index = u32;

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

/// The part of a step that depends on the network, h and θ only: it is made once and shared by every path. A network may
/// have millions of nodes: what is read in every step stands in arrays of its own.
#[derive(Debug)]
struct Layout {
    h: f64,
    theta: f64,
    /// The free nodes without mass, whose θ is 1.
    light: Vec<bool>,
    mass: Vec<f64>,
    /// What of their masses nodes share.
    shared: Vec<Shared>,
    /// The unknown of each node, or [`NONE`].
    unknown: Vec<Index>,
    /// The node of each unknown.
    node: Vec<Index>,
    sliders: Arc<[Ends]>,
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
    Chain(Box<Chain>),
    Sparse(Box<Sparse>),
}

/// Advances one path at a time. A clone shares the layout and repeats none of its preparation.
#[derive(Debug, Clone)]
pub(super) struct Stepper {
    layout: Arc<Layout>,
    solver: Solver,
    r: Vec<f64>,
    /// h times the limits of friction; of a chain by unknowns, else by sliders.
    alpha: Vec<f64>,
    /// Where that of each slider stands.
    place: Vec<Index>,
    /// What prescribed nodes add to the slip of each slider; empty of a chain.
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
    /// Loaded nodes with their forces at the start and at the end of the step, N.
    pub forces: &'a [(usize, f64, f64)],
    /// Prescribed nodes with their x⁺ and v⁺.
    pub motion: &'a [(usize, f64, f64)],
    /// What the forces of each slider are multiplied by; empty for 1.
    pub normal: &'a [f64],
}

impl Layout {
    fn new(network: &Network, h: f64, theta: f64) -> Self {
        let nodes = network.nodes();
        let free = |i: usize| nodes.get(i).is_some_and(|n| n.motion.is_none());
        let light: Vec<bool> = nodes.iter().map(|n| n.motion.is_none() && n.mass == 0.0).collect();
        let at_end = |d: &Link| d.places().into_iter().any(|i| light.get(i) == Some(&true));
        let sliders: Arc<[Ends]> = network.sliders().iter().map(|s| s.ends()).collect();
        let (breakaway, dynamic): (Vec<f64>, Vec<f64>) =
            network.sliders().iter().map(|s| (s.breakaway, s.dynamic)).unzip();
        let mut layout = Self {
            h,
            theta,
            mass: nodes.iter().map(|n| n.mass).collect(),
            shared: network.shared_masses().to_vec(),
            unknown: vec![NONE; nodes.len()],
            node: Vec::new(),
            implicit: network.dashpots().iter().map(at_end).collect(),
            flipped: sliders.iter().map(|s| !free(s.places()[0])).collect(),
            sliders,
            light,
            two_phase: breakaway != dynamic,
            breakaway,
            dynamic,
        };
        layout.number(network, free);
        layout
    }

    /// Numbers the unknowns in an order that keeps a chain a chain.
    fn number(&mut self, network: &Network, free: impl Fn(usize) -> bool) {
        let links = network.springs().iter().chain(network.dashpots()).map(Link::places);
        let shared = self.shared.iter().map(|s| s.between);
        let joined = links.chain(self.sliders.iter().map(|s| s.places())).chain(shared);
        let pairs: Vec<(usize, usize)> =
            joined.filter(|&[a, b]| free(a) && free(b)).map(|[a, b]| (a, b)).collect();
        let order = cuthill_mckee(self.mass.len(), &pairs).into_iter().filter(|&i| free(i));
        self.node = order.map(|i| i as Index).collect();
        for (k, &i) in self.node.iter().enumerate() {
            self.unknown[i as usize] = k as Index;
        }
    }

    /// θ of a node.
    #[inline(always)]
    fn theta(&self, i: usize) -> f64 {
        if self.light.get(i) == Some(&true) { 1.0 } else { self.theta }
    }

    /// The unknown at the place `i` in a list of all nodes and the ground, if there is one.
    #[inline(always)]
    fn unknown(&self, i: usize) -> Option<usize> {
        self.unknown.get(i).filter(|k| **k != NONE).map(|k| *k as usize)
    }

    /// The ends of slider `e`, the first unknown first.
    #[inline(always)]
    fn slider(&self, e: usize) -> [usize; 2] {
        let [a, b] = self.sliders[e].places();
        if self.flipped[e] { [b, a] } else { [a, b] }
    }

    /// Shows the entries of A between unknowns, (i, j) with i ≤ j; repeated ones are meant to be summed.
    fn entries(&self, network: &Network, mut see: impl FnMut(usize, usize, f64)) {
        self.node.iter().enumerate().for_each(|(k, &i)| see(k, k, self.mass[i as usize]));
        for s in &self.shared {
            if let [Some(i), Some(j)] = s.between.map(|i| self.unknown(i)) {
                see(i.min(j), i.max(j), s.mass);
            }
        }
        let mut add = |ends: [usize; 2], aa: f64, bb: f64, ab: f64| {
            let [a, b] = ends.map(|i| self.unknown(i));
            a.into_iter().for_each(|k| see(k, k, aa));
            b.into_iter().for_each(|k| see(k, k, bb));
            if let (Some(i), Some(j)) = (a, b) {
                see(i.min(j), i.max(j), -ab);
            }
        };
        for s in network.springs() {
            let (k, [ta, tb]) = (s.coefficient, s.places().map(|i| self.h * self.theta(i)));
            add(s.places(), k * ta * ta, k * tb * tb, k * ta * tb);
        }
        for (s, implicit) in network.dashpots().iter().zip(&self.implicit) {
            let w = s.coefficient * self.h * if *implicit { 1.0 } else { self.theta };
            add(s.places(), w, w, w);
        }
    }

    /// Adds the part of the dashpots' impulses that the unknown velocities do not enter, `v` being those before.
    fn load_dashpots(
        &self,
        network: &Network,
        (v, impulse): (&[f64], &mut [f64]),
        motion: &[(usize, f64, f64)],
    ) {
        for (s, implicit) in network.dashpots().iter().zip(&self.implicit) {
            let weight = if *implicit { 1.0 } else { self.theta };
            let end = |i: usize| if self.unknown(i).is_some() { 0.0 } else { velocity(motion, i) };
            let at = |i: usize| v.get(i).map_or(0.0, |v| *v);
            let [a, b] = s.places();
            let f = s.coefficient * (weight * (end(a) - end(b)) + (1.0 - weight) * (at(a) - at(b)));
            if let Some(to) = impulse.get_mut(a) {
                *to -= self.h * f;
            }
            if let Some(to) = impulse.get_mut(b) {
                *to += self.h * f;
            }
        }
    }
}

impl Stepper {
    /// Prepares steps of length `h` (s): orders the unknowns and analyses the pattern of their matrix.
    pub fn new(network: &Network, h: f64, theta: f64) -> Result<Self, Error> {
        #[cfg(test)]
        PREPARATIONS.with(|count| count.set(count.get() + 1));
        let layout = Layout::new(network, h, theta);
        let (solver, place) = solver(network, &layout)?;
        let (n, m) = (layout.node.len(), layout.flipped.len());
        let (alpha, offset) = match solver {
            Solver::Chain(_) => (n, 0),
            Solver::Sparse(_) => (m, m),
        };
        Ok(Self {
            solver,
            r: vec![0.0; n],
            alpha: vec![0.0; alpha],
            place,
            offset: vec![0.0; offset],
            turn: vec![Turn::Held; m],
            signs: vec![0; m],
            lambda: vec![0.0; m],
            layout: Arc::new(layout),
        })
    }

    /// The ends of the sliders.
    pub fn sliders(&self) -> Arc<[Ends]> {
        self.layout.sliders.clone()
    }

    /// Forgets the path before, so that the next one has the bits of a stepper that was just made.
    pub fn restart(&mut self) {
        match &mut self.solver {
            Solver::Chain(chain) => chain.restart(),
            Solver::Sparse(sparse) => sparse.restart(),
        }
        self.signs.fill(0);
        self.lambda.fill(0.0);
    }

    /// Advances by one step of `network`, which the stepper was made for.
    pub fn advance(
        &mut self,
        network: &Network,
        (from, to): (&Kinematics, &mut Kinematics),
        given: &Given<'_>,
    ) -> Outcome {
        self.load(network, (from, to), given);
        let outcome = self.rule(given.normal);
        self.store(to, given.motion);
        outcome
    }

    /// The right-hand side; of the end of the step what is known of x, and in place of v the impulses, which it needs no more.
    fn load(
        &mut self,
        network: &Network,
        (from, to): (&Kinematics, &mut Kinematics),
        given: &Given<'_>,
    ) {
        let layout = &*self.layout;
        let (h, theta) = (layout.h, layout.theta);
        // All of one length, which the loops below then need not look up again.
        let n = layout.mass.len();
        let (known, impulse) = (&mut to.x[..n], &mut to.v[..n]);
        let (x, v, light, mass) = (&from.x[..n], &from.v[..n], &layout.light[..n], &layout.mass);
        for i in 0..n {
            let th = if light[i] { 1.0 } else { theta };
            known[i] = x[i] + h * (1.0 - th) * v[i];
            impulse[i] = mass[i] * v[i] + 0.0; // never −0
        }
        for s in &layout.shared {
            let [i, j] = s.between;
            impulse[i] += s.mass * v[j];
            impulse[j] += s.mass * v[i];
        }
        for &(i, x, _) in given.motion {
            known[i] = x;
        }
        for &(i, before, after) in given.forces {
            let th = layout.theta(i);
            impulse[i] += h * (th * after + (1.0 - th) * before);
        }
        let at = |u: &[f64], i: usize| u.get(i).map_or(0.0, |u| *u);
        for s in network.springs() {
            let [a, b] = s.places();
            let new = s.coefficient * (at(known, a) - at(known, b));
            let old = s.coefficient * (at(x, a) - at(x, b));
            let th = |i: usize| if light.get(i) == Some(&true) { 1.0 } else { theta };
            let weighted = |th: f64| h * (th * new + (1.0 - th) * old);
            let pull = weighted(th(a));
            if let Some(to) = impulse.get_mut(a) {
                *to -= pull;
            }
            if let Some(to) = impulse.get_mut(b) {
                *to += if th(b) == th(a) { pull } else { weighted(th(b)) };
            }
        }
        layout.load_dashpots(network, (v, impulse), given.motion);
        for (r, &i) in self.r.iter_mut().zip(&layout.node) {
            *r = impulse[i as usize];
        }
        for (e, g) in self.offset.iter_mut().enumerate() {
            let [_, moved] = layout.slider(e);
            let still = layout.unknown(moved).is_some();
            *g = if still { 0.0 } else { -velocity(given.motion, moved) };
        }
    }

    /// The rule in two phases, as the exact scheme has it. A slider at rest is held by f_s, one that slides by f_d.
    /// One that would stop or turn in this step is held by f_s from there on. Only when no other does are those that
    /// have broken away released, all together, to go on at f_d. Each slider changes twice at most.
    fn rule(&mut self, normal: &[f64]) -> Outcome {
        let Layout { h, breakaway, dynamic, two_phase, .. } = &*self.layout;
        let m = self.turn.len();
        let (turn, signs, place) = (&mut self.turn[..m], &self.signs[..m], &self.place[..m]);
        let (breakaway, dynamic) = (&breakaway[..m], &dynamic[..m]);
        for e in 0..m {
            let held = signs[e] == 0;
            self.alpha[place[e] as usize] =
                limit(*h, normal, e) * if held { breakaway[e] } else { dynamic[e] };
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
        let Layout { h, breakaway, .. } = &*self.layout;
        for (e, turn) in self.turn.iter_mut().enumerate() {
            if let Turn::Slides(was) = *turn
                && self.signs[e] != was
            {
                turned |= self.signs[e] == -was;
                *turn = Turn::Held;
                self.alpha[self.place[e] as usize] = limit(*h, normal, e) * breakaway[e];
            }
        }
        turned
    }

    /// Lets what has broken away go on at f_d; whether any has.
    fn release(&mut self, normal: &[f64]) -> bool {
        let mut released = false;
        let Layout { h, dynamic, .. } = &*self.layout;
        for (e, turn) in self.turn.iter_mut().enumerate() {
            if matches!(turn, Turn::Held) && self.signs[e] != 0 {
                released = true;
                *turn = Turn::Free;
                self.alpha[self.place[e] as usize] = limit(*h, normal, e) * dynamic[e];
            }
        }
        released
    }

    fn one_step(&mut self) -> Outcome {
        let Layout { h, flipped, .. } = &*self.layout;
        match &mut self.solver {
            Solver::Chain(chain) => {
                let outcome = chain.solve(&self.r, &self.alpha);
                let (p, lambda) = (chain.p(), chain.lambda());
                let found = self.signs.iter_mut().zip(&mut self.lambda);
                for (((sign, l), flipped), &k) in found.zip(flipped).zip(&self.place) {
                    let (p, flip) = (p[k as usize], if *flipped { -1.0 } else { 1.0 });
                    *sign = ((p > 0.0) as i8 - (p < 0.0) as i8) * flip as i8;
                    *l = flip * lambda[k as usize] / h;
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

    /// Completes the end of the step.
    fn store(&self, to: &mut Kinematics, motion: &[(usize, f64, f64)]) {
        let w = match &self.solver {
            Solver::Chain(chain) => chain.p(),
            Solver::Sparse(sparse) => sparse.p(),
        };
        let Layout { h, theta, light, node, .. } = &*self.layout;
        for (w, &i) in w.iter().zip(node) {
            let i = i as usize;
            to.x[i] += h * if light[i] { 1.0 } else { *theta } * w;
            to.v[i] = *w;
        }
        for &(i, x, v) in motion {
            (to.x[i], to.v[i]) = (x, v);
        }
    }
}

/// h times the normal force of slider `e`.
#[inline(always)]
fn limit(h: f64, normal: &[f64], e: usize) -> f64 {
    h * normal.get(e).map_or(1.0, |n| *n)
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

/// The solver for a chain where the network is one, else the general one; where the limit of each slider stands in it.
fn solver(network: &Network, layout: &Layout) -> Result<(Solver, Vec<Index>), Error> {
    let n = layout.node.len();
    if let Some(place) = places_on_chain(network, layout) {
        let (mut diagonal, mut coupling) = (vec![0.0; n], vec![0.0; n - 1]);
        layout.entries(network, |i, j, v| {
            if i == j {
                diagonal[i] += v;
            } else {
                coupling[i] -= v;
            }
        });
        let beside =
            |i: usize| coupling.get(i).unwrap_or(&0.0) + if i > 0 { coupling[i - 1] } else { 0.0 };
        let joined = coupling.iter().all(|c| *c >= 0.0);
        if joined && (0..n).all(|i| diagonal[i] >= beside(i)) {
            return Ok((Solver::Chain(Box::new(Chain::new(diagonal, coupling)?)), place));
        }
    }
    let element = |e: usize| {
        let [first, second] = layout.slider(e).map(|i| layout.unknown(i));
        Element { a: first.unwrap_or(0), b: second }
    };
    let elements: Vec<Element> = (0..layout.flipped.len()).map(element).collect();
    let mut entries = Vec::new();
    layout.entries(network, |i, j, v| entries.push((i, j, v)));
    let place = (0..elements.len() as Index).collect();
    Ok((Solver::Sparse(Box::new(Sparse::new(n, &entries, elements))), place))
}

/// The unknown of each slider where only neighbours are joined and each unknown has at most one slider, to the ground;
/// `None` for any other network.
fn places_on_chain(network: &Network, layout: &Layout) -> Option<Vec<Index>> {
    let n = layout.node.len();
    let mut neighbours = n > 0;
    layout.entries(network, |i, j, _| neighbours &= j - i <= 1);
    if !neighbours {
        return None;
    }
    let mut taken = vec![false; n];
    let place = |e: usize| {
        let [free, held] = layout.slider(e);
        let to_ground = held >= layout.unknown.len();
        let k = layout.unknown(free).filter(|&k| to_ground && !taken[k])?;
        taken[k] = true;
        Some(k as Index)
    };
    (0..layout.flipped.len()).map(place).collect()
}

/// Whether the step counts as solved.
pub(super) fn solved(outcome: &Outcome) -> bool {
    outcome.status != Status::Inexact
}
