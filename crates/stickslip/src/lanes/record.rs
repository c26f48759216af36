//! A drive and a response, prepared for trying many parameter sets.

/// Samples whose extremes are looked at together.
pub(super) const BLOCK: usize = 16;

/// More than a sum and a difference can be wrong by, as a share of their terms.
pub(super) const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Records of at most so many samples keep the sums before every sample: 3 MB, about what the cache of one core holds.
const SHORT: usize = 1 << 17;

/// Thresholds of one path: (ρ, δ), in the drive's unit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Thresholds {
    /// ρ ≥ 0.
    pub rho: f64,
    /// δ, 0 ≤ δ ≤ 2ρ.
    pub delta: f64,
}

/// Running sums before one sample.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Running {
    /// Σ w.
    pub weight: f64,
    /// Σ w T.
    pub drive: f64,
    /// Σ w z.
    pub response: f64,
}

/// Smallest and largest drive of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    pub low: f64,
    pub high: f64,
}

/// A part of the record over which the state is carried along.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    /// First sample and one past the last.
    pub samples: (usize, usize),
    /// First block.
    pub block: usize,
}

/// A drive T with a weighted response z, in one or more stretches; the state ξ restarts at each.
///
/// Centre both series before (any constant near their means): the sums are differences of running
/// sums, and a large common offset would cost digits.
///
/// A long one takes 19 bytes a sample: running sums are kept for every sixteenth sample, and added up from there where a path
/// slips. Of a short one they are kept for every sample, 24 bytes more: where slips are many, adding up takes a tenth of the time.
#[derive(Debug, Clone)]
pub struct Record {
    pub(super) drive: Vec<f64>,
    /// NaN where the weight is 0.
    response: Vec<f64>,
    /// Empty if every weight is 0 or 1.
    weights: Vec<f64>,
    /// Sums over the samples before each block.
    pub(super) running: Vec<Running>,
    /// Sums over the samples before each sample; empty for a long record.
    pub(super) each: Vec<Running>,
    /// Sums over all samples.
    total: Running,
    pub(super) extents: Vec<Extent>,
    pub(super) stretches: Vec<Stretch>,
    /// What rounding may change a drive by, at most.
    pub(super) rounding: f64,
    squares: [f64; 3],
}

impl Record {
    /// From samples (T, z, w) in order of time, all finite, and the index of the first sample of
    /// each stretch (the first is 0, increasing). A sample with weight 0 moves the state but does
    /// not count in the sums: its response is not looked at.
    pub fn new(samples: &[(f64, f64, f64)], starts: &[usize]) -> Self {
        Self::of(samples.len(), |i| samples[i], starts)
    }

    /// The same from a function that says what sample `i` of `count` is, for samples that lie nowhere together.
    pub fn of(count: usize, sample: impl Fn(usize) -> (f64, f64, f64), starts: &[usize]) -> Self {
        let drive: Vec<f64> = (0..count).map(|i| sample(i).0).collect();
        let seen = |i: usize| {
            let (_, z, w) = sample(i);
            if w == 0.0 { f64::NAN } else { z }
        };
        let response: Vec<f64> = (0..count).map(seen).collect();
        let usual = (0..count).all(|i| matches!(sample(i).2, 0.0 | 1.0));
        let weights = if usual { Vec::new() } else { (0..count).map(|i| sample(i).2).collect() };
        let mut extents = Vec::new();
        let mut stretches = Vec::new();
        for (k, &from) in starts.iter().enumerate() {
            let to = starts.get(k + 1).copied().unwrap_or(count);
            stretches.push(Stretch { samples: (from, to), block: extents.len() });
            extents.extend(drive[from..to].chunks(BLOCK).map(|c| Extent {
                low: c.iter().copied().fold(f64::INFINITY, f64::min),
                high: c.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            }));
        }
        let mut record = Self {
            running: Vec::with_capacity(extents.len()),
            each: Vec::with_capacity(if count <= SHORT { count } else { 0 }),
            total: Running::default(),
            rounding: 0.0,
            squares: [0.0; 3],
            drive,
            response,
            weights,
            extents,
            stretches,
        };
        record.add_up();
        record
    }

    /// The running sums, the sums of squares and what rounding may do.
    fn add_up(&mut self) {
        let mut sum = Running::default();
        let mut squares = [0.0; 3];
        for k in 0..self.stretches.len() {
            let (from, to) = self.stretches[k].samples;
            for i in from..to {
                if (i - from) % BLOCK == 0 {
                    self.running.push(sum);
                }
                if self.drive.len() <= SHORT {
                    self.each.push(sum);
                }
                self.add(&mut sum, i);
                let (t, z, w) = self.sample(i);
                squares[0] += w * t * t;
                squares[1] += w * t * z;
                squares[2] += w * z * z;
            }
        }
        self.total = sum;
        self.squares = squares;
        self.rounding = ROUNDING * self.drive.iter().fold(0.0f64, |m, t| m.max(t.abs()));
    }

    /// (T, z, w) of sample `i`; z is 0 where w is.
    #[inline(always)]
    fn sample(&self, i: usize) -> (f64, f64, f64) {
        let z = self.response[i];
        match (z.is_nan(), self.weights.get(i)) {
            (true, _) => (self.drive[i], 0.0, 0.0),
            (false, Some(&w)) => (self.drive[i], z, w),
            (false, None) => (self.drive[i], z, 1.0),
        }
    }

    /// Adds sample `i` to the sums over those before it.
    #[inline(always)]
    pub(super) fn add(&self, sum: &mut Running, i: usize) {
        let (t, z, w) = self.sample(i);
        sum.weight += w;
        sum.drive += w * t;
        sum.response += w * z;
    }

    /// The sums before the first sample of stretch `k`; over all samples after the last.
    pub(super) fn before(&self, k: usize) -> Running {
        let known = self.stretches.get(k).and_then(|s| self.running.get(s.block));
        known.copied().unwrap_or(self.total)
    }

    /// Number of stretches: so many starting states each parameter set needs.
    pub fn stretches(&self) -> usize {
        self.stretches.len()
    }

    /// Σ w.
    pub fn weight(&self) -> f64 {
        self.total.weight
    }

    /// Σ wT, Σ wz.
    pub fn first_moments(&self) -> [f64; 2] {
        [self.total.drive, self.total.response]
    }

    /// Σ wT², Σ wTz, Σ wz².
    pub fn second_moments(&self) -> [f64; 3] {
        self.squares
    }
}
