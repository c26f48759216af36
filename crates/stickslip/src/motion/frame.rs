//! The support that a mass rubs on, and how it moves.
//!
//! A slip is computed as seen from the ground, where the support does not enter the equation of motion; it
//! ends where ẋ = v_s.

use super::State;
use crate::signal::{Integral, Piece, Signal};

/// The motion of the support.
#[derive(Debug, Clone)]
pub struct Frame {
    motion: Integral,
    jumps: Vec<(f64, f64)>,
}

impl Frame {
    /// Of a support with this velocity, m/s.
    pub(crate) fn new(velocity: &Signal) -> Self {
        Self { motion: Integral::new(velocity.clone()), jumps: velocity.jumps() }
    }

    /// Position and velocity of the support at `t`, on the piece that holds at `from`.
    pub(crate) fn at(&self, from: f64, t: f64) -> State {
        let (x, v) = self.motion.on_piece(self.motion.signal().piece(from), t);
        State { x, v }
    }

    /// The support's velocity from `t` on.
    pub(crate) fn velocity(&self, t: f64) -> Piece<'_> {
        self.motion.signal().piece_at(t)
    }

    /// The smallest distance of two velocities at `t` that is not a rounding, m/s.
    pub(crate) fn rounding(&self, t: f64) -> f64 {
        8.0 * f64::EPSILON * self.velocity(t).scale(t)
    }

    /// How much the support's velocity jumps at `t`, m/s.
    pub(crate) fn jump(&self, t: f64) -> f64 {
        self.jumps.iter().find(|j| j.0 == t).map_or(0.0, |j| j.1)
    }
}
