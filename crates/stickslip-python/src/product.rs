//! Runs and their products: tables as arrays, figures and pages as text.

use crate::attended::{Watch, watched};
use crate::callables::known;
use crate::document::{Document, put};
use crate::errors::{Failure, remark};
use crate::resources::{Given, Held};
use numpy::PyArray1;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList};
use serde_json::{Number, Value};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;
use stickslip_file::{Diagnostic, Document as Text, Journal, JournalFile, Reading, journal_in};
use stickslip_run::asked::options_of;
use stickslip_run::synthetic::WithRecords;
use stickslip_run::{Asked, Calibrate, Cell, Context, Fleet, Input, Merge, Reports, Table};

/// Everything that a run returns.
#[pyclass(frozen, module = "stickslip._stickslip")]
pub struct Product(stickslip_run::Product);

/// A run that is ready to begin.
type Job =
    Box<dyn FnOnce(&Input<'_>, &Context<'_>) -> Result<stickslip_run::Product, Diagnostic> + Send>;

/// An option of Python alone, taken from the others by its name.
fn own<'py, T: FromPyObjectOwned<'py>>(
    options: &Bound<'py, PyDict>,
    name: &str,
) -> PyResult<Option<T>> {
    let Some(value) = options.get_item(name)? else { return Ok(None) };
    options.del_item(name)?;
    if value.is_none() { Ok(None) } else { value.extract().map(Some).map_err(Into::into) }
}

/// Options as the library reads them; `None` stands for an option that was not given.
pub(crate) fn said(options: &Bound<'_, PyDict>) -> PyResult<Value> {
    let mut all = serde_json::Map::new();
    for (name, value) in options {
        if !value.is_none() {
            let name: String = name.extract()?;
            let read = json_of(&name, &value)?;
            all.insert(name, read);
        }
    }
    Ok(Value::Object(all))
}

/// A flag, a number, a text, or a list or tuple of these: the option `name`, or a part of it.
fn json_of(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(flag.is_true().into());
    }
    if let Ok(number) = value.extract::<i64>() {
        return Ok(number.into());
    }
    if let Ok(number) = value.extract::<f64>() {
        // JSON has none of the others: they would be read as what was not said.
        let finite = Number::from_f64(number).map(Value::Number);
        return finite.ok_or_else(|| {
            let said = format!("`{name}` holds {number}; expected finite numbers");
            Failure::from(Diagnostic::command_line(said)).into_err(value.py())
        });
    }
    if let Ok(text) = value.extract::<String>() {
        return Ok(text.into());
    }
    value.try_iter()?.map(|each| json_of(name, &each?)).collect()
}

/// A fit whose steps are kept in the file `state` until it is done.
fn calibrate(
    asked: &Calibrate,
    state: Option<&Path>,
    input: &Input<'_>,
    context: &Context<'_>,
) -> Result<stickslip_run::Product, Diagnostic> {
    let Some(state) = state else { return stickslip_run::calibrate(asked, input, context) };
    let journal = JournalFile::open(state, true)?;
    let context = Context { journal: Some(&journal), ..*context };
    let found = stickslip_run::calibrate(asked, input, &context);
    let is_over = found.is_ok() || journal.lines().is_ok_and(|l| l.is_empty());
    if is_over {
        journal.finish();
    }
    found
}

fn job(what: &str, options: &Bound<'_, PyDict>) -> PyResult<Job> {
    // What Python alone says is not for the library to read.
    let options = options.copy()?;
    let py = options.py();
    let wrong = |e: Diagnostic| Failure::from(e).into_err(py);
    Ok(match what {
        "fleet" => {
            let out: Option<PathBuf> = own(&options, "out")?;
            let resume = own(&options, "resume")?.unwrap_or(false);
            let asked: Fleet = options_of(what, said(&options)?).map_err(wrong)?;
            Box::new(move |i, c| {
                let journal = journal_in(out.as_deref(), resume)?;
                stickslip_run::fleet(&asked, i, &*journal, c)
            })
        }
        "calibrate" => {
            let state: Option<PathBuf> = own(&options, "state")?;
            let mut asked: Calibrate = options_of(what, said(&options)?).map_err(wrong)?;
            asked.kept = state.is_some();
            Box::new(move |i, c| calibrate(&asked, state.as_deref(), i, c))
        }
        _ => {
            let asked = Asked::read(what, said(&options)?).map_err(wrong)?;
            Box::new(move |i, c| asked.run(i, c))
        }
    })
}

