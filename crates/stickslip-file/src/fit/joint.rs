//! A fit file of `kind = "servo"` with many logs, an index of them, or a drive that is described: the joint of a robot.

use super::experiment::{Columns, keys};
use super::model::{Free, unknowns};
use super::stated::Dimension;
use crate::asked::Asked;
use crate::diagnostic::{Diagnostic, Result};
use crate::node::{Node, Value};
use crate::place::Placed;
use crate::reader::{Table, Variant, any, not_negative, positive};
use crate::reading::Gathered;
use crate::table::texts;
use serde::Serialize;
use stickslip_calibrate::joint::drive::Drive;
use stickslip_calibrate::joint::gear::{Gear, Load, Way};
use stickslip_calibrate::joint::logs::Log;
use stickslip_calibrate::joint::{Above, Given, Joint, MOUNTINGS, Question, Slot, Unknown, Ways};
use stickslip_calibrate::servo::turned_over;

const MODEL: [&str; 13] = [
    "kind",
    "control",
    "gain",
    "limit",
    "torque_constant",
    "resistance",
    "armature",
    "damping",
    "vertical",
    "drive",
    "friction",
    "load",
    "backlash",
];
const FIT: [&str; 5] = ["unknown", "hold_out", "starts", "terms", "seed"];
const DRIVE: [&str; 5] = ["delay", "speed_limit", "start", "derivative", "tick"];
const LAWS: [&str; 3] = ["coulomb", "static-dynamic", "stribeck-exponential"];
const FRICTION: [&str; 5] =
    ["coulomb", "static-dynamic", "stribeck-exponential", "quadratic", "load"];
const LOAD: [&str; 4] = ["inertia", "mass", "length", "gravity_torque"];
/// Columns of the index that stand for keys of `[model]`.
const PER_LOG: [&str; 5] =
    ["gain", "load.inertia", "load.mass", "load.length", "load.gravity_torque"];
/// Gravity, m/s².
const GRAVITY: f64 = 9.806_65;
/// A tick below this, s, is none.
const SHORTEST_TICK: f64 = 1e-3;
/// A column of the index with more values than this is no label of groups.
const VALUES: usize = 12;
/// The longest time between two rows of a log, s. The goal is taken as straight between rows, and a servo has ended its motion
/// within less; a unit of time that is wrong by a factor of a thousand leaves gaps beyond this.
const LONGEST_GAP: f64 = 1.0;

/// The file with every default filled in.
#[derive(Debug, Clone, Serialize)]
pub struct JointFile {
    /// Heading of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is fitted.
    pub kind: &'static str,
    /// The table of logs, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// Files of the logs.
    pub files: Vec<String>,
    /// `duty` with a supply, `V` without, `A` where the drive controls the current.
    pub gain_unit: &'static str,
    /// Numbers of the model before the fit, under their keys.
    pub model: Vec<(String, f64)>,
    /// What is sought.
    pub unknown: Vec<Free>,
    /// The column of the index that tells the mountings of the load apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mounting: Option<String>,
    /// The logs that are scored and not fitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold_out: Option<HoldOut>,
    /// Starts of the search.
    pub starts: u64,
    /// Whether each term is left out in turn.
    pub terms: bool,
    /// Seed of the search.
    pub seed: u64,
    /// How the tables are written.
    #[serde(skip)]
    pub notices: Vec<String>,
    #[serde(skip)]
    question: Question,
}

/// The logs that are scored and not fitted: those with one of these values in this column of the index.
#[derive(Debug, Clone, Serialize)]
pub struct HoldOut {
    /// A column of the index.
    pub column: String,
    /// Values of it.
    pub values: Vec<String>,
}

/// What `[model]` says, before it is known which logs there are.
struct Machine {
    joint: Joint,
    load: LoadKeys,
    /// Whether `gain` is given.
    gain: bool,
}

/// The keys of a load, as far as they are given.
#[derive(Clone, Copy, Default)]
struct LoadKeys {
    inertia: Option<f64>,
    mass: Option<f64>,
    length: Option<f64>,
    gravity_torque: Option<f64>,
}

impl LoadKeys {
    /// J and m g l. Where inertia and gravity are both given, mass and length add nothing: they only name the load.
    fn load(self) -> Load {
        let mass = self.mass.unwrap_or(0.0);
        let length = self.length.unwrap_or(0.0);
        let of_mass = if self.inertia.is_some() && self.gravity_torque.is_some() {
            0.0
        } else {
            mass * length * length
        };
        Load {
            inertia: self.inertia.unwrap_or(0.0) + of_mass,
            gravity: self.gravity_torque.unwrap_or(mass * GRAVITY * length),
        }
    }
}

/// A row of the index.
struct Row {
    file: Placed<String>,
    load: LoadKeys,
    gain: Option<f64>,
    /// Every other column and what it holds.
    labels: Vec<(String, String)>,
}

