//! Steps until something ends the motion.

use super::control::Switch;
use super::dormand_prince::{Dense, Step};
use super::flow::{Flow, Instant};
use super::impact::STAYS;
use super::implicit::Implicit;
use super::levels::{LEAP, TURNS};
use super::mode::Mode;
use super::parts::{APART, OPEN, PUSHES, Parts};
use super::plan::Across;
use super::{Masses, Steps as By, System};
use crate::error::Error;
use crate::law::Law;
use crate::motion::{NetworkPhase, Poly, TERMS};
use crate::portable;
use crate::roots::{GivenUp, Touch, first_root};
use crate::scheme::event_loop::{Failure, Hit};
use crate::scheme::oscillator::adaptive::Options;
use crate::signal::Signal;

/// What ends a motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// The sliding speed of this row is zero.
    Rests(usize),
    /// What is held gives way in the direction of this number.
    GivesWay(usize),
    /// The gap of this contact is zero.
    Meets(usize),
    /// This soft contact ceases to push.
    Lets(usize),
    /// A body has left this soft contact, which did not push any more.
    Leaves(usize),
    /// This soft contact, which was entered, pushes again.
    Pushes(usize),
    /// This controller switches.
    Switches(usize, Switch),
    /// A sampled controller reads, or its force changes.
    Ticks,
    /// Bounces that were summed are over, or what a slider can hold has a kink in time.
    Settles,
    /// What this gear hands on changes its sign.
    Turns(usize),
    /// This bend leaves its piece, at its upper end if so.
    Bends(usize, bool),
    /// This part of the law of this slider with memory leaves its region.
    Yields(usize, usize),
    /// A sliding velocity of rate and state changes over its decades faster than time is resolved.
    Leaps,
    /// Levels of rate and state have settled within a time that is hardly resolved.
    Settled,
    /// Nothing: it is long enough.
    Pauses,
}

impl Ends {
    /// All that can end a motion in `mode` and on these pieces: a row that rests shows in the directions, not by itself.
    pub(super) fn of(mode: &Mode, parts: &Parts, pieces: &[u32]) -> Vec<Self> {
        let sliders = parts.sliders;
        let slips = (0..sliders).filter(|e| mode.status[*e] != 0).map(Ends::Rests);
        let mut guards: Vec<Ends> =
            slips.chain((0..mode.directions.len()).map(Ends::GivesWay)).collect();
        for (c, status) in mode.status[sliders..parts.rows.len()].iter().enumerate() {
            match *status {
                OPEN => guards.push(Ends::Meets(c)),
                PUSHES => guards.push(Ends::Lets(c)),
                APART => guards.extend([Ends::Leaves(c), Ends::Pushes(c)]),
                _ => {}
            }
        }
        parts.edges(pieces, &mut guards);
        parts.switches(&mode.status, &mut guards);
        for (i, b) in parts.bristles.iter().enumerate() {
            guards.extend((0..b.parts).map(|part| Ends::Yields(i, part)));
        }
        // Where the load is shared with what is held, it has no sign of its own.
        let determined = |g: &usize| parts.is_loaded(*g) && mode.loads.handed[*g].determined;
        guards.extend((0..parts.meshes.len()).filter(determined).map(Ends::Turns));
        guards
    }
}

/// Steps after which a motion ends and the next goes on from there, so that whoever watches a run can stop it.
pub(super) const MOST_STEPS: usize = 5_000;
/// Halvings after which a step is taken although an interpolation or a law asks for a shorter one.
const TAMINGS: u32 = 16;
/// The measure of stiffness above which an explicit step could hardly be longer, or would not be as long as its error lets it, and how many such steps make a motion stiff, or others
/// in a row make it none: Hairer's numbers.
const STABLE: f64 = 6.1;
const STRAINED: u32 = 15;
const EASED: u32 = 6;
/// The longest implicit step, as a share of the period of the fastest load.
const PART_OF_PERIOD: f64 = 0.25;
/// How far levels may move as they settle within a step: over less than an e-fold of a velocity its equations are nearly linear.
const NEAR: f64 = 1.0;
/// How much of a guard its interpolation may miss.
const TAIL: f64 = 1e-9;

