//! Logs of a joint, and what is wrong with single rows of them.

use super::gear::Load;
use crate::statistics::stats::median;
use std::ops::Range;
use stickslip::numeric::{cholesky, solve_lower, solve_transposed};

/// One log.
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    /// s, increasing.
    pub time: Vec<f64>,
    /// rad.
    pub goal: Vec<f64>,
    /// Measured, rad; NaN where missing or left out as a spike.
    pub position: Vec<f64>,
    /// Whether the motor is on, from each row to the next; empty where it always is.
    pub enabled: Vec<bool>,
    /// V, from each row to the next; empty where the gain is in V/rad.
    pub supply: Vec<f64>,
    /// The log's own factor of the gain.
    pub gain: f64,
    /// What the joint moves.
    pub load: Load,
    /// Which mounting of a load it is, below [`super::MOUNTINGS`].
    pub mounting: usize,
    /// Angle (rad) and speed (rad/s) at the first row.
    pub start: [f64; 2],
    /// Rows from which the motion begins anew as it was measured; empty where the log is replayed in one piece.
    pub anchors: Vec<Anchor>,
}

/// A row from which a replay begins anew.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Anchor {
    /// Its row.
    pub row: usize,
    /// Measured angle (rad) and speed (rad/s) there, from the rows around it.
    pub state: [f64; 2],
}

/// What was left out of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// Rows whose angle stands alone, far from both neighbours.
    pub spikes: usize,
    /// Rows whose supply is not near that of the log; that of the row before is used.
    pub supply: usize,
}

/// A spike is so many steps of the encoder high,
const STEPS: f64 = 20.0;
/// and so many times the usual distance of a row from its neighbours,
const USUAL: f64 = 15.0;
/// and the rows next to it lie off to the other side by two thirds of its height, within these shares.
const NEXT: [f64; 2] = [0.5, 0.85];
/// A supply below this share of the usual one, or above its inverse, is a fault of reading.
const SUPPLY: f64 = 0.5;
/// Rows on either side of an anchor from which its angle and speed are taken.
const AROUND: usize = 3;
/// Rows from which the start is taken.
const FIRST: usize = 5;

impl Log {
    /// Leaves out single rows that no motion explains, and takes the start from the first rows.
    pub fn cleaned(&mut self) -> LeftOut {
        let left_out = LeftOut { spikes: self.leave_out_spikes(), supply: self.replace_supply() };
        self.start = self.beginning();
        left_out
    }

    /// The smallest change of the angle between rows: the step of the encoder.
    pub fn resolution(&self) -> f64 {
        let steps = self.position.windows(2).map(|w| (w[1] - w[0]).abs());
        let least = steps.filter(|s| *s > 1e-9).fold(f64::INFINITY, f64::min);
        if least.is_finite() { least } else { 0.0 }
    }

    /// Some rows of it, as a log of their own.
    pub fn part(&self, rows: Range<usize>) -> Self {
        let some = |values: &[f64]| values.get(rows.clone()).unwrap_or_default().to_vec();
        let mut part = Self {
            time: some(&self.time),
            goal: some(&self.goal),
            position: some(&self.position),
            enabled: self.enabled.get(rows.clone()).unwrap_or_default().to_vec(),
            supply: some(&self.supply),
            anchors: Vec::new(),
            ..*self
        };
        part.start = part.beginning();
        part
    }

    /// How far the angle usually is from its middle, rad.
    pub fn usual(&self) -> f64 {
        let known: Vec<f64> = self.position.iter().copied().filter(|p| p.is_finite()).collect();
        let middle = median(&mut known.clone());
        known.iter().map(|p| (p - middle).abs()).sum::<f64>() / known.len() as f64
    }

    /// The same log in pieces of `seconds` or a little less, each of which begins where the angle was measured.
    pub fn in_pieces(&self, seconds: f64) -> Self {
        let mut anchors = Vec::new();
        let mut next = self.time[0] + seconds;
        let resolution = self.resolution();
        for row in AROUND..self.time.len().saturating_sub(AROUND) {
            if self.time[row] < next {
                continue;
            }
            // Where an angle nearby is missing the piece goes on to the next row that has all of them.
            let Some(state) = self.around(row, resolution) else { continue };
            anchors.push(Anchor { row, state });
            next = self.time[row] + seconds;
        }
        Self { anchors, ..self.clone() }
    }