impl JointFile {
    /// Whether a document of `kind = "servo"` asks for what only this reader knows.
    pub(super) fn is(root: &Node) -> bool {
        let has = |path: &[&str]| {
            let mut node = Some(root);
            for key in path {
                node = node.and_then(|n| n.get(key)).map(|e| &e.node);
            }
            node.is_some()
        };
        has(&["data", "index"])
            || has(&["data", "enabled"])
            || has(&["data", "supply"])
            || has(&["model", "drive"])
            || has(&["model", "backlash"])
            || has(&["model", "control"])
            || has(&["model", "load", "gravity_torque"])
            || has(&["model", "friction", "load"])
            || has(&["model", "friction", "quadratic"])
            || has(&["fit", "hold_out"])
    }

    /// Reads a document and the logs it names.
    pub(super) fn read(document: &Node, gathered: &mut Gathered) -> Result<Self> {
        let root = Table::root(document, &["title", "data", "model", "fit"])?;
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        let own = [
            "index",
            "files",
            "position",
            "position_unit",
            "goal",
            "enabled",
            "supply",
            "mounting",
        ];
        let t = root.table("data", &keys(&own))?;
        let duty = t.has("supply");
        if let (true, Some(control)) = (duty, current(&Table::root(root.open("model")?, &MODEL)?)?)
        {
            let message = "`control` is \"current\", and `supply` is given: a current that is controlled does not depend on the supply";
            return Err(Diagnostic::at(&control.place, message)
                .help("remove `supply`, and give `gain` in A/rad"));
        }
        let asked = Asked::default();
        let machine = Machine::read(root.open("model")?, Some(&asked), duty)?;
        let mut rows = rows(&t, &machine, gathered)?;
        let of_index = rows.iter().any(|r| r.gain.is_some());
        if !machine.gain && !of_index {
            let expected = "a gain, here or as a column `gain` of the index";
            return Err(root.table("model", &MODEL)?.missing("gain", expected));
        }
        let numbers = asked.into_numbers();
        let model = numbers.iter().map(|n| (n.path.clone(), n.value)).collect();
        let fit = root.table("fit", &FIT)?;
        let unknown = unknowns(&fit, &numbers)?;
        let mut sought = sought(&unknown, &fit, &machine.joint)?;
        let hold_out = HoldOut::read(&fit, &rows)?;
        let held: Vec<bool> =
            rows.iter().map(|r| hold_out.as_ref().is_some_and(|h| h.holds(r))).collect();
        let mountings = Mountings::read(&t, &rows)?;
        if let Some(mountings) = &mountings {
            sought = mountings.with_verticals(sought, &held)?;
        }
        let index = t.text_opt("index", "the path of the table of logs")?.map(|i| i.value);
        if let Some(index) = &index {
            let unused = without_groups(&mut rows, hold_out.as_ref());
            if !unused.is_empty() {
                let message = format!("{index}: columns that are not used: {}", unused.join(", "));
                gathered.notices.push(message);
            }
        }
        let layout = Layout::read(&t)?;
        let mut logs = Vec::new();
        for (i, (row, held_out)) in rows.iter().zip(held).enumerate() {
            let mut log = layout.log(&t, row, gathered)?;
            log.mounting = mountings.as_ref().map_or(0, |m| m.of[i]);
            let left_out = log.cleaned();
            layout.check_turns(&row.file, &log.position)?;
            let file = row.file.value.clone();
            let labels = row.labels.clone();
            logs.push(Given { file, log, left_out, held_out, labels });
        }
        let notices = std::mem::take(&mut gathered.notices);
        gathered.notices = unique(notices);
        let starts = fit.whole_or("starts", 1, 3)?;
        let seed = fit.whole_or("seed", 0, 1)?;
        let terms = fit.flag_or("terms", true)?;
        let is_sought = sought.iter().any(|u| u.slot == Slot::Gain);
        let question = Question {
            joint: machine.joint,
            unknowns: sought,
            gains_may_be_whole: machine.gain && of_index && !is_sought,
            logs,
            starts: usize::try_from(starts).unwrap_or(usize::MAX),
            terms,
            seed,
        };
        Ok(Self {
            title,
            kind: "servo",
            index,
            files: rows.iter().map(|r| r.file.value.clone()).collect(),
            gain_unit: if machine.joint.drive.current {
                "A"
            } else if duty {
                "duty"
            } else {
                "V"
            },
            model,
            unknown,
            mounting: mountings.map(|m| m.column.value),
            hold_out,
            starts,
            terms,
            seed,
            notices: gathered.notices.clone(),
            question,
        })
    }

    /// What is asked of the library.
    pub fn asked(&self) -> &Question {
        &self.question
    }
}

