//! Codes for "no value" among the values: −999, 9999 and their like.
//!
//! A code repeats exactly and lies far outside. With q₀.₀₂ and q₉₈ the quantiles of a column and w the distance between
//! them, the values beyond q ∓ 3w are looked at: one that occurs at least three times, and makes up more than half of
//! what lies out there on its side together with others like it, is no measurement. Should more than 2 % of the rows hold codes,
//! the quantiles are taken again from what is left, until nothing new is found.

use crate::parallel;
use crate::record::series::Series;
use crate::statistics::stats::nth;
use serde::Serialize;

/// So many widths outside.
const FAR: f64 = 3.0;
/// So often, exactly.
const REPEATS: usize = 3;
/// The share of the rows on either side that the width leaves out, at first and at most.
const TAILS: [f64; 3] = [0.02, 0.1, 0.25];

/// A code that was found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sentinel {
    /// `drive` or `response`.
    pub column: &'static str,
    /// The value.
    pub value: f64,
    /// Rows that hold it.
    pub count: usize,
}

/// The codes of both columns.
pub fn find(series: &Series) -> Vec<Sentinel> {
    let columns = vec![("drive", series.drive()), ("response", series.response())];
    parallel::map(columns, |(name, values)| of(name, values)).concat()
}

/// The codes of a column.
pub fn of(column: &'static str, values: &[f64]) -> Vec<Sentinel> {
    let present: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    let mut scratch = present.clone();
    for tail in TAILS {
        let [low, high] = [tail, 1.0 - tail].map(|p| nth(&mut scratch, p));
        // Fewer rows lie between narrower quantiles: scaled as for values that are equally likely, the widths
        // of the three looks compare.
        let width = (high - low) * 0.5 / (0.5 - tail);
        // So many values are the same that this look has no width; the next one leaves out other tails.
        if width.is_nan() || width <= 0.0 {
            continue;
        }
        let mut far: Vec<f64> = present
            .iter()
            .copied()
            .filter(|v| *v < low - FAR * width || *v > high + FAR * width)
            .collect();
        far.sort_unstable_by(f64::total_cmp);
        // A code repeats to the last bit; readings this far out do not.
        let runs = far.chunk_by(|a, b| a == b).filter(|run| run.len() >= REPEATS);
        let found: Vec<Sentinel> =
            runs.map(|run| Sentinel { column, value: run[0], count: run.len() }).collect();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_and_measurements_are_not() {
        let wave = |i: usize| 12.0 + 9.0 * (0.01 * i as f64).sin() + 3.0 * (0.26 * i as f64).sin();
        let mut values: Vec<f64> = (0..5000).map(wave).collect();
        assert!(of("drive", &values).is_empty());
        // A coarse column repeats itself, but not far outside; three separate spikes do not repeat.
        let coarse: Vec<f64> = values.iter().map(|v| v.round()).collect();
        assert!(of("drive", &coarse).is_empty());
        (values[7], values[8], values[9]) = (300.0, 301.0, -250.0);
        assert!(of("drive", &values).is_empty());
        for i in 0..50 {
            values[100 * i + 3] = -999.0;
        }
        let found = of("drive", &values);
        assert_eq!(found, [Sentinel { column: "drive", value: -999.0, count: 50 }]);
        for i in 0..600 {
            values[8 * i + 1] = 9999.0;
        }
        let found = of("drive", &values);
        assert!(found.iter().any(|s| s.value == 9999.0 && s.count == 600), "{found:?}");
        assert!(found.iter().any(|s| s.value == -999.0), "{found:?}");
    }
}
