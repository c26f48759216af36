//! What sliders remember at the end of a step.

use super::One;
use crate::scheme::machine::slots::Bristled;
use crate::scheme::machine::theta_method::bristles::{Laws, settle};
use crate::scheme::machine::theta_method::node::Node;
use crate::scheme::machine::theta_method::places::speed_of;

impl One {
    /// Moves what sliders remember to the end of the step.
    pub(super) fn bend(&self, from: &Node, to: &mut Node) {
        let parts = &*self.parts;
        let laws = Laws { parts, from, h: self.h, share: self.h * self.theta };
        to.regions.copy_from_slice(&from.regions);
        for b in &parts.bristles {
            let w = self.slides(b, to);
            laws.stride(b, w, &mut to.control.states[b.state..][..b.states]);
            to.arrived[b.row] = from.doing[b.row];
        }
        let states = &to.control.states;
        for b in &parts.bristles {
            let w = self.slides(b, to);
            settle(parts, b, w, states, &mut to.arrived[b.row], &mut to.regions);
        }
    }

    /// How fast a slider with memory slides at the end of the step, m/s. One of rate and state that creeps more slowly than the rounding of
    /// the velocities of its ends is told by its friction, which has a sign where its velocity has none.
    fn slides(&self, b: &Bristled, to: &Node) -> f64 {
        let w = speed_of(&self.parts, b.row, &self.after);
        let drives = self.parts.rock(b).is_some() && w * to.impulse[b.row] > 0.0;
        if drives { 0.0 } else { w }
    }

    /// Lets sliders with memory go on with the velocities (m/s) that impacts have left.
    pub(super) fn struck(&self, to: &mut Node) {
        for b in &self.parts.bristles {
            let w = self.parts.rows[b.row].value(&to.v, |g| self.after.given[g][1]);
            let states = &to.control.states;
            settle(&self.parts, b, w, states, &mut to.doing[b.row], &mut to.regions);
        }
    }

    /// Puts sliders with memory to the side on which they set out, and their laws into their regions.
    pub(super) fn enter(&self, to: &mut Node) {
        for b in &self.parts.bristles {
            let Some(law) = self.parts.law_of(b) else { continue };
            let w = self.parts.rows[b.row].value(&to.v, |g| self.after.given[g][1]);
            // At rest it counts as moving to the positive side, until a step moves it.
            let side = if w < 0.0 { -1 } else { 1 };
            let z = &to.control.states[b.state..][..b.states];
            let regions = &mut to.regions[b.region..][..b.parts];
            law.enter(f64::from(side), w.abs(), z, false, regions);
            (to.doing[b.row], to.arrived[b.row]) = (side, side);
        }
    }
}
