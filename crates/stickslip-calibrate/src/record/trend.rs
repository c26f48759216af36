//! What the sensor does by itself: slow drift, creep and steps.
//!
//! A sensor that drifts or settles, or that is knocked or reset, adds to the response
//!
//! ```text
//! g (t − t̄) + c (1 − e^{−(t − t₀)/θ}) + Σ_k h_k H(t − t_k)
//! ```
//!
//! g: drift, m/s; c: what it creeps in the end, m, with the time constant θ, s, from the first row, t₀, on; h_k: size of the step at
//! t_k, m; H: 0, then 1. It is linear in g, c and h_k: they join z₀, β and κ in the least squares. So that the search needs
//! nothing new, the columns are made orthonormal once per record and projected out of everything.

use stickslip::portable;

/// Whether the reading creeps: settles exponentially from the beginning of the record on, as a mounting, a glue or young concrete does.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Creep {
    /// It does not.
    #[default]
    None,
    /// It may, with the time constant that leaves least.
    Fitted,
    /// It may, with this time constant, s.
    Within(f64),
}

/// Columns that the response may contain besides the model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trend {
    /// Whether the reading may drift, linearly in time.
    pub drift: bool,
    /// Whether it may creep.
    pub creep: Creep,
    /// Times of steps of the reading, s.
    pub steps: Vec<f64>,
}

/// The columns of one record, made orthonormal: q_j = Σ_k `rows[j][k]` raw_k, where raw₀ = 1.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Basis {
    rows: Vec<Vec<f64>>,
    extent: Extent,
}

/// Over what times a record reaches, s.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Extent {
    middle: f64,
    /// Half of its length.
    half: f64,
}

/// What the columns of a trend came out as; a step outside of the record has the size 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sizes {
    /// Drift, m/s.
    pub drift: Option<f64>,
    /// What the reading creeps in the end, m.
    pub creep: Option<f64>,
    /// Steps, m.
    pub steps: Vec<f64>,
}

/// A column has nothing to add if no more than this share of its square is left beyond the columns before it.
const NOTHING_NEW: f64 = 1e-6;

impl Trend {
    /// Number of columns.
    pub fn count(&self) -> usize {
        usize::from(self.drift) + usize::from(self.settles().is_some()) + self.steps.len()
    }

    /// The time constant of the creep, s, where it is known.
    fn settles(&self) -> Option<f64> {
        if let Creep::Within(time) = self.creep { Some(time) } else { None }
    }

    /// The raw columns at time `t`, 1 first.
    fn raw(&self, Extent { middle, half }: Extent, t: f64) -> Vec<f64> {
        // From −1 to 1 over the record, so that its size compares with that of a step.
        let drift = self.drift.then_some((t - middle) / half);
        let since = t - (middle - half);
        let creep = self.settles().map(|time| -portable::exp_m1(-since / time));
        let steps = self.steps.iter().map(|&s| f64::from(t >= s));
        std::iter::once(1.0).chain(drift).chain(creep).chain(steps).collect()
    }