/// Each text once, in the order in which it came.
fn unique(texts: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for text in texts {
        if !kept.contains(&text) {
            kept.push(text);
        }
    }
    kept
}

impl Machine {
    fn read(node: &Node, asked: Option<&Asked>, duty: bool) -> Result<Self> {
        let t = Table::root(node, &MODEL)?.asking(asked);
        let drive = t.table_or_empty("drive", &DRIVE)?;
        let backlash = t.number_or("backlash", not_negative("rad"), 0.0)?;
        if backlash > 0.0 {
            let message = "a servo with backlash is not fitted; expected `backlash = 0.0`";
            return Err(Diagnostic::at(t.place_of("backlash"), message).help(
                "write the joint as a network with two nodes and a stop between them, and fit it with `kind = \"model\"`",
            ));
        }
        let control = current(&t)?;
        if control.is_some() && t.has("resistance") {
            let message = "`resistance` has no effect where the drive controls the current";
            return Err(Diagnostic::at(t.place_of("resistance"), message).help("remove it"));
        }
        let [gain_unit, limit_unit, each_speed] = match (control.is_some(), duty) {
            (true, _) => ["A/rad", "A", "A·s/rad"],
            (_, true) => ["1/rad", "", "s/rad"],
            _ => ["V/rad", "V", "V·s/rad"],
        };
        let limit = if duty { 1.0 } else { f64::INFINITY };
        let tick = drive.number_or("tick", not_negative("s"), 0.0)?;
        if tick > 0.0 && tick < SHORTEST_TICK {
            let message = format!("`tick` is {tick} s; expected 0 or at least {SHORTEST_TICK} s");
            return Err(Diagnostic::at(drive.place_of("tick"), message)
                .help("leave it out: an output that is held for so short a time is as good as one that is not"));
        }
        let drive = Drive {
            gain: t.number_or("gain", positive(gain_unit), 1.0)?,
            delay: drive.number_or("delay", not_negative("s"), 0.0)?,
            speed_limit: drive.number_or("speed_limit", positive("rad/s"), f64::INFINITY)?,
            start: drive.number_or("start", not_negative(limit_unit), 0.0)?,
            derivative: drive.number_or("derivative", not_negative(each_speed), 0.0)?,
            limit: t.number_or("limit", positive(limit_unit), limit)?,
            torque_constant: t.number("torque_constant", positive("N·m/A"))?,
            resistance: t.number_or("resistance", positive("Ω"), 1.0)?,
            tick,
            current: control.is_some(),
        };
        let damping = t.number_or("damping", not_negative("N·m·s/rad"), 0.0)?;
        let armature = t.number_or("armature", not_negative("kg·m²"), 0.0)?;
        let vertical = t.number_or("vertical", any("rad"), 0.0)?;
        if t.has("damping") && t.table("friction", &FRICTION)?.has("stribeck-exponential") {
            let message = "`damping` and the `viscous` of the friction law are the same friction; expected one of them";
            return Err(Diagnostic::at(t.place_of("damping"), message)
                .help("add it to `viscous` and remove `damping`"));
        }
        let gear = gear(&t, armature, damping)?;
        let load = t.table_or_empty("load", &LOAD)?;
        let opt = |key: &str, what| load.number_opt(key, what).map(|n| n.map(|n| n.value));
        let load = LoadKeys {
            inertia: opt("inertia", not_negative("kg·m²"))?,
            mass: opt("mass", not_negative("kg"))?,
            length: opt("length", not_negative("m"))?,
            gravity_torque: opt("gravity_torque", not_negative("N·m"))?,
        };
        Ok(Self {
            joint: Joint { drive, gear, vertical: [vertical; MOUNTINGS] },
            load,
            gain: t.has("gain"),
        })
    }
}

/// The text that says that the drive controls the current, if it does.
fn current(t: &Table<'_>) -> Result<Option<Placed<String>>> {
    let Some(control) = t.text_opt("control", "`voltage` or `current`")? else { return Ok(None) };
    match control.value.as_str() {
        "voltage" => Ok(None),
        "current" => Ok(Some(control)),
        other => {
            let message = format!("`control` is \"{other}\"; expected \"voltage\" or \"current\"");
            Err(Diagnostic::at(&control.place, message)
                .help("a controller that gives a torque is one of the current, with torque_constant = 1.0"))
        }
    }
}