/// A guard that waits for the end of a slip.
#[derive(Debug, Clone, Copy)]
struct Slip {
    /// Its number among all guards.
    guard: usize,
    /// The side to which the slider slips, ±1.
    side: f64,
    across: Across,
}

/// What is watched over a step: the values of every guard at the points of an interpolation, and the size of its terms.
#[derive(Debug, Clone, Default)]
pub(super) struct Watched {
    pub guards: Vec<Ends>,
    /// Those of sliders whose velocity follows from two nodes, and the numbers of all others.
    slips: Vec<Slip>,
    others: Vec<usize>,
    pub values: Vec<[f64; TERMS]>,
    sizes: Vec<f64>,
    /// Whether it is about a contact that opens with a velocity where the step begins.
    pub flies: Vec<bool>,
}

impl Watched {
    fn of(mode: &Mode, parts: &Parts, pieces: &[u32]) -> Self {
        let guards = Ends::of(mode, parts, pieces);
        let slip = |k: usize| match guards[k] {
            Ends::Rests(e) if parts.memory(e).is_none() => {
                let across = parts.links.across.get(e).copied().flatten();
                across.map(|across| Slip { guard: k, side: f64::from(mode.status[e]), across })
            }
            _ => None,
        };
        let n = guards.len();
        Self {
            slips: (0..n).filter_map(slip).collect(),
            others: (0..n).filter(|k| slip(*k).is_none()).collect(),
            guards,
            values: vec![[0.0; TERMS]; n],
            sizes: vec![0.0; n],
            flies: vec![false; n],
        }
    }

    /// Notes the value of guard number `k` at point `j`, and the size of its terms.
    #[inline]
    fn note(&mut self, k: usize, j: usize, [value, size]: [f64; 2]) {
        self.values[k][j] = value;
        self.sizes[k] = self.sizes[k].max(size);
    }
}

/// Explicit steps that are as long as they are stable for.
#[derive(Debug, Clone, Copy, Default)]
struct Strained {
    steps: u32,
    others: u32,
}

impl Strained {
    /// Whether the motion is stiff after another step with this measure of stiffness.
    fn by(&mut self, stiffness: f64) -> bool {
        if stiffness > STABLE {
            self.steps += 1;
            self.others = 0;
        } else {
            self.others += 1;
            if self.others >= EASED {
                self.steps = 0;
            }
        }
        self.steps >= STRAINED
    }
}

impl Parts {
    /// The row that a guard is about, if it is about one.
    pub(super) fn row_of(&self, guard: Ends) -> Option<usize> {
        match guard {
            Ends::Rests(e) => Some(e),
            Ends::Meets(c) | Ends::Lets(c) | Ends::Leaves(c) | Ends::Pushes(c) => {
                Some(self.sliders + c)
            }
            Ends::Switches(c, Switch::Turns) => Some(self.status_of(c) + 1),
            Ends::Switches(c, _) => Some(self.status_of(c)),
            Ends::Turns(g) => Some(self.sign_of(g)),
            Ends::Bends(b, _) => Some(self.since_of_bend(b)),
            Ends::Yields(i, part) => Some(self.regions_of(&self.bristles[i]).start + part),
            Ends::GivesWay(_)
            | Ends::Ticks
            | Ends::Settles
            | Ends::Leaps
            | Ends::Settled
            | Ends::Pauses => None,
        }
    }
}

