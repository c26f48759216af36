//! A long record, fitted from its beginning on.
//!
//! A fit takes hundreds of motions, most of them to look for other minima. Over a million rows each takes a second, and the first thousands of
//! rows tell minima apart as well. So the beginning of a long record is fitted in full, then least squares go on from there over beginnings
//! that are longer and longer, to the whole, with every other minimum that the rows up to there do not exclude. Of the shorter beginnings some
//! rows are read only; the whole is fitted to all of its rows.

use super::around::{Others, drop_excluded, lowered};
use super::least_squares::{Basin, Ends, Least, Misfit, least_below};
use super::search::solved;
use super::setup::{Beginning, Setup};
use super::whole::{explored, share, whole};
use crate::error::Error;
use crate::parallel;
use crate::record::parts::{LONG, travel};
use crate::statistics::stats::{sd, square};

/// The first beginning is so many times as long as the motion takes to go as far as it usually spreads, and has so many rows at least.
const TRAVELS: usize = 64;
const SHORTEST: usize = 12_000;
/// Each beginning is so many times as long as the one before.
const LONGER: usize = 4;
/// Rows of a beginning that are read, at most.
const READ: usize = 16_000;
/// A beginning in which what was measured spreads by less than this share of the whole may not show what the rest does.
const SHOWN: f64 = 0.5;
/// Where the whole leaves so many times what the first beginning does, its motion was lost on the way.
const LOST: f64 = 1.5;
/// Least-squares steps towards another minimum over a longer beginning.
const STEPS: usize = 10;

/// The beginnings of a long record, from the first, without the whole; none where the record is not long, or not one motion.
fn beginnings(setup: &Setup<'_>) -> Vec<Beginning> {
    let question = setup.question;
    let rows = question.time.len();
    if rows <= LONG || !question.breaks.is_empty() || question.pieces.is_some() {
        return Vec::new();
    }
    let travels = question.sensors.iter().map(|s| travel(&s.values, rows / TRAVELS));
    let mut length = (TRAVELS * travels.max().unwrap_or(rows)).max(SHORTEST);
    let spread = |values: &[f64]| {
        let known: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        sd(&known)
    };
    let shows = |length: usize| {
        question.sensors.iter().all(|s| spread(&s.values[..length]) > SHOWN * spread(&s.values))
    };
    let mut found = Vec::new();
    while length <= rows / 2 {
        // What begins with a rest shows nothing there.
        if shows(length) {
            found.push(Beginning { rows: length, stride: length.div_ceil(READ) });
        }
        length *= LONGER;
    }
    found
}

/// The fit of a long record in one motion, from what the search found first; `None` where the record is not long, or one motion does not
/// follow it.
///
/// # Errors
/// If the work shall stop.
pub fn grown<'a>(
    setup: &Setup<'a>,
    first: &[f64],
) -> Result<Option<(Setup<'a>, Least, Others)>, Error> {
    let stages = beginnings(setup);
    let Some((shortest, longer)) = stages.split_first() else { return Ok(None) };
    let Some((at, least)) = unless_stopped(whole(&setup.beginning(*shortest), first))? else {
        return Ok(None);
    };
    if at.pieces.len() > 1 {
        return Ok(None);
    }
    let (mut least, mut others) = explored(&at, least)?;
    let left = share(&least);
    let all = Beginning { rows: setup.question.time.len(), stride: 1 };
    let mut last = at;
    for stage in longer.iter().chain([&all]) {
        let rows = 0..stage.rows;
        last = setup.beginning(*stage).in_pieces(std::slice::from_ref(&rows), true);
        drop_excluded(&least, &mut others);
        let Some(found) = longer_by(&last, &least, others, first)? else { return Ok(None) };
        (least, others) = found;
    }
    least = lowered(&last, least, &mut others)?;
    Ok((share(&least) < LOST * left).then_some((last, least, others)))
}

