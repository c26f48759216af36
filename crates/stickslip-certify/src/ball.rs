//! Numbers with a proved error: a value of about 32 digits, and how far the truth may be from it.
//!
//! The value is an unevaluated sum of two doubles; the errors of sums, products, quotients and square roots of such sums are
//! those of Joldes, Muller and Popescu 2017 (at most 16 u² relative, u = 2⁻⁵³), which need nothing but correctly rounded
//! `+ − × ÷ √`. Products of doubles are split after Dekker 1971, so that every machine has the same bits.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number within `radius` of `high + low`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ball {
    high: f64,
    low: f64,
    radius: f64,
}

/// A bound on the relative error of one operation: 16 u² for quotients, less for the others; twice that is stated.
const ERROR: f64 = f64::EPSILON * f64::EPSILON * 8.0;
/// What the rounding of a dozen operations on numbers ≥ 0 is made up for with.
const UP: f64 = 1.0 + 16.0 * f64::EPSILON;
/// More than any product loses to underflow; far enough from it that errors times numbers are no subnormal numbers, which
/// processors are slow with.
const TINY: f64 = 1e-200;

/// An upper bound of what a few sums and products of numbers ≥ 0 have been rounded from.
#[inline]
pub(super) fn up(x: f64) -> f64 {
    x * UP + TINY
}

/// s + e = a + b, exactly.
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

/// The same for |a| ≥ |b|.
#[inline]
fn quick_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    (s, b - (s - a))
}

/// The two halves of a double.
#[inline]
fn split(a: f64) -> (f64, f64) {
    let c = 134_217_729.0 * a; // 2²⁷ + 1
    let high = c - (c - a);
    (high, a - high)
}

/// p + e = a b, exactly but for underflow.
#[inline]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    let (a1, a2) = split(a);
    let (b1, b2) = split(b);
    (p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2)
}

impl From<f64> for Ball {
    /// Exactly this double.
    fn from(x: f64) -> Self {
        Self { high: x, low: 0.0, radius: 0.0 }
    }
}

impl Ball {
    pub const ZERO: Self = Self { high: 0.0, low: 0.0, radius: 0.0 };
    pub const ONE: Self = Self { high: 1.0, low: 0.0, radius: 0.0 };

    /// A constant that is known to both doubles.
    pub const fn constant([high, low]: [f64; 2]) -> Self {
        let size = if high < 0.0 { -high } else { high };
        Self { high, low, radius: size * ERROR }
    }

    /// Whether `product` is a·b, exactly; never where a product comes near to underflow.
    pub fn is_product(product: f64, [a, b]: [f64; 2]) -> bool {
        two_product(a, b) == (product, 0.0) && product.abs() > TINY
    }

    /// Whether a·b = c·d, exactly; never where a product comes near to underflow.
    pub fn equal_products([a, b]: [f64; 2], [c, d]: [f64; 2]) -> bool {
        let first = two_product(a, b);
        first == two_product(c, d) && first.0.abs() > TINY
    }

    /// The middle, as a number without an error.
    pub fn middle(self) -> Self {
        Self { radius: 0.0, ..self }
    }

    /// The middle, to a rounding.
    pub fn value(self) -> f64 {
        self.high
    }

    /// How far the truth may be from the middle.
    pub fn radius(self) -> f64 {
        self.radius
    }

    /// The same number, less well known.
    #[must_use]
    pub fn widened(self, by: f64) -> Self {
        Self { radius: up(self.radius + by), ..self }
    }

    /// A double that the number is not below.
    pub fn lower(self) -> f64 {
        (self.high + (self.low - self.radius).next_down()).next_down()
    }

    /// A double that the number is not above.
    pub fn upper(self) -> f64 {
        (self.high + (self.low + self.radius).next_up()).next_up()
    }

    /// Doubles that it lies between.
    pub fn enclosure(self) -> [f64; 2] {
        [self.lower(), self.upper()]
    }

    /// A double that |number| is not above.
    pub fn size(self) -> f64 {
        up(self.high.abs() + self.low.abs() + self.radius)
    }

    /// Whether it may be zero, or is not known at all.
    pub fn may_be_zero(self) -> bool {
        !(self.lower() > 0.0 || self.upper() < 0.0)
    }

