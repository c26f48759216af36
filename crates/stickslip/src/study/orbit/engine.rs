//! Machines under a periodic load: the state after some periods, and its derivative.
//!
//! The state are the displacements and the velocities of the free masses, what continuous controllers and bristles remember,
//! what sampled controllers do from tick to tick, and how long each slider has rested whose limit grows with that. Its derivative after a period is made of differences of motions to both
//! sides: whatever happens on the way (impacts, stops, breakaway, limits of controllers, ticks) is in them. A relative
//! difference of 1e-5 at tolerances of 1e-13 leaves some 1e-8 of the derivative in doubt, and some 1e-10 where motions are exact. Of rate and state, too, velocities and ages
//! are the state, not their logarithms: a contact forgets the digits of a creep that are lost so within rounding of the time.
//!
//! What is held when a period begins cannot be changed for itself: a mass that rests moves with what it rests on, and a stop
//! that is closed stays so. Such numbers follow others, and the derivative has no column of their own.
//!
//! A slider that rests all the time grows older with every period, and would never come back. But limits grow with the age: what
//! holds at one age holds at every greater one, and the motion is the same. So the age of such a slider is no number of the
//! motion: it is taken for [`OLD`] periods.

use super::extremes::crossing;
use super::machined::Machined;
use super::passage::{Passage, Tie};
use super::phases::cyclic;
use crate::error::Error;
use crate::model::Machine;
use crate::motion::{EventKind, Motion, Segment};
use crate::numeric::Matrix;
use crate::scheme::cursor::Cursor;
use crate::scheme::event_loop::Observer;
use crate::scheme::machine::{
    Follows, MachineArc, MachinePath, MachineState, Steps, System, cursor_from, effective,
};
use crate::study::parallel::map;
use std::ops::Range;

/// Differences of states, relative to typical sizes, of which the derivative is made.
const DIFFERENCE: f64 = 1e-5;
/// Where the slopes to both sides differ by more than this, relative to the greater of 1 and the largest slope, there is no
/// derivative.
const KINK: f64 = 1e-2;
/// Periods in which typical sizes are learnt.
const LEARNT: usize = 8;
/// Looks at a period for typical sizes.
const LOOKS: usize = 64;
/// Parts into which a step is divided where a velocity may change its sign inside.
const PARTS: usize = 3;
/// The age of a slider that rests all the time, in periods. It is longer than any period that is looked for without being asked.
const OLD: f64 = 24.0;
/// A slider that has rested but for this share of a motion has rested all the time.
const THROUGHOUT: f64 = 1e-12;
/// Instants in a period between which the longest time without one is looked for.
const MOST_TICKS: usize = 100_000;

/// A machine, and which numbers are its state.
#[derive(Debug, Clone)]
pub(super) struct Engine {
    pub machine: Machine,
    steps: Steps,
    /// The node whose displacement is looked at.
    pub node: usize,
    /// The nodes that stand for the free masses.
    free: Vec<usize>,
    /// Where a period begins, s: at 0, or between two ticks of sampled controllers.
    from: f64,
    /// Which inner states of controllers and bristles have an effect.
    effective: Vec<bool>,
    /// The sliders whose limits grow with the time at rest.
    ageing: Vec<usize>,
    /// The age of those that rest all the time, s.
    old: f64,
    /// A state there, which tells how many numbers controllers remember.
    template: MachineState,
}

/// Keeps nothing.
struct Nobody;

impl Observer<MachineArc> for Nobody {
    fn segment(&mut self, _: Segment<MachineArc>) {}

    fn event(&mut self, _: crate::motion::Event) {}
}

