//! Whether the model explains anything of a long record.
//!
//! Each step of least squares over a million rows computes motions over all of them, and a record of which the model explains nothing takes
//! all the steps that are allowed, in one piece, in several, and from many starts. So some parts of a long record are fitted first, with the
//! numbers of the model in common and a start of its own for each part, which is easier than one motion over everything. Where more than half of
//! the motion is left in every part, the whole is not fitted.

use super::Question;
use super::least_squares::{Least, least_squares};
use super::search::drawn;
use super::setup::{Setup, spread};
use crate::error::Error;
use crate::record::parts::{LONG, Long, widest};
use crate::statistics::random::Draws;
use crate::statistics::stats::{roughness, sd, square};
use std::ops::Range;
use std::sync::Arc;

/// A model is solved along each part hundreds of times.
const OF_A_PART: Long = Long { times: 2, most: 2400 };
/// Least-squares steps, and the places in the ranges of the unknowns from which they begin, next to the end of the search: the best of so many.
const STEPS: usize = 12;
const DRAWN: usize = 12;
const FOLLOWED: usize = 2;
/// More of the motion than this share is not explained: of such a fit no number can be trusted.
const UNEXPLAINED: f64 = 0.5;
/// A part shows a motion that is so many times the noise of its readings, or else the whole record is noise for this share.
const CLEAR: f64 = 4.0;
const NOISE: f64 = 0.6;

/// Refuses a long record of which the model leaves more than half in every part, whatever numbers of its ranges it has; `first` is where the
/// search ended.
pub fn refuse_unexplained(setup: &Setup<'_>, first: &[f64]) -> Result<(), Error> {
    let question = setup.question;
    let Some(at) = setup.displacement.filter(|_| question.time.len() > LONG) else { return Ok(()) };
    let x = &question.sensors[at].values;
    let parts = widest(x, &question.breaks, OF_A_PART);
    // Where noise hides the motion in a part, the best model leaves the noise there, which says nothing.
    let is_noise = roughness(x) > NOISE * spread(x);
    let is_clear = |part: &Range<usize>| {
        let values = &x[part.clone()];
        is_noise || spread(values) > CLEAR * roughness(values)
    };
    if parts.is_empty() || !parts.iter().all(is_clear) {
        return Ok(());
    }
    let mut cut = setup.in_pieces(&parts, true);
    // Motions of the fit are counted, and these are none.
    cut.tried = Arc::default();
    let starts = cut.guesses();
    let mut least_left = f64::INFINITY;
    for p in places(setup, &cut, first) {
        let Some(least) = least_squares(&cut, &[p.as_slice(), &starts].concat(), STEPS) else {
            continue;
        };
        let left = left(&cut, &least);
        least_left = left.min(least_left);
        // A part that is not refused, or has nothing to explain, ends the question.
        if left.is_nan() || left <= UNEXPLAINED {
            return Ok(());
        }
    }
    // Without a motion the fit of the whole says why there is none.
    if least_left.is_infinite() {
        return Ok(());
    }
    Err(Error::Unfit(said(question, at, &parts, least_left)))
}

fn said(question: &Question, at: usize, parts: &[Range<usize>], left: f64) -> String {
    let first = &parts[0];
    format!(
        "the model does not follow the record: fitted to {} parts of {} rows alone, each with a start of its own, it misses the measured {} in each \
         of them by at least {left:.2} of its standard deviation there (rows {} to {} are one); expected less than {UNEXPLAINED}, for else no \
         number can be trusted; the whole record was not fitted",
        parts.len(),
        first.len(),
        question.sensors[at].what,
        first.start + 1,
        first.end
    )
}

