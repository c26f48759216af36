//! A function near a point, bounded from below.

use crate::portable;

/// Value, derivatives and a bound `|g‴(s + δ) − third| ≤ bound + growth·δ`, δ ≥ 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jet {
    /// g(s).
    pub value: f64,
    /// g′(s).
    pub first: f64,
    /// g″(s).
    pub second: f64,
    /// g‴(s), or 0 where only its size is known.
    pub third: f64,
    /// B ≥ 0.
    pub bound: f64,
    /// G ≥ 0.
    pub growth: f64,
}

impl Jet {
    /// A function without roots, beyond every rounding: where there is nothing to meet.
    pub(crate) const NEVER: Self = Self::constant(f64::INFINITY);

    /// `value` everywhere.
    pub const fn constant(value: f64) -> Self {
        Self { value, first: 0.0, second: 0.0, third: 0.0, bound: 0.0, growth: 0.0 }
    }

    /// Length δ ≤ `limit` such that g > 0 on (0, δ), for g(s) ≥ 0: the first root of the lower
    /// bound (0 when the bound falls below zero at once).
    #[inline]
    pub(crate) fn safe_step(&self, limit: f64) -> f64 {
        if self.third <= self.bound { self.cubic_step(limit) } else { self.rising_step(limit) }
    }

    /// The same where the lower bound has no positive cubic term.
    #[inline]
    fn cubic_step(&self, limit: f64) -> f64 {
        if self.first < 0.0 && self.second > 0.0 {
            self.convex_step(limit)
        } else {
            self.single_root_step(limit)
        }
    }

    /// The same where it has one. Up to 4 t/g the positive cubic term t δ³/6 outweighs what is taken off, g δ⁴/24, so
    /// that the parabola is a bound from below; beyond, it is as if t were zero. From where that leads the same again,
    /// as long as much is left to go.
    fn rising_step(&self, limit: f64) -> f64 {
        let mut total = 0.0;
        let mut jet = *self;
        for _ in 0..3 {
            let outweighs = 4.0 * (jet.third - jet.bound) / jet.growth; // 1/0 = ∞
            let rises = jet.first >= 0.0 && jet.second >= 0.0;
            let root = if rises { f64::INFINITY } else { jet.parabola_root() };
            let d = if rises {
                jet.least_reach().max(outweighs)
            } else if root <= outweighs {
                root
            } else {
                jet.without_rise().cubic_step(limit - total)
            };
            total += d;
            if rises || total >= limit || d <= 0.02 * total {
                break;
            }
            jet = jet.after(d);
            if jet.third <= 0.0 {
                break;
            }
        }
        total.min(limit)
    }

    /// How far the first or the second derivative, or the value, outweighs g δ⁴/24 alone.
    fn least_reach(&self) -> f64 {
        let p0 = self.value;
        let p1 = self.first;
        let p2 = self.second;
        let g = self.growth / 24.0;
        let d = (0.5 * p2 / g).sqrt().max((p0 / g).sqrt().sqrt());
        if p1 > 8.0 * d * d * d * g { portable::cbrt(p1 / g) } else { d }
    }

    /// The first positive root of the parabola through value and two derivatives; +∞ if it has none.
    fn parabola_root(&self) -> f64 {
        let p0 = self.value;
        let p1 = self.first;
        let p2 = self.second;
        let root = (p1 * p1 - 2.0 * p2 * p0).sqrt();
        if root.is_nan() {
            return f64::INFINITY;
        }
        if p1 < 0.0 { 2.0 * p0 / (root - p1) } else { (p1 + root) / -p2 }
    }

    /// Without a positive cubic term: a function below.
    fn without_rise(&self) -> Self {
        Self { third: self.third.min(self.bound), ..*self }
    }

    /// The lower bound as a jet at `d`.
    fn after(&self, d: f64) -> Self {
        let (value, first, second) = self.lower(d);
        let third = self.third - self.bound - d * self.growth;
        Self { value: value.max(0.0), first, second, third, bound: 0.0, growth: self.growth }
    }

    /// How far beyond the safe step `d` the root can lie: what the upper bound has left there over
    /// its slope, if the function falls through zero at all (else +∞).
    #[inline]
    pub fn slack(&self, d: f64) -> f64 {
        let width = d * d * d * (self.bound / 3.0 + d * (self.growth / 12.0));
        let left = self.lower(d).0.max(0.0) + width;
        let third = self.third + self.bound;
        let slope = self.first + d * self.second + 0.5 * d * d * (third + d * self.growth);
        if slope < 0.0 { left / -slope } else { f64::INFINITY }
    }

    /// Whether the function turns within `depth` of zero not far ahead: its parabola does, where the
    /// parabola is right to `depth`. A search that passes such a turn looks at it from near enough.
    pub(crate) fn turns_within(&self, depth: f64) -> bool {
        if self.second <= 0.0 || self.first > 0.0 {
            return false;
        }
        let vertex = -self.first / self.second;
        let cubic =
            vertex * vertex * vertex * (self.third.abs() + self.bound + vertex * self.growth);
        cubic <= depth && (self.value + 0.5 * self.first * vertex).abs() <= depth
    }

