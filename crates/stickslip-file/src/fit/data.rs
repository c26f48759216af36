//! `[data]`: the measured drive and response.

use super::average::Interval;
use super::continued;
use super::there::are_there;
use crate::diagnostic::{Diagnostic, Result};
use crate::place::{Place, Placed};
use crate::reader::{Table, positive};
use crate::reading::Gathered;
use crate::source;
use crate::stated::{self, Dimension, Says};
use crate::table::{self, Clock, Manner, Record, Style, Wanted, last};
use crate::units::{self, TEMPERATURES, duration};
use serde::Serialize;

/// Fewest samples that can tell anything about friction.
const FEWEST: usize = 100;
/// s.
const DAY: f64 = 86_400.0;
const CENTURY: f64 = 100.0 * 365.25 * DAY;
/// Larger numbers are no seconds since 1970, but milliseconds or less.
pub(super) const SINCE_1970: f64 = 1e11;

/// By how much the response comes later than the drive.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", untagged)]
pub enum Shift {
    /// So many seconds.
    Fixed(f64),
    /// To be found.
    Fitted,
}

/// A measured drive and response.
#[derive(Debug, Clone, Serialize)]
pub struct Data {
    /// The file (that of the response, where there are two), as written; the first and the last of several that continue each other.
    pub file: String,
    /// The file of the drive, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drive_file: Option<String>,
    /// Column of times.
    pub time: String,
    /// Column of the drive, °C.
    pub drive: String,
    /// Column of the response.
    pub response: String,
    /// Unit of the response, m.
    pub response_unit: f64,
    /// What makes degrees Celsius of the drive as it is written: a factor, and what is added before.
    #[serde(skip)]
    pub drive_unit: (f64, f64),
    /// Longest stretch without samples that is bridged, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_gap: Option<f64>,
    /// By how much the response comes later than the drive, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shift: Option<Shift>,
    /// Standard deviation of the drive's noise, °C.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drive_noise: Option<f64>,
    /// How far apart in time a drive and the responses about it may be, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// Each row is the mean over this time, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average: Option<f64>,
    /// The first time of the file: t = 0.
    pub origin: String,
    /// How the files are written: footnotes, which change no verdict.
    #[serde(skip)]
    pub notices: Vec<String>,
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

/// What `[data]` says, before any table is read.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub drive: Placed<String>,
    pub response: Placed<String>,
    pub time: Vec<Placed<String>>,
    pub manner: Manner,
    /// °C.
    drive_unit: (f64, f64),
    /// m.
    pub response_unit: f64,
    pub start: Option<Placed<String>>,
    end: Option<Placed<String>>,
    max_gap: Option<f64>,
    shift: Option<Shift>,
    drive_noise: Option<f64>,
    tolerance: Option<f64>,
    average: Option<Interval>,
}

impl Asked {
    /// As a table says it.
    pub fn read(t: &Table<'_>) -> Result<Self> {
        Self::of(t, t.text("response", "the name of the column of displacements")?)
    }

    /// With this column of displacements.
    pub fn of(t: &Table<'_>, response: Placed<String>) -> Result<Self> {
        let drive = t.text("drive", "the name of the column of temperatures")?;
        let length = t.length("response_unit")?;
        let expected = "the unit of the response: m, cm, mm, um, in or ft";
        let length = length.ok_or_else(|| t.missing("response_unit", expected))?;
        let drive_unit = t.choice("drive_unit", "unit of temperature", &TEMPERATURES)?;
        let drive_unit = drive_unit.map_or((1.0, 0.0), |u| u.value);
        let max_gap = t.text_opt("max_gap", "a duration such as \"6h\"")?;
        let tolerance = t.text_opt("tolerance", "a duration such as \"10 min\"")?;
        let noise = t.number_opt("drive_noise", positive("the unit of the drive"))?;
        let shift = match t.text_opt("shift", "\"fit\" or a duration such as \"1h\"")? {
            None => None,
            Some(word) if word.value == "fit" => Some(Shift::Fitted),
            Some(text) => Some(Shift::Fixed(units::shift(&text)?)),
        };
        Ok(Self {
            drive,
            response,
            time: source::time(t)?,
            manner: source::manner(t)?,
            drive_unit,
            response_unit: length.value,
            start: t.text_opt("start", "a time in quotes")?,
            end: t.text_opt("end", "a time in quotes")?,
            max_gap: max_gap.map(|g| duration(&g)).transpose()?,
            shift,
            drive_noise: noise.map(|n| n.value * drive_unit.0),
            tolerance: tolerance.map(|g| duration(&g)).transpose()?,
            average: Interval::read(t)?,
        })
    }

