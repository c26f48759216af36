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
use serde::{Deserialize, Serialize};
use stickslip::numeric::{cholesky, solve_lower, solve_transposed};

/// δ, rad: errors below are squared. Near what two repetitions of one log of a small servo differ by.
pub const SQUARED_BELOW: f64 = 0.01;
/// Most unknowns of one fit.
pub const MOST: usize = 24;

/// One number that is sought.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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
    /// How the start of the log answers, where the part is of one log.
    pub start: Answer,
}

/// The step of a start: `step` by itself, and `turn` for each step of the unknowns.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    step: [f64; 2],
    turn: Vec<[f64; 2]>,
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

    /// Counts the error of a row; returns its weight.
    #[inline]
    fn count(&mut self, error: f64) -> f64 {
        let (value, weight) = loss(error);
        self.loss += value;
        self.absolute += error.abs();
        self.rows += 1;
        weight
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

/// What each log says without derivatives, each from the start that its first rows show.
pub fn values(joint: &Joint, logs: &[&Log]) -> Vec<Part> {
    values_from(joint, logs, &starts(logs))
}

/// Where the first rows of each log say that it begins.
pub fn starts(logs: &[&Log]) -> Vec<[f64; 2]> {
    logs.iter().map(|l| l.start).collect()
}

/// How much the guess of a start counts, in rows.
const HOLDS: f64 = 1e-3;

/// What holds the start of a log near what its first rows show: ½ Σ precision·off², an angle by its difference, a speed by
/// what it makes in the first row. A start is sought with the unknowns, and this keeps one that nothing shows where it is.
/// It counts far less than a row: the rows that it was read from are in the loss themselves, and a line through the first
/// rows of a shaft that sets off is wrong the same way in every log. Counted as a row it moved the delay of 100 twins by
/// 0.6 standard errors.
struct Prior {
    precision: [f64; 2],
    off: [f64; 2],
}

impl Prior {
    fn of(log: &Log, start: [f64; 2]) -> Self {
        let row = log.time[1] - log.time[0];
        let off = [start[0] - log.start[0], start[1] - log.start[1]];
        Self { precision: [HOLDS, HOLDS * row * row], off }
    }

    fn loss(&self) -> f64 {
        (0..2).map(|k| 0.5 * self.precision[k] * self.off[k] * self.off[k]).sum()
    }

    /// The derivative of the loss.
    fn pull(&self) -> [f64; 2] {
        [0, 1].map(|k| self.precision[k] * self.off[k])
    }
}

/// What each log says without derivatives, from these starts.
pub fn values_from(joint: &Joint, logs: &[&Log], starts: &[[f64; 2]]) -> Vec<Part> {
    parallel::each(logs.len(), |i| {
        let log = logs[i];
        let mut angles = Vec::with_capacity(logs[i].time.len());
        replay(joint, log, starts[i], &mut angles);
        let mut part = Part { loss: Prior::of(log, starts[i]).loss(), ..Part::default() };
        for (angle, measured) in angles.iter().zip(&log.position) {
            if !measured.is_nan() {
                part.count(angle - measured);
            }
        }
        part
    })
}

/// What each log says, with derivatives with respect to the slots; its own start is sought along with them and eliminated.
pub fn derivatives(joint: &Joint, slots: &[Slot], logs: &[&Log], starts: &[[f64; 2]]) -> Vec<Part> {
    in_blocks(joint, slots, logs, starts, 1).into_iter().flatten().collect()
}

/// The same for each of so many equal blocks of each log.
pub fn in_blocks(
    joint: &Joint,
    slots: &[Slot],
    logs: &[&Log],
    starts: &[[f64; 2]],
    blocks: usize,
) -> Vec<Vec<Part>> {
    let parts = with_starts(joint, slots, logs, starts, blocks);
    let each = parts.into_iter().zip(logs).zip(starts);
    each.map(|((parts, log), start)| without_start(parts, log, *start)).collect()
}

/// What the blocks of each log say of the slots and, after them, of the angle and the speed at the start.
pub fn with_starts(
    joint: &Joint,
    slots: &[Slot],
    logs: &[&Log],
    starts: &[[f64; 2]],
    blocks: usize,
) -> Vec<Vec<Part>> {
    match slots.len() {
        // Two more lanes than slots, for the start of the log. The number of lanes is part of the type: in steps of four
        // six copies of the motion are compiled, and a pass carries at most three derivatives that nobody asked for.
        0..=2 => lanes::<4>(joint, slots, logs, starts, blocks),
        3..=6 => lanes::<8>(joint, slots, logs, starts, blocks),
        7..=10 => lanes::<12>(joint, slots, logs, starts, blocks),
        11..=14 => lanes::<16>(joint, slots, logs, starts, blocks),
        15..=18 => lanes::<20>(joint, slots, logs, starts, blocks),
        _ => lanes::<{ MOST + 2 }>(joint, slots, logs, starts, blocks),
    }
}

fn lanes<const N: usize>(
    joint: &Joint,
    slots: &[Slot],
    logs: &[&Log],
    starts: &[[f64; 2]],
    blocks: usize,
) -> Vec<Vec<Part>> {
    let n = slots.len();
    let mut with: Joint<Dual<N>> = joint.lifted();
    for (i, slot) in slots.iter().enumerate() {
        // A slot that stands for several numbers gives them all the same lane: they change together.
        with.set(*slot, Dual::unknown(joint.get(*slot), i));
    }
    parallel::each(logs.len(), |i| {
        let log = logs[i];
        let mut angles = Vec::with_capacity(logs[i].time.len());
        let [angle, speed] = starts[i];
        let start = [Dual::unknown(angle, n), Dual::unknown(speed, n + 1)];
        replay(&with, log, start, &mut angles);
        let rows = angles.len().div_ceil(blocks).max(1);
        let all = angles.chunks(rows).zip(log.position.chunks(rows));
        all.map(|(angles, position)| compared(angles, position, n + 2)).collect()
    })
}

/// Eliminates the start, the last two numbers, from what the blocks of one log say (Schur): what is left is what the log says
/// of the unknowns when its start follows them.
fn without_start(parts: Vec<Part>, log: &Log, start: [f64; 2]) -> Vec<Part> {
    let all = sum(&parts);
    let full = all.gradient.len();
    let n = full - 2;
    let prior = Prior::of(log, start);
    // The start is eliminated from the sum of the blocks, which share it; what a block by itself says of it does not
    // matter.
    let own = |a: usize, b: usize| {
        all.curvature[(n + a) * full + n + b] + if a == b { prior.precision[a] } else { 0.0 }
    };
    let a = own(0, 0);
    let b = own(0, 1);
    let d = own(1, 1);
    // Above zero whatever the rows say, by the prior on its diagonal.
    let determinant = a * d - b * b;
    let solve =
        |v: [f64; 2]| [(d * v[0] - b * v[1]) / determinant, (a * v[1] - b * v[0]) / determinant];
    let pulls = |i: usize| [all.curvature[i * full + n], all.curvature[i * full + n + 1]];
    let turn: Vec<[f64; 2]> = (0..n).map(|i| solve(pulls(i)).map(|v| -v)).collect();
    let prior_pull = prior.pull();
    let pull = [0, 1].map(|k| all.gradient[n + k] + prior_pull[k]);
    let step = solve(pull).map(|v| -v);
    let reduced = |(k, part): (usize, &Part)| {
        let mut own =
            Part { loss: part.loss, absolute: part.absolute, rows: part.rows, ..Part::sized(n) };
        // With the start following the unknowns the curvature of a block is that of both, turned; the sum over the blocks is
        // the Schur complement.
        let follows = |a: usize, b: usize| {
            part.curvature[(n + a) * full + n + b]
                + if a == b && k == 0 { prior.precision[a] } else { 0.0 }
        };
        for i in 0..n {
            // The prior is one for the whole log and counts with its first block alone.
            let mut of_start = [part.gradient[n], part.gradient[n + 1]];
            if k == 0 {
                (0..2).for_each(|c| of_start[c] += prior_pull[c]);
            }
            own.gradient[i] =
                part.gradient[i] + turn[i][0] * of_start[0] + turn[i][1] * of_start[1];
            for j in 0..n {
                let mut turned = part.curvature[i * full + j];
                for a in 0..2 {
                    turned += turn[i][a] * part.curvature[j * full + n + a];
                    turned += turn[j][a] * part.curvature[i * full + n + a];
                    turned += turn[i][a] * (0..2).map(|b| follows(a, b) * turn[j][b]).sum::<f64>();
                }
                own.curvature[i * n + j] = turned;
            }
        }
        if k == 0 {
            own.loss += prior.loss();
        }
        own.start = Answer { step, turn: turn.clone() };
        own
    };
    parts.iter().enumerate().map(reduced).collect()
}

/// What the rows of a block say: simulated angles with their derivatives, and what was measured.
fn compared<const N: usize>(angles: &[Dual<N>], position: &[f64], n: usize) -> Part {
    let mut part = Part::sized(n);
    for (angle, measured) in angles.iter().zip(position).filter(|r| !r.1.is_nan()) {
        let e = angle.value() - measured;
        // ρ'(e)/e in place of ρ'' as second derivative, as reweighted least squares have it: it is never less, so that a
        // row with a large error does not make the step too long, and the curvature stays positive.
        let weight = part.count(e);
        for a in 0..n {
            let weighted = weight * angle.slopes[a];
            part.gradient[a] += weighted * e;
            // One half of a symmetric matrix: this is the innermost loop of the whole fit.
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
pub struct FoundJoint {
    /// The joint.
    pub joint: Joint,
    /// Where each log begins, rad and rad/s.
    pub starts: Vec<[f64; 2]>,
    /// Passes over the logs, with and without derivatives.
    pub passes: [usize; 2],
}

/// Damping of a first step.
const FIRST: f64 = 1e-3;
/// Damping beyond which no step helps.
const STIFF: f64 = 1e9;
/// A step that lowers the loss by less than this share is the last: with N rows a standard error of a number is a share 1/N.
const SETTLED: f64 = 1e-8;

/// What is known of the numbers apart from the logs: ½ (x − at)ᵀ precision (x − at) is added to the loss.
#[derive(Debug, Clone)]
pub struct Before {
    /// A number for each that is sought.
    pub at: Vec<f64>,
    /// Row by row, in the unit of the loss.
    pub precision: Vec<f64>,
}

impl Before {
    fn add(&self, joint: &Joint, sought: &[Sought], part: &mut Part) {
        let n = sought.len();
        let off: Vec<f64> =
            sought.iter().zip(&self.at).map(|(s, at)| joint.get(s.slot) - at).collect();
        for i in 0..n {
            let pull: f64 = (0..n).map(|j| self.precision[i * n + j] * off[j]).sum();
            part.loss += 0.5 * pull * off[i];
            if !part.gradient.is_empty() {
                part.gradient[i] += pull;
            }
        }
        part.curvature.iter_mut().zip(&self.precision).for_each(|(c, p)| *c += p);
    }
}

/// The loss that is to be made small.
#[derive(Clone, Copy)]
pub struct Loss<'a> {
    pub sought: &'a [Sought],
    pub logs: &'a [&'a Log],
    pub before: Option<&'a Before>,
}

impl Loss<'_> {
    /// Of all logs together.
    fn of(&self, joint: &Joint, parts: &[Part]) -> Part {
        let mut all = sum(parts);
        if let Some(before) = self.before {
            before.add(joint, self.sought, &mut all);
        }
        all
    }

    /// What it is at the end of a search.
    pub fn at(&self, found: &FoundJoint) -> f64 {
        self.of(&found.joint, &values_from(&found.joint, self.logs, &found.starts)).loss
    }

    /// The least one near `start`.
    ///
    /// # Errors
    /// Where the work was stopped.
    pub fn descend(
        &self,
        start: &Joint,
        most: usize,
        control: &dyn Control,
    ) -> Result<FoundJoint, Error> {
        let Self { sought, logs, .. } = *self;
        let slots: Vec<Slot> = sought.iter().map(|s| s.slot).collect();
        let mut joint = *start;
        for s in sought {
            joint.set(s.slot, joint.get(s.slot).clamp(s.range[0], s.range[1]));
        }
        let mut damping = FIRST;
        let mut passes = [1, 0];
        let mut from = starts(logs);
        let mut parts = derivatives(&joint, &slots, logs, &from);
        let mut at = self.of(&joint, &parts);
        for _ in 0..most {
            if control.stop() {
                return Err(Error::Interrupted);
            }
            let mut factor = 4.0;
            let mut gained = None;
            while damping < STIFF {
                // The matrix may not be positive definite within rounding until there is more damping. Where every
                // number stands at an end of its range there is no step at all, and the damping runs up to its end.
                let Some(next) = stepped(&joint, sought, &at, damping) else {
                    damping *= factor;
                    continue;
                };
                passes[1] += 1;
                let by: Vec<f64> = slots.iter().map(|s| next.get(*s) - joint.get(*s)).collect();
                let begins: Vec<[f64; 2]> = from
                    .iter()
                    .zip(&parts)
                    .map(|(start, part)| follow(*start, part, &by))
                    .collect();
                // Without derivatives, which cost several times as much and would be thrown away with a step that does
                // not help.
                let loss = self.of(&next, &values_from(&next, logs, &begins)).loss;
                if loss < at.loss {
                    gained = Some(((at.loss - loss) / at.loss, next, begins));
                    // Not below 10⁻⁹: from there it grows back in a few trials, from 10⁻³⁰ it would take dozens.
                    damping = (damping / 5.0).max(1e-9);
                    break;
                }
                damping *= factor;
                // Growing factors after failures (Nielsen 1999): where the loss leaps nearby, few trials reach a step
                // that is short enough.
                factor *= 2.0;
            }
            let Some((share, next, begins)) = gained else { break };
            (joint, from) = (next, begins);
            passes[0] += 1;
            parts = derivatives(&joint, &slots, logs, &from);
            at = self.of(&joint, &parts);
            if share < SETTLED {
                break;
            }
        }
        Ok(FoundJoint { joint, starts: from, passes })
    }
}

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
) -> Result<FoundJoint, Error> {
    Loss { sought, logs, before: None }.descend(start, most, control)
}