/// Calls `work` with a context that measures time, tells progress and can be stopped.
pub(crate) fn with_context<T>(watch: &Watch, work: impl FnOnce(&Context<'_>) -> T) -> T {
    let start = Instant::now();
    let clock = move || start.elapsed().as_secs_f64();
    let progress = |done: u64, total: u64| watch.advance(done, total);
    let cancelled = || watch.stopped();
    let mut context = Context::silent();
    context.clock = &clock;
    context.progress = &progress;
    context.cancelled = &cancelled;
    work(&context)
}

/// Runs `what` on a document with these values in place of its own, by their keys.
#[pyfunction]
pub fn run(
    py: Python<'_>,
    what: &str,
    document: &Document,
    values: &Bound<'_, PyDict>,
    options: &Bound<'_, PyDict>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Product> {
    let (mut text, reading) = document.parts();
    for (key, value) in values {
        put(py, &mut text, &key.extract::<String>()?, &value)?;
    }
    let job = job(what, options)?;
    let calls = document.calls;
    let work = move |watch: &Watch| {
        known(calls, || with_context(watch, |context| job(&Input::new(&text, &reading), context)))
    };
    let product = watched(py, progress, work)?;
    document.raised.take()?;
    finished(py, product)
}

/// Puts partial results together, in this order. Reports of bearings are composed from the records of the fleet, whose file
/// lies in `folder`.
#[pyfunction]
#[pyo3(signature = (parts, quantiles, reports = None, folder = PathBuf::new()))]
pub fn merge(
    py: Python<'_>,
    parts: Vec<String>,
    quantiles: Vec<f64>,
    reports: Option<String>,
    folder: PathBuf,
) -> PyResult<Product> {
    let names: Vec<String> = (1..=parts.len()).map(|i| format!("part {i}")).collect();
    let bytes = parts.into_iter().map(|text| Held::Bytes(text.into_bytes().into()));
    let files: HashMap<_, _> = names.iter().cloned().zip(bytes).collect();
    let given = Given { folder, files, ..Given::default() };
    let mut asked = Merge::default();
    asked.quantiles = quantiles;
    asked.reports =
        reports.map(|r| r.parse::<Reports>()).transpose().map_err(PyValueError::new_err)?;
    let work = move |watch: &Watch| {
        let reading = Reading::new(WithRecords(given));
        with_context(watch, |context| stickslip_run::merge(&asked, &names, &reading, context))
    };
    finished(py, watched(py, None, work)?)
}

pub(crate) fn finished(
    py: Python<'_>,
    product: Result<stickslip_run::Product, Diagnostic>,
) -> PyResult<Product> {
    product.map(Product).map_err(|e| Failure::from(e).into_err(py))
}

/// A column: its name, its unit, whether it holds times, and an array of numbers or a list of texts.
type Array<'py> = (String, &'static str, bool, Bound<'py, PyAny>);

/// A column on its way into an array.
enum Filled {
    Numbers(Vec<f64>),
    Wholes(Vec<i64>),
    Texts(Vec<String>),
}

impl Filled {
    fn push(&mut self, cell: &Cell<'_>) {
        match (&mut *self, cell) {
            (Self::Wholes(all), Cell::Whole(n)) => all.push(*n as i64),
            (Self::Wholes(all), _) if !matches!(cell, Cell::Text(_)) => {
                *self = Self::Numbers(all.iter().map(|n| *n as f64).collect());
                self.push(cell);
            }
            (Self::Wholes(all), _) => {
                *self = Self::Texts(all.iter().map(ToString::to_string).collect());
                self.push(cell);
            }
            (Self::Numbers(all), Cell::Text(_)) => {
                let texts =
                    all.iter().map(|x| if x.is_nan() { String::new() } else { x.to_string() });
                *self = Self::Texts(texts.collect());
                self.push(cell);
            }
            (Self::Numbers(all), _) => all.push(cell.number().unwrap_or(f64::NAN)),
            (Self::Texts(all), Cell::Text(text)) => all.push(text.clone().into_owned()),
            (Self::Texts(all), Cell::Empty) => all.push(String::new()),
            (Self::Texts(all), _) => {
                all.push(cell.number().map_or(String::new(), |x| x.to_string()))
            }
        }
    }

    fn into_py(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Ok(match self {
            Self::Numbers(all) => PyArray1::from_vec(py, all).into_any(),
            Self::Wholes(all) => PyArray1::from_vec(py, all).into_any(),
            Self::Texts(all) => PyList::new(py, all)?.into_any(),
        })
    }
}

fn filled(table: &Table) -> Vec<Filled> {
    let mut all: Vec<Filled> = table.columns.iter().map(|_| Filled::Wholes(Vec::new())).collect();
    // Nobody asks the rows to stop.
    let _ = table.each(&mut |row| {
        for (column, cell) in all.iter_mut().zip(row) {
            column.push(cell);
        }
        Ok(())
    });
    all
}

#[pymethods]
impl Product {
    /// `summary.json`.
    #[getter]
    fn summary(&self) -> String {
        self.0.summary.to_string()
    }

    /// The result as text, as the command line prints it.
    fn text(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.text.get())
    }

    /// The files that were read.
    #[getter]
    fn inputs(&self) -> Vec<String> {
        self.0.inputs.clone()
    }

    /// Whether the run was interrupted and holds only what was finished by then.
    #[getter]
    fn interrupted(&self) -> bool {
        self.0.interrupted
    }

    /// Warnings for the user, with their remedies.
    fn remarks(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.0.remarks.iter().map(|r| remark(py, &r.text, r.remedy)).collect()
    }

    /// Names of the tables.
    #[getter]
    fn tables(&self) -> Vec<String> {
        self.0.tables.iter().map(|t| t.name.clone()).collect()
    }

    /// The columns of a table.
    fn table<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Vec<Array<'py>>> {
        let table = self.found(name)?;
        let columns = py.detach(|| filled(table));
        let named = table.columns.iter().zip(columns);
        named
            .map(|(c, filled)| Ok((c.name.clone(), c.unit, c.stamps, filled.into_py(py)?)))
            .collect()
    }

    /// A table as the text of a CSV file.
    fn csv(&self, py: Python<'_>, name: &str) -> PyResult<String> {
        let table = self.found(name)?;
        let mut out = Vec::new();
        py.detach(|| table.write_csv(&mut out))?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    /// Names of figures, pages and other documents.
    fn names(&self) -> (Vec<String>, Vec<String>, Vec<String>) {
        let of = |all: &[stickslip_run::Named]| all.iter().map(|n| n.name.clone()).collect();
        (of(&self.0.figures), of(&self.0.pages), of(&self.0.documents))
    }

    /// A figure (SVG), page (HTML) or document (JSON).
    fn content(&self, py: Python<'_>, name: &str) -> PyResult<String> {
        let all = [&self.0.figures, &self.0.pages, &self.0.documents];
        let found = all.into_iter().flatten().find(|n| n.name == name);
        let found = found.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        Ok(py.detach(|| found.content.get()))
    }
}

impl Product {
    fn found(&self, name: &str) -> PyResult<&Table> {
        self.0.table_named(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }
}

/// The text of a document, parsed: what runs take.
impl Document {
    fn parts(&self) -> (Text, Reading) {
        (self.text.clone(), self.reading.clone())
    }
}
