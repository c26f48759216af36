//! What a data logger does to a column: values that it holds until the next one comes, or carries forward where one is missing,
//! values that it cuts off, and values that start anew at the end of a range.

use crate::statistics::stats::{median, nth};

/// Rows of runs of one length, or of two lengths next to each other, make at least this share of a held column.
const REGULAR: f64 = 0.7;
/// Fewer rows say nothing.
const FEWEST: usize = 50;

/// The runs of equal values in a column. A missing value is a run of its own.
fn runs(values: &[f64]) -> impl Iterator<Item = &[f64]> {
    // One after the other: of a record of millions of rows a list of them would take more memory than the column.
    values.chunk_by(|a, b| a == b)
}

/// Rows for which a logger holds each value, if it does: nearly all values stand for the same number of rows, or for one of
/// two numbers next to each other where the rates of sensor and logger are no multiples. Values that are equal because
/// they are rounded, or because nothing moves, stand for any number of rows.
pub fn held(values: &[f64]) -> Option<usize> {
    let lengths = || runs(values).map(<[f64]>::len);
    // A column of few runs, such as a switch, holds its values because nothing changes.
    if values.len() < FEWEST || lengths().count() < FEWEST / 4 {
        return None;
    }
    let longest = lengths().max()?;
    // Rows in runs of each length.
    let mut rows = vec![0; longest + 2];
    lengths().for_each(|length| rows[length] += length);
    let best = (1..=longest).max_by_key(|length| rows[*length])?;
    if best < 2 {
        return None;
    }
    // A sensor at 10 Hz in a logger at 25 Hz stands still for two rows or three.
    let pair = rows[best] + rows[best - 1].max(rows[best + 1]);
    (pair as f64 >= REGULAR * values.len() as f64).then_some(best)
}

/// Whether each row is the first to show its value.
pub fn fresh(values: &[f64]) -> Vec<bool> {
    let mut out = Vec::with_capacity(values.len());
    for run in runs(values) {
        out.push(true);
        out.resize(out.len() + run.len() - 1, false);
    }
    out
}

/// An end of a column counts as cut off that is reached exactly in at least this share of the rows,
const OFTEN: f64 = 0.005;
/// in runs of so many rows on average,
const LONG: f64 = 3.0;
/// and so many times as often as the next value inside.
const MORE: f64 = 5.0;

/// The rows that stand exactly at an end of the column at which the sensor, or its amplifier, is cut off.
pub fn clipped(values: &[f64]) -> Vec<bool> {
    let mut out = vec![false; values.len()];
    let mut seen: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    seen.sort_unstable_by(f64::total_cmp);
    if seen.len() < FEWEST {
        return out;
    }
    let count = |v: f64| seen.iter().filter(|s| **s == v).count() as f64;
    let least = seen[0];
    let most = seen[seen.len() - 1];
    let above = seen.iter().copied().find(|s| *s > least);
    let below = seen.iter().rev().copied().find(|s| *s < most);
    for (end, inside) in [(least, above), (most, below)] {
        let Some(inside) = inside else { continue };
        let at = runs(values).filter(|run| run[0] == end);
        let lengths: Vec<f64> = at.map(|run| run.len() as f64).collect();
        // Where a motion merely turns at its end, it is there for a row or two; where a sensor is cut off,
        // whole runs stand there.
        let long = lengths.iter().sum::<f64>() >= LONG * lengths.len() as f64;
        let often = count(end) >= (OFTEN * seen.len() as f64).max(10.0);
        // Coarse rounding makes every value frequent: a cut end stands out against its neighbour.
        if often && long && count(end) >= MORE * count(inside) {
            out.iter_mut().zip(values).for_each(|(o, v)| *o |= *v == end);
        }
    }
    out
}

/// Whether a force scatters where it is not cut off: hardly any value equals the one before, those apart that a logger holds.
pub fn noisy_inside(force: &[f64], cut: &[bool]) -> bool {
    // One row of each held value: the others repeat it by construction.
    let each = force.iter().zip(cut).step_by(held(force).unwrap_or(1));
    let inside: Vec<f64> = each.filter(|f| !f.1).map(|f| *f.0).collect();
    let equal = inside.windows(2).filter(|w| w[0] == w[1]).count();
    10 * equal < inside.len()
}

