//! A model file of any kind, read into a problem.

use super::cascade::Cascade;
use super::friction::memory;
use super::hysteretic::Hysteretic;
use super::impact::{self, Impact};
use super::isolated::{self, Isolated};
use super::kind::ModelKind;
use super::network::{self, Network};
use super::oscillator::Oscillator;
use super::planar::Planar;
use super::run::{Run, Schemes};
use super::signal::Signal;
use crate::asked::{Asked, Number};
use crate::diagnostic::{Diagnostic, Remedy, Result};
use crate::document::Document;
use crate::reader::Table;
use crate::reading::{Gathered, Reading};
use serde_json::{Map, Value};
use stickslip::model::MAX_EVENTS;
use stickslip::scheme::impact::penalised::Penalty;
use stickslip::{Model, NoiseOn, PathId, Place, Problem, Scheme};

/// Numbers of the run that belong to the scheme.
const OF_SCHEME: [&str; 3] = ["run.step", "run.rtol", "run.atol"];

/// What a model file says, every default filled in.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ModelFile {
    /// Heading of figures.
    pub title: Option<String>,
    /// The file with every default filled in.
    pub resolved: Value,
    /// What moves, its noises included, and until when.
    pub problem: Problem,
    /// How it is solved.
    pub run: Run,
    /// K_BP of an oscillator, N/m.
    pub bearing_stiffness: Option<f64>,
    /// Whether it turns about an axis: angles take the place of displacements, torques that of forces.
    pub rotation: bool,
    /// Files that were read, the model file first.
    pub inputs: Vec<String>,
    /// Sampled files by their names in the model file, with their SHA-256 in hexadecimal digits, where a
    /// [witnessing](Reading::witnessing) reading read them.
    pub files: Vec<(String, String)>,
    /// What users should know.
    pub warnings: Vec<String>,
}

impl ModelFile {
    /// Reads a model file of any kind that describes one motion. Series that were read before with the
    /// same `reading` are not read again.
    ///
    /// ```
    /// use stickslip_file::{Document, Memory, ModelFile, Reading};
    /// let text = "[impact]\nmass = 1.0\nwall = 0.0\nrestitution = 0.5\n\
    ///             [[impact.force]]\nconstant = -9.81\n[run]\nend = 1.0\n";
    /// let mut document = Document::parse("ball.toml", text)?;
    /// let reading = Reading::new(Memory::default());
    /// document.set("impact.initial.displacement", 1.0)?;
    /// let file = ModelFile::read(&document, &reading)?;
    /// assert_eq!((file.problem.kind(), file.run.end), ("impact", 1.0));
    /// # Ok::<(), stickslip_file::Diagnostic>(())
    /// ```
    ///
    /// # Errors
    /// Where the file, or one that it names, is wrong; where the problem has several solutions.
    pub fn read(document: &Document, reading: &Reading) -> Result<Self> {
        Self::read_asking(document, reading, None)
    }

    /// Reads a model file, and lists every number that it holds or could hold in the tables that it has, but for those of
    /// the run: only the scheme's step and tolerances.
    ///
    /// ```
    /// use stickslip_file::{Document, Memory, ModelFile, Reading};
    /// let text = "[impact]\nmass = 1.0\nwall = 0.0\nrestitution = 0.5\n[run]\nend = 1.0\n";
    /// let (document, reading) = (Document::parse("ball.toml", text)?, Reading::new(Memory::default()));
    /// let (_, parameters) = ModelFile::read_with_parameters(&document, &reading)?;
    /// let mass = parameters.iter().find(|p| p.path == "impact.mass").map(|p| (p.value, p.unit));
    /// assert_eq!(mass, Some((1.0, "kg")));
    /// # Ok::<(), stickslip_file::Diagnostic>(())
    /// ```
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_with_parameters(
        document: &Document,
        reading: &Reading,
    ) -> Result<(Self, Vec<Number>)> {
        let asked = Asked::default();
        let file = Self::read_asking(document, reading, Some(&asked))?;
        let mut parameters = asked.into_numbers();
        let kept = |path: &str| !path.starts_with("run.") || OF_SCHEME.contains(&path);
        parameters.retain(|p| !p.whole && kept(&p.path));
        Ok((file, parameters))
    }

