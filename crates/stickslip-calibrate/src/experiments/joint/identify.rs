//! From logs to the numbers of the joint: the drive first, then the friction, then everything, from several starts.

use super::logs::{LeftOut, Log};
use super::motion::replay;
use super::search::{MOST, Part, Sought, descend, in_blocks, sum, values};
use super::verdict::{Errors, Fit, Group, Named, OfLog, Simplified, Term, Undetermined};
use super::{Joint, Slot, Ways};
use crate::control::Control;
use crate::error::Error;
use crate::parallel;
use crate::statistics::estimate::Estimate;
use crate::statistics::random::Draws;
use crate::statistics::stats::median;
use stickslip::numeric::modes;

/// One log with what is known of it.
#[derive(Debug, Clone)]
pub struct Given {
    /// Its file.
    pub file: String,
    /// Its rows; [`Log::cleaned`] was called.
    pub log: Log,
    /// What was left out.
    pub left_out: LeftOut,
    /// Whether it is scored and not fitted.
    pub held_out: bool,
    /// Columns of the index by which errors are shown, and their values.
    pub labels: Vec<(String, String)>,
}

/// One unknown.
#[derive(Debug, Clone, PartialEq)]
pub struct Unknown {
    /// Its key.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// Where it stands.
    pub slot: Slot,
    /// Its range.
    pub range: [f64; 2],
    /// For a friction at rest: the key is of static, the slot of static − dynamic; the range is that of the difference.
    pub above: Option<Above>,
}

/// What a friction at rest stands above.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Above {
    /// Another unknown.
    Unknown(usize),
    /// A number that is known.
    Known(f64),
}

/// What is asked.
#[derive(Debug, Clone)]
pub struct Question {
    /// The joint before the fit.
    pub joint: Joint,
    /// What is sought.
    pub unknowns: Vec<Unknown>,
    /// Another gain that may be meant: 1 where the logs' own factors may be whole gains already.
    pub other_gain: Option<f64>,
    /// The logs.
    pub logs: Vec<Given>,
    /// Starts of the search, the given numbers included.
    pub starts: usize,
    /// Whether each term is left out in turn.
    pub terms: bool,
    /// Seed of the starts.
    pub seed: u64,
}

/// Logs on which starts are tried and terms left out.
const SOME: usize = 80;
/// Steps of a stage, of a start, of the last descent and of a fit without a term.
const STEPS: [usize; 4] = [12, 25, 60, 25];
/// A term earns its place where the error without it is larger by this factor.
const EARNS: f64 = 1.01;
/// A direction in which the numbers are known to less than this share of themselves is not determined.
const UNSURE: f64 = 0.25;
/// Another reading of the gain is taken where it leaves less than this share of the error.
const READING: f64 = 0.8;
/// Frictions of a simplified joint are sought below this, N·m and N·m·s/rad: beyond any.
const WIDE: f64 = 1e6;
/// What the standard errors leave out: a loss with sticks and slips has many minima close to each other. The count is that of the
/// test `intervals_of_twins_hold_the_truth`.
const TOO_NARROW: &str = "the intervals are a little too narrow: on made-up logs 107 of 120 of them held the truth, where 114 \
    should have";
/// With fewer logs than so many times the unknowns, each log is cut into so many observations.
const FEW: usize = 3;
const BLOCKS: usize = 10;
/// Factors of the gain that are tried, powers of ten, and by how much a factor must lower the error to be the better one.
const DECADES: [f64; 6] = [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0];
const BETTER: f64 = 0.6;

/// Fits the unknowns to the logs that are not held out.
///
/// # Errors
/// Where there are no unknowns or too many, no log is left to fit, a number has no motion, the gain is wrong by a factor,
/// or the work was stopped.
pub fn joint(question: &Question, control: &dyn Control) -> Result<Fit, Error> {
    check(question)?;
    let fitted: Vec<&Log> = question.logs.iter().filter(|g| !g.held_out).map(|g| &g.log).collect();
    let some = thinned(&fitted, SOME);
    let sought: Vec<Sought> =
        question.unknowns.iter().map(|u| Sought { slot: u.slot, range: u.range }).collect();
    let mut work = Work { control, evaluations: 0 };
    let best = work.best_start(question, &sought, &some)?;
    let (best, reading) = work.reading_of_the_gain(question, best, &sought, &some)?;
    let best = work.without_and_with(question, best, &sought, &some)?;
    work.refuse_a_wrong_gain(&best, &sought, &some)?;
    control.progress(0.4);
    let (found, starts) = work.descend_with_starts(&best, &sought, &fitted, STEPS[2])?;
    control.progress(0.7);
    let scored: Vec<&Log> = match question.logs.iter().any(|g| g.held_out) {
        true => question.logs.iter().filter(|g| g.held_out).map(|g| &g.log).collect(),
        false => fitted.clone(),
    };
    let scored = thinned(&scored, 2 * SOME);
    let terms = match question.terms {
        true => work.terms(question, &found, &some, &scored)?,
        false => Vec::new(),
    };
    let simplified = work.simplified(&found, &some, &scored)?;
    let mut fit = work.verdicts(question, found, &starts, terms);
    fit.simplified = simplified;
    fit.warnings.extend(reading);
    Ok(fit)
}

