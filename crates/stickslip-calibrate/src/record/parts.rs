//! Parts of a long record, by which it is seen cheaply whether there is anything to fit in it.

use crate::statistics::stats::sd;
use std::ops::Range;

/// Records with more rows are looked at in parts first.
pub const LONG: usize = 50_000;
/// Of so many places along the record, the part where most moves and those where as much moves as at so many others at most.
const PLACES: usize = 64;
const RANKS: [usize; 4] = [0, 8, 16, 32];
/// Rows of a part at least, and over how many it is seen first how far the motion goes.
const LEAST: usize = 300;
const FIRST: usize = 150;

/// How long parts are.
#[derive(Debug, Clone, Copy)]
pub struct Long {
    /// So many times as long as the motion takes to go as far as it usually spreads,
    pub times: usize,
    /// and so many rows at most.
    pub most: usize,
}

/// Parts of a motion, none across one of the `breaks` at which another record begins: the one in which it moves most, and others in which it
/// moves as much as it often does. None of a record that is shorter than a part.
pub fn widest(x: &[f64], breaks: &[usize], long: Long) -> Vec<Range<usize>> {
    let long = length(x, long);
    let mut places: Vec<(Range<usize>, f64)> = Vec::new();
    let rows = x.len();
    let ends = [&[0], breaks, &[rows]].concat();
    let runs: Vec<Range<usize>> = ends.windows(2).map(|w| w[0]..w[1]).collect();
    let of_record = |record: &Range<usize>| {
        // As many of each record as its share of all rows.
        let count = (PLACES * record.len()).div_ceil(rows);
        let spare = record.len().checked_sub(long)?;
        let at = |k: usize| record.start + spare * k / (count.max(2) - 1);
        Some((0..count).map(|k| at(k)..at(k) + long).collect::<Vec<_>>())
    };
    for part in runs.iter().filter_map(of_record).flatten() {
        let known: Vec<f64> = x[part.clone()].iter().copied().filter(|v| v.is_finite()).collect();
        // A part with holes shows less than it seems to.
        if 10 * known.len() >= 9 * long {
            places.push((part, sd(&known)));
        }
    }
    places.sort_by(|a, b| b.1.total_cmp(&a.1));
    let count = places.len();
    let ranks = RANKS.into_iter().map(|rank| rank * count / PLACES);
    let mut parts: Vec<Range<usize>> =
        ranks.filter_map(|rank| Some(places.get(rank)?.0.clone())).collect();
    parts.dedup();
    parts
}

/// Rows of a part.
fn length(x: &[f64], Long { times, most }: Long) -> usize {
    (times * travel(x, most.div_ceil(times))).clamp(LEAST, most)
}

/// Rows over which a column changes as much as it usually spreads, or more than `most` where it is longer.
pub fn travel(x: &[f64], most: usize) -> usize {
    let known: Vec<f64> = x.iter().copied().filter(|v| v.is_finite()).collect();
    let variance = sd(&known).powi(2);
    let mut lag = FIRST;
    while lag < most {
        let squares = x.windows(lag + 1).map(|w| (w[lag] - w[0]).powi(2)).filter(|s| s.is_finite());
        let (sum, count) = squares.fold((0.0, 0usize), |(sum, count), s| (sum + s, count + 1));
        if sum >= variance * count as f64 {
            break;
        }
        lag *= 2;
    }
    lag
}
