//! Controllers in the scheme: their forces, inner states, limits and ticks.
//!
//! A continuous controller adds its inner states to those of the machine, under the same error control. Its force is smooth
//! between events: where it reaches a limit, leaves it, or feeds forward for a reference that turns, is found as an event.
//!
//! A sampled controller is constant between two instants at which its force may change; its ticks end a motion, too.

mod continuous;
mod sampled;
mod settle;

pub(super) use sampled::Held;

use super::parts::Parts;
use super::slots::filters;
use crate::model::Machine;
use crate::model::machine::{ControlLaw, Controller, Rule};

/// Inside its limits.
pub(in crate::scheme::machine) const FREE: i8 = 0;
/// At a limit, where the integral goes as the rest of the force asks for; times the sign of the limit. So are the next.
pub(super) const HELD: i8 = 1;
/// Beyond a limit, with an integral that goes on.
pub(in crate::scheme::machine) const BEYOND: i8 = 2;
/// Beyond a limit, with an integral that stands still.
pub(in crate::scheme::machine) const CLAMPED: i8 = 3;

/// What of a controller switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// Its force reaches the limit of this sign from inside.
    Reaches(bool),
    /// Its force comes back inside its limits.
    Returns,
    /// The error begins to drive the force beyond its limit.
    Pushes,
    /// The error ceases to do so.
    Relents,
    /// At a limit: the rest of the force drives it beyond, whatever the integral does.
    Leaves,
    /// At a limit: the whole integral cannot keep it there.
    Sinks,
    /// The velocity for which it feeds forward changes its sign.
    Turns,
}

/// The numbers that controllers remember.
#[derive(Debug, PartialEq, Default)]
pub struct Control {
    /// Inner states of the continuous ones.
    pub(super) states: Vec<f64>,
    /// What the sampled ones hold, one for each controller.
    pub(super) held: Vec<Held>,
    /// Forces of the sampled ones, N, one for each controller.
    pub(super) applied: Vec<f64>,
}

impl Clone for Control {
    fn clone(&self) -> Self {
        let Self { states, held, applied } = self;
        Self { states: states.clone(), held: held.clone(), applied: applied.clone() }
    }

    /// In the memory that is there.
    fn clone_from(&mut self, other: &Self) {
        self.states.clone_from(&other.states);
        self.held.clone_from(&other.held);
        self.applied.clone_from(&other.applied);
    }
}

impl Control {
    /// Room for what controllers remember.
    pub(super) fn empty(parts: &Parts) -> Self {
        let n = parts.loops.len();
        let mut states = vec![0.0; parts.states()];
        for b in &parts.bristles {
            if let Some(bristle) = &parts.machine.frictions()[b.row].bristle {
                states[b.state..][..b.states].copy_from_slice(&bristle.remembers);
            }
        }
        // Of every controller, sampled or not: they are found by the same number.
        Self { states, held: vec![Held::default(); n], applied: vec![0.0; n] }
    }

    /// The inner states of the continuous controllers, one after the other: of gains the integral of the error and, where
    /// the derivative is filtered, the error behind the filter; of a state space its states. Then what the sliders with memory remember.
    pub fn states(&self) -> &[f64] {
        &self.states
    }

    /// The same, to be changed.
    pub(crate) fn states_mut(&mut self) -> &mut [f64] {
        &mut self.states
    }

    /// All numbers that the sampled ones of these controllers remember from tick to tick, and the forces that act; at the same
    /// distance from a tick there are equally many.
    pub(crate) fn ticked(&self, of: &[Controller]) -> impl Iterator<Item = f64> {
        let held = self.held.iter().zip(&self.applied).zip(of);
        let sampled = held.filter(|((held, _), _)| held.has_read());
        sampled.flat_map(|((held, applied), c)| held.all(&c.law).chain([*applied]))
    }

    /// Puts them back.
    pub(crate) fn set_ticked(&mut self, of: &[Controller], numbers: &[f64]) {
        let mut numbers = numbers.iter().copied();
        for ((held, applied), c) in self.held.iter_mut().zip(&mut self.applied).zip(of) {
            if held.has_read() {
                held.set_all(&c.law, &mut numbers);
                *applied = numbers.next().unwrap_or(*applied);
            }
        }
    }

    /// Adds to `out` everything that the sampled ones remember, in the order in which [`read`](Self::read) takes it.
    pub(in crate::scheme::machine) fn write(&self, out: &mut Vec<f64>) {
        out.extend(&self.applied);
        self.held.iter().for_each(|held| held.write(out));
    }

    /// Takes what [`write`](Self::write) has written; `None` if there is too little.
    pub(in crate::scheme::machine) fn read(
        &mut self,
        from: &mut impl Iterator<Item = f64>,
    ) -> Option<()> {
        for applied in &mut self.applied {
            *applied = from.next()?;
        }
        self.held.iter_mut().try_for_each(|held| held.read(from))
    }

    /// Whether as many ticks have been and as many forces are still to act as in `other`.
    pub(in crate::scheme::machine) fn stands_as(&self, other: &Self) -> bool {
        let both = self.held.iter().zip(&other.held);
        self.held.len() == other.held.len()
            && both.into_iter().all(|(a, b)| a.stands() == b.stands())
    }

    /// What sampled controllers remember of the errors that they have read, and the forces that act: with the states, all that
    /// decides how the controllers go on, but for forces that are computed and do not act yet.
    pub(crate) fn remembered(&self) -> impl Iterator<Item = f64> {
        let held = self.held.iter().flat_map(Held::numbers);
        held.chain(self.applied.iter().copied())
    }
}

/// Of the inner states of controllers and bristles of `machine`, in their order, which have an effect: an integral without a gain
/// has none.
pub(crate) fn effective(machine: &Machine) -> Vec<bool> {
    let continuous = machine.controllers().iter().filter(|c| c.law.sampling.is_none());
    let of = |law: &ControlLaw| match &law.rule {
        Rule::Pid(g) => {
            let filter = filters(g).then_some(true);
            std::iter::once(g.integral != 0.0).chain(filter).collect::<Vec<bool>>()
        }
        Rule::StateSpace(s) => vec![true; s.b.len()],
    };
    let bristles = machine.frictions().iter().filter_map(|f| f.bristle.as_ref());
    let bristles = bristles.flat_map(|b| std::iter::repeat_n(true, b.law.law().states()));
    continuous.flat_map(|c| of(&c.law)).chain(bristles).collect()
}

impl Parts {
    /// Where the two statuses of controller `c` are: that of its limit, and the sign of the velocity for which it feeds forward.
    pub fn status_of(&self, c: usize) -> usize {
        // Behind the rows: two for each controller.
        self.rows.len() + 2 * c
    }

    /// Statuses of everything.
    pub fn statuses(&self) -> usize {
        self.regions() + self.bristles.iter().map(|b| b.parts).sum::<usize>()
    }

    /// Where the regions of laws with memory begin among the statuses: behind the signs of what gears hand on.
    pub fn regions(&self) -> usize {
        self.rows.len() + 2 * self.loops.len() + self.meshes.len()
    }

    /// Inner states of continuous controllers, then what sliders remember.
    pub fn states(&self) -> usize {
        let controllers = self.loops.iter().map(|s| s.count).sum::<usize>();
        controllers + self.bristles.iter().map(|b| b.states).sum::<usize>()
    }

    /// The law of controller `c`.
    pub fn control(&self, c: usize) -> &ControlLaw {
        &self.machine.controllers()[c].law
    }
}
