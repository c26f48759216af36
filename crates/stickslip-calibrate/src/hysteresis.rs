//! Force and displacement of a damper or an isolator to springs and friction elements.
//!
//! ```text
//! F = o + k x + c ẋ + Σ_j k_j E_j[x]        all but o ≥ 0
//! ```
//!
//! E_j is the stop of threshold r_j: a spring that slides where it is stretched by r_j, so that k_j r_j is the force at
//! which element j slides (Prandtl 1928; Iwan 1966). Over a fixed grid of thresholds the problem is convex: least squares
//! with numbers ≥ 0 (`nonnegative`). The spectrum k_j r_j against r_j is the friction of the device by the displacement
//! at which it lets go; an element of the grid that the record does not need gets 0.
//!
//! Errors by leaving out one block of the record after the other (Künsch 1989), with what the blocks say of the bias of numbers
//! that are never negative (Quenouille 1956), and with what another grid, whose thresholds lie between, would give.

use crate::error::Error;
use crate::estimate::Estimate;
use crate::nonnegative::Normal;
use crate::stats::{mean, square};
use crate::uncertainty::autocorrelation_time;
use serde::Serialize;
use stickslip::portable;

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Hysteresis {
    /// Thresholds of the grid.
    pub elements: usize,
    /// Whether there may be a viscous force.
    pub viscous: bool,
}

impl Default for Hysteresis {
    fn default() -> Self {
        Self { elements: 40, viscous: true }
    }
}

/// One friction element.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Element {
    /// The stretch at which it slides, m.
    pub threshold: f64,
    /// Of its spring, N/m.
    pub stiffness: f64,
    /// The force at which it slides, N.
    pub force: f64,
}

/// The device that was found.
#[derive(Debug, Clone, Serialize)]
pub struct HysteresisFit {
    /// `friction`: Σ k_j r_j, the force of all elements in slip; `stiffness`: that at a reversal, elements and spring;
    /// `spring`, `damping` and `offset`.
    pub parameters: HysteresisParameters,
    /// Elements with a force, by their thresholds.
    pub spectrum: Vec<Element>,
    /// Root mean square of what is left, N.
    pub rmse: f64,
    /// The same as a share of the force about its mean.
    pub relative: f64,
    /// ∮ F dx over the record: measured and fitted, J.
    pub dissipated: [f64; 2],
    /// Rows that count.
    pub samples: usize,
    /// Computing only, s.
    pub seconds: f64,
    /// One sentence each.
    pub warnings: Vec<String>,
    /// What the device gives, N, for each row.
    #[serde(skip)]
    pub fitted: Vec<f64>,
}

/// What is known of the device.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HysteresisParameters {
    /// Σ k_j r_j, N.
    pub friction: Estimate,
    /// k + Σ k_j, N/m.
    pub stiffness: Estimate,
    /// k, N/m.
    pub spring: Estimate,
    /// c, N·s/m.
    pub damping: Estimate,
    /// o, N.
    pub offset: Estimate,
}

/// Fewest rows.
const FEWEST: usize = 100;
/// Blocks that are left out for the errors.
const BLOCKS: usize = 12;
/// The smallest and the largest threshold of the grid, as shares of the range of the displacement: an element with half of
/// the range never slides, and cannot be told from a spring.
const SMALLEST: f64 = 1.0 / 200.0;
const LARGEST: f64 = 0.4;

