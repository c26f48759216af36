//! A number that was computed, beside the number that it should be.

use serde_json::{Value, json};

/// How far from each other they may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tolerance {
    /// |found − expected| ≤ this.
    Absolute(f64),
    /// |found/expected − 1| ≤ this.
    Relative(f64),
    /// found ≤ expected.
    AtMost,
    /// found ≥ expected.
    AtLeast,
    /// Equal, as counts are.
    Equal,
}

/// One line of a verdict.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// What was computed.
    pub what: String,
    /// What it should be.
    pub expected: f64,
    /// Where that comes from: the paper, a closed form, another scheme, …
    pub source: &'static str,
    /// What came out.
    pub found: f64,
    /// How far apart they may be.
    pub tolerance: Tolerance,
}

impl Verdict {
    /// Whether the two agree; NaN agrees with nothing.
    pub fn holds(&self) -> bool {
        let e = self.expected;
        let f = self.found;
        match self.tolerance {
            Tolerance::Absolute(d) => (f - e).abs() <= d,
            Tolerance::Relative(r) => (f - e).abs() <= r * e.abs(),
            Tolerance::AtMost => f <= e,
            Tolerance::AtLeast => f >= e,
            Tolerance::Equal => f == e,
        }
    }

    /// `± 10^{−3}`, `≤`, …
    pub fn allowed(&self) -> String {
        match self.tolerance {
            Tolerance::Absolute(d) => format!("± {}", number(d)),
            Tolerance::Relative(r) if r >= 1e-3 => format!("± {} %", number(100.0 * r)),
            Tolerance::Relative(r) => format!("± {}, relative", number(r)),
            Tolerance::AtMost => "at most".to_owned(),
            Tolerance::AtLeast => "at least".to_owned(),
            Tolerance::Equal => "equal".to_owned(),
        }
    }

    /// For `summary.json`.
    pub fn json(&self) -> Value {
        let (kind, size) = match self.tolerance {
            Tolerance::Absolute(d) => ("absolute", Some(d)),
            Tolerance::Relative(r) => ("relative", Some(r)),
            Tolerance::AtMost => ("at most", None),
            Tolerance::AtLeast => ("at least", None),
            Tolerance::Equal => ("equal", None),
        };
        json!({
            "what": self.what,
            "expected": self.expected,
            "source": self.source,
            "found": self.found,
            "tolerance": { "kind": kind, "size": size },
            "holds": self.holds(),
        })
    }
}

/// As many digits as people compare: twelve, without what follows the last that matters.
pub fn number(x: f64) -> String {
    let size = x.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e7).contains(&size) {
        let text = format!("{x:.3e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let mantissa = trim(mantissa);
        return match mantissa {
            "1" => format!("10^{{{exponent}}}"),
            _ => format!("{mantissa}×10^{{{exponent}}}"),
        }
        .replace('-', "−");
    }
    let decimals = (11 - size.log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { trim(&text).to_owned() } else { text }.replace('-', "−")
}

fn trim(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(expected: f64, found: f64, tolerance: Tolerance) -> bool {
        Verdict { what: String::new(), expected, source: "", found, tolerance }.holds()
    }

    #[test]
    fn agreement_has_two_sides_and_no_nan() {
        assert!(verdict(2.0, 2.1, Tolerance::Absolute(0.2)));
        assert!(!verdict(2.0, 1.7, Tolerance::Absolute(0.2)));
        assert!(verdict(-2.0, -2.1, Tolerance::Relative(0.06)));
        assert!(!verdict(-2.0, -1.8, Tolerance::Relative(0.06)));
        assert!(verdict(1.0, 0.0, Tolerance::AtMost) && !verdict(1.0, 0.0, Tolerance::AtLeast));
        assert!(verdict(3.0, 3.0, Tolerance::Equal) && !verdict(3.0, 4.0, Tolerance::Equal));
        for t in [Tolerance::Absolute(1.0), Tolerance::Relative(1.0), Tolerance::AtMost] {
            assert!(!verdict(1.0, f64::NAN, t));
        }
    }

    #[test]
    fn numbers_are_short() {
        let all = [0.0, 1.0, -0.5, 1e-12, 12.345678901234, 2.5e-7, 1.89e8].map(number);
        assert_eq!(
            all,
            ["0", "1", "−0.5", "10^{−12}", "12.3456789012", "2.5×10^{−7}", "1.89×10^{8}"]
        );
    }
}
