//! A part of a fleet, to be merged with the others.

use super::found::Found;
use super::written;
use crate::part::{self, Share};
use crate::product::{Lazy, Product};
use crate::summary::Head;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ops::Range;
use stickslip_file::{Diagnostic, FleetFile, Result};

/// What a file of partial results holds.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partial {
    /// `fleet`.
    pub kind: String,
    /// This program's version.
    pub version: String,
    /// Heading of the page.
    pub title: String,
    /// The fleet file.
    pub document: String,
    /// Number of bearings of the whole fleet.
    pub bearings: u64,
    /// The share of false alarms among all alarms.
    pub false_discoveries: f64,
    /// Which bearings.
    pub range: Range<u64>,
    /// What was found of them.
    pub(super) found: Vec<Found>,
}

/// What the partial result of a fleet calls itself.
pub(crate) const KIND: &str = "fleet";

impl Partial {
    pub(super) fn new(
        file: &FleetFile,
        (document, title): (&str, String),
        range: Range<u64>,
        found: Vec<Found>,
    ) -> Self {
        Self {
            kind: KIND.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            title,
            document: document.to_owned(),
            bearings: file.members.len() as u64,
            false_discoveries: file.false_discoveries,
            range,
            found,
        }
    }

    /// The product of a part: who is an alarm is known when all parts are merged.
    pub(super) fn product(
        self,
        head: &Value,
        (part, seconds): (&str, f64),
        warnings: &[String],
    ) -> Product {
        let unusable = self.found.iter().filter(|f| f.seen.is_err()).count();
        let summary =
            Head::of("fleet", head, "global", 1).after(seconds).warning(warnings).with(json!({
                "part": part, "range": [self.range.start, self.range.end], "unusable": unusable,
            }));
        let text = format!(
            "part {part}: {} bearings, {unusable} of them unusable; merge all parts to see which to look at first\n",
            self.found.len()
        );
        Product::new(summary, Lazy::ready(text)).document("partial", move || written(&self))
    }

    /// Reads the text of a file called `name` in messages.
    ///
    /// # Errors
    /// Where it is no partial result of a fleet by this version.
    pub fn read(name: &str, text: &[u8]) -> Result<Self> {
        let partial: Self = part::read(name, text, "a fleet", |p: &Self| &p.version)?;
        let Range { start, end } = partial.range;
        if start > end || end > partial.bearings || end - start != partial.found.len() as u64 {
            return Err(Diagnostic::new(format!("{name}: its list of bearings is not whole"))
                .help("the file is damaged: run that part again"));
        }
        Ok(partial)
    }
}

impl Share for Partial {
    const WHOLE: &'static str = "fleet";
    const ITEMS: &'static str = "bearings";
    const BECAUSE: &'static str = "; who is an alarm depends on all of them";

    fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    fn count(&self) -> u64 {
        self.bearings
    }

    fn is_of_one_whole_with(&self, other: &Self) -> bool {
        let of = |p: &Self| (p.title.clone(), p.bearings, p.false_discoveries.to_bits());
        of(self) == of(other)
    }

    fn append(&mut self, next: Self) {
        self.range.end = next.range.end;
        self.found.extend(next.found);
    }
}