/// Least squares over a longer beginning, from those of a shorter one or from what the search found `first`, whichever leaves less there; and
/// from the `others`.
fn longer_by(
    next: &Setup<'_>,
    least: &Least,
    others: Others,
    first: &[f64],
) -> Result<Option<(Least, Others)>, Error> {
    let fresh = [first, &next.guesses()].concat();
    let squares = |p: &[f64]| next.residuals(p).map_or(f64::INFINITY, |r| square(&r));
    let start = if squares(&fresh) < squares(&least.p) { &fresh } else { &least.p };
    let Some(mut best) = unless_stopped(solved(next, start))? else { return Ok(None) };
    let kept = next.step(&mut || {
        let known = [Basin::new(&best)];
        let until = Ends { known: &known, ..Ends::after(STEPS) };
        let found = parallel::map(others.iter().collect(), |(_, p)| least_below(next, p, until));
        Some(found.into_iter().flatten().flat_map(|(p, rss)| [&[rss], &p[..]].concat()).collect())
    })?;
    let kept = kept.unwrap_or_default();
    let ends = kept.chunks_exact(1 + best.p.len()).map(|end| (end[0], end[1..].to_vec()));
    let mut ends: Others = ends.collect();
    // What was another minimum of the beginning may be the least of what is longer.
    if let Some(lower) =
        ends.iter_mut().filter(|e| e.0 < best.rss).min_by(|a, b| a.0.total_cmp(&b.0))
    {
        let Some(least) = Least::at(next, lower.1.clone()) else { return Ok(None) };
        *lower = (best.rss, best.p);
        best = least;
    }
    Ok(Some((best, ends)))
}

/// What was found, if anything was.
fn unless_stopped<T>(found: Result<T, Error>) -> Result<Option<T>, Error> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Error::Interrupted) => Err(Error::Interrupted),
        Err(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Unwatched;
    use crate::models::search::search;
    use crate::models::shaken::{ROWS, STEP, Shaken, question};
    use crate::models::sure::curvature;
    use crate::models::{Family, fit};
    use crate::statistics::random::Draws;
    use stickslip::{Scheme, solve};

    const NOISE: f64 = 0.01;

    /// Readings of the motion with this friction (N).
    fn readings(force: f64) -> Vec<f64> {
        let motion = solve(&Shaken::default().problem(&[force]).unwrap(), &Scheme::Exact).unwrap();
        let mut draws = Draws::new(6, 1);
        let mut row = [0.0; 3];
        let mut reading = |i: usize| {
            motion.row(STEP * i as f64, &mut row);
            row[0] + NOISE * draws.normal()
        };
        (0..ROWS).map(&mut reading).collect()
    }

    /// All rows count, few motions go over all of them, and the friction is what it was.
    #[test]
    fn few_motions_go_over_all_rows() {
        let family = Shaken::default();
        let found = fit(&family, &question(readings(0.7)), &Unwatched).unwrap();
        assert_eq!((found.samples, found.pieces), (ROWS, 1));
        assert!((found.rmse / NOISE - 1.0).abs() < 0.02, "{}", found.rmse);
        let force = &found.parameters[0].estimate;
        let off = (force.value.unwrap() - 0.7) / force.stderr.unwrap();
        assert!(off.abs() < 3.0, "{force:?}");
        let lengths = family.lengths.lock().unwrap();
        let whole = lengths.iter().filter(|l| **l > 0.9 * STEP * ROWS as f64).count();
        assert!(whole < 40 && lengths.len() > 400, "{whole} of {}", lengths.len());
    }

    /// Where the friction doubles half-way, one motion does not follow from the beginning, and a record that begins with a rest has no
    /// beginning that shows the motion.
    #[test]
    fn what_the_beginning_does_not_show_is_fitted_as_a_whole() {
        let family = Shaken::default();
        let mut values = readings(0.7);
        values.splice(ROWS / 2.., readings(1.4)[ROWS / 2..].iter().copied());
        let changed = question(values);
        let setup = Setup::new(&family, &changed, &Unwatched);
        let first = search(&setup, &Unwatched).unwrap();
        assert!(!beginnings(&setup).is_empty());
        assert!(grown(&setup, &first).unwrap().is_none());

        let mut values = readings(0.7);
        values[..2 * ROWS / 3].fill(0.0);
        let late = question(values);
        assert!(beginnings(&Setup::new(&family, &late, &Unwatched)).is_empty());
    }

    /// From five errors beside the minimum one comes back to it, and at the minimum one stays.
    #[test]
    fn lower_places_within_the_interval_are_gone_to() {
        let family = Shaken::default();
        let asked = question(readings(0.7));
        let setup = Setup::new(&family, &asked, &Unwatched);
        let first = search(&setup, &Unwatched).unwrap();
        let (at, least) = whole(&setup, &first).unwrap();
        let mut others = Others::new();
        let stays = lowered(&at, least.clone(), &mut others).unwrap();
        assert!(stays.p == least.p && others.is_empty());
        let error = curvature(&least.columns, &least.residuals).errors[0];
        let mut beside = least.p.clone();
        beside[0] += 5.0 * error;
        let found = lowered(&at, Least::at(&at, beside).unwrap(), &mut others).unwrap();
        assert!((found.p[0] - least.p[0]).abs() < 0.1 * error, "{:?} {:?}", found.p, least.p);
        assert_eq!(others.len(), 1);
    }
}
