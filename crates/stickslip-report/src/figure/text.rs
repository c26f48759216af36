//! Labels with subscripts, their width, and escaping.
//!
//! `_{…}` lowers and `^{…}` raises: `"τ_{3/2}"`, `"10^{−3} m"`. Anything else is literal, so that a
//! column name with an underscore is shown as it is.

use super::px::Px;
use std::fmt::Write;

/// Where a run of a label sits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shift {
    None,
    Sub,
    Sup,
}

/// A label: runs on the line, lowered or raised.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text {
    runs: Vec<(Shift, String)>,
}

/// Size of lowered and raised text against the line.
const SMALL: f64 = 0.75;

impl Text {
    /// A label without markup: braces are shown.
    pub fn plain(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { runs: if text.is_empty() { vec![] } else { vec![(Shift::None, text)] } }
    }

    /// Reads `_{…}` and `^{…}`. An unclosed brace is literal.
    pub fn parse(source: &str) -> Self {
        let mut runs = Vec::new();
        let mut rest = source;
        let mut line = String::new();
        while let Some(at) = rest.find(['_', '^']) {
            let (before, mark) = rest.split_at(at);
            let shift = if mark.starts_with('_') { Shift::Sub } else { Shift::Sup };
            line.push_str(before);
            match mark[1..].strip_prefix('{').and_then(|inner| inner.split_once('}')) {
                Some((inner, after)) => {
                    if !line.is_empty() {
                        runs.push((Shift::None, std::mem::take(&mut line)));
                    }
                    runs.push((shift, inner.to_owned()));
                    rest = after;
                }
                None => {
                    line.push_str(&mark[..1]);
                    rest = &mark[1..];
                }
            }
        }
        line.push_str(rest);
        if !line.is_empty() {
            runs.push((Shift::None, line));
        }
        Self { runs }
    }

    /// True when there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.runs.iter().all(|(_, text)| text.is_empty())
    }

    /// This label followed by another.
    pub fn then(mut self, more: impl Into<Self>) -> Self {
        self.runs.extend(more.into().runs);
        self
    }

    /// Puts the second word of each pair in the place of the first.
    pub(crate) fn replace(&mut self, words: &[(&str, &str)]) {
        for (_, run) in &mut self.runs {
            for (word, other) in words {
                *run = run.replace(word, other);
            }
        }
    }

    /// Width at a font size, or a little more: that in the widest of the fonts that a viewer is likely to have.
    pub fn width(&self, size: f64) -> f64 {
        let runs = self.runs.iter();
        runs.map(|(shift, text)| {
            let ems: f64 = text.chars().map(advance).sum();
            ems * if *shift == Shift::None { size } else { size * SMALL }
        })
        .sum()
    }

    /// This label in two lines, broken at the blank that leaves the longer one as short as can be; `None` where it has no blank.
    pub(crate) fn halves(&self) -> Option<(Self, Self)> {
        let cut = |run: usize, at: usize| {
            let (shift, text) = &self.runs[run];
            let mut first = self.runs[..run].to_vec();
            first.push((*shift, text[..at].to_owned()));
            let mut second = vec![(*shift, text[at + 1..].to_owned())];
            second.extend_from_slice(&self.runs[run + 1..]);
            (Self { runs: first }, Self { runs: second })
        };
        let longer = |(a, b): &(Self, Self)| a.width(1.0).max(b.width(1.0));
        let runs = self.runs.iter().enumerate().filter(|(_, (shift, _))| *shift == Shift::None);
        let blanks =
            runs.flat_map(|(run, (_, text))| text.match_indices(' ').map(move |m| (run, m.0)));
        let pairs = blanks.map(|(run, at)| cut(run, at));
        pairs
            .filter(|(a, b)| !a.is_empty() && !b.is_empty())
            .min_by(|a, b| longer(a).total_cmp(&longer(b)))
    }

    /// The inside of an SVG `<text>` element. Baselines are moved with `dy`, which every viewer knows.
    pub(crate) fn svg(&self, out: &mut String, size: f64) {
        let mut offset = 0.0;
        for (i, (shift, text)) in self.runs.iter().enumerate() {
            // Viewers drop a blank at either end of an element.
            let apart = |other: Option<&(Shift, String)>| other.is_some_and(|o| o.0 != *shift);
            let before = i.checked_sub(1).and_then(|i| self.runs.get(i));
            let text = &kept_blanks(text, apart(before), apart(self.runs.get(i + 1)));
            let target = match shift {
                Shift::None => 0.0,
                Shift::Sub => 0.22 * size,
                Shift::Sup => -0.38 * size,
            };
            if *shift == Shift::None && offset == 0.0 {
                escape(out, text);
                continue;
            }
            let _ = write!(out, "<tspan dy=\"{}\"", Px(target - offset));
            if *shift != Shift::None {
                let _ = write!(out, " font-size=\"{}\"", Px(SMALL * size));
            }
            out.push('>');
            escape(out, text);
            out.push_str("</tspan>");
            offset = target;
        }
    }

    /// HTML with `<sub>` and `<sup>`.
    pub(crate) fn html(&self, out: &mut String) {
        for (shift, text) in &self.runs {
            let tag = match shift {
                Shift::None => {
                    escape(out, text);
                    continue;
                }
                Shift::Sub => "sub",
                Shift::Sup => "sup",
            };
            let _ = write!(out, "<{tag}>");
            escape(out, text);
            let _ = write!(out, "</{tag}>");
        }
    }

    /// The characters alone.
    pub fn flat(&self) -> String {
        self.runs.iter().map(|(_, text)| text.as_str()).collect()
    }
}

