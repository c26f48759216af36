//! From a document to a checked problem and its scheme.

use crate::errors::Failure;
use stickslip::Solution;
use stickslip_file::model::{CornerModel, ElementFile, ModelKind, SchatzmanModel};
use stickslip_file::{Diagnostic, Document, ModelFile, Override, Reading, Value};

/// Solves a model; of a noisy one path 0 of the seed.
pub fn solve(model: &ModelFile) -> Result<Solution, Failure> {
    if model.problem.noises.is_empty() {
        return Ok(stickslip::solve(&model.problem, &model.run.scheme)?);
    }
    Ok(stickslip::solve(&model.known()?, &model.run.scheme)?.as_one_path_of_many())
}

/// The problem of a model; of a noisy one with path 0 of the seed.
pub fn known(model: &ModelFile) -> Result<stickslip::Problem, Failure> {
    Ok(model.known()?)
}

/// Checks a document's model, whatever stands in its `[run]`.
pub fn check(document: &Document, reading: &Reading) -> Result<(), Failure> {
    match ModelKind::of(document.root())? {
        ModelKind::Corner => CornerModel::read(document.root()).map(drop)?,
        ModelKind::Schatzman => SchatzmanModel::read(document.root()).map(drop)?,
        kind if kind.is_moved_by_others(document.root()) => {
            ElementFile::read(&with_any_end(document)?, reading).map(drop)?;
        }
        _ => read(&with_any_run(document)?, &reading.without_echo()).map(drop)?,
    }
    Ok(())
}

/// The document with a `[run]` that suits every model: an end that every signal covers, and a scheme and a step
/// that go with it.
fn with_any_run(document: &Document) -> Result<Document, Diagnostic> {
    let mut document = document.clone();
    let given = document.root().get("run").is_some_and(|r| r.node.get("step").is_some());
    // No motion in a plane has a closed form, and that of a slab on isolators is made of steps.
    let planar = document.root().get("planar");
    let slab = planar.is_some_and(|p| p.node.get("isolator").is_some());
    let scheme = match planar {
        Some(_) if slab => "implicit-euler",
        Some(_) => "adaptive",
        None => "exact",
    };
    let short = Value::Number { number: f64::MIN_POSITIVE, whole: None };
    let mut set = |key, value| document.apply(&Override::option("", "run", ("run", key), value));
    if given || slab {
        set("step", short.clone())?;
    }
    set("end", short)?;
    set("scheme", Value::Text(scheme.to_owned()))?;
    Ok(document)
}

/// The document with an end, if it has none.
fn with_any_end(document: &Document) -> Result<Document, Diagnostic> {
    let mut document = document.clone();
    if document.root().get("run").is_none() {
        document.set("run.end", 1.0)?;
    }
    Ok(document)
}

/// Reads a document.
pub fn read(document: &Document, reading: &Reading) -> Result<ModelFile, Failure> {
    let model = ModelFile::read(document, reading)?;
    model.problem.check()?;
    Ok(model)
}