/// Changes of zero count as carried forward if they come so many times as often as the smallest change in one direction,
const REPEATED: f64 = 5.0;
/// in so many rows at least and in no more than this share of all, as a motion that rests in between shows,
const REPEATS: (f64, f64) = (20.0, 0.5);
/// where the usual change is so many times the smallest: a coarse sensor repeats itself, too.
const FINE: f64 = 5.0;

/// By how much a column changes from row to row, where both rows have a value.
fn steps(values: &[f64]) -> impl Iterator<Item = f64> {
    values.windows(2).map(|w| (w[1] - w[0]).abs()).filter(|d| d.is_finite())
}

/// In how many steps a column changes, and of how many.
fn change_counts(values: &[f64]) -> (usize, usize) {
    steps(values).fold((0, 0), |(changes, count), d| (changes + usize::from(d > 0.0), count + 1))
}

/// The usual change of a column that changes, and its smallest change.
fn changes(values: &[f64]) -> Option<(f64, f64)> {
    let mut moves: Vec<f64> = steps(values).filter(|d| *d > 0.0).collect();
    let digit = moves.iter().copied().fold(f64::INFINITY, f64::min);
    (!moves.is_empty()).then(|| (median(&mut moves), digit))
}

/// [`held`] of a column whose values are fine enough to tell: one that is rounded coarsely stands still for some rows, too. How many
/// rows each value stands for, and the usual change from one to the next.
pub fn held_readings(values: &[f64]) -> Option<(usize, f64)> {
    // Asked first: most columns hold nothing, and the usual change needs a copy of the column.
    let rows = held(values)?;
    let (usual, digit) = changes(values)?;
    (usual >= FINE * digit).then_some((rows, usual))
}

/// The rows whose value is that of the row before, where a reading was missing and the last one was carried forward. Readings
/// with noise much larger than their last digit repeat themselves as often as they change by one digit up, or by one down.
pub fn carried(values: &[f64]) -> Vec<bool> {
    let mut out = vec![false; values.len()];
    let (changes, count) = change_counts(values);
    let none = (count - changes) as f64;
    // Most columns end here: a record of millions of rows is then not copied.
    if changes < FEWEST || none < REPEATS.0 || none > REPEATS.1 * count as f64 {
        return out;
    }
    let mut moves: Vec<f64> = steps(values).filter(|d| *d > 0.0).collect();
    let digit = moves.iter().copied().fold(f64::INFINITY, f64::min);
    let usual = median(&mut moves);
    // Of noise that is wide against a digit, changes of 0, +1 and −1 digits are about equally frequent; `one`
    // has both signs.
    let one = moves.iter().filter(|d| **d < 1.5 * digit).count() as f64;
    let often = none >= REPEATED * (0.5 * one + 1.0);
    if often && usual >= FINE * digit {
        out.iter_mut().skip(1).zip(values.windows(2)).for_each(|(o, w)| *o = w[0] == w[1]);
    }
    out
}

/// Fewer changes say nothing of a dead band.
const MOVES: usize = 20;
/// A column is written with a dead band if at least this share of its rows repeat the one before,
const REST: f64 = 0.2;
/// its smallest change is so many times the smallest difference of two changes,
const BAND: f64 = 8.0;
/// and this share of its changes are larger by a quarter at most: a column that is written whenever it has moved enough has mostly
/// moved by little more.
const JUST: (f64, f64) = (0.1, 1.25);

/// The dead band of a logger that writes a value only when it has moved by so much, and else the last one once more. Readings with
/// noise change by as little as their last digit now and then, and rounded ones by one digit most of the time.
pub fn dead_band(values: &[f64]) -> Option<f64> {
    let (changes, count) = change_counts(values);
    let rests = (count - changes) as f64;
    // As above, most columns end here.
    if changes < MOVES || rests < REST * count as f64 {
        return None;
    }
    let mut moves: Vec<f64> = steps(values).filter(|d| *d > 0.0).collect();
    moves.sort_unstable_by(f64::total_cmp);
    let least = moves[0];
    // What differs by the rounding of a computer is no difference.
    let apart = moves.windows(2).map(|w| w[1] - w[0]).filter(|d| *d > 1e-6 * least);
    let digit = apart.fold(f64::INFINITY, f64::min);
    let just = moves.partition_point(|d| *d <= JUST.1 * least) as f64;
    (least >= BAND * digit && just >= JUST.0 * moves.len() as f64).then_some(least)
}

/// A jump of a wrapped column is at least this share of its range,
const TURN: f64 = 0.5;
/// and the usual step at most this.
const SMALL: f64 = 0.1;
/// So many jumps are no accident.
const AGAIN: usize = 2;

