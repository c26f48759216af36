//! One instance of a model inside another simulator.

mod bytes;
mod exchanged;
mod motion;
mod numbers;
mod tuning;
mod turning;
mod values;

use crate::resources::Folder;
use crate::run::Run;
use motion::Motion;
use numbers::{Numbers, Source};
use std::collections::BTreeMap;
use std::sync::Arc;
use stickslip::scheme::guarded::{self, Added, Integrated};
use stickslip_file::interface::{Exported, Interface, Meaning, Variable};
use stickslip_file::joint_unit::{self, FIT, JointUnit};
use stickslip_file::{Diagnostic, Document, Reading, Resources};
use tuning::Tune;
use turning::Turning;

/// Why something that was asked for is not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Nothing has changed, and another request may succeed.
    Discard(String),
    /// What was asked for cannot be.
    Error(String),
}

impl From<Diagnostic> for Fault {
    fn from(d: Diagnostic) -> Self {
        Self::Error(d.to_string())
    }
}

impl From<stickslip::Error> for Fault {
    fn from(e: stickslip::Error) -> Self {
        Self::Error(e.to_string())
    }
}

/// What was asked for, or why it was not done.
pub type Answer<T = ()> = Result<T, Fault>;

fn wrong<T>(what: impl Into<String>) -> Answer<T> {
    Err(Fault::Error(what.into()))
}

/// How far the life of an instance has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Parameters and start values may be set.
    Instantiated,
    /// The same, and outputs may be asked for.
    Initialization,
    /// It moves.
    Running,
    /// It moves no more.
    Terminated,
}

/// What does not change in the life of an instance.
#[derive(Debug)]
struct Fixed {
    numbers: Source,
    interface: Interface,
    token: String,
    inlets: usize,
    /// What the inputs are before anybody sets them.
    unset: Vec<Added>,
    indicators: usize,
    /// The end of the run in the model file, s.
    end: f64,
}

/// The name of the model file among the resources.
pub const MODEL: &str = "model.toml";

/// One instance. A copy goes on like the original.
#[derive(Debug, Clone)]
pub struct Unit {
    fixed: Arc<Fixed>,
    stage: Stage,
    /// Parameters that were set before it moved, by their references.
    values: BTreeMap<usize, f64>,
    /// Those that were set while it moved, in this order.
    tuned: Vec<Tune>,
    /// Whether some of these were forgotten.
    forgets: bool,
    /// When the importer's time begins and ends, s.
    start: f64,
    stop: Option<f64>,
    inputs: Vec<Added>,
    /// Whether the importer integrates.
    exchanged: bool,
    motion: Option<Motion>,
    row: Vec<f64>,
}

/// A parameter that was set while the instance moved.
impl Unit {
    /// An instance of the model among the resources at `location`, a path or a URI; `token` is the one that its
    /// description holds.
    ///
    /// # Errors
    /// If a resource is missing or wrong, or the description is of another model.
    pub fn new(location: &str, token: &str) -> Answer<Self> {
        Self::of_kind(location, token, false)
    }

