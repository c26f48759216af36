//! Tables of estimates, for a terminal and for a page.

use crate::product::Cell;
use std::fmt::{self, Write};
use stickslip_calibrate::Estimate;
use stickslip_report::html::{Table, number};

/// A number that was found, with its symbol (in the markup of reports) and its meaning.
pub struct Named<'a> {
    /// For a terminal.
    pub name: &'static str,
    /// For a page.
    pub symbol: &'static str,
    /// What it is.
    pub meaning: &'static str,
    /// The number.
    pub estimate: &'a Estimate,
}

/// Lines of a terminal.
pub fn lines(w: &mut dyn Write, all: &[Named<'_>]) -> fmt::Result {
    writeln!(w, "{:<14} {:>14} {:>12}  {:<6} 95 % interval", "", "value", "std. error", "unit")?;
    for n in all {
        let (name, e) = (n.name, n.estimate);
        match (e.value, e.stderr, e.ci95) {
            (Some(value), Some(error), Some([low, high])) => writeln!(
                w,
                "{name:<14} {value:>14.6e} {error:>12.2e}  {:<6} {low:.6e} … {high:.6e}",
                e.unit
            )?,
            _ => {
                let why = e.reason.as_deref().unwrap_or("not fixed by this record");
                writeln!(w, "{name:<14} {:>14} {:>12}  {:<6} {why}", "unknown", "", e.unit)?;
            }
        }
    }
    Ok(())
}

/// A table of a page.
pub fn table(all: &[Named<'_>]) -> Table {
    let head = ["", "", "value", "standard error", "95 % interval", "unit"];
    all.iter().fold(Table::new(head), |table, n| {
        let e = n.estimate;
        let dash = || "—".to_owned();
        let [value, error, interval] = match (e.value, e.stderr, e.ci95) {
            (Some(v), Some(s), Some([a, b])) => {
                [number(v, 5), number(s, 2), format!("{} … {}", number(a, 5), number(b, 5))]
            }
            _ => [dash(), dash(), dash()],
        };
        let meaning = match &e.reason {
            Some(reason) => format!("{}: {reason}", n.meaning),
            None => n.meaning.to_owned(),
        };
        table.row([n.symbol.to_owned(), meaning, value, error, interval, e.unit.to_owned()])
    })
}

/// Cells of a table: value, low and high; empty where unknown.
pub fn with_interval(e: &Estimate) -> [Cell<'static>; 3] {
    match (e.value, e.ci95) {
        (Some(v), Some([a, b])) => [v, a, b].map(Cell::Number),
        _ => [Cell::Empty, Cell::Empty, Cell::Empty],
    }
}

/// `value ± standard error unit`, the unit left out where it is 1.
pub fn short(e: &Estimate) -> String {
    let unit = if e.unit == "1" { String::new() } else { format!(" {}", e.unit) };
    match (e.value, e.stderr) {
        (Some(v), Some(s)) => format!("{} ± {}{unit}", number(v, 4), number(s, 2)),
        _ => "unknown".to_owned(),
    }
}
