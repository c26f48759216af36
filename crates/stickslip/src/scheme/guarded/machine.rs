//! A machine that is integrated from outside: a network with any law, stops, gears and controllers.
//!
//! States are the displacements and velocities of the masses, one of each train of gears, and what continuous controllers and sliders
//! with memory remember. Bounces whose height is below what is known of the stop are over, as they are in a run of its own, at a time
//! that is known.

use super::{Added, Equations, Known, Shared, Unknown};
use crate::model::Machine;
use crate::scheme::machine::guarded::Guarded;
use crate::{Error, Event, Model};

/// A machine that somebody else integrates. A copy goes on like the original.
#[derive(Debug, Clone)]
pub struct MachineMotion {
    guarded: Guarded,
    /// What is added to its loads, and until when they are those that it has, s: up to the next kink of one.
    inputs: Vec<Added>,
    until: f64,
    events: Vec<Event>,
}

impl MachineMotion {
    /// The machine `m` at t = 0, for runs up to `end` (s).
    ///
    /// # Errors
    /// If a load is not finite or a normal force is negative, or a slider is of rate and state.
    pub fn new(m: &Machine, end: f64, at: &Shared) -> Result<Self, Error> {
        let under = at.model()?;
        let guarded = Guarded::new(under.as_ref().and_then(Model::as_machine).unwrap_or(m), end)?;
        let until = at.next_event().unwrap_or(f64::INFINITY);
        Ok(Self { guarded, inputs: at.inputs.clone(), until, events: Vec::new() })
    }
}

impl Equations for MachineMotion {
    fn moved(&mut self, at: &Shared) -> Result<(), Error> {
        self.guarded.set_time(at.time);
        Ok(())
    }

    fn load(&mut self, at: &Shared) -> Result<(), Error> {
        // The parts of a machine are made anew under other loads: not at every event.
        if at.inputs == self.inputs && at.time < self.until {
            return Ok(());
        }
        self.inputs.clone_from(&at.inputs);
        self.until = at.next_event().unwrap_or(f64::INFINITY);
        match at.model()? {
            Some(Model::Machine(m)) => self.guarded.change(&m),
            _ => Ok(()),
        }
    }

    fn states(&self, out: &mut [f64]) {
        out.iter_mut().zip(self.guarded.numbers_of_state()).for_each(|(to, from)| *to = from);
    }

    fn set_states(&mut self, states: &[f64]) {
        self.guarded.set_numbers_of_state(states);
    }

    fn derivatives(&self, _at: &Shared, out: &mut [f64]) {
        out.copy_from_slice(&self.guarded.rates());
    }

    fn indicators(&self, _at: &Shared, out: &mut [f64]) {
        self.guarded.guards(out);
    }

    fn next_event(&self) -> f64 {
        self.guarded.next_event()
    }

    fn update(&mut self, at: &mut Shared) -> Result<bool, Error> {
        let was: Vec<f64> = self.guarded.numbers_of_state().collect();
        self.guarded.next(&mut self.events)?;
        self.events.drain(..).for_each(|e| at.counts.add(e.kind));
        Ok(!self.guarded.numbers_of_state().eq(was))
    }

    fn partial(&self, _at: &Shared, _unknown: Unknown, _known: Known) -> Option<f64> {
        None
    }

    fn row(&self, _at: &Shared, out: &mut Vec<f64>) {
        out.extend(self.guarded.state().row(self.guarded.machine()));
    }

    /// Nobody counts what a machine loses on the way.
    fn lost(&self, _at: &Shared) -> f64 {
        0.0
    }

    fn phase(&self, _at: &Shared, contact: usize) -> i32 {
        self.guarded.phases().get(contact).map_or(0, |phase| phase.sign() as i32)
    }

    fn numbers(&self) -> Vec<f64> {
        self.guarded.numbers()
    }

    fn put_back(&mut self, at: &Shared, numbers: &[f64]) -> bool {
        self.guarded.put_back(at.time, numbers)
    }
}
