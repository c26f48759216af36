//! How the motion of a machine changes with its numbers: the variational equation, mode by mode.
//!
//! With y the state, p a number and δ = ∂y/∂p at a fixed time,
//!
//! ```text
//! in a mode       y′ = f(t, y, p)                          δ′ = A δ + ∂ₚf,  A = ∂f
//! at an event     h(t, y, p) = 0, y⁺ = R(t, y⁻, p)         ∂t = −(∂h·δ + ∂ₚh)/ḣ
//!                                                          δ⁺ = ∂R (δ + f⁻ ∂t) + ∂ₜR ∂t + ∂ₚR − f⁺ ∂t
//! ```
//!
//! The motion is made once more, by `exact` where it treats the machine and by `adaptive` elsewhere, and says mode by mode what ends it (`Ends`)
//! and what takes part in an impact (`Struck`). In a machine of linear parts f and h are affine in y: A and ∂h are differences over a distance
//! at which everything else is below rounding. With respect to the numbers of the state of which some part is no linear function they are
//! differences of order six along the motion (`slopes`). ∂ₚ are the
//! differences that [`Aside`] weighs, between machines with another value of the number in the same mode, on the same pieces of signals and curves
//! and with the same signs of loads: on the branch of this motion, never over a kink.
//!
//! R joins what is held by the sums of momenta, after an impact with the rows whose impulses are not zero, and after a tick by what the controllers
//! compute. The limit of what ages at rest depends on when its rest began, whose derivative is kept. Where an event is touched and not crossed, where two events at one instant move by different times, or where what comes to rest is
//! just at its limit, there is no derivative: the instant is told, and what comes after it is NaN.

mod alike;
mod back;
mod events;
mod look;
mod slopes;
mod steps;

use super::flow::Instant;
use super::mode::Mode;
use super::parts::{Parts, Place};
use super::{Masses, ROUNDING, Steps as By, System, first, linear, set_out_from};
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::model::Machine;
use crate::motion::{Event, Warning};
use crate::scheme::collocation::{NODES, RADAU};
use crate::scheme::gap::Gap;
use crate::scheme::machine::linear::Room;
use crate::scheme::oscillator::adaptive::Options;
use crate::scheme::protocol::{Begins, EventDriven, Leg};
use crate::signal::Signal;
use back::Turning;
pub(crate) use back::{SampleList, gradient};
use look::{Layout, Look};
use slopes::Slopes;
use std::sync::Arc;
use steps::Steps;

/// A number by machines in which it is different: weights, and pairs whose difference they weigh; nothing stands for the machine itself.
#[derive(Debug)]
pub(crate) struct Aside<'a> {
    pub pairs: Vec<(f64, &'a Machine, Option<&'a Machine>)>,
}

/// Derivatives of a motion.
#[derive(Debug, Default)]
pub(crate) struct Variation {
    /// Of x and ẋ: those of the first node at the first time with respect to every number, of the second node, …, at the second time, ….
    pub x: Vec<f64>,
    pub v: Vec<f64>,
    /// The events, and the derivatives of their times with respect to every number.
    pub events: Vec<Event>,
    pub event_times: Vec<f64>,
    /// Where there is none.
    pub gaps: Vec<(f64, Gap)>,
}

/// The derivatives with respect to one number.
#[derive(Debug)]
struct Column {
    /// Weights, and the numbers of the machines whose difference they weigh; 0 is the machine itself.
    terms: Vec<(f64, usize, usize)>,
    /// δ.
    now: Vec<f64>,
    /// Those of what sampled controllers remember.
    held: Vec<f64>,
    /// Those of the times at which summed bounces end, and since when each row does what it does.
    settles: Vec<f64>,
    since: Vec<f64>,
    /// Whether there are none any more.
    lost: bool,
}

impl Column {
    /// The derivative of what `of` says of each machine.
    fn rate(&self, of: impl Fn(usize) -> f64) -> f64 {
        self.terms.iter().map(|(w, a, b)| w * (of(*a) - of(*b))).sum()
    }

