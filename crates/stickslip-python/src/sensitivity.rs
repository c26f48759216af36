//! Derivatives of motions as arrays.

use crate::attended::watched;
use crate::document::{ARGUMENTS, Document, put};
use crate::errors::Failure;
use crate::product::with_context;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stickslip::Energy;
use stickslip::study::sensitivity::Sides;
use stickslip_file::{Diagnostic, Document as Text};
use stickslip_run::sensitivity::{EnergyRates, Sensitivities, Sensitivity, energies, sensitivity};

/// ∂x and ∂v, one row for each time and body; ∂t of the events; the numbers, and from which sides they can be looked at; where a
/// derivative does not exist, and why; and what differences are worth.
type Found<'py> = (
    [Bound<'py, PyArray2<f64>>; 3],
    Vec<f64>,
    Vec<&'static str>,
    Vec<(f64, String)>,
    Option<Vec<f64>>,
);

/// A document with these values of its keys; an error where it holds functions of Python.
fn with(py: Python<'_>, document: &Document, values: &Bound<'_, PyDict>) -> PyResult<Text> {
    if document.calls {
        let said = Diagnostic::new("the model holds a Python function, which has no derivatives")
            .help("sample it, or tabulate it");
        return Err(Failure::from(said).into_err(py));
    }
    let mut text = document.text.clone();
    for (key, value) in values {
        put(py, &mut text, &key.extract::<String>()?, &value)?;
    }
    Ok(text)
}

/// The derivatives of the motion of a document with respect to the numbers at these keys.
#[pyfunction]
#[pyo3(name = "sensitivity")]
pub fn derivatives<'py>(
    py: Python<'py>,
    document: &Document,
    values: &Bound<'py, PyDict>,
    keys: Vec<String>,
    times: PyReadonlyArray1<'py, f64>,
) -> PyResult<Found<'py>> {
    let text = with(py, document, values)?;
    let reading = document.reading.clone();
    let mut asked = Sensitivity::new(keys, times.as_slice()?.to_vec());
    asked.place = ARGUMENTS.to_owned();
    let count = asked.keys.len();
    let found = watched(py, None, move |watch| {
        with_context(watch, |context| sensitivity(&asked, &text, &reading, context))
    })?;
    let found: Sensitivities = found.map_err(|e| Failure::from(e).into_err(py))?;
    let table = |all: Vec<f64>| {
        let rows = all.len() / count.max(1);
        PyArray1::from_vec(py, all).reshape([rows, count])
    };
    let tables = [table(found.x)?, table(found.v)?, table(found.event_times)?];
    let word = |s: &Sides| match s {
        Sides::Both => "both",
        Sides::Above => "above",
        Sides::Below => "below",
    };
    let sides = found.sides.iter().map(word).collect();
    Ok((tables, found.values, sides, found.doubtful, found.worth))
}

/// Energies by their names, J, and their derivatives with respect to each number; what these are worth; why there are none.
type OfEnergies<'py> = (Vec<(&'static str, Bound<'py, PyArray1<f64>>)>, Vec<f64>, Vec<String>);

/// One of the energies, by its name.
type Named = (&'static str, fn(&Energy) -> f64);

/// The derivatives of the energies of the motion of a document with respect to the numbers at these keys.
#[pyfunction]
pub fn energy_rates<'py>(
    py: Python<'py>,
    document: &Document,
    values: &Bound<'py, PyDict>,
    keys: Vec<String>,
) -> PyResult<OfEnergies<'py>> {
    let text = with(py, document, values)?;
    let reading = document.reading.clone();
    let mut asked = Sensitivity::new(keys, Vec::new());
    asked.place = ARGUMENTS.to_owned();
    let found = watched(py, None, move |watch| {
        with_context(watch, |context| energies(&asked, &text, &reading, context))
    })?;
    let found: EnergyRates = found.map_err(|e| Failure::from(e).into_err(py))?;
    let named: [Named; 8] = [
        ("work", |e| e.work),
        ("gross_work", |e| e.gross_work),
        ("kinetic", |e| e.kinetic),
        ("elastic", |e| e.elastic),
        ("friction", |e| e.friction),
        ("viscous", |e| e.viscous),
        ("impacts", |e| e.impacts),
        ("jumps", |e| e.jumps),
    ];
    let table = named.map(|(name, of)| {
        let column: Vec<f64> = found.rates.iter().map(of).collect();
        (name, PyArray1::from_vec(py, column))
    });
    Ok((table.into(), found.worth, found.doubtful))
}
