//! Machines: Dormand–Prince steps of order 8 between events, each of which is isolated.
//!
//! # What is guaranteed
//!
//! Between two events masses that rest on each other move as one, in coordinates of their own (`mode`): a relative velocity
//! that is held at zero is zero to the last bit, and nothing that sticks can drift. Each step has an estimated error below
//! `atol + rtol·|u|` for the displacement and the velocity of every group.
//!
//! Whatever may end a motion, a sliding speed or a force that leaves its limit, is interpolated inside each step at nine
//! points, with what is cut off below the tolerance; its **first** root is isolated with a bound on the third derivative,
//! and polished by Newton's method on the step itself.
//!
//! A slider whose law has memory is never held: what it remembers is integrated with the masses, and its events are that its
//! velocity turns and that a part of its law leaves its region (`bristles`). An explicit step of a bristle of stiffness σ under the friction
//! F at the speed v is not longer than some F/(σ v): where steps could be longer but for that, the motion goes on by the implicit steps of
//! a single contact until something happens (`implicit`). Under friction of rate and state all steps are such ones, in logarithms of the sliding velocity and
//! the age (`levels`).
//!
//! Where a load, a velocity or the distance from a rigid stop comes so near to zero that the tolerances do not tell whether it gets there,
//! and neighbouring motions would part, the run says so (`near`).
//!
//! # What happens at an event
//!
//! Every slider at rest is first held by the limit of its law. Those that give way in the solution of that complementarity
//! problem go on with the friction at the beginning of a slip, until no other gives way; a slider that came to rest from one
//! side rests, or goes on to the other side. Sliders that hold the same masses together hold as long as any forces within
//! their limits balance the loads.

mod arc;
mod balance;
mod bends;
mod bristles;
mod complementarity;
mod control;
pub(in crate::scheme) mod dormand_prince;
mod energy;
mod flow;
mod gears;
pub(in crate::scheme) mod guarded;
mod guards;
mod impact;
mod implicit;
mod levels;
mod linear;
mod loads;
mod mode;
mod near;
mod orders;
mod parts;
mod pieces;
mod places;
mod plan;
mod resolve;
mod share;
mod slots;
pub mod theta_method;
mod vary;

pub(crate) use arc::Follows;
pub use arc::{MachineArc, MachineState};
pub use control::Control;
pub(crate) use control::effective;
pub(crate) use linear::obstacle as exact_obstacle;
pub(crate) use slots::phases;
pub(crate) use vary::{Aside, SampleList, gradient, vary};

use crate::error::{Error, Obstacle};
use crate::interrupt::Interrupt;
use crate::model::{Machine, Model};
use crate::motion::{Event, NetworkPhase, Path, Warnings};
use crate::scheme::audit::audit;
use crate::scheme::cursor::Cursor;
use crate::scheme::event_loop::{
    Begins, EventDriven, Failure, Followed, Hit, Leg, fixed_signals, most_events,
};
use crate::scheme::oscillator::adaptive::Options;
use flow::Instant;
use guards::Ends;
use impact::Struck;
use linear::Linear;
use mode::Mode;
use parts::Parts;
use std::sync::Arc;

/// The path of a machine.
pub type MachinePath = Path<MachineArc>;

/// How a machine is followed between two events.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Steps {
    /// To rounding, where everything is linear.
    Exact,
    /// To these tolerances.
    Adaptive(Options),
}

impl Steps {
    /// The tolerances of what is not followed to rounding, and by which a contact counts as closed.
    fn options(self) -> Options {
        match self {
            Self::Exact => ROUNDING,
            Self::Adaptive(options) => options,
        }
    }

    /// What a run to rounding keeps.
    ///
    /// # Errors
    /// If a part of `machine` is not linear.
    fn linear(self, machine: &Machine) -> Result<Option<Linear>, Error> {
        match self {
            Self::Exact => {
                linear::check(machine)?;
                Ok(Some(Linear::of(machine)))
            }
            Self::Adaptive(_) => Ok(None),
        }
    }
}

/// The error of a machine that this scheme cannot treat.
fn unsuitable(reason: Obstacle) -> Error {
    Error::Unsuitable { scheme: "adaptive", reason }
}

