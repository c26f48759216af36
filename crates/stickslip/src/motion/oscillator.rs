//! The motion inside a segment.

use super::{Event, Motion, Phase, State};
use crate::motion::LinearArc;
use crate::scheme::adaptive::Dense;
use crate::scheme::exact::Frame;
use crate::signal::Signal;
use std::sync::Arc as Shared;

/// States on an equidistant grid, as a time-stepping scheme leaves them.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// h, s.
    pub step: f64,
    /// X_n and V_n at t_n = n h, n = 0 … N.
    pub states: Vec<State>,
}

impl Grid {
    /// Linear interpolant of (X, V) at `t`, the continuous solution of seed 000 Remark 6.
    pub fn at(&self, t: f64) -> State {
        let n = ((t / self.step) as usize).min(self.states.len().saturating_sub(2));
        let (a, b) = (self.states[n], self.states[n + 1]);
        let s = t / self.step - n as f64;
        State { x: a.x + s * (b.x - a.x), v: a.v + s * (b.v - a.v) }
    }
}

/// The motion inside a segment, as the scheme knows it.
#[derive(Debug, Clone)]
pub enum Arc {
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
        relative: Box<Arc>,
        /// The support.
        support: Shared<Frame>,
        /// Start, s: the piece of the support's motion that holds there.
        start: f64,
    },
    /// Adaptive steps with dense output.
    Dense(Shared<Dense>),
    /// Linear interpolation between the steps of a time-stepping scheme.
    Steps(Shared<Grid>),
    /// The quasi-static jump of seed 000 (24)–(26): from x by `jump` (m) along half a period,
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
    /// Following the edge of the play: x = D(t) + offset.
    Follow {
        /// D, m.
        drive: Shared<Signal>,
        /// ∓ f/K, m.
        offset: f64,
    },
}

impl Motion for Arc {
    type Phase = Phase;
    type State = State;
    type Event = Event;

    fn state(&self, t: f64) -> State {
        match self {
            Self::Rest(x) => State { x: *x, v: 0.0 },
            Self::Slip(arc) => arc.state(t),
            Self::Offset { arc, origin } => {
                let State { x: y, v } = arc.state(t);
                State { x: origin + y, v }
            }
            Self::Carried { relative, support, start } => {
                let (a, b) = (relative.state(t), support.at(*start, t));
                State { x: a.x + b.x, v: a.v + b.v }
            }
            Self::Dense(dense) => dense.state(t),
            Self::Steps(grid) => grid.at(t),
            Self::HalfPeriod { start, x, jump, angular_frequency: w } => {
                let (sin, cos) = (w * (t - start)).sin_cos();
                State { x: x + 0.5 * jump * (1.0 - cos), v: 0.5 * jump * w * sin }
            }
            Self::Follow { drive, offset } => {
                State { x: drive.value(t) + offset, v: drive.derivative(t) }
            }
        }
    }
}
