//! What a run of a time-stepping scheme cost, and where its energy went.

use super::step::Kinematics;
use crate::model::Network;
use crate::motion::{Counts, Energy};

/// What a run cost and where its energy went.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NetworkRun {
    /// What it cost.
    pub counts: Counts,
    /// The energies.
    pub energy: Energy,
}

/// Kinetic and elastic energy, J.
pub(super) fn stored(network: &Network, u: &Kinematics) -> (f64, f64) {
    let kinetic = network.nodes().iter().zip(&u.v).map(|(n, v)| 0.5 * n.mass * v * v);
    let elastic = network.springs().iter().map(|s| {
        let d = stretch(&u.x, s.between);
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
    let damped = network.dashpots().iter().map(|d| d.coefficient * slide(d.between).powi(2) / h);
    let rubbed = network.sliders().iter().zip(lambda).map(|(s, l)| l * slide(s.between));
    damped.sum::<f64>() + rubbed.sum::<f64>()
}

/// A step as the audit sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step<'a> {
    pub from: &'a Kinematics,
    pub to: &'a Kinematics,
    /// Forces on the nodes before and after, N.
    pub forces: (&'a [f64], &'a [f64]),
    /// Friction of each slider, N.
    pub lambda: &'a [f64],
    /// Its length, s.
    pub h: f64,
    /// Whether any node is prescribed.
    pub prescribed: bool,
}

impl Step<'_> {
    /// Adds the energies of the step: forces by the trapezoidal rule, friction and damping as the step has
    /// them. A prescribed node works against all that pulls at it.
    pub fn audit(&self, network: &Network, e: &mut Energy) {
        let nodes = network.nodes();
        let n = nodes.len(); // the ground, which rests at 0
        let (from, to) = (&self.from.x[..n], &self.to.x[..n]);
        let (before, after) = (&self.forces.0[..n], &self.forces.1[..n]);
        let moves = |i: usize| self.prescribed && i < n && nodes[i].motion.is_some();
        // The work of prescribed ends against a branch force f (positive pulls a towards b).
        let ends = |[a, b]: [usize; 2], f: f64| {
            let work = |i: usize| if moves(i) { f * (to[i] - from[i]) } else { 0.0 };
            if self.prescribed { work(a) - work(b) } else { 0.0 }
        };
        let indices = |between: [Option<usize>; 2]| between.map(|end| end.unwrap_or(n));
        let at = |u: &[f64], i: usize| u.get(i).map_or(0.0, |u| *u);
        let apart = |u: &[f64], [a, b]: [usize; 2]| at(u, a) - at(u, b);
        for i in 0..n {
            if !moves(i) {
                e.work += 0.5 * (before[i] + after[i]) * (to[i] - from[i]);
            }
        }
        for s in network.springs().iter().filter(|_| self.prescribed) {
            let between = indices(s.between);
            let d = apart(from, between) + apart(to, between);
            e.work += ends(between, 0.5 * s.coefficient * d);
        }
        for s in network.dashpots() {
            let between = indices(s.between);
            let d = apart(to, between) - apart(from, between);
            let f = s.coefficient * d / self.h;
            e.viscous += f * d;
            e.work += ends(between, f);
        }
        for (s, l) in network.sliders().iter().zip(self.lambda) {
            let between = indices(s.between);
            e.friction += l * (apart(to, between) - apart(from, between));
            e.work += ends(between, *l);
        }
    }
}