/// `[model.friction]`: one law, and what grows with the speed and the load.
fn gear(t: &Table<'_>, armature: f64, damping: f64) -> Result<Gear> {
    let friction = t.table("friction", &FRICTION)?;
    let law = friction.variant_beside(&["quadratic", "load"], "friction law", &LAWS)?;
    let mut ways = match law.directions()? {
        Some([forward, backward]) => [way(&forward)?, way(&backward)?],
        None => [way(&law)?; 2],
    };
    ways.iter_mut().for_each(|w| w.viscous += damping);
    let quadratic = friction.number_or("quadratic", not_negative("N·m·s²/rad²"), 0.0)?;
    let load = friction.table_or_empty("load", &["external", "motor", "rest", "transmitted"])?;
    let share = not_negative("");
    let external = load.number_or("external", share, 0.0)?;
    let motor = load.number_or("motor", share, 0.0)?;
    if load.has("rest") && law.name == "coulomb" {
        let message =
            "`rest` falls with the speed as the friction law does, and Coulomb's does not";
        return Err(Diagnostic::at(load.place_of("rest"), message)
            .help("use the law `stribeck-exponential`, or remove `rest`"));
    }
    let rest = load.number_or("rest", share, 0.0)?;
    let [driving, back_driven] = if load.has("transmitted") && !load.has_number("transmitted") {
        let each = load.table("transmitted", &["driving", "back_driven"])?;
        [each.number_or("driving", share, 0.0)?, each.number_or("back_driven", share, 0.0)?]
    } else {
        [load.number_or("transmitted", share, 0.0)?; 2]
    };
    Ok(Gear { ways, quadratic, external, motor, rest, driving, back_driven, armature })
}

/// One way of a law.
fn way(law: &Variant<'_>) -> Result<Way> {
    let torque = not_negative("N·m");
    let constant =
        |dynamic, fixed| Way { dynamic, drop: fixed, velocity: 1.0, exponent: 1.0, viscous: 0.0 };
    match law.name {
        "coulomb" => {
            let t = law.table(&["force"])?;
            Ok(constant(t.number("force", torque)?, 0.0))
        }
        "static-dynamic" => {
            let t = law.table(&["static", "dynamic"])?;
            let dynamic = t.number("dynamic", torque)?;
            // A velocity far below any that a log shows: the friction falls as soon as the shaft moves.
            let drop = drop(&t, dynamic)?;
            Ok(Way { velocity: 1e-3, ..constant(dynamic, drop) })
        }
        _ => {
            let t = law.table(&["static", "dynamic", "velocity", "exponent", "viscous"])?;
            let dynamic = t.number("dynamic", torque)?;
            Ok(Way {
                dynamic,
                drop: drop(&t, dynamic)?,
                velocity: t.number("velocity", positive("rad/s"))?,
                exponent: t.number_or("exponent", positive(""), 1.0)?,
                viscous: t.number_or("viscous", not_negative("N·m·s/rad"), 0.0)?,
            })
        }
    }
}

fn drop(t: &Table<'_>, dynamic: f64) -> Result<f64> {
    let at_rest = t.number("static", not_negative("N·m"))?;
    if at_rest < dynamic {
        let message =
            format!("`static` is {at_rest} and `dynamic` {dynamic}; expected static ≥ dynamic");
        return Err(Diagnostic::at(t.place_of("static"), message)
            .help("the friction at rest is at least that in slip"));
    }
    Ok(at_rest - dynamic)
}

/// Where each unknown stands in the joint.
fn sought(unknown: &[Free], fit: &Table<'_>, joint: &Joint) -> Result<Vec<Unknown>> {
    let at = |key: &str| unknown.iter().position(|u| u.key == key);
    let mut all = Vec::new();
    for u in unknown {
        let place = fit.place_of("unknown");
        if let Some(other) = u.tied.first() {
            let message =
                format!("`{}` is tied to `{other}`; numbers of a servo are not tied", u.key);
            return Err(Diagnostic::at(place, message).help("remove `tied`"));
        }
        let Some(slot) = slot(&u.key) else {
            let message =
                format!("`{}` cannot be sought: it differs from log to log, or is fixed", u.key);
            return Err(Diagnostic::at(place, message).help("give it in [model] or in the index"));
        };
        let mut range = [u.from, u.to];
        let mut above = None;
        if let (Some(law), Slot::Drop(ways)) = (u.key.strip_suffix(".static"), slot) {
            above = Some(match at(&format!("{law}.dynamic")) {
                Some(j) => Above::Unknown(j),
                None => Above::Known(joint.get(Slot::Dynamic(ways))),
            });
            range = match above {
                Some(Above::Known(dynamic)) => {
                    [(u.from - dynamic).max(0.0), (u.to - dynamic).max(0.0)]
                }
                _ => [0.0, u.to],
            };
        }
        all.push(Unknown { name: u.key.clone(), unit: u.unit, slot, range, above });
    }
    Ok(all)
}

