//! Gradients with respect to the samples of signals: forward along each motion, then back over the motions.
//!
//! A sample changes its signal between its neighbours alone, so along one motion only two samples of a list matter, that at whose time
//! the piece of the signal begins (1 − θ) and that at which it ends (θ), however many there are. With δ the derivative of the state at
//! the ends of a motion, y of what is looked at in it, and s the values of those samples,
//!
//! ```text
//! forward    δ₁ = M δ₀ + P s          y = R δ₀ + Q s
//! back       λ₀ = Mᵀ λ₁ + Rᵀ ∂L/∂y    ∂L/∂s = Pᵀ λ₁ + Qᵀ ∂L/∂y
//! ```
//!
//! M and R are found by columns that begin with a unit of one number of the state each, P and Q by columns that begin with nothing. What
//! rests has the velocity of what carries it, so a unit of its own velocity is first shared out among all that moves with it.
//! Motions that end at the instant at which they begin belong to the one before: the time of what happens then is that of the event before.

use super::events::TOGETHER;
use super::{Aside, Column, Terms, Variation, Walk, along, remembered};
use crate::error::Error;
use crate::model::Machine;
use crate::motion::Event;
use crate::scheme::gap::Gap;
use crate::scheme::looked::{Looked, entering};
use crate::scheme::machine::System;
use crate::scheme::machine::guards::Ends;
use crate::scheme::machine::linear::Room;
use crate::scheme::machine::parts::Parts;
use crate::scheme::protocol::{Begins, Leg};

/// Samples of a signal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SampleList<'a> {
    /// When they are, s, increasing.
    pub times: &'a [f64],
    /// Whether a value holds until the next. One machine has other values then, and two otherwise: in the first all pieces of the signal
    /// are higher where they begin, in the second where they end.
    pub held: bool,
}

/// The gradient of a loss.
#[derive(Debug, Default)]
pub(crate) struct Turned {
    pub numbers: Vec<f64>,
    pub samples: Vec<Vec<f64>>,
    pub events: Vec<Event>,
    pub gaps: Vec<(f64, Gap)>,
}

/// One motion, or several that begin at one instant.
#[derive(Debug)]
struct Block {
    start: f64,
    /// How many numbers the state has that it begins with, and which of them have a column.
    size: usize,
    units: Vec<usize>,
    /// M and P: of each number of the state at its end the derivatives with respect to the samples, then to the `units`.
    map: Vec<f64>,
    /// R and Q: the same of x and ẋ of each node at each time, and of the times of the events.
    shown: Vec<[f64; 2]>,
    events: Vec<f64>,
    gaps: Vec<(f64, Gap)>,
}

/// What is kept of the way along the motion to go back over it.
#[derive(Debug)]
pub(super) struct Turning {
    /// What the samples change, each by the machines whose differences say so.
    locals: Vec<Terms>,
    /// The rows whose limits grow while they rest.
    ages: Vec<usize>,
    blocks: Vec<Block>,
    /// The one that is under way.
    open: Option<Block>,
    pub shown: Vec<[f64; 2]>,
    pub events: Vec<f64>,
    pub gaps: Vec<(f64, Gap)>,
}

impl Turning {
    pub fn new(parts: &Parts, locals: Vec<Terms>) -> Self {
        Self {
            locals,
            ages: parts.machine.ageing().collect(),
            blocks: Vec::new(),
            open: None,
            shown: Vec::new(),
            events: Vec::new(),
            gaps: Vec::new(),
        }
    }
}