    /// Orthonormal columns over samples at `times` with `weights`: modified Gram–Schmidt. A step
    /// outside the record adds nothing and is left out.
    pub fn basis(&self, times: &[f64], weights: &[f64]) -> (Basis, Vec<Vec<f64>>) {
        let (Some(&first), Some(&last)) = (times.first(), times.last()) else {
            return Default::default();
        };
        let count = self.count();
        if count == 0 {
            return Default::default();
        }
        let half = (0.5 * (last - first)).max(f64::MIN_POSITIVE);
        let extent = Extent { middle: 0.5 * (first + last), half };
        let raw: Vec<Vec<f64>> = times.iter().map(|&t| self.raw(extent, t)).collect();
        let dot = |a: &[f64], b: &[f64]| -> f64 {
            weights.iter().zip(a.iter().zip(b)).map(|(w, (a, b))| w * a * b).sum()
        };
        let mut rows: Vec<Vec<f64>> = Vec::new();
        let mut columns: Vec<Vec<f64>> = Vec::new();
        for k in 0..=count {
            let mut column: Vec<f64> = raw.iter().map(|r| r[k]).collect();
            let mut row = vec![0.0; count + 1];
            row[k] = 1.0;
            let before = dot(&column, &column);
            for (q, other) in columns.iter().zip(&rows) {
                let along = dot(&column, q);
                // The row goes through the same steps, so that q at any other instant follows from the raw
                // columns.
                column.iter_mut().zip(q).for_each(|(c, q)| *c -= along * q);
                row.iter_mut().zip(other).for_each(|(r, o)| *r -= along * o);
            }
            let square = dot(&column, &column);
            // A step that repeats another, or lies outside the record, leaves nothing here and gets no column.
            if square > NOTHING_NEW * before {
                let norm = square.sqrt().recip();
                column.iter_mut().for_each(|c| *c *= norm);
                row.iter_mut().for_each(|r| *r *= norm);
                columns.push(column);
                rows.push(row);
            }
        }
        // The constant has its own place in the least squares.
        if !columns.is_empty() {
            columns.remove(0);
            rows.remove(0);
        }
        (Basis { rows, extent }, columns)
    }
}

impl Basis {
    /// Number of columns.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// q_j at time `t`.
    pub fn at(&self, trend: &Trend, t: f64) -> Vec<f64> {
        let raw = trend.raw(self.extent, t);
        let of = |row: &Vec<f64>| row.iter().zip(&raw).map(|(r, x)| r * x).sum();
        self.rows.iter().map(of).collect()
    }

    /// The sizes, from the coefficients of the columns.
    pub fn sizes(&self, trend: &Trend, coefficients: &[f64]) -> Sizes {
        let raw =
            |k: usize| coefficients.iter().zip(&self.rows).map(|(c, row)| c * row[k]).sum::<f64>();
        let after_drift = 1 + usize::from(trend.drift);
        let creep = trend.settles().map(|_| raw(after_drift));
        let first = after_drift + usize::from(creep.is_some());
        Sizes {
            drift: trend.drift.then(|| raw(1) / self.extent.half),
            creep,
            steps: (first..first + trend.steps.len()).map(raw).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_orthonormal_and_sizes_come_back() {
        let times: Vec<f64> = (0..500).map(|i| 60.0 * f64::from(i) + 3.0).collect();
        let weights: Vec<f64> = (0..500).map(|i| f64::from(i % 7 != 0)).collect();
        let creep = Creep::Within(4000.0);
        let trend = Trend { drift: true, creep, steps: vec![5000.0, 20_000.0, 1e9] };
        let (basis, q) = trend.basis(&times, &weights);
        assert_eq!(basis.len(), 4); // the third step lies outside
        for (i, a) in q.iter().enumerate() {
            let sum: f64 = a.iter().zip(&weights).map(|(a, w)| a * w).sum();
            assert!(sum.abs() < 1e-12);
            for (j, b) in q.iter().enumerate() {
                let dot: f64 = a.iter().zip(b).zip(&weights).map(|((a, b), w)| a * b * w).sum();
                assert!((dot - f64::from(i == j)).abs() < 1e-12);
            }
        }
        let signal = |t: f64| {
            let settled = 1.0 - (-(t - 3.0) / 4000.0).exp();
            3e-7 * t + 0.3 * settled + 0.5 * f64::from(t >= 5000.0) - 0.2 * f64::from(t >= 2e4)
        };
        let c: Vec<f64> = q
            .iter()
            .map(|q| (0..500).map(|i| weights[i] * q[i] * signal(times[i])).sum())
            .collect();
        let Sizes { drift, creep, steps } = basis.sizes(&trend, &c);
        assert!((drift.unwrap() - 3e-7).abs() < 1e-15);
        assert!((creep.unwrap() - 0.3).abs() < 1e-11);
        assert!((steps[0] - 0.5).abs() < 1e-12 && (steps[1] + 0.2).abs() < 1e-12);
        // Drift and creep are much alike, and what they differ by is known to fewer digits.
        assert!((basis.at(&trend, times[77])[1] - q[1][77]).abs() < 1e-12);
    }
}
