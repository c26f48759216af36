//! A fit file: the data, the model, the method.

use super::settings::Settings;
use crate::diagnostic::{Diagnostic, Remedy, Result};
use crate::node::Node;
use crate::place::Placed;
use crate::reader::{Table, positive};
use crate::reading::Gathered;
use crate::table::{Clock, Record, Sheet, TIME_UNITS, TimeUnit, last};
use jiff::tz::TimeZone;
use serde::Serialize;

const KEYS: [&str; 5] = ["title", "data", "record", "model", "fit"];
const DATA: [&str; 10] = [
    "file",
    "time",
    "time_unit",
    "time_zone",
    "drive",
    "response",
    "response_unit",
    "start",
    "end",
    "max_gap",
];
/// What `[[record]]` may hold: its own name and bearing, and everything that `[data]` may.
const RECORD: [&str; 12] = [
    "title",
    "bearing_stiffness",
    "file",
    "time",
    "time_unit",
    "time_zone",
    "drive",
    "response",
    "response_unit",
    "start",
    "end",
    "max_gap",
];

/// Keys of `[model]` of any kind.
const MODEL: [&str; 7] =
    ["kind", "bearing_stiffness", "velocity", "stiffness", "mass", "gravity", "controller"];

/// Fewest samples that can tell anything about friction.
const FEWEST: usize = 100;

/// A measured drive and response.
#[derive(Debug, Clone, Serialize)]
pub struct Data {
    /// The file, as written.
    pub file: String,
    /// Column of times.
    pub time: String,
    /// Column of the drive, °C.
    pub drive: String,
    /// Column of the response.
    pub response: String,
    /// Unit of the response, m.
    pub response_unit: f64,
    /// Longest stretch without samples that is bridged, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_gap: Option<f64>,
    /// The first time of the file: t = 0.
    pub origin: String,
    /// The same in seconds of the Unix epoch, if times are dates.
    #[serde(skip)]
    pub epoch: Option<f64>,
    /// How times of the file are turned into seconds.
    #[serde(skip)]
    pub clock: Clock,
    /// Times, s.
    #[serde(skip)]
    pub seconds: Vec<f64>,
    /// The drive, °C; NaN where missing.
    #[serde(skip)]
    pub drive_values: Vec<f64>,
    /// The response, m; NaN where missing.
    #[serde(skip)]
    pub response_values: Vec<f64>,
}

/// What is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A bearing moved by the temperature of a deck: d = βT.
    ThermalBearing,
    /// Read by `SliderFile`.
    PulledSlider,
    /// Read by `DriveFile`.
    RigidDrive,
}

/// Every kind of fit file.
const KINDS: [(&str, Kind); 3] = [
    ("thermal-bearing", Kind::ThermalBearing),
    ("pulled-slider", Kind::PulledSlider),
    ("rigid-drive", Kind::RigidDrive),
];

/// How it is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Two-dimensional search with linear least squares inside.
    Global,
    /// All five parameters by independent evolutionary runs.
    Evolution,
}

/// A fit file with every default filled in.
#[derive(Debug, Clone, Serialize)]
pub struct Fit {
    /// Heading of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The measured series.
    pub data: Data,
    /// What is fitted.
    pub kind: Kind,
    /// K_BP, N/m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bearing_stiffness: Option<f64>,
    /// How it is fitted.
    #[serde(flatten)]
    pub settings: Settings,
}

