//! Power series in the time since the start of an arc.

use crate::portable;
use crate::roots::{GivenUp, Jet, Touch, first_root};
use crate::signal::Piece;

/// Their order. With an arc as long as [`radius`] allows, what is left out is below a rounding.
pub(super) const ORDER: usize = 24;

/// Rounding error of a sum over the size of its terms.
pub(super) const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Beyond the radius of a series by this factor its last terms are 28 times as large: still a rounding.
pub(super) const STRETCH: f64 = 1.15;
/// A series that is cut where its last terms are below this share of the largest.
const SMALL: f64 = 0.1 * f64::EPSILON;

/// c_0 + c_1 τ + … + c_24 τ²⁴.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Power(pub [f64; ORDER + 1]);

impl Power {
    pub const ZERO: Self = Self([0.0; ORDER + 1]);

    /// A signal between two breakpoints, about `t` (s).
    pub fn of(piece: &Piece<'_>, t: f64) -> Self {
        let mut c = Self::ZERO;
        (c.0[0], c.0[1]) = (piece.affine.at(t), piece.affine.rate);
        for h in piece.harmonics {
            let (sin, cos) = portable::sin_cos(h.angle(t));
            let mut size = h.amplitude;
            for (k, c) in c.0.iter_mut().enumerate() {
                // The derivatives of a cosine repeat after four.
                *c += size * [cos, -sin, -cos, sin][k % 4];
                size *= h.angular_frequency / (k + 1) as f64;
            }
        }
        c
    }

    /// The sum of the magnitudes of the terms that make each coefficient of [`of`](Self::of): what its rounding
    /// errors are relative to, where the terms cancel.
    pub fn terms(piece: &Piece<'_>, t: f64) -> Self {
        let mut c = Self::ZERO;
        let knot = &piece.affine;
        c.0[0] = knot.value.abs() + (knot.rate * (t - knot.time)).abs();
        c.0[1] = knot.rate.abs();
        for h in piece.harmonics {
            let mut size = h.amplitude.abs();
            for (k, c) in c.0.iter_mut().enumerate() {
                *c += size;
                size *= h.angular_frequency / (k + 1) as f64;
            }
        }
        c
    }

    /// Its value at `tau` (s).
    #[inline]
    pub fn at(&self, tau: f64) -> f64 {
        self.0.iter().rev().fold(0.0, |sum, c| sum * tau + c)
    }

    /// Its derivative.
    pub fn derivative(&self) -> Self {
        let mut d = Self::ZERO;
        for k in 1..=ORDER {
            d.0[k - 1] = k as f64 * self.0[k];
        }
        d
    }

    /// `self` + `s`·`other`.
    pub fn plus(&self, s: f64, other: &Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] + s * other.0[k]))
    }

    /// Σ |c_k| τ^k: the size of the terms up to `tau`.
    pub fn size(&self, tau: f64) -> f64 {
        self.0
            .iter()
            .rev()
            // Leading zeros are passed over: `tau` may be infinite, and zero times that is NaN.
            .fold(0.0, |sum, c| if sum == 0.0 { c.abs() } else { sum * tau + c.abs() })
    }

    /// Whether it may fall to zero before `length`: c_0 against the sum of all other terms.
    fn may_vanish(&self, length: f64) -> bool {
        let rest = self.size(length) - self.0[0].abs();
        self.0[0] <= rest * (1.0 + 1e-9) || rest.is_nan()
    }

    /// The first τ in [0, `length`) at which it falls below zero, `noise` being the size of its rounding
    /// errors; certified by a bound on its third derivative there.
    pub(crate) fn first_fall(
        &self,
        length: f64,
        noise: f64,
        touch: Touch,
    ) -> Result<Option<f64>, GivenUp> {
        // Most series are far from zero: a sum of magnitudes is cheaper than the search for a root.
        if self.0[0] > 0.0 && !self.may_vanish(length) {
            return Ok(None);
        }
        // What starts above zero, by `lead`, has not fallen yet.
        let noise = if self.0[0] > 0.0 { noise.min(0.5 * self.0[0]) } else { noise };
        let term = |sum: f64, k: usize| {
            let c = (k * (k - 1) * (k - 2)) as f64 * self.0[k].abs();
            if sum == 0.0 { c } else { sum * length + c }
        };
        let bound = (3..=ORDER).rev().fold(0.0, term);
        let eval = |tau: f64| {
            let mut p = 0.0;
            let mut p1 = 0.0;
            let mut p2 = 0.0;
            for &c in self.0.iter().rev() {
                p2 = p2 * tau + p1;
                p1 = p1 * tau + p;
                p = p * tau + c;
            }
            [Jet { value: p, first: p1, second: 2.0 * p2, third: 0.0, bound, growth: 0.0 }]
        };
        let root = first_root(0.0, length, noise, touch, eval)?;
        Ok(root.map(|r| r.at))
    }

    /// Sets leading coefficients that are zero to rounding to zero; the sign of the first that is not, 0 where
    /// none of the first four is. Beside its own `noise` each has that of the instant, `clock` (s).
    pub fn lead(&mut self, noise: impl Fn(usize) -> f64, clock: f64) -> i8 {
        for k in 0..4 {
            let c = self.0[k];
            let later = (k + 1) as f64 * self.0[k + 1].abs();
            if c.abs() > noise(k) + clock * later {
                return if c > 0.0 { 1 } else { -1 };
            }
            self.0[k] = 0.0;
        }
        0
    }
}

