//! Sums of products of values so many rows apart, for series that remember for long.
//!
//! One by one, L lags of n values are n L products; by Fourier transforms they are n log L. With u a part of the record
//! where 0 stands for what is missing, m one where there is a value and 0 where there is none, and z = u + i m,
//!
//! ```text
//! Σₙ uₙ uₙ₊ₗ   and   Σₙ mₙ mₙ₊ₗ
//! ```
//!
//! are the transforms back of conj(x̂) ŷ, where x is a block and y the same block with the L rows behind it: nothing is
//! longer than eight times L, whatever the record is.

use super::fourier::Fourier;
use crate::numeric::dot;
use num_complex::Complex64;

/// Σ of the products of values of one part that are `l` rows apart, and the number of those that are there, for l = 0 …
/// `lags`. NaN is a missing value. `size` is that of most values: with it the sums are known to some 1e-12 size² n.
///
/// ```
/// let nan = f64::NAN;
/// let (products, pairs) = stickslip::study::correlation::sums(&[&[1.0, 2.0, nan, 4.0]], 3, 1.0);
/// assert_eq!(pairs, [3.0, 1.0, 1.0, 1.0]);
/// assert!((products[0] - 21.0).abs() < 1e-12 && (products[2] - 8.0).abs() < 1e-12);
/// ```
pub fn sums(parts: &[&[f64]], lags: usize, size: f64) -> (Vec<f64>, Vec<f64>) {
    let length = (8 * lags).next_power_of_two();
    let block = length - lags;
    let fourier = Fourier::new(length);
    let mut x = vec![Complex64::default(); length];
    let mut y = vec![Complex64::default(); length];
    let mut total = vec![Complex64::default(); length];
    let mut room = Vec::new();
    let fill = |to: &mut [Complex64], values: &[f64]| {
        to.fill(Complex64::default());
        for (z, v) in to.iter_mut().zip(values).filter(|p| !p.1.is_nan()) {
            *z = Complex64::new(v / size, 1.0);
        }
    };
    for part in parts {
        for from in (0..part.len()).step_by(block) {
            let to = |rows: usize| part.len().min(from + rows);
            fill(&mut x, &part[from..to(block)]);
            fill(&mut y, &part[from..to(length)]);
            fourier.transform(&mut x, &mut room);
            fourier.transform(&mut y, &mut room);
            for (k, sum) in total.iter_mut().enumerate() {
                let opposite = (length - k) % length;
                // The transforms of u and of m, which are real, from that of u + i m.
                let both = |z: &[Complex64]| {
                    let a = z[k];
                    let b = z[opposite].conj();
                    let m = 0.5 * (a - b);
                    (0.5 * (a + b), Complex64::new(m.im, -m.re))
                };
                let (u, m) = both(&x);
                let (v, n) = both(&y);
                *sum += u.conj() * v + Complex64::i() * (m.conj() * n);
            }
        }
    }
    // Back: the transform of a transform is the sequence, turned round.
    fourier.transform(&mut total, &mut room);
    let at = |l: usize| total[(length - l) % length] / length as f64;
    let products = (0..=lags).map(|l| at(l).re * size * size).collect();
    (products, (0..=lags).map(|l| at(l).im.round()).collect())
}

/// Correlations of two series at every lag below their length n: of the order of n log n products rather than n². A pair that
/// reaches beyond the end of a series counts as 0.
pub struct Correlations {
    /// Σ uᵢ uᵢ₊ₗ / Σ u².
    pub own: Vec<f64>,
    /// Σ uᵢ yᵢ₊ₗ / √(Σ u² Σ y²).
    later: Vec<f64>,
    /// Σ uᵢ₊ₗ yᵢ / √(Σ u² Σ y²).
    earlier: Vec<f64>,
}

