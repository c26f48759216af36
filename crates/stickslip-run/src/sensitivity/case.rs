//! A document's model and the numbers that are asked about.

use crate::context::Context;
use stickslip::model::Network;
use stickslip::study::sensitivity::Number;
use stickslip::{Cascade, Impact, Model, Oscillator, Solution};
use stickslip_file::{
    Diagnostic, Document, ModelFile, Reading, Result, Varied, VariedModel, did_you_mean,
};

/// Where models with other numbers come from.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub document: &'a Document,
    pub reading: &'a Reading,
    pub place: &'a str,
}

/// A model, the numbers at some keys, and its motion where that is known already.
pub(super) struct Case<'a> {
    pub file: ModelFile,
    pub keys: &'a [String],
    pub values: Vec<f64>,
    pub source: Source<'a>,
    known: Option<&'a Solution>,
}

impl<'a> Case<'a> {
    /// The model of a document, and the numbers at the keys.
    pub fn read(
        source: Source<'a>,
        keys: &'a [String],
        known: Option<&'a Solution>,
        context: &Context<'_>,
    ) -> Result<Self> {
        let (file, parameters) = ModelFile::read_with_parameters(source.document, source.reading)?;
        context.warn_all(&file.warnings);
        if !file.problem.noises.is_empty() {
            return Err(Diagnostic::new("the model has noise; expected one whose loads are known")
                .help("leave out the noises, or put a sampled path in their place"));
        }
        let value = |key: &String| {
            let found = parameters.iter().find(|p| p.path == *key).map(|p| p.value);
            found.ok_or_else(|| no_number(key, &parameters))
        };
        let values = keys.iter().map(value).collect::<Result<_>>()?;
        Ok(Self { file, keys, values, source, known })
    }

    /// The motion: the one that is known already, or a new one in `room`.
    pub fn solved<'b>(&'b self, room: &'b mut Option<Solution>) -> Result<&'b Solution> {
        if let Some(known) = self.known {
            return Ok(known);
        }
        Ok(room.insert(stickslip::solve(&self.file.problem, &self.file.run.scheme)?))
    }

    /// The numbers at the keys, each by models of the same document in which it is a little different.
    pub fn numbers<M>(&self, of: fn(Model) -> Option<M>) -> Result<Vec<Number<M>>> {
        self.nearer(of, 1.0)
    }

    /// The same by models that are so many times as far away.
    pub fn nearer<M>(&self, of: fn(Model) -> Option<M>, by: f64) -> Result<Vec<Number<M>>> {
        let Source { document, reading, place } = self.source;
        let given = self.keys.iter().zip(&self.values);
        let given = given.map(|(key, value)| (place, key.as_str(), *value));
        let models = VariedModel::new(Varied::new(document, given)?, reading);
        let number = |i: usize| {
            let mut own = self.values.clone();
            Number::near(self.values[i], by, |x| {
                // A key that was given twice has one slot: each of the two must hold the number that is moved.
                for (value, key) in own.iter_mut().zip(self.keys) {
                    if *key == self.keys[i] {
                        *value = x;
                    }
                }
                let problem = models.read(&own)?.problem;
                let kind = problem.kind();
                let other = || Diagnostic::new(format!("a model of the kind `{kind}`"));
                of(problem.model).ok_or_else(other)
            })
        };
        // One after the other: four models take less than it takes to hand them to another thread.
        (0..self.values.len()).map(number).collect()
    }
}

/// That a motion has the path of its kind of model.
pub(super) fn no_path() -> Diagnostic {
    Diagnostic::new("the motion has no path")
}

/// What [`Case::numbers`] takes of a model that is an oscillator.
pub(super) fn oscillator(model: Model) -> Option<Oscillator> {
    if let Model::Oscillator(o) = model { Some(o) } else { None }
}

/// The same of a network.
pub(super) fn bare(model: Model) -> Option<Network> {
    if let Model::Network(network) = model { Some(network) } else { None }
}

/// The same of a cascade.
pub(super) fn elements(model: Model) -> Option<Cascade> {
    if let Model::Cascade(cascade) = model { Some(cascade) } else { None }
}

/// The same of a mass between walls.
pub(super) fn walled(model: Model) -> Option<Impact> {
    if let Model::Impact(impact) = model { Some(impact) } else { None }
}

fn no_number(key: &str, known: &[stickslip_file::Number]) -> Diagnostic {
    let names = || known.iter().map(|p| p.path.as_str());
    let near = did_you_mean(key, names());
    Diagnostic::command_line(format!("`{key}` is no number of this model{near}"))
        .naming_keys()
        .help(format!("its numbers are {}", names().collect::<Vec<_>>().join(", ")))
}
