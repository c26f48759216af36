//! A record made ready for the search: stretches over which the state is carried, centred values.
//!
//! # Missing values and gaps
//!
//! The rule for the state needs the drive only. Across a missing drive the drive is taken to be
//! linear between its neighbours; a path through a linear drive depends on its ends alone, so such
//! rows are simply left out. A missing response takes part in the path, not in the sums.
//!
//! Across a gap in the drive longer than `max_gap` the drive may have gone anywhere, and so may the
//! slider: the slips inside cannot be known. The state then restarts as an unknown within its
//! bounds, |T − ξ| ≤ ρ. It is not guessed: ξ shows in the response, ξ = (z − z₀ − bT)/a, and
//! the search fits it together with everything else, as it does for the state at the first sample.
//! What is kept across a long gap is the *lattice*: with f_s and f_d unchanged every rest position
//! is a whole number of δ away from every other.

use stickslip::lanes::Record;

use crate::control::Control;
use crate::error::Error;
use crate::record::series::Series;
use crate::record::trend::{Basis, Trend};

/// Samples at the start of a stretch from which its starting state is read off.
const FIRST_SAMPLES: usize = 4;

/// A squared error this small against the squared response is rounding.
const ROUNDING: f64 = 1e-13;
/// Samples that a thinned record aims at, and one that is thinned less, of a record that is longer than so many.
const THIN: usize = 8192;
const FINER: usize = 32_768;
pub const LONG: usize = 4 * FINER;

/// What the search looks at: centred drive and response, and how each stretch begins.
pub struct Track {
    /// Centred drive and response; the response without its part along the trend columns.
    pub record: Record,
    /// For each stretch: how it begins.
    pub openings: Vec<Opening>,
    /// Largest minus smallest drive.
    pub range: f64,
    /// Squared errors below this are rounding.
    pub floor: f64,
    /// Trend columns, orthonormal over the samples with weight, and orthogonal to 1.
    pub columns: Vec<Column>,
}

/// One trend column q.
pub struct Column {
    /// The drive with q in place of the response.
    pub record: Record,
    /// Σ w q T.
    pub drive: f64,
    /// Σ w q z.
    pub response: f64,
    /// q at the first sample.
    pub first: f64,
}

impl Track {
    /// `columns[j][i]` is trend column j at sample i, orthonormal.
    pub fn new(
        samples: &[(f64, f64, f64)],
        starts: &[usize],
        openings: Vec<Opening>,
        range: f64,
        columns: &[Vec<f64>],
    ) -> Self {
        Self::of(samples.len(), |i| samples[i], starts, openings, range, columns)
    }

    /// The same from the number of samples and a function that says what each is.
    pub fn of(
        count: usize,
        sample: impl Fn(usize) -> (f64, f64, f64),
        starts: &[usize],
        openings: Vec<Opening>,
        range: f64,
        columns: &[Vec<f64>],
    ) -> Self {
        // A missing response is NaN, which no weight of 0 would take out of a sum.
        let z = |s: (f64, f64, f64)| if s.2 > 0.0 { s.1 } else { 0.0 };
        let along = |q: &[f64], of: &dyn Fn((f64, f64, f64)) -> f64| {
            (0..count).map(|i| sample(i).2 * q[i] * of(sample(i))).sum::<f64>()
        };
        let floor = ROUNDING * (0..count).map(|i| sample(i).2 * z(sample(i)).powi(2)).sum::<f64>();
        let columns: Vec<(Column, &[f64])> = columns
            .iter()
            .map(|q| {
                // With q in place of the response, the lanes that sum ξz give Σ w ξ q.
                let other = |i: usize| (sample(i).0, q[i], sample(i).2);
                let column = Column {
                    record: Record::of(count, other, starts),
                    drive: along(q, &|s| s.0),
                    response: along(q, &z),
                    first: q.first().copied().unwrap_or(0.0),
                };
                (column, q.as_slice())
            })
            .collect();
        // What the trend explains of the response is taken off once; of the path, which changes, in `Moments`.
        let freed = |i: usize| {
            let (t, z, w) = sample(i);
            let part = |z: f64, (column, q): &(Column, &[f64])| z - column.response * q[i];
            (t, columns.iter().fold(z, part), w)
        };
        let record = Record::of(count, freed, starts);
        let columns = columns.into_iter().map(|c| c.0).collect();
        Self { record, openings, range, floor, columns }
    }
}

/// See the module.
pub struct Prepared<'a> {
    /// Who may stop the work on it.
    watch: Option<&'a dyn Control>,
    /// Every sample.
    pub full: Track,
    /// Of a long record, the samples at which the drive is lowest and highest in equal blocks. A
    /// path forgets a swing of the drive once a larger one has passed (for small ρ: nearly), so it
    /// is the same path seen at fewer samples, and the search can do its rough work there.
    pub thin: Option<Track>,
    /// The same of a very long record, in smaller blocks: funnels are as wide there as in the whole.
    pub finer: Option<Track>,
    /// What the smaller of the two tracks is made of.
    light: Light,
    /// Rows with a drive, in order.
    pub rows: Rows,
    /// The first sample of each stretch.
    pub starts: Vec<usize>,
    /// Middle of the drive's range, subtracted from the drive.
    pub drive_centre: f64,
    /// Mean response, subtracted from the response.
    pub response_centre: f64,
    /// Longest gap across which the state is carried, s.
    pub max_gap: f64,
    /// The trend over the full record.
    pub basis: Basis,
}