impl Engine {
    /// `machine`, whose loads repeat after `period` (s), followed by `steps`.
    ///
    /// # Errors
    /// As the solver's: if a part is not linear and it is to be exact, too.
    pub fn new(machine: &Machine, period: f64, steps: Steps) -> Result<Self, Error> {
        let trains = machine.trains()?;
        let nodes = machine.network().nodes();
        let is_free = |i: &usize| nodes[*i].motion.is_none() && trains.root[*i] == *i;
        let free = (0..nodes.len()).filter(is_free).collect();
        let from = start_of_period(machine, period)?;
        let mut engine = Self {
            machine: machine.clone(),
            steps,
            node: nodes.iter().position(|n| n.motion.is_none()).unwrap_or(0),
            free,
            from,
            effective: effective(machine),
            ageing: machine.ageing().collect(),
            old: OLD * period,
            template: MachineState {
                x: nodes.iter().map(|n| n.displacement).collect(),
                v: nodes.iter().map(|n| n.velocity).collect(),
                ..MachineState::default()
            },
        };
        let span = [0.0, from + period];
        let mut cursor = cursor_from(machine, &engine.template, span, steps)?;
        cursor.advance(from, &mut Nobody)?;
        engine.template = cursor.state();
        Ok(engine)
    }

    /// The initial state of the model; with sampled controllers the one to which it leads where a period begins.
    pub fn start(&self) -> Vec<f64> {
        self.numbers(&self.template)
    }

    /// Free masses.
    pub fn masses(&self) -> usize {
        self.free.len()
    }

    /// Where the displacement and the velocity of the node that is looked at are in the state, if it is one of those that
    /// stand for a mass.
    pub fn looked(&self) -> Option<[usize; 2]> {
        let k = self.free.iter().position(|i| *i == self.node)?;
        Some([k, self.free.len() + k])
    }

    /// The numbers of a state.
    fn numbers(&self, state: &MachineState) -> Vec<f64> {
        let of = |u: &[f64]| self.free.iter().map(|i| u[*i]).collect::<Vec<f64>>();
        let ticked: Vec<f64> = state.control.ticked(self.machine.controllers()).collect();
        let inner = state.control.states().iter().copied();
        let ages = self.ageing.iter().map(|e| state.rested.get(*e).copied().unwrap_or(0.0));
        [of(&state.x), of(&state.v), self.kept(inner), ticked, ages.collect()].concat()
    }

    /// Where the ages are in a state of so many numbers: behind all others.
    fn ages(&self, numbers: usize) -> Range<usize> {
        numbers - self.ageing.len()..numbers
    }

