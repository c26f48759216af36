//! Motions that somebody else integrates: a program with an integrator of its own, into which only derivatives and guards
//! go. The contacts decide here what comes next.
//!
//! In each phase the motion is smooth, and it stays in its phase until the integrator has found a zero of a guard and asked
//! what comes next. What it does, and what answers here:
//!
//! | the integrator | here |
//! |---|---|
//! | begins | [`begin`]: the first phases |
//! | puts the time, the states, the inputs | [`Integrated::set_time`], [`Integrated::set_states`], [`Integrated::load`] |
//! | asks for derivatives in the present phases | [`Integrated::derivatives`] |
//! | asks for guards, whose zeros are the events | [`Integrated::indicators`]: what the library's own event location looks for |
//! | keeps a step | [`Integrated::completed`] |
//! | has found an event | [`Integrated::update`]: the phases that come next |
//! | asks for a column of the Jacobian | [`Integrated::partial`] |
//!
//! An event never needs a second update. Model exchange of FMI 2.0 (§3.2.3) and 3.0 (§3.2) is such an integrator.

mod cascade;
mod element;
mod impact;
mod machine;
mod network;
mod oscillator;
mod prescribed;

pub use crate::scheme::machine::guarded::{MachineStates, states as machine_states};
pub use element::contact;
pub use oscillator::at_stop;

use crate::model::{Inlet, Loads};
use crate::{Error, EventKind, Model, Problem};
use std::fmt;
use std::sync::Arc;

/// What is added to an indicator, relative to what it compares: a phase that begins at a zero of its own indicator does
/// not end there.
pub const BLUR: f64 = 1e-12;

/// A rebound slower than the fastest approach by this factor does not count: the mass rests at the stop.
const REBOUND: f64 = 1e-8;

/// With what speed a mass leaves a rigid stop that it has come to at `speed` (m/s), the `fastest` so far. 0 where that is
/// no rebound: where it is slower than [`REBOUND`] of the fastest, or where the acceleration `back` to the stop (m/s²) lets
/// it rise no higher than the integrator stands `beyond` the stop (m) may have given it.
fn rebound(restitution: f64, [speed, fastest]: [f64; 2], back: f64, beyond: f64) -> f64 {
    let left = restitution * speed;
    let kept = restitution * restitution;
    // From `beyond` a mass falls back to the stop with v² = 2 · back · beyond: a rebound that this feeds never ends.
    let fed = kept < 1.0 && left * left * (1.0 - kept) < 4.0 * back * beyond * kept;
    if fed || left <= REBOUND * fastest { 0.0 } else { left }
}

/// What an integrator adds to a signal: `value` at `since` (s), and a rate from there on.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Added {
    /// The value.
    pub value: f64,
    /// Its rate, per second.
    pub rate: f64,
    /// When it was set, s.
    pub since: f64,
}

impl Added {
    /// Its value at `t` (s).
    pub fn at(&self, t: f64) -> f64 {
        self.value + self.rate * (t - self.since)
    }
}

/// What has a partial derivative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// The derivative of this state.
    Derivative(usize),
    /// This number of the solution.
    Value(usize),
}

/// With respect to what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// The state that is this number of the solution.
    Value(usize),
    /// The energy lost, which is a state.
    Lost,
    /// What is added to this signal.
    Input(usize),
    /// How fast that changes.
    Rate(usize),
}

/// What one kind of model does when it is integrated from outside. Times are in s, and everything else in the units
/// of the model; `at` is what every kind has.
pub trait Equations: Copied + fmt::Debug + Send + Sync {
    /// Takes the loads from the present time on.
    ///
    /// # Errors
    /// If a load is not finite, or a normal force negative.
    fn load(&mut self, at: &Shared) -> Result<(), Error>;

    /// The integrator has put the time or the states elsewhere.
    ///
    /// # Errors
    /// If a load there is not finite or a normal force is negative.
    fn moved(&mut self, _at: &Shared) -> Result<(), Error> {
        Ok(())
    }

