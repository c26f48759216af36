//! What every slider does after an instant.

use super::System;
use super::cuts::Cut;
use super::guess::Steps;
use super::mode::{At, Joined, Mode, ROUNDING};
use super::parts::{Contact, unsuitable};
use super::power::Power;
use crate::error::{Error, Obstacle};
use crate::scheme::network::convex_step::Kinematics;
use std::sync::Arc;

/// Corrections of many sliders at once; then one at a time.
const AT_ONCE: usize = 12;
/// Lengths of the implicit steps that help out, relative to the network's fastest time.
const SHORT: [f64; 3] = [1e-3, 1e-5, 1e-7];
/// The most that [`System::blur`] becomes.
const MOST_BLUR: f64 = 1e4;
/// How often nodes without mass may find a new balance in one instant.
const MOST_JUMPS: usize = 4;
/// Order of the series that decide what comes next.
pub(super) const GERM: usize = 6;

/// What sliders must do instead of what a pattern lets them do.
struct Change {
    /// Slider, and its new sign.
    sliders: Vec<(usize, i8)>,
    /// The cuts that share sliders with this one, and how much it is overloaded: the order of the first coefficient
    /// that is not zero, and that.
    block: Option<usize>,
    overload: (i32, f64),
}

/// A slip pattern with the state that it begins from.
#[derive(Clone)]
pub(super) struct Pattern {
    pub state: Kinematics,
    pub signs: Vec<i8>,
    /// Which sliders have broken away at this instant.
    pub broken: Vec<bool>,
    /// The way each slider slid into this instant or in a jump at it; 0 where it was at rest, or has just come to rest.
    pub slid: Vec<i8>,
}

impl Pattern {
    /// What slider `e` holds per N before it gives way towards `side`. A slider that slides has f_d against its motion, and
    /// while it slides on at no speed it still has: its reaction comes down from f_d, and only towards the other side may it
    /// rise to f_s. Otherwise one that is pulled on could be held by f_s just because a neighbour lets go at the same instant.
    /// What is `broken` is held by f_d: so the rule of two phases ends.
    fn limit(&self, e: usize, contact: &Contact, side: i8) -> f64 {
        let slides = self.broken[e] || self.slid[e] == side;
        if slides { contact.dynamic } else { contact.breakaway }
    }
}

impl Change {
    fn of(e: usize, sign: i8) -> Self {
        Self { sliders: vec![(e, sign)], block: None, overload: (0, 0.0) }
    }

    /// Whether this cut gives way before `other`.
    fn is_before(&self, other: &Self) -> bool {
        let a = self.overload;
        let b = other.overload;
        a.0 < b.0 || a.0 == b.0 && a.1 < b.1
    }
}

impl System {
    /// Finds the slip pattern from `t` on, beginning with the guess `signs`; the state that it starts from.
    pub(super) fn resolve(
        &mut self,
        t: f64,
        state: Kinematics,
        signs: Vec<i8>,
        broken: Vec<bool>,
        settle: bool,
    ) -> Result<Kinematics, Error> {
        // One that was at rest until now has not slid, whichever way it is guessed to go.
        let slid = signs.iter().zip(&self.before).map(|(s, b)| if *b == 0 { 0 } else { *s });
        let begin = Pattern { state, slid: slid.collect(), signs, broken };
        let found = self.pivot(t, begin.clone(), settle, AT_ONCE);
        let Err(error) = found else { return found };
        for short in SHORT {
            let mut p = begin.clone();
            // The steps decide which sliders slip, not where nodes without mass jump: these are put into balance
            // first.
            if settle {
                self.settle(t, &mut p)?;
            }
            Steps::new(&self.parts, short)?.take(&self.parts, t, &p.state, 1, &mut p.signs);
            if let Ok(state) = self.pivot(t, p, false, 0) {
                return Ok(state);
            }
        }
        Err(error)
    }

    /// Lets nodes without mass find their balance.
    pub(super) fn settle(&mut self, t: f64, p: &mut Pattern) -> Result<(), Error> {
        let Some(s) = &mut self.settle else { return Ok(()) };
        s.apply(&self.parts, t, p)
    }

