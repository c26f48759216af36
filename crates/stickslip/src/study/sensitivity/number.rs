//! A number of a model that changes.

/// From which sides of a number its model can be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    /// From both.
    Both,
    /// From above only: a smaller number is outside its range.
    Above,
    /// From below only.
    Below,
}

/// A number of a model, by models in which it is a little different: differences of what the model says of itself (a mass, a
/// force, a signal) give the derivatives of these with respect to the number. They are exact where the number enters
/// linearly, and of order h⁴ elsewhere; no motion is ever differenced.
///
/// ```
/// use stickslip::study::sensitivity::{Number, Sides};
/// use stickslip::{Error, Law, Oscillator};
/// let model = |force: f64| Ok::<_, Error>(Oscillator::new(1.0, 4.0, Law::coulomb(force)?));
/// let number = Number::around(0.3, model)?;
/// assert_eq!(number.sides(), Sides::Both);
/// // At 0 N only a greater friction is a model.
/// assert_eq!(Number::around(0.0, model)?.sides(), Sides::Above);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Number<M> {
    /// Weights, and pairs whose difference they weigh; `None` stands for the model itself.
    pairs: Vec<(f64, M, Option<M>)>,
    sides: Sides,
}

impl<M> Number<M> {
    /// The number that is `value` in a model; `model` makes it with another one.
    ///
    /// # Errors
    /// That of `model` where neither greater nor smaller numbers make one.
    pub fn around<E>(value: f64, model: impl FnMut(f64) -> Result<M, E>) -> Result<Self, E> {
        Self::near(value, 1.0, model)
    }

    /// The same by models that are so many times as far away; by a power of two no digit is lost.
    ///
    /// # Errors
    /// Those of [`around`](Self::around).
    #[doc(hidden)]
    pub fn near<E>(
        value: f64,
        by: f64,
        mut model: impl FnMut(f64) -> Result<M, E>,
    ) -> Result<Self, E> {
        // A power of two, so that no digit of the value is lost when it is added.
        let h = match value.abs() {
            0.0 => by * STEP,
            size => by * STEP * f64::from_bits(size.to_bits() & EXPONENT).max(f64::MIN_POSITIVE),
        };
        let mut at = |k: f64| model(value + k * h);
        if let (Ok(a), Ok(b), Ok(c), Ok(d)) = (at(-2.0), at(-1.0), at(1.0), at(2.0)) {
            let pairs = vec![(8.0 / (12.0 * h), c, Some(b)), (-1.0 / (12.0 * h), d, Some(a))];
            return Ok(Self { pairs, sides: Sides::Both });
        }
        let mut last = None;
        for (sign, sides) in [(1.0, Sides::Above), (-1.0, Sides::Below)] {
            let found: Result<Vec<_>, E> = AHEAD
                .iter()
                .enumerate()
                .map(|(i, w)| Ok((sign * w / (12.0 * h), at(sign * (i + 1) as f64)?, None)))
                .collect();
            match found {
                Ok(pairs) => return Ok(Self { pairs, sides }),
                Err(e) => last = Some(e),
            }
        }
        // The loop has run twice, so there is an error.
        last.map_or_else(|| Ok(Self { pairs: Vec::new(), sides: Sides::Both }), Err)
    }

    /// A number that enters linearly, by the model in which it is greater by `more`.
    pub(super) fn linear(more: f64, model: M) -> Self {
        Self { pairs: vec![(1.0 / more, model, None)], sides: Sides::Both }
    }

    /// From which sides the number can be looked at. From one side only, derivatives are those on that side.
    pub fn sides(&self) -> Sides {
        self.sides
    }

    /// The models in which it is different.
    pub fn models(&self) -> impl Iterator<Item = &M> {
        self.pairs.iter().flat_map(|(_, a, b)| std::iter::once(a).chain(b))
    }

    /// The same number of something that the models have.
    pub fn of<'a, N>(&'a self, part: impl Fn(&'a M) -> Option<N>) -> Option<Number<N>> {
        let pair = |(w, a, b): &'a (f64, M, Option<M>)| {
            let b = match b {
                Some(b) => Some(part(b)?),
                None => None,
            };
            Some((*w, part(a)?, b))
        };
        let pairs = self.pairs.iter().map(pair).collect::<Option<_>>()?;
        Some(Number { pairs, sides: self.sides })
    }

    /// The weights, and the pairs of models whose difference they weigh; nothing stands for the model itself.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (f64, &M, Option<&M>)> {
        self.pairs.iter().map(|(w, a, b)| (*w, a, b.as_ref()))
    }

    /// The derivative of what `of` says of a model with respect to the number; `own` is the model itself.
    pub(super) fn rate(&self, own: &M, of: impl Fn(&M) -> f64) -> f64 {
        let pair = |(w, a, b): &(f64, M, Option<M>)| w * (of(a) - of(b.as_ref().unwrap_or(own)));
        self.pairs.iter().map(pair).sum()
    }
}

/// The bits of a number that say which power of two is below it.
const EXPONENT: u64 = 0x7FF0_0000_0000_0000;
/// How far the models are apart, relative to the number.
const STEP: f64 = 1.0 / 1024.0;
/// Weights, times 12 h, of the differences to the number itself at 1 h … 4 h to one side.
const AHEAD: [f64; 4] = [48.0, -36.0, 16.0, -3.0];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_those_of_order_four() {
        for value in [0.0, 0.7, -3.0, 1e-6, 2e5] {
            let number = Number::around(value, Ok::<f64, ()>).unwrap();
            let h = if value == 0.0 { 1.0 } else { value };
            // Exact up to x⁴.
            let rate = number.rate(&value, |x| (x / h).powi(4) + 3.0 * x);
            let exact = 4.0 * (value / h).powi(3) / h + 3.0;
            assert!((rate - exact).abs() < 1e-11 * exact.abs(), "{value}: {rate} {exact}");
            assert_eq!(number.rate(&value, |_| 0.1), 0.0);
        }
    }

    #[test]
    fn a_number_at_the_end_of_its_range_is_seen_from_one_side() {
        let above = |x: f64| if x >= 2.0 { Ok(x) } else { Err("too small") };
        let below = |x: f64| if x <= 2.0 { Ok(x) } else { Err("too large") };
        let above = Number::around(2.0, above);
        let below = Number::around(2.0, below);
        for (number, sides) in [(above, Sides::Above), (below, Sides::Below)] {
            let number = number.unwrap();
            assert_eq!(number.sides(), sides);
            assert!((number.rate(&2.0, |x| x.powi(4)) - 32.0).abs() < 1e-10);
            assert_eq!(number.rate(&2.0, |_| 0.1), 0.0);
        }
        assert_eq!(
            Number::around(2.0, |x| if x == 2.0 { Ok(x) } else { Err(x) }).unwrap_err(),
            1.998046875
        );
    }
}