    /// The continuous states.
    fn states(&self, out: &mut [f64]);

    /// Puts them where the integrator has integrated them to.
    fn set_states(&mut self, states: &[f64]);

    /// Their derivatives in the present phase.
    fn derivatives(&self, at: &Shared, out: &mut [f64]);

    /// The event indicators.
    fn indicators(&self, at: &Shared, out: &mut [f64]);

    /// The integrator keeps the step that it has done.
    fn completed(&mut self, _at: &Shared) {}

    /// In co-simulation: advances to `until` (s); with `to_event` only to the first event on the way. Whether it has stopped
    /// there.
    ///
    /// # Errors
    /// Where it cannot advance by itself, or an input is not finite.
    fn advance(&mut self, _at: &mut Shared, _until: f64, _to_event: bool) -> Result<bool, Error> {
        unsuitable("a step was asked for; this motion is integrated from outside")
    }

    /// When the next event is, s, that is known by its time and is none of a signal; +∞ without any.
    fn next_event(&self) -> f64 {
        f64::INFINITY
    }

    /// Event Mode, with the loads from here on: goes on to the phases that come next. Whether the states jump.
    ///
    /// # Errors
    /// If there is no motion under the loads.
    fn update(&mut self, at: &mut Shared) -> Result<bool, Error>;

    /// ∂`unknown`/∂`known` in the present phase; `None` where no formula is at hand.
    fn partial(&self, at: &Shared, unknown: Unknown, known: Known) -> Option<f64>;

    /// The numbers of a solution.
    fn row(&self, at: &Shared, out: &mut Vec<f64>);

    /// Energy lost so far, J.
    fn lost(&self, at: &Shared) -> f64;

    /// What a contact does: −1, 0, 1.
    fn phase(&self, at: &Shared, contact: usize) -> i32;

    /// Everything that decides how it continues, besides what every kind has.
    fn numbers(&self) -> Vec<f64>;

    /// Puts it where it was when it gave these numbers; whether they are such numbers.
    fn put_back(&mut self, at: &Shared, numbers: &[f64]) -> bool;
}

/// What can be copied without its type being known.
pub trait Copied {
    /// A copy that goes on like the original.
    fn copy(&self) -> Box<dyn Equations>;
}

impl<E: Equations + Clone + 'static> Copied for E {
    fn copy(&self) -> Box<dyn Equations> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Equations> {
    fn clone(&self) -> Self {
        // Of what is in the box, not of the box.
        (**self).copy()
    }
}

/// A model that somebody else integrates. A copy goes on like the original.
#[derive(Debug, Clone)]
pub struct Integrated {
    /// What every kind has.
    pub shared: Shared,
    equations: Box<dyn Equations>,
}

impl Integrated {
    /// Of equations that have taken their loads at t = 0.
    pub fn new(equations: impl Equations + 'static, shared: Shared) -> Self {
        Self { shared, equations: Box::new(equations) }
    }

    /// Puts it to `t` (s).
    ///
    /// # Errors
    /// If a load there is not finite or a normal force is negative.
    pub fn set_time(&mut self, t: f64) -> Result<(), Error> {
        self.shared.time = t;
        self.equations.moved(&self.shared)
    }

    /// Takes the loads from the present time on.
    ///
    /// # Errors
    /// If a load is not finite, or a normal force negative.
    pub fn load(&mut self) -> Result<(), Error> {
        self.equations.load(&self.shared)
    }

    /// The continuous states.
    pub fn states(&self, out: &mut [f64]) {
        self.equations.states(out);
    }

    /// Puts them where the integrator has integrated them to.
    ///
    /// # Errors
    /// If a load there is not finite or a normal force is negative.
    pub fn set_states(&mut self, states: &[f64]) -> Result<(), Error> {
        self.equations.set_states(states);
        self.equations.moved(&self.shared)
    }

