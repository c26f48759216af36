//! Spikes: which rows are left out, by a rule that is stated.
//!
//! A spike is one sample, or two, that stands out from what comes before *and* from what comes after, to the same side; a
//! slip is a step, and stays: it agrees with one of the two. With L and R the medians of the three values
//! before and after,
//!
//! ```text
//! e = min(|x − L|, |x − R|) where x lies beyond both L and R, else 0
//! ```
//!
//! A value is a spike if e exceeds 10/6 of the threshold (ten, usually) in robust standard deviations of x − (L + R)/2
//! *and* five times the e that one value in a hundred exceeds (one in eight in the response, which rests most of the
//! time): so a record with wild weather sets its own measure. Normal noise passes the first once in 10²² values, a tail
//! like e^{−x} the second once in 10¹⁰. A robust standard deviation is
//! 1.4826 times the median of the absolute values (Hampel 1974). The first and the last value have one side only: from
//! their distance the largest step |L − R| of the record is taken off. If more than 1 % of the drive or 8 % of the response
//! would go, they are no spikes and all stay.
//!
//! After the search the residuals are judged once: one beyond `threshold` robust standard deviations is a spike if both
//! neighbours are less than half as large, and the path does not slip between them: a slip at the wrong time is a
//! fault of the model, and is not hidden.
//!
//! A wrong spike in the drive is no small matter: the extreme that it takes away moves every rest that follows.

use crate::bearing::search::motion::Left;
use crate::bearing::search::prepared::Rows;
use crate::parallel;
use crate::record::series::Series;
use crate::statistics::stats::{TO_SIGMA, median, median_of_many, nth};

/// Values before and after.
const REACH: usize = 3;
/// How much a column may hold of spikes.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// More than this share are no spikes.
    most: f64,
    /// A spike exceeds five times what this share of the values exceeds.
    tail: f64,
}

/// The drive is weather, whose tail is heavy.
pub const DRIVE: Rule = Rule { most: 0.01, tail: 0.01 };
/// The response rests most of the time, and moves by steps.
pub const RESPONSE: Rule = Rule { most: 0.08, tail: 0.12 };
/// Against the neighbours, so many times the threshold that holds against the fit.
const STRICTER: f64 = 10.0 / 6.0;
/// See [`Rule::tail`].
const BEYOND: f64 = 5.0;
/// A window this many times longer than usual spans a gap.
const WIDEST: f64 = 2.0;
/// The median of up to three values.
fn middle(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut three = [f64::INFINITY; REACH];
    let mut count = 0;
    for value in values {
        three[count] = value;
        count += 1;
    }
    three.sort_unstable_by(f64::total_cmp);
    match count {
        0 => None,
        2 => Some(0.5 * (three[0] + three[1])),
        _ => Some(three[count / 2]),
    }
}

/// Spikes of one column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spikes {
    /// Their rows, in order.
    pub rows: Vec<usize>,
    /// Where too many values stand out to be spikes: how many. Then there are no rows.
    pub too_many: usize,
}

/// Spikes of `values` (NaN: missing) against their neighbours.
pub fn spikes(time: &[f64], values: &[f64], threshold: f64, rule: Rule) -> Spikes {
    let far = standing_out(time, values, threshold, rule);
    let present = values.iter().filter(|v| !v.is_nan()).count();
    match far.len() as f64 > rule.most * present as f64 {
        true => Spikes { rows: Vec::new(), too_many: far.len() },
        false => Spikes { rows: far, too_many: 0 },
    }
}

