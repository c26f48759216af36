//! The event-driven solution of a network.
//!
//! While no slider changes between stick and slip a network is linear, and its motion a power series that is
//! summed to rounding (`Power`, the recurrence in `Mode`). The velocity of a slider that slips and the distance
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
//! decides its sign. It is solved by principal pivoting (`resolve`), which in the end changes one slider after the other
//! (Murty 1974, which cannot go in circles for f_s = f_d and sliders without loops); where that fails, from the
//! solution of the one-step problem of a short implicit step (`guess`). Where a slider comes to rest and makes others
//! give way at once, short implicit steps say which is first (`arrival`). The rule of two phases is that of a step: all
//! sliders at rest are first held by f_s; those that slip in that solution go on at f_d, until no other does. Masses that
//! are joined at different velocities would need an impulse, the germ of order −1; nodes without mass may have to jump
//! first, see `Settle`.
//!
//! Sliders that stick in loops hold as long as any forces within their limits balance the loads (`cuts`). That is
//! unique, and so is the motion; the forces are not, and those of the one-step problem are shown (`share`).

mod arc;
mod arrival;
mod back;
mod change;
mod cuts;
mod degenerate;
mod energy;
mod guarded;
mod guess;
mod inertia;
mod modal;
mod mode;
mod nominal;
mod parts;
mod power;
mod resolve;
mod settle;
mod share;
mod tangent;
mod turn;
mod variation;

pub use arc::ExactArc;
pub(crate) use back::{Sampled, gradient};
pub(crate) use change::Change;
pub use guarded::{Guarded, Quantity, Rates};
pub(crate) use tangent::{Layout, along, flow};
pub(crate) use variation::vary;

use super::convex_step::Kinematics;
use crate::error::{Error, Obstacle};
use crate::model::network::Node;
use crate::model::{Model, Network};
use crate::motion::{
    Energy, Event, EventKind, NetworkPhase, NetworkState, Phase, Segment, State, Warning, Warnings,
};
use crate::roots::{GivenUp, Touch};
use crate::scheme::cursor::Cursor;
use crate::scheme::event_loop::{
    self, Begins, EventDriven, Failure, Hit, Leg, Observer, fixed_signals, most_events,
};
use crate::scheme::network::{NetworkArc, NetworkPath};
use cuts::Cut;
use mode::{At, Mode, ROUNDING, Series};
use parts::{Contact, Parts, first_jump, unsuitable};
use power::ORDER;
use settle::Settle;
use std::sync::Arc;

/// Arcs after which a run is given up: the fastest motion of the network is too fast for the run.
const MAX_ARCS: usize = 5_000_000;
/// A length (or an angle) that is none, m: the size of a nucleus.
const NO_LENGTH: f64 = 1e-15;
/// Arcs without an event after which the modes of a pattern are looked at.
const LONG: usize = 32;
/// What is shorter happens at once, relative to the network's fastest time.
const INSTANT: f64 = 1e-10;

/// Solves `network` on [0, `end`] (s) exactly, to rounding.
///
/// # Errors
/// If a signal is too short or not known in closed form, a normal force is negative, masses that move apart would have to be joined at
/// once, or what sliders do cannot be decided within rounding.
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
    let warnings = run(network, end, most_events(), &mut path)?;
    warnings.into_iter().for_each(|w| path.warn(w));
    Ok(path)
}

/// Refuses a run whose harmonics alone need too many arcs.
fn check_arcs(parts: &Parts, end: f64) -> Result<(), Error> {
    let count = end * parts.fastest / mode::PHASE;
    let most = MAX_ARCS as f64;
    if count <= most {
        return Ok(());
    }
    let reason = format!("a signal varies with {:.1e} rad/s over {end:.1e} s", parts.fastest);
    Err(Error::TooLong { what: "arcs", count, most, reason })
}

/// What the motion of `network` from t = 0 on should not be read without; nothing where it cannot be found.
pub(super) fn doubts_at_start(network: &Network, end: f64) -> Vec<Warning> {
    let massless = |n: &Node| n.mass == 0.0 && n.motion.is_none();
    // A mass is never out of balance, it accelerates; so most networks are spared the work of an exact start.
    if !network.nodes().iter().any(massless) {
        return Vec::new();
    }
    let start = Parts::new(network, end)
        .and_then(|parts| System::start(Arc::new(parts), 0.0, Kinematics::at_start(network)));
    start.map_or_else(
        |_| Vec::new(),
        |(mut system, state)| {
            system.note_start(&state);
            system.warnings.told().collect()
        },
    )
}

