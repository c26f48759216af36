//! A drive and a response, prepared for trying many parameter sets.

/// Samples whose extremes are looked at together.
pub(super) const BLOCK: usize = 16;

/// More than a sum and a difference can be wrong by, as a share of their terms.
pub(super) const ROUNDING: f64 = 16.0 * f64::EPSILON;

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
#[derive(Debug, Clone)]
pub struct Record {
    pub(super) drive: Vec<f64>,
    /// `running[i]`: sums over the samples before `i`; one more than samples.
    pub(super) running: Vec<Running>,
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
        let drive: Vec<f64> = samples.iter().map(|s| s.0).collect();
        let mut running = Vec::with_capacity(samples.len() + 1);
        let (mut sum, mut squares) = (Running::default(), [0.0; 3]);
        running.push(sum);
        for &(t, z, w) in samples {
            let z = if w == 0.0 { 0.0 } else { z };
            sum.weight += w;
            sum.drive += w * t;
            sum.response += w * z;
            squares[0] += w * t * t;
            squares[1] += w * t * z;
            squares[2] += w * z * z;
            running.push(sum);
        }
        let (mut extents, mut stretches) = (Vec::new(), Vec::new());
        for (k, &from) in starts.iter().enumerate() {
            let to = starts.get(k + 1).copied().unwrap_or(samples.len());
            stretches.push(Stretch { samples: (from, to), block: extents.len() });
            extents.extend(drive[from..to].chunks(BLOCK).map(|c| Extent {
                low: c.iter().copied().fold(f64::INFINITY, f64::min),
                high: c.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            }));
        }
        let largest = drive.iter().fold(0.0f64, |m, t| m.max(t.abs()));
        let rounding = ROUNDING * largest;
        Self { drive, running, extents, stretches, rounding, squares }
    }

    /// Number of stretches: so many starting states each parameter set needs.
    pub fn stretches(&self) -> usize {
        self.stretches.len()
    }

    /// T at the first sample of each stretch.
    pub fn first_drives(&self) -> impl Iterator<Item = f64> + '_ {
        self.stretches.iter().map(|s| self.drive[s.samples.0])
    }

    /// The first sample of each stretch.
    pub fn first_samples(&self) -> impl Iterator<Item = usize> + '_ {
        self.stretches.iter().map(|s| s.samples.0)
    }

    /// Σ w.
    pub fn weight(&self) -> f64 {
        self.running[self.drive.len()].weight
    }

    /// Σ wT, Σ wz.
    pub fn first_moments(&self) -> [f64; 2] {
        let end = self.running[self.drive.len()];
        [end.drive, end.response]
    }

    /// Σ wT², Σ wTz, Σ wz².
    pub fn second_moments(&self) -> [f64; 3] {
        self.squares
    }
}
