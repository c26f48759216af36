//! The record of a machine as it enters a fit: without what no instrument has measured.
//!
//! A record is looked at once, before anything is fitted to it. *Codes* for "no value" repeat exactly, far outside (`sentinels`) or
//! wherever they stand out from both neighbours. *Spikes* are single readings that stand out, by the second differences of the column:
//!
//! ```text
//! d = x₋₁ − 2x + x₊₁        a spike of size s: … 0, s, −2s, s, 0 …
//! ```
//!
//! A force that turns with its friction is a step (s, −s), and a motion that turns at a corner bends at one row only: neither bends back at
//! both neighbours. The size of a spike is the least of |d|/2 and of |d| at both neighbours, and it counts beyond ten robust standard
//! deviations of (d₋₁ − 2d + d₊₁)/6 in the whole column and three times what one reading in fifty exceeds. The rule for bearings (`outliers`)
//! compares with the level before and after, which a motion of few rows from turn to turn does not have.
//!
//! *Counters* that start anew and *sensors at the end of their range* lose the motion, which no row can be left out for.

use crate::error::Error;
use crate::record::logger::{self, clipped};
use crate::record::sentinels;
use crate::statistics::stats::{median, nth, robust};
use std::borrow::Cow;
use std::ops::Range;

/// So many robust standard deviations, and so many times what the share `TAIL` of the readings that bend back exceeds.
const FAR: f64 = 10.0;
const BEYOND: f64 = 3.0;
const TAIL: f64 = 0.02;
/// So many times the last digit at least, and this share of the usual step: smaller ones do no harm.
const DIGITS: f64 = 5.0;
const OF_A_STEP: f64 = 0.5;
/// More than this share of a column are no spikes.
const MOST: f64 = 0.015;
/// So many times exactly the same value, and this share of all that stands out, is a code.
const REPEATS: usize = 3;
const SHARE: f64 = 0.25;
/// A value that stays for more rows is no single reading.
const LONGEST: usize = 2;
/// Holes of a motion up to so many rows are filled from both sides.
const FILLED: usize = 5;
/// Over a step so many times the usual one nothing is compared.
const GAP: f64 = 3.5;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Holds {
    /// A position or a velocity, which has no steps: what is left out can be filled from the neighbours.
    Motion,
    /// An angle, which may start anew after each turn.
    Angle,
    /// A force.
    Force,
    /// A signal of a control loop, which may jump.
    Signal,
}

impl Holds {
    pub fn is_motion(self) -> bool {
        matches!(self, Self::Motion | Self::Angle)
    }
}

/// A column of a record.
#[derive(Clone, Copy)]
pub struct Column<'a> {
    pub name: &'static str,
    pub values: &'a [f64],
    pub holds: Holds,
}

/// Columns without what was left out, and what the reader should know.
pub struct Entered<'a> {
    pub columns: Vec<Cow<'a, [f64]>>,
    /// What was left out.
    pub said: Vec<String>,
    /// What speaks against any number of this record.
    pub doubts: Vec<String>,
}

/// Looks at the columns of a record. Of the first one that holds a motion the turns are known at which friction makes a force jump.
///
/// # Errors
/// If a column starts anew at the end of its range.
pub fn entered<'a>(time: Option<&[f64]>, columns: &[Column<'a>]) -> Result<Entered<'a>, Error> {
    let mut out = Entered { columns: Vec::new(), said: Vec::new(), doubts: Vec::new() };
    for column in columns {
        let mut values: Cow<'a, [f64]> = column.values.into();
        for code in codes(column) {
            let rows: Vec<usize> =
                (0..values.len()).filter(|i| column.values[*i] == code).collect();
            out.without_code(column.name, code, &rows, &mut values);
        }
        out.columns.push(values);
    }
    let motion = columns.iter().position(|c| c.holds.is_motion());
    for (k, column) in columns.iter().enumerate() {
        let mut values = std::mem::take(&mut out.columns[k]);
        let turns = motion.filter(|m| *m < k && column.holds == Holds::Force);
        let found = stand_out(time, &values, turns.map(|m| &*out.columns[m]));
        out.without_spikes(column.name, found, &mut values);
        if column.holds.is_motion() {
            filled(time, column.values, &mut values);
        }
        out.columns[k] = values;
    }
    for (k, column) in columns.iter().enumerate() {
        match column.holds {
            Holds::Angle | Holds::Signal => {}
            Holds::Motion => whole_range(column.name, &out.columns[k])?,
            Holds::Force => {
                let turns = motion.map(|m| &*out.columns[m]);
                out.doubts.extend(starts_anew(column.name, &out.columns[k], turns));
            }
        }
    }
    Ok(out)
}

