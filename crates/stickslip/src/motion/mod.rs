//! What every scheme returns: a path in phases.
//!
//! A [`Path`] is a list of [`Segment`]s, each with its phase, its interval and a [`Motion`] that gives
//! the state anywhere inside. Events stand between segments. The path of a mass with friction is a
//! [`Trajectory`]; other models bring their own motion and get the same path.

mod cascade;
mod counts;
mod dense;
mod energy;
mod event;
mod frame;
mod grid;
mod impact;
mod linear;
mod network;
mod oscillator;
mod planar;
mod polynomial;
mod wall;
mod warning;

#[doc(hidden)]
pub use cascade::{CascadeArc, CascadeGrid, Line};
pub use cascade::{CascadePath, CascadePhase, CascadeState};
pub use counts::Counts;
#[doc(hidden)]
pub use dense::Dense;
pub(crate) use dense::Link;
pub use energy::Energy;
pub(crate) use energy::{EIGHT, FIVE, Rule, gauss};
pub use event::{Event, EventKind, Phase};
#[doc(hidden)]
pub use frame::Frame;
pub(crate) use grid::nodes;
#[doc(hidden)]
pub use grid::{Blend, Grid};
pub use impact::{ImpactArc, ImpactPath, Touching};
#[doc(hidden)]
pub use impact::{ImpactGrid, PressedArc, WallArc};
pub(crate) use impact::{WallSpring, wall_state};
#[doc(hidden)]
pub use linear::LinearArc;
pub(crate) use linear::{Medium, Pair, Responses};
#[doc(hidden)]
pub use network::NetworkGrid;
pub use network::{NetworkPhase, NetworkState};
pub use oscillator::Stretch;
#[doc(hidden)]
pub use planar::{PlanarPhase, PlanarState};
pub(crate) use polynomial::{Poly, TERMS};
pub use wall::Wall;
pub use warning::Warning;
pub(crate) use warning::Warnings;

use std::fmt;

/// Displacement and velocity at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct State {
    /// x, m.
    pub x: f64,
    /// ẋ, m/s.
    pub v: f64,
}

/// A motion over an interval of time, in closed form or from a table.
pub trait Motion: Clone + fmt::Debug {
    /// What is constant while it lasts: stick or slip, contact or flight, who yields.
    type Phase: Clone + PartialEq + fmt::Debug;
    /// What it gives at each instant.
    type State;
    /// What can happen between two of its kind.
    type Event: Clone + fmt::Debug;

    /// State at `t` (s), meant for `t` inside the segment.
    fn state(&self, t: f64) -> Self::State;

    /// Impulse of walls on the mass from `from` to `to` (s), N·s, without impacts that take no time: these are events.
    fn impulse(&self, from: f64, to: f64) -> f64 {
        let _ = (from, to);
        0.0
    }
}

/// A stretch of the path in one phase, smooth inside.
#[derive(Debug, Clone)]
pub struct Segment<M: Motion = Stretch> {
    /// The phase.
    pub phase: M::Phase,
    /// Start, s.
    pub start: f64,
    /// End, s (≥ start).
    pub end: f64,
    /// The motion inside.
    pub arc: M,
}

/// Segments in order of time without gaps, and the events between them.
#[derive(Debug, Clone)]
pub struct Path<M: Motion> {
    segments: Vec<Segment<M>>,
    events: Vec<M::Event>,
    warnings: Vec<Warning>,
    /// Where the work went, once it has been audited.
    audited: Option<Energy>,
}

/// The path of one mass with friction.
pub type Trajectory = Path<Stretch>;

impl<M: Motion> Default for Path<M> {
    /// The path before its first segment.
    fn default() -> Self {
        Self { segments: Vec::new(), events: Vec::new(), warnings: Vec::new(), audited: None }
    }
}

