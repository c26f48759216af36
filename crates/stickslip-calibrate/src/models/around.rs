//! Other minima around the one that was found: better ones, and those that leave hardly more.

use super::least_squares::{Basin, Ends, Least, Misfit, least_squares_until};
use super::search::solved;
use super::setup::Setup;
use super::sure::{NORMAL, beside, by_values, curvature};
use crate::error::Error;
use crate::statistics::memory::autocorrelation_time;
use crate::statistics::regress::invert;
use crate::statistics::stats::square;
use stickslip::portable;

/// By what factors numbers are changed to see whether there is something better nearby.
const FACTORS: [f64; 12] = [0.3, 0.45, 0.6, 0.7, 0.8, 0.9, 0.97, 1.03, 1.1, 1.25, 1.5, 2.0];
/// By what shares of their ranges they are changed, likewise.
const SHARES: [f64; 5] = [-0.1, -0.03, 0.03, 0.1, 0.25];
/// By how many standard errors, the others changed with them.
const NEARBY: [f64; 4] = [-6.0, -2.0, 2.0, 6.0];
/// Least squares that are tried from changed numbers, and steps of each.
const TRIES: usize = 3;
const TRIED_STEPS: usize = 10;
/// Least squares that run side by side.
const TOGETHER_TRIED: usize = 3;
/// Of one residual of n, what a step of these changes at least.
const PRECISE: f64 = 0.01;
/// A place is better that leaves less than the minimum by this share.
const LOWER: f64 = 1e-4;
/// Rounds of that.
const ROUNDS: usize = 3;
/// Of what a round finds, so many of the best are kept.
const KEPT: usize = 9;

/// Logarithms of the factors by which all numbers are changed together, along what the record shows worst.
const TOGETHER: [f64; 10] = [-0.7, -0.4, -0.25, -0.12, -0.05, 0.05, 0.12, 0.25, 0.4, 0.7];

/// Numbers changed together in the ratio that changes the squares least, to one side and the other: where a record hardly
/// shows the common factor of mass, stiffness and forces, a valley with many small minima runs there.
fn along_valley(setup: &Setup<'_>, least: &Least) -> Vec<Vec<f64>> {
    // Factors leave a zero as it is: only numbers that are there can be changed by them.
    let own: Vec<usize> = (0..setup.own()).filter(|&k| least.p[k] != 0.0).collect();
    let column = |k: usize| least.columns[k].iter().map(move |c| c * least.p[k]);
    let dot = |a: usize, b: usize| column(a).zip(column(b)).map(|(a, b)| a * b).sum::<f64>();
    let mut normal: Vec<Vec<f64>> =
        own.iter().map(|&a| own.iter().map(|&b| dot(a, b)).collect()).collect();
    // A valley is nearly flat: without this little the matrix could not be inverted there.
    let ridge = 1e-12 * (0..own.len()).map(|i| normal[i][i]).sum::<f64>();
    (0..own.len()).for_each(|i| normal[i][i] += ridge);
    let Some(inverse) = invert(normal) else { return Vec::new() };
    // The eigenvector of the largest eigenvalue of the inverse, by powers.
    let mut way = vec![1.0; own.len()];
    for _ in 0..30 {
        let next: Vec<f64> =
            inverse.iter().map(|row| row.iter().zip(&way).map(|(a, b)| a * b).sum()).collect();
        let most = next.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        way = next.iter().map(|v| v / most).collect();
    }
    // By a common factor of each, as logarithms: a product of the numbers stays what the record shows.
    let moved = |by: &f64| {
        let mut p = least.p.clone();
        for (&k, w) in own.iter().zip(&way) {
            let [low, high] = setup.bounds[k];
            p[k] = (p[k] * portable::exp(by * w)).clamp(low, high);
        }
        p
    };
    TOGETHER.iter().map(moved).filter(|p| p.iter().all(|v| v.is_finite())).collect()
}

/// A slip at the wrong time is a minimum of its own: numbers are changed one at a time, and what looks best is tried, until
/// nothing is gained.
///
/// With it come all other places where least squares ended.
pub fn shaken(setup: &Setup<'_>, mut least: Least) -> Result<(Least, Others), Error> {
    let mut ends = Others::new();
    for round in 0..ROUNDS {
        let found = setup.step(&mut || {
            let mut found = nearby(setup, &least, round == 0);
            found.sort_by(|a, b| a.rss.total_cmp(&b.rss));
            found.truncate(KEPT);
            Some(found.into_iter().flat_map(|l| [&[l.rss], l.p.as_slice()].concat()).collect())
        })?;
        let found = found.unwrap_or_default();
        let each = found.chunks(1 + least.p.len());
        ends.extend(each.map(|e| (e[0], e[1..].to_vec())));
        // Nothing better by more than the noise of the search: the round was the last.
        if found.first().is_none_or(|best| *best >= (1.0 - LOWER) * least.rss) {
            break;
        }
        let better = &found[1..least.p.len() + 1];
        // The minimum that is left is itself one of the ends: it may be a rival of the better one.
        ends.push((least.rss, std::mem::take(&mut least.p)));
        least = solved(setup, better)?;
    }
    Ok((least, ends))
}

