//! A servo that was fitted to many logs: the next logs to record, and its motion step by step.

use crate::attended::{Watch, watched};
use crate::errors::Failure;
use crate::product::{Product, finished, said, with_context};
use crate::resources::{Given, Held};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::HashMap;
use stickslip_file::{Diagnostic, Reading};
use stickslip_run::asked::options_of;
use stickslip_run::synthetic::WithRecords;
use stickslip_run::{Begin, Design, JointMotion as Motion};

/// The logs to record next, from the texts of `fit.json` and `fit.csv`.
#[pyfunction]
pub fn design(
    py: Python<'_>,
    fit: String,
    table: String,
    options: &Bound<'_, PyDict>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Product> {
    let asked: Design = options_of("design", said(options)?).map_err(|e| wrong(py, e))?;
    let held = |text: String| Held::Bytes(text.into_bytes().into());
    let files = [("fit/fit.json", held(fit)), ("fit/fit.csv", held(table))];
    let files: HashMap<_, _> = files.map(|(name, text)| (name.to_owned(), text)).into();
    let given = Given { files, ..Given::default() };
    let work = move |watch: &Watch| {
        let reading = Reading::new(WithRecords(given));
        with_context(watch, |context| stickslip_run::design(&asked, "fit", &reading, context))
    };
    finished(py, watched(py, progress, work)?)
}

fn wrong(py: Python<'_>, e: Diagnostic) -> PyErr {
    Failure::from(e).into_err(py)
}

/// A fitted servo in motion.
#[pyclass(module = "stickslip._stickslip")]
pub struct JointMotion(Motion);

#[pymethods]
impl JointMotion {
    /// The motion of the joint in the text of a `fit.json`. `load` holds inertia and torque of the load and the factor of the
    /// gain; `start` holds goal, angle and speed.
    #[new]
    fn new(
        py: Python<'_>,
        fit: &str,
        load: [f64; 3],
        mounting: usize,
        start: [f64; 3],
    ) -> PyResult<Self> {
        let [inertia, gravity_torque, gain] = load;
        let [goal, angle, speed] = start;
        let begin = Begin { inertia, gravity_torque, gain, mounting, goal, angle, speed };
        Motion::new(fit, &begin).map(Self).map_err(|e| wrong(py, e))
    }

    /// Advances by `step` seconds, during which the goal moves linearly to `goal`.
    fn step(&mut self, step: f64, goal: f64, supply: f64, enabled: bool) {
        self.0.step(step, goal, supply, enabled);
    }

    /// Time, angle and speed.
    #[getter]
    fn state(&self) -> [f64; 3] {
        self.0.state()
    }
}