/// The slot of a key of `[model]`.
fn slot(key: &str) -> Option<Slot> {
    let of_law = |law: &str| {
        let rest = key.strip_prefix("friction.")?;
        rest.strip_prefix(law)?.strip_prefix('.')
    };
    if let Some(number) = LAWS.into_iter().find_map(of_law) {
        return of_friction(number);
    }
    Some(match key {
        "gain" => Slot::Gain,
        "limit" => Slot::Limit,
        "torque_constant" => Slot::TorqueConstant,
        "resistance" => Slot::Resistance,
        "armature" => Slot::Armature,
        "damping" => Slot::Viscous(Ways::Both),
        "vertical" => Slot::Vertical(None),
        "drive.delay" => Slot::Delay,
        "drive.speed_limit" => Slot::SpeedLimit,
        "drive.start" => Slot::Start,
        "drive.derivative" => Slot::Derivative,
        "friction.quadratic" => Slot::Quadratic,
        "friction.load.external" => Slot::External,
        "friction.load.motor" => Slot::Motor,
        "friction.load.rest" => Slot::Rest,
        "friction.load.transmitted" => Slot::Transmitted,
        "friction.load.transmitted.driving" => Slot::Driving,
        "friction.load.transmitted.back_driven" => Slot::BackDriven,
        _ => return None,
    })
}

/// The slot of a number of a law, which may stand below a direction.
fn of_friction(number: &str) -> Option<Slot> {
    let (ways, number) = match number.split_once('.') {
        Some(("forward", number)) => (Ways::Forward, number),
        Some(("backward", number)) => (Ways::Backward, number),
        _ => (Ways::Both, number),
    };
    match number {
        "force" | "dynamic" => Some(Slot::Dynamic(ways)),
        "static" => Some(Slot::Drop(ways)),
        "velocity" => Some(Slot::Velocity(ways)),
        "exponent" => Some(Slot::Exponent(ways)),
        "viscous" => Some(Slot::Viscous(ways)),
        _ => None,
    }
}

/// The logs: those of the index, or the files of `[data]`.
fn rows(t: &Table<'_>, machine: &Machine, gathered: &mut Gathered) -> Result<Vec<Row>> {
    let Some(index) = t.text_opt("index", "the path of the table of logs")? else {
        let files = t.texts("files", "the paths of the logs")?;
        let files =
            if files.is_empty() { vec![t.text("file", "the path of a log")?] } else { files };
        let row = |file| Row { file, load: machine.load, gain: None, labels: Vec::new() };
        let rows: Vec<Row> = files.into_iter().map(row).collect();
        return named_once("files", rows);
    };
    if let Some(other) = ["file", "files"].into_iter().find(|k| t.has(k)) {
        let message = format!("both `index` and `{other}` are given; expected one of them");
        return Err(Diagnostic::at(t.place_of(other), message).help("the index names the logs"));
    }
    let known = Placed { value: "file".to_owned(), place: index.place.clone() };
    let name = gathered.input(&index.value);
    let mut header = Vec::new();
    let mut cells = Vec::new();
    let mut choose = |all: &[String]| {
        crate::table::column(&name, all, &known)?;
        header = all.to_vec();
        Ok((0..all.len()).collect())
    };
    let mut see = |row: &[String]| {
        cells.push(row.to_vec());
        Ok(())
    };
    texts(gathered.reading.resources(), &name, &known, &mut choose, &mut see)?;
    check_columns(&header, &index)?;
    let folder = index.value.rsplit_once('/').map(|f| f.0.to_owned());
    let of = |(number, row): (usize, &Vec<String>)| {
        index_row(&header, row, machine.load, &index, folder.as_deref()).map_err(
            |(message, help)| {
                Diagnostic::at(&index.place, format!("{name}, row {}: {message}", number + 1))
                    .help(help)
            },
        )
    };
    let rows: Vec<Row> = cells.iter().enumerate().map(of).collect::<Result<_>>()?;
    if rows.is_empty() {
        return Err(Diagnostic::at(&index.place, format!("{name}: no row names a log"))
            .help("write one row for each log, its path in the column `file`"));
    }
    named_once(&name, rows)
}

/// A log that is named twice would count as two observations, and as a repetition that agrees to the last bit.
fn named_once(list: &str, rows: Vec<Row>) -> Result<Vec<Row>> {
    for (i, row) in rows.iter().enumerate() {
        let Some(first) = rows[..i].iter().position(|r| r.file.value == row.file.value) else {
            continue;
        };
        let message = format!(
            "{list}: rows {} and {} name the same log, {}; expected each log once",
            first + 1,
            i + 1,
            row.file.value
        );
        return Err(Diagnostic::at(&row.file.place, message).help("remove one of them"));
    }
    Ok(rows)
}

