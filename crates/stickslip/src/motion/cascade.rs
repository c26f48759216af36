//! States, phases and events of a cascade, and its motion between events.

use super::{Blend, Event, Grid, LinearArc, Motion, Path, State};
use crate::signal::Signal;
use std::fmt;
use std::sync::Arc;

/// What is known of the mass at one instant. The elements' state follows from the path: see
/// [`Replay`](crate::model::Replay).
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
pub type CascadeGrid = Grid<CascadeState>;

impl Blend for CascadeState {
    fn blend(self, other: Self, s: f64) -> Self {
        let mix = |a: f64, b: f64| a + s * (b - a);
        Self {
            x: mix(self.x, other.x),
            v: mix(self.v, other.v),
            force: mix(self.force, other.force),
        }
    }
}

/// The motion inside a segment, as the scheme knows it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum CascadeArc {
    /// At rest in equilibrium.
    Rest(CascadeState),
    /// Free motion against an affine force: closed form.
    Free(Box<LinearArc>, Line),
    /// x(t) prescribed: the smooth piece of the signal that holds at the time given.
    Displacement(Arc<Signal>, f64, Line),
    /// The force prescribed, without inertia.
    Force(Arc<Signal>, f64, Line),
    /// Linear interpolation between the steps of a time-stepping scheme.
    Steps(Arc<CascadeGrid>),
}

impl Motion for CascadeArc {
    type Phase = CascadePhase;
    type State = CascadeState;
    type Event = Event;

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
            Self::Steps(grid) => grid.at(t),
        }
    }
}

/// The path of a cascade.
pub type CascadePath = Path<CascadeArc>;
