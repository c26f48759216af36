//! Sensors that are stuck: the same value, to the last digit, for a day or more.
//!
//! A coarse sensor repeats itself too. With p the share of neighbours that are equal elsewhere in the record, a run of
//! k equal values among n comes by chance n p^{k−1} times. Where that is below once in a hundred records the run is no
//! measurement and is left out; otherwise it stays, and the reader is told.

use std::ops::Range;

use crate::record::series::Series;
use stickslip::portable;

/// So many equal values in a row, over a day or more, are looked at.
const LEAST: usize = 25;
const DAY: f64 = 86_400.0;
/// Left out if fewer such runs than this are to be expected in a record.
const CHANCE: f64 = 0.01;

/// Runs of equal values of one column.
#[derive(Debug, Clone, PartialEq)]
pub struct Stuck {
    /// `drive` or `response`.
    pub column: &'static str,
    /// Rows of each run.
    pub runs: Vec<Range<usize>>,
    /// Whether they are no measurement.
    pub left_out: bool,
}

impl Stuck {
    /// Of both columns.
    pub fn find(series: &Series) -> [Self; 2] {
        [("drive", series.drive()), ("response", series.response())]
            .map(|(column, values)| Self::of(column, series.time(), values))
    }

    fn of(column: &'static str, time: &[f64], values: &[f64]) -> Self {
        // Runs by the first row of each; the end of the record closes the last one.
        let mut runs = Vec::new();
        let mut from = 0;
        let mut equal = 0.0f64;
        let mut pairs = 0.0f64;
        for i in 1..=values.len() {
            if i < values.len() && values[i] == values[from] {
                continue;
            }
            if i - from >= LEAST && time[i - 1] - time[from] >= DAY {
                runs.push(from..i);
            } else {
                // Only outside the long runs: they are what is asked about, and would make themselves likely.
                equal += (i - from - 1) as f64;
                pairs += (i - from) as f64;
            }
            from = i;
        }
        // Never zero: a record without any equal neighbours shows no more than less than one in so many.
        let share = (equal / pairs.max(1.0)).max(1.0 / (pairs + 1.0));
        let n = values.len() as f64;
        // One run that may have come by chance puts them all in doubt, and then all of them stay.
        let by_chance =
            |run: &Range<usize>| n * portable::pow(share, (run.len() - 1) as f64) > CHANCE;
        let left_out = !runs.is_empty() && !runs.iter().any(by_chance);
        Self { column, runs, left_out }
    }

    /// What the reader should know; `kept` if everything was asked to count.
    pub fn remark(&self, time: &[f64], kept: bool) -> Option<String> {
        let lasts = |r: &Range<usize>| time[r.end - 1] - time[r.start];
        let longest = self.runs.iter().max_by(|a, b| lasts(a).total_cmp(&lasts(b)))?;
        Some(format!(
            "the {} stays exactly the same for a day or more in {} place{}, the longest for {:.1} d from t = {:.2} d{}: \
             check the sensor there",
            self.column,
            self.runs.len(),
            if self.runs.len() == 1 { "" } else { "s" },
            lasts(longest) / DAY,
            (time[longest.start] - time[0]) / DAY,
            if self.left_out && !kept { ", and was left out there" } else { "" }
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stuck_sensor_is_left_out_and_a_coarse_one_is_not() {
        let time: Vec<f64> = (0..4000).map(|i| 3600.0 * f64::from(i)).collect();
        let wave = |i: i32| (std::f64::consts::TAU * f64::from(i) / 24.0).sin();
        let response: Vec<f64> = (0..4000).map(|i| wave(i - 3) + 1e-3 * f64::from(i)).collect();
        let mut drive: Vec<f64> = (0..4000).map(|i| wave(i) + 1e-3 * f64::from(i)).collect();
        drive[100..200].fill(0.5);
        // Coarse and slow: steps that last 40 hours.
        let coarse: Vec<f64> = (0..4000).map(|i| f64::from(i / 40)).collect();
        let found = Stuck::find(&Series::new(&time, &drive, &coarse).unwrap());
        assert!(
            matches!(found[0].runs.as_slice(), [run] if *run == (100..200)) && found[0].left_out
        );
        let said = found[0].remark(&time, false).unwrap();
        assert!(said.contains("drive") && said.contains("4.1 d") && said.contains("left out"));
        assert!(!found[0].remark(&time, true).unwrap().contains("left out"));
        let slow: Vec<f64> = (0..4000).map(|i| f64::from(i / 20 + i % 977 / 976)).collect();
        let found = Stuck::find(&Series::new(&time, &slow, &response).unwrap());
        assert!(!found[0].left_out && found[1].runs.is_empty());
        assert_eq!(found[1].remark(&time, false), None);
    }
}
