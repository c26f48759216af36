//! From logs to the numbers of the joint: in short pieces first, then over whole logs, from several starts, then by leaps.
//!
//! Over a short piece that begins as it was measured every number acts at once and smoothly, and the loss has hardly more than
//! one minimum; over a whole log a hair decides where an arm comes to rest. Pieces lead into the right valley, whole logs to its
//! ground, see `leap`.

use super::conclude::conclude;
use super::leap::{CANDIDATES, Field, LENGTHS, Stand, leap};
use super::logs::Log;
use super::question::Question;
use super::repetitions::repetitions;
use super::search::{FoundJoint, MOST, Sought, descend, sum, values, values_from};
use super::sure::{Sure, not_below};
use super::terms::off;
use super::verdict::{BristleSeen, Fit, Named, Simplified, SimplifiedBristle, Term};
use super::{Joint, Slot, Ways};
use crate::control::Control;
use crate::error::Error;
use crate::record::parts::{LONG, Long, widest};
use crate::statistics::estimate::{Estimate, digits};
use crate::statistics::random::Draws;

/// Logs of which a part is looked at before long ones are fitted; more parts of each where there are fewer.
const LOGS: usize = 4;
const OF_A_PART: Long = Long { times: 12, most: 4000 };
/// More of how far the angle usually is from its middle is not explained.
const UNEXPLAINED: f64 = 0.5;
/// Logs on which starts are tried and terms left out.
const SOME: usize = 80;
/// The pieces of the first descent, s: longer than the delay of any drive, shorter than a swing.
const PIECE: f64 = 0.4;
/// Steps of the descent over pieces.
const PIECES: usize = 20;
/// Steps of a descent that prepares another.
const STAGE: usize = 12;
/// Steps of a descent whose end is compared with others.
const WHOLE: usize = 25;
/// Steps of the descent whose end is the answer.
const LAST: usize = 60;
/// Leaps at most, and steps of the descent after each.
const LEAPS: usize = 10;
const AFTER: usize = 4;
/// Leaps end after so many that lower the loss by less than this share; each of these makes the next ones shorter by this power
/// of ten.
const IDLE: usize = 4;
const GAINED: f64 = 2e-4;
const NEARER: f64 = 0.4;
/// Values of a limit that are tried.
const TRIED: usize = 16;
/// Where the friction of a load or the backlash stands at 0 it has no slope; it begins at this share of its range.
const BEGINS: f64 = 0.02;
/// A term earns its place where the error without it is larger by this factor.
const EARNS: f64 = 1.01;
/// Another reading of the gain is taken where it leaves less than this share of the error.
const READING: f64 = 0.8;
/// Frictions of a simplified joint are sought below this, N·m and N·m·s/rad: beyond any.
const WIDE: f64 = 1e6;
/// Rounds in which a simplified bristle is made passive.
const PASSIVE: usize = 3;
/// Compliances of the bristle, and shares up to which it is elastic, that are tried.
const COMPLIANCES: usize = 4;
const SHARES: usize = 3;
/// Factors of the gain that are tried, powers of ten, and by how much a factor must lower the error to be the better one.
const DECADES: [f64; 6] = [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0];
const BETTER: f64 = 0.6;

