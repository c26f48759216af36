//! The logs that would best determine what the logs leave open: Bayesian D-optimal design (Fedorov 1972; Chaloner and
//! Verdinelli 1995).
//!
//! ```text
//! choose the log c with the largest  mean over joints θ of log det (φP + H(θ) + w_c H_c(θ)),      H ← H + w_c H_c,   and so on
//! ```
//!
//! P is the precision of the numbers with the logs that there are, φ the unit in which the loss counts it, H_c the curvature
//! of the loss of a log that would be recorded. The joints θ are drawn within the present errors: a log that is best at one
//! joint may say little at the next. Candidates are goals of a family of shapes with the loads and gains of the logs; those
//! that would go beyond the limits at any of the joints are left out. w_c is the least share, over the joints, of the change of the motion that the
//! curvature foretells and that really comes: where a hair decides whether an arm swings back, a curvature is large and means
//! nothing.
//!
//! What is promised is not read from a curvature. Joints are drawn as truths, each records the chosen logs with errors that are
//! taken from the logs that there are, and is fitted anew; how far these fits end from their truths is what is promised.

use super::known::{Known, Recorded};
use super::logs::Log;
use super::motion::{Largest, replay, replay_largest};
use super::question::Above;
use super::search::{Before, Loss, Sought, with_starts};
use super::verdict::{Design, Expected, Planned};
use super::{Joint, MOUNTINGS, Slot};
use crate::control::Control;
use crate::error::Error;
use crate::parallel;
use crate::statistics::random::Draws;
use std::f64::consts::PI;
use stickslip::numeric::{cholesky, solve_lower, solve_transposed};
use stickslip::portable;

/// Within what the next logs are to be recorded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Largest torque of the motor at the shaft, N·m.
    pub torque: f64,
    /// Largest speed, rad/s.
    pub speed: f64,
    /// Largest angle, rad.
    pub angle: f64,
    /// Length of a log, s.
    pub seconds: f64,
    /// Logs.
    pub logs: usize,
}

/// A fitted joint and what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Joined {
    /// The joint that was found.
    pub joint: Joint,
    /// How well.
    pub known: Known,
    /// Errors of the fit, measured − fitted, of each log that was fitted, rad; NaN where nothing was measured.
    pub errors: Vec<Vec<f64>>,
}

/// Rows that a log has at least.
const FEWEST: f64 = 10.0;
/// Stream of the draws.
const STREAM: u64 = 43;

/// Shapes of a goal.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Shape {
    /// Hz.
    Sine(f64),
    /// A sine, and another 2.7 times as fast, Hz.
    TwoSines(f64),
    /// Back and forth at once, s a period.
    Steps(f64),
    /// Back and forth evenly, s a period.
    Ramps(f64),
    /// So many levels up, and down again.
    Stairs(usize),
    /// Up within a fifth of the time, then held.
    Hold,
}

const SHAPES: [Shape; 12] = [
    Shape::Sine(0.25),
    Shape::Sine(0.5),
    Shape::Sine(1.0),
    Shape::Sine(2.0),
    Shape::TwoSines(0.3),
    Shape::TwoSines(0.7),
    Shape::Steps(1.0),
    Shape::Steps(2.0),
    Shape::Ramps(2.0),
    Shape::Ramps(6.0),
    Shape::Stairs(4),
    Shape::Hold,
];
/// Shares of the largest angle.
const HEIGHTS: [f64; 3] = [0.25, 0.5, 0.95];
/// After this share of the time the motor is switched off in half of the candidates, where logs have it off at times.
const RELEASED: f64 = 0.6;
/// Rigs that are looked at, at most.
const RIGS: usize = 8;
/// Joints at which a candidate is judged.
const JUDGED: usize = 8;
/// Joints that are taken as truths for what is promised.
const TRUTHS: usize = 24;
/// A step within the present errors by this share shows whether the motion changes as the curvature says.
const NEAR: f64 = 0.25;
/// Steps of a descent.
const STEPS: usize = 25;
/// On 24 synthetic joints of ten numbers the fits with the chosen logs ended this much farther from the truth than the refits
/// here say (the middle of the ten numbers); other joints were then found to agree.
const OPTIMISM: f64 = 1.3;
/// A 95 % interval of a normal number is so many standard errors to each side.
const HALF: f64 = 1.959_963_985;