/// Solves `machine` on [0, `end`] (s).
///
/// # Errors
/// If a signal is too short, a normal force is negative, a rigid stop is passed at the start, the prescribed motion of a node
/// jumps, or a step falls below what rounding allows.
///
/// ```
/// use stickslip::model::{Machine, Network, machine::Curve};
/// use stickslip::scheme::{machine, oscillator::adaptive::Options};
/// # fn main() -> Result<(), stickslip::Error> {
/// // A pendulum released from rest at 90°: its period is 4 K(sin 45°) √(l/g).
/// let network = Network::builder()
///     .unjoined()
///     .node("bob", 1.0)
///     .starting_at("bob", std::f64::consts::FRAC_PI_2, 0.0)
///     .build()?;
/// let sine = Curve::Sine { amplitude: 1.0, wave_number: 1.0 };
/// let pendulum = Machine::new(network)?.with_spring(["bob", "ground"], sine)?;
/// let path = machine::solve(&pendulum, 10.0, Options::tolerance(1e-11))?;
/// let period = 4.0 * 1.854_074_677_301_372;
/// assert!((path.state(period).x[0] - std::f64::consts::FRAC_PI_2).abs() < 1e-9);
/// # Ok(()) }
/// ```
pub fn solve(machine: &Machine, end: f64, options: Options) -> Result<MachinePath, Error> {
    let mut cursor = cursor(machine, end, options)?;
    let mut path = MachinePath::default();
    cursor.advance(end, &mut path)?;
    cursor.system().warnings.told().for_each(|w| path.warn(w));
    let energy = path.energy();
    audit(&mut path, &energy, end, options.rtol)?;
    Ok(path)
}

/// Solves `machine`, whose motion between events is linear, on [0, `end`] (s) to rounding.
///
/// # Errors
/// If a part is not linear, otherwise as [`solve`].
pub fn exact(machine: &Machine, end: f64) -> Result<MachinePath, Error> {
    let mut cursor = exact_cursor(machine, end)?;
    let mut path = MachinePath::default();
    cursor.advance(end, &mut path)?;
    cursor.system().warnings.told().for_each(|w| path.warn(w));
    let energy = path.energy();
    audit(&mut path, &energy, end, EXACT_AUDIT)?;
    Ok(path)
}

/// The same up to `end` (s at the latest), at the caller's pace: see [`Cursor`].
///
/// # Errors
/// As [`exact`].
pub fn exact_cursor(machine: &Machine, end: f64) -> Result<Cursor<System>, Error> {
    begin(machine, end, Steps::Exact)
}

/// What the scheme without tolerances takes for one: bounces below it are summed, and what is less is at rest.
const ROUNDING: Options = Options { rtol: 1e-14, atol: 1e-17, leave_at: None };
/// The tolerance that its energies are held against: powers are products of rounded numbers.
const EXACT_AUDIT: f64 = 1e-13;

/// The run up to `end` (s at the latest), at the caller's pace: see [`Cursor`].
///
/// # Errors
/// As [`solve`].
pub fn cursor(machine: &Machine, end: f64, options: Options) -> Result<Cursor<System>, Error> {
    begin(machine, end, Steps::Adaptive(options))
}

/// A run up to `end` (s at the latest) from the state in which `machine` begins.
///
/// # Errors
/// As [`exact`] and [`solve`].
pub(crate) fn begin(machine: &Machine, end: f64, steps: Steps) -> Result<Cursor<System>, Error> {
    cursor_from(machine, &first(machine)?, [0.0, end], steps)
}

/// The state in which `machine` begins.
///
/// # Errors
/// If its parts do not begin together.
fn first(machine: &Machine) -> Result<MachineState, Error> {
    machine.check_start()?;
    let nodes = machine.network().nodes();
    Ok(MachineState {
        x: nodes.iter().map(|n| n.displacement).collect(),
        v: nodes.iter().map(|n| n.velocity).collect(),
        ..MachineState::default()
    })
}

/// The run from `at` at the first of these instants up to the other (s).
///
/// # Errors
/// As [`exact`] and [`solve`].
pub(crate) fn cursor_from(
    machine: &Machine,
    at: &MachineState,
    [start, end]: [f64; 2],
    steps: Steps,
) -> Result<Cursor<System>, Error> {
    let (system, begins) = set_out_from(machine, at, [start, end], steps)?;
    Cursor::new(system, begins, start, end, most_events())
}

