//! The event-driven solution of a network.
//!
//! While no slider changes between stick and slip a network is linear, and its motion a power series that is
//! summed to rounding ([`Power`], the recurrence in [`Mode`]). The velocity of a slider that slips and the distance
//! of one that sticks from its limit are series too; their first zero is isolated with a bound on their third
//! derivative, so that none is missed.
//!
//! At an event every slider must go on consistently, whatever happens at once:
//!
//! ```text
//! sticks      |λ_e(t+τ)| ≤ f_s N(t+τ)       slips     s (Gẋ)_e(t+τ) > 0, λ_e = s f_d N          for small τ > 0
//! ```
//!
//! a linear complementarity problem in the germs of λ and ẋ: the first coefficient of a series that is not zero
//! decides its sign. It is solved by principal pivoting, one sliders' change after the other in the end
//! (Murty's rule, which cannot go in circles for f_s = f_d). Masses that are joined at different velocities would need
//! an impulse, the germ of order −1; nodes without mass may have to jump first, see [`Settle`].

mod energy;
mod mode;
mod parts;
mod power;
mod settle;

use super::motion::{NetworkArc, NetworkEvent, NetworkPath, NetworkPhase, NetworkState};
use super::step::Kinematics;
use crate::error::Error;
use crate::model::Network;
use crate::roots::Touch;
use crate::scheme::event_loop::{self, EventDriven, Observer};
use crate::scheme::exact::MAX_EVENTS;
use crate::trajectory::EventKind;
use mode::{Mode, ROUNDING, Series};
use parts::{Parts, unsuitable};
use power::{ORDER, Power};
use settle::Settle;
use std::sync::Arc as Shared;

/// Arcs after which a run is given up: the fastest motion of the network is too fast for the run.
const MAX_ARCS: usize = 5_000_000;
/// Corrections of many sliders at once; then one at a time.
const AT_ONCE: usize = 12;
/// The most that [`System::blur`] becomes.
const MOST_BLUR: f64 = 1e4;
/// How often nodes without mass may find a new balance in one instant.
const MOST_JUMPS: usize = 4;
/// Order of the series that decide what comes next.
const GERM: usize = 6;

/// Solves `network` on [0, `end`] (s) exactly, to rounding.
///
/// ```
/// use stickslip::{Signal, model::Network, scheme::network};
/// # fn main() -> Result<(), stickslip::Error> {
/// let n = Network::builder()
///     .node("a", 2.0)
///     .slider("s", "a", "ground", 1.0, 1.0)
///     .force("a", Signal::ramp(1.0, 0.0))
///     .build()?;
/// let path = network::exact(&n, 3.0)?;
/// assert_eq!(path.events()[0].time, 1.0);
/// assert!((path.state(3.0).v[0] - 1.0).abs() < 1e-15); // ∫₁³ (t − 1)/2 dt
/// # Ok(()) }
/// ```
pub fn solve(network: &Network, end: f64) -> Result<NetworkPath, Error> {
    let mut path = NetworkPath::default();
    run(network, end, MAX_EVENTS, &mut path)?;
    Ok(path)
}

/// The same, streaming to `observer` and keeping nothing.
pub fn run(
    network: &Network,
    end: f64,
    max_events: usize,
    observer: &mut impl Observer<NetworkArc>,
) -> Result<(), Error> {
    network.check_until(end)?;
    let parts = Shared::new(Parts::new(network, end)?);
    let x = network.nodes().iter().map(|n| n.displacement).chain([0.0]).collect();
    let v = network.nodes().iter().map(|n| n.velocity).chain([0.0]).collect();
    let (mut system, state) = System::start(parts, Kinematics { x, v })?;
    let phase = system.mode.signs.as_slice().into();
    event_loop::run(&mut system, state, phase, end, max_events, observer)
}

/// The motion between two events, by what it starts from.
#[derive(Debug, Clone)]
pub struct ExactArc {
    mode: Shared<Mode>,
    start: f64,
    x: Vec<f64>,
    v: Vec<f64>,
}

impl ExactArc {
    fn series(&self) -> Series {
        let mut series = Series::new(&self.mode.parts);
        let exact = vec![0.0; self.x.len()];
        self.mode.fill(self.start, &self.x, &self.v, &exact, ORDER, &mut series);
        series
    }

    /// State at `t`.
    pub(super) fn state(&self, t: f64) -> NetworkState {
        let (s, tau, nodes) = (self.series(), t - self.start, self.mode.parts.ground);
        NetworkState {
            x: s.x[..nodes].iter().map(|x| x.at(tau)).collect(),
            v: s.x[..nodes].iter().map(|x| x.derivative().at(tau)).collect(),
            friction: s.lambda.iter().map(|l| 0.0 - l.at(tau)).collect(),
        }
    }
}

