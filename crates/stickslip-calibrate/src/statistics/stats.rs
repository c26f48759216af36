//! Means, deviations, quantiles and straight lines, for everything in this crate.

pub use stickslip::numeric::{TO_SIGMA, quantile};

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

/// Half of a 95 % interval in standard errors with so many degrees of freedom, one at least: Student's t at 97.5 %. Its table up to
/// 11, beyond its expansion around the normal one (Abramowitz and Stegun 26.7.5), which is off by less than 1e-4 there.
pub fn student(freedom: usize) -> f64 {
    const FEW: [f64; 11] =
        [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201];
    const Z: f64 = 1.959_964;
    if let Some(t) = FEW.get(freedom.saturating_sub(1)) {
        return *t;
    }
    let first = (Z.powi(3) + Z) / 4.0;
    let second = (5.0 * Z.powi(5) + 16.0 * Z.powi(3) + 3.0 * Z) / 96.0;
    let third = (3.0 * Z.powi(7) + 19.0 * Z.powi(5) + 17.0 * Z.powi(3) - 15.0 * Z) / 384.0;
    let each = 1.0 / freedom as f64;
    Z + each * (first + each * (second + each * third))
}

/// The same where the degrees of freedom, one at least, are no whole number: a line in their inverse between both neighbours.
pub fn student_between(freedom: f64) -> f64 {
    let low = freedom.floor().max(1.0);
    let [few, more] = [low as usize, low as usize + 1].map(student);
    let share = (1.0 / low - 1.0 / freedom.max(1.0)) * low * (low + 1.0);
    few + share * (more - few)
}

/// The `p`-quantile as [`quantile`] of the sorted values has it, without sorting them all; reorders them.
pub fn unsorted_quantile(values: &mut [f64], p: f64) -> f64 {
    if values.is_empty() {
        return f64::NAN;
    }
    let at = p * (values.len() - 1) as f64;
    let low = at.floor() as usize;
    let share = at.fract();
    let (_, &mut a, above) = values.select_nth_unstable_by(low, f64::total_cmp);
    // `select` leaves the larger ones after the place: the next one is their least.
    above.iter().copied().min_by(f64::total_cmp).map_or(a, |b| a + share * (b - a))
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

/// The median of values that are 0 or greater, which are gone through twice; only those near it are kept. NaN of none.
pub fn median_of_many(values: impl Iterator<Item = f64> + Clone) -> f64 {
    // Numbers that are not negative are in the order of their bits.
    // Sign, exponent and one bit of the mantissa: two bins to each power of two.
    let bin = |x: f64| (x.to_bits() >> 51) as usize;
    let mut counts = vec![0usize; 1 << 13];
    let mut all = 0usize;
    for x in values.clone() {
        counts[bin(x)] += 1;
        all += 1;
    }
    let at = (all / 2).min(all.saturating_sub(1));
    let mut below = 0;
    let mut found = 0;
    while all > 0 && below + counts[found] <= at {
        below += counts[found];
        found += 1;
    }
    let mut near: Vec<f64> = values.filter(|x| bin(*x) == found).collect();
    if near.is_empty() {
        return f64::NAN;
    }
    *near.select_nth_unstable_by(at - below, f64::total_cmp).1
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
        // About the centre of the points, where slope and level are independent and large abscissas cost no
        // digits.
        let x0 = sx / n;
        let y0 = sy / n;
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

/// The standard deviation of what rounding to the smallest step between neighbouring readings adds; 0 where nothing moves.
pub fn rounding(values: &[f64]) -> f64 {
    let steps = values.windows(2).map(|w| (w[1] - w[0]).abs()).filter(|d| *d > 0.0);
    // A value that is rounded to steps of d has an error of d/√12; the smallest change shows d.
    let least = steps.fold(f64::INFINITY, f64::min);
    if least.is_finite() { least / 12f64.sqrt() } else { 0.0 }
}

/// The noise of readings, from their third differences: a smooth motion that is sampled well leaves none. No less than that
/// of their rounding.
pub fn roughness(values: &[f64]) -> f64 {
    scatter(values).max(rounding(values))
}

/// The noise of readings from their third differences alone. In a motion that never rests the smallest step is no rounding.
pub fn scatter(values: &[f64]) -> f64 {
    let third = values.windows(4).map(|w| w[3] - 3.0 * w[2] + 3.0 * w[1] - w[0]);
    let seen: Vec<f64> = third.filter(|d| d.is_finite()).collect();
    // Third differences take independent readings with 1, −3, 3, −1: 1 + 9 + 9 + 1 times their variance.
    robust(seen.into_iter()) / 20f64.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables of Student's distribution (Abramowitz and Stegun, table 26.10).
    #[test]
    fn half_of_an_interval_is_that_of_the_tables() {
        for (freedom, t) in [
            (0, 12.706),
            (1, 12.706),
            (4, 2.776),
            (11, 2.201),
            (12, 2.179),
            (15, 2.131),
            (30, 2.042),
            (120, 1.980),
        ] {
            assert!((student(freedom) - t).abs() < 6e-4, "{freedom}: {}", student(freedom));
        }
    }

    #[test]
    fn by_hand() {
        let values = [1.0, 2.0, 4.0, 9.0];
        assert_eq!((mean(&values), square(&values)), (4.0, 102.0));
        // (9 + 4 + 0 + 25)/3
        assert!((sd(&values) - (38.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(quantile(&values, 0.5), 3.0);
        let noisy = (0..1000).map(|i| (f64::from(i * i % 997) - 300.0).abs() * 0.01);
        assert_eq!(median_of_many(noisy.clone()), median(&mut noisy.collect::<Vec<_>>()));
        assert_eq!(
            (median_of_many(values.into_iter()), median_of_many([7.0].into_iter())),
            (4.0, 7.0)
        );
        assert!(median_of_many(std::iter::empty()).is_nan());
        assert_eq!((median(&mut values.clone()), nth(&mut values.clone(), 0.9)), (4.0, 9.0));
        for p in [0.0, 0.025, 0.5, 0.9, 1.0] {
            assert_eq!(unsorted_quantile(&mut [4.0, 1.0, 9.0, 2.0], p), quantile(&values, p));
        }
        assert!(quantile(&[], 0.5).is_nan() && median(&mut []).is_nan());
        let line = Line::through(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]);
        assert_eq!((line.slope, line.at(10.0)), (2.0, 21.0));
    }
}
