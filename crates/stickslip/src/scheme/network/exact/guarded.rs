//! A network that somebody else integrates: what moves it, how far it is from its next event, and what comes then.

use super::mode::{At, Mode, Series};
use super::parts::Parts;
use super::{Settle, System, require_closed_form};
use crate::error::Error;
use crate::model::{Inlet, Network};
use crate::motion::{Event, NetworkState, Phase};
use crate::scheme::network::convex_step::Kinematics;
use std::sync::Arc;

/// What is added to a guard, relative to what it compares: a phase that begins at a zero of its own guard does not end
/// there.
const BLUR: f64 = 1e-12;

/// Order of the series that have velocities, accelerations and forces.
const RATES: usize = 2;

/// A network in the hands of another integrator: it says how fast everything changes in the present phases, how far each
/// slider is from the end of its phase, and, at an event, which phases come next. A copy goes on like the original.
///
/// The signals of the network must be smooth where it is used: see [`Loads`](crate::model::Loads), which cuts them into
/// smooth pieces, and [`change`](Self::change).
///
/// ```
/// use stickslip::{Signal, model::Network, scheme::network::Guarded};
/// # fn main() -> Result<(), stickslip::Error> {
/// let n = Network::builder()
///     .node("a", 2.0)
///     .slider("s", "a", "ground", 1.0, 1.0)
///     .force("a", Signal::ramp(1.0, 0.0))
///     .build()?;
/// let (mut guarded, mut guards) = (Guarded::new(&n)?, [0.0; 2]);
/// guarded.set(0.75, &[0.0], &[0.0]);
/// guarded.guards(&mut guards);
/// assert!((guards[0] - 0.25).abs() < 1e-11); // 1 N less the load of 0.75 N
/// guarded.set(1.5, &[0.0], &[0.0]);
/// guarded.next(&mut Vec::new())?;
/// assert_eq!(guarded.rates().a[0], 0.25); // (1.5 N − 1 N)/2 kg
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Guarded {
    system: System,
    time: f64,
    /// Where the nodes and the ground are, as the integrator has them.
    state: Kinematics,
    /// The motion about this instant.
    series: Series,
}

/// How fast everything changes, or how that goes with a [`Quantity`].
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Rates {
    /// ẋ of each node, m/s.
    pub v: Vec<f64>,
    /// ẍ of each node, m/s²; of one without mass whatever follows.
    pub a: Vec<f64>,
    /// Friction of each slider on its first end, N.
    pub friction: Vec<f64>,
    /// Power lost in sliders and dashpots, W.
    pub lost: f64,
}

/// What the motion depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Quantity {
    /// The displacement of this node, m.
    Displacement(usize),
    /// The velocity of this node, m/s.
    Velocity(usize),
    /// What is added at an inlet.
    Load {
        /// Which.
        inlet: Inlet,
        /// By how much its value goes with the quantity.
        value: f64,
        /// By how much its rate does.
        rate: f64,
    },
}

impl Guarded {
    /// The network at t = 0, nodes without mass in balance.
    ///
    /// # Errors
    /// As [`exact`](super::solve) at its start.
    pub fn new(network: &Network) -> Result<Self, Error> {
        require_closed_form(network)?;
        // Only the other integrator knows when the run ends.
        let parts = Arc::new(Parts::new(network, f64::MAX)?);
        let (system, state) = System::start(parts.clone(), 0.0, Kinematics::at_start(network))?;
        let mut guarded = Self { system, time: 0.0, state, series: Series::new(&parts) };
        guarded.look();
        Ok(guarded)
    }

    /// Puts the nodes to `x` (m) and `v` (m/s) at `t` (s). Prescribed nodes are where they are prescribed to be, and
    /// velocities of nodes without mass follow from the forces.
    pub fn set(&mut self, t: f64, x: &[f64], v: &[f64]) {
        self.time = t;
        let nodes = self.system.parts.ground;
        self.state.x[..nodes].copy_from_slice(&x[..nodes]);
        self.state.v[..nodes].copy_from_slice(&v[..nodes]);
        self.system.take_given(t, &mut self.state);
        self.look();
    }

    /// Puts it into phases that it was in before: [`signs`](Self::signs).
    ///
    /// # Errors
    /// If these are not phases of this network.
    pub fn set_signs(&mut self, signs: &[i8]) -> Result<(), Error> {
        let parts = self.system.parts.clone();
        let known = signs.len() == parts.contacts.len() && signs.iter().all(|s| s.abs() <= 1);
        if !known {
            return Err(Error::BadState { reason: "these are not phases of this network".into() });
        }
        let held = vec![false; signs.len()];
        self.system.mode = Arc::new(Mode::new(parts, signs.to_vec(), &held, self.time)?);
        self.look();
        Ok(())
    }