fn check(question: &Question) -> Result<(), Error> {
    let n = question.unknowns.len();
    if n == 0 || n > MOST {
        return Err(Error::Unfit(format!("{n} numbers are sought; expected 1 to {MOST} of them")));
    }
    if question.logs.iter().all(|g| g.held_out) {
        return Err(Error::Unfit(
            "every log is held out; expected at least one that is fitted".to_owned(),
        ));
    }
    let highest = |slot: Slot| {
        let of = |u: &&Unknown| matches!(u.slot, Slot::Transmitted) || u.slot == slot;
        let sought = question.unknowns.iter().find(of).map(|u| u.range[1]);
        sought.unwrap_or_else(|| question.joint.get(slot))
    };
    let lowest_armature = question.unknowns.iter().find(|u| u.slot == Slot::Armature);
    let armature = lowest_armature.map_or(question.joint.gear.armature, |u| u.range[0]);
    let share = highest(Slot::BackDriven);
    for given in &question.logs {
        let inertia = given.log.load.inertia;
        if share > 0.0 && share * inertia >= armature + inertia {
            return Err(Error::Unfit(format!(
                "{}: with a friction of {share} of the torque that a back-driven gear transmits the acceleration is not \
                 unique; expected less than 1 + armature/inertia of the load = {:.4}",
                given.file,
                1.0 + armature / inertia
            )));
        }
        if armature + inertia <= 0.0 {
            return Err(Error::Unfit(format!(
                "{}: neither the armature nor the load has an inertia; expected a sum above 0 kg·m²",
                given.file
            )));
        }
    }
    Ok(())
}

/// Some of the logs, drawn by lot, in the order of the list: every third of a list that is sorted by gain may hold two gains
/// of six.
fn thinned<'a>(logs: &[&'a Log], most: usize) -> Vec<&'a Log> {
    let n = logs.len();
    let mut draws = Draws::new(n as u64, 1);
    let mut order: Vec<usize> = (0..n).collect();
    for i in 0..most.min(n) {
        let other = i + (draws.unit() * (n - i) as f64) as usize;
        order.swap(i, other.min(n - 1));
    }
    order.truncate(most);
    order.sort_unstable();
    order.into_iter().map(|i| logs[i]).collect()
}

/// Whether a number belongs to the drive or the inertia, and not to the friction.
fn is_of_drive(slot: Slot) -> bool {
    matches!(
        slot,
        Slot::Gain
            | Slot::Delay
            | Slot::SpeedLimit
            | Slot::Start
            | Slot::Derivative
            | Slot::Limit
            | Slot::TorqueConstant
            | Slot::Resistance
            | Slot::Armature
            | Slot::Vertical
    )
}

/// The search with what it took so far.
struct Work<'a> {
    control: &'a dyn Control,
    evaluations: usize,
}

