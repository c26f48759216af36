//! The elements' state along a path.

use super::Cascade;
use crate::hysteresis::Sweep;
use crate::motion::{CascadeArc, CascadePath, Motion};

/// Follows a path forwards in time and knows every element's state there. The elements have no
/// clock of their own: their state is a function of the displacements passed through.
#[derive(Debug, Clone)]
pub struct Replay<'a> {
    path: &'a CascadePath,
    elements: Sweep,
    segment: usize,
    /// The step reached inside a segment of steps.
    node: usize,
}

impl<'a> Replay<'a> {
    /// From the start of `path`, a path of `cascade`.
    pub fn new(cascade: &Cascade, path: &'a CascadePath) -> Self {
        Self { path, elements: Sweep::new(cascade), segment: 0, node: 0 }
    }

    /// The state of the elements at `t` (s); `t` must not go back.
    pub fn to(&mut self, t: f64) -> &Sweep {
        let segments = self.path.segments();
        while let Some(s) = segments.get(self.segment) {
            let until = t.min(s.end);
            match &s.arc {
                CascadeArc::Steps(grid) => {
                    while (self.node + 1) as f64 * grid.step <= until
                        && self.node + 1 < grid.states.len()
                    {
                        self.node += 1;
                        self.elements.advance(grid.states[self.node].x);
                    }
                }
                // What is prescribed may jump at the start of a segment.
                CascadeArc::Displacement(..) | CascadeArc::Force(..) => {
                    self.elements.advance(s.arc.state(s.start).x)
                }
                _ => {}
            }
            self.elements.advance(s.arc.state(until).x);
            if t < s.end || self.segment + 1 == segments.len() {
                break;
            }
            self.segment += 1;
        }
        &self.elements
    }

    /// W_i = −q_i at `t` (s), N, into `w`.
    pub fn friction(&mut self, t: f64, w: &mut [f64]) {
        for (w, q) in w.iter_mut().zip(self.to(t).pulls()) {
            *w = -q;
        }
    }
}
