//! A limit cycle: its period, how far it goes, and whether motions near it come to it.

use super::watch::{Watch, numbers};
use super::{Search, error_of};
use crate::error::Error;
use crate::model::Machine;
use crate::motion::{Event, Motion, Segment};
use crate::numeric::{Matrix, modulus};
use crate::scheme::machine::{self, MachineArc, MachineState};
use num_complex::Complex64;

/// The multipliers of a cycle, or why they are not known.
#[derive(Debug, Clone, PartialEq)]
pub enum Multipliers {
    /// The eigenvalues of the return map, those of the largest modulus first.
    Known {
        /// Without that of the motion along the cycle, which is 1.
        values: Vec<Complex64>,
        /// By how much that one came out other than 1: how good the differences are.
        doubt: f64,
    },
    /// Why they are not known.
    Unknown(&'static str),
}

/// A limit cycle.
#[derive(Debug, Clone, PartialEq)]
pub struct Cycle {
    /// s.
    pub period: f64,
    /// The least and the greatest error, reference less measured, m or m/s.
    pub error: [f64; 2],
    /// The events of a period.
    pub events: Vec<Event>,
    /// The time at rest of all nodes in a period, s.
    pub rest: f64,
    /// How motions near it go on.
    pub multipliers: Multipliers,
}

/// Points between two events at which the error is looked at.
const POINTS: usize = 50;
/// Two cycles that differ by less than this share are one.
const ALIKE: f64 = 1e-6;
/// Steps of the differences, over how far each number goes in a period.
const STEP: f64 = 1e-4;

impl Cycle {
    /// Half of how far the error goes, m or m/s.
    pub fn amplitude(&self) -> f64 {
        0.5 * (self.error[1] - self.error[0])
    }

    /// Whether another cycle is the same.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        let near = |a: f64, b: f64, size: f64| (a - b).abs() <= ALIKE * size;
        near(self.period, other.period, self.period)
            && near(self.error[0], other.error[0], self.amplitude())
            && near(self.error[1], other.error[1], self.amplitude())
    }

    /// Whether motions that begin near it come to it; nothing where the multipliers are not known, or the largest is nearer
    /// to 1 than the differences are good.
    pub fn attracts(&self) -> Option<bool> {
        let Multipliers::Known { values, doubt } = &self.multipliers else { return None };
        let largest = values.iter().map(|m| modulus(*m)).fold(0.0, f64::max);
        ((largest - 1.0).abs() > *doubt).then_some(largest < 1.0)
    }

    /// The cycle of the last `count` events that were seen.
    pub(super) fn of(
        machine: &Machine,
        controller: usize,
        watch: &Watch<'_>,
        count: usize,
        search: &Search,
    ) -> Result<Self, Error> {
        let n = watch.marks.len();
        let [from, to] = [n - 1 - count, n - 1].map(|i| watch.marks[i].event.time);
        let inside = |s: &&Segment<MachineArc>| s.end > from && s.start < to && s.end > s.start;
        let segments: Vec<&Segment<MachineArc>> = watch.segments.iter().filter(inside).collect();
        let mut error = [f64::INFINITY, f64::NEG_INFINITY];
        let mut rest = 0.0;
        for s in &segments {
            for i in 0..=POINTS {
                let t = s.start + (s.end - s.start) * i as f64 / POINTS as f64;
                let e = error_of(machine, controller, &s.arc.state(t));
                error = [error[0].min(e), error[1].max(e)];
            }
            let middle = s.arc.state(0.5 * (s.start + s.end));
            if middle.v.iter().all(|v| *v == 0.0) {
                rest += s.end - s.start;
            }
        }
        let events = watch.marks[n - count..].iter().map(|m| m.event).collect();
        let period = to - from;
        let multipliers = multipliers(machine, &segments, period, search)?;
        Ok(Self { period, error, events, rest, multipliers })
    }
}

/// Which numbers of a state can be changed for themselves: those of a node that rests have no velocity.
struct Section {
    /// Nodes whose displacement is one.
    places: Vec<usize>,
    /// Nodes whose velocity is one.
    speeds: Vec<usize>,
    /// Inner states that are.
    inner: Vec<usize>,
    /// Sliders whose time at rest is.
    resting: Vec<usize>,
    state: MachineState,
}

