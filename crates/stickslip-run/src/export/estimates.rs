//! Tables of estimates, for a terminal and for a page.

use crate::product::Cell;
use std::fmt::{self, Write};
use std::iter;
use stickslip::portable;
use stickslip_calibrate::Estimate;
use stickslip_report::html::{Page, Table, number};

/// The units in which people read the numbers of a record; files keep SI units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Units {
    /// Those of the estimates.
    Si,
    /// kN, mm and °C, of structures.
    Structure,
    /// N and mm, of machines.
    Machine,
}

impl Units {
    /// The unit in which a unit of SI is shown, and what a number of SI is multiplied by.
    pub fn of(self, unit: &'static str) -> (f64, &'static str) {
        match (self, unit) {
            (Self::Structure, "N") => (1e-3, "kN"),
            (Self::Structure, "N/m") => (1e-6, "kN/mm"),
            (Self::Structure, "m/K") => (1e3, "mm/°C"),
            (Self::Structure, "K") => (1.0, "°C"),
            (Self::Structure, "N·s/m") => (1e-6, "kN·s/mm"),
            (Self::Machine, "N/m") => (1e-3, "N/mm"),
            (Self::Machine, "N·s/m") => (1e-3, "N·s/mm"),
            (Self::Structure | Self::Machine, "m") => (1e3, "mm"),
            (_, unit) => (1.0, unit),
        }
    }

    /// An estimate as it is shown.
    pub fn shown(self, e: &Estimate) -> Estimate {
        let (factor, unit) = self.of(e.unit);
        let scaled = |v: f64| factor * v;
        Estimate {
            value: e.value.map(scaled),
            stderr: e.stderr.map(scaled),
            ci95: e.ci95.map(|ends| ends.map(scaled)),
            unit,
            ..e.clone()
        }
    }
}

/// A number that was found, with its symbol (in the markup of reports) and its meaning.
pub struct Named<'a> {
    /// For a terminal.
    pub name: &'a str,
    /// For a page.
    pub symbol: &'a str,
    /// What it is.
    pub meaning: &'a str,
    /// The number.
    pub estimate: &'a Estimate,
}

/// The markup of pages as it is typed at a terminal: `f_{s}` as `f_s`, `10^{8}` as `10^8`.
pub fn flat(text: &str) -> String {
    text.replace("_{", "_").replace("^{", "^").replace('}', "")
}

/// The subtitle of a report: the file, its samples, and when they begin as the file says it.
pub fn samples(file: &str, samples: usize, origin: &str) -> String {
    format!("{file}: {samples} samples, the first at {origin}")
}

/// A title and what was found in a few sentences, for those who find everything else in files.
pub fn brief<S: AsRef<str>>(title: &str, found: impl IntoIterator<Item = S>) -> String {
    let said = found.into_iter().map(|line| flat(line.as_ref()));
    iter::once(title.to_owned()).chain(said).map(|line| line + "\n").collect()
}

/// The power of ten of the second digit of an error: what is printed of a value ends there.
fn place(error: f64) -> i32 {
    let shown = format!("{:.1e}", error.abs());
    shown.split_once('e').and_then(|(_, e)| e.parse::<i32>().ok()).unwrap_or(0) - 1
}

/// A value to the second digit of its error, and the error to two digits: `470 400` and `2 500`, or `2.9948e-4` and
/// `1.2e-7`. Without an error, six digits.
pub fn plain(value: f64, error: f64) -> [String; 2] {
    let known = error.is_finite() && error > 0.0;
    let last = if known { place(error) } else { place(value) - 4 };
    let largest = if value == 0.0 { last } else { portable::log10(value.abs()).floor() as i32 };
    if (-3..7).contains(&largest) || value == 0.0 {
        let unit = 10f64.powi(last.max(0));
        let whole = |v: f64| if last > 0 { (v / unit).round() * unit } else { v };
        let fixed = |v: f64| grouped(&format!("{:.*}", (-last).max(0) as usize, whole(v)));
        return [fixed(value), if known { fixed(error) } else { format!("{error:.1e}") }];
    }
    let digits = (largest - last).clamp(0, 16) as usize;
    [format!("{value:.digits$e}"), format!("{error:.1e}")]
}

/// Thousands apart.
fn grouped(number: &str) -> String {
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    let (sign, digits) = whole.split_at(whole.len() - whole.trim_start_matches('-').len());
    if digits.len() < 5 {
        return number.to_owned();
    }
    let first = digits.len() % 3;
    let mut groups: Vec<&str> = if first > 0 { vec![&digits[..first]] } else { Vec::new() };
    groups.extend((first..digits.len()).step_by(3).map(|i| &digits[i..i + 3]));
    format!("{sign}{}{rest}", groups.join(" "))
}

/// The same in the markup of pages.
fn marked(value: f64, error: f64) -> [String; 2] {
    if !(error.is_finite() && error > 0.0) {
        return [number(value, 6), number(error, 2)];
    }
    let last = place(error);
    let unit = 10f64.powi(last);
    let [value, error] =
        [value, error].map(|v| if last > 0 { (v / unit).round() * unit } else { v });
    let largest = if value == 0.0 { last } else { portable::log10(value.abs()).floor() as i32 };
    [number(value, (largest - last + 1).max(1) as usize), number(error, 2)]
}