/// Fits the unknowns to the logs that are not held out.
///
/// # Errors
/// Where there are no unknowns or too many, no log is left to fit, no angle ever changes, long logs are followed in none of their parts, a
/// number has no motion, the gain is wrong by a factor, or the work was stopped.
pub fn joint(question: &Question, control: &dyn Control) -> Result<Fit, Error> {
    question.check()?;
    refuse_still(question)?;
    // A bristle is added to the best rigid gear, and kept where it is better than that: with both sought at once a gear that
    // hardly yields could be left in a worse place than the rigid one would have.
    let rigid = question.of_rigid_gear();
    let asked = question;
    let mut question = rigid.as_ref().unwrap_or(asked);
    let fitted: Vec<&Log> = question.logs.iter().filter(|g| !g.held_out).map(|g| &g.log).collect();
    let some = thinned(&fitted, SOME);
    let sought = question.sought(&[]);
    refuse_unexplained(question, &sought, &fitted, control)?;
    let mut work = Work { control, evaluations: 0 };
    let best = work.best_start(question, &sought, &some, [0.0, 0.3])?;
    // Before a gain is refused: where a whole gain was taken for a factor, another decade would fit too, and the message
    // would be the wrong one.
    let (best, reading) = work.reading_of_the_gain(question, best, &sought, &some)?;
    work.refuse_a_wrong_gain(&best, &sought, &some)?;
    control.progress(0.4);
    let mut found = work.lowest(question, &best, &sought, &fitted)?;
    found.joint = question.with_unseen_mountings(found.joint);
    control.progress(0.7);
    let held_out: Vec<&Log> = question.logs.iter().filter(|g| g.held_out).map(|g| &g.log).collect();
    let scored = if held_out.is_empty() { &fitted } else { &held_out };
    // To score a joint takes one pass over a log and no descent, so twice as many logs cost little.
    let scored = thinned(scored, 2 * SOME);
    let mut bristle = None;
    let mut withheld = Vec::new();
    // An elastic range in turn is added to the best bristle that yields from the beginning.
    let lugre = asked.of_lugre();
    if let Some(rigid) = &rigid {
        let logs = [some.as_slice(), fitted.as_slice()];
        let bristled = lugre.as_ref().unwrap_or(asked);
        let with = work.with_bristle(bristled, &found.joint, logs)?;
        found = work.rigid_again(rigid, found, &with.joint, logs)?;
        let seen = judged(bristled, &with, &found.joint, &scored);
        if seen.seen {
            (found, question) = (with, bristled);
            if lugre.is_some() {
                let with = work.with_elastic_range(asked, &found.joint, logs)?;
                match without_elastic_range(&with.joint, &found.joint, &scored) {
                    None => (found, question) = (with, asked),
                    Some(reason) => withheld.push((Slot::BreakawayShare, reason)),
                }
            }
        }
        withheld.extend(without_bristle(&seen));
        bristle = Some(seen);
    }
    let terms = match question.terms {
        true => work.terms(question, &found.joint, &some, &scored)?,
        false => Vec::new(),
    };
    let simplified = work.simplified(&found.joint, &some, &scored)?;
    let mut fit = conclude(question, found, terms, simplified);
    fit.evaluations = work.evaluations;
    fit.warnings.extend(reading);
    for (i, u) in asked.unknowns.iter().enumerate() {
        if let Some((_, why)) = withheld.iter().find(|(slot, _)| *slot == u.slot) {
            let estimate = why.estimate(u.unit);
            fit.parameters.insert(i, Named { name: u.name.clone(), estimate });
        }
    }
    fit.bristle = bristle;
    Ok(fit)
}

/// Refuses logs in which nothing ever moves: any friction that is large enough fits them.
fn refuse_still(question: &Question) -> Result<(), Error> {
    let fitted = question.logs.iter().filter(|g| !g.held_out);
    let mut angles = fitted.flat_map(|g| &g.log.position).filter(|p| p.is_finite());
    match angles.next() {
        Some(&value) if angles.all(|p| *p == value) => {
            Err(Error::Constant { column: "angle", value })
        }
        _ => Ok(()),
    }
}

