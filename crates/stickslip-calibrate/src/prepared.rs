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

use crate::error::Error;
use crate::series::Series;

/// Samples at the start of a stretch from which its starting state is read off.
const FIRST_SAMPLES: usize = 4;

/// A squared error this small against the squared response is rounding.
const ROUNDING: f64 = 1e-13;
/// Samples that a thinned record aims at.
const THIN: usize = 8192;

/// What the search looks at: centred drive and response, and how each stretch begins.
pub struct Track {
    /// Centred drive and response.
    pub record: Record,
    /// For each stretch: how it begins.
    pub openings: Vec<Opening>,
    /// Largest minus smallest drive.
    pub range: f64,
    /// Squared errors below this are rounding.
    pub floor: f64,
}

impl Track {
    fn new(
        samples: &[(f64, f64, f64)],
        starts: &[usize],
        openings: Vec<Opening>,
        range: f64,
    ) -> Self {
        let record = Record::new(samples, starts);
        let floor = ROUNDING * record.second_moments()[2];
        Self { record, openings, range, floor }
    }
}

/// See the module.
pub struct Prepared {
    /// Every sample.
    pub full: Track,
    /// Of a long record, the samples at which the drive is lowest and highest in equal blocks. A
    /// path forgets a swing of the drive once a larger one has passed (for small ρ: nearly), so it
    /// is the same path seen at fewer samples, and the search can do its rough work there.
    pub thin: Option<Track>,
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
}

/// How a stretch begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Opening {
    /// T at its first sample.
    pub first: f64,
    /// Mean (T, z) of its first complete samples, if there are any.
    pub mean: Option<(f64, f64)>,
}

impl Prepared {
    /// `max_gap` in s; by default six hours or ten usual steps, whichever is longer.
    pub fn new(series: &Series, max_gap: Option<f64>) -> Result<Self, Error> {
        let max_gap = max_gap.unwrap_or_else(|| (6.0 * 3600.0f64).max(10.0 * series.usual_step()));
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
        let openings: Vec<Opening> = (0..starts.len())
            .map(|s| opening(&samples[starts[s]..ending(&starts, s, samples.len())]))
            .collect();
        let range = high - low;
        let thin = (samples.len() > 2 * THIN).then(|| {
            let (samples, starts) = thinned(&samples, &starts, (2 * samples.len()).div_ceil(THIN));
            Track::new(&samples, &starts, openings.clone(), range)
        });
        let full = Track::new(&samples, &starts, openings, range);
        Ok(Self { full, thin, rows, starts, drive_centre, response_centre, max_gap })
    }

    /// The range of samples of stretch `s`.
    pub fn stretch(&self, s: usize) -> std::ops::Range<usize> {
        self.starts[s]..ending(&self.starts, s, self.rows.len())
    }
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

type Samples = Vec<(f64, f64, f64)>;

/// The first sample of each stretch, and the lowest and highest drive of each `block` samples.
fn thinned(samples: &[(f64, f64, f64)], starts: &[usize], block: usize) -> (Samples, Vec<usize>) {
    let (mut out, mut firsts) = (Vec::new(), Vec::new());
    for (s, &from) in starts.iter().enumerate() {
        firsts.push(out.len());
        out.push(samples[from]);
        for part in samples[from + 1..ending(starts, s, samples.len())].chunks(block) {
            let by_drive = |a: &&(f64, f64, f64), b: &&(f64, f64, f64)| a.0.total_cmp(&b.0);
            let place = |found: Option<&(f64, f64, f64)>| {
                found.map_or(0, |f| part.iter().position(|p| std::ptr::eq(p, f)).unwrap_or(0))
            };
            let (low, high) =
                (place(part.iter().min_by(by_drive)), place(part.iter().max_by(by_drive)));
            out.push(part[low.min(high)]);
            if low != high {
                out.push(part[low.max(high)]);
            }
        }
    }
    (out, firsts)
}
