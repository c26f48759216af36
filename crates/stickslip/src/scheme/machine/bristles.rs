//! Sliders whose law has memory: never held, always on one side of a motion that may be as slow as it likes.
//!
//! The deflection of each bristle is a number of the machine's state, after the inner states of the controllers and under the
//! same error control. Its formulas change where the sliding velocity turns, which is found as an event; the status of such
//! a slider is the side to which it moves. The bend that the law of Bouc and Wen has where its bristle passes zero is left to the
//! error control.

use super::flow::{Flow, Instant};
use super::parts::{Parts, Window, ZERO, speed};
use super::slots::Bristled;
use super::{Masses, System};
use crate::error::Error;
use crate::law::memory::{Memory, Run};

impl Parts {
    /// The law of row `e`, if it has memory.
    pub fn memory(&self, e: usize) -> Option<&Memory> {
        Some(&self.machine.frictions().get(e)?.bristle.as_ref()?.law)
    }

    /// The rates of all bristles into `rates`, the inner states of the machine.
    pub fn bend(&self, status: &[i8], at: &Instant, rates: &mut [f64]) {
        for b in &self.bristles {
            rates[b.state] = self.bending(b, status, at)[1];
        }
    }

    /// The force with which a bristle resists the motion, without the normal force, and how fast it bends, m/s.
    fn bending(&self, b: &Bristled, status: &[i8], at: &Instant) -> [f64; 2] {
        let Some(law) = self.memory(b.row) else { return [0.0; 2] };
        let law = law.law();
        let w = self.rows[b.row].value(&at.v, |g| at.given[g][1]);
        let side = f64::from(status[b.row]);
        let z = [at.states[b.state]];
        // Which way the bristle of Bouc and Wen is bent, and whether an elasto-plastic one yields; the others have one formula on each
        // side.
        let mut regions = [0; 2];
        let regions = &mut regions[..law.parts()];
        law.enter(side, w.abs(), &z, false, regions);
        let run = Run { side, regions };
        let mut rate = [0.0];
        law.rates(run, w, &z, &mut rate);
        [law.force(0.0, w, &z, &rate), rate[0]]
    }

    /// The row of bristle number `i`, and its force against the motion at `t` (s), N.
    pub fn bristle_force(
        &self,
        i: usize,
        t: f64,
        window: &Window<'_>,
        status: &[i8],
        at: &Instant,
    ) -> (usize, f64) {
        let b = &self.bristles[i];
        let normal = self.normal(b.row, t, window, status, at);
        (b.row, normal * self.bending(b, status, at)[0])
    }

    /// The deflections of all bristles, m.
    pub fn deflections(&self, states: &[f64]) -> Vec<f64> {
        self.bristles.iter().map(|b| states[b.state]).collect()
    }
}

impl System {
    /// Lets every slider with memory move to the side of its velocity at `t`; where that is zero, to that of its acceleration.
    pub(super) fn bristle(
        &mut self,
        t: f64,
        window: &Window<'_>,
        state: &Masses,
        status: &mut [i8],
    ) -> Result<(), Error> {
        let parts = self.parts.clone();
        let given: Vec<f64> = window.given.iter().map(|g| g.at(t)[1]).collect();
        let mut still = Vec::new();
        for b in &parts.bristles {
            let [w, size] = speed(&parts.rows[b.row], &state.v, &given);
            if w.abs() > ZERO * size {
                status[b.row] = if w > 0.0 { 1 } else { -1 };
            } else {
                // The force of a bristle at rest does not depend on the side.
                status[b.row] = 1;
                still.push(b.row);
            }
        }
        if still.is_empty() {
            return Ok(());
        }
        let at = self.look(t, window, state, status)?;
        for e in still {
            let a = parts.rows[e].value(&at.a, |g| at.given[g][2]);
            status[e] = if a < 0.0 { -1 } else { 1 };
        }
        Ok(())
    }
}

impl Flow<'_> {
    /// The tolerance of bristles is relative to what their laws bend them by.
    pub fn bristle_scales(&self, rtol: f64, scale: &mut [f64]) {
        for b in &self.parts.bristles {
            if let Some(law) = self.parts.memory(b.row) {
                scale[2 * self.mode.groups + b.state] = rtol * law.law().scale(0);
            }
        }
    }
}
