//! The motion of a machine between two events.

use super::flow::{Flow, Instant};
use super::mode::Mode;
use super::parts::Parts;
use super::step::Dense;
use crate::motion::{Event, Motion, NetworkPhase, NetworkState};
use std::sync::Arc;

/// The motion between two events: steps with dense output in the coordinates of the masses that move as one.
#[derive(Debug, Clone)]
pub struct MachineArc {
    pub(super) parts: Arc<Parts>,
    pub(super) mode: Arc<Mode>,
    pub(super) start: f64,
    /// Displacement of each mass at the start, m.
    pub(super) x0: Arc<[f64]>,
    /// When each slider came to rest, s.
    pub(super) since: Arc<[f64]>,
    pub(super) dense: Arc<Dense>,
}

impl MachineArc {
    /// The machine at `t` (s), for whoever looks at many instants.
    pub(super) fn instants<T>(&self, look: impl FnOnce(&mut dyn FnMut(f64) -> Instant) -> T) -> T {
        let flow = self.flow();
        let mut u = vec![0.0; flow.size()];
        look(&mut |t| {
            let mut at = Instant::of(&self.parts);
            self.dense.at(t, &mut u);
            flow.kinematics(t, &u, &mut at);
            flow.dynamics(t, &mut at);
            at
        })
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.dense.steps.len()
    }

    pub(super) fn flow(&self) -> Flow<'_> {
        let window = self.parts.window(self.start);
        Flow { parts: &self.parts, mode: &self.mode, window, x0: &self.x0 }
    }

    /// The friction of each slider on its first end, N: of those that rest what holds their ends together.
    fn friction(&self, t: f64, flow: &Flow<'_>, at: &Instant) -> Vec<f64> {
        let parts = &self.parts;
        let sliders = parts.machine.network().sliders().len();
        let mut friction = vec![0.0; sliders];
        for (e, friction) in friction.iter_mut().enumerate() {
            let status = self.mode.status[e];
            if status != 0 {
                let side = f64::from(status);
                let w = flow.speed(e, at)[0];
                // From −0 to 0, as a slider without friction has it.
                *friction =
                    0.0 - side * flow.window.normal(e, t) * parts.law(e).force(side, side * w);
            }
        }
        for (e, force) in super::share::held(flow, t, &self.since, at) {
            if e < sliders {
                friction[e] = force;
            }
        }
        friction
    }
}

impl Motion for MachineArc {
    type Phase = NetworkPhase;
    type State = NetworkState;
    type Event = Event;

    fn state(&self, t: f64) -> NetworkState {
        let flow = self.flow();
        let at = self.instants(|at| at(t));
        let friction = self.friction(t, &flow, &at);
        NetworkState { x: at.node_x, v: at.node_v, friction }
    }
}
