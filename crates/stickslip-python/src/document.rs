//! Documents and the problems in them.

use crate::attended::{Cost, attended};
use crate::callables::{self, Friction, Function, Raised};
use crate::cursor::Cursor;
use crate::errors::Failure;
use crate::read;
use crate::resources::{Given, Held, Values};
use crate::solution::Solution;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use stickslip::{Model, Oscillator, Signal};
use stickslip_file::{
    Document as Text, Entry, ModelFile, Node, Override, Paths, Place, Reading, Source, Value,
};
use stickslip_run::synthetic::WithRecords;

/// The name that messages give to values passed along with a document.
pub const ARGUMENTS: &str = "<arguments>";

/// The text of a model file, parsed.
#[pyclass(frozen, module = "stickslip._stickslip")]
pub struct Document {
    pub(crate) text: Text,
    pub(crate) reading: Reading,
    pub(crate) raised: Raised,
    /// Whether it holds Python functions.
    pub(crate) calls: bool,
}

/// A table in memory: its columns by their names, or the text of a CSV file.
#[derive(FromPyObject)]
enum Table<'py> {
    Columns(Vec<(String, Column<'py>)>),
    Text(String),
}

/// A column in memory: numbers, or dates as microseconds since 1970.
#[derive(FromPyObject)]
enum Column<'py> {
    Numbers(PyReadonlyArray1<'py, f64>),
    Dates(PyReadonlyArray1<'py, i64>),
}

/// Times and values of a signal in memory.
type Samples<'py> = (PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>);

fn signals(
    py: Python<'_>,
    samples: HashMap<String, Samples<'_>>,
) -> PyResult<HashMap<String, Signal>> {
    let made = |(name, (t, x)): (String, Samples<'_>)| {
        let signal = Signal::sampled(t.as_slice()?, x.as_slice()?);
        Ok((name, signal.map_err(|e| Failure::from(e).into_err(py))?))
    };
    samples.into_iter().map(made).collect()
}

#[pymethods]
impl Document {
    #[new]
    #[pyo3(signature = (name, text, folder, samples, tables, functions = HashMap::new(), laws = HashMap::new(), loads = HashMap::new()))]
    #[allow(clippy::too_many_arguments, reason = "what a text cannot hold, kind by kind")]
    fn new(
        py: Python<'_>,
        name: &str,
        text: &Bound<'_, PyAny>,
        folder: PathBuf,
        samples: HashMap<String, Samples<'_>>,
        tables: HashMap<String, Table<'_>>,
        functions: HashMap<String, Function>,
        laws: HashMap<String, Friction>,
        loads: HashMap<String, Py<PyAny>>,
    ) -> PyResult<Self> {
        let raised = Raised::default();
        let calls = !(functions.is_empty() && laws.is_empty() && loads.is_empty());
        let mut signals = signals(py, samples)?;
        for (key, given) in functions {
            let made = callables::signal(&key, given, &raised);
            signals.insert(key, told(py, &raised, made.map_err(Failure::from))?);
        }
        let mut made = HashMap::new();
        for (key, given) in laws {
            let law = callables::law(py, &key, given, &raised);
            made.insert(key, told(py, &raised, law.map_err(Failure::from))?);
        }
        let loads = loads.into_iter().map(|(name, function)| {
            let load = callables::load(&name, function, &raised);
            (name, load)
        });
        let loads = loads.collect();
        let files = files(tables)?;
        let text = match text.cast::<PyDict>() {
            Ok(data) => data_of(name, data)?,
            Err(_) => Text::parse(name, text.extract::<String>()?)
                .map_err(|e| Failure::from(e).into_err(py))?,
        };
        Ok(Self {
            text,
            raised,
            calls,
            // A certificate of a path names the files that it was computed from.
            reading: Reading::new(WithRecords(Given { folder, signals, laws: made, loads, files }))
                .witnessing(),
        })
    }

    /// Checks the model; `[run]` is not looked at.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        told(py, &self.raised, read::check(&self.text, &self.reading))
    }

    /// The problem, with these values of `[run]` in place of its own.
    fn read(&self, py: Python<'_>, run: &Bound<'_, PyDict>) -> PyResult<Problem> {
        let mut text = self.text.clone();
        for (key, value) in run {
            let key: String = key.extract()?;
            let set = Override::option(ARGUMENTS, &key, ("run", &key), scalar(&value)?);
            text.apply(&set).map_err(|e| Failure::from(e).into_err(py))?;
        }
        let reading = self.reading.clone();
        let model = py.detach(move || read::read(&text, &reading));
        let model = Arc::new(told(py, &self.raised, model)?);
        let raised = self.raised.clone();
        let calls = self.calls;
        let cost = Cost::unknown();
        Ok(Problem { model, raised, calls, cost })
    }

    /// The document as nested dictionaries, its numbers in SI units.
    fn tree<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        // What is wrong with a document is said by those who read it as a model.
        let plain = stickslip_file::model::without_units(&self.text, &self.reading);
        tree(py, plain.as_ref().unwrap_or(&self.text).root())
    }
}