/// The same, before its first motion.
fn set_out_from(
    machine: &Machine,
    at: &MachineState,
    [start, end]: [f64; 2],
    steps: Steps,
) -> Result<(System, Begins<System>), Error> {
    let linear = steps.linear(machine)?;
    let options = steps.options();
    machine.check_until(end)?;
    options.check()?;
    let parts = Arc::new(Parts::new(machine)?);
    let mut system = System {
        fastest: vec![0.0; parts.bristles.len()],
        parts,
        linear,
        options,
        end,
        // A first guess, which the size of the derivatives then shortens.
        h: 1e-3 * (end - start),
        stiff: false,
        known: None,
        stalls: 0,
        warnings: Warnings::default(),
        struck: None,
        interrupt: Interrupt::current(),
    };
    let begins = system.place(start, at)?;
    Ok((system, begins))
}

/// The masses, and what the rows remember.
#[derive(Debug, Clone)]
pub struct Masses {
    /// Displacement (m) and velocity (m/s) of each.
    x: Vec<f64>,
    v: Vec<f64>,
    /// When each slider came to rest or began to slip, what each gear hands on took its sign, and each bend came to its piece, s.
    since: Vec<f64>,
    /// Gap of each contact, m.
    gap: Vec<f64>,
    /// When the bounces of a contact end that are summed, s; +∞ without any.
    settles: Vec<f64>,
    /// What the controllers remember.
    control: Control,
    /// The piece on which each bend is.
    pieces: Vec<u32>,
    /// u of each slider with memory, where its law is of rate and state and u is known better than by the velocities.
    levels: Vec<f64>,
}

/// A machine as the event loop sees it.
#[derive(Debug, Clone)]
pub struct System {
    parts: Arc<Parts>,
    /// The steps of linear equations, in a run by `exact`.
    linear: Option<Linear>,
    options: Options,
    end: f64,
    /// Next step, s.
    h: f64,
    /// Whether the next motion goes on from explicit steps that are only as long as they are stable for.
    stiff: bool,
    /// The mode that was made last.
    known: Option<Arc<Mode>>,
    /// Motions in a row that took no time.
    stalls: u32,
    /// The greatest sliding speed of each slider with memory since it turned last, m/s, where its law is of rate and state.
    fastest: Vec<f64>,
    warnings: Warnings,
    /// What was struck as the last motion ended, if anything was.
    struck: Option<Struck>,
    interrupt: Interrupt,
}

/// Motions in a row that take no time, after which the run is given up.
const MOST_STALLS: u32 = 500;

impl System {
    /// The shortest step at `t` (s) that rounding allows.
    fn shortest(&self, t: f64) -> f64 {
        if self.parts.has_levels() {
            // From rest a velocity of rate and state passes its decades in ever shorter times.
            return 4.0 * f64::EPSILON * t.abs().max(1e-6 * self.end);
        }
        16.0 * f64::EPSILON * t.abs().max(1e-3 * self.end)
    }

    /// The mode of these statuses.
    fn mode(&mut self, status: &[i8]) -> Result<Arc<Mode>, Error> {
        // Events often leave all statuses as they were, and a mode is costly to make.
        if let Some(known) = &self.known
            && known.status[..] == *status
        {
            return Ok(known.clone());
        }
        let mode = Arc::new(Mode::new(&self.parts, status.to_vec())?);
        self.known = Some(mode.clone());
        Ok(mode)
    }

    /// An error with the name of the scheme by which the machine is solved.
    fn named(&self, error: Error) -> Error {
        match error {
            Error::Unsuitable { reason, .. } if self.linear.is_some() => {
                Error::Unsuitable { scheme: linear::SCHEME, reason }
            }
            other => other,
        }
    }
}

impl EventDriven for System {
    type State = Masses;
    type Motion = MachineArc;
    type What = Ends;

    fn smooth_until(&mut self, t: f64) -> f64 {
        self.parts.machine.signals().map(|s| s.next_breakpoint(t)).fold(f64::INFINITY, f64::min)
    }