/// The same, streaming to `observer` and keeping nothing; what leaves doubts about the path is returned.
///
/// # Errors
/// As [`solve`], and [`Error::TooManyEvents`] beyond `max_events`.
pub fn run(
    network: &Network,
    end: f64,
    max_events: usize,
    observer: &mut impl Observer<NetworkArc>,
) -> Result<Vec<Warning>, Error> {
    let (system, begins) = begin(network, end)?;
    let system = event_loop::run(system, begins, end, max_events, observer)?;
    Ok(system.warnings.told().collect())
}

/// The run up to `end` (s at the latest), at the caller's pace: see [`Cursor`]. Its pieces have the events and states of
/// [`solve`] to the last bit. Where its state is set, nodes without mass that are out of balance jump at once, as at
/// t = 0.
///
/// # Errors
/// As [`solve`].
///
/// ```
/// use stickslip::{Signal, model::Network, scheme::network};
/// # fn main() -> Result<(), stickslip::Error> {
/// let n = Network::builder()
///     .node("a", 2.0)
///     .slider("s", "a", "ground", 1.0, 1.0)
///     .force("a", Signal::ramp(1.0, 0.0))
///     .build()?;
/// let (mut cursor, mut events) = (network::exact_cursor(&n, 3.0)?, Vec::new());
/// cursor.advance(0.5, &mut events)?;
/// assert!(events.is_empty());
/// cursor.advance(3.0, &mut events)?;
/// assert_eq!(events, network::exact(&n, 3.0)?.events());
/// # Ok(()) }
/// ```
pub fn cursor(network: &Network, end: f64) -> Result<Cursor<System>, Error> {
    let (system, begins) = begin(network, end)?;
    Cursor::new(system, begins, 0.0, end, most_events())
}

/// An error if a signal is not known in closed form.
fn require_closed_form(network: &Network) -> Result<(), Error> {
    for node in network.nodes() {
        node.force.require_closed_form("force on a node", "exact")?;
        node.motion.iter().try_for_each(|m| m.require_closed_form("motion of a node", "exact"))?;
    }
    for slider in network.sliders() {
        let normal = slider.normal.iter();
        normal.into_iter().try_for_each(|n| n.require_closed_form("normal force", "exact"))?;
    }
    Ok(())
}

/// Why power series cannot treat `network`, if they cannot.
pub(crate) fn obstacle(network: &Network) -> Option<String> {
    if require_closed_form(network).is_err() {
        return Some("a load is a function without a closed form".to_owned());
    }
    let jumps =
        |n: &&Node| n.motion.as_ref().is_some_and(|m| first_jump(m, f64::INFINITY).is_some());
    let node = network.nodes().iter().find(jumps)?;
    Some(format!("the prescribed motion of node `{}` jumps", node.name))
}

/// The network, its state and its phase at t = 0.
fn begin(network: &Network, end: f64) -> Result<(System, Begins<System>), Error> {
    network.check_until(end)?;
    require_closed_form(network)?;
    let parts = Arc::new(Parts::new(network, end)?);
    check_arcs(&parts, end)?;
    let (mut system, state) = System::start(parts, 0.0, Kinematics::at_start(network))?;
    system.note_start(&state);
    let phase = system.mode.signs.as_slice().into();
    Ok((system, (state, phase)))
}

/// What ends an arc.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ends {
    /// The series holds no longer.
    Recentre,
    /// The slider comes to rest.
    Rests(usize),
    /// The sliders of the cut leave their limits towards that side.
    GivesWay(usize, i8),
}

/// A network as the event loop sees it.
#[derive(Debug, Clone)]
pub struct System {
    parts: Arc<Parts>,
    mode: Arc<Mode>,
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
    /// How much more than a rounding counts as zero at each slider: more than 1 where the answers that its force and
    /// its velocity give contradict each other within rounding.
    blur: Vec<f64>,
    /// Events at the same instant, and arcs.
    repeated: usize,
    arcs: usize,
    /// Arcs since the last event.
    streak: usize,
    /// What the modes of the pattern carry at an instant.
    carried: Option<(f64, Vec<[f64; 2]>)>,
    /// The slip pattern before the arc.
    before: Vec<i8>,
    warnings: Warnings,
}

