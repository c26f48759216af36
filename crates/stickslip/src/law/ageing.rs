//! Friction at rest that grows with the time at rest (Schatzman, Lamarque, Bastien 1999, (8)–(10)).

use super::{Contact, Listed};
use crate::error::{Error, require};
use crate::onestep::Step;
use crate::portable;
use std::sync::Arc;

/// The friction is `dynamic` in motion and up to h(t − b) at rest, b the instant it came to rest;
/// h increases from h(0) = `dynamic`.
#[derive(Debug, Clone, PartialEq)]
pub struct Ageing {
    dynamic: f64,
    growth: Growth,
}

/// How the limit h grows with the age a (s).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Growth {
    /// h = f_d + (f_s − f_d)(1 − e^{−a/τ}): saturates at f_s.
    Exponential {
        /// f_s > f_d, N.
        breakaway: f64,
        /// τ > 0, s.
        time: f64,
    },
    /// h = f_d + (f_s − f_d) ln(1 + a/τ).
    Logarithmic {
        /// f_s > f_d, N: the limit at age (e − 1)τ.
        breakaway: f64,
        /// τ > 0, s.
        time: f64,
    },
    /// h = f_d + (f_s − f_d)(a/τ)^q.
    Power {
        /// f_s > f_d, N: the limit at age τ.
        breakaway: f64,
        /// τ > 0, s.
        time: f64,
        /// q > 0.
        exponent: f64,
    },
    /// (age s, limit N), linear between, from age 0; constant after the last.
    Table(Arc<[(f64, f64)]>),
}

impl Ageing {
    /// Sliding friction `dynamic` ≥ 0 (N), growing at rest as `growth` says.
    ///
    /// # Errors
    /// If a number is outside its range, or the limit does not grow beyond the sliding friction.
    pub fn new(dynamic: f64, growth: Growth) -> Result<Self, Error> {
        require("the dynamic friction", dynamic, dynamic >= 0.0, "a finite force ≥ 0 N")?;
        let law = Self { dynamic, growth };
        match &law.growth {
            Growth::Exponential { breakaway, time } | Growth::Logarithmic { breakaway, time } => {
                law.grows(*breakaway, *time)?;
            }
            Growth::Power { breakaway, time, exponent } => {
                law.grows(*breakaway, *time)?;
                require(
                    "the exponent of the ageing",
                    *exponent,
                    *exponent > 0.0,
                    "a finite number > 0",
                )?;
            }
            Growth::Table(points) => law.check_table(points)?,
        }
        Ok(law)
    }

    /// Linear through (`ages[i]` s, `limits[i]` N): ages from 0, both strictly increasing; the first
    /// limit is the sliding friction.
    ///
    /// # Errors
    /// If the times do not increase from 0, a limit is not finite, or the limits do not grow.
    pub fn table(ages: &[f64], limits: &[f64]) -> Result<Self, Error> {
        if ages.len() != limits.len() || ages.is_empty() {
            let n = ages.len();
            let m = limits.len();
            let reason = format!("{n} ages and {m} limits; expected equally many, one or more");
            return Err(Error::BadTable { what: "the ageing table", index: n.min(m), reason });
        }
        let points = ages.iter().copied().zip(limits.iter().copied()).collect();
        Self::new(limits[0], Growth::Table(points))
    }

    fn grows(&self, breakaway: f64, time: f64) -> Result<(), Error> {
        require("the static friction", breakaway, breakaway >= 0.0, "a finite force ≥ 0 N")?;
        require("the time of ageing", time, time > 0.0, "a finite time > 0 s")?;
        if breakaway <= self.dynamic {
            return Err(Error::NotIncreasing { dynamic: self.dynamic, breakaway });
        }
        Ok(())
    }