/// How far the series `x` can be trusted, s: its last two terms are below a rounding of the greatest.
pub(super) fn radius(x: &[Power]) -> f64 {
    const ROUNDING: f64 = 0.1 * f64::EPSILON;
    let size: [f64; ORDER + 1] =
        std::array::from_fn(|k| x.iter().fold(0.0, |m: f64, x| m.max(x.0[k].abs())));
    let trusted = |last: usize| {
        if size[last] == 0.0 {
            return f64::INFINITY;
        }
        let beside =
            |j: usize| portable::pow(ROUNDING * size[j] / size[last], 1.0 / (last - j) as f64);
        // To be below a rounding of any one term is enough, since the greatest is at least as large: hence the
        // largest τ.
        (0..last - 2).map(beside).fold(0.0, f64::max)
    };
    // Two last terms, for in an even or odd motion every other one is zero.
    trusted(ORDER - 1).min(trusted(ORDER))
}

/// The largest terms of each order at `tau`.
fn sizes(x: &[Power], tau: f64) -> [f64; ORDER + 1] {
    let mut power = 1.0;
    std::array::from_fn(|k| {
        let size = x.iter().fold(0.0, |m: f64, x| m.max(x.0[k].abs())) * power;
        power *= tau;
        size
    })
}

/// How many terms the series needs up to `tau`, and a few more.
pub(super) fn needed(x: &[Power], tau: f64) -> usize {
    let sizes = sizes(x, tau);
    let largest = sizes[1..].iter().fold(0.0, |m: f64, s| m.max(*s));
    let last = (0..=ORDER).rev().find(|k| sizes[*k] > SMALL * largest).unwrap_or(0);
    (last + 4).clamp(8, ORDER)
}

/// Whether the last two of the terms up to order `last` are below a rounding at `tau`.
pub(super) fn is_short(x: &[Power], last: usize, tau: f64) -> bool {
    let sizes = sizes(x, tau);
    let largest = sizes.iter().fold(0.0, |m: f64, s| m.max(*s));
    sizes[last].max(sizes[last - 1]) <= SMALL * largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Signal;

    #[test]
    fn a_signal_is_its_series() {
        let s = Signal::ramp(0.3, -1.0) + Signal::harmonic(2.0, 3.0, 0.4);
        let p = Power::of(&s.piece_at(1.0), 1.0);
        for i in 0..60 {
            let tau = 0.01 * f64::from(i);
            assert!((p.at(tau) - s.value(1.0 + tau)).abs() < 1e-14);
            assert!((p.derivative().at(tau) - s.derivative(1.0 + tau)).abs() < 1e-13);
        }
    }

    /// cos ωτ: trusted up to ωτ ≈ 1.7, where ω²⁴τ²⁴/24! is a tenth of a rounding, and exact that far.
    #[test]
    fn the_radius_is_where_the_series_is_exact() {
        let p = Power::of(&Signal::harmonic(1.0, 50.0, 0.3).piece_at(0.0), 0.0);
        let r = radius(&[p]);
        assert!(50.0 * r > 1.2 && 50.0 * r < 2.2, "{}", 50.0 * r);
        assert!((p.at(r) - (50.0 * r + 0.3).cos()).abs() < 1e-15);
    }

    #[test]
    fn a_root_between_two_others_is_not_stepped_over() {
        // (τ − 0.3)² − 1e-10: two roots 2e-5 apart.
        let mut p = Power::ZERO;
        (p.0[0], p.0[1], p.0[2]) = (0.09 - 1e-10, -0.6, 1.0);
        let root = p.first_fall(1.0, 1e-16, Touch::Counts).unwrap().unwrap();
        assert!((root - (0.3 - 1e-5)).abs() < 1e-11);
        p.0[0] = 0.09 + 1e-10;
        assert_eq!(p.first_fall(1.0, 1e-16, Touch::Counts), Ok(None));
    }
}
