//! Where a mass starts.

/// State at t = 0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Initial {
    /// x(0), m.
    pub displacement: f64,
    /// ẋ(0), m/s.
    pub velocity: f64,
}
