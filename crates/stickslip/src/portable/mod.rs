//! Elementary functions whose bits do not depend on the machine.
//!
//! The C library's `cos` or `log` may choose other instructions on another processor and differ in
//! the last bit, and then the same seed is no longer the same path, nor the same model the same motion.
//! These use IEEE additions, multiplications, divisions and square roots only, never a fused multiply-add,
//! and no branches, so that loops over them become vectors with the same bits. Polynomials and their error
//! bounds (below one unit in the last place) are those of fdlibm (Sun Microsystems 1993, `e_log.c`, `e_exp.c`,
//! `k_sin.c`, `k_cos.c`).

mod angle;
mod large;
mod power;
#[cfg(test)]
mod reference;

pub use angle::{asin, atan, atan2};
pub use power::{exp_m1, ln_1p, log, log2, log10, pow, tanh};

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, LOG2_E};

/// ln 2 in two parts: the first has 32 trailing zero bits, so multiples of it are exact.
const LN_2: (f64, f64) = (6.931_471_803_691_238_164_90e-1, 1.908_214_929_270_587_700_02e-10);

/// u = 2^k m with m in [√½, √2), u positive and normal.
#[inline(always)]
pub(crate) fn split(u: f64) -> (f64, f64) {
    // The bias keeps k non-negative: logical shifts are vectors on every instruction set, arithmetic
    // ones are not.
    const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    const BIAS: u64 = 1024;
    let bits = u.to_bits();
    let biased = bits.wrapping_sub(SQRT_HALF).wrapping_add(BIAS << 52) >> 52;
    let m = f64::from_bits(bits.wrapping_sub(biased << 52).wrapping_add(BIAS << 52));
    let k = f64::from_bits(biased | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1024.0);
    (k, m)
}

/// R in ln((1 + s)/(1 − s)) = 2s + s R for |s| < 0.1716, to 2⁻⁵⁸.
#[inline(always)]
fn odd_of_ln(s: f64) -> f64 {
    let z = s * s;
    let w = z * z;
    let even = w
        * (3.999_999_999_940_941_908e-1
            + w * (2.222_219_843_214_978_396e-1 + w * 1.531_383_769_920_937_332e-1));
    let odd = z
        * (6.666_666_666_666_735_130e-1
            + w * (2.857_142_874_366_239_149e-1
                + w * (1.818_357_216_161_805_012e-1 + w * 1.479_819_860_511_658_591e-1)));
    even + odd
}

/// ln u for a positive, normal u; 1 ulp. Without a branch, for vectors; for any number there is [`log`].
#[inline(always)]
pub fn ln(u: f64) -> f64 {
    let (k, m) = split(u);
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let half = 0.5 * f * f;
    k * LN_2.0 - ((half - (s * (half + odd_of_ln(s)) + k * LN_2.1)) - f)
}

/// sin x and cos x for |x| ≤ π/4; 1 ulp.
#[inline(always)]
pub(crate) fn sin_cos_small(x: f64) -> (f64, f64) {
    let z = x * x;
    let s = z
        * (-1.666_666_666_666_663_243_48e-1
            + z * (8.333_333_333_322_489_461_24e-3
                + z * (-1.984_126_982_985_794_931_34e-4
                    + z * (2.755_731_370_707_006_767_89e-6
                        + z * (-2.505_076_025_340_686_341_95e-8
                            + z * 1.589_690_995_211_550_102_21e-10)))));
    let c = z
        * (4.166_666_666_666_660_190_37e-2
            + z * (-1.388_888_888_887_410_957_49e-3
                + z * (2.480_158_728_947_672_941_78e-5
                    + z * (-2.755_731_435_139_066_330_35e-7
                        + z * (2.087_572_321_298_174_827_90e-9
                            + z * -1.135_964_755_778_819_482_65e-11)))));
    (x + x * s, 1.0 - (0.5 * z - z * c))
}

