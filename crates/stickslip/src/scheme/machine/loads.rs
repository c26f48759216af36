//! Gears in the scheme: what they hand on, and what a mode knows of it.

use crate::model::machine::GearFriction;

/// A gear.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mesh {
    /// The node of its first side.
    pub first: usize,
    /// The speed at which it would open, always 0, by its number in [`Parts::given`].
    pub opening: usize,
    /// The row of its friction, if it has any.
    pub row: Option<usize>,
    pub friction: GearFriction,
}

impl Mesh {
    /// The greatest friction towards `side` under the load `t`.
    pub(super) fn limit(&self, side: f64, t: f64) -> f64 {
        // The load presses the teeth whichever way it points.
        self.limit_under(side, t.abs())
    }

    /// The same where the teeth are pressed by `press`.
    pub(super) fn limit_under(&self, side: f64, press: f64) -> f64 {
        self.friction.force + self.friction.coefficient(side) * press
    }
}

/// A virtual velocity of nodes in which one gear opens.
#[derive(Debug, Clone, Default)]
pub(super) struct Handed {
    pub nodes: Vec<(usize, f64)>,
    /// Whether nothing that is held opens with it: otherwise what is held shares the load with the gear, and T is not
    /// determined.
    pub determined: bool,
}

impl Handed {
    /// The virtual velocity of a node.
    pub(super) fn rate(&self, node: usize) -> f64 {
        self.nodes.iter().find(|n| n.0 == node).map_or(0.0, |n| n.1)
    }
}

/// A gear that slides under a friction that grows with its load.
#[derive(Debug, Clone)]
pub(super) struct Sliding {
    pub gear: usize,
    /// −s μ σ: the part of the friction that grows, over T.
    pub slope: f64,
    /// Accelerations of the groups under a force of 1 on the first side.
    pub push: Vec<f64>,
}

/// What a mode knows of gears.
#[derive(Debug, Clone, Default)]
pub(super) struct Loads {
    /// Of each gear.
    pub handed: Vec<Handed>,
    pub sliding: Vec<Sliding>,
    /// B: how T of each gear answers to a force of 1 on the first side of each that slides, by rows.
    pub answer: Vec<f64>,
    /// (I − B diag(slope))⁻¹ of those that slide, by rows.
    pub inverse: Vec<f64>,
}

/// A gear whose friction gives way in a direction.
#[derive(Debug, Clone)]
pub(super) struct Torn {
    pub gear: usize,
    pub handed: Handed,
    /// The rows that give way with it, and how fast they open with the gear.
    pub rates: Vec<(usize, f64)>,
}
