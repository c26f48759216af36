//! An oscillator's file that was read once and is made again with other numbers, without its tree.

use super::file::{ModelFile, Posed, noises_of, posed};
use super::kind::ModelKind;
use super::oscillator::Oscillator;
use super::slot::Slot;
use crate::asked::{Asked, Quantity};
use crate::document::Document;
use crate::reader::Table;
use crate::reading::{Gathered, Reading};
use stickslip::Model;

/// A model file with typed slots for some of its numbers.
pub(crate) struct Template {
    /// What was read, its problem included.
    whole: ModelFile,
    file: Oscillator,
    /// What the files that it names gave reason to say.
    warnings: Vec<String>,
    slots: Vec<(Slot<Oscillator>, Quantity)>,
}

impl Template {
    /// The file in a document, with slots for the numbers at these keys. `None` where a number is not in the table of an
    /// oscillator, is one of several that are read together, or cannot be read as it stands: then the document is read again for each
    /// model, which says what is wrong with it.
    pub fn new(document: &Document, reading: &Reading, paths: &[Vec<String>]) -> Option<Self> {
        if !matches!(ModelKind::of(document.root()), Ok(ModelKind::Oscillator)) {
            return None;
        }
        let asked = Asked::default();
        let mut whole = ModelFile::read_asking(document, reading, Some(&asked)).ok()?;
        if !matches!(whole.problem.model, Model::Oscillator(_)) {
            return None;
        }
        let known = asked.into_numbers();
        let root = Table::root(document.root(), &["title", "oscillator", "run"]).ok()?;
        let mut gathered = Gathered::new(reading, document);
        let mut file = Oscillator::read(&root, &mut gathered).ok()?;
        let mut slots = Vec::with_capacity(paths.len());
        for path in paths {
            let name = path.join(".");
            let number = known.iter().find(|n| n.path == name && !n.whole)?;
            let keys: Vec<&str> = path.iter().map(String::as_str).collect();
            let slot = file.slot(keys.strip_prefix(&["oscillator"])?)?;
            slots.push((slot, Quantity { unit: number.unit, range: number.range }));
        }
        whole.warnings = Vec::new();
        Some(Self { whole, file, warnings: gathered.warnings, slots })
    }

    /// The file with these numbers, one for each slot. `None` where a number is outside its range or they make no model: reading the
    /// document says why.
    pub fn model(&self, values: &[f64]) -> Option<ModelFile> {
        let Posed { problem, run, bearing_stiffness, rotation, warnings } = self.posed(values)?;
        Some(ModelFile {
            title: self.whole.title.clone(),
            resolved: self.whole.resolved.clone(),
            problem,
            run,
            bearing_stiffness,
            rotation,
            inputs: self.whole.inputs.clone(),
            files: self.whole.files.clone(),
            warnings,
        })
    }

    /// The same without what is said about the file, of which each model would take a copy along.
    pub fn posed(&self, values: &[f64]) -> Option<Posed> {
        let mut file = self.file.clone();
        for ((slot, quantity), value) in self.slots.iter().zip(values) {
            if !quantity.holds(*value) {
                return None;
            }
            *slot(&mut file)? = *value;
        }
        let mut run = self.whole.run.clone();
        let mut warnings = self.warnings.clone();
        let noises = noises_of(&file);
        let problem = posed(file.build().ok()?.into(), noises, &mut run, &mut warnings).ok()?;
        Some(Posed {
            problem,
            run,
            bearing_stiffness: file.bearing_stiffness,
            rotation: self.whole.rotation,
            warnings,
        })
    }
}
