//! The score of a table of results.

use crate::certified::{Certified, Grade, Law, Report, Row};
use crate::digits::{MOST_DIGITS, digits};
use crate::matching::{Found, matched};
use crate::rates::rated;
use crate::results::{Entry, NO_SOLUTION, NOT_UNIQUE, Results, SAMPLE, STATE};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// Fewer samples than this say little about a law.
const FEWEST_SAMPLES: usize = 1000;
/// Samples of the right law are less likely than this in one of a thousand trials.
const LEAST_PROBABILITY: f64 = 1e-3;
/// An instant is reported if it is met to this share of the run.
const INSTANT: f64 = 1e-6;
/// A state belongs to an instant if it is met to this share of the run.
const SAME: f64 = 1e-12;

/// What counts in a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counts {
    /// The events and states of its one motion.
    Motion,
    /// That it is reported to be ill-posed.
    Report,
    /// The law of its velocity.
    Law,
}

/// The score of one case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    /// The name of the case.
    pub case: String,
    /// How hard it is.
    #[serde(serialize_with = "name")]
    pub grade: Grade,
    /// Whether it has exactly one solution, which is certified.
    pub unique: bool,
    /// What counts in it.
    pub counts: Counts,
    /// The least number of correct digits of all times and states that the case asks for: 0 where an event, a state or one of its
    /// numbers was not given.
    pub digits: Option<f64>,
    /// Of the times of events: 0 where one was missed.
    pub digits_times: Option<f64>,
    /// Of displacements and velocities: 0 where one was not given.
    pub digits_states: Option<f64>,
    /// Certified events that were not found; where a report or a law counts, 1 if it fails.
    pub missed: usize,
    /// Events that do not exist, and reports of an ill-posed problem where there is none.
    pub invented: usize,
    /// Certified states of which the row, the displacement or the velocity was not given.
    pub states_missing: usize,
    /// Of the derivatives that are given, relative to the largest certified one of their kind (times, displacements, velocities) with
    /// respect to the same number.
    pub digits_derivatives: Option<f64>,
    /// Certified derivatives that are not given, where some are.
    pub derivatives_missing: usize,
    /// The greatest speed at rest, m/s.
    pub creep: f64,
    /// The greatest excess of mechanical energy over the certified, relative to the greatest certified one (in J
    /// where that is zero).
    pub energy: f64,
    /// Whether an ill-posed case was reported.
    pub reported: Option<bool>,
    /// How likely samples of the right law are farther from it than these.
    pub probability: Option<f64>,
    /// The computing, s.
    pub seconds: Option<f64>,
    /// Why there are no results.
    pub error: Option<String>,
}

fn name<S: Serializer>(grade: &Grade, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_str(grade.name())
}

impl Score {
    /// A score in which nothing is right yet.
    fn of(certified: &Certified) -> Self {
        let counts = match (&certified.report, &certified.law) {
            (Some(_), _) => Counts::Report,
            (_, Some(_)) => Counts::Law,
            _ => Counts::Motion,
        };
        Self {
            case: certified.case.clone(),
            grade: certified.grade,
            unique: certified.unique,
            counts,
            digits: None,
            digits_times: None,
            digits_states: None,
            missed: 0,
            invented: 0,
            states_missing: 0,
            digits_derivatives: None,
            derivatives_missing: 0,
            creep: 0.0,
            energy: 0.0,
            reported: None,
            probability: None,
            seconds: None,
            error: None,
        }
    }

    /// The score of a simulator that gave no results, and why.
    pub fn failed(certified: &Certified, error: String) -> Self {
        let missed = certified.events.len().max(usize::from(!certified.unique));
        let states_missing = certified.states.len();
        let motion = Self::of(certified);
        let nothing = |asked: bool| (motion.counts == Counts::Motion && asked).then_some(0.0);
        let (times, states) = (nothing(missed > 0), nothing(states_missing > 0));
        let digits = nothing(missed > 0 || states_missing > 0);
        let (digits_times, digits_states) = (times, states);
        Self {
            digits,
            digits_times,
            digits_states,
            missed,
            states_missing,
            error: Some(error),
            ..motion
        }
    }
}

