//! The motion inside a segment.

use super::{Dense, Event, Frame, Grid, LinearArc, Motion, Phase, State};
use crate::portable;
use crate::signal::Signal;
use std::sync::Arc;

/// The motion inside a segment, as the scheme knows it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Stretch {
    /// At rest at x (m).
    Rest(f64),
    /// A closed-form solution of the equation of motion.
    Slip(Box<LinearArc>),
    /// A closed-form solution in y = x − origin: what happens next to a stop keeps its digits.
    Offset {
        /// y(t).
        arc: Box<LinearArc>,
        /// Of y, m.
        origin: f64,
    },
    /// A relative motion in closed form, carried by a moving support.
    Carried {
        /// Displacement and velocity relative to the support.
        relative: Box<Stretch>,
        /// The support.
        support: Arc<Frame>,
        /// Start, s: the piece of the support's motion that holds there.
        start: f64,
    },
    /// Adaptive steps with dense output.
    Dense(Arc<Dense>),
    /// Linear interpolation between the steps of a time-stepping scheme.
    Steps(Arc<Grid>),
    /// The quasi-static jump of Bensoussan et al. 2021, (24)–(26): from x by `jump` (m) along half a period,
    /// x + jump (1 − cos ω(t − start))/2.
    HalfPeriod {
        /// Start of the slip, s.
        start: f64,
        /// Displacement there, m.
        x: f64,
        /// Signed length of the jump, m.
        jump: f64,
        /// ω, rad/s.
        angular_frequency: f64,
    },
    /// A quasi-static slip with a damper: the closed form of a mass whose drive stands still.
    Frozen(Box<LinearArc>),
    /// Following the edge of the play: x = D(t) + offset.
    Follow {
        /// D, m.
        drive: Arc<Signal>,
        /// ∓ f/K, m.
        offset: f64,
    },
}

impl Stretch {
    /// Steps of an adaptive motion; 0 of any other.
    pub(crate) fn steps(&self) -> usize {
        match self {
            Self::Dense(dense) => dense.steps(),
            Self::Carried { relative, .. } => relative.steps(),
            _ => 0,
        }
    }

    /// The states at several times, with the bits of [`state`](Motion::state).
    pub(crate) fn states<const N: usize>(&self, times: &[f64; N]) -> [State; N] {
        match self {
            Self::Dense(dense) => dense.states(times),
            _ => times.map(|t| self.state(t)),
        }
    }
}

impl Motion for Stretch {
    type Phase = Phase;
    type State = State;
    type Event = Event;

    fn state(&self, t: f64) -> State {
        match self {
            Self::Rest(x) => State { x: *x, v: 0.0 },
            Self::Slip(arc) | Self::Frozen(arc) => arc.state(t),
            Self::Offset { arc, origin } => {
                let State { x: y, v } = arc.state(t);
                State { x: origin + y, v }
            }
            Self::Carried { relative, support, start } => {
                let a = relative.state(t);
                let b = support.at(*start, t);
                State { x: a.x + b.x, v: a.v + b.v }
            }
            Self::Dense(dense) => dense.state(t),
            Self::Steps(grid) => grid.at(t),
            Self::HalfPeriod { start, x, jump, angular_frequency: w } => {
                let (sin, cos) = portable::sin_cos(w * (t - start));
                State { x: x + 0.5 * jump * (1.0 - cos), v: 0.5 * jump * w * sin }
            }
            Self::Follow { drive, offset } => {
                State { x: drive.value(t) + offset, v: drive.derivative(t) }
            }
        }
    }
}
