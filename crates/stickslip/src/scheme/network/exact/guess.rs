//! Slip patterns from short implicit steps.
//!
//! A step's problem is convex and solved as a whole, so it finds what pivoting, one change after the other, may
//! miss. It decides to the length of the step only: the pattern is a guess, to be verified by the germs.

use super::parts::Parts;
use crate::error::Error;
use crate::scheme::network::convex_step::{Given, Kinematics, OneStep};
use crate::signal::Signal;

/// Implicit steps of one short length.
pub(super) struct Steps {
    one: OneStep,
    /// s.
    pub h: f64,
}

impl Steps {
    /// Steps that are `short` of the fastest time of the network.
    pub fn new(parts: &Parts, short: f64) -> Result<Self, Error> {
        let h = short * parts.fastest_time();
        Ok(Self { one: OneStep::new(&parts.network, h, 1.0)?, h })
    }

    /// Replaces `signs` by what `count` steps from `state` at `t` make of them. What slips before, or has broken away, is held
    /// by f_d.
    pub fn take(
        &mut self,
        parts: &Parts,
        t: f64,
        state: &Kinematics,
        count: usize,
        signs: &mut [i8],
    ) {
        let mut from = state.clone();
        let mut to = state.clone();
        // The result is not to depend on what was solved before, only on the state and the phases given.
        self.one.restart();
        self.one.signs.copy_from_slice(signs);
        for k in 1..=count {
            let at = t + k as f64 * self.h;
            // With θ = 1 the force at the start of a step has no weight, so that at its end stands for both.
            let force = |(i, f): &(usize, _)| (*i, Signal::value(f, at), Signal::value(f, at));
            let forces: Vec<_> = parts.forces.iter().map(force).collect();
            let motion = |(i, m): &(usize, Signal)| (*i, m.value(at), m.derivative(at));
            let motion: Vec<_> = parts.motions.iter().map(motion).collect();
            let normal: Vec<f64> = parts.contacts.iter().map(|c| c.normal(at).0[0]).collect();
            let given = Given { forces: &forces, motion: &motion, normal: &normal };
            self.one.advance(&parts.network, &from, &mut to, &given);
            std::mem::swap(&mut from, &mut to);
        }
        signs.copy_from_slice(&self.one.signs);
    }
}