    /// The same by principal pivoting; the first `at_once` times all sliders that cannot go on as they do change. With
    /// none `p.signs` are those of a solution, not a first guess: what slips there has broken away.
    ///
    /// The rule in two phases (Bensoussan et al. 2021, §2): a slider at rest is held by f_s. One that slips in the solution
    /// of that problem has broken away and goes on at f_d; the problem is solved again until no other breaks away. One that
    /// slides has f_d against its motion throughout, see [`Pattern::limit`]: every problem on the way is a monotone one.
    pub(super) fn pivot(
        &mut self,
        t: f64,
        mut p: Pattern,
        mut settle: bool,
        at_once: usize,
    ) -> Result<Kinematics, Error> {
        let parts = self.parts.clone();
        let count = p.signs.len();
        let mut changes = vec![0; count];
        let mut jumped = 0;
        let mut rounds = 0;
        let rests = |e: usize| p.signs[e] == 0 || at_once > 0 && self.before[e] == 0;
        let mut held: Vec<bool> = (0..count).map(|e| rests(e) && !p.broken[e]).collect();
        // At a new instant rounding errors are what they are computed to be; doubts are kept only at one that repeats
        // itself.
        if self.repeated == 0 {
            self.blur.fill(1.0);
        }
        for _ in 0..at_once + 40 + 20 * count {
            if std::mem::take(&mut settle) && self.settle.is_some() {
                self.settle(t, &mut p)?;
                held.iter_mut().zip(&p.signs).for_each(|(h, s)| *h &= *s == 0);
            }
            let mode = Mode::new(parts.clone(), p.signs.clone(), &held, t)?;
            let joined = mode.join(&p.state.v, &self.noise);
            let v = &joined.velocity[..];
            let noise = &joined.noise[..];
            mode.fill(At { t, x: &p.state.x, v, noise }, GERM, &mut self.series);
            // What is left to jump when the balance has been found so often is rounding, and decides nothing.
            let places = (jumped < MOST_JUMPS).then_some(&p.state.x[..]);
            let (mut wrong, jumps) = self.wrong(&mode, &joined, places, &p);
            rounds += 1;
            if wrong.is_empty() {
                let (more, jumping) = self.release(&mut p, &mut held);
                settle |= jumping;
                if more {
                    // With other limits it is another problem, which may again be tried with all changes at once.
                    rounds = 0;
                    continue;
                }
                if jumps {
                    (settle, jumped) = (true, jumped + 1);
                    continue;
                }
                self.mode = Arc::new(mode);
                self.noise = joined.noise;
                return Ok(Kinematics { v: joined.velocity, ..p.state });
            }
            // Changing all at once is quick but may go in circles. Changing only the first, by number, cannot where
            // Murty's rule applies.
            wrong.truncate(if rounds <= at_once { wrong.len() } else { 1 });
            for (e, next) in wrong.into_iter().flat_map(|w| w.sliders) {
                p.signs[e] = next;
                // One that goes on the way it slid has not broken away: it has f_d already, and is not among those to
                // be released.
                held[e] = if next == 0 { !p.broken[e] } else { held[e] && next != p.slid[e] };
                changes[e] += 1;
                // A slider that changes again and again is at zero within rounding: more of its neighbourhood counts
                // as zero.
                if changes[e] > AT_ONCE / 2 && self.blur[e] < MOST_BLUR {
                    self.blur[e] *= 4.0;
                }
            }
        }
        Err(self.undecided(t, &changes))
    }

    /// Lets the sliders that slip although they were held go on at f_d; whether there are any, and whether nodes
    /// without mass may jump then.
    fn release(&self, p: &mut Pattern, held: &mut [bool]) -> (bool, bool) {
        let mut more = false;
        let mut jumping = false;
        for e in (0..held.len()).filter(|&e| p.signs[e] != 0) {
            if std::mem::take(&mut held[e]) && self.parts.contacts[e].breaks() {
                more = true;
                jumping |= self.breaks(e, &mut p.broken);
            }
        }
        (more, jumping)
    }

    /// The error where no pattern was found, naming the sliders with the most `changes`.
    fn undecided(&self, t: f64, changes: &[usize]) -> Error {
        let most = changes.iter().max().copied().unwrap_or(0);
        let names = changes.iter().zip(&self.parts.contacts).filter(|c| *c.0 == most);
        let sliders = names.map(|c| c.1.name.to_string()).take(5).collect();
        unsuitable(Obstacle::Undecided { sliders, time: t })
    }

    /// Slider e breaks away; whether nodes without mass may jump then.
    pub(super) fn breaks(&self, e: usize, broken: &mut [bool]) -> bool {
        let breaks = self.parts.contacts[e].breaks();
        broken[e] |= breaks;
        breaks && self.settle.as_ref().is_some_and(|s| s.concerns(e))
    }

