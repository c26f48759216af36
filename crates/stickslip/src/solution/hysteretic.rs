//! Solutions of contacts with memory.

use super::{Column, Reader, Role, Scheme, Shown, Solution, Solved, instants, joined};
use crate::error::{Error, Obstacle};
use crate::model::Hysteretic;
use crate::motion::{Counts, Energy, Phase};
use crate::scheme::memory::{self, MemoryArc, MemoryState};

pub(super) type Body = Solved<Hysteretic, MemoryArc>;

pub(super) fn solve(h: &Hysteretic, end: f64, scheme: &Scheme) -> Result<Solution, Error> {
    let path = match *scheme {
        Scheme::Adaptive(options) => memory::solve(h, end, options)?,
        Scheme::ImplicitEuler { step } => memory::fixed::solve(h, end, step)?,
        _ => return Err(refuse(h, scheme)),
    };
    let counts = Counts::of_steps(path.segments().iter().map(|s| s.arc.steps()).sum());
    let body = Body { model: h.clone(), path };
    Ok(Solution::new(super::Body::Hysteretic(body), counts))
}

/// The error of another scheme.
pub(super) fn refuse(h: &Hysteretic, scheme: &Scheme) -> Error {
    let schemes = "`adaptive` and `implicit-euler` treat it";
    let reason = Obstacle::Part { part: h.beyond_oscillators(), schemes };
    Error::Unsuitable { scheme: scheme.name(), reason }
}

/// The names of the numbers that a solution has at every instant.
pub(super) fn columns(h: &Hysteretic) -> Vec<Column> {
    let states = h.law().states();
    let mut all = vec![
        Column::new("x", Role::Position),
        Column::new("v", Role::Velocity),
        Column::new("friction", Role::Force),
    ];
    all.extend((0..states).map(|i| {
        let name = if states == 1 { "z".to_owned() } else { format!("z{}", i + 1) };
        Column { unit: h.law().unit(i), ..Column::new(name, Role::Memory) }
    }));
    all
}

/// Writes them, in this state.
pub(super) fn fill(u: &MemoryState, out: &mut [f64]) {
    let all = [u.x, u.v, u.friction].into_iter().chain(u.z.iter().copied());
    out.iter_mut().zip(all).for_each(|(cell, value)| *cell = value);
}

impl Shown for Body {
    fn columns(&self) -> Vec<Column> {
        columns(&self.model)
    }

    fn reader(&self) -> Reader<'_> {
        Box::new(|t, out| fill(&self.path.state(t), out))
    }

    fn places(&self) -> Vec<String> {
        let elements = (1..=self.model.law().elements()).map(|i| i.to_string());
        std::iter::once(String::new()).chain(elements).collect()
    }

    fn phases(&self, place: usize) -> Vec<(Phase, f64, f64)> {
        if place > 0 {
            return Vec::new(); // of the elements only the instants are shown at which they yield
        }
        joined(self.path.segments().iter().map(|s| (s.phase, s.start, s.end)))
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
