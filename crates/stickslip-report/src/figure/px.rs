//! Lengths on the page, and the sizes of its letters.

use std::fmt::{self, Write};

/// Font size of numbers and short names, px, for a figure 640 px wide: legible at half that width.
pub(crate) const TICK: f64 = 14.5;

/// A length on the page, written with at most two decimals and without a needless zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Px(pub f64);

impl fmt::Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hundredths(f, to_hundredths(self.0))
    }
}

/// Farther than this from the page nothing is seen; it bounds the digits of a coordinate.
const FAR: f64 = 50_000.0;

/// A length in hundredths of a pixel.
pub(super) fn to_hundredths(px: f64) -> i64 {
    (px.clamp(-FAR, FAR) * 100.0).round() as i64
}

/// Writes so many hundredths as a decimal number.
pub(super) fn hundredths(f: &mut impl Write, n: i64) -> fmt::Result {
    if n < 0 {
        f.write_char('-')?;
    }
    let n = n.unsigned_abs();
    let whole = n / 100;
    let part = n % 100;
    if whole > 0 || part == 0 {
        write!(f, "{whole}")?;
    }
    match (part / 10, part % 10) {
        (0, 0) => Ok(()),
        (a, 0) => write!(f, ".{a}"),
        (a, b) => write!(f, ".{a}{b}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let all: Vec<String> =
            [0.0, -0.001, 0.5, -0.25, 12.0, 2.71428, 1e300, -7.1].map(|v| Px(v).to_string()).into();
        assert_eq!(all, ["0", "0", ".5", "-.25", "12", "2.71", "50000", "-7.1"]);
    }
}