/// The score of `results`, computed in so many seconds.
///
/// ```
/// use stickslip_reference::{Results, find, score};
/// let case = find("free-slide")?.certified()?;
/// // A stop found a millionth too late, and a drift of a micrometre a second after it.
/// let text = "event,t,where,x,v\nstick,4.000004,,4.0,0.0\nstate,13.6,,4.0,0.0\nstate,90.4,,4.0000768,0.0\n";
/// let score = score(&case, &Results::read("results.csv", text.as_bytes())?, None);
/// assert_eq!((score.missed, score.invented), (0, 0));
/// assert!((score.digits_times.unwrap_or(0.0) - 6.0).abs() < 1e-6);
/// assert!((score.creep - 1e-6).abs() < 1e-12);
/// # Ok::<(), stickslip_file::Diagnostic>(())
/// ```
pub fn score(certified: &Certified, results: &Results, seconds: Option<f64>) -> Score {
    let blank = Score { seconds, ..Score::of(certified) };
    if let Some(report) = &certified.report {
        let reported = is_reported(report, certified.end, results);
        let invented = false_reports(certified, results);
        return Score {
            reported: Some(reported),
            missed: usize::from(!reported),
            invented,
            ..blank
        };
    }
    if let Some(law) = &certified.law {
        let probability = probability(law, results);
        let right = probability.is_some_and(|p| p > LEAST_PROBABILITY);
        let invented = false_reports(certified, results);
        return Score { probability, missed: usize::from(!right), invented, ..blank };
    }
    let found = matched(certified, results);
    let states = States::of(certified, results);
    let scales = Scales::of(certified);
    let (times, at_events) = event_digits(certified, &found, &scales);
    // What a case asks for and does not get has no correct digit.
    let zero = |missing: bool| missing.then_some(0.0);
    let digits_states =
        least(at_events.into_iter().chain(states.digits(&scales)).chain(zero(states.missing > 0)));
    let digits_times = least(times.into_iter().chain(zero(found.missed > 0)));
    let rates = rated(certified, results, &found.pairs, &states.pairs);
    Score {
        digits: least([digits_times, digits_states].into_iter().flatten()),
        digits_times,
        digits_states,
        missed: found.missed,
        invented: found.invented + false_reports(certified, results),
        states_missing: states.missing,
        digits_derivatives: rates.digits,
        derivatives_missing: rates.missing,
        creep: states.creep(certified),
        energy: states.excess(certified),
        ..blank
    }
}

/// Rows that report a problem to be ill-posed where that is not certified: at another instant, or of the other kind. On a problem
/// with one solution each of them.
fn false_reports(certified: &Certified, results: &Results) -> usize {
    let reports = results.rows.iter().filter(|r| r.event == NOT_UNIQUE || r.event == NO_SOLUTION);
    let right = |r: &&Entry| {
        let kept = certified.report.as_ref();
        kept.is_some_and(|k| r.event == k.what && (r.t - k.from).abs() <= INSTANT * certified.end)
    };
    reports.filter(|r| !right(r)).count()
}

fn least(digits: impl Iterator<Item = f64>) -> Option<f64> {
    digits.reduce(f64::min)
}

/// Digits of the times of events, and of the states there.
fn event_digits(certified: &Certified, found: &Found<'_>, scales: &Scales) -> (Vec<f64>, Vec<f64>) {
    let mut times = Vec::new();
    let mut states = Vec::new();
    for (right, given) in &found.pairs {
        let order = certified.order(right.t);
        times.push((order * digits(given.t - right.t, right.t)).min(MOST_DIGITS));
        states.extend(scales.digits(right, given));
    }
    (times, states)
}

/// The greatest certified displacement and velocity of each node or contact, m and m/s.
struct Scales(BTreeMap<String, [f64; 2]>);