impl Fit {
    /// Reads a document and the series it names: its title, and a fit for each record.
    pub fn read(document: &Node, gathered: &mut Gathered) -> Result<(Option<String>, Vec<Self>)> {
        if let Some(entry) = document.get("oscillator").or_else(|| document.get("run")) {
            return Err(Diagnostic::at(
                &entry.key_place,
                "this is a model file; expected a fit file with [data], [model] and [fit]",
            )
            .with_remedy(Remedy::Simulate));
        }
        let root = Table::root(document, &KEYS)?;
        let title = root.text_opt("title", "a text")?.map(|t| t.value);
        // A kind that does not exist is the first thing to say, before its keys are called unknown.
        root.table("model", &MODEL)?.choice("kind", "kind of model", &KINDS)?;
        let model = root.table("model", &["kind", "bearing_stiffness"])?;
        let kind = model.choice("kind", "kind of model", &KINDS)?;
        let kind = kind.ok_or_else(|| {
            model.missing("kind", "a kind of model: thermal-bearing, pulled-slider or rigid-drive")
        })?;
        let kind = kind.value;
        let bearing = model.number_opt("bearing_stiffness", positive("N/m"))?.map(|n| n.value);
        let settings = root.table_opt("fit", &Settings::KEYS)?;
        let settings = |data: &Data| Settings::read(settings.as_ref(), &data.clock);

        let mut all = Vec::new();
        let records = root.tables("record", &RECORD)?;
        for t in &records {
            let title = t.text_opt("title", "the name of the record")?.map(|t| t.value);
            let own = t.number_opt("bearing_stiffness", positive("N/m"))?.map(|n| n.value);
            for data in Data::read(t, gathered)? {
                let (title, settings) = (title.clone(), settings(&data)?);
                let bearing_stiffness = own.or(bearing);
                all.push(Self { title, data, kind, bearing_stiffness, settings });
            }
        }
        if records.is_empty() || root.has("data") {
            for data in Data::read(&root.table("data", &DATA)?, gathered)? {
                let settings = settings(&data)?;
                let bearing_stiffness = bearing;
                all.push(Self { title: None, data, kind, bearing_stiffness, settings });
            }
        }
        Ok((title, all))
    }
}

impl Data {
    /// One for each file that the table names.
    fn read(t: &Table<'_>, gathered: &mut Gathered) -> Result<Vec<Self>> {
        let files = t.texts("file", "the path of a CSV file")?;
        if files.is_empty() {
            return Err(t.missing("file", "the path of a CSV file, or a list of them"));
        }
        files.into_iter().map(|file| Self::of(t, file, gathered)).collect()
    }

    fn of(t: &Table<'_>, file: Placed<String>, gathered: &mut Gathered) -> Result<Self> {
        let time = t.text("time", "the name of the column of times")?;
        let unit = t.choice("time_unit", "unit of time", &TIME_UNITS)?.map(|u| u.value);
        let drive = t.text("drive", "the name of the column of temperatures, °C")?;
        let response = t.text("response", "the name of the column of displacements")?;
        let lengths = [("m", 1.0), ("cm", 1e-2), ("mm", 1e-3), ("um", 1e-6)];
        let response_unit = t.choice("response_unit", "unit of length", &lengths)?;
        let response_unit = response_unit
            .ok_or_else(|| t.missing("response_unit", "the unit of the response: m, cm, mm or um"))?
            .value;
        let max_gap = t.text_opt("max_gap", "a duration such as \"6h\"")?;
        let max_gap = max_gap.map(|g| duration(&g)).transpose()?;
        let start = t.text_opt("start", "a time in quotes")?;
        let end = t.text_opt("end", "a time in quotes")?;

        let path = gathered.input(&file.value);
        let zone = t.text_opt("time_zone", "the name of a time zone")?;
        let zone = zone.map(|z| time_zone(&z)).transpose()?;
        let reading = gathered.reading.clone();
        let sheet = Sheet::open(reading.resources(), &path)
            .map_err(|f| f.or_at(&file.place))?
            .in_zone(zone);
        let columns = [sheet.column(&drive)?, sheet.column(&response)?];
        let time_column = sheet.column(&time)?;
        let mut record = sheet.read(time_column, unit, &columns)?;
        gathered.warnings.append(&mut record.warnings);
        cut(&mut record, start.as_ref(), end.as_ref())?;

        let name = path;
        let (origin, epoch) = (record.clock.origin(), record.clock.epoch());
        let Record { seconds, values, clock, .. } = record;
        let [drive_values, mut response_values] = <[Vec<f64>; 2]>::try_from(values)
            .map_err(|_| Diagnostic::new(format!("{name}: expected two columns")))?;
        let complete =
            drive_values.iter().zip(&response_values).filter(|(d, z)| !(d.is_nan() || z.is_nan()));
        check_count(&name, complete.count())?;
        check_varies(&name, &drive, &drive_values)?;
        check_varies(&name, &response, &response_values)?;
        response_values.iter_mut().for_each(|v| *v *= response_unit);
        Ok(Self {
            file: file.value,
            time: time.value,
            drive: drive.value,
            response: response.value,
            response_unit,
            max_gap,
            origin,
            epoch,
            clock,
            seconds,
            drive_values,
            response_values,
        })
    }
}

