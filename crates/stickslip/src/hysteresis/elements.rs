//! Springs in a row with friction elements between them.

use super::Backbone;

/// Springs k₀ … k_n in a row, elements with the thresholds α₁ … α_n between them, and the state that they start
/// from.
#[derive(Debug, Clone)]
pub struct Elements<'a> {
    /// k₀ … k_n > 0, N/m.
    pub stiffness: &'a [f64],
    /// α₁ … α_n ≥ 0, N.
    pub threshold: &'a [f64],
    /// The pull of its springs on each element at first, N.
    pub pull: Vec<f64>,
    /// Displacement of the end of spring k₀ at first, m.
    pub displacement: f64,
}

impl Elements<'_> {
    /// The virgin loading curve.
    pub fn backbone(&self) -> Backbone {
        Backbone::cascade(self.stiffness, self.threshold)
    }
}