/// What the library returned, or what was raised inside it.
pub fn told<T>(py: Python<'_>, raised: &Raised, result: Result<T, Failure>) -> PyResult<T> {
    raised.take()?;
    result.map_err(|e| e.into_err(py))
}

/// Tables in memory as files.
fn files(tables: HashMap<String, Table<'_>>) -> PyResult<HashMap<String, Held>> {
    let mut all = HashMap::new();
    for (name, table) in tables {
        let held = match table {
            Table::Text(text) => Held::Bytes(text.into_bytes().into()),
            Table::Columns(columns) => {
                let mut copied = Vec::with_capacity(columns.len());
                for (column, values) in columns {
                    let values = match values {
                        Column::Numbers(numbers) => Values::Numbers(numbers.as_slice()?.to_vec()),
                        Column::Dates(dates) => Values::Dates(dates.as_slice()?.to_vec()),
                    };
                    copied.push((column, values));
                }
                Held::Columns(copied.into())
            }
        };
        all.insert(name, held);
    }
    Ok(all)
}

/// Sets the value at a key path.
pub fn put(py: Python<'_>, text: &mut Text, key: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let set = Override::of(ARGUMENTS, key, scalar(value)?);
    set.and_then(|o| text.apply(&o)).map_err(|e| Failure::from(e).into_err(py))
}

fn scalar(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_instance_of::<PyBool>() {
        return Ok(Value::Bool(value.extract()?));
    }
    if value.is_instance_of::<PyInt>() {
        let number: f64 = value.extract()?;
        return Ok(Value::Number { number, whole: value.extract().ok() });
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Value::Number { number: value.extract()?, whole: None });
    }
    if value.is_instance_of::<PyString>() {
        return Ok(Value::Text(value.extract()?));
    }
    Err(PyTypeError::new_err(format!("{} is no number and no text", value.get_type())))
}

/// A document from nested dictionaries, lists, texts and numbers: data that need not become a text to be read.
fn data_of(name: &str, data: &Bound<'_, PyDict>) -> PyResult<Text> {
    let source = Arc::new(Source { name: name.to_owned(), text: String::new() });
    Ok(Text::of(name, node(&Place::new(&source, 0..0), data.as_any())?))
}

fn node(place: &Place, data: &Bound<'_, PyAny>) -> PyResult<Node> {
    let value = if let Ok(table) = data.cast::<PyDict>() {
        let entry = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| -> PyResult<Entry> {
            Ok(Entry::of(key.cast::<PyString>()?.to_str()?, node(place, &value)?))
        };
        Value::Table(table.iter().map(entry).collect::<PyResult<_>>()?)
    } else if data.is_instance_of::<PyList>() || data.is_instance_of::<PyTuple>() {
        Value::Array(data.try_iter()?.map(|it| node(place, &it?)).collect::<PyResult<_>>()?)
    } else {
        scalar(data)?
    };
    Ok(Node { place: place.clone(), value })
}

/// Checks a friction law and signals that no model holds yet, as `oscillator.friction` and `oscillator.force`.
#[pyfunction]
pub fn check_parts(py: Python<'_>, data: &Bound<'_, PyDict>) -> PyResult<()> {
    let text = data_of(ARGUMENTS, data)?;
    let reading = Reading::new(Paths);
    stickslip_file::model::check_parts(&text, &reading).map_err(|e| Failure::from(e).into_err(py))
}

