//! Interactive time series: data for uPlot, coded in base64.

use crate::base64;
use crate::figure::{Axis, Scale, Style, Text, range};
use std::borrow::Cow;
use std::fmt::Write;

/// A curve of an interactive plot.
#[derive(Debug, Clone)]
struct Curve<'a> {
    panel: usize,
    style: Style,
    dots: bool,
    y: Cow<'a, [f64]>,
}

/// Interactive time series, one above the other, with one time axis: drag to zoom, double-click to see
/// all, one cursor for all. Values travel as `f32`, times as `f64`, or as start and step when they are equidistant
/// to 10⁻⁶ of a step.
#[derive(Debug, Clone)]
pub struct Interactive<'a> {
    time: Axis,
    t: Cow<'a, [f64]>,
    panels: Vec<(String, f64)>,
    curves: Vec<Curve<'a>>,
    bands: Vec<(f64, f64)>,
}

impl<'a> Interactive<'a> {
    /// A plot over the rising times `t`; a calendar axis gives dates, in UTC or at its offset.
    pub fn new(time: Axis, t: impl Into<Cow<'a, [f64]>>) -> Self {
        Self { time, t: t.into(), panels: Vec::new(), curves: Vec::new(), bands: Vec::new() }
    }

    /// Adds a panel below, for the curves that follow. `height` in px.
    pub fn panel(mut self, label: impl Into<Text>, unit: &str, height: f64) -> Self {
        let label = label.into().flat();
        let name = if unit.is_empty() { label } else { format!("{label} ({unit})") };
        self.panels.push((name, height));
        self
    }

    fn curve(mut self, y: Cow<'a, [f64]>, style: Style, dots: bool) -> Self {
        if self.panels.is_empty() {
            self = self.panel("", "", 240.0);
        }
        let panel = self.panels.len() - 1;
        self.curves.push(Curve { panel, style, dots, y });
        self
    }

    /// Adds a curve to the last panel, in ink, width and name of `style`; a non-finite value is a gap.
    pub fn line(self, y: impl Into<Cow<'a, [f64]>>, style: impl Into<Style>) -> Self {
        self.curve(y.into(), style.into(), false)
    }

    /// Adds points to the last panel, in ink, size and name of `style`.
    pub fn points(self, y: impl Into<Cow<'a, [f64]>>, style: impl Into<Style>) -> Self {
        self.curve(y.into(), style.into(), true)
    }

    /// Shades stretches of time in all panels.
    pub fn bands(mut self, spans: &[(f64, f64)]) -> Self {
        self.bands.extend_from_slice(spans);
        self
    }

    /// The element and its data. `id` tells the plots of a page apart.
    pub(super) fn html(&self, id: usize, out: &mut String) {
        let n = self.curves.iter().map(|c| c.y.len()).fold(self.t.len(), usize::min);
        // uPlot needs rising finite times; what follows a break in them is not shown.
        let n = rising(&self.t[..n]);
        let (calendar, origin, offset) = match self.time.scale {
            Scale::Calendar { origin, offset } => (true, origin, offset),
            _ => (false, 0.0, 0),
        };
        let times: Vec<f64> = self.t[..n].iter().map(|t| t + origin).collect();
        let mut data = String::new();
        let _ = write!(data, "{{\"n\":{n},\"calendar\":{calendar},\"offset\":{offset},\"time\":");
        let name = if self.time.unit.is_empty() {
            self.time.label.flat()
        } else {
            format!("{} ({})", self.time.label.flat(), self.time.unit)
        };
        string(&mut data, if calendar && name.is_empty() { "time" } else { &name });
        match equidistant(&times) {
            Some((start, step)) => {
                let _ = write!(data, ",\"t0\":{start:?},\"dt\":{step:?}");
            }
            None => {
                let bytes: Vec<u8> = times.iter().flat_map(|t| t.to_le_bytes()).collect();
                let _ = write!(data, ",\"t\":\"{}\"", base64::encode(&bytes));
            }
        }
        let bands: Vec<String> = self
            .bands
            .iter()
            .filter(|b| b.0.is_finite() && b.1.is_finite())
            .map(|b| format!("[{:?},{:?}]", b.0 + origin, b.1 + origin))
            .collect();
        let _ = write!(data, ",\"bands\":[{}],\"panels\":[", bands.join(","));
        for (i, (label, height)) in self.panels.iter().enumerate() {
            let _ = write!(data, "{}{{\"label\":", if i > 0 { "," } else { "" });
            string(&mut data, label);
            let _ = write!(data, ",\"height\":{},\"curves\":[", height.clamp(60.0, 2000.0));
            for (k, c) in self.curves.iter().filter(|c| c.panel == i).enumerate() {
                self.curve_json(c, n, k > 0, &mut data);
            }
            data.push_str("]}");
        }
        data.push_str("]}");
        let _ = write!(
            out,
            "<div class=\"plot\" data-plot=\"p{id}\"></div>\n\
             <script type=\"application/json\" id=\"p{id}\">{data}</script>\n\
             <p class=\"hint js\">Drag to zoom, double-click to see all.</p>\n\
             <noscript><p class=\"hint\">This plot is interactive and needs JavaScript.</p></noscript>\n"
        );
    }

