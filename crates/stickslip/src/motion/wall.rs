//! Walls and stops.

/// A wall, by the side of the room it stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wall {
    /// x ≥ its position.
    Lower,
    /// x ≤ its position.
    Upper,
}

impl Wall {
    /// Both.
    pub const ALL: [Wall; 2] = [Wall::Lower, Wall::Upper];

    /// The direction into the room: +1 for the lower wall, −1 for the upper one.
    pub fn sign(self) -> f64 {
        match self {
            Self::Lower => 1.0,
            Self::Upper => -1.0,
        }
    }

    /// Its number among [`ALL`](Self::ALL).
    pub fn index(self) -> usize {
        match self {
            Self::Lower => 0,
            Self::Upper => 1,
        }
    }

    /// The number of an oscillator's stop on this side among the places of its events: 0 is the contact.
    pub fn stop_place(self) -> usize {
        1 + self.index()
    }

    /// `lower` or `upper`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lower => "lower",
            Self::Upper => "upper",
        }
    }
}