impl Walk<'_> {
    /// Begins the columns of the samples and of the state anew with a motion, unless it is over at once.
    pub(super) fn set_out(&mut self, leg: &Leg<System>) -> Option<()> {
        let near = TOGETHER * leg.stop.abs().max(1e-3 * self.end);
        let at_once = self.turning.open.is_some() && leg.stop - leg.start <= near;
        if self.turning.locals.is_empty() || at_once {
            return Some(());
        }
        self.close();
        self.open(leg, (&leg.phase, &leg.state.pieces), leg.start)
    }

    /// Does the same at the end of a motion where a signal has a corner or a controller ticks, before that happens: a surface moves as its
    /// signal says from there on, and a tick reads it, and other samples may give that than gave it before.
    pub(super) fn turn_over(&mut self, leg: &Leg<System>, begins: &Begins<System>) -> Option<()> {
        let reads = matches!(leg.hit, None | Some(Ends::Ticks));
        if self.turning.locals.is_empty() || !reads || leg.stop <= leg.start {
            return Some(());
        }
        self.close();
        self.open(leg, (&begins.1, &begins.0.pieces), leg.stop)
    }

    /// Begins a block at `start` (s), in the mode of these statuses on these pieces.
    fn open(&mut self, leg: &Leg<System>, mode: (&[i8], &[u32]), start: f64) -> Option<()> {
        let parts = &self.parts[0];
        let layout = self.layout;
        let n = layout.size();
        let held = remembered(parts, &leg.state).len();
        let rows = leg.state.since.len();
        let empty = |terms: Terms| Column {
            terms,
            now: vec![0.0; n],
            held: vec![0.0; held],
            settles: vec![0.0; layout.contacts],
            since: vec![0.0; rows],
            lost: false,
        };
        let first = self.turning.blocks.is_empty();
        let locals = self.turning.locals.len();
        // Where another mode begins with other samples, the first columns are lost already.
        if !first {
            self.columns.truncate(self.numbers);
            self.columns.extend(self.turning.locals.iter().cloned().map(empty));
        }
        self.columns.truncate(self.numbers + locals);
        let known = self.known(mode.0, mode.1)?;
        let modes = self.known[known].modes.clone();
        let looks = super::looks(self.parts, &modes, mode.1, start);
        let (own, velocities) = (&looks[0], layout.masses..2 * layout.masses);
        if !first {
            // What rests on a surface moves as its samples say.
            for column in &mut self.columns[self.numbers..] {
                let speed = |g: usize| column.rate(|k| looks[k].flow.window.given[g].at(start)[1]);
                let given: Vec<f64> = (0..parts.given.len()).map(speed).collect();
                own.join(&mut column.now[velocities.clone()], &given);
            }
        }
        let still = vec![0.0; parts.given.len()];
        let size = n + held + layout.contacts + self.turning.ages.len();
        let mut units = Vec::with_capacity(size);
        for i in 0..size {
            let mut column = empty(Vec::new());
            let beyond = i.saturating_sub(n);
            if i < n {
                column.now[i] = 1.0;
                own.join(&mut column.now[velocities.clone()], &still);
            } else if beyond < held {
                column.held[beyond] = 1.0;
            } else if let Some(contact) = Some(beyond - held).filter(|k| *k < layout.contacts) {
                if !leg.state.settles[contact].is_finite() {
                    continue;
                }
                column.settles[contact] = 1.0;
            } else {
                column.since[self.turning.ages[beyond - held - layout.contacts]] = 1.0;
            }
            units.push(i);
            self.columns.push(column);
        }
        let count = self.columns.len();
        self.rooms.resize_with(count, || Room::of(n));
        self.rounding.resize_with(count, || vec![0.0; n]);
        self.last.1.resize(count, 0.0);
        self.turning.open = Some(Block {
            start,
            size,
            units,
            map: Vec::new(),
            shown: Vec::new(),
            events: Vec::new(),
            gaps: Vec::new(),
        });
        Some(())
    }

    /// Keeps what the columns of the samples and of the state have become.
    pub(super) fn close(&mut self) {
        let Some(mut block) = self.turning.open.take() else { return };
        let columns = &self.columns[self.numbers..];
        let ends: Vec<Vec<f64>> = columns
            .iter()
            .map(|c| {
                let ages = self.turning.ages.iter().map(|e| c.since[*e]);
                let end = [&c.now[..], &c.held, &c.settles].concat().into_iter().chain(ages);
                if c.lost { end.map(|_| f64::NAN).collect() } else { end.collect() }
            })
            .collect();
        let size = ends.first().map_or(0, Vec::len);
        block.map = (0..size).flat_map(|m| ends.iter().map(move |end| end[m])).collect();
        block.shown = std::mem::take(&mut self.turning.shown);
        block.events = std::mem::take(&mut self.turning.events);
        block.gaps = std::mem::take(&mut self.turning.gaps);
        self.turning.blocks.push(block);
    }
}

