//! A fit file of `kind = "servo"`: logs of a motor with a gear that rubs and a load.

use super::average::Interval;
use super::experiment::{Columns, keys};
use super::model::{Free, spread, unknowns, varied};
use super::there::are_there;
use crate::asked::Asked;
use crate::diagnostic::{Diagnostic, Result};
use crate::document::Document;
use crate::model::friction::Friction;
use crate::node::Node;
use crate::place::Placed;
use crate::reader::{Table, any, not_negative, positive};
use crate::reading::{Gathered, Reading};
use crate::stated::{Dimension, Says};
use crate::varied::Varied;
use serde::Serialize;
use std::sync::Arc;
use stickslip::scheme::oscillator::adaptive;
use stickslip::{Error, Problem, Scheme, Signal};
use stickslip_calibrate::models::{Family, Question, Sensor, Sought, Unknown};
use stickslip_calibrate::servo::{Input, Load, Motor, servo, turned_over};

/// What drives a servo.
const DRIVES: [(&str, &str); 3] = [("goal", "rad"), ("voltage", "V"), ("current", "A")];
const MODEL: [&str; 10] = [
    "kind",
    "torque_constant",
    "resistance",
    "armature",
    "damping",
    "vertical",
    "gain",
    "limit",
    "load",
    "friction",
];
const FIT: [&str; 5] = ["unknown", "compare", "pieces", "profile", "seed"];
/// Gravity, m/s².
const GRAVITY: f64 = 9.806_65;

/// The numbers of the machine.
#[derive(Debug, Clone, Serialize)]
pub struct Machine {
    torque_constant: f64,
    resistance: f64,
    armature: f64,
    damping: f64,
    vertical: f64,
    /// V/rad, one for each log.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gain: Vec<f64>,
    /// V.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<f64>,
    inertia: f64,
    gravity: f64,
    friction: Friction,
}

impl Machine {
    /// Reads `[model]`, noting every number that it asks for.
    fn read(node: &Node, asked: Option<&Asked>, reading: &Reading) -> Result<Self> {
        let t = Table::root(node, &MODEL)?.asking(asked);
        let load = t.table_opt("load", &["inertia", "mass", "length"])?;
        let of_load = |key: &str, unit: &'static str| {
            load.as_ref().map_or(Ok(0.0), |load| load.number_or(key, not_negative(unit), 0.0))
        };
        let mass = of_load("mass", "kg")?;
        let length = of_load("length", "m")?;
        let own = of_load("inertia", "kg·m²")?;
        let gain = match t.has("gain") {
            true => t.number_or_numbers("gain", positive("V/rad"), positive("V/rad"))?,
            false => Vec::new(),
        };
        Ok(Self {
            torque_constant: t.number("torque_constant", positive("N·m/A"))?,
            resistance: t.number_or("resistance", positive("Ω"), 1.0)?,
            armature: t.number_or("armature", not_negative("kg·m²"), 0.0)?,
            damping: t.number_or("damping", not_negative("N·m·s/rad"), 0.0)?,
            vertical: t.number_or("vertical", any("rad"), 0.0)?,
            gain,
            limit: t.number_opt("limit", positive("V"))?.map(|n| n.value),
            inertia: own + mass * length * length,
            gravity: mass * GRAVITY * length,
            friction: Friction::read(&t, reading.resources())?,
        })
    }

    fn motor(&self) -> Motor {
        let Self { torque_constant, resistance, armature, damping, .. } = *self;
        Motor { torque_constant, resistance, armature, damping }
    }

    fn load(&self) -> Load {
        Load { inertia: self.inertia, gravity: self.gravity, vertical: self.vertical }
    }
}