/// Refuses long logs of which the joint leaves more than half of the motion in every part, whatever its numbers are. The whole search over parts
/// takes a second, and over a million rows an hour.
pub(super) fn refuse_unexplained(
    question: &Question,
    sought: &[Sought],
    fitted: &[&Log],
    control: &dyn Control,
) -> Result<(), Error> {
    if fitted.iter().map(|log| log.time.len()).sum::<usize>() <= LONG {
        return Ok(());
    }
    let mut parts = Vec::new();
    for log in thinned(fitted, LOGS) {
        let rows = widest(&log.position, &[], OF_A_PART);
        let most = if fitted.len() < LOGS { rows.len() } else { 1 };
        parts.extend(rows.into_iter().take(most).map(|rows| log.part(rows)));
    }
    let parts: Vec<&Log> = parts.iter().collect();
    if parts.is_empty() {
        return Ok(());
    }
    // It is no step of the fit, and not kept with those that are.
    let stops = Stops(control);
    let mut work = Work { control: &stops, evaluations: 0 };
    let once = Question { starts: 1, ..question.clone() };
    let found = match work.best_start(&once, sought, &parts, [0.0; 2]) {
        Ok(found) => found,
        Err(Error::Interrupted) => return Err(Error::Interrupted),
        // Where no numbers have a motion, the search of the whole says so.
        Err(_) => return Ok(()),
    };
    let errors = values(&found, &parts);
    let left = parts.iter().zip(&errors).map(|(part, error)| error.error() / part.usual());
    let least = left.fold(f64::INFINITY, f64::min);
    if !least.is_finite() || least <= UNEXPLAINED {
        return Ok(());
    }
    Err(Error::Unfit(format!(
        "the joint does not follow the logs: fitted to {} parts of {} rows alone, its mean error in each of them is at least {least:.2} of the mean \
         distance of the angle from its middle; expected less than {UNEXPLAINED}, for else no number can be trusted; the whole logs were not fitted",
        parts.len(),
        parts[0].time.len()
    )))
}

/// Passes on that the work shall stop, and nothing else.
struct Stops<'a>(&'a dyn Control);

impl Control for Stops<'_> {
    fn stop(&self) -> bool {
        self.0.stop()
    }
}

/// Whether the joint with a bristle is better than the rigid one on the logs that are scored.
fn judged(question: &Question, found: &FoundJoint, rigid: &Joint, scored: &[&Log]) -> BristleSeen {
    let [error_with, error_without] =
        [&found.joint, rigid].map(|joint| sum(&values(joint, scored)).error());
    let logs: Vec<&Log> = question.logs.iter().map(|g| &g.log).collect();
    let sure = Sure::of(question, &found.joint, &found.starts, &repetitions(&logs));
    let most = sure.compliance_at_most(question, &found.joint);
    let stiffness_at_least = most.map(|most| 1.0 / most);
    let seen = error_without > EARNS * error_with;
    let reason = match (seen, stiffness_at_least) {
        (true, _) => format!(
            "the gear yields before it slips: with a rigid one the error is {error_without:.5} rad instead of \
             {error_with:.5} rad"
        ),
        (false, Some(least)) => format!(
            "these logs do not show that the gear yields before it slips, and it is taken to be rigid (error \
             {error_without:.5} rad, with a bristle {error_with:.5} rad): the stiffness of a bristle is at least {} N·m/rad",
            digits(least)
        ),
        (false, None) => format!(
            "these logs do not show that the gear yields before it slips, and it is taken to be rigid (error \
             {error_without:.5} rad, with a bristle {error_with:.5} rad); they say nothing of its stiffness"
        ),
    };
    BristleSeen { seen, stiffness_at_least, error_with, error_without, reason }
}

/// What is said of a number that was asked for and that the logs do not show.
#[derive(Debug)]
pub(super) enum Withheld {
    /// A stiffness that is at least this one.
    AtLeast(f64),
    /// Why it is unknown.
    Unknown(String),
}

impl Withheld {
    fn estimate(&self, unit: &'static str) -> Estimate {
        match self {
            Self::AtLeast(least) => not_below(*least, unit),
            Self::Unknown(reason) => Estimate::unknown(unit, reason.clone()),
        }
    }
}

/// The numbers of a bristle that is not seen.
fn without_bristle(bristle: &BristleSeen) -> Vec<(Slot, Withheld)> {
    if bristle.seen {
        return Vec::new();
    }
    let unknown = |reason: &str| Withheld::Unknown(reason.to_owned());
    let stiffness = match bristle.stiffness_at_least {
        Some(least) => Withheld::AtLeast(least),
        None => unknown("these logs do not show it"),
    };
    let damping = unknown("these logs do not show the bristle that it would damp");
    let share = unknown("these logs do not show the bristle that would be elastic up to it");
    vec![
        (Slot::Compliance, stiffness),
        (Slot::BristleDamping, damping),
        (Slot::BreakawayShare, share),
    ]
}

