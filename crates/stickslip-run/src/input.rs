//! What a run is given: a document and where the files that it names come from.

use stickslip::{Error, Model, Oscillator, Problem, Trajectory, solve};
use stickslip_file::{Diagnostic, Document, ModelFile, Reading, Remedy, Result};

/// A model file or fit file, parsed but not yet read, and where the files that it names come from.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The file.
    pub document: &'a Document,
    /// Where other files come from.
    pub reading: &'a Reading,
}

impl<'a> Input<'a> {
    /// This document.
    pub fn new(document: &'a Document, reading: &'a Reading) -> Self {
        Self { document, reading }
    }

    /// The model in it.
    ///
    /// # Errors
    /// Where the file, or one that it names, is wrong; where the problem has several solutions.
    pub fn model(&self) -> Result<ModelFile> {
        ModelFile::read(self.document, self.reading)
    }

    /// The name of the document, which is its only file.
    pub(crate) fn alone(&self) -> Vec<String> {
        vec![self.document.name().to_owned()]
    }
}

/// Heading of figures; empty where there is none.
pub(crate) fn title(file: &ModelFile) -> String {
    file.title.clone().unwrap_or_default()
}

/// The oscillator of a model file.
///
/// # Errors
/// If it is another kind of model.
pub fn oscillator(file: &ModelFile) -> Result<&Oscillator> {
    match &file.problem.model {
        Model::Oscillator(o) => Ok(o),
        other => Err(Diagnostic::new(format!(
            "expected an [oscillator]; this is a model of the kind `{}`",
            other.kind()
        ))),
    }
}

/// An oscillator, solved by the scheme of a file and until its end.
///
/// # Errors
/// Where the scheme cannot solve it.
pub fn path(file: &ModelFile, o: &Oscillator) -> Result<Trajectory, Error> {
    let problem = Problem::new(o.clone(), file.problem.end);
    let solution = solve(&problem, &file.run.scheme)?;
    Ok(solution.oscillator().cloned().unwrap_or_default())
}

/// A problem whose paths advance in steps: any but an impact model.
pub(crate) fn random(problem: &Problem) -> Result<&Problem> {
    match &problem.model {
        Model::Impact(_) => Err(Diagnostic::new(
            "ensembles are supported for [oscillator], [cascade] and [network] models only",
        )
        .with_remedy(Remedy::Simulate)),
        _ => Ok(problem),
    }
}
