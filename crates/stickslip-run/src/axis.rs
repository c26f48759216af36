//! A number of a file that is varied, and the values that it takes.

use crate::input::Input;
use serde::{Deserialize, Deserializer};
use stickslip::study::sweep::Span;
use stickslip_file::{Document, ModelFile, Override, Reading, Result, Value, in_si, joined};

/// What messages call the place where a key was given, if the caller does not say.
pub(crate) const PLACE: &str = "values given";

/// A number of the file and the values that it takes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(from = "(String, Vec<f64>)")]
pub struct Axis {
    /// The key, from the top of the document: `oscillator.stiffness`. Several that take the same number are joined by `+`.
    pub key: String,
    /// Its values.
    pub values: Values,
    /// What messages call the place where the key was given.
    pub place: String,
    /// The ends of the range as they were written, if they have units.
    pub written: Option<[String; 2]>,
}

impl From<(String, Vec<f64>)> for Axis {
    fn from((key, values): (String, Vec<f64>)) -> Self {
        Self::new(key, values)
    }
}

impl Axis {
    /// A key and the values that it takes.
    pub fn new(key: impl Into<String>, values: impl Into<Values>) -> Self {
        Self { key: key.into(), values: values.into(), place: PLACE.to_owned(), written: None }
    }

    /// Reads `key.path=from:to:count`; `from` and `to` may have units.
    pub fn parse(text: &str) -> Option<Self> {
        let (key, span) = text.split_once('=')?;
        let Range { ends: [from, to], count, written } = range_of(span)?;
        let span = Span { from, to, count: count? };
        Some(Self { written, ..Self::new(key.trim(), span) })
    }

    /// Checks that the units that its ends are written with are units of its number.
    ///
    /// # Errors
    /// Where they are units of something else, or the model with these numbers is wrong.
    pub(crate) fn check_units(&self, input: &Input<'_>) -> Result<()> {
        let at = (self.place.as_str(), self.key.as_str());
        check_units(input.document, input.reading, at, self.written.as_ref())
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

/// Reads the model with each of the ends that were written with units, for what it says of them.
pub(crate) fn check_units(
    document: &Document,
    reading: &Reading,
    (place, key): (&str, &str),
    written: Option<&[String; 2]>,
) -> Result<()> {
    for text in written.into_iter().flatten() {
        let mut document = document.clone();
        for key in joined(key) {
            document.apply(&Override::of(place, key, Value::from(text.as_str()))?)?;
        }
        ModelFile::read(&document, reading)?;
    }
    Ok(())
}

/// A range as it is written.
pub(crate) struct Range {
    /// The first and the last value, in SI units.
    pub ends: [f64; 2],
    /// How many values.
    pub count: Option<usize>,
    /// The ends, if they have units.
    pub written: Option<[String; 2]>,
}

/// Reads `from:to`, and `:count` after it if it is there. With units both ends have one, or the other one is 0.
pub(crate) fn range_of(text: &str) -> Option<Range> {
    let parts: Vec<&str> = text.split(':').map(str::trim).collect();
    let (from, to, count) = match *parts.as_slice() {
        [from, to] => (from, to, None),
        [from, to, count] => (from, to, Some(count.parse().ok()?)),
        _ => return None,
    };
    let plain = [from, to].map(|t| t.parse::<f64>().ok());
    if let [Some(from), Some(to)] = plain {
        return Some(Range { ends: [from, to], count, written: None });
    }
    let value = |i: usize, text: &str| plain[i].filter(|x| *x == 0.0).or_else(|| in_si(text));
    let ends = [value(0, from)?, value(1, to)?];
    // A zero without a unit is written as the number that it is.
    let as_given =
        |i: usize, text: &str| if plain[i].is_some() { [from, to][1 - i] } else { text }.to_owned();
    let written = Some([as_given(0, from), as_given(1, to)]);
    Some(Range { ends, count, written })
}

/// Reads `from:to:count`.
///
/// # Errors
/// What was expected.
pub fn span_of(text: &str) -> std::result::Result<Span, String> {
    let plain = range_of(text).filter(|r| r.written.is_none());
    let found = plain
        .and_then(|Range { ends: [from, to], count, .. }| Some(Span { from, to, count: count? }));
    found.ok_or_else(|| "expected FROM:TO:COUNT, as in -2:2:201".to_owned())
}

/// A span as `[FROM, TO, COUNT]`.
pub(crate) fn span<'de, D: Deserializer<'de>>(
    from: D,
) -> std::result::Result<Option<Span>, D::Error> {
    let ends = Option::<(f64, f64, usize)>::deserialize(from)?;
    Ok(ends.map(|(from, to, count)| Span { from, to, count }))
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

    /// The edges of cells that are centred on the values, for a map.
    pub(crate) fn edges(&self) -> (f64, f64) {
        let (from, to) = self.ends();
        let half = 0.5 * (to - from) / self.count().saturating_sub(1).max(1) as f64;
        let half = if half == 0.0 { 0.5 } else { half };
        (from - half, to + half)
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