    /// Their derivatives in the present phase.
    pub fn derivatives(&self, out: &mut [f64]) {
        self.equations.derivatives(&self.shared, out);
    }

    /// The event indicators.
    pub fn indicators(&self, out: &mut [f64]) {
        self.equations.indicators(&self.shared, out);
    }

    /// The integrator keeps the step that it has done.
    pub fn completed(&mut self) {
        self.equations.completed(&self.shared);
    }

    /// In co-simulation: advances to `until` (s); with `to_event` only to the first event on the way. Whether it has stopped
    /// there.
    ///
    /// # Errors
    /// Where it cannot advance by itself, or an input is not finite.
    pub fn advance(&mut self, until: f64, to_event: bool) -> Result<bool, Error> {
        self.load()?;
        self.equations.advance(&mut self.shared, until, to_event)
    }

    /// Event Mode: takes the loads from here on, and goes on to the phases that come next. Whether the states jump.
    ///
    /// # Errors
    /// If a load from here on is not finite or a normal force is negative, or there is no motion under them.
    pub fn update(&mut self) -> Result<bool, Error> {
        self.load()?;
        self.equations.update(&mut self.shared)
    }

    /// When the next event is that is known by its time, s: where one of the model's own signals is not smooth, or something in the model
    /// is due.
    pub fn next_event(&self) -> Option<f64> {
        let signals = self.shared.next_event().unwrap_or(f64::INFINITY);
        let next = self.equations.next_event().min(signals);
        next.is_finite().then_some(next)
    }

    /// ∂`unknown`/∂`known` in the present phase; `None` where no formula is at hand.
    pub fn partial(&self, unknown: Unknown, known: Known) -> Option<f64> {
        self.equations.partial(&self.shared, unknown, known)
    }

    /// The numbers of a solution.
    pub fn row(&self, out: &mut Vec<f64>) {
        out.clear();
        self.equations.row(&self.shared, out);
    }

    /// Energy lost so far, J.
    pub fn lost(&self) -> f64 {
        self.equations.lost(&self.shared)
    }

    /// What a contact does: −1, 0, 1.
    pub fn phase(&self, contact: usize) -> i32 {
        self.equations.phase(&self.shared, contact)
    }

    /// Everything that decides how it continues, besides its time and its inputs.
    pub fn numbers(&self) -> Vec<f64> {
        self.shared.counts.numbers().chain(self.equations.numbers()).collect()
    }

    /// Puts it where it was when it gave these numbers; whether they are such numbers.
    ///
    /// # Errors
    /// If a load there is not finite or a normal force is negative.
    pub fn put_back(
        &mut self,
        inputs: Vec<Added>,
        time: f64,
        numbers: &[f64],
    ) -> Result<bool, Error> {
        (self.shared.inputs, self.shared.time) = (inputs, time);
        self.load()?;
        let Some((counts, own)) = Counts::read(numbers) else { return Ok(false) };
        self.shared.counts = counts;
        Ok(self.equations.put_back(&self.shared, own))
    }
}

/// What every motion has that is integrated from outside.
#[derive(Debug, Clone)]
pub struct Shared {
    /// Where it is, s.
    pub time: f64,
    /// What is added at each inlet.
    pub inputs: Vec<Added>,
    /// Events so far.
    pub counts: Counts,
    /// The model's own loads; none of an element.
    loads: Option<Arc<Loads>>,
}

impl Shared {
    /// Of a motion at t = 0 that has no loads but its inputs.
    pub fn new(inputs: Vec<Added>) -> Self {
        Self { time: 0.0, inputs, counts: Counts::default(), loads: None }
    }

    /// The model under its own loads and those of the integrator from the present time on.
    fn model(&self) -> Result<Option<Model>, Error> {
        let add: Vec<[f64; 2]> = self.inputs.iter().map(|i| [i.at(self.time), i.rate]).collect();
        self.loads.as_ref().map(|l| l.from(self.time, self.time, &add)).transpose()
    }

