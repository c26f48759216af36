//! A model that nothing drives, as a map of its state from one return to a section to the next.
//!
//! The section is where the velocity of a mass becomes positive: there its displacement is least. Every orbit on which the mass moves
//! comes through it. With the state u, its derivative f = u̇ at the return, and a the acceleration of the mass there, the time of the
//! return varies by δτ = −δv/a, so that the derivative of the map is
//!
//! ```text
//! P′ = Φ − f (row v of Φ)/a,     Φ the derivative at a fixed time
//! ```
//!
//! A shift in time along the motion changes nothing: one eigenvalue of P′ is 0, and the others are the multipliers.

use super::extremes::crossing;
use super::forced::{Forced, Moving};
use super::local::Local;
use super::passage::{Method, Passage, last, passage, path, starting_at};
use super::unit::{NOTHING_BRINGS_IT_BACK, unit};
use crate::error::Error;
use crate::model::machine::Rule;
use crate::model::{Model, Network};
use crate::motion::{Motion, Path, Phase, State};
use crate::numeric::Matrix;
use std::f64::consts::TAU;

/// Units of time within which a motion must return, for each of its returns.
const LONGEST: f64 = 100.0;
/// Parts into which an arc of an oscillator is divided, and one of a network, which are shorter.
const PARTS: (usize, usize) = (64, 6);
/// Motions smaller than this, relative to typical sizes, do not count.
const STILL: f64 = 1e-7;

impl Forced {
    /// `model`, which nothing drives, from one return to its section to the next.
    ///
    /// # Errors
    /// As [`Forced::new`]; and if the model has no spring, or no mass of a network can be looked at.
    pub fn by_itself(model: &Model, method: Method) -> Result<Self, Error> {
        let none = |reason: &str| Err(Error::NoOrbit { reason: reason.into() });
        let unit = match model {
            Model::Oscillator(o) => unit(o).unwrap_or_default(),
            Model::Network(n) => {
                let springs = n.springs().iter().map(|s| s.coefficient);
                slowest(n, springs)
            }
            Model::Machine(m) if m.controllers().iter().any(|c| c.law.sampling.is_some()) => {
                return none(
                    "nothing drives the machine, and one of its controllers is sampled: its cycles need not be whole numbers of \
                     ticks; `hunt` says what such a loop comes to",
                );
            }
            Model::Machine(m) => {
                let springs = m.network().springs().iter().map(|s| s.coefficient);
                let curved = m.springs().iter().map(|s| s.curve.slope());
                let loops = m.controllers().iter().map(|c| match &c.law.rule {
                    Rule::Pid(gains) => gains.proportional,
                    Rule::StateSpace(_) => 0.0,
                });
                slowest(m.network(), springs.chain(curved).chain(loops))
            }
            _ => 1.0,
        };
        if !(unit > 0.0 && unit.is_finite()) {
            return none(NOTHING_BRINGS_IT_BACK);
        }
        let mut forced = Self::new(model, unit, method)?;
        forced.section = Some(1);
        let turning = match &forced.model {
            Moving::Oscillator(_) => return Ok(forced),
            Moving::Network(mesh) => mesh.turning(),
            Moving::Machine(engine) => engine.turning(),
        };
        let Some(row) = turning else {
            if matches!(model, Model::Machine(m) if !m.controllers().is_empty()) {
                return none(
                    "nothing drives the loop, and each of its masses may come to rest, so that no section is known to which its \
                     motions return; `hunt` says what such a loop comes to",
                );
            }
            return none(
                "nothing drives the network, and each of its masses has a contact with the ground, where it may rest, so that no \
                 section is known to which its motions return",
            );
        };
        forced.section = Some(row);
        Ok(forced)
    }

    /// When the motion from `u` comes to the section for the `count`-th time, s.
    pub(super) fn returns_at(&self, u: &[f64], row: usize, count: usize) -> Result<f64, Error> {
        let mut window = 2.0;
        let most = LONGEST * count.max(1) as f64;
        window *= count as f64;
        loop {
            let time = self.period * window;
            let found = match &self.model {
                Moving::Oscillator(o) => {
                    let path = path(&starting_at(o, u), 0.0, time, self.method)?;
                    turn(&path, |s: State| s.v, PARTS.0, count)
                }
                Moving::Machine(engine) => engine.turn(u, time, row, count)?,
                Moving::Network(mesh) => {
                    let node = mesh.layout.velocities[row - mesh.layout.displacements.len()];
                    turn(&mesh.path(u, time)?, |s| s.v[node], PARTS.1, count)
                }
            };
            match found {
                Some(t) => return Ok(t),
                None if window < most => window = (2.0 * window).min(most),
                None => {
                    let reason =
                        "nothing drives the model, and its motion comes to rest or slides steadily";
                    return Err(Error::NoOrbit { reason: reason.into() });
                }
            }
        }
    }