/// A column that is called like a number of the whole joint would be dropped silently, and of two with the same name one.
fn check_columns(header: &[String], index: &Placed<String>) -> Result<()> {
    let twice = (1..header.len()).find(|&i| header[..i].contains(&header[i]));
    if let Some(i) = twice {
        let message = format!("the index has two columns `{}`; expected one", header[i]);
        return Err(Diagnostic::at(&index.place, message).help("rename or remove one of them"));
    }
    let whole = |h: &&String| {
        !PER_LOG.contains(&h.as_str())
            && (slot(h).is_some() || h.starts_with("load.") || h.starts_with("drive."))
    };
    match header.iter().find(whole) {
        None => Ok(()),
        Some(column) => {
            let message =
                format!("the index has a column `{column}`, which cannot differ from log to log");
            Err(Diagnostic::at(&index.place, message)
                .help(format!("columns that may differ: {}", PER_LOG.join(", "))))
        }
    }
}

fn index_row(
    header: &[String],
    row: &[String],
    usual: LoadKeys,
    index: &Placed<String>,
    folder: Option<&str>,
) -> std::result::Result<Row, (String, &'static str)> {
    let place = index.place.clone();
    let file = Placed { value: String::new(), place };
    let mut found = Row { file, load: usual, gain: None, labels: Vec::new() };
    for (column, cell) in header.iter().zip(row) {
        let number = || {
            let read = cell.parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
            read.map(Some).ok_or_else(|| {
                (
                    format!("the column `{column}` holds `{cell}`; expected a number ≥ 0"),
                    "correct the value; columns are named as keys of [model]",
                )
            })
        };
        match column.as_str() {
            "file" if cell.is_empty() => {
                return Err(("the column `file` is empty".to_owned(), "name the log"));
            }
            "file" => {
                found.file.value = match folder {
                    Some(folder) if !cell.starts_with('/') => format!("{folder}/{cell}"),
                    _ => cell.clone(),
                };
            }
            "gain" => found.gain = number()?,
            "load.inertia" => found.load.inertia = number()?,
            "load.mass" => found.load.mass = number()?,
            "load.length" => found.load.length = number()?,
            "load.gravity_torque" => found.load.gravity_torque = number()?,
            _ => {}
        }
        if column != "file" {
            found.labels.push((column.clone(), cell.clone()));
        }
    }
    if found.gain == Some(0.0) {
        return Err(("the column `gain` is 0; expected a number > 0".to_owned(), "correct it"));
    }
    Ok(found)
}

/// Takes the columns with many values from the labels, by which errors are grouped, and names those that serve nothing else.
fn without_groups(rows: &mut [Row], hold_out: Option<&HoldOut>) -> Vec<String> {
    let columns: Vec<String> =
        rows.first().map_or(Vec::new(), |r| r.labels.iter().map(|l| l.0.clone()).collect());
    let is_of_many = |column: &String| {
        let labels = rows.iter().flat_map(|r| &r.labels).filter(|l| l.0 == *column);
        let mut values: Vec<&str> = labels.map(|l| l.1.as_str()).collect();
        values.sort_unstable();
        values.dedup();
        values.len() > VALUES && values.len() * 2 > rows.len()
    };
    let many: Vec<String> = columns.into_iter().filter(is_of_many).collect();
    rows.iter_mut().for_each(|r| r.labels.retain(|l| !many.contains(&l.0)));
    let is_used =
        |c: &String| PER_LOG.contains(&c.as_str()) || hold_out.is_some_and(|h| h.column == *c);
    many.into_iter().filter(|c| !is_used(c)).collect()
}

/// Whether two cells are the same text or the same number.
fn same(a: &str, b: &str) -> bool {
    a == b || a.parse::<f64>().ok().zip(b.parse::<f64>().ok()).is_some_and(|(a, b)| a == b)
}

impl Row {
    /// What a column of the index holds for this log.
    fn label(&self, column: &str) -> Option<&str> {
        self.labels.iter().find(|l| l.0 == column).map(|l| l.1.as_str())
    }
}

/// What a column of the index holds, each value once.
fn values_of(rows: &[Row], column: &Placed<String>, help: &'static str) -> Result<Vec<String>> {
    let value_of = |row: &Row| row.label(&column.value).map(str::to_owned);
    let known = unique(rows.iter().filter_map(value_of).collect());
    if known.is_empty() {
        let message = format!("the index has no column `{}`", column.value);
        return Err(Diagnostic::at(&column.place, message).help(help));
    }
    Ok(known)
}

/// The mountings of the load: logs with one value in a column of the index were recorded without taking the load off.
struct Mountings {
    column: Placed<String>,
    /// The values of the column.
    values: Vec<String>,
    /// Which of them each log has.
    of: Vec<usize>,
}