    /// When one of the model's own signals is not smooth next, s.
    fn next_event(&self) -> Option<f64> {
        let next = self.loads.as_ref()?.next_breakpoint(self.time);
        next.is_finite().then_some(next)
    }

    /// The inlet of an input.
    fn inlet(&self, input: usize) -> Option<Inlet> {
        self.loads.as_ref()?.inlets().get(input).copied()
    }

    /// How an input's value goes with `known` at the present time, and how its rate does: its number, and both; `None` for
    /// what is no input. A rate that is set leaves the value as it is.
    fn input_with(&self, known: Known) -> Option<(usize, f64, f64)> {
        match known {
            Known::Input(i) => Some((i, 1.0, 0.0)),
            Known::Rate(i) => Some((i, 0.0, 1.0)),
            _ => None,
        }
    }
}

/// Events of each kind so far, in the order of [`EventKind::ALL`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counts([i32; EventKind::ALL.len()]);

impl Counts {
    /// Counts an event.
    pub fn add(&mut self, kind: EventKind) {
        if let Some(i) = EventKind::ALL.iter().position(|k| *k == kind) {
            self.0[i] = self.0[i].saturating_add(1);
        }
    }

    /// Events of a kind.
    pub fn of(&self, kind: EventKind) -> i32 {
        EventKind::ALL.iter().position(|k| *k == kind).map_or(0, |i| self.0[i])
    }

    /// All of them.
    pub fn numbers(&self) -> impl Iterator<Item = f64> + '_ {
        self.0.iter().map(|n| f64::from(*n))
    }

    /// Those that [`numbers`](Self::numbers) has listed, and what follows them; `None` if there are not as many.
    pub fn read(numbers: &[f64]) -> Option<(Self, &[f64])> {
        let (first, rest) = numbers.split_first_chunk::<{ EventKind::ALL.len() }>()?;
        Some((Self(first.map(|n| n as i32)), rest))
    }
}

fn unsuitable<T>(reason: &str) -> Result<T, Error> {
    Err(Error::NotOffered { what: "model exchange", reason: reason.to_owned() })
}

/// The motion of `problem` at t = 0, with `inputs` added to its signals.
///
/// # Errors
/// If the problem is not well posed, or model exchange is not offered for it.
pub fn begin(problem: &Problem, inputs: Vec<Added>) -> Result<Integrated, Error> {
    problem.check()?;
    if !problem.noises.is_empty() {
        return unsuitable("the model has noise; use co-simulation");
    }
    let loads = Some(Arc::new(Loads::of(&problem.model)));
    let mut at = Shared { loads, ..Shared::new(inputs) };
    let equations: Box<dyn Equations> = match &problem.model {
        Model::Oscillator(o) => Box::new(oscillator::OscillatorMotion::new(o, &at)?),
        Model::Cascade(c) if c.displacement.is_some() => {
            Box::new(prescribed::PrescribedMotion::new(c, &mut at)?)
        }
        Model::Cascade(c) => Box::new(cascade::CascadeMotion::new(c, &at)?),
        Model::Network(n) => Box::new(network::NetworkMotion::new(n, &at)?),
        Model::Impact(i) => Box::new(impact::ImpactMotion::new(i, &mut at)?),
        Model::Hysteretic(_) => {
            return unsuitable(
                "what a contact with memory remembers is integrated by steps of its own; use co-simulation",
            );
        }
        Model::Machine(m) => Box::new(machine::MachineMotion::new(m, problem.end, &at)?),
        Model::Planar(_) | Model::Isolated(_) => {
            return unsuitable(
                "what slides on a plane is followed by steps of its own; use co-simulation",
            );
        }
    };
    Ok(Integrated { shared: at, equations })
}
