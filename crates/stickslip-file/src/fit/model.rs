//! A fit file of `kind = "model"`: any model file, any columns.

use super::average::Interval;
use super::driven::{Channel, Setting, driven, is_stand_in, put, signals};
use super::experiment::{Columns, keys};
use crate::asked::{Number, Range, any};
use crate::diagnostic::{Diagnostic, Result, did_you_mean};
use crate::document::Document;
use crate::model::ModelFile;
use crate::node::{Node, Value};
use crate::place::Placed;
use crate::reader::Table;
use crate::reading::{Gathered, Reading};
use crate::stated::{Dimension, Says};
use crate::varied::{Varied, VariedModel};
use serde::Serialize;
use std::sync::Arc;
use stickslip::{Problem, Signal};
use stickslip_calibrate::models::{Family, Question, Sensor, Unknown};

/// Units that a message offers.
const UNITS: [&str; 10] = ["m", "mm", "um", "m/s", "m/s²", "g", "N", "kN", "rad", "deg"];
/// What `g` is where accelerations are measured; elsewhere it is a mass.
const GRAVITY: f64 = 9.806_65;

/// One unknown.
#[derive(Debug, Clone, Serialize)]
pub struct Free {
    /// Its key in the model file.
    pub key: String,
    /// Other keys that have the same value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tied: Vec<String>,
    /// Its unit.
    pub unit: &'static str,
    /// The least value.
    pub from: f64,
    /// The largest.
    pub to: f64,
}

/// The file with every default filled in.
#[derive(Debug, Clone, Serialize)]
pub struct AnyModelFile {
    /// Heading of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is fitted.
    pub kind: &'static str,
    /// The record; its columns are those that drive, then those that were measured.
    pub data: Columns,
    /// Columns that drive the model.
    pub drive: Vec<Channel>,
    /// Columns that were measured.
    pub measured: Vec<Channel>,
    /// The model with every default filled in, as it is before the fit.
    pub model: serde_json::Value,
    /// What is sought.
    pub unknown: Vec<Free>,
    /// Whether the start of the motion is sought too.
    pub start: bool,
    /// Pieces of the record with starts of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pieces: Option<u64>,
    /// Whether other friction laws are tried.
    pub compare: bool,
    /// Whether intervals are taken from the profile of the squares.
    pub profile: bool,
    /// Seed of the search.
    pub seed: u64,
    #[serde(skip)]
    document: Document,
    #[serde(skip)]
    reading: Reading,
    #[serde(skip)]
    scheme: stickslip::Scheme,
}

/// Keys of `[model]`: the path of a model file, or what stands in one.
const MODEL: [&str; 9] =
    ["kind", "file", "oscillator", "cascade", "network", "impact", "planar", "element", "run"];
const FIT: [&str; 6] = ["unknown", "start", "pieces", "compare", "profile", "seed"];
const CHANNEL: [&str; 6] = ["column", "unit", "gain", "offset", "delay", "average"];

fn channel_keys(own: &str) -> Vec<&str> {
    CHANNEL.into_iter().chain([own]).collect()
}

