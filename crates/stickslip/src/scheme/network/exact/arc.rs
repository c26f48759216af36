//! The motion of a network between two events.

use super::mode::{At, Mode, Series};
use super::power::ORDER;
use crate::motion::NetworkState;
use crate::scheme::network::convex_step::Kinematics;
use std::sync::Arc;

/// The motion between two events, by what it starts from.
#[derive(Debug, Clone)]
pub struct ExactArc {
    pub(super) mode: Arc<Mode>,
    pub(super) start: f64,
    pub(super) x: Vec<f64>,
    pub(super) v: Vec<f64>,
    /// What its modes carry, where the motion is by them.
    pub(super) carried: Option<Vec<[f64; 2]>>,
}

impl ExactArc {
    pub(super) fn series(&self) -> Series {
        let mut series = Series::new(&self.mode.parts);
        // The errors only decide at events, and here the motion is known already.
        let exact = vec![0.0; self.x.len()];
        let from = At { t: self.start, x: &self.x, v: &self.v, noise: &exact };
        match self.mode.known_modal().zip(self.carried.as_ref()) {
            // The same way as when events were searched for, so that the state at an event has the same bits.
            Some((modal, carried)) => self.mode.fill_by(modal, carried, from, &mut series),
            None => self.mode.fill(from, ORDER, &mut series),
        }
        series
    }

    /// x and ẋ of the nodes at `t`.
    pub(super) fn kinematics(&self, t: f64) -> Kinematics {
        let s = self.series();
        let tau = t - self.start;
        let nodes = self.mode.parts.ground;
        Kinematics {
            x: s.x[..nodes].iter().map(|x| x.at(tau)).collect(),
            v: s.x[..nodes].iter().map(|x| x.derivative().at(tau)).collect(),
        }
    }

    /// State at `t`.
    pub(crate) fn state(&self, t: f64) -> NetworkState {
        let s = self.series();
        let tau = t - self.start;
        let nodes = self.mode.parts.ground;
        let mut friction: Vec<f64> = s.lambda.iter().map(|l| l.at(tau)).collect();
        // Along the tree only: what sliders in loops carry is shared out before it is shown.
        self.mode.share(&mut friction, |e| s.normal[e].at(tau).max(0.0));
        NetworkState {
            x: s.x[..nodes].iter().map(|x| x.at(tau)).collect(),
            v: s.x[..nodes].iter().map(|x| x.derivative().at(tau)).collect(),
            friction: friction.iter().map(|l| 0.0 - l).collect(),
        }
    }
}
