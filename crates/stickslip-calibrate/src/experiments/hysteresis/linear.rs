//! The linear problem of a motion.

use crate::record::corners::corners;
use crate::statistics::nonnegative::{Gather, Normal};
use crate::statistics::stats::mean;
use stickslip::portable;

/// Blocks that are left out for the errors.
pub const BLOCKS: usize = 12;

/// The motion, row by row.
pub struct Path {
    at: Vec<f64>,
    /// Where the motion turns between the row before and this one: that is not seen in their difference.
    turns: Vec<Option<f64>>,
    rates: Vec<f64>,
    /// Whether the velocity jumps next to a row, so that no rate is that of the row.
    pub corners: Vec<bool>,
    /// How far the displacement has gone from end to end.
    pub ranges: Vec<f64>,
    middle: f64,
    /// Time from the row before, s.
    steps: Vec<f64>,
    /// Time constant of a sensor through which the force is seen, s; 0 where it is seen at once.
    lag: f64,
    /// The first row that the unknown start of the elements does not touch.
    pub first: usize,
}

impl Path {
    /// The motion at some rows of a record of times and displacements.
    pub fn new(t: &[f64], x: &[f64], rows: &[usize]) -> Self {
        let at: Vec<f64> = rows.iter().map(|&i| x[i]).collect();
        let mut ranges = Vec::with_capacity(at.len());
        let mut low = f64::INFINITY;
        let mut high = f64::NEG_INFINITY;
        for x in &at {
            low = low.min(*x);
            high = high.max(*x);
            ranges.push(high - low);
        }
        let rate = |n: usize| {
            // Over both neighbours, so that the rate belongs to the row itself.
            let a = rows[n.saturating_sub(1)];
            let b = rows[(n + 1).min(rows.len() - 1)];
            (x[b] - x[a]) / (t[b] - t[a])
        };
        let turn = |n: usize| if n == 0 { None } else { turn_between(t, x, rows, n) };
        // Once the displacement has gone nearly through its whole range, every element has slid.
        let first = ranges.iter().position(|range| *range > 0.95 * (high - low)).unwrap_or(0);
        Self {
            turns: (0..at.len()).map(turn).collect(),
            rates: (0..at.len()).map(rate).collect(),
            corners: corners(t, x, rows),
            ranges,
            middle: mean(&at),
            steps: (0..rows.len()).map(|n| t[rows[n]] - t[rows[n.max(1) - 1]]).collect(),
            lag: 0.0,
            // A record that goes through its range only at the end keeps half of its rows.
            first: first.min(at.len() / 2),
            at,
        }
    }

    /// The same behind a slow sensor of the force: ϑ dF/dt = F_device − F.
    pub fn behind(mut self, lag: f64) -> Self {
        self.lag = lag;
        self
    }

    /// The stretch of stops of these thresholds, and the sign of the last slide of each (0 before it), row by row.
    fn slide(&self, grid: &[f64], mut row: impl FnMut(usize, &[f64], &[f64])) {
        let mut stretch = vec![0.0f64; grid.len()];
        let mut signs = vec![0.0f64; grid.len()];
        let mut before = self.at[0];
        for (n, &at) in self.at.iter().enumerate() {
            for to in self.turns[n].into_iter().chain([at]) {
                for ((s, sign), r) in stretch.iter_mut().zip(&mut signs).zip(grid) {
                    let free = *s + to - before;
                    *s = free.clamp(-r, *r);
                    if free != *s {
                        *sign = free.signum();
                    }
                }
                before = to;
            }
            row(n, &stretch, &signs);
        }
    }
}

/// What stands for a device under a motion: a column for each element, of which the first is rigid, the spring, the damper, the
/// offset up and down; and, where thresholds may move, for each element but the first how its force changes with its threshold, up
/// and down.
pub struct Device<'a> {
    pub path: &'a Path,
    pub grid: &'a [f64],
    pub viscous: bool,
    pub moving: bool,
}

