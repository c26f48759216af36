//! Solutions of slabs on isolators.

use super::scheme::refuse;
use super::{Column, Reader, Role, Scheme, Shown, Solution, Solved, instants, joined};
use crate::error::Error;
use crate::model::{Isolated, Model};
use crate::motion::{Counts, Energy, Phase};
use crate::scheme::isolated::{self, IsolatedArc, IsolatedState};

pub(super) type Body = Solved<Isolated, IsolatedArc>;

pub(super) fn solve(model: &Isolated, end: f64, scheme: &Scheme) -> Result<Solution, Error> {
    let (path, counts) = match *scheme {
        Scheme::Adaptive(options) => {
            let path = isolated::adaptive(model, end, options)?;
            let steps = path.segments().iter().map(|s| s.arc.steps()).sum();
            (path, Counts::of_steps(steps))
        }
        Scheme::ImplicitEuler { step } => isolated::counted(model, end, step)?,
        _ => return Err(refuse(scheme, "isolated", Model::ISOLATED)),
    };
    let body = Body { model: model.clone(), path };
    Ok(Solution::new(super::Body::Isolated(body), counts))
}

/// The names of the numbers that a solution has at every instant: places and rates of the slab and of each floor, then the place and
/// the friction of each isolator.
pub(super) fn columns(model: &Isolated) -> Vec<Column> {
    let mut all = Vec::new();
    for names in model.coordinates().chunks_exact(3) {
        let turn = |role, unit, name: String| Column { unit, ..Column::new(name, role) };
        all.push(Column::new(&*names[0], Role::Position));
        all.push(Column::new(&*names[1], Role::Position));
        all.push(turn(Role::Position, "rad", names[2].clone()));
        all.push(Column::new(format!("v{}", names[0]), Role::Velocity));
        all.push(Column::new(format!("v{}", names[1]), Role::Velocity));
        all.push(turn(Role::Velocity, "rad/s", format!("v{}", names[2])));
    }
    for isolator in &model.isolators {
        let name = &isolator.name;
        // It follows from the place of the slab, which is a state.
        all.push(Column::new(format!("x_{name}"), Role::Place));
        all.push(Column::new(format!("y_{name}"), Role::Place));
        all.push(Column::new(format!("friction_x_{name}"), Role::Force));
        all.push(Column::new(format!("friction_y_{name}"), Role::Force));
    }
    all
}

/// Writes them, in this state.
pub(super) fn fill(model: &Isolated, u: &IsolatedState, out: &mut [f64]) {
    let bodies = u.q.chunks_exact(3).zip(u.v.chunks_exact(3));
    let states = bodies.flat_map(|(q, v)| q.iter().chain(v)).copied();
    let isolators = model.isolators.iter().zip(&u.friction);
    let places = isolators.flat_map(|(isolator, [fx, fy])| {
        let [x, y] = u.displacement(isolator.at);
        [x, y, *fx, *fy]
    });
    out.iter_mut().zip(states.chain(places)).for_each(|(cell, value)| *cell = value);
}

impl Shown for Body {
    fn columns(&self) -> Vec<Column> {
        columns(&self.model)
    }

    fn reader(&self) -> Reader<'_> {
        Box::new(|t, out| fill(&self.model, &self.path.state(t), out))
    }

    fn places(&self) -> Vec<String> {
        self.model.isolators.iter().map(|i| i.name.to_string()).collect()
    }

    fn phases(&self, place: usize) -> Vec<(Phase, f64, f64)> {
        // A slip in a plane has no sign.
        let phase = |rests: bool| if rests { Phase::Stick } else { Phase::SlipForward };
        joined(self.path.segments().iter().map(|s| (phase(s.phase[place]), s.start, s.end)))
    }

    fn energy(&self) -> Energy {
        self.path.energy()
    }

    fn nodes(&self) -> Vec<f64> {
        let grid = self.path.segments().first().and_then(|s| s.arc.grid());
        instants(&self.path, grid.map(|g| (g.steps(), g.step)))
    }

    fn span(&self) -> (f64, f64) {
        self.path.span()
    }
}