impl AnyModelFile {
    /// Reads a document, the model file and the record that it names.
    pub(super) fn read(document: &Node, gathered: &mut Gathered) -> Result<Self> {
        let root = Table::root(document, &["title", "data", "model", "fit"])?;
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        let model = root.table("model", &MODEL)?;
        let data = root.table("data", &keys(&["drive", "measured", "average"]))?;
        let drive = channels(&data, "drive", "into")?;
        let mut measured = channels(&data, "measured", "what")?;
        if measured.is_empty() {
            return Err(
                data.missing("measured", "a list of columns that were measured: [[data.measured]]")
            );
        }
        let common = Interval::read(&data)?;
        only_measured(&drive, common.as_ref())?;
        let mut document = described(&model, root.open("model")?, gathered)?;
        for (i, channel) in drive.iter().enumerate() {
            put(&mut document, &channel.what, i)?;
        }
        let fit = root.table("fit", &FIT)?;
        // Long records take a while to read: what they say nothing about is checked before.
        if let Some((read, numbers)) = without_record(&document, drive.len(), &gathered.reading)? {
            no_noise(&model, &read.problem)?;
            check_measured(&measured, &read.problem)?;
            Wishes::read(&fit, read.problem.kind(), &numbers)?;
        }
        let record = record(&data, (&drive, &measured), gathered)?;
        for channel in &mut measured {
            let interval = channel.average.as_ref().or(common.as_ref());
            channel.done.average = interval.map(|i| i.seconds(&record.seconds)).transpose()?;
        }
        document.set("run.end", *record.seconds.last().unwrap_or(&0.0))?;
        let reading = driven(&gathered.reading, &{
            let drive: Vec<Channel> = drive.iter().map(|d| d.done.clone()).collect();
            signals(&record, &drive, &[])?
        });
        let (read, numbers) = ModelFile::read_with_parameters(&document, &reading)?;
        no_noise(&model, &read.problem)?;
        gathered.warnings.extend(read.warnings.iter().cloned());
        for name in read.inputs.iter().filter(|n| !is_stand_in(n)).map(Into::into) {
            if !gathered.inputs.contains(&name) {
                gathered.inputs.push(name);
            }
        }
        check_measured(&measured, &read.problem)?;
        let Wishes { unknown, start, pieces, compare, profile, seed } =
            Wishes::read(&fit, read.problem.kind(), &numbers)?;
        Ok(Self {
            title,
            kind: "model",
            drive: drive.into_iter().map(|c| c.done).collect(),
            measured: measured.into_iter().map(|c| c.done).collect(),
            data: record,
            model: read.resolved,
            unknown,
            start,
            pieces,
            compare,
            profile,
            seed,
            document,
            reading: gathered.reading.clone(),
            scheme: read.run.scheme,
        })
    }

    /// What is asked of the library: the models, and the record.
    pub fn asked(&self) -> (ModelFamily, Question) {
        let measured = self.measured.iter().zip(&self.data.values[self.drive.len()..]);
        let sensors = measured.map(|(c, values)| Sensor {
            what: c.what.clone(),
            unit: c.si,
            values: values.clone(),
            gain: c.gain.sought(),
            offset: c.offset.sought(),
            delay: c.delay.sought(),
            average: c.average.unwrap_or(0.0),
        });
        let mut unknowns: Vec<Unknown> = self
            .unknown
            .iter()
            .map(|u| Unknown {
                name: u.key.clone(),
                unit: u.unit,
                range: [u.from, u.to],
                above: self.holder(&u.key),
            })
            .collect();
        let mut sought = Vec::new();
        for (i, c) in self.drive.iter().enumerate() {
            for (which, setting) in [c.gain, c.offset, c.delay].into_iter().enumerate() {
                let Setting::Within { from, to } = setting else { continue };
                let (what, unit) = [("gain", "1"), ("offset", c.si), ("delay", "s")][which];
                let name = format!("{}.{what}", c.what);
                unknowns.push(Unknown { name, unit, range: [from, to], above: None });
                sought.push((i, which));
            }
        }
        let varied = varied(&self.document, &self.unknown).map(Arc::new);
        let family = ModelFamily { file: self.clone(), varied, sought, ready: None };
        let question = Question {
            time: self.data.seconds.clone(),
            breaks: Vec::new(),
            sensors: sensors.collect(),
            unknowns,
            scheme: self.scheme,
            start: self.start && !self.unknown.iter().any(|u| u.key.contains(".initial.")),
            pieces: self.pieces.map(|p| usize::try_from(p).unwrap_or(usize::MAX)),
            compare: self.compare,
            profile: self.profile,
            seed: self.seed,
        };
        (family.prepared(), question)
    }

    /// The unknown that a friction at rest stands above.
    fn holder(&self, key: &str) -> Option<usize> {
        let law = key.strip_suffix(".static")?;
        self.unknown.iter().position(|u| u.key.strip_suffix(".dynamic") == Some(law))
    }
}

/// What `[fit]` says.
struct Wishes {
    unknown: Vec<Free>,
    start: bool,
    pieces: Option<u64>,
    compare: bool,
    profile: bool,
    seed: u64,
}

