//! What a rim does to a mass on a plane.

use crate::model::planar::Cushion;

/// What the rim does to a mass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Side {
    /// Nothing: the mass is inside of it.
    #[default]
    Inside,
    /// It pushes.
    Pressed,
    /// Nothing: the mass is beyond it and comes back faster than it follows.
    Apart,
    /// It is rigid, and the mass is in contact with it: it pushes as much as keeps the mass inside.
    Closed,
    /// It is rigid, and throws the mass back infinitely many times before they stay in contact.
    Bouncing,
}

impl Side {
    /// That of a mass at `r` (m) with `v` (m/s), of a soft rim.
    pub(super) fn of(rim: Option<Cushion>, r: [f64; 2], v: [f64; 2]) -> Self {
        match rim {
            Some(rim) if rim.presses(r, v) => Self::Pressed,
            Some(rim) if rim.depth(r) > 0.0 => Self::Apart,
            _ => Self::Inside,
        }
    }
}
