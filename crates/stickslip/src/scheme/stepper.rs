//! Time-stepping schemes one step at a time, so that a run can be advanced in pieces: see [`Stepper`].

use super::cursor::{Advance, check_until};
use super::event_loop::fixed_signals;
use crate::error::{Error, require};
use crate::grid::step_count;
use crate::interrupt::Interrupt;
use crate::model::Model;
use crate::motion::Event;
use std::fmt;

/// A time-stepping scheme as a [`Stepper`] sees it.
pub trait Stepping: Clone + fmt::Debug {
    /// What the scheme knows at an instant t_n.
    type Node: Clone + fmt::Debug;
    /// What it shows between two nodes.
    type State;
    /// What is constant between two events.
    type Phase;

    /// How many nodes beyond the step in progress decide what happens at its start.
    const AHEAD: usize = 0;

    /// One step of length `h` (s) from `from` at the first to `to` at the second instant of `span` (s): the arithmetic of the
    /// whole run, in its order. Nothing is allocated.
    fn step(&mut self, span: [f64; 2], h: f64, from: &Self::Node, to: &mut Self::Node);

    /// The run sets out from the first of `nodes`.
    fn begin(&mut self, nodes: &[Self::Node]) {
        let _ = nodes;
    }

    /// The run has arrived at the first of `nodes` at `t` (s): what happens there.
    fn arrive(&mut self, t: f64, nodes: &[Self::Node], events: &mut Vec<Event>);

    /// The run has arrived at its end, at the second of `nodes` at `t` (s) or a little before.
    fn finish(&mut self, t: f64, nodes: &[Self::Node], events: &mut Vec<Event>) {
        let _ = (t, nodes, events);
    }

    /// The state at the fraction `s` of the way from the first to the second of `nodes`.
    fn state(&self, nodes: &[Self::Node], s: f64) -> Self::State;

    /// The phase between the first and the second of `nodes`.
    fn phase(&self, nodes: &[Self::Node]) -> Self::Phase;

    /// Whether every number of a node is finite.
    fn is_finite(&self, node: &Self::Node) -> bool;

    /// Why the step before could not be taken; its node is not finite then.
    fn failure(&self) -> Option<Error> {
        None
    }

    /// The node that goes on from `state` at `t` (s). The run is at the fraction `s` of the way from the first to the
    /// second of `nodes`.
    ///
    /// # Errors
    /// If the model cannot be in that state.
    fn place(
        &mut self,
        t: f64,
        state: Self::State,
        nodes: &[Self::Node],
        s: f64,
    ) -> Result<Self::Node, Error>;

    /// The node that goes on at `t` (s) from the fraction `s` of the way from the first to the second of `nodes` as if
    /// nothing had happened.
    ///
    /// # Errors
    /// As [`place`](Self::place).
    fn keep(&mut self, t: f64, nodes: &[Self::Node], s: f64) -> Result<Self::Node, Error> {
        self.place(t, self.state(nodes, s), nodes, s)
    }

    /// Impulse of walls on the mass up to the present node, N·s.
    fn impulse(&self) -> f64 {
        0.0
    }

    /// Whether [`lost`](Self::lost) says what is lost.
    const COUNTS_LOSSES: bool = false;

    /// Energy lost in a step of length `h` (s) that arrives at `t` (s), from the first to the second of `nodes`, to the order
    /// of the scheme, J.
    fn lost(&self, t: f64, h: f64, nodes: [&Self::Node; 2]) -> f64 {
        let _ = (t, h, nodes);
        0.0
    }

    /// Takes the signals of `model`, which is otherwise the model that is being solved.
    ///
    /// # Errors
    /// If the signals of such a run cannot be changed on the way.
    fn change(&mut self, model: &Model) -> Result<(), Error> {
        let _ = model;
        Err(fixed_signals())
    }
}

