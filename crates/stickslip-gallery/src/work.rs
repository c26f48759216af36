//! What an item is given, and what it leaves.

use crate::verdict::{Tolerance, Verdict};
use stickslip::{Cascade, Network, NoisyOscillator, Oscillator, Trajectory};
use stickslip_file::model::{CascadeModel, ImpactModel, NetworkModel};
use stickslip_file::{Document, Gathered, Reading, Result};
use stickslip_report::figure::{Figure, Text};
use stickslip_report::html::Table;
use stickslip_run::{Input, Model};

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
#[derive(Debug)]
pub struct Work {
    /// Where measured data come from, if there are any.
    reading: Reading,
    /// What there is so far.
    pub outcome: Outcome,
}

/// An oscillator of a model file.
#[derive(Debug)]
pub struct Simulation {
    /// What the file says.
    pub model: Model,
    /// What moves, without noise.
    pub oscillator: Oscillator,
}

impl Simulation {
    /// Heading of figures.
    pub fn title(&self) -> &str {
        &self.model.title
    }

    /// Last instant, s.
    pub fn end(&self) -> f64 {
        self.model.problem.end
    }

    /// Seed of the noises.
    pub fn seed(&self) -> u64 {
        self.model.seed
    }

    /// With its noises.
    pub fn noisy(&self) -> NoisyOscillator {
        let noises = self.model.problem.noises.iter().map(|n| (n.place, n.noise)).collect();
        NoisyOscillator { oscillator: self.oscillator.clone(), noises }
    }

    /// Solves `o` by the scheme of the file.
    pub fn path(&self, o: &Oscillator) -> Result<Trajectory> {
        Ok(self.model.path(o)?)
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
        let (svg, caption) = (figure.to_svg(), caption.into());
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
    pub fn document(&mut self, name: &'static str, text: &str) -> Result<(Document, Gathered)> {
        self.file(name, text);
        let document = Document::parse(name, text)?;
        let gathered = Gathered::new(&self.reading, &document);
        Ok((document, gathered))
    }

    /// An oscillator from a model file, as a simulation reads it.
    pub fn oscillator(&mut self, name: &'static str, text: &str) -> Result<Simulation> {
        let (document, _) = self.document(name, text)?;
        let model = Model::read(&Input::new(&document, &self.reading))?;
        let oscillator = model.moves()?.clone();
        Ok(Simulation { model, oscillator })
    }

    /// A cascade from a model file.
    pub fn cascade(&mut self, name: &'static str, text: &str) -> Result<(CascadeModel, Cascade)> {
        let (document, mut gathered) = self.document(name, text)?;
        let (model, noisy) = CascadeModel::read(document.root(), &mut gathered)?;
        Ok((model, noisy.cascade))
    }

    /// A mass between walls from a model file.
    pub fn impact(&mut self, name: &'static str, text: &str) -> Result<ImpactModel> {
        let (document, mut gathered) = self.document(name, text)?;
        ImpactModel::read(document.root(), &mut gathered)
    }

    /// A network from a model file.
    pub fn network(&mut self, name: &'static str, text: &str) -> Result<(NetworkModel, Network)> {
        let (document, mut gathered) = self.document(name, text)?;
        let (model, noisy) = NetworkModel::read(document.root(), &mut gathered)?;
        Ok((model, noisy.network))
    }
}

/// The step of a model file that has one.
pub fn step_of(simulation: &Simulation) -> Result<f64> {
    simulation.model.needed_step()
}
