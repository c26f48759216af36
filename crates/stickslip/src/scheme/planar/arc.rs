//! The motion of a planar model between two events.

use super::PlanarPath;
use super::polar::Sliding;
use super::side::Side;
use super::slip::Link;
use super::window::Window;
use crate::Signal;
use crate::model::Planar;
use crate::motion::{Blend, Event, Grid, Motion, PlanarPhase, PlanarState};
use std::sync::Arc;

/// A mass on a plane between two events.
#[derive(Debug, Clone)]
pub struct PlanarArc {
    pub(super) model: Arc<Planar>,
    /// s.
    pub(super) start: f64,
    /// What the rim does all along; of steps, nothing that holds for all.
    pub(super) side: Side,
    pub(super) course: Course,
}

/// How it goes.
#[derive(Debug, Clone)]
pub(super) enum Course {
    /// It rests, at `r` (m) at the start.
    Rest { r: [f64; 2] },
    /// It slides.
    Slip(Arc<Vec<Link>>),
    /// It slides or rests between the nodes of a stepping scheme.
    Steps { grid: Arc<Grid<Node>>, phase: PlanarPhase },
}

/// A node of a stepping scheme.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Node {
    /// m.
    pub r: [f64; 2],
    /// The sliding velocity, m/s: zero to the last bit at rest.
    pub w: [f64; 2],
    /// What the rim does, as far as a scheme keeps it.
    pub side: Side,
}

impl Blend for Node {
    fn blend(self, other: Self, s: f64) -> Self {
        let between = |a: [f64; 2], b: [f64; 2]| [0, 1].map(|i| a[i] + s * (b[i] - a[i]));
        Self { r: between(self.r, other.r), w: between(self.w, other.w), side: self.side }
    }
}

impl PlanarArc {
    /// Number of steps.
    pub fn steps(&self) -> usize {
        match &self.course {
            Course::Rest { .. } | Course::Steps { .. } => 0,
            Course::Slip(links) => links.len(),
        }
    }

    /// The steps of a stepping scheme, if it is one's.
    pub(crate) fn grid(&self) -> Option<&Grid<Node>> {
        match &self.course {
            Course::Steps { grid, .. } => Some(grid),
            _ => None,
        }
    }

    /// Place and sliding velocity at `t`, s.
    pub(super) fn sliding(&self, window: &Window<'_>, t: f64) -> Sliding {
        match &self.course {
            // What rests on a moving surface is carried along with it.
            Course::Rest { r } => Sliding { t, r: window.carried(*r, self.start, t), w: [0.0; 2] },
            Course::Slip(links) => {
                link(links, t).map_or(Sliding { t, r: [0.0; 2], w: [0.0; 2] }, |l| l.at(t))
            }
            Course::Steps { grid, .. } => {
                // A node is shown as it was stored, without the rounding of an interpolation.
                let Node { r, w, .. } = grid.node(t).copied().unwrap_or_else(|| grid.at(t));
                Sliding { t, r, w }
            }
        }
    }

    /// The place at `t` (s), m.
    fn place(&self, t: f64) -> [f64; 2] {
        match &self.course {
            Course::Rest { r } if self.model.support.iter().all(Signal::is_zero) => *r,
            Course::Rest { .. } | Course::Steps { .. } => self.sliding(&self.window(t), t).r,
            Course::Slip(links) => link(links, t).map_or([0.0; 2], |l| l.at(t).r),
        }
    }

    /// The window of the signals in which it lies; of steps, that of `t` (s).
    pub(super) fn window(&self, t: f64) -> Window<'_> {
        // Steps pass over breakpoints, where a motion between two events has only one window.
        if matches!(self.course, Course::Steps { .. }) {
            return Window::new(&self.model, t);
        }
        Window::on(&self.model, self.start, self.side)
    }
}

/// The step that holds at `t` (s): at the end of one and the beginning of the next, the next one.
fn link(links: &[Link], t: f64) -> Option<&Link> {
    links.get(links.partition_point(|l| l.times()[0] <= t).saturating_sub(1))
}

impl PlanarPath {
    /// The place at `t` (s), m: as that of [`state`](Self::state), without the friction.
    pub(crate) fn place(&self, t: f64) -> [f64; 2] {
        let s = self.segment(t);
        s.arc.place(t.clamp(s.start, s.end))
    }
}

/// What a window shows of a mass.
pub(super) fn shown(window: &Window<'_>, at: &Sliding, phase: PlanarPhase) -> PlanarState {
    let surface = window.surface(at.t);
    let friction = match phase {
        PlanarPhase::Slip if at.w != [0.0; 2] => window.friction(at.t, at.w),
        // At the first instant of a slip the friction is about to fall from its limit to what sliding has.
        _ if window.is_closed(at.r) => window.left_at_rest(at.t, at.r).map(|b| 0.0 - b),
        _ => window.load(at.t, at.r, [0.0; 2]).map(|b| 0.0 - b),
    };
    PlanarState { x: at.r, v: [at.w[0] + surface[0], at.w[1] + surface[1]], friction }
}

impl Motion for PlanarArc {
    type Phase = PlanarPhase;
    type State = PlanarState;
    type Event = Event;

    fn state(&self, t: f64) -> PlanarState {
        let window = self.window(t);
        let at = self.sliding(&window, t);
        let phase = match self.course {
            Course::Rest { .. } => PlanarPhase::Stick,
            Course::Slip(_) => PlanarPhase::Slip,
            Course::Steps { phase, .. } => phase,
        };
        shown(&window, &at, phase)
    }
}