impl Flow<'_> {
    /// The value of a guard at `t` (s), where the machine is `at` with its forces, and the size of its terms. `since` is when each slider
    /// came to rest, s, and `atol` the velocity below which nothing is known of one, m/s.
    pub(super) fn guard(
        &self,
        guard: Ends,
        t: f64,
        since: &[f64],
        at: &Instant,
        atol: f64,
    ) -> [f64; 2] {
        match guard {
            Ends::Rests(e) if self.parts.level(e, at).is_some() => {
                let u = self.parts.level(e, at).unwrap_or_default();
                [f64::from(self.mode.status[e]) * u + TURNS, u.abs().max(1.0)]
            }
            Ends::Rests(e) => {
                let [w, size] = self.speed(e, at);
                // A bristle has turned when its velocity is clearly of the other sign: as it settles, rounding turns it at every
                // step, and below the tolerance the side makes no difference.
                let clear = if self.parts.memory(e).is_some() { atol } else { 0.0 };
                [f64::from(self.mode.status[e]) * w + clear, size + clear]
            }
            Ends::GivesWay(d) => self.margin(d, t, since, at),
            Ends::Meets(c) => [at.gap[c], self.reach(c, at)],
            Ends::Leaves(c) => [-at.gap[c], self.reach(c, at)],
            Ends::Lets(c) => self.push(c, at),
            Ends::Pushes(c) => {
                let [push, size] = self.push(c, at);
                [-push, size]
            }
            Ends::Turns(g) => {
                let [load, size] = self.handed(g, at);
                [f64::from(self.mode.status[self.parts.sign_of(g)]) * load, size]
            }
            Ends::Bends(b, up) => self.to_edge(b, up, t, at),
            Ends::Yields(i, part) => self.parts.bristle_margin(i, part, &self.mode.status, at),
            Ends::Switches(c, switch) => {
                self.parts.switch(c, switch, t, &self.window, &self.mode.status, at)
            }
            Ends::Ticks | Ends::Settles | Ends::Leaps | Ends::Settled | Ends::Pauses => [1.0, 1.0],
        }
    }
}

/// A root that was found in a step: which guard, and when (s).
pub(super) type Found = (usize, f64);

/// What a search of the guards over a step has found.
#[derive(Debug)]
pub(super) struct Search {
    /// The first root, if there is one.
    pub found: Option<Found>,
    /// Whether each guard is interpolated well enough.
    pub good: bool,
    /// The guards that come, before it, so near to zero that it is not known whether they get there, and when (s).
    pub near: Vec<Found>,
    /// Those that stay at zero, as far as is known.
    pub stay: Vec<usize>,
}

/// What one motion is made with.
pub(super) struct Stepper<'a> {
    pub flow: Flow<'a>,
    /// How steps are made.
    pub by: By,
    /// When each slider came to rest, s.
    pub since: &'a [f64],
    pub at: Instant,
    pub step: Step,
    short: Step,
    /// The steps in place of these, where a slider is of rate and state or the motion is stiff.
    implicit: Option<Implicit>,
    /// The greatest sliding speed of each slider with memory over the step, m/s.
    fastest: Vec<f64>,
    pub watched: Watched,
    pub polys: Vec<Poly>,
    /// Each number of the state at the points of the interpolation, and the state at one of them.
    looks: Vec<[f64; TERMS]>,
    pub u: Vec<f64>,
    scale: Vec<f64>,
    /// The absolute tolerance of a velocity: nothing smaller is known of it, and a bristle that moves back faster has turned, m/s.
    atol: f64,
}