impl Device<'_> {
    /// Numbers of a device whose thresholds stay.
    pub fn fixed(&self) -> usize {
        self.grid.len() + 4
    }

    fn width(&self) -> usize {
        self.fixed() + if self.moving { 2 * (self.grid.len() - 1) } else { 0 }
    }

    /// The columns, row by row.
    pub fn each(&self, mut use_row: impl FnMut(usize, &[f64])) {
        let Self { path, grid, viscous, moving } = *self;
        let mut row = Vec::with_capacity(self.width());
        let mut sensor = Sensor::new(path.lag);
        path.slide(grid, |n, stretch, signs| {
            let v = path.rates[n];
            row.clear();
            // The first element is rigid, and its force has the sign of the rate.
            row.push(grid[0] * if v == 0.0 { 0.0 } else { v.signum() });
            row.extend_from_slice(&stretch[1..]);
            // An offset may have either sign, but no number may be negative: it has a column up and one down.
            row.extend([path.at[n] - path.middle, if viscous { v } else { 0.0 }, 1.0, -1.0]);
            if moving {
                row.extend_from_slice(&signs[1..]);
                row.extend(signs[1..].iter().map(|s| -s));
            }
            use_row(n, sensor.sees(&row, path.steps[n]));
        });
    }

    /// The normal equations of the rows from `first` on that have a force, every so many of them, in blocks of as many.
    pub fn blocks(&self, first: usize, forces: &[f64], every: usize) -> Vec<Normal> {
        let all = counted(&forces[first..]);
        let mut before = 0usize;
        let of = |n: usize, _: f64| {
            if n < first {
                return None;
            }
            before += 1;
            (before - 1).is_multiple_of(every).then_some((before - 1) * BLOCKS / all)
        };
        self.blocks_of(BLOCKS, of, forces)
    }

    /// The same in so many blocks, of which `of` tells that of a row and its force, if it counts.
    pub fn blocks_of(
        &self,
        count: usize,
        mut of: impl FnMut(usize, f64) -> Option<usize>,
        forces: &[f64],
    ) -> Vec<Normal> {
        let mut blocks = vec![Gather::new(self.width()); count];
        self.each(|n, row| {
            let force = forces[n];
            if force.is_nan() {
                return;
            }
            if let Some(block) = of(n, force) {
                blocks[block].add(row, force);
            }
        });
        blocks.into_iter().map(Gather::finish).collect()
    }

    /// The forces that these numbers give, row by row.
    pub fn predicted(&self, numbers: &[f64]) -> Vec<f64> {
        let mut out = Vec::with_capacity(self.path.at.len());
        self.each(|_, row| out.push(row.iter().zip(numbers).map(|(a, b)| a * b).sum()));
        out
    }
}

/// A sensor of first order that sees every column, which is linear between rows.
struct Sensor {
    lag: f64,
    before: Vec<f64>,
    state: Vec<f64>,
}

impl Sensor {
    fn new(lag: f64) -> Self {
        Self { lag, before: Vec::new(), state: Vec::new() }
    }

    /// What it shows of a row, `step` after the one before.
    fn sees<'r>(&'r mut self, row: &'r [f64], step: f64) -> &'r [f64] {
        if self.lag <= 0.0 {
            return row;
        }
        if self.state.is_empty() {
            self.state.extend_from_slice(row);
        } else {
            // As `lagged` of the record of a bearing.
            let h = step / self.lag;
            let decay = portable::exp(-h);
            for ((s, b), v) in self.state.iter_mut().zip(&self.before).zip(row) {
                let behind = (v - b) / h;
                *s = v - behind + (*s - b + behind) * decay;
            }
        }
        self.before.clear();
        self.before.extend_from_slice(row);
        &self.state
    }
}

/// Rows that have a force.
pub fn counted(forces: &[f64]) -> usize {
    forces.iter().filter(|f| f.is_finite()).count()
}

/// Blocks of rows together.
pub fn total(blocks: &[Normal]) -> Normal {
    let width = blocks.first().map_or(0, |b| b.right.len());
    blocks.iter().fold(Normal::new(width), |sum, b| sum.plus(1.0, b))
}

/// The displacement at a turn between rows n − 1 and n: where the rates on either side have other signs, the extreme of the
/// cubic through both (Hermite).
pub fn turn_between(t: &[f64], x: &[f64], rows: &[usize], n: usize) -> Option<f64> {
    let a = rows[n - 1];
    let b = rows[n];
    let rate = |k: usize| {
        let l = rows[k.saturating_sub(1)];
        let r = rows[(k + 1).min(rows.len() - 1)];
        (x[r] - x[l]) / (t[r] - t[l]) * (t[b] - t[a])
    };
    let from = rate(n - 1);
    let to = rate(n);
    let by = x[b] - x[a];
    if from * to >= 0.0 {
        return None;
    }
    let slope = |s: f64| {
        from + s * (6.0 * by - 4.0 * from - 2.0 * to) + s * s * (3.0 * from + 3.0 * to - 6.0 * by)
    };
    // The slope of the cubic changes its sign once between the rows.
    let mut ends = [0.0, 1.0];
    for _ in 0..30 {
        let middle = 0.5 * (ends[0] + ends[1]);
        ends[usize::from(slope(middle) * from <= 0.0)] = middle;
    }
    let s = ends[0];
    let cubic = (s * s * s - 2.0 * s * s + s) * from
        + (3.0 * s * s - 2.0 * s * s * s) * by
        + (s * s * s - s * s) * to;
    Some(x[a] + cubic)
}