impl Shape {
    /// Between −1 and 1 at `time` of `whole` seconds; 0 at the beginning.
    fn at(self, time: f64, whole: f64) -> f64 {
        let turns = |hertz: f64| portable::sin(2.0 * PI * hertz * time);
        match self {
            Self::Sine(hertz) => turns(hertz),
            Self::TwoSines(hertz) => 0.5 * (turns(hertz) + turns(2.7 * hertz)),
            Self::Steps(period) if (time / period).fract() < 0.5 => 1.0,
            Self::Steps(_) => -1.0,
            Self::Ramps(period) => {
                let phase = (time / period + 0.25).fract();
                1.0 - 4.0 * (phase - 0.5).abs()
            }
            Self::Stairs(levels) => {
                let all = levels as f64;
                let step = (2.0 * all * time / whole).floor();
                if step < all {
                    (step + 1.0) / all
                } else {
                    (2.0 * all - step - 1.0).max(0.0) / all
                }
            }
            Self::Hold => (5.0 * time / whole).min(1.0),
        }
    }

    fn name(self) -> String {
        match self {
            Self::Sine(hertz) => format!("sine of {hertz} Hz"),
            Self::TwoSines(hertz) => format!("sines of {hertz} and {:.2} Hz", 2.7 * hertz),
            Self::Steps(period) => format!("steps, {period} s a period"),
            Self::Ramps(period) => format!("ramps, {period} s a period"),
            Self::Stairs(levels) => format!("staircase of {levels} levels"),
            Self::Hold => "hold".to_owned(),
        }
    }
}

/// A log that could be recorded.
struct Candidate {
    planned: Planned,
    log: Log,
    /// w_c H_c at each of the joints.
    says: Vec<Vec<f64>>,
}

/// The best logs within the limits, and how well the numbers are known when they are recorded.
///
/// # Errors
/// Where nothing is known of the joint, no log of the family stays within the limits, or the work was stopped.
pub fn design(found: &Joined, limits: &Limits, control: &dyn Control) -> Result<Design, Error> {
    let field = Field::of(found, limits)?;
    let (candidates, refused) = field.candidates(control)?;
    let all = candidates.len() + refused;
    if candidates.is_empty() {
        return Err(Error::Unfit(format!(
            "each of {all} trajectories goes beyond a limit with one of {} joints within the present errors; expected wider \
             limits of torque, speed or angle",
            field.joints.len()
        )));
    }
    control.progress(0.5);
    let chosen = field.choose(&candidates);
    let logs: Vec<&Log> = chosen.iter().map(|c| &c.log).collect();
    let truths = field.fitted_anew(&logs, control)?;
    let trajectories = chosen.iter().map(|c| c.planned.clone()).collect();
    Ok(Design { trajectories, expected: field.expected(&truths), candidates: all, refused })
}

/// What is known, and joints within the present errors.
struct Field<'a> {
    found: &'a Joined,
    known: &'a Known,
    limits: &'a Limits,
    slots: Vec<Slot>,
    /// Precision with the logs that there are and what the ranges say.
    precision: Vec<f64>,
    lower: Vec<f64>,
    joints: Vec<Joint>,
}

