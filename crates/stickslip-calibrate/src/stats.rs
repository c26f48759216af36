//! Means, deviations, quantiles and straight lines, for everything in this crate.

/// Makes the median of absolute values a standard deviation, for a normal law (Hampel 1974).
pub const TO_SIGMA: f64 = 1.482_602_218_505_602;

/// The mean; NaN of none.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Standard deviation with n − 1; NaN of fewer than two.
pub fn sd(values: &[f64]) -> f64 {
    let m = mean(values);
    let square: f64 = values.iter().map(|x| (x - m) * (x - m)).sum();
    (square / (values.len() as f64 - 1.0)).sqrt()
}

/// Σ v².
pub fn square(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum()
}

/// The `p`-quantile of sorted values, linear between them; NaN if there are none.
pub fn quantile(sorted: &[f64], p: f64) -> f64 {
    let at = p * sorted.len().saturating_sub(1) as f64;
    let (low, share) = (at.floor() as usize, at.fract());
    match (sorted.get(low), sorted.get(low + 1)) {
        (Some(a), Some(b)) => a + share * (b - a),
        (Some(a), None) => *a,
        _ => f64::NAN,
    }
}

/// The value below which the share `p` of all lie, without sorting them all; reorders them. NaN of none.
pub fn nth(values: &mut [f64], p: f64) -> f64 {
    if values.is_empty() {
        return f64::NAN;
    }
    let at = ((values.len() as f64 * p) as usize).min(values.len() - 1);
    *values.select_nth_unstable_by(at, f64::total_cmp).1
}

/// The middle value, the upper one of two; reorders them. NaN of none.
pub fn median(values: &mut [f64]) -> f64 {
    nth(values, 0.5)
}

/// Robust standard deviation: 1.4826 times the median of the absolute values. NaN of none.
pub fn robust(values: impl Iterator<Item = f64>) -> f64 {
    TO_SIGMA * median(&mut values.map(f64::abs).collect::<Vec<_>>())
}

/// A straight line y = y₀ + slope (x − x₀) by least squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    x0: f64,
    y0: f64,
    /// Its slope.
    pub slope: f64,
}

impl Line {
    /// Through points (x, y), at least two of them with different x.
    pub fn through(points: &[(f64, f64)]) -> Self {
        let n = points.len() as f64;
        let (sx, sy) = points.iter().fold((0.0, 0.0), |s, p| (s.0 + p.0, s.1 + p.1));
        let (x0, y0) = (sx / n, sy / n);
        let (xx, xy) = points
            .iter()
            .fold((0.0, 0.0), |s, p| (s.0 + (p.0 - x0).powi(2), s.1 + (p.0 - x0) * (p.1 - y0)));
        Self { x0, y0, slope: xy / xx }
    }

    /// Its value at x.
    pub fn at(&self, x: f64) -> f64 {
        self.y0 + self.slope * (x - self.x0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let values = [1.0, 2.0, 4.0, 9.0];
        assert_eq!((mean(&values), square(&values)), (4.0, 102.0));
        // (9 + 4 + 0 + 25)/3
        assert!((sd(&values) - (38.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(quantile(&values, 0.5), 3.0);
        assert_eq!((median(&mut values.clone()), nth(&mut values.clone(), 0.9)), (4.0, 9.0));
        assert!(quantile(&[], 0.5).is_nan() && median(&mut []).is_nan());
        let line = Line::through(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]);
        assert_eq!((line.slope, line.at(10.0)), (2.0, 21.0));
    }
}
