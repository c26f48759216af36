//! Measured series: columns of a CSV file, with every complaint naming file, row and column.

mod lines;
mod order;
mod time;

pub use time::{Clock, TIME_UNITS, TimeUnit};

use crate::diagnostic::{Diagnostic, Result, did_you_mean};
use crate::place::Placed;
use crate::resources::{Resources, open};
use jiff::tz::TimeZone;
use lines::Lines;
use order::{Order, Verdict};
use std::borrow::Cow;
use std::io::BufRead;

/// A table that has been opened: its header is known, its rows are not read yet.
pub struct Sheet<'a> {
    name: String,
    header: Vec<String>,
    separator: u8,
    lines: Lines<Box<dyn BufRead + 'a>>,
    zone: Option<TimeZone>,
    warnings: Vec<String>,
}

/// Columns that have been read.
#[derive(Debug, Clone)]
pub struct Record {
    /// Times in s, increasing, counted from the first row.
    pub seconds: Vec<f64>,
    /// One list for each column that was asked for; NaN where a value is missing.
    pub values: Vec<Vec<f64>>,
    /// How times of this table are turned into seconds.
    pub clock: Clock,
    /// What users should know.
    pub warnings: Vec<String>,
}

impl<'a> Sheet<'a> {
    /// Opens a table and reads its header.
    pub fn open(resources: &'a dyn Resources, name: &str) -> Result<Self> {
        let name = name.to_owned();
        if name.to_ascii_lowercase().ends_with(".parquet") {
            return Err(Diagnostic::new(format!(
                "{name}: Parquet is not available in this version; expected CSV"
            ))
            .help("export the table as CSV with a header row"));
        }
        let mut lines = Lines::new(open(resources, &name)?, name.clone());
        let mut warnings = Vec::new();
        let header = loop {
            match lines.next()? {
                None => {
                    return Err(Diagnostic::new(format!(
                        "{name}: the file is empty; expected a header row and rows of numbers"
                    ))
                    .help(
                        "the first row names the columns, for example: \
                 time,temperature,displacement",
                    ));
                }
                Some(line) if line.is_blank() || line.bytes.starts_with(b"#") => {}
                Some(line) => break line.text(),
            }
        };
        lines::refuse_other_formats(&name, &header)?;
        let separator = separator_of(&header);
        if separator != b',' {
            let what = if separator == b';' { "semicolons" } else { "tabs" };
            warnings.push(format!("{name}: columns are separated by {what}"));
        }
        let header = split(&header, separator);
        let header: Vec<String> = header.iter().map(|h| h.trim().to_owned()).collect();
        Ok(Self { name, header, separator, lines, zone: None, warnings })
    }

    /// The position of a column named in another file.
    pub fn column(&self, wanted: &Placed<String>) -> Result<usize> {
        let mut found = self.header.iter().enumerate().filter(|h| *h.1 == wanted.value);
        match (found.next(), found.next()) {
            (Some((i, _)), None) => Ok(i),
            (Some(_), Some(_)) => Err(Diagnostic::at(
                &wanted.place,
                format!("{}: two columns are called `{}`", self.name, wanted.value),
            )
            .help("rename one of them in the header row")),
            (None, _) => Err(self.no_such_column(wanted)),
        }
    }

    fn no_such_column(&self, wanted: &Placed<String>) -> Diagnostic {
        let names = || self.header.iter().map(String::as_str);
        let near = did_you_mean(&wanted.value, names());
        let message = format!("{}: no column is called `{}`{near}", self.name, wanted.value);
        let help = if names().all(|h| h.parse::<f64>().is_ok()) {
            "the first row holds numbers: put a row with the names of the columns above it"
                .to_owned()
        } else if self.header.len() == 1 {
            format!(
                "the header row is one column, `{}`: expected names separated by commas, \
                 semicolons or tabs",
                clip(&self.header[0])
            )
        } else {
            let list: Vec<_> = names().take(20).map(clip).collect();
            format!("the columns are: {}", list.join(", "))
        };
        Diagnostic::at(&wanted.place, message).help(help)
    }

    /// Times without a zone are those of this one.
    pub fn in_zone(self, zone: Option<TimeZone>) -> Self {
        Self { zone, ..self }
    }

