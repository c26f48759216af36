//! A number that was found, how sure it is, or why it cannot be known.

use crate::statistics::stats::student;
use serde::Serialize;

/// An interval whose ends differ by more than this factor says nothing.
pub(crate) const VAGUE: f64 = 3.0;

/// One parameter. `value` is `None` exactly when `identifiable` is false, and then `reason` says why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    /// The value.
    pub value: Option<f64>,
    /// Its unit.
    pub unit: &'static str,
    /// Standard error.
    pub stderr: Option<f64>,
    /// 95 % confidence interval.
    pub ci95: Option<[f64; 2]>,
    /// Whether the record fixes it.
    pub identifiable: bool,
    /// Why it does not, or under which assumption it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Estimate {
    /// A value with its standard error; the interval is value ± 1.96 stderr.
    pub fn known(value: f64, stderr: f64, unit: &'static str) -> Self {
        Self::within(value, stderr, [value - 1.96 * stderr, value + 1.96 * stderr], unit)
    }

    /// A value with a standard error that was estimated from few values, `freedom` + 1 that count each for itself: value ± t stderr,
    /// with Student's t for the whole part of it.
    pub(crate) fn of_few(value: f64, stderr: f64, freedom: f64, unit: &'static str) -> Self {
        let half = student(freedom as usize) * stderr;
        Self::within(value, stderr, [value - half, value + half], unit)
    }

    /// A value with its standard error and an interval of its own; the interval is widened to hold
    /// the value.
    pub fn within(value: f64, stderr: f64, [low, high]: [f64; 2], unit: &'static str) -> Self {
        // An interval from a profile or a bootstrap may stand to one side of the value.
        let ci95 = Some([low.min(value), high.max(value)]);
        let (value, stderr) = (Some(value), Some(stderr));
        Self { value, unit, stderr, ci95, identifiable: true, reason: None }
    }

    /// Unknown, with the interval as the reason, where its ends differ by a factor of more than three, or in sign.
    pub(crate) fn unless_vague(self) -> Self {
        let Some([low, high]) = self.ci95 else { return self };
        let (near, far) = (low.abs().min(high.abs()), low.abs().max(high.abs()));
        // Ends of different sign, or one at zero, do not even tell whether there is anything.
        if low * high > 0.0 && far <= VAGUE * near {
            return self;
        }
        let said = format!(
            "the record says no more than that it lies between {low:.3e} and {high:.3e} {}",
            self.unit
        );
        Self::unknown(self.unit, said)
    }

    /// No value, and why.
    pub fn unknown(unit: &'static str, reason: impl Into<String>) -> Self {
        let reason = Some(reason.into());
        Self { value: None, unit, stderr: None, ci95: None, identifiable: false, reason }
    }
}
