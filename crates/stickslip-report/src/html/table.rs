//! Tables.

use crate::figure::{Text, fixed};

/// A table: a head and rows of cells. A column of numbers stands to the right, with figures of one width.
#[derive(Debug, Clone, Default)]
pub struct Table {
    head: Vec<Text>,
    rows: Vec<Vec<Text>>,
    caption: Text,
}

impl Table {
    /// A table with these column heads.
    pub fn new<T: Into<Text>>(head: impl IntoIterator<Item = T>) -> Self {
        Self { head: head.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Adds a row; numbers are formatted by the caller, for instance with [`number`].
    pub fn row<T: Into<Text>>(mut self, cells: impl IntoIterator<Item = T>) -> Self {
        self.rows.push(cells.into_iter().map(Into::into).collect());
        self
    }

    /// A line below the table.
    pub fn caption(mut self, caption: impl Into<Text>) -> Self {
        self.caption = caption.into();
        self
    }

    fn is_numeric(&self, column: usize) -> bool {
        let cells = || self.rows.iter().filter_map(|r| r.get(column)).filter(|c| !c.is_empty());
        cells().next().is_some() && cells().all(|c| looks_numeric(&c.flat()))
    }

    pub(super) fn html(&self, out: &mut String) {
        let columns = self.rows.iter().map(Vec::len).chain([self.head.len()]).max().unwrap_or(0);
        let class: Vec<&str> =
            (0..columns).map(|c| if self.is_numeric(c) { " class=\"n\"" } else { "" }).collect();
        let cells = |tag: &str, row: &[Text], out: &mut String| {
            out.push_str("<tr>");
            for (c, class) in class.iter().enumerate() {
                *out += &format!("<{tag}{class}>");
                if let Some(cell) = row.get(c) {
                    cell.html(out);
                }
                *out += &format!("</{tag}>");
            }
            out.push_str("</tr>\n");
        };
        out.push_str("<div class=\"wide\"><table>\n");
        if !self.caption.is_empty() {
            out.push_str("<caption>");
            self.caption.html(out);
            out.push_str("</caption>\n");
        }
        if !self.head.is_empty() {
            out.push_str("<thead>");
            cells("th", &self.head, out);
            out.push_str("</thead>\n");
        }
        out.push_str("<tbody>\n");
        self.rows.iter().for_each(|r| cells("td", r, out));
        out.push_str("</tbody></table></div>\n");
    }
}

/// A cell of digits, signs, and what goes with numbers: intervals, powers, percent.
fn looks_numeric(cell: &str) -> bool {
    let words = ["NaN", "–", "—", "yes", "no"];
    let digits = cell.chars().any(|c| c.is_ascii_digit());
    let rest = cell
        .chars()
        .all(|c| c.is_ascii_digit() || "+-−±.,:…×e%[]() \u{2009}\u{202f}\u{a0}".contains(c));
    (digits && rest) || words[..3].contains(&cell)
}

/// A number with `digits` significant digits, for people: `1.89×10^{8}`, `−0.0473`, `18\u{2009}900`. The markup is
/// that of [`Text`].
pub fn number(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "—".to_owned();
    }
    let digits = digits.clamp(1, 17);
    if value == 0.0 {
        return "0".to_owned();
    }
    // Rust rounds in base ten: ask it for the exponent after rounding.
    let scientific = format!("{:.*e}", digits - 1, value);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6.max(digits as i32)).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        return fixed(value, decimals);
    }
    format!("{}×10^{{{}}}", mantissa.replace('-', "−"), fixed(f64::from(exponent), 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        let all = [
            (1.894e8, 3),
            (-0.04731, 3),
            (18_900.4, 3),
            (0.0, 3),
            (9.9999, 3),
            (f64::NAN, 3),
            (1e-12, 2),
            (95.1089, 6),
        ];
        let all: Vec<_> = all.into_iter().map(|(v, d)| number(v, d)).collect();
        assert_eq!(
            all,
            [
                "1.89×10^{8}",
                "−0.0473",
                "18\u{2009}900",
                "0",
                "10.0",
                "—",
                "1.0×10^{−12}",
                "95.1089"
            ]
        );
    }

    #[test]
    fn columns_of_numbers_are_found() {
        let t = Table::new(["name", "value", "interval"])
            .row(["K", "1.89×10^{8}", "[1.8, 1.9]"])
            .row(["β <raw>", "−0.047", ""]);
        assert_eq!([0, 1, 2].map(|c| t.is_numeric(c)), [false, true, true]);
        let mut out = String::new();
        t.html(&mut out);
        assert!(out.contains("&lt;raw&gt;") && out.contains("10<sup>8</sup>"));
    }
}
