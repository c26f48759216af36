//! States and phases of a mass that slides on a plane.

use super::Phase;
use std::fmt;

/// A mass on a plane at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PlanarState {
    /// (x, y), m.
    pub x: [f64; 2],
    /// (ẋ, ẏ), m/s.
    pub v: [f64; 2],
    /// The friction of the surface on the mass, N.
    pub friction: [f64; 2],
}

/// What a mass on a plane does. A slip has a direction that turns, so it has no sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanarPhase {
    /// It rests on its surface.
    Stick,
    /// It slides.
    Slip,
}

impl PlanarPhase {
    /// `stick` or `slip`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stick => "stick",
            Self::Slip => "slip",
        }
    }
}

impl From<PlanarPhase> for Phase {
    /// A slip counts as one forward, for whoever knows two directions only.
    fn from(phase: PlanarPhase) -> Self {
        match phase {
            PlanarPhase::Stick => Self::Stick,
            PlanarPhase::Slip => Self::SlipForward,
        }
    }
}

impl fmt::Display for PlanarPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