/// What ends an arc.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Next {
    /// The series holds no longer.
    Recentre,
    /// The slider leaves its limit towards that side, or comes to rest (0).
    Slider(usize, i8),
}

/// A network as the event loop sees it.
struct System {
    parts: Shared<Parts>,
    mode: Shared<Mode>,
    settle: Option<Settle>,
    /// About the start of the arc, s.
    series: Series,
    start: f64,
    /// How far events were searched for from there, s.
    length: f64,
    /// Rounding error of the instant about which the series is, s.
    clock: f64,
    /// Rounding errors of the velocities of masses at the start of the arc, m/s.
    noise: Vec<f64>,
    pending: Next,
    /// How much more than a rounding counts as zero at each slider: more than 1 where the answers that its force and
    /// its velocity give contradict each other within rounding.
    blur: Vec<f64>,
    /// Events at the same instant, and arcs.
    repeated: usize,
    arcs: usize,
    error: Option<Error>,
}

impl System {
    /// The first slip pattern, and the state that goes with it.
    fn start(parts: Shared<Parts>, mut state: Kinematics) -> Result<(Self, Kinematics), Error> {
        let (nodes, m) = (parts.ground + 1, parts.contacts.len());
        let mut system = Self {
            mode: Shared::new(Mode::new(parts.clone(), vec![0; m])),
            settle: Settle::new(&parts),
            series: Series::new(&parts),
            start: 0.0,
            length: 0.0,
            clock: 0.0,
            noise: vec![0.0; nodes],
            pending: Next::Recentre,
            blur: vec![1.0; m],
            repeated: 0,
            arcs: 0,
            error: None,
            parts,
        };
        system.take_given(0.0, &mut state);
        let (signs, broken) = (vec![0; m], vec![false; m]);
        let state = system.resolve(0.0, state, signs, broken, true)?;
        Ok((system, state))
    }

    /// Prescribed displacements and velocities from `t` on.
    fn take_given(&self, t: f64, state: &mut Kinematics) {
        for (i, motion) in &self.parts.motions {
            (state.x[*i], state.v[*i]) = (motion.value(t), motion.derivative(t));
        }
    }

    /// Finds the slip pattern from `t` on, beginning with the guess `signs`; the state that it starts from.
    fn resolve(
        &mut self,
        t: f64,
        mut state: Kinematics,
        mut signs: Vec<i8>,
        mut broken: Vec<bool>,
        mut settle: bool,
    ) -> Result<Kinematics, Error> {
        let parts = self.parts.clone();
        let most = AT_ONCE + 40 + 10 * signs.len();
        let (mut changes, mut jumped) = (vec![0; signs.len()], 0);
        if self.repeated == 0 {
            self.blur.fill(1.0);
        }
        for round in 0..most {
            if std::mem::take(&mut settle)
                && let Some(s) = &mut self.settle
            {
                s.apply(&parts, t, &mut state.x, &mut signs, &mut broken)?;
            }
            let mode = Mode::new(parts.clone(), signs.clone());
            let joined = mode.join(&state.v, &self.noise);
            mode.fill(t, &state.x, &joined.velocity, &joined.noise, GERM, &mut self.series);
            let (mut wrong, mut jumps) = (Vec::new(), false);
            for (e, c) in parts.contacts.iter().enumerate() {
                // A mass that broke away is held by f_d: so the rule of two phases ends.
                let limit = if broken[e] { c.dynamic } else { c.static_ };
                let impulse = joined.impulse[e];
                // The germ of order −1 of the velocity: nodes without mass that the pattern makes jump.
                let jump = f64::from(signs[e]) * self.jump(&state.x, e);
                jumps |= jump > 0.0;
                if jump < 0.0 {
                    wrong.push((e, 0, false));
                } else if let Some(next) = self.verdict(&mode, e, limit, impulse) {
                    let pushed = impulse.0.abs() > impulse.1;
                    let breaks = signs[e] == 0 && c.dynamic < limit && !pushed;
                    wrong.push((e, next, breaks));
                }
            }
            if wrong.is_empty() && jumps && jumped < MOST_JUMPS {
                (settle, jumped) = (true, jumped + 1);
                continue;
            }
            if wrong.is_empty() {
                self.mode = Shared::new(mode);
                self.noise = joined.noise;
                state.v = joined.velocity;
                return Ok(state);
            }
            // A breakaway drops the force to f_d and cannot be taken back: only when all else is consistent.
            let breaks = wrong.iter().all(|w| w.2);
            wrong.retain(|w| w.2 == breaks);
            wrong.truncate(if round < AT_ONCE { wrong.len() } else { 1 });
            for (e, next, breaks) in wrong {
                if breaks {
                    broken[e] = true;
                    settle |= self.settle.as_ref().is_some_and(|s| s.concerns(e));
                }
                signs[e] = next;
                changes[e] += 1;
                if changes[e] > AT_ONCE / 2 && self.blur[e] < MOST_BLUR {
                    self.blur[e] *= 4.0;
                }
            }
        }
        let most = changes.iter().max().copied().unwrap_or(0);
        let who = changes.iter().zip(&parts.contacts).filter(|c| *c.0 == most);
        let who: Vec<&str> = who.map(|c| c.1.name.as_str()).take(5).collect();
        Err(unsuitable(format!(
            "whether the sliders {} stick after t = {t:?} s could not be decided within rounding; use implicit-euler",
            who.join(", ")
        )))
    }

