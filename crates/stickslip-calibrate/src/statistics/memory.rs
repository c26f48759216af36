//! Autocorrelated residuals: how many of them count as one.
//!
//! n residuals that resemble their neighbours carry less than n residuals' worth of evidence. With
//! r_k their autocorrelation at lag k, summed up to the first lag where it drops into the noise
//! (r_k < 2/√n), τ = 1 + 2 Σ r_k of them count as one: squared errors are multiplied, and
//! log-likelihoods divided, by τ. White residuals give τ = 1.

use stickslip::study::correlation;

use crate::parallel;

/// Lags whose sums are taken in one pass, side by side.
const SIDE_BY_SIDE: usize = 8;

/// Lags whose sums are taken so; further ones by Fourier transforms.
const ONE_BY_ONE: usize = 64;
/// Further ones than these of a record in which more than so many could count: by means of so many rows, from one to the next of which the
/// autocorrelation hardly changes any more.
const NEAR: usize = 16 * ONE_BY_ONE;
const FAR: usize = 16 * NEAR;
const TOGETHER: usize = 16;

/// Σ of the products of values so many rows apart, and their number, for the lags from `first` on. Every sum is that of a pass
/// of its own, in the same order.
fn products<P: AsRef<[f64]>>(
    parts: &[P],
    first: usize,
) -> ([f64; SIDE_BY_SIDE], [f64; SIDE_BY_SIDE]) {
    let mut sums = [0.0; SIDE_BY_SIDE];
    let mut counts = [0.0; SIDE_BY_SIDE];
    let mut add = |l: usize, product: f64| {
        // A product with a missing value is NaN: neither the sum nor the number of pairs counts it.
        let there = !product.is_nan();
        sums[l] += if there { product } else { 0.0 };
        counts[l] += f64::from(u8::from(there));
    };
    for part in parts.iter().map(AsRef::as_ref).filter(|p| p.len() > first) {
        let all = part.len().saturating_sub(first + SIDE_BY_SIDE - 1);
        for (a, others) in part[..all].iter().zip(part[first..].windows(SIDE_BY_SIDE)) {
            for (l, b) in others.iter().enumerate() {
                add(l, a * b);
            }
        }
        // At the end of a part a full window no longer fits: lag by lag, as far as it goes.
        for (i, a) in part.iter().enumerate().skip(all) {
            for (l, b) in part.iter().skip(i + first).take(SIDE_BY_SIDE).enumerate() {
                add(l, a * b);
            }
        }
    }
    (sums, counts)
}

/// Autocorrelation time of the residuals, in samples: τ ≥ 1. Each part is a stretch of consecutive
/// samples, NaN where one is missing.
pub fn autocorrelation_time<P: AsRef<[f64]>>(parts: &[P]) -> f64 {
    let present = || parts.iter().flat_map(AsRef::as_ref).filter(|r| !r.is_nan());
    let n = present().count() as f64;
    let square = present().map(|r| r * r).sum::<f64>() / n;
    if square <= 0.0 {
        return 1.0;
    }
    // At lags beyond a tenth of the rows the autocorrelation is mostly its own noise.
    let most = (n / 10.0) as usize;
    let mut tau = 1.0;
    // Adds so many lags with the same autocorrelation; whether they were the last that say something.
    let ends_with = |tau: &mut f64, product: f64, pairs: f64, lags: f64| {
        let r = product / pairs.max(1.0) / square;
        let ends = r.is_nan() || r < 2.0 / n.sqrt();
        *tau += if ends { 0.0 } else { 2.0 * lags * r };
        ends
    };
    let ends = |tau: &mut f64, product: f64, pairs: f64| ends_with(tau, product, pairs, 1.0);
    for first in (1..=most.min(ONE_BY_ONE)).step_by(SIDE_BY_SIDE) {
        let (sums, pairs) = products(parts, first);
        let mut lags = 0..SIDE_BY_SIDE.min(most + 1 - first);
        if lags.any(|l| ends(&mut tau, sums[l], pairs[l])) {
            return tau;
        }
    }
    let parts: Vec<&[f64]> = parts.iter().map(AsRef::as_ref).collect();
    let mut known = ONE_BY_ONE;
    while known < most {
        if known == NEAR && most > FAR {
            let means: Vec<Vec<f64>> = parts.iter().map(|part| means(part)).collect();
            let means: Vec<&[f64]> = means.iter().map(AsRef::as_ref).collect();
            let (sums, pairs) = correlation::sums(&means, most / TOGETHER, square.sqrt());
            // Means k apart stand for the lags from k − 1/2 to k + 1/2 of them: the first for those that are left of it.
            let near = NEAR / TOGETHER;
            let share = |k: usize| TOGETHER as f64 * if k == near { 0.5 } else { 1.0 };
            for k in near..=most / TOGETHER {
                if ends_with(&mut tau, sums[k], pairs[k], share(k)) {
                    break;
                }
            }
            break;
        }
        let lags = most.min(16 * known);
        let (sums, pairs) = correlation::sums(&parts, lags, square.sqrt());
        if (known + 1..=lags).any(|l| ends(&mut tau, sums[l], pairs[l])) {
            break;
        }
        known = lags;
    }
    tau
}

