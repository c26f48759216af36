//! Interactive time series: data for uPlot, coded in base64.

use crate::base64;
use crate::figure::{Axis, Scale, Style, Text, range};
use std::borrow::Cow;
use std::fmt::Write;

/// Samples that are shown at most.
const MOST: usize = 300_000;

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
/// to 10⁻⁶ of a step. Of more than 300,000 samples only the lowest and the highest of each curve in equal blocks are kept,
/// so that the page stays light; the hint below says so.
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
        let (kept, block) = self.thinned(n);
        let times: Vec<f64> = kept.iter().map(|&i| self.t[i] + origin).collect();
        let whole = n;
        let n = kept.len();
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
                self.curve_json(c, &kept, k > 0, &mut data);
            }
            data.push_str("]}");
        }
        data.push_str("]}");
        let note = match block {
            1 => String::new(),
            _ => format!(" Of {whole} samples the extremes of every {block} are shown."),
        };
        let _ = write!(
            out,
            "<div class=\"plot\" data-plot=\"p{id}\"></div>\n\
             <script type=\"application/json\" id=\"p{id}\">{data}</script>\n\
             <p class=\"hint js\">Drag to zoom, double-click to see all; on a touch screen, zoom with two fingers, move with one.{note}</p>\n\
             <noscript><p class=\"hint\">This plot is interactive and needs JavaScript.</p></noscript>\n"
        );
    }

    /// Which of `n` samples are shown, and of how many each pair stands for (1: all are).
    fn thinned(&self, n: usize) -> (Vec<usize>, usize) {
        if n <= MOST {
            return ((0..n).collect(), 1);
        }
        let block = n.div_ceil(MOST / (2 * self.curves.len().max(1)));
        let mut kept = Vec::with_capacity(MOST);
        for from in (0..n).step_by(block) {
            let part = from..(from + block).min(n);
            let first = kept.len();
            for c in &self.curves {
                let by_value = |a: &usize, b: &usize| c.y[*a].total_cmp(&c.y[*b]);
                let present = || part.clone().filter(|&i| c.y[i].is_finite());
                kept.extend(present().min_by(by_value));
                kept.extend(present().max_by(by_value));
            }
            // Of a gap its first sample.
            if first == kept.len() {
                kept.push(from);
            }
            kept[first..].sort_unstable();
        }
        kept.dedup();
        (kept, block)
    }

    fn curve_json(&self, c: &Curve<'_>, kept: &[usize], more: bool, data: &mut String) {
        let y = &kept.iter().map(|&i| c.y[i]).collect::<Vec<f64>>();
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
    let &first = t.first()?;
    let &last = t.last()?;
    let step = (last - first) / (t.len() - 1).max(1) as f64;
    let near = |(i, t): (usize, &f64)| (first + i as f64 * step - t).abs() <= 1e-6 * step;
    (t.len() > 1 && step > 0.0 && t.iter().enumerate().all(near)).then_some((first, step))
}

/// A JSON string that may stand inside a `<script>` element.
pub(super) fn string(out: &mut String, text: &str) {
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
    fn many_samples_are_thinned_to_their_extremes() {
        let t: Vec<f64> = (0..2_000_000).map(f64::from).collect();
        let mut y = vec![0.0; t.len()];
        y[1_234_567] = 5.0;
        y[7] = f64::NAN;
        let plot = Interactive::new(Axis::linear("t", "s"), t).line(y, Style::default());
        let (kept, block) = plot.thinned(2_000_000);
        assert!(kept.len() <= MOST && block > 1 && kept.contains(&1_234_567));
        assert!(kept.windows(2).all(|w| w[0] < w[1]));
        assert_eq!(plot.thinned(1000), ((0..1000).collect(), 1));
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
