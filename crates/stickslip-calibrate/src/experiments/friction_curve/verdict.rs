//! Which law the record supports, and whether the numbers can be used.

use super::clock::late_said;
use super::laws::{Shape, Term};
use super::rows::Rows;
use super::solve::{FoundCurve, shifted};
use super::{FrictionCurveFit, Motion};
use crate::statistics::stats::{roughness, square};
use serde::Serialize;
use stickslip::portable;

/// Schwarz's criterion must fall by this much for a yes (Kass and Raftery 1995: strong evidence).
const STRONG: f64 = 6.0;
/// Friction at rest must exceed so many of its standard errors to be there.
const DRY: f64 = 3.0;
/// More of the effort than this is not explained: then it is not the friction of this joint.
const UNEXPLAINED: f64 = 0.5;
/// What is left is more than noise: so many times the noise of the effort, and so many rows together.
const NOISY: f64 = 3.0;
const LASTING: f64 = 2.0;
/// Rows either way in which a delay is looked for, and what share of the squared residual it must bring.
const LATE: usize = 25;
const WORTH: f64 = 0.2;
/// A record whose slowest row is faster than this share of the fastest does not show how friction falls near rest.
const SLOW: f64 = 0.05;

/// One law on the record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidate {
    /// The law.
    pub law: Shape,
    /// Numbers that were sought.
    pub unknowns: usize,
    /// Root mean square of what is left, N or N·m.
    pub rmse: f64,
    /// The same on the half of the record that was not fitted.
    pub held_out: f64,
    /// Schwarz's criterion; rows that resemble their neighbours count as one.
    pub bic: f64,
}

/// A question about the friction, and what the record says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// `dry-friction`, `by-direction`, `polynomial` or `stribeck`.
    pub what: &'static str,
    /// By how much Schwarz's criterion falls with the richer law.
    pub bic: f64,
    /// The error on the half that was not fitted, as a share of that of the simpler law.
    pub held_out: f64,
    /// `yes`, `no` or `undecided`.
    pub verdict: &'static str,
    /// One sentence.
    pub sentence: String,
}

/// The laws and what they say.
pub struct Compared {
    pub candidates: Vec<Candidate>,
    pub answers: Vec<Answer>,
}

pub fn compare(rows: &Rows, all: &[FoundCurve]) -> Compared {
    let weight: f64 = rows.weight.iter().sum();
    // The residuals of the law that leaves least resemble their neighbours for the best reasons; all are judged by them.
    let least = all.iter().min_by(|a, b| a.rss.total_cmp(&b.rss));
    let together = least.map_or(1.0, |f| f.together(rows));
    // Rows that resemble their neighbours are not evidence of their own.
    let count = rows.index.len() as f64 / together;
    let bic = |f: &FoundCurve| {
        // A record without any noise is met to rounding by every law that contains the true one.
        let floor = 1e-24 * square(&rows.effort).max(f64::MIN_POSITIVE);
        let variance = (f.rss / weight).max(floor / count);
        count * portable::log(variance) + f.unknowns as f64 * portable::log(count)
    };
    let candidates = all
        .iter()
        .map(|f| Candidate {
            law: f.shape,
            unknowns: f.unknowns,
            // In the unit of the effort, without the weights, for the reader.
            rmse: root_mean_square(&f.residuals(rows)),
            held_out: f.held_out,
            bic: bic(f),
        })
        .collect::<Vec<_>>();
    let of = |shape: Shape| candidates.iter().position(|c| c.law == shape);
    let mut answers = Vec::new();
    let questions = [
        (Shape::Viscous, Shape::Coulomb, "dry-friction"),
        (Shape::Coulomb, Shape::ByDirection, "by-direction"),
        (Shape::Coulomb, Shape::Polynomial, "polynomial"),
        (Shape::Coulomb, Shape::Stribeck, "stribeck"),
    ];
    for (simpler, richer, what) in questions {
        // A law that the record cannot have leaves its question out.
        let (Some(a), Some(b)) = (of(simpler), of(richer)) else { continue };
        let gain = candidates[a].bic - candidates[b].bic;
        let held_out = candidates[b].held_out / candidates[a].held_out;
        let verdict = match decided(gain, held_out) {
            "yes" if !stands(what, &candidates, all) => "undecided",
            decided => decided,
        };
        let (verdict, sentence) = said(what, verdict, rows, &all[b]);
        answers.push(Answer { what, bic: gain, held_out, verdict, sentence });
    }
    Compared { candidates, answers }
}

fn root_mean_square(values: &[f64]) -> f64 {
    (square(values) / values.len() as f64).sqrt()
}

/// Criterion and prediction must agree for an answer; otherwise it stays open.
fn decided(gain: f64, held_out: f64) -> &'static str {
    match (gain > STRONG && held_out < 1.0, gain < 0.0 && held_out > 0.99) {
        (true, _) => "yes",
        (_, true) => "no",
        _ => "undecided",
    }
}