impl Stepper<'_> {
    /// The value of guard number `k` in the state `u` at `t`, and the size of its terms.
    pub fn guard(&mut self, k: usize, t: f64) -> [f64; 2] {
        self.flow.guard(self.watched.guards[k], t, self.since, &self.at, self.atol)
    }

    /// Sets out from `u` at `t` (s).
    fn begin(&mut self, t: f64, u: &[f64]) {
        let Self { flow, step, at, implicit, .. } = self;
        step.begin(t, u, &mut |t, u, du| flow.derivative(t, u, du, at));
        if let Some(implicit) = implicit {
            implicit.begin(t, u, flow, at, false);
        }
    }

    /// A step of `h` (s): its error over the tolerance.
    fn make(&mut self, h: f64, system: &System) -> f64 {
        let Self { flow, step, at, implicit, scale, .. } = self;
        if let Some(implicit) = implicit {
            let error = implicit.make(h, flow, at);
            step.h = h;
            implicit.step.end(&mut step.to);
            return error;
        }
        step.make(h, &mut |t, u, du| flow.derivative(t, u, du, at));
        // Of the step's own size, since a tolerance relative to the start alone would refuse a motion from
        // rest.
        system.tolerances(scale, step, flow);
        step.error(scale)
    }

    /// Goes on at `t` (s) from the end of the step.
    fn go_on(&mut self, t: f64) {
        let Self { flow, step, at, implicit, .. } = self;
        if let Some(implicit) = implicit {
            step.t = t;
            step.from.copy_from_slice(&step.to);
            implicit.begin(t, &step.from, flow, at, true);
        } else {
            step.go_on(t);
        }
    }

    /// Writes the dense output of the step into `polys`.
    fn interpolate(&mut self) {
        let Self { flow, step, at, polys, implicit, .. } = self;
        polys.clear();
        match implicit {
            Some(implicit) => implicit.dense(polys),
            None => step.dense(&mut |t, u, du| flow.derivative(t, u, du, at), polys),
        }
    }

    /// Notes all guards over the step, whose dense output is in `polys`.
    pub fn watch(&mut self) {
        self.fastest.fill(0.0);
        let controllers = self.flow.parts.loops.len();
        // Accelerations cost a solution each: of a motion that only slides none is needed.
        let needs_forces = !self.flow.mode.directions.is_empty()
            || controllers > 0
            || self.watched.guards.iter().any(|g| matches!(g, Ends::Turns(_)));
        self.watched.sizes.fill(0.0);
        let nodes = Poly::nodes();
        // From the dense output, not from the stages: the guards are interpolated where the path will be.
        self.looks.iter_mut().zip(&self.polys).for_each(|(look, p)| *look = p.at_each(nodes));
        for (j, theta) in nodes.iter().enumerate() {
            let t = self.step.t + theta * self.step.h;
            self.u.iter_mut().zip(&self.looks).for_each(|(u, look)| *u = look[j]);
            self.flow.kinematics(t, &self.u, &mut self.at);
            if needs_forces {
                self.flow.dynamics(t, &mut self.at);
            }
            for (most, creep) in self.fastest.iter_mut().zip(&self.at.creeps) {
                *most = most.max(creep.speed.abs());
            }
            for i in 0..self.watched.slips.len() {
                let Slip { guard, side, across } = self.watched.slips[i];
                let [w, size] = across.speed(&self.at.node_v, &self.at.given);
                self.watched.note(guard, j, [side * w, size]);
            }
            for i in 0..self.watched.others.len() {
                let k = self.watched.others[i];
                if let Ends::Meets(c) = self.watched.guards[k]
                    && j == 0
                {
                    let [opens, size] = self.flow.speed(self.flow.parts.sliders + c, &self.at);
                    self.watched.flies[k] = opens > STAYS * size;
                }
                let found = self.guard(k, t);
                self.watched.note(k, j, found);
            }
        }
    }

    /// Whether a law bends so much over the speeds of the step that its stages may have missed a feature of it.
    fn bends(&self) -> bool {
        self.watched.guards.iter().zip(&self.watched.values).any(|(guard, values)| {
            let Ends::Rests(e) = guard else { return false };
            // Speeds beyond rest belong to the continuation of the law, whose bends do not count.
            let side = f64::from(self.flow.mode.status[*e]);
            let lo = values.iter().fold(f64::INFINITY, |m, v| m.min(v.max(0.0)));
            let hi = values.iter().fold(0.0, |m: f64, v| m.max(*v));
            self.flow.parts.law(*e).is_some_and(|law| law.bend(side, lo, hi) > 1.0)
        })
    }

    /// The first root in the step and before `until` (s), and what nearly is one.
    ///
    /// # Errors
    /// If a search is given up.
    pub fn search(&self, until: f64) -> Result<Search, GivenUp> {
        let start = self.step.t;
        let h = self.step.h;
        // The first root bounds the search of all further guards.
        let mut end = until.min(start + h);
        let mut found = None;
        let mut good = true;
        let mut near: Vec<Found> = Vec::new();
        let mut stay = Vec::new();
        let sizes = self.watched.guards.iter().zip(&self.watched.sizes);
        let forces = sizes.filter(|(g, _)| matches!(g, Ends::GivesWay(_) | Ends::Turns(_)));
        let forces = forces.fold(0.0, |m: f64, (_, size)| m.max(*size));
        for (k, guard) in self.watched.guards.iter().enumerate() {
            let values = &self.watched.values[k];
            let mut size = self.watched.sizes[k];
            if matches!(guard, Ends::Turns(_)) {
                // All terms of a load may vanish with it: its rounding is that of the forces of which it is one.
                size = size.max(forces);
            }
            let least = values.iter().fold(f64::INFINITY, |m, v| m.min(*v));
            let tail = Poly::tail(values);
            // As a slip begins under a load that hardly exceeds what holds, its velocity is rounding but for a part below the
            // tolerance: no shorter step interpolates it better. A bristle says itself when it has turned.
            let slips = |e: usize| self.flow.parts.memory(e).is_none();
            let known = match guard {
                Ends::Rests(e) if slips(*e) => self.atol,
                _ => 0.0,
            };
            good &= tail <= (TAIL * size).max(known);
            let most = values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            if matches!(guard, Ends::Turns(_) | Ends::Bends(..)) && most <= IDLE * size {
                continue; // a gear without a load, or what stays at the end of its piece
            }
            let blur = self.blur(k, size);
            if blur.is_some_and(|blur| most <= blur) {
                stay.push(k);
            }
            // What stays far from zero, for all that the interpolation may miss, is not searched.
            if least > 0.5 * values.iter().fold(0.0, |m: f64, v| m.max(*v)) && least > 4.0 * tail {
                continue;
            }
            let noise = NOISE * size + f64::MIN_POSITIVE;
            // What leaves a stop without a velocity, because nothing presses it any more, comes out of the rounding with the third
            // power of the time. A gap that begins there and never falls clearly below it does not close.
            if matches!(guard, Ends::Meets(_)) && values[0] <= noise && least >= -noise {
                continue;
            }
            // A slip that has just begun has a guard of zero at its start, which is no root.
            let just =
                self.flow.parts.row_of(*guard).is_some_and(|e| start - self.since[e] <= JUST * h);
            let (poly, _) = Poly::interpolate(values);
            let bound = poly.third_bound(h);
            // A load that comes to its limit where the step ends, as at a kink of it, does not exceed it yet.
            let touch = match guard {
                Ends::GivesWay(_) => Touch::Exceeds,
                _ => Touch::Passes,
            };
            let root = first_root(start, end, noise, touch, |t| {
                let mut jet = poly.jet((t - start) / h, h, bound);
                if just && t == start && jet.value <= 1e-12 * size.max(f64::MIN_POSITIVE) {
                    // It sets out from rest, whatever the rounding.
                    jet.value = 0.0;
                    jet.first = jet.first.max(0.0);
                    // What flies up, however slowly, comes down.
                    if !self.watched.flies[k] && jet.first <= 1e-9 * size / h {
                        jet.second = jet.second.max(0.0);
                    }
                }
                [jet]
            })?;
            if let Some(root) = root {
                end = root.at;
                found = Some((k, root.at));
                if end <= start {
                    break;
                }
            } else if values[0] > noise
                && let Some(blur) = blur
                && most > 2.0 * blur
                && let Some(theta) = poly.dip(values, blur)
            {
                // What begins at zero does not come near it.
                near.push((k, start + theta * h));
            }
        }
        near.retain(|(_, at)| *at < end);
        Ok(Search { found, good, near, stay })
    }
}

