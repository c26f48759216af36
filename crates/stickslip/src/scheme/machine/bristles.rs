//! Sliders whose law has memory: never held, always on one side of a motion that may be as slow as it likes.
//!
//! What such a slider remembers are numbers of the machine's state, after the inner states of the controllers and under the
//! same error control. Its formulas change where the sliding velocity turns and where a part of its law leaves its region
//! ([`Remembers::margins`](crate::law::memory::Remembers::margins)): both are found as events. The status of such a slider is
//! the side to which it moves; the regions of its parts are statuses of their own, behind all others.

use super::flow::{Flow, Instant, stretch};
use super::parts::{Parts, Window, ZERO, speed};
use super::places::Creep;
use super::slots::Bristled;
use super::{Masses, System};
use crate::error::Error;
use crate::law::memory::{Memory, Remembers, Run};
use crate::model::machine::MOST_PARTS;
use crate::motion::{Event, EventKind};

/// A margin below zero by more than this is no rounding.
const BEYOND: f64 = 1e-9;
/// Levels this near to that of V₀, relative to it, are that: a test may hold the speed there for long, and goes on as it came.
const SAME: f64 = 1e-14;

impl Parts {
    /// The law of row `e`, if it has memory.
    pub fn memory(&self, e: usize) -> Option<&Memory> {
        Some(&self.machine.frictions().get(e)?.bristle.as_ref()?.law)
    }

    /// The law of a slider with memory.
    pub fn law_of(&self, b: &Bristled) -> Option<&dyn Remembers> {
        self.memory(b.row).map(Memory::law)
    }

    /// Where the regions of a slider's law stand among the statuses.
    pub fn regions_of(&self, b: &Bristled) -> std::ops::Range<usize> {
        let first = self.regions() + b.region;
        first..first + b.parts
    }

    /// The regions of a slider's law in these statuses.
    fn regions_in(&self, b: &Bristled, status: &[i8]) -> [u8; MOST_PARTS] {
        let mut regions = [0; MOST_PARTS];
        let own = &status[self.regions_of(b)];
        regions.iter_mut().zip(own).for_each(|(region, status)| *region = status.unsigned_abs());
        regions
    }

    /// The rates of what all sliders remember into `rates`, the inner states of the machine.
    pub fn bend(&self, status: &[i8], at: &Instant, rates: &mut [f64]) {
        for (i, b) in self.bristles.iter().enumerate() {
            self.bending(i, status, at, &mut rates[b.state..][..b.states]);
        }
    }

    /// The force with which a slider with memory resists the motion, without the normal force, N; how fast what it remembers changes,
    /// into `rates`.
    fn bending(&self, i: usize, status: &[i8], at: &Instant, rates: &mut [f64]) -> f64 {
        let b = &self.bristles[i];
        let Some(law) = self.law_of(b) else { return 0.0 };
        if let Some(law) = law.as_rate_and_state() {
            // In logarithms the friction is N a u, and the only thing remembered is ln θ.
            let Creep { speed, level, ln_age } = at.creeps[i];
            rates[0] = law.ln_age_rate(speed, ln_age);
            return law.direct() * level;
        }
        let w = self.rows[b.row].value(&at.v, |g| at.given[g][1]);
        let z = &at.states[b.state..][..b.states];
        let regions = self.regions_in(b, status);
        let run = Run { side: f64::from(status[b.row]), regions: &regions[..b.parts] };
        law.rates(run, w, z, rates);
        let x = stretch(&at.node_x, self.machine.network().sliders()[b.row].between());
        law.force(x, w, z, rates)
    }

    /// The row of slider with memory number `i`, and its force against the motion at `t` (s), N.
    pub fn bristle_force(
        &self,
        i: usize,
        t: f64,
        window: &Window<'_>,
        status: &[i8],
        at: &Instant,
    ) -> (usize, f64) {
        let b = &self.bristles[i];
        let mut rates = [0.0; MOST_PARTS];
        let normal = self.normal(b.row, t, window, status, at);
        (b.row, normal * self.bending(i, status, at, &mut rates[..b.states]))
    }

    /// u of the slider of row `e`, if its law is of rate and state.
    pub fn level(&self, e: usize, at: &Instant) -> Option<f64> {
        let i = self.bristles.iter().position(|b| b.row == e)?;
        self.rock(&self.bristles[i]).map(|_| at.creeps[i].level)
    }

