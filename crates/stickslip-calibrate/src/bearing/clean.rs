//! The record without what is no measurement: codes for "no value", sensors that are stuck, spikes.

use std::borrow::Cow;

use crate::bearing::delay::{DelayKind, delayed, trial};
use crate::bearing::options::Options;
use crate::bearing::outliers::both;
use crate::bearing::search::global::QUICK;
use crate::error::Error;
use crate::parallel;
use crate::record::filling::{Filling, filling};
use crate::record::lag::{Lag, Shift};
use crate::record::logger::{carried, fresh, held_readings};
use crate::record::sampling::matched;
use crate::record::sentinels::{self, Sentinel};
use crate::record::series::{MIN_SAMPLES, Series};
use crate::record::stuck::Stuck;

/// D that a value of the drive must bring to be kept, though it stands out.
const FELT: f64 = 10.0;

/// What is left of a record, and what was left out.
pub struct Clean<'a> {
    /// The drive, NaN where it was left out; the record's own where nothing was.
    pub drive: Cow<'a, [f64]>,
    /// The response likewise.
    pub response: Cow<'a, [f64]>,
    /// Rows of spikes.
    pub left_out: Vec<usize>,
    /// Rows of the drive that stand out, with their values: weather can do that, too.
    pub doubtful: Vec<(usize, f64)>,
    /// Codes that were found and left out.
    pub sentinels: Vec<Sentinel>,
    /// Responses that were interpolated.
    pub interpolated: usize,
    /// Responses that stand out like spikes, where they are too many to be left out.
    pub too_many: usize,
    /// Responses that repeat the one before where a reading was missing.
    pub carried: usize,
    /// Responses on straight lines between readings.
    pub filled: usize,
    /// Whether hardly any row is a reading, so that the lines cannot be left out.
    pub lines: bool,
}

impl<'a> Clean<'a> {
    /// Cleans a record as the options say.
    pub fn of(series: &Series<'a>, options: &Options) -> Result<Self, Error> {
        let mut drive: Cow<'a, [f64]> = series.drive().into();
        let mut response: Cow<'a, [f64]> = series.response().into();
        // Codes go before anything is interpolated: between a reading and a code lies no reading.
        let sentinels = match options.outliers {
            Some(_) => sentinels::find(series),
            // Without a threshold everything counts, codes included.
            None => Vec::new(),
        };
        for code in &sentinels {
            let column = if code.column == "drive" { &mut drive } else { &mut response };
            column.to_mut().iter_mut().filter(|v| **v == code.value).for_each(|v| *v = f64::NAN);
        }
        let mut interpolated = 0;
        if let Some(tolerance) = options.tolerance {
            let (filled, count) =
                matched(&Series::apart(series.time(), &drive, &response)?, tolerance)?;
            response = filled.into();
            interpolated = count;
        }
        let mut clean = Self {
            drive,
            response,
            left_out: Vec::new(),
            doubtful: Vec::new(),
            sentinels,
            interpolated,
            too_many: 0,
            carried: 0,
            filled: 0,
            lines: false,
        };
        let Some(threshold) = options.outliers else { return Ok(clean) };
        // Where the response is measured at times of its own, the lines are ours.
        if options.tolerance.is_none() {
            clean.without_lines(series.time());
        }
        // Of the response only: a temperature hardly has noise, and may rest by itself.
        // Lines between readings may be level, and what was left out of them explains all values that repeat.
        let again = if clean.filled > 0 {
            Vec::new()
        } else if held_readings(&clean.response).is_some() {
            fresh(&clean.response).into_iter().map(|fresh| !fresh).collect()
        } else {
            carried(&clean.response)
        };
        for row in (0..again.len()).filter(|i| again[*i]) {
            clean.response.to_mut()[row] = f64::NAN;
            clean.carried += 1;
        }
        let time = series.time();
        let [drive, response] = Stuck::find(&clean.series(time)?);
        for (stuck, values) in [(drive, &mut clean.drive), (response, &mut clean.response)] {
            if stuck.left_out {
                stuck.runs.into_iter().flatten().for_each(|row| values.to_mut()[row] = f64::NAN);
            }
        }
        // Spikes come last: values that stand still would lower the scatter that a spike stands out from.
        let [drive, response] = both(&clean.series(time)?, threshold);
        clean.too_many = response.too_many;
        for row in drive.rows {
            // The value is kept: `reconsidered` may put it back.
            clean.doubtful.push((row, clean.drive[row]));
            clean.drive.to_mut()[row] = f64::NAN;
            clean.left_out.push(row);
        }
        for row in response.rows {
            clean.response.to_mut()[row] = f64::NAN;
            clean.left_out.push(row);
        }
        Ok(clean)
    }

    /// Leaves out the responses that were filled in between readings.
    fn without_lines(&mut self, time: &[f64]) {
        match filling(time, &self.drive, &self.response) {
            Filling::None => {}
            Filling::Between => self.lines = true,
            Filling::Rows(rows) => {
                let known = self.response.iter().zip(&*self.drive);
                let known = known.filter(|(z, t)| z.is_finite() && t.is_finite()).count();
                self.lines = known < rows.len() + MIN_SAMPLES;
                if !self.lines {
                    self.filled = rows.len();
                    rows.into_iter().for_each(|row| self.response.to_mut()[row] = f64::NAN);
                }
            }
        }
    }

    /// What is left.
    pub fn series<'b>(&'b self, time: &'b [f64]) -> Result<Series<'b>, Error> {
        Series::new(time, &self.drive, &self.response)
    }

    /// Puts what stands out of the drive back if the response has felt it: if the best path with it leaves less than
    /// the best path without it.
    pub fn reconsidered(&mut self, time: &[f64], options: &Options) -> Result<(), Error> {
        if self.doubtful.is_empty() {
            return Ok(());
        }
        let record = self.series(time)?;
        let mut whole = self.drive.to_vec();
        self.doubtful.iter().for_each(|&(row, value)| whole[row] = value);
        // A short search is enough to tell whether the response follows what stands out.
        let tried = parallel::map(vec![&*self.drive, &*whole], |drive| {
            trial(&record, options, drive, &[], QUICK)
        });
        if let [Ok(without), Ok(with)] = tried.as_slice()
            && with.deviance(without) > FELT
        {
            // They are part of the record again, and no longer to be reported.
            self.drive = whole.into();
            let doubtful = std::mem::take(&mut self.doubtful);
            self.left_out.retain(|row| !doubtful.iter().any(|d| d.0 == *row));
        }
        Ok(())
    }

    /// The drive behind the lag and the shift that are given, if there is one of them.
    pub fn given(
        &self,
        time: &[f64],
        max_gap: f64,
        options: &Options,
    ) -> Result<Option<Vec<f64>>, Error> {
        let mut drive = None;
        // The clock is put right first; the deck lags behind the temperature at the right time.
        if let Shift::Fixed(seconds) = options.shift {
            drive = Some(delayed(&self.series(time)?, max_gap, DelayKind::Shift, seconds));
        }
        if let Lag::Fixed(seconds) = options.lag {
            let series =
                Series::new(time, drive.as_deref().unwrap_or(&self.drive), &self.response)?;
            drive = Some(delayed(&series, max_gap, DelayKind::Lag, seconds));
        }
        Ok(drive)
    }
}
