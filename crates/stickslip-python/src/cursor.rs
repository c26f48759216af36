//! Runs that Python advances piece by piece, and whose loads it changes on the way.

use crate::attended::attended;
use crate::errors::Failure;
use crate::read;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use stickslip::model::Loads;
use stickslip::{Error, Event, Phase, RunState};
use stickslip_file::ModelFile;
use stickslip_file::interface::inlet_name;

/// An advance that takes at most this long, ns, does not check for Ctrl-C.
const SHORT: u128 = 20_000_000;

/// What is added to a signal of the model: `value` at `since` (s), and a rate from there on.
#[derive(Debug, Clone, Copy, Default)]
struct Added {
    value: f64,
    rate: f64,
    since: f64,
}

impl Added {
    fn at(self, t: f64) -> f64 {
        self.value + self.rate * (t - self.since)
    }
}

/// The run and what is added to its loads.
#[derive(Debug, Clone)]
struct Held {
    cursor: stickslip::Cursor,
    loads: Loads,
    added: Vec<Added>,
    /// Whether anything was added so far: until then the run equals a run without inputs, bit for bit.
    is_driven: bool,
    /// Whether the cursor does not know yet what is added.
    is_new: bool,
    /// The longest advance so far that did not need a check for Ctrl-C, s.
    longest: f64,
}

impl Held {
    /// Advances to `until` (s) and returns the events on the way.
    fn advance(&mut self, until: f64) -> Result<Vec<Event>, Error> {
        let mut events = Vec::new();
        loop {
            let now = self.cursor.time();
            let is_over = self.is_driven && now >= self.cursor.end() && now < until;
            if self.is_new || is_over {
                self.change(now, until)?;
                events.extend_from_slice(self.cursor.events());
            }
            let to = if self.is_driven { until.min(self.cursor.end()) } else { until };
            events.extend_from_slice(self.cursor.advance(to)?);
            if self.cursor.time() >= until {
                return Ok(events);
            }
        }
    }

    /// Gives the cursor the present loads: until the next breakpoint of the model's own signals, and only as far as
    /// `until` (s) where something changes at a rate.
    fn change(&mut self, now: f64, until: f64) -> Result<(), Error> {
        let end = self.cursor.problem().end;
        let is_steady = self.added.iter().all(|a| a.rate == 0.0);
        let far = if is_steady { end } else { until.max(now.next_up()) };
        let defined = self.loads.own().iter().map(|s| s.domain().1).fold(f64::INFINITY, f64::min);
        let far = far.min(self.loads.next_breakpoint(now)).min(defined);
        let add: Vec<[f64; 2]> = self.added.iter().map(|a| [a.at(now), a.rate]).collect();
        let model = self.loads.from(now, far, &add)?;
        self.cursor.change(&model, far)?;
        (self.is_new, self.is_driven) = (false, true);
        Ok(())
    }
}

/// A run in progress.
#[pyclass(frozen, module = "stickslip._stickslip")]
pub struct Cursor {
    held: Arc<Mutex<Held>>,
    names: Vec<String>,
}

/// The complete state of a run, from which it can be continued.
#[pyclass(frozen, module = "stickslip._stickslip")]
pub struct CursorState {
    run: RunState,
    added: Vec<Added>,
    is_driven: bool,
    is_new: bool,
}

fn told<T>(py: Python<'_>, result: Result<T, Error>) -> PyResult<T> {
    result.map_err(|e| Failure::from(e).into_err(py))
}

