//! Solutions of masses between walls.

use super::scheme::refuse;
use super::{Column, Reader, Role, Scheme, Shown, Solution, Solved, instants, joined};
use crate::error::Error;
use crate::model::{Impact, Model};
use crate::motion::{Counts, Energy, Grid, ImpactArc, ImpactPath, Phase, State, Touching, Wall};
use crate::scheme::impact::{self, moreau, penalised};

pub(super) type Body = Solved<Impact, ImpactArc>;

pub(super) fn solve(i: &Impact, end: f64, scheme: &Scheme) -> Result<Solution, Error> {
    let path = match *scheme {
        Scheme::Exact => impact::solve(i, end)?,
        Scheme::Moreau { step } => moreau::solve(i, end, step)?,
        Scheme::Penalised(penalty) => penalised::solve(i, penalty, end)?,
        _ => return Err(refuse(scheme, "impact", Model::IMPACT)),
    };
    let counts = Counts::of_steps(grid(&path).map_or(0, Grid::steps));
    let body = Body { model: i.clone(), path };
    Ok(Solution::new(super::Body::Impact(body), counts))
}

/// The grid of a path of a stepping scheme.
fn grid(path: &ImpactPath) -> Option<&Grid> {
    match path.segments().first().map(|s| &s.arc) {
        Some(ImpactArc::Steps(steps)) => Some(&steps.grid),
        _ => None,
    }
}

/// The names of the numbers that a solution has at every instant.
pub(super) fn columns(_: &Impact) -> Vec<Column> {
    vec![
        Column::new("x", Role::Position),
        Column::new("v", Role::Velocity),
        Column::new("impulse", Role::Impulse),
    ]
}

impl Shown for Body {
    fn columns(&self) -> Vec<Column> {
        columns(&self.model)
    }

    fn reader(&self) -> Reader<'_> {
        let path = &self.path;
        let grid = grid(&self.path);
        let mut before = f64::NEG_INFINITY;
        Box::new(move |t, out| {
            // A node's own state, where the interpolant would round it.
            let node = grid.and_then(|g| g.node(t)).copied();
            let State { x, v } = node.unwrap_or_else(|| path.state(t));
            out.copy_from_slice(&[x, v, path.impulse(before, t) + 0.0]);
            before = t;
        })
    }

    fn places(&self) -> Vec<String> {
        Wall::ALL.iter().map(|w| w.name().to_owned()).collect()
    }

    fn phases(&self, place: usize) -> Vec<(Phase, f64, f64)> {
        joined(self.path.segments().iter().filter_map(|s| match s.phase {
            Touching::Contact(wall) if wall.index() == place => {
                Some((Phase::Stick, s.start, s.end))
            }
            _ => None,
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