/// `Europe/Berlin`.
fn time_zone(name: &Placed<String>) -> Result<TimeZone> {
    TimeZone::get(name.value.trim()).map_err(|_| {
        Diagnostic::at(
            &name.place,
            format!("`{}` is no time zone of this machine's list", name.value),
        )
        .help("write a name as \"Europe/Berlin\", \"America/New_York\" or \"UTC\"")
    })
}

/// `6h`, `30 min`: seconds.
pub fn duration(text: &Placed<String>) -> Result<f64> {
    seconds_in(&text.value).map_err(|(m, h)| Diagnostic::at(&text.place, m).help(h))
}

/// A duration as text in seconds, or a message and its remedy.
pub fn seconds_in(text: &str) -> std::result::Result<f64, (String, String)> {
    let s = text.trim();
    let split = s.find(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E'));
    let (number, unit) = s.split_at(split.unwrap_or(s.len()));
    let unit: Option<TimeUnit> = TIME_UNITS.iter().find(|u| u.0 == unit.trim()).map(|u| u.1);
    match (number.trim().parse::<f64>(), unit) {
        (Ok(n), Some(unit)) if n.is_finite() && n > 0.0 => Ok(n * unit.seconds()),
        _ => Err((
            format!("`{s}` is not a duration; expected a number > 0 and a unit: s, min, h or d"),
            "write it as \"6h\" or \"30 min\"".to_owned(),
        )),
    }
}

/// Keeps the rows from `start` to `end`.
pub(super) fn cut(
    record: &mut Record,
    start: Option<&Placed<String>>,
    end: Option<&Placed<String>>,
) -> Result<()> {
    let at = |text: &Placed<String>| {
        record
            .clock
            .seconds(text.value.trim())
            .map_err(|(m, h)| Diagnostic::at(&text.place, m).help(h))
    };
    let from = start.map_or(Ok(f64::NEG_INFINITY), at)?;
    let to = end.map_or(Ok(f64::INFINITY), at)?;
    let first = record.seconds.partition_point(|&t| t < from);
    let after = record.seconds.partition_point(|&t| t <= to);
    if let Some(place) = end.or(start).filter(|_| first >= after) {
        let (origin, last) = (record.clock.origin(), last(&record.seconds));
        return Err(Diagnostic::at(&place.place, "no row lies between `start` and `end`")
            .help(format!("the rows begin at {origin} and end {last:?} s later")));
    }
    for column in record.values.iter_mut().chain([&mut record.seconds]) {
        column.truncate(after);
        column.drain(..first);
    }
    Ok(())
}

fn check_count(name: &str, complete: usize) -> Result<()> {
    if complete >= FEWEST {
        return Ok(());
    }
    let message = format!("{name}: {complete} samples with both values; expected {FEWEST} or more");
    Err(Diagnostic::new(message).help(
        "give a longer record, or widen `start` and `end`: a few samples cannot \
                 tell friction from noise",
    ))
}

fn check_varies(name: &str, column: &Placed<String>, values: &[f64]) -> Result<()> {
    let mut present = values.iter().filter(|v| !v.is_nan());
    let message = match present.next() {
        None => format!("{name}: the column `{}` holds no number", column.value),
        Some(first) if present.all(|v| v == first) => {
            format!(
                "{name}: the column `{}` is {first} in every row; expected a series that changes",
                column.value
            )
        }
        Some(_) => return Ok(()),
    };
    Err(Diagnostic::at(&column.place, message).help(
        "check that the right column is named; a constant series says nothing about friction",
    ))
}
