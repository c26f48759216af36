//! Numbers that carry their derivatives: one pass gives the motion and how it changes with every unknown.
//!
//! Forward differentiation as of Griewank and Walther, "Evaluating Derivatives" (2008), chapter 3. Comparisons look at the
//! value alone; what changes when a comparison turns is the concern of whoever compares.

use std::ops::{Add, Mul, Neg, Sub};

/// What the step of the motion computes with: a number, or a number with derivatives.
pub trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// A constant.
    fn of(value: f64) -> Self;
    /// The number alone.
    fn value(self) -> f64;
    /// A function of the number, given by its value and its slope.
    fn map(self, value: f64, slope: f64) -> Self;
    /// Times a constant.
    fn times(self, factor: f64) -> Self;

    /// Whether this is 0 and stays 0 whatever the unknowns do: a term that is off, which need not be computed.
    fn is_off(self) -> bool;

    /// 1/x.
    fn inverse(self) -> Self {
        let inverse = 1.0 / self.value();
        self.map(inverse, -inverse * inverse)
    }

    /// |x|.
    fn abs(self) -> Self {
        if self.value() < 0.0 { -self } else { self }
    }

    /// The number, or the bound beyond which it lies.
    fn clamp(self, low: Self, high: Self) -> Self {
        // Beyond a bound its derivatives count, not those of the number: the bound may itself be sought, as the limit of
        // a duty is.
        if self.value() < low.value() {
            low
        } else if self.value() > high.value() {
            high
        } else {
            self
        }
    }
}

impl Real for f64 {
    fn of(value: f64) -> Self {
        value
    }

    fn value(self) -> f64 {
        self
    }

    fn map(self, value: f64, _slope: f64) -> Self {
        value
    }

    fn times(self, factor: f64) -> Self {
        self * factor
    }

    fn is_off(self) -> bool {
        self == 0.0
    }
}

/// A number and its derivatives with respect to `N` unknowns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dual<const N: usize> {
    /// The number.
    pub value: f64,
    /// Its derivatives.
    pub slopes: [f64; N],
}

impl<const N: usize> Dual<N> {
    /// The unknown `i` itself, whose derivative is 1.
    pub fn unknown(value: f64, i: usize) -> Self {
        let mut slopes = [0.0; N];
        slopes[i] = 1.0;
        Self { value, slopes }
    }
}

impl<const N: usize> Add for Dual<N> {
    type Output = Self;

    #[inline]
    fn add(mut self, other: Self) -> Self {
        self.value += other.value;
        for i in 0..N {
            self.slopes[i] += other.slopes[i];
        }
        self
    }
}

impl<const N: usize> Sub for Dual<N> {
    type Output = Self;

    #[inline]
    fn sub(mut self, other: Self) -> Self {
        self.value -= other.value;
        for i in 0..N {
            self.slopes[i] -= other.slopes[i];
        }
        self
    }
}

impl<const N: usize> Mul for Dual<N> {
    type Output = Self;

    #[inline]
    fn mul(mut self, other: Self) -> Self {
        for i in 0..N {
            // Before the value is replaced: the product rule needs both factors as they were.
            self.slopes[i] = self.slopes[i] * other.value + self.value * other.slopes[i];
        }
        self.value *= other.value;
        self
    }
}

impl<const N: usize> Neg for Dual<N> {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        self.times(-1.0)
    }
}

impl<const N: usize> Real for Dual<N> {
    #[inline]
    fn of(value: f64) -> Self {
        Self { value, slopes: [0.0; N] }
    }

    #[inline]
    fn value(self) -> f64 {
        self.value
    }

    #[inline]
    fn map(mut self, value: f64, slope: f64) -> Self {
        self.value = value;
        for i in 0..N {
            self.slopes[i] *= slope;
        }
        self
    }

    #[inline]
    fn times(self, factor: f64) -> Self {
        self.map(self.value * factor, factor)
    }

    #[inline]
    fn is_off(self) -> bool {
        // A number that is sought and happens to be 0 is not off: its derivative is what lets the search leave 0.
        self.value == 0.0 && self.slopes.iter().all(|s| *s == 0.0)
    }
}
