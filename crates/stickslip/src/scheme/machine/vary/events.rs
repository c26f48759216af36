//! What an event does to the derivatives.

use super::super::control::Control;
use super::super::guards::Ends;
use super::super::impact::Struck;
use super::super::{Masses, System};
use super::look::{Blow, LARGE, Look};
use super::slopes::Slopes;
use super::{Column, Walk, looks, remembered};
use crate::model::Bumper;
use crate::model::machine::Controller;
use crate::motion::Event;
use crate::scheme::gap::Gap;
use crate::scheme::machine::parts::Parts;
use crate::scheme::protocol::{Begins, Leg};

/// Rates, forces and velocities that differ by less than this share of their terms are taken for equal.
const EQUAL: f64 = 1e-9;
/// Derivatives that differ by less than this share of their terms are taken for equal.
const ALIKE: f64 = 1e-6;
/// Instants that differ by less than this share of the time are one.
pub(super) const TOGETHER: f64 = 1e-11;
/// The rounding of an instant, over the time.
const ROUNDING: f64 = 1e-13;
/// The longest distance of differences in time, over 1/ω of the fastest load.
const APART: f64 = 0.64;
/// A branch of a tick is looked for at distances that fall by this factor, of which so many are tried.
const FALLS: f64 = 1.0 / 64.0;
const LOOKS: usize = 6;
/// How far a rough difference reaches, over the size of the state.
const NEARBY: f64 = 1e-5;

/// The two sides of an event.
pub(super) struct Sides<'a> {
    pub t: f64,
    hit: Option<Ends>,
    /// Whether the motion that it ends has taken no time.
    at_once: bool,
    pub before: Vec<Look<'a>>,
    pub after: Vec<Look<'a>>,
    arrived: &'a Masses,
    pub begun: &'a Masses,
    /// Since when each row does what it does, before it.
    pub since: &'a [f64],
    /// The states and their rates.
    pub y: [Vec<f64>; 2],
    pub f: [Vec<f64>; 2],
    /// The velocities and the accelerations of what is given afterwards, in each machine.
    pub given: Vec<[Vec<f64>; 2]>,
    pub blow: Blow,
}

/// The first of the bounces that are summed.
struct Bounce {
    /// With which velocity it opens, m/s, and with which acceleration it comes back, m/s².
    speed: f64,
    back: f64,
    restitution: f64,
}

impl Bounce {
    /// How long all of them take, s: 2u/a, and each e times the one before.
    fn length(&self) -> f64 {
        2.0 * self.speed / (self.back * (1.0 - self.restitution))
    }
}