/// Which row each sample comes from.
pub struct Rows {
    count: usize,
    /// Empty if every row is one.
    listed: Vec<u32>,
}

impl Rows {
    /// Those with a drive, or with another value.
    pub fn of(drive: &[f64]) -> Self {
        let count = drive.iter().filter(|t| !t.is_nan()).count();
        // Four bytes a row: of a long record a list of eight would cost as much as a column.
        let row = |i: usize| u32::try_from(i).ok().filter(|_| !drive[i].is_nan());
        let some = count < drive.len();
        let listed = if some { (0..drive.len()).filter_map(row).collect() } else { Vec::new() };
        Self { count, listed }
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.count
    }

    /// The row of sample `k`.
    pub fn row(&self, k: usize) -> usize {
        self.listed.get(k).map_or(k, |&row| row as usize)
    }

    /// All, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.count).map(|k| self.row(k))
    }
}

/// The samples of a track with its trend columns.
struct Light {
    samples: Vec<(f64, f64, f64)>,
    times: Vec<f64>,
    /// Of a thinned record: its own starts.
    starts: Option<Vec<usize>>,
    columns: Vec<Vec<f64>>,
}

/// What a track is made of.
pub struct Sampled<'a> {
    /// (T, z, w), centred.
    pub samples: &'a [(f64, f64, f64)],
    /// Their times, s.
    pub times: &'a [f64],
    /// The first sample of each stretch.
    pub starts: &'a [usize],
    /// Orthonormal trend columns.
    pub columns: &'a [Vec<f64>],
}

/// How a stretch begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Opening {
    /// T at its first sample.
    pub first: f64,
    /// Mean (T, z) of its first complete samples, if there are any.
    pub mean: Option<(f64, f64)>,
}

impl<'a> Prepared<'a> {
    /// Six hours or ten usual steps, whichever is longer, s.
    pub fn usual_gap(series: &Series) -> f64 {
        (6.0 * 3600.0f64).max(10.0 * series.usual_step())
    }

    /// `max_gap` in s; by default six hours or ten usual steps, whichever is longer.
    pub fn new(series: &Series, max_gap: Option<f64>, trend: &Trend) -> Result<Self, Error> {
        let max_gap = max_gap.unwrap_or_else(|| Self::usual_gap(series));
        let step = series.usual_step();
        if max_gap > 0.0 && max_gap < step {
            return Err(Error::GapBelowStep { max_gap, step });
        }
        if max_gap.is_nan() || max_gap <= 0.0 {
            let expected = "a time > 0 s, the longest gap over which the drive is taken as linear";
            return Err(Error::OutOfRange { what: "max_gap", found: max_gap, expected });
        }
        let time = series.time();
        let drive = series.drive();
        let response = series.response();
        let rows = Rows::of(drive);
        let low = rows.iter().map(|i| drive[i]).fold(f64::INFINITY, f64::min);
        let high = rows.iter().map(|i| drive[i]).fold(f64::NEG_INFINITY, f64::max);
        // The middle of the range, not the mean: the lattice near it hardly moves when δ changes.
        let drive_centre = 0.5 * (low + high);
        let (sum, count) =
            series.complete().fold((0.0, 0.0), |(s, n), i| (s + response[i], n + 1.0));
        let response_centre = sum / count;

        let sample = |k: usize| {
            let i = rows.row(k);
            let weight = if response[i].is_nan() { 0.0 } else { 1.0 };
            (drive[i] - drive_centre, response[i] - response_centre, weight)
        };
        let at = |k: usize| time[rows.row(k)];
        // Beyond a long gap the state is unknown: another stretch begins.
        let restarts = (1..rows.len()).filter(|&k| at(k) - at(k - 1) > max_gap);
        let starts: Vec<usize> = std::iter::once(0).chain(restarts).collect();
        let openings = openings_of(rows.len(), sample, &starts);
        let range = high - low;
        // Of the samples that `kept` names: the track, its trend, and what both are made of.
        let make = |kept: &[usize], starts: &[usize]| {
            let samples: Vec<_> = kept.iter().map(|&k| sample(k)).collect();
            let times: Vec<_> = kept.iter().map(|&k| at(k)).collect();
            let weights: Vec<f64> = samples.iter().map(|s| s.2).collect();
            let (basis, columns) = trend.basis(&times, &weights);
            let track = Track::new(&samples, starts, openings.clone(), range, &columns);
            (track, basis, Light { samples, times, starts: None, columns })
        };
        let few = |count: usize| {
            // Two samples are kept of each block.
            let block = (2 * rows.len()).div_ceil(count);
            thinned(&sample, rows.len(), &starts, block)
        };
        let finer = (rows.len() > LONG).then(|| {
            let (kept, first) = few(FINER);
            make(&kept, &first).0
        });
        let (full, thin, basis, light) = if rows.len() > 2 * THIN {
            let (kept, first) = few(THIN);
            let (track, _, light) = make(&kept, &first);
            // The trend of the whole record has its own basis: columns that are orthonormal over a part are not
            // over all.
            let (basis, columns) = if trend.count() > 0 {
                let times: Vec<f64> = (0..rows.len()).map(at).collect();
                let weights: Vec<f64> = (0..rows.len()).map(|k| sample(k).2).collect();
                trend.basis(&times, &weights)
            } else {
                Default::default()
            };
            let full = Track::of(rows.len(), sample, &starts, openings.clone(), range, &columns);
            (full, Some(track), basis, Light { starts: Some(first), ..light })
        } else {
            let all: Vec<usize> = (0..rows.len()).collect();
            let (full, basis, light) = make(&all, &starts);
            (full, None, basis, light)
        };
        let watch = None;
        Ok(Self {
            watch,
            full,
            thin,
            finer,
            light,
            rows,
            starts,
            drive_centre,
            response_centre,
            max_gap,
            basis,
        })
    }

