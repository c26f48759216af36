//! Measured series: columns of a table, with every complaint naming file, row and column.

mod builder;
mod calendar;
mod cells;
mod decode;
mod dialect;
mod each;
mod numbers;
mod order;
#[cfg(feature = "parquet")]
mod parquet;
mod peek;
mod rows;
mod sort;
mod texts;
mod time;

pub use calendar::Order as DateOrder;
pub(crate) use decode::beginning;
pub use each::By;
pub use numbers::{Decimal, Missing};
#[cfg(feature = "parquet")]
pub(crate) use parquet::peek as peek_parquet;
pub(crate) use peek::{Peek, peek};
pub(crate) use rows::column;
pub use texts::texts;
pub use time::{Clock, Style};

use crate::diagnostic::Result;
#[cfg(not(feature = "parquet"))]
use crate::diagnostic::{Diagnostic, Remedy};
use crate::place::{Place, Placed};
use crate::resources::Resources;
use crate::stated::Says;
use jiff::tz::TimeZone;
use std::borrow::Cow;

/// A message and its remedy.
pub(crate) type Complaint = (String, String);

/// Which columns are wanted, given the names of all of them.
pub type Choose<'a> = dyn FnMut(&[String]) -> Result<Vec<usize>> + 'a;

/// Takes the wanted fields of a row; an empty text where a value is missing.
pub type See<'a> = dyn FnMut(&[String]) -> Result<()> + 'a;

/// The columns that are read from a table.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Where the table is named.
    pub place: Place,
    /// The column of times; or two of them, of dates and of times of day. None where rows are not in time: they are counted.
    pub time: Vec<Placed<String>>,
    /// The columns of numbers.
    pub columns: Vec<Placed<String>>,
    /// What is said of the units of the first of them, against which those that the table states are checked.
    pub says: Vec<Option<Says>>,
}

/// How a table is written, as far as its reader is told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Manner {
    /// How fractions are set off.
    pub decimal: Option<Decimal>,
    /// What stands for a missing value, beside the usual words.
    pub missing: Vec<Missing>,
    /// How times are written: numbers in a unit, a format, an order of day and month.
    pub time: Option<Style>,
    /// The zone of times without one.
    pub zone: Option<TimeZone>,
    /// Whether rows are put in order of time.
    pub sort: bool,
}

/// Columns that have been read.
#[derive(Debug, Clone)]
pub struct Record {
    /// Times in s, increasing, counted from the first row.
    pub seconds: Vec<f64>,
    /// One list for each column that was asked for; NaN where a value is missing.
    pub values: Vec<Vec<f64>>,
    /// What a row of units below the header says of each column.
    pub units: Vec<Option<String>>,
    /// How times of this table are turned into seconds.
    pub clock: Clock,
    /// What users should know of the values.
    pub warnings: Vec<String>,
    /// How the file is written, where that is worth a footnote. It says nothing of the values and changes no verdict.
    pub notices: Vec<String>,
}

/// Reads the columns `wanted` of the table `name`.
///
/// # Errors
/// Where the file cannot be read, is no table, lacks a column, or holds a row that makes no sense: the
/// message names the row and the column.
pub fn read(
    resources: &dyn Resources,
    name: &str,
    wanted: &Wanted,
    manner: &Manner,
) -> Result<Record> {
    if is_parquet(name) {
        #[cfg(feature = "parquet")]
        return parquet::read(resources, name, wanted, manner);
        #[cfg(not(feature = "parquet"))]
        return Err(without_parquet(name, &wanted.place));
    }
    rows::read(resources, name, wanted, manner)
}

/// Reads several series from the table `name`, which a column of names tells apart: one record for each of the
/// names, in their order, and nothing for one of which the table has no row. An error in one of them takes its place in the
/// list and does not stop the others.
///
/// # Errors
/// Where the file cannot be read, is no table, or lacks a column.
pub fn read_each(
    resources: &dyn Resources,
    name: &str,
    wanted: &Wanted,
    manner: &Manner,
    by: &By,
) -> Result<Vec<Result<Option<Record>>>> {
    if is_parquet(name) {
        #[cfg(feature = "parquet")]
        return parquet::read_each(resources, name, wanted, manner, by);
        #[cfg(not(feature = "parquet"))]
        return Err(without_parquet(name, &wanted.place));
    }
    rows::read_each(resources, name, wanted, manner, by)
}

/// Whether a file is read as Parquet.
fn is_parquet(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".parquet")
}

#[cfg(not(feature = "parquet"))]
fn without_parquet(name: &str, place: &Place) -> Diagnostic {
    let message = format!("{name}: Parquet cannot be read by this program; expected CSV");
    Diagnostic::at(place, message)
        .help("export the table as CSV with a header row")
        .with_remedy(Remedy::Parquet)
}

fn ambiguous_date(stamp: &str) -> Complaint {
    (
        format!(
            "`{}` may begin with the day or with the month, and no other row tells which",
            clip(stamp)
        ),
        "write `time_format = \"day-first\"` or `time_format = \"month-first\"`".to_owned(),
    )
}

/// As text: UTF-8, or else Latin-1, in which every byte is a character (a `°` in a header must not
/// spoil its neighbours).
fn text_of(field: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(field) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(field.iter().map(|&b| char::from(b)).collect()),
    }
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