impl Work<'_> {
    fn descend(
        &mut self,
        start: &Joint,
        sought: &[Sought],
        logs: &[&Log],
        most: usize,
    ) -> Result<Joint, Error> {
        self.descend_with_starts(start, sought, logs, most).map(|found| found.0)
    }

    /// The joint, and where each log begins.
    fn descend_with_starts(
        &mut self,
        start: &Joint,
        sought: &[Sought],
        logs: &[&Log],
        most: usize,
    ) -> Result<(Joint, Vec<[f64; 2]>), Error> {
        // A step that was done before a break is taken from the journal: its passes, then its numbers.
        if let Some([with, without, numbers @ ..]) = self.control.recall().as_deref()
            && numbers.len() == sought.len() + 2 * logs.len()
        {
            let mut joint = *start;
            sought.iter().zip(numbers).for_each(|(s, v)| joint.set(s.slot, *v));
            self.evaluations += logs.len() * (with + without) as usize;
            let starts = numbers[sought.len()..].chunks(2).map(|s| [s[0], s[1]]);
            return Ok((joint, starts.collect()));
        }
        let found = descend(start, sought, logs, most, self.control)?;
        let [with, without] = found.passes;
        self.evaluations += logs.len() * (with + without);
        let numbers = sought.iter().map(|s| found.joint.get(s.slot));
        let starts = found.starts.iter().flatten().copied();
        let kept = [with as f64, without as f64].into_iter().chain(numbers).chain(starts);
        self.control.keep(&kept.collect::<Vec<f64>>());
        Ok((found.joint, found.starts))
    }

    /// Drive, friction, everything: from the given numbers with a friction of Coulomb's alone in the first stage, then from the
    /// given numbers as they are, then from others in their ranges.
    fn best_start(
        &mut self,
        question: &Question,
        sought: &[Sought],
        logs: &[&Log],
    ) -> Result<Joint, Error> {
        let mut random = Draws::new(question.seed, 0);
        let mut best: Option<(f64, Joint)> = None;
        for k in 0..question.starts.max(1) {
            let mut start = question.joint;
            if k > 1 {
                for s in sought {
                    start.set(s.slot, drawn(s.range, random.unit()));
                }
            }
            start = self.staged(question, start, k == 0, logs)?;
            let end = self.descend(&start, sought, logs, STEPS[1])?;
            let loss = sum(&values(&end, logs)).loss;
            if loss.is_finite() && best.as_ref().is_none_or(|b| loss < b.0) {
                best = Some((loss, end));
            }
            self.control.progress(0.4 * (k + 1) as f64 / question.starts.max(1) as f64);
        }
        best.map(|b| b.1).ok_or_else(|| {
            Error::Unfit("no numbers in these ranges have a motion that stays finite".to_owned())
        })
    }

    /// The drive with Coulomb's friction and the viscous one, then the friction. With `bare`, every other term of the friction
    /// is off in the first stage: terms that stand in for one another then begin from nothing and not from a guess.
    fn staged(
        &mut self,
        question: &Question,
        start: Joint,
        bare: bool,
        logs: &[&Log],
    ) -> Result<Joint, Error> {
        let of = |wanted: fn(Slot) -> bool| -> Vec<Sought> {
            let chosen = question.unknowns.iter().filter(|u| wanted(u.slot));
            chosen.map(|u| Sought { slot: u.slot, range: u.range }).collect()
        };
        let first =
            of(|slot| is_of_drive(slot) || matches!(slot, Slot::Dynamic(_) | Slot::Viscous(_)));
        let friction = of(|slot| !is_of_drive(slot));
        let mut joint = start;
        if bare {
            let later =
                friction.iter().filter(|s| !matches!(s.slot, Slot::Dynamic(_) | Slot::Viscous(_)));
            later.for_each(|s| {
                if let Some((off, _)) = off(s.slot) {
                    joint.set(s.slot, off)
                }
            });
        }
        if !first.is_empty() {
            joint = self.descend(&joint, &first, logs, 2 * STEPS[0])?;
        }
        if friction.is_empty() {
            return Ok(joint);
        }
        if bare {
            // A little of each, so that its derivative shows the way.
            let later =
                friction.iter().filter(|s| !matches!(s.slot, Slot::Dynamic(_) | Slot::Viscous(_)));
            later.for_each(|s| {
                if off(s.slot).is_some() {
                    joint.set(s.slot, 0.3 * start.get(s.slot))
                }
            });
        }
        self.descend(&joint, &friction, logs, STEPS[0])
    }

    /// Where a gain is given for all logs and another for each, they are factors of one another, or the second is the whole
    /// gain. The logs tell which: the reading that leaves clearly more is dropped, and that is said.
    fn reading_of_the_gain(
        &mut self,
        question: &Question,
        best: Joint,
        sought: &[Sought],
        logs: &[&Log],
    ) -> Result<(Joint, Option<String>), Error> {
        let Some(gain) = question.other_gain else { return Ok((best, None)) };
        let mut start = question.joint;
        start.drive.gain = gain;
        let other = Question { joint: start, starts: 1, other_gain: None, ..question.clone() };
        let end = self.best_start(&other, sought, logs)?;
        let [own, left] = [&best, &end].map(|joint| sum(&values(joint, logs)).error());
        if left >= READING * own {
            return Ok((best, None));
        }
        let said = format!(
            "the gain of each log was taken as the whole gain: multiplied by the gain of the model it leaves {own:.4} rad \
             instead of {left:.4} rad"
        );
        Ok((end, Some(said)))
    }

    /// Terms of the friction can stand in for one another, and a descent may end where one of them does the work of another.
    /// Each is taken out, everything else fitted without it, and put in again: where that ends lower, it is kept.
    fn without_and_with(
        &mut self,
        question: &Question,
        mut best: Joint,
        sought: &[Sought],
        logs: &[&Log],
    ) -> Result<Joint, Error> {
        let mut least = sum(&values(&best, logs)).loss;
        let terms = question.unknowns.iter().filter(|u| !is_of_drive(u.slot));
        for (slot, (off, also)) in terms.filter_map(|u| Some((u.slot, off(u.slot)?))) {
            let rest: Vec<Sought> = sought
                .iter()
                .copied()
                .filter(|s| s.slot != slot && !also.contains(&s.slot))
                .collect();
            if rest.is_empty() {
                continue;
            }
            let mut start = best;
            start.set(slot, off);
            start = self.descend(&start, &rest, logs, STEPS[0])?;
            start.set(slot, 0.5 * best.get(slot));
            let end = self.descend(&start, sought, logs, STEPS[1])?;
            let loss = sum(&values(&end, logs)).loss;
            if loss < least {
                (least, best) = (loss, end);
            }
        }
        Ok(best)
    }

    /// A gain that is off by orders of magnitude leaves a drive that does nothing or only switches, and the other numbers
    /// bend to it. It is refused where another decade, everything else fitted anew, explains the logs much better.
    fn refuse_a_wrong_gain(
        &mut self,
        best: &Joint,
        sought: &[Sought],
        logs: &[&Log],
    ) -> Result<(), Error> {
        if sought.iter().any(|s| s.slot == Slot::Gain) {
            return Ok(());
        }
        let logs = thinned(logs, SOME / 3);
        let error = |joint: &Joint| sum(&values(joint, &logs)).error();
        let own = error(best);
        let mut better: Option<(f64, f64)> = None;
        for decades in DECADES {
            let mut start = *best;
            let factor = 10f64.powi(decades as i32);
            start.set(Slot::Gain, best.drive.gain * factor);
            let range = [best.drive.gain * factor / 4.0, best.drive.gain * factor * 4.0];
            let with: Vec<Sought> =
                sought.iter().copied().chain([Sought { slot: Slot::Gain, range }]).collect();
            if with.len() > MOST {
                return Ok(());
            }
            let end = self.descend(&start, &with, &logs, STEPS[0])?;
            let left = error(&end);
            if better.is_none_or(|b| left < b.0) {
                better = Some((left, end.drive.gain / best.drive.gain));
            }
        }
        match better {
            Some((left, factor)) if left < BETTER * own && !(0.4..=2.5).contains(&factor) => {
                Err(Error::Unfit(format!(
                    "the gain is wrong by a factor: with {factor:.3} times the gain that is given the mean error of the \
                     angle is {left:.4} rad instead of {own:.4} rad; expected the gain of the controller in the unit of \
                     the fit file"
                )))
            }
            _ => Ok(()),
        }
    }

    /// The error without each term, everything else fitted anew from where it is.
    fn terms(
        &mut self,
        question: &Question,
        found: &Joint,
        logs: &[&Log],
        scored: &[&Log],
    ) -> Result<Vec<Term>, Error> {
        let sought = |without: &[Slot]| -> Vec<Sought> {
            let kept = question.unknowns.iter().filter(|u| !without.contains(&u.slot));
            kept.map(|u| Sought { slot: u.slot, range: u.range }).collect()
        };
        let with = self.descend(found, &sought(&[]), logs, STEPS[3])?;
        let own = sum(&values(&with, scored)).error();
        let mut all = Vec::new();
        for u in &question.unknowns {
            let Some((off, also)) = off(u.slot) else { continue };
            let mut start = with;
            start.set(u.slot, off);
            let mut without = vec![u.slot];
            without.extend(also);
            let rest = sought(&without);
            let end =
                if rest.is_empty() { start } else { self.descend(&start, &rest, logs, STEPS[3])? };
            let error_without = sum(&values(&end, scored)).error();
            let term = u.name.clone();
            all.push(Term { term, error_without, earns_its_place: error_without > EARNS * own });
        }
        Ok(all)
    }

    /// The joint with Coulomb's friction and viscous friction alone, which are fitted anew: with the drive as it is, and
    /// without what a simulator's position actuator lacks.
    fn simplified(
        &mut self,
        found: &Joint,
        logs: &[&Log],
        scored: &[&Log],
    ) -> Result<Vec<Simplified>, Error> {
        let mut with_drive = *found;
        for slot in [
            Slot::Drop(Ways::Both),
            Slot::Quadratic,
            Slot::External,
            Slot::Motor,
            Slot::Transmitted,
        ] {
            with_drive.set(slot, 0.0);
        }
        let way = found.gear.ways[0];
        with_drive.set(Slot::Dynamic(Ways::Both), way.at_rest());
        with_drive.set(Slot::Viscous(Ways::Both), way.viscous);
        let mut alone = with_drive;
        for slot in [Slot::Delay, Slot::Start, Slot::Derivative] {
            alone.set(slot, 0.0);
        }
        alone.set(Slot::SpeedLimit, f64::INFINITY);
        let sought = [Slot::Dynamic(Ways::Both), Slot::Viscous(Ways::Both)]
            .map(|slot| Sought { slot, range: [0.0, WIDE] });
        let mut all = Vec::new();
        for (what, start) in [("with-drive", with_drive), ("alone", alone)] {
            let end = self.descend(&start, &sought, logs, STEPS[3])?;
            let way = end.gear.ways[0];
            all.push(Simplified {
                what,
                friction: way.dynamic,
                viscous: way.viscous,
                error: sum(&values(&end, scored)).error(),
            });
        }
        Ok(all)
    }

    fn verdicts(
        &self,
        question: &Question,
        joint: Joint,
        starts: &[[f64; 2]],
        terms: Vec<Term>,
    ) -> Fit {
        let logs: Vec<&Log> = question.logs.iter().map(|g| &g.log).collect();
        let parts = values(&joint, &logs);
        let near = repetitions(&logs);
        let mean = |held: bool| {
            let mut all = Part::default();
            let of = question.logs.iter().zip(&parts).filter(|(g, _)| g.held_out == held);
            of.for_each(|(_, p)| all.add(p));
            (all.rows > 0).then(|| all.error())
        };
        let known: Vec<f64> = near.iter().flatten().map(|n| n.1).collect();
        let repeatability =
            (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64);
        let sure = Sure::of(question, &joint, starts, &near);
        let error =
            Errors { fitted: mean(false).unwrap_or(f64::NAN), held_out: mean(true), repeatability };
        let of_log = |(i, given): (usize, &Given)| OfLog {
            file: given.file.clone(),
            held_out: given.held_out,
            error: parts[i].error(),
            repeatability: near[i].map(|n| n.1),
            spikes: given.left_out.spikes,
        };
        let mut fit = Fit {
            parameters: sure.parameters(question, &joint),
            error,
            undetermined: sure.undetermined(question),
            terms,
            simplified: Vec::new(),
            usual_gain: median(&mut logs.iter().map(|l| l.gain).collect::<Vec<_>>()),
            usual_supply: median(
                &mut logs
                    .iter()
                    .map(|l| l.supply.first().copied().unwrap_or(1.0))
                    .collect::<Vec<_>>(),
            ),
            by: groups(question, &parts),
            logs: question.logs.iter().enumerate().map(of_log).collect(),
            samples: parts.iter().map(|p| p.rows).sum(),
            spikes: question.logs.iter().map(|g| g.left_out.spikes).sum(),
            evaluations: self.evaluations,
            seconds: 0.0,
            warnings: Vec::new(),
            angles: angles(&joint, &logs),
            joint,
        };
        fit.warnings = warnings(question, &fit);
        fit.warnings.push(TOO_NARROW.to_owned());
        if sure.blocks > 1 {
            fit.warnings.push(format!(
                "the logs are few for {} unknowns: the intervals take each tenth of a log as an observation of its own",
                question.unknowns.len()
            ));
        }
        fit
    }
}

