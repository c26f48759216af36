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
    let (mut x, mut y) = (vec![Complex64::default(); length], vec![Complex64::default(); length]);
    let (mut total, mut room) = (vec![Complex64::default(); length], Vec::new());
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
                    let (a, b) = (z[k], z[opposite].conj());
                    let m = 0.5 * (a - b);
                    (0.5 * (a + b), Complex64::new(m.im, -m.re))
                };
                let ((u, m), (v, n)) = (both(&x), both(&y));
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

#[cfg(test)]
mod tests {
    use super::*;

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