impl System {
    /// The first slip pattern from `t` on, and the state that goes with it.
    fn start(
        parts: Arc<Parts>,
        t: f64,
        mut state: Kinematics,
    ) -> Result<(Self, Kinematics), Error> {
        let nodes = parts.ground + 1;
        let m = parts.contacts.len();
        let mut system = Self {
            // A pattern in which nothing sticks; `resolve` puts the true one in its place.
            mode: Arc::new(Mode::new(parts.clone(), vec![1; m], &vec![false; m], t)?),
            settle: Settle::new(&parts),
            series: Series::new(&parts),
            start: 0.0,
            length: 0.0,
            clock: 0.0,
            noise: vec![0.0; nodes],
            blur: vec![1.0; m],
            repeated: 0,
            arcs: 0,
            streak: 0,
            carried: None,
            // No slider counts as at rest before the start: one that moves then has slid for ever, and only one that
            // rests is held by f_s.
            before: vec![1; m],
            warnings: Warnings::default(),
            parts,
        };
        system.take_given(t, &mut state);
        let slips = |c: &Contact| {
            let v = state.v[c.a] - state.v[c.b];
            (v > 0.0) as i8 - (v < 0.0) as i8
        };
        let signs = system.parts.contacts.iter().map(slips).collect();
        let state = system.resolve(t, state, signs, vec![false; m], true)?;
        Ok((system, state))
    }

    /// Prescribed displacements and velocities from `t` on.
    fn take_given(&self, t: f64, state: &mut Kinematics) {
        for (i, motion) in &self.parts.motions {
            (state.x[*i], state.v[*i]) = (motion.value(t), motion.derivative(t));
        }
    }

    /// Notes how far nodes without mass have jumped at t = 0 from the places given.
    fn note_start(&mut self, state: &Kinematics) {
        let p = &*self.parts;
        let x = &state.x;
        let mut given = Kinematics::at_start(&p.network);
        self.take_given(0.0, &mut given);
        let given = &given.x[..];
        let moved = |i: usize| x[i] - given[i];
        let size = given.iter().chain(x).fold(0.0, |m: f64, x| m.max(x.abs()));
        // What a rounding of the forces moves: springs hold the loads, and what cancels in them does not cancel exactly.
        let forces = p.forces.iter().map(|(_, f)| f.piece_at(0.0).scale(0.0)).sum::<f64>();
        let slack = p.springs.iter().map(|b| b.coefficient.abs()).fold(f64::INFINITY, f64::min);
        let size = size.max(if slack > 0.0 { (forces / slack).min(f64::MAX) } else { 0.0 });
        let free = (0..p.ground).filter(|&i| !p.given[i] && p.mass[i] == 0.0);
        let far = free.max_by(|&i, &j| moved(i).abs().total_cmp(&moved(j).abs()));
        // Of forces that cancel when they are added up only the rounding is left; what it moves is less than any length.
        let least = (ROUNDING * size).max(NO_LENGTH);
        let Some(node) = far.filter(|&i| moved(i).abs() > least) else { return };
        let arc = ExactArc {
            mode: self.mode.clone(),
            start: 0.0,
            x: state.x.clone(),
            v: state.v.clone(),
            carried: None,
        };
        let mut energy = Energy::default();
        arc.jump(given, &mut energy);
        let name = p.network.nodes()[node].name.to_string();
        let distance = moved(node);
        let energy = energy.jumps;
        self.warnings.push(Warning::StartsOutOfBalance { node: name, distance, energy });
    }

    /// The first event on the arc within `length`, in seconds from its start.
    fn first_event(&self, mut length: f64) -> Result<Option<(f64, Ends)>, GivenUp> {
        let s = &self.series;
        let mut first = None;
        for (e, c) in self.parts.contacts.iter().enumerate() {
            let sign = self.mode.signs[e];
            if sign != 0 {
                let (speed, _) = self.speed(e, sign);
                let size = |i: usize| s.x[i].derivative().size(length);
                let noise = ROUNDING / 16.0 * (size(c.a) + size(c.b));
                // A velocity that only touches zero is a rest, and what comes after is decided anew. A load that only
                // touches its limit does not exceed it: by the selection rule the slider stays.
                if let Some(at) = speed.first_fall(length, noise, Touch::Counts)? {
                    // What comes first ends the arc: the others are looked for up to there.
                    length = at;
                    first = Some((at, Ends::Rests(e)));
                }
            }
        }
        for (i, cut) in self.mode.clusters.cuts.iter().enumerate() {
            let noise = self.cut_noise(cut, length);
            for side in [1, -1] {
                let (margin, sign) = self.margin(cut, side, None);
                if sign == 0 {
                    continue; // it stays at the limit
                }
                if let Some(at) = margin.first_fall(length, noise, Touch::Exceeds)? {
                    length = at;
                    first = Some((at, Ends::GivesWay(i, side)));
                }
            }
        }
        Ok(first)
    }

