//! Derivatives of motions as arrays.

use crate::attended::watched;
use crate::document::{ARGUMENTS, Document, put};
use crate::errors::Failure;
use crate::product::with_context;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stickslip::study::sensitivity::Sides;
use stickslip_file::Diagnostic;
use stickslip_run::sensitivity::{Sensitivities, Sensitivity, sensitivity};

/// ∂x and ∂v, one row for each time and body; ∂t of the events; the numbers, and from which sides they can be looked at; where a
/// derivative does not exist, and why; and what differences are worth.
type Found<'py> = (
    [Bound<'py, PyArray2<f64>>; 3],
    Vec<f64>,
    Vec<&'static str>,
    Vec<(f64, String)>,
    Option<Vec<f64>>,
);

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
    if document.calls {
        let said = Diagnostic::new("the model holds a Python function, which has no derivatives")
            .help("sample it, or tabulate it");
        return Err(Failure::from(said).into_err(py));
    }
    let (mut text, reading) = (document.text.clone(), document.reading.clone());
    for (key, value) in values {
        put(py, &mut text, &key.extract::<String>()?, &value)?;
    }
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