/// The jumps of a column that starts anew at the end of its range, with their rows in the record.
fn jumps(values: &[f64]) -> Vec<(usize, f64)> {
    let known: Vec<usize> = (0..values.len()).filter(|i| values[*i].is_finite()).collect();
    let seen: Vec<f64> = known.iter().map(|i| values[*i]).collect();
    let found = logger::wraps(&seen).unwrap_or_default();
    found.into_iter().map(|(n, by)| (known[n], by)).collect()
}

/// Refused if a motion starts anew at the end of its range.
pub fn whole_range(name: &str, values: &[f64]) -> Result<(), Error> {
    let found = jumps(values);
    let Some((row, jump)) = found.first() else { return Ok(()) };
    Err(Error::Unfit(format!(
        "row {}: the {name} jumps by {jump:.4} from one row to the next, again and again, as of a counter that starts anew at the end of \
         its range, or an encoder after each turn: unwrap it, or record it over a wider range",
        row + 1
    )))
}

/// What is said of a force that may start anew at the end of its range: stick and slip draw such a saw, too, and friction makes a force jump
/// from end to end where the motion turns.
fn starts_anew(name: &str, values: &[f64], motion: Option<&[f64]>) -> Option<String> {
    let found = jumps(values);
    let at_turns = found.iter().filter(|j| motion.is_some_and(|m| turns_near(m, j.0))).count();
    let (row, jump) = found.first().filter(|_| 3 * at_turns <= found.len())?;
    Some(format!(
        "the {name} jumps by {jump:.4} from one row to the next, again and again, row {} first, as of a counter that starts anew at the end of \
         its range, or of stick and slip: unwrap a counter; no number here holds for stick and slip",
        row + 1
    ))
}

/// Whether a motion turns within some rows of one.
fn turns_near(motion: &[f64], row: usize) -> bool {
    const NEAR: usize = 4;
    let at = |i: usize| motion[i.min(motion.len() - 1)];
    let before = at(row) - at(row.saturating_sub(NEAR));
    let after = at(row + NEAR) - at(row);
    // Half of the speed is lost or more: it turns, or is about to.
    before * after < 0.25 * (before * before).max(after * after) || !(before * after).is_finite()
}

/// Codes far outside, which are reached from far away in one step: a motion comes to its end through what lies between.
fn codes(column: &Column<'_>) -> Vec<f64> {
    let values = column.values;
    let found = sentinels::of(column.name, values);
    if found.is_empty() {
        return Vec::new();
    }
    let is_code = |v: f64| found.iter().any(|s| s.value == v);
    let mut known: Vec<f64> =
        values.iter().copied().filter(|v| v.is_finite() && !is_code(*v)).collect();
    if known.is_empty() {
        return Vec::new();
    }
    let [low, high] = [0.02, 0.98].map(|p| nth(&mut known, p));
    let is_held = 2 * values.chunk_by(|a, b| a == b).count() < values.len();
    let is_reached_at_once = |code: f64| {
        let far = (code - high).max(low - code);
        // The row before, and the last value that counts.
        let mut before = f64::NAN;
        let mut known = f64::NAN;
        let mut runs = 0;
        let mut steps = Vec::new();
        for &value in values {
            if value == code && before != code {
                runs += 1;
                steps.extend((!known.is_nan()).then(|| (code - known).abs()));
            }
            if value.is_finite() && !is_code(value) {
                known = value;
            }
            before = value;
        }
        // What a logger holds repeats itself by that alone.
        let often = !is_held || runs >= REPEATS;
        often && (steps.is_empty() || median(&mut steps) >= 0.5 * far)
    };
    found.iter().map(|s| s.value).filter(|v| is_reached_at_once(*v)).collect()
}

