//! States, phases and events of a cascade, and its motion between events.

use super::{LinearArc, Motion, Path, State};
use crate::signal::Signal;
use std::fmt;
use std::sync::Arc as Shared;

/// What is known of the mass at one instant. The elements' state follows from the path: see
/// [`Replay`](super::Replay).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CascadeState {
    /// x, m.
    pub x: f64,
    /// ẋ, m/s.
    pub v: f64,
    /// k₀(x − v₁), N.
    pub force: f64,
}

/// Which way the mass goes and how many nodes slip with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CascadePhase {
    /// +1, −1, or 0 at rest.
    pub direction: i8,
    /// J: nodes 1 … J slip.
    pub slipping: usize,
}

impl fmt::Display for CascadePhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = ["backwards", "at rest", "forwards"][(self.direction + 1) as usize];
        write!(f, "{way}, {} slipping", self.slipping)
    }
}

/// What happens at an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CascadeEventKind {
    /// A node begins to slip.
    Yield,
    /// The mass turns, and every node sticks.
    Reversal,
}

impl CascadeEventKind {
    /// `yield` or `reversal`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Yield => "yield",
            Self::Reversal => "reversal",
        }
    }
}

/// One event of a cascade.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CascadeEvent {
    /// What happens.
    pub kind: CascadeEventKind,
    /// When, s.
    pub time: f64,
    /// Displacement of the mass, m.
    pub x: f64,
    /// Velocity of the mass, m/s.
    pub v: f64,
    /// The node that yields, from 1; 0 for a reversal.
    pub element: usize,
}

/// A straight line: force = `force` + `stiffness` (x − `x`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// A displacement, m.
    pub x: f64,
    /// The force there, N.
    pub force: f64,
    /// Slope, N/m.
    pub stiffness: f64,
}

impl Line {
    /// The force at `x` (m), N.
    #[inline]
    pub fn at(&self, x: f64) -> f64 {
        self.force + self.stiffness * (x - self.x)
    }
}

/// States on an equidistant grid, as a time-stepping scheme leaves them.
#[derive(Debug, Clone, PartialEq)]
pub struct CascadeGrid {
    /// h, s.
    pub step: f64,
    /// At t_n = n h, n = 0 … N.
    pub states: Vec<CascadeState>,
}

/// The motion inside a segment, as the scheme knows it.
#[derive(Debug, Clone)]
pub enum CascadeArc {
    /// At rest in equilibrium.
    Rest(CascadeState),
    /// Free motion against an affine force: closed form.
    Free(Box<LinearArc>, Line),
    /// x(t) prescribed: the smooth piece of the signal that holds at the time given.
    Displacement(Shared<Signal>, f64, Line),
    /// The force prescribed, without inertia.
    Force(Shared<Signal>, f64, Line),
    /// Linear interpolation between the steps of a time-stepping scheme.
    Steps(Shared<CascadeGrid>),
}

impl Motion for CascadeArc {
    type Phase = CascadePhase;
    type State = CascadeState;
    type Event = CascadeEvent;

    fn state(&self, t: f64) -> CascadeState {
        match self {
            Self::Rest(state) => *state,
            Self::Free(arc, line) => {
                let State { x, v } = arc.state(t);
                CascadeState { x, v, force: line.at(x) }
            }
            Self::Displacement(signal, from, line) => {
                let [x, v, ..] = signal.piece_at(*from).derivatives(t);
                CascadeState { x, v, force: line.at(x) }
            }
            Self::Force(signal, from, line) => {
                let [force, rate, ..] = signal.piece_at(*from).derivatives(t);
                let x = line.x + (force - line.force) / line.stiffness;
                CascadeState { x, v: rate / line.stiffness, force }
            }
            Self::Steps(grid) => {
                let last = grid.states.len().saturating_sub(2);
                let n = ((t / grid.step) as usize).min(last);
                let (a, b) = (grid.states[n], grid.states[n + 1]);
                let s = t / grid.step - n as f64;
                let mix = |a: f64, b: f64| a + s * (b - a);
                CascadeState { x: mix(a.x, b.x), v: mix(a.v, b.v), force: mix(a.force, b.force) }
            }
        }
    }
}

/// The path of a cascade.
pub type CascadePath = Path<CascadeArc>;
