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
    /// A column of an evenly sampled record has its own length.
    #[error(
        "the column of the {column} has {found} rows and that of the time {times}; expected one value in \
         every row: mark missing values as NaN instead of leaving rows out"
    )]
    ColumnLength {
        /// The column.
        column: &'static str,
        /// Its rows.
        found: usize,
        /// Rows of the time column.
        times: usize,
    },
    /// A column holds too few values.
    #[error("the {column} has {found} values; expected at least {needed}: use a longer record")]
    TooFewValues {
        /// The column.
        column: &'static str,
        /// Values that are there.
        found: usize,
        /// The smallest number that is accepted.
        needed: usize,
    },
    /// The times are not evenly spaced.
    #[error(
        "row {row}: {found} s after the row before, where the usual step is {usual} s; expected evenly \
         spaced times (rows may be missing): resample the record on an even grid first"
    )]
    Uneven {
        /// The row, from 1.
        row: usize,
        /// The step before it, s.
        found: f64,
        /// The usual step, s.
        usual: f64,
    },
    /// A hole that cannot be bridged.
    #[error(
        "row {row}: the {column} is missing for {samples} samples; expected holes of at most {most}, for \
         its derivatives are needed: choose a part of the record without holes by its start and end"
    )]
    Hole {
        /// The row after which the hole begins, from 1.
        row: usize,
        /// The column.
        column: &'static str,
        /// Its length.
        samples: usize,
        /// The longest that is bridged.
        most: usize,
    },
    /// The sampling is too slow for what is to be seen.
    #[error(
        "the time between samples is {step} s and a slip lasts π√(m/k) = {slip} s; expected at least \
         {needed} samples in a slip: sample faster, and check the mass (kg) and the stiffness (N/m)"
    )]
    TooCoarse {
        /// Time between samples, s.
        step: f64,
        /// π√(m/k), s.
        slip: f64,
        /// Samples in a slip.
        needed: usize,
    },
    /// The record is shorter than what one slip needs.
    #[error(
        "the record lasts {length} s and a slip π√(m/k) = {slip} s; expected a record of ten slips or \
         more: check the mass (kg), the stiffness (N/m) and the unit of time"
    )]
    TooShort {
        /// Length of the record, s.
        length: f64,
        /// π√(m/k), s.
        slip: f64,
    },
    /// The record cannot tell two terms of the model apart.
    #[error("{what}: expected {expected}")]
    Undetermined {
        /// What cannot be told apart.
        what: &'static str,
        /// What the record must show, and what to do.
        expected: &'static str,
    },
}