    /// Which numbers of the state `end`, that to which the motion from `u` leads in `time` (s), are ages of sliders that rested all the
    /// time.
    fn at_rest_throughout<'a>(
        &self,
        end: &'a [f64],
        time: f64,
    ) -> impl Iterator<Item = usize> + use<'a> {
        let least = time * (1.0 - THROUGHOUT);
        self.ages(end.len()).filter(move |k| end[*k] >= least)
    }

    /// Those of the inner states that have an effect.
    fn kept(&self, inner: impl Iterator<Item = f64>) -> Vec<f64> {
        inner.zip(&self.effective).filter(|(_, kept)| **kept).map(|(x, _)| x).collect()
    }

    /// The state of these numbers.
    fn state(&self, u: &[f64]) -> MachineState {
        let mut state = self.template.clone();
        let n = self.free.len();
        for (k, i) in self.free.iter().enumerate() {
            state.x[*i] = u[k];
            state.v[*i] = u[n + k];
        }
        let ages = self.ages(u.len());
        state.rested = vec![0.0; self.machine.frictions().len()];
        for (e, age) in self.ageing.iter().zip(&u[ages.clone()]) {
            state.rested[*e] = age.max(0.0);
        }
        let mut further = u[2 * n..ages.start].iter().copied();
        for (inner, _) in
            state.control.states_mut().iter_mut().zip(&self.effective).filter(|(_, kept)| **kept)
        {
            *inner = further.next().unwrap_or(*inner);
        }
        let ticked: Vec<f64> = further.collect();
        state.control.set_ticked(self.machine.controllers(), &ticked);
        state
    }

    /// Whether no rigid stop is passed at `u`.
    pub fn allows(&self, u: &[f64]) -> bool {
        let end = self.from + f64::MIN_POSITIVE.max(1e-9 * self.from).max(1e-9);
        cursor_from(&self.machine, &self.state(u), [self.from, end], self.steps).is_ok()
    }

    /// Ready to follow the motion from `u` over `time` (s).
    pub fn cursor(&self, u: &[f64], time: f64) -> Result<Cursor<System>, Error> {
        cursor_from(&self.machine, &self.state(u), [self.from, self.from + time], self.steps)
    }

    /// The state of a run after `time` (s) from the start of a period on. Sliders that rest all the time do not grow older than old.
    pub fn after(&self, run: &mut Cursor<System>, time: f64) -> Result<Vec<f64>, Error> {
        run.advance(self.from + time, &mut Nobody)?;
        let mut end = self.finite(&run.state(), time)?;
        let resting: Vec<usize> = self.at_rest_throughout(&end, time).collect();
        for k in resting {
            let before = end[k] - time;
            end[k] = end[k].min(self.old.max(before));
        }
        Ok(end)
    }

    /// The numbers of a state, if they are numbers.
    fn finite(&self, state: &MachineState, time: f64) -> Result<Vec<f64>, Error> {
        let end = self.numbers(state);
        if end.len() != self.start().len() {
            return none("a controller remembers another number of forces after a period");
        }
        if end.iter().all(|u| u.is_finite()) {
            return Ok(end);
        }
        Err(Error::NotFinite { time, step: 0.0 })
    }

    /// The state after `time` (s) from `u`.
    pub fn advance(&self, u: &[f64], time: f64) -> Result<Vec<f64>, Error> {
        self.after(&mut self.cursor(u, time)?, time)
    }

    /// The motion from `u` over `time` (s), and its end.
    pub fn path(&self, u: &[f64], time: f64) -> Result<(MachinePath, Vec<f64>), Error> {
        let mut cursor = self.cursor(u, time)?;
        let mut path = MachinePath::default();
        cursor.advance(self.from + time, &mut path)?;
        let end = self.finite(&cursor.state(), time)?;
        Ok((path, end))
    }

    /// The passage from `u` over `time` (s); `scale` are typical sizes.
    pub fn passage(&self, u: &[f64], time: f64, scale: &[f64]) -> Result<Passage, Error> {
        let (path, mut end) = self.path(u, time)?;
        let segments = path.segments();
        let follows = |s: Option<&Segment<MachineArc>>| {
            s.map_or_else(|| [Vec::new(), Vec::new()], |s| s.arc.follows())
        };
        // A motion of no length is not one.
        let lasts = |s: &&Segment<MachineArc>| s.end > s.start;
        let held = follows(segments.iter().find(lasts));
        let n = u.len();
        let mut columns =
            map(n, |j| match self.moved(j, &held).filter(|_| self.can_differ(j, &path)) {
                None => Ok([vec![0.0; n], vec![0.0; n]]),
                Some(along) => self.column(u, &end, time, DIFFERENCE * scale[j], &along),
            })?;
        let resting: Vec<usize> = self.at_rest_throughout(&end, time).collect();
        for k in resting {
            // Of whatever age below that it may begin, it is old.
            end[k] = self.old.max(end[k] - time);
            columns.iter_mut().flatten().for_each(|column| column[k] = 0.0);
        }
        let slopes = columns.iter().enumerate().flat_map(|(j, c)| {
            let relative = move |i: usize| scale[j] / scale[i];
            c[0].iter().enumerate().map(move |(i, m)| [m * relative(i), c[1][i] * relative(i)])
        });
        let most = slopes.clone().fold(1.0, |m: f64, s| m.max(s[0].abs()));
        let apart = slopes.fold(0.0, |m: f64, s| m.max(s[1].abs()));
        let jacobian = Matrix::from_fn(n, |i, j| columns[j][0][i]);
        let ties = self.ties(&follows(segments.last()));
        let pattern = pattern(&path);
        Ok(Passage {
            end,
            jacobian,
            // How far it is from such a motion is not known of others.
            transversality: if apart > KINK * most { 0.0 } else { f64::NAN },
            pattern,
            ties,
            path: Default::default(),
            network: None,
            machine: Some(Machined { path, node: self.node }),
        })
    }

    /// Whether number `j` of the state may differ at the start of `path`: how long a slider has rested is nothing where it slips.
    fn can_differ(&self, j: usize, path: &MachinePath) -> bool {
        let ages = self.ages(self.start().len());
        let mut segments = path.segments().iter();
        !ages.contains(&j)
            || segments
                .find(|s| s.end > s.start)
                .is_some_and(|s| s.phase[self.ageing[j - ages.start]] == 0)
    }

    /// How the numbers of the state change with number `j`, if it can be changed for itself where these are held.
    fn moved(&self, j: usize, held: &[Vec<Follows>; 2]) -> Option<Vec<(usize, f64)>> {
        let n = self.free.len();
        if j >= 2 * n {
            return Some(vec![(j, 1.0)]);
        }
        let [first, k] = if j < n { [0, j] } else { [n, j - n] };
        let follows = &held[usize::from(j >= n)];
        let own = follows.get(k).copied().unwrap_or(Some((k, 1.0)));
        if own.is_none_or(|(leader, _)| leader != k) {
            return None;
        }
        let all = follows.iter().enumerate();
        let along = all.filter_map(|(i, f)| f.filter(|f| f.0 == k).map(|f| (first + i, f.1)));
        Some(along.collect())
    }

    /// The slope of the end along a change of the state by `by`, and the difference of its slopes to both sides. `end` is that
    /// from `u` itself.
    fn column(
        &self,
        u: &[f64],
        end: &[f64],
        time: f64,
        by: f64,
        along: &[(usize, f64)],
    ) -> Result<[Vec<f64>; 2], Error> {
        let moved = |by: f64| {
            let mut w = u.to_vec();
            along.iter().for_each(|(i, c)| w[*i] += c * by);
            if w[self.ages(w.len())].iter().any(|age| *age < 0.0) {
                return none("no slider has rested for less than no time");
            }
            self.advance(&w, time)
        };
        let slope = |to: &[f64], from: &[f64], by: f64| -> Vec<f64> {
            to.iter().zip(from).map(|(a, b)| (a - b) / by).collect()
        };
        match [moved(by), moved(-by)] {
            [Ok(ahead), Ok(behind)] => {
                let [right, left] = [slope(&ahead, end, by), slope(end, &behind, by)];
                let apart = slope(&right, &left, 1.0);
                Ok([slope(&ahead, &behind, 2.0 * by), apart])
            }
            [Err(e @ Error::Interrupted { .. }), _] | [_, Err(e @ Error::Interrupted { .. })] => {
                Err(e)
            }
            // Beyond a stop there is no state.
            [Ok(ahead), Err(_)] => Ok([slope(&ahead, end, by), vec![0.0; u.len()]]),
            [Err(_), Ok(behind)] => Ok([slope(end, &behind, by), vec![0.0; u.len()]]),
            [Err(e), _] => Err(e),
        }
    }

    /// The numbers of the state that follow others where these are held.
    fn ties(&self, held: &[Vec<Follows>; 2]) -> Vec<Tie> {
        let n = self.free.len();
        let of = |first: usize, follows: &[Follows]| {
            let all = follows.iter().enumerate();
            let ties = all.filter(|(k, f)| f.is_none_or(|f| f.0 != *k)).map(|(k, f)| {
                let ratio = f.map_or(1.0, |f| f.1);
                Tie { of: first + k, with: f.map(|f| first + f.0), ratio }
            });
            ties.collect::<Vec<Tie>>()
        };
        [of(0, &held[0]), of(n, &held[1])].concat()
    }

    /// Typical sizes of the state: how far the model's own motion goes in its first periods.
    pub fn scale(&self, period: f64) -> Vec<f64> {
        let time = period * LEARNT as f64;
        let n = self.free.len();
        let mut most: Vec<f64> = self.start().iter().map(|u| u.abs()).collect();
        // Where it cannot be followed so far, its start has to do.
        if let Ok(mut run) = self.cursor(&self.start(), time) {
            for k in 1..=LEARNT * LOOKS {
                let part = time * k as f64 / (LEARNT * LOOKS) as f64;
                if run.advance(self.from + part, &mut Nobody).is_err() {
                    break;
                }
                let now = self.numbers(&run.state());
                most.iter_mut().zip(now).for_each(|(m, u)| *m = m.max(u.abs()));
            }
        }
        let rate = std::f64::consts::TAU / period;
        let largest = |of: &[f64]| of.iter().fold(0.0f64, |m, u| m.max(*u));
        let speed = largest(&most[n..2 * n]);
        let length = largest(&most[..n]).max(speed / rate);
        let ages = self.ages(most.len());
        // A number that hardly moves may well move.
        for (k, m) in most.iter_mut().enumerate() {
            let least = if k < n {
                1e-3 * length
            } else if k < 2 * n {
                1e-3 * speed.max(length * rate)
            } else {
                0.0
            };
            *m = m.max(least);
            if *m == 0.0 {
                *m = if ages.contains(&k) { period } else { 1.0 };
            }
        }
        most
    }

    /// Which number of the state is the velocity of a mass that may always turn: of the node that is looked at, or else of the first
    /// one that rubs on nothing but moving surfaces.
    pub fn turning(&self) -> Option<usize> {
        let network = self.machine.network();
        let standing = |i: usize| {
            let mut sliders = network.sliders().iter().zip(self.machine.frictions());
            sliders.any(|(s, f)| {
                let between = s.between();
                if !between.contains(&Some(i)) || f.bristle.is_some() {
                    return false;
                }
                let other = between.into_iter().flatten().find(|j| *j != i);
                let motion = other.and_then(|j| network.nodes()[j].motion.as_ref());
                let carried = motion.is_some_and(|m| m.knots()[0].rate != 0.0);
                f.support.as_constant() == Some(0.0) && !carried
            })
        };
        let geared = |i: usize| self.machine.gears().iter().any(|g| g.nodes().contains(&i));
        let can = |k: &usize| !standing(self.free[*k]) && !geared(self.free[*k]);
        let own = self.free.iter().position(|i| *i == self.node).filter(can);
        let k = own.or_else(|| (0..self.free.len()).find(can))?;
        Some(self.free.len() + k)
    }

    /// When the velocity of this number becomes positive for the `count`-th time in the motion from `u` over `time` (s), having
    /// been positive before; from the start of the motion on, s.
    pub fn turn(
        &self,
        u: &[f64],
        time: f64,
        row: usize,
        count: usize,
    ) -> Result<Option<f64>, Error> {
        let (path, _) = self.path(u, time)?;
        let node = self.free[row - self.free.len()];
        let mut armed = false;
        let mut seen = 0;
        for s in path.segments() {
            let mut look = s.arc.look();
            let mut v = |t: f64| look.node(t, node)[1];
            let mut from = s.start;
            let mut before = v(s.start);
            for t in instants(s).skip(1) {
                let now = v(t);
                armed |= before > 0.0;
                if before <= 0.0 && now > 0.0 && armed {
                    seen += 1;
                    if seen == count {
                        // Of −0 the sign would be lost.
                        let cell = std::cell::RefCell::new(v);
                        let side = |t| if (cell.borrow_mut())(t) > 0.0 { 1.0 } else { -1.0 };
                        return Ok(Some(crossing(side, from, t) - self.from));
                    }
                }
                (before, from) = (now, t);
            }
        }
        Ok(None)
    }

    /// The derivative of the state with respect to time at the end of a path.
    pub fn flow(&self, path: &MachinePath) -> Option<Vec<f64>> {
        let last = path.segments().last()?;
        let mut rates = last.arc.look().rates(last.end);
        let inner = rates.split_off(2 * self.free.len());
        rates.extend(self.kept(inner.into_iter()));
        // What sampled controllers remember stands still between ticks.
        let ages = self.ages(self.start().len());
        rates.resize(ages.start, 0.0);
        let [start, end] = [path.segments().first()?.start, last.end];
        let rested = last.arc.state(end).rested;
        rates.extend(self.ageing.iter().map(|e| {
            let throughout = rested[*e] >= (end - start) * (1.0 - THROUGHOUT);
            f64::from(last.phase[*e] == 0 && !throughout)
        }));
        Some(rates)
    }

    /// How far node of number `row` of the state goes on a path, m.
    pub fn way(&self, path: &MachinePath, row: usize) -> f64 {
        let (most, least) = extremes(path, self.free[row - self.free.len()]);
        most - least
    }
}

