//! Which logs repeat one another, and by how much repetitions differ.

use super::logs::Log;
use crate::parallel;

/// Goals that differ by less than this on average, rad, are of repetitions.
const SAME_GOAL: f64 = 2e-3;

/// The repetitions of one log: the same goals with the same load and gain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Repetition {
    /// The one whose angles are nearest.
    pub nearest: usize,
    /// By how much its angles differ on average, rad.
    pub apart: f64,
    /// The first of all, the log itself included: the same for each of them.
    pub first: usize,
}

/// The repetitions of each log, where it has any.
pub fn repetitions(logs: &[&Log]) -> Vec<Option<Repetition>> {
    parallel::each(logs.len(), |i| {
        let same = |j: &usize| {
            let a = logs[i];
            let b = logs[*j];
            *j != i && a.load == b.load && a.mounting == b.mounting && a.gain == b.gain && {
                let apart = differ(a, b, |l| &l.goal);
                apart.is_some_and(|d| d < SAME_GOAL)
            }
        };
        let all: Vec<usize> = (0..logs.len()).filter(same).collect();
        let first = all.first().map_or(i, |j| i.min(*j));
        let each = all.iter().filter_map(|&nearest| {
            let apart = differ(logs[i], logs[nearest], |l| &l.position)?;
            Some(Repetition { nearest, apart, first })
        });
        each.min_by(|a, b| a.apart.total_cmp(&b.apart))
    })
}

/// Mean absolute difference of a column at the times of `a`, `b` straight between its rows.
fn differ(a: &Log, b: &Log, column: fn(&Log) -> &Vec<f64>) -> Option<f64> {
    let mut k = 0;
    let mut total = 0.0;
    let mut rows = 0usize;
    let xs = column(a);
    let ys = column(b);
    for (t, x) in a.time.iter().zip(xs) {
        // Each from its own first row: clocks of two logs need not begin alike.
        let at = t - a.time[0] + b.time[0];
        while k + 2 < b.time.len() && b.time[k + 1] <= at {
            k += 1;
        }
        if k + 1 >= b.time.len() || at > b.time[k + 1] {
            continue;
        }
        let share = (at - b.time[k]) / (b.time[k + 1] - b.time[k]);
        let apart = x - (ys[k] + share * (ys[k + 1] - ys[k]));
        if !apart.is_nan() {
            total += apart.abs();
            rows += 1;
        }
    }
    // A short log may agree with the beginning of a long one and is not its repetition.
    (2 * rows > a.time.len()).then(|| total / rows as f64)
}