impl<'a> Field<'a> {
    fn of(found: &'a Joined, limits: &'a Limits) -> Result<Self, Error> {
        let known = &found.known;
        let n = known.sought.len();
        let mounted = known.rigs.iter().all(|r| r.mounting < MOUNTINGS);
        let is_whole = known.precision.len() == n * n && known.above.len() == n && mounted;
        if !is_whole || known.rigs.is_empty() || found.errors.iter().all(Vec::is_empty) {
            return Err(Error::Unfit(
                "the fit does not say how its numbers go together and on what they were recorded; expected that of this version"
                    .to_owned(),
            ));
        }
        let period = known.rigs.iter().map(|r| r.period).fold(0.0, f64::max);
        // Of fewer rows nothing is learnt, and a period that is no number has none.
        if !(period > 0.0 && FEWEST * period <= limits.seconds) {
            return Err(Error::Unfit(format!(
                "logs of {} s are too short where a row is recorded every {period} s; expected the time of {FEWEST} rows or more",
                limits.seconds
            )));
        }
        let mut precision = known.precision.clone();
        // A number lies in its range, as a normal one with the same variance.
        for (i, s) in known.sought.iter().enumerate() {
            let width = (s.range[1] - s.range[0]).max(f64::MIN_POSITIVE);
            precision[i * n + i] += 12.0 / (width * width);
        }
        let lower = factored(&precision, n).ok_or_else(|| {
            Error::Unfit("the errors of the numbers of the fit are not those of a fit".to_owned())
        })?;
        let slots = known.sought.iter().map(|s| s.slot).collect();
        let joints = vec![found.joint];
        let mut field = Self { found, known, limits, slots, precision, lower, joints };
        // A fixed seed: who asks twice gets the same logs.
        let mut draws = Draws::new(1, STREAM);
        for _ in 1..JUDGED {
            field.joints.push(field.drawn(&mut draws));
        }
        Ok(field)
    }

    /// A joint within the present errors.
    fn drawn(&self, draws: &mut Draws) -> Joint {
        let n = self.slots.len();
        let mut step: Vec<f64> = (0..n).map(|_| draws.normal()).collect();
        let scale: Vec<f64> = (0..n).map(|i| self.precision[i * n + i].sqrt()).collect();
        solve_transposed(&self.lower, &mut step);
        let by: Vec<f64> = step.iter().zip(&scale).map(|(step, scale)| step / scale).collect();
        // A step that leaves a range is made shorter as a whole: numbers that go together stay together.
        let room = |(s, by): (&Sought, &f64)| {
            let at = self.found.joint.get(s.slot);
            let end = if *by > 0.0 { s.range[1] } else { s.range[0] };
            if *by == 0.0 { 1.0 } else { ((end - at) / by).max(0.0) }
        };
        let share = self.known.sought.iter().zip(&by).map(room).fold(1.0, f64::min);
        let mut joint = self.found.joint;
        for (s, by) in self.known.sought.iter().zip(&by) {
            joint.set(s.slot, joint.get(s.slot) + share * by);
        }
        joint
    }

    /// Every log that could be recorded, and how many more would go beyond the limits.
    fn candidates(&self, control: &dyn Control) -> Result<(Vec<Candidate>, usize), Error> {
        let goals: Vec<(usize, Goal)> = self.goals();
        let made = parallel::each(goals.len(), |i| {
            let (rig, goal) = goals[i];
            if control.stop() { None } else { self.candidate(&self.known.rigs[rig], goal) }
        });
        if control.stop() {
            return Err(Error::Interrupted);
        }
        let all = made.len();
        let kept: Vec<Candidate> = made.into_iter().flatten().collect();
        let refused = all - kept.len();
        Ok((kept, refused))
    }

    fn goals(&self) -> Vec<(usize, Goal)> {
        let rigs = &self.known.rigs;
        let mut kept: Vec<usize> = Vec::new();
        for (i, rig) in rigs.iter().enumerate() {
            let same = |&j: &usize| {
                let other = &rigs[j];
                other.load == rig.load && other.mounting == rig.mounting && other.gain == rig.gain
            };
            if !kept.iter().any(same) {
                kept.push(i);
            }
        }
        // From the lightest to the heaviest, and from the softest to the stiffest, evenly.
        let key = |i: usize| (rigs[i].load.gravity, rigs[i].load.inertia, rigs[i].gain);
        kept.sort_by(|a, b| key(*a).partial_cmp(&key(*b)).unwrap_or(std::cmp::Ordering::Equal));
        let count = kept.len().min(RIGS);
        let at = |k: usize| kept[k * (kept.len() - 1) / (count - 1).max(1)];
        // Only drives that were seen switched off are asked to be: others may not be able to.
        let can_release = rigs.iter().any(|r| r.off);
        let mut goals = Vec::new();
        for rig in (0..count).map(at) {
            for shape in SHAPES {
                for share in HEIGHTS {
                    let height = share * self.limits.angle;
                    goals.push((rig, Goal { shape, height, release: false }));
                    if can_release {
                        goals.push((rig, Goal { shape, height, release: true }));
                    }
                }
            }
        }
        goals
    }

