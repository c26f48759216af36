//! Correct digits.

/// Digits that a double can have.
pub(crate) const MOST_DIGITS: f64 = 16.0;

/// −log₁₀ of an error relative to `scale` (where that is zero, of the error itself).
pub(crate) fn digits(error: f64, scale: f64) -> f64 {
    let relative = if scale > 0.0 { error.abs() / scale } else { error.abs() };
    match relative {
        r if r.is_nan() => 0.0,
        r if r <= 0.0 => MOST_DIGITS,
        // An error as large as the scale has −0 digits, which is 0.
        r => (-r.log10()).clamp(0.0, MOST_DIGITS) + 0.0,
    }
}