    /// What contradicts `mode`, in the order of the sliders, and whether nodes without mass jump in it from the places `x`; without
    /// these, nothing jumps.
    fn wrong(
        &self,
        mode: &Mode,
        joined: &Joined,
        x: Option<&[f64]>,
        p: &Pattern,
    ) -> (Vec<Change>, bool) {
        let mut wrong = Vec::new();
        let mut still = Vec::new();
        let mut jumps = false;
        for (e, &sign) in mode.signs.iter().enumerate().filter(|s| *s.1 != 0) {
            // The germ of order −1 of the velocity: nodes without mass that the pattern makes jump.
            let jump = x.map_or(0.0, |x| f64::from(sign) * self.jump(x, e));
            jumps |= jump > 0.0;
            // What comes after the jump is seen there.
            match self.speed(e, sign).1 {
                _ if jump < 0.0 => wrong.push(Change::of(e, 0)),
                -1 if jump == 0.0 => wrong.push(Change::of(e, 0)),
                0 if jump == 0.0 => still.push(Change::of(e, 0)),
                _ => {}
            }
        }
        // A slider that slides at no speed contradicts nothing as long as others slide the wrong way: with those held
        // it may well slide on. To hold it too would give it the limit at rest.
        if wrong.is_empty() {
            wrong = still;
        }
        for &e in &mode.clusters.torn {
            // Both ends are led in different ways: it slips the way they part.
            wrong.push(Change::of(e, if self.speed(e, 1).1 < 0 { -1 } else { 1 }));
        }
        // Cuts of one block share sliders, and one that gives way unloads the others: only the first of each is let
        // go.
        let mut first: Vec<Change> = Vec::new();
        for cut in &mode.clusters.cuts {
            let Some(change) = self.overloaded(cut, joined, p) else { continue };
            match first.iter_mut().find(|c| c.block == change.block) {
                Some(c) if change.is_before(c) => *c = change,
                Some(_) => {}
                None => first.push(change),
            }
        }
        wrong.extend(first);
        wrong.sort_by_key(|c| c.sliders.iter().map(|s| s.0).min().unwrap_or(usize::MAX));
        (wrong, jumps)
    }

    /// How `cut` gives way if it cannot hold.
    fn overloaded(&self, cut: &Cut, joined: &Joined, p: &Pattern) -> Option<Change> {
        let slip = |side: i8| cut.sliders.iter().map(|&(e, way)| (e, way * side)).collect();
        let mut impulse = 0.0;
        let mut noise = 0.0;
        for &(e, way) in &cut.sliders {
            impulse += f64::from(way) * joined.impulse[e].0;
            noise += joined.impulse[e].1;
        }
        let block = Some(cut.block);
        // The impulse that joins masses at different velocities is infinite as a force: no limit can hold it, and
        // nothing else about this cut matters.
        if impulse.abs() > self.blurred(cut) * noise {
            let sliders = slip(if impulse > 0.0 { 1 } else { -1 });
            return Some(Change { sliders, block, overload: (-1, -impulse.abs()) });
        }
        let side = |side: i8| {
            let (margin, sign) = self.margin(cut, side, Some(p));
            (sign < 0).then_some((side, margin))
        };
        let (side, margin) = [1, -1].into_iter().find_map(side)?;
        // The lowest order that is negative is overloaded soonest, and among equal ones the steepest.
        let order = margin.0.iter().position(|c| *c != 0.0).unwrap_or(0);
        let overload = (order as i32, margin.0[order]);
        Some(Change { sliders: slip(side), block, overload })
    }

    /// How far slider e jumps from the places `x`, m; 0 within rounding.
    fn jump(&self, x: &[f64], e: usize) -> f64 {
        let s = &self.series;
        let c = &self.parts.contacts[e];
        let moved = |i: usize| s.x[i].0[0] - x[i];
        let jump = moved(c.a) - moved(c.b);
        let noise = 4.0 * self.blur[e] * (s.noise[c.a][0] + s.noise[c.b][0]);
        if jump.abs() > noise { jump } else { 0.0 }
    }

    fn blurred(&self, cut: &Cut) -> f64 {
        cut.sliders.iter().fold(1.0, |m: f64, s| m.max(self.blur[s.0]))
    }

    /// Σ f_s N − side Σ λ over a cut, and its sign for small times; with the limits of `p` while an instant is decided.
    pub(super) fn margin(&self, cut: &Cut, side: i8, p: Option<&Pattern>) -> (Power, i8) {
        let s = &self.series;
        let limit = |e: usize, side: i8| {
            let c = &self.parts.contacts[e];
            p.map_or(c.breakaway, |p| p.limit(e, c, side))
        };
        let mut margin = Power::ZERO;
        for &(e, way) in &cut.sliders {
            let pull = -f64::from(way * side);
            margin = margin.plus(limit(e, way * side), &s.normal[e]).plus(pull, &s.lambda[e]);
        }
        let blur = self.blurred(cut);
        let noise = |k: usize| {
            let one = |&(e, way): &(usize, i8)| {
                let normal = ROUNDING * s.normal[e].0[k].abs() + s.normal_noise[e][k];
                s.force_noise[e][k] + limit(e, way * side) * normal
            };
            blur * cut.sliders.iter().map(one).sum::<f64>()
        };
        let sign = margin.lead(noise, blur * self.clock);
        (margin, sign)
    }

    /// The velocity of slip along `sign`, and its sign for small times.
    pub(super) fn speed(&self, e: usize, sign: i8) -> (Power, i8) {
        let s = &self.series;
        let c = &self.parts.contacts[e];
        let mut speed = Power::ZERO.plus(f64::from(sign), &s.slip(c.a, c.b));
        let blur = self.blur[e];
        let noise = |k: usize| blur * (k + 1) as f64 * (s.noise[c.a][k + 1] + s.noise[c.b][k + 1]);
        let sign = speed.lead(noise, blur * self.clock);
        (speed, sign)
    }
}
