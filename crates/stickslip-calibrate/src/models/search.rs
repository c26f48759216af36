//! The search over the whole box of the unknowns.

use super::least_squares::{Least, Misfit, least_squares};
use super::setup::Setup;
use crate::control::{Control, Span};
use crate::error::Error;
use crate::parallel;
use crate::statistics::optimise::{DifferentialEvolution, Optimiser};
use crate::statistics::random::Draws;
use std::ops::Range;
use std::sync::atomic::Ordering;
use stickslip::portable;

/// Rows that one trial looks at, and in how many pieces.
const ROWS: usize = 1500;
const PIECES: usize = 5;
/// Members of a population: so many, and so many more for each number that is sought.
const MEMBERS: (usize, usize) = (16, 4);
const GENERATIONS: usize = 40;
/// A search that gains less than this share in so many generations is over.
const GAIN: (f64, usize) = (1e-3, 8);
/// A range whose ends differ by more than this factor is searched by factors.
const DECADES: f64 = 30.0;
/// Least-squares steps on the pieces, and over the whole record.
const STEPS: usize = 12;
const WHOLE_STEPS: usize = 60;

/// Rows of the pieces that are searched: spread evenly over the record, and over every record where there are several.
pub fn parts(rows: usize, breaks: &[usize]) -> Vec<Range<usize>> {
    if !breaks.is_empty() {
        let records = runs(rows, breaks);
        let each = (ROWS / records.len()).max(60);
        let one = |(i, record): (usize, Range<usize>)| {
            let length = each.min(record.len());
            // The piece wanders from record to record, so that the beginnings of motions are not all that is
            // seen.
            let spare = (record.len() - length) * (i % PIECES) / (PIECES - 1);
            record.start + spare..record.start + spare + length
        };
        return records.into_iter().enumerate().map(one).collect();
    }
    if rows <= ROWS {
        let each = rows.div_ceil(PIECES).max(60).min(rows);
        return (0..rows / each).map(|i| i * each..(i + 1) * each).collect();
    }
    let each = ROWS / PIECES;
    let apart = (rows - each) / (PIECES - 1);
    (0..PIECES).map(|i| i * apart..i * apart + each).collect()
}

/// Rows of each record, where another begins at each of `breaks`.
pub fn runs(rows: usize, breaks: &[usize]) -> Vec<Range<usize>> {
    let starts = std::iter::once(0).chain(breaks.iter().copied());
    let ends = breaks.iter().copied().chain([rows]);
    starts.zip(ends).map(|(a, b)| a..b).collect()
}

/// A place in the unit cube as numbers between their bounds.
fn placed(u: &[f64], bounds: &[[f64; 2]]) -> Vec<f64> {
    let one = |(u, [low, high]): (&f64, &[f64; 2])| {
        // Where a range spans decades, equal shares of the cube would leave the lower ones nearly without
        // members.
        if *low > 0.0 && high / low > DECADES {
            low * portable::pow(high / low, *u)
        } else {
            low + (high - low) * u
        }
    };
    u.iter().zip(bounds).map(one).collect()
}

/// A place between the bounds by chance.
pub fn drawn(draws: &mut Draws, bounds: &[[f64; 2]]) -> Vec<f64> {
    let u: Vec<f64> = bounds.iter().map(|_| draws.unit()).collect();
    placed(&u, bounds)
}

/// The best place that was found, polished on the pieces.
pub fn search(setup: &Setup<'_>, control: &dyn Control) -> Result<Vec<f64>, Error> {
    let rows = setup.question.time.len();
    let beginning = 0..rows.min(ROWS);
    let pieces = if setup.displacement.is_some() {
        parts(rows, &setup.question.breaks)
    } else {
        Vec::from([beginning])
    };
    // Starts are not sought but taken from what was measured: the search has only the model's numbers.
    let short = setup.in_pieces(&pieces, false);
    let span = Span { control, part: [0.0, 0.9] };
    let dimension = short.bounds.len();
    let members = MEMBERS.0 + MEMBERS.1 * dimension;
    let draws = Draws::new(setup.question.seed, 77_000);
    let mut evolution = DifferentialEvolution::new(dimension, members, draws);
    let mut history: Vec<f64> = Vec::new();
    for generation in 0..GENERATIONS {
        if short.stop() {
            return Err(Error::Interrupted);
        }
        let asked = evolution.ask();
        // A candidate has to beat the member in its own place, and its motions end as soon as it cannot.
        let most = |i: usize| evolution.errors().get(i).copied().unwrap_or(f64::INFINITY);
        let asked_of = || asked.iter().enumerate().map(|(i, u)| (u, most(i))).collect();
        let error = |(u, most): (&Vec<f64>, f64)| {
            short.squares_below(&placed(u, &short.bounds), most).unwrap_or(f64::INFINITY)
        };
        let errors = short.step(&mut || Some(parallel::map(asked_of(), error)))?;
        let errors = errors.unwrap_or_default();
        evolution.tell(asked, &errors);
        span.progress((generation + 1) as f64 / GENERATIONS as f64);
        history.push(evolution.best().1);
        // Slow: over so many generations the best has gained hardly anything.
        let before = history.len().checked_sub(GAIN.1 + 1).map(|i| history[i]);
        let slow = before.is_some_and(|b| b.is_finite() && b - evolution.best().1 < GAIN.0 * b);
        if evolution.settled() || slow {
            break;
        }
    }
    let rss = evolution.best().1;
    if !rss.is_finite() {
        let places = evolution.ask();
        return Err(without_motion(&short, &places));
    }
    let best = placed(evolution.best().0, &short.bounds);
    // Evolution ends near a minimum, least squares in it.
    let polished = short.step(&mut || least_squares(&short, &best, STEPS).map(|l| l.p))?;
    polished.ok_or_else(|| stopped(&short, &best))
}

/// Why none of these places of the unit cube has a motion. A scheme that cannot treat the model refuses it whatever the
/// numbers are, and then units and ranges are not to blame.
fn without_motion(setup: &Setup<'_>, places: &[Vec<f64>]) -> Error {
    let refusals = places.iter().filter_map(|u| setup.refusal(&placed(u, &setup.bounds)));
    let mut of_scheme = refusals.filter(|e| matches!(e, stickslip::Error::Unsuitable { .. }));
    of_scheme.next().map_or_else(
        || {
            Error::Unfit(
                "no values of the unknowns within their ranges give a motion that could be compared with the record"
                    .to_owned(),
            )
        },
        Error::Core,
    )
}

/// Least squares over the whole record, as one step of the work.
pub fn solved(setup: &Setup<'_>, start: &[f64]) -> Result<Least, Error> {
    let mut fresh = None;
    let kept = setup.step(&mut || {
        fresh = least_squares(setup, start, WHOLE_STEPS);
        fresh.as_ref().map(|l| l.p.clone())
    })?;
    let again = || {
        // A recalled step has kept only the numbers: residuals and derivatives are computed again.
        let counted = setup.tried.load(Ordering::Relaxed);
        let least = Least::at(setup, kept?);
        // Of a step that was recalled, all motions are counted already.
        setup.tried.store(counted, Ordering::Relaxed);
        least
    };
    fresh.or_else(again).ok_or_else(|| stopped(setup, start))
}

/// Why least squares from `start` ended without a result.
fn stopped(setup: &Setup<'_>, start: &[f64]) -> Error {
    if setup.stop() {
        return Error::Interrupted;
    }
    let reason = setup.refusal(start).map(|e| format!(": {e}")).unwrap_or_default();
    Error::Unfit(format!(
        "the model has no motion over the whole record near the best values{reason}"
    ))
}