    /// The same for model exchange: the importer integrates.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn new_exchange(location: &str, token: &str) -> Answer<Self> {
        Self::of_kind(location, token, true)
    }

    fn of_kind(location: &str, token: &str, exchanged: bool) -> Answer<Self> {
        let folder = Folder::named(location).map_err(Fault::Error)?;
        if folder.exists(FIT) {
            return Self::of_joint(Reading::new(folder), token, exchanged);
        }
        let reading = Reading::new(folder);
        let text = reading.text(MODEL)?;
        let document = Document::parse(MODEL, text.clone())?;
        let (file, interface) = Exported::read(&document, &reading)?;
        let end = file.end();
        let numbers = Source::Model(Numbers::new(document, reading));
        Self::fresh(numbers, interface, end, &text, "model file", token, exchanged)
    }

    /// An instance of the servo in the fit among the resources.
    fn of_joint(reading: Reading, token: &str, exchanged: bool) -> Answer<Self> {
        if exchanged {
            return wrong("a fitted servo integrates itself: it was made for co-simulation");
        }
        let text = reading.text(FIT)?;
        let joint = JointUnit::read(FIT, text.as_bytes())?;
        let interface = Interface::of_joint(&joint);
        let source = Source::Joint(Box::new(joint));
        Self::fresh(source, interface, joint_unit::END, &text, "fit", token, exchanged)
    }

    /// An instance of what the `text`, called `what`, describes.
    fn fresh(
        numbers: Source,
        interface: Interface,
        end: f64,
        text: &str,
        what: &str,
        token: &str,
        exchanged: bool,
    ) -> Answer<Self> {
        let own = interface.token(text);
        if token != own {
            return wrong(format!(
                "the description has the token {token} and the {what} has {own}: they are not of the same FMU"
            ));
        }
        let inputs = interface.variables.iter().filter(|v| matches!(v.meaning, Meaning::Input(_)));
        let start = |v: &Variable| Added { value: v.start.unwrap_or_default(), ..Added::default() };
        let unset: Vec<Added> = inputs.map(start).collect();
        let inlets = unset.len();
        let signs =
            interface.variables.iter().filter(|v| matches!(v.meaning, Meaning::Indicator(_)));
        let indicators = signs.count();
        let inputs = unset.clone();
        let fixed = Fixed { numbers, interface, token: own, inlets, unset, indicators, end };
        Ok(Self {
            fixed: Arc::new(fixed),
            stage: Stage::Instantiated,
            values: BTreeMap::new(),
            tuned: Vec::new(),
            forgets: false,
            start: 0.0,
            stop: None,
            inputs,
            exchanged,
            motion: None,
            row: Vec::new(),
        })
    }

    /// Back to where it was after instantiation.
    pub fn reset(&mut self) {
        (self.stage, self.start, self.stop, self.motion) = (Stage::Instantiated, 0.0, None, None);
        self.values.clear();
        self.tuned.clear();
        self.forgets = false;
        self.inputs.clone_from(&self.fixed.unset);
    }

    /// How far its life has got.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// The variable with a reference.
    ///
    /// # Errors
    /// If there is none.
    pub fn variable(&self, reference: u32) -> Answer<&Variable> {
        let variables = &self.fixed.interface.variables;
        let found = variables.get(reference as usize);
        found.ok_or_else(|| {
            Fault::Error(format!("there is no variable with the reference {reference}"))
        })
    }

    /// The span of the importer's run, s.
    ///
    /// # Errors
    /// If it has begun already, or the numbers make no span.
    pub fn set_span(&mut self, start: f64, stop: Option<f64>) -> Answer {
        if self.stage != Stage::Instantiated {
            return wrong("the span of the run can be set before the initialization only");
        }
        if !start.is_finite() || stop.is_some_and(|s| s.is_nan() || s <= start) {
            return wrong(format!(
                "a run from {start} s to {stop:?} s cannot be; expected an end after its start"
            ));
        }
        (self.start, self.stop, self.motion) = (start, stop, None);
        Ok(())
    }

    /// Begins the initialization.
    ///
    /// # Errors
    /// If it has begun already.
    pub fn enter_initialization(&mut self) -> Answer {
        if self.stage != Stage::Instantiated {
            return wrong("the initialization has begun already; reset the instance first");
        }
        self.stage = Stage::Initialization;
        Ok(())
    }

    /// Ends it: from now on the instance moves.
    ///
    /// # Errors
    /// If it has not begun, or the model cannot be solved with the parameters that were set.
    pub fn exit_initialization(&mut self) -> Answer {
        if self.stage != Stage::Initialization {
            return wrong("the initialization has not begun");
        }
        self.begun()?;
        self.stage = Stage::Running;
        Ok(())
    }

    /// Ends its motion.
    pub fn terminate(&mut self) {
        self.stage = Stage::Terminated;
    }

    /// Its motion, begun if it has not been yet.
    fn begun(&mut self) -> Answer<&mut Motion> {
        if self.stage == Stage::Instantiated {
            return wrong("outputs are known from the initialization on");
        }
        if self.motion.is_none() {
            // A run that was tuned is led there from its beginning; what the importer integrates goes on as it is now.
            let tuned = if self.exchanged { &self.tuned[..] } else { &[] };
            let file = self.file(tuned)?;
            let inputs = self.inputs.clone();
            self.motion = Some(match file {
                Exported::Element(file) => {
                    Motion::Exchange(guarded::contact(file.element, inputs)?)
                }
                Exported::Joint(joint) => Motion::Joint(Box::new(Turning::new(&joint, inputs)?)),
                Exported::Model(file) => {
                    let mut problem = file.known()?;
                    let stop = self.stop.filter(|s| s.is_finite());
                    problem.end = stop.map_or(self.fixed.end, |s| s - self.start);
                    match self.exchanged {
                        true => {
                            let motion = guarded::begin(&problem, inputs)?;
                            if !self.fixed.interface.is_exchanged() {
                                return wrong(
                                    "the model file asks for time steps, which no importer takes; use co-simulation, or the scheme `adaptive`",
                                );
                            }
                            Motion::Exchange(motion)
                        }
                        false => Motion::Run(Box::new(Run::new(problem, file.run.scheme, inputs)?)),
                    }
                }
                _ => return wrong("this version of the library does not know such a model"),
            });
        }
        match &mut self.motion {
            Some(motion) => Ok(motion),
            None => wrong("the motion has not begun"),
        }
    }

    /// The motion of model exchange.
    fn exchange(&mut self) -> Answer<&mut Integrated> {
        let exchanged = self.exchanged;
        match self.begun()? {
            Motion::Exchange(e) if exchanged => Ok(e),
            _ => wrong("this instance was made for co-simulation and integrates itself"),
        }
    }

    /// Where it is, s.
    pub fn time(&self) -> f64 {
        self.start + self.motion.as_ref().map_or(0.0, Motion::time)
    }

    /// Advances from `from` by `step` (s); with `to_event` only to the first event on the way. Whether it has stopped
    /// there.
    ///
    /// # Errors
    /// If it does not move, is elsewhere, or the step is not one; what the scheme meets on the way.
    pub fn step(&mut self, from: f64, step: f64, to_event: bool) -> Answer<bool> {
        if self.stage != Stage::Running {
            return wrong("a step was asked for before the initialization or after the end");
        }
        let now = self.time();
        if !(from.is_finite() && step.is_finite() && step >= 0.0) {
            return wrong(format!(
                "a step of {step} s from {from} s cannot be done; expected a number above 0"
            ));
        }
        let until = from + step;
        if step == 0.0 || until <= from {
            return Err(Fault::Discard(format!(
                "a step of {step} s leads nowhere; expected one above 0"
            )));
        }
        if (from - now).abs() > 1e-9 * step.max(now.abs()) {
            return wrong(format!(
                "a step from {from} s was asked for; the instance is at {now} s"
            ));
        }
        let until = until - self.start;
        let exchanged = self.exchanged;
        let motion = self.begun()?;
        if until <= motion.time() {
            return Err(Fault::Discard(format!(
                "a step of {step} s leads nowhere; expected one above 0"
            )));
        }
        match motion {
            Motion::Run(run) => match run.too_much(until) {
                None => Ok(run.advance(until, to_event)?),
                Some(work) => {
                    let (count, what, most) = match work.steps > 0.0 {
                        true => (work.steps, "steps of the scheme", "1e7"),
                        false => (work.periods, "periods of the fastest motion or load", "1e6"),
                    };
                    Err(Fault::Discard(format!(
                        "a step of {step} s holds about {count:.0e} {what}; at most {most} are done in one: take shorter steps"
                    )))
                }
            },
            Motion::Exchange(_) if exchanged => {
                wrong("a step was asked for; in model exchange the importer integrates")
            }
            Motion::Exchange(contact) => Ok(contact.advance(until, to_event)?),
            Motion::Joint(joint) => joint.advance(until).map(|()| false),
        }
    }
}