/// Between the ends of a range: evenly in the logarithm where the ends are orders apart.
fn drawn([low, high]: [f64; 2], unit: f64) -> f64 {
    if low > 0.0 && high > 20.0 * low {
        return low * stickslip::portable::pow(high / low, unit);
    }
    low + (high - low) * unit
}

/// The number with which a term is off, and what is not sought then either.
fn off(slot: Slot) -> Option<(f64, Vec<Slot>)> {
    match slot {
        Slot::SpeedLimit => Some((f64::INFINITY, Vec::new())),
        Slot::Delay
        | Slot::Start
        | Slot::Derivative
        | Slot::Quadratic
        | Slot::External
        | Slot::Motor
        | Slot::Driving
        | Slot::BackDriven
        | Slot::Transmitted
        | Slot::Vertical
        | Slot::Viscous(_)
        | Slot::Dynamic(_) => Some((0.0, Vec::new())),
        Slot::Drop(ways) => Some((0.0, vec![Slot::Velocity(ways), Slot::Exponent(ways)])),
        _ => None,
    }
}

/// The angle at every row of every log.
fn angles(joint: &Joint, logs: &[&Log]) -> Vec<Vec<f64>> {
    parallel::each(logs.len(), |i| {
        let mut all = Vec::with_capacity(logs[i].time.len());
        replay(joint, logs[i], logs[i].start, &mut all);
        all
    })
}

