//! Solutions of machines.

use super::{Column, Reader, Role, Scheme, Shown, Solution, Solved, instants, joined};
use crate::error::Error;
use crate::model::Machine;
use crate::motion::{Counts, Energy, NetworkState, Phase};
use crate::scheme::machine::{self, MachineArc};

pub(super) type Body = Solved<Machine, MachineArc>;

pub(super) fn solve(m: &Machine, end: f64, scheme: &Scheme) -> Result<Solution, Error> {
    let Scheme::Adaptive(options) = *scheme else { return Err(refuse(m, scheme)) };
    let path = machine::solve(m, end, options)?;
    let counts = Counts::of_steps(path.segments().iter().map(|s| s.arc.steps()).sum());
    let body = Body { model: m.clone(), path };
    Ok(Solution::new(super::Body::Machine(body), counts))
}

/// The error of another scheme: what of the machine it cannot treat.
pub(super) fn refuse(m: &Machine, scheme: &Scheme) -> Error {
    let reason = format!("{}; `adaptive` treats it", m.beyond_networks());
    Error::Unsuitable { scheme: scheme.name(), reason }
}

/// The names of the numbers that a solution has at every instant.
pub(super) fn columns(m: &Machine) -> Vec<Column> {
    let nodes = m.network().nodes().iter().flat_map(|n| {
        let x = Column::new(format!("x_{}", n.name), Role::Position);
        [x, Column::new(format!("v_{}", n.name), Role::Velocity)]
    });
    let sliders = m.network().sliders().iter();
    nodes.chain(sliders.map(|s| Column::new(format!("friction_{}", s.name), Role::Force))).collect()
}

/// Writes them, in this state.
pub(super) fn fill(u: &NetworkState, out: &mut [f64]) {
    super::network::fill(u, out);
}

impl Shown for Body {
    fn columns(&self) -> Vec<Column> {
        columns(&self.model)
    }

    fn reader(&self) -> Reader<'_> {
        Box::new(|t, out| fill(&self.path.state(t), out))
    }

    fn places(&self) -> Vec<String> {
        self.model.network().sliders().iter().map(|s| s.name.to_string()).collect()
    }

    fn phases(&self, place: usize) -> Vec<(Phase, f64, f64)> {
        let segments = self.path.segments().iter();
        joined(
            segments.filter_map(|s| Some((Phase::of_sign(*s.phase.get(place)?), s.start, s.end))),
        )
    }

    fn energy(&self) -> Energy {
        self.path.energy()
    }

    fn nodes(&self) -> Vec<f64> {
        instants(&self.path, None)
    }

    fn span(&self) -> (f64, f64) {
        self.path.span()
    }
}