    /// Whether the motion depends on the number by now.
    fn moves(&self) -> bool {
        let all = [&self.now, &self.held, &self.settles, &self.since];
        all.into_iter().flatten().any(|d| *d != 0.0)
    }

    fn lose(&mut self) {
        self.lost = true;
        self.terms.clear();
        for list in [&mut self.now, &mut self.held, &mut self.settles, &mut self.since] {
            list.fill(0.0);
        }
    }
}

/// A mode that was met.
struct Known {
    status: Box<[i8]>,
    pieces: Box<[u32]>,
    /// In each machine.
    modes: Arc<Vec<Mode>>,
    steps: Option<Steps>,
}

/// The rounding of rates whose terms may be larger than they are.
const ROUNDS: f64 = 1e-14;
/// Steps along a motion, of which each of its own may be so many, after which its derivative is given up.
const TRIED: usize = 50;
const MOST_TRIED: usize = 1000;
/// Modes that are kept.
const KEPT: usize = 16;

/// What walks along the motion.
struct Walk<'a> {
    /// The machine itself, then those in which numbers are different.
    parts: &'a [Arc<Parts>],
    layout: Layout,
    /// On which numbers of the state something depends that is not linear in them.
    bent: Vec<bool>,
    sizes: Sizes,
    end: f64,
    /// The fastest load, rad/s.
    fastest: f64,
    /// Those of the numbers, then those that begin anew with a motion.
    columns: Vec<Column>,
    /// How many numbers there are.
    numbers: usize,
    turning: Turning,
    known: Vec<Known>,
    /// The last event: when it was, s, and how its time changes with each number.
    last: (f64, Vec<f64>),
    /// From when on there are no derivatives, because the run warns of that instant, s.
    doubt: f64,
    /// How many warnings of the run have been looked at.
    warnings: usize,
    out: Variation,
    /// Room that is used again: a machine at an instant, and the rates of each machine.
    at: Instant,
    rates: Vec<Vec<f64>>,
    rooms: Vec<Room>,
    /// The rounding of ∂ₚf for each number.
    rounding: Vec<Vec<f64>>,
}

/// The motion along which derivatives are taken where `exact` has none.
const SHARP: Options = Options { rtol: 1e-13, atol: 1e-16, leave_at: None };

