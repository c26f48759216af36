//! Powers, hyperbolic tangents and logarithms of any number.

use super::{LN_2, exp, exp_of_sum, exp_rest, ln, odd_of_ln, split};

/// The first 26 bits of a number, and the rest: products of such halves are exact, or nearly so.
fn halves(x: f64) -> (f64, f64) {
    let high = f64::from_bits(x.to_bits() & !0x7ff_ffff);
    (high, x - high)
}

/// ln x in two parts for a positive, normal x: the error is below 2⁻⁵⁸ of the share that is not a multiple of ln 2.
fn ln_in_parts(x: f64) -> (f64, f64) {
    let (k, m) = split(x);
    let f = m - 1.0;
    // s = f/(2 + f) in two parts; ln m = 2s + s R(s²).
    let t = 2.0 + f;
    let s = f / t;
    let (s0, _) = halves(s);
    let (t0, t1) = halves(t);
    let t1 = t1 + (f - (t - 2.0));
    let s1 = ((f - s0 * t0) - s0 * t1) / t;
    // The greatest part first: a multiple of ln 2 or, for k = 0, 2s itself.
    let a = k * LN_2.0;
    let b = 2.0 * s0;
    let sum = a + b;
    let lost = if k == 0.0 { 0.0 } else { b - (sum - a) };
    let rest = lost + (k * LN_2.1 + (2.0 * s1 + s * odd_of_ln(s)));
    let high = sum + rest;
    (high, rest - (high - sum))
}

/// xʸ; 1 + |ln xʸ|/32 ulp. y = 0, ½, 1 and 2 give 1, √x, x and x·x; a negative x has whole powers only.
///
/// ln x is taken in two parts and multiplied by y without rounding (Dekker, Numer. Math. 18 (1971) 224).
#[inline]
pub fn pow(x: f64, y: f64) -> f64 {
    // The powers that most laws have cost no call.
    if y == 1.0 {
        x
    } else if y == 2.0 {
        x * x
    } else {
        any_power(x, y)
    }
}

/// xʸ where y is neither 1 nor 2.
fn any_power(x: f64, y: f64) -> f64 {
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x == 0.0 || x == f64::INFINITY {
        return if (x == 0.0) == (y > 0.0) { 0.0 } else { f64::INFINITY };
    }
    if y == 0.5 {
        return x.sqrt();
    }
    if x < 0.0 {
        let size = pow(-x, y);
        let whole = y % 2.0;
        return if whole == 0.0 {
            size
        } else if whole.abs() == 1.0 {
            -size
        } else {
            f64::NAN
        };
    }
    if x < f64::MIN_POSITIVE {
        return exp(y * log(x));
    }
    let (high, low) = ln_in_parts(x);
    let product = y * high;
    if product.abs() > 800.0 {
        return if product > 0.0 { f64::INFINITY } else { 0.0 };
    }
    let (y0, y1) = halves(y);
    let (h0, h1) = halves(high);
    let lost = (((y0 * h0 - product) + y0 * h1) + y1 * h0) + y1 * h1;
    exp_of_sum(product, lost + y * low)
}

/// eˣ − 1; 3 ulp.
pub fn exp_m1(x: f64) -> f64 {
    if x.abs() < 0.35 { x + exp_rest(x) } else { exp(x) - 1.0 }
}

/// ln(1 + x) for any x, see [`log`]; 2 ulp.
pub fn ln_1p(x: f64) -> f64 {
    let u = 1.0 + x;
    if u == 1.0 || u == f64::INFINITY {
        return x;
    }
    if u <= 0.0 || u.is_nan() {
        return log(u);
    }
    // What 1 + x lost is put back by the slope.
    ln(u) + (x - (u - 1.0)) / u
}

/// tanh x; 4 ulp.
pub fn tanh(x: f64) -> f64 {
    // Beyond 22 it is 1 to rounding.
    let e = exp_m1(2.0 * x.abs().min(22.0));
    if x.is_nan() { x } else { (e / (e + 2.0)).copysign(x) }
}

/// ln x for any x: −∞ of 0, and no number below it; 1 ulp.
pub fn log(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if x < 0.0 {
        f64::NAN
    } else if !x.is_finite() {
        x
    } else if x < f64::MIN_POSITIVE {
        // 2⁵⁴: what is subnormal has its exponent elsewhere.
        ln(x * 18_014_398_509_481_984.0) - 54.0 * std::f64::consts::LN_2
    } else {
        ln(x)
    }
}

/// log₁₀ x for any x; 2 ulp.
pub fn log10(x: f64) -> f64 {
    log(x) * std::f64::consts::LOG10_E
}

/// log₂ x for any x, exact for powers of two; 2 ulp.
pub fn log2(x: f64) -> f64 {
    if x.is_normal() && x > 0.0 {
        let (k, m) = split(x);
        return k + ln(m) * std::f64::consts::LOG2_E;
    }
    log(x) * std::f64::consts::LOG2_E
}
