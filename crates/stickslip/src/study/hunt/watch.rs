//! A motion while it is followed: whether it repeats itself, rests or runs away.

use super::error_of;
use crate::model::Machine;
use crate::motion::{Event, Motion, Segment};
use crate::scheme::event_loop::Observer;
use crate::scheme::machine::{MachineArc, MachineState};
use std::collections::VecDeque;

/// What was seen.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Seen {
    /// The last events, so many, are a period.
    Cycle(usize),
    Rests {
        time: f64,
        error: f64,
    },
    Wanders([f64; 2]),
    RunsAway(f64),
    Undecided(String),
}

/// An event with the state after it.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    pub event: Event,
    /// Reference less measured, m or m/s.
    error: f64,
    /// The numbers of the state: displacements, velocities, what controllers remember.
    pub state: Vec<f64>,
}

/// Segments that are kept.
const KEPT: usize = 20_000;
/// The most events of a period.
const LONGEST: usize = 64;
/// How near the states of two periods are that are the same, over how far each number goes.
pub(super) const SAME: f64 = 1e-9;
/// A cycle goes further than this share of the largest error at the starts.
const SMALLEST: f64 = 1e-9;
/// An error so many times the largest at a start has run away.
const BEYOND: f64 = 1e4;
/// Points of a period at which it is looked how far each number goes.
const POINTS: usize = 64;
/// A velocity that is so small over the greatest does not count; likewise a change of a force over the last tenth of the time.
const STILL: f64 = 1e-9;

/// Follows a motion.
pub(super) struct Watch<'a> {
    machine: &'a Machine,
    controller: usize,
    most: usize,
    /// The largest error at the starts, and one that has run away, m or m/s.
    scale: f64,
    beyond: f64,
    pub segments: VecDeque<Segment<MachineArc>>,
    pub marks: Vec<Mark>,
    /// Events whose states are not known yet.
    waiting: Vec<Event>,
    /// The greatest velocity of each node, m/s.
    fastest: f64,
    seen: Option<Seen>,
}

/// The numbers of a state.
pub(super) fn numbers(state: &MachineState) -> Vec<f64> {
    let continuous = [&state.x[..], &state.v, state.control.states()].concat();
    continuous.into_iter().chain(state.control.remembered()).collect()
}

impl<'a> Watch<'a> {
    pub fn new(machine: &'a Machine, controller: usize, most: usize, scale: f64) -> Self {
        Self {
            machine,
            controller,
            most,
            scale,
            beyond: BEYOND * scale,
            segments: VecDeque::new(),
            marks: Vec::new(),
            waiting: Vec::new(),
            fastest: 0.0,
            seen: None,
        }
    }

    /// Whether it is known what comes of the motion.
    pub fn is_done(&self) -> bool {
        self.seen.is_some()
    }

    pub fn outcome(&mut self) -> Seen {
        self.seen.take().unwrap_or_else(|| Seen::Undecided("it was stopped".into()))
    }

    /// The state at `t` (s), in what is kept.
    pub fn state(&self, t: f64) -> Option<MachineState> {
        let i = self.segments.partition_point(|s| s.start <= t).checked_sub(1)?;
        Some(self.segments[i].arc.state(t))
    }

    /// How many of the last events are a period, if they are.
    fn period(&self) -> Option<usize> {
        let n = self.marks.len();
        let same = |k: usize| {
            let pairs = (0..k).map(|m| [&self.marks[n - 1 - m], &self.marks[n - 1 - m - k]]);
            pairs
                .clone()
                .all(|[a, b]| a.event.kind == b.event.kind && a.event.place == b.event.place)
                && self.near(k, pairs)
        };
        (1..=LONGEST.min(n / 2)).find(|k| same(*k))
    }

    /// What a period of so many events is: a cycle, unless it is as small as what the steps may miss.
    fn cycle(&self, k: usize, t: f64) -> Seen {
        let n = self.marks.len();
        let [from, to] = [&self.marks[n - 1 - k], &self.marks[n - 1]].map(|m| m.event.time);
        let mut error = [f64::INFINITY, f64::NEG_INFINITY];
        for i in 0..=POINTS {
            let Some(state) = self.state(from + (to - from) * i as f64 / POINTS as f64) else {
                continue;
            };
            let e = error_of(self.machine, self.controller, &state);
            error = [error[0].min(e), error[1].max(e)];
        }
        if error[1] - error[0] > SMALLEST * self.scale {
            return Seen::Cycle(k);
        }
        Seen::Undecided(format!(
            "after {t} s it moves by less than 1e-9 of the largest error: it cannot be followed further"
        ))
    }

    /// Whether the states of these events, the last of which are so many in a period, are the same.
    fn near<'b>(&'b self, k: usize, mut pairs: impl Iterator<Item = [&'b Mark; 2]>) -> bool {
        let n = self.marks.len();
        let [from, to] = [&self.marks[n - 1 - k], &self.marks[n - 1]].map(|m| m.event.time);
        // Most candidates differ at once.
        let rough = |x: f64, y: f64| (x - y).abs() <= 1e-3 * x.abs().max(y.abs());
        let [a, b] = [&self.marks[n - 1], &self.marks[n - 1 - k]];
        let close =
            a.state.iter().zip(&b.state).all(|(x, y)| rough(*x, *y) || (x - y).abs() < 1e-6);
        if !close || to <= from {
            return false;
        }
        let Some(range) = self.range(from, to) else { return false };
        pairs.all(|[a, b]| {
            let each = a.state.iter().zip(&b.state).zip(&range);
            each.clone().all(|((x, y), [low, high])| {
                (x - y).abs() <= SAME * (high - low) + 1e-13 * x.abs().max(y.abs())
            })
        })
    }

