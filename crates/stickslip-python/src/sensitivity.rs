//! Derivatives of motions as arrays.

use crate::attended::watched;
use crate::document::{ARGUMENTS, Document, put};
use crate::errors::Failure;
use crate::product::with_context;
use crate::solution::Solution;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stickslip::Energy;
use stickslip::model::Inlet;
use stickslip::model::machine::Quantity;
use stickslip::study::sensitivity::Sides;
use stickslip_file::{Diagnostic, Document as Text};
use stickslip_run::sensitivity::gradient as gradient_of;
use stickslip_run::sensitivity::{Backward, EnergyRates, Gradients, Sensitivities, Sensitivity};
use stickslip_run::sensitivity::{energies, sensitivity_along};

/// ∂x and ∂v, one row for each time and body; ∂t of the events; the numbers, and from which sides they can be looked at; where a
/// derivative does not exist, and why; and the errors of derivatives that are differences.
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
            .help(
                "sample a function of time with `ss.sampled`, tabulate a friction law with `ss.table`, write a force of `load` as a polynomial \
                 in `stiffness` or as the springs of a network; or take differences between motions, which `ss.solve_many` solves with the function",
            );
        return Err(Failure::from(said).into_err(py));
    }
    let mut text = document.text.clone();
    for (key, value) in values {
        put(py, &mut text, &key.extract::<String>()?, &value)?;
    }
    Ok(text)
}

/// The derivatives of the motion of a document, its solution where it is known, with respect to the numbers at these keys.
#[pyfunction]
#[pyo3(name = "sensitivity")]
pub fn derivatives<'py>(
    py: Python<'py>,
    document: &Document,
    values: &Bound<'py, PyDict>,
    solution: Option<&Solution>,
    keys: Vec<String>,
    times: PyReadonlyArray1<'py, f64>,
) -> PyResult<Found<'py>> {
    let text = with(py, document, values)?;
    let reading = document.reading.clone();
    let mut asked = Sensitivity::new(keys, times.as_slice()?.to_vec());
    asked.place = ARGUMENTS.to_owned();
    let count = asked.keys.len();
    let solved = solution.map(Solution::solved);
    let found = watched(py, None, move |watch| {
        with_context(watch, |context| {
            sensitivity_along(&asked, &text, &reading, solved.as_deref(), context)
        })
    })?;
    let found: Sensitivities = found.map_err(|e| Failure::from(e).into_err(py))?;
    let table = |all: Vec<f64>| {
        let rows = all.len() / count.max(1);
        PyArray1::from_vec(py, all).reshape([rows, count])
    };
    let tables = [table(found.x)?, table(found.v)?, table(found.event_times)?];
    let sides = found.sides.into_iter().map(word).collect();
    Ok((tables, found.values, sides, found.doubtful, found.worth))
}

/// ∂L of the numbers and of each list of samples; from which sides the numbers can be looked at; where there is no derivative.
type Turned<'py> = (
    Bound<'py, PyArray1<f64>>,
    Vec<Bound<'py, PyArray1<f64>>>,
    Vec<&'static str>,
    Vec<(f64, String)>,
);

/// What samples are samples of (of a network with the number of the node, slider or controller), their times, and whether they are held.
type Sampled<'py> = (String, usize, PyReadonlyArray1<'py, f64>, bool);

fn word(sides: Sides) -> &'static str {
    match sides {
        Sides::Both => "both",
        Sides::Above => "above",
        Sides::Below => "below",
    }
}

/// The gradient of a loss of a document's motion (its solution where it is known). The loss is given by its derivatives:
/// with respect to x and v of each body at times, and to the times of the events.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "what Python's function takes, one by one")]
pub fn gradient<'py>(
    py: Python<'py>,
    document: &Document,
    values: &Bound<'py, PyDict>,
    solution: Option<&Solution>,
    keys: Vec<String>,
    samples: Vec<Sampled<'py>>,
    states: [PyReadonlyArray1<'py, f64>; 3],
    event_times: PyReadonlyArray1<'py, f64>,
) -> PyResult<Turned<'py>> {
    let text = with(py, document, values)?;
    let reading = document.reading.clone();
    let mut asked = Backward::new(keys);
    asked.place = ARGUMENTS.to_owned();
    for (of, place, times, held) in samples {
        let of = match of.as_str() {
            "drive" => Inlet::Drive,
            "force" => Inlet::Force,
            "support" => Inlet::Support,
            "node" => Inlet::NodeForce(place),
            "slider.normal" => Inlet::SliderNormal(place),
            "slider.support" => Inlet::SliderSupport(place),
            "controller.displacement" => Inlet::Reference(place, Quantity::Displacement),
            "controller.velocity" => Inlet::Reference(place, Quantity::Velocity),
            _ => Inlet::Normal,
        };
        asked.samples.push((of, times.as_slice()?.to_vec(), held));
    }
    let [t, x, v] = &states;
    asked.times = t.as_slice()?.to_vec();
    asked.x = x.as_slice()?.to_vec();
    asked.v = v.as_slice()?.to_vec();
    asked.event_times = event_times.as_slice()?.to_vec();
    let solved = solution.map(Solution::solved);
    let found = watched(py, None, move |watch| {
        with_context(watch, |context| {
            gradient_of(&asked, &text, &reading, solved.as_deref(), context)
        })
    })?;
    let found: Gradients = found.map_err(|e| Failure::from(e).into_err(py))?;
    let samples = found.samples.into_iter().map(|list| PyArray1::from_vec(py, list)).collect();
    let sides = found.sides.into_iter().map(word).collect();
    Ok((PyArray1::from_vec(py, found.numbers), samples, sides, found.doubtful))
}

/// Energies by their names, J, and their derivatives with respect to each number; the errors of these; why there are none.
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