impl Mountings {
    fn read(t: &Table<'_>, rows: &[Row]) -> Result<Option<Self>> {
        let Some(column) = t.text_opt("mounting", "the name of a column of the index")? else {
            return Ok(None);
        };
        let help = "name a column of the index that tells the mountings of the load apart";
        let values = values_of(rows, &column, help)?;
        if values.len() > MOUNTINGS {
            let message = format!(
                "the column `{}` has {} values; expected at most {MOUNTINGS} mountings",
                column.value,
                values.len()
            );
            return Err(Diagnostic::at(&column.place, message).help(
                "name a column that differs only where the load was taken off and put on again",
            ));
        }
        let mut of = Vec::with_capacity(rows.len());
        for row in rows {
            let label = row.label(&column.value).filter(|label| !label.trim().is_empty());
            let Some(mounting) = values.iter().position(|v| label == Some(v.as_str())) else {
                let file = &row.file.value;
                let message =
                    format!("the index has nothing in the column `{}` of {file}", column.value);
                return Err(Diagnostic::at(&column.place, message)
                    .help("say of each log which mounting of the load it was taken with"));
            };
            of.push(mounting);
        }
        Ok(Some(Self { column, values, of }))
    }

    /// In place of one angle at which the load hangs, one for each mounting that a fitted log shows.
    fn with_verticals(&self, sought: Vec<Unknown>, held: &[bool]) -> Result<Vec<Unknown>> {
        let Some(at) = sought.iter().position(|u| u.slot == Slot::Vertical(None)) else {
            let message = "`mounting` says which logs share the angle at which the load hangs, and `vertical` is not sought";
            return Err(Diagnostic::at(&self.column.place, message).help(
                "seek it: [fit.unknown] vertical = { from = -0.2, to = 0.2 }; or remove `mounting`",
            ));
        };
        let is_shown = |m: &usize| self.of.iter().zip(held).any(|(of, held)| of == m && !held);
        // The angles go to the end; an unknown behind the one that goes away moves up, and what stands above it follows.
        let mut all = sought;
        let whole = all.remove(at);
        for u in &mut all {
            if let Some(Above::Unknown(below)) = &mut u.above {
                *below -= usize::from(*below > at);
            }
        }
        for m in (0..self.values.len()).filter(is_shown) {
            let name = format!("{}[{}]", whole.name, self.values[m]);
            all.push(Unknown { name, slot: Slot::Vertical(Some(m)), ..whole.clone() });
        }
        Ok(all)
    }
}

impl HoldOut {
    fn read(fit: &Table<'_>, rows: &[Row]) -> Result<Option<Self>> {
        let Some(t) = fit.table_opt("hold_out", &["column", "values"])? else { return Ok(None) };
        let column = t.text("column", "the name of a column of the index")?;
        let help = "name a column of the index by which logs are held out";
        let known = values_of(rows, &column, help)?;
        let wanted: Vec<Placed<String>> = t
            .items("values")
            .into_iter()
            .map(|node| match &node.value {
                Value::Text(text) => Ok(Placed { value: text.clone(), place: node.place.clone() }),
                Value::Number { number, .. } => {
                    Ok(Placed { value: format!("{number}"), place: node.place.clone() })
                }
                other => Err(Diagnostic::at(
                    &node.place,
                    format!("`values` holds {}; expected numbers and texts", other.describe()),
                )),
            })
            .collect::<Result<_>>()?;
        if wanted.is_empty() {
            return Err(t.missing("values", "a list of values of this column"));
        }
        for value in &wanted {
            if !known.iter().any(|k| same(k, &value.value)) {
                let message = format!("no row of the index has {} = {}", column.value, value.value);
                return Err(Diagnostic::at(&value.place, message)
                    .help(format!("values of this column: {}", known.join(", "))));
            }
        }
        let values = wanted.into_iter().map(|w| w.value).collect();
        let found = Self { column: column.value, values };
        if rows.iter().all(|r| found.holds(r)) {
            return Err(Diagnostic::at(&column.place, "every log is held out")
                .help("leave at least one value for the fit"));
        }
        Ok(Some(found))
    }

    fn holds(&self, row: &Row) -> bool {
        let label = row.label(&self.column);
        label.is_some_and(|label| self.values.iter().any(|v| same(v, label)))
    }
}

/// Which columns of a log are read.
struct Layout {
    /// Those of the goal, of the angle and of what else is named, in the order in which they are read.
    names: Vec<Placed<String>>,
    /// rad for each unit of the angles.
    unit: f64,
    /// Whether a column says when the motor is on.
    enabled: bool,
    supply: Supply,
}

/// Where the supply comes from.
enum Supply {
    /// There is no supply; the gain is in V/rad.
    Absent,
    /// The same in every row, V.
    Known(f64),
    /// The last column.
    Column,
}