    /// What the arc that ends at `t` leaves behind: the rounding errors of its velocities, and one more arc.
    fn count_arc(&mut self, t: f64) -> Result<(), Error> {
        for ((noise, x), mass) in self.noise.iter_mut().zip(&self.series.x).zip(&self.parts.mass) {
            // A root is found to the rounding of all that was searched.
            let v = x.derivative();
            let late = self.clock * v.derivative().size(self.length);
            *noise = if *mass > 0.0 { ROUNDING / 4.0 * v.size(self.length) + late } else { 0.0 };
        }
        self.arcs += 1;
        if self.arcs > MAX_ARCS {
            return Err(unsuitable(Obstacle::TooManyArcs { most: MAX_ARCS, time: t }));
        }
        Ok(())
    }

    /// Adds to `events` what the sliders do at `t` that they did not do before.
    fn tell(&self, t: f64, state: &Kinematics, events: &mut Vec<Event>) {
        for (e, (&was, &is)) in self.before.iter().zip(&self.mode.signs).enumerate() {
            let changed = EventKind::between(Phase::of_sign(was), Phase::of_sign(is));
            let Some(kind) = changed else { continue };
            let c = &self.parts.contacts[e];
            let x = state.x[c.a] - state.x[c.b];
            let v = self.speed(e, 1).0.0[0];
            events.push(Event::new(kind, t, e, State { x, v }));
        }
    }

    /// Rounding errors of the margin of a cut over `length`, N.
    fn cut_noise(&self, cut: &Cut, length: f64) -> f64 {
        let one = |&(e, _): &(usize, i8)| {
            let limit = self.parts.contacts[e].breakaway;
            ROUNDING * limit * self.series.normal[e].size(length) + self.series.force_noise[e][0]
        };
        cut.sliders.iter().map(one).sum()
    }
}