/// Goals that differ by less than this on average, rad, are of repetitions.
const SAME_GOAL: f64 = 2e-3;

/// The nearest repetition of each log, the same goals with the same load and gain, and by how much the angles differ on
/// average, rad.
pub fn repetitions(logs: &[&Log]) -> Vec<Option<(usize, f64)>> {
    parallel::each(logs.len(), |i| {
        let same = |j: &usize| {
            let (a, b) = (logs[i], logs[*j]);
            *j != i && a.load == b.load && a.gain == b.gain && {
                let apart = differ(a, b, |l| &l.goal);
                apart.is_some_and(|d| d < SAME_GOAL)
            }
        };
        let candidates = (0..logs.len()).filter(same);
        let near = candidates.filter_map(|j| Some((j, differ(logs[i], logs[j], |l| &l.position)?)));
        near.min_by(|a, b| a.1.total_cmp(&b.1))
    })
}

/// Mean absolute difference of a column at the times of `a`, `b` straight between its rows.
fn differ(a: &Log, b: &Log, column: fn(&Log) -> &Vec<f64>) -> Option<f64> {
    let (mut k, mut total, mut rows) = (0, 0.0, 0usize);
    let (xs, ys) = (column(a), column(b));
    for (t, x) in a.time.iter().zip(xs) {
        let at = t - a.time[0] + b.time[0];
        while k + 2 < b.time.len() && b.time[k + 1] <= at {
            k += 1;
        }
        if k + 1 >= b.time.len() || at > b.time[k + 1] {
            continue;
        }
        let share = (at - b.time[k]) / (b.time[k + 1] - b.time[k]);
        let apart = x - (ys[k] + share * (ys[k + 1] - ys[k]));
        if !apart.is_nan() {
            total += apart.abs();
            rows += 1;
        }
    }
    (2 * rows > a.time.len()).then(|| total / rows as f64)
}

