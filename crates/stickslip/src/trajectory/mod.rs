//! What every scheme returns: a path in phases.
//!
//! A [`Trajectory`] is a list of [`Segment`]s, each with its phase, its interval and an [`Arc`] that
//! gives the state anywhere inside. Events stand between segments.

mod arc;
mod energy;
mod event;

pub use arc::{Arc, Grid};
pub use energy::Energy;
pub use event::{Event, EventKind, Phase};

/// Displacement and velocity at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct State {
    /// x, m.
    pub x: f64,
    /// ẋ, m/s.
    pub v: f64,
}

/// A stretch of the path in one phase, smooth inside.
#[derive(Debug, Clone)]
pub struct Segment {
    /// The phase.
    pub phase: Phase,
    /// Start, s.
    pub start: f64,
    /// End, s (≥ start).
    pub end: f64,
    /// The motion inside.
    pub arc: Arc,
}

/// A motion: segments in order of time without gaps, and the events between them.
#[derive(Debug, Clone, Default)]
pub struct Trajectory {
    segments: Vec<Segment>,
    events: Vec<Event>,
}

impl Trajectory {
    /// Appends a segment; it starts where the last one ended.
    pub(crate) fn push(&mut self, segment: Segment) {
        debug_assert!(self.segments.last().is_none_or(|s| s.end == segment.start));
        self.segments.push(segment);
    }

    /// Appends an event.
    pub(crate) fn record(&mut self, event: Event) {
        self.events.push(event);
    }

    /// The segments, in order of time.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The events, in order of time.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// First and last instant, s.
    pub fn span(&self) -> (f64, f64) {
        (
            self.segments.first().map_or(0.0, |s| s.start),
            self.segments.last().map_or(0.0, |s| s.end),
        )
    }

    /// Index of the segment that holds at `t`: at an event the one that begins there.
    fn index(&self, t: f64) -> usize {
        self.segments.partition_point(|s| s.start <= t).saturating_sub(1)
    }

    /// The segment that holds at `t`: at an event the one that begins there.
    ///
    /// # Panics
    /// If the trajectory is empty, which no scheme returns.
    pub fn segment(&self, t: f64) -> &Segment {
        &self.segments[self.index(t)]
    }

    /// State at `t`; outside the span, the first or last state.
    pub fn state(&self, t: f64) -> State {
        let s = self.segment(t);
        s.arc.state(t.clamp(s.start, s.end))
    }

    /// Phase at `t`.
    pub fn phase(&self, t: f64) -> Phase {
        self.segment(t).phase
    }

    /// State and phase at `count` equally spaced times over the whole span, in one pass.
    pub fn sample(&self, count: usize) -> impl Iterator<Item = (f64, State, Phase)> + '_ {
        let (start, end) = self.span();
        let last = count.saturating_sub(1).max(1) as f64;
        let mut i = 0;
        (0..count).map(move |k| {
            let t = if k as f64 == last { end } else { start + (end - start) * (k as f64 / last) };
            while self.segments.get(i + 1).is_some_and(|s| s.start <= t) {
                i += 1;
            }
            let s = &self.segments[i];
            (t, s.arc.state(t.clamp(s.start, s.end)), s.phase)
        })
    }

    /// Uninterrupted stretches in one phase: (phase, start, end), segments at breakpoints joined.
    pub fn phases(&self) -> Vec<(Phase, f64, f64)> {
        let mut out: Vec<(Phase, f64, f64)> = Vec::new();
        for s in &self.segments {
            match out.last_mut() {
                Some(last) if last.0 == s.phase => last.2 = s.end,
                _ => out.push((s.phase, s.start, s.end)),
            }
        }
        out
    }

    /// Durations of the uninterrupted stretches in `phase`, s.
    pub fn durations(&self, phase: Phase) -> Vec<f64> {
        self.phases().into_iter().filter(|p| p.0 == phase).map(|p| p.2 - p.1).collect()
    }
}
