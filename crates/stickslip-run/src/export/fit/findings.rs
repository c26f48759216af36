//! What else the record shows: explanations of what the fit leaves over, and changes of the friction.

use super::figures::Curves;
use super::{Fitted, UNITS, evidence};
use std::fmt::{self, Write};
use stickslip_calibrate::{Change, Finding, Remedy, Window};
use stickslip_report::html::{Level, Page, Table, number};

/// The line of a fit file that asks for the remedy, if there is one: in the units of the record.
fn line(fitted: &Fitted, finding: &Finding) -> Option<String> {
    let data = &fitted.file.data;
    Some(match finding.remedy.as_ref()? {
        Remedy::Steps(times) => {
            let all: Vec<String> =
                times.iter().map(|t| format!("\"{}\"", data.clock.written(*t))).collect();
            format!("[fit] steps = [{}]", all.join(", "))
        }
        Remedy::Drift => "[fit] trend = \"drift\"".to_owned(),
        Remedy::Creep => "[fit] trend = \"creep\"".to_owned(),
        Remedy::Lag => "[fit] lag = \"fit\"".to_owned(),
        Remedy::Shift => "[data] shift = \"fit\"".to_owned(),
        Remedy::Missing(_) => {
            let codes = fitted.fit.sentinels.iter().map(|code| {
                let (factor, zero) = data.drive_unit;
                short(match code.column {
                    "drive" => code.value / factor - zero,
                    _ => code.value / data.response_unit,
                })
            });
            format!("[data] missing = [{}]", codes.collect::<Vec<_>>().join(", "))
        }
        Remedy::DriveNoise(noise) => {
            format!("[data] drive_noise = {}", short(place(noise / data.drive_unit.0)))
        }
        _ => return None,
    })
}

/// A number to two digits.
fn place(value: f64) -> f64 {
    format!("{value:.1e}").parse().unwrap_or(value)
}

/// A number without what the conversion of its unit has added.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.9e}").parse().unwrap_or(value);
    rounded.to_string()
}

/// What was found of a change, in one sentence.
fn sentence(fitted: &Fitted, change: &Change) -> String {
    let [at, from, to] =
        [change.time, change.between[0], change.between[1]].map(|t| fitted.when(t));
    let percent = |ratio: f64| 100.0 * (ratio - 1.0);
    let by = change.size().map_or(String::new(), |[ratio, low, high]| {
        let [ratio, low, high] = [ratio, low, high].map(percent);
        format!(" by {ratio:+.1} % (95 %: {low:+.1} to {high:+.1} %)")
    });
    if change.gradual {
        let [ratio, low, high] = [change.ratio, change.low, change.high].map(percent);
        return format!(
            "The friction {} steadily from {from} to {to}, by {ratio:+.1} % (95 %: {low:+.1} to {high:+.1} %); the probability \
             that it changes is {:.3}.",
            if change.ratio > 1.0 { "rises" } else { "falls" },
            change.probability
        );
    }
    let (what, unknown) = if by.is_empty() {
        let unknown = ", and by how much the friction did cannot be told from this record: a turned or exchanged sensor, or creep, \
                       looks like this too";
        ("Something changes", unknown)
    } else {
        ("The friction changes", "")
    };
    format!(
        "{what}{by} on {at} (95 %: {from} to {to}){unknown}; the probability that there is a change is {:.3}.",
        change.probability
    )
}

/// Whether a window determines any parameter.
pub fn is_known(window: &Window) -> bool {
    window.estimates.iter().any(|e| e.identifiable)
}

/// One sentence for each change.
pub fn sentences(fitted: &Fitted, changes: &[Change]) -> Vec<String> {
    changes.iter().map(|change| sentence(fitted, change)).collect()
}

/// For people at a terminal: the strongest explanation first, with what to write.
pub fn text(w: &mut dyn Write, fitted: &Fitted) -> fmt::Result {
    for finding in &fitted.fit.diagnosis {
        let what = finding.what.name();
        write!(w, "\nfound in the record: {what} ({:.0} %)", 100.0 * finding.strength)?;
        match line(fitted, finding) {
            Some(line) => writeln!(w, "; to allow for it, write {line}")?,
            None => writeln!(w)?,
        }
    }
    Ok(())
}

/// The section of the report.
pub fn section(page: &mut Page, fitted: &Fitted, curves: &Curves) {
    let all = &fitted.fit.diagnosis;
    let Some(first) = all.first() else { return };
    page.section("What else the record shows");
    page.callout(Level::Warning, "The strongest explanation", fitted.dated(&first.suggestion));
    let mut table = Table::new(["found", "strength (%)", "size", "unit", "from", "write"]);
    for finding in all {
        let size = finding.estimate.as_ref();
        let size = size.map(|e| UNITS.shown(e));
        let value = size.as_ref().and_then(|e| e.value).map_or(String::new(), |v| number(v, 3));
        table = table.row([
            finding.what.name().to_owned(),
            number(100.0 * finding.strength, 2),
            value,
            size.map_or(String::new(), |e| e.unit.to_owned()),
            finding.time.map_or(String::new(), |t| fitted.when(t)),
            line(fitted, finding).unwrap_or_default(),
        ]);
    }
    page.table(&table);
    if let Some((figure, caption)) = evidence::picture(fitted, first, curves) {
        page.figure(&figure, caption);
    }
    page.text("None of these is applied unless the fit file asks for it.");
}