impl From<&str> for Text {
    fn from(source: &str) -> Self {
        Self::parse(source)
    }
}

impl From<String> for Text {
    fn from(source: String) -> Self {
        Self::parse(&source)
    }
}

impl From<&String> for Text {
    fn from(source: &String) -> Self {
        Self::parse(source)
    }
}

/// A run with a blank that does not break in place of one at its beginning, where another run comes `before` it, and at its
/// end, where one comes `after` it.
fn kept_blanks(text: &str, before: bool, after: bool) -> String {
    const KEPT: char = '\u{a0}';
    let mut text = text.to_owned();
    if before && text.starts_with(' ') {
        text.replace_range(..1, KEPT.encode_utf8(&mut [0; 2]));
    }
    if after && text.ends_with(' ') {
        text.pop();
        text.push(KEPT);
    }
    text
}

/// Advance widths of the characters 32 … 126, 1/1000 em: for each the wider of Helvetica and DejaVu Sans. Arial and Liberation Sans
/// have those of Helvetica; where none of these is installed, as on most machines with Linux, DejaVu Sans stands in, whose
/// letters are wider by a tenth. Read from the tables of the fonts (`hmtx`, version 2.37 of DejaVu).
#[rustfmt::skip]
const WIDEST: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636,
    636, 636, 636, 337, 337, 838, 838, 838, 556, 1015, 684, 686, 722, 770, 667, 611, 778, 752, 295, 500, 667, 557, 863,
    748, 787, 667, 787, 722, 667, 611, 732, 684, 989, 685, 667, 685, 390, 337, 390, 838, 556, 500, 613, 635, 550, 635,
    615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636,
    337, 636, 838,
];

/// Advance width, em. Beyond ASCII these are bounds for groups of characters, in the same fonts.
fn advance(c: char) -> f64 {
    match c {
        ' '..='~' => f64::from(WIDEST[c as usize - 32]) / 1000.0,
        '\u{a0}' => advance(' '),
        '\u{2009}' | '\u{202f}' => 0.2,
        '·' | '′' => 0.333,
        '°' | '²' | '³' | '¹' => 0.5,
        '–' => 0.556,
        '…' | '—' | 'Æ' | 'æ' | 'Œ' | 'œ' => 1.02,
        '‰' => 1.343,
        'α'..='ψ' | 'µ' => 0.66,
        '⁰'..='₎' => 0.53,
        c if c as u32 >= 0x2e80 => 1.0,
        _ => 0.838,
    }
}

/// Appends `text` for use in XML or HTML, in an element or in a quoted attribute. Characters that
/// XML forbids become U+FFFD.
pub(crate) fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            // These would turn the order in which what follows is read.
            '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_braces_lower_and_raise() {
        let mut out = String::new();
        Text::parse("τ_{3/2} of my_column^2 & 10^{−3}, x_{open").html(&mut out);
        assert_eq!(out, "τ<sub>3/2</sub> of my_column^2 &amp; 10<sup>−3</sup>, x_{open");
        assert_eq!(Text::parse("a_{b}").width(10.0), (0.613 + 0.635 * SMALL) * 10.0);
    }

    #[test]
    fn the_baseline_returns_after_a_subscript() {
        let mut out = String::new();
        Text::parse("f_{s} x").svg(&mut out, 10.0);
        assert_eq!(
            out,
            "f<tspan dy=\"2.2\" font-size=\"7.5\">s</tspan><tspan dy=\"-2.2\">\u{a0}x</tspan>"
        );
    }

    #[test]
    fn a_long_name_breaks_in_the_middle() {
        let halves = |name: &str| Text::parse(name).halves().map(|(a, b)| (a.flat(), b.flat()));
        let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(halves("displacement at the end (m)"), pair("displacement", "at the end (m)"));
        assert_eq!(halves("force k_{0}(x − v_{1}) (N)"), pair("force k0(x", "− v1) (N)"));
        assert_eq!(halves("displacement"), None);
    }

    #[test]
    fn nothing_escapes_the_escape() {
        let mut out = String::new();
        escape(&mut out, "<a href='x'>\u{0}\u{ffff}\"&\n");
        assert_eq!(out, "&lt;a href=&#39;x&#39;&gt;\u{fffd}\u{fffd}&quot;&amp; ");
    }
}