    fn curve_json(&self, c: &Curve<'_>, n: usize, more: bool, data: &mut String) {
        let y = &c.y[..n];
        // f32 keeps seven digits: enough around the middle of the range even for a large offset.
        let shift = range(y).map_or(0.0, |(a, b)| 0.5 * a + 0.5 * b);
        let gaps = y.iter().any(|v| !v.is_finite());
        let value = |v: f64| if v.is_finite() { (v - shift) as f32 } else { f32::NAN };
        let bytes: Vec<u8> = y.iter().flat_map(|&v| value(v).to_le_bytes()).collect();
        let (light, dark) = c.style.ink.colours();
        data.push_str(if more { ",{\"label\":" } else { "{\"label\":" });
        string(data, &c.style.label.flat());
        let width = if c.dots { c.style.size.unwrap_or(3.0) } else { c.style.width.unwrap_or(1.4) };
        let _ = write!(
            data,
            ",\"ink\":[\"{light}\",\"{dark}\"],\"dots\":{},\"width\":{width},\"gaps\":{gaps},\"shift\":{shift:?},\"y\":\"{}\"}}",
            c.dots,
            base64::encode(&bytes)
        );
    }
}

/// How many leading times are finite and rise.
fn rising(t: &[f64]) -> usize {
    let first = t.first().is_some_and(|t| t.is_finite());
    let more = t.windows(2).take_while(|w| w[1].is_finite() && w[1] >= w[0]).count();
    usize::from(first) * (1 + more).min(t.len())
}

/// Start and step, if all times are where they put them.
fn equidistant(t: &[f64]) -> Option<(f64, f64)> {
    let (&first, &last) = (t.first()?, t.last()?);
    let step = (last - first) / (t.len() - 1).max(1) as f64;
    let near = |(i, t): (usize, &f64)| (first + i as f64 * step - t).abs() <= 1e-6 * step;
    (t.len() > 1 && step > 0.0 && t.iter().enumerate().all(near)).then_some((first, step))
}

/// A JSON string that may stand inside a `<script>` element.
fn string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' || matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}') => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_cannot_end_the_script() {
        let mut out = String::new();
        Interactive::new(Axis::linear("</script><b>", "s"), vec![0.0, 1.0])
            .line(vec![1.0, f64::NAN], Style::default().label("\"\\"))
            .html(0, &mut out);
        assert_eq!(out.matches("</script>").count(), 1);
        assert!(out.contains("\"gaps\":true") && out.contains("\\\"\\\\"));
    }

    #[test]
    fn times_are_short_when_equidistant_and_end_where_they_fall() {
        let t: Vec<f64> = (0..1000).map(|i| 1.7e9 + 600.0 * f64::from(i)).collect();
        assert_eq!(equidistant(&t), Some((1.7e9, 600.0)));
        assert_eq!(equidistant(&[0.0, 1.0, 3.0]), None);
        assert_eq!(equidistant(&[5.0]), None);
        assert_eq!(rising(&[0.0, 1.0, 0.5, 2.0]), 2);
        assert_eq!(rising(&[f64::NAN, 1.0]), 0);
        assert_eq!(rising(&[]), 0);
    }
}