/// Where a period begins: in the middle of the longest time in which no sampled controller does anything, after each of them has acted.
fn start_of_period(machine: &Machine, period: f64) -> Result<f64, Error> {
    let mut due = Vec::new();
    let mut after = 0.0f64;
    for sampling in machine.controllers().iter().filter_map(|c| c.law.sampling) {
        let ticks = (period / sampling.time).round().max(1.0);
        if ticks > MOST_TICKS as f64 {
            return none(format!(
                "a controller ticks {ticks} times in a period of the load; orbits are followed over at most {MOST_TICKS} ticks"
            ));
        }
        let late = sampling.delay.rem_euclid(sampling.time);
        for k in 0..ticks as usize {
            let tick = k as f64 * sampling.time;
            due.extend([tick, tick + late]);
        }
        after = after.max(sampling.delay + 2.0 * sampling.time);
    }
    due.sort_by(f64::total_cmp);
    let gaps = due.windows(2).map(|w| (w[1] - w[0], 0.5 * (w[0] + w[1])));
    let last = due.last().map(|t| (period - t, 0.5 * (period + t)));
    let Some((_, middle)) = gaps.chain(last).max_by(|a, b| a.0.total_cmp(&b.0)) else {
        return Ok(0.0);
    };
    Ok(middle + period * (after / period).ceil())
}

