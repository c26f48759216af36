//! What a report says around its numbers: remarks, the last line of the headline, and how the file was read.
//!
//! A remark is about what is in the record and counts in the headline. A notice is about how the file is written: it is a
//! footnote, which changes no verdict.

use std::fmt::{self, Write};
use stickslip_report::html::{Level, Page};

/// Every report calls them so.
const HEADING: &str = "Remark";

/// One box for each remark.
pub fn boxes(page: &mut Page, remarks: &[String]) {
    for remark in remarks {
        page.callout(Level::Warning, HEADING, remark.as_str());
    }
}

/// The last line of a headline: whether a remark is to be read before the numbers are used.
pub fn last_line(remarks: &[String]) -> String {
    match remarks.len() {
        0 => "No anomaly was found in the record: the numbers can serve as a baseline.".to_owned(),
        1 => "Read the remark before you use these numbers.".to_owned(),
        n => format!("Read the {n} remarks before you use these numbers."),
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