impl Wishes {
    /// For a model of this kind, with these numbers.
    fn read(fit: &Table<'_>, kind: &str, numbers: &[Number]) -> Result<Self> {
        let unknown = unknowns(fit, numbers)?;
        let asked = fit.flag_or("start", true)?;
        if asked && fit.has("start") && matches!(kind, "planar" | "hysteretic" | "isolated") {
            let message = format!(
                "`start = true`: the state at the start is sought of oscillators; this is a model of the kind `{kind}`"
            );
            return Err(Diagnostic::at(fit.place_of("start"), message)
                .help("write the state into `initial` of the model, or let one of its numbers be an unknown"));
        }
        Ok(Self {
            unknown,
            start: asked && !matches!(kind, "planar" | "hysteretic" | "isolated"),
            pieces: fit.has("pieces").then(|| fit.whole_or("pieces", 1, 1)).transpose()?,
            compare: fit.flag_or("compare", true)?,
            profile: fit.flag_or("profile", false)?,
            seed: fit.whole_or("seed", 0, 1)?,
        })
    }
}

fn no_noise(model: &Table<'_>, problem: &Problem) -> Result<()> {
    if problem.noises.is_empty() {
        return Ok(());
    }
    Err(Diagnostic::at(model.place(), "the model has noise, and a fit needs one motion")
        .help("remove the noise: the fit counts as noise what the model does not explain"))
}

/// The model before its record is known, with `count` columns that drive it: what is wrong with it whatever they are. `None` where
/// that depends on them.
///
/// # Errors
/// What is wrong with the model for columns of zeros and for columns of ones, over a short time and over a long one.
fn without_record(
    document: &Document,
    count: usize,
    reading: &Reading,
) -> Result<Option<(ModelFile, Vec<Number>)>> {
    let with = |value: f64, end: f64| {
        let mut document = document.clone();
        document.set("run.end", end)?;
        let column = Signal::sampled(&[0.0, end], &[value, value])?;
        let reading = driven(reading, &vec![column; count]).without_echo();
        ModelFile::read_with_parameters(&document, &reading)
    };
    let one = match with(0.0, 1.0) {
        Ok(found) => return Ok(Some(found)),
        Err(one) => one,
    };
    match with(1.0, 1e3) {
        Ok(found) => Ok(Some(found)),
        Err(other) if one.message() == other.message() => Err(one),
        Err(_) => Ok(None),
    }
}

/// The numbers of a document that are sought: those of each unknown, and those that are tied to it.
pub(super) fn varied(document: &Document, unknown: &[Free]) -> Result<Varied> {
    let keys = unknown.iter().flat_map(|u| {
        let own = std::iter::once(&u.key).chain(&u.tied);
        own.map(move |key| ("values given", key.as_str(), u.from))
    });
    Varied::new(document, keys)
}

/// The values of these numbers, from one for each unknown.
pub(super) fn spread(unknown: &[Free], values: &[f64]) -> Vec<f64> {
    let all = unknown.iter().zip(values);
    all.flat_map(|(u, value)| std::iter::repeat_n(*value, 1 + u.tied.len())).collect()
}

/// The models of a fit file, for any values of its unknowns.
#[derive(Debug, Clone)]
pub struct ModelFamily {
    file: AnyModelFile,
    /// The document of the model with its unknowns, or what is wrong with their keys.
    varied: Result<Arc<Varied>>,
    /// Numbers of driving sensors that are sought: which column, and which of gain, offset and delay.
    sought: Vec<(usize, usize)>,
    /// The models, if the columns that drive are known: then a number that is sought has a slot of its own.
    ready: Option<Arc<VariedModel>>,
}

impl ModelFamily {
    fn prepared(mut self) -> Self {
        if self.sought.is_empty()
            && let (Ok(varied), Ok(reading)) = (&self.varied, self.reading(&[]))
        {
            self.ready = Some(Arc::new(VariedModel::new(varied.clone(), &reading)));
        }
        self
    }

    fn reading(&self, tuned: &[f64]) -> Result<Reading> {
        let file = &self.file;
        let mut set = Vec::new();
        for (&(i, which), value) in self.sought.iter().zip(tuned) {
            set.push((i, which, *value));
        }
        let signals = signals(&file.data, &file.drive, &set)?;
        Ok(driven(&file.reading, &signals))
    }

