//! A part of a fleet, to be merged with the others.

use super::found::Found;
use super::written;
use crate::part;
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
        let summary = Head::of("fleet", head, ("global", 1), seconds, warnings).with(json!({
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

    /// All parts in one.
    pub(super) fn joined(mut parts: Vec<(String, Self)>) -> Result<Self> {
        // By their first number, and by their last where that is the same.
        parts.sort_by_key(|p| p.1.range.end);
        parts.sort_by_key(|p| p.1.range.start);
        let mut parts = parts.into_iter();
        let (_, mut whole) =
            parts.next().ok_or_else(|| Diagnostic::command_line("no partial result is given"))?;
        let help = "give every part of one fleet, each once";
        for (name, part) in parts {
            let same = |p: &Self| (p.title.clone(), p.bearings, p.false_discoveries.to_bits());
            if same(&part) != same(&whole) {
                return Err(
                    Diagnostic::new(format!("{name}: is a part of another fleet")).help(help)
                );
            }
            if part.range.is_empty() {
                continue;
            }
            if part.range.start < whole.range.end {
                let said = format!("{name}: holds bearings that another part holds too");
                return Err(Diagnostic::new(said).help(help));
            }
            if part.range.start > whole.range.end {
                return Err(missing(whole.range.end..part.range.start).help(help));
            }
            whole.range.end = part.range.end;
            whole.found.extend(part.found);
        }
        if whole.range.start > 0 {
            return Err(missing(0..whole.range.start).help(help));
        }
        if whole.range.end < whole.bearings {
            return Err(missing(whole.range.end..whole.bearings).help(help));
        }
        Ok(whole)
    }
}

fn missing(range: Range<u64>) -> Diagnostic {
    Diagnostic::new(format!(
        "bearings {} to {} of the fleet are in none of the parts; who is an alarm depends on all of them",
        range.start + 1,
        range.end
    ))
}
