//! Impacts: what meets at a rigid stop.
//!
//! Impulses act along the contacts only; friction forces are bounded and have no impulse. A contact that is met at the
//! velocity u opens at −e u, one that is closed already does not close further: with W = J M⁻¹ Jᵀ the impulses p ≥ 0 are
//! those of u⁺ + e u⁻ = W p + (1 + e) u⁻ ≥ 0, each of them zero where that is positive. Contacts that are met at one instant
//! are taken together. Where they lead to other velocities when they are taken one after the other, the run says so.

use super::complementarity::Pivots;
use super::parts::{CLOSED, OPEN, Parts, Window, ZERO, speed};
use super::{Masses, System, unsuitable};
use crate::error::{Error, Obstacle};
use crate::model::Bumper;
use crate::motion::Warning;

/// A contact that was met.
#[derive(Debug, Clone, Copy)]
pub(super) struct Met {
    pub contact: usize,
    /// With which velocity it opened before, m/s.
    pub before: f64,
    /// Its impulse, N·s.
    pub impulse: f64,
}

/// What took part in an impact.
#[derive(Debug, Clone)]
pub(super) struct Struck {
    /// The rows of the contacts, and which of them were met; the others were closed.
    pub rows: Vec<usize>,
    pub closes: Vec<bool>,
    /// The contacts whose bounces are summed, with the statuses in which each of them would bounce.
    pub summed: Vec<(usize, Vec<i8>)>,
}

/// A velocity after impulses below this share of its terms is zero.
pub(super) const STAYS: f64 = 1e-12;
/// A gap below this share of the displacements that make it is closed when another contact is met.
pub(super) const TOUCHES: f64 = 1e-12;

impl System {
    /// The impacts at `t` of all contacts that close there, if any do: velocities, statuses, and the contacts that were met.
    pub(super) fn collide(
        &mut self,
        t: f64,
        window: &Window<'_>,
        state: &mut Masses,
        status: &mut [i8],
    ) -> Result<Vec<Met>, Error> {
        self.struck = None;
        let parts = self.parts.clone();
        let given: Vec<f64> = window.given.iter().map(|g| g.at(t)[1]).collect();
        let mut rows = Vec::new();
        let mut restitution = Vec::new();
        for (c, contact) in parts.contacts.iter().enumerate() {
            let Bumper::Rigid { restitution: e } = contact.bumper else { continue };
            let row = parts.sliders + c;
            let [u, size] = speed(&parts.rows[row], &state.v, &given);
            // Of the displacements that make the gap, whose rounding it has.
            let reach: f64 =
                parts.rows[row].masses.iter().map(|(i, w)| (w * state.x[*i]).abs()).sum();
            let touches = state.gap[c] <= TOUCHES * reach;
            let closes = u < -ZERO * size;
            // What is closed takes part without a restitution of its own: an impulse may come through it.
            if status[row] == CLOSED || (touches && closes) {
                rows.push(row);
                restitution.push(if closes { Some(e) } else { None });
            }
        }
        // Nothing closes: no impact.
        if restitution.iter().all(Option::is_none) {
            return Ok(Vec::new());
        }
        let before = state.clone();
        let arriving = state.v.clone();
        let mut met = self.strike(t, &rows, &restitution, &given, state)?;
        for m in &met {
            state.gap[m.contact] = 0.0;
            status[parts.sliders + m.contact] = OPEN;
            state.since[parts.sliders + m.contact] = t;
        }
        // What comes back so soon that all its bounces together are within the tolerance stays, until they would be over.
        let mut summed = Vec::new();
        for m in &met {
            let row = parts.sliders + m.contact;
            let k = rows.iter().position(|r| *r == row).unwrap_or(0);
            let e = restitution[k].unwrap_or(0.0);
            let [u, size] = speed(&parts.rows[row], &state.v, &given);
            // As if the contact were open: where it would be pressed on, the acceleration is towards the bound.
            let (a, free) = self.opening(t, window, state, status, row)?;
            let rise = 0.5 * u * u / a.abs();
            let reach =
                parts.rows[row].masses.iter().fold(0.0, |r: f64, (i, _)| r.max(state.x[*i].abs()));
            let tolerance = self.options.atol + self.options.rtol * reach;
            // Bodies that move on together are apart by what each of them does in the rounding of the time.
            let unknown = RESOLUTION * t.abs() * size;
            if e > 0.0 && e < 1.0 && a < 0.0 && rise <= (SUMMED * tolerance).max(unknown) {
                restitution[k] = Some(0.0);
                // The bounces take 2u/a, 2eu/a, …: a geometric series.
                state.settles[m.contact] = t + 2.0 * u / (a.abs() * (1.0 - e));
                summed.push((m.contact, free));
            }
        }
        if !summed.is_empty() {
            let settles = state.settles.clone();
            // Once more from before the impact, with those contacts as if they had no restitution; what else
            // was met bounces as before.
            *state = Masses { settles, ..before };
            met = self.strike(t, &rows, &restitution, &given, state)?;
            met.iter().for_each(|m| state.gap[m.contact] = 0.0);
        }
        let met_at_once = AtOnce { rows: &rows, restitution: &restitution, given: &given };
        if self.order_decides(&met_at_once, &arriving, &state.v) {
            let name = |row: &usize| {
                parts.machine.stops()[parts.contacts[row - parts.sliders].stop].name.to_string()
            };
            let mut stops: Vec<String> = rows.iter().map(name).collect();
            stops.dedup();
            self.warnings.push(Warning::ImpactsTogether { stops, time: t });
        }
        for (k, &row) in rows.iter().enumerate() {
            let [u, size] = speed(&parts.rows[row], &state.v, &given);
            // What was to stay has rounding for a velocity, whichever way that points.
            let stays = u <= STAYS * size || restitution[k] == Some(0.0);
            if (status[row] == CLOSED) != stays || restitution[k].is_some() {
                state.since[row] = t;
            }
            status[row] = if stays { CLOSED } else { OPEN };
        }
        self.rub(t, &given, state, status);
        let closes = restitution.iter().map(Option::is_some).collect();
        self.struck = Some(Struck { rows, closes, summed });
        Ok(met)
    }