    /// What is said of the unit of a column.
    fn says(&self, column: &Placed<String>) -> Option<Says> {
        if column.value == self.drive.value {
            let scale = self.drive_unit;
            return Some(Says { dimension: Dimension::Temperature, scale, key: "drive_unit" });
        }
        Says::factor(Dimension::Length, self.response_unit, "response_unit")
    }

    /// The columns of a file.
    fn columns(
        &self,
        file: &Placed<String>,
        columns: &[&Placed<String>],
        gathered: &mut Gathered,
    ) -> Result<Record> {
        let name = gathered.input(&file.value);
        let says = columns.iter().map(|c| self.says(c)).collect();
        let columns = columns.iter().map(|c| (*c).clone()).collect();
        let wanted = Wanted { place: file.place.clone(), time: self.time.clone(), columns, says };
        let reading = gathered.reading.clone();
        let mut record = table::read(reading.resources(), &name, &wanted, &self.manner)?;
        gathered.warnings.append(&mut record.warnings);
        Ok(record)
    }
}

impl Data {
    /// One for each file that the table names.
    pub(super) fn read(t: &Table<'_>, gathered: &mut Gathered) -> Result<Vec<Self>> {
        let expected = "the path of a CSV file";
        let drive_file = t.text_opt("drive_file", expected)?;
        if let Some(files) = continued::named(t, gathered)? {
            return Ok(vec![Self::of_several(t, &files, gathered)?]);
        }
        let mut files = t.texts("file", expected)?;
        if let Some(own) = t.text_opt("response_file", expected)? {
            if drive_file.is_none() && files.is_empty() {
                return Err(t.missing("drive_file", "the path of the CSV file of the drive"));
            }
            let drive = drive_file.or_else(|| files.pop()).filter(|_| files.is_empty());
            let drive = drive.ok_or_else(|| {
                Diagnostic::at(&own.place, "`response_file` is given as well as `file`")
                    .help("name the two files in `drive_file` and `response_file`")
            })?;
            return Ok(vec![Self::of_two(t, drive, own, gathered)?]);
        }
        if let Some(drive) = drive_file {
            let [response] = <[_; 1]>::try_from(files).map_err(|_| {
                t.missing("response_file", "the path of the CSV file of the response")
            })?;
            return Ok(vec![Self::of_two(t, drive, response, gathered)?]);
        }
        if files.is_empty() {
            return Err(t.missing("file", "the path of a CSV file, or a list of them"));
        }
        are_there(&files, gathered)?;
        files.into_iter().map(|file| Self::of(t, file, gathered)).collect()
    }

    /// Drive and response in one table.
    fn of(t: &Table<'_>, file: Placed<String>, gathered: &mut Gathered) -> Result<Self> {
        let asked = Asked::read(t)?;
        let record = asked.columns(&file, &[&asked.drive, &asked.response], gathered)?;
        Self::from(asked, record, (file, None), gathered)
    }

