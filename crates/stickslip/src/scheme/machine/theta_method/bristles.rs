//! Sliders whose law has memory, in a step.
//!
//! ```text
//! −p = h N F(x⁺, w⁺, z⁺, (z⁺ − z)/h),      z⁺ = z along w⁺ for h
//! ```
//!
//! with z⁺ what the law says of a stride at the constant velocity w⁺, as in the steps of one contact
//! ([`fixed`](crate::scheme::memory::fixed)): however stiff the bristles are, z stays within its bounds.

use super::node::Node;
use crate::law::Law;
use crate::law::memory::{Run, Way};
use crate::model::machine::MOST_PARTS;
use crate::scheme::machine::parts::Parts;
use crate::scheme::machine::slots::Bristled;
use crate::scheme::memory::fixed::falling_root;

/// What a slider with memory brings to a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bend {
    /// Its number among those with memory.
    pub number: usize,
    /// The step times what the numbers of the law are multiplied by, s or N·s.
    pub weight: f64,
    /// Its sliding speed before, m/s.
    pub before: f64,
    /// How far its first end would be ahead of the second if it did not slide, m.
    pub x: f64,
}

/// The laws of all sliders, from the node at the start of a step on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Laws<'a> {
    pub parts: &'a Parts,
    pub from: &'a Node,
    /// The length of the step, and how much of it moves with the velocity of its end, s.
    pub h: f64,
    pub share: f64,
}

impl Laws<'_> {
    /// The law of a slider without memory.
    pub fn of(&self, slider: usize) -> &Law {
        &self.parts.machine.frictions()[slider].law
    }

    /// The force of a slider with memory against its motion where it slides at `r` (m/s), without its normal force.
    pub fn bent(&self, bend: &Bend, r: f64) -> f64 {
        let b = &self.parts.bristles[bend.number];
        let Some(law) = self.parts.law_of(b) else { return 0.0 };
        let before = &self.from.control.states[b.state..][..b.states];
        let [mut z, mut rates] = [[0.0; MOST_PARTS]; 2];
        let [z, rates] = [&mut z[..b.states], &mut rates[..b.states]];
        z.copy_from_slice(before);
        self.stride(b, r, z);
        // (z⁺ − z)/h of the scheme.
        for (rate, (after, before)) in rates.iter_mut().zip(z.iter().zip(before)) {
            *rate = (after - before) / self.h;
        }
        law.force(bend.x + self.share * r, r, z, rates)
    }

    /// The velocity of a slider with memory that moves at `free` without its own impulse, which changes it by `own` times itself.
    pub fn slides(&self, bend: &Bend, [free, own]: [f64; 2]) -> f64 {
        let lambda = own * bend.weight;
        if lambda <= 0.0 {
            return free;
        }
        let lacks = |r: f64| free - r - lambda * self.bent(bend, r);
        // The run then says that its numbers are not finite.
        falling_root(bend.before, 1.0, lacks).unwrap_or(f64::NAN)
    }

    /// What a slider remembers after a step at `w` (m/s), in `z`, which holds what it remembered before.
    pub fn stride(&self, b: &Bristled, w: f64, z: &mut [f64]) {
        let Some(law) = self.parts.law_of(b) else { return };
        // The stride is told of a turn: it begins with elastic bristles.
        let turned = w * f64::from(self.from.doing[b.row]) < 0.0;
        let regions = &self.from.regions[b.region..][..b.parts];
        law.stride(Way { length: w * self.h, time: self.h }, turned, regions, z);
    }
}

/// Which formulas of a slider with memory hold where it slides at `w` (m/s): its side, and the regions of its law among those of
/// all.
pub(super) fn settle(
    parts: &Parts,
    b: &Bristled,
    w: f64,
    states: &[f64],
    side: &mut i8,
    regions: &mut [u8],
) {
    let Some(law) = parts.law_of(b) else { return };
    let z = &states[b.state..][..b.states];
    let regions = &mut regions[b.region..][..b.parts];
    if w * f64::from(*side) < 0.0 {
        *side = -*side;
        law.enter(f64::from(*side), w.abs(), z, false, regions);
    }
    let mut margins = [1.0; MOST_PARTS];
    let margins = &mut margins[..b.parts];
    law.margins(Run { side: f64::from(*side), regions }, w, z, margins);
    for (part, margin) in margins.iter().enumerate() {
        if *margin <= 0.0 {
            regions[part] = law.leave(part, regions[part]);
        }
    }
}