    /// What the impulses do to sliders: those that are torn from rest or turned slip from now on.
    fn rub(&self, t: f64, given: &[f64], state: &mut Masses, status: &mut [i8]) {
        for e in 0..self.parts.sliders {
            let [w, size] = speed(&self.parts.rows[e], &state.v, given);
            let now = match w.abs() > STAYS * size {
                true if w > 0.0 => 1,
                true => -1,
                false if self.parts.memory(e).is_some() => status[e],
                false => 0,
            };
            if now != status[e] {
                status[e] = now;
                state.since[e] = t;
            }
        }
    }

    /// The impulses of these rows at `t` (s), of which those with a restitution are met.
    ///
    /// # Errors
    /// As [`Parts::strike`].
    fn strike(
        &self,
        t: f64,
        rows: &[usize],
        restitution: &[Option<f64>],
        given: &[f64],
        state: &mut Masses,
    ) -> Result<Vec<Met>, Error> {
        let all = self.parts.strike(t, rows, restitution, given, &mut state.v)?;
        let met = all.into_iter().zip(restitution).filter(|(_, e)| e.is_some());
        Ok(met.map(|(met, _)| met).collect())
    }

    /// Whether contacts that are met at once, of masses that arrive with some velocities and leave with `leaving` (m/s), lead
    /// elsewhere when they are taken one after the other, from the first on or from the last on.
    fn order_decides(&self, met: &AtOnce<'_>, arriving: &[f64], leaving: &[f64]) -> bool {
        let count = met.rows.len();
        if count < 2 {
            return false;
        }
        let size = arriving.iter().chain(met.given).fold(0.0, |m: f64, v| m.max(v.abs()));
        let first: Vec<usize> = (0..count).collect();
        let last: Vec<usize> = (0..count).rev().collect();
        [first, last].iter().any(|order| {
            let found = self.one_by_one(met, order, arriving.to_vec(), ELSEWHERE * size);
            found.iter().zip(leaving).any(|(a, b)| (a - b).abs() > SQUEEZED * size)
        })
    }

    /// The velocities after these impacts, taken one by one: always the first one of `order` that still closes, by more than
    /// `least` (m/s).
    fn one_by_one(
        &self,
        met: &AtOnce<'_>,
        order: &[usize],
        mut v: Vec<f64>,
        least: f64,
    ) -> Vec<f64> {
        let parts = &self.parts;
        let n = parts.masses();
        let count = met.rows.len();
        let compliance = parts.compliance(met.rows);
        for _ in 0..MOST_BLOWS * count {
            let closing = |k: &&usize| speed(&parts.rows[met.rows[**k]], &v, met.given)[0];
            let Some(&k) = order.iter().find(|k| closing(k) < -least) else { break };
            let p = -(1.0 + met.restitution[k].unwrap_or(0.0)) * closing(&&k)
                / compliance[k * count + k];
            for (j, c) in &parts.rows[met.rows[k]].masses {
                for i in 0..n {
                    v[i] += parts.inverse[i * n + j] * c * p;
                }
            }
        }
        v
    }