    /// How far part number `part` of slider with memory number `i` is from the end of its region, and the size of that.
    pub fn bristle_margin(&self, i: usize, part: usize, status: &[i8], at: &Instant) -> [f64; 2] {
        let b = &self.bristles[i];
        if let Some(law) = self.rock(b) {
            // In u, which a polynomial follows over decades of the velocity.
            let Creep { level, ln_age, .. } = at.creeps[i];
            let end = law.level(law.reference(), law.psi(ln_age));
            let fast = self.slips(b, status);
            let margin = if fast { level.abs() - end } else { end - level.abs() };
            return [margin + SAME * end, end];
        }
        let w = self.rows[b.row].value(&at.v, |g| at.given[g][1]);
        [self.margins(b, status, w, &at.states[b.state..][..b.states])[part], 1.0]
    }

    fn margins(&self, b: &Bristled, status: &[i8], w: f64, z: &[f64]) -> [f64; MOST_PARTS] {
        let mut margins = [1.0; MOST_PARTS];
        if let Some(law) = self.law_of(b) {
            let regions = self.regions_in(b, status);
            let run = Run { side: f64::from(status[b.row]), regions: &regions[..b.parts] };
            law.margins(run, w, z, &mut margins[..b.parts]);
        }
        margins
    }

    /// The margins a millionth of a bristle further on the way to its side.
    fn margins_ahead(&self, b: &Bristled, status: &[i8], w: f64, z: &[f64]) -> [f64; MOST_PARTS] {
        let Some(law) = self.law_of(b) else { return [1.0; MOST_PARTS] };
        let side = f64::from(status[b.row]);
        let regions = self.regions_in(b, status);
        let run = Run { side, regions: &regions[..b.parts] };
        let mut rates = [0.0; MOST_PARTS];
        // At rest, on the way on which it would set out.
        let going = if w == 0.0 { side * law.scale(0) } else { w };
        law.rates(run, going, z, &mut rates[..b.states]);
        let quickest = (0..b.states).map(|i| (rates[i] / law.scale(i)).abs()).fold(0.0, f64::max);
        let mut ahead = [0.0; MOST_PARTS];
        for i in 0..b.states {
            ahead[i] = z[i] + if quickest > 0.0 { 1e-6 * rates[i] / quickest } else { 0.0 };
        }
        self.margins(b, status, w, &ahead[..b.states])
    }

    /// What all sliders remember.
    pub fn deflections(&self, states: &[f64]) -> Vec<f64> {
        let all = self.bristles.iter().flat_map(|b| &states[b.state..][..b.states]);
        all.copied().collect()
    }

    /// Whether a slider with memory slips in these statuses.
    fn slips(&self, b: &Bristled, status: &[i8]) -> bool {
        let regions = self.regions_in(b, status);
        self.law_of(b).is_some_and(|law| law.slips(&regions[..b.parts]))
    }

    /// Puts part number `part` of a slider with memory into its next region.
    fn leave(&self, b: &Bristled, part: usize, status: &mut [i8]) {
        let place = self.regions_of(b).start + part;
        if let Some(law) = self.law_of(b) {
            status[place] = law.leave(part, status[place].unsigned_abs()).cast_signed();
        }
    }

    /// What happened to a slider with memory between these statuses: its velocity turned, it began to slip by its law's criterion, or it
    /// ceased to.
    pub fn bristle_events(
        &self,
        b: &Bristled,
        before: &[i8],
        after: &[i8],
    ) -> [Option<EventKind>; 2] {
        let [slipped, slips] = [before, after].map(|status| self.slips(b, status));
        if before[b.row] == after[b.row] {
            return match (slipped, slips) {
                (false, true) => [None, Some(EventKind::Slip)],
                (true, false) => [None, Some(EventKind::Stick)],
                _ => [None; 2],
            };
        }
        // A bristle that turns after a short way may be bent enough to slip at once.
        let turns = if slipped { EventKind::Stick } else { EventKind::Reversal };
        [Some(turns), slips.then_some(EventKind::Slip)]
    }

