//! From logs to the numbers of the joint: the drive first, then the friction, then everything, from several starts.

use super::conclude::conclude;
use super::logs::Log;
use super::question::Question;
use super::search::{Found, MOST, Sought, descend, sum, values};
use super::terms::{is_of_drive, off};
use super::verdict::{Fit, Simplified, Term};
use super::{Joint, Slot, Ways};
use crate::control::Control;
use crate::error::Error;
use crate::statistics::random::Draws;

/// Logs on which starts are tried and terms left out.
const SOME: usize = 80;
/// Steps of a descent that prepares another.
const STAGE: usize = 12;
/// Steps of a descent whose end is compared with others.
const WHOLE: usize = 25;
/// Steps of the descent whose end is the answer.
const LAST: usize = 60;
/// A term earns its place where the error without it is larger by this factor.
const EARNS: f64 = 1.01;
/// Another reading of the gain is taken where it leaves less than this share of the error.
const READING: f64 = 0.8;
/// Frictions of a simplified joint are sought below this, N·m and N·m·s/rad: beyond any.
const WIDE: f64 = 1e6;
/// Factors of the gain that are tried, powers of ten, and by how much a factor must lower the error to be the better one.
const DECADES: [f64; 6] = [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0];
const BETTER: f64 = 0.6;

/// Fits the unknowns to the logs that are not held out.
///
/// # Errors
/// Where there are no unknowns or too many, no log is left to fit, a number has no motion, the gain is wrong by a factor,
/// or the work was stopped.
pub fn joint(question: &Question, control: &dyn Control) -> Result<Fit, Error> {
    question.check()?;
    let fitted: Vec<&Log> = question.logs.iter().filter(|g| !g.held_out).map(|g| &g.log).collect();
    let some = thinned(&fitted, SOME);
    let sought = question.sought(&[]);
    let mut work = Work { control, evaluations: 0 };
    let best = work.best_start(question, &sought, &some)?;
    let (best, reading) = work.reading_of_the_gain(question, best, &sought, &some)?;
    let best = work.without_and_with(question, best, &sought, &some)?;
    work.refuse_a_wrong_gain(&best, &sought, &some)?;
    control.progress(0.4);
    let mut found = work.descend_with_starts(&best, &sought, &fitted, LAST)?;
    found.joint = question.with_unseen_mountings(found.joint);
    control.progress(0.7);
    let held_out: Vec<&Log> = question.logs.iter().filter(|g| g.held_out).map(|g| &g.log).collect();
    let scored = if held_out.is_empty() { &fitted } else { &held_out };
    let scored = thinned(scored, 2 * SOME);
    let terms = match question.terms {
        true => work.terms(question, &found.joint, &some, &scored)?,
        false => Vec::new(),
    };
    let simplified = work.simplified(&found.joint, &some, &scored)?;
    let mut fit = conclude(question, found, terms, simplified);
    fit.evaluations = work.evaluations;
    fit.warnings.extend(reading);
    Ok(fit)
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
        self.descend_with_starts(start, sought, logs, most).map(|found| found.joint)
    }

    /// The joint, and where each log begins.
    fn descend_with_starts(
        &mut self,
        start: &Joint,
        sought: &[Sought],
        logs: &[&Log],
        most: usize,
    ) -> Result<Found, Error> {
        // A step that was done before a break is taken from the journal: its passes, then its numbers.
        if let Some([with, without, numbers @ ..]) = self.control.recall().as_deref()
            && numbers.len() == sought.len() + 2 * logs.len()
        {
            let mut joint = *start;
            sought.iter().zip(numbers).for_each(|(s, v)| joint.set(s.slot, *v));
            let passes = [*with as usize, *without as usize];
            self.evaluations += logs.len() * (passes[0] + passes[1]);
            let starts = numbers[sought.len()..].chunks(2).map(|s| [s[0], s[1]]).collect();
            return Ok(Found { joint, starts, passes });
        }
        let found = descend(start, sought, logs, most, self.control)?;
        let [with, without] = found.passes;
        self.evaluations += logs.len() * (with + without);
        let numbers = sought.iter().map(|s| found.joint.get(s.slot));
        let starts = found.starts.iter().flatten().copied();
        let kept = [with as f64, without as f64].into_iter().chain(numbers).chain(starts);
        self.control.keep(&kept.collect::<Vec<f64>>());
        Ok(found)
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
            let end = self.descend(&start, sought, logs, WHOLE)?;
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
            joint = self.descend(&joint, &first, logs, 2 * STAGE)?;
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
        self.descend(&joint, &friction, logs, STAGE)
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
        if !question.gains_may_be_whole {
            return Ok((best, None));
        }
        let mut start = question.joint;
        start.drive.gain = 1.0;
        let other = Question { joint: start, starts: 1, ..question.clone() };
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
            let mut without = vec![slot];
            without.extend(also);
            let rest = question.sought(&without);
            if rest.is_empty() {
                continue;
            }
            let mut start = best;
            start.set(slot, off);
            start = self.descend(&start, &rest, logs, STAGE)?;
            start.set(slot, 0.5 * best.get(slot));
            let end = self.descend(&start, sought, logs, WHOLE)?;
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
            let end = self.descend(&start, &with, &logs, STAGE)?;
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
        let with = self.descend(found, &question.sought(&[]), logs, WHOLE)?;
        let own = sum(&values(&with, scored)).error();
        let mut all = Vec::new();
        for u in &question.unknowns {
            let Some((off, also)) = off(u.slot) else { continue };
            let mut start = with;
            start.set(u.slot, off);
            let mut without = vec![u.slot];
            without.extend(also);
            let rest = question.sought(&without);
            let end =
                if rest.is_empty() { start } else { self.descend(&start, &rest, logs, WHOLE)? };
            let error_without = sum(&values(&end, scored)).error();
            let term = u.name.clone();
            all.push(Term { term, error_without, earns_its_place: error_without > EARNS * own });
        }
        Ok(all)
    }

    /// The joint as simulators have it, its two frictions fitted anew: with a delay and a limit of the speed, which whoever
    /// sends the goals can add, and without. The start offset and the derivative of the duty are off in both: nothing of what
    /// is exported has them.
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
            Slot::Rest,
            Slot::Transmitted,
            Slot::Start,
            Slot::Derivative,
        ] {
            with_drive.set(slot, 0.0);
        }
        let way = found.gear.ways[0];
        with_drive.set(Slot::Dynamic(Ways::Both), way.at_rest());
        with_drive.set(Slot::Viscous(Ways::Both), way.viscous);
        let mut alone = with_drive;
        alone.set(Slot::Delay, 0.0);
        alone.set(Slot::SpeedLimit, f64::INFINITY);
        let sought = [Slot::Dynamic(Ways::Both), Slot::Viscous(Ways::Both)]
            .map(|slot| Sought { slot, range: [0.0, WIDE] });
        let mut all = Vec::new();
        for (what, start) in [("with-drive", with_drive), ("alone", alone)] {
            let end = self.descend(&start, &sought, logs, WHOLE)?;
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
}

/// Between the ends of a range: evenly in the logarithm where the ends are orders apart.
fn drawn([low, high]: [f64; 2], unit: f64) -> f64 {
    if low > 0.0 && high > 20.0 * low {
        return low * stickslip::portable::pow(high / low, unit);
    }
    low + (high - low) * unit
}