    /// The acceleration with which `row` opens in these statuses, m/s², and the statuses in which it does.
    fn opening(
        &mut self,
        t: f64,
        window: &Window<'_>,
        state: &Masses,
        status: &[i8],
        row: usize,
    ) -> Result<(f64, Vec<i8>), Error> {
        let mut state = state.clone();
        let mut status = status.to_vec();
        let given: Vec<f64> = window.given.iter().map(|g| g.at(t)[1]).collect();
        self.rub(t, &given, &mut state, &mut status);
        self.decide(t, window, &mut state, &mut status)?;
        let at = self.look(t, window, &state, &status)?;
        Ok((self.parts.rows[row].value(&at.a, |g| at.given[g][2]), status))
    }
}

impl Parts {
    /// The impulses of these rows at `t` (s) on masses that move at `v`, which they change: those with a restitution are met,
    /// the others are closed.
    ///
    /// # Errors
    /// If no velocities keep within all bounds, as where a wall pushes masses against another one.
    pub(super) fn strike(
        &self,
        t: f64,
        rows: &[usize],
        restitution: &[Option<f64>],
        given: &[f64],
        v: &mut [f64],
    ) -> Result<Vec<Met>, Error> {
        let mut strike = Strike::default();
        self.strike_in(t, rows, restitution, given, v, &mut strike)?;
        Ok(strike.met)
    }

    /// The same, with what was met in `strike`, for whoever strikes again and again.
    ///
    /// # Errors
    /// As [`strike`](Self::strike).
    pub(super) fn strike_in(
        &self,
        t: f64,
        rows: &[usize],
        restitution: &[Option<f64>],
        given: &[f64],
        v: &mut [f64],
        strike: &mut Strike,
    ) -> Result<(), Error> {
        let Strike { speeds, q, limits, compliance, pivots, met } = strike;
        speeds.clear();
        speeds.extend(rows.iter().map(|r| speed(&self.rows[*r], v, given)[0]));
        let wanted = speeds.iter().zip(restitution);
        // Of a contact that is closed u⁻ is zero but for rounding.
        q.clear();
        q.extend(wanted.map(|(u, e)| e.map_or(0.0, |e| (1.0 + e) * u)));
        limits.clear();
        limits.resize(rows.len(), [0.0, f64::INFINITY]);
        compliance.clear();
        for e in rows {
            compliance.extend(rows.iter().map(|f| self.compliance_of(*e, *f)));
        }
        if !pivots.solve(compliance, q, limits) {
            return Err(unsuitable(Obstacle::NoImpulse));
        }
        let p = &pivots.lambda;
        let n = self.masses();
        for (row, p) in rows.iter().zip(p) {
            for (j, c) in &self.rows[*row].masses {
                for i in 0..n {
                    v[i] += self.inverse[i * n + j] * c * p;
                }
            }
        }
        let size = speeds.iter().fold(0.0, |m: f64, u| m.max(u.abs()));
        for (k, row) in rows.iter().enumerate() {
            let [after, terms] = speed(&self.rows[*row], v, given);
            // One that was met comes back; one that is closed keeps what it had, which in a step is not quite zero.
            let least = restitution[k].map_or(speeds[k], |e| -e * speeds[k]);
            // Two velocities that differ by rounding only leave nothing that could be taken away.
            if after - least < -SQUEEZED * size - STAYS * terms - f64::MIN_POSITIVE {
                let stop = self.contacts[row - self.sliders].stop;
                let stop = self.machine.stops()[stop].name.to_string();
                return Err(unsuitable(Obstacle::Squeezed { stop, time: t }));
            }
        }
        let of = |(k, row): (usize, &usize)| Met {
            contact: row - self.sliders,
            before: speeds[k],
            impulse: p[k],
        };
        met.clear();
        met.extend(rows.iter().enumerate().map(of));
        Ok(())
    }
}

/// What was met, and what that follows from.
#[derive(Debug, Clone, Default)]
pub(super) struct Strike {
    /// With which velocity each row opens before, m/s, and how much of it is to be taken away.
    speeds: Vec<f64>,
    q: Vec<f64>,
    limits: Vec<[f64; 2]>,
    compliance: Vec<f64>,
    pivots: Pivots,
    pub met: Vec<Met>,
}

/// Contacts that are met at one instant.
struct AtOnce<'a> {
    rows: &'a [usize],
    /// Nothing of those that were closed already.
    restitution: &'a [Option<f64>],
    given: &'a [f64],
}

/// Blows of one contact after which a sequence is cut: plastic ones come to an end only in the limit.
const MOST_BLOWS: usize = 200;
/// The share of the greatest velocity below which a contact does not close any further.
const ELSEWHERE: f64 = 1e-10;

/// Impulses are found to 1e-10 and better: a velocity that passes a bound by more than this share of the greatest with which
/// contacts were met cannot be taken away.
const SQUEEZED: f64 = 1e-6;

/// What a bounce that is no longer followed rises, over the tolerance of a displacement.
pub(super) const SUMMED: f64 = 1e-2;
/// The rounding of an instant, over the time.
const RESOLUTION: f64 = 8.0 * f64::EPSILON;