/// The file with every default filled in.
#[derive(Debug, Clone, Serialize)]
pub struct ServoFile {
    /// Heading of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is fitted.
    pub kind: &'static str,
    /// The logs one after the other; the columns are what drives, then the angle (rad).
    pub data: Columns,
    /// Files of the logs.
    pub files: Vec<String>,
    /// `goal`, `voltage` or `current`.
    pub driven_by: &'static str,
    /// Unit of what drives.
    #[serde(skip)]
    pub drive_unit: &'static str,
    /// The machine before the fit.
    pub model: Machine,
    /// What is sought.
    pub unknown: Vec<Free>,
    /// The length of the interval of which each angle is the mean, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average: Option<f64>,
    /// Pieces of each log with starts of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pieces: Option<u64>,
    /// Whether other friction laws are tried.
    pub compare: bool,
    /// Whether intervals are taken from the profile of the squares.
    pub profile: bool,
    /// Seed of the search.
    pub seed: u64,
    #[serde(skip)]
    breaks: Vec<usize>,
    #[serde(skip)]
    document: Document,
    #[serde(skip)]
    reading: Reading,
}

impl ServoFile {
    /// Reads a document and the logs it names.
    pub(super) fn read(document: &Node, gathered: &mut Gathered) -> Result<Self> {
        let root = Table::root(document, &["title", "data", "model", "fit"])?;
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        let own = ["files", "position", "position_unit", "goal", "voltage", "current", "average"];
        let t = root.table("data", &keys(&own))?;
        let (driven_by, drive_unit, names) = columns(&t)?;
        let interval = Interval::read(&t)?;
        if let Some(interval) = interval.as_ref().filter(|_| driven_by != "goal") {
            let message = format!(
                "a mean of the {driven_by} over an interval does not say when it changed, and it drives the servo here"
            );
            return Err(Diagnostic::at(interval.place(), message)
                .help("record readings, or give the `goal` that the controller is told"));
        }
        let files = named(&t)?;
        let node = root.open("model")?;
        let asked = Asked::default();
        let model = Machine::read(node, Some(&asked), &gathered.reading)?;
        check(&root.table("model", &MODEL)?, &model, (driven_by, files.len()))?;
        let fit = root.table("fit", &FIT)?;
        let mut unknown = unknowns(&fit, &asked.into_numbers())?;
        unknown.iter_mut().for_each(|u| u.unit = turned(u.unit));
        let pieces = fit.has("pieces").then(|| fit.whole_or("pieces", 1, 1)).transpose()?;
        let compare = fit.flag_or("compare", true)?;
        let profile = fit.flag_or("profile", false)?;
        let seed = fit.whole_or("seed", 0, 1)?;
        // Long logs take a while: what they say nothing about has been checked by now.
        let (data, breaks) = logs(&t, (&files, &names), (driven_by, gathered))?;
        let average = interval.map(|i| i.seconds(&data.seconds)).transpose()?;
        let files = files.into_iter().map(|f| f.value).collect();
        Ok(Self {
            title,
            kind: "servo",
            data,
            average,
            files,
            driven_by,
            drive_unit,
            model,
            unknown,
            pieces,
            compare,
            profile,
            seed,
            breaks,
            document: Document::of(&gathered.name, node.clone()),
            reading: gathered.reading.clone(),
        })
    }

