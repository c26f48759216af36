//! Model exchange: the importer integrates, the contacts decide.
//!
//! In each phase the motion is smooth, and it stays in its phase until the importer has found a zero of an event indicator
//! and asked what comes next. The states of the standard (FMI 2.0, §3.2.3; FMI 3.0, §3.2), what the importer calls in
//! them, and what is done here:
//!
//! | state | the importer calls | here |
//! |---|---|---|
//! | Initialization Mode | `ExitInitializationMode` | [`begin`]: the first phases |
//! | Event Mode | `UpdateDiscreteStates`, in 2.0 `NewDiscreteStates` | [`Integrated::update`]: the phases that come next |
//! | Continuous-Time Mode | `SetTime`, `SetContinuousStates`, inputs | [`Integrated::set_time`], [`Integrated::set_states`], [`Integrated::load`] |
//! | | `GetContinuousStateDerivatives` | [`Integrated::derivatives`], in the present phases |
//! | | `GetEventIndicators` | [`Integrated::indicators`]: what the library's own event location looks for |
//! | | `GetDirectionalDerivative` | [`Integrated::partial`] |
//!
//! An event always leads into Event Mode and out of it again, and never needs a second update.

mod cascade;
mod impact;
mod network;
mod oscillator;

use crate::run::Held;
use std::fmt;
use std::sync::Arc;
use stickslip::model::{Inlet, Loads};
use stickslip::{Error, EventKind, Model, Problem};
use stickslip_file::interface::Meaning;

/// What is added to an indicator, relative to what it compares: a phase that begins at a zero of its own indicator does
/// not end there.
pub const BLUR: f64 = 1e-12;

/// A rebound slower than the fastest approach by this factor is none: the mass rests at the stop.
const REBOUND: f64 = 1e-8;

/// With what speed a mass leaves a rigid stop that it has come to at `speed` (m/s), the `fastest` so far. 0 where that is
/// no rebound: where it is slower than [`REBOUND`] of the fastest, or where the acceleration `back` to the stop (m/s²) lets
/// it rise no higher than the importer stands `beyond` the stop (m) may have given it.
fn rebound(restitution: f64, [speed, fastest]: [f64; 2], back: f64, beyond: f64) -> f64 {
    let (left, kept) = (restitution * speed, restitution * restitution);
    // From `beyond` a mass falls back to the stop with v² = 2 · back · beyond: a rebound that this feeds never ends.
    let fed = kept < 1.0 && left * left * (1.0 - kept) < 4.0 * back * beyond * kept;
    if fed || left <= REBOUND * fastest { 0.0 } else { left }
}

/// What an importer that integrates asks of a motion. Times are in s, and everything else in the units of the model.
pub trait Integrated: fmt::Debug + Send + Sync {
    /// A copy that goes on like the original.
    fn copy(&self) -> Box<dyn Integrated>;

    /// What every such motion has.
    fn shared(&self) -> &Shared;

    /// The same, to be changed.
    fn shared_mut(&mut self) -> &mut Shared;

    /// Where it is, s.
    fn time(&self) -> f64 {
        self.shared().time
    }

    /// Puts it to `t` (s).
    ///
    /// # Errors
    /// If the loads there are none.
    fn set_time(&mut self, t: f64) -> Result<(), Error> {
        self.shared_mut().time = t;
        Ok(())
    }

    /// Takes the loads from the present time on.
    ///
    /// # Errors
    /// If a load is not finite, or a normal force negative.
    fn load(&mut self) -> Result<(), Error>;

    /// The continuous states.
    fn states(&self, out: &mut [f64]);

    /// Puts them where the importer has integrated them to.
    fn set_states(&mut self, states: &[f64]);

    /// Their derivatives in the present phase.
    fn derivatives(&self, out: &mut [f64]);

    /// The event indicators.
    fn indicators(&self, out: &mut [f64]);

    /// Event Mode: takes the loads from here on, and goes on to the phases that come next. Whether the states jump.
    ///
    /// # Errors
    /// If the loads from here on are none, or there is no motion under them.
    fn update(&mut self) -> Result<bool, Error>;