/// The largest magnitude in a list.
fn size(list: &[f64]) -> f64 {
    list.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

impl Walk<'_> {
    /// Passes the end of a motion, which is over in the state `arrived`. Nothing where what happens there is not understood.
    pub(super) fn pass(
        &mut self,
        leg: &Leg<System>,
        arrived: &Masses,
        (begun, phase): &Begins<System>,
        struck: Option<&Struck>,
        events: &[Event],
    ) -> Option<()> {
        if leg.hit == Some(Ends::Pauses) {
            return Some(());
        }
        let t = leg.stop;
        let parts = self.parts;
        let known = self.known(&leg.phase, &leg.state.pieces)?;
        let modes = self.known[known].modes.clone();
        let before = looks(parts, &modes, &leg.state.pieces, leg.start);
        let known = self.known(phase, &begun.pieces)?;
        let next = self.known[known].modes.clone();
        let after = looks(parts, &next, &begun.pieces, t);
        let y = [self.layout.pack(arrived), self.layout.pack(begun)];
        let mut f = y.clone();
        before[0].rates(t, &y[0], &mut f[0], &mut self.at);
        after[0].rates(t, &y[1], &mut f[1], &mut self.at);
        let given = after.iter().map(|look| look.given(t)).collect();
        let hit = leg.hit;
        let mut s = Sides {
            t,
            hit,
            at_once: leg.stop <= leg.start,
            before,
            after,
            arrived,
            begun,
            since: &leg.motion.since,
            y,
            f,
            given,
            blow: Blow::default(),
        };
        let shifts = self.shifts(&s);
        self.part(t, &shifts);
        if let Some(struck) = struck {
            self.aim_blow(&mut s, struck, &shifts)?;
        }
        self.check_velocities(&s)?;
        let mut settles = Vec::new();
        for (c, shift) in shifts.iter().enumerate() {
            settles.push(self.settling(&s, struck, c, *shift)?);
        }
        for (c, shift) in shifts.iter().enumerate() {
            if !self.columns[c].lost {
                self.jump(&s, c, *shift)?;
                self.columns[c].settles = settles[c].clone();
                for (e, since) in self.columns[c].since.iter_mut().enumerate() {
                    if begun.since[e] != leg.motion.since[e] {
                        *since = *shift;
                    }
                }
            }
        }
        for event in events {
            self.out.events.push(*event);
            let of = |(c, shift): (&Column, &f64)| if c.lost { f64::NAN } else { *shift };
            let mut all = self.columns.iter().zip(&shifts).map(of);
            self.out.event_times.extend(all.by_ref().take(self.numbers));
            self.turning.events.extend(all);
        }
        self.look_at_limits(&s, &leg.phase);
        Some(())
    }

    /// How the time of the event changes with each number.
    fn shifts(&mut self, s: &Sides<'_>) -> Vec<f64> {
        let t = s.t;
        match s.hit {
            None => (0..self.columns.len()).map(|c| self.breakpoint(c, t)).collect(),
            Some(Ends::Ticks) => {
                let due = |k: usize| self.parts[k].next_tick(&s.arrived.control);
                self.columns.iter().map(|c| c.rate(due)).collect()
            }
            Some(Ends::Settles) => {
                let settles = s.arrived.settles.iter().position(|at| *at <= t);
                self.columns.iter().map(|c| settles.map_or(0.0, |k| c.settles[k])).collect()
            }
            Some(what) => self.crossings(s, what),
        }
    }

    /// How the breakpoint of signals at `t` (s) moves with number `c`; the derivatives are lost where several ones move by different times.
    fn breakpoint(&mut self, c: usize, t: f64) -> f64 {
        let parts = self.parts;
        let column = &self.columns[c];
        let own = parts[0].machine.signals().enumerate();
        let moves = own.filter_map(|(i, own)| {
            let piece = own.piece(t);
            let here = piece > 0 && own.knots()[piece].time == t;
            let time = |k: usize| parts[k].machine.signals().nth(i).map(|s| s.knots()[piece].time);
            here.then(|| column.rate(|k| time(k).unwrap_or(t)))
        });
        let [least, most] = moves.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], m| {
            [m.min(least), m.max(most)]
        });
        if least > most {
            return 0.0;
        }
        if most - least > EQUAL * most.abs().max(least.abs()) {
            self.lose(c, t, Gap::Together);
        }
        most
    }

    /// The derivatives of what is watched: with respect to the state, to the time, and to the instants at which what ages came to rest.
    fn slopes(
        &mut self,
        s: &Sides<'_>,
        what: Ends,
        signs: &[f64],
    ) -> (Vec<f64>, f64, Vec<(usize, f64)>) {
        let Sides { t, y: [y, _], before, since, .. } = s;
        let t = *t;
        let own = &before[0];
        let mut bent = self.bends(1);
        let at = &mut self.at;
        let mut far = y.clone();
        let mut slopes = vec![0.0; y.len()];
        for (j, slope) in slopes.iter_mut().enumerate().filter(|(j, _)| !self.bent[*j]) {
            far[j] = LARGE;
            let [value, _] = own.guard(what, signs, since, t, &far, at);
            far[j] = y[j];
            if (value / LARGE).abs() > 1e-40 {
                *slope = value / LARGE;
            }
        }
        for (j, differences) in &mut bent {
            slopes[*j] = differences.at(|by, out| {
                far[*j] = y[*j] + by;
                out[0] = own.guard(what, signs, since, t, &far, at)[0];
            })[0];
            far[*j] = y[*j];
        }
        let long = if self.fastest > 0.0 { APART / self.fastest } else { 0.032 * self.end };
        let along = Slopes::new(1, long).at(|by, out| {
            out[0] = own.guard(what, signs, since, t + by, y, at)[0];
        })[0];
        let frictions = self.parts[0].machine.frictions().iter().enumerate();
        let rests = |e: usize| own.flow.mode.status[e] == 0;
        let ages = frictions.filter(|(e, f)| rests(*e) && f.bristle.is_none() && f.law.ages());
        let mut moved = since.to_vec();
        let ages = ages.map(|(e, _)| {
            let slope = Slopes::new(1, t - since[e]).at(|by, out| {
                moved[e] = since[e] + by;
                out[0] = own.guard(what, signs, &moved, t, y, at)[0];
            })[0];
            moved[e] = since[e];
            (e, slope)
        });
        let ages = ages.collect();
        (slopes, along, ages)
    }

    /// How the time at which what is watched passes zero changes with each number.
    fn crossings(&mut self, s: &Sides<'_>, what: Ends) -> Vec<f64> {
        let Sides { t, y: [y, _], f: [f, _], before, since, .. } = s;
        let t = *t;
        let own = &before[0];
        let signs = own.signs(what, since, t, y, &mut self.at);
        let (slopes, along, ages) = self.slopes(s, what, &signs);
        let at = &mut self.at;
        let terms = slopes.iter().zip(f).map(|(h, f)| h * f);
        let rate = along + terms.clone().sum::<f64>();
        let size = along.abs() + terms.map(f64::abs).sum::<f64>();
        let [value, terms_of] = own.guard(what, &signs, since, t, y, at);
        if s.at_once && value < -EQUAL * terms_of {
            // It was passed already where the motion began: what ends it at once came with the event before, or with the start.
            let same = self.last.0 == t;
            return if same { self.last.1.clone() } else { vec![0.0; self.columns.len()] };
        }
        let values: Vec<f64> =
            before.iter().map(|look| look.guard(what, &signs, since, t, y, at)[0]).collect();
        let mut shifts = Vec::with_capacity(self.columns.len());
        for c in 0..self.columns.len() {
            let column = &self.columns[c];
            let terms = slopes.iter().zip(&column.now).map(|(h, d)| h * d);
            let aged: f64 = ages.iter().map(|(e, slope)| slope * column.since[*e]).sum();
            let moved = terms.sum::<f64>() + aged + column.rate(|k| values[k]);
            if rate.abs() <= EQUAL * size {
                // What does not move at all is touched by the neighbouring motions, too.
                if moved != 0.0 {
                    self.lose(c, t, Gap::Grazes);
                }
                shifts.push(0.0);
            } else {
                shifts.push(-moved / rate);
            }
        }
        shifts
    }

    /// Loses the derivatives with respect to numbers by which this event and the one before, at the same instant, move by different times.
    fn part(&mut self, t: f64, shifts: &[f64]) {
        let near = TOGETHER * t.abs().max(1e-3 * self.end);
        if t - self.last.0 <= near {
            let before = std::mem::take(&mut self.last.1);
            for (c, (a, b)) in before.iter().zip(shifts).enumerate() {
                if (a - b).abs() > ALIKE * (a.abs() + b.abs()) {
                    self.lose(c, t, Gap::Together);
                }
            }
        }
        self.last = (t, shifts.to_vec());
    }

    /// Which rows an impact acts on. Derivatives are lost where other numbers part contacts that are met at once.
    fn aim_blow(&mut self, s: &mut Sides<'_>, struck: &Struck, shifts: &[f64]) -> Option<()> {
        let parts = &self.parts[0];
        let n = self.layout.masses;
        let summed = |row: usize| struck.summed.iter().any(|(c, _)| *c + parts.sliders == row);
        let restitution = |k: usize| {
            let row = struck.rows[k];
            let Bumper::Rigid { restitution: e } = parts.contacts[row - parts.sliders].bumper
            else {
                return None;
            };
            struck.closes[k].then_some(if summed(row) { 0.0 } else { e })
        };
        let taken: Vec<Option<f64>> = (0..struck.rows.len()).map(restitution).collect();
        let mut v = s.y[0][n..2 * n].to_vec();
        let arriving = v.clone();
        let given = &s.given[0][0];
        let met = parts.strike(s.t, &struck.rows, &taken, given, &mut v).ok()?;
        let greatest = met.iter().fold(0.0, |m: f64, p| m.max(p.impulse));
        let acts: Vec<bool> = met.iter().map(|m| m.impulse > 1e-10 * greatest).collect();
        let mut blow = Blow::default();
        let mut open = false;
        for (k, &row) in struck.rows.iter().enumerate() {
            if acts[k] {
                blow.rows.push((row, struck.closes[k], summed(row)));
                continue;
            }
            // A contact that the others do not reach has no impulse whatever they do.
            let coupled = struck.rows.iter().zip(&acts).any(|(other, acts)| {
                let own = parts.compliance_of(row, row) * parts.compliance_of(*other, *other);
                *acts && parts.compliance_of(row, *other).abs() > EQUAL * own.sqrt()
            });
            let row = &parts.rows[row];
            let [u, w] = [&arriving, &v].map(|v| row.value(v, |g| given[g]));
            let size: f64 = row.masses.iter().map(|(i, c)| (c * v[*i]).abs()).sum();
            let slack = w + taken[k].map_or(0.0, |e| e * u);
            open |= coupled && slack.abs() <= EQUAL * size;
        }
        s.blow = blow;
        for (c, shift) in shifts.iter().enumerate() {
            // What was met at once has to be met at once by the neighbouring motions, too.
            let parted = struck.rows.iter().zip(&struck.closes).any(|(row, closes)| {
                let place = self.layout.gaps() + row - self.parts[0].sliders;
                let [moved, way] = [self.columns[c].now[place], s.f[0][place] * shift];
                *closes && (moved + way).abs() > ALIKE * (moved.abs() + way.abs())
            });
            if parted || open {
                self.lose(c, s.t, Gap::Together);
            }
        }
        Some(())
    }

    /// Whether the velocities that follow are those of the map whose derivative is taken.
    fn check_velocities(&mut self, s: &Sides<'_>) -> Option<()> {
        let n = self.layout.masses;
        let [mut v, w] = [0, 1].map(|i| s.y[i][n..2 * n].to_vec());
        let given = &s.given[0][0];
        if !s.after[0].strike(&s.blow, &mut v, given) {
            return None;
        }
        s.after[0].join(&mut v, given);
        let fastest = size(&v).max(size(&s.y[0][n..2 * n]));
        // What comes to rest by itself still moves by what it does in the rounding of the instant.
        let rounding = size(&s.f[0][n..2 * n]) * s.t;
        let least = EQUAL * fastest + ROUNDING * rounding;
        v.iter().zip(&w).all(|(a, b)| (a - b).abs() <= least).then_some(())
    }

    /// The derivatives with respect to number `c` after the event, whose time changes by `shift`.
    fn jump(&mut self, s: &Sides<'_>, c: usize, shift: f64) -> Option<()> {
        let layout = self.layout;
        let n = layout.masses;
        let Some(v) = self.velocities(s, c, shift) else {
            self.lose(c, s.t, Gap::Together);
            return Some(());
        };
        let [before, after] = &s.f;
        let ticked = match s.hit {
            Some(Ends::Ticks) => {
                let Some(ticked) = self.ticked(s, c, shift)? else {
                    self.lose(c, s.t, Gap::Together);
                    return Some(());
                };
                Some(ticked)
            }
            _ => None,
        };
        let column = &mut self.columns[c];
        for (i, now) in column.now.iter_mut().enumerate() {
            *now += (before[i] - after[i]) * shift;
        }
        for (i, v) in v.into_iter().enumerate() {
            column.now[n + i] = v - after[n + i] * shift;
        }
        for k in 0..layout.contacts {
            let place = layout.gaps() + k;
            // A contact that is there just now is there in the neighbouring motions when it happens to them.
            if s.begun.gap[k] == 0.0 {
                column.now[place] = -after[place] * shift;
            } else if s.hit.is_none() {
                // A bound may be elsewhere now.
                let row = &self.parts[0].rows[self.parts[0].sliders + k];
                let gap = |m: usize| s.after[m].gap(k, s.t, &s.y[1], &mut self.at.clone());
                column.now[place] = row.of_masses(&column.now[..n]) + column.rate(gap);
            }
        }
        if let Some([held, applied]) = ticked {
            column.held = held;
            column.now[layout.applied()..].copy_from_slice(&applied);
        }
        Some(())
    }

    /// Those of the velocities when it happens; nothing where what is held from now on does not have one velocity in the neighbouring
    /// motions.
    fn velocities(&self, s: &Sides<'_>, c: usize, shift: f64) -> Option<Vec<f64>> {
        let n = self.layout.masses;
        let column = &self.columns[c];
        let own = &s.after[0];
        let moved: Vec<f64> = s.given[0][1].iter().map(|a| a * shift).collect();
        let mut v: Vec<f64> = (n..2 * n).map(|i| column.now[i] + s.f[0][i] * shift).collect();
        let mut here = s.y[0][n..2 * n].to_vec();
        if !s.blow.rows.is_empty() {
            let struck: Vec<Vec<f64>> = (0..s.after.len())
                .map(|k| {
                    let mut v = here.clone();
                    s.after[k].strike(&s.blow, &mut v, &s.given[k][0]);
                    v
                })
                .collect();
            own.strike(&s.blow, &mut v, &moved);
            v.iter_mut().enumerate().for_each(|(i, v)| *v += column.rate(|k| struck[k][i]));
            here.clone_from(&struck[0]);
        }
        let joined: Vec<Vec<f64>> = (0..s.after.len())
            .map(|k| {
                let mut v = here.clone();
                s.after[k].join(&mut v, &s.given[k][0]);
                v
            })
            .collect();
        let apart = v.clone();
        own.join(&mut v, &moved);
        v.iter_mut().enumerate().for_each(|(i, v)| *v += column.rate(|k| joined[k][i]));
        let parts = size(&column.now[n..2 * n]).max(size(&s.f[0][n..2 * n]) * shift.abs());
        let size = size(&apart).max(size(&v)).max(parts);
        let one = apart.iter().zip(&v).all(|(a, b)| (a - b).abs() <= ALIKE * size);
        one.then_some(v)
    }

    /// Those of what sampled controllers remember and of the forces that they hold after a tick. Within: nothing where a controller is just
    /// at a limit, or other controllers tick in the neighbouring motions.
    fn ticked(&mut self, s: &Sides<'_>, c: usize, shift: f64) -> Option<Option<[Vec<f64>; 2]>> {
        let parts = &self.parts[0];
        let control = &s.arrived.control;
        let numbers = |k: usize, control: &Control| -> Vec<f64> {
            let ticked = control.ticked(self.parts[k].machine.controllers());
            ticked.chain(control.applied.iter().copied()).collect()
        };
        let at = &mut self.at;
        let own = s.after[0].tick(s.t, &s.y[0], control, at);
        let here = numbers(0, &own);
        if numbers(0, &s.begun.control) != here {
            return None;
        }
        let column = &self.columns[c];
        let mut aside = vec![here.clone(); s.after.len()];
        for k in column.terms.iter().flat_map(|t| [t.1, t.2]).filter(|k| *k > 0) {
            let due = self.parts[k].next_tick(control);
            let ticked = s.after[k].tick(due, &s.y[0], control, at);
            if !ticked.stands_as(&own) {
                return Some(None);
            }
            aside[k] = numbers(k, &ticked);
        }
        // What is read in steps stands still; where some controllers read so and others do not, they are not told apart here.
        let coarse = |c: &Controller| c.law.sampling.map(|s| s.quantum > 0.0);
        let coarse: Vec<bool> = parts.machine.controllers().iter().filter_map(coarse).collect();
        let still = coarse.contains(&true);
        if still && coarse.contains(&false) {
            return None;
        }
        // Along the perturbation of the state and of what is remembered, as far as a branch goes.
        let moved: Vec<f64> = column.now.iter().zip(&s.f[0]).map(|(d, f)| d + f * shift).collect();
        let reads = if still { 0.0 } else { 1.0 };
        let remembers = remembered(parts, s.arrived);
        let mut look = |by: f64| {
            let y: Vec<f64> = s.y[0].iter().zip(&moved).map(|(y, m)| y + reads * by * m).collect();
            let held: Vec<f64> =
                remembers.iter().zip(&column.held).map(|(r, d)| r + by * d).collect();
            let mut control = control.clone();
            control.set_ticked(parts.machine.controllers(), &held);
            numbers(0, &s.after[0].tick(s.t, &y, &control, at))
        };
        let largest = size(&moved).max(size(&column.held));
        let mut slopes = vec![0.0; here.len()];
        if largest > 0.0 {
            let mut by = size(&s.y[0]).max(size(&remembers)).max(1e-9) / largest;
            let found = (0..LOOKS).find_map(|_| {
                by *= FALLS;
                let [ahead, behind] = [by, -by].map(&mut look);
                let rounding = 1e-14 * size(&here).max(size(&ahead)) / by;
                let one = |i: usize| {
                    let [a, b] = [ahead[i] - here[i], here[i] - behind[i]].map(|d| d / by);
                    let alike = (a - b).abs() <= EQUAL * a.abs().max(b.abs()) + rounding;
                    alike.then_some(0.5 * (a + b))
                };
                (0..here.len()).map(one).collect::<Option<Vec<f64>>>()
            });
            let Some(found) = found else { return Some(None) };
            slopes = found;
        }
        slopes.iter_mut().enumerate().for_each(|(i, d)| *d += column.rate(|k| aside[k][i]));
        let applied = slopes.split_off(slopes.len() - self.layout.loops);
        Some(Some([slopes, applied]))
    }

    /// How the times at which summed bounces end change with number `c`.
    fn settling(
        &mut self,
        s: &Sides<'_>,
        struck: Option<&Struck>,
        c: usize,
        shift: f64,
    ) -> Option<Vec<f64>> {
        let mut settles = self.columns[c].settles.clone();
        if self.columns[c].lost {
            return Some(settles);
        }
        let summed = struck.map_or(&[][..], |struck| &struck.summed[..]);
        for (contact, status) in summed {
            let known = self.known(status, &s.begun.pieces)?;
            let modes = self.known[known].modes.clone();
            let free = looks(self.parts, &modes, &s.begun.pieces, s.t);
            let n = self.layout.masses;
            let mut bounces = s.blow.clone();
            bounces.rows.iter_mut().for_each(|row| row.2 = false);
            let row = self.parts[0].sliders + contact;
            let mut rates = s.y[0].clone();
            let at = &mut self.at;
            let mut bounce = |k: usize, t: f64, y: &[f64]| {
                let parts: &Parts = &self.parts[k];
                let [given, _] = free[k].given(t);
                let mut y = y.to_vec();
                free[k].strike(&bounces, &mut y[n..2 * n], &given);
                free[k].rates(t, &y, &mut rates, at);
                let restitution = match parts.contacts[*contact].bumper {
                    Bumper::Rigid { restitution } => restitution,
                    // Only what is rigid bounces.
                    _ => 0.0,
                };
                Bounce {
                    speed: parts.rows[row].value(&at.v, |g| at.given[g][1]),
                    back: parts.rows[row].value(&at.a, |g| at.given[g][2]).abs(),
                    restitution,
                }
            };
            let column = &self.columns[c];
            let moved: Vec<f64> =
                column.now.iter().zip(&s.f[0]).map(|(d, f)| d + f * shift).collect();
            let own = bounce(0, s.t, &s.y[0]);
            // The velocity is linear in those before: differences of it would be rounding where it is next to nothing.
            let given: Vec<f64> = free[0].given(s.t)[1].iter().map(|a| a * shift).collect();
            let mut v = moved[n..2 * n].to_vec();
            free[0].strike(&bounces, &mut v, &given);
            let speed_moves = self.parts[0].rows[row].value(&v, |g| given[g]);
            // The acceleration is not small, and a rough difference of it will do for what is so short.
            let slow = if self.fastest > 0.0 { self.fastest.recip() } else { self.end };
            let far = (size(&s.y[0]) / size(&moved)).min(slow / shift.abs());
            let by = NEARBY * far;
            let mut back_by = |by: f64| {
                let y: Vec<f64> = s.y[0].iter().zip(&moved).map(|(y, m)| y + by * m).collect();
                bounce(0, s.t + by * shift, &y).back
            };
            // Where nothing moves, `far` has no end.
            let back_moves = if by.is_finite() && by > 0.0 {
                (back_by(by) - back_by(-by)) / (2.0 * by)
            } else {
                0.0
            };
            let slope = own.length() * (speed_moves / own.speed - back_moves / own.back);
            let aside: Vec<f64> =
                (0..free.len()).map(|k| bounce(k, s.t, &s.y[0]).length()).collect();
            settles[*contact] = shift + slope + column.rate(|k| aside[k]);
        }
        Some(settles)
    }

    /// Loses what depends on whether something holds that is just at its limit.
    fn look_at_limits(&mut self, s: &Sides<'_>, phase: &[i8]) {
        let own = &s.after[0];
        let mode = own.flow.mode;
        let at = &mut self.at;
        let mut stands = (0..mode.directions.len()).any(|d| {
            let what = Ends::GivesWay(d);
            let since = &s.begun.since;
            let signs = own.signs(what, since, s.t, &s.y[1], at);
            let [margin, size] = own.guard(what, &signs, since, s.t, &s.y[1], at);
            size > 0.0 && margin <= EQUAL * size
        });
        if matches!(s.hit, Some(Ends::Rests(_))) {
            let n = self.layout.masses;
            let a = &s.f[1][n..2 * n];
            let parts = &self.parts[0];
            // What comes to rest and goes on to the other side has to be driven there.
            stands |= (0..parts.sliders).any(|e| {
                let turned = phase[e] != 0 && mode.status[e] == -phase[e];
                let row = &parts.rows[e];
                let of = |g: usize| s.given[0][1][g];
                let size: f64 = row.masses.iter().map(|(i, c)| (c * a[*i]).abs()).sum();
                turned && row.value(a, of).abs() <= EQUAL * size
            });
        }
        if stands {
            for c in 0..self.columns.len() {
                self.lose(c, s.t, Gap::AtLimit);
            }
        }
    }
}
