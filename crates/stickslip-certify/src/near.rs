//! Doubles with a proved error: a tenth of the price of a [`Ball`], where ten digits decide. And what both have in common.

use super::ball::{Ball, up};
use std::ops::{Add, Mul, Sub};

/// What the closed forms are computed in.
pub(super) trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    /// Terms of the sums of sine and cosine, and 1/(2 terms)! from above.
    const TERMS: (usize, f64);
    /// By what the argument of an exponential is divided, a power of two.
    const SHARE: f64;
    /// Terms of its sum, and a bound on (0.36·share)ⁿ/n!·1.1, what they leave out.
    const EXPONENTIAL: (usize, f64);

    /// The same number.
    fn of(ball: Ball) -> Self;
    /// The middle, to a rounding.
    fn value(self) -> f64;
    /// How far the truth may be from the middle.
    fn error(self) -> f64;
    /// A double that |number| is not above.
    fn size(self) -> f64;
    /// A double that the number is not below.
    fn lower(self) -> f64;
    /// The number less `times`·`unit`, which is nearly the same.
    fn less(self, times: f64, unit: Ball) -> Self;
    /// The same number, less well known.
    fn widened(self, by: f64) -> Self;
    /// Times a power of two.
    fn scaled(self, two: f64) -> Self;
}

impl Number for Ball {
    const TERMS: (usize, f64) = (9, 1.6e-16);
    const SHARE: f64 = 1.0 / 64.0;
    const EXPONENTIAL: (usize, f64) = (13, 1e-38);

    fn of(ball: Ball) -> Self {
        ball
    }
    fn value(self) -> f64 {
        self.value()
    }
    fn error(self) -> f64 {
        self.radius()
    }
    fn size(self) -> f64 {
        self.size()
    }
    fn lower(self) -> f64 {
        self.lower()
    }
    fn less(self, times: f64, unit: Ball) -> Self {
        self - Ball::from(times) * unit
    }
    fn widened(self, by: f64) -> Self {
        self.widened(by)
    }
    fn scaled(self, two: f64) -> Self {
        self.scaled(two)
    }
}

/// A number within `error` of `value`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Near {
    value: f64,
    error: f64,
}

/// A rounding, with the roundings of its own bound.
const ROUNDING: f64 = f64::EPSILON;

impl Near {
    #[inline]
    fn rounded(value: f64, error: f64) -> Self {
        Self { value, error: up(error + value.abs() * ROUNDING) }
    }
}

impl Number for Near {
    const TERMS: (usize, f64) = (5, 2.8e-7);
    const SHARE: f64 = 1.0;
    const EXPONENTIAL: (usize, f64) = (14, 1e-17);

    #[inline]
    fn of(ball: Ball) -> Self {
        Self { value: ball.value(), error: up(ball.value().abs() * ROUNDING + ball.radius()) }
    }
    #[inline]
    fn value(self) -> f64 {
        self.value
    }
    #[inline]
    fn error(self) -> f64 {
        self.error
    }
    #[inline]
    fn size(self) -> f64 {
        up(self.value.abs() + self.error)
    }
    #[inline]
    fn lower(self) -> f64 {
        (self.value - self.error).next_down()
    }
    #[inline]
    fn less(self, times: f64, unit: Ball) -> Self {
        let r = Ball::from(self.value) - Ball::from(times) * unit;
        Self::of(r.widened(self.error))
    }
    #[inline]
    fn widened(self, by: f64) -> Self {
        Self { error: up(self.error + by), ..self }
    }
    #[inline]
    fn scaled(self, two: f64) -> Self {
        Self { value: self.value * two, error: up(self.error * two) }
    }
}

impl Add for Near {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self::rounded(self.value + other.value, self.error + other.error)
    }
}

impl Sub for Near {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self::rounded(self.value - other.value, self.error + other.error)
    }
}

impl Mul for Near {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        let carried =
            self.value.abs() * other.error + self.error * (other.value.abs() + other.error);
        Self::rounded(self.value * other.value, carried)
    }
}
