//! Phases and the events between them.

use std::fmt;

/// What the contact is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// ẋ = 0 on an interval.
    Stick,
    /// Sliding with ẋ > 0.
    SlipForward,
    /// Sliding with ẋ < 0.
    SlipBackward,
}

impl Phase {
    /// The slip phase in the direction of `sign` (forward for `sign` ≥ 0).
    pub fn slip(sign: f64) -> Self {
        if sign < 0.0 { Self::SlipBackward } else { Self::SlipForward }
    }

    /// ε: +1, −1, or 0 in stick.
    pub fn sign(self) -> f64 {
        match self {
            Self::Stick => 0.0,
            Self::SlipForward => 1.0,
            Self::SlipBackward => -1.0,
        }
    }

    /// `stick`, `slip+` or `slip-`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stick => "stick",
            Self::SlipForward => "slip+",
            Self::SlipBackward => "slip-",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What happens at an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// A slip phase begins (τ_{j+½}).
    Slip,
    /// A stick phase begins (τ_j).
    Stick,
    /// The slip goes on with the other sign (τ_j^k).
    Reversal,
    /// A rigid stop turns the velocity, or the mass leaves the spring of a soft stop: the impulse is
    /// delivered.
    Impact,
    /// The mass enters the spring of a soft stop.
    Touch,
}

impl EventKind {
    /// `slip`, `stick`, `reversal`, `impact` or `touch`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slip => "slip",
            Self::Stick => "stick",
            Self::Reversal => "reversal",
            Self::Impact => "impact",
            Self::Touch => "touch",
        }
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One change of phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    /// What happens.
    pub kind: EventKind,
    /// When, s.
    pub time: f64,
    /// Displacement there, m.
    pub x: f64,
    /// Velocity there, m/s; after the impact, if it is one.
    pub v: f64,
    /// Impulse of the stop on the mass, N·s: of an impact, else 0.
    pub impulse: f64,
}