/// Rows that stand out from what comes before and from what comes after.
fn standing_out(time: &[f64], values: &[f64], threshold: f64, rule: Rule) -> Vec<usize> {
    let rows = Rows::of(values);
    if rows.len() < 16 * REACH {
        return Vec::new();
    }
    let last = rows.len() - 1;
    let usual = (time[rows.row(last)] - time[rows.row(0)]) / last as f64;
    // Across a gap anything may have happened: no judgement.
    let whole = |from: usize, to: usize| {
        time[rows.row(to)] - time[rows.row(from)] <= WIDEST * usual * (to - from) as f64
    };
    let sides = |k: usize| -> [Option<f64>; 2] {
        let from = k.saturating_sub(REACH);
        let to = (k + REACH).min(last);
        if !whole(from, to) {
            return [None; 2];
        }
        let value = |j: usize| values[rows.row(j)];
        [middle((from..k).map(value)), middle((k + 1..=to).map(value))]
    };
    let mut apart = vec![0.0; rows.len()];
    let mut about = Vec::with_capacity(rows.len());
    let mut largest = 0.0f64;
    for k in 0..rows.len() {
        let x = values[rows.row(k)];
        if let [Some(left), Some(right)] = sides(k) {
            about.push((x - 0.5 * (left + right)).abs());
            if k >= REACH && k + REACH <= last {
                largest = largest.max((left - right).abs());
            }
            if (x > left) == (x > right) {
                apart[k] = (x - left).abs().min((x - right).abs());
            }
        }
    }
    for k in [0, last] {
        if let [Some(side), None] | [None, Some(side)] = sides(k) {
            apart[k] = ((values[rows.row(k)] - side).abs() - largest).max(0.0);
        }
    }
    if about.is_empty() {
        return Vec::new();
    }
    let sigma = TO_SIGMA * median(&mut about);
    // Most differences are exactly 0 where the record is rounded coarsely: no scale, no rule.
    if sigma <= 0.0 {
        return Vec::new();
    }
    about.clear();
    about.extend_from_slice(&apart);
    let tail = nth(&mut about, 1.0 - rule.tail);
    let limit = (STRICTER * threshold * sigma).max(BEYOND * tail);
    (0..rows.len()).filter(|&k| apart[k] > limit).map(|k| rows.row(k)).collect()
}

/// Spikes of the drive and of the response. Where both stand out at one row, to the sides that the
/// whole record makes expect, the bearing has answered the drive: both stay.
pub fn both(series: &Series, threshold: f64) -> [Spikes; 2] {
    let time = series.time();
    let drive = series.drive();
    let response = series.response();
    let columns = vec![(drive, DRIVE), (response, RESPONSE)];
    let mut found = parallel::map(columns, |(values, rule)| spikes(time, values, threshold, rule));
    let mut found = [0, 1].map(|i| std::mem::take(&mut found[i]));
    let side = |values: &[f64], row: usize| {
        let before = values[..row].iter().rev().find(|v| !v.is_nan());
        let other = before.or_else(|| values[row + 1..].iter().find(|v| !v.is_nan()));
        values[row] - other.unwrap_or(&values[row])
    };
    let slope = slope(series);
    // Both lists ascend.
    let answered = |row: &usize| {
        found.iter().all(|f| f.rows.binary_search(row).is_ok())
            && side(drive, *row) * side(response, *row) * slope > 0.0
    };
    let answers: Vec<usize> = found[0].rows.iter().copied().filter(answered).collect();
    found.iter_mut().for_each(|f| f.rows.retain(|row| answers.binary_search(row).is_err()));
    found
}

/// A row with the size of its residual, if there is one.
type Size = Option<(usize, f64)>;

/// Rows whose residual stands out alone, away from slips, see the module.
pub fn residual_spikes(drive: &[f64], left: &Left, threshold: f64) -> Vec<usize> {
    let sizes = left.rows.iter().map(|r| r.abs()).enumerate();
    let sizes = sizes.filter(|&(row, size)| !size.is_nan() && !drive[row].is_nan());
    let count = sizes.clone().count();
    if count < 16 * REACH {
        return Vec::new();
    }
    let limit = threshold * TO_SIGMA * median_of_many(sizes.clone().map(|r| r.1));
    // A slip at the wrong time leaves its step in every row between the two times: one, alone, has it next door.
    let mut far: Vec<usize> = Vec::new();
    // The last two residuals with their rows.
    let mut before: Size = None;
    let mut last: Size = None;
    let mut judge = |before: Size, (row, size): (usize, f64), after: Size| {
        let less = |other: Size| other.is_none_or(|o| o.1 < 0.5 * size);
        let from = before.map_or(0, |b| b.0 + 1);
        let to = after.map_or(left.slips.len(), |a| a.0 + 1);
        let still = || !left.slips[from..to].contains(&true);
        if size > limit && less(before) && less(after) && still() {
            far.push(row);
        }
    };
    for now in sizes {
        if let Some(last) = last {
            judge(before, last, Some(now));
        }
        (before, last) = (last, Some(now));
    }
    if let Some(last) = last {
        judge(before, last, None);
    }
    if far.len() as f64 > RESPONSE.most * count as f64 { Vec::new() } else { far }
}