impl Entered<'_> {
    fn without_code(&mut self, name: &str, code: f64, rows: &[usize], values: &mut Cow<'_, [f64]>) {
        let Some(first) = rows.first() else { return };
        let own = values.to_mut();
        rows.iter().for_each(|i| own[*i] = f64::NAN);
        self.said.push(format!(
            "the {name} is exactly {code} in {} rows, row {} first, far from the rows around them, as of a code that stands for a missing \
             value: these rows were left out; list the code in `missing` of [data], as it stands in the file",
            rows.len(),
            first + 1
        ));
    }

    fn without_spikes(&mut self, name: &str, mut found: Vec<Spike>, values: &mut Cow<'_, [f64]>) {
        let all: usize = found.iter().map(|s| s.rows.len()).sum();
        if all == 0 {
            return;
        }
        if all as f64 > MOST * values.iter().filter(|v| v.is_finite()).count() as f64 {
            self.doubts.push(format!(
                "{all} values of the {name} stand out from both neighbours, row {} first ({}): too many to be left out; look at the \
                 record before these numbers are used",
                found[0].rows.start + 1,
                values[found[0].rows.start]
            ));
            return;
        }
        // What repeats exactly is a code, wherever it lies.
        found.sort_by(|a, b| a.value.total_cmp(&b.value).then(a.rows.start.cmp(&b.rows.start)));
        let count = found.len() as f64;
        let (codes, single): (Vec<_>, Vec<_>) = found
            .chunk_by(|a, b| a.value == b.value)
            .partition(|same| same.len() >= REPEATS && same.len() as f64 >= SHARE * count);
        for same in codes {
            let rows: Vec<usize> = same.iter().flat_map(|s| s.rows.clone()).collect();
            self.without_code(name, same[0].value, &rows, values);
        }
        let mut single: Vec<&Spike> =
            single.into_iter().flatten().filter(|s| s.rows.len() <= LONGEST).collect();
        single.sort_by_key(|s| s.rows.start);
        let largest = single.iter().max_by(|a, b| a.size.total_cmp(&b.size));
        let Some(largest) = largest else { return };
        self.said.push(format!(
            "{} values of the {name} stand out from both neighbours and were left out, row {} ({}) most",
            single.iter().map(|s| s.rows.len()).sum::<usize>(),
            largest.rows.start + 1,
            largest.value
        ));
        let own = values.to_mut();
        single.iter().flat_map(|s| s.rows.clone()).for_each(|i| own[i] = f64::NAN);
    }
}

/// A value that stands out.
struct Spike {
    /// One row, or as many as have the same value.
    rows: Range<usize>,
    value: f64,
    /// By how much.
    size: f64,
}

/// The values of a column that stand out from both neighbours. A friction that is larger at rest has its peaks where the motion turns: where
/// more than a third of all stand there, they are peaks.
fn stand_out(time: Option<&[f64]>, values: &[f64], motion: Option<&[f64]>) -> Vec<Spike> {
    let mut found = spikes(time, values);
    if let Some(motion) = motion {
        let at_turns = found.iter().filter(|s| turns_near(motion, s.rows.start)).count();
        if 3 * at_turns > found.len() {
            found.retain(|s| !turns_near(motion, s.rows.start));
        }
    }
    found
}

