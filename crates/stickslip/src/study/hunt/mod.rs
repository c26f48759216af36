//! Does it hunt? What a machine under a controller does in the long run, from several starts.
//!
//! A loop whose signals are constant comes to rest, comes to a limit cycle (it hunts), runs away, or goes on without repeating
//! itself. [`hunt`] follows the motion from every start by events until one of these is seen:
//!
//! * **A cycle**: all events of the last period are those of the period before, at states that differ by less than 1e-9 of how
//!   far each number of the state goes in a period.
//! * **Rest**: nothing happens any more, all velocities are below 1e-9 of the greatest, and over the last tenth of the time
//!   the forces of all controllers change by less than 1e-9 of themselves. An integral that grows at rest is no rest.
//! * **Running away**: the error passes 10⁴ times the largest error of a start (or of the reference, or of what friction holds).
//!
//! What is said holds for the starts that were tried, not for all.

mod cycle;
mod watch;

pub use cycle::{Cycle, Multipliers};

use crate::error::{Error, require};
use crate::interrupt::Interrupt;
use crate::model::Machine;
use crate::model::machine::{Quantity, Rule, Trains};
use crate::scheme::machine::{self, MachineState};
use crate::scheme::oscillator::adaptive::Options;
use crate::study::orbit::Method;
use watch::Watch;

/// How the search goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// Time after which a motion is given up, s.
    pub within: f64,
    /// The errors of the starts over that of the model's own start, to which the nodes are shifted.
    pub starts: Vec<f64>,
    /// Events after which a motion is given up.
    pub events: usize,
    /// Which solver makes the motions.
    pub method: Method,
}

impl Search {
    /// For motions of at most so many seconds, from five starts.
    pub fn within(time: f64) -> Self {
        let starts = vec![1.0, -1.0, 0.3, -0.3, 0.03];
        Self {
            within: time,
            starts,
            events: 4_000,
            method: Method::Adaptive(Options::tolerance(1e-12).with_atol(1e-14)),
        }
    }
}

/// What a motion comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It rests from `time` (s) on, with this error.
    Rests {
        /// When its last event was, s; 0 without one.
        time: f64,
        /// Reference less measured, m or m/s.
        error: f64,
    },
    /// It comes to the cycle of this number.
    Hunts(usize),
    /// It goes on, and has not repeated itself.
    Wanders {
        /// The least and the greatest error in the last half, m or m/s.
        error: [f64; 2],
    },
    /// Its error grows beyond all that was there at the starts, at this time (s).
    RunsAway(f64),
    /// It could not be told, for this reason.
    Undecided(String),
}

/// A start, and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// By how much the nodes were shifted from the model's own start, as the controller measures it, m.
    pub shift: f64,
    /// The error there, m or m/s.
    pub error: f64,
    /// What came of it.
    pub outcome: Outcome,
}

/// What the loop does, from the starts that were tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// From at least one start it runs away.
    Unstable,
    /// From none it runs away, and from at least one it hunts, in a cycle or not.
    Hunts,
    /// From every start it comes to rest.
    Rests,
    /// Of some start it could not be told what comes of it, and from the others it rests.
    Undecided,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hunt {
    /// The controller whose error is meant, by its number.
    pub controller: usize,
    /// The starts, in the order of the search.
    pub starts: Vec<Start>,
    /// The cycles to which they lead.
    pub cycles: Vec<Cycle>,
}

impl Hunt {
    /// What the loop does, from the starts that were tried.
    pub fn verdict(&self) -> Verdict {
        let any = |of: fn(&Outcome) -> bool| self.starts.iter().any(|s| of(&s.outcome));
        if any(|o| matches!(o, Outcome::RunsAway(_))) {
            Verdict::Unstable
        } else if any(|o| matches!(o, Outcome::Hunts(_) | Outcome::Wanders { .. })) {
            Verdict::Hunts
        } else if any(|o| matches!(o, Outcome::Undecided(_))) {
            Verdict::Undecided
        } else {
            Verdict::Rests
        }
    }

    /// The greatest error at which it rests, m or m/s, if it rests from every start.
    pub fn within(&self) -> Option<f64> {
        let error = |s: &Start| match s.outcome {
            Outcome::Rests { error, .. } => Some(error.abs()),
            _ => None,
        };
        self.starts.iter().map(error).try_fold(0.0, |most: f64, e| Some(most.max(e?)))
    }
}