    /// The elements of sliders with memory whose yielding is an event of its own, as numbers of places behind all others: those that
    /// have yielded between these statuses, with their rows.
    pub fn yields(&self, before: &[i8], after: &[i8]) -> Vec<(usize, usize)> {
        let mut place = 0;
        let mut all = Vec::new();
        for b in &self.bristles {
            let elements = self.law_of(b).map_or(0, Remembers::elements);
            let first = self.regions_of(b).start;
            let turned = before[b.row] != after[b.row];
            for part in 0..elements {
                if (turned || before[first + part] == 0) && after[first + part] != 0 {
                    all.push((b.row, place + part));
                }
            }
            place += elements;
        }
        all
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

    /// Puts the laws of sliders with memory into the regions in which they set out at `t`: of all, or of those whose side is another
    /// one than in the statuses `before`. A part that a jump of the velocity took out of its region leaves it; one that has just
    /// left its region, slider and part in `left`, stays where it is.
    pub(super) fn enter(
        &self,
        t: f64,
        window: &Window<'_>,
        state: &Masses,
        before: Option<&[i8]>,
        left: Option<(usize, usize)>,
        status: &mut [i8],
    ) {
        let parts = &self.parts;
        let given: Vec<f64> = window.given.iter().map(|g| g.at(t)[1]).collect();
        for (i, b) in parts.bristles.iter().enumerate() {
            let Some(law) = parts.law_of(b) else { continue };
            let [w, _] = speed(&parts.rows[b.row], &state.v, &given);
            let z = &state.control.states[b.state..][..b.states];
            let enters = before.is_none_or(|before| before[b.row] != status[b.row]);
            if enters {
                let mut regions = [0; MOST_PARTS];
                law.enter(f64::from(status[b.row]), w.abs(), z, false, &mut regions[..b.parts]);
                let own = &mut status[parts.regions_of(b)];
                own.iter_mut().zip(regions).for_each(|(s, region)| *s = region.cast_signed());
            }
            // No law has more than three regions.
            for _ in 0..2 {
                let margins = parts.margins(b, status, w, z);
                let ahead = parts.margins_ahead(b, status, w, z);
                for part in 0..b.parts {
                    // The velocity of rate and state is less well known than the level by which its event was found: it would put the
                    // part back, again and again.
                    if left == Some((i, part)) && !enters {
                        continue;
                    }
                    let at_end = enters && margins[part] <= BEYOND && ahead[part] < margins[part];
                    if margins[part] < -BEYOND || at_end {
                        parts.leave(b, part, status);
                    }
                }
            }
        }
    }

    /// Part number `part` of slider with memory number `i` leaves its region.
    pub(super) fn leave_region(&self, i: usize, part: usize, status: &mut [i8]) {
        self.parts.leave(&self.parts.bristles[i], part, status);
    }

    /// Adds to `events` what happened to sliders with memory at `t` between these statuses.
    pub(super) fn tell_bristles(
        &mut self,
        t: f64,
        state: &mut Masses,
        window: &Window<'_>,
        [before, after]: [&[i8]; 2],
        events: &mut Vec<Event>,
    ) {
        let parts = self.parts.clone();
        for (i, b) in parts.bristles.iter().enumerate() {
            if before[b.row] != after[b.row] {
                state.since[b.row] = t;
            }
            let turned = before[b.row] != after[b.row];
            for kind in parts.bristle_events(b, before, after).into_iter().flatten() {
                // Ever smaller motions about rest are below what the tolerance resolves.
                let creeps = parts.rock(b).is_some() && self.fastest[i] <= self.options.atol;
                if creeps && kind == EventKind::Reversal {
                    continue;
                }
                events.push(self.event(kind, t, b.row, state, window));
            }
            if turned {
                self.fastest[i] = 0.0;
            }
        }
        for (row, element) in parts.yields(before, after) {
            let mut event = self.event(EventKind::Yield, t, row, state, window);
            event.place = parts.machine.places() + element;
            events.push(event);
        }
    }
}

impl Flow<'_> {
    /// The tolerance of what sliders remember is relative to what their laws bend them by.
    pub fn bristle_scales(&self, rtol: f64, scale: &mut [f64]) {
        for b in &self.parts.bristles {
            let Some(law) = self.parts.memory(b.row) else { continue };
            let first = 2 * self.mode.groups + b.state;
            for state in 0..b.states {
                scale[first + state] = rtol * law.law().scale(state);
            }
        }
    }
}
