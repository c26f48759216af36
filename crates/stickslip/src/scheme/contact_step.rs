//! What a contact did in a step, as statistics want to see it.

/// What a contact did in the step before.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactStep {
    /// How far it slid, m; of a contact whose support moves, relative to it.
    pub slide: f64,
    /// What friction took, J: what bristles store counts as taken.
    pub lost: f64,
    /// Whether it is at rest now; a contact with memory, whether it does not slip by its law's criterion.
    pub rests: bool,
}
