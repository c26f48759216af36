//! Sixteen paths of a cascade or a small network at a time.

use super::path_summary::{Counted, PathSummary};
use super::plan::Plan;
use super::sink::Sink;
use crate::lanes::oscillators::LANES;
use crate::scheme::stochastic::{Bundle, Tally};
use crate::signal::noise::Group;

/// Steps between two looks at the slips that have ended.
const STRIDE: u64 = 1024;

/// Runs paths `first` … `first + count − 1` of `plan`, which has so many `steps`; at most sixteen.
pub(super) fn run(
    plan: &Plan,
    steps: u64,
    bundle: &mut Bundle<'_, LANES>,
    first: u64,
    count: u64,
    sink: &mut Sink<'_>,
) {
    let paths = std::array::from_fn(|l| first + l as u64);
    let used = count as usize;
    let points = plan.problem.points().len();
    bundle.restart(Group { seed: plan.seed, paths }, used);
    let mut at = 0;
    let mut row = 0;
    loop {
        let next = if row < plan.rows { plan.step_of_row(row, steps as usize) } else { steps };
        while at < next {
            at = next.min(at + STRIDE);
            bundle.advance(at);
            for (e, durations) in sink.durations.iter_mut().enumerate() {
                bundle.contact(e).ended.drain(..).for_each(|steps| durations.add(steps));
            }
        }
        if row == plan.rows {
            break;
        }
        show(bundle, row, points, used, sink);
        row += 1;
    }
    let mut whole = PathSummary::default();
    for l in 0..used {
        whole.path = first + l as u64;
        whole.states = (0..points).map(|p| bundle.state(p, l)).collect();
        whole.passages = (0..points).map(|p| bundle.passage(p, l)).collect();
        let contacts = 0..sink.durations.len();
        whole.contacts =
            contacts.map(|e| Counted::from(bundle.contact(e).tally(l, steps))).collect();
        whole.inexact = bundle.inexact(l);
        (sink.whole)(&whole);
    }
}

/// The paths at a row: so many `points`, and so many paths that are `used`.
fn show(
    bundle: &mut Bundle<'_, LANES>,
    row: usize,
    points: usize,
    used: usize,
    sink: &mut Sink<'_>,
) {
    for p in 0..points {
        (0..used).for_each(|l| sink.looks.put(row, p, l, bundle.state(p, l)));
    }
    for e in 0..sink.durations.len() {
        let rest = bundle.contact(e).rest;
        sink.looks.rest(row, e, rest[..used].iter().filter(|r| **r != 0.0).count() as u64);
    }
}

impl From<Tally> for Counted {
    fn from(t: Tally) -> Self {
        let Tally { moving, slips, largest, slid, dissipated } = t;
        Self { moving, slips, largest, slid, dissipated }
    }
}