    pub(super) fn read_asking(
        document: &Document,
        reading: &Reading,
        asked: Option<&Asked>,
    ) -> Result<Self> {
        let mut gathered = Gathered::new(reading, document);
        let kind = ModelKind::of(document.root())?;
        let root = Table::root(document.root(), &["title", kind.table(), "run"])?.asking(asked);
        let read = match kind {
            ModelKind::Oscillator => oscillator(&root, &mut gathered)?,
            ModelKind::Cascade => cascade(&root, &mut gathered)?,
            ModelKind::Network => network(&root, &mut gathered)?,
            ModelKind::Impact => impact(&root, &mut gathered)?,
            ModelKind::Planar => planar(&root, &mut gathered)?,
            ModelKind::Element if !kind.is_moved_by_others(document.root()) => {
                led(&root, &mut gathered)?
            }
            ModelKind::Element => {
                return Err(Diagnostic::at(
                    root.place_of("element"),
                    "an element has no motion of its own: another simulator moves its flanges",
                )
                .help("put it into an FMU, or give it a `displacement` and a law with memory"));
            }
            ModelKind::Corner | ModelKind::Schatzman => {
                return Err(Diagnostic::new(
                    "this problem has more than one solution, so there is no single motion",
                )
                .with_remedy(Remedy::Solutions));
            }
        };
        let Read { model, echo, noises, mut run, bearing_stiffness } = read;
        let problem = posed(model, noises, &mut run, &mut gathered.warnings)?;
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        let mut resolved = Map::new();
        resolved.extend(title.clone().map(|t| ("title".to_owned(), Value::String(t))));
        let rotation = kind.rotates(document.root());
        let echo = if rotation { with_inertia(echo) } else { echo };
        resolved.insert(kind.table().to_owned(), echo);
        resolved.insert("run".to_owned(), gathered.echo(&run));
        let inputs = gathered.inputs.iter().map(|p| p.display().to_string()).collect();
        Ok(Self {
            title,
            resolved: Value::Object(resolved),
            problem,
            run,
            bearing_stiffness,
            rotation,
            inputs,
            files: gathered.digests,
            warnings: gathered.warnings,
        })
    }

    /// The problem with the noises of path 0 of the seed known at every step.
    ///
    /// # Errors
    /// Where there is noise and no step.
    pub fn known(&self) -> Result<Problem> {
        known(&self.problem, &self.run)
    }
}

fn known(problem: &Problem, run: &Run) -> Result<Problem> {
    if problem.noises.is_empty() {
        return Ok(problem.clone());
    }
    let step = run.needed_step("the path of a noise")?;
    Ok(problem.known(PathId { seed: run.seed, path: 0 }, step)?)
}

/// What a motion takes of a model file: the same as in [`ModelFile`], without what is said about the file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Posed {
    /// What moves, its noises included, and until when.
    pub problem: Problem,
    /// How it is solved.
    pub run: Run,
    /// K_BP of an oscillator, N/m.
    pub bearing_stiffness: Option<f64>,
    /// Whether it turns about an axis.
    pub rotation: bool,
    /// What users should know.
    pub warnings: Vec<String>,
}

impl Posed {
    /// The problem with the noises of path 0 of the seed known at every step.
    ///
    /// # Errors
    /// Where there is noise and no step.
    pub fn known(&self) -> Result<Problem> {
        known(&self.problem, &self.run)
    }
}

impl From<ModelFile> for Posed {
    fn from(file: ModelFile) -> Self {
        let ModelFile { problem, run, bearing_stiffness, rotation, warnings, .. } = file;
        Self { problem, run, bearing_stiffness, rotation, warnings }
    }
}

