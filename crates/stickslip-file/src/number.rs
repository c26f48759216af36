//! Numbers as text.

/// The shortest text that reads back to the same f64, with an exponent where that is shorter.
pub fn exact(x: f64) -> String {
    format!("{x:?}")
}

/// For messages: six significant digits at most.
pub fn short(x: f64) -> String {
    let rounded = format!("{x:.5e}").parse().unwrap_or(x);
    exact(rounded)
}

/// For tables that people read: `decimals` places where that shows the number well, and otherwise
/// an exponent.
pub fn readable(x: f64, decimals: usize) -> String {
    let size = x.abs();
    if size == 0.0 || (1e-3..1e9).contains(&size) {
        format!("{x:.decimals$}")
    } else {
        format!("{x:.decimals$e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_numbers_keep_their_digits() {
        assert_eq!(readable(-9.5, 3), "-9.500");
        assert_eq!(readable(0.0, 3), "0.000");
        assert_eq!(readable(2.5e-7, 2), "2.50e-7");
        assert_eq!(readable(1.89e12, 1), "1.9e12");
        assert_eq!(
            ["34.825", "40.0", "0.1"].map(str::to_owned),
            [34.824_982_368_307_6, 40.0, 0.1].map(short)
        );
        assert_eq!([short(1.0 / 3.0), short(3.605_8e-11)], ["0.333333", "3.6058e-11"]);
        assert!(exact(0.1 + 0.2).parse() == Ok(0.1 + 0.2));
    }
}
