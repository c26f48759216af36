//! Many runs side by side: parameters over a grid.

use crate::error::{Error, require};

/// The values of one parameter: `count` of them, equally spaced from `from` to `to`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// First value.
    pub from: f64,
    /// Last value.
    pub to: f64,
    /// How many, ends included; 1: only the first.
    pub count: usize,
}

impl Span {
    /// Checks the numbers.
    pub fn check(&self) -> Result<(), Error> {
        require("the first value of the sweep", self.from, true, "a finite number")?;
        require("the last value of the sweep", self.to, true, "a finite number")?;
        require("the number of values", self.count as f64, self.count > 0, "1 or more")
    }

    /// Value number `i`; the last is `to` itself.
    pub fn value(&self, i: usize) -> f64 {
        if i > 0 && i + 1 == self.count {
            return self.to;
        }
        let last = self.count.saturating_sub(1).max(1) as f64;
        self.from + (self.to - self.from) * (i as f64 / last)
    }
}

/// `work(0)` … `work(count − 1)` in that order, over all cores with the feature `parallel`. Each
/// result depends on its number alone, so neither cores nor schedule change any.
pub fn each<T: Send, E: Send>(
    count: usize,
    work: impl Fn(usize) -> Result<T, E> + Send + Sync,
) -> Result<Vec<T>, E> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        (0..count).into_par_iter().map(work).collect()
    }
    #[cfg(not(feature = "parallel"))]
    {
        (0..count).map(work).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_include_both_ends_and_results_come_in_order() {
        let span = Span { from: -1.0, to: 0.7, count: 18 };
        assert_eq!((span.value(0), span.value(17)), (-1.0, 0.7));
        assert!((span.value(10) - 0.0).abs() < 1e-15);
        assert_eq!(Span { from: 2.0, to: 9.0, count: 1 }.value(0), 2.0);
        assert!(Span { from: 0.0, to: f64::NAN, count: 3 }.check().is_err());
        assert!(Span { from: 0.0, to: 1.0, count: 0 }.check().is_err());
        let squares = each(100, |i| Ok::<_, ()>(i * i)).unwrap();
        assert!(squares.into_iter().eq((0..100).map(|i| i * i)));
        assert_eq!(each(10, |i| if i == 7 { Err("seven") } else { Ok(i) }), Err("seven"));
    }
}