    /// One record in several tables that continue each other.
    fn of_several(
        t: &Table<'_>,
        files: &[Placed<String>],
        gathered: &mut Gathered,
    ) -> Result<Self> {
        let asked = Asked::read(t)?;
        let names = [asked.drive.value.as_str(), asked.response.value.as_str()];
        let (mut record, parts) = continued::together(files, &names, true, |file| {
            gathered.listed(&file.value);
            let columns = vec![asked.drive.clone(), asked.response.clone()];
            // Another unit than that of the file before is told of the later ones.
            let is_first = file.value == files[0].value;
            let says = columns.iter().map(|c| asked.says(c).filter(|_| is_first)).collect();
            let wanted =
                Wanted { place: file.place.clone(), time: asked.time.clone(), columns, says };
            let resources = gathered.reading.resources();
            table::read(resources, &file.value, &wanted, &asked.manner)
        })?;
        gathered.warnings.append(&mut record.warnings);
        let name = parts.name();
        let file = Placed { value: name.clone(), place: files[0].place.clone() };
        let data = Self::of_record(asked, record, (file, None), &name)?;
        gathered.notices.extend(data.notices.iter().cloned());
        Ok(data)
    }

    /// Drive and response in two tables: the rows of both, in order of time.
    fn of_two(
        t: &Table<'_>,
        drive_file: Placed<String>,
        file: Placed<String>,
        gathered: &mut Gathered,
    ) -> Result<Self> {
        let mut asked = Asked::read(t)?;
        are_there(&[drive_file.clone(), file.clone()], gathered)?;
        let drive = asked.columns(&drive_file, &[&asked.drive], gathered)?;
        let mut response = asked.columns(&file, &[&asked.response], gathered)?;
        response.notices.splice(0..0, drive.notices.iter().cloned());
        let record = joined(&mut asked, &drive, response, [&drive_file, &file])?;
        Self::from(asked, record, (file, Some(drive_file)), gathered)
    }

    fn from(
        asked: Asked,
        record: Record,
        files: (Placed<String>, Option<Placed<String>>),
        gathered: &mut Gathered,
    ) -> Result<Self> {
        let name = gathered.reading.resources().resolve(&gathered.name, &files.0.value);
        let data = Self::of_record(asked, record, files, &name)?;
        gathered.notices.extend(data.notices.iter().cloned());
        Ok(data)
    }

    /// A record that has been read; messages call it `name`.
    pub(crate) fn of_record(
        asked: Asked,
        mut record: Record,
        (file, drive_file): (Placed<String>, Option<Placed<String>>),
        name: &str,
    ) -> Result<Self> {
        cut(&mut record, asked.start.as_ref(), asked.end.as_ref())?;
        check_unit_of_time(name, &asked, &record)?;
        let origin = record.clock.origin();
        let epoch = record.clock.epoch();
        let Record { seconds, values, clock, units, mut notices, .. } = record;
        let [mut drive_values, mut response_values] = <[Vec<f64>; 2]>::try_from(values)
            .map_err(|_| Diagnostic::new(format!("{name}: expected two columns")))?;
        check_present(name, &asked.drive, &drive_values)?;
        check_present(name, &asked.response, &response_values)?;
        check_count(name, &asked, &drive_values, &response_values)?;
        check_varies(name, &asked.drive, &drive_values)?;
        check_varies(name, &asked.response, &response_values)?;
        notices.extend(check_units(name, &asked, &units)?);
        let (factor, zero) = asked.drive_unit;
        if asked.drive_unit != (1.0, 0.0) {
            drive_values.iter_mut().for_each(|v| *v = (*v + zero) * factor);
        }
        response_values.iter_mut().for_each(|v| *v *= asked.response_unit);
        let average = asked.average.as_ref().map(|i| i.seconds(&seconds)).transpose()?;
        let time: Vec<_> = asked.time.into_iter().map(|t| t.value).collect();
        Ok(Self {
            file: file.value,
            drive_file: drive_file.map(|f| f.value),
            time: time.join(" "),
            drive: asked.drive.value,
            response: asked.response.value,
            response_unit: asked.response_unit,
            drive_unit: asked.drive_unit,
            max_gap: asked.max_gap,
            shift: asked.shift,
            drive_noise: asked.drive_noise,
            tolerance: asked.tolerance,
            average,
            origin,
            notices,
            epoch,
            clock,
            seconds,
            drive_values,
            response_values,
        })
    }
}

