//! The motion of a machine over some periods.

use super::phases::{Phases, joined};
use crate::scheme::machine::MachinePath;

/// The motion of a machine over some periods.
#[derive(Debug, Clone)]
pub(super) struct Machined {
    pub path: MachinePath,
    /// The node whose displacement is looked at.
    pub node: usize,
}

impl Machined {
    /// Displacement of the node at `t`, m.
    pub fn displacement(&self, t: f64) -> f64 {
        let segments = self.path.segments();
        let i = segments.partition_point(|s| s.start <= t).saturating_sub(1);
        segments.get(i).map_or(f64::NAN, |s| s.arc.look().node(t, self.node)[0])
    }

    /// The phases of everything that rubs.
    pub fn contacts(&self) -> Vec<Phases> {
        let rubbing = self.path.segments().first().map_or(0, |s| s.arc.rubbing());
        let segments = self.path.segments().iter();
        joined(rubbing, segments.map(|s| (&s.phase[..], s.start, s.end)))
    }
}
