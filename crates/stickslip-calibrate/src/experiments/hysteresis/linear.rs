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
    /// Where the motion begins.
    start: f64,
    /// Where the motion turns between rows, which is not seen in their differences, and how many of these come before each row.
    turns: Vec<f64>,
    turned: Vec<usize>,
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
        let mut turns = Vec::new();
        let mut turned = Vec::with_capacity(at.len());
        for n in 0..at.len() {
            turns.extend((n > 0).then(|| turn_between(t, x, rows, n)).flatten());
            turned.push(turns.len());
        }
        // Once the displacement has gone nearly through its whole range, every element has slid.
        let first = ranges.iter().position(|range| *range > 0.95 * (high - low)).unwrap_or(0);
        Self {
            start: at.first().copied().unwrap_or(0.0),
            turns,
            turned,
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

    /// The same seen at some of the rows alone. Where the motion goes one way elements slide as if it had gone there in one step, so that of
    /// the rows between only the turns are kept. Not for a slow sensor, which sees them all.
    fn at_rows(&self, rows: &[usize]) -> Self {
        let mut turns = Vec::new();
        let mut turned = Vec::with_capacity(rows.len());
        let mut before = self.start;
        let mut way = 0.0;
        let mut known = 0;
        let mut n = 0;
        for &row in rows {
            while n <= row {
                let between = &self.turns[known..self.turned[n]];
                known = self.turned[n];
                for &to in between.iter().chain([&self.at[n]]) {
                    let by = to - before;
                    if by * way < 0.0 {
                        turns.push(before);
                    }
                    way = if by == 0.0 { way } else { by.signum() };
                    before = to;
                }
                n += 1;
            }
            turned.push(turns.len());
            // The row itself is no place between rows.
            way = 0.0;
        }
        let of = |values: &[f64]| rows.iter().map(|&n| values[n]).collect::<Vec<f64>>();
        Self {
            at: of(&self.at),
            start: self.start,
            turns,
            turned,
            rates: of(&self.rates),
            corners: rows.iter().map(|&n| self.corners[n]).collect(),
            ranges: of(&self.ranges),
            middle: self.middle,
            steps: of(&self.steps),
            lag: self.lag,
            first: 0,
        }
    }

    /// The same at some rows, if that is less work.
    pub fn few(&self, rows: &[usize]) -> Option<Self> {
        (self.lag <= 0.0 && 2 * rows.len() <= self.at.len()).then(|| self.at_rows(rows))
    }

    /// The stretch of stops of these thresholds, and the sign of the last slide of each (0 before it), row by row.
    fn slide(&self, grid: &[f64], mut row: impl FnMut(usize, &[f64], &[f64])) {
        let mut stretch = vec![0.0f64; grid.len()];
        let mut signs = vec![0.0f64; grid.len()];
        let mut before = self.start;
        let mut known = 0;
        for (n, &at) in self.at.iter().enumerate() {
            let between = &self.turns[known..self.turned[n]];
            known = self.turned[n];
            for &to in between.iter().chain([&at]) {
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
        self.each_of(Some, |n, _, row| use_row(n, row));
    }

    /// The columns of the rows of which `of` tells something, row by row, with what it tells.
    fn each_of<T>(
        &self,
        mut of: impl FnMut(usize) -> Option<T>,
        mut use_row: impl FnMut(usize, T, &[f64]),
    ) {
        let Self { path, grid, viscous, moving } = *self;
        let mut row = Vec::with_capacity(self.width());
        let mut sensor = Sensor::new(path.lag);
        path.slide(grid, |n, stretch, signs| {
            let told = of(n);
            // A slow sensor sees every row.
            if told.is_none() && path.lag <= 0.0 {
                return;
            }
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
            let seen = sensor.sees(&row, path.steps[n]);
            if let Some(told) = told {
                use_row(n, told, seen);
            }
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
        let of = |n: usize| if forces[n].is_nan() { None } else { of(n, forces[n]) };
        self.each_of(of, |n, block, row| blocks[block].add(row, forces[n]));
        blocks.into_iter().map(Gather::finish).collect()
    }

    /// The normal equations of all those rows together, of one in `every`.
    pub fn whole(&self, first: usize, forces: &[f64], every: usize) -> Normal {
        let counts = (first..forces.len()).filter(|&n| !forces[n].is_nan());
        let rows: Vec<usize> = counts.step_by(every).collect();
        let Some(path) = self.path.few(&rows) else {
            return total(&self.blocks(first, forces, every));
        };
        let forces: Vec<f64> = rows.iter().map(|&n| forces[n]).collect();
        total(&Device { path: &path, ..*self }.blocks(0, &forces, 1))
    }

    /// The forces that these numbers of a device whose thresholds stay give, row by row.
    pub fn predicted(&self, numbers: &[f64]) -> Vec<f64> {
        // Elements without a stiffness give no force; the first one is rigid and stays the first.
        let n = self.grid.len();
        let used: Vec<usize> = (0..n).filter(|&j| j == 0 || numbers[j] != 0.0).collect();
        let grid: Vec<f64> = used.iter().map(|&j| self.grid[j]).collect();
        let numbers: Vec<f64> = used.into_iter().chain(n..n + 4).map(|j| numbers[j]).collect();
        let mut out = Vec::with_capacity(self.path.at.len());
        let device = Device { grid: &grid, moving: false, ..*self };
        device.each(|_, row| out.push(row.iter().zip(&numbers).map(|(a, b)| a * b).sum()));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::random::Draws;

    /// Of a motion that turns often, also between rows, and rests: every seventh row has the stretches that the stops have there when all rows
    /// are gone through, to the rounding of the sums.
    #[test]
    fn some_rows_know_what_happened_between() {
        let mut draws = Draws::new(4, 9);
        let t: Vec<f64> = (0..3000).map(|i| 0.1 * f64::from(i)).collect();
        let slow = |t: f64| (0.21 * t).sin() + 0.4 * (1.3 * t).sin();
        let x: Vec<f64> = t.iter().map(|t| slow(*t) + 0.02 * draws.normal()).collect();
        let x: Vec<f64> =
            x.iter().enumerate().map(|(i, v)| if i / 100 % 5 == 0 { 0.3 } else { *v }).collect();
        let all: Vec<usize> = (0..3000).collect();
        let path = Path::new(&t, &x, &all);
        let rows: Vec<usize> = (3..3000).step_by(7).collect();
        let few = path.few(&rows).unwrap();
        let grid = [1e-4, 0.01, 0.1, 0.5];
        let of = |path: &Path| {
            let mut seen = Vec::new();
            path.slide(&grid, |_, stretch, signs| {
                seen.push([stretch.to_vec(), signs.to_vec()].concat());
            });
            seen
        };
        let whole = of(&path);
        for (n, own) in of(&few).iter().enumerate() {
            let near = own.iter().zip(&whole[rows[n]]).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(near, "{n}: {own:?} and {:?}", whole[rows[n]]);
        }
        assert!(path.behind(0.1).few(&rows).is_none());
    }
}