    /// How far slider e jumps from the places `x`, m; 0 within rounding.
    fn jump(&self, x: &[f64], e: usize) -> f64 {
        let (s, c) = (&self.series, &self.parts.contacts[e]);
        let moved = |i: usize| s.x[i].0[0] - x[i];
        let jump = moved(c.a) - moved(c.b);
        let noise = 4.0 * self.blur[e] * (s.noise[c.a][0] + s.noise[c.b][0]);
        if jump.abs() > noise { jump } else { 0.0 }
    }

    /// What slider e, held by `limit` N, does instead of what `mode` lets it do, if it cannot do that.
    fn verdict(&self, mode: &Mode, e: usize, limit: f64, impulse: (f64, f64)) -> Option<i8> {
        match mode.signs[e] {
            0 if impulse.0.abs() > self.blur[e] * impulse.1 => {
                Some(if impulse.0 > 0.0 { 1 } else { -1 })
            }
            0 => [1, -1].into_iter().find(|&side| self.margin(e, limit, side).1 < 0),
            _ => (self.speed(mode, e).1 <= 0).then_some(0),
        }
    }

    /// `limit` N − side·λ, and its sign for small times.
    fn margin(&self, e: usize, limit: f64, side: i8) -> (Power, i8) {
        let s = &self.series;
        let limit = Power::ZERO.plus(limit, &s.normal[e]);
        let mut margin = limit.plus(-f64::from(side), &s.lambda[e]);
        let blur = self.blur[e];
        let noise = |k: usize| blur * (s.force_noise[e][k] + ROUNDING * limit.0[k].abs());
        let sign = margin.lead(noise, blur * self.clock);
        (margin, sign)
    }

    /// The velocity of slip along its sign, and its sign for small times.
    fn speed(&self, mode: &Mode, e: usize) -> (Power, i8) {
        let s = &self.series;
        let c = &self.parts.contacts[e];
        let mut speed = Power::ZERO.plus(f64::from(mode.signs[e]), &s.slip(c.a, c.b));
        let blur = self.blur[e];
        let noise = |k: usize| blur * (k + 1) as f64 * (s.noise[c.a][k + 1] + s.noise[c.b][k + 1]);
        let sign = speed.lead(noise, blur * self.clock);
        (speed, sign)
    }

    /// The first event on the arc within `length`, in seconds from its start.
    fn first_event(&self, mut length: f64) -> Option<(f64, Next)> {
        let (s, mut first) = (&self.series, None);
        for (e, c) in self.parts.contacts.iter().enumerate() {
            let sign = self.mode.signs[e];
            if sign != 0 {
                let (speed, _) = self.speed(&self.mode, e);
                let size = |i: usize| s.x[i].derivative().size(length);
                let noise = ROUNDING / 16.0 * (size(c.a) + size(c.b));
                if let Some(at) = speed.first_fall(length, noise, Touch::Counts) {
                    (length, first) = (at, Some((at, Next::Slider(e, 0))));
                }
                continue;
            }
            for side in [1, -1] {
                let (margin, _) = self.margin(e, c.static_, side);
                let noise = ROUNDING * c.static_ * s.normal[e].size(length) + s.force_noise[e][0];
                if let Some(at) = margin.first_fall(length, noise, Touch::Passes) {
                    (length, first) = (at, Some((at, Next::Slider(e, side))));
                }
            }
        }
        first
    }
}

impl EventDriven for System {
    type State = Kinematics;
    type Motion = NetworkArc;

    fn smooth_until(&mut self, t: f64) -> f64 {
        let next = self.parts.breakpoints.partition_point(|&at| at <= t);
        self.parts.breakpoints.get(next).copied().unwrap_or(f64::INFINITY)
    }

