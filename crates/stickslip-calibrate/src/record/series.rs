//! A measured record: time, drive and response, with missing values and gaps.

use crate::error::Error;
use crate::parallel;
use crate::statistics::stats::median_of_many;
use std::ops::Range;

/// Fewer complete rows than this are refused.
pub const MIN_SAMPLES: usize = 100;

/// A checked record. NaN marks a missing drive or response.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Series<'a> {
    time: &'a [f64],
    drive: &'a [f64],
    response: &'a [f64],
}

impl<'a> Series<'a> {
    /// `time` in s, increasing; `drive` (a temperature, °C); `response` (a displacement, m).
    ///
    /// # Errors
    /// If the columns differ in length, a time or value is infinite, the times do not increase, fewer than
    /// [`MIN_SAMPLES`] rows hold both values, or a column never changes.
    pub fn new(time: &'a [f64], drive: &'a [f64], response: &'a [f64]) -> Result<Self, Error> {
        let series = Self::checked(time, drive, response)?;
        series.enough()?;
        Ok(series)
    }

    /// Lengths, times and finite values.
    fn checked(time: &'a [f64], drive: &'a [f64], response: &'a [f64]) -> Result<Self, Error> {
        let lengths = (time.len(), drive.len(), response.len());
        if lengths.0 != lengths.1 || lengths.0 != lengths.2 {
            let (time, drive, response) = lengths;
            return Err(Error::Lengths { time, drive, response });
        }
        let comes_after = |i: usize| i == 0 || time[i] > time[i - 1];
        // The row is named as its reader counts it, from one.
        if let Some(i) = first(time.len(), |i| !time[i].is_finite() || !comes_after(i)) {
            let row = i + 1;
            let found = time[i];
            return Err(if found.is_finite() {
                Error::TimesNotIncreasing { row, found, before: time[i - 1] }
            } else {
                Error::NotFinite { row, column: "time", found }
            });
        }
        for (column, values) in [("drive", drive), ("response", response)] {
            if let Some(i) = first(values.len(), |i| values[i].is_infinite()) {
                return Err(Error::NotFinite { row: i + 1, column, found: values[i] });
            }
        }
        Ok(Self { time, drive, response })
    }

    /// Enough rows hold both values, and both columns vary.
    fn enough(&self) -> Result<(), Error> {
        let drive = self.drive;
        let response = self.response;
        let both = |i: &usize| !(drive[*i].is_nan() || response[*i].is_nan());
        let count = |rows: Range<usize>| Some(rows.filter(both).count());
        // The cores count pieces; a sum of whole numbers does not depend on their order.
        let complete = parallel::in_pieces(drive.len(), PIECE, count).into_iter().flatten().sum();
        if complete < MIN_SAMPLES {
            return Err(Error::TooFewSamples { found: complete, needed: MIN_SAMPLES });
        }
        // Only over rows that count: a column may vary where the other one is missing.
        for (column, values) in [("drive", self.drive), ("response", self.response)] {
            let mut complete = self.complete().map(|i| values[i]);
            let first = complete.next().unwrap_or_default();
            if complete.all(|v| v == first) {
                return Err(Error::Constant { column, value: first });
            }
        }
        Ok(())
    }

    /// As [`new`](Self::new), for a response that was measured at other times than the drive: rows may hold one of
    /// the two each. For [`Options::tolerance`](crate::Options::tolerance).
    ///
    /// # Errors
    /// As `new`, but for the number of rows that hold both: each column alone must hold enough.
    pub fn apart(time: &'a [f64], drive: &'a [f64], response: &'a [f64]) -> Result<Self, Error> {
        let series = Self::checked(time, drive, response)?;
        // Each row may hold one of the two: rows with both come from `matched`.
        for (column, values) in [("drive", drive), ("response", response)] {
            let found = values.iter().filter(|v| !v.is_nan()).count();
            if found < MIN_SAMPLES {
                return Err(Error::TooFewValues { column, found, needed: MIN_SAMPLES });
            }
        }
        Ok(series)
    }

    /// Times, s.
    pub fn time(&self) -> &'a [f64] {
        self.time
    }

    /// The drive, NaN where missing.
    pub fn drive(&self) -> &'a [f64] {
        self.drive
    }

    /// The response, m, NaN where missing.
    pub fn response(&self) -> &'a [f64] {
        self.response
    }

    /// Indices of the rows that hold both values.
    pub fn complete(&self) -> impl Iterator<Item = usize> + 'a {
        let drive = self.drive;
        let response = self.response;
        (0..drive.len()).filter(move |&i| !(drive[i].is_nan() || response[i].is_nan()))
    }

    /// The usual time between rows that hold a drive, s: the median.
    pub fn usual_step(&self) -> f64 {
        // From a known drive to the next, whatever rows stand between them for the response alone.
        let known = || (0..self.time.len()).filter(|&i| !self.drive[i].is_nan());
        median_of_many(known().zip(known().skip(1)).map(|(a, b)| self.time[b] - self.time[a]))
    }
}

/// Rows that one core looks at; a shorter record is not worth a second one.
const PIECE: usize = 1 << 18;

/// The first of `rows` rows that is `wrong`.
fn first(rows: usize, wrong: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    // The pieces come in order, so that the first hit is the first wrong row of all, on any number of cores.
    parallel::in_pieces(rows, PIECE, |mut rows| rows.find(|i| wrong(*i)))
        .into_iter()
        .flatten()
        .next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp() -> Vec<f64> {
        (0..200).map(f64::from).collect()
    }

    #[test]
    fn each_fault_names_its_row_and_a_remedy() {
        let t = ramp();
        let d = ramp();
        let refused =
            |t: &[f64], d: &[f64], z: &[f64]| Series::new(t, d, z).unwrap_err().to_string();
        let mut back = t.clone();
        back[7] = 3.0;
        assert!(refused(&back, &d, &d).starts_with("row 8: time 3 s does not come after 6 s"));
        let mut hole = t.clone();
        hole[7] = f64::NAN;
        assert!(refused(&hole, &d, &d).starts_with("row 8: the time is NaN"));
        let mut infinite = d.clone();
        infinite[9] = f64::INFINITY;
        assert!(refused(&t, &infinite, &d).starts_with("row 10: the drive is inf"));
        assert!(refused(&t, &d, &infinite).starts_with("row 10: the response is inf"));
        assert!(refused(&t[..99], &d[..99], &d[..99]).starts_with("99 rows hold both"));
        assert!(refused(&t, &d[..9], &d).starts_with("the columns differ in length"));
        assert!(refused(&t, &[4.0; 200], &d).starts_with("the drive is 4 in every row"));
        assert!(refused(&t, &d, &[4.0; 200]).starts_with("the response is 4 in every row"));
        assert!(refused(&[], &[], &[]).starts_with("0 rows hold both"));
        assert!(refused(&t, &d, &[f64::NAN; 200]).starts_with("0 rows hold both"));
    }
}