impl Scales {
    fn of(certified: &Certified) -> Self {
        let mut all: BTreeMap<String, [f64; 2]> = BTreeMap::new();
        for row in certified.events.iter().chain(&certified.states) {
            let scale = all.entry(row.r#where.clone()).or_default();
            *scale = [scale[0].max(row.x.abs()), scale[1].max(row.v.abs())];
        }
        // One mass has many places of events; a contact that only stops has no velocity of its own.
        let whole = all.values().fold([0.0f64; 2], |a, b| [a[0].max(b[0]), a[1].max(b[1])]);
        let one = certified.states.iter().all(|s| s.r#where.is_empty());
        for scale in all.values_mut() {
            if one {
                *scale = whole;
            }
            *scale = [0, 1].map(|i| if scale[i] > 0.0 { scale[i] } else { whole[i] });
        }
        Self(all)
    }

    /// Digits of displacement and velocity; none of one that is not given, or is no number.
    fn digits(&self, right: &Row, given: &Entry) -> impl Iterator<Item = f64> + use<> {
        let scale = self.0.get(&right.r#where).copied().unwrap_or_default();
        let pairs = [(given.x, right.x, scale[0]), (given.v, right.v, scale[1])];
        pairs.into_iter().map(|(a, b, scale)| digits(a - b, scale))
    }
}

/// Certified states beside those that were given.
struct States<'a> {
    /// The given one that is nearest to the instant.
    pairs: Vec<(&'a Row, &'a Entry)>,
    /// All that were given at the instant: one that is given twice is as good as the worse of them.
    answers: Vec<(&'a Row, &'a Entry)>,
    missing: usize,
}

impl<'a> States<'a> {
    fn of(certified: &'a Certified, results: &'a Results) -> Self {
        let given: Vec<&Entry> = results.rows.iter().filter(|r| r.event == STATE).collect();
        let same = SAME * certified.end;
        let mut pairs = Vec::new();
        let mut answers = Vec::new();
        for right in &certified.states {
            let here = || {
                let at = |g: &&&Entry| g.place == right.r#where && (g.t - right.t).abs() <= same;
                given.iter().filter(at)
            };
            answers.extend(here().map(|g| (right, *g)));
            let nearest =
                here().min_by(|a, b| (a.t - right.t).abs().total_cmp(&(b.t - right.t).abs()));
            pairs.extend(nearest.map(|g| (right, *g)));
        }
        let whole = |(_, g): &&(&Row, &Entry)| g.x.is_finite() && g.v.is_finite();
        let missing = certified.states.len() - pairs.iter().filter(whole).count();
        Self { pairs, answers, missing }
    }

    fn digits(&self, scales: &Scales) -> impl Iterator<Item = f64> {
        self.answers.iter().flat_map(|(right, given)| scales.digits(right, given))
    }

    /// The greatest speed in a rest: as it is given, and as the way that was made over the time.
    fn creep(&self, certified: &Certified) -> f64 {
        let mut greatest = 0.0f64;
        for rest in &certified.rests {
            let within = |r: &Row| r.r#where == rest.r#where && r.t > rest.from && r.t < rest.to;
            let mut inside = self.pairs.iter().filter(|(r, _)| within(r)).map(|(_, g)| *g);
            let Some(first) = inside.next() else { continue };
            greatest = greatest.max(first.v.abs());
            for g in inside {
                greatest = greatest.max(g.v.abs()).max((g.x - first.x).abs() / (g.t - first.t));
            }
        }
        greatest
    }

    /// How much more mechanical energy there is than certified.
    fn excess(&self, certified: &Certified) -> f64 {
        let mut instants: Vec<(f64, [f64; 2])> = Vec::new();
        for t in certified.times() {
            let here: Vec<_> = self.pairs.iter().filter(|(r, _)| r.t == t).collect();
            let right =
                |node: &str| here.iter().find(|(r, _)| r.r#where == node).map(|(r, _)| (r.x, r.v));
            let given =
                |node: &str| here.iter().find(|(r, _)| r.r#where == node).map(|(_, g)| (g.x, g.v));
            if let (Some(a), Some(b)) = (energy(certified, right), energy(certified, given)) {
                instants.push((t, [a, b]));
            }
        }
        let most = instants.iter().map(|(_, e)| e[0]).fold(0.0f64, f64::max);
        let excess = instants.iter().map(|(_, e)| e[1] - e[0]).fold(0.0f64, f64::max);
        if most > 0.0 { excess / most } else { excess }
    }
}

/// The mechanical energy of a state, J; none where a node's state is not given.
fn energy(certified: &Certified, state: impl Fn(&str) -> Option<(f64, f64)>) -> Option<f64> {
    let mut sum = 0.0;
    for term in &certified.energy {
        let mut inner = 0.0;
        for (node, sign) in &term.nodes {
            let (x, v) = state(node)?;
            inner += sign * if term.of == "x" { x } else { v };
        }
        sum += 0.5 * term.weight * inner * inner;
    }
    sum.is_finite().then_some(sum)
}

fn is_reported(report: &Report, end: f64, results: &Results) -> bool {
    let near = |t: f64| (t - report.from).abs() <= INSTANT * end;
    results.rows.iter().any(|r| r.event == report.what && near(r.t))
}

/// Kolmogorov's and Smirnov's test at the points of the law.
fn probability(law: &Law, results: &Results) -> Option<f64> {
    let mut samples: Vec<f64> =
        results.rows.iter().filter(|r| r.event == SAMPLE && r.v.is_finite()).map(|r| r.v).collect();
    if samples.len() < FEWEST_SAMPLES {
        return None;
    }
    samples.sort_unstable_by(f64::total_cmp);
    let count = samples.len() as f64;
    let apart = |p: &crate::certified::Probability| {
        // A scheme may put a share of its paths on one value: half of it counts.
        let below = samples.partition_point(|v| *v < p.v) as f64;
        let up_to = samples.partition_point(|v| *v <= p.v) as f64;
        (0.5 * (below + up_to) / count - p.probability).abs()
    };
    let distance = law.distribution.iter().map(apart).fold(0.0, f64::max);
    let root = count.sqrt();
    let scaled = (root + 0.12 + 0.11 / root) * distance;
    let term = |k: i32| {
        let sign = if k % 2 == 1 { 2.0 } else { -2.0 };
        sign * (-2.0 * f64::from(k * k) * scaled * scaled).exp()
    };
    Some((1..=100).map(term).sum::<f64>().clamp(0.0, 1.0))
}