    /// The model with these values, without what summaries say of it.
    ///
    /// # Errors
    /// Where there is no such model.
    pub fn model(&self, values: &[f64]) -> Result<ModelFile> {
        let own = self.file.unknown.len().min(values.len());
        let spread = spread(&self.file.unknown, values);
        if let Some(models) = &self.ready {
            return models.read(&spread);
        }
        let reading = self.reading(&values[own..])?.without_echo();
        let varied = self.varied.as_ref().map_err(Clone::clone)?;
        varied.read(&spread, |document| ModelFile::read(document, &reading))
    }
}

impl Family for ModelFamily {
    fn problem(&self, values: &[f64]) -> std::result::Result<Problem, stickslip::Error> {
        let unsuitable =
            |e: Diagnostic| stickslip::Error::BadModel { reason: e.message().to_owned() };
        self.model(values).map(|m| m.problem).map_err(unsuitable)
    }
}

/// The model: that of a file, or what stands below `[model]`.
fn described(model: &Table<'_>, node: &Node, gathered: &mut Gathered) -> Result<Document> {
    if let Some(file) = model.text_opt("file", "the path of a model file")? {
        if let Some(other) = MODEL[2..].iter().find(|k| model.has(k)) {
            let message =
                format!("both `model.file` and `model.{other}` are given; expected one model");
            return Err(Diagnostic::at(&file.place, message).help("keep the file, or the table"));
        }
        let name = gathered.input(&file.value);
        return gathered.reading.document(&name, &[]);
    }
    let Value::Table(entries) = &node.value else {
        return Err(model.missing("file", "the path of a model file"));
    };
    if !MODEL[2..8].iter().any(|k| model.has(k)) {
        return Err(model.missing(
            "file",
            "the path of a model file, or the model itself as [model.oscillator] or another kind",
        ));
    }
    let own = entries.iter().filter(|e| e.key != "kind").cloned().collect();
    let root = Node { place: node.place.clone(), value: Value::Table(own) };
    Ok(Document::of(&gathered.name, root))
}

/// The columns in SI units, those that drive first; times count from the first row.
fn record(
    data: &Table<'_>,
    (drive, measured): (&[Draft], &[Draft]),
    gathered: &mut Gathered,
) -> Result<Columns> {
    let names: Vec<Placed<String>> =
        drive.iter().chain(measured).map(|c| c.column.clone()).collect();
    let says: Vec<_> = drive.iter().chain(measured).map(|c| c.says).collect();
    let mut record = Columns::read(data, &names, &says, gathered)?;
    let first = record.seconds.first().copied().unwrap_or(0.0);
    record.seconds.iter_mut().for_each(|t| *t -= first);
    let all = || drive.iter().chain(measured);
    for (values, channel) in record.values.iter_mut().zip(all()) {
        values.iter_mut().for_each(|v| *v *= channel.unit);
    }
    for (values, channel) in record.values.iter().zip(drive) {
        if let Some(row) = values.iter().position(|v| v.is_nan()) {
            let message = format!(
                "{}: the column `{}` that drives the model is empty",
                record.at(row),
                channel.column.value
            );
            return Err(Diagnostic::at(&channel.column.place, message).help(
                "fill the gap, or choose a part of the record without gaps by `start` and `end`",
            ));
        }
    }
    Ok(record)
}

/// A channel while it is read.
struct Draft {
    column: Placed<String>,
    what: Placed<String>,
    unit: f64,
    says: Option<Says>,
    average: Option<Interval>,
    done: Channel,
}

/// Refuses means of what drives.
fn only_measured(drive: &[Draft], common: Option<&Interval>) -> Result<()> {
    for channel in drive {
        if let Some(interval) = channel.average.as_ref().or(common) {
            let message = format!(
                "the column `{}` drives the model, and its mean over an interval does not say what it was at each instant of it",
                channel.column.value
            );
            return Err(Diagnostic::at(interval.place(), message).help(
                "record readings of what drives; where only measured columns are means, write `average` into their [[data.measured]]",
            ));
        }
    }
    Ok(())
}