    /// The passage from `u` until the `count`-th return.
    pub(super) fn returned(&self, u: &[f64], row: usize, count: usize) -> Result<Passage, Error> {
        let time = self.returns_at(u, row, count)?;
        let (mut p, flow) = match &self.model {
            Moving::Oscillator(o) => {
                let p = passage(o, u, time, self.method)?;
                let State { x, v } = last(&p.path);
                let side = p.path.phase(time).sign();
                let local = Local::new(o, time, x).moving(x, v);
                let a = local.acceleration(side, time, x, v);
                let mut flow = vec![v, if p.path.phase(time) == Phase::Stick { 0.0 } else { a }];
                flow.resize(u.len(), 0.0);
                (p, flow)
            }
            Moving::Machine(engine) => {
                let p = engine.passage(u, time, &self.scale)?;
                let flow = p.machine.as_ref().and_then(|m| engine.flow(&m.path));
                (p, flow.unwrap_or_default())
            }
            Moving::Network(mesh) => {
                let p = mesh.passage(u, time)?;
                let flow = p.network.as_ref().and_then(|n| mesh.flow(&n.path));
                (p, flow.unwrap_or_default())
            }
        };
        let a = flow.get(row).copied().unwrap_or(0.0);
        if a <= 0.0 {
            let reason = "nothing drives the model, and its motion touches rest";
            return Err(Error::NoOrbit { reason: reason.into() });
        }
        let all = &p.jacobian;
        let shifted = |i: usize, j: usize| all.at(i, j) - flow[i] / a * all.at(row, j);
        p.jacobian = Matrix::from_fn(u.len(), |i, j| if i == row { 0.0 } else { shifted(i, j) });
        p.end[row] = 0.0;
        Ok(p)
    }

    /// Whether a passage is a motion at all, and not a rest that rounding disturbs.
    pub(super) fn moves(&self, p: &Passage) -> bool {
        if self.section.is_none() {
            return true;
        }
        if let (Moving::Machine(engine), Some(m), Some(row)) =
            (&self.model, &p.machine, self.section)
        {
            return engine.way(&m.path, row) > STILL * self.scale[0];
        }
        let (start, end) = p.span();
        let place = |t: f64| match (&self.model, &p.network, self.section) {
            (Moving::Network(mesh), Some(n), Some(row)) => {
                n.path.state(t).x[mesh.layout.velocities[row - mesh.layout.displacements.len()]]
            }
            _ => p.displacement(t),
        };
        let at = |i: usize| place(start + (end - start) * (i as f64 / 16.0));
        let (low, high) = (0..16)
            .map(at)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        high - low > STILL * self.scale[0]
    }
}

/// The period of the heaviest mass on the softest of these stiffnesses (N/m), s.
fn slowest(n: &Network, stiffnesses: impl Iterator<Item = f64>) -> f64 {
    let masses = n.nodes().iter().map(|n| n.mass).filter(|m| *m > 0.0);
    let mass = masses.fold(0.0, f64::max);
    let soft = stiffnesses.filter(|k| *k > 0.0).fold(f64::INFINITY, f64::min);
    TAU * (mass / soft).sqrt()
}

/// When a velocity becomes positive for the `count`-th time, having been positive before.
fn turn<M: Motion>(
    path: &Path<M>,
    velocity: impl Fn(M::State) -> f64,
    parts: usize,
    count: usize,
) -> Option<f64> {
    let mut armed = false;
    let mut seen = 0;
    for s in path.segments() {
        let at = |i: usize| s.start + (s.end - s.start) * (i as f64 / parts as f64);
        let v = |t: f64| velocity(s.arc.state(t));
        let mut before = v(s.start);
        for i in 1..=parts {
            let now = v(at(i));
            armed |= before > 0.0;
            if before <= 0.0 && now > 0.0 && armed {
                seen += 1;
                if seen == count {
                    // Of −0 the sign would be lost.
                    return Some(crossing(
                        |t| if v(t) > 0.0 { 1.0 } else { -1.0 },
                        at(i - 1),
                        at(i),
                    ));
                }
            }
            before = now;
        }
    }
    None
}
