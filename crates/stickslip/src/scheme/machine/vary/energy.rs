//! How the energies of a motion change with its numbers: the powers and what they change by along the derivative of the state, integrated with
//! it, and at events what impulses take and what a later event adds or leaves out.

use super::super::energy::{Powers, powers, stored};
use super::events::Sides;
use super::look::{Blow, Look};
use super::slopes::Slopes;
use super::{Walk, looks, steps};
use crate::model::Bumper;
use crate::motion::{Energy, gauss_each, gauss_times};
use crate::numeric::invert;
use crate::scheme::machine::System;
use crate::scheme::machine::flow::{Instant, stretch};
use crate::scheme::machine::parts::Place;
use crate::scheme::protocol::Begins;

/// Work, gross work, friction, what dampers take, and what goes into stops.
const POWERS: usize = 5;
/// Where a step looks for a power that changes its sign, and the halvings that find where.
const LOOKS: usize = 8;
const HALVINGS: usize = 60;

/// Energies of a motion.
pub(super) const TERMS: usize = 7;

/// Energies with these derivatives: of work, gross work, kinetic and elastic energy, friction, dampers and impacts.
pub(super) fn of(
    [work, gross_work, kinetic, elastic, friction, viscous, impacts]: [f64; TERMS],
) -> Energy {
    Energy { work, gross_work, kinetic, elastic, friction, viscous, impacts, ..Energy::default() }
}

/// The derivatives of the energies with respect to a number.
#[derive(Debug, Clone, Default)]
pub(super) struct Budget {
    /// Of what is integrated.
    powers: [f64; POWERS],
    /// Of what impulses take, and of what they are given by what is led.
    impacts: f64,
    given: f64,
    /// Of what is stored in motion, in springs and in soft stops, at the start and at the end.
    stored: [[f64; 3]; 2],
}

impl Budget {
    /// As the energies of a motion.
    pub fn energy(&self) -> Energy {
        let [work, gross_work, friction, viscous, stops] = self.powers;
        let [kinetic, elastic, soft] = [0, 1, 2].map(|i| self.stored[1][i] - self.stored[0][i]);
        // What soft stops store is elastic; of all that goes into them impacts keep what is lost.
        let [elastic, impacts] = [elastic + soft, self.impacts + stops - soft];
        of([work + self.given, gross_work, kinetic, elastic, friction, viscous, impacts])
    }
}

impl Look<'_> {
    /// The powers in the state `y` at `t` (s).
    fn powers(&self, since: &[f64], t: f64, y: &[f64], at: &mut Instant) -> [f64; POWERS] {
        self.show(t, y, at);
        self.flow.dynamics(t, at);
        let mut forces = vec![0.0; self.flow.parts.rows.len()];
        self.flow.row_forces(t, since, at, &mut forces);
        let Powers { work, friction, viscous, stops } = powers(&self.flow, t, at, &forces);
        [work, work.abs(), friction, viscous, stops]
    }

    /// What is stored in the state `y` at `t` (s).
    fn stored(&self, t: f64, y: &[f64], at: &mut Instant) -> [f64; 3] {
        self.show(t, y, at);
        stored(self.flow.parts, &self.flow.mode.status, at)
    }

    /// What the impulses of an impact take from masses that arrive with the velocities `v` where what is given moves at `given`, and what
    /// they are given by what is led.
    fn taken(&self, blow: &Blow, v: &[f64], given: &[f64]) -> [f64; 2] {
        let parts = self.flow.parts;
        let rows: Vec<usize> = blow.rows.iter().map(|r| r.0).collect();
        let m = rows.len();
        let Some(inverse) = invert(parts.compliance(&rows), m) else { return [f64::NAN; 2] };
        let mut after = v.to_vec();
        self.strike(blow, &mut after, given);
        let closing = |i: usize| -> f64 {
            let (row, met, summed) = blow.rows[i];
            let u = parts.rows[row].value(v, |g| given[g]);
            match parts.contacts[row - parts.sliders].bumper {
                Bumper::Rigid { restitution } if met && !summed => (1.0 + restitution) * u,
                _ => u,
            }
        };
        let [mut impacts, mut work] = [0.0; 2];
        for (i, row) in rows.iter().enumerate() {
            let impulse: f64 = (0..m).map(|j| -inverse[i * m + j] * closing(j)).sum();
            let contact = parts.contacts[row - parts.sliders];
            let ends = parts.machine.stops()[contact.stop].between();
            let speed = |v: &[f64]| {
                let node = |i: usize| match parts.places[i] {
                    Place::With(k, ratio) => ratio * v[k],
                    Place::Led(g, ratio) => ratio * given[g],
                };
                let nodes: Vec<f64> = (0..parts.places.len()).map(node).collect();
                contact.side * stretch(&nodes, ends)
            };
            // An impulse p changes the kinetic energy by p times the mean of the velocities before and after.
            impacts -= 0.5 * impulse * (speed(v) + speed(&after));
            for (end, sign) in ends.into_iter().zip([1.0, -1.0]) {
                if let Some(Place::Led(g, ratio)) = end.map(|i| parts.places[i]) {
                    work -= sign * contact.side * impulse * ratio * given[g];
                }
            }
        }
        [impacts, work]
    }
}

