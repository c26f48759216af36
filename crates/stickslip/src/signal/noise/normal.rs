//! Standard normal numbers, two from 128 random bits (Box & Muller 1958).
//!
//! ```text
//! Z₁ = √(−2 ln U) cos 2πV,   Z₂ = √(−2 ln U) sin 2πV
//! ```
//!
//! U = 1 − i/2⁵² has 52 bits, so |Z| ≤ √(104 ln 2) = 8.49, a bound that a true normal number exceeds
//! with probability 2·10⁻¹⁷; V has 54 bits. Elementary functions are those of
//! [`portable`](crate::portable): the same bits everywhere.

use super::philox::philox4x32;
use crate::portable::{sin_cos_quarters, split};

/// Mantissa bits of a number in [1, 2).
#[inline(always)]
fn one_to_two(bits: u64) -> f64 {
    f64::from_bits((bits >> 12) | 0x3FF0_0000_0000_0000)
}

/// Two independent standard normal numbers from two random 64-bit words.
#[inline(always)]
pub fn normal_pair(a: u64, b: u64) -> (f64, f64) {
    let radius = minus_two_ln(2.0 - one_to_two(a)).sqrt(); // of (0, 1]
    let (sin, cos) = sin_cos_quarters(b >> 62, one_to_two(b << 2) - 1.5);
    (radius * cos, radius * sin)
}

/// −2 ln u for u in (0, 1], normal; 4 ulp. With u = 2^k m, m in [√½, √2), and s = (m − 1)/(m + 1) it is
/// −2k ln 2 − 4 artanh s; fdlibm's polynomial, without the care for the last bit that [`ln`] takes: it
/// is a tenth of all that a normal number costs.
///
/// [`ln`]: crate::portable::ln
#[inline(always)]
fn minus_two_ln(u: f64) -> f64 {
    let (k, m) = split(u);
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let w = z * z;
    // Twice the negative of fdlibm's Lg1 … Lg7.
    let even = -7.999_999_999_881_883_816e-1
        + w * (-4.444_439_686_429_956_792e-1 + w * -3.062_767_539_841_874_664e-1);
    let odd = -1.333_333_333_333_347_026e0
        + w * (-5.714_285_748_732_478_298e-1
            + w * (-3.636_714_432_323_610_024e-1 + w * -2.959_639_721_023_317_182e-1));
    k * (-2.0 * std::f64::consts::LN_2) + (-4.0 + z * (odd + z * even)) * s
}

/// What names a path's noise: the seed, the path's number (< 2⁴⁰) and the channel, that is which of
/// the model's noises it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Address {
    /// Seed of the whole ensemble.
    pub seed: u64,
    /// Number of the path in it.
    pub path: u64,
    /// Number of the noise in the model.
    pub channel: u8,
}

impl Address {
    /// The counter of the pair `pair` at `level`, whose path-free part the lanes share.
    #[inline(always)]
    pub(crate) fn counter(path: u64, channel: u8, level: u8, pair: u64) -> [u64; 4] {
        let channel = u64::from(channel);
        let level = u64::from(level);
        [
            pair & 0xFFFF_FFFF,
            pair >> 32,
            path & 0xFFFF_FFFF,
            (path >> 32) << 16 | channel << 8 | level,
        ]
    }

    /// Seed as Philox's key.
    #[inline(always)]
    pub(crate) fn key(seed: u64) -> [u32; 2] {
        [seed as u32, (seed >> 32) as u32]
    }