/// The same by the column alone.
fn spikes(time: Option<&[f64]>, values: &[f64]) -> Vec<Spike> {
    // Values that a logger holds count once.
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut from = 0;
    for run in values.chunk_by(|a, b| a == b) {
        if run[0].is_finite() {
            runs.push(from..from + run.len());
        }
        from += run.len();
    }
    // The readings of a slow sensor are few: a motion that turns twice next to each other stands out in one of them.
    let known: usize = runs.iter().map(Range::len).sum();
    if runs.len() < 50 || 2 * runs.len() < known {
        return Vec::new();
    }
    let value = |k: usize| values[runs[k].start];
    let usual = time.map_or(f64::NAN, |t| {
        median(&mut runs.windows(2).map(|w| t[w[1].start] - t[w[0].start]).collect::<Vec<_>>())
    });
    let follows = |k: usize| {
        let whole = runs[k].end == runs[k + 1].start;
        // Without times, rows are compared by their order.
        whole && time.is_none_or(|t| t[runs[k + 1].start] - t[runs[k].start] <= GAP * usual)
    };
    let bend = |k: usize| value(k - 1) - 2.0 * value(k) + value(k + 1);
    let mut about = Vec::with_capacity(runs.len());
    let mut out = vec![0.0; runs.len()];
    for k in 2..runs.len() - 2 {
        if !(k - 2..k + 2).all(follows) {
            continue;
        }
        let [before, own, after] = [k - 1, k, k + 1].map(bend);
        about.push(((before - 2.0 * own + after) / 6.0).abs());
        if before * own < 0.0 && after * own < 0.0 {
            out[k] = (0.5 * own.abs()).min(before.abs()).min(after.abs());
        }
    }
    let mut steps: Vec<f64> = (1..runs.len()).map(|k| (value(k) - value(k - 1)).abs()).collect();
    if about.is_empty() || steps.is_empty() {
        return Vec::new();
    }
    let digit = steps.iter().copied().filter(|d| *d > 0.0).fold(f64::INFINITY, f64::min);
    let usual = nth(&mut steps, 0.85);
    let mut all = out.clone();
    let tail = nth(&mut all, 1.0 - TAIL);
    let scale = robust(about.into_iter());
    let limit = (FAR * scale).max(BEYOND * tail).max(DIGITS * digit).max(OF_A_STEP * usual);
    (0..runs.len())
        .filter(|&k| out[k] > limit)
        .map(|k| Spike { rows: runs[k].clone(), value: value(k), size: out[k] })
        .collect()
}

/// Puts back what was left out of a motion over a few rows, by the cubic through two rows on either side.
fn filled(time: Option<&[f64]>, given: &[f64], values: &mut Cow<'_, [f64]>) {
    let lost = |i: usize, v: &[f64]| v[i].is_nan() && given[i].is_finite();
    let n = values.len();
    let mut i = 2;
    while i + 2 < n {
        if !lost(i, values) {
            i += 1;
            continue;
        }
        let end = (i..n).find(|k| !lost(*k, values)).unwrap_or(n);
        if end - i <= FILLED && end + 1 < n {
            let around = [i - 2, i - 1, end, end + 1];
            let at = |k: usize| time.map_or(k as f64, |t| t[k]);
            if around.iter().all(|k| values[*k].is_finite()) {
                let known = around.map(|k| (at(k), values[k]));
                let own = values.to_mut();
                (i..end).for_each(|k| own[k] = cubic(&known, at(k)));
            }
        }
        i = end.max(i + 1);
    }
}

/// The cubic through four points (Lagrange).
fn cubic(points: &[(f64, f64); 4], at: f64) -> f64 {
    let share = |k: usize| {
        let others = (0..4).filter(|j| *j != k);
        others.map(|j| (at - points[j].0) / (points[k].0 - points[j].0)).product::<f64>()
    };
    (0..4).map(|k| share(k) * points[k].1).sum()
}

/// Strokes that end at once, and in which the force goes on, as shares of all that stand at an end.
const HALF: f64 = 0.5;
/// A motion that stops by itself has slowed down two rows before; one whose sensor is cut off has not.
const SUDDEN: f64 = 0.6;
/// While it stands the force changes by this share of its range.
const GOES_ON: f64 = 0.1;

