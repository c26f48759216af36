//! The motion of a contact with memory between two events.

use super::collocation::{self, STAGES};
use super::flow::{Flow, Point, carried, kept, shown};
use crate::law::memory::{Run, Way};
use crate::model::Hysteretic;
use crate::motion::{Event, Motion, Phase};
use crate::scheme::oscillator::adaptive::Options;
use std::sync::Arc;

/// The motion between two events: in closed form where the way is given and the law has one, in steps with dense output
/// otherwise.
#[derive(Debug, Clone)]
pub struct MemoryArc {
    pub(super) model: Arc<Hysteretic>,
    pub(super) start: f64,
    pub(super) side: f64,
    pub(super) regions: Arc<[u8]>,
    /// The state at the start.
    pub(super) from: Arc<[f64]>,
    pub(super) steps: Option<Arc<Steps>>,
}

/// Steps in order of time.
#[derive(Debug, Clone, Default)]
pub(super) struct Steps {
    /// Start and length of each, s.
    pub spans: Vec<[f64; 2]>,
    /// The state at the start of each, and its polynomials.
    pub numbers: Vec<f64>,
    pub polys: Vec<f64>,
}

impl Steps {
    /// Adds a step.
    pub fn push(&mut self, step: &collocation::Step) {
        self.spans.push([step.t, step.h]);
        self.numbers.extend_from_slice(&step.from);
        self.polys.extend_from_slice(&step.poly);
    }

    /// Adds a straight line over a span (s).
    pub fn push_line(&mut self, [start, end]: [f64; 2], from: &[f64], to: &[f64]) {
        self.spans.push([start, end - start]);
        self.numbers.extend_from_slice(from);
        for (a, b) in from.iter().zip(to) {
            // A straight line is a polynomial whose further coefficients are zero, so that both kinds of steps
            // are read alike.
            self.polys.push(b - a);
            self.polys.extend_from_slice(&[0.0; STAGES - 1]);
        }
    }

    /// The step at `t` (s): `near`, if it is that one. At the end of one step and the beginning of the next, the next one counts.
    fn step(&self, t: f64, near: usize) -> usize {
        let is_in = |i: usize| {
            let next = self.spans.get(i + 1);
            self.spans[i][0] <= t && next.is_none_or(|s| t < s[0])
        };
        if near < self.spans.len() && is_in(near) {
            return near;
        }
        self.spans.partition_point(|s| s[0] <= t).saturating_sub(1)
    }

    /// The state at `t` (s), which lies in step `i`.
    fn at(&self, i: usize, t: f64, y: &mut [f64]) {
        let [start, h] = self.spans[i];
        let theta = if h > 0.0 { (t - start) / h } else { 0.0 };
        let n = y.len();
        for (m, y) in y.iter_mut().enumerate() {
            let k = i * n + m;
            *y = self.numbers[k]
                + collocation::along(&self.polys[k * STAGES..(k + 1) * STAGES], theta);
        }
    }
}

impl MemoryArc {
    pub(super) fn flow(&self) -> Flow<'_> {
        let run = Run { side: self.side, regions: &self.regions };
        Flow::new(&self.model, self.start, run, Options::default())
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.steps.as_ref().map_or(0, |s| s.spans.len())
    }

    /// The numbers of the state at `t` (s).
    pub(super) fn numbers(&self, flow: &Flow<'_>, t: f64, y: &mut [f64]) {
        self.numbers_near(flow, t, &mut 0, y);
    }

    /// [`numbers`](Self::numbers), where the step at `t` is likely to be `near`, which becomes that step.
    fn numbers_near(&self, flow: &Flow<'_>, t: f64, near: &mut usize, y: &mut [f64]) {
        match &self.steps {
            Some(steps) if !steps.spans.is_empty() => {
                *near = steps.step(t, *near);
                steps.at(*near, t, y);
            }
            _ => {
                y.copy_from_slice(&self.from);
                // Without a list of steps the law's closed form is the motion: of what the contact remembers it
                // speaks in its own numbers, not in logarithms.
                if self.steps.is_none() {
                    shown(&self.model, y);
                    led(flow, self.start, t, y);
                    kept(&self.model, y);
                }
            }
        }
    }

    /// Where the contact is at `t` (s), what it remembers and bears: for whoever looks at many instants.
    pub(super) fn look<T>(&self, look: impl FnOnce(&mut dyn FnMut(f64) -> (Point, f64)) -> T) -> T {
        let flow = self.flow();
        let mut y = vec![0.0; self.from.len()];
        let mut rates = vec![0.0; flow.law.states()];
        let mut near = 0;
        look(&mut |t| {
            self.numbers_near(&flow, t, &mut near, &mut y);
            let at = flow.point(t, &y);
            (at, flow.friction(t, at, &y, &mut rates))
        })
    }
}

/// Moves what a contact remembers along the given way from `start` to `t` (s).
pub(super) fn led(flow: &Flow<'_>, start: f64, t: f64, z: &mut [f64]) {
    let [from, to] = [start, t].map(|t| flow.point(t, &[]).x);
    flow.law.flow(Way { length: to - from, time: t - start }, z);
}

/// A contact with memory at one instant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryState {
    /// x, m.
    pub x: f64,
    /// ẋ, m/s.
    pub v: f64,
    /// The force of the support on the mass, N.
    pub friction: f64,
    /// What the contact remembers: deflections (m) or ages (s).
    pub z: Vec<f64>,
}

impl Motion for MemoryArc {
    type Phase = Phase;
    type State = MemoryState;
    type Event = Event;

    fn state(&self, t: f64) -> MemoryState {
        let flow = self.flow();
        let mut y = vec![0.0; self.from.len()];
        self.numbers(&flow, t, &mut y);
        let at = flow.point(t, &y);
        let friction = flow.friction(t, at, &y, &mut vec![0.0; flow.law.states()]);
        let mut z = y.split_off(carried(&self.model));
        shown(&self.model, &mut z);
        // Never −0: the force of the support is 0 where there is none.
        MemoryState { x: at.x, v: at.v, friction: 0.0 - friction, z }
    }
}