fn channels(data: &Table<'_>, key: &str, own: &str) -> Result<Vec<Draft>> {
    let known = channel_keys(own);
    let one = |t: &Table<'_>| {
        let expected = if own == "into" {
            "the signal of the model that the column replaces, such as \"oscillator.drive\""
        } else {
            "what was measured: x, v, acceleration, friction, or x_NAME of a network"
        };
        let what = t.text(own, expected)?;
        let column = t.text("column", "the name of a column")?;
        let (dimension, unit) = unit(t, si(&what.value))?;
        let says = dimension.and_then(|d| Says::factor(d, unit, "unit"));
        let done = Channel {
            what: what.value.clone(),
            column: column.value.clone(),
            unit,
            si: si(&what.value),
            gain: gain(t)?,
            offset: setting(t, "offset", 0.0, "")?,
            delay: setting(t, "delay", 0.0, "s")?,
            average: None,
        };
        Ok(Draft { column, what, unit, says, average: Interval::read(t)?, done })
    };
    data.tables(key, &known)?.iter().map(one).collect()
}

/// What a channel's unit measures and its factor: that of `si` or, of what turns, its like; a pure number is taken as it is.
fn unit(t: &Table<'_>, si: &'static str) -> Result<(Option<Dimension>, f64)> {
    let (own, turning) = match si {
        "m/s" => ("unit of velocity", "rad/s"),
        "m/s²" => ("unit of acceleration", "rad/s²"),
        "N" => ("unit of force", "N·m"),
        _ => ("unit of length", "rad"),
    };
    if si == "m/s²" && t.text_opt("unit", own)?.is_some_and(|u| u.value == "g") {
        return Ok((None, GRAVITY));
    }
    let like = [si, turning, "1"];
    let found = t.unit_like("unit", own, &like, &UNITS)?;
    let found = found.map_or((0, 1.0), |u| (u.value.0, u.value.1.factor));
    Ok((Dimension::of(like[found.0]), found.1))
}

/// The unit of a quantity by its name.
fn si(what: &str) -> &'static str {
    let last = what.split('.').find(|w| ["drive", "force", "support", "normal"].contains(w));
    match last.unwrap_or(what) {
        "drive" => "m",
        "support" => "m/s",
        "force" | "normal" | "friction" => "N",
        "acceleration" => "m/s²",
        w if w == "v" || w.starts_with("v_") => "m/s",
        w if w.starts_with("friction") => "N",
        _ => "m",
    }
}

/// The factor of a sensor. It is not sought: a factor of the displacement is a factor of all forces, and with friction
/// both ways a search ends beside the truth with a narrow interval.
fn gain(t: &Table<'_>) -> Result<Setting> {
    if t.has("gain") && !t.has_number("gain") {
        let said = "the factor of a sensor cannot be sought together with the forces of a model; expected a number";
        return Err(Diagnostic::at(t.place_of("gain"), said).help(
            "calibrate the sensor, and write its factor; an offset and a delay may be sought",
        ));
    }
    t.number_or("gain", any(""), 1.0).map(Setting::Known)
}

/// `delay = 0.01`, or `delay = { from = 0.0, to = 0.1 }`.
fn setting(t: &Table<'_>, key: &str, usual: f64, unit: &'static str) -> Result<Setting> {
    if t.has(key) && !t.has_number(key) {
        let range = t.table(key, &["from", "to"])?;
        return range_of(&range, any(unit)).map(|[from, to]| Setting::Within { from, to });
    }
    t.number_or(key, any(unit), usual).map(Setting::Known)
}

fn range_of(t: &Table<'_>, what: crate::asked::Quantity) -> Result<[f64; 2]> {
    let from = t.number("from", what)?;
    let to = t.number("to", what)?;
    if from < to {
        return Ok([from, to]);
    }
    Err(Diagnostic::at(
        t.place_of("to"),
        format!(
            "`to` is {to:?} and `from` {from:?}; expected a range from the smaller to the larger"
        ),
    )
    .help("swap them, or remove the unknown and write its value into the model file"))
}