/// The rows at which the sensor of a position stands at an end of its range while the force goes on; none if that is not so.
pub fn saturated(position: &[f64], force: &[f64]) -> Vec<bool> {
    let cut = clipped(position);
    let none = vec![false; position.len()];
    if !cut.contains(&true) {
        return none;
    }
    let ends = |values: &[f64]| {
        let known = values.iter().filter(|v| v.is_finite());
        known.fold([f64::INFINITY, f64::NEG_INFINITY], |m, v| [m[0].min(*v), m[1].max(*v)])
    };
    let [low, high] = ends(force);
    let mut looked = [0usize; 3];
    let mut from = 0;
    for run in cut.chunk_by(|a, b| a == b) {
        let rows = from..from + run.len();
        from = rows.end;
        // Of a short run nobody can tell.
        if !run[0] || rows.len() < 3 || rows.start < 6 {
            continue;
        }
        looked[0] += 1;
        let step = |k: usize| (position[rows.start - k] - position[rows.start - k - 1]).abs();
        looked[1] += usize::from(step(1) >= SUDDEN * step(4) && step(1) > 0.0);
        // A damper that stops loses its viscous force in the first rows.
        let inside = &force[(rows.start + 1)..(rows.end - 1)];
        let [least, most] = ends(inside);
        looked[2] += usize::from(most - least >= GOES_ON * (high - low));
    }
    let [all, sudden, goes_on] = looked.map(|n| n as f64);
    if all > 0.0 && sudden >= HALF * all && goes_on >= HALF * all { cut } else { none }
}

