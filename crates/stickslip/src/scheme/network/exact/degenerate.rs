//! Instants at which sliders may leave at will, or at which rounding has a say.
//!
//! Where sliders that hold f_s at rest and f_d < f_s in slip are at their limit without exceeding it, staying and leaving
//! both solve the problem (Schatzman, Lamarque, Bastien 1999, §3). The scheme stays, and this module reports it. With
//! f_s = f_d both are the same motion.

use super::System;
use super::cuts::Cut;
use super::parts::Sets;
use super::power::Power;
use crate::motion::Warning;
use crate::roots::{GivenUp, Touch};

/// Loads nearer to their limits than this part of them may be at them: what many events before have left of their digits. On the
/// reference set the worst state is wrong by 5·10⁻¹³.
const KNOWN: f64 = 1e-10;

impl System {
    /// Notes where on the arc from `t` over `length` (s) a cut is at its limit and stays.
    pub(super) fn note_limits(&mut self, t: f64, length: f64) -> Result<(), GivenUp> {
        let mut found = Vec::new();
        for cut in self.mode.clusters.cuts.iter().filter(|c| self.holds_more(c)) {
            for side in [1, -1] {
                let (margin, sign) = self.margin(cut, side, None);
                if sign == 0 {
                    found.push((cut.clone(), t, t + length));
                } else if margin.0[0] == 0.0 {
                    // A kink of the load, or a load that falls from the start or from the end of a slip on.
                    found.push((cut.clone(), t, t));
                } else if let Some(at) = touch(&margin, length, self.cut_noise(cut, length))? {
                    found.push((cut.clone(), t + at, t + at));
                }
            }
        }
        for (cut, from, to) in found {
            self.note(&cut, from, to);
        }
        Ok(())
    }

    /// Notes which cuts are at their limits `tau` (s) after the start of the arc, where `first` gives way, and feel it: the
    /// force that it loses is passed on to them by sliders that stick.
    pub(super) fn note_together(&mut self, tau: f64, first: usize) {
        let parts = self.parts.clone();
        let mode = self.mode.clone();
        let free = |i: usize| !parts.given[i];
        let mut bodies = Sets::new(parts.ground + 1);
        for (c, _) in parts.contacts.iter().zip(&mode.signs).filter(|c| *c.1 == 0) {
            // A prescribed node, or the ground, passes no force on: bodies that it alone joins do not feel each
            // other.
            if free(c.a) && free(c.b) {
                bodies.join(c.a, c.b);
            }
        }
        let mut body = |cut: &Cut| {
            let c = &parts.contacts[cut.sliders[0].0];
            bodies.root(if free(c.a) { c.a } else { c.b })
        };
        let cuts = &mode.clusters.cuts;
        let home = body(&cuts[first]);
        let mut sliders = Vec::new();
        let apart =
            |s: &(usize, i8)| self.falls(s.0) && cuts[first].sliders.iter().all(|f| f.0 != s.0);
        for (i, cut) in cuts.iter().enumerate() {
            let at_limit = |side: i8| {
                let (margin, _) = self.margin(cut, side, None);
                // The event is known to the rounding of the clock, so a margin is at zero if it gets there within
                // that time.
                let late = self.clock * margin.derivative().at(tau).abs();
                margin.at(tau) <= self.cut_noise(cut, tau) + late + KNOWN * self.cut_limit(cut, tau)
            };
            let feels = cut.sliders.iter().any(apart) && body(cut) == home;
            if i == first || feels && (at_limit(1) || at_limit(-1)) {
                sliders.extend(cut.sliders.iter().map(|s| s.0));
            }
        }
        sliders.sort_unstable();
        sliders.dedup();
        if sliders.len() > cuts[first].sliders.len() {
            let sliders = sliders.into_iter().map(|e| parts.contacts[e].name.clone()).collect();
            self.warnings.push(Warning::ReachedTogether { sliders, time: self.start + tau });
        }
    }

    /// What a cut holds at rest `tau` (s) after the start of the arc, N.
    fn cut_limit(&self, cut: &Cut, tau: f64) -> f64 {
        let one = |&(e, _): &(usize, i8)| {
            self.parts.contacts[e].breakaway * self.series.normal[e].at(tau).abs()
        };
        cut.sliders.iter().map(one).sum()
    }

    /// Whether a cut holds more at rest than in slip.
    fn holds_more(&self, cut: &Cut) -> bool {
        cut.sliders.iter().any(|s| self.falls(s.0))
    }

    /// Whether the force of slider e falls if it breaks away.
    fn falls(&self, e: usize) -> bool {
        let pressed = self.series.normal[e].0[0] > self.series.normal_noise[e][0]; // not just closing
        pressed && self.parts.contacts[e].breaks()
    }

    fn note(&mut self, cut: &Cut, from: f64, to: f64) {
        let name = |s: &(usize, i8)| self.parts.contacts[s.0].name.clone();
        let names: Vec<String> = cut.sliders.iter().map(name).collect();
        self.warnings.not_unique(names, [from, to]);
    }
}

/// Where `margin` comes down to zero, within `noise`, and rises again.
fn touch(margin: &Power, length: f64, noise: f64) -> Result<Option<f64>, GivenUp> {
    let Some(at) = margin.first_fall(length, noise, Touch::Counts)? else { return Ok(None) };
    let slope = margin.derivative();
    let value = margin.at(at);
    let curvature = slope.derivative().at(at);
    let slope = slope.at(at);
    let depth = value - 0.5 * slope * slope / curvature;
    let inside = at > 0.0 && at - slope / curvature < length;
    Ok((inside && curvature > 0.0 && depth.abs() <= 2.0 * noise).then_some(at))
}
