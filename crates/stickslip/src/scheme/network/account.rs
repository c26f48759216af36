//! What a run of a time-stepping scheme cost, and where its energy went.

use super::step::Kinematics;
use crate::model::Network;
use crate::model::network::Ends;
use crate::motion::{Counts, Energy};
use std::sync::Arc;

/// What a run cost and where its energy went.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NetworkRun {
    /// What it cost.
    pub counts: Counts,
    /// The energies.
    pub energy: Energy,
}

/// What a streaming scheme shows of a step: n, x, ẋ, λ, slip.
pub(super) type Observe<'a> = &'a mut dyn FnMut(usize, &[f64], &[f64], &[f64], &[i8]);

/// Kinetic and elastic energy, J.
pub(super) fn stored(network: &Network, u: &Kinematics) -> (f64, f64) {
    let kinetic = network.nodes().iter().zip(&u.v).map(|(n, v)| 0.5 * n.mass * v * v);
    let elastic = network.springs().iter().map(|s| {
        let d = stretch(&u.x, s.between());
        0.5 * s.coefficient * d * d
    });
    let shared = network.shared_masses().iter();
    let shared = shared.map(|s| s.mass * u.v[s.between[0]] * u.v[s.between[1]]);
    (kinetic.chain(shared).sum(), elastic.sum())
}

/// u_a − u_b.
pub(super) fn stretch(u: &[f64], [a, b]: [Option<usize>; 2]) -> f64 {
    a.map_or(0.0, |i| u[i]) - b.map_or(0.0, |i| u[i])
}

/// Energy lost in dashpots and sliders in a step of length `h` (s), J, `lambda` being the friction of each slider, N.
pub(super) fn lost(network: &Network, [from, to]: [&Kinematics; 2], lambda: &[f64], h: f64) -> f64 {
    let slide = |between| stretch(&to.x, between) - stretch(&from.x, between);
    let damped = network.dashpots().iter().map(|d| d.coefficient * slide(d.between()).powi(2) / h);
    let rubbed = network.sliders().iter().zip(lambda).map(|(s, l)| l * slide(s.between()));
    damped.sum::<f64>() + rubbed.sum::<f64>()
}

/// A step as the audit sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step<'a> {
    pub from: &'a Kinematics,
    pub to: &'a Kinematics,
    /// The nodes that loads act on, with their forces before and after, N.
    pub forces: &'a [(usize, f64, f64)],
    /// Friction of each slider, N.
    pub lambda: &'a [f64],
    /// Its length, s.
    pub h: f64,
}

/// What does work in a network.
#[derive(Debug, Clone)]
pub(super) struct Account<'a> {
    network: &'a Network,
    sliders: Arc<[Ends]>,
    /// Whether each node is prescribed, and whether any is.
    moved: Vec<bool>,
    any_moved: bool,
}

impl<'a> Account<'a> {
    /// Of `network`, whose sliders have these ends.
    pub fn new(network: &'a Network, sliders: Arc<[Ends]>) -> Self {
        let moved: Vec<bool> = network.nodes().iter().map(|n| n.motion.is_some()).collect();
        let any_moved = moved.contains(&true);
        Self { network, sliders, moved, any_moved }
    }

    /// Adds the energies of `step`: forces by the trapezoidal rule, friction and damping as the step has
    /// them. A prescribed node works against all that pulls at it.
    pub fn add(&self, step: Step<'_>, e: &mut Energy) {
        // All of one length, so that each place is compared with it once.
        let n = self.moved.len();
        let (from, to, moved) = (&step.from.x[..n], &step.to.x[..n], &self.moved[..n]);
        // The work of prescribed ends against a branch force f (positive pulls a towards b).
        let work = |i: usize, f: f64| match moved.get(i) {
            Some(true) => f * (to[i] - from[i]),
            _ => 0.0,
        };
        let pull = |[a, b]: [usize; 2], f: f64| {
            if self.any_moved { work(a, f) - work(b, f) } else { 0.0 }
        };
        let at = |u: &[f64], i: usize| u.get(i).map_or(0.0, |u| *u);
        let apart = |u: &[f64], [a, b]: [usize; 2]| at(u, a) - at(u, b);
        for &(i, before, after) in step.forces.iter().filter(|f| moved.get(f.0) != Some(&true)) {
            e.work += 0.5 * (before + after) * (to[i] - from[i]);
        }
        let moves = |[a, b]: [usize; 2]| {
            self.any_moved && (moved.get(a) == Some(&true) || moved.get(b) == Some(&true))
        };
        // Springs do work where a node is prescribed.
        let springs = self.network.springs().iter().filter(|_| self.any_moved);
        for (between, k) in springs.map(|s| (s.places(), s.coefficient)).filter(|s| moves(s.0)) {
            e.work += pull(between, 0.5 * k * (apart(from, between) + apart(to, between)));
        }
        for (between, c) in self.network.dashpots().iter().map(|d| (d.places(), d.coefficient)) {
            let d = apart(to, between) - apart(from, between);
            let f = c * d / step.h;
            e.viscous += f * d;
            e.work += pull(between, f);
        }
        for (between, l) in self.sliders.iter().map(|s| s.places()).zip(step.lambda) {
            e.friction += l * (apart(to, between) - apart(from, between));
            if moves(between) {
                e.work += pull(between, *l);
            }
        }
    }
}