/// Takes `count` steps `h` (s) from the node `start`, each by `step` from a node over an interval of time, and shows all
/// nodes with their numbers to `see`; the last one. Fewer steps are taken once somebody has asked to stop, so whoever
/// calls this looks at [`Interrupt::check`] afterwards.
#[inline]
pub(crate) fn march<N: Copy>(
    count: usize,
    h: f64,
    start: N,
    mut step: impl FnMut(N, [f64; 2]) -> Result<N, Error>,
    mut see: impl FnMut(usize, N),
) -> Result<N, Error> {
    let mut node = start;
    see(0, node);
    for steps in Interrupt::current().ranges(count) {
        for n in steps {
            // Both ends as multiples of the step: sums of it would drift from the times of the nodes.
            node = step(node, [n as f64 * h, (n + 1) as f64 * h])?;
            see(n + 1, node);
        }
    }
    Ok(node)
}

/// A time-stepping run between two instants. A copy goes on like the original.
#[derive(Debug, Clone)]
pub struct Stepper<S: Stepping> {
    scheme: S,
    h: f64,
    /// Time of node 0, s, number of the node at or before the present time, and number of the last one.
    base: f64,
    n: usize,
    last: usize,
    /// Node number n and those after it, as far as there are any.
    nodes: Vec<S::Node>,
    time: f64,
    end: f64,
    finished: bool,
    /// Impulse of walls during the last advance, N·s.
    impulse: f64,
    /// Energy lost up to the present node, J, if it is counted.
    lost: Option<f64>,
}

/// Steps between two questions whether to go on.
const UNASKED: usize = 64;

impl<S: Stepping> Stepper<S> {
    /// Over `span` = \[start, end\] (s) from `node` on, with steps `h` (s).
    pub(crate) fn new(scheme: S, node: S::Node, h: f64, span: [f64; 2]) -> Result<Self, Error> {
        let [start, end] = span;
        let nodes = vec![node; S::AHEAD + 2];
        let mut stepper = Self {
            scheme,
            h,
            base: start,
            n: 0,
            last: 1,
            nodes,
            time: start,
            end,
            finished: false,
            impulse: 0.0,
            lost: None,
        };
        stepper.set_out()?;
        Ok(stepper)
    }

    /// Begins anew at the present time, from the first node.
    fn set_out(&mut self) -> Result<(), Error> {
        require("the present time", self.time, self.time < self.end, "a time before the end, s")?;
        self.base = self.time;
        self.n = 0;
        self.finished = false;
        self.last = step_count(self.end - self.time, self.h)?;
        // All nodes that the detector looks ahead at, as far as the run has them.
        for k in 1..self.nodes.len().min(self.last + 1) {
            self.make(k);
        }
        self.scheme.begin(&self.nodes[..self.nodes.len().min(self.last + 1)]);
        Ok(())
    }

    fn time_of(&self, n: usize) -> f64 {
        let since = n as f64 * self.h;
        if self.base == 0.0 { since } else { self.base + since }
    }

    /// Makes the node that is `k` after the present one.
    fn make(&mut self, k: usize) {
        let span = [self.time_of(self.n + k - 1), self.time_of(self.n + k)];
        let (known, new) = self.nodes.split_at_mut(k);
        self.scheme.step(span, self.h, &known[k - 1], &mut new[0]);
    }

    /// The nodes that are known from the present one on.
    fn known(&self) -> &[S::Node] {
        &self.nodes[..self.nodes.len().min(self.last - self.n + 1)]
    }

    /// On to the next node.
    fn shift(&mut self, events: &mut Vec<Event>) -> Result<(), Error> {
        if let Some(lost) = self.lost {
            self.lost = Some(lost + self.lost_in_step());
        }
        self.n += 1;
        // The oldest node becomes room for the newest, so that a step allocates nothing.
        self.nodes.rotate_left(1);
        let newest = self.nodes.len() - 1;
        if self.n + newest <= self.last {
            self.make(newest);
        }
        let t = self.time_of(self.n);
        let known = self.nodes.len().min(self.last - self.n + 1);
        self.scheme.arrive(t, &self.nodes[..known], events);
        // The newest node is looked at: once a number has overflowed all that follow have, too.
        if self.scheme.is_finite(&self.nodes[known - 1]) {
            Ok(())
        } else {
            Err(self.scheme.failure().unwrap_or(Error::NotFinite { time: t, step: self.h }))
        }
    }