    /// The pair of normal numbers `pair` of `level`.
    #[inline(always)]
    pub fn normals(&self, level: u8, pair: u64) -> (f64, f64) {
        let counter = Self::counter(self.path, self.channel, level, pair);
        let [c0, c1, c2, c3] = philox4x32(counter, Self::key(self.seed));
        normal_pair(c0 | c1 << 32, c2 | c3 << 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extreme_words_give_finite_numbers() {
        for w in [0, u64::MAX] {
            let (a, b) = normal_pair(w, w);
            assert!(a.is_finite() && b.is_finite() && a.hypot(b) < 8.5);
        }
    }

    #[test]
    fn minus_two_ln_is_good_to_four_units_in_the_last_place() {
        let mut worst = 0.0f64;
        let mut u = 1.0f64;
        while u > 1e-16 {
            let exact = -2.0 * u.ln();
            worst = worst.max((minus_two_ln(u) - exact).abs() / (exact.max(1e-300) * f64::EPSILON));
            u *= 1.0 - 1e-4;
        }
        assert!(worst < 4.0, "{worst}");
        // Near 1: 1 − i/2⁵², −2 ln u = 2δ + δ² + …
        for i in 0..2000u32 {
            let delta = f64::from(i) * f64::EPSILON;
            let exact = 2.0 * delta + delta * delta;
            assert!((minus_two_ln(1.0 - delta) - exact).abs() <= 4.0 * f64::EPSILON * exact, "{i}");
        }
    }

    /// Moments to order 8 and correlations, each against its exact value in units of its exact
    /// standard deviation. 12 statistics, limit 4.5 σ: false alarm below 10⁻⁴ (the seed is fixed).
    #[test]
    fn moments_of_a_million_pairs() {
        let n = 1_000_000u64;
        let mut sum = [0.0; 12];
        for i in 0..n {
            let (a, b) = Address { seed: 7, path: i % 1000, channel: 0 }.normals(3, i / 1000);
            for (k, z) in [a, b].into_iter().enumerate() {
                for m in 0..4 {
                    sum[4 * k + m] += [z, z * z - 1.0, z.powi(3), z.powi(4) - 3.0][m];
                }
            }
            sum[8] += a * b;
            sum[9] += (a * a - 1.0) * (b * b - 1.0);
            sum[10] += a.powi(6) - 15.0;
            sum[11] += a.powi(8) - 105.0;
        }
        // Var z = 1, z²: 2, z³: 15, z⁴: 96, ab: 1, (a²−1)(b²−1): 4, z⁶: 10395−225, z⁸: 2027025−11025.
        let one = [1.0, 2.0, 15.0, 96.0];
        let var: Vec<f64> =
            one.into_iter().chain(one).chain([1.0, 4.0, 10_170.0, 2_016_000.0]).collect();
        for (k, (s, v)) in sum.iter().zip(var).enumerate() {
            let score = s / (v * n as f64).sqrt();
            assert!(score.abs() < 4.5, "statistic {k}: {score} σ");
        }
    }

    /// Kolmogorov–Smirnov against Φ, neighbouring counters; limit 2.2/√n: false alarm 1.2·10⁻⁴.
    #[test]
    fn distribution_function_of_a_million() {
        let n = 1_000_000;
        let mut z: Vec<f64> = Vec::with_capacity(n);
        for i in 0..n as u64 / 2 {
            let (a, b) = Address { seed: 1, path: 0, channel: 0 }.normals(40, i);
            z.extend([a, b]);
        }
        z.sort_unstable_by(f64::total_cmp);
        // Φ on a grid by its series; between grid points both functions are monotone.
        let phi = |x: f64| {
            let mut term = x;
            let mut sum = x;
            let mut k = 1.0;
            while term.abs() > 1e-17 * sum.abs() {
                term *= x * x / (2.0 * k + 1.0);
                sum += term;
                k += 1.0;
            }
            0.5 + sum * (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt()
        };
        let mut worst: f64 = 0.0;
        for i in -400..=400 {
            let x = 0.01 * f64::from(i) + 0.003;
            let empirical = z.partition_point(|&v| v <= x) as f64 / n as f64;
            worst = worst.max((empirical - phi(x)).abs());
        }
        assert!(worst < 2.2 / (n as f64).sqrt(), "{worst}");
    }
}
