//! A machine at an instant between two steps, and what is kept of it.

use crate::motion::NetworkPhase;
use crate::scheme::machine::arc::MachineState;
use crate::scheme::machine::control::Control;
use crate::scheme::machine::impact::Met;
use crate::scheme::machine::parts::Parts;
use std::sync::Arc;

/// A rigid contact that was met at the end of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blow {
    pub contact: usize,
    /// With which velocity it opened before and after, m/s.
    pub before: f64,
    pub after: f64,
    /// Its impulse, N·s.
    pub impulse: f64,
}

/// A machine at an instant t_n.
#[derive(Debug, Clone, Default)]
pub struct Node {
    /// Displacement (m) and velocity (m/s) of each mass.
    pub(super) x: Vec<f64>,
    pub(super) v: Vec<f64>,
    /// What each row did in the step that led here, and what it does after the impacts at its end.
    pub(super) arrived: Vec<i8>,
    pub(super) doing: Vec<i8>,
    /// The regions in which the laws of sliders with memory are from here on.
    pub(super) regions: Vec<u8>,
    /// The sign of what each gear handed on in the step that led here, 0 where its friction does not slide.
    pub(super) signs: Vec<i8>,
    /// When each slider came to rest, s.
    pub(super) since: Vec<f64>,
    /// Gap of each contact, m.
    pub(super) gap: Vec<f64>,
    /// The impulse along each row in the step that led here, N·s.
    pub(super) impulse: Vec<f64>,
    /// What was met at its end.
    pub(super) blows: Vec<Blow>,
    pub(super) control: Control,
    /// Everything that is shown: see [`MachineGrid`].
    pub(super) shown: Vec<f64>,
    /// What the step that led here lost to friction, in dashpots and at stops, J.
    pub(super) lost: f64,
}

impl Node {
    /// What each row does in the step from here to `next`. A slider that rests at one end of it only slips; one with memory goes by
    /// the formulas that hold at its start, and has their regions behind all rows, where the statuses of a mode have them.
    pub(super) fn phase_to(&self, next: &Self, parts: &Parts) -> impl Iterator<Item = i8> {
        let rows = self.doing.iter().zip(&next.arrived).enumerate();
        let rows = rows.map(|(e, (before, after))| match after {
            _ if parts.memory(e).is_some() => *before,
            0 if e < parts.sliders => *before,
            _ => *after,
        });
        let regions = self.regions.iter().map(|region| region.cast_signed());
        let rubs = parts.meshes.iter().any(|mesh| mesh.row.is_some());
        let more = rubs || !self.regions.is_empty();
        let [controllers, gears] =
            if more { [2 * parts.loops.len(), parts.meshes.len()] } else { [0; 2] };
        let signs = next.signs.iter().copied().chain(std::iter::repeat(0)).take(gears);
        rows.chain(std::iter::repeat_n(0, controllers)).chain(signs).chain(regions)
    }

    /// Notes what was met, perhaps not for the first time at this instant.
    pub(super) fn note(&mut self, met: &Met) {
        let &Met { contact, before, impulse } = met;
        match self.blows.iter_mut().find(|b| b.contact == contact) {
            Some(blow) => blow.impulse += impulse,
            None => self.blows.push(Blow { contact, before, after: 0.0, impulse }),
        }
    }

    /// The same as a phase.
    pub(super) fn phase(&self, next: &Self, parts: &Parts) -> NetworkPhase {
        self.phase_to(next, parts).collect()
    }
}

/// How many numbers of each sort are shown at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sizes {
    pub nodes: usize,
    pub sliders: usize,
    pub stops: usize,
    pub controllers: usize,
    pub gears: usize,
    /// Numbers that sliders remember.
    pub bristles: usize,
}

impl Sizes {
    pub fn of(parts: &Parts) -> Self {
        let machine = &parts.machine;
        Self {
            nodes: machine.network().nodes().len(),
            sliders: machine.network().sliders().len(),
            stops: machine.stops().len(),
            controllers: machine.controllers().len(),
            gears: machine.gears().len(),
            bristles: parts.bristles.iter().map(|b| b.states).sum(),
        }
    }

    /// Displacements, velocities, gaps; friction, pushes, forces of controllers, loads and friction of gears; what sliders remember.
    pub fn width(&self) -> usize {
        let forces = self.stops + self.sliders + self.controllers + 2 * self.gears;
        2 * self.nodes + self.stops + forces + self.bristles
    }

    /// The state at the fraction `s` of the way from `a` to `b`. Forces are those of the step.
    pub fn state(&self, a: &[f64], b: &[f64], s: f64) -> MachineState {
        let mut first = 0;
        let mut take = |count: usize| {
            let range = first..first + count;
            first += count;
            range
        };
        let mix = |range: std::ops::Range<usize>| -> Vec<f64> {
            // A gap without a bound is infinite at both ends.
            let blend = |i: usize| if a[i] == b[i] { a[i] } else { a[i] + s * (b[i] - a[i]) };
            range.map(blend).collect()
        };
        let forces = if s > 0.0 { b } else { a };
        let [x, v, gap] = [self.nodes, self.nodes, self.stops].map(|n| mix(take(n)));
        let [friction, force, u, load, rub] =
            [self.sliders, self.stops, self.controllers, self.gears, self.gears]
                .map(|n| forces[take(n)].to_vec());
        let bristles = mix(take(self.bristles));
        let control = Control::default();
        let rested = Vec::new();
        MachineState { x, v, friction, gap, force, u, load, rub, control, bristles, rested }
    }
}

/// Machines on an equidistant grid, one row of numbers for each t_n = n h.
#[derive(Debug, Clone)]
pub struct MachineGrid {
    /// h, s.
    pub step: f64,
    pub(super) sizes: Sizes,
    pub(super) rows: Vec<f64>,
    pub(super) parts: Arc<Parts>,
}

impl MachineGrid {
    /// Number of steps.
    pub fn steps(&self) -> usize {
        (self.rows.len() / self.sizes.width().max(1)).saturating_sub(1)
    }

    fn row(&self, n: usize) -> &[f64] {
        let width = self.sizes.width();
        &self.rows[n * width..(n + 1) * width]
    }

    /// Linear interpolation between the steps at `t` (s); forces are those of the step.
    pub fn at(&self, t: f64) -> MachineState {
        let q = t / self.step;
        // A time that is a node but for its rounding is meant to be the node.
        let q = if (q - q.round()).abs() <= 1e-9 { q.round() } else { q };
        let n = (q as usize).min(self.steps().saturating_sub(1));
        let next = (n + 1).min(self.steps());
        self.sizes.state(self.row(n), self.row(next), q - n as f64)
    }
}