    /// Reads every row: the times, and the numbers of `columns`.
    pub fn read(
        mut self,
        time: usize,
        unit: Option<TimeUnit>,
        columns: &[usize],
    ) -> Result<Record> {
        let mut seconds: Vec<f64> = Vec::new();
        let mut values: Vec<Vec<f64>> = vec![Vec::new(); columns.len()];
        let mut clock: Option<Clock> = None;
        let (mut order, mut row, mut numbers) = (Order::default(), 0, Vec::new());
        let mut rows: Vec<u64> = Vec::new();
        while let Some(line) = self.lines.next()? {
            if line.is_blank() {
                continue;
            }
            row += 1;
            let (number, text) = (line.number, line.text());
            let cell = Cells { name: &self.name, header: &self.header, row, line: number };
            let fields = split(&text, self.separator);
            let stamp = cell.get(&fields, time)?;
            let clock = match &mut clock {
                Some(clock) => clock,
                None => {
                    let found = Clock::of(stamp, unit).map_err(|e| cell.fault(time, e))?;
                    if found.is_calendar() && unit.is_some() {
                        self.warnings.push(format!(
                            "{}: times are calendar times; `time_unit` is not used",
                            self.name
                        ));
                    }
                    let found = match &self.zone {
                        Some(zone) => found.at(zone).map_err(|e| cell.fault(time, e))?,
                        None => found,
                    };
                    clock.insert(found)
                }
            };
            let mut t = clock.seconds(stamp).map_err(|e| cell.fault(time, e))?;
            numbers.clear();
            for column in columns {
                let field = cell.get(&fields, *column)?;
                numbers.push(number_in(field).map_err(|e| cell.fault(*column, e))?);
            }
            if seconds.last().is_some_and(|&last| t <= last) {
                t = clock.second_time(stamp).unwrap_or(t);
            }
            match order.judge((clock, stamp, t), &seconds, &values, &numbers) {
                Verdict::Keep(t) => {
                    seconds.push(t);
                    rows.push(number);
                    values.iter_mut().zip(&numbers).for_each(|(column, x)| column.push(*x));
                }
                Verdict::Repeated => {}
                verdict => return Err(cell.fault(time, disorder(&verdict, stamp, &rows))),
            }
        }
        self.warnings.extend(order.warnings(&self.name));
        let Some(clock) = clock else {
            return Err(Diagnostic::new(format!(
                "{}: no row below the header; expected rows of numbers",
                self.name
            ))
            .help("check that the whole table was exported"));
        };
        Ok(Record { seconds, values, clock, warnings: self.warnings })
    }
}

/// What is wrong with a row that comes too late, and what to do.
fn disorder(verdict: &Verdict, stamp: &str, rows: &[u64]) -> (String, String) {
    let stamp = clip(stamp);
    let message = match verdict {
        Verdict::Contradicts(i) => format!(
            "`{stamp}` repeats the time of line {} with other values; expected one row for each time",
            rows.get(*i).copied().unwrap_or_default()
        ),
        _ => format!("`{stamp}` comes before the row above; expected increasing times"),
    };
    let help = "sort the rows by time and keep one of each; where clocks change in autumn an hour repeats unless \
                times carry their zone, as in 2013-10-27T02:30:00+01:00, or `time_zone` names it, as in \
                \"Europe/Berlin\"";
    (message, help.to_owned())
}

/// Where a complaint about a cell comes from.
struct Cells<'a> {
    name: &'a str,
    header: &'a [String],
    row: u64,
    line: u64,
}

impl Cells<'_> {
    fn fault(&self, column: usize, (message, help): (String, String)) -> Diagnostic {
        let Self { name, row, line, .. } = self;
        let column = clip(&self.header[column]);
        Diagnostic::new(format!(
            "{name}, row {row} (line {line} of the file), column `{column}`: {message}"
        ))
        .help(help)
    }

    fn get<'f>(&self, fields: &'f [Cow<'_, str>], column: usize) -> Result<&'f str> {
        fields.get(column).map(|f| f.trim()).ok_or_else(|| {
            let (found, expected) = (fields.len(), self.header.len());
            self.fault(
                column,
                (
                    format!("the row ends after {found} of {expected} columns"),
                    "complete or remove the row; a missing value is an empty field between \
                 separators"
                        .to_owned(),
                ),
            )
        })
    }
}

/// A finite number, or NaN for a missing value.
fn number_in(field: &str) -> Result<f64, (String, String)> {
    if is_missing(field) {
        return Ok(f64::NAN);
    }
    match field.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        Ok(_) => Err((
            format!("`{}` is not finite; expected a number", clip(field)),
            "leave the field empty if the value is missing".to_owned(),
        )),
        Err(_) if field.replace(',', ".").parse::<f64>().is_ok() => Err((
            format!("`{}` is written with a decimal comma; expected a decimal point", clip(field)),
            "export the table with decimal points, or replace the commas".to_owned(),
        )),
        Err(_) => Err((
            format!("`{}` is not a number", clip(field)),
            "correct the value, or leave the field empty (or NA) if it is missing".to_owned(),
        )),
    }
}

fn is_missing(field: &str) -> bool {
    field.is_empty() || ["NA", "N/A", "NaN", "null"].iter().any(|m| field.eq_ignore_ascii_case(m))
}

/// The separator that occurs most in the header.
fn separator_of(header: &str) -> u8 {
    let count = |s: &u8| header.bytes().filter(|b| b == s).count();
    // Ties go to the last: the comma.
    [b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',')
}

/// The fields of a line.
fn split(line: &str, separator: u8) -> Vec<Cow<'_, str>> {
    if !line.contains('"') {
        return line.split(char::from(separator)).map(Cow::Borrowed).collect();
    }
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .has_headers(false)
        .flexible(true)
        .from_reader(line.as_bytes());
    let record = reader.records().next().and_then(|r| r.ok()).unwrap_or_default();
    record.iter().map(|f| Cow::Owned(f.to_owned())).collect()
}

/// A field of a table, cut to what fits into a message and freed of control characters.
fn clip(field: &str) -> String {
    let mut text: String = field.chars().filter(|c| !c.is_control()).take(60).collect();
    if text.len() < field.len() {
        text.push('…');
    }
    text
}

/// The last time, s, of a record (0 if it is empty).
pub fn last(seconds: &[f64]) -> f64 {
    seconds.last().copied().unwrap_or(0.0)
}