/// Drive and response of two tables in one.
pub(crate) fn joined(
    asked: &mut Asked,
    drive: &Record,
    mut response: Record,
    [drive_file, file]: [&Placed<String>; 2],
) -> Result<Record> {
    let later = response.clock.after(&drive.clock).ok_or_else(|| {
        let message = format!(
            "the times of `{}` and of `{}` are written in ways that cannot be compared",
            drive_file.value, file.value
        );
        Diagnostic::at(&file.place, message).help(
            "write the times of both files in one way; `time_zone` says where times without a \
             zone belong",
        )
    })?;
    let mut record = merged(drive, &response, later);
    // What is to be said of the drive was said when it was read.
    record.notices.append(&mut response.notices);
    let together = complete(&record.values[0], &record.values[1]);
    if asked.tolerance.is_some() || 2 * together >= response.seconds.len() {
        return Ok(record);
    }
    asked.tolerance = usual_step(&response.seconds);
    record.notices.extend(asked.tolerance.map(|step| {
        format!(
            "`{}` and `{}` are measured at different times: the response is interpolated \
             over at most {step} s on either side; `tolerance` in [data] sets another limit",
            drive_file.value, file.value
        )
    }));
    Ok(record)
}

/// The rows of the drive and those of the response, which are counted from `later` s after those of
/// the drive, in order of time; a value that was not measured at a time is missing there.
fn merged(drive: &Record, response: &Record, later: f64) -> Record {
    let times: Vec<f64> = response.seconds.iter().map(|t| t + later).collect();
    let mut seconds = Vec::new();
    let mut both = vec![Vec::new(), Vec::new()];
    let mut i = 0;
    let mut j = 0;
    let end = f64::INFINITY;
    while i < drive.seconds.len() || j < times.len() {
        let at = [drive.seconds.get(i), times.get(j)].map(|t| t.copied().unwrap_or(end));
        // Times of two files that differ by rounding only are one time.
        let same = (at[0] - at[1]).abs() <= 1e-6;
        let first = same || at[0] < at[1];
        let second = same || at[1] < at[0];
        seconds.push(if first { at[0] } else { at[1] });
        both[0].push(if first { drive.values[0][i] } else { f64::NAN });
        both[1].push(if second { response.values[0][j] } else { f64::NAN });
        i += usize::from(first);
        j += usize::from(second);
    }
    let units = drive.units.iter().chain(&response.units).cloned().collect();
    Record {
        seconds,
        values: both,
        units,
        clock: drive.clock.clone(),
        warnings: Vec::new(),
        notices: Vec::new(),
    }
}

/// The median time between rows, s.
fn usual_step(seconds: &[f64]) -> Option<f64> {
    let mut steps: Vec<f64> = seconds.windows(2).map(|w| w[1] - w[0]).collect();
    steps.sort_unstable_by(f64::total_cmp);
    steps.get(steps.len() / 2).copied()
}

fn complete(drive: &[f64], response: &[f64]) -> usize {
    drive.iter().zip(response).filter(|(d, z)| !(d.is_nan() || z.is_nan())).count()
}

/// Keeps the rows from `start` to `end`; how many before were left out.
pub(super) fn cut(
    record: &mut Record,
    start: Option<&Placed<String>>,
    end: Option<&Placed<String>>,
) -> Result<usize> {
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
        let origin = record.clock.origin();
        let last = last(&record.seconds);
        return Err(Diagnostic::at(&place.place, "no row lies between `start` and `end`")
            .help(format!("the rows begin at {origin} and end {last:?} s later")));
    }
    for column in record.values.iter_mut().chain([&mut record.seconds]) {
        column.truncate(after);
        column.drain(..first);
    }
    Ok(first)
}

