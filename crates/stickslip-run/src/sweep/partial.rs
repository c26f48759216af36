//! What was measured at some points of a sweep, to be merged with the others.

use crate::axis::Axis;
use crate::export::sweep::{Measured, Swept};
use crate::heading::Heading;
use crate::partial::{self, Content, Share, Whole};
use crate::product::{Lazy, Product};
use crate::summary::Head;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ops::Range;
use stickslip_file::Result;

/// The content of a partial result of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SomePoints {
    /// The model with every default filled in, as it is at the first point of the sweep.
    pub model: Value,
    /// The scheme's name.
    pub scheme: String,
    /// Seed of whatever is random.
    pub seed: u64,
    /// What the sweep says of itself.
    pub about: Value,
    /// Heading of figures.
    pub title: String,
    /// The numbers that vary and all their values; the first varies fastest.
    pub axes: Vec<(String, Vec<f64>)>,
    /// What the result should not be read without.
    pub warnings: Vec<String>,
    /// The points of the model, by their names.
    pub names: Vec<String>,
    /// Which points of the sweep.
    pub range: Range<u64>,
    /// What was measured at each; nothing for what is not a number.
    pub rows: Vec<Vec<Option<f64>>>,
}

impl SomePoints {
    /// The product of part `part`.
    pub(super) fn product(self, part: &str, seconds: f64) -> Product {
        let head = Head::of("sweep", &self.model, &self.scheme, self.seed)
            .after(seconds)
            .warning(&self.warnings);
        let range = [self.range.start, self.range.end];
        let summary = head.with(self.about.clone()).as_object().map_or(Value::Null, |all| {
            let mut all = all.clone();
            all.insert("part".to_owned(), json!(part));
            all.insert("range".to_owned(), json!(range));
            Value::Object(all)
        });
        let text =
            format!("part {part}: {} points; merge all parts for the table\n", self.rows.len());
        Product::new(summary, Lazy::ready(text))
            .document("partial", move || partial::written(&self))
    }
}

impl Content for SomePoints {
    const WHOLE: Whole = Whole::Sweep;

    fn damage(&self) -> Option<String> {
        let Range { start, end } = self.range;
        let whole = start <= end && end <= self.count() && end - start == self.rows.len() as u64;
        let width = Swept::width(Measured::of(&self.model), &self.names);
        let whole = whole && self.rows.iter().all(|r| r.len() == width);
        (!whole).then(|| "its list of points is not whole".to_owned())
    }
}

impl Share for SomePoints {
    const ITEMS: &'static str = "points";

    fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    fn count(&self) -> u64 {
        self.axes.iter().map(|a| a.1.len() as u64).product()
    }

    fn is_of_one_whole_with(&self, other: &Self) -> bool {
        *self == Self { range: self.range.clone(), rows: self.rows.clone(), ..other.clone() }
    }

    fn append(&mut self, next: Self) {
        self.range.end = next.range.end;
        self.rows.extend(next.rows);
    }
}

/// Puts partial results of a sweep together.
///
/// # Errors
/// Where they are not of one sweep, and where points are missing or come twice.
pub(crate) fn merged(parts: Vec<(String, SomePoints)>) -> Result<Product> {
    let whole = partial::joined(parts)?;
    let head = Head::of("merge", &whole.model, &whole.scheme, whole.seed).warning(&whole.warnings);
    let summary = head.with(whole.about.clone());
    let axes: Vec<Axis> =
        whole.axes.iter().map(|(k, v)| Axis::new(k.as_str(), v.clone())).collect();
    let number = |row: Vec<Option<f64>>| row.into_iter().map(|x| x.unwrap_or(f64::NAN)).collect();
    let rows = whole.rows.into_iter().map(number).collect();
    let measured = Measured::of(&whole.model);
    let heading = Heading::of_resolved(&whole.model);
    Ok(Swept::of_rows(heading, axes, (measured, rows), &whole.names).product(summary))
}
