//! A measured series, linear between samples.

use super::{Knot, Signal};
use crate::error::Error;

impl Signal {
    /// The piecewise linear function through (`times[i]`, `values[i]`).
    ///
    /// `times` in s, strictly increasing, at least two; `values` of the same length; all finite.
    /// Defined on `[times[0], times[n−1]]` only: a run that leaves it is an error, not a guess.
    ///
    /// # Errors
    /// If there are fewer than two samples, their times do not increase, or a number is not finite.
    pub fn sampled(times: &[f64], values: &[f64]) -> Result<Self, Error> {
        if times.len() != values.len() || times.len() < 2 {
            let reason = format!(
                "{} times and {} values; expected equally many, two or more",
                times.len(),
                values.len()
            );
            return Err(Error::BadSample { index: times.len().min(values.len()), reason });
        }
        let mut knots = Vec::with_capacity(times.len());
        for (index, (&time, &value)) in times.iter().zip(values).enumerate() {
            if !(time.is_finite() && value.is_finite()) {
                return Err(Error::BadSample {
                    index,
                    reason: format!("({time}, {value}) is not finite"),
                });
            }
            let rate = match times.get(index + 1) {
                Some(&next) if next <= time => {
                    let reason = format!(
                        "time {next} s does not come after {time} s; expected increasing times"
                    );
                    return Err(Error::BadSample { index: index + 1, reason });
                }
                Some(&next) => (values[index + 1] - value) / (next - time),
                None => 0.0,
            };
            knots.push(Knot { time, value, rate });
        }
        let mut s = Self::affine(knots);
        s.parts_mut().domain = (times[0], times[times.len() - 1]);
        Ok(s)
    }

    /// The function that keeps `values[i]` from `times[i]` until `times[i + 1]`; jumps are
    /// breakpoints. The same conditions on the series, and the same domain.
    ///
    /// # Errors
    /// As [`sampled`](Self::sampled).
    pub fn stepwise(times: &[f64], values: &[f64]) -> Result<Self, Error> {
        let mut s = Self::sampled(times, values)?;
        s.parts_mut().knots.iter_mut().for_each(|k| k.rate = 0.0);
        Ok(s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_between_samples_and_exact_on_them() {
        let t = [0.0, 1.0, 1.5, 4.0];
        let v = [2.0, -1.0, 0.3, 7.0];
        let s = Signal::sampled(&t, &v).unwrap();
        for (t, v) in t.iter().zip(v) {
            assert_eq!(s.value(*t), v);
        }
        assert!((s.value(0.25) - 1.25).abs() < 1e-15);
        assert!((s.derivative(2.0) - 6.7 / 2.5).abs() < 1e-15);
        assert!(s.require_domain("drive", 0.0, 4.0).is_ok());
        assert!(s.require_domain("drive", 0.0, 4.1).is_err());
    }

    #[test]
    fn stepwise_keeps_its_value_until_the_next() {
        let s = Signal::stepwise(&[0.0, 1.0, 3.0], &[2.0, -1.0, 5.0]).unwrap();
        let found = [0.0, 0.999, 1.0, 2.5, 3.0].map(|t| s.value(t));
        assert_eq!(found, [2.0, 2.0, -1.0, -1.0, 5.0]);
        assert!(Signal::stepwise(&[0.0, 0.0], &[1.0, 2.0]).is_err());
    }

    #[test]
    fn what_is_not_a_function_is_refused_with_its_place() {
        let place = |t: &[f64], v: &[f64]| match Signal::sampled(t, v) {
            Err(Error::BadSample { index, .. }) => index,
            other => panic!("{other:?}"),
        };
        assert_eq!(place(&[0.0, 1.0, 1.0], &[0.0; 3]), 2);
        assert_eq!(place(&[0.0, 1.0, 0.5], &[0.0; 3]), 2);
        assert_eq!(place(&[0.0, 1.0, 2.0], &[0.0, f64::NAN, 0.0]), 1);
        assert_eq!(place(&[0.0], &[0.0]), 1);
        assert_eq!(place(&[0.0, 1.0], &[0.0]), 1);
    }
}