/// The derivatives of the motion of `machine` up to `end` (s) with respect to the numbers of `asides`, at `times` (s, not
/// decreasing), and of the times of its events. Nothing where a number changes a part of the machine and not
/// only numbers of it, and where friction has corners or is of rate and state.
///
/// # Errors
/// Those of the motion.
pub(crate) fn vary(
    machine: &Machine,
    end: f64,
    asides: &[Aside<'_>],
    times: &[f64],
) -> Result<Option<Variation>, Error> {
    Ok(along(machine, end, asides, asides.len(), times)?.map(|(found, _)| found))
}

/// The same, and what gradients are made of: of the `asides` only the first are of numbers, so many as are said; the others are of
/// samples.
fn along(
    machine: &Machine,
    end: f64,
    asides: &[Aside<'_>],
    numbers: usize,
    times: &[f64],
) -> Result<Option<(Variation, Turning)>, Error> {
    let by = if linear::obstacle(machine).is_none() { By::Exact } else { By::Adaptive(SHARP) };
    let (mut system, begins) = set_out_from(machine, &first(machine)?, [0.0, end], by)?;
    if !slopes::are_smooth(machine) {
        return Ok(None);
    }
    let Some((models, terms)) = models(&system, &begins, end, asides) else { return Ok(None) };
    let parts: Vec<Arc<Parts>> = models.iter().map(|m| m.0.clone()).collect();
    let starts: Vec<&Begins<System>> = models.iter().map(|m| &m.1).collect();
    let mut walk = Walk::new(&parts, end, terms, numbers, &starts);
    let mut left = times;
    let mut t = 0.0;
    let mut begins = begins;
    let interrupt = Interrupt::current();
    let mut events = Vec::new();
    while t < end {
        interrupt.check(t)?;
        let leg = Leg::of(&mut system, t, end, begins).map_err(|(error, _)| error)?;
        walk.heed(&system);
        if walk.set_out(&leg).is_none() || walk.follow(&leg, &mut left).is_none() {
            return Ok(None);
        }
        walk.lose_doubtful(leg.stop);
        let arrived = system.arrive(&leg, leg.stop, leg.hit.as_ref());
        events.clear();
        begins = system.next(&leg, arrived.clone(), &mut events)?;
        let struck = system.struck.take();
        if walk.turn_over(&leg, &begins).is_none() {
            return Ok(None);
        }
        if walk.pass(&leg, &arrived, &begins, struck.as_ref(), &events).is_none() {
            return Ok(None);
        }
        walk.heed(&system);
        walk.lose_doubtful(leg.stop);
        t = leg.stop;
    }
    walk.close();
    for warning in system.warnings.told().filter(Warning::parts_neighbours) {
        let time = warning.time().unwrap_or(0.0);
        walk.out.gaps.push((time, Gap::Warned(warning)));
    }
    Ok(Some((walk.out, walk.turning)))
}

/// A machine with what begins in it.
type Starts = (Arc<Parts>, Begins<System>);
/// Weights, and the numbers of machines.
type Terms = Vec<(f64, usize, usize)>;

/// The machine itself and those of the numbers, with what begins; nothing where one of them is no machine of the same parts.
fn models(
    system: &System,
    begins: &Begins<System>,
    end: f64,
    asides: &[Aside<'_>],
) -> Option<(Vec<Starts>, Vec<Terms>)> {
    let mut models = vec![(system.parts.clone(), begins.clone())];
    let mut terms = Vec::new();
    for aside in asides {
        let mut of_number = Vec::new();
        for (weight, a, b) in &aside.pairs {
            let mut place = |machine: &Machine| -> Option<usize> {
                let at = first(machine).ok()?;
                // Only what begins is asked of it, whose law may be linear in this machine alone.
                let found = set_out_from(machine, &at, [0.0, end], By::Adaptive(ROUNDING)).ok()?;
                let [own, other] = [&system.parts, &found.0.parts];
                if !alike::are_alike(own, other) || !alike::are_near(own, other, end) {
                    return None;
                }
                models.push((found.0.parts.clone(), found.1));
                Some(models.len() - 1)
            };
            let a = place(a)?;
            let b = match b {
                Some(b) => place(b)?,
                None => 0,
            };
            of_number.push((*weight, a, b));
        }
        terms.push(of_number);
    }
    Some((models, terms))
}

/// The machines in the same mode, each to be asked.
fn looks<'a>(
    parts: &'a [Arc<Parts>],
    modes: &'a [Mode],
    pieces: &'a [u32],
    start: f64,
) -> Vec<Look<'a>> {
    let one = |(p, m): (&'a Arc<Parts>, &'a Mode)| Look::new(p, &parts[0], m, pieces, start);
    parts.iter().zip(modes).map(one).collect()
}

/// How large the displacements, the velocities, the gaps and the inner states have been: what is moved to see how something depends on it is moved
/// by a share of that, however small it is just now.
#[derive(Debug, Default)]
struct Sizes([f64; 4]);

impl Sizes {
    fn kind(layout: Layout, j: usize) -> usize {
        [layout.masses, layout.gaps(), layout.inner()].iter().filter(|first| **first <= j).count()
    }

    /// Notes a state.
    fn note(&mut self, layout: Layout, y: &[f64]) {
        for (j, y) in y.iter().enumerate() {
            let size = &mut self.0[Self::kind(layout, j)];
            *size = size.max(y.abs());
        }
    }

    /// That of number `j` of the state.
    fn of(&self, layout: Layout, j: usize) -> f64 {
        self.0[Self::kind(layout, j)]
    }
}

/// What sampled controllers remember, and the forces that they hold.
fn remembered(parts: &Parts, state: &Masses) -> Vec<f64> {
    state.control.ticked(parts.machine.controllers()).collect()
}

impl<'a> Walk<'a> {
    fn new(
        parts: &'a [Arc<Parts>],
        end: f64,
        terms: Vec<Terms>,
        numbers: usize,
        starts: &[&Begins<System>],
    ) -> Self {
        let own = &parts[0];
        let layout = Layout::of(own);
        let n = layout.size();
        let packed: Vec<Vec<f64>> = starts.iter().map(|(s, _)| layout.pack(s)).collect();
        let held: Vec<Vec<f64>> =
            starts.iter().zip(parts).map(|((s, _), p)| remembered(p, s)).collect();
        let column = |terms: Terms| {
            let mut column = Column {
                terms,
                now: Vec::new(),
                held: Vec::new(),
                settles: vec![0.0; layout.contacts],
                since: vec![0.0; starts[0].0.since.len()],
                lost: false,
            };
            column.now = (0..n).map(|i| column.rate(|k| packed[k][i])).collect();
            let count = held[0].len();
            column.held = (0..count)
                .map(|i| column.rate(|k| held[k].get(i).copied().unwrap_or(f64::NAN)))
                .collect();
            column
        };
        let turning = Turning::new(own, terms[numbers..].to_vec());
        let columns: Vec<Column> = terms.into_iter().map(column).collect();
        let fastest = own.machine.signals().map(Signal::fastest).fold(0.0, f64::max);
        let last = (f64::NEG_INFINITY, vec![0.0; columns.len()]);
        let rooms = columns.iter().map(|_| Room::of(n)).collect();
        let rounding = vec![vec![0.0; n]; columns.len()];
        let mut walk = Self {
            parts,
            layout,
            bent: slopes::bent(own, layout),
            sizes: Sizes::default(),
            end,
            fastest,
            columns,
            numbers,
            turning,
            known: Vec::new(),
            last,
            doubt: f64::INFINITY,
            warnings: 0,
            out: Variation::default(),
            at: Instant::of(own),
            rates: vec![vec![0.0; n]; parts.len()],
            rooms,
            rounding,
        };
        for c in 0..walk.columns.len() {
            walk.start(c, starts, &packed);
        }
        walk
    }

    /// Loses the derivatives with respect to a number with which another mode begins.
    fn start(&mut self, c: usize, starts: &[&Begins<System>], packed: &[Vec<f64>]) {
        let (own, phase) = starts[0];
        let asides: Vec<usize> = self.columns[c].terms.iter().flat_map(|t| [t.1, t.2]).collect();
        let settles = |s: &Masses| s.settles.iter().any(|t| t.is_finite());
        let another = asides.iter().any(|k| {
            let (s, p) = starts[*k];
            p != phase || s.pieces != own.pieces || !s.control.stands_as(&own.control) || settles(s)
        });
        if another {
            let n = self.layout.masses;
            let pushed = asides.iter().any(|k| packed[*k][n..2 * n] != packed[0][n..2 * n]);
            self.lose(c, 0.0, if pushed { Gap::StartsAtRest } else { Gap::AtLimit });
        }
    }

    fn lose(&mut self, c: usize, t: f64, gap: Gap) {
        if self.columns[c].lost {
            return;
        }
        self.columns[c].lose();
        let gaps = if c < self.numbers { &mut self.out.gaps } else { &mut self.turning.gaps };
        if !gaps.contains(&(t, gap.clone())) {
            gaps.push((t, gap));
        }
    }

    /// Looks at what the run has warned of since it was last looked at.
    fn heed(&mut self, system: &System) {
        let new = system.warnings.told().skip(self.warnings).filter(Warning::parts_neighbours);
        self.doubt = new.filter_map(|w| w.time()).fold(self.doubt, f64::min);
        self.warnings = system.warnings.told().count();
    }

    /// Loses the derivatives behind an instant up to `t` (s) of which the run warns, but for those with respect to what acts later alone. The
    /// instants are listed at the end, when it is known how long they last.
    fn lose_doubtful(&mut self, t: f64) {
        if self.doubt <= t {
            self.columns.iter_mut().filter(|c| c.moves()).for_each(Column::lose);
            self.doubt = f64::INFINITY;
        }
    }

    /// The mode of these statuses on these pieces, in every machine.
    fn known(&mut self, status: &[i8], pieces: &[u32]) -> Option<usize> {
        let own = |k: &Known| k.status[..] == *status && k.pieces[..] == *pieces;
        if let Some(place) = self.known.iter().position(own) {
            return Some(place);
        }
        let modes = look::modes(self.parts.iter().map(|p| &**p), status).ok()?;
        if self.known.len() == KEPT {
            self.known.remove(0);
        }
        self.known.push(Known {
            status: status.into(),
            pieces: pieces.into(),
            modes: Arc::new(modes),
            steps: None,
        });
        Some(self.known.len() - 1)
    }

    /// Along a motion, and what is asked for at its times. Nothing where a step has no solution, or far more of them are needed than the
    /// motion took.
    fn follow(&mut self, leg: &Leg<System>, left: &mut &[f64]) -> Option<()> {
        let known = self.known(&leg.phase, &leg.state.pieces)?;
        let modes = self.known[known].modes.clone();
        let looks = looks(self.parts, &modes, &leg.state.pieces, leg.start);
        let layout = self.layout;
        let n = layout.size();
        let steps = self.known[known].steps.take();
        let speeds = [self.fastest, self.end];
        let mut steps = steps.unwrap_or_else(|| {
            let y = layout.pack(&leg.state);
            self.sizes.note(layout, &y);
            let bent = self.bends(n);
            Steps::new(&looks[0], &y, leg.start, speeds, bent, &mut self.at)
        });
        let flow = leg.motion.flow();
        let mut u = vec![0.0; flow.size()];
        let mut y = Vec::with_capacity(n);
        let mut here = Instant::of(&self.parts[0]);
        let mut own = |t: f64, y: &mut Vec<f64>| {
            leg.motion.dense.at(t, &mut u);
            flow.kinematics(t, &u, &mut here);
            layout.pack_instant(&here, y);
        };
        let mut delta = vec![0.0; n];
        let mut t = leg.start;
        // Up to where steps may reach: where A follows the motion, to the end of the step by which that was made.
        let mut reach = t;
        let mut tried = 0;
        while t < leg.stop {
            tried += 1;
            if steps.follows() && tried > MOST_TRIED + TRIED * leg.motion.dense.steps.len() {
                return None;
            }
            if t >= reach {
                reach = leg.stop;
                if steps.follows() {
                    reach = leg.motion.dense.next_step(t).min(leg.stop);
                    steps.set_out(reach - t);
                }
            }
            let (h, usual) = steps.length(reach - t);
            for (room, column) in self.rooms.iter_mut().zip(&self.columns) {
                room.from.copy_from_slice(&column.now);
            }
            for (i, c) in RADAU.c.iter().enumerate() {
                let node = if i + 1 == NODES { t + h } else { t + c * h };
                own(node, &mut y);
                if i == 0 {
                    self.sizes.note(layout, &y);
                    steps.reach(|j| self.sizes.of(layout, j));
                }
                steps.look(i, &looks[0], node, &mut y, &mut self.at);
                self.force(&looks, node, &y, i);
            }
            if !steps.step(h, &mut self.rooms) {
                return None;
            }
            if steps.follows() {
                self.round();
            }
            if steps.judge(h, usual, &self.rooms, &self.rounding, self.numbers) {
                continue;
            }
            // No step is longer than what is left.
            let next = if usual { t + h } else { reach };
            while let Some((&at, rest)) = left.split_first()
                && at < next
            {
                own(at, &mut y);
                self.show(&looks, at, &y, (at - t) / h, h, &mut delta);
                *left = rest;
            }
            for (room, column) in self.rooms.iter().zip(&mut self.columns) {
                steps::end(room, h, &mut column.now);
            }
            t = next;
        }
        if leg.stop >= self.end {
            for &at in std::mem::take(left) {
                own(at, &mut y);
                for (room, column) in self.rooms.iter_mut().zip(&self.columns) {
                    room.from.copy_from_slice(&column.now);
                }
                self.show(&looks, at, &y, 0.0, 0.0, &mut delta);
            }
        }
        self.known[known].steps = Some(steps);
        Some(())
    }

    /// The differences of `count` numbers by those of the state on which something depends that is not linear in them.
    fn bends(&self, count: usize) -> Vec<(usize, Slopes)> {
        let bent = (0..self.layout.size()).filter(|j| self.bent[*j]);
        bent.map(|j| (j, Slopes::new(count, self.sizes.of(self.layout, j)))).collect()
    }

    /// Writes ∂ₚf at node number `i` of a step, at `t` (s) in the state `y`, into the rooms.
    fn force(&mut self, looks: &[Look<'_>], t: f64, y: &[f64], i: usize) {
        for (look, rates) in looks.iter().zip(&mut self.rates) {
            look.rates(t, y, rates, &mut self.at);
        }
        let n = y.len();
        for (room, column) in self.rooms.iter_mut().zip(&self.columns) {
            let right = &mut room.right[i * n..(i + 1) * n];
            for (m, right) in right.iter_mut().enumerate() {
                *right = column.rate(|k| self.rates[k][m]);
            }
        }
    }

    /// Notes the rounding of ∂ₚf after the rates of the machine itself are known.
    fn round(&mut self) {
        let kinds = [0, self.layout.masses, self.layout.gaps(), self.layout.inner()];
        let rates = &self.rates[0];
        for (rounding, column) in self.rounding.iter_mut().zip(&self.columns) {
            let weights: f64 = column.terms.iter().map(|t| 2.0 * t.0.abs()).sum();
            for (i, first) in kinds.iter().enumerate() {
                let kind = *first..kinds.get(i + 1).copied().unwrap_or(rates.len());
                let size = rates[kind.clone()].iter().fold(0.0, |m: f64, r| m.max(r.abs()));
                rounding[kind].fill(ROUNDS * weights * size);
            }
        }
    }

    /// Tells the derivatives at `t` (s) in the state `y`, the share `theta` of a step of `h` (s).
    fn show(
        &mut self,
        looks: &[Look<'_>],
        t: f64,
        y: &[f64],
        theta: f64,
        h: f64,
        delta: &mut [f64],
    ) {
        let places = &self.parts[0].places;
        let shown: Vec<[Vec<f64>; 2]> = looks
            .iter()
            .map(|look| {
                look.show(t, y, &mut self.at);
                [self.at.node_x.clone(), self.at.node_v.clone()]
            })
            .collect();
        let count = self.columns.len();
        let mut all = vec![[f64::NAN; 2]; places.len() * count];
        for (c, (room, column)) in self.rooms.iter().zip(&self.columns).enumerate() {
            if column.lost {
                continue;
            }
            steps::within(room, h, theta, delta);
            if t > self.doubt && delta.iter().any(|d| *d != 0.0) {
                continue;
            }
            for (i, place) in places.iter().enumerate() {
                let [mut x, mut v] = [0, 1].map(|p| column.rate(|k| shown[k][p][i]));
                if let Place::With(mass, ratio) = place {
                    x += ratio * delta[*mass];
                    v += ratio * delta[self.layout.masses + mass];
                }
                all[i * count + c] = [x, v];
            }
        }
        for row in all.chunks(count.max(1)) {
            let (own, turning) = row.split_at(self.numbers);
            self.out.x.extend(own.iter().map(|a| a[0]));
            self.out.v.extend(own.iter().map(|a| a[1]));
            self.turning.shown.extend_from_slice(turning);
        }
    }
}
