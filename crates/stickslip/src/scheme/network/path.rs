//! The path of a network.

use super::exact::ExactArc;
use crate::motion::{Event, Motion, NetworkGrid, NetworkPhase, NetworkState, Path};
use std::sync::Arc;

/// The motion inside a segment.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum NetworkArc {
    /// Linear interpolation between the steps; the friction is that of the step.
    Steps(Arc<NetworkGrid>),
    /// A power series, summed to rounding.
    Exact(Box<ExactArc>),
}

impl Motion for NetworkArc {
    type Phase = NetworkPhase;
    type State = NetworkState;
    type Event = Event;

    fn state(&self, t: f64) -> NetworkState {
        match self {
            Self::Exact(arc) => arc.state(t),
            Self::Steps(grid) => grid.at(t),
        }
    }
}

/// The path of a network.
pub type NetworkPath = Path<NetworkArc>;
