//! Where a mass starts.

use crate::motion::State;

/// State at t = 0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Initial {
    /// x(0), m.
    pub displacement: f64,
    /// ẋ(0), m/s.
    pub velocity: f64,
}

impl From<Initial> for State {
    fn from(Initial { displacement: x, velocity: v }: Initial) -> Self {
        Self { x, v }
    }
}
