//! How a table of measurements is named and described, wherever a file takes one.

use crate::diagnostic::{Diagnostic, Result};
use crate::node::{Node, Value};
use crate::place::Placed;
use crate::reader::Table;
use crate::table::{DateOrder, Decimal, Manner, Missing, Style};
use crate::units::TIMES;
use jiff::tz::TimeZone;

/// The keys that say how a table is written.
pub const KEYS: [&str; 7] =
    ["time", "time_unit", "time_zone", "time_format", "decimal", "missing", "sort"];

/// [`KEYS`] and others.
pub fn keys_with<'a>(others: &[&'a str]) -> Vec<&'a str> {
    KEYS.into_iter().chain(others.iter().copied()).collect()
}

/// The column of times; or two of them, of dates and of times of day.
pub fn time(t: &Table<'_>) -> Result<Vec<Placed<String>>> {
    let expected = "the name of the column of times";
    let columns = t.texts("time", expected)?;
    match columns.as_slice() {
        [_] | [_, _] => Ok(columns),
        [] => Err(t.missing("time", expected)),
        [.., extra] => {
            let message = format!("`{}` names {} columns", t.path_of("time"), columns.len());
            Err(Diagnostic::at(&extra.place, message)
                .help("name one column of times, or a column of dates and one of times of day"))
        }
    }
}

/// How the table is written.
pub fn manner(t: &Table<'_>) -> Result<Manner> {
    let unit = t.choice("time_unit", "unit of time", &TIMES)?;
    let format = t.text_opt("time_format", "how times are written, such as \"%d.%m.%Y %H:%M\"")?;
    let time = match (unit, format) {
        (Some(unit), None) => Some(Style::Number(unit.value)),
        (None, format) => format.map(|f| style(&f)).transpose()?,
        (Some(_), Some(format)) => {
            let message = "both `time_unit` and `time_format` are given; expected one of them";
            return Err(Diagnostic::at(&format.place, message)
                .help("`time_unit` is for times that are numbers, `time_format` for dates"));
        }
    };
    let decimals = [(".", Decimal::Point), (",", Decimal::Comma)];
    let decimal = t.choice("decimal", "decimal mark", &decimals)?.map(|d| d.value);
    let zone = t.text_opt("time_zone", "the name of a time zone")?;
    Ok(Manner {
        decimal,
        missing: missing(t)?,
        time,
        zone: zone.map(|z| time_zone(&z)).transpose()?,
        sort: t.flag_or("sort", false)?,
    })
}

/// `"%d.%m.%Y %H:%M"`, `"day-first"`.
fn style(format: &Placed<String>) -> Result<Style> {
    match format.value.as_str() {
        "day-first" => Ok(Style::Date(DateOrder::Day)),
        "month-first" => Ok(Style::Date(DateOrder::Month)),
        "year-first" => Ok(Style::Date(DateOrder::Year)),
        directives if directives.contains('%') => Ok(Style::Format(directives.to_owned())),
        other => Err(Diagnostic::at(
            &format.place,
            format!("`{other}` says nothing about how times are written"),
        )
        .help(
            "write \"day-first\", \"month-first\", or a format such as \"%d.%m.%Y %H:%M:%S\": %Y year, \
             %y year of two digits, %m month, %b name of the month, %d day, %H hour, %I hour to 12 \
             with %p AM or PM, %M minute, %S second, %f fraction",
        )),
    }
}

/// `missing = [-999, "n/a"]`, or one of them.
fn missing(t: &Table<'_>) -> Result<Vec<Missing>> {
    let one = |node: &Node| match &node.value {
        Value::Number { number, .. } => Ok(Missing::Number(*number)),
        Value::Text(word) => Ok(Missing::Word(word.clone())),
        other => Err(Diagnostic::at(
            &node.place,
            format!(
                "`{}` holds {}; expected numbers and texts",
                t.path_of("missing"),
                other.describe()
            ),
        )
        .help("write what stands for a missing value, as in missing = [-999, \"n/a\"]")),
    };
    t.items("missing").into_iter().map(one).collect()
}

/// `Europe/Berlin`.
fn time_zone(name: &Placed<String>) -> Result<TimeZone> {
    TimeZone::get(name.value.trim()).map_err(|_| {
        Diagnostic::at(&name.place, format!("`{}` is not a known time zone", name.value))
            .help("write a name as \"Europe/Berlin\", \"America/New_York\" or \"UTC\"")
    })
}