/// What the loop of a machine's first controller does in the long run.
///
/// # Errors
/// If the machine has no controller, a signal is not constant, or a run fails.
///
/// ```
/// use stickslip::Signal;
/// use stickslip::model::machine::{ControlLaw, Gains};
/// use stickslip::model::{Machine, Network};
/// use stickslip::study::hunt::{Search, Verdict, hunt};
/// # fn main() -> Result<(), stickslip::Error> {
/// let axis = Network::builder()
///     .unjoined()
///     .node("axis", 1.0)
///     .slider("guide", "axis", "ground", 1.0, 0.7)
///     .build()?;
/// let gains = |integral| Gains { proportional: 6.5, integral, derivative: 3.0, filter: 0.0 };
/// let with = |integral| {
///     let law = ControlLaw::pid(gains(integral)).following(Signal::constant(1.0));
///     Machine::new(axis.clone())?.with_controller("pid", ["axis", "ground"], "axis", law)
/// };
/// let found = hunt(&with(8.5)?, &Search::within(1000.0))?;
/// assert_eq!(found.verdict(), Verdict::Hunts);
/// assert!((found.cycles[0].period - 14.99567536641).abs() < 1e-9);
/// // Without an integral it rests where P e is below what friction holds.
/// let found = hunt(&with(0.0)?, &Search::within(1000.0))?;
/// assert!(found.within().is_some_and(|e| e <= 1.0 / 6.5));
/// # Ok(()) }
/// ```
pub fn hunt(machine: &Machine, search: &Search) -> Result<Hunt, Error> {
    let controller = 0;
    check(machine)?;
    for f in &search.starts {
        require(
            "a start",
            *f,
            f.is_finite(),
            "a finite number of errors of the model's own start",
        )?;
    }
    let trains = machine.trains()?;
    let origin = errors_at_start(machine, controller);
    let shifts = search.starts.iter().map(|f| (1.0 - f) * origin.shift);
    let farthest = search.starts.iter().fold(1.0, |m: f64, f| m.max(f.abs()));
    let scale = origin.scale.max(farthest * origin.shift.abs());
    let mut found = Hunt { controller, starts: Vec::new(), cycles: Vec::new() };
    for shift in shifts {
        let (error, outcome) = match shifted(machine, &trains, controller, shift) {
            Ok(start) => follow(machine, start, search, scale, &mut found)?,
            Err(reason) => (f64::NAN, Outcome::Undecided(reason.into())),
        };
        found.starts.push(Start { shift, error, outcome });
    }
    Ok(found)
}

/// An error unless the machine is a loop that nothing drives.
fn check(machine: &Machine) -> Result<(), Error> {
    let refuse = |reason: String| Err(Error::NotOffered { what: "hunting", reason });
    if machine.controllers().is_empty() {
        return refuse(
            "the model has no controller; of a model that nothing controls `orbit` finds the cycles".into(),
        );
    }
    if machine.has_memory() {
        return refuse(
            "the friction of a slider has memory, under which nothing rests for good, as a loop that has come to rest does; use `simulate`"
                .into(),
        );
    }
    match machine.driven() {
        None => Ok(()),
        Some(what) => refuse(format!(
            "{what} is not constant; a loop hunts by itself, so write the constant that is meant, or use `simulate`"
        )),
    }
}

/// Where the starts are.
struct Origin {
    /// By how much the machine would have to be shifted to have no error, or a length that friction holds, m.
    shift: f64,
    /// The largest error that is usual there: of the model's own start, of the reference, of what friction holds, m or m/s.
    scale: f64,
}

fn errors_at_start(machine: &Machine, controller: usize) -> Origin {
    let c = &machine.controllers()[controller];
    let nodes = machine.network().nodes();
    let reference = c.law.reference.value(0.0);
    let at = |end: Option<usize>| match end.map(|i| &nodes[i]) {
        None => [0.0; 2],
        Some(node) => match &node.motion {
            Some(motion) => [motion.value(0.0), motion.derivative(0.0)],
            None => [node.displacement, node.velocity],
        },
    };
    let [first, second] = c.of().map(at);
    // What friction holds against the proportional gain.
    let friction = machine.frictions().iter().map(|f| f.law.breakaway()).fold(0.0, f64::max);
    let held = match &c.law.rule {
        Rule::Pid(g) if g.proportional != 0.0 => (friction / g.proportional).abs(),
        _ => 0.0,
    };
    let known = |x: f64| x != 0.0 && x.is_finite();
    let error = match c.law.quantity {
        Quantity::Displacement => reference - (first[0] - second[0]),
        Quantity::Velocity => reference - (first[1] - second[1]),
    };
    let shift = match c.law.quantity {
        Quantity::Displacement if known(error) => error,
        _ if known(held) => held,
        _ => 1.0,
    };
    let scale = [error, reference, shift, held].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    Origin { shift, scale }
}