    /// Energy lost in the step in progress, J.
    fn lost_in_step(&self) -> f64 {
        self.scheme.lost(self.time_of(self.n + 1), self.h, [&self.nodes[0], &self.nodes[1]])
    }

    /// On to `until` (s), node by node.
    fn go(
        &mut self,
        until: f64,
        events: &mut Vec<Event>,
        goes_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), Error> {
        check_until(self, until)?;
        while self.n + 1 < self.last && self.time_of(self.n + 1) <= until {
            self.shift(events)?;
            self.time = self.time_of(self.n);
            if self.n.is_multiple_of(UNASKED) && self.time < until && !goes_on(self.time) {
                return Err(Error::Interrupted { time: self.time });
            }
        }
        self.time = until;
        if until == self.end && !self.finished {
            self.finished = true;
            // The last step may reach beyond the end of the run, at which its events are told then.
            let t = self.time_of(self.n + 1).min(until);
            let known = self.nodes.len().min(self.last - self.n + 1);
            self.scheme.finish(t, &self.nodes[..known], events);
        }
        Ok(())
    }

    /// How far the present time is between the first two nodes, from 0 to 1.
    fn part(&self) -> f64 {
        (self.time - self.base) / self.h - self.n as f64
    }

    /// The scheme with its memory.
    pub(crate) fn scheme(&self) -> &S {
        &self.scheme
    }
}

impl<S: Stepping> Advance for Stepper<S> {
    type State = S::State;
    type Phase = S::Phase;

    fn time(&self) -> f64 {
        self.time
    }

    fn end(&self) -> f64 {
        self.end
    }

    fn state(&self) -> S::State {
        if self.time == self.time_of(self.n) {
            return self.scheme.state(self.known(), 0.0); // a node's own, without the rounding of the quotient
        }
        self.scheme.state(self.known(), self.part())
    }

    fn phase(&self) -> S::Phase {
        self.scheme.phase(self.known())
    }

    fn advance_while(
        &mut self,
        until: f64,
        events: &mut Vec<Event>,
        goes_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<(), Error> {
        let before = self.scheme.impulse();
        let advanced = self.go(until, events, goes_on);
        self.impulse = self.scheme.impulse() - before;
        advanced
    }

    fn impulse(&self) -> f64 {
        self.impulse
    }

    fn set_state(&mut self, state: S::State) -> Result<(), Error> {
        let t = self.time;
        let part = self.part();
        require("the present time", t, t < self.end, "a time before the end of the run, s")?;
        let known = self.nodes.len().min(self.last - self.n + 1);
        self.nodes[0] = self.scheme.place(t, state, &self.nodes[..known], part)?;
        self.set_out()
    }

    fn change(&mut self, model: &Model, end: f64, _: &mut Vec<Event>) -> Result<(), Error> {
        let t = self.time;
        let part = self.part();
        require("the end of the run", end, t < end, "a time after the present one, s")?;
        let known = self.nodes.len().min(self.last - self.n + 1);
        let lost = self.lost.map(|_| self.lost());
        // A scheme of a network owns what it has prepared, so a copy is not for free; it happens once for each change.
        let mut scheme = self.scheme.clone(); // where the signals are refused, nothing has changed
        scheme.change(model)?;
        self.nodes[0] = scheme.keep(t, &self.nodes[..known], part)?;
        self.scheme = scheme;
        self.end = end;
        self.lost = lost;
        self.set_out()
    }

    fn count_losses(&mut self) -> bool {
        self.lost = S::COUNTS_LOSSES.then(|| self.lost());
        S::COUNTS_LOSSES
    }

    fn lost(&self) -> f64 {
        let part = |lost: f64| lost + self.part().clamp(0.0, 1.0) * self.lost_in_step();
        self.lost.map_or(0.0, part)
    }
}