    /// The lower bound q(δ), q′(δ), q″(δ).
    #[inline]
    fn lower(&self, d: f64) -> (f64, f64, f64) {
        let b = self.bound - self.third;
        let g = self.growth;
        let q2 = self.second - d * (b + d * (0.5 * g));
        let q1 = self.first + d * (self.second - d * (0.5 * b + d * (g / 6.0)));
        let q0 = self.value
            + d * (self.first + d * (0.5 * self.second - d * (b / 6.0 + d * (g / 24.0))));
        (q0, q1, q2)
    }

    /// q starts convex and falling, and q″ is concave. Newton's tangents lie below a convex function, so iterates from
    /// the left stay left of the root; they stop where convexity or the fall ends.
    fn convex_step(&self, limit: f64) -> f64 {
        let mut d = 0.0;
        for _ in 0..12 {
            let (q0, q1, _) = self.lower(d); // convex here
            if q0 <= 0.0 || q1 >= 0.0 {
                break;
            }
            let next = d - q0 / q1;
            if next >= limit && self.lower(limit).2 >= 0.0 {
                return limit;
            }
            if next >= limit || self.lower(next).2 < 0.0 || next - d <= 1e-6 * next {
                break;
            }
            d = next;
        }
        if d > 0.0 {
            return d;
        }
        // Convexity ends at once: give the second derivative away and use the simpler case.
        Jet { second: 0.0, ..*self }.single_root_step(limit)
    }

    /// The coefficients of q change sign once, so q has one positive root r, and q, q′, q″ < 0
    /// beyond it: Newton from the right decreases towards r. It stops when what is left to go, a
    /// few Δ²/δ after a step Δ, can be given away, and q ≥ 0 confirms it.
    fn single_root_step(&self, limit: f64) -> f64 {
        if self.lower(limit).0 > 0.0 {
            return limit;
        }
        let mut d = self.root_bound().min(limit);
        for _ in 0..40 {
            let (q0, q1, _) = self.lower(d);
            if q0 >= 0.0 {
                return d;
            }
            let step = q0 / q1;
            if !(step > 0.0 && step < d) {
                return 0.0; // r is 0 to rounding
            }
            d -= step;
            if step < 0.2 * d {
                let inside = d * (1.0 - 4.0 * f64::EPSILON) - 4.0 * step * (step / d);
                if self.lower(inside).0 >= 0.0 {
                    return inside;
                }
            }
        }
        0.0
    }

    /// A point right of the one positive root of q: the root of a part of q that is above q.
    fn root_bound(&self) -> f64 {
        let p0 = self.value;
        let p1 = self.first;
        let p2 = self.second;
        let bound = self.bound - self.third; // ≥ 0 here
        let mut right = f64::INFINITY;
        if p2 <= 0.0 && (p1 < 0.0 || p2 < 0.0) {
            // Of the parabola p0 + p1 δ + p2 δ²/2, without cancellation.
            right = self.parabola_root();
        }
        if p1 >= 0.0 {
            // Each positive term against a third of B δ³/6, or of G δ⁴/24.
            let p2 = p2.max(0.0);
            if bound > 0.0 {
                let b = bound / 18.0;
                let reach = (p1 / b).sqrt().max(0.5 * p2 / b);
                let reach =
                    if p0 > b * reach * reach * reach { portable::cbrt(p0 / b) } else { reach };
                right = right.min(reach);
            }
        }
        self.within_growth(right)
    }

