//! Sampled controllers: what happens at a tick.
//!
//! The order at one instant: what happens to the machine by itself, then jumps of signals, then the ticks. At a tick all
//! controllers whose time it is read first, each computes, and then the forces change whose delay is over.

use super::Control;
use crate::model::machine::{AntiWindup, ControlLaw, Gains, Limit, Rule, Sampling};
use crate::scheme::machine::flow::Instant;
use crate::scheme::machine::parts::{Parts, Window};
use std::collections::VecDeque;

/// What a sampled controller remembers from tick to tick.
#[derive(Debug, PartialEq, Default)]
pub struct Held {
    /// The number of the next tick.
    tick: u64,
    /// I T Σ e, N.
    sum: f64,
    /// The error at the tick before.
    error: Option<f64>,
    /// The derivative of the error at the tick before.
    rate: f64,
    /// The states of a state space.
    states: Vec<f64>,
    /// Forces that were computed and do not act yet, N, with the ticks at which they were.
    pending: VecDeque<(u64, f64)>,
}

/// A delay that is a multiple of the time between ticks but for so much of it ends at a tick.
const WHOLE: f64 = 1e-9;

impl Sampling {
    /// The number of the first tick that is not before `t` (s).
    fn first(&self, t: f64) -> u64 {
        // The quotient may be off by rounding: the product decides, as in `tick`.
        let mut k = (t / self.time).floor().max(0.0) as u64;
        while k > 0 && self.tick(k - 1) >= t {
            k -= 1;
        }
        while self.tick(k) < t {
            k += 1;
        }
        k
    }

    /// When tick number `k` is, s.
    fn tick(&self, k: u64) -> f64 {
        k as f64 * self.time
    }

    /// When the force acts that was computed at tick number `k`, s.
    fn acts(&self, k: u64) -> f64 {
        let ticks = self.delay / self.time;
        // A delay of whole ticks must not come a rounding before or after the tick that it ends at.
        if (ticks - ticks.round()).abs() <= WHOLE {
            // A delay of more ticks than can be counted is beyond every run.
            self.tick(k.saturating_add(ticks.round() as u64))
        } else {
            self.tick(k) + self.delay
        }
    }
}

impl Clone for Held {
    fn clone(&self) -> Self {
        let Self { tick, sum, error, rate, ref states, ref pending } = *self;
        Self { tick, sum, error, rate, states: states.clone(), pending: pending.clone() }
    }

    /// In the memory that is there: steps hand it on from one instant to the next.
    fn clone_from(&mut self, other: &Self) {
        let Self { tick, sum, error, rate, ref states, ref pending } = *other;
        (self.tick, self.sum, self.error, self.rate) = (tick, sum, error, rate);
        self.states.clone_from(states);
        self.pending.clone_from(pending);
    }
}

impl Held {
    /// What it remembers of the errors that it has read: the sum, the last derivative, the states.
    pub(super) fn numbers(&self) -> impl Iterator<Item = f64> {
        [self.sum, self.rate].into_iter().chain(self.states.iter().copied())
    }

    /// Whether a sampled controller has read at all; others never do.
    pub(super) fn has_read(&self) -> bool {
        self.error.is_some()
    }

    /// Every number that it remembers: those, the last error, and the forces that do not act yet. A sum that no gain adds to
    /// does not change, and is not one of them.
    pub(super) fn all(&self, law: &ControlLaw) -> impl Iterator<Item = f64> {
        let own = sums(law).then_some(self.sum).into_iter().chain([self.rate]);
        let own = own.chain(self.states.iter().copied());
        own.chain(self.error).chain(self.pending.iter().map(|p| p.1))
    }

    /// Puts them back, from the next of `numbers` on.
    pub(super) fn set_all(&mut self, law: &ControlLaw, numbers: &mut impl Iterator<Item = f64>) {
        let sum = sums(law).then_some(&mut self.sum);
        let own = sum.into_iter().chain([&mut self.rate]).chain(&mut self.states);
        let all = own.chain(&mut self.error).chain(self.pending.iter_mut().map(|p| &mut p.1));
        all.zip(numbers).for_each(|(own, number)| *own = number);
    }

    /// Adds everything to `out`, lists behind their lengths. Ticks are whole numbers, far below where a number has gaps.
    pub(super) fn write(&self, out: &mut Vec<f64>) {
        let Self { tick, sum, error, rate, states, pending } = self;
        out.extend([*tick as f64, *sum, *rate]);
        out.push(f64::from(u8::from(error.is_some())));
        out.extend(error);
        out.push(states.len() as f64);
        out.extend(states);
        out.push(pending.len() as f64);
        out.extend(pending.iter().flat_map(|(tick, force)| [*tick as f64, *force]));
    }

    /// Takes what [`write`](Self::write) has written; `None` if there is too little.
    pub(super) fn read(&mut self, from: &mut impl Iterator<Item = f64>) -> Option<()> {
        self.tick = from.next()? as u64;
        self.sum = from.next()?;
        self.rate = from.next()?;
        self.error = if from.next()? == 1.0 { Some(from.next()?) } else { None };
        let states = from.next()? as usize;
        self.states = (0..states).map(|_| from.next()).collect::<Option<_>>()?;
        let pending = from.next()? as usize;
        let one = |_| Some((from.next()? as u64, from.next()?));
        self.pending = (0..pending).map(one).collect::<Option<_>>()?;
        Some(())
    }

    /// How many ticks it has had, and how many forces do not act yet.
    pub(super) fn stands(&self) -> (u64, usize) {
        (self.tick, self.pending.len())
    }