    fn motion(
        &mut self,
        t: f64,
        state: &Masses,
        phase: &NetworkPhase,
        until: f64,
    ) -> Result<Followed<Self>, Failure> {
        let mode = self.mode(phase).map_err(|error| self.named(error))?;
        let x0: Arc<[f64]> = state.x.clone().into();
        let gap0: Arc<[f64]> = state.gap.clone().into();
        let settles = state.settles.iter().copied().fold(until, f64::min);
        let tick = self.parts.next_tick(&state.control);
        // A kink of what a slider can hold ends a motion as the end of summed bounces does.
        let settles = self.next_kink(t, state, phase).min(settles);
        let own = settles.min(tick);
        let (dense, hit) = self.follow(t, state, &mode, &x0, own)?;
        // A tick at the very start of a motion ends it there: what came with it is over.
        let what = if tick <= settles { Ends::Ticks } else { Ends::Settles };
        let hit = hit.or((own < until || tick <= t).then_some(Hit { time: own, what }));
        // What takes time is progress; rounding may send a machine round in circles that take none.
        let moved = hit.as_ref().is_none_or(|hit| hit.time > t);
        self.stalls = if moved { 0 } else { self.stalls + 1 };
        if self.stalls > MOST_STALLS {
            let error = Error::Stalled { time: t, phase: self.describe(phase) };
            return Err(Failure::Met(error));
        }
        let parts = self.parts.clone();
        let since = state.since.clone().into();
        let control = Arc::new(state.control.clone());
        let pieces = state.pieces.clone().into();
        let dense = Arc::new(dense);
        Ok((MachineArc { parts, mode, start: t, x0, gap0, since, control, pieces, dense }, hit))
    }

    fn arrive(&self, leg: &Leg<Self>, t: f64, _: Option<&Ends>) -> Masses {
        let arc = &leg.motion;
        let flow = arc.flow();
        let mut u = vec![0.0; flow.size()];
        let mut at = Instant::of(&self.parts);
        arc.dense.at(t, &mut u);
        flow.kinematics(t, &u, &mut at);
        let Masses { since, settles, control, pieces, .. } = leg.state.clone();
        let control = Control { states: at.states, ..control };
        let levels = at.creeps.iter().map(|creep| creep.level).collect();
        Masses { x: at.x, v: at.v, since, gap: at.gap, settles, control, pieces, levels }
    }

    fn next(
        &mut self,
        leg: &Leg<Self>,
        state: Masses,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        // Nothing happened: a long motion was divided.
        if leg.hit == Some(Ends::Pauses) {
            return Ok((state, leg.phase.clone()));
        }
        let begins = self.resolve(leg.stop, state, &leg.phase, leg.hit, &leg.motion.mode, events);
        begins.map_err(|error| self.named(error))
    }

    fn is_finite(&self, state: &Masses) -> bool {
        state.x.iter().chain(&state.v).all(|x| x.is_finite())
    }

    fn describe(&self, phase: &NetworkPhase) -> String {
        let sliders = self.parts.sliders;
        let slips = phase[..sliders].iter().filter(|s| **s != 0).count();
        format!("{slips} of {sliders} sliders slip")
    }

    fn place(&mut self, t: f64, at: &MachineState) -> Result<Begins<Self>, Error> {
        let of = |u: &[f64]| self.parts.node_of.iter().map(|i| u[*i]).collect();
        let x = of(&at.x);
        let v = of(&at.v);
        let contacts = self.parts.contacts.len();
        let gap = vec![0.0; contacts];
        let settles = vec![f64::INFINITY; contacts];
        let bends = self.parts.bends.all.len();
        let mut since = vec![t; self.parts.statuses() + bends];
        since.iter_mut().zip(&at.rested).for_each(|(since, rested)| *since = t - rested);
        let pieces = vec![0; bends];
        let control = at.control.clone();
        let levels = vec![f64::NAN; self.parts.bristles.len()];
        let mut state = Masses { x, v, since, gap, settles, control, pieces, levels };
        // A state that was saved brings what its controllers and bristles remember.
        let states = self.parts.states();
        if state.control.held.len() != self.parts.loops.len()
            || state.control.states.len() != states
        {
            // A run begins: nothing is remembered yet.
            let parts = self.parts.clone();
            let window = parts.window(t);
            state.control = Control::empty(&parts);
            let mut now = Instant::of(&parts);
            self.show(t, &state, &window, &mut now);
            state.control = parts.fresh_control(t, &window, &now);
        }
        self.set_out(t, state).map_err(|error| self.named(error))
    }

    fn change(
        &mut self,
        t: f64,
        state: Masses,
        phase: NetworkPhase,
        model: &Model,
        events: &mut Vec<Event>,
    ) -> Result<Begins<Self>, Error> {
        let Model::Machine(machine) = model else { return Err(fixed_signals()) };
        self.parts = Arc::new(Parts::new(machine)?);
        // What was made of the model before says nothing about this one.
        self.known = None;
        if self.linear.is_some() {
            linear::check(machine)?;
            self.linear = Some(Linear::of(machine));
        }
        let mode = Arc::new(Mode::new(&self.parts, phase.to_vec())?);
        self.resolve(t, state, &phase, None, &mode, events)
    }
}