/// Turns (sin, cos) by `quarter` quarters of the circle (its two lowest bits count).
#[inline(always)]
pub fn turn(quarter: u64, sin: f64, cos: f64) -> (f64, f64) {
    let swap = (quarter & 1) == 1;
    let s = if swap { cos } else { sin };
    let c = if swap { sin } else { cos };
    let flip = |x: f64, sign: u64| f64::from_bits(x.to_bits() ^ ((sign & 2) << 62));
    (flip(s, quarter), flip(c, quarter.wrapping_add(1)))
}

/// Up to here, rad, `sin_cos_near` is right to the last place or two.
pub const NEAR: f64 = 1e7;

/// sin x and cos x for |x| < [`NEAR`]; 1 ulp. Without a branch, for vectors.
#[inline(always)]
pub(crate) fn sin_cos_near(x: f64) -> (f64, f64) {
    // π/2 in parts of 30 bits: products with n < 2²³ are exact.
    const PARTS: [f64; 4] = [
        f64::from_bits(0x3ff9_21fb_5400_0000),
        f64::from_bits(0x3e11_0b46_1180_0000),
        f64::from_bits(0x3c23_1319_8a00_0000),
        f64::from_bits(0x3a37_01b8_39a2_5205),
    ];
    // Adding 1.5·2⁵² rounds to a whole number and leaves it in the lowest bits.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    let shifted = x * FRAC_2_PI + WHOLE;
    let n = shifted - WHOLE;
    let r = ((x - n * PARTS[0]) - n * PARTS[1]) - n * PARTS[2] - n * PARTS[3];
    let (s, c) = sin_cos_small(r);
    turn(shifted.to_bits(), s, c)
}

/// sin x and cos x; 1 ulp, and 2 ulp beyond [`NEAR`].
#[inline]
pub fn sin_cos(x: f64) -> (f64, f64) {
    if x.abs() < NEAR {
        sin_cos_near(x)
    } else if x.is_finite() {
        large::sin_cos_large(x)
    } else {
        (f64::NAN, f64::NAN)
    }
}

/// cos x, see [`sin_cos`].
#[inline]
pub fn cos(x: f64) -> f64 {
    sin_cos(x).1
}

/// sin x, see [`sin_cos`].
#[inline]
pub fn sin(x: f64) -> f64 {
    sin_cos(x).0
}

/// tan x; 3 ulp.
pub fn tan(x: f64) -> f64 {
    let (sin, cos) = sin_cos(x);
    sin / cos
}

/// e^r − 1 − r for |r| < 0.35.
#[inline(always)]
fn exp_rest(r: f64) -> f64 {
    let t = r * r;
    let c = r - t
        * (1.666_666_666_666_660_190_37e-1
            + t * (-2.777_777_777_701_559_338_42e-3
                + t * (6.613_756_321_437_934_361_17e-5
                    + t * (-1.653_390_220_546_525_153_90e-6
                        + t * 4.138_136_797_057_238_460_39e-8))));
    (r * c) / (2.0 - c)
}

/// eˣ; 1 ulp.
#[inline]
pub fn exp(x: f64) -> f64 {
    exp_of_sum(x, 0.0)
}

/// e^(x + small) for a `small` far below x or 1.
#[inline]
fn exp_of_sum(x: f64, small: f64) -> f64 {
    // Where 2ⁿ is a normal number it is one factor.
    if (-708.0..=709.0).contains(&x) {
        let (y, n) = exp_in_parts(x, small);
        return y * f64::from_bits(n.wrapping_add(1023) << 52);
    }
    far_exp(x, small)
}

