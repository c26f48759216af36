//! Numbers as text.

/// The shortest text that reads back to the same f64, with an exponent where that is shorter.
pub fn exact(x: f64) -> String {
    format!("{x:?}")
}
