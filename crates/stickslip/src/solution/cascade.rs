//! Solutions of cascades.

use super::scheme::refuse;
use super::{Column, Reader, Role, Scheme, Shown, Solution, Solved, instants, joined};
use crate::error::{Error, Obstacle};
use crate::model::{Cascade, Model, Replay};
use crate::motion::{CascadeArc, CascadeGrid, CascadePath, Counts, Energy, Phase};
use crate::scheme::cascade;

pub(super) type Body = Solved<Cascade, CascadeArc>;

pub(super) fn solve(c: &Cascade, end: f64, scheme: &Scheme) -> Result<Solution, Error> {
    let (path, counts) = match *scheme {
        Scheme::Exact => (cascade::exact(c, end)?, None),
        Scheme::ImplicitEuler { step } => {
            let (path, counts) = cascade::solve_implicit_euler(c, end, step)?;
            (path, Some(counts))
        }
        Scheme::Hysteresis { step } => (cascade::hysteresis(c, end, step)?, None),
        Scheme::Theta { step, theta: 0.5 } => (cascade::theta(c, end, step)?, None),
        Scheme::Theta { .. } => return Err(other_theta()),
        Scheme::QuasiStatic => (cascade::quasi_static(c, end)?, None),
        _ => return Err(refuse(scheme, "cascade", Model::CASCADE)),
    };
    let steps = grid(&path).map_or(0, CascadeGrid::steps);
    let counts = counts.unwrap_or(Counts::of_steps(steps));
    let body = Body { model: c.clone(), path };
    Ok(Solution::new(super::Body::Cascade(body), counts))
}

/// Files know θ = ½ only.
pub(super) fn other_theta() -> Error {
    Error::Unsuitable { scheme: "theta", reason: Obstacle::OtherTheta }
}

/// The grid of a path of a stepping scheme.
fn grid(path: &CascadePath) -> Option<&CascadeGrid> {
    match path.segments().first().map(|s| &s.arc) {
        Some(CascadeArc::Steps(grid)) => Some(grid),
        _ => None,
    }
}

/// The names of the numbers that a solution has at every instant.
pub(super) fn columns(c: &Cascade) -> Vec<Column> {
    let mass = [("x", Role::Position), ("v", Role::Velocity), ("force", Role::Force)];
    let elements = (1..=c.elements()).map(|i| Column::new(format!("w{i}"), Role::Force));
    mass.into_iter().map(|(name, role)| Column::new(name, role)).chain(elements).collect()
}

impl Shown for Body {
    fn columns(&self) -> Vec<Column> {
        columns(&self.model)
    }

    fn reader(&self) -> Reader<'_> {
        let mut replay = Replay::new(&self.model, &self.path);
        Box::new(move |t, out| {
            let u = self.path.state(t);
            out[..3].copy_from_slice(&[u.x, u.v, u.force]);
            replay.friction(t, &mut out[3..]);
        })
    }

    fn places(&self) -> Vec<String> {
        let elements = (1..=self.model.elements()).map(|i| i.to_string());
        std::iter::once("mass".to_owned()).chain(elements).collect()
    }

    fn phases(&self, place: usize) -> Vec<(Phase, f64, f64)> {
        joined(self.path.segments().iter().map(|s| {
            let moves = place <= s.phase.slipping;
            let phase = Phase::of_sign(if moves { s.phase.direction } else { 0 });
            (phase, s.start, s.end)
        }))
    }

    fn energy(&self) -> Energy {
        self.path.energy(&self.model)
    }

    fn nodes(&self) -> Vec<f64> {
        instants(&self.path, grid(&self.path).map(|g| (g.steps(), g.step)))
    }

    fn span(&self) -> (f64, f64) {
        self.path.span()
    }
}