/// The problem of a model and the noises on it, with a scheme for it where the file names none; what users should know of it is added
/// to the warnings.
pub(super) fn posed(
    model: Model,
    noises: Vec<NoiseOn>,
    run: &mut Run,
    warnings: &mut Vec<String>,
) -> Result<Problem> {
    run.choose(&model)?;
    let noise = noises.iter().map(|n| n.noise);
    let coarse = run.step.into_iter().flat_map(|h| noise.clone().filter_map(move |n| n.warning(h)));
    warnings.extend(coarse);
    let most_events = run.events.map_or(MAX_EVENTS, |n| n as usize);
    let problem = Problem { model, noises, end: run.end, most_events };
    warnings.extend(problem.warnings().iter().map(ToString::to_string));
    Ok(problem)
}

/// The noises of an oscillator's file, with their places.
pub(super) fn noises_of(file: &Oscillator) -> Vec<NoiseOn> {
    file.noises().into_iter().map(|(place, noise)| NoiseOn { place, noise }).collect()
}

/// The table of a model about an axis, or its nodes, with `inertia` in place of `mass`.
fn with_inertia(mut table: Value) -> Value {
    let rename = |table: &mut Value| {
        let Some(table) = table.as_object_mut() else { return };
        if let Some(mass) = table.remove("mass") {
            table.insert("inertia".to_owned(), mass);
        }
    };
    rename(&mut table);
    table.get_mut("node").and_then(Value::as_array_mut).into_iter().flatten().for_each(rename);
    table
}

/// What was read of one kind of model.
struct Read {
    model: Model,
    /// The table with every default filled in.
    echo: Value,
    noises: Vec<NoiseOn>,
    run: Run,
    bearing_stiffness: Option<f64>,
}

impl Read {
    /// Of a kind of model that no bearing carries.
    fn new(model: impl Into<Model>, echo: Value, noises: Vec<NoiseOn>, run: Run) -> Self {
        Self { model: model.into(), echo, noises, run, bearing_stiffness: None }
    }
}

/// No scheme of this kind of model has walls of springs.
fn no_penalty(_: &'static str) -> Result<Penalty> {
    Err(Diagnostic::new("this model has no walls"))
}

fn covers<'a>(signals: impl IntoIterator<Item = &'a Signal>, run: &Run) -> Result<()> {
    let end = run.end();
    signals.into_iter().try_for_each(|s| s.check_covers(&end))
}

