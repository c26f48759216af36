//! One instance of a model inside another simulator.

mod exchanged;
mod numbers;
mod turning;

use crate::resources::Folder;
use crate::run::{Own, Run};
use numbers::{Numbers, Source};
use std::collections::BTreeMap;
use std::sync::Arc;
use stickslip::EventKind;
use stickslip::scheme::guarded::{self, Added, Integrated};
use stickslip_file::interface::{Exported, Interface, Meaning, Variable};
use stickslip_file::joint_unit::{self, FIT, JointUnit};
use stickslip_file::{Diagnostic, Document, Reading, Resources};
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
#[derive(Debug, Clone, Copy, PartialEq)]
struct Tune {
    /// After how many changes of the loads.
    after: usize,
    reference: usize,
    value: f64,
}

/// So many are kept; an instance that was tuned more often moves on, but its state cannot be written down.
const MOST_TUNED: usize = 1 << 16;

/// How it moves.
#[derive(Debug, Clone)]
enum Motion {
    /// By itself, from one communication point to the next.
    Run(Box<Run>),
    /// As the importer integrates it; a contact as the importer moves its flanges, in either way.
    Exchange(Integrated),
    /// A servo that is told goals.
    Joint(Box<Turning>),
}

impl Motion {
    fn time(&self) -> f64 {
        match self {
            Self::Run(run) => run.time(),
            Self::Joint(joint) => joint.time(),
            Self::Exchange(e) => e.shared.time,
        }
    }

    fn inputs(&self) -> &[Added] {
        match self {
            Self::Run(run) => &run.inputs,
            Self::Joint(joint) => &joint.inputs,
            Self::Exchange(e) => &e.shared.inputs,
        }
    }

    fn inputs_mut(&mut self) -> &mut [Added] {
        match self {
            Self::Run(run) => &mut run.inputs,
            Self::Joint(joint) => &mut joint.inputs,
            Self::Exchange(e) => &mut e.shared.inputs,
        }
    }

    fn row(&self, out: &mut Vec<f64>) {
        match self {
            Self::Run(run) => run.row(out),
            Self::Joint(joint) => joint.row(out),
            Self::Exchange(e) => e.row(out),
        }
    }

    fn lost(&self) -> f64 {
        match self {
            Self::Run(run) => run.lost(),
            Self::Joint(_) => 0.0,
            Self::Exchange(e) => e.lost(),
        }
    }

    fn phase(&self, contact: usize) -> i32 {
        match self {
            Self::Run(run) => run.phase(contact),
            Self::Joint(_) => 0,
            Self::Exchange(e) => e.phase(contact),
        }
    }