    fn motion(
        &mut self,
        t: f64,
        state: &Kinematics,
        _: &NetworkPhase,
        until: f64,
    ) -> (NetworkArc, Option<f64>) {
        let Kinematics { x, v } = state.clone();
        self.mode.fill(t, &x, &v, &self.noise, ORDER, &mut self.series);
        self.start = t;
        let arc = NetworkArc::Exact(Box::new(ExactArc { mode: self.mode.clone(), start: t, x, v }));

        let radius = self.series.radius(&self.parts);
        let length = radius.min(until - t);
        let event = self.first_event(length);
        (self.length, self.clock) = (length, 2.0 * f64::EPSILON * (t + length));
        let stop = match event {
            Some((tau, next)) => {
                self.pending = next;
                Some((t + tau).min(until))
            }
            None if radius < until - t => {
                self.pending = Next::Recentre;
                Some(if t + radius > t { t + radius } else { f64::NAN })
            }
            None => None,
        };
        (arc, stop)
    }

    fn arrive(&self, _: &NetworkArc, t: f64) -> Kinematics {
        let tau = t - self.start;
        Kinematics {
            x: self.series.x.iter().map(|x| x.at(tau)).collect(),
            v: self.series.x.iter().map(|x| x.derivative().at(tau)).collect(),
        }
    }

    fn next(
        &mut self,
        t: f64,
        mut state: Kinematics,
        phase: NetworkPhase,
        hit: bool,
        events: &mut Vec<NetworkEvent>,
    ) -> (Kinematics, NetworkPhase) {
        let tau = t - self.start;
        let series = &self.series.x;
        for ((noise, x), mass) in self.noise.iter_mut().zip(series).zip(&self.parts.mass) {
            // A root is found to the rounding of all that was searched.
            let v = x.derivative();
            let late = self.clock * v.derivative().size(self.length);
            *noise = if *mass > 0.0 { ROUNDING / 4.0 * v.size(self.length) + late } else { 0.0 };
        }
        self.arcs += 1;
        if self.arcs > MAX_ARCS {
            self.error = Some(unsuitable(format!(
                "its fastest motion takes more than {MAX_ARCS} arcs until t = {t:?} s; shorten the run, make stiff springs and \
                 light masses softer and heavier, or use implicit-euler"
            )));
        }
        let breaks = self.parts.breakpoints.binary_search_by(|at| at.total_cmp(&t)).is_ok();
        if if hit { self.pending == Next::Recentre } else { !breaks } {
            return (state, phase);
        }
        self.repeated = if tau > 0.0 { 0 } else { self.repeated + 1 };
        let mut signs = phase.to_vec();
        let mut broken = vec![false; signs.len()];
        let mut settle = !hit;
        if let (true, Next::Slider(e, side)) = (hit, self.pending) {
            let c = &self.parts.contacts[e];
            signs[e] = side;
            if side != 0 && c.dynamic < c.static_ {
                broken[e] = true;
                settle = self.settle.as_ref().is_some_and(|s| s.concerns(e));
            }
        }
        self.take_given(t, &mut state);
        state = match self.resolve(t, state.clone(), signs, broken, settle) {
            Ok(state) => state,
            Err(error) => {
                self.error = Some(error);
                return (state, phase);
            }
        };
        for (e, (&was, &is)) in phase.iter().zip(&self.mode.signs).enumerate() {
            let kind = match (was, is) {
                _ if was == is => continue,
                (0, _) => EventKind::Slip,
                (_, 0) => EventKind::Stick,
                _ => EventKind::Reversal,
            };
            let c = &self.parts.contacts[e];
            let (x, v) = (state.x[c.a] - state.x[c.b], self.series.slip(c.a, c.b).0[0]);
            events.push(NetworkEvent { kind, time: t, slider: e, x, v });
        }
        if self.repeated > 20 + 4 * phase.len() {
            self.error = Some(unsuitable(format!(
                "sliders begin and end to slip again and again at t = {t:?} s; use implicit-euler"
            )));
        }
        (state, self.mode.signs.as_slice().into())
    }

    fn blocked(&mut self) -> Option<Error> {
        self.error.take()
    }

    fn is_finite(&self, state: &Kinematics) -> bool {
        state.x.iter().chain(&state.v).all(|u| u.is_finite())
    }

    fn describe(&self, phase: &NetworkPhase) -> String {
        let names = phase.iter().map(|s| ["-", "stick", "+"][(s + 1) as usize]);
        names.take(20).collect::<Vec<_>>().join(" ")
    }
}