/// Finds the device behind a record: times (s, increasing), displacements (m) and forces (N), NaN where one is missing.
///
/// ```
/// use stickslip_calibrate::hysteresis::{Hysteresis, hysteresis};
/// // One element of 2 N that slides at 1 mm, beside a spring of 500 N/m.
/// let (mut stretch, mut before) = (0.0f64, 0.0);
/// let (mut t, mut x, mut f) = (Vec::new(), Vec::new(), Vec::new());
/// for i in 0..2000 {
///     let now = 5e-3 * (0.02 * f64::from(i)).sin();
///     stretch = (stretch + now - before).clamp(-1e-3, 1e-3);
///     before = now;
///     (t.push(0.01 * f64::from(i)), x.push(now), f.push(2000.0 * stretch + 500.0 * now));
/// }
/// let found = hysteresis(&t, &x, &f, &Hysteresis::default())?;
/// assert!((found.parameters.friction.value.unwrap() - 2.0).abs() < 0.02);
/// assert!((found.parameters.spring.value.unwrap() - 500.0).abs() < 5.0);
/// # Ok::<(), stickslip_calibrate::Error>(())
/// ```
///
/// # Errors
/// If the columns differ in length, times do not increase, there are fewer than 100 rows, or nothing moves.
pub fn hysteresis(
    time: &[f64],
    displacement: &[f64],
    force: &[f64],
    asked: &Hysteresis,
) -> Result<HysteresisFit, Error> {
    let rows = checked(time, displacement, force)?;
    let (low, high) = rows.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |r, &i| {
        (r.0.min(displacement[i]), r.1.max(displacement[i]))
    });
    let range = high - low;
    if range <= 0.0 {
        return Err(Error::Constant { column: "displacement", value: low });
    }
    let grid = thresholds(range, asked.elements.max(2));
    let table = Table::new((time, displacement), &rows, &grid, asked.viscous);
    let blocks = table.blocks(&rows, force);
    let all = total(&blocks);
    let numbers = all.nonnegative();
    let without: Vec<Vec<f64>> = blocks.iter().map(|b| all.plus(-1.0, b).nonnegative()).collect();
    let fitted = table.predicted(&numbers, time.len(), &rows);
    let counted = &rows[table.first..];
    let left: Vec<f64> = counted.iter().map(|&i| force[i] - fitted[i]).collect();
    let seen: Vec<f64> = counted.iter().map(|&i| force[i]).collect();
    let middle = mean(&seen);
    let spread =
        (seen.iter().map(|f| (f - middle).powi(2)).sum::<f64>() / seen.len() as f64).sqrt();
    let rmse = (square(&left) / left.len() as f64).sqrt();
    let work = |f: &dyn Fn(usize) -> f64| {
        let part =
            |w: &[usize]| 0.5 * (f(w[0]) + f(w[1])) * (displacement[w[1]] - displacement[w[0]]);
        counted.windows(2).map(part).sum::<f64>()
    };
    let dissipated = [work(&|i| force[i]), work(&|i| fitted[i])];
    // The least that noise alone leaves unknown: of a number at 0 the blocks say nothing.
    let together = autocorrelation_time(std::slice::from_ref(&left));
    let slack = |k: usize| rmse * (together / all.alone(k, &numbers)).sqrt();
    let other = between(&grid);
    let beside = Table::new((time, displacement), &rows, &other, asked.viscous);
    let beside = total(&beside.blocks(&rows, force)).nonnegative();
    let mut found = HysteresisFit {
        parameters: parameters((&table, &numbers, &without), (&grid, &other, &beside), &slack),
        spectrum: spectrum(&grid, &numbers),
        rmse,
        relative: rmse / spread,
        dissipated,
        samples: counted.len(),
        seconds: 0.0,
        warnings: Vec::new(),
        fitted,
    };
    judge(&mut found, (range, &grid));
    Ok(found)
}

/// The rows that hold everything.
fn checked(time: &[f64], x: &[f64], force: &[f64]) -> Result<Vec<usize>, Error> {
    for (column, found) in [("displacement", x.len()), ("force", force.len())] {
        if found != time.len() {
            return Err(Error::ColumnLength { column, found, times: time.len() });
        }
    }
    if let Some(i) = (1..time.len()).find(|&i| time[i] <= time[i - 1] || time[i].is_nan()) {
        return Err(Error::TimesNotIncreasing { row: i + 1, found: time[i], before: time[i - 1] });
    }
    let rows: Vec<usize> =
        (0..time.len()).filter(|&i| x[i].is_finite() && force[i].is_finite()).collect();
    if rows.len() < FEWEST {
        return Err(Error::TooFewSamples { found: rows.len(), needed: FEWEST });
    }
    Ok(rows)
}

fn thresholds(range: f64, count: usize) -> Vec<f64> {
    let (low, high) = (SMALLEST * range, LARGEST * range);
    (0..count).map(|j| low * portable::pow(high / low, j as f64 / (count - 1) as f64)).collect()
}

/// A grid whose thresholds lie between those of another.
fn between(grid: &[f64]) -> Vec<f64> {
    grid.windows(2).map(|r| (r[0] * r[1]).sqrt()).collect()
}

/// Blocks of rows together.
fn total(blocks: &[Normal]) -> Normal {
    let width = blocks.first().map_or(0, |b| b.right.len());
    blocks.iter().fold(Normal::new(width), |sum, b| sum.plus(1.0, b))
}

/// The columns of the linear problem: elements, spring, damper, offset up and down.
struct Table {
    rows: Vec<Vec<f64>>,
    width: usize,
    elements: usize,
    viscous: bool,
    /// The first row that the unknown start of the elements does not touch.
    first: usize,
}

