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

use super::layout::{Index, Layout, NONE, Solver, solver};
use super::reach::Reach;
use crate::error::Error;
use crate::model::Network;
use crate::model::network::Ends;
use crate::motion::NetworkState;
use crate::onestep::{Outcome, Status, in_pieces, span};
use crate::scheme::two_phases::Stage;
use std::sync::Arc;

/// Advances one path at a time. A clone shares the layout and repeats none of its preparation.
#[derive(Debug, Clone)]
pub(super) struct OneStep {
    layout: Arc<Layout>,
    solver: Solver,
    r: Vec<f64>,
    /// h times the limits of friction; of a chain by unknowns, else by sliders.
    alpha: Vec<f64>,
    /// Where that of each slider stands.
    place: Vec<Index>,
    /// Of each piece of `alpha` the sliders in it.
    near: Reach,
    /// What prescribed nodes add to the slip of each slider; empty of a chain.
    offset: Vec<f64>,
    stage: Vec<Stage<i8>>,
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
    pub(crate) fn at_start(network: &Network) -> Self {
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
    /// Loaded nodes, in their order, with their forces at the start and at the end of the step, N.
    pub forces: &'a [(usize, f64, f64)],
    /// Prescribed nodes with their x⁺ and v⁺.
    pub motion: &'a [(usize, f64, f64)],
    /// What the forces of each slider are multiplied by; empty for 1.
    pub normal: &'a [f64],
}

impl OneStep {
    /// Prepares steps of length `h` (s): orders the unknowns and analyses the pattern of their matrix.
    pub fn new(network: &Network, h: f64, theta: f64) -> Result<Self, Error> {
        #[cfg(test)]
        PREPARATIONS.with(|count| count.set(count.get() + 1));
        // All that depends on h and θ only: the clones of an ensemble share it.
        let layout = Layout::new(network, h, theta);
        let (solver, place) = solver(network, &layout)?;
        let n = layout.node.len();
        let m = layout.flipped.len();
        // A chain has its limits by unknowns and knows no sliders to prescribed nodes; the general solver has both by
        // sliders.
        let (alpha, offset) = match solver {
            Solver::Chain(_) => (n, 0),
            Solver::Sparse(_) => (m, m),
        };
        // `alpha` is written by pieces too: each takes the sliders whose limits stand in it.
        let near = Reach::new(alpha, place.iter().map(|&k| [k as usize; 2]));
        Ok(Self {
            solver,
            near,
            r: vec![0.0; n],
            alpha: vec![0.0; alpha],
            place,
            offset: vec![0.0; offset],
            stage: vec![Stage::Held; m],
            signs: vec![0; m],
            lambda: vec![0.0; m],
            layout: Arc::new(layout),
        })
    }

    /// The ends of the sliders.
    pub fn sliders(&self) -> Arc<[Ends]> {
        self.layout.sliders.clone()
    }

    /// Forgets the path before, so that the next one has the bits of one that was just made.
    pub fn restart(&mut self) {
        match &mut self.solver {
            Solver::Chain(chain) => chain.restart(),
            Solver::Sparse(sparse) => sparse.restart(),
        }
        self.signs.fill(0);
        self.lambda.fill(0.0);
    }

    /// Advances by one step of `network`, which this one was made for.
    pub fn advance(
        &mut self,
        network: &Network,
        from: &Kinematics,
        to: &mut Kinematics,
        given: &Given<'_>,
    ) -> Outcome {
        self.load(network, from, to, given);
        let outcome = self.rule(given.normal);
        self.store(to, given.motion);
        outcome
    }

    /// The right-hand side; of the end of the step what is known of x, and in place of v the impulses, which it needs no more.
    fn load(
        &mut self,
        network: &Network,
        from: &Kinematics,
        to: &mut Kinematics,
        given: &Given<'_>,
    ) {
        let layout = &*self.layout;
        let n = layout.mass.len();
        let known = &mut to.x[..n];
        let impulse = &mut to.v[..n];
        layout.load(network, from, known, impulse, given);
        let impulse = &*impulse;
        let gather = |first: usize, r: &mut [f64]| {
            let nodes = &layout.node[first..first + r.len()];
            r.iter_mut().zip(nodes).for_each(|(r, &i)| *r = impulse[i as usize]);
        };
        in_pieces(&mut self.r[..], &gather);
        for (e, g) in self.offset.iter_mut().enumerate() {
            let [_, moved] = layout.slider(e);
            // A slider between two free nodes has both velocities among the unknowns; one to a prescribed node slips relative to
            // what is given.
            let still = layout.unknown(moved).is_some();
            *g = if still { 0.0 } else { -velocity(given.motion, moved) };
        }
    }