    /// None where it goes beyond the limits with one of the joints.
    fn candidate(&self, rig: &Recorded, goal: Goal) -> Option<Candidate> {
        let first = goal.log(rig, self.limits, self.found.joint.vertical[rig.mounting]);
        let mut largest = Largest::default();
        let mut all = Vec::with_capacity(self.joints.len());
        for joint in &self.joints {
            // Each joint begins at rest where its load hangs; the goal is the same for all, as it will be when the log
            // is recorded.
            let start = [joint.vertical[first.mounting], 0.0];
            let mut log = Log { start, ..first.clone() };
            let mut angles = Vec::new();
            let of = replay_largest(joint, &log, &mut angles);
            largest = Largest {
                torque: largest.torque.max(of.torque),
                speed: largest.speed.max(of.speed),
                angle: largest.angle.max(of.angle),
            };
            if !self.limits.hold(&largest) {
                return None;
            }
            log.position = angles;
            all.push(log);
        }
        let planned = goal.planned(&rig.file, &first, &largest);
        let logs = &all;
        let curvatures: Vec<Vec<f64>> =
            self.joints.iter().zip(logs).map(|(joint, log)| self.curvature(joint, log)).collect();
        let weight = self.foretold(&all[0], &curvatures[0]);
        let weighted = |c: Vec<f64>| c.into_iter().map(|x| weight * x).collect();
        let says = curvatures.into_iter().map(weighted).collect();
        let log = all.swap_remove(0);
        Some(Candidate { planned, log, says })
    }

    /// The curvature of the loss of a log with respect to the unknowns, its start known.
    fn curvature(&self, joint: &Joint, log: &Log) -> Vec<f64> {
        let n = self.slots.len();
        let parts = with_starts(joint, &self.slots, &[log], &[log.start], 1);
        let full = &parts[0][0].curvature;
        (0..n * n).map(|k| full[k / n * (n + 2) + k % n]).collect()
    }

    /// The least share of the change of the motion that the curvature foretells and that comes, at most 1.
    fn foretold(&self, log: &Log, curvature: &[f64]) -> f64 {
        let n = self.slots.len();
        let share = |joint: &Joint| {
            let by: Vec<f64> = self
                .slots
                .iter()
                .map(|s| NEAR * (joint.get(*s) - self.found.joint.get(*s)))
                .collect();
            let mut near = self.found.joint;
            self.slots.iter().zip(&by).for_each(|(s, by)| near.set(*s, near.get(*s) + by));
            let mut angles = Vec::new();
            replay(&near, log, log.start, &mut angles);
            let comes: f64 = angles.iter().zip(&log.position).map(|(a, b)| (a - b) * (a - b)).sum();
            let foretold: f64 = (0..n * n).map(|k| by[k / n] * curvature[k] * by[k % n]).sum();
            // More than was foretold is as bad as less: either way the curvature does not describe this log.
            if foretold > 0.0 { (comes / foretold).min(foretold / comes) } else { 1.0 }
        };
        self.joints[1..].iter().map(share).fold(1.0, f64::min)
    }