    /// What is asked of the library: the servo, and its logs.
    ///
    /// # Errors
    /// Where the columns that drive are no signals.
    pub fn asked(&self) -> Result<(ServoFamily, Question)> {
        let [gain, offset, delay] = [1.0, 0.0, 0.0].map(Sought::Known);
        let values = self.data.values[1].clone();
        let average = self.average.unwrap_or(0.0);
        let angle =
            Sensor { what: "x".to_owned(), unit: "rad", values, gain, offset, delay, average };
        let static_above = |key: &str| {
            let law = key.strip_suffix(".static")?;
            self.unknown.iter().position(|u| u.key.strip_suffix(".dynamic") == Some(law))
        };
        let unknowns = self.unknown.iter().map(|u| Unknown {
            name: u.key.clone(),
            unit: u.unit,
            range: [u.from, u.to],
            above: static_above(&u.key),
        });
        let question = Question {
            time: self.data.seconds.clone(),
            breaks: self.breaks.clone(),
            sensors: vec![angle],
            unknowns: unknowns.collect(),
            scheme: Scheme::Adaptive(adaptive::Options::default()),
            start: true,
            pieces: self.pieces.map(|p| usize::try_from(p).unwrap_or(usize::MAX)),
            compare: self.compare,
            profile: self.profile,
            seed: self.seed,
        };
        let starts = [0].into_iter().chain(self.breaks.iter().copied());
        let ends = self.breaks.iter().copied().chain([self.data.seconds.len()]);
        let time = &self.data.seconds;
        let one = |(from, to): (usize, usize)| {
            let drive = Signal::sampled(&time[from..to], &self.data.values[0][from..to])?;
            Ok((time[from], time[to - 1], drive))
        };
        let drives: Result<Vec<_>> = starts.zip(ends).map(one).collect();
        let varied = Arc::new(varied(&self.document, &self.unknown)?);
        Ok((ServoFamily { file: self.clone(), varied, drives: drives? }, question))
    }
}

/// The servo of a fit file, for any values of its unknowns.
#[derive(Debug, Clone)]
pub struct ServoFamily {
    file: ServoFile,
    /// The document with its unknowns.
    varied: Arc<Varied>,
    /// When each log begins and ends (s), and what drives it.
    drives: Vec<(f64, f64, Signal)>,
}

impl ServoFamily {
    fn machine(&self, values: &[f64]) -> Result<Machine> {
        let values = spread(&self.file.unknown, values);
        self.varied
            .read(&values, |document| Machine::read(document.root(), None, &self.file.reading))
    }
}

impl Family for ServoFamily {
    fn problem(&self, values: &[f64]) -> std::result::Result<Problem, Error> {
        let (from, to, _) = self.drives[0];
        self.part(values, [from, to])
            .unwrap_or(Err(Error::BadModel { reason: "there is no log".to_owned() }))
    }

    fn part(&self, values: &[f64], span: [f64; 2]) -> Option<std::result::Result<Problem, Error>> {
        let at = self.drives.iter().rposition(|(start, ..)| *start <= span[0])?;
        let unsuitable = |e: Diagnostic| Error::BadModel { reason: e.message().to_owned() };
        let machine = match self.machine(values) {
            Ok(machine) => machine,
            Err(e) => return Some(Err(unsuitable(e))),
        };
        let signal = self.drives[at].2.clone();
        let input = match self.file.driven_by {
            "voltage" => Input::Voltage(signal),
            "current" => Input::Current(signal),
            _ => {
                let gain = *machine.gain.get(at).or(machine.gain.first())?;
                let limit = machine.limit.unwrap_or(f64::INFINITY);
                Input::Goal { goal: signal, gain, limit }
            }
        };
        let law = machine.friction.build();
        Some(law.and_then(|law| servo(law, machine.motor(), machine.load(), &input, span)))
    }
}