fn check_count(name: &str, asked: &Asked, drive: &[f64], response: &[f64]) -> Result<()> {
    let together = complete(drive, response);
    if together >= FEWEST {
        return Ok(());
    }
    let present = |values: &[f64]| values.iter().filter(|v| !v.is_nan()).count();
    if present(drive).min(present(response)) >= FEWEST {
        if asked.tolerance.is_some() {
            return Ok(());
        }
        let message = format!(
            "{name}: `{}` and `{}` have values in the same row {together} times only",
            asked.drive.value, asked.response.value
        );
        return Err(Diagnostic::at(&asked.response.place, message).help(
            "if they are measured at different times, write `tolerance = \"10 min\"` (how far apart \
             they may be) in [data]",
        ));
    }
    let message = format!("{name}: {together} samples with both values; expected {FEWEST} or more");
    Err(Diagnostic::new(message).help(
        "give a longer record, or widen `start` and `end`: a few samples cannot \
                 tell friction from noise",
    ))
}

/// Numbers that, in the unit that the fit file gives, lie thousands of years after 1970 have another unit.
pub(super) fn check_stated_unit(
    name: &str,
    place: &Place,
    manner: &Manner,
    clock: &Clock,
) -> Result<()> {
    let Some(Style::Number(unit)) = manner.time else { return Ok(()) };
    let Some(first) = clock.first_number().filter(|t| (t * unit).abs() >= SINCE_1970) else {
        return Ok(());
    };
    let message = format!(
        "{name}: the first time, {first:?}, would be {:.0} years in the unit that `time_unit` gives",
        first * unit / (0.01 * CENTURY)
    );
    Err(Diagnostic::at(place, message)
        .help("correct `time_unit`: times since 1970 may be in \"s\", \"ms\", \"us\" or \"ns\""))
}

/// Times that are numbers without a unit are seconds, unless the record then lasts less than a day, or for centuries.
fn check_unit_of_time(name: &str, asked: &Asked, record: &Record) -> Result<()> {
    let place = asked.time.first().map_or(&asked.drive.place, |t| &t.place);
    check_stated_unit(name, place, &asked.manner, &record.clock)?;
    let length = last(&record.seconds) - record.seconds.first().copied().unwrap_or(0.0);
    let first = record.clock.first_number().filter(|_| asked.manner.time.is_none());
    if first.is_none_or(|t| t.abs() < SINCE_1970 && (DAY..CENTURY).contains(&length)) {
        return Ok(());
    }
    let message = format!(
        "{name}: the times are numbers without a unit, and in seconds the record would last {length:?} s"
    );
    Err(Diagnostic::at(place, message).help(
        "write the unit of the times in [data], such as `time_unit = \"h\"`: s, min, h, d, ms, us or ns \
         (days of a spreadsheet are \"d\"; times since 1970 may be \"s\", \"ms\" or \"ns\")",
    ))
}

/// What the table says of the units against the fit file; what was assumed of them.
fn check_units(name: &str, asked: &Asked, units: &[Option<String>]) -> Result<Vec<String>> {
    let columns = [asked.drive.clone(), asked.response.clone()];
    let says = columns.each_ref().map(|c| asked.says(c));
    stated::check(name, &columns, units, &says)?;
    Ok(stated::assumed(name, &columns, units, &says))
}

fn check_present(name: &str, column: &Placed<String>, values: &[f64]) -> Result<()> {
    if values.iter().any(|v| !v.is_nan()) {
        return Ok(());
    }
    let message = format!("{name}: the column `{}` holds no number", column.value);
    Err(Diagnostic::at(&column.place, message).help("check that the right column is named"))
}

fn check_varies(name: &str, column: &Placed<String>, values: &[f64]) -> Result<()> {
    let mut present = values.iter().filter(|v| !v.is_nan());
    let Some(first) = present.next() else { return Ok(()) };
    if present.any(|v| v != first) {
        return Ok(());
    }
    let message = format!(
        "{name}: the column `{}` is {first} in every row; expected a series that changes",
        column.value
    );
    Err(Diagnostic::at(&column.place, message).help(
        "check that the right column is named; a constant series says nothing about friction",
    ))
}