/// The same where e^x is 0, infinite or nearly so.
#[cold]
fn far_exp(x: f64, small: f64) -> f64 {
    if !(-746.0..=710.0).contains(&x) {
        return if x.is_nan() {
            x
        } else if x < 0.0 {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let (y, n) = exp_in_parts(x, small);
    // Times 2ⁿ in two factors, for 2ⁿ itself may be none.
    let n = n.cast_signed();
    let power = |n: i64| f64::from_bits(((1023 + n) as u64) << 52);
    y * power(n / 2) * power(n - n / 2)
}

/// y near 1 and the whole n, in two's complement, with e^(x + small) = 2ⁿ y.
#[inline]
fn exp_in_parts(x: f64, small: f64) -> (f64, u64) {
    // Adding 1.5·2⁵² rounds to a whole number and leaves it in the lowest bits.
    const WHOLE: f64 = 6_755_399_441_055_744.0;
    let shifted = x * LOG2_E + WHOLE;
    let n = shifted - WHOLE;
    let high = x - n * LN_2.0;
    let low = n * LN_2.1 - small;
    let r = high - low;
    let y = 1.0 - ((low - exp_rest(r)) - high);
    (y, shifted.to_bits().wrapping_sub(WHOLE.to_bits()))
}

/// The cube root of a finite x ≥ 0; 1 ulp (fdlibm, `s_cbrt.c`).
pub fn cbrt(x: f64) -> f64 {
    if x < f64::MIN_POSITIVE {
        // 2⁵⁴ and 2¹⁸: what is subnormal has its exponent elsewhere.
        return if x > 0.0 { cbrt(x * 18_014_398_509_481_984.0) / 262_144.0 } else { 0.0 };
    }
    if !x.is_finite() {
        return x;
    }
    // A third of the exponent, to 5 %; a polynomial in t³/x, to 23 bits; and a step of Newton's.
    const THIRD: u64 = 715_094_163;
    let t = f64::from_bits(((x.to_bits() >> 32) / 3 + THIRD) << 32);
    let r = (t * t) * (t / x);
    let low = 1.875_951_824_271_770_096_43
        + r * (-1.884_979_795_433_771_697_75 + r * 1.621_429_720_105_354_466_140);
    let high = -0.758_397_934_778_766_047_437 + r * 0.145_996_192_886_612_446_982;
    let t = t * (low + ((r * r) * r) * high);
    let t = f64::from_bits((t.to_bits() + 0x8000_0000) & 0xffff_ffff_c000_0000);
    let r = x / (t * t);
    t + t * ((r - t) / (t + t + r))
}

/// √(a² + b²) without overflow on the way.
pub fn hypot(a: f64, b: f64) -> f64 {
    let a = a.abs();
    let b = b.abs();
    let size = if a < b { b } else { a };
    if size == 0.0 || !size.is_finite() {
        return a + b;
    }
    let a = a / size;
    let b = b / size;
    size * (a * a + b * b).sqrt()
}

/// The angle (q + r) π/2 for a quarter q and r in [−½, ½].
#[inline(always)]
pub(crate) fn sin_cos_quarters(quarter: u64, r: f64) -> (f64, f64) {
    let (s, c) = sin_cos_small(r * FRAC_PI_2);
    turn(quarter, s, c)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distance in units of the last place of `want`.
    fn ulps(got: f64, want: f64) -> f64 {
        (got - want).abs() / (want.abs() * f64::EPSILON)
    }

    #[test]
    fn pi_halves_is_the_sum_of_its_parts() {
        // π/2 = 1.57079632679489661923 13216916397514420985846996875529…
        let hi = FRAC_PI_2;
        let lo = 6.123_233_995_736_766e-17;
        let parts: [u64; 3] = [0x3ff9_21fb_5400_0000, 0x3e11_0b46_1180_0000, 0x3c23_1319_8a00_0000];
        let p = parts.map(f64::from_bits);
        let rest = ((hi - p[0]) - p[1]) + lo;
        assert!((rest - p[2]).abs() < 1e-25, "{rest:e} {:e}", p[2]);
    }

    #[test]
    fn within_two_units_of_the_c_library() {
        let mut worst: [f64; 3] = [0.0; 3];
        for i in 0..400_000u32 {
            let t = f64::from(i) + 0.5;
            let u = (-0.000_09 * t).exp(); // 1 … 2e-16
            worst[0] = worst[0].max((ln(u) - u.ln()).abs() / u.ln().abs() / f64::EPSILON);
            let x = 0.013 * t * t.sqrt() - 700.0;
            let (s, c) = sin_cos(x);
            if x.sin().abs() > 1e-3 {
                worst[1] = worst[1].max(ulps(s, x.sin()));
            }
            if x.cos().abs() > 1e-3 {
                worst[2] = worst[2].max(ulps(c, x.cos()));
            }
        }
        assert!(worst.iter().all(|&w| w < 2.0), "{worst:?}");
        assert_eq!(ln(1.0), 0.0);
        assert!((ln(f64::EPSILON / 2.0) + 53.0 * std::f64::consts::LN_2).abs() < 1e-14);
    }
    /// eˣ against the C library's, which is right to 0.52 units; underflow and overflow where they belong.
    #[test]
    fn the_exponential_is_right_over_its_range() {
        let mut worst = 0.0f64;
        for i in 0..400_000 {
            let x = -708.0 + 1417.0 * (f64::from(i) + 0.37) / 400_000.0;
            worst = worst.max(ulps(exp(x), x.exp()));
            let small = 1e-3 * x;
            worst = worst.max(ulps(exp(small), small.exp()));
        }
        assert!(worst < 1.6, "{worst}");
        assert_eq!((exp(0.0), exp(-0.0), exp(f64::NEG_INFINITY)), (1.0, 1.0, 0.0));
        assert_eq!(
            (exp(f64::INFINITY), exp(709.9), exp(-800.0)),
            (f64::INFINITY, f64::INFINITY, 0.0)
        );
        assert!(exp(f64::NAN).is_nan());
        // among the subnormal numbers, to one of their steps
        for x in [-708.5f64, -720.0, -740.0, -745.0] {
            assert!((exp(x) - x.exp()).abs() <= 5e-324, "{x}");
        }
    }

    /// Where an angle is large, and where it is no number.
    #[test]
    fn angles_of_any_size_have_a_sine() {
        for x in [1e7f64, 1e9, -1e15, 1e17, 1e300] {
            let (s, c) = sin_cos(x);
            let (sin, cos) = x.sin_cos();
            assert!(ulps(s, sin) < 3.0 && ulps(c, cos) < 3.0, "{x}: {s} {c}");
        }
        assert!(sin(f64::NAN).is_nan() && cos(f64::INFINITY).is_nan());
        for x in [0.0, -0.0, 1e-300, 1e-8] {
            assert_eq!((sin(x), cos(x)), (x.sin(), x.cos()), "{x}");
        }
    }

    #[test]
    fn cube_roots_and_hypotenuses_of_every_size() {
        let mut worst = [0.0f64; 2];
        for i in -3000..3000 {
            let x = (f64::from(i) * 0.2363).exp2() * (1.0 + f64::from(i & 63) / 64.0);
            if x.is_normal() {
                worst[0] = worst[0].max(ulps(cbrt(x), x.cbrt()));
                let y = x * (0.01 + f64::from(i & 15));
                if y.is_normal() && y < 1e300 {
                    worst[1] = worst[1].max(ulps(hypot(x, -y), x.hypot(y)));
                }
            }
        }
        assert!(worst.iter().all(|w| *w < 2.5), "{worst:?}");
        assert_eq!([0.0, 1.0, 27.0, 1e-300f64.powi(3)].map(cbrt), [0.0, 1.0, 3.0, 0.0]);
        assert!((cbrt(8e-321) / 2e-107 - 1.0).abs() < 1e-3 && cbrt(f64::INFINITY) == f64::INFINITY);
        assert!(hypot(0.0, 0.0) == 0.0 && (hypot(3e200, 4e200) / 5e200 - 1.0).abs() < 1e-15);
        assert!(hypot(f64::NAN, 1.0).is_nan() && hypot(1.0, f64::NAN).is_nan());
        assert_eq!(hypot(f64::INFINITY, 1.0), f64::INFINITY);
    }
}
