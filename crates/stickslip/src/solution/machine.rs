//! Solutions of machines.

use super::{Column, Reader, Role, Scheme, Shown, Solution, Solved, instants, joined};
use crate::error::{Error, Obstacle};
use crate::model::Machine;
use crate::motion::{Counts, Energy, Phase, Segment};
use crate::scheme::machine::theta_method::{self, SteppedArc};
use crate::scheme::machine::{self, MachineArc, MachineState};

pub(super) type Body = Solved<Machine, MachineArc>;

/// A path by steps, with the energies that its scheme has counted.
#[derive(Debug)]
pub(super) struct Stepped {
    pub solved: Solved<Machine, SteppedArc>,
    energy: Energy,
}

pub(super) fn solve(m: &Machine, end: f64, scheme: &Scheme) -> Result<Solution, Error> {
    if let Some((step, theta)) = scheme.weighted() {
        let (path, counts, energy) = theta_method::solve(m, end, step, theta)?;
        let body = Stepped { solved: Solved { model: m.clone(), path }, energy };
        return Ok(Solution::new(super::Body::SteppedMachine(body), counts));
    }
    let path = match *scheme {
        Scheme::Exact => machine::exact(m, end)?,
        Scheme::Adaptive(options) => machine::solve(m, end, options)?,
        _ => return Err(refuse(m, scheme)),
    };
    let counts = Counts::of_steps(path.segments().iter().map(|s| s.arc.steps()).sum());
    let body = Body { model: m.clone(), path };
    Ok(Solution::new(super::Body::Machine(body), counts))
}

/// The error of another scheme: what of the machine it cannot treat.
pub(super) fn refuse(m: &Machine, scheme: &Scheme) -> Error {
    let schemes = "`adaptive` treats it, and most machines `implicit-euler` and `theta`";
    let reason = Obstacle::Part { part: m.beyond_networks(), schemes };
    Error::Unsuitable { scheme: scheme.name(), reason }
}

/// The names of the places of its events.
fn places(m: &Machine) -> Vec<String> {
    let sliders = m.network().sliders().iter().map(|s| s.name.to_string());
    let stops = m.stops().iter().map(|s| s.name.to_string());
    let gears = m.gears().iter().map(|g| g.name.to_string());
    let remembering = m.network().sliders().iter().zip(m.frictions());
    let elements = remembering.flat_map(|(s, f)| {
        let elements = f.bristle.as_ref().map_or(0, |b| b.law.law().elements());
        (1..=elements).map(move |i| format!("{}.{i}", s.name))
    });
    sliders.chain(stops).chain(gears).chain(elements).collect()
}

/// The names of the numbers that a solution has at every instant.
pub(super) fn columns(m: &Machine) -> Vec<Column> {
    let nodes = m.network().nodes().iter().flat_map(|n| {
        let x = Column::new(format!("x_{}", n.name), Role::Position);
        [x, Column::new(format!("v_{}", n.name), Role::Velocity)]
    });
    let sliders = m.network().sliders().iter();
    let sliders = sliders.map(|s| Column::new(format!("friction_{}", s.name), Role::Force));
    let stops = m.stops().iter().flat_map(|s| {
        let gap = Column::new(format!("gap_{}", s.name), Role::Gap);
        [gap, Column::new(format!("force_{}", s.name), Role::Force)]
    });
    let controllers = m.controllers().iter();
    let controllers = controllers.map(|c| Column::new(format!("u_{}", c.name), Role::Force));
    let gears = m.gears().iter().flat_map(|g| {
        let load = Column::new(format!("force_{}", g.name), Role::Force);
        let rub = g.friction.map(|_| Column::new(format!("friction_{}", g.name), Role::Force));
        std::iter::once(load).chain(rub)
    });
    let bristles = m.remembered().into_iter();
    let bristles = bristles.map(|(name, unit)| Column { unit, ..Column::new(name, Role::Memory) });
    nodes.chain(sliders).chain(stops).chain(controllers).chain(gears).chain(bristles).collect()
}

/// Writes them, in this state.
pub(super) fn fill(m: &Machine, u: &MachineState, out: &mut [f64]) {
    out.iter_mut().zip(u.row(m)).for_each(|(cell, value)| *cell = value);
}

impl Shown for Body {
    fn columns(&self) -> Vec<Column> {
        columns(&self.model)
    }

    fn reader(&self) -> Reader<'_> {
        Box::new(|t, out| fill(&self.model, &self.path.state(t), out))
    }

    fn places(&self) -> Vec<String> {
        places(&self.model)
    }

    fn phases(&self, place: usize) -> Vec<(Phase, f64, f64)> {
        let sliders = self.model.network().sliders().len();
        let stops = self.model.stops().len();
        let phase = |s: &Segment<MachineArc>| match place.checked_sub(sliders) {
            None => machine::phases(&self.model, &s.phase).get(place).copied(),
            // A stop knows stretches in which it is closed only.
            Some(stop) if stop < stops => s.arc.pushes(stop).then_some(Phase::Stick),
            Some(after) => s.arc.slides(after - stops).map(Phase::of_sign),
        };
        let segments = self.path.segments().iter();
        joined(segments.filter_map(|s| Some((phase(s)?, s.start, s.end))))
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

impl Shown for Stepped {
    fn columns(&self) -> Vec<Column> {
        columns(&self.solved.model)
    }

    fn reader(&self) -> Reader<'_> {
        Box::new(|t, out| fill(&self.solved.model, &self.solved.path.state(t), out))
    }

    fn places(&self) -> Vec<String> {
        places(&self.solved.model)
    }

    fn phases(&self, place: usize) -> Vec<(Phase, f64, f64)> {
        let sliders = self.solved.model.network().sliders().len();
        let stops = self.solved.model.stops().len();
        let phase = |s: &Segment<SteppedArc>| match place.checked_sub(sliders) {
            None => machine::phases(&self.solved.model, &s.phase).get(place).copied(),
            // A stop knows stretches in which it is closed only.
            Some(stop) if stop < stops => s.arc.pushes(stop).then_some(Phase::Stick),
            Some(after) => s.arc.slides(after - stops).map(Phase::of_sign),
        };
        let segments = self.solved.path.segments().iter();
        joined(segments.filter_map(|s| Some((phase(s)?, s.start, s.end))))
    }

    fn energy(&self) -> Energy {
        self.energy
    }

    fn nodes(&self) -> Vec<f64> {
        let path = &self.solved.path;
        instants(path, path.segments().first().map(|s| s.arc.steps()))
    }

    fn span(&self) -> (f64, f64) {
        self.solved.path.span()
    }
}