/// The unit about an axis that a number of the friction has along a line elsewhere.
fn turned(unit: &'static str) -> &'static str {
    match unit {
        "N" => "N·m",
        "m/s" => "rad/s",
        "N·s/m" => "N·m·s/rad",
        _ => unit,
    }
}

/// What drives, its unit, and the columns of drive and angle.
fn columns(t: &Table<'_>) -> Result<(&'static str, &'static str, Vec<Placed<String>>)> {
    let given: Vec<_> = DRIVES.into_iter().filter(|d| t.has(d.0)).collect();
    let &[(driven_by, unit)] = given.as_slice() else {
        let expected =
            "the column of what drives the servo: one of `goal`, `voltage` and `current`";
        return Err(t.missing("goal", expected));
    };
    let drive = t.text(driven_by, "the name of the column of what drives the servo")?;
    let angle = t.text("position", "the name of the column of angles")?;
    Ok((driven_by, unit, vec![drive, angle]))
}

/// The files of the logs.
fn named(t: &Table<'_>) -> Result<Vec<Placed<String>>> {
    let files = t.texts("files", "the paths of the logs")?;
    Ok(if files.is_empty() { vec![t.text("file", "the path of a log")?] } else { files })
}

/// Every log, one after the other on one axis of time, in rad, V, A and s; and where each but the first begins.
fn logs(
    t: &Table<'_>,
    (files, names): (&[Placed<String>], &[Placed<String>]),
    (driven_by, gathered): (&str, &mut Gathered),
) -> Result<(Columns, Vec<usize>)> {
    let unit = t.angle("position_unit")?.unwrap_or(1.0);
    are_there(files, gathered)?;
    let angle = Says::factor(Dimension::Angle, unit, "position_unit");
    let says = [angle.filter(|_| driven_by == "goal"), angle];
    let mut all: Option<Columns> = None;
    let mut breaks = Vec::new();
    for file in files {
        let mut log = Columns::read_file(t, file, names, &says, gathered)?;
        let rows = log.seconds.len();
        if let Some(row) = log.values[0].iter().position(|v| v.is_nan()) {
            let message = format!(
                "{}: row {}: the column `{}` that drives the servo is empty",
                file.value,
                row + 1,
                names[0].value
            );
            return Err(Diagnostic::at(&names[0].place, message).help(
                "fill the gap, or choose a part of the log without gaps by `start` and `end`",
            ));
        }
        for (i, values) in log.values.iter_mut().enumerate() {
            let unit = if i == 1 || driven_by == "goal" { unit } else { 1.0 };
            values.iter_mut().for_each(|v| *v *= unit);
        }
        if let Some(row) = turned_over(&log.values[1]) {
            let message = format!(
                "{}: row {}: the angle `{}` jumps by a turn, as of an encoder that starts anew after each",
                file.value,
                row + 1,
                names[1].value
            );
            return Err(Diagnostic::at(&names[1].place, message)
                .help("unwrap it: add or take a turn after each jump, in all rows that follow"));
        }
        let first = log.seconds.first().copied().unwrap_or(0.0);
        let last = log.seconds.last().copied().unwrap_or(0.0);
        let step = (last - first) / rows.max(2) as f64;
        let start = all.as_ref().and_then(|a| a.seconds.last()).map_or(0.0, |t| t + step);
        log.seconds.iter_mut().for_each(|t| *t += start - first);
        match &mut all {
            None => all = Some(log),
            Some(all) => {
                breaks.push(all.seconds.len());
                all.seconds.append(&mut log.seconds);
                all.values.iter_mut().zip(&mut log.values).for_each(|(a, b)| a.append(b));
            }
        }
    }
    let all = all.ok_or_else(|| t.missing("file", "the path of a log"))?;
    Ok((all, breaks))
}

/// What the keys of `[model]` must be together.
fn check(t: &Table<'_>, model: &Machine, (driven_by, logs): (&str, usize)) -> Result<()> {
    let goal = driven_by == "goal";
    if goal && model.gain.is_empty() {
        return Err(t.missing("gain", "the gain of the controller that follows the goal, in V/rad"));
    }
    if !goal && (!model.gain.is_empty() || model.limit.is_some()) {
        let key = if model.gain.is_empty() { "limit" } else { "gain" };
        let message = format!(
            "`model.{key}` belongs to a controller with a goal, and `{driven_by}` drives here"
        );
        return Err(Diagnostic::at(t.place_of(key), message).help("remove it"));
    }
    if model.gain.len() > 1 && model.gain.len() != logs {
        let of = if logs == 1 { "log" } else { "logs" };
        let message = format!("`model.gain` holds {} numbers for {logs} {of}", model.gain.len());
        return Err(Diagnostic::at(t.place_of("gain"), message)
            .help("give one number, or one for each file of `data.files`"));
    }
    if model.inertia + model.armature <= 0.0 {
        return Err(t.missing(
            "armature",
            "an inertia: of the armature, or of the load (`load.inertia`, or `load.mass` and `load.length`)",
        ));
    }
    Ok(())
}