    fn check_table(&self, points: &[(f64, f64)]) -> Result<(), Error> {
        let bad = |index, reason| Err(Error::BadTable { what: "the ageing table", index, reason });
        for (index, &(a, f)) in points.iter().enumerate() {
            if !(a.is_finite() && f.is_finite()) {
                return bad(index, format!("({a} s, {f} N) is not finite"));
            }
            if index == 0 && (a != 0.0 || f != self.dynamic) {
                return bad(
                    0,
                    format!(
                        "it begins with ({a} s, {f} N); expected age 0 s and the sliding friction {} N",
                        self.dynamic
                    ),
                );
            }
            if index > 0 && a <= points[index - 1].0 {
                return bad(
                    index,
                    format!(
                        "age {a} s does not come after {} s; expected increasing ages",
                        points[index - 1].0
                    ),
                );
            }
            if index > 0 && f <= points[index - 1].1 {
                return bad(
                    index,
                    format!(
                        "the limit {f} N does not exceed {} N before it; expected h increasing",
                        points[index - 1].1
                    ),
                );
            }
        }
        Ok(())
    }

    /// μ_D, N.
    pub fn dynamic(&self) -> f64 {
        self.dynamic
    }

    /// h(age), N.
    pub fn limit(&self, age: f64) -> f64 {
        let a = age.max(0.0);
        let fd = self.dynamic;
        match &self.growth {
            Growth::Exponential { breakaway, time } => {
                fd - (breakaway - fd) * portable::exp_m1(-a / time)
            }
            Growth::Logarithmic { breakaway, time } => {
                fd + (breakaway - fd) * portable::ln_1p(a / time)
            }
            Growth::Power { breakaway, time, exponent } => {
                fd + (breakaway - fd) * portable::pow(a / time, *exponent)
            }
            Growth::Table(points) => {
                let i = points.partition_point(|p| p.0 <= a).saturating_sub(1);
                match points.get(i + 1) {
                    Some(&(b, g)) => {
                        let (c, f) = points[i];
                        f + (g - f) * ((a - c) / (b - c))
                    }
                    None => points[i].1,
                }
            }
        }
    }

    /// ∫₀^age h, N·s: what the continuous family of Schatzman, Lamarque, Bastien 1999, (20) is made of.
    pub fn primitive(&self, age: f64) -> f64 {
        let a = age.max(0.0);
        let fd = self.dynamic;
        let part = match &self.growth {
            Growth::Exponential { breakaway, time } => {
                (breakaway - fd) * (a + time * portable::exp_m1(-a / time))
            }
            Growth::Logarithmic { breakaway, time } => {
                (breakaway - fd) * ((a + time) * portable::ln_1p(a / time) - a)
            }
            Growth::Power { breakaway, time, exponent } => {
                (breakaway - fd) * a * portable::pow(a / time, *exponent) / (exponent + 1.0)
            }
            Growth::Table(points) => {
                let mut sum = 0.0;
                for (i, &(b, f)) in points.iter().enumerate().take_while(|(_, p)| p.0 < a) {
                    let end = points.get(i + 1).map_or(a, |p| p.0.min(a));
                    sum += 0.5 * (f + self.limit(end) - 2.0 * fd) * (end - b);
                }
                sum
            }
        };
        fd * a + part
    }

    /// The next age at which h has a kink, s (+∞: none).
    pub fn next_kink(&self, age: f64) -> f64 {
        match &self.growth {
            Growth::Table(points) => {
                points.iter().map(|p| p.0).find(|&a| a > age).unwrap_or(f64::INFINITY)
            }
            _ => f64::INFINITY,
        }
    }

    /// The rule: stick if |p| ≤ λ h(age), else slip against `dynamic` (Schatzman, Lamarque, Bastien 1999, (30)–(33)).
    pub fn advance(&self, p: f64, lambda: f64, age: f64) -> f64 {
        if p.abs() <= lambda * self.limit(age) {
            0.0
        } else {
            p - (lambda * self.dynamic).copysign(p)
        }
    }
}

impl Contact for Ageing {
    fn force(&self, _side: f64, _speed: f64) -> f64 {
        self.dynamic
    }

    fn slope_range(&self, _side: f64, _lo: f64, _hi: f64) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn limit(&self, _side: f64, age: f64) -> f64 {
        self.limit(age)
    }

    fn ages(&self) -> bool {
        true
    }

    fn next_kink(&self, age: f64) -> f64 {
        self.next_kink(age)
    }

    fn step(&self, p: f64, lambda: f64, age: f64, _w: f64) -> Step {
        Step::only(self.advance(p, lambda, age))
    }
}