/// Why a bristle is taken to yield from the beginning; `None` where it is better on the logs that are scored with an elastic range.
pub(super) fn without_elastic_range(
    with: &Joint,
    without: &Joint,
    scored: &[&Log],
) -> Option<Withheld> {
    let [error_with, error_without] =
        [with, without].map(|joint| sum(&values(joint, scored)).error());
    let reason = format!(
        "these logs do not show that the bristle is elastic at first, and it is taken to yield from the beginning (error \
         {error_without:.5} rad, with an elastic range {error_with:.5} rad)"
    );
    (error_without <= EARNS * error_with).then_some(Withheld::Unknown(reason))
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
pub(super) struct Work<'a> {
    pub(super) control: &'a dyn Control,
    pub(super) evaluations: usize,
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
    ) -> Result<FoundJoint, Error> {
        // A step that was done before a break is taken from the journal: its passes, then its numbers.
        if let Some([with, without, numbers @ ..]) = self.control.recall().as_deref()
            && numbers.len() == sought.len() + 2 * logs.len()
        {
            let mut joint = *start;
            sought.iter().zip(numbers).for_each(|(s, v)| joint.set(s.slot, *v));
            let passes = [*with as usize, *without as usize];
            self.evaluations += logs.len() * (passes[0] + passes[1]);
            let starts = numbers[sought.len()..].chunks(2).map(|s| [s[0], s[1]]).collect();
            return Ok(FoundJoint { joint, starts, passes });
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

    /// Pieces of the logs, then whole logs: from the given numbers, then from others in their ranges. The best end goes on by
    /// leaps. The progress goes from the one share to the other meanwhile.
    fn best_start(
        &mut self,
        question: &Question,
        sought: &[Sought],
        logs: &[&Log],
        [from, to]: [f64; 2],
    ) -> Result<Joint, Error> {
        let mut random = Draws::new(question.seed, 0);
        let mut best: Option<Stand> = None;
        let pieces: Vec<Log> = logs.iter().map(|l| l.in_pieces(PIECE)).collect();
        let pieces: Vec<&Log> = pieces.iter().collect();
        for k in 0..question.starts.max(1) {
            let mut start = question.joint;
            for s in sought {
                if k > 0 {
                    start.set(s.slot, drawn(s.range, random.unit()));
                } else if matches!(s.slot, Slot::External(_) | Slot::Motor(_) | Slot::Backlash) {
                    let least = s.range[0] + BEGINS * (s.range[1] - s.range[0]);
                    start.set(s.slot, start.get(s.slot).max(least));
                }
            }
            start = self.descend(&start, sought, &pieces, PIECES)?;
            if let Some(reached) = with_limits(&start, sought, &pieces) {
                start = self.descend(&reached, sought, &pieces, PIECES)?;
            }
            let found = self.descend_with_starts(&start, sought, &pieces, AFTER)?;
            // Pieces show the shape of the valley and whole logs how deep it is: the leap draws by the first and
            // compares by the second.
            let field = Field { sought, around: &pieces, over: logs, lengths: LENGTHS };
            start = leap(&Stand::at(found, &pieces), &field, &mut random);
            let found = self.descend_with_starts(&start, sought, logs, STAGE)?;
            let end = Stand::at(found, logs);
            // Numbers drawn from wide ranges may have a motion that runs away; its loss is not a number, and no other
            // would ever be less.
            if end.loss.is_finite() && best.as_ref().is_none_or(|b| end.loss < b.loss) {
                best = Some(end);
            }
            let done = (k + 1) as f64 / question.starts.max(1) as f64;
            self.control.progress(from + (to - from) * done);
        }
        let best = best.ok_or_else(|| {
            Error::Unfit("no numbers in these ranges have a motion that stays finite".to_owned())
        })?;
        self.by_leaps(question, best, sought, logs).map(|found| found.joint)
    }

    /// The lowest loss over these logs near a joint.
    fn lowest(
        &mut self,
        question: &Question,
        joint: &Joint,
        sought: &[Sought],
        logs: &[&Log],
    ) -> Result<FoundJoint, Error> {
        let mut found = self.descend_with_starts(joint, sought, logs, WHOLE)?;
        if logs.len() > SOME {
            // Fewer are those from which the leaps were made that led here.
            found = self.by_leaps(question, Stand::at(found, logs), sought, logs)?;
        }
        let end = self.descend_with_starts(&found.joint, sought, logs, LAST)?;
        let [before, after] =
            [&found, &end].map(|f| sum(&values_from(&f.joint, logs, &f.starts)).loss);
        // A descent begins each log where its first rows say, not where the leaps before it had put the start: it may
        // end higher than they did.
        Ok(if after < before { end } else { found })
    }

    /// Leaps from minimum to minimum until they gain no more.
    fn by_leaps(
        &mut self,
        question: &Question,
        mut best: Stand,
        sought: &[Sought],
        logs: &[&Log],
    ) -> Result<FoundJoint, Error> {
        let mut draws = Draws::new(question.seed, 2);
        let mut idle = 0;
        for _ in 0..LEAPS {
            if self.control.stop() {
                return Err(Error::Interrupted);
            }
            // Nearer after each leap in vain: the last minima are apart by less than the numbers are known to.
            let lengths = LENGTHS.map(|power| power - NEARER * idle as f64);
            let field = Field { sought, around: logs, over: logs, lengths };
            let start = leap(&best, &field, &mut draws);
            self.evaluations += logs.len() * (CANDIDATES + 1);
            let found = self.descend_with_starts(&start, sought, logs, AFTER)?;
            let end = Stand::at(found, logs);
            let gained = (best.loss - end.loss) / best.loss;
            idle += usize::from(gained < GAINED);
            if gained > 0.0 {
                best = end;
            }
            if idle == IDLE {
                break;
            }
        }
        Ok(best.found)
    }

    /// The joint with a bristle, searched from the rigid one. The logs are some, and all that are fitted.
    fn with_bristle(
        &mut self,
        question: &Question,
        rigid: &Joint,
        [some, fitted]: [&[&Log]; 2],
    ) -> Result<FoundJoint, Error> {
        let sought = question.sought(&[]);
        let range = question.compliance().map_or([0.0; 2], |u| u.range);
        let pieces: Vec<Log> = some.iter().map(|l| l.in_pieces(PIECE)).collect();
        let pieces: Vec<&Log> = pieces.iter().collect();
        let mut best: Option<Stand> = None;
        for k in 0..COMPLIANCES {
            let mut start = *rigid;
            start.set(Slot::Compliance, drawn(range, (k as f64 + 0.5) / COMPLIANCES as f64));
            start.set(Slot::BristleDamping, question.joint.gear.bristle_damping);
            start = self.descend(&start, &sought, &pieces, AFTER)?;
            let found = self.descend_with_starts(&start, &sought, some, STAGE)?;
            let end = Stand::at(found, some);
            if end.loss.is_finite() && best.as_ref().is_none_or(|b| end.loss < b.loss) {
                best = Some(end);
            }
        }
        let best = best.ok_or_else(|| {
            Error::Unfit("no stiffness in this range has a motion that stays finite".to_owned())
        })?;
        let best = self.by_leaps(question, best, &sought, some)?.joint;
        let mut found = self.lowest(question, &best, &sought, fitted)?;
        found.joint = question.with_unseen_mountings(found.joint);
        Ok(found)
    }

    /// The joint whose bristle is elastic at first, searched from that whose bristle yields from the beginning. The logs are some, and all
    /// that are fitted.
    pub(super) fn with_elastic_range(
        &mut self,
        question: &Question,
        lugre: &Joint,
        [some, fitted]: [&[&Log]; 2],
    ) -> Result<FoundJoint, Error> {
        let sought = question.sought(&[]);
        let of_share = sought.iter().find(|s| s.slot == Slot::BreakawayShare);
        let range = of_share.map_or([0.0; 2], |s| s.range);
        let mut best: Option<Stand> = None;
        for k in 0..SHARES {
            let mut start = *lugre;
            start.set(Slot::BreakawayShare, drawn(range, (k as f64 + 0.5) / SHARES as f64));
            let found = self.descend_with_starts(&start, &sought, some, STAGE)?;
            let end = Stand::at(found, some);
            if best.as_ref().is_none_or(|b| end.loss < b.loss) {
                best = Some(end);
            }
        }
        let start = best.map_or(*lugre, |best| best.found.joint);
        let mut found = self.lowest(question, &start, &sought, fitted)?;
        found.joint = question.with_unseen_mountings(found.joint);
        Ok(found)
    }

    /// The better one of two rigid joints: that which was found, and that to which the one with a bristle leads. What is told against
    /// the bristle must not be a worse minimum that a search without it ended in.
    fn rigid_again(
        &mut self,
        question: &Question,
        found: FoundJoint,
        with: &Joint,
        [some, fitted]: [&[&Log]; 2],
    ) -> Result<FoundJoint, Error> {
        let sought = question.sought(&[]);
        // The whole search, over pieces first: whole logs alone lead from there to the worse minimum again.
        let mut from_there = Question { joint: *with, starts: 1, ..question.clone() };
        from_there.joint.set(Slot::Compliance, 0.0);
        let best = self.best_start(&from_there, &sought, some, [0.7, 0.8])?;
        let mut again = self.lowest(question, &best, &sought, fitted)?;
        again.joint = question.with_unseen_mountings(again.joint);
        let [before, after] =
            [&found, &again].map(|f| sum(&values_from(&f.joint, fitted, &f.starts)).loss);
        Ok(if after < before { again } else { found })
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
        // From the given numbers alone, which is enough: a reading that is wrong by a factor leaves far more than other
        // starts would gain.
        let other = Question { joint: start, starts: 1, ..question.clone() };
        let end = self.best_start(&other, sought, logs, [0.3, 0.35])?;
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

    /// A gain that is off by orders of magnitude leaves a drive that does nothing or only switches, and the other numbers
    /// bend to it. It is refused where another decade, everything else fitted anew, explains the logs much better.
    fn refuse_a_wrong_gain(
        &mut self,
        best: &Joint,
        sought: &[Sought],
        logs: &[&Log],
    ) -> Result<(), Error> {
        // The user said where a gain that is sought may lie; nothing was stated that could be wrong by a factor.
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
            // A factor need not be a whole decade: degrees taken for radians give 57. Ranges of 16 around decades
            // overlap and leave no gap.
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
            // A search that comes back to about the given gain says that the other numbers were not at their best yet,
            // not that the gain is wrong.
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
        // The joint that was found was fitted to all logs. With and without a term are compared after equal descents
        // over the same logs, or the term would be charged for the other difference.
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
            let earns_its_place = error_without > EARNS * own;
            all.push(Term { term, error_without, error_with: own, earns_its_place });
        }
        Ok(all)
    }

    /// The joint as simulators have it, its two frictions fitted anew: with a delay and a limit of the speed, which whoever
    /// sends the goals can add, and without. The start offset of the duty and its ticks are off in both: nothing of what is exported has them.
    fn simplified(
        &mut self,
        found: &Joint,
        logs: &[&Log],
        scored: &[&Log],
    ) -> Result<Vec<Simplified>, Error> {
        let mut with_drive = *found;
        for slot in [
            Slot::Drop(Ways::Both),
            Slot::Quadratic(Ways::Both),
            Slot::External(Ways::Both),
            Slot::Motor(Ways::Both),
            Slot::Rest(Ways::Both),
            Slot::Transmitted(Ways::Both),
            Slot::Start,
            Slot::Backlash,
            Slot::Compliance,
        ] {
            with_drive.set(slot, 0.0);
        }
        let way = found.gear.ways[0];
        with_drive.drive.tick = 0.0;
        // Only starts: both frictions are sought below.
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
            all.push(as_simplified(what, &end, scored));
        }
        let compliance = found.gear.compliance;
        if compliance > 0.0 {
            let mut lugre = with_drive;
            lugre.set(Slot::Compliance, compliance);
            lugre.set(Slot::BreakawayShare, 0.0);
            lugre.set(Slot::Dynamic(Ways::Both), way.dynamic);
            lugre.set(Slot::Drop(Ways::Both), way.drop);
            lugre.set(Slot::Exponent(Ways::Both), 2.0);
            let near = |of: f64| [0.1 * of, 10.0 * of];
            let further = [
                (Slot::Drop(Ways::Both), [0.0, WIDE]),
                (Slot::Velocity(Ways::Both), near(way.velocity)),
                (Slot::Compliance, near(compliance)),
                (Slot::BristleDamping, [0.0, WIDE]),
            ]
            .map(|(slot, range)| Sought { slot, range });
            let sought = [sought.as_slice(), &further].concat();
            let end = self.descend(&lugre, &sought, logs, WHOLE)?;
            let end = self.kept_passive(end, &sought, logs)?;
            let way = end.gear.ways[0];
            let bristle = Some(SimplifiedBristle {
                stiffness: 1.0 / end.gear.compliance,
                damping: end.gear.bristle_damping,
                at_rest: way.at_rest(),
                velocity: way.velocity,
            });
            all.push(Simplified { bristle, ..as_simplified("lugre", &end, scored) });
        }
        Ok(all)
    }

    /// A bristle as simulators have it must not give out energy, or what stands on it may begin to hum: its damping is put
    /// to the most that the viscous friction bears, σ₁ = σ₂ f/(f_s − f) (Barabanov and Ortega 2000), and the rest is fitted anew.
    pub(super) fn kept_passive(
        &mut self,
        mut found: Joint,
        sought: &[Sought],
        logs: &[&Log],
    ) -> Result<Joint, Error> {
        let others: Vec<Sought> =
            sought.iter().filter(|s| s.slot != Slot::BristleDamping).copied().collect();
        for round in 0..=PASSIVE {
            let way = found.gear.ways[0];
            if found.gear.is_active().is_none() {
                break;
            }
            found.gear.bristle_damping = way.viscous * way.dynamic / way.drop;
            // The friction that is fitted anew has another such damping; the last round only takes it.
            if round < PASSIVE {
                found = self.descend(&found, &others, logs, AFTER)?;
            }
        }
        Ok(found)
    }
}