    /// The same, with somebody who may stop the work on it.
    pub fn watched(mut self, control: &'a dyn Control) -> Self {
        self.watch = Some(control);
        self
    }

    /// Whether the work on it shall stop: then every search ends soon, with whatever it has.
    pub fn stopped(&self) -> bool {
        self.watch.is_some_and(Control::stop)
    }

    /// What the thinned track is made of, or the full one where there is none.
    pub fn light(&self) -> Sampled<'_> {
        let Light { samples, times, starts, columns } = &self.light;
        Sampled { samples, times, starts: starts.as_ref().unwrap_or(&self.starts), columns }
    }

    /// How each stretch begins in other samples of the same times.
    pub fn openings(&self, samples: &[(f64, f64, f64)]) -> Vec<Opening> {
        openings(samples, &self.starts)
    }

    /// The range of samples of stretch `s`.
    pub fn stretch(&self, s: usize) -> std::ops::Range<usize> {
        self.starts[s]..ending(&self.starts, s, self.rows.len())
    }
}

/// How each stretch begins.
pub fn openings(samples: &[(f64, f64, f64)], starts: &[usize]) -> Vec<Opening> {
    openings_of(samples.len(), |k| samples[k], starts)
}

/// The same from the number of samples and a function that says what each is.
fn openings_of(
    count: usize,
    sample: impl Fn(usize) -> (f64, f64, f64),
    starts: &[usize],
) -> Vec<Opening> {
    let opening = |s: usize| {
        let from = starts[s];
        let to = ending(starts, s, count);
        // If the first samples lack a response, those soon after will do; later ones may show another state.
        let near = (from..to.min(from + 4 * FIRST_SAMPLES)).map(&sample);
        let mut n = 0.0;
        let mut t = 0.0;
        let mut z = 0.0;
        for s in near.filter(|s| s.2 > 0.0).take(FIRST_SAMPLES) {
            (n, t, z) = (n + 1.0, t + s.0, z + s.1);
        }
        Opening { first: sample(from).0, mean: (n > 0.0).then_some((t / n, z / n)) }
    };
    (0..starts.len()).map(opening).collect()
}

/// One past the last sample of stretch `s`.
fn ending(starts: &[usize], s: usize, samples: usize) -> usize {
    starts.get(s + 1).copied().unwrap_or(samples)
}

/// Indices of the first sample of each stretch, and of the lowest and highest drive of each `block`
/// samples, with one that has a response where these have none; and which of them begin stretches.
fn thinned(
    sample: &impl Fn(usize) -> (f64, f64, f64),
    count: usize,
    starts: &[usize],
    block: usize,
) -> (Vec<usize>, Vec<usize>) {
    let mut out = Vec::new();
    let mut firsts = Vec::new();
    for (s, &start) in starts.iter().enumerate() {
        firsts.push(out.len());
        // The first sample fixes the state from which a stretch begins, wherever the drive stands.
        out.push(start);
        let end = ending(starts, s, count);
        for from in (start + 1..end).step_by(block) {
            let part = from..end.min(from + block);
            let by_drive = |a: &usize, b: &usize| sample(*a).0.total_cmp(&sample(*b).0);
            let low = part.clone().min_by(by_drive).unwrap_or(from);
            // From behind, so that of equal values the first is taken, as for the lowest.
            let high = part.clone().rev().max_by(by_drive).unwrap_or(from);
            let shows = |k: &usize| sample(*k).2 > 0.0;
            let other = if shows(&low) || shows(&high) { None } else { part.clone().find(shows) };
            let mut kept: Vec<usize> = [low, high].into_iter().chain(other).collect();
            kept.sort_unstable();
            kept.dedup();
            out.extend(kept);
        }
    }
    (out, firsts)
}