impl Walk<'_> {
    /// Notes what is stored at the start of the run, or at its end, at `t` (s), if energies are asked for. Nothing where numbers change what
    /// is held.
    pub(super) fn store(&mut self, (state, phase): &Begins<System>, t: f64) -> Option<()> {
        if !self.spends {
            return Some(());
        }
        let known = self.known(phase, &state.pieces)?;
        let modes = self.known[known].modes.clone();
        let looks = looks(self.parts, &modes, &state.pieces, t);
        let y = &self.layout.pack(state)[..];
        let at = &mut self.at;
        let aside: Vec<[f64; 3]> = looks.iter().map(|look| look.stored(t, y, at)).collect();
        for column in self.columns.iter_mut().filter(|c| !c.lost) {
            let mut slopes = Slopes::new(3, extent(y, &column.now));
            let along = slopes.at(|by, out| {
                out.copy_from_slice(&looks[0].stored(t, &moved(y, &column.now, by), at));
            });
            let stored = std::array::from_fn(|i| along[i] + column.rate(|k| aside[k][i]));
            column.energy.stored[usize::from(t > 0.0)] = stored;
        }
        Some(())
    }

    /// Adds what a step of `h` (s) from `t` (s) brings, which is in the rooms; `own` tells the state of the motion.
    pub(super) fn gather(
        &mut self,
        looks: &[Look<'_>],
        since: &[f64],
        own: &mut dyn FnMut(f64, &mut Vec<f64>),
        [t, h]: [f64; 2],
    ) {
        let mut y = Vec::new();
        let mut work = |theta: f64, at: &mut Instant| {
            own(t + theta * h, &mut y);
            looks[0].powers(since, t + theta * h, &y, at)[0]
        };
        // Gross work has a kink where the power of the loads changes its sign.
        let mut ends = vec![0.0];
        let mut before = work(0.0, &mut self.at);
        for k in 0..LOOKS {
            let [mut a, mut b] = [k, k + 1].map(|k| k as f64 / LOOKS as f64);
            let after = work(b, &mut self.at);
            if before * after < 0.0 {
                for _ in 0..HALVINGS {
                    let middle = 0.5 * (a + b);
                    if before * work(middle, &mut self.at) > 0.0 { a = middle } else { b = middle }
                }
                ends.push(0.5 * (a + b));
            }
            before = after;
        }
        ends.push(1.0);
        let mut delta = vec![0.0; self.layout.size()];
        for ends in ends.windows(2) {
            let thetas = gauss_times(ends[0], ends[1]);
            let mut rates = vec![[[0.0; POWERS]; 8]; self.columns.len()];
            for (k, theta) in thetas.iter().enumerate() {
                let time = t + theta * h;
                own(time, &mut y);
                let at = &mut self.at;
                let all: Vec<[f64; POWERS]> =
                    looks.iter().map(|look| look.powers(since, time, &y, at)).collect();
                for (c, column) in self.columns.iter().enumerate().filter(|(_, c)| !c.lost) {
                    steps::within(&self.rooms[c], h, *theta, &mut delta);
                    let mut slopes = Slopes::new(POWERS, extent(&y, &delta));
                    let along = slopes.at(|by, out| {
                        let y = moved(&y, &delta, by);
                        out.copy_from_slice(&looks[0].powers(since, time, &y, at));
                    });
                    for (i, rate) in rates[c][k].iter_mut().enumerate() {
                        *rate = along[i] + column.rate(|k| all[k][i]);
                    }
                    // The kink is not differenced: the power is of one sign here.
                    rates[c][k][1] = all[0][0].signum() * rates[c][k][0];
                }
            }
            for (column, rates) in self.columns.iter_mut().zip(&rates).filter(|(c, _)| !c.lost) {
                let sums = gauss_each(ends[0], ends[1], |k| rates[k]);
                column.energy.powers.iter_mut().zip(sums).for_each(|(p, sum)| *p += h * sum);
            }
        }
    }

    /// What the event does whose time changes by `shifts`.
    pub(super) fn spend(&mut self, s: &Sides<'_>, shifts: &[f64]) {
        let at = &mut self.at;
        let [before, after] = [
            s.before[0].powers(s.since, s.t, &s.y[0], at),
            s.after[0].powers(&s.begun.since, s.t, &s.y[1], at),
        ];
        let n = self.layout.masses;
        let v = &s.y[0][n..2 * n];
        let struck = !s.blow.rows.is_empty();
        let taken = |k: usize| s.after[k].taken(&s.blow, v, &s.given[k][0]);
        let aside: Vec<[f64; 2]> =
            if struck { (0..s.after.len()).map(taken).collect() } else { Vec::new() };
        for (column, shift) in self.columns.iter_mut().zip(shifts).filter(|(c, _)| !c.lost) {
            for (i, power) in column.energy.powers.iter_mut().enumerate() {
                *power += (before[i] - after[i]) * shift;
            }
            if !struck {
                continue;
            }
            let arrives: Vec<f64> = (n..2 * n).map(|i| column.now[i] + s.f[0][i] * shift).collect();
            let given: Vec<f64> = s.given[0][1].iter().map(|a| a * shift).collect();
            let size = extent(v, &arrives).max(extent(&s.given[0][0], &given));
            let mut slopes = Slopes::new(2, size);
            let along = slopes.at(|by, out| {
                let given = moved(&s.given[0][0], &given, by);
                let v = moved(v, &arrives, by);
                out.copy_from_slice(&s.after[0].taken(&s.blow, &v, &given));
            });
            column.energy.impacts += along[0] + column.rate(|k| aside[k][0]);
            column.energy.given += along[1] + column.rate(|k| aside[k][1]);
        }
    }
}

/// `y` moved by so many times `delta`.
fn moved(y: &[f64], delta: &[f64], by: f64) -> Vec<f64> {
    y.iter().zip(delta).map(|(y, d)| y + by * d).collect()
}

/// How far `y` may be moved by `delta` until it is another one of its size.
fn extent(y: &[f64], delta: &[f64]) -> f64 {
    let size = |list: &[f64]| list.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let [y, delta] = [size(y), size(delta)];
    if delta > 0.0 && y > 0.0 { y / delta } else { 0.0 }
}