impl EventDriven for System {
    type State = Kinematics;
    type Motion = NetworkArc;
    type What = Ends;

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
    ) -> Result<(NetworkArc, Option<Hit<Ends>>), Failure> {
        let Kinematics { x, v } = state.clone();
        let from = At { t, x: &x, v: &v, noise: &self.noise };
        let mode = self.mode.clone();
        let modal = if self.streak > LONG { mode.modal() } else { None };
        let carried = modal.map(|modal| {
            // What the modes carry goes on from arc to arc. From the displacements it is taken only once, since their
            // rounding errors would set fast modes in motion that have died away.
            let goes_on = self.carried.take().filter(|c| c.0 == t);
            goes_on.map_or_else(|| modal.carried(mode.pattern(), t, &x, &v, true), |c| c.1)
        });
        match modal.zip(carried.as_ref()) {
            Some((modal, carried)) => mode.fill_by(modal, carried, from, &mut self.series),
            None => mode.fill(from, ORDER, &mut self.series),
        }
        self.start = t;
        self.carried = carried.clone().map(|c| (t, c));
        let arc = ExactArc { mode: mode.clone(), start: t, x, v, carried };
        let arc = NetworkArc::Exact(Box::new(arc));

        let radius = self.series.radius(&self.parts);
        let length = radius.min(until - t);
        let event = self.first_event(length)?;
        self.note_limits(t, event.map_or(length, |e| e.0))?;
        self.length = length;
        // The instant itself is a sum t + τ, known to its rounding only; a quantity that changes fast is known no
        // better there.
        self.clock = 2.0 * f64::EPSILON * (t + length);
        let hit = match event {
            // The rounded sum may lie beyond the break of a load that ends the arc.
            Some((tau, what)) => Some(Hit { time: (t + tau).min(until), what }),
            None if radius < until - t => {
                let time = t + radius;
                if time == t || time.is_nan() {
                    return Err(Failure::GivenUp); // the clock does not move on
                }
                Some(Hit { time, what: Ends::Recentre })
            }
            None => None,
        };
        Ok((arc, hit))
    }

    fn arrive(&self, leg: &Leg<Self>, t: f64, _: Option<&Ends>) -> Kinematics {
        let tau = t - leg.start;
        Kinematics {
            x: self.series.x.iter().map(|x| x.at(tau)).collect(),
            v: self.series.x.iter().map(|x| x.derivative().at(tau)).collect(),
        }
    }

    fn next(
        &mut self,
        leg: &Leg<Self>,
        mut state: Kinematics,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        let t = leg.stop;
        let tau = t - leg.start;
        let phase = &leg.phase;
        self.before.copy_from_slice(phase);
        self.count_arc(t)?;
        let goes_on = match leg.hit {
            Some(what) => what == Ends::Recentre,
            // The end of the run, where no load breaks.
            None => self.parts.breakpoints.binary_search_by(|at| at.total_cmp(&t)).is_err(),
        };
        if goes_on {
            self.streak += 1;
            if let Some((modal, (_, carried))) = self.mode.known_modal().zip(self.carried.take()) {
                self.carried = Some((t, modal.after(&carried, tau)));
            }
            return Ok((state, phase.clone()));
        }
        self.streak = 0;
        self.carried = None;
        let at_once = tau <= INSTANT * self.parts.fastest_time();
        self.repeated = if at_once { self.repeated + 1 } else { 0 };
        let mut signs = phase.to_vec();
        let mut broken = vec![false; signs.len()];
        let mut leaves: &[(usize, i8)] = &[];
        let mode = self.mode.clone();
        match leg.hit {
            Some(Ends::Rests(e)) => signs[e] = 0,
            Some(Ends::GivesWay(cut, side)) => {
                leaves = &mode.clusters.cuts[cut].sliders;
                leaves.iter().for_each(|&(e, way)| signs[e] = way * side);
                // Before `resolve`, which puts the series after the event in place of those of this arc.
                self.note_together(tau, cut);
            }
            _ => {}
        }
        self.take_given(t, &mut state);
        let settles = leg.hit.is_none(); // loads that jump may move nodes without mass
        // Those after the arc: `resolve` replaces them, and `by_order` begins from the same instant once more.
        let noise = self.noise.clone();
        let mut found = self.resolve(t, state.clone(), signs.clone(), broken.clone(), settles);
        if self.mode.signs[..] == phase[..] && !leaves.is_empty() {
            // Rounding left the cut just within its limit: it does give way.
            let settle = leaves.iter().fold(false, |s, l| self.breaks(l.0, &mut broken) | s);
            found = self.resolve(t, state.clone(), signs, broken, settle);
        }
        if let Some(Ends::Rests(e)) = leg.hit
            && self.is_order_open(e, phase)
        {
            found = found.and_then(|found| self.by_order(t, e, &mode, &state, &noise, found));
        }
        let state = found?;
        self.tell(t, &state, events);
        // Each slider may change a few times in one instant; more is a pattern that repeats itself.
        if self.repeated > 20 + 4 * phase.len() {
            return Err(unsuitable(Obstacle::EndlessTurns { time: t }));
        }
        Ok((state, self.mode.signs.as_slice().into()))
    }

    fn place(&mut self, t: f64, at: &NetworkState) -> Result<Begins<Self>, Error> {
        // As at the start of a run: nothing that slid before counts, and nodes without mass find their balance.
        let (fresh, state) = Self::start(self.parts.clone(), t, Kinematics::of(at.clone()))?;
        let warnings = std::mem::take(&mut self.warnings);
        let arcs = self.arcs;
        // A state that is set begins a new motion, but the run goes on: what it warned of and what it may still cost
        // remain.
        *self = Self { warnings, arcs, start: t, ..fresh };
        let phase = self.mode.signs.as_slice().into();
        Ok((state, phase))
    }

    fn is_finite(&self, state: &Kinematics) -> bool {
        state.x.iter().chain(&state.v).all(|u| u.is_finite())
    }

    fn describe(&self, phase: &NetworkPhase) -> String {
        let names = phase.iter().map(|s| ["-", "stick", "+"][(s + 1) as usize]);
        names.take(20).collect::<Vec<_>>().join(" ")
    }

    fn change(
        &mut self,
        t: f64,
        mut state: Kinematics,
        phase: NetworkPhase,
        model: &Model,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        let Model::Network(n) = model else { return Err(fixed_signals()) };
        // The caller may go on without an end that is known here.
        let parts = Arc::new(Parts::new(n, f64::MAX)?);
        parts.check_continuous(t, &state.x)?;
        self.parts = parts.clone();
        self.settle = Settle::new(&parts);
        self.before.copy_from_slice(&phase);
        self.start = t;
        self.repeated = 0;
        self.streak = 0;
        self.carried = None;
        self.take_given(t, &mut state);
        let broken = vec![false; phase.len()];
        let state = self.resolve(t, state, phase.to_vec(), broken, true)?;
        self.tell(t, &state, events);
        Ok((state, self.mode.signs.as_slice().into()))
    }

    const COUNTS_LOSSES: bool = true;

    fn lost(&self, s: &Segment<NetworkArc>) -> f64 {
        let NetworkArc::Exact(arc) = &s.arc else { return 0.0 };
        arc.lost(0.5 * (s.end - s.start))
    }
}