    /// Angle and speed at a row by the parabola through the rows around it; at rest where these lie within two steps of the
    /// encoder. None where an angle is missing.
    fn around(&self, row: usize, resolution: f64) -> Option<[f64; 2]> {
        let rows = row - AROUND..=row + AROUND;
        let angles = &self.position[rows.clone()];
        if angles.iter().any(|a| a.is_nan()) {
            return None;
        }
        let low = angles.iter().copied().fold(f64::INFINITY, f64::min);
        let high = angles.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if high - low <= 1.5 * resolution {
            return Some([median(&mut angles.to_vec()), 0.0]);
        }
        // Normal equations of a + b x + c x², x in rows' times from this one.
        let mut moments = [0.0; 5];
        let mut sums = [0.0; 3];
        for (time, angle) in self.time[rows].iter().zip(angles) {
            let x = time - self.time[row];
            let mut power = 1.0;
            for (k, moment) in moments.iter_mut().enumerate() {
                *moment += power;
                if let Some(sum) = sums.get_mut(k) {
                    *sum += power * angle;
                }
                power *= x;
            }
        }
        let m = &moments;
        let matrix = [m[0], m[1], m[2], m[1], m[2], m[3], m[2], m[3], m[4]];
        let lower = cholesky(&matrix, 3)?;
        solve_lower(&lower, &mut sums);
        solve_transposed(&lower, &mut sums);
        Some([sums[0], sums[1]])
    }

    /// A joint that leaps away and comes back within two rows would need torques far beyond any drive: such a row is a
    /// fault of the bus. How far a row is off is told by the cubic through two rows on either side, so that a fast motion is
    /// not; a leap h of one row gives h there, −2h/3 next to it and h/6 beyond, which no stop or start of a motion does.
    fn leave_out_spikes(&mut self) -> usize {
        let p = self.position.clone();
        if p.len() < 7 {
            return 0;
        }
        let off: Vec<f64> = (0..p.len())
            .map(|i| match i.checked_sub(2).and_then(|first| p.get(first..i + 3)) {
                Some([a, b, c, d, e]) => c - (4.0 * (b + d) - a - e) / 6.0,
                _ => f64::NAN,
            })
            .collect();
        let mut all: Vec<f64> = off.iter().map(|d| d.abs()).filter(|d| !d.is_nan()).collect();
        if all.is_empty() {
            return 0;
        }
        let least = (STEPS * self.resolution()).max(USUAL * median(&mut all));
        let mut count = 0;
        for i in 3..p.len() - 3 {
            // Rows at the ends have no cubic, and what is not a number is never within the shares.
            let is_opposite = |k: usize| (NEXT[0]..NEXT[1]).contains(&(-off[k] / off[i]));
            if off[i].abs() > least && is_opposite(i - 1) && is_opposite(i + 1) {
                self.position[i] = f64::NAN;
                count += 1;
            }
        }
        count
    }

    /// A supply that is not near the usual one is replaced by that of the row before.
    fn replace_supply(&mut self) -> usize {
        if self.supply.is_empty() {
            return 0;
        }
        // A supply of 0 is a fault of reading in itself, and many of them must not become the usual one.
        let mut all: Vec<f64> = self.supply.iter().copied().filter(|v| *v > 0.0).collect();
        if all.is_empty() {
            return 0;
        }
        let usual = median(&mut all);
        let mut last = usual;
        let mut count = 0;
        for v in &mut self.supply {
            if *v > SUPPLY * usual && *v < usual / SUPPLY {
                last = *v;
            } else {
                *v = last;
                count += 1;
            }
        }
        count
    }

    /// Angle and speed at the first row: at rest unless the first rows move by more than three steps of the encoder.
    fn beginning(&self) -> [f64; 2] {
        let known = self.time.iter().zip(&self.position).filter(|r| !r.1.is_nan());
        let first: Vec<(f64, f64)> =
            known.take(FIRST).map(|(t, p)| (t - self.time[0], *p)).collect();
        let n = first.len() as f64;
        if first.len() < 2 {
            return [first.first().map_or(0.0, |r| r.1), 0.0];
        }
        let mean_t = first.iter().map(|r| r.0).sum::<f64>() / n;
        let mean_p = first.iter().map(|r| r.1).sum::<f64>() / n;
        let cross: f64 = first.iter().map(|r| (r.0 - mean_t) * (r.1 - mean_p)).sum();
        let square: f64 = first.iter().map(|r| (r.0 - mean_t).powi(2)).sum();
        let speed = cross / square;
        let moved = speed * (first[first.len() - 1].0 - first[0].0);
        if moved.abs() <= 3.0 * self.resolution() {
            // Of the first three rows: one of them may be off by more than a step.
            let mut few: Vec<f64> = first.iter().take(3).map(|r| r.1).collect();
            return [median(&mut few), 0.0];
        }
        [mean_p - speed * mean_t, speed]
    }
}
