//! The numbers of a joint that explain its logs best: Levenberg (1944) and Marquardt (1963) on a loss that grows like the
//! square of small errors and like the size of large ones.
//!
//! ```text
//! Σ over rows  δ² (√(1 + (e/δ)²) − 1),        e = simulated − measured angle
//! ```
//!
//! Rows of one log pull together where the model lacks something; a square would let the worst log decide. The errors that
//! are reported are mean absolute ones, and the loss is close to those.

use super::dual::{Dual, Real};
use super::logs::Log;
use super::motion::replay;
use super::{Joint, Slot};
use crate::control::Control;
use crate::error::Error;
use crate::parallel;
use stickslip::numeric::{cholesky, solve_lower, solve_transposed};

/// δ, rad: errors below are squared. Near what two repetitions of one log of a small servo differ by.
pub const SQUARED_BELOW: f64 = 0.01;
/// Most unknowns of one fit.
pub const MOST: usize = 24;

/// One number that is sought.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sought {
    /// Where it stands.
    pub slot: Slot,
    /// Its range.
    pub range: [f64; 2],
}

/// What one log says of the numbers.
#[derive(Debug, Clone, Default)]
pub struct Part {
    /// The loss, rad².
    pub loss: f64,
    /// Σ |e|, rad.
    pub absolute: f64,
    /// Rows that count.
    pub rows: usize,
    /// Derivative of the loss.
    pub gradient: Vec<f64>,
    /// Gauss and Newton's second derivative of the loss, row by row.
    pub curvature: Vec<f64>,
}

impl Part {
    fn sized(n: usize) -> Self {
        Self { gradient: vec![0.0; n], curvature: vec![0.0; n * n], ..Self::default() }
    }

    /// Adds what another log says.
    pub fn add(&mut self, other: &Self) {
        self.loss += other.loss;
        self.absolute += other.absolute;
        self.rows += other.rows;
        self.gradient.iter_mut().zip(&other.gradient).for_each(|(a, b)| *a += b);
        self.curvature.iter_mut().zip(&other.curvature).for_each(|(a, b)| *a += b);
    }

    /// The mean absolute error, rad.
    pub fn error(&self) -> f64 {
        self.absolute / self.rows.max(1) as f64
    }
}

/// The loss of an error and its weight ρ'(e)/e.
#[inline]
fn loss(error: f64) -> (f64, f64) {
    let ratio = error / SQUARED_BELOW;
    let root = (1.0 + ratio * ratio).sqrt();
    (SQUARED_BELOW * SQUARED_BELOW * (root - 1.0), 1.0 / root)
}

/// What each log says without derivatives. A number beyond any use gives an infinite loss.
pub fn values(joint: &Joint, logs: &[&Log]) -> Vec<Part> {
    parallel::each(logs.len(), |i| {
        let (log, mut angles) = (logs[i], Vec::with_capacity(logs[i].time.len()));
        replay(joint, log, &mut angles);
        let mut part = Part::default();
        for (angle, measured) in angles.iter().zip(&log.position) {
            if !measured.is_nan() {
                let e = angle - measured;
                part.loss += loss(e).0;
                part.absolute += e.abs();
                part.rows += 1;
            }
        }
        part
    })
}

/// What each log says, with derivatives with respect to the slots.
pub fn derivatives(joint: &Joint, slots: &[Slot], logs: &[&Log]) -> Vec<Part> {
    in_blocks(joint, slots, logs, 1).into_iter().flatten().collect()
}

/// The same for each of so many equal blocks of each log.
pub fn in_blocks(joint: &Joint, slots: &[Slot], logs: &[&Log], blocks: usize) -> Vec<Vec<Part>> {
    match slots.len() {
        0..=4 => lanes::<4>(joint, slots, logs, blocks),
        5..=8 => lanes::<8>(joint, slots, logs, blocks),
        9..=12 => lanes::<12>(joint, slots, logs, blocks),
        13..=16 => lanes::<16>(joint, slots, logs, blocks),
        _ => lanes::<MOST>(joint, slots, logs, blocks),
    }
}

fn lanes<const N: usize>(
    joint: &Joint,
    slots: &[Slot],
    logs: &[&Log],
    blocks: usize,
) -> Vec<Vec<Part>> {
    let n = slots.len();
    let mut with: Joint<Dual<N>> = joint.lifted();
    for (i, slot) in slots.iter().enumerate() {
        with.set(*slot, Dual::unknown(joint.get(*slot), i));
    }
    parallel::each(logs.len(), |i| {
        let (log, mut angles) = (logs[i], Vec::with_capacity(logs[i].time.len()));
        replay(&with, log, &mut angles);
        let rows = angles.len().div_ceil(blocks).max(1);
        let all = angles.chunks(rows).zip(log.position.chunks(rows));
        all.map(|(angles, position)| compared(angles, position, n)).collect()
    })
}