/// The end of the search, and the best of some places in the ranges.
fn places(setup: &Setup<'_>, cut: &Setup<'_>, first: &[f64]) -> Vec<Vec<f64>> {
    let own = setup.own();
    let mut draws = Draws::new(setup.question.seed, 78_000);
    let bounds = &setup.bounds[..own];
    let drawn: Vec<Vec<f64>> = (0..DRAWN).map(|_| drawn(&mut draws, bounds)).collect();
    // With starts as they were measured: these need no search.
    let rows: Vec<Range<usize>> = cut.pieces.iter().map(|p| p.rows.clone()).collect();
    let mut plain = setup.in_pieces(&rows, false);
    plain.tried = Arc::default();
    let mut tried = crate::parallel::map(drawn, |p| {
        let squares = plain.squares_below(&p, f64::INFINITY).unwrap_or(f64::INFINITY);
        (p, squares)
    });
    tried.sort_by(|a, b| a.1.total_cmp(&b.1));
    tried.truncate(FOLLOWED);
    let best = tried.into_iter().map(|t| t.0);
    std::iter::once(first[..own].to_vec()).chain(best).collect()
}

/// The least share of a column that is left in a part; NaN where a column does not move in one.
fn left(cut: &Setup<'_>, least: &Least) -> f64 {
    let mut from = 0;
    let mut least_left = f64::INFINITY;
    for sensors in &cut.used {
        for (j, rows) in sensors.iter().enumerate() {
            let residuals = &least.residuals[from..from + rows.len()];
            from += rows.len();
            let values: Vec<f64> =
                rows.iter().map(|&i| cut.question.sensors[j].values[i]).collect();
            let rms = cut.sigma[j] * (square(residuals) / rows.len() as f64).sqrt();
            let share = rms / sd(&values);
            if !share.is_finite() {
                return f64::NAN;
            }
            least_left = least_left.min(share);
        }
    }
    least_left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Unwatched;
    use crate::models::search::search;
    use crate::models::shaken::{ROWS, STEP, Shaken, question};
    use crate::models::{Family, fit};
    use stickslip::{Scheme, portable, solve};

    /// White noise, a random walk and the motion of something else are refused, and no motion over the whole record is computed for them.
    #[test]
    fn what_nothing_explains_is_refused_before_the_whole_is_fitted() {
        let mut draws = Draws::new(3, 5);
        let mut place = 0.0;
        let noise: Vec<f64> = (0..ROWS).map(|_| draws.normal()).collect();
        let walk: Vec<f64> = noise
            .iter()
            .map(|by| {
                place += by;
                place
            })
            .collect();
        let other: Vec<f64> = noise
            .iter()
            .enumerate()
            .map(|(i, by)| portable::sin(0.37 * STEP * i as f64) + 1e-3 * by)
            .collect();
        for (name, values) in [("noise", noise), ("walk", walk), ("other", other)] {
            let family = Shaken::default();
            let refused = fit(&family, &question(values), &Unwatched).unwrap_err().to_string();
            assert!(refused.contains("does not follow the record"), "{name}: {refused}");
            let longest = family.longest();
            assert!(longest < 0.1 * STEP * ROWS as f64, "{name}: {longest} s");
        }
        let family = Shaken::default();
        let refused = fit(&family, &question(vec![3.25; ROWS]), &Unwatched).unwrap_err();
        assert!(refused.to_string().contains("the measured column is 3.25 in every row"));
        assert_eq!(family.longest(), 0.0);
    }

    /// A record of the model goes on to the whole, with hardly any noise and with as much as the motion itself.
    #[test]
    fn what_the_model_explains_is_not_refused() {
        let family = Shaken::default();
        let truth = solve(&family.problem(&[0.7]).unwrap(), &Scheme::Exact).unwrap();
        let mut row = [0.0; 3];
        for noise in [1e-3, 0.3] {
            let mut draws = Draws::new(4, 5);
            let mut reading = |i: usize| {
                truth.row(STEP * i as f64, &mut row);
                row[0] + noise * draws.normal()
            };
            let question = question((0..ROWS).map(&mut reading).collect());
            let setup = Setup::new(&family, &question, &Unwatched);
            let first = search(&setup, &Unwatched).unwrap();
            refuse_unexplained(&setup, &first).unwrap();
        }
    }
}
