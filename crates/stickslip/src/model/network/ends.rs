//! What springs, dashpots and sliders join.

use std::fmt;

/// Two ends, each a node or the ground.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Ends([u32; 2]);

/// The number of the ground: more than any node has.
const GROUND: u32 = u32::MAX;

impl Ends {
    /// Two nodes, or a node and the ground (`None`). A network has fewer than 2³² − 1 nodes.
    pub fn new(between: [Option<usize>; 2]) -> Self {
        Self(between.map(|end| end.map_or(GROUND, |i| i as u32)))
    }

    /// The nodes; the ground is `None`.
    #[inline(always)]
    pub fn nodes(self) -> [Option<usize>; 2] {
        self.0.map(|i| (i != GROUND).then_some(i as usize))
    }

    /// The places of the ends in a list of all nodes; that of the ground is behind the end of any list.
    #[inline(always)]
    pub fn places(self) -> [usize; 2] {
        self.0.map(|i| i as usize)
    }
}

impl fmt::Debug for Ends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.nodes().fmt(f)
    }
}