/// Whether a richer law that beats the simpler one has the property that is asked for. A friction that bends with the speed is
/// followed better by any law that bends: by a straight line with an intercept, which is no dry friction, and by a part that falls off,
/// which is no fall near rest.
fn stands(what: &str, candidates: &[Candidate], all: &[FoundCurve]) -> bool {
    let of = |shape: Shape| candidates.iter().position(|c| c.law == shape);
    let [coulomb, bent, falls] = [Shape::Coulomb, Shape::Polynomial, Shape::Stribeck].map(of);
    let bic = |k: usize| candidates[k].bic;
    match what {
        "dry-friction" => {
            let bending = [coulomb, bent, falls].into_iter().flatten();
            let best = bending.min_by(|a, b| bic(*a).total_cmp(&bic(*b)));
            best.is_none_or(|k| all[k].is_dry(DRY))
        }
        "stribeck" => bent.zip(falls).is_none_or(|(b, f)| bic(b) - bic(f) > STRONG),
        _ => true,
    }
}

fn said(
    what: &str,
    verdict: &'static str,
    rows: &Rows,
    richer: &FoundCurve,
) -> (&'static str, String) {
    let [slowest, fastest] = rows.speeds();
    // A fall with a negative size is a rise.
    let excess = richer.terms.iter().position(|t| *t == Term::Excess);
    let falls = excess.is_none_or(|k| richer.coefficients[k] > 0.0);
    let sentence = match (what, verdict) {
        ("dry-friction", "yes") => {
            "There is friction that does not vanish with the speed.".to_owned()
        }
        ("dry-friction", "no") => {
            "Friction in proportion to the speed explains the record; dry friction is not needed."
                .to_owned()
        }
        ("by-direction", "yes") => "The friction differs between the two directions.".to_owned(),
        ("by-direction", "no") => "No difference between the two directions is seen.".to_owned(),
        ("polynomial", "yes") => "The friction against the speed is curved.".to_owned(),
        ("polynomial", "no") => {
            "No curvature of the friction against the speed is seen.".to_owned()
        }
        ("stribeck", "yes") if falls => {
            "The friction falls as the joint gathers speed (Stribeck).".to_owned()
        }
        ("stribeck", "yes") => {
            "The friction rises steeply at low speed and then flattens.".to_owned()
        }
        ("stribeck", "no") if slowest > SLOW * fastest => {
            // That nothing is seen where nobody has looked is no answer.
            let said = format!(
                "Whether the friction falls near rest is not decided: the slowest row moves at {:.0} % of the fastest speed.",
                100.0 * slowest / fastest
            );
            return ("undecided", said);
        }
        ("stribeck", "no") => "No fall of the friction with the speed is seen.".to_owned(),
        ("dry-friction", _) => {
            "Whether there is dry friction is not decided by this record.".to_owned()
        }
        ("by-direction", _) => {
            "Whether the friction differs between the two directions is not decided by this record."
                .to_owned()
        }
        ("polynomial", _) => {
            "Whether the friction against the speed is curved is not decided by this record."
                .to_owned()
        }
        _ => "Whether the friction falls near rest is not decided by this record.".to_owned(),
    };
    (verdict, sentence)
}

/// The law that was asked for; or of those that the record supports the one with the least criterion.
pub fn chosen<'a>(
    all: &'a [FoundCurve],
    answers: &[Answer],
    asked: Option<Shape>,
) -> &'a FoundCurve {
    let of = |shape: Shape| all.iter().find(|f| f.shape == shape);
    if let Some(found) = asked.and_then(of) {
        return found;
    }
    let supported = answers.iter().filter(|a| a.verdict == "yes");
    let best = supported.max_by(|a, b| rank(a).total_cmp(&rank(b)));
    let shape = match best.map(|a| a.what) {
        Some("by-direction") => Shape::ByDirection,
        Some("polynomial") => Shape::Polynomial,
        Some("stribeck") => Shape::Stribeck,
        Some(_) => Shape::Coulomb,
        // Where dry friction is refused, the simplest law of all is left.
        None if answers.iter().any(|a| a.what == "dry-friction" && a.verdict == "no") => {
            Shape::Viscous
        }
        None => Shape::Coulomb,
    };
    of(shape).unwrap_or(&all[0])
}

/// Questions about richer laws count from the criterion of the simpler one, which dry friction itself has to earn.
fn rank(answer: &Answer) -> f64 {
    if answer.what == "dry-friction" { 0.0 } else { answer.bic }
}

/// What was seen before the laws were compared.
pub struct Seen {
    /// What speaks against any number.
    pub doubts: Vec<String>,
    /// The value at which the effort stays, and how often.
    pub clipped: Option<(f64, usize)>,
    /// How often the angle jumped by a turn.
    pub wraps: usize,
}

