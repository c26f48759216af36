//! What a report says around its numbers: warnings by their weight, the last line of the headline, and how the file was read.
//!
//! A warning is about what is in the record and counts in the headline. A notice is about how the file is written: it is a
//! footnote, which changes no verdict.

use crate::sentences::{Weight, weight};
use std::fmt::{self, Write};
use stickslip_report::html::{Level, Page};

/// The warnings of a record, heaviest first, each with its weight.
pub fn weighed(warnings: &[String]) -> Vec<(Weight, &str)> {
    let mut all: Vec<_> = warnings.iter().map(|w| (weight(w), w.as_str())).collect();
    all.sort_by_key(|w| w.0);
    all
}

/// The same as texts.
pub fn sorted(mut warnings: Vec<String>) -> Vec<String> {
    warnings.sort_by_cached_key(|w| weight(w));
    warnings
}

/// The weights of warnings, one each, for files.
pub fn names(warnings: &[String]) -> serde_json::Value {
    warnings.iter().map(|w| weight(w).name()).collect()
}

/// A name as a heading.
fn heading(weight: Weight) -> &'static str {
    match weight {
        Weight::Changes => "Changes the answer",
        Weight::Widens => "Widens the answer",
        Weight::Worth => "Worth knowing",
    }
}

/// One box for each warning, heaviest first.
pub fn boxes(page: &mut Page, warnings: &[String]) {
    let all = weighed(warnings);
    if !all.is_empty() {
        page.section("Warnings");
    }
    for (weight, warning) in all {
        let level = if weight == Weight::Worth { Level::Note } else { Level::Warning };
        page.callout(level, heading(weight), warning);
    }
}

/// Whether a warning is among these that changes the answer.
pub fn change_the_answer(warnings: &[String]) -> bool {
    weighed(warnings).iter().any(|w| w.0 == Weight::Changes)
}

/// The last line of a headline: whether a warning is to be read before the numbers are used.
pub fn last_line(warnings: &[String]) -> String {
    let of = |weight| weighed(warnings).iter().filter(|w| w.0 == weight).count();
    match (of(Weight::Changes), of(Weight::Widens)) {
        (0, 0) => {
            "No anomaly was found in the record: the numbers can serve as a baseline.".to_owned()
        }
        (0, 1) => "One warning widens the answer; the numbers can be used with their intervals."
            .to_owned(),
        (0, n) => {
            format!("{n} warnings widen the answer; the numbers can be used with their intervals.")
        }
        (1, _) => {
            "Read the warning that changes the answer before you use these numbers.".to_owned()
        }
        (n, _) => {
            format!("Read the {n} warnings that change the answer before you use these numbers.")
        }
    }
}

/// How the file was read, at the end of a page.
pub fn footnote(page: &mut Page, notices: &[String]) {
    if notices.is_empty() {
        return;
    }
    page.section("How the file was read");
    page.list(notices.iter().map(String::as_str));
}

/// The same at a terminal.
pub fn footnotes(w: &mut dyn Write, notices: &[String]) -> fmt::Result {
    if !notices.is_empty() {
        writeln!(w, "\nHow the file was read:")?;
    }
    notices.iter().try_for_each(|n| writeln!(w, "  {n}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is not listed is taken for the worst; what asks for nothing does not stand in the way of a baseline.
    #[test]
    fn warnings_are_weighed_by_what_they_do_to_the_answer() {
        let gaps = "the drive is missing for more than 6.0 h twice: slips in the gaps are unknown, and the state after each is \
                    fitted (normally harmless)";
        let few = "only 3 slips for six unknowns: use a longer record or one with larger swings of the drive";
        let fast = "the response runs ahead of the drive, which friction cannot do: check that the drive and the response are \
                    not swapped; if they are not, the temperature is measured where it changes later than in the deck";
        let all = [gaps, few, "a sentence of which nothing is known", fast].map(str::to_owned);
        let weights: Vec<_> = weighed(&all).into_iter().map(|w| w.0).collect();
        let [changes, widens, worth] = Weight::ALL;
        assert_eq!(weights, [changes, changes, widens, worth]);
        assert!(last_line(&all).contains("Read the 2 warnings that change the answer"));
        assert!(last_line(&all[..2]).starts_with("One warning widens"));
        assert!(last_line(&all[..1]).starts_with("No anomaly"));
        assert_eq!(sorted(all.to_vec())[3], gaps);
    }
}
