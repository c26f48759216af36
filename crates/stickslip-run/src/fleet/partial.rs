//! What was found of some bearings of a fleet, to be merged with the others.

use super::found::FoundBearing;
use crate::partial::{self, Content, Share, Whole};
use crate::product::{Lazy, Product};
use crate::summary::Head;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ops::Range;
use stickslip_file::FleetFile;

/// The content of a partial result of a fleet.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SomeBearings {
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
    pub(super) found: Vec<FoundBearing>,
}

impl SomeBearings {
    pub(super) fn new(
        file: &FleetFile,
        (document, title): (&str, String),
        range: Range<u64>,
        found: Vec<FoundBearing>,
    ) -> Self {
        Self {
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
        Product::new(summary, Lazy::ready(text))
            .document("partial", move || partial::written(&self))
    }
}

impl Content for SomeBearings {
    const WHOLE: Whole = Whole::Fleet;

    fn damage(&self) -> Option<String> {
        let Range { start, end } = self.range;
        let whole = start <= end && end <= self.bearings && end - start == self.found.len() as u64;
        (!whole).then(|| "its list of bearings is not whole".to_owned())
    }
}

impl Share for SomeBearings {
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