fn tree<'py>(py: Python<'py>, node: &Node) -> PyResult<Bound<'py, PyAny>> {
    Ok(match &node.value {
        Value::Bool(b) => PyBool::new(py, *b).to_owned().into_any(),
        Value::Number { whole: Some(i), .. } => i.into_pyobject(py)?.into_any(),
        Value::Number { number, .. } => PyFloat::new(py, *number).into_any(),
        Value::Text(s) | Value::Time(s) => PyString::new(py, s).into_any(),
        Value::Array(items) => {
            let items: PyResult<Vec<_>> = items.iter().map(|n| tree(py, n)).collect();
            PyList::new(py, items?)?.into_any()
        }
        Value::Table(entries) => {
            let table = PyDict::new(py);
            for e in entries {
                table.set_item(&e.key, tree(py, &e.node)?)?;
            }
            table.into_any()
        }
    })
}

/// A checked problem and how it is to be solved.
#[pyclass(frozen, module = "stickslip._stickslip")]
pub struct Problem {
    model: Arc<ModelFile>,
    raised: Raised,
    calls: bool,
    cost: Cost,
}

#[pymethods]
impl Problem {
    /// `oscillator`, `cascade`, `network` or `impact`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.model.problem.kind()
    }

    /// The scheme's name.
    #[getter]
    fn scheme(&self) -> &'static str {
        self.model.run.scheme.name()
    }

    /// The end of the run, s.
    #[getter]
    fn end(&self) -> f64 {
        self.model.problem.end
    }

    /// The seed.
    #[getter]
    fn seed(&self) -> u64 {
        self.model.run.seed
    }

    /// Whether the model has noise.
    #[getter]
    fn noisy(&self) -> bool {
        !self.model.problem.noises.is_empty()
    }

    /// Warnings from reading the model.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.model.warnings.clone()
    }

    /// The sampled files that it was read from: their names in the model, and their SHA-256.
    #[getter]
    fn files(&self) -> Vec<(String, String)> {
        self.model.files.clone()
    }

    /// The values of the force on an oscillator at times, s.
    fn force_at<'py>(
        &self,
        py: Python<'py>,
        times: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let force = &self.oscillator()?.force;
        let times = times.as_slice()?;
        let first = times.iter().copied().fold(f64::INFINITY, f64::min);
        let last = times.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let known = force.require_domain("the signal", first, last);
        known.map_err(|e| Failure::from(e).into_err(py))?;
        Ok(PyArray1::from_vec(py, times.iter().map(|t| force.value(*t)).collect()))
    }

    /// The friction of an oscillator's contact in a slip at velocities, m/s; NaN at 0, where it is no single number.
    fn friction_at<'py>(
        &self,
        py: Python<'py>,
        velocities: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let law = &self.oscillator()?.friction;
        let force = |w: &f64| match *w {
            0.0 => f64::NAN,
            w => w.signum() * law.force(w.signum(), w.abs()),
        };
        Ok(PyArray1::from_vec(py, velocities.as_slice()?.iter().map(force).collect()))
    }

    /// A run of the problem that the caller advances piece by piece.
    fn cursor(&self, py: Python<'_>) -> PyResult<Cursor> {
        if self.calls {
            return Err(pyo3::exceptions::PyTypeError::new_err(
                "functions of Python are in the model",
            ));
        }
        Cursor::new(py, &self.model)
    }

    /// Solves the problem; with noise, path 0 of the seed.
    fn solve(&self, py: Python<'_>) -> PyResult<Solution> {
        let model = self.model.clone();
        let calls = self.calls;
        let work = move || callables::known(calls, || read::solve(&model));
        let solved = attended(py, Some(&self.cost), work)?;
        let solution = told(py, &self.raised, solved)?;
        Ok(Solution::new(solution, self.model.clone()))
    }
}

impl Problem {
    fn oscillator(&self) -> PyResult<&Oscillator> {
        match &self.model.problem.model {
            Model::Oscillator(o) => Ok(o),
            _ => Err(PyTypeError::new_err("the model is no oscillator")),
        }
    }
}

/// The text of a model file, or an error that says why there is none.
#[pyfunction]
pub fn read_text(py: Python<'_>, name: &str) -> PyResult<String> {
    let text = Reading::new(Paths).text(name);
    text.map_err(|e| Failure::from(e).into_err(py))
}
