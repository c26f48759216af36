//! Evenly sampled records: what filters need.

use crate::error::Error;
use crate::record::series::MIN_SAMPLES;
use crate::statistics::stats::median;

/// A step that differs from a whole number of usual steps by more than this share of one is refused.
const UNEVEN: f64 = 0.05;
/// Longest record after missing rows were put back.
const MOST: f64 = 2e8;

/// Columns on an even grid of times.
#[derive(Debug, Clone, PartialEq)]
pub struct Uniform {
    /// Time of the first sample, s.
    pub start: f64,
    /// Time between samples, s: the mean over the record.
    pub step: f64,
    /// The columns; NaN inside holes longer than what is bridged.
    pub columns: Vec<Vec<f64>>,
    /// Samples that were missing and bridged by a straight line, over all columns.
    pub bridged: usize,
    /// Samples that stay missing, over all columns.
    pub missing: usize,
    /// Place of each row of the record on the grid.
    pub places: Vec<usize>,
}

impl Uniform {
    /// Puts `columns` (name and values, NaN where missing) on a grid. Rows that were left out come
    /// back as missing values; holes of at most `bridge(step)` samples become straight lines.
    pub fn new(
        time: &[f64],
        columns: &[(&'static str, &[f64])],
        bridge: impl Fn(f64) -> usize,
    ) -> Result<Self, Error> {
        check(time, columns)?;
        let usual = median(&mut time.windows(2).map(|w| w[1] - w[0]).collect::<Vec<_>>());
        let start = time[0];
        // One tiny step among large ones would ask for a grid that no memory holds.
        if (time[time.len() - 1] - start) / usual > MOST {
            return Err(Error::Uneven { row: 2, found: time[1] - start, usual });
        }
        // Each step against the usual one, so that a slow clock does not add up to an error.
        let mut places = vec![0usize; time.len()];
        for i in 1..time.len() {
            let found = time[i] - time[i - 1];
            let whole = (found / usual).round();
            // Over a hole of n steps the jitter of a clock adds up as √n.
            if whole < 1.0 || (found - whole * usual).abs() > UNEVEN * usual * whole.sqrt() {
                return Err(Error::Uneven { row: i + 1, found, usual });
            }
            places[i] = places[i - 1] + whole as usize;
        }
        let count = places[places.len() - 1] + 1;
        // The mean over the record, not the usual step, which is rounded as the times in the file are.
        let step = (time[time.len() - 1] - start) / (count - 1) as f64;
        let longest = bridge(step);
        let mut bridged = 0;
        let mut missing = 0;
        let fill = |&(_, values): &(&str, &[f64])| {
            let mut column = vec![f64::NAN; count];
            places.iter().zip(values).for_each(|(&p, &v)| column[p] = v);
            let [b, m] = bridge_holes(&mut column, longest);
            bridged += b;
            missing += m;
            column
        };
        let columns = columns.iter().map(fill).collect();
        Ok(Self { start, step, columns, bridged, missing, places })
    }
}

fn check(time: &[f64], columns: &[(&'static str, &[f64])]) -> Result<(), Error> {
    for &(column, values) in columns {
        if values.len() != time.len() {
            let found = values.len();
            let times = time.len();
            return Err(Error::ColumnLength { column, found, times });
        }
        if let Some(i) = values.iter().position(|v| v.is_infinite()) {
            return Err(Error::NotFinite { row: i + 1, column, found: values[i] });
        }
        let mut present = values.iter().filter(|v| !v.is_nan());
        let count = present.clone().count();
        if count < MIN_SAMPLES {
            return Err(Error::TooFewValues { column, found: count, needed: MIN_SAMPLES });
        }
        let first = *present.next().unwrap_or(&0.0);
        if present.all(|v| *v == first) {
            return Err(Error::Constant { column, value: first });
        }
    }
    for (i, &found) in time.iter().enumerate() {
        if !found.is_finite() {
            return Err(Error::NotFinite { row: i + 1, column: "time", found });
        }
        if i > 0 && found <= time[i - 1] {
            return Err(Error::TimesNotIncreasing { row: i + 1, found, before: time[i - 1] });
        }
    }
    Ok(())
}

/// Straight lines across short holes; returns how many samples were bridged and how many were not.
fn bridge_holes(column: &mut [f64], longest: usize) -> [usize; 2] {
    let mut bridged = 0;
    let mut missing = 0;
    let mut i = 0;
    while i < column.len() {
        if !column[i].is_nan() {
            i += 1;
            continue;
        }
        let end = column[i..].iter().position(|v| !v.is_nan()).map_or(column.len(), |n| i + n);
        // A hole at an end has a value on one side only.
        if i > 0 && end < column.len() && end - i <= longest {
            let from = column[i - 1];
            let to = column[end];
            let span = (end - i + 1) as f64;
            for (n, value) in column[i..end].iter_mut().enumerate() {
                *value = from + (to - from) * (n + 1) as f64 / span;
            }
            bridged += end - i;
        } else {
            missing += end - i;
        }
        i = end;
    }
    [bridged, missing]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_rows_come_back() {
        let mut time: Vec<f64> = (0..300).map(|i| 5.0 + 0.25 * f64::from(i)).collect();
        let mut force: Vec<f64> = time.iter().map(|t| 3.0 * t).collect();
        for _ in 0..3 {
            time.remove(100);
            force.remove(100);
        }
        force[7] = f64::NAN;
        let grid = Uniform::new(&time, &[("force", &force)], |_| 3).unwrap();
        assert_eq!((grid.columns[0].len(), grid.bridged, grid.missing), (300, 4, 0));
        for (i, v) in grid.columns[0].iter().enumerate() {
            assert!((v - 3.0 * (5.0 + 0.25 * i as f64)).abs() < 1e-9);
        }
        let grid = Uniform::new(&time, &[("force", &force)], |_| 2).unwrap();
        assert_eq!((grid.bridged, grid.missing), (1, 3));
    }

    #[test]
    fn uneven_times_are_refused_with_row_and_remedy() {
        let mut time: Vec<f64> = (0..300).map(f64::from).collect();
        let force: Vec<f64> = time.iter().map(|t| t.sin()).collect();
        time[42] += 0.3;
        let error = Uniform::new(&time, &[("force", &force)], |_| 3).unwrap_err();
        assert!(error.to_string().starts_with("row 43: 1.2999"), "{error}");
        assert!(error.remedy().is_some_and(|r| r.contains("resample")));
    }
}