/// Least squares from the ends of the intervals, as long as one of these leaves less. A slip that is a row too early or too late makes an edge in
/// the squares, at which steps end. What is left behind joins the `others`.
pub fn lowered(setup: &Setup<'_>, mut least: Least, others: &mut Others) -> Result<Least, Error> {
    for _ in 0..ROUNDS {
        let found = setup.step(&mut || {
            let errors = curvature(&least.columns, &least.residuals).errors;
            let known = (0..setup.own()).filter(|k| errors[*k] > 0.0);
            let ends = known.flat_map(|k| [(k, -NORMAL), (k, NORMAL)]);
            let starts = ends.filter_map(|(k, by)| beside(setup, &least, k, by * errors[k]));
            let squares = |p: Vec<f64>| Some((square(&setup.residuals(&p)?), p));
            let found = crate::parallel::map(starts.collect(), squares).into_iter().flatten();
            let (rss, p) = found.min_by(|a, b| a.0.total_cmp(&b.0))?;
            (rss < (1.0 - LOWER) * least.rss).then_some(p)
        })?;
        let Some(start) = found else { break };
        let lower = solved(setup, &start)?;
        others.push((least.rss, std::mem::replace(&mut least, lower).p));
    }
    Ok(least)
}

/// Other places where least squares ended: Σ r², and the numbers.
pub type Others = Vec<(f64, Vec<f64>)>;

/// A minimum apart from the least one that leaves hardly more.
#[derive(Debug)]
pub struct Rival {
    /// Values of the unknowns there.
    values: Vec<f64>,
    /// How far its part of the 95 % interval reaches to either side.
    reach: Vec<f64>,
}

impl Rival {
    /// The ends of its part of the interval of unknown `k`.
    pub fn reach(&self, k: usize) -> [f64; 2] {
        [self.values[k] - self.reach[k], self.values[k] + self.reach[k]]
    }
}

/// χ² with one degree of freedom at 95 %.
const LEVEL: f64 = 3.841_459;
/// Rise of χ² up to which another minimum is an answer too: one in two thousand fits has the truth further up on the slope of
/// its own minimum.
const RISE: f64 = 12.0;
/// Minima that are nearer than so many standard errors in every number are the same one.
const SAME: f64 = 3.0;

/// One unit of χ²: residuals that resemble their neighbours count for less.
fn unit(least: &Least, together: f64) -> f64 {
    together.max(1.0) * least.rss / least.residuals.len() as f64
}

/// Drops those that the residuals exclude.
pub fn drop_excluded(least: &Least, others: &mut Others) {
    let unit = unit(least, autocorrelation_time(std::slice::from_ref(&least.residuals)));
    others.retain(|(rss, _)| (rss - least.rss) / unit <= RISE);
}

/// Of the places where least squares ended, those that the record hardly tells from the best one, and that are not on its own
/// slope.
pub fn rivals(setup: &Setup<'_>, least: &Least, ends: Others) -> Vec<Rival> {
    let own = curvature(&least.columns, &least.residuals);
    let unit = unit(least, own.together);
    let is_rival = |(rss, p): &(f64, Vec<f64>)| {
        // An error that is not known is NaN, and `max` makes it 0: then any distance is far.
        let far = |k: usize| (p[k] - least.p[k]).abs() > SAME * own.errors[k].max(0.0);
        (rss - least.rss) / unit <= RISE && (0..setup.own()).any(far)
    };
    let one = |(rss, p): (f64, Vec<f64>)| {
        let there = Least::at(setup, p)?;
        let rise = (rss - least.rss) / unit;
        let found = curvature(&by_values(setup, &there.columns), &there.residuals);
        // What remains of the 95 % level after the rise to this minimum is what its own parabola may use.
        let left = (LEVEL - rise).max(0.0).sqrt();
        let error = |k: usize| if found.errors[k].is_finite() { found.errors[k] } else { 0.0 };
        let reach = (0..setup.question.unknowns.len()).map(|k| left * error(k)).collect();
        Some(Rival { values: setup.values(&there.p), reach })
    };
    ends.into_iter().filter(is_rival).filter_map(one).collect()
}

/// By how much of the friction in slip that at rest may stand above it, far from what was found first.
const ABOVE: [f64; 6] = [0.0, 0.1, 0.3, 0.6, 1.2, 2.4];

