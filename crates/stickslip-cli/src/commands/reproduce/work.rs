//! What an item is given, and what it leaves.

use super::verdict::{Tolerance, Verdict};
use crate::commands::simulate::oscillator::{self, Simulation};
use crate::fault::{Fault, Result};
use crate::file::{self, CascadeModel, Gathered, ImpactModel, NetworkModel, Node};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use stickslip::Cascade;
use stickslip_report::figure::{Figure, Text};
use stickslip_report::html::Table;

/// A figure with its caption.
#[derive(Debug, Clone)]
pub struct Picture {
    /// File name.
    pub name: &'static str,
    /// The figure.
    pub svg: String,
    /// The line below it.
    pub caption: Text,
}

/// Where ours and the paper differ, and why.
#[derive(Debug, Clone)]
pub struct Deviation {
    /// Seed and place, for example `000, Table 1`.
    pub place: String,
    /// What stands there.
    pub paper: String,
    /// What we have.
    pub ours: String,
    /// Why.
    pub cause: String,
}

/// What an item leaves.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Numbers beside numbers.
    pub verdicts: Vec<Verdict>,
    /// Figures, in order.
    pub pictures: Vec<Picture>,
    /// Tables, in order.
    pub tables: Vec<Table>,
    /// Files of models and data by name.
    pub files: Vec<(&'static str, String)>,
    /// Commands that do the same by hand.
    pub commands: Vec<String>,
    /// What else there is to say.
    pub remarks: Vec<String>,
    /// Where ours and the paper differ.
    pub deviations: Vec<Deviation>,
    /// Why it was not run.
    pub skipped: Option<String>,
    /// What it took, s.
    pub seconds: f64,
}

/// An item under way.
#[derive(Debug, Default)]
pub struct Work {
    data: Option<PathBuf>,
    /// What there is so far.
    pub outcome: Outcome,
}

impl Work {
    /// Before the start; measured data lie in `data`, if there are any.
    pub fn new(data: Option<PathBuf>) -> Self {
        Self { data, outcome: Outcome::default() }
    }

    /// The folder of measured data, if it holds the file `name`; otherwise the item is skipped.
    pub fn measured(&mut self, name: &str) -> Option<PathBuf> {
        let there = self.data.clone().filter(|d| d.join(name).is_file());
        if there.is_none() {
            self.outcome.skipped = Some(format!(
                "the measured data `{name}` are not here: set STICKSLIP_DATA to the folder that holds them"
            ));
        }
        there
    }

    /// A line of the verdict.
    pub fn verdict(
        &mut self,
        what: impl Into<String>,
        (expected, source): (f64, &'static str),
        found: f64,
        tolerance: Tolerance,
    ) {
        self.outcome.verdicts.push(Verdict {
            what: what.into(),
            expected,
            source,
            found,
            tolerance,
        });
    }

    /// A figure.
    pub fn figure(&mut self, name: &'static str, figure: &Figure<'_>, caption: impl Into<Text>) {
        let (svg, caption) = (figure.to_svg(), caption.into());
        self.outcome.pictures.push(Picture { name, svg, caption });
    }

    /// A figure that an exporter draws.
    pub fn draw(
        &mut self,
        name: &'static str,
        caption: impl Into<Text>,
        draw: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        let mut bytes = Vec::new();
        draw(&mut bytes).map_err(|e| Fault::new(format!("{name}: {e}")))?;
        let (svg, caption) = (String::from_utf8_lossy(&bytes).into_owned(), caption.into());
        self.outcome.pictures.push(Picture { name, svg, caption });
        Ok(())
    }

    /// A table.
    pub fn table(&mut self, table: Table) {
        self.outcome.tables.push(table);
    }

    /// A sentence.
    pub fn remark(&mut self, text: impl Into<String>) {
        self.outcome.remarks.push(text.into());
    }

    /// A command that does the same by hand.
    pub fn command(&mut self, text: impl Into<String>) {
        self.outcome.commands.push(text.into());
    }

    /// A file of the gallery.
    pub fn file(&mut self, name: &'static str, text: impl Into<String>) {
        self.outcome.files.push((name, text.into()));
    }

    /// A difference from the paper.
    pub fn deviation(
        &mut self,
        place: &str,
        paper: impl Into<String>,
        ours: impl Into<String>,
        cause: impl Into<String>,
    ) {
        let [paper, ours, cause] = [paper.into(), ours.into(), cause.into()];
        self.outcome.deviations.push(Deviation { place: place.to_owned(), paper, ours, cause });
    }

    /// The document of a model file, which goes into the gallery; paths in it start from `folder`.
    pub fn document(
        &mut self,
        name: &'static str,
        text: &str,
        folder: &Path,
    ) -> Result<(Node, Gathered)> {
        self.file(name, text);
        file::parse(name, text.to_owned(), folder)
    }

    /// An oscillator from a model file, as `stickslip simulate` reads it.
    pub fn oscillator(&mut self, name: &'static str, text: &str) -> Result<Simulation> {
        let (document, gathered) = self.document(name, text, Path::new(""))?;
        oscillator::read(&document, gathered)
    }

    /// A cascade from a model file.
    pub fn cascade(&mut self, name: &'static str, text: &str) -> Result<(CascadeModel, Cascade)> {
        let (document, mut gathered) = self.document(name, text, Path::new(""))?;
        let (model, noisy) = CascadeModel::read(&document, &mut gathered)?;
        let cascade = noisy.model.as_cascade().cloned();
        Ok((model, cascade.ok_or_else(|| Fault::new("the model is not a cascade"))?))
    }

    /// A mass between walls from a model file.
    pub fn impact(&mut self, name: &'static str, text: &str) -> Result<ImpactModel> {
        let (document, mut gathered) = self.document(name, text, Path::new(""))?;
        ImpactModel::read(&document, &mut gathered)
    }

    /// A network from a model file.
    pub fn network(
        &mut self,
        name: &'static str,
        text: &str,
    ) -> Result<(NetworkModel, stickslip::Network)> {
        let (document, mut gathered) = self.document(name, text, Path::new(""))?;
        let (model, noisy) = NetworkModel::read(&document, &mut gathered)?;
        let network = noisy.model.as_network().cloned();
        Ok((model, network.ok_or_else(|| Fault::new("the model is not a network"))?))
    }
}

/// The step of a model file that has one.
pub fn step_of(simulation: &Simulation) -> Result<f64> {
    let step = simulation.model.run.step.as_ref().map(|s| s.value);
    step.ok_or_else(|| Fault::new("`run.step` is missing"))
}
