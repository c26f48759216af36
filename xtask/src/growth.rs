//! How times grow with the size of the work: lines `work | what is counted | how many | seconds`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// One size of one kind of work.
#[derive(Debug, Clone)]
pub struct Sample {
    pub work: String,
    pub of: String,
    pub size: u64,
    pub seconds: f64,
}

fn sample(line: &str) -> Option<Sample> {
    let mut parts = line.split(" | ");
    let work = parts.next()?.to_owned();
    let of = parts.next()?.to_owned();
    let size = parts.next()?.parse().ok()?;
    let seconds = parts.next()?.parse().ok()?;
    Some(Sample { work, of, size, seconds })
}

/// All of them in a text.
pub fn samples(text: &str) -> Vec<Sample> {
    text.lines().filter_map(sample).collect()
}

/// What else is said there.
pub fn other_lines(text: &str) -> String {
    text.lines().filter(|line| sample(line).is_none()).collect::<Vec<_>>().join("\n")
}

/// The slope of ln(time) over ln(size), by least squares.
fn power(samples: &[&Sample]) -> f64 {
    let n = samples.len() as f64;
    let points = samples.iter().map(|s| ((s.size as f64).ln(), s.seconds.ln()));
    let (x, y) = points.clone().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
    let (xy, xx) =
        points.fold((0.0, 0.0), |(a, b), (p, q)| (a + (p - x) * (q - y), b + (p - x) * (p - x)));
    xy / xx
}

/// A row for each kind of work.
pub fn table(samples: &[Sample]) -> String {
    let mut page =
        "| work | sizes | time at both | power | in the last decade |\n|---|---|---|---|---|\n"
            .to_owned();
    let mut seen = BTreeSet::new();
    for work in samples.iter().map(|s| &s.work).filter(|work| seen.insert(*work)) {
        let of: Vec<&Sample> = samples.iter().filter(|s| s.work == *work).collect();
        let (Some(first), Some(last)) = (of.first(), of.last()) else { continue };
        let _ = writeln!(
            page,
            "| {work} | {} to {} {} | {}, {} | {:.2} | {:.2} |",
            grouped(first.size),
            grouped(last.size),
            last.of,
            shown(1e9 * first.seconds),
            shown(1e9 * last.seconds),
            power(&of),
            power(&of[of.len().saturating_sub(2)..]),
        );
    }
    page
}

/// 1234567 as 1,234,567.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let comma = |i: usize| i > 0 && (digits.len() - i).is_multiple_of(3);
    let of = |(i, c)| [comma(i).then_some(','), Some(c)];
    digits.chars().enumerate().flat_map(of).flatten().collect()
}

/// A time as people write it.
pub fn shown(ns: f64) -> String {
    let (x, unit) = match ns {
        t if t < 1e3 => (t, "ns"),
        t if t < 1e6 => (t / 1e3, "µs"),
        t if t < 1e9 => (t / 1e6, "ms"),
        t => (t / 1e9, "s"),
    };
    let digits = if x < 10.0 {
        2
    } else if x < 100.0 {
        1
    } else {
        0
    };
    format!("{x:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_grows_with_the_power_two() {
        let text = "said: 3 | 4\na | rows | 10 | 1e-3\nb | steps | 7 | 1\na | rows | 1000 | 1e1\n";
        let all = samples(text);
        assert_eq!(other_lines(text), "said: 3 | 4");
        assert!(table(&all).contains("| a | 10 to 1,000 rows | 1.00 ms, 10.0 s | 2.00 | 2.00 |"));
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