/// The frictions of a joint as simulators have it, and its error.
fn as_simplified(what: &'static str, joint: &Joint, scored: &[&Log]) -> Simplified {
    let way = joint.gear.ways[0];
    let error = sum(&values(joint, scored)).error();
    Simplified { what, friction: way.dynamic, viscous: way.viscous, bristle: None, error }
}

/// A limit that no motion reaches has no slope, and a descent leaves it where it is: values of its range are tried. `None` where
/// none of them lowers the loss.
fn with_limits(joint: &Joint, sought: &[Sought], logs: &[&Log]) -> Option<Joint> {
    let loss = |of: &Joint| sum(&values(of, logs)).loss;
    let before = loss(joint);
    let mut best = (before, *joint);
    for s in sought.iter().filter(|s| matches!(s.slot, Slot::SpeedLimit | Slot::Limit)) {
        for k in 0..TRIED {
            let mut other = best.1;
            other.set(s.slot, drawn(s.range, (k as f64 + 0.5) / TRIED as f64));
            let lies = loss(&other);
            if lies < best.0 {
                best = (lies, other);
            }
        }
    }
    (best.0 < before).then_some(best.1)
}

/// Between the ends of a range: evenly in the logarithm where the ends are orders apart.
fn drawn([low, high]: [f64; 2], unit: f64) -> f64 {
    if low > 0.0 && high > 20.0 * low {
        return low * stickslip::portable::pow(high / low, unit);
    }
    low + (high - low) * unit
}
