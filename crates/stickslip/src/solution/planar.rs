//! Solutions of masses on a plane.

use super::scheme::refuse;
use super::{Column, Reader, Role, Scheme, Shown, Solution, Solved, instants, joined};
use crate::error::Error;
use crate::model::{Model, Planar};
use crate::motion::{Counts, Energy, Grid, Phase, PlanarState};
use crate::scheme::planar::{self, Node, PlanarArc, PlanarPath, euler_steps};

pub(super) type Body = Solved<Planar, PlanarArc>;

pub(super) fn solve(p: &Planar, end: f64, scheme: &Scheme) -> Result<Solution, Error> {
    let path = match *scheme {
        Scheme::Adaptive(options) => planar::solve(p, end, options)?,
        Scheme::Euler { step } => euler_steps::euler(p, end, step)?,
        Scheme::ImplicitEuler { step } => euler_steps::implicit_euler(p, end, step)?,
        _ => return Err(refuse(scheme, "planar", Model::PLANAR)),
    };
    let counts = match grid(&path) {
        Some(grid) => grid.steps(),
        None => path.segments().iter().map(|s| s.arc.steps()).sum(),
    };
    let body = Body { model: p.clone(), path };
    Ok(Solution::new(super::Body::Planar(body), Counts::of_steps(counts)))
}

/// The grid of a path of a stepping scheme.
fn grid(path: &PlanarPath) -> Option<&Grid<Node>> {
    path.segments().first().and_then(|s| s.arc.grid())
}

/// The names of the numbers that a solution has at every instant.
pub(super) fn columns() -> Vec<Column> {
    vec![
        Column::new("x", Role::Position),
        Column::new("y", Role::Position),
        Column::new("vx", Role::Velocity),
        Column::new("vy", Role::Velocity),
        Column::new("friction_x", Role::Force),
        Column::new("friction_y", Role::Force),
    ]
}

/// Writes them, in this state.
pub(super) fn fill(u: &PlanarState, out: &mut [f64]) {
    let [x, y] = u.x;
    let [vx, vy] = u.v;
    let [rx, ry] = u.friction;
    out.copy_from_slice(&[x, y, vx, vy, rx, ry]);
}

impl Shown for Body {
    fn columns(&self) -> Vec<Column> {
        columns()
    }

    fn reader(&self) -> Reader<'_> {
        Box::new(|t, out| fill(&self.path.state(t), out))
    }

    fn places(&self) -> Vec<String> {
        let rim = self.model.rim.map(|_| "rim".to_owned());
        std::iter::once(String::new()).chain(rim).collect()
    }

    fn phases(&self, place: usize) -> Vec<(Phase, f64, f64)> {
        let segments = self.path.segments().iter().filter(|_| place == 0);
        joined(segments.map(|s| (s.phase.into(), s.start, s.end)))
    }

    fn energy(&self) -> Energy {
        self.path.energy()
    }

    fn nodes(&self) -> Vec<f64> {
        instants(&self.path, grid(&self.path).map(|g| (g.steps(), g.step)))
    }

    fn span(&self) -> (f64, f64) {
        self.path.span()
    }
}