/// Errors of the held-out logs, or of all where there are none, by each value of each column.
fn groups(question: &Question, parts: &[Part]) -> Vec<Group> {
    let held = question.logs.iter().any(|g| g.held_out);
    let mut all: Vec<(Group, Part)> = Vec::new();
    for (given, part) in question.logs.iter().zip(parts).filter(|(g, _)| g.held_out == held) {
        for (column, value) in &given.labels {
            let known = all.iter_mut().find(|(g, _)| g.column == *column && g.value == *value);
            match known {
                Some((group, total)) => {
                    group.logs += 1;
                    total.add(part);
                }
                None => {
                    let (column, value) = (column.clone(), value.clone());
                    all.push((Group { column, value, error: 0.0, logs: 1 }, part.clone()));
                }
            }
        }
    }
    let with_error = all.into_iter().map(|(g, p)| Group { error: p.error(), ..g });
    let mut all: Vec<Group> = with_error.collect();
    all.sort_by(|a, b| (&a.column, &a.value).cmp(&(&b.column, &b.value)));
    all
}

/// How sure the numbers are, in the directions of the curvature. Numbers are counted in shares of themselves there.
struct Sure {
    /// What a number is counted in: its size, or a tenth of its range where that is larger.
    scale: Vec<f64>,
    directions: Vec<Direction>,
    /// Covariance of the scaled numbers without the directions that the logs do not see, row by row.
    covariance: Vec<f64>,
    /// Half of a 95 % interval in standard errors: Student's, for as many observations as there are.
    quantile: f64,
    /// Observations in each log.
    blocks: usize,
}

/// A direction in which numbers change together.
struct Direction {
    shape: Vec<f64>,
    /// How much less the logs say of it than of what they know best.
    ratio: f64,
    /// Standard error of a step along it; infinite where the logs do not see it.
    error: f64,
}

/// Less than this of what is known best is rounding.
const UNSEEN: f64 = 1e-5;
/// A number takes part in a direction with more than this share of the largest part.
const TAKES_PART: f64 = 0.1;