impl Section {
    /// In the middle of a segment of a cycle that consists of `segments`, if nothing there moves with something else.
    fn of(
        machine: &Machine,
        segment: &Segment<MachineArc>,
        segments: &[&Segment<MachineArc>],
    ) -> Option<Self> {
        let state = segment.arc.state(0.5 * (segment.start + segment.end));
        let network = machine.network();
        let moves = |end: Option<usize>| end.is_some_and(|i| state.v[i] != 0.0);
        let carried = network.sliders().iter().enumerate().any(|(e, s)| {
            let rests = segment.phase[e] == 0;
            let joined = s.between().iter().all(Option::is_some)
                || !machine.frictions()[e].support.is_zero();
            rests && (joined || s.between().into_iter().any(moves))
        });
        let closed = (0..machine.stops().len()).any(|k| segment.arc.pushes(k));
        if carried || closed || segment.arc.is_limited() {
            return None;
        }
        // What gears join moves with the node that stands for it.
        let trains = machine.trains().ok()?;
        let free = |i: &usize| network.nodes()[*i].motion.is_none() && trains.root[*i] == *i;
        let nodes = 0..network.nodes().len();
        let places = nodes.clone().filter(free).collect();
        let speeds = nodes.filter(free).filter(|i| state.v[*i] != 0.0).collect();
        let effective = machine::effective(machine);
        let inner = (0..effective.len()).filter(|i| effective[*i]).collect();
        // The limit of a slider that never slips only grows, and its time at rest is no number of the cycle.
        let slips = |e: &usize| segments.iter().any(|s| s.phase[*e] != 0);
        let resting = machine.ageing().filter(|e| segment.phase[*e] == 0).filter(slips).collect();
        Some(Self { places, speeds, inner, resting, state })
    }

    /// The numbers that can be changed.
    fn numbers(&self, state: &MachineState) -> Vec<f64> {
        let places = self.places.iter().map(|i| state.x[*i]);
        let speeds = self.speeds.iter().map(|i| state.v[*i]);
        let inner = self.inner.iter().map(|i| state.control.states()[*i]);
        let rested = self.resting.iter().map(|e| state.rested[*e]);
        places.chain(speeds).chain(inner).chain(rested).collect()
    }

    /// The state with one of them changed by `by`.
    fn changed(&self, k: usize, by: f64) -> MachineState {
        let mut state = self.state.clone();
        let places = self.places.len();
        let speeds = self.speeds.len();
        let inner = self.inner.len();
        if k < places {
            state.x[self.places[k]] += by;
        } else if k < places + speeds {
            state.v[self.speeds[k - places]] += by;
        } else if k < places + speeds + inner {
            state.control.states_mut()[self.inner[k - places - speeds]] += by;
        } else {
            state.rested[self.resting[k - places - speeds - inner]] += by;
        }
        state
    }
}

/// The multipliers by differences of the map over a period.
fn multipliers(
    machine: &Machine,
    segments: &[&Segment<MachineArc>],
    period: f64,
    search: &Search,
) -> Result<Multipliers, Error> {
    if machine.controllers().iter().any(|c| c.law.sampling.is_some()) {
        return Ok(Multipliers::Unknown("a controller is sampled"));
    }
    let mut longest: Vec<&&Segment<MachineArc>> = segments.iter().collect();
    longest.sort_by(|a, b| (b.end - b.start).total_cmp(&(a.end - a.start)));
    let Some(section) = longest.iter().find_map(|s| Section::of(machine, s, segments)) else {
        return Ok(Multipliers::Unknown("at every instant some bodies move together"));
    };
    // How far each number goes, over all segments.
    let base = section.numbers(&section.state);
    let mut range: Vec<[f64; 2]> = base.iter().map(|x| [*x; 2]).collect();
    for s in segments {
        for t in [s.start, 0.5 * (s.start + s.end), s.end] {
            for (r, x) in range.iter_mut().zip(section.numbers(&s.arc.state(t))) {
                *r = [r[0].min(x), r[1].max(x)];
            }
        }
    }
    let n = base.len();
    let mut columns = Vec::with_capacity(n);
    for (k, [low, high]) in range.iter().enumerate() {
        let step = STEP * if high > low { high - low } else { 1.0 };
        let after = |by: f64| -> Result<Vec<f64>, Error> {
            let mut cursor = machine::begin(machine, period, search.method.of_machine())?;
            cursor.set_state(section.changed(k, by))?;
            cursor.advance(period, &mut Vec::new())?;
            Ok(section.numbers(&cursor.state()))
        };
        let [ahead, behind] = match [after(step), after(-step)] {
            [Ok(ahead), Ok(behind)] => [ahead, behind],
            [Err(stopped @ Error::Interrupted { .. }), _]
            | [_, Err(stopped @ Error::Interrupted { .. })] => return Err(stopped),
            _ => return Ok(Multipliers::Unknown("a motion near it cannot be followed")),
        };
        let slope = ahead.iter().zip(behind).map(|(a, b)| (a - b) / (2.0 * step));
        columns.push(slope.collect::<Vec<f64>>());
    }
    let mut values = Matrix::from_fn(n, |i, j| columns[j][i]).eigenvalues();
    // One of them is that of the motion along the cycle.
    let along = (0..values.len())
        .min_by(|a, b| modulus(values[*a] - 1.0).total_cmp(&modulus(values[*b] - 1.0)));
    let doubt = along.map_or(f64::NAN, |k| modulus(values.remove(k) - 1.0));
    let whole = numbers(&section.state).iter().all(|x| x.is_finite());
    Ok(match whole && doubt <= 1e-3 {
        true => Multipliers::Known { values, doubt },
        false => Multipliers::Unknown("their differences are not good enough"),
    })
}