/// An oscillator or an element with a law that has memory.
fn hysteretic(
    root: &Table<'_>,
    gathered: &mut Gathered,
    read: fn(&Table<'_>, &mut Gathered) -> Result<Hysteretic>,
) -> Result<Read> {
    // All those of oscillators: the model says why the others do not treat it.
    let names = Model::OSCILLATOR;
    let run = Run::read(root, &Schemes { names, tolerances: true, penalty: &no_penalty })?;
    let file = read(root, gathered)?;
    covers(file.signals(), &run)?;
    let noises = file.noises().into_iter().map(|(place, noise)| NoiseOn { place, noise }).collect();
    let table = if root.has("oscillator") { "oscillator" } else { "element" };
    let model = file.build().map_err(|e| e.or_at(root.place_of(table)))?;
    Ok(Read::new(model, gathered.echo(&file), noises, run))
}

fn led(root: &Table<'_>, gathered: &mut Gathered) -> Result<Read> {
    hysteretic(root, gathered, Hysteretic::element)
}

fn oscillator(root: &Table<'_>, gathered: &mut Gathered) -> Result<Read> {
    if root.reaches(&["oscillator", "friction"], &memory::LAWS) {
        return hysteretic(root, gathered, Hysteretic::oscillator);
    }
    let names: Vec<_> = Model::OSCILLATOR.iter().copied().chain(super::run::COMPARED).collect();
    let schemes = Schemes { names: &names, tolerances: true, penalty: &no_penalty };
    // The run first: it is short, and reading the model may mean reading large files.
    let run = root.has("oscillator").then(|| Run::read(root, &schemes)).transpose()?;
    let file = Oscillator::read(root, gathered)?;
    let run = run.map_or_else(|| Run::read(root, &schemes), Ok)?;
    covers(file.signals(), &run)?;
    let noises = noises_of(&file);
    let model = file.build().map_err(|e| e.or_at(root.place_of("oscillator")))?;
    let bearing_stiffness = file.bearing_stiffness;
    Ok(Read { bearing_stiffness, ..Read::new(model, gathered.echo(&file), noises, run) })
}

fn cascade(root: &Table<'_>, gathered: &mut Gathered) -> Result<Read> {
    let names = Model::CASCADE;
    let schemes = Schemes { names, tolerances: false, penalty: &no_penalty };
    let run = Run::read(root, &schemes)?;
    let (file, model) = Cascade::read(root, gathered)?;
    covers(file.signals(), &run)?;
    let on = |noise| NoiseOn { place: Place::Force, noise };
    let noises = file.noises().map(on).collect();
    Ok(Read::new(model, gathered.echo(&file), noises, run))
}

fn network(root: &Table<'_>, gathered: &mut Gathered) -> Result<Read> {
    let networks = Model::NETWORK;
    // Some schemes treat both networks and machines.
    let others = Model::MACHINE.iter().filter(|name| !networks.contains(name));
    let names: Vec<&str> = networks.iter().chain(others).copied().collect();
    let schemes = Schemes { names: &names, tolerances: true, penalty: &no_penalty };
    let run = Run::read(root, &schemes)?;
    let t = root.table("network", &network::KEYS)?;
    let file = Network::read(&t, gathered)?;
    covers(file.signals(), &run)?;
    let adaptive = run.scheme_named && matches!(run.scheme, Scheme::Adaptive(_));
    let model = file.build(&t, adaptive, gathered)?;
    if matches!(model, Model::Network(_)) || run.scheme_named && !adaptive {
        run.refuse_tolerances(root)?;
    }
    let on = |(node, noise)| NoiseOn { place: Place::Node(node), noise };
    let noises = file.noises(&model).into_iter().map(on).collect();
    Ok(Read::new(model, gathered.echo(&file), noises, run))
}

/// A slab on isolators.
fn slab(root: &Table<'_>, gathered: &mut Gathered) -> Result<Read> {
    let schemes = Schemes { names: Model::ISOLATED, tolerances: true, penalty: &no_penalty };
    let run = Run::read(root, &schemes)?;
    let file = Isolated::read(root, gathered)?;
    covers(file.signals(), &run)?;
    let model = file.build().map_err(|e| e.or_at(root.place_of("planar")))?;
    let noises = file.noises();
    Ok(Read::new(model, gathered.echo(&file), noises, run))
}

fn planar(root: &Table<'_>, gathered: &mut Gathered) -> Result<Read> {
    if root.reaches(&["planar"], &isolated::SLAB) {
        return slab(root, gathered);
    }
    let schemes = Schemes { names: Model::PLANAR, tolerances: true, penalty: &no_penalty };
    let run = Run::read(root, &schemes)?;
    let file = Planar::read(root, gathered)?;
    covers(file.signals(), &run)?;
    let model = file.build().map_err(|e| e.or_at(root.place_of("planar")))?;
    let noises = file.noises();
    Ok(Read::new(model, gathered.echo(&file), noises, run))
}

fn impact(root: &Table<'_>, gathered: &mut Gathered) -> Result<Read> {
    let penalty = |name| impact::penalty(root, name);
    let names = Model::IMPACT;
    let schemes = Schemes { names, tolerances: false, penalty: &penalty };
    let run = Run::read(root, &schemes)?;
    let file = Impact::read(root, gathered)?;
    covers(file.signals(), &run)?;
    let model = file.build().map_err(|e| e.or_at(root.place_of("impact")))?;
    Ok(Read::new(model, gathered.echo(&file), Vec::new(), run))
}
