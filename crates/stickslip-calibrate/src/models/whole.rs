//! The least squares over the whole record: in one motion, or in pieces where that cannot follow, and the best of the minima around.

use super::around::{Others, shaken};
use super::least_squares::{Least, least_squares};
use super::search::{runs, solved};
use super::setup::Setup;
use crate::error::Error;

/// Pieces that are tried where one motion cannot follow the record.
const PIECES: usize = 8;
/// One motion that leaves more than this share of what was measured is compared with pieces.
const ASTRAY: f64 = 0.15;
/// Pieces that leave less than this share of what one motion leaves are preferred.
const BETTER: f64 = 0.6;

/// Each record in one motion; in pieces, where that is asked for or one motion cannot follow.
pub fn whole<'a>(setup: &Setup<'a>, first: &[f64]) -> Result<(Setup<'a>, Least), Error> {
    let rows = setup.rows();
    let pieces_of = |count: usize| {
        let records = runs(rows, &setup.question.breaks).into_iter();
        let pieces: Vec<_> = records
            .flat_map(|r| {
                // A piece has 20 rows or so at least: fewer do not fix a start.
                let count = count.clamp(1, r.len() / 20 + 1);
                (0..count).map(move |i| {
                    r.start + r.len() * i / count..r.start + r.len() * (i + 1) / count
                })
            })
            .collect();
        let cut = setup.in_pieces(&pieces, true);
        let p = [first, &cut.guesses()].concat();
        solved(&cut, &p).map(|least| (cut, least))
    };
    // Without a measured displacement there are no starts, and without starts no pieces.
    if setup.displacement.is_none() {
        return pieces_of(1);
    }
    if let Some(count) = setup.question.pieces {
        return pieces_of(count);
    }
    let one = pieces_of(1);
    match &one {
        Ok((_, least)) if share(least) < ASTRAY => return one,
        Err(Error::Interrupted) => return one,
        _ => {}
    }
    match (one, pieces_of(PIECES)) {
        // Pieces have more numbers and always leave less: they are taken only where they leave much less.
        (Ok(one), Ok(many)) if share(&many.1) > BETTER * share(&one.1) => Ok(one),
        (_, Ok(many)) => Ok(many),
        (one, Err(_)) => one,
    }
}

/// The share of what was measured that is left. Until sensors are weighed, sigma is a tenth of the spread of a column.
pub fn share(least: &Least) -> f64 {
    (0.01 * least.rss / least.residuals.len() as f64).sqrt()
}

/// Parts of the record of multiple shooting, at most, and least-squares steps at each halving of their number.
const SHOOTS: usize = 16;
const SHOOT_STEPS: usize = 12;
/// Times that a better minimum by multiple shooting is looked for around.
const DIVES: usize = 2;
/// A minimum counts as better that leaves so much less.
const LOWER: f64 = 1e-4;

/// The least squares around `least`, and other places where they ended. The instants of slips of a motion that nothing drives depend on all
/// slips before: over the whole record the squares have a minimum for each slip that comes a row too early, and steps end in
/// one of them. With starts of their own the parts of the record know their phases, and the numbers come to where they
/// belong before the parts are joined.
pub fn explored(setup: &Setup<'_>, least: Least) -> Result<(Least, Others), Error> {
    let (mut least, mut others) = shaken(setup, least)?;
    for _ in 0..DIVES {
        let Some(other) = shot(setup, &least)? else { break };
        if other.rss >= (1.0 - LOWER) * least.rss {
            break;
        }
        (least, others) = shaken(setup, other)?;
    }
    Ok((least, others))
}

/// Multiple shooting: the record in many parts with starts of their own, then in half as many, to the whole (Bock 1981).
fn shot(setup: &Setup<'_>, least: &Least) -> Result<Option<Least>, Error> {
    let rows = setup.rows();
    // Where the pieces have starts already, or there are none to seek, multiple shooting has nothing to add.
    let single = setup.pieces.len() == 1 && setup.free_starts && setup.question.breaks.is_empty();
    if !single || rows < 20 * SHOOTS {
        return Ok(None);
    }
    let found = setup.step(&mut || {
        let mut own = least.p[..setup.own()].to_vec();
        let mut starts: Vec<f64> = Vec::new();
        let mut count = SHOOTS;
        while count > 1 {
            let parts: Vec<_> =
                (0..count).map(|i| rows * i / count..rows * (i + 1) / count).collect();
            let mut cut = setup.in_pieces(&parts, true);
            // The sigmas of the whole, so that parts and whole make the same squares small.
            cut.sigma.clone_from(&setup.sigma);
            if starts.is_empty() {
                starts = cut.guesses();
            }
            let p = least_squares(&cut, &[own.as_slice(), &starts].concat(), SHOOT_STEPS)?.p;
            own = p[..setup.own()].to_vec();
            // Every second part begins where one of half as many does.
            starts = p[setup.own()..].chunks(4).flat_map(|s| [s[0], s[1]]).collect();
            count /= 2;
        }
        Some([own, starts].concat())
    })?;
    match found {
        Some(p) => match solved(setup, &p) {
            Ok(least) => Ok(Some(least)),
            Err(Error::Interrupted) => Err(Error::Interrupted),
            Err(_) => Ok(None),
        },
        None => Ok(None),
    }
}