/// A slip that is younger than this share of a step has hardly begun: its speed is zero but for rounding.
const JUST: f64 = 1e-8;
/// A load below this share of its terms is none.
pub(super) const IDLE: f64 = 1e-12;
/// Rounding of a guard over the size of its terms.
const NOISE: f64 = 1e-14;

impl System {
    /// The next age at which what a slider at rest can hold has a kink, as a time, s.
    pub(super) fn next_kink(&self, t: f64, state: &Masses, phase: &NetworkPhase) -> f64 {
        let sliders = phase.iter().enumerate().take(self.parts.sliders).filter(|(_, s)| **s == 0);
        let kink = |(e, _): (usize, &i8)| {
            let kink = |law: &Law| state.since[e] + law.next_kink(t - state.since[e]);
            self.parts.law(e).map_or(f64::INFINITY, kink)
        };
        sliders.map(kink).filter(|k| *k > t).fold(f64::INFINITY, f64::min)
    }

    /// Steps from `start` until something ends the motion, or `until` (s).
    pub(super) fn follow(
        &mut self,
        start: f64,
        state: &Masses,
        mode: &Mode,
        x0: &[f64],
        until: f64,
    ) -> Result<(Dense, Option<Hit<Ends>>), Failure> {
        let parts = self.parts.clone();
        let flow = Flow {
            parts: &parts,
            mode,
            window: parts.window(start),
            x0,
            gap0: &state.gap,
            applied: &state.control.applied,
            pieces: &state.pieces,
        };
        let size = flow.size();
        let stiff = std::mem::take(&mut self.stiff);
        let mut given = Instant::of(&parts);
        flow.kinematics(start, &vec![0.0; size], &mut given);
        let first = flow.first(state, |g| given.given[g][1]);
        let mut dense = Dense::new(&first);
        if until <= start {
            return Ok((dense, None));
        }
        let mut s = Stepper {
            flow,
            by: if self.linear.is_some() { By::Exact } else { By::Adaptive(self.options) },
            since: &state.since,
            at: given,
            step: Step::of(size),
            short: Step::of(size),
            implicit: (stiff || parts.has_levels()).then(|| Implicit::of(size, self.options)),
            fastest: vec![0.0; parts.bristles.len()],
            watched: Watched::of(mode, &parts, &state.pieces),
            polys: Vec::with_capacity(size),
            looks: vec![[0.0; TERMS]; size],
            u: vec![0.0; size],
            scale: vec![0.0; size],
            atol: self.options.atol,
        };
        if let Some(mut linear) = self.linear.take() {
            let done = self.glide(&mut linear, &mut s, dense, [start, until]);
            self.linear = Some(linear);
            return done;
        }
        let mut t = start;
        s.begin(t, &first);
        if s.implicit.is_none() {
            self.h = self.h.min(self.first_step(&s, x0));
        }
        let power = if s.implicit.is_some() { -1.0 / 6.0 } else { -0.125 };
        let longest = self.longest(s.implicit.is_some());
        let mut strained = Strained::default();
        let mut tamings = 0;
        let mut refused = false;
        while t < until {
            self.interrupt.check(t)?;
            // A step that would leave less than rounding before the end reaches it.
            let last = t + 1.0001 * self.h >= until;
            let h = if last { until - t } else { self.h };
            let error = s.make(h, self);
            if error.is_nan() || error > 1.0 {
                if self.shorten(t, h, [error, power], mode)? {
                    let hit = self.settle(t, until, &mut s, &mut dense);
                    return Ok((dense, Some(hit)));
                }
                refused = true;
                continue;
            }
            s.interpolate();
            s.watch();
            let Search { found, good, near, stay } = s.search(f64::INFINITY)?;
            // Where steps are as short as that already, an interpolation will not become better.
            let long = h > 64.0 * self.shortest(t);
            if long && tamings < TAMINGS && (!good || s.bends()) {
                tamings += 1;
                refused = true;
                self.h = 0.5 * h;
                continue;
            }
            tamings = 0;
            for (most, now) in self.fastest.iter_mut().zip(&s.fastest) {
                *most = most.max(*now);
            }
            self.note_near(&s, &near, &stay);
            if let Some((k, at)) = found {
                let what = s.watched.guards[k];
                let time = s.polish(k, at);
                // A root at the very start leaves no step behind it.
                if time > t {
                    let h = s.short.h;
                    dense.push(t, h, &s.polys);
                }
                return Ok((dense, Some(Hit { time, what })));
            }
            dense.push(t, h, &s.polys);
            let grow = if error > 0.0 {
                (0.9 * portable::pow(error, power)).clamp(0.333, 6.0)
            } else {
                6.0
            };
            // After a longer one was refused, how much longer its error would let it be: what refuses it is that explicit steps are
            // not stable then, which shows as an error at once or as a motion that its polynomials do not follow.
            let denied = if refused { grow.max(1.0) } else { 1.0 };
            // After a step that was refused the next one is no longer; and a last step says nothing about the next one.
            let grow = if refused { grow.min(1.0) } else { grow };
            refused = false;
            if !last || grow < 1.0 {
                self.h = (h * grow).min(longest);
            }
            t = if last { until } else { t + h };
            // Steps that are solved but too short to be told from none would go over the decades of a velocity one by one.
            let stands = !mode.levels.all.is_empty() && self.h <= self.shortest(t);
            if s.implicit.is_none() && !parts.bristles.is_empty() {
                // What follows takes implicit steps until something happens.
                self.stiff = strained.by(denied * s.step.stiffness(&s.scale));
            }
            s.go_on(t);
            if t < until && stands {
                let hit = self.settle(t, until, &mut s, &mut dense);
                return Ok((dense, Some(hit)));
            }
            if (self.stiff || dense.steps.len() >= MOST_STEPS) && t < until {
                self.stiff |= stiff;
                return Ok((dense, Some(Hit { time: t, what: Ends::Pauses })));
            }
        }
        Ok((dense, None))
    }

