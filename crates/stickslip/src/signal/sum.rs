//! Sums and multiples of signals.

use super::{Knot, Signal, largest};
use std::ops::{Add, Mul};
use std::sync::Arc;

impl Add for Signal {
    type Output = Signal;

    /// The sum, on the intersection of the domains; its breakpoints are those of both.
    fn add(self, other: Signal) -> Signal {
        let a = &*self.parts;
        let b = &*other.parts;
        let harmonics = [&a.harmonics[..], &b.harmonics].concat();
        let domain = (a.domain.0.max(b.domain.0), a.domain.1.min(b.domain.1));
        let mut sum = Signal::new(merge(&a.knots, &b.knots), harmonics, domain);
        let parts = sum.parts_mut();
        parts.size = parts.size.max(a.size).max(b.size);
        parts.functions.extend(a.functions.iter().chain(&b.functions).cloned());
        sum
    }
}

impl Mul<Signal> for f64 {
    type Output = Signal;

    fn mul(self, s: Signal) -> Signal {
        let s = Arc::unwrap_or_clone(s.parts);
        let mut knots = s.knots;
        let mut harmonics = s.harmonics;
        let mut functions = s.functions;
        for k in &mut knots {
            (k.value, k.rate) = (self * k.value, self * k.rate);
        }
        harmonics.iter_mut().for_each(|h| h.amplitude *= self);
        functions.iter_mut().for_each(|f| f.factor *= self);
        if self == 0.0 {
            harmonics.clear();
            functions.clear();
        }
        let mut product = Signal::new(knots, harmonics, s.domain);
        let parts = product.parts_mut();
        (parts.size, parts.functions) = (self.abs() * s.size, functions);
        product
    }
}

impl Signal {
    /// Becomes `factor`·`a` + `b`, to the bits of that sum; where one of them is smooth, in one pass, and where both are and nobody
    /// shares it nothing is allocated.
    pub(crate) fn set_sum(&mut self, factor: f64, a: &Self, b: &Self) {
        let plain = a.parts.functions.is_empty() && b.parts.functions.is_empty();
        if !plain || (a.parts.knots.len() > 1 && b.parts.knots.len() > 1) {
            *self = factor * a.clone() + b.clone();
            return;
        }
        let a = &*a.parts;
        let b = &*b.parts;
        let sum = self.parts_to_fill();
        let scaled =
            |k: &Knot| Knot { time: k.time, value: factor * k.value, rate: factor * k.rate };
        let added = |time: f64, p: Knot, q: &Knot| Knot {
            time,
            value: p.at(time) + q.at(time),
            rate: p.rate + q.rate,
        };
        sum.knots.clear();
        match b.knots.as_slice() {
            [q] => sum.knots.extend(a.knots.iter().map(|p| added(p.time, scaled(p), q))),
            all => sum.knots.extend(all.iter().map(|q| added(q.time, scaled(&a.knots[0]), q))),
        }
        sum.harmonics.clear();
        if factor != 0.0 {
            sum.harmonics.extend_from_slice(&a.harmonics);
            sum.harmonics.iter_mut().for_each(|h| h.amplitude *= factor);
        }
        sum.harmonics.extend_from_slice(&b.harmonics);
        sum.functions.clear();
        sum.domain = (a.domain.0.max(b.domain.0), a.domain.1.min(b.domain.1));
        sum.size = largest(&sum.knots).max(factor.abs() * a.size).max(b.size);
        sum.finite = sum.first_not_finite().is_none();
    }
}

impl std::iter::Sum for Signal {
    fn sum<I: Iterator<Item = Signal>>(mut terms: I) -> Signal {
        let first = terms.next().unwrap_or_default();
        terms.fold(first, |a, b| a + b)
    }
}

/// Affine pieces of the sum. A lone first knot carries no breakpoint, so adding a constant or a
/// ramp leaves the other's knots where they are.
fn merge(a: &[Knot], b: &[Knot]) -> Vec<Knot> {
    let mut times: Vec<f64> = match (a.len(), b.len()) {
        (1, 1) => vec![a[0].time],
        (_, 1) => a.iter().map(|k| k.time).collect(),
        (1, _) => b.iter().map(|k| k.time).collect(),
        _ => a.iter().chain(b).map(|k| k.time).collect(),
    };
    times.sort_unstable_by(f64::total_cmp);
    times.dedup();
    let mut i = 0;
    let mut j = 0;
    let mut knots = Vec::with_capacity(times.len());
    for time in times {
        while a.get(i + 1).is_some_and(|k| k.time <= time) {
            i += 1;
        }
        while b.get(j + 1).is_some_and(|k| k.time <= time) {
            j += 1;
        }
        knots.push(Knot {
            time,
            value: a[i].at(time) + b[j].at(time),
            rate: a[i].rate + b[j].rate,
        });
    }
    knots
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_signal() -> impl Strategy<Value = Signal> {
        let sampled =
            proptest::collection::vec((0.01f64..1.0, -3.0f64..3.0), 2..8).prop_map(|points| {
                let times: Vec<f64> = points
                    .iter()
                    .scan(-1.0, |t, p| {
                        *t += p.0;
                        Some(*t)
                    })
                    .collect();
                let values: Vec<f64> = points.iter().map(|p| p.1).collect();
                Signal::sampled(&times, &values).unwrap()
            });
        prop_oneof![
            (-2.0f64..2.0, -2.0f64..2.0).prop_map(|(r, o)| Signal::ramp(r, o)),
            (-1.0f64..2.0, -2.0f64..2.0, -2.0f64..2.0).prop_map(|(t, a, b)| Signal::step(t, a, b)),
            (-2.0f64..2.0, 0.1f64..9.0, -3.0f64..3.0)
                .prop_map(|(a, w, p)| Signal::harmonic(a, w, p)),
            sampled,
        ]
    }

    proptest! {
        #[test]
        fn a_sum_in_place_has_the_bits_of_the_sum(
            a in any_signal(), b in any_signal(), c in any_signal(), k in -2.0f64..2.0,
        ) {
            for k in [k, 0.0, -0.0] {
                let sum = k * a.clone() + b.clone();
                let mut here = c.clone();
                here.set_sum(k, &a, &b);
                prop_assert_eq!(format!("{here:?}"), format!("{sum:?}"));
            }
        }

        #[test]
        fn a_sum_is_a_sum_everywhere(a in any_signal(), b in any_signal(), c in -2.0f64..2.0) {
            let s = a.clone() + c * b.clone();
            for i in 0..400 {
                let t = -2.0 + 0.0123 * i as f64;
                prop_assert!((s.value(t) - (a.value(t) + c * b.value(t))).abs() < 1e-12);
                prop_assert!((s.derivative(t) - (a.derivative(t) + c * b.derivative(t))).abs() < 1e-9);
            }
        }
    }
}
