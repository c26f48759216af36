//! A gain, a unit or a sign that changes within a record, and an expansion that does.
//!
//! From some row on the response counts g times what it did, or the drive does. The two differ in what the parts of the record show
//! on either side of it, with β the expansion and f/K the travel of the spring while sliding:
//!
//! ```text
//! response:  β → gβ,   f/K → g f/K         a sensor with another gain, unit or sign
//! drive:     β → β/g,  f/K as before       a thermometer with another unit or gain; a deck with another expansion looks alike
//! friction:  β as before, f/K → r f/K      (`changes`)
//! ```
//!
//! So the parts are fitted apart, what changed is named, the later part is counted as the earlier one, and the whole is fitted once
//! more, with a step where the later part begins, for its zero is not known.

use stickslip::portable;

use crate::bearing::delay::Trial;
use crate::bearing::options::Options;
use crate::bearing::search::global::{PROBE, refine, search};
use crate::bearing::search::motion::left;
use crate::bearing::search::point::{Point, Scored};
use crate::bearing::search::prepared::Prepared;
use crate::error::Error;
use crate::record::series::Series;
use crate::record::trend::Trend;
use crate::statistics::memory::autocorrelation_time;
use crate::statistics::stats::robust;

/// Either part has at least this share of the rows, and so many slips.
const LEAST: f64 = 0.06;
const SLIPS: f64 = 6.0;
/// Fewest rows of a record.
const FEWEST: usize = 200;
/// Rows about the change that belong to neither part, as a share of all.
const ABOUT: f64 = 0.01;
/// Instants at which a change is tried again, and over which share of the rows on either side: from coarse to fine.
const INSTANTS: usize = 12;
const NEAR: [f64; 3] = [0.12, 0.025, 0.005];
/// ln of the least change of β, and of what counts as no change of a ratio.
const SMALLEST: f64 = 0.06;
const ALIKE: f64 = 0.12;
/// °F in °C.
const FAHRENHEIT: f64 = 1.8;

/// What changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// The response counts g times what it did.
    Response,
    /// The drive does, or the deck expands 1/g times as much.
    Drive,
    /// The drive does by 1.8, or 1/1.8.
    Fahrenheit,
}

/// A change that was found.
pub struct GainChange {
    /// What changed.
    pub what: What,
    /// What the response moves per degree, over what it did.
    pub ratio: f64,
    /// When, s.
    pub time: f64,
    /// What is left if it is allowed for.
    pub left: Trial,
}

/// What a part of the record shows.
struct Part {
    /// a + b.
    beta: f64,
    /// f/K.
    travel: f64,
    point: Point,
    /// Middle of the range of its drive, from which its lattice is counted.
    centre: f64,
}

fn part(series: &Series, options: &Options, rows: std::ops::Range<usize>) -> Option<Part> {
    let [t, d, z] = [series.time(), series.drive(), series.response()].map(|v| &v[rows.clone()]);
    let own = Series::new(t, d, z).ok()?;
    let prepared = Prepared::new(&own, options.max_gap, &options.trend).ok()?;
    let best = search(&prepared, options.seed, PROBE).minima.into_iter().next()?;
    let Scored { line, jumps, point } = best;
    let beta = line.on_path + line.on_drive;
    // Without slips a part shows no travel, and without a slope nothing to compare.
    if jumps < SLIPS || beta == 0.0 {
        return None;
    }
    let travel = beta.abs() * point.sliding;
    Some(Part { beta, travel, point, centre: prepared.drive_centre })
}