    /// What ends a motion at `t` (s) whose steps would be shorter than time is resolved: a step about as long as a leap in which
    /// levels settle together, where its equations are solved and no level moves far, or else a leap.
    ///
    /// A step that is stable however stiff ends where the levels have settled, whatever its polynomials say of the way there.
    fn settle(&mut self, t: f64, until: f64, s: &mut Stepper<'_>, dense: &mut Dense) -> Hit<Ends> {
        let levels = &s.flow.mode.levels.all;
        for part in [1.0, 0.1, 0.01] {
            let h = part * LEAP * self.shortest(t);
            if t + h >= until || !s.make(h, self).is_finite() {
                continue;
            }
            let places = levels.iter().map(|level| s.flow.mode.groups + level.group);
            let moved = places.map(|i| (s.step.to[i] - s.step.from[i]).abs()).fold(0.0, f64::max);
            if moved < NEAR {
                s.interpolate();
                s.watch();
                dense.push(t, h, &s.polys);
                self.h = 0.1 * h;
                return Hit { time: t + h, what: Ends::Settled };
            }
        }
        Hit { time: t, what: Ends::Leaps }
    }

    /// A first step by the size of the derivatives.
    fn first_step(&self, s: &Stepper<'_>, x0: &[f64]) -> f64 {
        let groups = s.flow.mode.groups;
        let mut least = f64::INFINITY;
        for g in 0..groups {
            let x = x0[s.flow.mode.first[g]];
            let v = s.step.from[groups + g];
            let a = s.step.slope()[groups + g];
            // A displacement of nothing has no scale of its own: a thousand tolerances stand for it.
            let size = x.abs().max(1e3 * self.options.atol);
            let quick = (v.abs() / size).max((a.abs() / size).sqrt());
            if quick > 0.0 {
                least = least.min(1.0 / quick);
            }
        }
        (0.1 * least).max(1e-6 * self.end)
    }

