//! Where the inner states of controllers and bristles stand among those of a machine.

use crate::model::machine::{ControlLaw, Gains, Rule};

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
    /// Where its deflection stands among the inner states.
    pub state: usize,
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
