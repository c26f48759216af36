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

/// A factor and a unit in which numbers up to `size` of a unit of SI read well: mm, kN and kN/mm where they are usual.
fn readable(size: f64, unit: &'static str) -> (f64, &'static str) {
    match unit {
        "m" if size < 1.0 => (1e3, "mm"),
        "N" if size >= 1e3 => (1e-3, "kN"),
        "N/m" if size >= 1e6 => (1e-6, "kN/mm"),
        "m/K" => (1e3, "mm/°C"),
        unit => (1.0, unit),
    }
}

/// A number to three digits, or one that is shorter.
pub(crate) fn digits(x: f64) -> String {
    let rounded: f64 = format!("{x:.2e}").parse().unwrap_or(x);
    if rounded != 0.0 && !(1e-3..1e5).contains(&rounded.abs()) {
        return format!("{rounded:e}");
    }
    rounded.to_string()
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
        let value = Some(value);
        let stderr = Some(stderr);
        Self { value, unit, stderr, ci95, identifiable: true, reason: None }
    }

    /// Unknown, with the interval as the reason, where its ends differ by a factor of more than three, or in sign.
    pub(crate) fn unless_vague(self) -> Self {
        let Some([low, high]) = self.ci95 else { return self };
        let near = low.abs().min(high.abs());
        let far = low.abs().max(high.abs());
        // Ends of different sign, or one at zero, do not even tell whether there is anything.
        if low * high > 0.0 && far <= VAGUE * near {
            return self;
        }
        let (factor, unit) = readable(far, self.unit);
        let low = digits(factor * low);
        let high = digits(factor * high);
        let high = if unit == "1" { high } else { format!("{high} {unit}") };
        let said = format!("the record shows only that it lies between {low} and {high}");
        Self::unknown(self.unit, said)
    }

    /// Whether the value of another estimate lies outside of this interval.
    pub(crate) fn excludes(&self, other: &Self) -> bool {
        let both = self.ci95.zip(other.value);
        both.is_some_and(|([low, high], value)| value < low || value > high)
    }

    /// Widens the interval by how far the value of another fit of the same record is away: like an error of its own, independent of those that
    /// the record shows.
    pub(crate) fn reach(&mut self, other: &Self) {
        let (Some(value), Some(there)) = (self.value, other.value) else { return };
        let by = there - value;
        self.stderr = self.stderr.map(|s| (s * s + by * by).sqrt());
        self.ci95 = self.ci95.map(|[low, high]| [low + by.min(0.0), high + by.max(0.0)]);
    }

    /// No value, and why.
    pub fn unknown(unit: &'static str, reason: impl Into<String>) -> Self {
        let reason = Some(reason.into());
        Self { value: None, unit, stderr: None, ci95: None, identifiable: false, reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vague_interval_is_said_in_units_that_people_read() {
        let said = |low, high, unit| {
            let vague = Estimate::within(low, 1.0, [low, high], unit).unless_vague();
            vague.reason.unwrap()
        };
        let more = "the record shows only that it lies between";
        assert_eq!(said(6.59e-4, 3.567e-3, "m"), format!("{more} 0.659 and 3.57 mm"));
        assert_eq!(said(-1.2e4, 4.704e5, "N"), format!("{more} -12 and 470 kN"));
        assert_eq!(said(1.5e6, 2.0e7, "N/m"), format!("{more} 1.5 and 20 kN/mm"));
        assert_eq!(said(1e-7, 0.5, "1"), format!("{more} 1e-7 and 0.5"));
    }

    #[test]
    fn an_interval_within_a_factor_of_three_is_kept() {
        let kept = Estimate::within(2.0, 0.5, [1.0, 3.0], "m").unless_vague();
        assert_eq!(kept.value, Some(2.0));
        assert_eq!(Estimate::within(2.0, 0.5, [1.0, 3.1], "m").unless_vague().value, None);
    }
}