/// Lines of a terminal.
pub fn lines(w: &mut dyn Write, all: &[Named<'_>], units: Units) -> fmt::Result {
    let wide = all.iter().map(|n| n.name.len()).fold(12, usize::max);
    writeln!(w, "{:<wide$} {:>26}  {:<5} 95 % interval", "", "value ± std. error", "unit")?;
    for n in all {
        let name = n.name;
        let e = units.shown(n.estimate);
        match (e.value, e.stderr, e.ci95) {
            (Some(value), Some(error), Some([low, high])) => {
                let [value, sigma] = plain(value, error);
                let [low, high] = [low, high].map(|v| plain(v, error)[0].clone());
                let both = format!("{value} ± {sigma}");
                writeln!(w, "{name:<wide$} {both:>26}  {:<5} {low} … {high}", e.unit)?;
            }
            _ => {
                let why = e.reason.as_deref().unwrap_or("not fixed by this record");
                writeln!(w, "{name:<wide$} {:>26}  {:<5} {why}", "unknown", e.unit)?;
            }
        }
    }
    Ok(())
}

/// A table on a page; why numbers are unknown, or what they rest on, stands below it, each reason once.
pub fn table(page: &mut Page, all: &[Named<'_>], units: Units) {
    // What a reader on a narrow screen needs first comes first.
    let head = ["", "", "value", "unit", "95 % interval", "standard error"];
    let table = all.iter().fold(Table::new(head), |table, n| {
        let e = units.shown(n.estimate);
        let dash = || "—".to_owned();
        let [value, error, interval] = match (e.value, e.stderr, e.ci95) {
            (Some(v), Some(s), Some([a, b])) => {
                let [value, error] = marked(v, s);
                let [low, high] = [a, b].map(|v| marked(v, s)[0].clone());
                [value, error, format!("{low} … {high}")]
            }
            _ => [dash(), dash(), dash()],
        };
        let names = [n.symbol, n.meaning].map(str::to_owned);
        let [symbol, meaning] = names;
        table.row([symbol, meaning, value, e.unit.to_owned(), interval, error])
    });
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (n, reason) in all.iter().filter_map(|n| Some((n, n.estimate.reason.as_deref()?))) {
        match reasons.iter_mut().find(|known| known.0 == reason) {
            Some((_, symbols)) => symbols.push(n.symbol),
            None => reasons.push((reason, vec![n.symbol])),
        }
    }
    page.table(&table);
    let said = reasons.iter().map(|(reason, symbols)| format!("{}: {reason}.", symbols.join(", ")));
    said.for_each(|said| _ = page.text(said));
}

/// Cells of a table: value, low and high; empty where unknown.
pub fn with_interval(e: &Estimate) -> [Cell<'static>; 3] {
    match (e.value, e.ci95) {
        (Some(v), Some([a, b])) => [v, a, b].map(Cell::Number),
        _ => [Cell::Empty, Cell::Empty, Cell::Empty],
    }
}

/// `value unit (95 %: low to high)`, the unit left out where it is 1. Sentences give intervals, tables standard errors too.
pub fn short(e: &Estimate) -> String {
    let unit = if e.unit == "1" { String::new() } else { format!(" {}", e.unit) };
    match (e.value, e.stderr, e.ci95) {
        (Some(v), Some(s), Some([a, b])) => {
            let [value, low, high] = [v, a, b].map(|x| marked(x, s)[0].clone());
            format!("{value}{unit} (95 %: {low} to {high})")
        }
        _ => match &e.reason {
            Some(why) => format!("not determined ({why})"),
            None => "not determined".to_owned(),
        },
    }
}

/// What standard errors allow for: how many of neighbouring residuals count as one.
pub fn autocorrelated(samples: usize, together: f64) -> String {
    if together < 1.05 {
        return "No autocorrelation of the residuals was found; the standard errors take them as independent."
            .to_owned();
    }
    format!(
        "The residuals are autocorrelated: the effective sample size is {samples}/{}, and the standard errors allow for it.",
        number(together, 2)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_by_their_errors() {
        let all = [
            (470_412.3, 2_512.0, ["470 400", "2500"]),
            (2.994_84e-4, 1.23e-7, ["2.9948e-4", "1.2e-7"]),
            (2.994_84e-5, 1.23e-8, ["2.9948e-5", "1.2e-8"]),
            (1.887e8, 9.96e5, ["1.887e8", "1.0e6"]),
            (-0.010_34, 0.000_2, ["-0.01034", "0.00020"]),
            (8.134, 0.96, ["8.13", "0.96"]),
            (0.0, 0.5, ["0.00", "0.50"]),
            (12_345.0, f64::NAN, ["12 345.0", "NaN"]),
        ];
        for (value, error, expected) in all {
            assert_eq!(plain(value, error), expected, "{value} {error}");
        }
        assert_eq!(marked(470_412.3, 2_512.0), ["470\u{2009}400", "2500"]);
    }
}
