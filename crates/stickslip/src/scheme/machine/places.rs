//! What sliders of rate and state do, and the places that their sliding velocities take: see `levels`.

/// What a slider of rate and state does at an instant.
#[derive(Debug, Clone, Copy)]
pub(super) struct Creep {
    /// w, m/s.
    pub speed: f64,
    /// u.
    pub level: f64,
    /// ln θ.
    pub ln_age: f64,
}

impl Default for Creep {
    fn default() -> Self {
        Self { speed: 0.0, level: f64::NAN, ln_age: 0.0 }
    }
}

/// A sliding velocity in the place of that of a group.
#[derive(Debug, Clone)]
pub(super) struct Level {
    /// The number of the slider among those with memory, and its row.
    pub bristle: usize,
    pub row: usize,
    /// The group whose place it takes.
    pub group: usize,
    /// The sliding velocity by those of groups and of what is given.
    pub groups: Vec<(usize, f64)>,
    pub given: Vec<(usize, f64)>,
}

/// The sliding velocities in the places of velocities of groups.
#[derive(Debug, Clone, Default)]
pub(super) struct Levels {
    pub all: Vec<Level>,
    /// B_P⁻¹, by rows.
    pub inverse: Vec<f64>,
}