impl Correlations {
    /// Of as many finite values each, neither of which are all zero. With û and ŷ the transforms of the series, each filled up
    /// with as many zeros, |û|² and conj(û) ŷ are those of the two correlations. Series and correlations are real, so that
    /// u + i y needs one transform there, and one back.
    ///
    /// ```
    /// use stickslip::study::correlation::Correlations;
    /// let found = Correlations::of(&[3.0, 4.0], &[0.0, 2.0]);
    /// assert!((found.own[1] - 12.0 / 25.0).abs() < 1e-15);
    /// // The second is later: 3 · 2, over 5 · 2.
    /// assert!((found.cross(1) - 0.6).abs() < 1e-15 && found.cross(-1).abs() < 1e-15);
    /// ```
    pub fn of(u: &[f64], y: &[f64]) -> Self {
        let n = u.len();
        let length = (2 * n).next_power_of_two();
        let fourier = Fourier::new(length);
        let sizes = [u, y].map(|s| dot(s, s).sqrt());
        let mut both = vec![Complex64::default(); length];
        for ((z, u), y) in both.iter_mut().zip(u).zip(y) {
            *z = Complex64::new(u / sizes[0], y / sizes[1]);
        }
        let mut room = Vec::new();
        fourier.transform(&mut both, &mut room);
        let product = |k: usize| {
            let [z, opposite] = [both[k], both[(length - k) % length].conj()];
            let u = 0.5 * (z + opposite);
            // i ŷ is half of their difference: |û|² + i conj(û) ŷ.
            u.conj() * (u + 0.5 * (z - opposite))
        };
        let mut back: Vec<Complex64> = (0..length).map(product).collect();
        // Back: the transform of a transform is the sequence, turned round.
        fourier.transform(&mut back, &mut room);
        let at = |lag: usize| back[(length - lag) % length] / length as f64;
        Self {
            own: (0..n).map(|l| at(l).re).collect(),
            later: (0..n).map(|l| at(l).im).collect(),
            earlier: (0..n).map(|l| at((length - l) % length).im).collect(),
        }
    }

    /// Of u now with y so many rows later, or earlier where that is negative.
    ///
    /// # Panics
    /// If the series are no longer than the lag.
    pub fn cross(&self, lag: isize) -> f64 {
        let lags = if lag < 0 { &self.earlier } else { &self.later };
        lags[lag.unsigned_abs()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the sums themselves, of series of very different sizes.
    #[test]
    fn correlations_are_their_sums() {
        let mut seed = 1u64;
        let mut number = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        for n in [1, 2, 3, 7, 64, 65, 300] {
            let mut series = |size: f64| (0..n).map(|_| size * number()).collect::<Vec<_>>();
            let [u, y] = [series(1e6), series(1e-3)];
            let found = Correlations::of(&u, &y);
            let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let size = (sum(&u, &u) * sum(&y, &y)).sqrt();
            for l in 0..n {
                let lag = l as isize;
                for (found, truth) in [
                    (found.own[l], sum(&u, &u[l..]) / sum(&u, &u)),
                    (found.cross(lag), sum(&u, &y[l..]) / size),
                    (found.cross(-lag), sum(&u[l..], &y) / size),
                ] {
                    assert!((found - truth).abs() < 1e-13, "{l} of {n}: {found} {truth}");
                }
            }
        }
    }

    /// Against the sums themselves, with parts of every length, shorter than the lags and much longer.
    #[test]
    fn sums_by_transforms_are_the_sums() {
        let mut seed = 1u64;
        let mut number = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        for lengths in [vec![5], vec![40, 900, 3], vec![2000, 64, 65], vec![0, 512]] {
            let mut one = |n: usize| -> Vec<f64> {
                (0..n).map(|i| if i % 7 == 3 { f64::NAN } else { 1e-5 * number() }).collect()
            };
            let parts: Vec<Vec<f64>> = lengths.iter().map(|n| one(*n)).collect();
            let parts: Vec<&[f64]> = parts.iter().map(Vec::as_slice).collect();
            let lags = 64;
            let (products, counts) = sums(&parts, lags, 1e-5);
            for l in 0..=lags {
                let pairs = || {
                    let pairs = parts.iter().flat_map(|p| p.iter().zip(p.iter().skip(l)));
                    pairs.map(|(a, b)| a * b).filter(|p| !p.is_nan())
                };
                assert_eq!(counts[l], pairs().count() as f64, "lag {l}");
                let sum: f64 = pairs().sum();
                assert!((products[l] - sum).abs() < 1e-10 * 1e-11, "{l}: {} {sum}", products[l]);
            }
        }
    }
}
