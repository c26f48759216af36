//! A slider that comes to rest and makes others give way in the same instant.
//!
//! While it slides the others feel its f_d, at rest its reaction. Where that is too much for some of them, the rule of two
//! phases has two answers. With the slider at rest from the start all are held by f_s, and it may turn while the others give
//! way; or the others give way while its force is still on the way from f_d to its reaction, and what they lose lets it rest.
//! An implicit step takes the first where the slider has come to rest at the end of a step, the second where it arrives
//! within one that begins early enough. However short the steps, what they make of it depends on the part ρ of a step
//! that is left when it arrives, so the limit h → 0 is that of a ρ between 0 and 1. This module takes the pattern that most
//! of them lead to, of those that the germs confirm, and reports the instant where there are several.
//!
//! A slider that turns is held by f_s on its way through zero, and this is what makes others give way. A turn takes no time,
//! so that the others may as well feel no more than its f_d, before and after: where they rest then, that is another solution, and
//! the instant is reported too.

use super::System;
use super::guess::Steps;
use super::mode::{At, Mode};
use super::resolve::{GERM, Pattern};
use crate::error::Error;
use crate::motion::Warning;
use crate::scheme::network::convex_step::Kinematics;
use std::sync::Arc;

/// How many ρ are tried.
const PARTS: usize = 16;
/// The length of the steps relative to the fastest time of the network.
const SHORT: f64 = 1e-5;
/// Steps after which the pattern is that of the instant: what gives way late gives way in the step after.
const STEPS: usize = 3;

/// What comes after an instant, and how many ρ lead to it.
struct Outcome {
    count: usize,
    signs: Vec<i8>,
    mode: Arc<Mode>,
    noise: Vec<f64>,
    state: Kinematics,
}

impl System {
    /// Whether the order within the instant may decide: slider `e`, which has come to rest, is not the only one that does
    /// something else than in `phase`, and some hold more at rest than in slip.
    pub(super) fn is_order_open(&self, e: usize, phase: &[i8]) -> bool {
        let changed = |i: &usize| self.mode.signs[*i] != phase[*i];
        let others = (0..phase.len()).filter(|i| *i != e);
        others.clone().any(|i| changed(&i))
            && others.filter(changed).chain([e]).any(|i| self.parts.contacts[i].breaks())
    }

    /// The state and the pattern that most orders lead to, where slider `e` has come to rest at `t`. `old` is the motion
    /// before, `at` where it has led, with the rounding errors `noise` of its velocities, and `found` what all held by f_s
    /// gave.
    pub(super) fn by_order(
        &mut self,
        t: f64,
        e: usize,
        old: &Mode,
        at: &Kinematics,
        noise: &[f64],
        found: Kinematics,
    ) -> Result<Kinematics, Error> {
        // First the pattern of all held by f_s, which no step has led to as yet: it is taken if nothing else is
        // confirmed, and in a draw.
        let mut outcomes = vec![Outcome {
            count: 0,
            signs: self.mode.signs.clone(),
            mode: self.mode.clone(),
            noise: self.noise.clone(),
            state: found,
        }];
        for (signs, count) in self.patterns(t, old, at, noise)? {
            match outcomes.iter_mut().find(|o| o.signs == signs) {
                Some(o) => o.count = count,
                None => outcomes.extend(self.confirmed(t, e, at, noise, signs, count)),
            }
        }
        let mut most = 0;
        for (k, o) in outcomes.iter().enumerate() {
            if o.count > outcomes[most].count {
                most = k;
            }
        }
        let mut turned = old.signs.clone();
        turned[e] = outcomes[most].signs[e];
        let known = turned[e] == 0 || outcomes.iter().any(|o| o.signs == turned);
        let turns = if known { None } else { self.confirmed(t, e, at, noise, turned, 0) };
        let differ = |i: &usize| outcomes.iter().any(|o| o.signs[*i] != old.signs[*i]);
        if turns.is_some() || outcomes.iter().filter(|o| o.count > 0).count() > 1 {
            let names = (0..old.signs.len()).filter(differ);
            let sliders = names.map(|i| self.parts.contacts[i].name.clone()).collect();
            self.warnings.push(Warning::OrderDecides { sliders, time: t });
        }
        // Trying the patterns has overwritten the series, which are to be those of the one taken.
        let Outcome { mode, noise, state, .. } = outcomes.swap_remove(most);
        mode.fill(At { t, x: &state.x, v: &state.v, noise: &noise }, GERM, &mut self.series);
        (self.mode, self.noise) = (mode, noise);
        Ok(state)
    }

    /// The patterns that short steps lead to which arrive at `t` with different parts of them left, each with its count.
    fn patterns(
        &mut self,
        t: f64,
        old: &Mode,
        at: &Kinematics,
        noise: &[f64],
    ) -> Result<Vec<(Vec<i8>, usize)>, Error> {
        let mut steps = Steps::new(&self.parts, SHORT)?;
        old.fill(At { t, x: &at.x, v: &at.v, noise }, GERM, &mut self.series);
        let mut patterns: Vec<(Vec<i8>, usize)> = Vec::new();
        for k in 0..PARTS {
            // The middles of equal parts of a step: none of them is an end, where the arrival would fall between two
            // steps.
            let early = steps.h * (k as f64 + 0.5) / PARTS as f64;
            let from = Kinematics {
                // The old motion, traced back a little before the slider came to rest.
                x: self.series.x.iter().map(|x| x.at(-early)).collect(),
                v: self.series.x.iter().map(|x| x.derivative().at(-early)).collect(),
            };
            let mut signs = old.signs.clone();
            steps.take(&self.parts, t - early, &from, STEPS, &mut signs);
            match patterns.iter_mut().find(|p| p.0 == signs) {
                Some(p) => p.1 += 1,
                None => patterns.push((signs, 1)),
            }
        }
        Ok(patterns)
    }

    /// The pattern if it contradicts nothing.
    fn confirmed(
        &mut self,
        t: f64,
        e: usize,
        at: &Kinematics,
        noise: &[f64],
        signs: Vec<i8>,
        count: usize,
    ) -> Option<Outcome> {
        self.noise.copy_from_slice(noise);
        let before = self.before.clone();
        // Who slips now and did not before has broken away in this order of things, and has f_d.
        let broken = signs.iter().zip(&before).map(|(s, b)| *b == 0 && *s != 0).collect();
        let mut slid = before.clone();
        // This one has come to rest, and may rise to f_s on either side.
        slid[e] = 0;
        let mut p = Pattern { state: at.clone(), signs: before, broken, slid };
        p.signs[e] = 0;
        if self.settle.is_some() {
            self.settle(t, &mut p).ok()?;
        }
        p.signs.copy_from_slice(&signs);
        let state = self.pivot(t, p, false, 0).ok()?;
        let mode = self.mode.clone();
        let noise = self.noise.clone();
        // The germs may lead on to another pattern; then the steps' one contradicted itself.
        (mode.signs == signs).then_some(Outcome { count, signs, mode, noise, state })
    }
}
