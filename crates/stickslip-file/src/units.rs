//! Units by their names in files, and durations.

use crate::diagnostic::{Diagnostic, Result};
use crate::place::Placed;

/// Units of time, in s.
pub const TIMES: [(&str, f64); 7] = [
    ("s", 1.0),
    ("min", 60.0),
    ("h", 3600.0),
    ("d", 86_400.0),
    ("ms", 1e-3),
    ("us", 1e-6),
    ("ns", 1e-9),
];

/// Units of length, in m.
pub const LENGTHS: [(&str, f64); 8] = [
    ("m", 1.0),
    ("cm", 1e-2),
    ("mm", 1e-3),
    ("um", 1e-6),
    ("µm", 1e-6),
    ("in", 0.0254),
    ("ft", 0.3048),
    ("mil", 2.54e-5),
];

/// What it takes to make degrees Celsius: a factor and what is added before it.
pub const TEMPERATURES: [(&str, (f64, f64)); 7] = [
    ("°C", (1.0, 0.0)),
    ("C", (1.0, 0.0)),
    ("degC", (1.0, 0.0)),
    ("K", (1.0, -273.15)),
    ("°F", (5.0 / 9.0, -32.0)),
    ("F", (5.0 / 9.0, -32.0)),
    ("degF", (5.0 / 9.0, -32.0)),
];

/// `6h`, `30 min`: seconds.
pub fn duration(text: &Placed<String>) -> Result<f64> {
    seconds_in(&text.value).map_err(|(m, h)| Diagnostic::at(&text.place, m).help(h))
}

/// A duration as text in seconds.
///
/// # Errors
/// A message and its remedy.
pub fn seconds_in(text: &str) -> std::result::Result<f64, (String, String)> {
    signed_seconds(text).filter(|s| *s > 0.0).ok_or_else(|| no_duration(text, "a number > 0"))
}

/// The length of windows and the step between them as text, `30d` or `30d:7d`, in seconds. Without a step they do not
/// overlap.
///
/// # Errors
/// What is wrong with it.
pub fn windows_in(text: &str) -> std::result::Result<(f64, f64), String> {
    let (length, step) = text.split_once(':').unwrap_or((text, text));
    let seconds = |part: &str| seconds_in(part).map_err(|(m, _)| m);
    Ok((seconds(length)?, seconds(step)?))
}

/// `-1h`, `90 s`: seconds of either sign.
pub fn shift(text: &Placed<String>) -> Result<f64> {
    signed_seconds(&text.value).ok_or_else(|| {
        let (m, h) = no_duration(&text.value, "a number");
        Diagnostic::at(&text.place, m).help(h)
    })
}

fn no_duration(text: &str, number: &str) -> (String, String) {
    let text = text.trim();
    (
        format!("`{text}` is not a duration; expected {number} and a unit: s, min, h or d"),
        "write it as \"6h\" or \"30 min\"".to_owned(),
    )
}

fn signed_seconds(text: &str) -> Option<f64> {
    let s = text.trim();
    let split = s.find(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E'));
    let (number, unit) = s.split_at(split.unwrap_or(s.len()));
    let unit = TIMES.iter().find(|u| u.0 == unit.trim())?.1;
    number.trim().parse::<f64>().ok().map(|n| n * unit).filter(|s| s.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_number_and_a_unit() {
        assert_eq!(seconds_in("6h"), Ok(21_600.0));
        assert_eq!(seconds_in(" 30 min "), Ok(1800.0));
        assert_eq!(signed_seconds("-1h"), Some(-3600.0));
        for bad in ["", "6", "6 weeks", "0h", "-1h", "inf h", "h"] {
            assert!(seconds_in(bad).is_err(), "{bad}");
        }
    }
}
