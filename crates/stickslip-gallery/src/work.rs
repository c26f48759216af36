//! What an item is given, and what it leaves.

use crate::verdict::{Tolerance, Verdict};
use stickslip::{Cascade, Impact, Model, Network, Oscillator, PathId, Problem, Trajectory};
use stickslip_file::fit::Records;
use stickslip_file::{Diagnostic, Document, FitFile, ModelFile, Reading, Result};
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
    /// Paper and place, for example `Bensoussan et al. 2021, Table 1`.
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
#[derive(Debug)]
pub struct Work {
    /// Where measured data come from, if there are any.
    reading: Reading,
    /// What there is so far.
    pub outcome: Outcome,
}

/// A model file and what it describes, without noise.
#[derive(Debug)]
pub struct Given<M> {
    /// What the file says.
    pub file: ModelFile,
    /// What moves.
    pub model: M,
}

impl<M> Given<M> {
    /// Heading of figures.
    pub fn title(&self) -> &str {
        self.file.title.as_deref().unwrap_or_default()
    }

    /// Last instant, s.
    pub fn end(&self) -> f64 {
        self.file.problem.end
    }

    /// Seed of the noises.
    pub fn seed(&self) -> u64 {
        self.file.run.seed
    }

    /// The step, s.
    pub fn step(&self) -> Result<f64> {
        self.file.run.needed_step("this item")
    }
}

impl Given<Oscillator> {
    /// With its noises.
    pub fn noisy(&self) -> Problem {
        self.file.problem.clone()
    }

    /// The oscillator with the noises of one path made known every `step` (s).
    pub fn known(&self, id: PathId, step: f64) -> Result<Oscillator> {
        let known = self.noisy().known(id, step)?;
        Ok(known.model.as_oscillator().cloned().unwrap_or_else(|| self.model.clone()))
    }

    /// Solves `o` by the scheme of the file.
    pub fn path(&self, o: &Oscillator) -> Result<Trajectory> {
        Ok(stickslip_run::path(&self.file, o)?)
    }
}

impl Work {
    /// Before the start; measured data come from `reading`, if there are any.
    pub fn new(reading: &Reading) -> Self {
        Self { reading: reading.clone(), outcome: Outcome::default() }
    }

    /// The whole of the measured file `name`, if it is there; otherwise the item is skipped.
    pub fn measured(&mut self, name: &str) -> Option<Vec<u8>> {
        let found = self.reading.resources().read(name).ok().map(|bytes| bytes.into_owned());
        if found.is_none() {
            self.outcome.skipped = Some(format!("the measured data `{name}` were not found"));
        }
        found
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
        let svg = figure.to_svg();
        let caption = caption.into();
        self.outcome.pictures.push(Picture { name, svg, caption });
    }

    /// A figure that is drawn already.
    pub fn svg(&mut self, name: &'static str, caption: impl Into<Text>, svg: String) {
        self.outcome.pictures.push(Picture { name, svg, caption: caption.into() });
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

    /// The document of a model file, which goes into the gallery.
    pub fn document(&mut self, name: &'static str, text: &str) -> Result<Document> {
        self.file(name, text);
        Document::parse(name, text)
    }

    /// A fit file and its measured records.
    pub fn records(&mut self, name: &'static str, text: &str) -> Result<Records> {
        let document = self.document(name, text)?;
        Ok(FitFile::read(&document, &self.reading)?.records)
    }

    /// A model file, as a simulation reads it; `pick` takes the kind of model that the item expects.
    fn given<M>(
        &mut self,
        name: &'static str,
        text: &str,
        pick: impl FnOnce(&Model) -> Option<M>,
    ) -> Result<Given<M>> {
        let document = self.document(name, text)?;
        let file = ModelFile::read(&document, &self.reading)?;
        let model = pick(&file.problem.model);
        let model = model.ok_or_else(|| Diagnostic::new(format!("{name}: another model")))?;
        Ok(Given { file, model })
    }

    /// An oscillator from a model file.
    pub fn oscillator(&mut self, name: &'static str, text: &str) -> Result<Given<Oscillator>> {
        self.given(name, text, |m| match m {
            Model::Oscillator(o) => Some(o.clone()),
            _ => None,
        })
    }

    /// A cascade from a model file.
    pub fn cascade(&mut self, name: &'static str, text: &str) -> Result<Given<Cascade>> {
        self.given(name, text, |m| match m {
            Model::Cascade(c) => Some(c.clone()),
            _ => None,
        })
    }

    /// A mass between walls from a model file.
    pub fn impact(&mut self, name: &'static str, text: &str) -> Result<Given<Impact>> {
        self.given(name, text, |m| match m {
            Model::Impact(i) => Some(i.clone()),
            _ => None,
        })
    }

    /// A network from a model file.
    pub fn network(&mut self, name: &'static str, text: &str) -> Result<Given<Network>> {
        self.given(name, text, |m| match m {
            Model::Network(n) => Some(n.clone()),
            _ => None,
        })
    }
}
