//! Errors of the numbers of a least-squares fit, from the curvature of the squares and residuals that remember their neighbours.

use crate::models::least_squares::Least;
use crate::statistics::estimate::Estimate;
use crate::statistics::regress::invert;
use stickslip::numeric::dot;
use stickslip::portable;

/// The covariance of the coordinates of a fit.
pub struct Curvature<'a> {
    least: &'a Least,
    free: Vec<usize>,
    scale: Vec<f64>,
    inverse: Option<Vec<Vec<f64>>>,
    variance: f64,
}

impl<'a> Curvature<'a> {
    /// Of the coordinates that are `free`, with residuals that are alike over `together` rows.
    pub fn new(least: &'a Least, free: Vec<usize>, together: f64) -> Self {
        let scale: Vec<f64> =
            free.iter().map(|&k| dot(&least.columns[k], &least.columns[k]).sqrt()).collect();
        // Columns of unit length: numbers of any units are inverted equally well.
        let cosine = |i: usize, j: usize| {
            dot(&least.columns[free[i]], &least.columns[free[j]]) / (scale[i] * scale[j])
        };
        let all = 0..free.len();
        let product = all.clone().map(|i| all.clone().map(|j| cosine(i, j)).collect()).collect();
        let inverse = if scale.iter().all(|s| *s > 0.0) { invert(product) } else { None };
        let rows = least.residuals.len() as f64;
        // Rows that remember their neighbours are worth rows/together that do not.
        let variance = least.rss / (rows - free.len() as f64) * together;
        Self { least, free, scale, inverse, variance }
    }

    /// The covariance of two coordinates, infinite where the record does not fix them.
    pub fn covariance(&self, a: usize, b: usize) -> f64 {
        let place = |k| self.free.iter().position(|f| *f == k);
        let (Some(i), Some(j), Some(inverse)) = (place(a), place(b), &self.inverse) else {
            return f64::INFINITY;
        };
        self.variance * inverse[i][j] / (self.scale[i] * self.scale[j])
    }

    /// A number whose logarithm is coordinate `k`.
    pub fn by_log(&self, k: usize, unit: &'static str) -> Estimate {
        let error = self.covariance(k, k).sqrt();
        let value = portable::exp(self.least.p[k]);
        let ends = [-1.96, 1.96].map(|z| value * portable::exp(z * error));
        if !ends[1].is_finite() {
            return Estimate::unknown(unit, "the record does not show it");
        }
        Estimate::within(value, value * error, ends, unit).unless_vague()
    }

    /// A number that is coordinate `k` itself.
    pub fn plain(&self, k: usize, unit: &'static str) -> Estimate {
        let error = self.covariance(k, k).sqrt();
        if !error.is_finite() {
            return Estimate::unknown(unit, "the record does not show it");
        }
        Estimate::known(self.least.p[k], error, unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_changes_nothing_is_unknown() {
        let columns = vec![vec![1.0, 1.0, 1.0, 1.0], vec![0.0; 4]];
        let residuals = vec![0.1, -0.1, 0.1, -0.1];
        let least = Least { p: vec![2.0, 5.0], residuals, columns, rss: 0.04 };
        // With the mean alone: σ² = 0.04/3, a quarter of it for the mean of four.
        let alone = Curvature::new(&least, vec![0], 1.0).plain(0, "N");
        assert!((alone.stderr.unwrap() - (0.04f64 / 12.0).sqrt()).abs() < 1e-15);
        let both = Curvature::new(&least, vec![0, 1], 1.0);
        assert!(both.plain(1, "N").value.is_none() && both.by_log(1, "N").value.is_none());
    }
}