    /// One log after the other, each of which adds most to what is known.
    fn choose<'c>(&self, candidates: &'c [Candidate]) -> Vec<&'c Candidate> {
        let n = self.slots.len();
        let before: Vec<f64> = self.precision.iter().map(|p| self.known.spread * p).collect();
        let mut known = vec![before; self.joints.len()];
        let mut chosen = Vec::new();
        for _ in 0..self.limits.logs {
            let with = |c: &Candidate| -> f64 {
                // The sum over the joints orders the candidates as the mean does.
                known.iter().zip(&c.says).map(|(k, says)| volume(&added(k, says), n)).sum()
            };
            let worth: Vec<f64> = candidates.iter().map(with).collect();
            // What was chosen may be chosen again: a repetition can be worth more than another shape.
            let best = (0..worth.len()).max_by(|a, b| worth[*a].total_cmp(&worth[*b]));
            let Some(best) = best.map(|i| &candidates[i]) else { break };
            known.iter_mut().zip(&best.says).for_each(|(k, says)| *k = added(k, says));
            chosen.push(best);
        }
        chosen
    }

    /// How far the numbers end from truths that record the logs, one row for each truth.
    fn fitted_anew(&self, logs: &[&Log], control: &dyn Control) -> Result<Vec<Vec<f64>>, Error> {
        let sought = &self.known.sought;
        let at = self.slots.iter().map(|s| self.found.joint.get(*s)).collect();
        let precision = self.precision.iter().map(|p| self.known.spread * p).collect();
        let before = Before { at, precision };
        let mut draws = Draws::new(2, STREAM);
        let mut all = Vec::with_capacity(TRUTHS);
        for k in 0..TRUTHS {
            let truth = self.drawn(&mut draws);
            let recorded: Vec<Log> =
                logs.iter().map(|l| self.recorded(&truth, l, &mut draws)).collect();
            let recorded: Vec<&Log> = recorded.iter().collect();
            let loss = Loss { sought, logs: &recorded, before: Some(&before) };
            // The search of a fit leaps from minimum to minimum and finds the lowest; of these two it is the lower one.
            let ends = [
                loss.descend(&self.found.joint, STEPS, control)?,
                loss.descend(&truth, STEPS, control)?,
            ];
            let [first, second] = [&ends[0], &ends[1]].map(|end| loss.at(end));
            let found = if first < second { &ends[0].joint } else { &ends[1].joint };
            all.push(self.slots.iter().map(|s| found.get(*s) - truth.get(*s)).collect());
            control.progress(0.5 + 0.5 * (k + 1) as f64 / TRUTHS as f64);
        }
        Ok(all)
    }

    /// A planned log as a truth would be recorded, with the errors of a piece of a log that there is.
    fn recorded(&self, truth: &Joint, log: &Log, draws: &mut Draws) -> Log {
        let start = [truth.vertical[log.mounting], 0.0];
        let mut angles = Vec::new();
        replay(truth, log, start, &mut angles);
        let rows = angles.len();
        let mut position = Vec::with_capacity(rows);
        let errors = &self.found.errors;
        // Pieces of errors and not single rows: neighbouring errors are alike, and it is this that makes a fit miss the
        // truth. A log that was held out has no errors and is drawn in vain; `Field::of` has seen to it that not all are
        // such.
        while position.len() < rows {
            let of = &errors[((draws.unit() * errors.len() as f64) as usize).min(errors.len() - 1)];
            let from = (draws.unit() * of.len().saturating_sub(rows) as f64) as usize;
            position.extend(of[from..].iter().take(rows - position.len()));
        }
        position.iter_mut().zip(&angles).for_each(|(error, angle)| *error += angle);
        let mut made = Log { position, start, ..log.clone() };
        // As a recorded log is read: spikes left out, and its start taken from its first rows.
        made.cleaned();
        made
    }

    /// Half of the 95 % interval of each number, now and then.
    fn expected(&self, truths: &[Vec<f64>]) -> Vec<Expected> {
        let n = self.slots.len();
        let one = |(i, above): (usize, &Option<Above>)| {
            let mut weights = vec![0.0; n];
            weights[i] = 1.0;
            if let Some(Above::Unknown(j)) = above {
                weights[*j] = 1.0;
            }
            let off =
                |truth: &Vec<f64>| -> f64 { truth.iter().zip(&weights).map(|(x, w)| x * w).sum() };
            let squares: f64 = truths.iter().map(|t| off(t) * off(t)).sum();
            let worst = truths.iter().map(|t| off(t).abs()).fold(0.0, f64::max);
            let then = OPTIMISM * HALF * (squares / truths.len() as f64).sqrt();
            // The variance of a sum with weights w is |L⁻¹ w|².
            let mut part: Vec<f64> =
                (0..n).map(|k| weights[k] / self.precision[k * n + k].sqrt()).collect();
            solve_lower(&self.lower, &mut part);
            let now = HALF * part.iter().map(|w| w * w).sum::<f64>().sqrt();
            // The key of a compliance c is of the stiffness 1/c, whose error is 1/c² times as large.
            let each = match self.slots[i] {
                Slot::Compliance => 1.0 / self.found.joint.gear.compliance.powi(2),
                _ => 1.0,
            };
            Expected { now: each * now, then: each * then, worst: each * worst }
        };
        self.known.above.iter().enumerate().map(one).collect()
    }
}

