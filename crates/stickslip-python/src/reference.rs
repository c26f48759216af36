//! The reference set and its scores, as JSON.

use crate::attended::watched;
use crate::errors::Failure;
use crate::product::with_context;
use pyo3::prelude::*;
use stickslip_file::Diagnostic;
use stickslip_reference::{CASES, Results, Score, find, own, score};

/// Name, model file, statement and certified numbers of every case.
#[pyfunction]
pub fn reference_cases() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
    CASES.iter().map(|c| (c.name, c.model, c.statement, c.json)).collect()
}

fn json(py: Python<'_>, score: Result<Score, Diagnostic>) -> PyResult<String> {
    let score = score.map_err(|e| Failure::from(e).into_err(py))?;
    Ok(serde_json::to_string(&score).unwrap_or_default())
}

/// The score of a table of results, computed in so many seconds, or of a simulator that failed.
#[pyfunction]
pub fn reference_score(
    py: Python<'_>,
    name: &str,
    results: &str,
    seconds: f64,
    error: Option<String>,
) -> PyResult<String> {
    let scored = || {
        let certified = find(name)?.certified()?;
        Ok(match error {
            Some(error) => Score::failed(&certified, error),
            None => {
                let results = Results::read("results", results.as_bytes())?;
                score(&certified, &results, Some(seconds))
            }
        })
    };
    json(py, scored())
}

/// The score of our own solution.
#[pyfunction]
pub fn reference_own(py: Python<'_>, name: String) -> PyResult<String> {
    let work = move |watch: &crate::attended::Watch| {
        with_context(watch, |context| own(find(&name)?, context))
    };
    let scored = watched(py, None, work)?;
    json(py, scored)
}