impl Listed for Ageing {
    fn canonical(&self) -> Result<String, Error> {
        let growth = match &self.growth {
            Growth::Exponential { breakaway, time } => {
                format!("exponential, {breakaway:?}, {time:?}")
            }
            Growth::Logarithmic { breakaway, time } => {
                format!("logarithmic, {breakaway:?}, {time:?}")
            }
            Growth::Power { breakaway, time, exponent } => {
                format!("power, {breakaway:?}, {time:?}, {exponent:?}")
            }
            Growth::Table(points) => format!("table, {points:?}"),
        };
        Ok(format!("ageing({:?}, {growth})", self.dynamic))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Ageing> {
        vec![
            Ageing::new(1.0, Growth::Exponential { breakaway: 2.0, time: 0.5 }).unwrap(),
            Ageing::new(1.0, Growth::Logarithmic { breakaway: 2.0, time: 0.5 }).unwrap(),
            Ageing::new(1.0, Growth::Power { breakaway: 2.0, time: 0.5, exponent: 0.3 }).unwrap(),
            Ageing::table(&[0.0, 0.5, 2.0], &[1.0, 2.0, 2.5]).unwrap(),
        ]
    }

    #[test]
    fn creep_starts_at_the_sliding_friction_and_grows() {
        for law in all() {
            assert_eq!(law.limit(0.0), 1.0);
            assert!(
                (1..200).all(|i| law.limit(0.01 * i as f64) > law.limit(0.01 * (i - 1) as f64))
            );
        }
        // closed forms at one age
        let at = |i: usize, a: f64| all()[i].limit(a);
        assert!((at(0, 0.5) - (2.0 - (-1.0f64).exp())).abs() < 1e-15);
        assert!((at(1, 0.5 * (std::f64::consts::E - 1.0)) - 2.0).abs() < 1e-15);
        assert_eq!(at(2, 0.5), 2.0);
        assert_eq!((at(3, 0.25), at(3, 9.0)), (1.5, 2.5));
    }

    #[test]
    fn the_primitive_is_the_integral() {
        for law in all() {
            // Simpson in the variable a = u⁴, smooth for all kinds, split at the table's kinks
            let f = |u: f64| law.limit(u.powi(4)) * 4.0 * u.powi(3);
            for age in [0.3, 0.5, 1.7, 3.0f64] {
                let mut sum = 0.0;
                let mut from = 0.0f64;
                while from < age {
                    let to = law.next_kink(from).min(age);
                    let a = from.sqrt().sqrt();
                    let b = to.sqrt().sqrt();
                    let n = 2000;
                    let h = (b - a) / 2000.0;
                    sum += (0..=n)
                        .map(|i| {
                            f((a + h * i as f64).min(b * (1.0 - 1e-16)))
                                * if i == 0 || i == n {
                                    1.0
                                } else if i % 2 == 1 {
                                    4.0
                                } else {
                                    2.0
                                }
                        })
                        .sum::<f64>()
                        * h
                        / 3.0;
                    from = to;
                }
                assert!(
                    (law.primitive(age) - sum).abs() < 1e-8,
                    "{law:?} {age}: {} {sum}",
                    law.primitive(age)
                );
            }
        }
    }

    #[test]
    fn what_does_not_grow_is_refused() {
        assert!(Ageing::new(1.0, Growth::Exponential { breakaway: 1.0, time: 1.0 }).is_err());
        assert!(
            Ageing::new(1.0, Growth::Power { breakaway: 2.0, time: 1.0, exponent: 0.0 }).is_err()
        );
        assert!(Ageing::new(1.0, Growth::Logarithmic { breakaway: 2.0, time: 0.0 }).is_err());
        let place = |a: &[f64], f: &[f64]| match Ageing::table(a, f) {
            Err(Error::BadTable { index, .. }) => index,
            other => panic!("{other:?}"),
        };
        assert_eq!(place(&[0.0, 1.0, 0.5], &[1.0, 2.0, 3.0]), 2);
        assert_eq!(place(&[0.0, 1.0, 2.0], &[1.0, 2.0, 2.0]), 2);
        assert_eq!(place(&[0.1, 1.0], &[1.0, 2.0]), 0);
    }
}
