//! Numbers of messages.

use std::fmt;

/// A number as messages print it: to six digits, without zeros at the end.
///
/// ```
/// use stickslip::error::Short;
/// assert_eq!([2.0 / 3.0, 1.5, 2e-7].map(|x| Short(x).to_string()), ["0.666667", "1.5", "2e-7"]);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Short(pub f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        let text = format!("{:.5e}", self.0);
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        if size != 0.0 && !(1e-4..1e6).contains(&size) {
            return write!(f, "{}e{exponent}", without_zeros(digits));
        }
        let first: i32 = exponent.parse().unwrap_or(0);
        let text = format!("{:.1$}", self.0, (5 - first).max(0) as usize);
        f.write_str(without_zeros(&text))
    }
}

/// The same without zeros at the end.
fn without_zeros(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}
