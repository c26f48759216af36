//! The forces of what is held, and what they depend on.

use super::complementarity;
use super::parts::Window;

/// The forces of what is held at one instant, and what gears hand on.
#[derive(Debug, Clone, Default)]
pub(super) struct Balance {
    /// Of each row that is held: its force on the first end, and where it stands.
    pub lambda: Vec<f64>,
    pub stands: Vec<complementarity::Stand>,
    /// J M⁻¹ Jᵀ, by rows, and the accelerations of these rows without their forces.
    pub compliance: Vec<f64>,
    pub free: Vec<f64>,
    /// Of each gear: the load and the size of its terms.
    pub loads: Vec<[f64; 2]>,
}

/// Which rows are held, and what is known of all of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question<'a> {
    /// When, s.
    pub t: f64,
    pub window: &'a Window<'a>,
    pub held: &'a [usize],
    pub status: &'a [i8],
    /// When each row came to rest, s.
    pub since: &'a [f64],
    /// How much more than its limit may hold, as a factor.
    pub slack: f64,
}