/// The start of a log after a step of the unknowns.
fn follow(start: [f64; 2], part: &Part, by: &[f64]) -> [f64; 2] {
    let mut next = start;
    for k in 0..2 {
        // The step of its own, and that by which it follows the unknowns: together those of one joint Newton step, of
        // which the start was eliminated.
        next[k] += part.start.step[k];
        next[k] += part.start.turn.iter().zip(by).map(|(turn, by)| turn[k] * by).sum::<f64>();
    }
    next
}

/// A damped step within the ranges: numbers at an end of theirs that the loss pushes outwards stay there.
fn stepped(joint: &Joint, sought: &[Sought], at: &Part, damping: f64) -> Option<Joint> {
    let n = sought.len();
    let free: Vec<usize> = (0..n)
        .filter(|&i| {
            let (value, [low, high], slope) =
                (joint.get(sought[i].slot), sought[i].range, at.gradient[i]);
            // A number that no row shows would make the matrix singular; it stays where it is.
            at.curvature[i * n + i] > 0.0
                && !(value <= low && slope > 0.0 || value >= high && slope < 0.0)
        })
        .collect();
    let m = free.len();
    if m == 0 {
        return None;
    }
    // Marquardt's scaling: the damping counts each number by its own curvature, so that units do not matter.
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
