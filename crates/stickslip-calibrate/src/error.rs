//! What can be wrong with a record or with what was asked, as values.

/// Why a record cannot be calibrated. Rows are counted from 1, a header not included.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The columns do not have the same number of rows.
    #[error(
        "the columns differ in length: {time} times, {drive} drive values, {response} responses; \
         expected one of each in every row"
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
        "row {row}: the {column} is {found}; expected a finite number{}",
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
    #[error("row {row}: time {found} s does not come after {before} s; expected increasing times")]
    TimesNotIncreasing {
        /// The row, from 1.
        row: usize,
        /// Its time, s.
        found: f64,
        /// The time of the row before, s.
        before: f64,
    },
    /// Too few rows hold both a drive and a response.
    #[error("{found} rows hold both a drive and a response; expected at least {needed}")]
    TooFewSamples {
        /// Complete rows.
        found: usize,
        /// The smallest number that is accepted.
        needed: usize,
    },
    /// A column never changes.
    #[error("the {column} is {value} in every row; expected one that varies")]
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
         every row"
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
    #[error("the {column} has {found} values; expected at least {needed}")]
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
         spaced times (rows may be missing)"
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
         its derivatives are needed"
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
         {needed} samples in a slip"
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
         more"
    )]
    TooShort {
        /// Length of the record, s.
        length: f64,
        /// π√(m/k), s.
        slip: f64,
    },
    /// The record cannot tell two terms of the model apart.
    #[error("{what}; expected {expected}")]
    Undetermined {
        /// What cannot be told apart.
        what: &'static str,
        /// What the record must show.
        expected: &'static str,
    },
    /// Two things that were asked for exclude each other.
    #[error("{what} and {with} were asked for together; expected one of the two")]
    Together {
        /// The one.
        what: &'static str,
        /// The other.
        with: &'static str,
    },
    /// The longest gap that is bridged is shorter than the time between rows: every row would stand alone.
    #[error(
        "the longest gap that is bridged is {max_gap} s, and the usual time between rows is {step} s; expected a \
         longer gap than that, for otherwise every row starts anew with a state of its own"
    )]
    GapBelowStep {
        /// What was asked for, s.
        max_gap: f64,
        /// The usual time between rows that hold a drive, s.
        step: f64,
    },
    /// A model cannot be fitted to a record, and why.
    #[error("{0}")]
    Unfit(String),
    /// Whoever watches asked the work to stop.
    #[error("the calibration was stopped before it was done")]
    Interrupted,
    /// The core of the library refused a problem that was made from the record.
    #[error("{0}")]
    Core(#[from] stickslip::Error),
}

/// Whose fault an error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The record or an option is wrong: correct it and try again.
    Input,
    /// Everything was understood, but the record cannot answer the question.
    Unsolvable,
}

impl Error {
    /// Whose fault it is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Lengths { .. }
            | Self::NotFinite { .. }
            | Self::TimesNotIncreasing { .. }
            | Self::Constant { .. }
            | Self::OutOfRange { .. }
            | Self::ColumnLength { .. }
            | Self::Uneven { .. }
            | Self::Together { .. }
            | Self::GapBelowStep { .. } => Kind::Input,
            Self::TooFewSamples { .. }
            | Self::TooFewValues { .. }
            | Self::Hole { .. }
            | Self::TooCoarse { .. }
            | Self::TooShort { .. }
            | Self::Undetermined { .. }
            | Self::Unfit(_)
            | Self::Interrupted
            | Self::Core(_) => Kind::Unsolvable,
        }
    }

    /// What to do about it, if there is something to do: a sentence without its full stop.
    pub fn remedy(&self) -> Option<String> {
        let said = match self {
            Self::Lengths { .. } | Self::ColumnLength { .. } => {
                "mark missing values as NaN instead of leaving rows out"
            }
            Self::NotFinite { .. } => "correct the row or remove it",
            Self::TimesNotIncreasing { .. } => {
                "sort the rows, drop repeated ones, and use UTC if a clock was changed"
            }
            Self::TooFewSamples { .. } | Self::TooFewValues { .. } => "use a longer record",
            Self::Constant { .. } => {
                "check that the right column is read and that the sensor works"
            }
            Self::Uneven { .. } => "resample the record on an even grid first",
            Self::Hole { .. } => "choose a part of the record without holes by its start and end",
            Self::TooCoarse { .. } => {
                "sample faster, and check the mass (kg) and the stiffness (N/m)"
            }
            Self::TooShort { .. } => {
                "check the mass (kg), the stiffness (N/m) and the unit of time"
            }
            Self::Undetermined { .. } => "record trapezoids or a sweep",
            Self::GapBelowStep { step, .. } => {
                return Some(format!(
                    "allow gaps of at least {} s, or leave the setting out",
                    (10.0 * step).ceil()
                ));
            }
            Self::Unfit(_) => {
                "check the units of the columns, the ranges of the unknowns, and that the model is of what was measured"
            }
            Self::OutOfRange { .. } | Self::Together { .. } | Self::Interrupted | Self::Core(_) => {
                return None;
            }
        };
        Some(said.to_owned())
    }
}