/// What a model of this kind shows.
fn shown(problem: &Problem) -> Vec<String> {
    if problem.kind() == "planar" {
        return ["x", "y", "vx", "vy", "friction_x", "friction_y"].map(str::to_owned).into();
    }
    if let stickslip::Model::Isolated(slab) = &problem.model {
        let states = slab.coordinates().into_iter().flat_map(|c| [c.clone(), format!("v{c}")]);
        let of = ["x", "y", "friction_x", "friction_y"];
        let isolators = slab.isolators.iter();
        let places = isolators.flat_map(|i| of.map(|what| format!("{what}_{}", i.name)));
        return states.chain(places).collect();
    }
    let points = problem.points().into_iter().flat_map(|p| {
        let own = |c: &str| if p.is_empty() { c.to_owned() } else { format!("{c}_{p}") };
        [own("x"), own("v")]
    });
    let contacts = problem.contacts();
    let forces = match problem.kind() {
        "oscillator" => vec!["friction".to_owned(), "acceleration".to_owned()],
        "hysteretic" => vec!["friction".to_owned()],
        "cascade" => vec!["force".to_owned()],
        "network" => contacts.iter().map(|c| format!("friction_{c}")).collect(),
        _ => Vec::new(),
    };
    points.chain(forces).collect()
}

fn check_measured(measured: &[Draft], problem: &Problem) -> Result<()> {
    let known = shown(problem);
    for channel in measured {
        if !known.contains(&channel.what.value) {
            let near = did_you_mean(&channel.what.value, known.iter().map(String::as_str));
            let message = format!(
                "a model of the kind `{}` does not show `{}`{near}",
                problem.kind(),
                channel.what.value
            );
            return Err(Diagnostic::at(&channel.what.place, message)
                .help(format!("expected one of: {}", known.join(", "))));
        }
    }
    Ok(())
}

/// `[fit.unknown]`: keys of the model file with their ranges.
pub(super) fn unknowns(fit: &Table<'_>, numbers: &[Number]) -> Result<Vec<Free>> {
    let mut found = Vec::new();
    leaves(fit.open("unknown")?, String::new(), &mut found);
    if found.is_empty() {
        return Err(fit.missing("unknown", "the keys of the model file that are sought, each with a range: KEY = { from = …, to = … }"));
    }
    let mut all: Vec<Free> = Vec::new();
    for (key, node) in found {
        let t = Table::inside(node, format!("fit.unknown.{key}"), &["from", "to", "tied"])?;
        let number = number_at(&key, numbers, &node.place)?;
        let [from, to] = range_of(&t, any(number.unit))?;
        if from < number.least().unwrap_or(f64::NEG_INFINITY) && from != 0.0
            || (from < 0.0 && number.range != Range::Any)
        {
            return Err(Diagnostic::at(
                &node.place,
                format!("`{key}` cannot be {from:?}; expected a range of values ≥ 0"),
            )
            .naming_keys()
            .help("raise `from`"));
        }
        // A number that must be above 0 is sought from a little above.
        let from = if from == 0.0 && number.range == Range::Positive { 1e-6 * to } else { from };
        let tied = t.texts("tied", "other keys that have the same value")?;
        for other in &tied {
            number_at(&other.value, numbers, &other.place)?;
        }
        let tied = tied.into_iter().map(|t| t.value).collect();
        all.push(Free { key, tied, unit: number.unit, from, to });
    }
    Ok(all)
}

fn number_at<'a>(
    key: &str,
    numbers: &'a [Number],
    place: &crate::place::Place,
) -> Result<&'a Number> {
    numbers.iter().find(|n| n.path == key).ok_or_else(|| {
        let near = did_you_mean(key, numbers.iter().map(|n| n.path.as_str()));
        Diagnostic::at(place, format!("the model has no number `{key}`{near}")).naming_keys().help(
            "name keys from the top of the model file, as in oscillator.friction.coulomb.force",
        )
    })
}

/// Every table with a range below a node, by its keys from there; keys may be dotted.
fn leaves<'a>(node: &'a Node, path: String, out: &mut Vec<(String, &'a Node)>) {
    let Value::Table(entries) = &node.value else {
        out.push((path, node));
        return;
    };
    if entries.iter().any(|e| e.key == "from" || e.key == "to") {
        out.push((path, node));
        return;
    }
    for e in entries {
        let below = if path.is_empty() { e.key.clone() } else { format!("{path}.{}", e.key) };
        leaves(&e.node, below, out);
    }
}