/// The rows, and the sizes, of the jumps of a column that starts anew at the end of its range, as an encoder after a turn
/// or a counter after its last number: jumps of nearly the whole range, alike in size, in a column that moves by small steps
/// otherwise.
pub fn wraps(values: &[f64]) -> Option<Vec<(usize, f64)>> {
    let ends = |m: [f64; 2], v: &f64| [m[0].min(*v), m[1].max(*v)];
    let [low, high] = values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], ends);
    let range = high - low;
    let jumps: Vec<(usize, f64)> = (1..values.len())
        .map(|i| (i, values[i] - values[i - 1]))
        .filter(|j| j.1.abs() > TURN * range)
        .collect();
    let sizes = jumps.iter().map(|j| j.1.abs());
    let [least, most] = sizes.fold([f64::INFINITY, 0.0], |m, v| [m[0].min(v), m[1].max(v)]);
    // A single large step may be one of the motion; turns repeat, with the same size.
    let alike = jumps.len() >= AGAIN && most - least < SMALL * range;
    let mut steps: Vec<f64> = values.windows(2).map(|w| (w[1] - w[0]).abs()).collect();
    steps.retain(|s| *s <= TURN * range);
    let smooth = !steps.is_empty() && nth(&mut steps, 0.99) < SMALL * range;
    // Before and after it starts anew the column moves the other way than it jumps; a step of the motion does not.
    let at = |i: usize| values[i.min(values.len() - 1)];
    let around = |i: usize| at(i - 1) - at(i.saturating_sub(3)) + at(i + 2) - at(i);
    let on = jumps.iter().filter(|j| around(j.0) * j.1 < 0.0).count();
    (alike && smooth && 5 * on >= 4 * jumps.len()).then_some(jumps)
}

