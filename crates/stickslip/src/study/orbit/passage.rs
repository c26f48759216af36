//! One passage of a model through some of its periods, and the derivative of its end.

use super::machined::Machined;
use super::meshed::Meshed;
use super::phases::{Phases, cyclic, sticks};
use super::tangent;
use crate::error::Error;
use crate::model::Oscillator;
use crate::motion::{EventKind, Phase, State, Trajectory, Wall};
use crate::numeric::Matrix;
use crate::scheme::machine::Steps;
use crate::scheme::oscillator::{adaptive, exact};

/// Which solver makes the motion.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Method {
    /// Closed forms where there are any, adaptive steps at [`TIGHT`] otherwise, of all machines, too.
    #[default]
    Best,
    /// Closed forms; of machines that are linear between events the steps of `exact`.
    Exact,
    /// Adaptive steps.
    Adaptive(adaptive::Options),
}

impl Method {
    /// How machines are followed.
    pub(crate) fn of_machine(self) -> Steps {
        match self {
            Self::Exact => Steps::Exact,
            Self::Adaptive(options) => Steps::Adaptive(options),
            Self::Best => Steps::Adaptive(TIGHT),
        }
    }
}

/// The tolerances of adaptive steps where none are given.
pub const TIGHT: adaptive::Options = adaptive::Options { rtol: 1e-13, atol: 1e-15, leave_at: None };

/// Events of one passage after which it is given up.
const MOST_EVENTS: usize = 100_000;

/// A motion over some periods.
#[derive(Debug, Clone)]
pub struct Passage {
    /// The state at the end: x, m, and ẋ, m/s; with friction that ages the time at rest, s, too.
    pub end: Vec<f64>,
    /// The derivative of the end with respect to the start.
    pub jacobian: Matrix,
    /// How far it is from a motion at which that derivative does not exist: see [`tangent::Tangent`].
    pub transversality: f64,
    /// The order of phases, as a sequence of codes; the same for all cyclic shifts.
    pub pattern: Vec<i8>,
    /// What sticks at the end.
    pub(super) ties: Vec<Tie>,
    /// The motion of an oscillator.
    pub path: Trajectory,
    /// The motion of a network.
    pub network: Option<Meshed>,
    /// The motion of a machine.
    pub(super) machine: Option<Machined>,
}

/// A number of the state that what is held fixes: it is `ratio` times the one that it goes with, but for a constant; or it is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tie {
    pub of: usize,
    pub with: Option<usize>,
    pub ratio: f64,
}

impl Passage {
    /// Whether the passage from `u` ends in a stick, but began with another velocity, be it by a rounding: a contact
    /// that holds more than it drags with is let go by any push, so that such a start does not begin a stick.
    pub(super) fn lets_go(&self, u: &[f64]) -> bool {
        self.ties.iter().any(|t| {
            let Some(j) = t.with.filter(|j| !self.is_equal(t, *j)) else {
                let other = t.with.map_or(self.end[t.of], |j| u[j]);
                return (u[t.of] - other).abs() > 4.0 * f64::EPSILON * self.end[t.of].abs();
            };
            let off = u[t.of] - t.ratio * u[j] - self.offset(t, j);
            let size = self.end[t.of].abs() + (t.ratio * self.end[j]).abs();
            off.abs() > 64.0 * f64::EPSILON * size
        })
    }

    /// What a tie adds to `ratio` times number `j`.
    fn offset(&self, t: &Tie, j: usize) -> f64 {
        self.end[t.of] - t.ratio * self.end[j]
    }

    /// Whether a tie says that two numbers are equal.
    fn is_equal(&self, t: &Tie, j: usize) -> bool {
        t.ratio == 1.0 && self.offset(t, j) == 0.0
    }

    /// Gives what sticks the velocity of what it sticks to, to the last bit. `scale` are the units of `u`.
    pub(super) fn hold(&self, u: &mut [f64], scale: impl Fn(usize) -> f64) {
        // Chains of contacts need a round for each of them.
        for _ in 0..self.ties.len() {
            for t in &self.ties {
                u[t.of] = match t.with {
                    Some(j) if self.is_equal(t, j) && scale(j) == scale(t.of) => u[j],
                    Some(j) => (t.ratio * u[j] * scale(j) + self.offset(t, j)) / scale(t.of),
                    None => self.end[t.of] / scale(t.of),
                };
            }
        }
    }

    /// The phases of each contact.
    pub(super) fn contacts(&self) -> Vec<Phases> {
        match (&self.network, &self.machine) {
            (Some(network), _) => network.contacts(),
            (_, Some(machine)) => machine.contacts(),
            _ => vec![self.path.phases()],
        }
    }

    /// The order of phases of each contact.
    pub(super) fn patterns(&self) -> Vec<Vec<i8>> {
        if self.network.is_none() && self.machine.is_none() {
            return vec![self.pattern.clone()];
        }
        let code = |p: Phases| cyclic(p.into_iter().map(|p| p.0.sign() as i8).collect());
        self.contacts().into_iter().map(code).collect()
    }