    /// Takes the signals of `network`, which is otherwise the same; every phase stays.
    ///
    /// # Errors
    /// If a signal is not known in closed form, or a prescribed motion jumps.
    pub fn change(&mut self, network: &Network) -> Result<(), Error> {
        let parts = Arc::new(Parts::new(network, f64::MAX)?);
        // The phases stay, but prescribed nodes that moved alike may do so no longer, and then clusters change.
        self.system.mode = Arc::new(self.system.mode.under(parts.clone(), self.time)?);
        self.system.settle = Settle::new(&parts);
        self.system.parts = parts;
        self.system.take_given(self.time, &mut self.state);
        self.look();
        Ok(())
    }

    /// The motion about the present instant, in the present phases.
    fn look(&mut self) {
        let Kinematics { x, v } = &self.state;
        let exact = vec![0.0; x.len()];
        // The integrator's velocities drift apart within its tolerance; what sticks together gets one velocity.
        let v = &self.system.mode.join(v, &exact).velocity;
        let from = At { t: self.time, x, v, noise: &exact };
        self.system.mode.fill(from, RATES, &mut self.series);
    }

    /// Where it is, s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// What every slider does: 0 sticks, ±1 slips that way.
    pub fn signs(&self) -> &[i8] {
        &self.system.mode.signs
    }

    /// The same in words.
    pub fn phases(&self) -> Vec<Phase> {
        self.signs().iter().map(|s| Phase::of_sign(*s)).collect()
    }

    /// How fast everything changes in the present phases. What sticks together has one velocity.
    pub fn rates(&self) -> Rates {
        self.rates_of(&self.series)
    }

    fn rates_of(&self, s: &Series) -> Rates {
        let parts = &*self.system.parts;
        let mode = &*self.system.mode;
        let v = |i: usize| s.x[i].0[1];
        let mut lambda: Vec<f64> = s.lambda.iter().map(|l| l.0[0]).collect();
        let rubbed: f64 =
            parts.contacts.iter().zip(&lambda).map(|(c, l)| l * (v(c.a) - v(c.b))).sum();
        let damped: f64 =
            parts.dashpots.iter().map(|d| d.coefficient * (v(d.a) - v(d.b)).powi(2)).sum();
        // Only after the power has been summed: loops share the forces in another way, at the same slip of zero.
        mode.share(&mut lambda, |e| self.series.normal[e].0[0].max(0.0));
        Rates {
            v: (0..parts.ground).map(v).collect(),
            a: (0..parts.ground).map(|i| 2.0 * s.x[i].0[2]).collect(),
            friction: lambda.iter().map(|l| 0.0 - l).collect(),
            lost: rubbed + damped,
        }
    }

    /// Displacements, velocities and friction, as a cursor shows them.
    pub fn state(&self) -> NetworkState {
        let Rates { v, friction, .. } = self.rates();
        let x = self.series.x[..self.system.parts.ground].iter().map(|x| x.0[0]).collect();
        NetworkState { x, v, friction }
    }

    /// Two guards for each slider: in slip its velocity in the direction of the slip and 1, in stick how far the load is
    /// from the limit ahead and back. Sliders that can only give way together have the guards of the set that is
    /// nearest to its limit. An event is where one falls to zero.
    pub fn guards(&self, out: &mut [f64]) {
        // The mark of a guard that nothing has set; such a one becomes 1 at the end and never falls to zero.
        out.fill(f64::MAX);
        let s = &self.series;
        let mode = &*self.system.mode;
        for (e, c) in self.system.parts.contacts.iter().enumerate().filter(|c| mode.signs[c.0] != 0)
        {
            let a = s.x[c.a].0[1];
            let b = s.x[c.b].0[1];
            // At least 1 m/s, so that two ends at rest have a blur as well.
            let size = a.abs().max(b.abs()).max(1.0);
            out[2 * e] = f64::from(mode.signs[e]) * (a - b) + BLUR * size;
        }
        for cut in &mode.clusters.cuts {
            for side in [1, -1] {
                let mut margin = 0.0;
                let mut size = 0.0;
                for &(e, way) in &cut.sliders {
                    let limit = self.system.parts.contacts[e].breakaway * s.normal[e].0[0];
                    margin += limit - f64::from(way * side) * s.lambda[e].0[0];
                    size += limit + s.lambda[e].0[0].abs();
                }
                for &(e, way) in &cut.sliders {
                    let guard = &mut out[2 * e + usize::from(way * side < 0)];
                    // A slider in loops is in several cuts: the one nearest to its limit is the event.
                    *guard = guard.min(margin + 2.0 * BLUR * size);
                }
            }
        }
        out.iter_mut().filter(|z| **z == f64::MAX).for_each(|z| *z = 1.0);
    }