/// Σ (T − T̄)(z − z̄).
fn slope(series: &Series) -> f64 {
    let sums = series.complete().fold([0.0; 4], |s, i| {
        let t = series.drive()[i];
        let z = series.response()[i];
        [s[0] + 1.0, s[1] + t, s[2] + z, s[3] + t * z]
    });
    sums[3] - sums[1] * sums[2] / sums[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wild weather: a temperature whose noise has a tail like e^{−|x|}, with steps by the hour.
    #[test]
    fn a_heavy_tail_is_no_spike() {
        let mut draws = crate::statistics::random::Draws::new(9, 1);
        let mut level = 0.0;
        let values: Vec<f64> = (0..50_000)
            .map(|i| {
                if i % 6 == 0 {
                    level += draws.signed();
                }
                level - (1.0 - draws.unit()).ln() * draws.signed().signum()
            })
            .collect();
        let time: Vec<f64> = (0..50_000).map(f64::from).collect();
        assert_eq!(spikes(&time, &values, 6.0, DRIVE), Spikes::default());
    }

    /// Steps, drift and noise stay; three spikes go, one of them two samples long.
    #[test]
    fn spikes_go_and_steps_stay() {
        let mut draws = crate::statistics::random::Draws::new(4, 4);
        let mut values: Vec<f64> = (0..1000)
            .map(|i| 1e-3 * f64::from(i) + f64::from(i > 500) * 9.0 + 0.1 * draws.normal())
            .collect();
        values[33] = f64::NAN;
        for (row, by) in [(100, 5.0), (700, -4.0), (701, -4.0), (999, 30.0)] {
            values[row] += by;
        }
        let time: Vec<f64> = (0..1000).map(f64::from).collect();
        assert_eq!(spikes(&time, &values, 6.0, DRIVE).rows, [100, 700, 701, 999]);
        assert!(spikes(&time[..10], &values[..10], 6.0, DRIVE).rows.is_empty());
        // A gap with another level behind it is a real change, not a spike.
        let gap: Vec<f64> = (0..1000).map(|i| f64::from(i) + f64::from(i >= 400) * 300.0).collect();
        let level: Vec<f64> =
            (0..1000).map(|i| f64::from(i >= 402) * 9.0 + 0.1 * draws.normal()).collect();
        assert!(spikes(&gap, &level, 6.0, DRIVE).rows.is_empty());
        // A fifth of the record cannot be spikes.
        let many: Vec<f64> = (0..1000)
            .map(|i| f64::from(u8::from(i % 5 == 0)) * 9.0 + 0.1 * draws.normal())
            .collect();
        assert!(spikes(&time, &many, 6.0, DRIVE).rows.is_empty());
        // A tenth of it stands out, and is too much to be left out.
        let tenth: Vec<f64> = (0..1000)
            .map(|i| f64::from(u8::from(i % 10 == 0)) * 9.0 + 0.1 * draws.normal())
            .collect();
        let found = spikes(&time, &tenth, 6.0, RESPONSE);
        assert!(found.rows.is_empty() && found.too_many == 100, "{found:?}");
    }

    /// A cold hour that the response answers stays in both; a glitch to the other side goes in both.
    #[test]
    fn an_answer_is_no_spike() {
        let mut draws = crate::statistics::random::Draws::new(4, 5);
        let mut wave = |size: f64| -> Vec<f64> {
            (0..2000)
                .map(|i| size * ((0.02 * f64::from(i)).sin() + 0.02 * draws.normal()))
                .collect()
        };
        let mut drive = wave(10.0);
        let mut response = wave(3e-3);
        let time: Vec<f64> = (0..2000).map(f64::from).collect();
        (drive[500], response[500]) = (drive[500] - 40.0, response[500] - 8e-3);
        (drive[900], response[900]) = (drive[900] - 40.0, response[900] + 8e-3);
        let series = Series::new(&time, &drive, &response).unwrap();
        assert_eq!(both(&series, 6.0).map(|s| s.rows), [[900], [900]]);
    }
}
