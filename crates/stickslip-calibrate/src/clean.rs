//! The record without what is no measurement: codes for "no value", sensors that are stuck, spikes.

use crate::delay::{Kind, delayed};
use crate::error::Error;
use crate::lag::{Lag, Shift};
use crate::options::Options;
use crate::outliers::both;
use crate::sampling::matched;
use crate::sentinels::{self, Sentinel};
use crate::series::Series;
use crate::stuck::Stuck;

/// What is left of a record, and what was left out.
pub struct Clean {
    /// The drive, NaN where it was left out.
    pub drive: Vec<f64>,
    /// The response, NaN where it was left out.
    pub response: Vec<f64>,
    /// Rows of spikes.
    pub left_out: Vec<usize>,
    /// Codes that were found and left out.
    pub sentinels: Vec<Sentinel>,
    /// Responses that were interpolated.
    pub interpolated: usize,
}

impl Clean {
    /// Cleans a record as the options say.
    pub fn of(series: &Series, options: &Options) -> Result<Self, Error> {
        let (response, interpolated) = match options.tolerance {
            Some(tolerance) => matched(series, tolerance)?,
            None => (series.response().to_vec(), 0),
        };
        let drive = series.drive().to_vec();
        let (left_out, sentinels) = (Vec::new(), Vec::new());
        let mut clean = Self { drive, response, left_out, sentinels, interpolated };
        let Some(threshold) = options.outliers else { return Ok(clean) };
        clean.sentinels = sentinels::find(series);
        for code in &clean.sentinels {
            let column =
                if code.column == "drive" { &mut clean.drive } else { &mut clean.response };
            column.iter_mut().filter(|v| **v == code.value).for_each(|v| *v = f64::NAN);
        }
        let time = series.time();
        let [drive, response] = Stuck::find(&clean.series(time)?);
        for (stuck, values) in [(drive, &mut clean.drive), (response, &mut clean.response)] {
            if stuck.left_out {
                stuck.runs.into_iter().flatten().for_each(|row| values[row] = f64::NAN);
            }
        }
        let rows = both(&clean.series(time)?, threshold);
        for row in rows.0 {
            clean.drive[row] = f64::NAN;
            clean.left_out.push(row);
        }
        for row in rows.1 {
            clean.response[row] = f64::NAN;
            clean.left_out.push(row);
        }
        Ok(clean)
    }

    /// What is left.
    pub fn series<'a>(&'a self, time: &'a [f64]) -> Result<Series<'a>, Error> {
        Series::new(time, &self.drive, &self.response)
    }

    /// The drive behind the lag and the shift that are given.
    pub fn given(&self, time: &[f64], max_gap: f64, options: &Options) -> Result<Vec<f64>, Error> {
        let mut drive = self.drive.clone();
        if let Shift::Fixed(seconds) = options.shift {
            drive = delayed(&self.series(time)?, max_gap, Kind::Shift, seconds);
        }
        if let Lag::Fixed(seconds) = options.lag {
            let series = Series::new(time, &drive, &self.response)?;
            drive = delayed(&series, max_gap, Kind::Lag, seconds);
        }
        Ok(drive)
    }
}
