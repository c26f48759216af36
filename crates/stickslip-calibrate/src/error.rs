//! What can be wrong with a record or with what was asked, as values.

/// Why a record cannot be calibrated. Rows are counted from 1, a header not included.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The columns do not have the same number of rows.
    #[error(
        "the columns differ in length: {time} times, {drive} drive values, {response} responses; \
         expected one of each in every row: mark missing values as NaN instead of leaving rows out"
    )]
    Lengths {
        /// Rows of the time column.
        time: usize,
        /// Rows of the drive column.
        drive: usize,
        /// Rows of the response column.
        response: usize,
    },
    /// A number is infinite, or a time is missing.
    #[error(
        "row {row}: the {column} is {found}; expected a finite number{}: correct the row or remove it",
        if .column == &"time" { " of seconds" } else { ", or NaN where the value is missing" }
    )]
    NotFinite {
        /// The row, from 1.
        row: usize,
        /// `time`, `drive` or `response`.
        column: &'static str,
        /// What was found.
        found: f64,
    },
    /// The times do not increase.
    #[error(
        "row {row}: time {found} s does not come after {before} s; expected increasing times: \
         sort the rows, drop repeated ones, and use UTC if a clock was changed"
    )]
    TimesNotIncreasing {
        /// The row, from 1.
        row: usize,
        /// Its time, s.
        found: f64,
        /// The time of the row before, s.
        before: f64,
    },
    /// Too few rows hold both a drive and a response.
    #[error(
        "{found} rows hold both a drive and a response; expected at least {needed}: use a longer record"
    )]
    TooFewSamples {
        /// Complete rows.
        found: usize,
        /// The smallest number that is accepted.
        needed: usize,
    },
    /// A column never changes.
    #[error(
        "the {column} is {value} in every row; expected one that varies: check that the right column is read \
         and that the sensor works"
    )]
    Constant {
        /// `drive` or `response`.
        column: &'static str,
        /// Its value.
        value: f64,
    },
    /// A number that was passed along with the record is outside its range.
    #[error("{what} is {found}; expected {expected}")]
    OutOfRange {
        /// The quantity.
        what: &'static str,
        /// What was found.
        found: f64,
        /// The range, with its unit.
        expected: &'static str,
    },
}