    /// ∂`unknown`/∂`known` in the present phase; `None` where no formula is at hand.
    fn partial(&self, unknown: Meaning, known: Meaning) -> Option<f64>;

    /// The numbers of a solution.
    fn row(&self, out: &mut Vec<f64>);

    /// Energy lost so far, J.
    fn lost(&self) -> f64;

    /// What a contact does: −1, 0, 1.
    fn phase(&self, contact: usize) -> i32;

    /// Everything that decides how it goes on, beside what is shared.
    fn numbers(&self) -> Vec<f64>;

    /// Puts it where it was when it gave these numbers; whether they are such numbers. What is shared has been put back.
    fn put_back(&mut self, numbers: &[f64]) -> bool;
}

impl Clone for Box<dyn Integrated> {
    fn clone(&self) -> Self {
        self.copy()
    }
}

/// What every motion has in the hands of an importer that integrates.
#[derive(Debug, Clone)]
pub struct Shared {
    /// Where it is, s.
    pub time: f64,
    /// What is added at each inlet.
    pub inputs: Vec<Held>,
    /// Events so far.
    pub counts: Counts,
    /// The model's own loads; none of an element.
    loads: Option<Arc<Loads>>,
}

impl Shared {
    /// Of a motion at t = 0 that has no loads but its inputs.
    pub fn new(inputs: Vec<Held>) -> Self {
        Self { time: 0.0, inputs, counts: Counts::default(), loads: None }
    }

    /// The model under its own loads and those of the importer from the present time on.
    fn model(&self) -> Result<Option<Model>, Error> {
        let add: Vec<[f64; 2]> = self.inputs.iter().map(|i| [i.at(self.time), i.rate]).collect();
        self.loads.as_ref().map(|l| l.from(self.time, self.time, &add)).transpose()
    }

    /// When the next event is that is known by its time, s: where one of the model's own signals is not smooth.
    pub fn next_event(&self) -> Option<f64> {
        let next = self.loads.as_ref()?.next_breakpoint(self.time);
        next.is_finite().then_some(next)
    }

    /// The inlet of an input.
    fn inlet(&self, input: usize) -> Option<Inlet> {
        self.loads.as_ref()?.inlets().get(input).copied()
    }

    /// How an input's value goes with `known` at the present time, and how its rate does: its number, and both; `None` for
    /// what is no input. A rate that is set leaves the value as it is.
    fn input_with(&self, known: Meaning) -> Option<(usize, f64, f64)> {
        match known {
            Meaning::Input(i) => Some((i, 1.0, 0.0)),
            Meaning::Rate(i) => Some((i, 0.0, 1.0)),
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

/// The motion of `problem` at t = 0, with `inputs` added to its signals.
///
/// # Errors
/// If the problem is not well posed, or model exchange is not offered for it.
pub fn begin(problem: &Problem, inputs: Vec<Held>) -> Result<Box<dyn Integrated>, Error> {
    problem.check()?;
    let unsuitable = |reason: &str| {
        Err(Error::Unsuitable { scheme: "of the importer", reason: reason.to_owned() })
    };
    if !problem.noises.is_empty() {
        return unsuitable("the model has noise; use co-simulation");
    }
    let loads = Some(Arc::new(Loads::of(&problem.model)));
    let shared = Shared { loads, ..Shared::new(inputs) };
    Ok(match &problem.model {
        Model::Oscillator(o) => Box::new(oscillator::OscillatorMotion::new(o, shared)?),
        Model::Cascade(c) if c.displacement.is_none() => {
            Box::new(cascade::CascadeMotion::new(c, shared)?)
        }
        Model::Network(n) => Box::new(network::NetworkMotion::new(n, shared)?),
        Model::Impact(i) => Box::new(impact::ImpactMotion::new(i, shared)?),
        Model::Cascade(_) => {
            return unsuitable("the motion of the mass is prescribed; use co-simulation");
        }
        _ => return unsuitable("this version of the library does not know such a model"),
    })
}