/// The first row in which an angle (rad) starts anew after a turn: it jumps by nearly one while it moves by little before and
/// after. One such jump shows it, since the size of a turn is known, while `wraps` needs several.
pub fn turned_over(angle: &[f64]) -> Option<usize> {
    const LITTLE: f64 = 0.5;
    let step = |i: usize| angle.get(i).zip(angle.get(i - 1)).map_or(0.0, |(b, a)| b - a);
    (1..angle.len()).find(|&i| {
        let calm = [i - 1, i + 1].into_iter().filter(|k| *k > 0).all(|k| step(k).abs() < LITTLE);
        calm && (step(i).abs() - std::f64::consts::TAU).abs() < LITTLE
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::random::Draws;

    fn wave(rows: usize) -> Vec<f64> {
        let mut draws = Draws::new(3, 4);
        let at = |i: usize| stickslip::portable::sin(0.03 * i as f64);
        (0..rows).map(|i| 100.0 * at(i) + draws.normal()).collect()
    }

    #[test]
    fn a_held_column_is_seen_and_a_rounded_one_is_not() {
        let wave = wave(3000);
        assert_eq!(held(&wave), None);
        let every = |n: usize| (0..3000).map(|i| wave[i / n * n]).collect::<Vec<_>>();
        assert_eq!([2, 5, 20].map(|n| held(&every(n))), [Some(2), Some(5), Some(20)]);
        assert_eq!(fresh(&every(5)).iter().filter(|f| **f).count(), 600);
        // Three rows, then four: a rate that is no multiple.
        let uneven: Vec<f64> = (0..3000).map(|i| wave[i * 2 / 7 * 7 / 2]).collect();
        assert!(held(&uneven).is_some());
        let rounded: Vec<f64> = wave.iter().map(|v| (v / 5.0).round() * 5.0).collect();
        assert_eq!(held(&rounded), None);
        // Values of 0.01 for five rows, and a column of hours that is rounded to 1 and stands for three at most times.
        let fine: Vec<f64> = every(5).iter().map(|v| (100.0 * v).round() / 100.0).collect();
        assert!(held_readings(&fine).is_some_and(|h| h.0 == 5 && h.1 > 0.5));
        let coarse: Vec<f64> = (0..3000).map(|i| f64::from(i % 600 / 3)).collect();
        assert!(held(&coarse).is_some() && held_readings(&coarse).is_none());
    }

    #[test]
    fn values_that_are_carried_forward_are_seen() {
        let mut draws = Draws::new(5, 6);
        let whole: Vec<f64> = wave(3000).iter().map(|v| (100.0 * v).round() / 100.0).collect();
        assert!(!carried(&whole).contains(&true));
        let mut with = whole.clone();
        let mut lost = vec![false; 3000];
        for i in 1..3000 {
            if draws.unit() < 0.1 {
                with[i] = with[i - 1];
                lost[i] = true;
            }
        }
        let missed = carried(&with).iter().zip(&lost).filter(|(c, l)| **l && !**c).count();
        let wrong = carried(&with).iter().zip(&lost).filter(|(c, l)| !**l && **c).count();
        assert!(missed == 0 && wrong < 20, "{missed} {wrong}");
        // A coarse sensor, and one that rests, repeat themselves.
        let coarse: Vec<f64> = whole.iter().map(|v| (v / 5.0).round() * 5.0).collect();
        assert!(!carried(&coarse).contains(&true));
        let rests: Vec<f64> = (0..3000).map(|i| whole[i / 50 * 50]).collect();
        assert!(!carried(&rests).contains(&true));
    }

    #[test]
    fn a_dead_band_is_seen() {
        let whole: Vec<f64> = wave(3000).iter().map(|v| (100.0 * v).round() / 100.0).collect();
        assert_eq!(dead_band(&whole), None);
        let written = |band: f64| {
            let mut last = whole[0];
            let write = |v: &f64| {
                if (v - last).abs() >= band {
                    last = *v;
                }
                last
            };
            whole.iter().map(write).collect::<Vec<f64>>()
        };
        for band in [3.0, 5.0] {
            let found = dead_band(&written(band)).unwrap();
            assert!((found / band - 1.0).abs() < 0.01, "{band}: {found}");
        }
        // Rounded, carried forward and held columns repeat themselves too.
        let coarse: Vec<f64> = whole.iter().map(|v| (v / 5.0).round() * 5.0).collect();
        let held: Vec<f64> = (0..3000).map(|i| whole[i / 5 * 5]).collect();
        let mut draws = Draws::new(5, 6);
        let mut with = whole.clone();
        for i in 1..3000 {
            if draws.unit() < 0.3 {
                with[i] = with[i - 1];
            }
        }
        for column in [coarse, held, with] {
            assert_eq!(dead_band(&column), None);
        }
    }

    #[test]
    fn a_column_that_wraps_is_seen() {
        let turned: Vec<f64> =
            (0..3000).map(|i| (0.01 * f64::from(i)).rem_euclid(std::f64::consts::TAU)).collect();
        let (row, jump) = wraps(&turned).unwrap()[0];
        assert!(row == 629 && (jump + 6.27).abs() < 0.02);
        assert_eq!(wraps(&wave(3000)), None);
        let square = (0..3000).map(|i| if i / 300 % 2 == 0 { 1.0 } else { -1.0 });
        let square: Vec<f64> = square.enumerate().map(|(i, v)| v + 1e-3 * wave(3000)[i]).collect();
        assert_eq!(wraps(&square), None);
    }

    #[test]
    fn an_angle_that_starts_anew_is_seen_and_a_swing_is_not() {
        let wave = |size: f64| (0..600).map(move |i| size * (0.02 * f64::from(i)).sin());
        let turned: Vec<f64> = wave(9.0).map(|a| a.rem_euclid(std::f64::consts::TAU)).collect();
        let first = turned.windows(2).position(|w| (w[1] - w[0]).abs() > 3.0).unwrap() + 1;
        assert_eq!(turned_over(&turned), Some(first));
        for size in [0.5, 3.1, 9.0, 40.0] {
            assert_eq!(turned_over(&wave(size).collect::<Vec<_>>()), None, "{size}");
        }
        // A shaft takes several rows to follow a reference that steps by a turn.
        let slow: Vec<f64> = (0..600).map(|i| (f64::from(i) * 0.3).clamp(0.0, 6.3)).collect();
        assert_eq!(turned_over(&slow), None);
    }

    #[test]
    fn a_column_that_is_cut_off_is_seen() {
        let wave = wave(3000);
        assert!(!clipped(&wave).contains(&true));
        let cut: Vec<f64> = wave.iter().map(|v| v.min(80.0)).collect();
        let rows = clipped(&cut).iter().filter(|c| **c).count();
        assert_eq!(rows, wave.iter().filter(|v| **v >= 80.0).count());
        let rounded: Vec<f64> = wave.iter().map(|v| v.round()).collect();
        assert!(!clipped(&rounded).contains(&true));
    }
}
