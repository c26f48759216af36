//! A number of a file that is varied, and the values that it takes.

use stickslip::study::sweep::Span;
use stickslip_file::Result;

/// What messages call the place where a key was given, if the caller does not say.
pub(crate) const PLACE: &str = "values given";

/// A number of the file and the values that it takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The key, from the top of the document: `oscillator.stiffness`.
    pub key: String,
    /// Its values.
    pub values: Values,
    /// What messages call the place where the key was given.
    pub place: String,
}

impl Axis {
    /// A key and the values that it takes.
    pub fn new(key: impl Into<String>, values: impl Into<Values>) -> Self {
        Self { key: key.into(), values: values.into(), place: PLACE.to_owned() }
    }

    /// Reads `key.path=from:to:count`.
    pub fn parse(text: &str) -> Option<Self> {
        let (key, span) = text.split_once('=')?;
        Some(Self::new(key.trim(), span_of(span).ok()?))
    }

    /// With another name in messages for the place where the key was given.
    #[must_use]
    pub fn given_at(self, place: impl Into<String>) -> Self {
        Self { place: place.into(), ..self }
    }

    /// The place where the key was given, the key, and its first value.
    pub(crate) fn given(&self) -> (&str, &str, f64) {
        let first = if self.values.count() > 0 { self.values.value(0) } else { 0.0 };
        (&self.place, &self.key, first)
    }
}

/// Reads `from:to`, and `:count` after it if it is there.
pub(crate) fn range_of(text: &str) -> Option<([f64; 2], Option<usize>)> {
    let parts: Vec<&str> = text.split(':').map(str::trim).collect();
    let (from, to, count) = match *parts.as_slice() {
        [from, to] => (from, to, None),
        [from, to, count] => (from, to, Some(count.parse().ok()?)),
        _ => return None,
    };
    Some(([from.parse().ok()?, to.parse().ok()?], count))
}

/// Reads `from:to:count`.
///
/// # Errors
/// What was expected.
pub fn span_of(text: &str) -> std::result::Result<Span, String> {
    let found =
        range_of(text).and_then(|([from, to], count)| Some(Span { from, to, count: count? }));
    found.ok_or_else(|| "expected FROM:TO:COUNT, as in -2:2:201".to_owned())
}

/// The values at point `i` of a grid; the first number varies fastest.
pub(crate) fn at(axes: &[Axis], mut i: usize) -> Vec<f64> {
    let value = |axis: &Axis| {
        let value = axis.values.value(i % axis.values.count());
        i /= axis.values.count();
        value
    };
    axes.iter().map(value).collect()
}

/// The values of one number.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Values {
    /// Equally spaced.
    Span(Span),
    /// One by one.
    Listed(Vec<f64>),
}

impl From<Span> for Values {
    fn from(span: Span) -> Self {
        Self::Span(span)
    }
}

impl From<Vec<f64>> for Values {
    fn from(values: Vec<f64>) -> Self {
        Self::Listed(values)
    }
}

impl Values {
    /// How many.
    pub fn count(&self) -> usize {
        match self {
            Self::Span(span) => span.count,
            Self::Listed(values) => values.len(),
        }
    }

    /// Value number `i`.
    pub fn value(&self, i: usize) -> f64 {
        match self {
            Self::Span(span) => span.value(i),
            Self::Listed(values) => values[i],
        }
    }

    /// The first and the last.
    pub fn ends(&self) -> (f64, f64) {
        (self.value(0), self.value(self.count().saturating_sub(1)))
    }

    /// Checks the numbers.
    ///
    /// # Errors
    /// If one of them is not finite, or there are none.
    pub fn check(&self) -> Result<(), stickslip::Error> {
        match self {
            Self::Span(span) => span.check(),
            Self::Listed(values) => {
                // One by one, and their number.
                let mut all = values.iter().map(|&x| Span { from: x, to: x, count: 1 });
                let none = Span { from: 0.0, to: 0.0, count: values.len() };
                all.try_for_each(|s| s.check())?;
                none.check()
            }
        }
    }
}