    /// The same, or less where G δ⁴/24 has long outweighed every positive term there: from so far Newton's steps, a quarter of the
    /// way each, would not arrive.
    fn within_growth(&self, right: f64) -> f64 {
        const FAR: f64 = 1e3;
        let p0 = self.value;
        let p1 = self.first.max(0.0);
        let p2 = self.second.max(0.0);
        let g = self.growth / 72.0;
        let outweighs = || {
            let square = right * right;
            g * (square * square) > FAR * (p0 + (p1 + 0.5 * p2 * right) * right)
        };
        if g > 0.0 && (right == f64::INFINITY || outweighs()) {
            let reach =
                (p0 / g).sqrt().sqrt().max(portable::cbrt(p1 / g)).max((0.5 * p2 / g).sqrt());
            return right.min(reach);
        }
        right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Up to the safe step the lower bound is positive, checked on a dense grid.
        #[test]
        fn a_safe_step_is_safe(
            value in 0.0f64..2.0, first in -3.0f64..3.0, second in -3.0f64..3.0,
            bound in prop_oneof![Just(0.0), 0.0f64..5.0, 1e3f64..1e6], growth in prop_oneof![Just(0.0), 0.0f64..5.0, 10.0f64..1e4],
            third in prop_oneof![Just(0.0), -5.0f64..5.0, 10.0f64..1e4, 5.0f64..6.0],
            limit in 0.01f64..20.0,
        ) {
            let jet = Jet { value, first, second, third, bound, growth };
            let step = jet.safe_step(limit);
            prop_assert!((0.0..=limit).contains(&step));
            for i in 1..1000 {
                let d = step * i as f64 / 1000.0;
                let scale = value + first.abs() * d + second.abs() * d * d
                    + (bound + third.abs()) * d.powi(3) + growth * d.powi(4);
                prop_assert!(jet.lower(d).0 >= -1e-14 * scale, "at {d} of {step}");
            }
        }

        /// Where the bound falls through zero once, the step goes nearly as far as it can: it gives away a sixth at most.
        #[test]
        fn a_safe_step_goes_far(
            value in 0.01f64..2.0, first in -3.0f64..3.0, second in -3.0f64..3.0,
            bound in prop_oneof![Just(0.0), 0.0f64..5.0, 1e3f64..1e6], growth in prop_oneof![Just(0.0), 0.0f64..5.0],
            third in prop_oneof![Just(0.0), -5.0f64..0.0, -1e4f64..-10.0],
            limit in 0.01f64..20.0,
        ) {
            let second = if first < 0.0 { -second.abs() } else { second };
            let jet = Jet { value, first, second, third, bound, growth };
            let lower = |d: f64| {
                value + first * d + second * d * d / 2.0 + (third - bound) * d.powi(3) / 6.0 - growth * d.powi(4) / 24.0
            };
            let mut a = 0.0;
            let mut b = limit;
            for _ in 0..100 {
                let mid = 0.5 * (a + b);
                if lower(mid) > 0.0 { a = mid } else { b = mid }
            }
            let step = jet.safe_step(limit);
            prop_assert!((0.84 * a..=b * (1.0 + 1e-9)).contains(&step), "{step} of {a}");
        }

        /// A simple root that the bound knows exactly is reached in one step.
        #[test]
        fn an_exact_bound_reaches_the_root(root in 0.01f64..10.0, slope in 0.1f64..10.0) {
            let jet = Jet { value: slope * root, first: -slope, second: 0.0, third: 0.0, bound: 0.0, growth: 0.0 };
            prop_assert!((jet.safe_step(100.0) - root).abs() < 1e-13 * root);
        }
    }

    /// A value far above zero, nearly without a slope, over a time that is long against what the growth allows: Newton's
    /// steps from the parabola's root, 10⁵ times as far, did not arrive, and the step was 0, which is a root.
    #[test]
    fn a_function_that_hardly_falls_has_no_root_at_once() {
        for first in [-1e-12, -1e-9, 0.0, 1e-9] {
            for second in [-1e-14, 0.0, 1e-14] {
                for limit in [1e2, 1e5, 1e12] {
                    let value = 1.4e-4;
                    let growth = 2.3;
                    let jet = Jet { value, first, second, third: 0.0, bound: 0.0, growth };
                    let reach = (24.0 * value / growth).sqrt().sqrt();
                    let step = jet.safe_step(limit);
                    assert!((0.5 * reach..1.01 * reach).contains(&step), "{jet:?}: {step}");
                }
            }
        }
    }

    /// The parabola (δ − 2)² + c turns at δ = 2 and depth c; what is not known of the third derivative makes it
    /// 2³ (0.1 + 0.2 + 2·0.5) = 10.4 uncertain.
    #[test]
    fn a_turn_is_seen_where_the_parabola_is_right() {
        let turn = |c: f64| Jet { first: -4.0, second: 2.0, ..Jet::constant(4.0 + c) };
        for c in [-0.1, 0.1] {
            assert!(turn(c).turns_within(0.11) && !turn(c).turns_within(0.09));
        }
        let unsure = Jet { third: -0.1, bound: 0.2, growth: 0.5, ..turn(0.0) };
        assert!(unsure.turns_within(10.5) && !unsure.turns_within(10.3));
        assert!(!Jet { first: 4.0, ..turn(0.0) }.turns_within(100.0));
        assert!(!Jet { second: -2.0, ..turn(0.0) }.turns_within(100.0));
    }

    /// 1 − δ + (0.3 ± 0.6) δ³/6 at δ = 0.5: above it is 0.51875 and falls with 0.8875.
    #[test]
    fn the_slack_is_what_the_upper_bound_has_left() {
        let jet = Jet { first: -1.0, third: 0.3, bound: 0.6, ..Jet::constant(1.0) };
        assert!((jet.slack(0.5) - 0.51875 / 0.8875).abs() < 1e-15);
        // with growth 2.4: 2.4 δ⁴/24 more above, and 2.4 δ³/6 to 2.4 δ³/2 of the slope
        let slack = Jet { growth: 2.4, ..jet }.slack(0.5);
        assert!((0.525 / 0.8375..=0.525 / 0.7375 + 1e-15).contains(&slack), "{slack}");
        assert_eq!(Jet::constant(1.0).slack(0.5), f64::INFINITY);
    }

    #[test]
    fn a_start_on_the_root_that_rises_moves_on() {
        for (first, second) in [(1.0, 0.0), (1.0, -3.0), (1.0, 3.0), (0.0, 1.0)] {
            let jet = Jet { value: 0.0, first, second, third: 0.0, bound: 2.0, growth: 1.0 };
            assert!(jet.safe_step(10.0) > 0.1);
        }
    }
}