/// The state at the start with the nodes shifted so that the displacement that the first controller measures, or whose
/// velocity it measures, changes by `shift` (m); or why there is none.
///
/// All nodes that are free to move are shifted alike, those that gears join by their ratios; where that changes nothing, as
/// between two free nodes, the first of them is shifted with what gears join to it.
fn shifted(
    machine: &Machine,
    trains: &Trains,
    controller: usize,
    shift: f64,
) -> Result<MachineState, &'static str> {
    let nodes = machine.network().nodes();
    let ends = machine.controllers()[controller].of();
    let free = |i: &usize| nodes[trains.root[*i]].motion.is_none();
    let leading = ends.into_iter().flatten().find(free);
    let joined = |i: usize| leading.is_some_and(|l| trains.root[i] == trains.root[l]);
    // How far each node goes when the leading one goes by 1: all nodes, or its train alone.
    let along = |i: usize, alone: bool| match leading {
        _ if !free(&i) => 0.0,
        Some(leading) if joined(i) => trains.ratio[i] / trains.ratio[leading],
        _ if alone => 0.0,
        _ => trains.ratio[i],
    };
    let measured = |alone: bool| {
        let [first, second] = ends.map(|end| end.map_or(0.0, |i| along(i, alone)));
        first - second
    };
    let alone = measured(false) == 0.0;
    let change = measured(alone);
    if shift != 0.0 && change == 0.0 {
        return Err("no shift of the nodes changes what the controller measures");
    }
    let by = if shift == 0.0 { 0.0 } else { shift / change };
    let x = nodes.iter().enumerate().map(|(i, n)| n.displacement + along(i, alone) * by);
    let state = MachineState {
        x: x.collect(),
        v: nodes.iter().map(|n| n.velocity).collect(),
        ..MachineState::default()
    };
    if machine.allows(&state.x) { Ok(state) } else { Err("a rigid stop is passed at this start") }
}

/// Follows the motion from `start`; the error there, and what comes of it.
fn follow(
    machine: &Machine,
    start: MachineState,
    search: &Search,
    scale: f64,
    found: &mut Hunt,
) -> Result<(f64, Outcome), Error> {
    let mut cursor = machine::begin(machine, search.within, search.method.of_machine())?;
    cursor.set_state(start)?;
    let error = error_of(machine, found.controller, &cursor.state());
    let mut watch = Watch::new(machine, found.controller, search.events, scale);
    let outcome = match cursor.advance(search.within, &mut watch) {
        Err(Error::Interrupted { .. }) if watch.is_done() => watch.outcome(),
        // Nothing but growth leads beyond the largest numbers.
        Err(Error::NotFinite { time, .. }) => watch::Seen::RunsAway(time),
        Err(error) => return Err(error),
        Ok(()) => watch.at_the_end(search.within),
    };
    Interrupt::current().check(0.0)?;
    let outcome = match outcome {
        watch::Seen::Rests { time, error } => Outcome::Rests { time, error },
        watch::Seen::Wanders(error) => Outcome::Wanders { error },
        watch::Seen::RunsAway(time) => Outcome::RunsAway(time),
        watch::Seen::Undecided(reason) => Outcome::Undecided(reason),
        watch::Seen::Cycle(number) => {
            let cycle = Cycle::of(machine, found.controller, &watch, number, search)?;
            let known = found.cycles.iter().position(|c| c.is_alike(&cycle));
            Outcome::Hunts(known.unwrap_or_else(|| {
                found.cycles.push(cycle);
                found.cycles.len() - 1
            }))
        }
    };
    Ok((error, outcome))
}

/// Reference less measured, m or m/s.
fn error_of(machine: &Machine, controller: usize, state: &MachineState) -> f64 {
    let c = &machine.controllers()[controller];
    let u = match c.law.quantity {
        Quantity::Displacement => &state.x,
        Quantity::Velocity => &state.v,
    };
    let [a, b] = c.of().map(|end| end.map_or(0.0, |i| u[i]));
    c.law.reference.value(0.0) - (a - b)
}