    /// The tolerance of each number of the state over a step.
    fn tolerances(&self, scale: &mut [f64], step: &Step, flow: &Flow<'_>) {
        let groups = flow.mode.groups;
        let Options { rtol, atol, .. } = self.options;
        for g in 0..groups {
            let x0 = flow.x0[flow.mode.first[g]];
            let x = (x0 + step.from[g]).abs().max((x0 + step.to[g]).abs());
            let v = step.from[groups + g].abs().max(step.to[groups + g].abs());
            scale[g] = atol + rtol * x;
            scale[groups + g] = atol + rtol * v;
        }
        for i in 2 * groups..scale.len() {
            scale[i] = atol + rtol * step.from[i].abs().max(step.to[i].abs());
        }
        flow.bristle_scales(rtol, scale);
    }

    /// The longest step, s: an implicit one could pass over a whole wave of a load and never see it.
    fn longest(&self, implicit: bool) -> f64 {
        if !implicit {
            return f64::INFINITY;
        }
        let fastest = self.parts.machine.signals().map(Signal::fastest).fold(0.0, f64::max);
        if fastest > 0.0 { PART_OF_PERIOD * std::f64::consts::TAU / fastest } else { self.end }
    }

    /// Shortens the next step after one of `h` from `t` whose `error` was too large; true where a leap takes its place.
    fn shorten(
        &mut self,
        t: f64,
        h: f64,
        [error, power]: [f64; 2],
        mode: &Mode,
    ) -> Result<bool, Error> {
        let finite = error.is_finite();
        self.h = h * if finite { (0.9 * portable::pow(error, power)).max(0.2) } else { 0.2 };
        if self.h > self.shortest(t) {
            Ok(false)
        } else if !mode.levels.all.is_empty() {
            Ok(true)
        } else if finite {
            let sliders = self.parts.sliders;
            let slips = mode.status[..sliders].iter().filter(|s| **s != 0).count();
            let phase = format!("{slips} of {sliders} sliders slip");
            Err(Error::StepTooShort { time: t, step: self.h, phase })
        } else {
            Err(Error::NotFinite { time: t, step: 0.0 })
        }
    }
}

