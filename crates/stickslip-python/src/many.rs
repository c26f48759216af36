//! Many motions of one model at once: arrays in, arrays out.

use crate::attended::watched;
use crate::callables::known;
use crate::document::{ARGUMENTS, Document, put};
use crate::errors::Failure;
use crate::product::with_context;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stickslip::{Event, EventKind};
use stickslip_run::many::{Happened, Many, Motions, Wanted, many};

/// What was read off the motions, before it is handed over as arrays.
#[pyclass(module = "stickslip._stickslip")]
pub struct ManyMotions(Motions);

/// Numbers of events at the end of each motion, kinds and places as numbers, times, x, v, impulses.
type Events<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i8>>,
    Bound<'py, PyArray1<u32>>,
    [Bound<'py, PyArray1<f64>>; 4],
);

#[pymethods]
impl ManyMotions {
    /// Names and units of the columns.
    fn columns(&self) -> Vec<(String, &'static str)> {
        self.0.columns.iter().map(|c| (c.name.clone(), c.unit)).collect()
    }

    /// The numbers of each column, one row for each motion; they are handed over and not kept.
    fn numbers<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyArray2<f64>>>> {
        let shape = [self.0.count, self.0.instants];
        let all = std::mem::take(&mut self.0.numbers);
        all.into_iter().map(|list| PyArray1::from_vec(py, list).reshape(shape)).collect()
    }

    /// What happened, if that was wanted; it is handed over and not kept.
    fn events<'py>(&mut self, py: Python<'py>) -> Option<Events<'py>> {
        let Happened { events, ends, .. } = self.0.events.take()?;
        let code = |k: EventKind| EventKind::ALL.iter().position(|a| *a == k).unwrap_or(0) as i8;
        let of =
            |f: fn(&Event) -> f64| PyArray1::from_vec(py, events.iter().map(f).collect::<Vec<_>>());
        Some((
            PyArray1::from_vec(py, ends.into_iter().map(|n| n as i64).collect()),
            PyArray1::from_vec(py, events.iter().map(|e| code(e.kind)).collect()),
            PyArray1::from_vec(py, events.iter().map(|e| e.place as u32).collect()),
            [of(|e| e.time), of(|e| e.x), of(|e| e.v), of(|e| e.impulse)],
        ))
    }

    /// Names of the places of events.
    #[getter]
    fn places(&self) -> Vec<String> {
        self.0.places.clone()
    }

    /// Motions that could not be solved, and why.
    fn failed(&self, py: Python<'_>) -> Vec<(usize, String)> {
        let said = |e: &stickslip_file::Diagnostic| {
            let error = Failure::from(e.clone()).into_err(py);
            error.value(py).to_string()
        };
        self.0.failed.iter().map(|(i, e)| (*i, said(e))).collect()
    }

    /// Motions with warnings.
    #[getter]
    fn warned(&self) -> Vec<usize> {
        self.0.warned.clone()
    }

    /// The first of the warnings, and whose they are.
    #[getter]
    fn warnings(&self) -> Vec<(usize, String)> {
        self.0.warnings.clone()
    }
}

/// What is read off: `end`, `events`, or the columns at times.
#[derive(FromPyObject)]
pub enum Asked<'py> {
    Times(PyReadonlyArray1<'py, f64>),
    Word(String),
}

impl Asked<'_> {
    fn wanted(&self) -> PyResult<Wanted> {
        Ok(match self {
            Self::Times(times) => Wanted::At(times.as_slice()?.to_vec()),
            Self::Word(word) if word == "events" => Wanted::Events,
            Self::Word(_) => Wanted::End,
        })
    }
}

/// Solves the model of a document with each set of numbers, by their keys, over all cores.
#[pyfunction]
#[pyo3(name = "many")]
#[allow(clippy::too_many_arguments, reason = "what Python's function takes, one by one")]
pub fn solve_many(
    py: Python<'_>,
    document: &Document,
    values: &Bound<'_, PyDict>,
    vary: Vec<(String, PyReadonlyArray1<'_, f64>)>,
    wanted: Asked<'_>,
    columns: Option<Vec<String>>,
    keeps_going: bool,
    first: usize,
    whole: usize,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<ManyMotions> {
    let mut text = document.text.clone();
    let reading = document.reading.clone();
    for (key, value) in values {
        put(py, &mut text, &key.extract::<String>()?, &value)?;
    }
    let mut lists = Vec::with_capacity(vary.len());
    for (key, list) in vary {
        lists.push((key, list.as_slice()?.to_vec()));
    }
    let mut asked = Many::new(lists, wanted.wanted()?);
    asked.place = ARGUMENTS.to_owned();
    asked.columns = columns;
    asked.keeps_going = keeps_going;
    asked.first = first;
    asked.whole = Some(whole);
    let calls = document.calls;
    let found = watched(py, progress, move |watch| {
        known(calls, || with_context(watch, |context| many(&asked, &text, &reading, context)))
    })?;
    document.raised.take()?;
    let found = found.map_err(|e| Failure::from(e).into_err(py))?;
    Ok(ManyMotions(found))
}
