//! Solutions as arrays.

use crate::attended::attended;
use crate::errors::{Failure, remark};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use stickslip::{Energy, EventKind, Phase, Role};
use stickslip_file::ModelFile;
use stickslip_run::Shown;

/// A solved problem.
#[pyclass(frozen, module = "stickslip._stickslip")]
pub struct Solution {
    solved: Arc<stickslip::Solution>,
    model: Arc<ModelFile>,
}

/// Kinds (as numbers in the list of kinds), times, places, x, v before and after, impulses.
type Events<'py> = (
    Bound<'py, PyArray1<i8>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<u32>>,
    [Bound<'py, PyArray1<f64>>; 4],
);

impl Solution {
    /// Solves a problem.
    pub fn new(solved: stickslip::Solution, model: Arc<ModelFile>) -> Self {
        Self { solved: Arc::new(solved), model }
    }

    /// The solution itself.
    pub fn solved(&self) -> Arc<stickslip::Solution> {
        self.solved.clone()
    }
}

/// The columns of a model's solution.
fn shown<'a>(solved: &'a stickslip::Solution, model: &'a ModelFile) -> Shown<'a> {
    Shown::new(&model.problem, solved, model.bearing_stiffness).turning(model.rotation)
}

/// One row for each column, one column for each time.
fn rows(solved: &stickslip::Solution, model: &ModelFile, times: &[f64]) -> Vec<f64> {
    let shown = shown(solved, model);
    let width = shown.width();
    let count = times.len();
    let mut out = vec![0.0; width * count];
    let mut rows = shown.rows();
    let mut row = vec![0.0; width];
    for (i, &t) in times.iter().enumerate() {
        rows.at(t, &mut row);
        for (c, value) in row.iter().enumerate() {
            out[c * count + i] = *value;
        }
    }
    out
}

#[pymethods]
impl Solution {
    /// Name, unit and role of each column.
    fn columns(&self) -> Vec<(String, &'static str, &'static str)> {
        let word = |role: Option<Role>| match role {
            Some(Role::Position) => "position",
            Some(Role::Place) => "place",
            Some(Role::Gap) => "gap",
            Some(Role::Velocity) => "velocity",
            Some(Role::Force) => "force",
            Some(Role::Impulse) => "impulse",
            Some(Role::Memory) => "memory",
            _ => "other",
        };
        let columns = shown(&self.solved, &self.model).columns();
        columns.into_iter().map(|(c, role)| (c.name, c.unit, word(role))).collect()
    }

    /// Events and breakpoints, or the steps of a stepping scheme, s.
    fn nodes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.solved.nodes())
    }

    /// First and last instant, s.
    #[getter]
    fn span(&self) -> (f64, f64) {
        self.solved.span()
    }

    /// The columns at these times: one row for each column.
    fn table<'py>(
        &self,
        py: Python<'py>,
        times: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let times = times.as_slice()?.to_vec();
        let solved = self.solved.clone();
        let model = self.model.clone();
        let count = times.len();
        let work = move || rows(&solved, &model, &times);
        // A few rows are there at once.
        let numbers = if count < 1000 { py.detach(work) } else { attended(py, None, work)? };
        let width = shown(&self.solved, &self.model).width();
        PyArray1::from_vec(py, numbers).reshape([width, count])
    }

    /// The phase of a place at these times, which must not decrease: −1 and 1 slip, 0 stick.
    fn phases<'py>(
        &self,
        py: Python<'py>,
        place: usize,
        times: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let stretches = self.solved.phases(place);
        let mut i = 0;
        let code = |&t: &f64| {
            while stretches.get(i + 1).is_some_and(|s| s.1 <= t) {
                i += 1;
            }
            stretches.get(i).map_or(0, |s| match s.0 {
                Phase::Stick => 0,
                Phase::SlipForward => 1,
                Phase::SlipBackward => -1,
            })
        };
        let codes: Vec<i8> = times.as_slice()?.iter().map(code).collect();
        Ok(PyArray1::from_vec(py, codes))
    }

    /// Uninterrupted stretches of a place in one phase: codes as above, starts, ends (s).
    fn stretches(&self, place: usize) -> Vec<(&'static str, f64, f64)> {
        self.solved.phases(place).into_iter().map(|(p, a, b)| (p.name(), a, b)).collect()
    }

    /// The events of the motion.
    fn events<'py>(&self, py: Python<'py>) -> Events<'py> {
        let events = &self.solved.events;
        let code = |k: EventKind| EventKind::ALL.iter().position(|a| *a == k).unwrap_or(0) as i8;
        let of = |f: fn(&stickslip::Event) -> f64| {
            PyArray1::from_vec(py, events.iter().map(f).collect::<Vec<_>>())
        };
        (
            PyArray1::from_vec(py, events.iter().map(|e| code(e.kind)).collect()),
            of(|e| e.time),
            PyArray1::from_vec(py, events.iter().map(|e| e.place as u32).collect()),
            [of(|e| e.x), of(|e| e.before), of(|e| e.v), of(|e| e.impulse)],
        )
    }

    /// The names of the kinds of events.
    #[staticmethod]
    fn kinds() -> Vec<&'static str> {
        EventKind::ALL.iter().map(|k| k.name()).collect()
    }

    /// The names of the places of events.
    #[getter]
    fn places(&self) -> Vec<String> {
        self.solved.places().to_vec()
    }

    /// Which of the places are contacts that stick and slip: stops and gears are not, nor is the mass of a cascade.
    #[getter]
    fn contacts(&self) -> Vec<usize> {
        self.solved.contact_places().collect()
    }

    /// The energy balance, J.
    fn energy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let solved = self.solved.clone();
        let energy = attended(py, None, move || solved.energy())?;
        let Energy {
            work, gross_work, kinetic, elastic, friction, viscous, impacts, jumps, ..
        } = energy;
        let out = PyDict::new(py);
        for (name, value) in [
            ("work", work),
            ("gross_work", gross_work),
            ("kinetic", kinetic),
            ("elastic", elastic),
            ("friction", friction),
            ("viscous", viscous),
            ("impacts", impacts),
            ("jumps", jumps),
            ("defect", energy.defect()),
            ("relative_defect", energy.relative_defect()),
        ] {
            out.set_item(name, value)?;
        }
        Ok(out)
    }

    /// Warnings for the user.
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let mut all = self.model.warnings.clone();
        for w in &self.solved.warnings {
            all.push(remark(py, &w.to_string(), w.remedy())?);
        }
        Ok(all)
    }

    /// The proof of an exact run, as JSON.
    fn certificate(&self, py: Python<'_>) -> PyResult<String> {
        let model = self.model.clone();
        let document = attended(py, None, move || stickslip_run::certificate(&model))?;
        document.map(|d| d.to_string()).map_err(|e| Failure::from(e).into_err(py))
    }

    /// Numbers of steps, segments and iterations.
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = &self.solved.counts;
        let out = PyDict::new(py);
        for (name, value) in [
            ("steps", counts.steps),
            ("segments", counts.segments),
            ("iterations", counts.iterations),
            ("inexact", counts.inexact),
        ] {
            out.set_item(name, value)?;
        }
        Ok(out)
    }
}
