//! Solutions of networks.

use super::scheme::refuse;
use super::{Column, Reader, Role, Scheme, Shown, Solution, Solved, instants, joined};
use crate::error::Error;
use crate::model::{Model, Network};
use crate::motion::{Energy, NetworkState, Phase};
use crate::scheme::network::NetworkArc;
use crate::scheme::network::{self, NetworkRun};

/// A path of a network, with the energies that its scheme has counted, if it has.
#[derive(Debug)]
pub(super) struct Body {
    pub solved: Solved<Network, NetworkArc>,
    energy: Option<Energy>,
}

pub(super) fn solve(n: &Network, end: f64, scheme: &Scheme) -> Result<Solution, Error> {
    let stepped = |(path, run): (_, NetworkRun)| (path, run.counts, Some(run.energy));
    let (path, counts, energy) = match *scheme {
        Scheme::Exact => (network::exact(n, end)?, Default::default(), None),
        Scheme::ImplicitEuler { step } => stepped(network::solve(n, end, step, 1.0)?),
        Scheme::Theta { step, theta } => stepped(network::solve(n, end, step, theta)?),
        Scheme::SignEuler { step } => stepped(network::sign_euler(n, end, step)?),
        _ => return Err(refuse(scheme, "network", Model::NETWORK)),
    };
    let body = Body { solved: Solved { model: n.clone(), path }, energy };
    Ok(Solution::new(super::Body::Network(body), counts))
}

/// The names of the numbers that a solution has at every instant.
pub(super) fn columns(network: &Network) -> Vec<Column> {
    let nodes = network.nodes().iter().flat_map(|n| {
        let x = Column::new(format!("x_{}", n.name), Role::Position);
        [x, Column::new(format!("v_{}", n.name), Role::Velocity)]
    });
    let sliders = network.sliders().iter();
    nodes.chain(sliders.map(|s| Column::new(format!("friction_{}", s.name), Role::Force))).collect()
}

/// Writes them, in this state.
pub(super) fn fill(u: &NetworkState, out: &mut [f64]) {
    for (cells, (x, v)) in out.chunks_exact_mut(2).zip(u.x.iter().zip(&u.v)) {
        cells.copy_from_slice(&[*x, *v]);
    }
    out[2 * u.x.len()..].copy_from_slice(&u.friction);
}

impl Shown for Body {
    fn columns(&self) -> Vec<Column> {
        columns(&self.solved.model)
    }

    fn reader(&self) -> Reader<'_> {
        Box::new(|t, out| fill(&self.solved.path.state(t), out))
    }

    fn places(&self) -> Vec<String> {
        self.solved.model.sliders().iter().map(|s| s.name.to_string()).collect()
    }

    fn phases(&self, place: usize) -> Vec<(Phase, f64, f64)> {
        joined(
            self.solved
                .path
                .segments()
                .iter()
                .filter_map(|s| Some((Phase::of_sign(*s.phase.get(place)?), s.start, s.end))),
        )
    }

    fn energy(&self) -> Energy {
        self.energy.unwrap_or_else(|| self.solved.path.energy(&self.solved.model))
    }

    fn nodes(&self) -> Vec<f64> {
        let path = &self.solved.path;
        let steps = match path.segments().first().map(|s| &s.arc) {
            Some(NetworkArc::Steps(grid)) => Some((grid.steps(), grid.step)),
            _ => None,
        };
        instants(path, steps)
    }

    fn span(&self) -> (f64, f64) {
        self.solved.path.span()
    }
}