    /// The step by the rule of [two phases](crate::scheme::two_phases).
    fn rule(&mut self, normal: &[f64]) -> Outcome {
        let Layout { h, breakaway, dynamic, two_phase, .. } = &*self.layout;
        let m = self.stage.len();
        let signs = &self.signs[..m];
        let place = &self.place[..m];
        let breakaway = &breakaway[..m];
        let dynamic = &dynamic[..m];
        let begin = |first: usize, stage: &mut [Stage<i8>]| {
            for (stage, &sign) in stage.iter_mut().zip(&signs[first..]) {
                *stage = Stage::after(sign);
            }
        };
        in_pieces(&mut self.stage[..], &begin);
        let hold = |first: usize, alpha: &mut [f64]| {
            for e in self.near.of(&(first..first + alpha.len())) {
                if let Some(alpha) = alpha.get_mut((place[e] as usize).wrapping_sub(first)) {
                    *alpha = limit(*h, normal, e)
                        * if signs[e] == 0 { breakaway[e] } else { dynamic[e] };
                }
            }
        };
        let alpha = &mut self.alpha[..];
        if self.near.is_local() {
            in_pieces(alpha, &hold)
        } else {
            hold(0, alpha)
        }
        let two_phase = *two_phase;
        let mut outcome = self.one_step();
        while two_phase && (self.stop(normal) || self.release(normal)) {
            let again = self.one_step();
            // The work adds up; how well the problem is solved is what the last one says.
            outcome = Outcome { iterations: outcome.iterations + again.iterations, ..again };
        }
        outcome
    }

    /// Holds by f_s what has stopped or turned; whether any has turned, so that the solution is no longer one.
    fn stop(&mut self, normal: &[f64]) -> bool {
        let mut turned = false;
        let Layout { h, breakaway, .. } = &*self.layout;
        let stage = &self.stage[..];
        let signs = &self.signs[..self.stage.len()];
        let stops = |e: usize| stage[e].stops(signs[e]);
        for e in span(0..stage.len(), &stops) {
            if self.stage[e].stops(self.signs[e]) {
                turned |= self.stage[e].turns(self.signs[e]);
                self.stage[e] = Stage::Held;
                self.alpha[self.place[e] as usize] = limit(*h, normal, e) * breakaway[e];
            }
        }
        turned
    }

    /// Lets what has broken away go on at f_d; whether any has.
    fn release(&mut self, normal: &[f64]) -> bool {
        let mut released = false;
        let Layout { h, dynamic, .. } = &*self.layout;
        let stage = &self.stage[..];
        let signs = &self.signs[..self.stage.len()];
        let breaks_away = |e: usize| stage[e].breaks_away(signs[e]);
        for e in span(0..stage.len(), &breaks_away) {
            if self.stage[e].breaks_away(self.signs[e]) {
                released = true;
                self.stage[e] = Stage::BrokenAway;
                self.alpha[self.place[e] as usize] = limit(*h, normal, e) * dynamic[e];
            }
        }
        released
    }

    fn one_step(&mut self) -> Outcome {
        let Layout { h, flipped, .. } = &*self.layout;
        let place = &self.place[..];
        let out = (&mut self.signs[..], &mut self.lambda[..]);
        match &mut self.solver {
            Solver::Chain(chain) => {
                let outcome = chain.solve(&self.r, &self.alpha);
                let p = chain.p();
                let lambda = chain.lambda();
                let read = |first: usize, (signs, found): (&mut [i8], &mut [f64])| {
                    let found = signs.iter_mut().zip(found).zip(&flipped[first..]);
                    for (((sign, l), flipped), &k) in found.zip(&place[first..]) {
                        // On a chain the solver knows no signs of sliders: the velocity of the unknown is that of its
                        // slider.
                        let p = p[k as usize];
                        let flip = if *flipped { -1.0 } else { 1.0 };
                        *sign = ((p > 0.0) as i8 - (p < 0.0) as i8) * flip as i8;
                        // The solver's unknown is a momentum balance over the step, so its λ is an impulse.
                        *l = flip * lambda[k as usize] / h;
                    }
                };
                in_pieces(out, &read);
                outcome
            }
            Solver::Sparse(sparse) => {
                let outcome = sparse.solve(&self.r, &self.alpha, &self.offset);
                let slips = sparse.signs();
                let lambda = sparse.lambda();
                let read = |first: usize, (signs, found): (&mut [i8], &mut [f64])| {
                    for (k, (sign, l)) in signs.iter_mut().zip(found).enumerate() {
                        let e = first + k;
                        let flip = if flipped[e] { -1.0 } else { 1.0 };
                        *sign = slips[e] * flip as i8;
                        *l = flip * lambda[e] / h;
                    }
                };
                in_pieces(out, &read);
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
        let Layout { h, theta, light, unknown, .. } = &*self.layout;
        let n = unknown.len();
        let add = |first: usize, (x, v): (&mut [f64], &mut [f64])| {
            let nodes = light[first..].iter().zip(&unknown[first..]);
            for ((x, v), (light, &k)) in x.iter_mut().zip(v).zip(nodes) {
                if k != NONE {
                    let w = w[k as usize];
                    // What of X⁺ the velocity before has contributed is there already; a node without mass moves by its last velocity alone.
                    *x += h * if *light { 1.0 } else { *theta } * w;
                    *v = w;
                }
            }
        };
        in_pieces((&mut to.x[..n], &mut to.v[..n]), &add);
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

#[cfg(test)]
thread_local! {
    /// How many steps this thread has prepared.
    pub(crate) static PREPARATIONS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The velocity of a prescribed node, m/s; few nodes are prescribed.
pub(super) fn velocity(motion: &[(usize, f64, f64)], i: usize) -> f64 {
    motion.iter().find(|m| m.0 == i).map_or(0.0, |m| m.2)
}

/// Whether the step counts as solved.
pub(super) fn solved(outcome: &Outcome) -> bool {
    outcome.status != Status::Inexact
}