    /// The least and the greatest of each number between two instants that are kept.
    fn range(&self, from: f64, to: f64) -> Option<Vec<[f64; 2]>> {
        if self.segments.front().is_none_or(|s| s.start > from) {
            return None;
        }
        let mut range: Vec<[f64; 2]> = Vec::new();
        for i in 0..POINTS {
            let state = numbers(&self.state(from + (to - from) * i as f64 / POINTS as f64)?);
            if range.is_empty() {
                range = state.iter().map(|x| [*x; 2]).collect();
            }
            for (r, x) in range.iter_mut().zip(&state) {
                *r = [r[0].min(*x), r[1].max(*x)];
            }
        }
        Some(range)
    }

    /// What is seen where the time is over.
    pub fn at_the_end(&mut self, end: f64) -> Seen {
        if let Some(seen) = self.seen.take() {
            return seen;
        }
        let last = self.marks.last().map_or(0.0, |m| m.event.time);
        let ends = [0.9 * end, end].map(|t| self.state(t));
        let [Some(before), Some(after)] = ends else {
            return Seen::Undecided("its last motion is not known".into());
        };
        let error = error_of(self.machine, self.controller, &after);
        let speed = after.v.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let drifts = |(a, b): (&f64, &f64)| (a - b).abs() > STILL * a.abs().max(b.abs());
        let drift = before.u.iter().zip(&after.u).any(drifts);
        if last >= 0.9 * end || speed > STILL * self.fastest {
            return self.goes_on_moving(end);
        }
        if self.acts_seldom(0.1 * end) {
            return Seen::Undecided(format!(
                "after {end} s it is at rest with an error of {error:e}, but from reading to acting a sampled controller takes \
                 longer than a tenth of that: it may break away later"
            ));
        }
        if drift {
            return Seen::Undecided(format!(
                "after {end} s it is at rest with an error of {error:e}, but the force of a controller still changes: it may break away later"
            ));
        }
        Seen::Rests { time: last, error }
    }

    /// Whether the force of a sampled controller may stand still for as long as `time` (s) without a reason in the motion.
    fn acts_seldom(&self, time: f64) -> bool {
        let mut sampled = self.machine.controllers().iter().filter_map(|c| c.law.sampling);
        sampled.any(|s| s.time + s.delay > time)
    }

    /// What is seen of a motion that has not come to an end.
    fn goes_on_moving(&self, end: f64) -> Seen {
        let last = self.marks.last().map_or(0.0, |m| m.event.time);
        let half = 0.5 * last.max(1e-300);
        let late: Vec<&Mark> = self.marks.iter().filter(|m| m.event.time >= half).collect();
        if late.len() < 20 {
            return Seen::Undecided(format!("after {end} s it still moves, with few events"));
        }
        let spread = |marks: &[&Mark]| {
            let errors = || marks.iter().map(|m| m.error);
            errors().fold(f64::NEG_INFINITY, f64::max) - errors().fold(f64::INFINITY, f64::min)
        };
        let (early, latest) = late.split_at(late.len() / 2);
        let [early, latest] = [spread(early), spread(latest)];
        if latest < 0.9 * early || latest > 1.1 * early {
            return Seen::Undecided(format!(
                "after {end} s it still moves, and how far it goes still changes"
            ));
        }
        // A motion that only tends to rest, as an overdamped one does, turns and sticks by rounding in the end.
        if latest <= SMALLEST * self.scale {
            return Seen::Undecided(format!(
                "after {end} s it moves by less than 1e-9 of the largest error: it cannot be followed further"
            ));
        }
        let mut error = [f64::INFINITY, f64::NEG_INFINITY];
        for segment in self.segments.iter().filter(|s| s.start >= half) {
            let e = error_of(self.machine, self.controller, &segment.arc.state(segment.start));
            error = [error[0].min(e), error[1].max(e)];
        }
        Seen::Wanders(error)
    }
}

impl Observer<MachineArc> for Watch<'_> {
    fn segment(&mut self, segment: Segment<MachineArc>) {
        let state = segment.arc.state(segment.start);
        self.fastest = state.v.iter().fold(self.fastest, |m, v| m.max(v.abs()));
        let middle = segment.arc.state(0.5 * (segment.start + segment.end));
        self.fastest = middle.v.iter().fold(self.fastest, |m, v| m.max(v.abs()));
        let error = error_of(self.machine, self.controller, &state);
        if error.abs() > self.beyond && self.seen.is_none() {
            self.seen = Some(Seen::RunsAway(segment.start));
        }
        let state = numbers(&state);
        for event in self.waiting.drain(..) {
            self.marks.push(Mark { event, error, state: state.clone() });
        }
        self.segments.push_back(segment);
        if self.segments.len() > KEPT {
            self.segments.pop_front();
        }
    }

    fn event(&mut self, event: Event) {
        self.waiting.push(event);
    }

    fn goes_on(&mut self, t: f64) -> bool {
        if self.seen.is_none() && self.waiting.is_empty() {
            return true;
        }
        if self.seen.is_none() {
            if let Some(k) = self.period() {
                self.seen = Some(self.cycle(k, t));
            } else if self.marks.len() >= self.most {
                self.seen = Some(self.goes_on_moving(t));
            }
        }
        self.seen.is_none()
    }
}
