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
    (kinetic.sum(), elastic.sum())
}

/// u_a − u_b.
pub(super) fn stretch(u: &[f64], [a, b]: [Option<usize>; 2]) -> f64 {
    a.map_or(0.0, |i| u[i]) - b.map_or(0.0, |i| u[i])
}

/// Adds the energies of one step: forces by the trapezoidal rule, friction and damping as the step has
/// them. A prescribed node works against all that pulls at it.
pub(super) fn audit(
    network: &Network,
    e: &mut Energy,
    (from, to): (&Kinematics, &Kinematics),
    ((before, after), lambda, h): ((&[f64], &[f64]), &[f64], f64),
) {
    let dx = |i: usize| to.x[i] - from.x[i];
    let moves = |end: Option<usize>| end.filter(|&i| network.nodes()[i].motion.is_some());
    // The work of prescribed ends against a branch force f (positive pulls a towards b).
    let ends = |[a, b]: [Option<usize>; 2], f: f64| {
        moves(a).map_or(0.0, |i| f * dx(i)) - moves(b).map_or(0.0, |i| f * dx(i))
    };
    for i in 0..before.len() {
        if network.nodes()[i].motion.is_none() {
            e.work += 0.5 * (before[i] + after[i]) * dx(i);
        }
    }
    for s in network.springs() {
        let d = stretch(&from.x, s.between) + stretch(&to.x, s.between);
        e.work += ends(s.between, 0.5 * s.coefficient * d);
    }
    for s in network.dashpots() {
        let d = stretch(&to.x, s.between) - stretch(&from.x, s.between);
        let f = s.coefficient * d / h;
        e.viscous += f * d;
        e.work += ends(s.between, f);
    }
    for (s, l) in network.sliders().iter().zip(lambda) {
        e.friction += l * (stretch(&to.x, s.between) - stretch(&from.x, s.between));
        e.work += ends(s.between, *l);
    }
}