    fn count(&self, kind: EventKind) -> i32 {
        match self {
            Self::Run(run) => run.count(kind),
            Self::Joint(_) => 0,
            Self::Exchange(e) => e.shared.counts.of(kind),
        }
    }
}

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
                        true => Motion::Exchange(guarded::begin(&problem, inputs)?),
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

    /// The model with the parameters that were set, and these that were tuned after them.
    fn file(&self, tuned: &[Tune]) -> Answer<Exported> {
        let mut numbers = self.values.clone();
        numbers.extend(tuned.iter().map(|t| (t.reference, t.value)));
        self.fixed.numbers.model(&self.fixed.interface, &numbers)
    }

    /// The signals of the model after these were tuned.
    fn signals(&self, tuned: &[Tune]) -> Answer<Own> {
        match self.file(tuned)? {
            Exported::Model(file) => Ok(Own::of(&file.known()?.model)),
            _ => wrong("the signals of an element are its inputs"),
        }
    }

    /// Sets a number of a signal while the instance moves: from now on the signal is as if it had always had this number.
    fn tune(&mut self, reference: usize, value: f64) -> Answer {
        if self.tuned.len() == MOST_TUNED {
            // How it goes on depends on the last value of each alone.
            let last: BTreeMap<usize, Tune> =
                self.tuned.iter().map(|t| (t.reference, *t)).collect();
            self.tuned = last.into_values().collect();
            self.forgets = true;
        }
        let after = match &self.motion {
            Some(Motion::Run(run)) => run.changes(),
            _ => 0,
        };
        self.tuned.push(Tune { after, reference, value });
        let done = self.put_tuned();
        if done.is_err() {
            self.tuned.pop();
        }
        done
    }

    /// Lets the motion go on under the signals that were tuned last.
    fn put_tuned(&mut self) -> Answer {
        let file = self.file(&self.tuned)?;
        let Exported::Model(file) = file else {
            return wrong("the signals of an element are its inputs");
        };
        let problem = file.known()?;
        match &mut self.motion {
            Some(Motion::Run(run)) => Ok(run.tune(Own::of(&problem.model))?),
            Some(Motion::Exchange(e)) => {
                let mut other =
                    guarded::begin(&problem, vec![Added::default(); self.fixed.inlets])?;
                let inputs = e.shared.inputs.clone();
                let time = e.shared.time;
                if !other.put_back(inputs, time, &e.numbers())? {
                    return wrong("the motion cannot go on under these signals");
                }
                *e = other;
                Ok(())
            }
            Some(Motion::Joint(_)) => wrong("the numbers of a servo are fixed while it moves"),
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

    /// Sets a number.
    ///
    /// # Errors
    /// If there is no such variable, it cannot be set now, or the number is outside its range.
    pub fn set(&mut self, reference: u32, value: f64) -> Answer {
        let fixed = self.fixed.clone();
        let Some(Variable { name, meaning, least, tunable, .. }) =
            fixed.interface.variables.get(reference as usize)
        else {
            return self.variable(reference).map(|_| ());
        };
        if !value.is_finite() {
            return wrong(format!("`{name}` was set to {value}; expected a finite number"));
        }
        match *meaning {
            Meaning::Input(i) => self.set_input(i, Some(value), None),
            Meaning::Rate(i) => self.set_input(i, None, Some(value)),
            Meaning::Parameter(_)
                if self.stage > Stage::Running
                    || self.stage > Stage::Initialization && !tunable =>
            {
                wrong(format!(
                    "`{name}` is fixed once the initialization is over; reset the instance first"
                ))
            }
            Meaning::Parameter(_) if least.is_some_and(|l| value < l) => {
                let than = if *least == Some(0.0) { "not below 0" } else { "above 0" };
                wrong(format!("`{name}` was set to {value}; expected a number {than}"))
            }
            Meaning::Parameter(_) if self.stage == Stage::Running => {
                self.tune(reference as usize, value)
            }
            Meaning::Parameter(_) => {
                self.values.insert(reference as usize, value);
                self.motion = None;
                Ok(())
            }
            _ if self.exchanged && self.state_number(reference).is_some() => {
                let i = self.state_number(reference).unwrap_or_default();
                let mut states = vec![0.0; self.fixed.interface.states.len()];
                let motion = self.exchange()?;
                motion.states(&mut states);
                states[i] = value;
                Ok(motion.set_states(&states)?)
            }
            _ => wrong(format!("`{name}` is computed and cannot be set")),
        }
    }

    /// Sets the rate of an input by the reference of the input.
    ///
    /// # Errors
    /// If it is not an input, or the rate not finite.
    pub fn set_rate_of(&mut self, reference: u32, rate: f64) -> Answer {
        let Variable { name, meaning, .. } = self.variable(reference)?;
        match *meaning {
            Meaning::Input(_) if !rate.is_finite() => {
                wrong(format!("the rate of `{name}` was set to {rate}; expected a finite number"))
            }
            Meaning::Input(i) => self.set_input(i, None, Some(rate)),
            _ => wrong(format!("`{name}` is not an input, so its derivative cannot be set")),
        }
    }

    fn set_input(&mut self, i: usize, value: Option<f64>, rate: Option<f64>) -> Answer {
        if self.stage < Stage::Running {
            let held = &mut self.inputs[i];
            (held.value, held.rate) = (value.unwrap_or(held.value), rate.unwrap_or(held.rate));
            self.motion = None;
            return Ok(());
        }
        let motion = self.begun()?;
        let since = motion.time();
        let held = &mut motion.inputs_mut()[i];
        let value = value.unwrap_or(held.at(since));
        let rate = rate.unwrap_or(held.rate);
        *held = Added { value, rate, since };
        match motion {
            Motion::Exchange(e) => Ok(e.load()?),
            Motion::Run(_) | Motion::Joint(_) => Ok(()),
        }
    }

    /// The number of a state among the states; `None` for other variables.
    fn state_number(&self, reference: u32) -> Option<usize> {
        self.fixed.interface.states.iter().position(|s| *s == reference as usize)
    }

    /// A number.
    ///
    /// # Errors
    /// If there is no such variable, or it is not known yet. [`Fault::Discard`] if it is too large for a number.
    pub fn get(&mut self, reference: u32) -> Answer<f64> {
        let value = self.found(reference)?;
        if value.is_finite() {
            return Ok(value);
        }
        Err(self.too_large(&format!("`{}`", self.variable(reference)?.name)))
    }

    /// Why `what` is discarded.
    fn too_large(&self, what: &str) -> Fault {
        Fault::Discard(format!(
            "at t = {} s {what} is not finite: a state or an input is so large that numbers overflow; try a shorter step",
            self.time()
        ))
    }

    /// A number, finite or not.
    fn found(&mut self, reference: u32) -> Answer<f64> {
        let (meaning, start) = self.variable(reference).map(|v| (v.meaning, v.start))?;
        let held = |unit: &Self, i: usize| match &unit.motion {
            Some(motion) => (motion.inputs()[i].at(motion.time()), motion.inputs()[i].rate),
            None => (unit.inputs[i].value, unit.inputs[i].rate),
        };
        match meaning {
            Meaning::Time => Ok(self.time()),
            Meaning::Input(i) => Ok(held(self, i).0),
            Meaning::Rate(i) => Ok(held(self, i).1),
            Meaning::Parameter(_) => {
                let tuned = self.tuned.iter().rfind(|t| t.reference == reference as usize);
                let set = tuned.map(|t| t.value);
                let set = set.or_else(|| self.values.get(&(reference as usize)).copied());
                Ok(set.or(start).unwrap_or_default())
            }
            Meaning::Output(i) => {
                let mut row = std::mem::take(&mut self.row);
                self.begun()?.row(&mut row);
                self.row = row;
                Ok(self.row[i])
            }
            computed => self.computed(computed),
        }
    }

    /// What is neither set nor a number of the solution.
    fn computed(&mut self, meaning: Meaning) -> Answer<f64> {
        if let (true, Meaning::Derivative(i) | Meaning::Indicator(i)) = (self.exchanged, meaning) {
            let (states, indicators) = self.sizes();
            let motion = self.exchange()?;
            let mut all = vec![0.0; states.max(indicators)];
            match meaning {
                Meaning::Derivative(_) => motion.derivatives(&mut all[..states]),
                _ => motion.indicators(&mut all[..indicators]),
            }
            return Ok(all[i]);
        }
        let motion = self.begun()?;
        Ok(match meaning {
            Meaning::Lost => motion.lost(),
            Meaning::Phase(i) => f64::from(motion.phase(i)),
            Meaning::Count(kind) => f64::from(motion.count(kind)),
            Meaning::Derivative(_) | Meaning::Indicator(_) => 0.0,
            _ => return wrong("this variable has no value here"),
        })
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

    /// Everything that decides how it goes on, to be written down.
    ///
    /// # Errors
    /// If its inputs have changed too often to be kept.
    pub fn to_bytes(&self) -> Answer<Vec<u8>> {
        let many =
            "the inputs have changed more often than is kept, so this state cannot be written down";
        let history = match &self.motion {
            Some(Motion::Run(run)) => run.history().ok_or_else(|| Fault::Discard(many.into()))?,
            Some(Motion::Exchange(e)) => e.numbers(),
            Some(Motion::Joint(joint)) => joint.motion.numbers(),
            None => Vec::new(),
        };
        if self.forgets && !self.exchanged {
            let many = "parameters were tuned more often than is kept, so this state cannot be written down";
            return Err(Fault::Discard(many.into()));
        }
        let inputs = self.motion.as_ref().map_or(&self.inputs[..], Motion::inputs);
        let mut numbers = vec![self.stage as u8 as f64, self.start, self.stop.unwrap_or(f64::NAN)];
        numbers.extend([
            self.motion.as_ref().map_or(f64::NAN, Motion::time),
            self.values.len() as f64,
        ]);
        numbers.extend(self.values.iter().flat_map(|(k, v)| [*k as f64, *v]));
        numbers.push(self.tuned.len() as f64);
        let tuned = self.tuned.iter();
        numbers.extend(tuned.flat_map(|t| [t.after as f64, t.reference as f64, t.value]));
        numbers.extend(inputs.iter().chain(&self.inputs).flat_map(|h| [h.value, h.rate, h.since]));
        numbers.extend(history);
        let bytes = numbers.iter().flat_map(|n| n.to_le_bytes());
        Ok(self.fixed.token.bytes().chain(bytes).collect())
    }

    /// The instance in a state that was written down.
    ///
    /// # Errors
    /// If the bytes are no state of this model.
    pub fn of_bytes(&self, bytes: &[u8]) -> Answer<Self> {
        self.read(bytes).unwrap_or_else(|| wrong("the bytes are not a state of this model"))
    }

    fn read(&self, bytes: &[u8]) -> Option<Answer<Self>> {
        let numbers = bytes.strip_prefix(self.fixed.token.as_bytes())?;
        let number = |c: &[u8]| Some(f64::from_le_bytes(c.try_into().ok()?));
        let all: Vec<f64> = numbers.chunks(8).map(number).collect::<Option<_>>()?;
        let [stage, start, stop, now, count] = *all.first_chunk::<5>()?;
        let (values, rest) = all[5..].split_at_checked((count as usize).checked_mul(2)?)?;
        let (count, rest) = rest.split_first()?;
        let (tuned, rest) = rest.split_at_checked((*count as usize).checked_mul(3)?)?;
        let tune = |t: &[f64]| Tune { after: t[0] as usize, reference: t[1] as usize, value: t[2] };
        let (held, history) = rest.split_at_checked(6 * self.fixed.inlets)?;
        let held: Vec<Added> =
            held.chunks_exact(3).map(|h| Added { value: h[0], rate: h[1], since: h[2] }).collect();
        let (inputs, first) = held.split_at(self.fixed.inlets);
        let stages =
            [Stage::Instantiated, Stage::Initialization, Stage::Running, Stage::Terminated];
        let mut unit = Self {
            fixed: self.fixed.clone(),
            stage: stages.into_iter().find(|s| *s as u8 as f64 == stage)?,
            values: values.chunks_exact(2).map(|v| (v[0] as usize, v[1])).collect(),
            tuned: tuned.chunks_exact(3).map(tune).collect(),
            forgets: false,
            start,
            stop: Some(stop).filter(|s| !s.is_nan()),
            inputs: first.to_vec(),
            exchanged: self.exchanged,
            motion: None,
            row: Vec::new(),
        };
        let known = |r: &usize| self.fixed.interface.variables.get(*r).is_some();
        let tuned = unit.tuned.iter().map(|t| &t.reference);
        if !unit.values.keys().chain(tuned).all(known) {
            return None;
        }
        if now.is_nan() {
            return Some(Ok(unit));
        }
        Some(unit.put_back(inputs.to_vec(), history, now).map(|()| unit))
    }

    /// Puts the motion where it was at `now` (s).
    fn put_back(&mut self, inputs: Vec<Added>, numbers: &[f64], now: f64) -> Answer {
        let begins = (0..self.tuned.len())
            .map(|i| Ok((self.tuned[i].after, self.signals(&self.tuned[..=i])?)));
        let tuned = if self.exchanged { Vec::new() } else { begins.collect::<Answer<Vec<_>>>()? };
        let known = match self.begun()? {
            Motion::Run(run) => {
                **run = run.replayed(numbers, tuned, inputs, now)?;
                true
            }
            Motion::Exchange(e) => e.put_back(inputs, now, numbers)?,
            Motion::Joint(joint) => joint.put_back(inputs, numbers),
        };
        if known {
            return Ok(());
        }
        wrong("the bytes are not a state of this model")
    }
}
