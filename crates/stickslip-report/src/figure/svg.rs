//! Writing SVG: short numbers, paths, text.

use super::px::{Px, hundredths, to_hundredths};
use super::text::Text;
use std::fmt::Write;

/// Path data with relative coordinates. Positions are rounded on the page, not step by step, so
/// rounding does not add up.
#[derive(Debug, Default)]
pub(crate) struct Path {
    data: String,
    at: Option<(i64, i64)>,
    /// Unit of the rounding, hundredths of a pixel.
    grain: i64,
}

impl Path {
    /// A path of about `points` points: long paths are rounded to 0.1 px, short ones to 0.01 px.
    pub fn of(points: usize) -> Self {
        Self { data: String::new(), at: None, grain: if points > 3000 { 10 } else { 1 } }
    }

    fn round(&self, x: f64, y: f64) -> (i64, i64) {
        let g = self.grain.max(1);
        let r = |v: f64| (to_hundredths(v) as f64 / g as f64).round() as i64 * g;
        (r(x), r(y))
    }

    fn pair(&mut self, x: i64, y: i64) {
        let ends_in_digit = self.data.ends_with(|c: char| c.is_ascii_digit());
        if ends_in_digit && x >= 0 {
            self.data.push(' ');
        }
        let _ = hundredths(&mut self.data, x);
        if y >= 0 {
            self.data.push(' ');
        }
        let _ = hundredths(&mut self.data, y);
    }

    /// Begins a piece.
    pub fn move_to(&mut self, x: f64, y: f64) {
        let to = self.round(x, y);
        self.data.push('M');
        self.pair(to.0, to.1);
        self.at = Some(to);
        // After M, coordinates without a letter would be absolute lines.
        self.data.push('l');
    }

    /// Draws to a point; the first point begins a piece.
    pub fn line_to(&mut self, x: f64, y: f64) {
        let Some((x0, y0)) = self.at else { return self.move_to(x, y) };
        let (x1, y1) = self.round(x, y);
        if (x1, y1) != (x0, y0) {
            self.pair(x1 - x0, y1 - y0);
            self.at = Some((x1, y1));
        }
    }

    /// Ends the piece: the next point begins a new one.
    pub fn lift(&mut self) {
        self.end_piece();
        self.at = None;
    }

    /// Closes the outline.
    pub fn close(&mut self) {
        self.end_piece();
        self.data.push('z');
        self.at = None;
    }

    /// A piece of one point is a dot: `l` without coordinates is an error.
    fn end_piece(&mut self) {
        if self.data.ends_with('l') {
            self.data.push_str("0 0");
        }
    }

    /// The value of the attribute `d`.
    pub fn finish(mut self) -> String {
        self.end_piece();
        self.data
    }
}

/// Which end of a text its position names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Anchor {
    /// The text begins there.
    #[default]
    Start,
    /// The text is centred there.
    Middle,
    /// The text ends there.
    End,
}

impl Anchor {
    fn attribute(self) -> &'static str {
        match self {
            Self::Start => "",
            Self::Middle => " text-anchor=\"middle\"",
            Self::End => " text-anchor=\"end\"",
        }
    }
}

/// Where and how a text stands: position, font size, which end the position names, class (may be empty).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lettering {
    pub at: (f64, f64),
    pub size: f64,
    pub anchor: Anchor,
    pub class: &'static str,
}

impl Lettering {
    /// Text without a class.
    pub fn new(at: (f64, f64), size: f64, anchor: Anchor) -> Self {
        Self { at, size, anchor, class: "" }
    }

    /// With a class.
    pub fn class(self, class: &'static str) -> Self {
        Self { class, ..self }
    }

    fn open(&self, out: &mut String) {
        let (x, y) = self.at;
        let _ =
            write!(out, "<text x=\"{}\" y=\"{}\" font-size=\"{}\"", Px(x), Px(y), Px(self.size));
        out.push_str(self.anchor.attribute());
        if !self.class.is_empty() {
            let _ = write!(out, " class=\"{}\"", self.class);
        }
    }
}

/// Appends a `<text>` element.
pub(crate) fn text(out: &mut String, how: Lettering, text: &Text) {
    how.open(out);
    out.push('>');
    text.svg(out, how.size);
    out.push_str("</text>\n");
}

/// Appends a `<text>` element that reads upwards, centred at `at`.
pub(crate) fn text_upwards(out: &mut String, at: (f64, f64), size: f64, text: &Text) {
    Lettering::new(at, size, Anchor::Middle).open(out);
    let _ = write!(out, " transform=\"rotate(-90 {} {})\">", Px(at.0), Px(at.1));
    text.svg(out, size);
    out.push_str("</text>\n");
}

/// Appends a filled rectangle from its corner `at`, (width, height) in size.
pub(crate) fn rect(out: &mut String, at: (f64, f64), size: (f64, f64), attributes: &str) {
    let (x, y) = at;
    let (width, height) = size;
    let _ = writeln!(
        out,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {attributes}/>",
        Px(x),
        Px(y),
        Px(width.max(0.0)),
        Px(height.max(0.0))
    );
}

/// Appends a path with attributes.
pub(crate) fn path(out: &mut String, data: &str, attributes: &str) {
    if !data.is_empty() {
        let _ = writeln!(out, "<path d=\"{data}\" {attributes}/>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_and_do_not_drift() {
        let mut p = Path::of(5000);
        for i in 0..=1000 {
            p.line_to(i as f64 * 0.033, 0.0);
        }
        let d = p.finish();
        let sum: f64 =
            d.trim_start_matches("M0 0l").split(' ').map(|s| s.parse::<f64>().unwrap()).sum();
        assert!((sum - 33.0).abs() < 0.051, "{sum}");
        let mut dot = Path::of(1);
        dot.move_to(1.0, 2.0);
        dot.lift();
        dot.move_to(-3.0, -4.5);
        dot.line_to(-2.0, -4.5);
        assert_eq!(dot.finish(), "M1 2l0 0M-3-4.5l1 0");
    }
}