impl Layout {
    fn read(t: &Table<'_>) -> Result<Self> {
        let unit = t.angle("position_unit")?.unwrap_or(1.0);
        let goal = t.text("goal", "the name of the column of goals")?;
        let position = t.text("position", "the name of the column of angles")?;
        if goal.value == position.value {
            let message = format!("`goal` and `position` both name the column `{}`", goal.value);
            return Err(Diagnostic::at(&position.place, message)
                .help("name the column of what was sent, and that of what was measured"));
        }
        let enabled =
            t.text_opt("enabled", "the name of the column that says whether the motor is on")?;
        let expected = "the name of the column of supply voltages, or a number of V";
        let mut names = vec![goal, position];
        names.extend(enabled.clone());
        let supply = if t.has_number("supply") {
            Supply::Known(t.number("supply", positive("V"))?)
        } else if let Some(name) = t.text_opt("supply", expected)? {
            names.push(name);
            Supply::Column
        } else {
            Supply::Absent
        };
        Ok(Self { names, unit, enabled: enabled.is_some(), supply })
    }

    /// Reads one log.
    fn log(&self, t: &Table<'_>, row: &Row, gathered: &mut Gathered) -> Result<Log> {
        let read = Columns::read_file(t, &row.file, &self.names, gathered)?;
        for i in 0..2 {
            let unit = (Dimension::Angle, self.unit);
            read.check_unit(i, &self.names[i], unit, "position_unit")?;
        }
        self.check(&row.file, &read)?;
        let rows = read.seconds.len();
        let first = read.seconds[0];
        let mut values = read.values.into_iter();
        let mut column = || values.next().unwrap_or_default();
        let scaled = |column: Vec<f64>| column.into_iter().map(|v| v * self.unit).collect();
        let goal = scaled(column());
        let position = scaled(column());
        let enabled = match self.enabled {
            true => column().into_iter().map(|v| v != 0.0).collect(),
            false => Vec::new(),
        };
        let supply = match self.supply {
            Supply::Absent => Vec::new(),
            Supply::Known(volts) => vec![volts; rows],
            Supply::Column => column(),
        };
        Ok(Log {
            time: read.seconds.iter().map(|s| s - first).collect(),
            goal,
            position,
            enabled,
            supply,
            gain: row.gain.unwrap_or(1.0),
            load: row.load.load(),
            mounting: 0,
            start: [0.0; 2],
            anchors: Vec::new(),
        })
    }

    /// Refuses a log that cannot be replayed or compared.
    fn check(&self, file: &Placed<String>, read: &Columns) -> Result<()> {
        let file = &file.value;
        let at =
            |column: usize, message: String| Diagnostic::at(&self.names[column].place, message);
        let cut = "fill the gap, or choose a part of the log without gaps by `start` and `end`";
        let rows = read.seconds.len();
        if rows < 3 {
            let message = format!("{file}: {rows} rows; expected a log of some seconds");
            return Err(at(1, message).help("remove the log from the list"));
        }
        for column in (0..self.names.len()).filter(|c| *c != 1) {
            if let Some(empty) = read.values[column].iter().position(|v| v.is_nan()) {
                let name = &self.names[column].value;
                let message = format!("{file}: row {}: the column `{name}` is empty", empty + 1);
                return Err(at(column, message).help(cut));
            }
        }
        let angles = read.values[1].iter().filter(|v| !v.is_nan()).count();
        if angles < 3 {
            let name = &self.names[1].value;
            let message = format!(
                "{file}: the column `{name}` holds {angles} angles in {rows} rows; expected at least three"
            );
            return Err(at(1, message).help("name the column of the angle, or remove the log"));
        }
        if let Supply::Column = self.supply {
            let last = self.names.len() - 1;
            if read.values[last].iter().all(|v| *v <= 0.0) {
                let name = &self.names[last].value;
                let message =
                    format!("{file}: the column `{name}` is never above 0; expected volts");
                return Err(at(last, message)
                    .help("name the column of the supply, or write its voltage as a number"));
            }
        }
        let gap = read.seconds.windows(2).position(|w| w[1] - w[0] > LONGEST_GAP);
        if let Some(i) = gap {
            let message = format!(
                "{file}: rows {} and {} are {} s apart; expected at most {LONGEST_GAP} s",
                i + 1,
                i + 2,
                read.seconds[i + 1] - read.seconds[i]
            );
            return Err(at(1, message).help(
                "check `time_unit`, or choose a part of the log without gaps by `start` and `end`",
            ));
        }
        Ok(())
    }

    /// Refuses an angle that starts anew after each turn.
    fn check_turns(&self, file: &Placed<String>, position: &[f64]) -> Result<()> {
        let Some(at) = turned_over(position) else { return Ok(()) };
        let name = &self.names[1];
        let message = format!(
            "{}: row {}: the column `{}` jumps by a turn, as of an encoder that starts anew after each",
            file.value,
            at + 1,
            name.value
        );
        Err(Diagnostic::at(&name.place, message)
            .help("unwrap it: add or take a turn after each jump, in all rows that follow"))
    }
}
