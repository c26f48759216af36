//! Solutions of oscillators.

use super::scheme::refuse;
use super::{Column, Reader, Role, Scheme, Shown, Solution, Solved, instants, joined};
use crate::error::Error;
use crate::model::{Model, Oscillator};
use crate::motion::{Counts, Energy, Grid, Phase, State, Stretch, Trajectory, Wall};
use crate::scheme::oscillator::{
    adaptive, euler, exact, implicit_euler, quasi_static, sign, theta,
};

pub(super) type Body = Solved<Oscillator, Stretch>;

/// The path of `o` on [0, `end`] (s).
pub(super) fn path(o: &Oscillator, end: f64, scheme: &Scheme) -> Result<Trajectory, Error> {
    match *scheme {
        Scheme::Exact => exact::solve(o, end),
        Scheme::Adaptive(options) => adaptive::solve(o, end, options),
        Scheme::Euler { step } => euler::solve(o, end, step),
        Scheme::ImplicitEuler { step } => implicit_euler::solve(o, end, step),
        Scheme::Theta { step, theta } => theta::solve(o, end, step, theta),
        Scheme::QuasiStatic => quasi_static::solve(o, end),
        Scheme::SignEuler { step } => sign::sign_euler(o, end, step),
        Scheme::SignImplicit { step } => sign::sign_implicit(o, end, step),
        Scheme::GeneralPurpose { solver, rtol, atol } => {
            crate::scheme::oscillator::general_purpose::solve(o, end, solver, rtol, atol)
        }
        _ => Err(refuse(scheme, "oscillator", Model::OSCILLATOR)),
    }
}

pub(super) fn solve(o: &Oscillator, end: f64, scheme: &Scheme) -> Result<Solution, Error> {
    Ok(solution(o, path(o, end, scheme)?))
}

/// The same motion without what only its warnings need, where that is most of the work.
pub(super) fn unexamined(o: &Oscillator, end: f64, scheme: &Scheme) -> Result<Solution, Error> {
    let path = match *scheme {
        Scheme::Adaptive(options) => adaptive::unexamined(o, end, options),
        _ => path(o, end, scheme),
    }?;
    Ok(solution(o, path))
}

fn solution(o: &Oscillator, path: Trajectory) -> Solution {
    let counts = Counts::of_steps(steps(&path));
    let body = Body { model: o.clone(), path };
    Solution::new(super::Body::Oscillator(body), counts)
}

/// Steps in time of a path.
fn steps(path: &Trajectory) -> usize {
    match grid(path) {
        Some(grid) => grid.steps(),
        None => path.segments().iter().map(|s| s.arc.steps()).sum(),
    }
}

/// The grid of a path of a stepping scheme.
fn grid(path: &Trajectory) -> Option<&Grid> {
    match path.segments().first().map(|s| &s.arc) {
        Some(Stretch::Steps(grid)) => Some(grid),
        _ => None,
    }
}

/// The names of the numbers that a solution has at every instant.
pub(super) fn columns(o: &Oscillator) -> Vec<Column> {
    let mut columns = vec![
        Column::new("x", Role::Position),
        Column::new("v", Role::Velocity),
        Column::new("friction", Role::Force),
    ];
    columns.extend(o.stops.map(|_| Column::new("stop", Role::Force)));
    columns
}

/// Writes them, at `t` (s), in this state and phase.
pub(super) fn fill(o: &Oscillator, t: f64, state: State, phase: Phase, out: &mut [f64]) {
    out[..3].copy_from_slice(&[state.x, state.v, o.friction_force(t, state, phase)]);
    if let Some(stop) = out.get_mut(3) {
        *stop = o.stop_force(t, state, phase);
    }
}

impl Shown for Body {
    fn columns(&self) -> Vec<Column> {
        columns(&self.model)
    }

    fn width(&self) -> Option<usize> {
        Some(3 + usize::from(self.model.stops.is_some()))
    }

    fn reader(&self) -> Reader<'_> {
        let o = &self.model;
        let path = &self.path;
        let grid = grid(&self.path);
        Box::new(move |t, out| {
            let s = path.segment(t);
            // A node's own state, where the interpolant would round it.
            let node = grid.and_then(|g| g.node(t)).copied();
            let state = node.unwrap_or_else(|| path.state(t));
            fill(o, t, state, s.phase, out);
        })
    }

    fn places(&self) -> Vec<String> {
        let walls: &[Wall] = if self.model.stops.is_some() { &Wall::ALL } else { &[] };
        std::iter::once("").chain(walls.iter().map(|w| w.name())).map(str::to_owned).collect()
    }

    fn phases(&self, place: usize) -> Vec<(Phase, f64, f64)> {
        match Wall::ALL.into_iter().find(|w| w.stop_place() == place) {
            _ if place == 0 => self.path.phases(),
            Some(wall) => joined(self.path.segments().iter().filter_map(|s| {
                let still = s.phase == Phase::Stick || matches!(s.arc, Stretch::Rest(_));
                let held = still && self.model.rigid_stop(self.path.state(s.start).x) == Some(wall);
                held.then_some((Phase::Stick, s.start, s.end))
            })),
            None => Vec::new(),
        }
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