impl<M: Motion> Path<M> {
    /// The same with room for so many segments and events before it grows.
    pub(crate) fn with_room(count: usize) -> Self {
        let segments = Vec::with_capacity(count);
        let events = Vec::with_capacity(count);
        Self { segments, events, warnings: Vec::new(), audited: None }
    }

    /// Appends a segment; it starts where the last one ended.
    pub(crate) fn push(&mut self, segment: Segment<M>) {
        debug_assert!(self.segments.last().is_none_or(|s| s.end == segment.start));
        self.audited = None;
        self.segments.push(segment);
    }

    /// Appends an event.
    pub(crate) fn record(&mut self, event: M::Event) {
        self.events.push(event);
    }

    /// The segments, in order of time.
    pub fn segments(&self) -> &[Segment<M>] {
        &self.segments
    }

    /// The events, in order of time.
    pub fn events(&self) -> &[M::Event] {
        &self.events
    }

    /// Adds what the reader of this path should know.
    pub(crate) fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }

    /// Keeps where the work of the whole path went, so that it need not be summed again.
    pub(crate) fn keep_energy(&mut self, energy: Energy) {
        self.audited = Some(energy);
    }

    /// Where the work went, if it was audited after the last segment.
    pub(crate) fn audited(&self) -> Option<Energy> {
        self.audited
    }

    /// Where the problem or the scheme leaves doubts; empty when there are none.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// First and last instant, s.
    pub fn span(&self) -> (f64, f64) {
        (
            self.segments.first().map_or(0.0, |s| s.start),
            self.segments.last().map_or(0.0, |s| s.end),
        )
    }

    /// The start and the ends of the segments, s.
    pub(crate) fn ends(&self) -> Vec<f64> {
        let (start, _) = self.span();
        std::iter::once(start).chain(self.segments.iter().map(|s| s.end)).collect()
    }

    /// Index of the segment that holds at `t`: at an event the one that begins there.
    fn index(&self, t: f64) -> usize {
        self.segments.partition_point(|s| s.start <= t).saturating_sub(1)
    }

    /// The segment that holds at `t`: at an event the one that begins there.
    ///
    /// # Panics
    /// If the trajectory is empty, which no scheme returns.
    pub fn segment(&self, t: f64) -> &Segment<M> {
        &self.segments[self.index(t)]
    }

    /// State at `t`; outside the span, the first or last state.
    pub fn state(&self, t: f64) -> M::State {
        let s = self.segment(t);
        s.arc.state(t.clamp(s.start, s.end))
    }

    /// Phase at `t`.
    pub fn phase(&self, t: f64) -> M::Phase {
        self.segment(t).phase.clone()
    }

    /// State and phase at `count` equally spaced times over the whole span, in one pass.
    pub fn sample(&self, count: usize) -> impl Iterator<Item = (f64, M::State, M::Phase)> + '_ {
        let (start, end) = self.span();
        let last = count.saturating_sub(1).max(1) as f64;
        let mut i = 0;
        (0..count).map(move |k| {
            let t = if k as f64 == last { end } else { start + (end - start) * (k as f64 / last) };
            while self.segments.get(i + 1).is_some_and(|s| s.start <= t) {
                i += 1;
            }
            let s = &self.segments[i];
            (t, s.arc.state(t.clamp(s.start, s.end)), s.phase.clone())
        })
    }

    /// Uninterrupted stretches in one phase: (phase, start, end), segments at breakpoints joined.
    pub fn phases(&self) -> Vec<(M::Phase, f64, f64)> {
        let mut out: Vec<(M::Phase, f64, f64)> = Vec::new();
        for s in &self.segments {
            match out.last_mut() {
                Some(last) if last.0 == s.phase => last.2 = s.end,
                _ => out.push((s.phase.clone(), s.start, s.end)),
            }
        }
        out
    }

    /// Durations of the uninterrupted stretches in `phase`, s.
    pub fn durations(&self, phase: &M::Phase) -> Vec<f64> {
        self.phases().into_iter().filter(|p| p.0 == *phase).map(|p| p.2 - p.1).collect()
    }
}