/// Means of neighbours; NaN where most of them are missing.
fn means(part: &[f64]) -> Vec<f64> {
    let mean = |rows: &[f64]| {
        let (sum, count) = rows
            .iter()
            .filter(|v| !v.is_nan())
            .fold((0.0, 0usize), |(sum, count), v| (sum + v, count + 1));
        if 2 * count >= TOGETHER { sum / count as f64 } else { f64::NAN }
    };
    part.chunks(TOGETHER).map(mean).collect()
}

/// Whether residuals do not resemble their neighbours: [`likeness`] is at most four. A path with wrong jumps leaves residuals
/// that keep their sign from one slip to the next, and a small one many times.
pub fn white<P: AsRef<[f64]> + Sync>(parts: &[P]) -> bool {
    likeness(parts, 4.0) <= 4.0
}

/// How much residuals resemble their neighbours: the largest of the sums of their first 4, 16 and 64 autocorrelations, in
/// standard errors √(m/n) of such a sum of white ones. The first sum above `enough` is the answer.
pub fn likeness<P: AsRef<[f64]> + Sync>(parts: &[P], enough: f64) -> f64 {
    let present = || parts.iter().flat_map(AsRef::as_ref).filter(|r| !r.is_nan());
    let n = present().count() as f64;
    let square = present().map(|r| r * r).sum::<f64>() / n;
    let mut sum = 0.0;
    let mut largest = f64::NEG_INFINITY;
    // The first lags alone: most of what is not white shows there.
    for lags in [1..9, 9..17, 17..65] {
        let passes: Vec<usize> = lags.step_by(SIDE_BY_SIDE).collect();
        let found = parallel::map(passes, |first| (first, products(parts, first)));
        for (first, (products, counts)) in found {
            for l in 0..SIDE_BY_SIDE {
                let lag = first + l;
                sum += products[l] / counts[l].max(1.0) / square;
                if matches!(lag, 4 | 16 | 64) {
                    largest = largest.max(sum / (lag as f64 / n).sqrt());
                }
                if largest > enough {
                    return largest;
                }
            }
        }
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::random::Draws;

    #[test]
    fn autocorrelation_time_of_an_autoregression() {
        let mut draws = Draws::new(5, 0);
        let white: Vec<f64> = (0..20_000).map(|_| draws.signed()).collect();
        assert!(autocorrelation_time(std::slice::from_ref(&white)) < 1.1);
        let mut state = 0.0;
        let phi = 0.8;
        let coloured: Vec<f64> = white
            .iter()
            .map(|e| {
                state = phi * state + e;
                state
            })
            .collect();
        // τ = (1 + φ)/(1 − φ) = 9.
        assert!((autocorrelation_time(&[coloured]) - 9.0).abs() < 1.5);
    }

    /// Of n white residuals the sum of m autocorrelations has the variance m/n: three standard errors are rarely exceeded. With a
    /// neighbour's share of φ = 0.1, the first four autocorrelations sum to φ + φ² + … = 0.111, which of n = 2,000 residuals are
    /// 0.111 √(n/4) = 2.5 standard errors, and of 8,000 five.
    #[test]
    fn likeness_in_standard_errors() {
        let mut draws = Draws::new(7, 0);
        let mut rows = |n: usize, phi: f64| -> Vec<f64> {
            let mut state = 0.0;
            (0..n)
                .map(|_| {
                    state = phi * state + draws.normal();
                    state
                })
                .collect()
        };
        let far = (0..300).filter(|_| likeness(&[rows(900, 0.0)], f64::MAX) > 3.0).count();
        // Three sums, each one-sided beyond three standard errors: 0.4 % of 300 at most, if they were independent.
        assert!(far <= 6, "{far} of 300 white records");
        for (n, expected) in [(2_000, 2.48), (8_000, 4.97)] {
            let found = (0..40).map(|_| likeness(&[rows(n, 0.1)], f64::MAX)).sum::<f64>() / 40.0;
            assert!((found - expected).abs() < 0.6, "{found} for {expected} of {n} rows");
        }
        let alike = rows(8_000, 0.1);
        assert!(!white(std::slice::from_ref(&alike)) && likeness(&[alike], 4.0) > 4.0);
    }

    /// Far beyond the lags that are summed one by one: against their sums, with a gap and a second part.
    #[test]
    fn autocorrelation_time_of_a_long_memory() {
        let mut draws = Draws::new(6, 0);
        for phi in [0.97, 0.995, 0.9995] {
            let mut state = 0.0;
            let mut part = |n: usize| -> Vec<f64> {
                (0..n)
                    .map(|i| {
                        state = phi * state + draws.normal();
                        if (700..720).contains(&i) { f64::NAN } else { 1e-4 * state }
                    })
                    .collect()
            };
            let parts = [part(11_000), part(300), part(3000)];
            let there = || parts.iter().flatten().filter(|v| !v.is_nan());
            let n = there().count() as f64;
            let square = there().map(|v| v * v).sum::<f64>() / n;
            let mut tau = 1.0;
            for l in 1..=(n / 10.0) as usize {
                let pairs = || parts.iter().flat_map(|p| p.iter().zip(p.iter().skip(l)));
                let products: Vec<f64> =
                    pairs().map(|(a, b)| a * b).filter(|v| !v.is_nan()).collect();
                let r = products.iter().sum::<f64>() / products.len() as f64 / square;
                if r < 2.0 / n.sqrt() {
                    break;
                }
                tau += 2.0 * r;
            }
            assert!(tau > 30.0, "a memory of {tau}");
            let found = autocorrelation_time(&parts);
            assert!((found - tau).abs() < 1e-9 * tau, "{found} for {tau}");
        }
    }

    /// Of a very long record the far lags are those of means, and τ is that of all lags.
    #[test]
    fn the_memory_of_a_very_long_record() {
        let mut draws = Draws::new(8, 0);
        let n = 200_000;
        for (phi, noise) in [(0.9995, 0.0), (0.9998, 0.5), (0.0, 1.0)] {
            let mut state = 0.0;
            let mut row = |i: usize| {
                state = phi * state + f64::sqrt(1.0 - phi * phi) * draws.normal();
                if i % 5000 < 40 { f64::NAN } else { state + noise * draws.normal() }
            };
            let part: Vec<f64> = (0..n).map(&mut row).collect();
            let most = part.iter().filter(|v| !v.is_nan()).count() / 10;
            let (sums, pairs) = correlation::sums(&[&part], most, 1.0);
            let r = |l: usize| sums[l] / pairs[l] / (sums[0] / pairs[0]);
            let lags = (1..=most).map(r).take_while(|r| *r >= 2.0 / pairs[0].sqrt());
            let tau = 1.0 + 2.0 * lags.sum::<f64>();
            assert!(phi == 0.0 || tau > 2000.0, "a memory of {tau}");
            let found = autocorrelation_time(&[part]);
            assert!((found - tau).abs() < 5e-3 * tau, "{found} for {tau} of {phi} and {noise}");
        }
    }
}