    /// The integrator has found that a guard has fallen to zero, or the loads are no longer what they were: finds the
    /// phases that come next, adding to `events` what happened. Velocities may change, within what the integrator has
    /// gone beyond the zero, and nodes without mass may jump; where they are then tells [`state`](Self::state).
    ///
    /// # Errors
    /// As [`exact`](super::solve) at an event.
    pub fn next(&mut self, events: &mut Vec<Event>) -> Result<(), Error> {
        let t = self.time;
        let system = &mut self.system;
        let before = system.mode.signs.clone();
        let parts = system.parts.clone();
        let mut signs = before.clone();
        for (e, c) in parts.contacts.iter().enumerate().filter(|c| before[c.0] != 0) {
            let [_, va, aa, ..] = &self.series.x[c.a].0;
            let [_, vb, ab, ..] = &self.series.x[c.b].0;
            let way = f64::from(before[e]);
            let w = way * (va - vb);
            let growing = way * (aa - ab) > 0.0;
            let blur = BLUR * va.abs().max(vb.abs()).max(1.0);
            // Within the blur it has either come to rest or just begun to slip; the acceleration tells which.
            if w < -blur || w <= blur && !growing {
                signs[e] = 0;
            }
        }
        let exact = vec![0.0; self.state.x.len()];
        let mut state = self.state.clone();
        if signs != before {
            // The integrator stands a little beyond the instant at which these velocities were equal.
            let held = vec![false; signs.len()];
            let rest = Mode::new(parts, signs.clone(), &held, t)?;
            let joined = rest.join(&state.v, &exact).velocity;
            let moves = |i: &usize| rest.parts.mass[*i] > 0.0 && !rest.parts.given[*i];
            (0..exact.len()).filter(moves).for_each(|i| state.v[i] = joined[i]);
        }
        system.before.copy_from_slice(&before);
        system.start = t;
        // The scheme's own arcs have not led here: nothing is left of what it knew about the instant.
        system.repeated = 0;
        system.clock = 2.0 * f64::EPSILON * t;
        // How far the integrator is off is not known, so only the roundings of the forces count as errors.
        system.noise = exact;
        let broken = vec![false; signs.len()];
        self.state = system.resolve(t, state, signs, broken, true)?;
        system.tell(t, &self.state, events);
        self.look();
        Ok(())
    }

    /// How the rates in the present phases go with one quantity; of friction that is shared among sliders in loops, which
    /// has no derivative, `None`.
    pub fn rates_with(&self, quantity: Quantity) -> Option<Rates> {
        let parts = self.system.parts.clone();
        let mode = self.system.mode.clone();
        // How loops share their forces depends on which of them are at their limits, and has kinks there.
        if !mode.clusters.looped.is_empty() {
            return None;
        }
        let mut change =
            Kinematics { x: vec![0.0; parts.ground + 1], v: vec![0.0; parts.ground + 1] };
        match quantity {
            Quantity::Displacement(i) => change.x[i] = 1.0,
            Quantity::Velocity(i) => change.v[i] = 1.0,
            Quantity::Load { .. } => {}
        }
        let load = |s: &mut Series| {
            let Quantity::Load { inlet, value, rate } = quantity else { return };
            match inlet {
                Inlet::NodeForce(i) => (s.rest[i].0[0], s.rest[i].0[1]) = (value, rate),
                Inlet::NodeMotion(i) => (s.x[i].0[0], s.x[i].0[1]) = (value, rate),
                // At rest a normal force moves only the limit; in slip it is the friction.
                Inlet::SliderNormal(e) if mode.signs[e] != 0 => {
                    let c = &parts.contacts[e];
                    let pressed = f64::from(mode.signs[e]) * mode.sliding[e];
                    for (k, by) in [value, rate].into_iter().enumerate() {
                        s.lambda[e].0[k] = pressed * by;
                        s.rest[c.a].0[k] -= pressed * by;
                        s.rest[c.b].0[k] += pressed * by;
                    }
                }
                _ => {}
            }
        };
        let exact = vec![0.0; change.v.len()];
        if let Quantity::Load { inlet: Inlet::NodeMotion(i), rate, .. } = quantity {
            // The velocity of a prescribed node is the rate of its motion, and what sticks to it takes that over.
            change.v[i] = rate;
        }
        let v = mode.join(&change.v, &exact).velocity;
        let mut varied = Series::new(&parts);
        mode.vary_with(&change.x, &v, RATES, &mut varied, load);
        let now = self.rates();
        let by = self.rates_of(&varied);
        let slide = |of: &Rates, a: usize, b: usize| {
            let v = |i: usize| of.v.get(i).copied().unwrap_or(0.0);
            v(a) - v(b)
        };
        let rubbed: f64 = (parts.contacts.iter().enumerate())
            .map(|(e, c)| {
                let w = slide(&now, c.a, c.b);
                let dw = slide(&by, c.a, c.b);
                // The product rule, with the friction on the first end: it takes power where it is against the slip.
                0.0 - by.friction[e] * w - now.friction[e] * dw
            })
            .sum();
        let damped = parts
            .dashpots
            .iter()
            .map(|d| 2.0 * d.coefficient * slide(&now, d.a, d.b) * slide(&by, d.a, d.b));
        Some(Rates { lost: rubbed + damped.sum::<f64>(), ..by })
    }
}