impl Cursor {
    /// The run of a model, from its start.
    pub fn new(py: Python<'_>, model: &ModelFile) -> PyResult<Self> {
        let problem = read::known(model).map_err(|e| e.into_err(py))?;
        let cursor = told(py, stickslip::start(&problem, &model.run.scheme))?;
        let loads = Loads::of(&problem.model);
        let names = loads.inlets().iter().map(|i| inlet_name(&problem.model, *i)).collect();
        let added = vec![Added::default(); loads.inlets().len()];
        let held = Held { cursor, loads, added, is_driven: false, is_new: false, longest: 0.0 };
        Ok(Self { held: Arc::new(Mutex::new(held)), names })
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Kind, time, place, x, v after it.
type Happened = (&'static str, f64, String, f64, f64);

#[pymethods]
impl Cursor {
    /// The present time of the run, s.
    #[getter]
    fn time(&self) -> f64 {
        self.held().cursor.time()
    }

    /// Advances to `until` (s) and returns the events on the way.
    fn advance(&self, py: Python<'_>, until: f64) -> PyResult<Vec<Happened>> {
        let held = self.held();
        let step = until - held.cursor.time();
        let end = held.cursor.problem().end;
        if !(step >= 0.0 && until <= end) {
            let now = held.cursor.time();
            return Err(PyValueError::new_err(format!(
                "the time to advance to is {until:?} s; expected one from the present time, {now:?} s, to the end, {end:?} s"
            )));
        }
        let is_short = step <= held.longest;
        // Whoever advances takes the run anew.
        drop(held);
        let events = if is_short {
            told(py, self.held().advance(until))?
        } else {
            let clock = Instant::now();
            let theirs = self.held.clone();
            let work = move || theirs.lock().unwrap_or_else(PoisonError::into_inner).advance(until);
            let events = told(py, attended(py, None, work)?)?;
            if clock.elapsed().as_nanos() < SHORT {
                self.held().longest = step;
            }
            events
        };
        let held = self.held();
        let places = held.cursor.problem().model.contacts();
        let place = |e: &Event| places.get(e.place).cloned().unwrap_or_default();
        Ok(events.iter().map(|e| (e.kind.name(), e.time, place(e), e.x, e.v)).collect())
    }

    /// Displacements, then velocities.
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let points = self.held().cursor.state().points;
        let all = points.iter().map(|p| p.x).chain(points.iter().map(|p| p.v));
        PyArray1::from_vec(py, all.collect())
    }

    /// Sets displacements and velocities.
    fn set_state(&self, py: Python<'_>, numbers: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let numbers = numbers.as_slice()?;
        let mut held = self.held();
        let mut state = held.cursor.state();
        let count = state.points.len();
        if numbers.len() != 2 * count {
            return Err(PyValueError::new_err(format!(
                "the state holds {} numbers; expected {}: displacements, then velocities",
                numbers.len(),
                2 * count
            )));
        }
        for (i, point) in state.points.iter_mut().enumerate() {
            (point.x, point.v) = (numbers[i], numbers[count + i]);
        }
        told(py, held.cursor.set_state(&state))
    }

    /// The complete state of the run, for `restore`.
    fn save(&self) -> CursorState {
        let held = self.held();
        let run = held.cursor.state();
        let added = held.added.clone();
        CursorState { run, added, is_driven: held.is_driven, is_new: held.is_new }
    }

    /// Returns to a saved state.
    fn restore(&self, py: Python<'_>, state: &CursorState) -> PyResult<()> {
        let mut held = self.held();
        told(py, held.cursor.set_state(&state.run))?;
        held.added.clone_from(&state.added);
        (held.is_driven, held.is_new) = (state.is_driven, state.is_new);
        Ok(())
    }

    /// Names of the signals that a caller may add to.
    #[getter]
    fn inputs(&self) -> Vec<String> {
        self.names.clone()
    }

    /// Adds to a signal from now on: a value and its rate, until it is set again.
    fn set_input(&self, input: &str, value: f64, rate: f64) -> PyResult<()> {
        let number = self.names.iter().position(|n| n == input);
        let number = number.ok_or_else(|| PyKeyError::new_err(input.to_owned()))?;
        let mut held = self.held();
        let since = held.cursor.time();
        held.added[number] = Added { value, rate, since };
        held.is_new = true;
        Ok(())
    }

    /// The columns of a solution at the present time.
    fn row(&self) -> Vec<(String, f64)> {
        let held = self.held();
        let columns = held.cursor.columns();
        let mut row = vec![0.0; columns.len()];
        held.cursor.row(&mut row);
        columns.iter().map(|c| c.name.clone()).zip(row).collect()
    }

    /// The phase of each contact: −1 and 1 slip, 0 stick.
    fn phases(&self) -> Vec<i8> {
        let code = |p: &Phase| match p {
            Phase::Stick => 0,
            slip => slip.sign() as i8,
        };
        self.held().cursor.phases().iter().map(code).collect()
    }
}
