//! What a run is given: a document and where the files that it names come from.

use crate::heading::Heading;
use stickslip::scheme::stochastic::{self, Rule};
use stickslip::{Error, Model, Oscillator, Problem, Scheme, Trajectory, solve};
use stickslip_file::{Diagnostic, Document, ModelFile, Reading, Remedy, Result};

/// A model file or fit file, parsed but not yet read, and where the files that it names come from.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The file.
    pub document: &'a Document,
    /// Where other files come from.
    pub reading: &'a Reading,
    /// Keys of `[run]` whose values do not come from the file but were asked for with it: they are refused where they
    /// do not apply.
    pub asked: &'a [&'static str],
}

impl<'a> Input<'a> {
    /// This document.
    pub fn new(document: &'a Document, reading: &'a Reading) -> Self {
        Self { document, reading, asked: &[] }
    }

    /// With values that were asked for beside the file, by their keys in `[run]`.
    pub fn asking(self, asked: &'a [&'static str]) -> Self {
        Self { asked, ..self }
    }

    /// Refuses what was asked for and does not apply.
    pub(crate) fn check(&self, applies: &Applies) -> Result<()> {
        self.asked.iter().try_for_each(|key| applies.check(key))
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

/// What of `[run]` applies to a run. Its end and its scheme always do, and its seed, which every summary records.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Applies {
    /// The scheme's name.
    pub scheme: &'static str,
    /// A step.
    pub step: bool,
    /// Tolerances.
    pub tolerances: bool,
    /// A number of rows.
    pub rows: bool,
}

impl Applies {
    /// What applies to one motion by the scheme of a file.
    pub fn to_motion(file: &ModelFile) -> Self {
        let scheme = file.run.scheme;
        let noisy = !file.problem.noises.is_empty();
        Self {
            scheme: scheme.name(),
            step: noisy || scheme.step().is_some(),
            tolerances: matches!(scheme, Scheme::Adaptive(_))
                || scheme.name().starts_with("sign-rk"),
            rows: true,
        }
    }

    fn check(&self, key: &'static str) -> Result<()> {
        let (applies, what, to) = match key {
            "step" => (self.step, "a step", "time-stepping schemes and models with noise"),
            "rtol" => (self.tolerances, "a relative tolerance", "the adaptive schemes"),
            "atol" => (self.tolerances, "an absolute tolerance", "the adaptive schemes"),
            "rows" => (self.rows, "a number of rows", "tables against time"),
            _ => return Ok(()),
        };
        if applies {
            return Ok(());
        }
        let said = if key == "rows" {
            "no such table is made here".to_owned()
        } else {
            format!("what runs here is `{}`", self.scheme)
        };
        Err(Diagnostic::command_line(format!(
            "{what} was asked for; it applies to {to}, and {said}"
        ))
        .with_remedy(Remedy::Omit(key)))
    }
}

/// Heading of figures; its title is empty where there is none.
pub(crate) fn heading(file: &ModelFile) -> Heading {
    Heading::of(file)
}

/// The oscillator of a model file.
///
/// # Errors
/// If it is another kind of model.
pub fn oscillator(file: &ModelFile) -> Result<&Oscillator> {
    match &file.problem.model {
        Model::Oscillator(o) => Ok(o),
        Model::Hysteretic(h) => Err(Diagnostic::new(format!(
            "{}; expected an [oscillator] whose law has no memory",
            h.beyond_oscillators()
        ))
        .with_remedy(Remedy::Simulate)),
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
            "ensembles are supported for [oscillator], [cascade], [network] and [planar] models only",
        )
        .with_remedy(Remedy::Simulate)),
        Model::Hysteretic(h) if Rule::of(&problem.model).is_empty() => Err(Diagnostic::new(format!(
            "{}, so that paths of this model do not advance in steps, as those of an ensemble do",
            h.beyond_oscillators()
        ))
        .with_remedy(Remedy::Simulate)),
        // Which networks have no steps, and why, is known where the steps are.
        Model::Machine(_) if Rule::of(&problem.model).is_empty() => {
            match stochastic::check(problem, Rule::default()) {
                Ok(()) => Ok(problem),
                Err(e) => Err(Diagnostic::new(e.to_string()).with_remedy(Remedy::Simulate)),
            }
        }
        _ => Ok(problem),
    }
}
