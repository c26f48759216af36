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
use crate::series::Series;
use crate::trend::{Basis, Trend};

/// Samples at the start of a stretch from which its starting state is read off.
const FIRST_SAMPLES: usize = 4;

/// A squared error this small against the squared response is rounding.
const ROUNDING: f64 = 1e-13;
/// Samples that a thinned record aims at.
const THIN: usize = 8192;

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
        let record = Record::new(samples, starts);
        let floor = ROUNDING * record.second_moments()[2];
        if columns.is_empty() {
            return Self { record, openings, range, floor, columns: Vec::new() };
        }
        let mut freed = samples.to_vec();
        let along = |q: &[f64], of: fn(&(f64, f64, f64)) -> f64| {
            samples.iter().zip(q).map(|(s, q)| s.2 * q * of(s)).sum::<f64>()
        };
        let z = |s: &(f64, f64, f64)| if s.2 > 0.0 { s.1 } else { 0.0 };
        let columns = columns
            .iter()
            .map(|q| {
                let response = along(q, z);
                freed.iter_mut().zip(q).for_each(|(s, q)| s.1 -= response * q);
                let samples: Vec<_> = samples.iter().zip(q).map(|(s, &q)| (s.0, q, s.2)).collect();
                Column {
                    record: Record::new(&samples, starts),
                    drive: along(q, |s| s.0),
                    response,
                    first: q.first().copied().unwrap_or(0.0),
                }
            })
            .collect();
        Self { record: Record::new(&freed, starts), openings, range, floor, columns }
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
    /// What the smaller of the two tracks is made of.
    light: Light,
    /// Rows with a drive, in order: `rows[k]` is the row of sample `k`.
    pub rows: Vec<usize>,
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
        let (time, drive, response) = (series.time(), series.drive(), series.response());
        let rows: Vec<usize> = (0..drive.len()).filter(|&i| !drive[i].is_nan()).collect();
        let low = rows.iter().map(|&i| drive[i]).fold(f64::INFINITY, f64::min);
        let high = rows.iter().map(|&i| drive[i]).fold(f64::NEG_INFINITY, f64::max);
        let drive_centre = 0.5 * (low + high);
        let (sum, count) =
            series.complete().fold((0.0, 0.0), |(s, n), i| (s + response[i], n + 1.0));
        let response_centre = sum / count;

        let sample = |&i: &usize| {
            let weight = if response[i].is_nan() { 0.0 } else { 1.0 };
            (drive[i] - drive_centre, response[i] - response_centre, weight)
        };
        let samples: Vec<(f64, f64, f64)> = rows.iter().map(sample).collect();
        let restarts = (1..rows.len()).filter(|&k| time[rows[k]] - time[rows[k - 1]] > max_gap);
        let starts: Vec<usize> = std::iter::once(0).chain(restarts).collect();
        let openings = openings(&samples, &starts);
        let range = high - low;
        let times: Vec<f64> = rows.iter().map(|&i| time[i]).collect();
        let make = |samples: &[(f64, f64, f64)], times: &[f64], starts: &[usize]| {
            let weights: Vec<f64> = samples.iter().map(|s| s.2).collect();
            let (basis, columns) = trend.basis(times, &weights);
            (Track::new(samples, starts, openings.clone(), range, &columns), basis, columns)
        };
        let (full, basis, columns) = make(&samples, &times, &starts);
        let (thin, light) = if samples.len() > 2 * THIN {
            let block = (2 * samples.len()).div_ceil(THIN);
            let (kept, starts) = thinned(&samples, &starts, block);
            let samples: Vec<_> = kept.iter().map(|&i| samples[i]).collect();
            let times: Vec<_> = kept.iter().map(|&i| times[i]).collect();
            let (track, _, columns) = make(&samples, &times, &starts);
            (Some(track), Light { samples, times, starts: Some(starts), columns })
        } else {
            (None, Light { samples, times, starts: None, columns })
        };
        let watch = None;
        Ok(Self {
            watch,
            full,
            thin,
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
    (0..starts.len())
        .map(|s| opening(&samples[starts[s]..ending(starts, s, samples.len())]))
        .collect()
}

fn opening(samples: &[(f64, f64, f64)]) -> Opening {
    let near = &samples[..samples.len().min(4 * FIRST_SAMPLES)];
    let (mut n, mut t, mut z) = (0.0, 0.0, 0.0);
    for s in near.iter().filter(|s| s.2 > 0.0).take(FIRST_SAMPLES) {
        (n, t, z) = (n + 1.0, t + s.0, z + s.1);
    }
    Opening { first: samples[0].0, mean: (n > 0.0).then_some((t / n, z / n)) }
}

/// One past the last sample of stretch `s`.
fn ending(starts: &[usize], s: usize, samples: usize) -> usize {
    starts.get(s + 1).copied().unwrap_or(samples)
}

/// Indices of the first sample of each stretch, and of the lowest and highest drive of each `block`
/// samples; and which of them begin stretches.
fn thinned(
    samples: &[(f64, f64, f64)],
    starts: &[usize],
    block: usize,
) -> (Vec<usize>, Vec<usize>) {
    let (mut out, mut firsts) = (Vec::new(), Vec::new());
    for (s, &from) in starts.iter().enumerate() {
        firsts.push(out.len());
        out.push(from);
        let mut first = from + 1;
        for part in samples[from + 1..ending(starts, s, samples.len())].chunks(block) {
            let by_drive = |a: &usize, b: &usize| part[*a].0.total_cmp(&part[*b].0);
            let low = (0..part.len()).min_by(by_drive).unwrap_or(0);
            let high = (0..part.len()).rev().max_by(by_drive).unwrap_or(0);
            out.push(first + low.min(high));
            if low != high {
                out.push(first + low.max(high));
            }
            first += part.len();
        }
    }
    (out, firsts)
}