/// Cholesky's factor of the matrix with ones on its diagonal.
fn factored(matrix: &[f64], n: usize) -> Option<Vec<f64>> {
    // Numbers in units that are orders of magnitude apart would lose the small ones to rounding.
    let scale: Vec<f64> = (0..n).map(|i| matrix[i * n + i].sqrt()).collect();
    let scaled: Vec<f64> = (0..n * n).map(|k| matrix[k] / (scale[k / n] * scale[k % n])).collect();
    cholesky(&scaled, n)
}

fn added(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// log det.
fn volume(matrix: &[f64], n: usize) -> f64 {
    // A matrix that is not positive definite within rounding says nothing, and such a candidate is never the best.
    let Some(lower) = factored(matrix, n) else { return f64::NEG_INFINITY };
    let ln = portable::ln;
    (0..n).map(|i| 2.0 * ln(lower[i * n + i]) + ln(matrix[i * n + i])).sum()
}

/// A goal around the angle at which the load hangs.
#[derive(Clone, Copy)]
struct Goal {
    shape: Shape,
    /// rad.
    height: f64,
    /// Whether the motor goes off.
    release: bool,
}

impl Goal {
    fn log(self, rig: &Recorded, limits: &Limits, hangs: f64) -> Log {
        // Both ends have a row.
        let count = (limits.seconds / rig.period).floor() as usize + 1;
        let time: Vec<f64> = (0..count).map(|i| i as f64 * rig.period).collect();
        let goal = time.iter().map(|t| hangs + self.height * self.shape.at(*t, limits.seconds));
        let enabled = match self.release {
            true => time.iter().map(|t| *t < RELEASED * limits.seconds).collect(),
            false => Vec::new(),
        };
        Log {
            goal: goal.collect(),
            position: vec![0.0; count],
            enabled,
            supply: rig.supply.map_or(Vec::new(), |volts| vec![volts; count]),
            gain: rig.gain,
            load: rig.load,
            mounting: rig.mounting,
            start: [hangs, 0.0],
            anchors: Vec::new(),
            time,
        }
    }

    fn planned(self, like: &str, log: &Log, largest: &Largest) -> Planned {
        let after = if self.release { ", then the motor off" } else { "" };
        Planned {
            shape: format!("{} of {:.3} rad{after}", self.shape.name(), self.height),
            like: like.to_owned(),
            gain: log.gain,
            inertia: log.load.inertia,
            gravity_torque: log.load.gravity,
            largest: [largest.torque, largest.speed, largest.angle],
            time: log.time.clone(),
            goal: log.goal.clone(),
            enabled: log.enabled.clone(),
        }
    }
}

impl Limits {
    fn hold(&self, largest: &Largest) -> bool {
        largest.torque <= self.torque && largest.speed <= self.speed && largest.angle <= self.angle
    }
}
