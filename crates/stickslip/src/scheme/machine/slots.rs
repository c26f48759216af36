//! Where the inner states of controllers and bristles stand among those of a machine.

use crate::model::Machine;
use crate::model::machine::{ControlLaw, Gains, Rule};
use crate::motion::Phase;

/// Where a controller's inner states begin among those of all, and how many it has.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slot {
    pub first: usize,
    pub count: usize,
}

/// A slider with memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bristled {
    /// Its row.
    pub row: usize,
    /// Where its numbers begin among the inner states, and how many it has.
    pub state: usize,
    pub states: usize,
    /// Where the regions of its law's parts begin among those of all, and how many parts it has.
    pub region: usize,
    pub parts: usize,
}

/// The slots of the sliders of `machine` that have memory; their numbers begin at `first`.
pub(super) fn bristled(machine: &Machine, first: usize) -> Vec<Bristled> {
    let mut state = first;
    let mut region = 0;
    let mut all = Vec::new();
    for (row, friction) in machine.frictions().iter().enumerate() {
        let Some(bristle) = &friction.bristle else { continue };
        let law = bristle.law.law();
        let slot = Bristled { row, state, states: law.states(), region, parts: law.parts() };
        state += slot.states;
        region += slot.parts;
        all.push(slot);
    }
    all
}

/// What each slider of `machine` does in these statuses: one with memory slips by the criterion of its law.
pub(crate) fn phases(machine: &Machine, status: &[i8]) -> Vec<Phase> {
    let sliders = machine.network().sliders().len();
    let mut phases: Vec<Phase> = status[..sliders].iter().map(|s| Phase::of_sign(*s)).collect();
    let slots = bristled(machine, 0);
    // The regions are the last of all statuses.
    let regions = status.len() - slots.iter().map(|b| b.parts).sum::<usize>();
    for b in &slots {
        let Some(bristle) = &machine.frictions()[b.row].bristle else { continue };
        let own = &status[regions + b.region..][..b.parts];
        let own: Vec<u8> = own.iter().map(|r| r.unsigned_abs()).collect();
        if !bristle.law.law().slips(&own) {
            phases[b.row] = Phase::Stick;
        }
    }
    phases
}

/// The slots of these controllers.
pub(super) fn slots<'a>(laws: impl Iterator<Item = &'a ControlLaw>) -> Vec<Slot> {
    let mut first = 0;
    let mut slot = |law: &ControlLaw| {
        let count = match &law.rule {
            _ if law.sampling.is_some() => 0,
            Rule::Pid(g) => 1 + usize::from(filters(g)),
            Rule::StateSpace(s) => s.b.len(),
        };
        let slot = Slot { first, count };
        first += count;
        slot
    };
    laws.map(&mut slot).collect()
}

/// Whether the derivative of these gains is filtered.
pub(super) fn filters(g: &Gains) -> bool {
    g.derivative != 0.0 && g.filter > 0.0
}