impl Stepper<'_> {
    /// Newton's method on the step itself, from the root `at` of the interpolation of guard `k`: the time of the event (s).
    /// The dense output of the shorter step is then in `polys`.
    fn polish(&mut self, k: usize, mut at: f64) -> f64 {
        let start = self.step.t;
        let h = self.step.h;
        // No step is as short as that: the event is where the step begins.
        if at - start <= 4.0 * f64::EPSILON * start.abs() {
            return start;
        }
        let (poly, _) = Poly::interpolate(&self.watched.values[k]);
        for round in 0..4 {
            let Self { flow, step, short, at: now, implicit, .. } = self;
            if let Some(implicit) = implicit {
                // A shorter step that is not solved leaves the longer one, whose polynomials reach beyond the root.
                if !implicit.shorten(at - start, flow, now) {
                    break;
                }
                implicit.step.end(&mut short.to);
            } else {
                let mut f = |t: f64, u: &[f64], du: &mut [f64]| flow.derivative(t, u, du, now);
                step.shortened(at - start, short, &mut f);
            }
            // Some guards need forces, and a round of Newton's method costs a whole step anyway.
            flow.kinematics(at, &short.to, now);
            flow.dynamics(at, now);
            if round == 3 {
                break;
            }
            let [value, size] = self.guard(k, at);
            // The slope of the interpolation is good enough for steps that end in rounding.
            let slope = poly.slope((at - start) / h) / h;
            let by = value / slope;
            let resolution = f64::EPSILON * at.abs();
            if slope >= 0.0
                || by.is_nan()
                || by.abs() > 1e-2 * h
                || by.abs() <= resolution
                || value.abs() <= 1e-17 * size
                || at - by <= start
            {
                break; // a touch, or done
            }
            at -= by;
        }
        let Self { flow, short, at: now, polys, implicit, .. } = self;
        polys.clear();
        if let Some(implicit) = implicit {
            short.h = implicit.step.h;
            implicit.dense(polys);
            return at;
        }
        let mut f = |t: f64, u: &[f64], du: &mut [f64]| flow.derivative(t, u, du, now);
        short.dense(&mut f, polys);
        at
    }
}