impl Sure {
    /// The sandwich H⁻¹ (Σ g gᵀ) H⁻¹ of White (1980) with one g for each cluster: a log and its repetitions, whose errors go
    /// together (Liang and Zeger 1986).
    fn of(
        question: &Question,
        joint: &Joint,
        starts: &[[f64; 2]],
        near: &[Option<(usize, f64)>],
    ) -> Self {
        let n = question.unknowns.len();
        let scale: Vec<f64> = question
            .unknowns
            .iter()
            .map(|u| joint.get(u.slot).abs().max(0.1 * (u.range[1] - u.range[0])))
            .collect();
        let (clusters, blocks) = clusters(question, joint, starts, near);
        let all = sum(&clusters);
        let quantile = student(clusters.len().saturating_sub(n).max(1) as f64);
        let (mut scaled, mut unit) = (vec![0.0; n * n], vec![0.0; n * n]);
        for a in 0..n {
            unit[a * n + a] = 1.0;
            for b in 0..n {
                scaled[a * n + b] = all.curvature[a * n + b] * scale[a] * scale[b];
            }
        }
        let mut sure =
            Self { scale, directions: Vec::new(), covariance: vec![0.0; n * n], quantile, blocks };
        let Some(found) = modes(&unit, &scaled, n) else { return sure };
        let most = found.squares.iter().fold(0.0, |m: f64, s| m.max(*s)).max(f64::MIN_POSITIVE);
        let shape = |k: usize| -> Vec<f64> { (0..n).map(|i| found.shapes[i * n + k]).collect() };
        let seen: Vec<usize> =
            (0..n).filter(|&k| found.squares[k] > UNSEEN * UNSEEN * most).collect();
        // In the directions of the curvature H is diagonal: what each cluster pulls along one, over its curvature, is the
        // step that the cluster asks for.
        let steps: Vec<Vec<f64>> = clusters
            .iter()
            .map(|c| {
                let along = |&k: &usize| {
                    let pull: f64 = (0..n)
                        .map(|i| found.shapes[i * n + k] * c.gradient[i] * sure.scale[i])
                        .sum();
                    pull / found.squares[k]
                };
                seen.iter().map(along).collect()
            })
            .collect();
        let count = clusters.len() as f64;
        let few = count / (count - n as f64).max(1.0);
        let between = |a: usize, b: usize| few * steps.iter().map(|s| s[a] * s[b]).sum::<f64>();
        for (a, &k) in seen.iter().enumerate() {
            for (b, &l) in seen.iter().enumerate() {
                let together = between(a, b);
                for i in 0..n {
                    for j in 0..n {
                        sure.covariance[i * n + j] +=
                            found.shapes[i * n + k] * together * found.shapes[j * n + l];
                    }
                }
            }
        }
        for k in 0..n {
            let error = seen.iter().position(|s| *s == k).map(|a| between(a, a).sqrt());
            sure.directions.push(Direction {
                shape: shape(k),
                ratio: (found.squares[k].max(0.0) / most).sqrt(),
                error: error.unwrap_or(f64::INFINITY),
            });
        }
        sure
    }

    fn parameters(&self, question: &Question, joint: &Joint) -> Vec<Named> {
        let n = self.scale.len();
        let at = |a: usize, b: usize| self.covariance[a * n + b] * self.scale[a] * self.scale[b];
        let one = |(i, u): (usize, &Unknown)| {
            let name = u.name.clone();
            let unseen = |d: &&Direction| d.error.is_infinite() && d.takes_part(i);
            if self.directions.is_empty() || self.directions.iter().any(|d| unseen(&d)) {
                let reason = "these logs show it only together with others, or not at all";
                return Named { name, estimate: Estimate::unknown(u.unit, reason) };
            }
            let value = joint.get(u.slot);
            let (mut shown, mut variance) = (value, at(i, i));
            match u.above {
                Some(Above::Unknown(j)) => {
                    shown += joint.get(question.unknowns[j].slot);
                    variance += 2.0 * at(i, j) + at(j, j);
                }
                Some(Above::Known(below)) => shown += below,
                None => {}
            }
            let error = variance.max(0.0).sqrt();
            let half = self.quantile * error;
            let mut estimate = Estimate::within(shown, error, [shown - half, shown + half], u.unit);
            let [low, high] = u.range;
            let end = if value <= low { low } else { high };
            if (value <= low || value >= high) && off(u.slot).is_none_or(|o| o.0 != end) {
                estimate.reason = Some(format!(
                    "it stands at the end of its range, {end}, where no interval holds"
                ));
            }
            Named { name, estimate }
        };
        question.unknowns.iter().enumerate().map(one).collect()
    }

