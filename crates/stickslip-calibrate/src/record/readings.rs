//! The rows of a record that hold readings of their own: those that a logger has not held or cut off.

use super::entry::{Column, Holds};
use super::logger::{clipped, fresh, held, noisy_inside};
use crate::error::Error;

/// Rows that a force which is cut off takes with it on either side: there noise decides which of them are cut off.
const NEXT_TO_CUT: usize = 2;
/// Fewer rows in which everything is new, and a smaller share of all, are too few.
const FEWEST: usize = 100;
const SHARE: f64 = 0.01;

/// What a logger has left of a record.
pub struct Readings {
    /// The rows by which the motion is known.
    pub moving: Vec<usize>,
    /// Whether a row of the record holds forces that count: where only these are lost, the motion goes on being known.
    pub counts: Vec<bool>,
    /// The largest share of the rows in which a force is cut off.
    pub lost: f64,
    /// What the reader should know.
    pub said: Vec<String>,
}

impl Readings {
    /// Of `rows` that hold a value of each of the columns.
    ///
    /// # Errors
    /// If the columns never change in the same row.
    pub fn of(rows: &[usize], columns: &[Column<'_>]) -> Result<Self, Error> {
        let length = columns.first().map_or(0, |c| c.values.len());
        let seen: Vec<Vec<f64>> =
            columns.iter().map(|c| rows.iter().map(|&i| c.values[i]).collect()).collect();
        let mut said = Vec::new();
        let mut keep = vec![true; rows.len()];
        let mut moves = vec![true; rows.len()];
        for (column, values) in columns.iter().zip(&seen) {
            let Some(for_rows) = held(values) else { continue };
            let new = renewed(values, for_rows);
            keep.iter_mut().zip(&new).for_each(|(k, new)| *k &= new);
            if column.holds.is_motion() {
                moves.iter_mut().zip(&new).for_each(|(k, new)| *k &= new);
            }
            said.push(format!(
                "each value of the {} stands for about {for_rows} rows, as of a slower sensor whose last value is held: only the rows with new \
                 values were used",
                column.name
            ));
        }
        let left = keep.iter().filter(|k| **k).count();
        // Sensors that are held in turn have no row in which all are new.
        if left < FEWEST.min((SHARE * rows.len() as f64) as usize) {
            let names: Vec<&str> = columns.iter().map(|c| c.name).collect();
            return Err(Error::Unfit(format!(
                "{} are held over several rows, and never change in the same row: record each at its own rate, with its own times",
                names.join(" and ")
            )));
        }
        let mut lost = 0.0f64;
        for (column, values) in columns.iter().zip(&seen).filter(|c| c.0.holds == Holds::Force) {
            let cut = clipped(values);
            let share = cut.iter().filter(|c| **c).count() as f64 / rows.len() as f64;
            // A friction without noise is constant, too: there a value at the end is a value.
            if share == 0.0 || !noisy_inside(values, &cut) {
                continue;
            }
            for (n, _) in cut.iter().enumerate().filter(|c| *c.1) {
                let next = (n + NEXT_TO_CUT + 1).min(rows.len());
                keep[n.saturating_sub(NEXT_TO_CUT)..next].fill(false);
            }
            said.push(format!(
                "the {} stands at the end of its range in {:.0} % of the rows, as of an amplifier that is cut off: these rows were left out, and \
                 the largest forces are not in the record",
                column.name,
                100.0 * share
            ));
            lost = lost.max(share);
        }
        let mut counts = vec![false; length];
        rows.iter().zip(&keep).filter(|r| *r.1).for_each(|r| counts[*r.0] = true);
        // After the last force the motion says nothing of the device.
        let end = counts.iter().rposition(|c| *c).map_or(0, |i| i + 1);
        let moving: Vec<usize> = if moves.contains(&false) {
            rows.iter().zip(moves).filter(|r| r.1 && *r.0 < end).map(|r| *r.0).collect()
        } else {
            let motions = || columns.iter().filter(|c| c.holds.is_motion());
            (0..end).filter(|&i| motions().all(|c| c.values[i].is_finite())).collect()
        };
        Ok(Self { moving, counts, lost, said })
    }
}

/// Whether each row of a column whose values are held for so many rows is new, or was renewed with the same value: where nothing moves,
/// runs of equal values are longer.
fn renewed(values: &[f64], for_rows: usize) -> Vec<bool> {
    let mut out = fresh(values);
    let mut since = 0;
    for i in 0..values.len() {
        since = if out[i] { 0 } else { since + 1 };
        // One row of grace, for rates that are no multiples; from then on every so many rows.
        let stays = |v: &f64| *v == values[i];
        if since > for_rows && values[i..].iter().take(for_rows).all(stays) {
            out[i] = true;
            since = 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A force that is held over four rows, rests for fifty and is cut off at the top.
    #[test]
    fn rows_that_a_logger_filled_do_not_count() {
        let x: Vec<f64> = (0..4000).map(|i| (0.02 * f64::from(i)).sin()).collect();
        let noise = |i: usize| 1e-3 * ((7 * i % 101) as f64);
        let force: Vec<f64> = (0..4000).map(|i| (x[i / 4 * 4] + noise(i / 4)).min(1.0)).collect();
        let rows: Vec<usize> = (0..4000).collect();
        let columns = [("displacement", &x, Holds::Motion), ("force", &force, Holds::Force)]
            .map(|(name, values, holds)| Column { name, values, holds });
        let found = Readings::of(&rows, &columns).unwrap();
        // Up to the last force that counts.
        let last = found.counts.iter().rposition(|c| *c).unwrap();
        assert_eq!(found.moving, (0..=last).collect::<Vec<usize>>());
        assert!(found.said[0].contains("force stands for about 4 rows"), "{:?}", found.said);
        assert!(found.said[1].contains("cut off"), "{:?}", found.said);
        let wrong = (0..4000).filter(|&i| found.counts[i] && (i % 4 != 0 || force[i] >= 1.0));
        assert_eq!(wrong.count(), 0);
        assert!(found.counts.iter().filter(|c| **c).count() > 600);
        // A rest is renewed at the rate of the sensor.
        let rests: Vec<f64> = (0..400).map(|i| f64::from((i / 4).min(50) * 3 % 7)).collect();
        let new = renewed(&rests, 4);
        assert!((250..390).filter(|i| new[*i]).count() >= 30);
    }
}