/// The gradient of a loss of the motion of `machine` up to `end` (s): with respect to the numbers of the first `asides`, and to the values of
/// the samples in `lists`, to which the others belong in their order. Nothing where there are no derivatives by the equation.
///
/// # Errors
/// Those of the motion.
pub(crate) fn gradient(
    machine: &Machine,
    end: f64,
    asides: &[Aside<'_>],
    lists: &[SampleList<'_>],
    looked: Looked<'_>,
) -> Result<Option<Turned>, Error> {
    let locals: usize = lists.iter().map(SampleList::columns).sum();
    let numbers = asides.len() - locals;
    let Some((found, turning)) = along(machine, end, asides, numbers, looked.times)? else {
        return Ok(None);
    };
    let Variation { x, v, events, event_times, gaps } = found;
    let mut out = Turned { events, gaps, ..Turned::default() };
    let rates = [&x[..], &v, &event_times];
    out.numbers = (0..numbers).map(|k| looked.along(k, numbers, rates)).collect();
    out.samples = lists.iter().map(|list| vec![0.0; list.times.len()]).collect();
    // Whoever asked is told that there are other events than he has weights for.
    if looked.event_times.is_empty() || looked.event_times.len() == out.events.len() {
        turning.back(lists, looked, &mut out);
    }
    out.gaps.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(Some(out))
}

impl SampleList<'_> {
    /// How many columns stand for it.
    fn columns(&self) -> usize {
        if self.held { 1 } else { 2 }
    }
}

impl Turning {
    /// Back over the motions, adding to the samples what they make of the loss.
    fn back(self, lists: &[SampleList<'_>], looked: Looked<'_>, out: &mut Turned) {
        let mut states = looked.x.len();
        let mut times = looked.event_times.len();
        let locals = self.locals.len();
        // λ at the end of the block.
        let mut costate: Vec<f64> = Vec::new();
        for block in self.blocks.iter().rev() {
            let count = locals + block.units.len();
            let mut of = vec![0.0; count];
            let mut add = |weight: f64, row: &mut dyn Iterator<Item = f64>| {
                if weight != 0.0 {
                    of.iter_mut().zip(row).for_each(|(of, rate)| *of += entering(weight, rate));
                }
            };
            for (weight, row) in costate.iter().zip(block.map.chunks(count)) {
                add(*weight, &mut row.iter().copied());
            }
            let rows = block.shown.len() / count;
            states -= rows;
            for (i, row) in block.shown.chunks(count).enumerate() {
                add(looked.x[states + i], &mut row.iter().map(|r| r[0]));
                add(looked.v[states + i], &mut row.iter().map(|r| r[1]));
            }
            if !looked.event_times.is_empty() {
                times -= block.events.len() / count;
                for (i, row) in block.events.chunks(count).enumerate() {
                    add(looked.event_times[times + i], &mut row.iter().copied());
                }
            }
            let mut column = 0;
            for (list, out) in lists.iter().zip(&mut out.samples) {
                let at = list.times.partition_point(|t| *t <= block.start).saturating_sub(1);
                out[at] += of[column];
                if let (false, Some(out)) = (list.held, out.get_mut(at + 1)) {
                    *out += of[column + 1];
                }
                column += list.columns();
            }
            if of.iter().any(|of| of.is_nan()) {
                out.gaps.extend(
                    block
                        .gaps
                        .iter()
                        .filter(|gap| !out.gaps.contains(gap))
                        .cloned()
                        .collect::<Vec<_>>(),
                );
            }
            costate = vec![0.0; block.size];
            for (unit, of) in block.units.iter().zip(&of[locals..]) {
                costate[*unit] = *of;
            }
        }
    }
}