/// Refused where the sensor of a motion stands at an end of its range: the device moves on there, and nobody knows how far.
pub fn in_range(name: &str, motion: &[f64], force: &[f64]) -> Result<(), Error> {
    let cut = saturated(motion, force);
    let Some(first) = cut.iter().position(|c| *c) else { return Ok(()) };
    Err(Error::Unfit(format!(
        "row {}: the {name} stands at exactly {} there, and at an end of its range in {:.0} % of the rows, while the force still changes, \
         as of a sensor that is cut off: how far the device moves is not in the record; record it over its whole range",
        first + 1,
        motion[first],
        100.0 * cut.iter().filter(|c| **c).count() as f64 / cut.len() as f64
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::random::Draws;

    fn force(values: &[f64]) -> Entered<'_> {
        entered(None, &[Column { name: "force", values, holds: Holds::Force }]).unwrap()
    }

    /// Friction that jumps, corners, waves of few rows, rounding and noise are no spikes.
    #[test]
    fn what_devices_do_is_left_alone() {
        let mut draws = Draws::new(3, 9);
        let wave = |i: i32| (0.05 * f64::from(i)).sin();
        let square = |i: i32| wave(i).signum();
        let saw = |i: i32| f64::from((i % 100 - 50).abs());
        let all: Vec<Vec<f64>> = vec![
            (0..4000).map(wave).collect(),
            (0..4000).map(square).collect(),
            (0..4000).map(saw).collect(),
            (0..4000).map(|i| square(i) + 0.01 * draws.normal()).collect(),
            (0..4000).map(|i| saw(i) + 0.01 * draws.normal()).collect(),
            (0..4000).map(|i| (20.0 * wave(i)).round()).collect(),
            (0..4000).map(|i| (1.3 * f64::from(i)).sin()).collect(),
            (0..4000).map(|i| wave(i / 5 * 5)).collect(),
        ];
        for (k, values) in all.iter().enumerate() {
            let found = force(values);
            assert!(found.said.is_empty() && found.doubts.is_empty(), "{k}: {:?}", found.said);
        }
    }

    /// Spikes are counted, codes named, wherever they lie; a motion is continued across them.
    #[test]
    fn spikes_and_codes_are_named_by_row_and_value() {
        let mut draws = Draws::new(3, 10);
        let clean: Vec<f64> =
            (0..4000).map(|i| (0.02 * f64::from(i)).sin() + 1e-3 * draws.normal()).collect();
        let mut values = clean.clone();
        (values[700], values[1900], values[3500]) = (1.7, -3.0, 0.4 + values[3500]);
        let found = force(&values);
        assert_eq!(found.said.len(), 1);
        assert!(found.said[0].starts_with("3 values of the force"), "{:?}", found.said);
        assert!(found.said[0].contains("row 1901 (-3)"), "{:?}", found.said);
        assert_eq!(found.columns[0].iter().filter(|v| v.is_nan()).count(), 3);
        let mut values = clean.clone();
        for i in [50, 900, 901, 2000, 3000] {
            values[i] = -999.0;
        }
        let found = force(&values);
        assert!(found.said[0].contains("exactly -999 in 5 rows, row 51 first"), "{:?}", found.said);
        // A code within the range of the column.
        for i in [50, 900, 901, 2000, 3000] {
            values[i] = 0.0;
        }
        let at_zero = (0..5).filter(|k| clean[[50, 900, 901, 2000, 3000][*k]].abs() > 0.1).count();
        let found = force(&values);
        assert!(at_zero >= 3 && found.said[0].contains("exactly 0 in"), "{:?}", found.said);
        let motion = [Column { name: "position", values: &values, holds: Holds::Motion }];
        let found = entered(None, &motion).unwrap();
        let worst = found.columns[0].iter().zip(&clean).map(|(a, b)| (a - b).abs());
        assert!(worst.fold(0.0, f64::max) < 0.11);
    }

    /// One reading in sixty is no exception.
    #[test]
    fn many_spikes_are_not_left_out() {
        let values: Vec<f64> = (0..4000)
            .map(|i| {
                (0.02 * f64::from(i)).sin()
                    + if i % 57 == 7 { 2.0 + 1e-4 * f64::from(i) } else { 0.0 }
            })
            .collect();
        let found = force(&values);
        assert!(found.said.is_empty() && found.doubts.len() == 1, "{:?}", found.doubts);
        assert!(found.doubts[0].contains("71 values of the force stand out"), "{:?}", found.doubts);
        assert!(!found.columns[0].iter().any(|v| v.is_nan()));
    }

    /// A force that jumps from end to end where the motion turns has friction; elsewhere its counter starts anew.
    #[test]
    fn a_counter_that_starts_anew_is_seen() {
        let x: Vec<f64> = (0..4000).map(|i| (0.02 * f64::from(i)).sin()).collect();
        // Stribeck: the force peaks before and after it jumps.
        let falls: Vec<f64> = (0..4000)
            .map(|i| (0.02 * f64::from(i)).cos())
            .map(|v: f64| v.signum() * (1.0 + 0.5 * (-v.abs() / 0.1).exp()))
            .collect();
        let wraps: Vec<f64> = x.iter().map(|x| (3.0 * x + 1.0).rem_euclid(1.5)).collect();
        let of = |force: &[f64]| {
            let motion = Column { name: "position", values: &x, holds: Holds::Motion };
            let force = Column { name: "force", values: force, holds: Holds::Force };
            entered(None, &[motion, force]).map(|e| [e.said, e.doubts])
        };
        assert_eq!(of(&falls).unwrap(), [Vec::<String>::new(), Vec::new()]);
        let [said, doubts] = of(&wraps).unwrap();
        assert!(said.is_empty() && doubts[0].contains("the force jumps by"), "{doubts:?}");
        // A position is lost where its counter starts anew; a peak of one row from which a force falls at once is no spike.
        assert!(whole_range("position", &wraps).is_err() && whole_range("position", &x).is_ok());
        let saw: Vec<f64> = (0..4000).map(|i| f64::from(i % 40)).collect();
        assert!(of(&saw).unwrap()[0].is_empty());
    }

    /// A sensor at the end of its range, and a motion that waits at its ends.
    #[test]
    fn a_position_at_the_end_of_its_sensor_is_told_from_a_rest() {
        let wave = |i: i32| (0.02 * f64::from(i)).sin();
        let speed = |i: i32| (0.02 * f64::from(i)).cos();
        let force: Vec<f64> = (0..4000).map(|i| 2.0 * wave(i) + speed(i).signum()).collect();
        let both: Vec<f64> = (0..4000).map(|i| wave(i).clamp(-0.9, 0.9)).collect();
        let one: Vec<f64> = (0..4000).map(|i| wave(i).min(0.9)).collect();
        assert!(saturated(&both, &force).iter().filter(|c| **c).count() > 1000);
        assert!(saturated(&one, &force).contains(&true));
        // A stroke that waits: without a word in a force that waits, too, and where it slows down before.
        let held: Vec<f64> = both.iter().zip(&force).map(|(x, _)| 2.0 * x).collect();
        assert!(!saturated(&both, &held).contains(&true));
        let slows = |x: f64| 0.9 * (1.0 - (1.0 - x.abs().min(1.0)).powi(3)) * x.signum();
        let stops: Vec<f64> = (0..4000).map(|i| slows((1.5 * wave(i)).clamp(-1.0, 1.0))).collect();
        assert!(!saturated(&stops, &force).contains(&true));
    }
}
