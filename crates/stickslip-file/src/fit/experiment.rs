//! What the fit files of experiments share: a record of named columns.

use super::continued::{self, Parts};
use super::data::{SINCE_1970, check_stated_unit, cut};
use crate::diagnostic::{Diagnostic, Result};
use crate::node::{Node, Value};
use crate::place::Placed;
use crate::reader::Table;
use crate::reading::Gathered;
use crate::source::{self, keys_with};
use crate::stated::{self, Says};
use crate::table::{self, Manner, Record, Wanted};
use serde::Serialize;

/// Days since 1900 of the years 2000 to 2050, as spreadsheets count them.
const SERIALS: std::ops::Range<f64> = 36_526.0..54_789.0;

/// Whether rows come so often that they would be less than half a day apart if their times were days.
fn dense(seconds: &[f64]) -> bool {
    let ends = seconds.first().zip(seconds.last());
    ends.is_some_and(|(first, last)| (last - first) / (seconds.len() as f64) < 0.5)
}

/// Keys of `[data]`: those that every experiment knows, and its `own`.
pub fn keys<'a>(own: &[&'a str]) -> Vec<&'a str> {
    let mut all = keys_with(&["file", "files", "start", "end"]);
    all.extend(own.iter().filter(|key| **key != "files"));
    all
}

/// A record that was read.
#[derive(Debug, Clone, Serialize)]
pub struct Columns {
    /// The file, as written; the first and the last of several that continue each other.
    pub file: String,
    /// The first time of the file: t = 0.
    pub origin: String,
    /// How the file is written: footnotes, which change no verdict.
    #[serde(skip)]
    pub notices: Vec<String>,
    /// Times, s.
    #[serde(skip)]
    pub seconds: Vec<f64>,
    /// One list for each column, as in the file; NaN where missing.
    #[serde(skip)]
    pub values: Vec<Vec<f64>>,
    /// Where the rows come from.
    #[serde(skip)]
    parts: Parts,
}

/// The word after `kind` in `[model]`, if there is one: it says which reader the file is for.
pub fn kind(document: &Node) -> Option<&str> {
    match &document.get("model")?.node.get("kind")?.node.value {
        Value::Text(word) => Some(word),
        _ => None,
    }
}

impl Columns {
    /// Reads the columns of the table `[data]`, each of which must change.
    pub fn read(
        t: &Table<'_>,
        names: &[Placed<String>],
        says: &[Option<Says>],
        gathered: &mut Gathered,
    ) -> Result<Self> {
        let all = Self::read_any(t, names, says, gathered)?;
        for (name, values) in names.iter().zip(&all.values) {
            let path = &all.file;
            let message = match values.iter().find(|v| !v.is_nan()) {
                None => format!("{path}: the column `{}` holds no number", name.value),
                Some(first) if values.iter().all(|v| v.is_nan() || v == first) => format!(
                    "{path}: the column `{}` is {first} in every row; expected a series that changes",
                    name.value
                ),
                Some(_) => continue,
            };
            return Err(Diagnostic::at(&name.place, message)
                .help("check that the right column is named and that the sensor works"));
        }
        Ok(all)
    }

    /// File and row, from 1, of a row of the record, from 0.
    pub(super) fn at(&self, row: usize) -> String {
        self.parts.at(row)
    }

    /// Reads the columns of the table `[data]`, whatever they hold: of `file`, or of `files` that continue each other. Units that a
    /// table states are checked against those that the fit file `says`.
    pub fn read_any(
        t: &Table<'_>,
        names: &[Placed<String>],
        says: &[Option<Says>],
        gathered: &mut Gathered,
    ) -> Result<Self> {
        let time = source::time(t)?;
        Self::read_all(t, names, says, time, gathered)
    }