    /// When something happens next, s.
    fn due(&self, sampling: &Sampling) -> f64 {
        let acts = self.pending.front().map_or(f64::INFINITY, |p| sampling.acts(p.0));
        acts.min(sampling.tick(self.tick))
    }

    /// Computes the force of the next tick from the error that was read, N.
    fn compute(&mut self, law: &ControlLaw, sampling: &Sampling, e: f64, added: f64) -> f64 {
        // At the first tick there is no error before: the derivative begins at zero.
        let before = self.error.unwrap_or(e);
        self.error = Some(e);
        match &law.rule {
            Rule::Pid(g) => self.pid(g, sampling.time, [e, before], added, law.limit),
            Rule::StateSpace(s) => {
                let n = s.b.len();
                self.states.resize(n, 0.0);
                // The force belongs to the state before the step of the state space.
                let u = s.c.iter().zip(&self.states).map(|(c, x)| c * x).sum::<f64>() + s.d * e;
                // Behind those of this tick, which make room then.
                for i in 0..n {
                    let row = &s.a[i * n..(i + 1) * n];
                    let mixed = row.iter().zip(&self.states).map(|(a, x)| a * x).sum::<f64>();
                    self.states.push(mixed + s.b[i] * e);
                }
                self.states.drain(..n);
                clip(u + added, law.limit)
            }
        }
    }

    /// By gains: the sum takes the error first, and the derivative is that of the filter by the implicit Euler method, which
    /// is the difference over the time between ticks where there is no filter.
    fn pid(
        &mut self,
        g: &Gains,
        time: f64,
        [e, before]: [f64; 2],
        added: f64,
        limit: Option<Limit>,
    ) -> f64 {
        let step = g.integral * time * e;
        let sum = self.sum + step;
        self.rate = (g.filter * self.rate + e - before) / (g.filter + time);
        let u = g.proportional * e + sum + g.derivative * self.rate + added;
        let clipped = clip(u, limit);
        let clamps = limit.is_some_and(|l| l.anti_windup == AntiWindup::Clamp);
        // What was cut off has the sign of u − clip(u): the sum does not add to it.
        if !(clamps && (u - clipped) * step > 0.0) {
            self.sum = sum;
        }
        clipped
    }
}

/// Whether a controller sums its errors.
fn sums(law: &ControlLaw) -> bool {
    matches!(&law.rule, Rule::Pid(gains) if gains.integral != 0.0)
}

/// A force within its limits, N.
fn clip(u: f64, limit: Option<Limit>) -> f64 {
    limit.map_or(u, |l| u.clamp(-l.force, l.force))
}

/// What is read of a measured number.
fn read(y: f64, quantum: f64) -> f64 {
    if quantum > 0.0 { quantum * (y / quantum).round() } else { y }
}

impl Parts {
    /// When the next tick or change of a force of sampled controllers is, s; +∞ without any.
    pub fn next_tick(&self, control: &Control) -> f64 {
        let held = self.machine.controllers().iter().zip(&control.held);
        let due = held.filter_map(|(c, held)| Some(held.due(c.law.sampling.as_ref()?)));
        due.fold(f64::INFINITY, f64::min)
    }

    /// Lets everything happen that is due at `t` (s), where the machine is `at`; whether anything did.
    pub fn tick(&self, t: f64, window: &Window<'_>, at: &Instant, control: &mut Control) -> bool {
        let mut any = false;
        for (c, controller) in self.machine.controllers().iter().enumerate() {
            let law = &controller.law;
            let Some(sampling) = law.sampling else { continue };
            // Several ticks may be due, if a run begins between them.
            while sampling.tick(control.held[c].tick) <= t {
                let measured = read(self.measured(c, at), sampling.quantum);
                let e = window.references[c].value(t) - measured;
                let w = self.expected(c, t, window)[0];
                // A reference at its turning point has rounding for a velocity.
                let small = 1e-14 * self.expected_size(c, t, window);
                let side = if w.abs() <= small { 0 } else { w.signum() as i8 };
                let feed = law.feed_forward.map_or(0.0, |f| f.force(w, side));
                let added = feed + window.dithers[c].value(t);
                let held = &mut control.held[c];
                let u = held.compute(law, &sampling, e, added);
                // The force acts only when its delay is over, at this tick or at a later one.
                held.pending.push_back((held.tick, u));
                held.tick += 1;
                any = true;
            }
        }
        // All controllers have read before any force changes: no one sees another's answer at the same instant.
        for (c, controller) in self.machine.controllers().iter().enumerate() {
            let Some(sampling) = controller.law.sampling else { continue };
            while let Some((k, u)) = control.held[c].pending.front().copied()
                && sampling.acts(k) <= t
            {
                control.applied[c] = u;
                control.held[c].pending.pop_front();
                any = true;
            }
        }
        any
    }

    /// What controllers remember where a run begins, from what they measure.
    pub fn fresh_control(&self, t: f64, window: &Window<'_>, at: &Instant) -> Control {
        let mut control = Control::empty(self);
        for (c, slot) in self.loops.iter().enumerate() {
            if let Some(sampling) = self.control(c).sampling {
                // Ticks are counted from the time 0, not from where a run begins.
                control.held[c].tick = sampling.first(t);
            } else if slot.count == 2 && matches!(self.control(c).rule, Rule::Pid(_)) {
                // A filter that began at zero would show the first error as a jump.
                control.states[slot.first + 1] = self.deviation(c, t, window, at).value;
            }
        }
        control
    }
}
