//! The motion of a network over some periods.

use super::phases::{Phases, joined};
use crate::scheme::network::NetworkPath;

/// The motion of a network over some periods.
#[derive(Debug, Clone)]
pub struct Meshed {
    /// The motion.
    pub path: NetworkPath,
    /// The node whose displacement is looked at.
    pub node: usize,
}

impl Meshed {
    /// Displacement and velocity of the node at `t`, m and m/s.
    pub(super) fn state(&self, t: f64) -> (f64, f64) {
        let u = self.path.state(t);
        (u.x[self.node], u.v[self.node])
    }

    /// The phases of each slider.
    pub(super) fn contacts(&self) -> Vec<Phases> {
        let sliders = self.path.segments().first().map_or(0, |s| s.phase.len());
        let segments = self.path.segments().iter();
        joined(sliders, segments.map(|s| (&s.phase[..], s.start, s.end)))
    }
}