/// The rows at which a change may lie: where two straight lines through response against drive leave least, and next to the largest
/// steps of either column.
fn candidates(series: &Series) -> Vec<usize> {
    let rows: Vec<usize> = series.complete().collect();
    let drive = series.drive();
    let response = series.response();
    // Running sums, from which two straight lines are known for every place of the change.
    let mut sums = vec![[0.0; 6]];
    for &i in &rows {
        let t = drive[i];
        let z = response[i];
        let before = sums[sums.len() - 1];
        let own = [1.0, t, z, t * t, t * z, z * z];
        sums.push(std::array::from_fn(|k| before[k] + own[k]));
    }
    let rss = |[n, t, z, tt, tz, zz]: [f64; 6]| {
        let tt = tt - t * t / n;
        let tz = tz - t * z / n;
        let zz = zz - z * z / n;
        zz - tz * tz / tt
    };
    let all = sums[rows.len()];
    let from = (LEAST * rows.len() as f64) as usize;
    let to = ((1.0 - LEAST) * rows.len() as f64) as usize;
    let both = |k: usize| rss(sums[k]) + rss(std::array::from_fn(|j| all[j] - sums[k][j]));
    // A line through fewer rows leaves nothing.
    let lines = (from.max(3)..to).min_by(|a, b| both(*a).total_cmp(&both(*b)));
    let largest = |v: &[f64]| {
        let step = |k: &usize| (v[rows[*k]] - v[rows[*k - 1]]).abs();
        (from.max(1)..to).max_by(|a, b| step(a).total_cmp(&step(b)))
    };
    let mut out: Vec<usize> =
        [lines, largest(drive), largest(response)].into_iter().flatten().map(|k| rows[k]).collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// Counts the rows from `at` on as those before: `ratio` is that of β.
fn counted_alike(series: &Series, what: What, ratio: f64, at: usize) -> (Vec<f64>, Vec<f64>) {
    let mut drive = series.drive().to_vec();
    let mut response = series.response().to_vec();
    if what == What::Response {
        response[at..].iter_mut().for_each(|z| *z /= ratio);
    } else {
        let known = |rows: &mut dyn Iterator<Item = usize>| {
            rows.map(|i| drive[i]).find(|t| !t.is_nan()).unwrap_or(0.0)
        };
        let [last, first] = [known(&mut (0..at).rev()), known(&mut (at..drive.len()))];
        // The zero of a unit or a gain is not known, so that the later part goes on from the last value; the
        // step in the response takes the rest.
        drive[at..].iter_mut().for_each(|t| *t = last + ratio * (*t - first));
    }
    (drive, response)
}

/// A change that is tried: what is multiplied by how much from a row on.
#[derive(Clone, Copy)]
struct Supposed {
    what: What,
    ratio: f64,
    at: usize,
}

/// What is left at an instant, with the paths near that of the part before it, or with a search.
fn tried(
    series: &Series,
    options: &Options,
    supposed: Supposed,
    before: &Part,
    whole: bool,
) -> Result<Trial, Error> {
    let Supposed { what, ratio, at } = supposed;
    let (drive, response) = counted_alike(series, what, ratio, at);
    let record = Series::new(series.time(), &drive, &response)?;
    let trend = Trend { steps: vec![series.time()[at]], ..options.trend.clone() };
    let prepared = Prepared::new(&record, options.max_gap, &trend)?;
    let blank = vec![0.0; prepared.starts.len()].into();
    // The lattice is counted from the centre of the drive, which is another now.
    let lattice = before.point.lattice + before.centre - prepared.drive_centre;
    let warm = Point { lattice, starts: blank, ..before.point.clone() };
    let mut found = refine(&prepared, std::slice::from_ref(&warm), options.seed);
    if whole {
        found.join(search(&prepared, options.seed, PROBE));
    }
    let best = &found.minima[0];
    let left = left(&record, &prepared, &trend, &best.point, &best.line);
    // In the units of the record: those of the later part were divided by the ratio.
    let by = |i: usize| if what == What::Response && i >= at { ratio } else { 1.0 };
    let rows: Vec<f64> =
        left.rows.iter().enumerate().map(|(i, r)| by(i) * r).filter(|r| !r.is_nan()).collect();
    let count = rows.len() as f64;
    Ok(Trial {
        value: 0.0,
        square: rows.iter().map(|r| r * r).sum::<f64>() / count,
        rows: count,
        // In the units of the fit: the memory does not depend on a factor of a part.
        tau: autocorrelation_time(&left.parts()),
        robust: robust(rows.into_iter()).powi(2),
        points: Vec::new(),
    })
}

/// What changed between two parts, if one thing did.
fn named(before: &Part, after: &Part) -> Option<(What, f64)> {
    let ratio = after.beta / before.beta;
    let size = portable::log(ratio.abs());
    if ratio > 0.0 && size.abs() < SMALLEST {
        return None;
    }
    let travel = portable::log(after.travel / before.travel);
    // Travel and slope have changed by one factor: it is the response that counts otherwise.
    if (travel - size).abs() < ALIKE {
        return Some((What::Response, ratio));
    }
    // A sign that changes in the drive, or travel and slope that change differently, is none of these.
    if ratio < 0.0 || travel.abs() > ALIKE {
        return None;
    }
    let unit = (size.abs() - portable::log(FAHRENHEIT)).abs();
    Some((if unit < SMALLEST { What::Fahrenheit } else { What::Drive }, ratio))
}

/// Whether such a change can be looked for: in a record with rows enough, of which no trend is fitted.
pub fn can_be_seen(series: &Series, options: &Options) -> bool {
    series.time().len() >= FEWEST && options.trend.count() == 0
}

/// Looks for a change of a gain, a unit, a sign or the expansion, in a record in which it [can be seen](can_be_seen).
///
/// # Errors
/// As those of a search.
pub fn find(series: &Series, options: &Options) -> Result<Option<GainChange>, Error> {
    let n = series.time().len();
    let about = ((ABOUT * n as f64) as usize).max(1);
    let mut best: Option<GainChange> = None;
    for at in candidates(series) {
        if at <= 2 * about || at + 2 * about >= n {
            continue;
        }
        // The instant may be off by some rows, and rows of the other part would spoil either fit.
        let parts = part(series, options, 0..at - about).zip(part(series, options, at + about..n));
        let Some((before, after)) = parts else { continue };
        let Some((what, ratio)) = named(&before, &after) else { continue };
        let mut instant = at;
        let supposed = |at| Supposed { what, ratio, at };
        let mut least = tried(series, options, supposed(at), &before, false)?.square;
        // The first instants know the change to within a share of the record; each round looks closer around
        // the best.
        for share in NEAR {
            let reach = (share * n as f64) as usize;
            let low = instant.saturating_sub(reach).max(about);
            let high = (instant + reach).min(n - about);
            for i in 0..=INSTANTS {
                let here = low + (high - low) * i / INSTANTS;
                let square = tried(series, options, supposed(here), &before, false)?.square;
                if square < least {
                    (least, instant) = (square, here);
                }
            }
        }
        let left = tried(series, options, supposed(instant), &before, true)?;
        if best.as_ref().is_none_or(|b| left.square < b.left.square) {
            best = Some(GainChange { what, ratio, time: series.time()[instant], left });
        }
    }
    Ok(best)
}