    /// √, of a number that is certainly positive (else nothing is known of it).
    pub fn sqrt(self) -> Self {
        let root = self.high.sqrt();
        let (p, e) = two_product(root, root);
        let rest = (self.high - p) - e + self.low;
        let (high, low) = quick_sum(root, rest / (2.0 * root));
        let least = self.lower();
        let radius = if least > 0.0 { self.radius / least.sqrt() } else { f64::NAN };
        Self { high, low, radius: up(radius + high.abs() * ERROR) }
    }

    /// Times a power of two.
    #[must_use]
    pub fn scaled(self, two: f64) -> Self {
        Self { high: self.high * two, low: self.low * two, radius: up(self.radius * two.abs()) }
    }
}

impl Neg for Ball {
    type Output = Self;
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low, radius: self.radius }
    }
}

impl Add for Ball {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        let (s, e) = two_sum(self.high, other.high);
        let (t, f) = two_sum(self.low, other.low);
        let (v, w) = quick_sum(s, e + t);
        let (high, low) = quick_sum(v, f + w);
        Self { high, low, radius: up(self.radius + other.radius + high.abs() * ERROR) }
    }
}

impl Sub for Ball {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Ball {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        let (p, e) = two_product(self.high, other.high);
        let across = self.high * other.low + self.low * other.high;
        let (high, low) = quick_sum(p, e + across);
        let a = self.high.abs();
        let b = other.high.abs();
        let carried = a * other.radius + (b + other.radius) * self.radius;
        Self { high, low, radius: up(carried + high.abs() * ERROR) }
    }
}

impl Div for Ball {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let (p, e) = two_product(first, other.high);
        let rest = (self.high - p) - e + (self.low - first * other.low);
        let (high, low) = quick_sum(first, rest / other.high);
        let least = (other.high.abs() - other.radius) * (1.0 - 4.0 * f64::EPSILON);
        let carried = (self.radius + high.abs() * UP * other.radius) / least;
        let radius = if least > 0.0 { carried } else { f64::NAN };
        Self { high, low, radius: up(radius + high.abs() * ERROR) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 and 3 have square roots whose 40 digits are in every table.
    #[test]
    fn square_roots_and_quotients_are_known_to_thirty_digits() {
        let two = Ball::from(2.0).sqrt();
        assert!(two.radius() < 1e-30);
        // 1.4142135623730950488016887242096980785697: what is remains beyond 1.4142135623730951 is −9.66729331345291e-17.
        assert!((two.low + 9.667_293_313_452_913e-17).abs() < 1e-31);
        assert!((two * two - Ball::from(2.0)).may_be_zero());
        let third = Ball::ONE / Ball::from(3.0);
        assert!((third + third + third - Ball::ONE).may_be_zero());
        assert!(third.radius() < 2e-31 && third.lower() < 1.0 / 3.0 && third.upper() > 1.0 / 3.0);
    }

    /// Integers of 60 bits as two doubles, exactly.
    fn integer(n: i128) -> Ball {
        let high = n as f64;
        Ball { high, low: (n - high as i128) as f64, radius: 0.0 }
    }

    #[test]
    fn what_is_exact_lies_inside() {
        let mut n: u64 = 12345;
        let mut draw = || {
            n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i128::from(n >> 34) - (1 << 29)
        };
        let small = 2f64.powi(-90);
        for _ in 0..2000 {
            let [a, b, c, d] = [draw(), draw(), draw(), draw()];
            let number =
                |a: i128, b: i128| Ball { high: a as f64, low: b as f64 * small, radius: 0.0 };
            let sum = number(a, b) + number(c, d);
            let off = (sum.high as i128 - (a + c)) as f64 + (sum.low - (b + d) as f64 * small);
            assert!(off.abs() <= sum.radius && sum.radius <= 5e-31 * sum.size() + 1e-199);
            let product = number(a, b) * number(c, d);
            let tail = integer(a * d + b * c).scaled(small) + integer(b * d).scaled(small * small);
            let left = (product.middle() - integer(a * c)).middle() - tail;
            assert!(left.value().abs() <= product.radius + left.radius, "{product:?} {left:?}");
            assert!(product.radius <= 1e-30 * product.size());
        }
    }

    #[test]
    fn a_divisor_that_may_be_zero_leaves_nothing_known() {
        let unsure = Ball::from(1e-3).widened(1e-2);
        assert!(unsure.may_be_zero() && (Ball::ONE / unsure).may_be_zero());
        assert!(Ball::from(-1.0).sqrt().may_be_zero());
        assert!((Ball::from(f64::MAX) * Ball::from(f64::MAX)).may_be_zero());
    }
}