    fn read_all(
        t: &Table<'_>,
        names: &[Placed<String>],
        says: &[Option<Says>],
        time: Vec<Placed<String>>,
        gathered: &mut Gathered,
    ) -> Result<Self> {
        let Some(files) = continued::named(t, gathered)? else {
            let file = t.text("file", "the path of a CSV file")?;
            return Self::read_timed(t, &file, (names, says), time, gathered);
        };
        let manner = manner(t, &time)?;
        let timed = !time.is_empty();
        let columns: Vec<&str> = names.iter().map(|n| n.value.as_str()).collect();
        let (record, parts) = continued::together(&files, &columns, timed, |file| {
            let wanted = Wanted {
                place: file.place.clone(),
                time: time.clone(),
                columns: names.to_vec(),
                // Another unit than that of the file before is told of the later ones.
                says: if file.value == files[0].value { says.to_vec() } else { Vec::new() },
            };
            gathered.listed(&file.value);
            table::read(gathered.reading.resources(), &file.value, &wanted, &manner)
        })?;
        let path = parts.name();
        stated::check(&path, names, &record.units, says)?;
        Self::of(t, record, parts, &files[0], &path, gathered)
    }

    /// Reads the columns of one of the files that the table `[data]` names.
    pub fn read_file(
        t: &Table<'_>,
        file: &Placed<String>,
        names: &[Placed<String>],
        says: &[Option<Says>],
        gathered: &mut Gathered,
    ) -> Result<Self> {
        let time = source::time(t)?;
        Self::read_timed(t, file, (names, says), time, gathered)
    }

    /// Reads columns that stand in rows without times, which are counted from 0 in their place.
    pub fn read_counted(
        t: &Table<'_>,
        names: &[Placed<String>],
        says: &[Option<Says>],
        gathered: &mut Gathered,
    ) -> Result<Self> {
        Self::read_all(t, names, says, Vec::new(), gathered)
    }

    fn read_timed(
        t: &Table<'_>,
        file: &Placed<String>,
        (names, says): (&[Placed<String>], &[Option<Says>]),
        time: Vec<Placed<String>>,
        gathered: &mut Gathered,
    ) -> Result<Self> {
        let manner = manner(t, &time)?;
        let path = gathered.input(&file.value);
        let reading = gathered.reading.clone();
        let wanted = Wanted {
            place: file.place.clone(),
            time,
            columns: names.to_vec(),
            says: says.to_vec(),
        };
        let record = table::read(reading.resources(), &path, &wanted, &manner)?;
        Self::of(t, record, Parts::one(&file.value), file, &path, gathered)
    }

    /// The part from `start` to `end` of a record that was read.
    fn of(
        t: &Table<'_>,
        mut record: Record,
        mut parts: Parts,
        file: &Placed<String>,
        path: &str,
        gathered: &mut Gathered,
    ) -> Result<Self> {
        let manner = source::manner(t)?;
        let start = t.text_opt("start", "a time in quotes")?;
        let end = t.text_opt("end", "a time in quotes")?;
        let name = parts.name();
        gathered.warnings.append(&mut record.warnings);
        gathered.notices.extend(record.notices.iter().cloned());
        parts.cut(cut(&mut record, start.as_ref(), end.as_ref())?);
        let origin = record.clock.origin();
        let Record { seconds, values, notices, clock, .. } = record;
        check_stated_unit(path, &file.place, &manner, &clock)?;
        if manner.time.is_none() && clock.first_number().is_some_and(|t| t.abs() >= SINCE_1970) {
            let message = format!(
                "{path}: the times are numbers as large as the milliseconds since 1970, without a unit"
            );
            return Err(Diagnostic::at(&file.place, message)
                .help("write the unit of the times in [data]: `time_unit = \"ms\"`, \"s\", \"us\" or \"ns\""));
        }
        if manner.time.is_none()
            && clock.first_number().is_some_and(|t| SERIALS.contains(&t))
            && dense(&seconds)
        {
            let message = format!(
                "{path}: the times may be days since 1900, as spreadsheets count them, or seconds"
            );
            return Err(Diagnostic::at(&file.place, message)
                .help("write the unit of the times in [data]: `time_unit = \"d\"` or \"s\""));
        }
        Ok(Self { file: name, origin, notices, seconds, values, parts })
    }
}

/// How the table is written; rows without times are counted.
fn manner(t: &Table<'_>, time: &[Placed<String>]) -> Result<Manner> {
    // Their kind is told before the rows are read, of which there may be millions; what they mean is known only after that.
    for key in ["start", "end"] {
        t.text_opt(key, "a time in quotes")?;
    }
    let mut manner = source::manner(t)?;
    if time.is_empty() {
        manner.time = Some(table::Style::Number(1.0));
    }
    Ok(manner)
}
