//! A part of a sweep, to be merged with the others.

use crate::axis::Axis;
use crate::export::sweep::{Measured, Swept};
use crate::part;
use crate::product::{Lazy, Product};
use crate::summary::Head;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ops::Range;
use stickslip_file::{Diagnostic, Result};

/// What a file of partial results holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partial {
    /// `sweep`.
    pub kind: String,
    /// This program's version.
    pub version: String,
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

/// What the partial result of a sweep calls itself.
pub(crate) const KIND: &str = "sweep";

impl Partial {
    /// Number of points of the whole sweep.
    fn count(&self) -> u64 {
        self.axes.iter().map(|a| a.1.len() as u64).product()
    }

    /// The product of part `part`.
    pub(super) fn product(self, part: &str, seconds: f64) -> Product {
        let how = (self.scheme.as_str(), self.seed);
        let head = Head::of("sweep", &self.model, how, seconds, &self.warnings);
        let range = [self.range.start, self.range.end];
        let summary = head.with(self.about.clone()).as_object().map_or(Value::Null, |all| {
            let mut all = all.clone();
            all.insert("part".to_owned(), json!(part));
            all.insert("range".to_owned(), json!(range));
            Value::Object(all)
        });
        let text =
            format!("part {part}: {} points; merge all parts for the table\n", self.rows.len());
        let written = move || serde_json::to_string(&self).unwrap_or_default() + "\n";
        Product::new(summary, Lazy::ready(text)).document("partial", written)
    }

    /// Reads the text of a file called `name` in messages.
    ///
    /// # Errors
    /// Where it is no partial result of a sweep by this version.
    pub fn read(name: &str, text: &[u8]) -> Result<Self> {
        let partial: Self = part::read(name, text, "a sweep", |p: &Self| &p.version)?;
        let Range { start, end } = partial.range;
        let whole =
            start <= end && end <= partial.count() && end - start == partial.rows.len() as u64;
        let width = Swept::width(&partial.names);
        if !whole || partial.rows.iter().any(|r| r.len() != width) {
            return Err(Diagnostic::new(format!("{name}: its list of points is not whole"))
                .help("the file is damaged: run that part again"));
        }
        Ok(partial)
    }

    fn joined(mut parts: Vec<(String, Self)>) -> Result<Self> {
        // By their first number, and by their last where that is the same.
        parts.sort_by_key(|p| p.1.range.end);
        parts.sort_by_key(|p| p.1.range.start);
        let mut parts = parts.into_iter();
        let (_, mut whole) =
            parts.next().ok_or_else(|| Diagnostic::command_line("no partial result is given"))?;
        let help = "give every part of one sweep, each once";
        for (name, part) in parts {
            let alike =
                Self { range: whole.range.clone(), rows: whole.rows.clone(), ..part.clone() };
            if alike != whole {
                return Err(
                    Diagnostic::new(format!("{name}: is a part of another sweep")).help(help)
                );
            }
            if part.range.is_empty() {
                continue;
            }
            if part.range.start < whole.range.end {
                let said = format!("{name}: holds points that another part holds too");
                return Err(Diagnostic::new(said).help(help));
            }
            if part.range.start > whole.range.end {
                return Err(missing(whole.range.end, part.range.start).help(help));
            }
            whole.range.end = part.range.end;
            whole.rows.extend(part.rows);
        }
        if whole.range.start > 0 {
            return Err(missing(0, whole.range.start).help(help));
        }
        if whole.range.end < whole.count() {
            return Err(missing(whole.range.end, whole.count()).help(help));
        }
        Ok(whole)
    }
}

fn missing(from: u64, to: u64) -> Diagnostic {
    Diagnostic::new(format!("points {} to {to} of the sweep are in none of the parts", from + 1))
}

/// Puts partial results of a sweep together.
///
/// # Errors
/// Where they are not of one sweep, and where points are missing or come twice.
pub(crate) fn merged(parts: Vec<(String, Partial)>) -> Result<Product> {
    let whole = Partial::joined(parts)?;
    let how = (whole.scheme.as_str(), whole.seed);
    let summary =
        Head::of("merge", &whole.model, how, 0.0, &whole.warnings).with(whole.about.clone());
    let axes: Vec<Axis> =
        whole.axes.iter().map(|(k, v)| Axis::new(k.as_str(), v.clone())).collect();
    let number = |row: Vec<Option<f64>>| row.into_iter().map(|x| x.unwrap_or(f64::NAN)).collect();
    let rows = whole.rows.into_iter().map(number).collect();
    let measured = Measured::of(&whole.model);
    Ok(Swept::of_rows(whole.title, axes, (measured, rows), &whole.names).product(summary))
}