/// Numbers with another friction at rest: where a record shows it only in the instants of a few slips, there are minima far
/// apart, and between them nothing that leads from one to the next.
fn other_rests(setup: &Setup<'_>, least: &Least) -> Vec<Vec<f64>> {
    let unknowns = setup.question.unknowns.iter().enumerate();
    let resting = unknowns.filter_map(|(k, u)| Some((k, u.above?)));
    let all = resting.flat_map(|(k, below)| ABOVE.iter().map(move |share| (k, below, share)));
    let moved = |(k, below, share): (usize, usize, &f64)| {
        let mut p = least.p.clone();
        let [low, high] = setup.bounds[k];
        p[k] = (share * p[below]).clamp(low, high);
        p
    };
    all.map(moved).collect()
}

/// The beginning of the record on which starts are compared first: this share of it, and at least so many rows.
const BEGINNING: (usize, usize) = (8, 60);
/// Motions that are computed side by side.
const SIDE_BY_SIDE: usize = 8;

/// Of the `starts`, the `count` with the smallest squares, off the slope of the known minimum. What leaves more at the
/// beginning of the record than those leave of all of it is not looked at further.
fn best(
    setup: &Setup<'_>,
    basin: &Basin<'_>,
    starts: Vec<Vec<f64>>,
    count: usize,
) -> Vec<Vec<f64>> {
    let rows = setup.rows();
    let beginning = (rows / BEGINNING.0).max(BEGINNING.1);
    let short = (setup.pieces.len() == 1 && beginning < rows).then(|| {
        // One motion that goes wrong early goes wrong for good: its beginning tells it cheaply.
        let mut short = setup.in_pieces(std::slice::from_ref(&(0..beginning)), setup.free_starts);
        short.sigma.clone_from(&setup.sigma);
        short
    });
    let squares =
        |setup: &Setup<'_>, p: &[f64]| setup.residuals(p).map_or(f64::INFINITY, |r| square(&r));
    // Factors of nothing are nothing.
    let starts: Vec<_> = starts.into_iter().filter(|p| *p != basin.least.p).collect();
    let mut first = crate::parallel::map(starts, |p| {
        let begun = short.as_ref().map_or(0.0, |s| squares(s, &p));
        (p, begun)
    });
    first.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut found: Vec<(Vec<f64>, f64)> = Vec::new();
    for some in first.chunks(SIDE_BY_SIDE) {
        let worst = found.get(count - 1).map_or(f64::INFINITY, |f| f.1);
        // The beginning alone already leaves more than the worst of the best over the whole record: squares
        // only add up.
        let some: Vec<_> = some.iter().filter(|f| f.1 < worst).map(|f| f.0.clone()).collect();
        if some.is_empty() {
            break;
        }
        found.extend(crate::parallel::map(some, |p| {
            let rss = squares(setup, &p);
            (p, rss)
        }));
        found.retain(|(p, rss)| rss.is_finite() && !basin.is_on_slope(p, *rss));
        found.sort_by(|a, b| a.1.total_cmp(&b.1));
        found.truncate(count);
    }
    found.into_iter().map(|f| f.0).collect()
}

/// What least squares find from changed numbers, apart from the minimum that is known.
fn nearby(setup: &Setup<'_>, least: &Least, is_first: bool) -> Vec<Least> {
    let mut starts = Vec::new();
    for k in 0..setup.own() {
        let [low, high] = setup.bounds[k];
        let here = least.p[k];
        let factors = FACTORS.iter().map(|f| f * here);
        let shares = SHARES.iter().map(|s| here + s * (high - low));
        for at in factors.chain(shares) {
            let mut p = least.p.clone();
            p[k] = at.clamp(low, high);
            starts.push(p);
        }
    }
    starts.extend(along_valley(setup, least));
    let found = curvature(&least.columns, &least.residuals);
    for k in (0..setup.own()).filter(|k| found.errors[*k] > 0.0) {
        let near = |by: &f64| beside(setup, least, k, by * found.errors[k]);
        starts.extend(NEARBY.iter().filter_map(near));
    }
    let home = Basin::new(least);
    let mut starts = best(setup, &home, starts, TRIES);
    if is_first {
        starts.extend(other_rests(setup, least));
    }
    // Those that come to a minimum which the ones before have found end there.
    let mut found: Vec<Least> = Vec::new();
    for some in starts.chunks(TOGETHER_TRIED) {
        let known: Vec<Basin<'_>> = std::iter::once(least).chain(&found).map(Basin::new).collect();
        let settled = PRECISE / least.residuals.len() as f64;
        let ends = Ends { settled, known: &known, ..Ends::after(TRIED_STEPS) };
        let solved = crate::parallel::map(some.to_vec(), |p| least_squares_until(setup, &p, ends));
        found.extend(solved.into_iter().flatten());
    }
    found
}