/// What the rows of a block say: simulated angles with their derivatives, and what was measured.
fn compared<const N: usize>(angles: &[Dual<N>], position: &[f64], n: usize) -> Part {
    let mut part = Part::sized(n);
    for (angle, measured) in angles.iter().zip(position).filter(|r| !r.1.is_nan()) {
        let e = angle.value() - measured;
        let (value, weight) = loss(e);
        part.loss += value;
        part.absolute += e.abs();
        part.rows += 1;
        for a in 0..n {
            let weighted = weight * angle.slopes[a];
            part.gradient[a] += weighted * e;
            for b in 0..=a {
                part.curvature[a * n + b] += weighted * angle.slopes[b];
            }
        }
    }
    for a in 0..n {
        for b in 0..a {
            part.curvature[b * n + a] = part.curvature[a * n + b];
        }
    }
    part
}

/// The sum in the order of the logs, so that threads do not change a bit of it.
pub fn sum(parts: &[Part]) -> Part {
    let mut all = Part::sized(parts.first().map_or(0, |p| p.gradient.len()));
    parts.iter().for_each(|p| all.add(p));
    all
}

/// Where a search ended.
#[derive(Debug, Clone)]
pub struct Found {
    /// The joint.
    pub joint: Joint,
    /// Passes over the logs, with and without derivatives.
    pub passes: [usize; 2],
}

/// Damping of a first step.
const FIRST: f64 = 1e-3;
/// Damping beyond which no step helps.
const STIFF: f64 = 1e9;
/// A step that lowers the loss by less than this share is the last: with N rows a standard error of a number is a share 1/N.
const SETTLED: f64 = 1e-8;

/// The least loss near `start`.
///
/// # Errors
/// Where the work was stopped.
pub fn descend(
    start: &Joint,
    sought: &[Sought],
    logs: &[&Log],
    most: usize,
    control: &dyn Control,
) -> Result<Found, Error> {
    let slots: Vec<Slot> = sought.iter().map(|s| s.slot).collect();
    let mut joint = *start;
    for s in sought {
        joint.set(s.slot, joint.get(s.slot).clamp(s.range[0], s.range[1]));
    }
    let (mut damping, mut passes) = (FIRST, [1, 0]);
    let mut at = sum(&derivatives(&joint, &slots, logs));
    for _ in 0..most {
        if control.stop() {
            return Err(Error::Interrupted);
        }
        let (mut factor, mut gained) = (4.0, None);
        while damping < STIFF {
            let Some(next) = stepped(&joint, sought, &at, damping) else {
                damping *= factor;
                continue;
            };
            passes[1] += 1;
            let loss = sum(&values(&next, logs)).loss;
            if loss < at.loss {
                gained = Some(((at.loss - loss) / at.loss, next));
                damping = (damping / 5.0).max(1e-9);
                break;
            }
            damping *= factor;
            factor *= 2.0;
        }
        let Some((share, next)) = gained else { break };
        joint = next;
        passes[0] += 1;
        at = sum(&derivatives(&joint, &slots, logs));
        if share < SETTLED {
            break;
        }
    }
    Ok(Found { joint, passes })
}

/// A damped step within the ranges: numbers at an end of theirs that the loss pushes outwards stay there.
fn stepped(joint: &Joint, sought: &[Sought], at: &Part, damping: f64) -> Option<Joint> {
    let n = sought.len();
    let free: Vec<usize> = (0..n)
        .filter(|&i| {
            let (value, [low, high], slope) =
                (joint.get(sought[i].slot), sought[i].range, at.gradient[i]);
            at.curvature[i * n + i] > 0.0
                && !(value <= low && slope > 0.0 || value >= high && slope < 0.0)
        })
        .collect();
    let m = free.len();
    if m == 0 {
        return None;
    }
    let scale: Vec<f64> = free.iter().map(|&i| at.curvature[i * n + i].sqrt()).collect();
    let mut matrix = vec![0.0; m * m];
    for (a, &i) in free.iter().enumerate() {
        for (b, &j) in free.iter().enumerate() {
            matrix[a * m + b] = at.curvature[i * n + j] / (scale[a] * scale[b]);
        }
        matrix[a * m + a] += damping;
    }
    let lower = cholesky(&matrix, m)?;
    let mut step: Vec<f64> = free.iter().zip(&scale).map(|(&i, s)| -at.gradient[i] / s).collect();
    solve_lower(&lower, &mut step);
    solve_transposed(&lower, &mut step);
    let mut next = *joint;
    for ((&i, by), scale) in free.iter().zip(&step).zip(&scale) {
        let Sought { slot, range: [low, high] } = sought[i];
        next.set(slot, (joint.get(slot) + by / scale).clamp(low, high));
    }
    Some(next)
}