impl Table {
    fn new((t, x): (&[f64], &[f64]), rows: &[usize], grid: &[f64], viscous: bool) -> Self {
        let range = grid[grid.len() - 1] / LARGEST;
        let mut stretch = vec![0.0f64; grid.len()];
        let (mut table, mut first) = (Vec::with_capacity(rows.len()), None);
        let middle = mean(&rows.iter().map(|&i| x[i]).collect::<Vec<_>>());
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (n, &i) in rows.iter().enumerate() {
            let before = if n == 0 { x[i] } else { x[rows[n - 1]] };
            for (s, r) in stretch.iter_mut().zip(grid) {
                *s = (*s + x[i] - before).clamp(-r, *r);
            }
            (low, high) = (low.min(x[i]), high.max(x[i]));
            // Once the displacement has gone nearly through its whole range, every element has slid.
            if first.is_none() && high - low > 0.95 * range {
                first = Some(n);
            }
            let (a, b) = (rows[n.saturating_sub(1)], rows[(n + 1).min(rows.len() - 1)]);
            let v = (x[b] - x[a]) / (t[b] - t[a]);
            let others = [x[i] - middle, if viscous { v } else { 0.0 }, 1.0, -1.0];
            table.push(stretch.iter().copied().chain(others).collect());
        }
        let first = first.unwrap_or(0).min(rows.len() / 2);
        Self { rows: table, width: grid.len() + 4, elements: grid.len(), viscous, first }
    }

    fn blocks(&self, rows: &[usize], force: &[f64]) -> Vec<Normal> {
        let counted = self.rows.len() - self.first;
        let mut blocks = vec![Normal::new(self.width); BLOCKS];
        for n in self.first..self.rows.len() {
            let block = (n - self.first) * BLOCKS / counted;
            blocks[block].add(&self.rows[n], force[rows[n]]);
        }
        blocks
    }

    fn predicted(&self, numbers: &[f64], count: usize, rows: &[usize]) -> Vec<f64> {
        let mut out = vec![f64::NAN; count];
        for (row, &i) in self.rows.iter().zip(rows) {
            out[i] = row.iter().zip(numbers).map(|(a, b)| a * b).sum();
        }
        out
    }
}

fn spectrum(grid: &[f64], numbers: &[f64]) -> Vec<Element> {
    let all = grid.iter().zip(numbers).filter(|(_, k)| **k > 0.0);
    all.map(|(&threshold, &stiffness)| Element {
        threshold,
        stiffness,
        force: stiffness * threshold,
    })
    .collect()
}

fn parameters(
    (table, numbers, without): (&Table, &[f64], &[Vec<f64>]),
    (grid, other, beside): (&[f64], &[f64], &[f64]),
    slack: &dyn Fn(usize) -> f64,
) -> HysteresisParameters {
    let n = table.elements;
    let known = |unit, least: f64, of: &dyn Fn(&[f64], &[f64]) -> f64| {
        let value = of(grid, numbers);
        let others: Vec<f64> = without.iter().map(|w| of(grid, w)).collect();
        let (middle, blocks) = (mean(&others), others.len() as f64);
        let variance: f64 = others.iter().map(|v| (v - middle).powi(2)).sum();
        // What noise adds to numbers that are never negative, by the same blocks (Quenouille 1956).
        let bias = (blocks - 1.0) * (middle - value);
        let error = portable::hypot((variance * (blocks - 1.0) / blocks).sqrt().max(least), bias);
        // True thresholds lie between those of the grid.
        let error = portable::hypot(error, of(other, beside) - value);
        // Student's t with eleven degrees of freedom, for twelve blocks.
        Estimate::within(value, error, [value - 2.201 * error, value + 2.201 * error], unit)
    };
    let damping = if table.viscous {
        known("N·s/m", slack(n + 1), &|g, p| p[g.len() + 1])
    } else {
        Estimate::unknown("N·s/m", "no viscous force was asked for")
    };
    HysteresisParameters {
        friction: known("N", 0.0, &|g, p| g.iter().zip(p).map(|(r, k)| r * k).sum()),
        stiffness: known("N/m", 0.0, &|g, p| p[..=g.len()].iter().sum()),
        spring: known("N/m", slack(n), &|g, p| p[g.len()]),
        damping,
        offset: known("N", 0.0, &|g, p| p[g.len() + 2] - p[g.len() + 3]),
    }
}

/// More than this share of the force is not explained: then it is no such device.
const UNEXPLAINED: f64 = 0.3;
/// More than this share of the friction in elements that hardly slide: the record is too small to see them.
const UNSEEN: f64 = 0.1;

fn judge(found: &mut HysteresisFit, (range, grid): (f64, &[f64])) {
    if found.relative > UNEXPLAINED {
        found.warnings.push(format!(
            "springs and friction elements leave {:.0} % of the force unexplained: check that displacement and force belong \
             together, count in the same direction and have no delay",
            100.0 * found.relative
        ));
    }
    let total: f64 = found.spectrum.iter().map(|e| e.force).sum();
    let largest = grid[grid.len() - 2];
    let late: f64 = found.spectrum.iter().filter(|e| e.threshold >= largest).map(|e| e.force).sum();
    if late > UNSEEN * total {
        found.warnings.push(format!(
            "{:.0} % of the friction is in elements that slide only at the ends of the motion ({:.3e} m): larger displacements \
             than {:.3e} m are needed to see them, and the friction is not known from this record",
            100.0 * late / total,
            largest,
            range
        ));
    }
}