fn none<T>(reason: impl Into<String>) -> Result<T, Error> {
    Err(Error::NoOrbit { reason: reason.into() })
}

/// The instants of the steps of a motion and some between them, its ends included, s.
fn instants(s: &Segment<MachineArc>) -> impl Iterator<Item = f64> + '_ {
    let inner = s.arc.instants_of_steps().filter(move |t| *t > s.start && *t < s.end);
    let mut before = s.start;
    let ends = inner.chain([s.end]).flat_map(move |end| {
        let start = std::mem::replace(&mut before, end);
        (1..=PARTS).map(move |i| {
            if i == PARTS { end } else { start + (end - start) * (i as f64 / PARTS as f64) }
        })
    });
    std::iter::once(s.start).chain(ends)
}

/// The largest and the smallest displacement of a node on a path, m.
pub(super) fn extremes(path: &MachinePath, node: usize) -> (f64, f64) {
    let mut least = f64::INFINITY;
    let mut greatest = f64::NEG_INFINITY;
    let mut see = |x: f64| (least, greatest) = (least.min(x), greatest.max(x));
    for s in path.segments() {
        let look = std::cell::RefCell::new(s.arc.look());
        let of = |t: f64| look.borrow_mut().node(t, node);
        let mut from = s.start;
        let mut before = of(s.start);
        for t in instants(s) {
            let now = of(t);
            see(now[0]);
            if before[1] * now[1] < 0.0 {
                see(of(crossing(|t| of(t)[1], from, t))[0]);
            }
            (before, from) = (now, t);
        }
    }
    (greatest, least)
}

/// The order of slip patterns and contacts, the same for all cyclic shifts; each as long as there are rows. Stops that are met or
/// closed have codes of 2 and more.
fn pattern(path: &MachinePath) -> Vec<i8> {
    let mut all: Vec<Vec<i8>> = Vec::new();
    let mut impacts = path.events().iter().filter(|e| e.kind == EventKind::Impact).peekable();
    for s in path.segments().iter().filter(|s| s.end > s.start) {
        let now = s.arc.doings();
        while let Some(e) = impacts.next_if(|e| e.time <= s.start) {
            let mut met = now.clone();
            s.arc.mark(e.place, &mut met);
            all.push(met);
        }
        if all.last() != Some(&now) {
            all.push(now);
        }
    }
    cyclic(all.iter().map(Vec::as_slice).collect()).concat()
}