/// Says what speaks against the numbers.
pub fn judge(fit: &mut FrictionCurveFit, rows: &Rows, chosen: &FoundCurve, seen: Seen) {
    let unit = if fit.motion == Motion::Rotation { "N·m" } else { "N" };
    let Seen { mut doubts, clipped, wraps } = seen;
    let is_told = doubts.iter().any(|d| d.contains("run apart") || d.contains("effort_delay"));
    if fit.relative > UNEXPLAINED {
        doubts.push(format!(
            "the law leaves {:.0} % of the effort unexplained: these numbers cannot be used; check that effort and motion belong to \
             the same joint, and whether gravity or a load acts on it",
            100.0 * fit.relative
        ));
    }
    for named in &fit.parameters {
        // The whole interval must lie below zero: a number near zero may come out negative by chance.
        let negative = named.estimate.ci95.is_some_and(|c| c[1] < 0.0);
        if negative
            && ["coulomb", "friction", "inertia", "coulomb_forward", "coulomb_backward"]
                .contains(&named.name.as_str())
        {
            doubts.push(format!(
                "{} comes out negative: check the signs of effort and velocity, and their units",
                named.name
            ));
        }
    }
    if let Some(late) = delay(rows, chosen).filter(|_| !is_told) {
        doubts.push(late_said(late));
    }
    if let Some((value, count)) = clipped {
        doubts.push(format!(
            "the effort stays at exactly {value:.4e} {unit} in {count} rows: it seems to be clipped there, and the friction comes out \
             wrong; record it over its whole range"
        ));
    }
    if let Some(held) = held(rows) {
        doubts.push(format!(
            "each value of the effort is repeated over {held:.0} rows: it was sampled more slowly than the motion and held; keep only \
             the rows at which it changes"
        ));
    }
    fit.plausible = doubts.is_empty();
    fit.warnings.extend(doubts);
    // Only neighbours in time show noise as roughness.
    if rows.in_time {
        let noise = roughness(&rows.effort);
        if fit.rmse > NOISY * noise && fit.autocorrelation > LASTING {
            fit.warnings.push(format!(
                "what is left is {:.1} times the noise of the effort and lasts over {:.0} rows: the law leaves something out, such as \
                 a ripple or a load; the intervals allow for its size and not for what it means",
                fit.rmse / noise,
                fit.autocorrelation
            ));
        }
    }
    let out = fit.left_out;
    if out.outliers > 0 {
        fit.warnings.push(format!(
            "{} of {} rows were left out because all others contradict them",
            out.outliers,
            fit.samples + out.outliers
        ));
    }
    if wraps > 0 {
        fit.warnings.push(format!(
            "the angle jumped by a whole turn {} times; it was continued across these jumps",
            wraps
        ));
    }
}

/// By how much the effort comes later than the motion (s), if a shift explains it clearly better.
pub fn delay(rows: &Rows, chosen: &FoundCurve) -> Option<f64> {
    if !rows.in_time {
        return None;
    }
    let all = shifted(rows, chosen, LATE)?;
    let now = all[LATE];
    let best = (0..all.len()).min_by(|&a, &b| all[a].total_cmp(&all[b]))?;
    // At either end the search has not found a minimum but its own limit.
    let inside = 0 < best && best + 1 < all.len();
    // One row is within what sampling does by itself.
    let worth = best.abs_diff(LATE) > 1 && inside && now - all[best] > WORTH * now;
    worth.then_some((best as f64 - LATE as f64) * rows.step)
}

/// The value at which the effort stays unusually often, if it is its largest or smallest, and how often.
pub fn clipped(effort: &[f64]) -> Option<(f64, usize)> {
    let count = |value: f64| effort.iter().filter(|e| **e == value).count();
    let greatest = effort.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = effort.iter().copied().fold(f64::INFINITY, f64::min);
    let below = effort.iter().copied().filter(|e| *e < greatest).fold(f64::NEG_INFINITY, f64::max);
    let above = effort.iter().copied().filter(|e| *e > least).fold(f64::INFINITY, f64::min);
    let ends = [(greatest, below), (least, above)];
    // A coarse sensor repeats every level; one that is clipped repeats the last one only.
    ends.into_iter().map(|(end, next)| (end, count(end), count(next))).find_map(
        |(end, at, next)| {
            let often = at > effort.len() / 100 && at >= 10 && at > 5 * next;
            often.then_some((end, at))
        },
    )
}

/// Over how many rows each value of the effort is repeated, if more than half of the rows repeat the one before while the joint moves on.
fn held(rows: &Rows) -> Option<f64> {
    if !rows.in_time {
        return None;
    }
    let pairs = rows.effort.windows(2).zip(rows.velocity.windows(2));
    // Where nothing moves, the same effort again is right.
    let moving = pairs.filter(|(_, v)| v[0] != v[1]);
    let (same, all) = moving
        .fold((0usize, 0usize), |(same, all), (e, _)| (same + usize::from(e[0] == e[1]), all + 1));
    let share = same as f64 / all.max(1) as f64;
    // A sensor with few levels repeats values too; then they do not come in runs of one length.
    let levels = {
        let mut values = rows.effort.clone();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        values.len()
    };
    (share > 0.5 && levels > 50).then(|| 1.0 / (1.0 - share))
}