    /// Directions in which the numbers are known to less than a quarter of themselves.
    fn undetermined(&self, question: &Question) -> Vec<Undetermined> {
        let unsure = self.directions.iter().filter(|d| d.error > UNSURE);
        let one = |d: &Direction| {
            let named: Vec<&str> = question
                .unknowns
                .iter()
                .enumerate()
                .filter(|(i, _)| d.takes_part(*i))
                .map(|(_, u)| u.name.as_str())
                .collect();
            let reason = match named.as_slice() {
                [one] => format!("the logs hardly show `{one}`"),
                _ => format!(
                    "the logs hardly tell {} apart: changed together they leave the error as it is",
                    named.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
                ),
            };
            Undetermined { combination: named.join(" : "), ratio: d.ratio, reason }
        };
        unsure.map(one).collect()
    }
}

impl Direction {
    fn takes_part(&self, i: usize) -> bool {
        let largest = self.shape.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
        self.shape[i].abs() > TAKES_PART * largest
    }
}

/// Student's t at 97.5 % with `freedom` degrees of freedom, by its expansion around the normal one (Abramowitz and Stegun
/// 26.7.5): to a thousandth from 10 degrees on.
fn student(freedom: f64) -> f64 {
    const Z: f64 = 1.959_964;
    let first = (Z.powi(3) + Z) / 4.0;
    let second = (5.0 * Z.powi(5) + 16.0 * Z.powi(3) + 3.0 * Z) / 96.0;
    Z + first / freedom + second / (freedom * freedom)
}

/// What each observation says: a log with its repetitions, or blocks of logs where these are few.
fn clusters(
    question: &Question,
    joint: &Joint,
    starts: &[[f64; 2]],
    near: &[Option<(usize, f64)>],
) -> (Vec<Part>, usize) {
    let slots: Vec<Slot> = question.unknowns.iter().map(|u| u.slot).collect();
    let which: Vec<usize> =
        (0..question.logs.len()).filter(|&i| !question.logs[i].held_out).collect();
    let logs: Vec<&Log> = which.iter().map(|&i| &question.logs[i].log).collect();
    // Repetitions point to each other; the first of them names the cluster.
    let first = |at: usize| near[which[at]].map_or(which[at], |(j, _)| which[at].min(j));
    let mut names: Vec<usize> = (0..which.len()).map(first).collect();
    names.sort_unstable();
    names.dedup();
    let blocks = if names.len() < FEW * slots.len() { BLOCKS } else { 1 };
    let mut all: Vec<(usize, Part)> = Vec::new();
    for (at, of_log) in in_blocks(joint, &slots, &logs, starts, blocks).into_iter().enumerate() {
        for (block, part) in of_log.into_iter().enumerate() {
            let name = first(at) * BLOCKS + block;
            match all.iter_mut().find(|c| c.0 == name) {
                Some((_, total)) => total.add(&part),
                None => all.push((name, part)),
            }
        }
    }
    (all.into_iter().map(|c| c.1).collect(), blocks)
}

/// What users should know.
fn warnings(question: &Question, fit: &Fit) -> Vec<String> {
    let mut said = Vec::new();
    let spiky = question.logs.iter().filter(|g| g.left_out.spikes > 0).count();
    if fit.spikes > 0 {
        said.push(format!(
            "{} single rows in {spiky} of {} logs stand far from both neighbours and were left out",
            fit.spikes,
            question.logs.len()
        ));
    }
    let supply: usize = question.logs.iter().map(|g| g.left_out.supply).sum();
    if supply > 0 {
        said.push(format!(
            "{supply} rows have a supply far from the usual one of their log; that of the row before was used"
        ));
    }
    let ends = question
        .unknowns
        .iter()
        .zip(&fit.parameters)
        .filter(|(_, n)| n.estimate.identifiable && n.estimate.reason.is_some());
    let ends: Vec<String> = ends.map(|(u, _)| format!("`{}`", u.name)).collect();
    if !ends.is_empty() {
        said.push(format!(
            "{} ended at an end of the range: widen the range, or fix the number",
            ends.join(", ")
        ));
    }
    let idle: Vec<String> =
        fit.terms.iter().filter(|t| !t.earns_its_place).map(|t| format!("`{}`", t.term)).collect();
    if !idle.is_empty() {
        said.push(format!(
            "without {} the error grows by less than 1 %: such a term can be left out",
            idle.join(" or ")
        ));
    }
    said
}