    /// Uninterrupted sticks of a periodic motion, those of all contacts: their number, and the mean time in stick, s.
    pub(super) fn sticks(&self) -> (usize, f64) {
        let all = self.contacts();
        let sum = all.iter().map(sticks).fold((0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        (sum.0, sum.1 / all.len().max(1) as f64)
    }

    /// First and last instant, s.
    pub(super) fn span(&self) -> (f64, f64) {
        match (&self.network, &self.machine) {
            (Some(n), _) => n.path.span(),
            (_, Some(m)) => m.path.span(),
            _ => self.path.span(),
        }
    }

    /// The displacement at `t`, m; of a network that of the node which is looked at.
    pub(super) fn displacement(&self, t: f64) -> f64 {
        match (&self.network, &self.machine) {
            (Some(n), _) => n.state(t).0,
            (_, Some(m)) => m.displacement(t),
            _ => self.path.state(t).x,
        }
    }

    /// The instants between its segments, and its start, s.
    pub(super) fn instants(&self) -> Vec<f64> {
        match (&self.network, &self.machine) {
            (Some(n), _) => n.path.segments().iter().map(|s| s.start).collect(),
            (_, Some(m)) => m.path.segments().iter().map(|s| s.start).collect(),
            _ => self.path.segments().iter().map(|s| s.start).collect(),
        }
    }
}

impl Method {
    /// The method for `o`: one of the two others.
    pub fn resolved(self, o: &Oscillator) -> Self {
        match self {
            Self::Best if exact::obstacle(o).is_none() => Self::Exact,
            Self::Best => Self::Adaptive(TIGHT),
            other => other,
        }
    }

    /// How well a state can repeat, relative to its size.
    pub(super) fn rounding(self) -> f64 {
        match self {
            Self::Adaptive(options) => 1e-14f64.max(0.1 * options.rtol),
            _ => 1e-14,
        }
    }
}

/// The motion of `o` from its initial state until `end` (s); a mass that starts at rest has rested for `rested` (s).
pub(super) fn path(
    o: &Oscillator,
    rested: f64,
    end: f64,
    method: Method,
) -> Result<Trajectory, Error> {
    let mut path = Trajectory::default();
    match method.resolved(o) {
        Method::Adaptive(options) => {
            adaptive::cursor_rested(o, rested, 0.0, end, options)?.advance(end, &mut path)?
        }
        _ => exact::run(o, end, MOST_EVENTS, &mut path)?,
    }
    Ok(path)
}

/// The oscillator that starts at `u`.
pub(super) fn starting_at(o: &Oscillator, u: &[f64]) -> Oscillator {
    o.clone().starting_at(u[0], u[1])
}

/// The passage of `o` from the state `u` over `time` (s).
pub(super) fn passage(
    o: &Oscillator,
    u: &[f64],
    time: f64,
    method: Method,
) -> Result<Passage, Error> {
    let o = starting_at(o, u);
    let rested = rested(u);
    let path = path(&o, rested, time, method)?;
    let tangent = tangent::along_rested(&o, &path, rested);
    let State { x, v } = last(&path);
    let transversality = tangent.transversality;
    if !(x.is_finite() && v.is_finite()) {
        return Err(Error::NotFinite { time, step: 0.0 });
    }
    let jacobian = Matrix::from_fn(u.len(), |i, j| tangent.rows[i][j]);
    let held = path.segments().last().is_some_and(|s| s.phase == Phase::Stick);
    let ties = if held { vec![Tie { of: 1, with: None, ratio: 1.0 }] } else { Vec::new() };
    let pattern = pattern(&path);
    let end = end_of(&o, &path, rested);
    Ok(Passage { end, jacobian, transversality, pattern, ties, path, network: None, machine: None })
}

/// How long a mass at the state `u` has rested, s.
fn rested(u: &[f64]) -> f64 {
    u.get(2).map_or(0.0, |age| age.max(0.0))
}

/// The motion of `o` from the state `u` over `time` (s), and the state at its end.
pub(super) fn advance(
    o: &Oscillator,
    u: &[f64],
    time: f64,
    method: Method,
) -> Result<Vec<f64>, Error> {
    let rested = rested(u);
    Ok(end_of(o, &path(&starting_at(o, u), rested, time, method)?, rested))
}

/// The state at the end of a path of `o`, with the time at rest where friction ages.
fn end_of(o: &Oscillator, path: &Trajectory, rested: f64) -> Vec<f64> {
    let State { x, v } = last(path);
    if o.friction.ages() { vec![x, v, age(path, rested)] } else { vec![x, v] }
}

/// How long a mass has rested at the end of its path, s, if it had for `rested` at the start.
pub(super) fn age(path: &Trajectory, rested: f64) -> f64 {
    let (start, end) = path.span();
    let sticks = path.segments().iter().rev().take_while(|s| s.phase == Phase::Stick);
    match sticks.last() {
        Some(s) if s.start <= start => end - start + rested,
        Some(s) => end - s.start,
        None => 0.0,
    }
}

/// The state at the end of a path; of a slip that ends at rest there, at rest.
pub(super) fn last(path: &Trajectory) -> State {
    path.state(path.span().1)
}

/// The order of phases and stops: 0 stick, ±1 slip, 2 and 3 the lower and the upper stop.
fn pattern(path: &Trajectory) -> Vec<i8> {
    let mut codes: Vec<i8> = Vec::with_capacity(8);
    let mut walls = path.events().iter().filter(|e| match e.kind {
        EventKind::Impact => e.before != e.v,
        EventKind::Touch | EventKind::Release => true,
        _ => false,
    });
    let mut wall = walls.next();
    for s in path.segments() {
        while let Some(e) = wall.filter(|e| e.time <= s.start) {
            codes.push(if e.place == Wall::Lower.stop_place() { 2 } else { 3 });
            wall = walls.next();
        }
        let code = s.phase.sign() as i8;
        if s.end > s.start && codes.last() != Some(&code) {
            codes.push(code);
        }
    }
    cyclic(codes)
}
