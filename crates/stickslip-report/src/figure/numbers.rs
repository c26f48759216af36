//! Numbers to be drawn and their ranges.

use std::borrow::Cow;

/// Numbers that a panel borrows or owns.
pub(crate) type Numbers<'a> = Cow<'a, [f64]>;

/// Least and greatest finite number.
pub(crate) fn range(values: &[f64]) -> Option<(f64, f64)> {
    values.iter().filter(|v| v.is_finite()).fold(None, |r, &v| join(r, Some((v, v))))
}

/// The range over both.
pub(crate) fn join(a: Option<(f64, f64)>, b: Option<(f64, f64)>) -> Option<(f64, f64)> {
    match (a, b) {
        (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
        (a, b) => a.or(b),
    }
}
